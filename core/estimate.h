/* What training on a number of tokens takes by a recipe: steps, hours, USD, and how sure that is.
 * The formulas are those of core/cost.h; this is what /cost and /plan say of one recipe. */
#ifndef CORE_ESTIMATE_H
#define CORE_ESTIMATE_H

#include "core/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Expands to the most tokens that are estimated, which an enum cannot hold: far above any training
 * run, and with one step more still an int64_t. */
#define ESTIMATE_TOKENS_MAX INT64_C(1000000000000000000)

/* Highest price, in USD per GPU-hour, and lowest: no mistake of unit reaches them. */
#define ESTIMATE_PRICE_MAX 1e9
#define ESTIMATE_PRICE_MIN 1e-9

/* Standard errors on each side of a mean that make its 95% interval. Source: the 0.975 quantile of
 * the normal distribution, 1.95996. A window of 15 steps would have 2.14 by Student's t. */
#define ESTIMATE_95_PERCENT 1.96

/* The figures of a measured run that estimates are made from.
 *
 * tokens_per_s_per_gpu: 1e-9 to 1e9
 * gpus:                 1 to 1e9
 * row_tokens:           tokens of one row, 1 to 1e9
 * global_batch:         rows of one step, 1 to 1e9
 * step_time_cv_percent: over the window, 0 to 1e6
 * window_steps:         measured steps, 1 to 1e9 + 1
 * runs:                 that the figures are from, 1 to 1e9
 * gpu_hours:            that the measured run took, 0 to 1e9; 0: not known
 * is_retracted:         whether the recipe is kept for the record only */
struct estimate_figures {
    double tokens_per_s_per_gpu;
    int64_t gpus;
    int64_t row_tokens;
    int64_t global_batch;
    double step_time_cv_percent;
    int64_t window_steps;
    int64_t runs;
    double gpu_hours;
    bool is_retracted;
};

/* Where a mean lies with 95% confidence; low is at least 0. */
struct estimate_interval {
    double low;
    double high;
};

/* An estimate. Hours and costs are for exactly the tokens that were asked for; a trainer can only
 * make whole steps, and so trains up to one step more.
 *
 * tokens:         asked for, 1 to ESTIMATE_TOKENS_MAX
 * steps:          optimizer steps, rounded up
 * trained_tokens: of these steps, >= tokens
 * step_seconds:   of one step
 * gpu_hours, wall_hours: of the tokens
 * usd, usd_per_million_tokens: at the price; 0: no price known
 * check_gpu_hours, check_usd:  of running the measured run again; 0: not known
 * speed_stderr:   standard error of tokens_per_s_per_gpu, from the step time's variation
 * wall_hours_95, usd_95: the same error as 95% intervals; {0, 0}: no price known
 * window_steps, runs:    that the error is from
 * is_retracted:   whether the recipe is kept for the record only */
struct estimate {
    int64_t tokens;
    int64_t steps;
    int64_t trained_tokens;
    double step_seconds;
    double gpu_hours;
    double wall_hours;
    double usd;
    double usd_per_million_tokens;
    double check_gpu_hours;
    double check_usd;
    double speed_stderr;
    struct estimate_interval wall_hours_95;
    struct estimate_interval usd_95;
    int64_t window_steps;
    int64_t runs;
    bool is_retracted;
};

/* Read a count of tokens: a number without a sign or with an exponent ("8192", "10e9"), then
 * perhaps K, M, B or T in either case ("10B", "1.5T"), read exactly.
 *
 * out_tokens: 1 to ESTIMATE_TOKENS_MAX
 * Errors: ERR_INPUT with the reason in words: no number ("10_000"), a fraction of a token, out of
 *         range. */
MUST_USE enum err_code tokens_parse(const char *text, size_t len, int64_t *out_tokens,
                                    struct err *e);

/* Take the figures of a recipe; its window must have two steps, the last not before the first. */
void estimate_figures_of(const struct recipe *r, struct estimate_figures *out);

/* Estimate.
 *
 * tokens:           1 to ESTIMATE_TOKENS_MAX
 * usd_per_gpu_hour: ESTIMATE_PRICE_MIN to ESTIMATE_PRICE_MAX; 0: not known
 * Errors: ERR_INPUT naming the figure that is out of its range.
 * Source: README, "Formulas". */
MUST_USE enum err_code estimate_make(const struct estimate_figures *figures, int64_t tokens,
                                     double usd_per_gpu_hour, struct estimate *out, struct err *e);

/* Tell whether the 95% intervals of two speeds overlap, so that their order is not sure.
 *
 * speed, stderr: tokens/s per GPU, and its standard error (cost_speed_stderr), >= 0 */
bool estimate_is_near_tie(double speed_a, double stderr_a, double speed_b, double stderr_b);

/* Append a sentence on what the interval covers; that one run is one run only, it says. */
void estimate_put_note(const struct estimate *estimate, struct buf *out);

/* Write an estimate's members into an open object, figures rounded, null where no price is known.
 */
void estimate_write_json(const struct estimate *estimate, struct json *j);

/* Append an estimate as a table of two columns, for a terminal.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code estimate_write_text(const struct estimate *estimate, struct buf *out,
                                           struct err *e);

#endif
