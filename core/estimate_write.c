/* An estimate as JSON, and as text for a terminal. */
#include "core/estimate.h"

#include "core/shown.h"
#include "core/text_table.h"

#include <inttypes.h>

/* More than any estimate's text takes. */
enum { TEXT_LIMIT = 4096 };

void estimate_put_note(const struct estimate *estimate, struct buf *out)
{
    if (estimate->runs == 1)
        buf_printf(out,
                   "One run only: the intervals are from the variation among its %" PRId64
                   " measured steps, and do not cover how runs differ.",
                   estimate->window_steps);
    else
        buf_printf(out,
                   "The figures are from %" PRId64
                   " runs; the intervals are from the variation among %" PRId64
                   " measured steps, and do not cover how runs differ.",
                   estimate->runs, estimate->window_steps);
    if (estimate->is_retracted)
        buf_puts(out, " The recipe is retracted: kept for the record, not to be used.");
}

static void put_interval(struct json *j, const char *key, struct estimate_interval interval)
{
    if (interval.high <= 0) {
        json_put_null(j, key);
        return;
    }
    json_begin(j, key, '{');
    shown_put_json(j, "low", interval.low);
    shown_put_json(j, "high", interval.high);
    json_end(j, '}');
}

static void put_uncertainty(const struct estimate *estimate, struct json *j)
{
    json_begin(j, "uncertainty", '{');
    json_put_real(j, "confidence", 0.95);
    shown_put_json(j, "speed_stderr", estimate->speed_stderr);
    put_interval(j, "wall_hours", estimate->wall_hours_95);
    put_interval(j, "usd", estimate->usd_95);
    json_put_int(j, "window_steps", estimate->window_steps);
    json_put_int(j, "runs", estimate->runs);
    json_begin(j, "note", '"'); /* The sentence has nothing that JSON would escape. */
    estimate_put_note(estimate, j->buf);
    json_end(j, '"');
    json_end(j, '}');
}

void estimate_write_json(const struct estimate *estimate, struct json *j)
{
    json_put_int(j, "tokens", estimate->tokens);
    json_put_int(j, "steps", estimate->steps);
    json_put_int(j, "trained_tokens", estimate->trained_tokens);
    shown_put_json(j, "step_seconds", estimate->step_seconds);
    shown_put_json(j, "gpu_hours", estimate->gpu_hours);
    shown_put_json(j, "wall_hours", estimate->wall_hours);
    shown_put_json_known(j, "usd", estimate->usd);
    shown_put_json_known(j, "usd_per_million_tokens", estimate->usd_per_million_tokens);
    json_begin(j, "check", '{');
    shown_put_json_known(j, "gpu_hours", estimate->check_gpu_hours);
    shown_put_json_known(j, "usd", estimate->check_usd);
    json_end(j, '}');
    put_uncertainty(estimate, j);
}

static void put_row(struct text_table *t, const char *name, double value)
{
    text_table_put(t, name);
    shown_put_text_known(&t->cells, value);
    text_table_end(t);
}

static void put_range(struct text_table *t, const char *name, double value,
                      struct estimate_interval interval)
{
    text_table_put(t, name);
    shown_put_text_known(&t->cells, value);
    if (interval.high > 0) {
        buf_puts(&t->cells, " (95%: ");
        shown_put_text(&t->cells, interval.low);
        buf_puts(&t->cells, " to ");
        shown_put_text(&t->cells, interval.high);
        buf_putc(&t->cells, ')');
    }
    text_table_end(t);
}

enum err_code estimate_write_text(const struct estimate *estimate, struct buf *out, struct err *e)
{
    struct text_table t;
    enum err_code rc;

    text_table_init(&t, 2, 0, TEXT_LIMIT);
    text_table_put(&t, "tokens");
    buf_put_int(&t.cells, estimate->tokens);
    text_table_end(&t);
    text_table_put(&t, "steps");
    buf_printf(&t.cells, "%" PRId64 " (%" PRId64 " tokens)", estimate->steps,
               estimate->trained_tokens);
    text_table_end(&t);
    put_row(&t, "step_seconds", estimate->step_seconds);
    put_row(&t, "gpu_hours", estimate->gpu_hours);
    put_range(&t, "wall_hours", estimate->wall_hours, estimate->wall_hours_95);
    put_range(&t, "usd", estimate->usd, estimate->usd_95);
    put_row(&t, "usd_per_million_tokens", estimate->usd_per_million_tokens);
    put_row(&t, "check: gpu_hours", estimate->check_gpu_hours);
    put_row(&t, "check: usd", estimate->check_usd);
    text_table_put(&t, "note");
    estimate_put_note(estimate, &t.cells);
    text_table_end(&t);
    rc = text_table_write(&t, out, e);
    text_table_done(&t);
    return rc;
}
