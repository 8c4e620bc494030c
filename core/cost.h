/* The formulas of DESIGN section 2, each a pure function. */
#ifndef CORE_COST_H
#define CORE_COST_H

#include <stdbool.h>
#include <stdint.h>

/* USD per GPU-hour of an instance. usd_per_hour > 0, gpus >= 1. Source: README, "Formulas". */
double cost_usd_per_gpu_hour(double usd_per_hour, int64_t gpus);

/* USD per million training tokens, rounded to six significant digits.
 *
 * usd_per_gpu_hour, tokens_per_s_per_gpu: > 0
 * returns infinity where the result is beyond a double
 * Source: usd_per_gpu_hour / (tokens_per_s_per_gpu * 3600) * 1e6; README, "Formulas" */
double cost_usd_per_million_tokens(double usd_per_gpu_hour, double tokens_per_s_per_gpu);

/* Model FLOP/s utilisation, a fraction, not rounded.
 *
 * active_params:   per token, >= 1
 * peak_bf16_flops: dense BF16 peak of one GPU, FLOP/s, > 0
 * Source: 6 * active_params * tokens_per_s_per_gpu / peak; README, "Formulas" */
double cost_mfu(int64_t active_params, double tokens_per_s_per_gpu, int64_t peak_bf16_flops);

/* Ranks that hold a copy of the model: gpus / (tp * pp * cp), all >= 1.
 *
 * returns false if it is not a whole number; out_dp is then unchanged */
bool cost_dp(int64_t gpus, int64_t tp, int64_t pp, int64_t cp, int64_t *out_dp);

/* Tokens of the measured steps: (last - first + 1) * global_batch * row_tokens.
 *
 * first, last: 0 <= first <= last
 * returns false if the product is above INT64_MAX; out_tokens is then unchanged */
bool cost_window_tokens(int64_t first, int64_t last, int64_t global_batch, int64_t row_tokens,
                        int64_t *out_tokens);

/* Seconds of one optimizer step: global_batch * row_tokens / (tokens_per_s_per_gpu * gpus). */
double cost_step_seconds(int64_t global_batch, int64_t row_tokens, double tokens_per_s_per_gpu,
                         int64_t gpus);

/* Standard error of tokens_per_s_per_gpu from the step-time coefficient of variation over the
 * window's steps: tokens_per_s_per_gpu * cv_percent / 100 / sqrt(steps). steps >= 1. */
double cost_speed_stderr(double tokens_per_s_per_gpu, double cv_percent, int64_t steps);

/* GPU-hours for so many tokens: tokens / (tokens_per_s_per_gpu * 3600). */
double cost_gpu_hours(double tokens, double tokens_per_s_per_gpu);

#endif
