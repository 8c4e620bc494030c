/* Formulas of core/cost.h applied to a recipe's members, with their inputs written out. */
#include "core/figures.h"

#include "base/num.h"
#include "core/cost.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Digits that recomputed figures are shown with, as costs are rounded. */
enum { SHOWN_DIGITS = 6 };

/* Write a figure's words; all inputs are numbers and dates, so they fit. */
PRINTF_LIKE(2, 3) static void say(char out[FIGURE_BYTES], const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(out, FIGURE_BYTES, fmt, args);
    va_end(args);
    assert(len >= 0 && len < FIGURE_BYTES);
    (void)len; /* Looked at by assert alone. */
}

double figure_half_unit(const char *text)
{
    size_t mantissa = strcspn(text, "eE");
    const char *point = memchr(text, '.', mantissa);
    double decimals = point ? (double)(text + mantissa - point - 1) : 0;
    double scale = 1;
    char exponent[NUM_TEXT_BYTES];
    int len = snprintf(exponent, sizeof exponent, "1%s", text + mantissa);
    struct err e;

    /* An exponent too long to be read belongs to no number that was. */
    if (len < 0 || (size_t)len >= sizeof exponent ||
        num_parse_real(exponent, (size_t)len, &scale, &e) != ERR_OK)
        return 0;
    return 0.5 * scale * pow(10, -decimals);
}

/* Tell whether a stated figure agrees with a recomputed one.
 *
 * half_unit: of the text that stated it; 0: not known, so that of its shortest text is taken */
static bool agrees(double stated, double half_unit, double recomputed)
{
    char text[NUM_TEXT_BYTES];
    double shown = fabs(recomputed) * 0.5 * pow(10, 1 - SHOWN_DIGITS);

    if (half_unit == 0) {
        num_format_real(text, stated);
        half_unit = figure_half_unit(text);
    }
    /* Digits beyond the shown ones are not judged; a hair is left for the binary fractions. */
    half_unit = half_unit > shown ? half_unit : shown;
    return fabs(recomputed - stated) <= half_unit * (1 + 1e-9);
}

static void judge_real(struct figure *out, double stated, double half_unit, double recomputed)
{
    char text[NUM_TEXT_BYTES];

    if (stated > 0) {
        num_format_real(text, stated);
        say(out->found, "%s", text);
    }
    out->is_known = stated > 0 && isfinite(recomputed) && recomputed > 0;
    out->agrees = out->is_known && agrees(stated, half_unit, recomputed);
}

void figure_usd(const struct recipe *r, const struct price *price, struct figure *out)
{
    double speed = r->result.tokens_per_s_per_gpu;
    double hour = price ? cost_usd_per_gpu_hour(price->usd_per_hour, price->gpus) : 0;
    double usd = hour > 0 && speed > 0 ? cost_usd_per_million_tokens(hour, speed) : 0;
    char usd_text[NUM_TEXT_BYTES], hour_text[NUM_TEXT_BYTES];

    *out = (struct figure){0};
    judge_real(out, r->result.usd_per_million_tokens, r->derived.usd_half_unit, usd);
    if (price && usd > 0 && isfinite(usd)) {
        num_format_real(usd_text, usd);
        num_format_real(hour_text, num_round_digits(hour, SHOWN_DIGITS));
        say(out->expected, "%s at %s USD per GPU-hour (%.10s)", usd_text, hour_text, price->as_of);
    }
}

void figure_mfu(const struct recipe *r, const struct gpu *gpu, struct figure *out)
{
    double speed = r->result.tokens_per_s_per_gpu;
    int64_t params = r->result.active_params.count;
    double mfu = gpu ? cost_mfu(params, speed, gpu->peak_bf16_flops) : 0;
    char mfu_text[NUM_TEXT_BYTES], speed_text[NUM_TEXT_BYTES];

    *out = (struct figure){0};
    judge_real(out, r->result.mfu, r->derived.mfu_half_unit, mfu);
    if (gpu && mfu > 0 && isfinite(mfu)) {
        num_format_real(mfu_text, num_round_digits(mfu, SHOWN_DIGITS));
        num_format_real(speed_text, speed);
        say(out->expected, "6 * %" PRId64 " * %s / %" PRId64 " = %s", params, speed_text,
            gpu->peak_bf16_flops, mfu_text);
    }
}

void figure_window_tokens(const struct recipe *r, struct figure *out)
{
    const struct int_list *window = &r->result.window;
    int64_t batch = r->workload.global_batch;
    int64_t row = r->workload.row_tokens;
    int64_t tokens = 0;
    char result[NUM_TEXT_BYTES] = "more than 64 bits hold";

    *out = (struct figure){0};
    if (r->result.window_tokens > 0)
        say(out->found, "%" PRId64, r->result.window_tokens);
    if (window->count != 2 || batch < 1 || row < 1 || window->items[0] < 0 ||
        window->items[1] < window->items[0])
        return;
    if (cost_window_tokens(window->items[0], window->items[1], batch, row, &tokens))
        num_format_int(result, tokens);
    say(out->expected,
        "(%" PRId64 " - %" PRId64 " + 1) steps * %" PRId64 " rows * %" PRId64 " tokens = %s",
        window->items[1], window->items[0], batch, row, result);
    out->is_known = r->result.window_tokens > 0;
    out->agrees = r->result.window_tokens == tokens;
}

void figure_dp(const struct recipe *r, struct figure *out)
{
    int64_t gpus = r->gpu.count, tp = r->layout.tp, pp = r->layout.pp, cp = r->layout.cp;
    int64_t dp = 0;
    char result[NUM_TEXT_BYTES] = "no whole number";

    *out = (struct figure){0};
    if (r->layout.dp > 0)
        say(out->found, "%" PRId64, r->layout.dp);
    if (gpus < 1 || tp < 1 || pp < 1 || cp < 1)
        return;
    if (cost_dp(gpus, tp, pp, cp, &dp))
        num_format_int(result, dp);
    say(out->expected, "%" PRId64 " GPUs / (tp %" PRId64 " * pp %" PRId64 " * cp %" PRId64 ") = %s",
        gpus, tp, pp, cp, result);
    out->is_known = r->layout.dp > 0;
    out->agrees = r->layout.dp == dp;
}
