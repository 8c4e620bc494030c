/* One recipe's estimate: ranges first, so that nothing after them can overflow. */
#include "core/estimate.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/cost.h"

#include <math.h>
#include <string.h>

/* Largest count of GPUs, rows, row tokens, steps or runs: the product of two is still an int64_t.
 */
static const double count_max = 1e9;

/* A figure and where it must lie. */
struct range {
    const char *name;
    double value;
    double min;
    double max;
};

/* A letter after a number of tokens, and its power of ten. */
struct suffix {
    char letter;
    int exponent;
};

static const struct suffix suffixes[] = {
    {'K', 3}, {'k', 3}, {'M', 6}, {'m', 6}, {'B', 9}, {'b', 9}, {'T', 12}, {'t', 12},
};

/* Largest power of ten that is looked at; every count of 64 bytes is out of range beyond. */
enum { EXPONENT_MAX = 100 };

/* Read the exponent after an "e"; one that is out of any range is cut. */
static int read_exponent(const char *text, size_t len)
{
    bool is_negative = len > 0 && text[0] == '-';
    int value = 0;

    for (size_t i = 0; i < len; i++)
        if (text[i] >= '0' && text[i] <= '9' && value <= EXPONENT_MAX)
            value = value * 10 + (text[i] - '0');
    return is_negative ? -value : value;
}

/* Work out a decimal as digits * 10^exponent, without trailing zeros in digits.
 *
 * text: of the form that num_parse_real takes, without a minus
 * returns false if the digits are more than an int64_t holds */
static bool read_decimal(const char *text, size_t len, int64_t *out_digits, int *out_exponent)
{
    const char *point = memchr(text, '.', len);
    int64_t digits = 0;
    int exponent = 0;
    int zeros = 0;
    size_t at = 0;

    for (; at < len && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.')
            continue;
        if (point && text + at > point)
            exponent--;
        zeros++;
        if (text[at] == '0')
            continue;
        for (; zeros > 0; zeros--)
            if (__builtin_mul_overflow(digits, 10, &digits))
                return false;
        if (__builtin_add_overflow(digits, text[at] - '0', &digits))
            return false;
    }
    *out_digits = digits;
    *out_exponent = exponent + zeros + (at < len ? read_exponent(text + at + 1, len - at - 1) : 0);
    return true;
}

/* Multiply by a power of ten that is not negative; false if that is above the most tokens. */
static bool scale(int64_t *value, int exponent)
{
    for (; exponent > 0 && *value > 0; exponent--) {
        if (*value > ESTIMATE_TOKENS_MAX / 10)
            return false;
        *value *= 10;
    }
    return *value <= ESTIMATE_TOKENS_MAX;
}

enum err_code tokens_parse(const char *text, size_t len, int64_t *out_tokens, struct err *e)
{
    int shown = (int)(len < 40 ? len : 40);
    size_t number_len = len;
    int64_t tokens = 0;
    int exponent = 0;
    int power = 0;
    double value;

    for (size_t i = 0; i < COUNT_OF(suffixes) && len > 0; i++)
        if (text[len - 1] == suffixes[i].letter) {
            number_len = len - 1;
            power = suffixes[i].exponent;
        }
    if (num_parse_real(text, number_len, &value, e) != ERR_OK)
        return err_wrap(e, "a count of tokens is like 8192, 10e9, 10B or 1.5T");
    if (value <= 0)
        return err_set(e, ERR_INPUT, "%.*s: at least 1 token is needed", shown, text);
    if (!read_decimal(text, number_len, &tokens, &exponent))
        return err_set(e, ERR_INPUT, "%.*s has too many digits", shown, text);
    if (exponent + power < 0)
        return err_set(e, ERR_INPUT, "%.*s is not a whole number of tokens", shown, text);
    if (!scale(&tokens, exponent + power))
        return err_set(e, ERR_INPUT, "%.*s is above 10^18 tokens", shown, text);
    *out_tokens = tokens;
    return ERR_OK;
}

