/* Arithmetic only: no catalogue, no recipe, no words. */
#include "core/cost.h"

#include "base/num.h"

#include <math.h>

static const double seconds_per_hour = 3600;

/* Costs are given to six significant digits: prices have no more. */
enum { COST_DIGITS = 6 };

double cost_usd_per_gpu_hour(double usd_per_hour, int64_t gpus)
{
    return usd_per_hour / (double)gpus;
}

double cost_usd_per_million_tokens(double usd_per_gpu_hour, double tokens_per_s_per_gpu)
{
    double usd = usd_per_gpu_hour / (tokens_per_s_per_gpu * seconds_per_hour) * 1e6;

    return isfinite(usd) ? num_round_digits(usd, COST_DIGITS) : usd;
}

double cost_mfu(int64_t active_params, double tokens_per_s_per_gpu, int64_t peak_bf16_flops)
{
    return 6 * (double)active_params * tokens_per_s_per_gpu / (double)peak_bf16_flops;
}

/* Multiply numbers that are not negative; false if the product is above INT64_MAX. */
static bool multiply(int64_t a, int64_t b, int64_t *out_product)
{
    if (a > 0 && b > INT64_MAX / a)
        return false;
    *out_product = a * b;
    return true;
}

bool cost_dp(int64_t gpus, int64_t tp, int64_t pp, int64_t cp, int64_t *out_dp)
{
    int64_t ranks;

    if (!multiply(tp, pp, &ranks) || !multiply(ranks, cp, &ranks) || gpus % ranks != 0)
        return false;
    *out_dp = gpus / ranks;
    return true;
}

bool cost_window_tokens(int64_t first, int64_t last, int64_t global_batch, int64_t row_tokens,
                        int64_t *out_tokens)
{
    int64_t steps = last - first;
    int64_t tokens;

    if (steps == INT64_MAX || !multiply(steps + 1, global_batch, &tokens) ||
        !multiply(tokens, row_tokens, &tokens))
        return false;
    *out_tokens = tokens;
    return true;
}

double cost_step_seconds(int64_t global_batch, int64_t row_tokens, double tokens_per_s_per_gpu,
                         int64_t gpus)
{
    return (double)global_batch * (double)row_tokens / (tokens_per_s_per_gpu * (double)gpus);
}

double cost_speed_stderr(double tokens_per_s_per_gpu, double cv_percent, int64_t steps)
{
    return tokens_per_s_per_gpu * cv_percent / 100 / sqrt((double)steps);
}

double cost_gpu_hours(double tokens, double tokens_per_s_per_gpu)
{
    return tokens / (tokens_per_s_per_gpu * seconds_per_hour);
}