void estimate_figures_of(const struct recipe *r, struct estimate_figures *out)
{
    *out = (struct estimate_figures){
        .tokens_per_s_per_gpu = r->result.tokens_per_s_per_gpu,
        .gpus = r->gpu.count,
        .row_tokens = r->workload.row_tokens,
        .global_batch = r->workload.global_batch,
        .step_time_cv_percent = r->result.step_time_cv_percent,
        .window_steps = r->result.window.items[1] - r->result.window.items[0] + 1,
        .runs = r->result.runs,
        .is_retracted = r->status && strcmp(r->status, "retracted") == 0,
        .gpu_hours = r->result.gpu_hours,
    };
}

static enum err_code check_ranges(const struct estimate_figures *f, int64_t tokens, double price,
                                  struct err *e)
{
    const struct range ranges[] = {
        {"tokens_per_s_per_gpu", f->tokens_per_s_per_gpu, 1e-9, 1e9},
        {"gpus", (double)f->gpus, 1, count_max},
        {"row_tokens", (double)f->row_tokens, 1, count_max},
        {"global_batch", (double)f->global_batch, 1, count_max},
        {"step_time_cv_percent", f->step_time_cv_percent, 0, 1e6},
        {"steps of the window", (double)f->window_steps, 1, count_max + 1},
        {"runs", (double)f->runs, 1, count_max},
        {"gpu_hours", f->gpu_hours, 0, 1e9},
        {"usd_per_gpu_hour", price == 0 ? ESTIMATE_PRICE_MIN : price, ESTIMATE_PRICE_MIN,
         ESTIMATE_PRICE_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        const struct range *r = &ranges[i];

        if (!(r->value >= r->min && r->value <= r->max)) /* NaN is in no range. */
            return err_set(e, ERR_INPUT, "%s is not between %g and %g", r->name, r->min, r->max);
    }
    if (tokens < 1 || tokens > ESTIMATE_TOKENS_MAX)
        return err_set(e, ERR_INPUT, "tokens is not between 1 and 10^18");
    return ERR_OK;
}

/* The step time has a mean, and that mean a relative standard error; hours and costs are
 * proportional to the step time. */
static struct estimate_interval interval_around(double mean, double relative_stderr)
{
    double side = ESTIMATE_95_PERCENT * relative_stderr;

    return (struct estimate_interval){side < 1 ? mean * (1 - side) : 0, mean * (1 + side)};
}

enum err_code estimate_make(const struct estimate_figures *figures, int64_t tokens,
                            double usd_per_gpu_hour, struct estimate *out, struct err *e)
{
    double speed = figures->tokens_per_s_per_gpu;
    enum err_code rc = check_ranges(figures, tokens, usd_per_gpu_hour, e);
    int64_t step_tokens;
    double relative;

    if (rc != ERR_OK)
        return rc;
    step_tokens = figures->row_tokens * figures->global_batch;
    *out = (struct estimate){
        .tokens = tokens,
        .steps = (tokens - 1) / step_tokens + 1,
        .step_seconds =
            cost_step_seconds(figures->global_batch, figures->row_tokens, speed, figures->gpus),
        .gpu_hours = cost_gpu_hours((double)tokens, speed),
        .check_gpu_hours = figures->gpu_hours,
        .check_usd = figures->gpu_hours * usd_per_gpu_hour,
        .speed_stderr =
            cost_speed_stderr(speed, figures->step_time_cv_percent, figures->window_steps),
        .window_steps = figures->window_steps,
        .runs = figures->runs,
        .is_retracted = figures->is_retracted,
    };
    out->trained_tokens = out->steps * step_tokens;
    out->wall_hours = out->gpu_hours / (double)figures->gpus;
    relative = out->speed_stderr / speed;
    out->wall_hours_95 = interval_around(out->wall_hours, relative);
    if (usd_per_gpu_hour > 0) {
        out->usd = out->gpu_hours * usd_per_gpu_hour;
        out->usd_per_million_tokens = cost_usd_per_million_tokens(usd_per_gpu_hour, speed);
        out->usd_95 = interval_around(out->usd, relative);
    }
    return ERR_OK;
}

bool estimate_is_near_tie(double speed_a, double stderr_a, double speed_b, double stderr_b)
{
    return fabs(speed_a - speed_b) <= ESTIMATE_95_PERCENT * (stderr_a + stderr_b);
}
