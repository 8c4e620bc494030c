/* A plan as JSON, and as text for a terminal. */
#include "core/plan.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/shown.h"
#include "core/text_table.h"

/* What a constraint is called, as a limit and as what is left of it. */
struct constraint_name {
    const char *limit;
    const char *unit;
};

static const struct constraint_name names[PLAN_CONSTRAINTS] = {
    [PLAN_BUDGET] = {"budget_usd", "usd"},
    [PLAN_DEADLINE] = {"deadline_hours", "hours"},
    [PLAN_GPUS] = {"max_gpus", "gpus"},
};

/* What stands before the next of so many things in a sentence. */
static void put_joint(struct buf *out, size_t at, size_t count)
{
    if (at > 0)
        buf_puts(out, at + 1 == count ? " and " : ", ");
}

/* A higher budget, or a lower price; either may be missing. */
static void put_budget(const struct plan_change *change, struct buf *out)
{
    bool has_both = change->budget_usd > 0 && change->usd_per_gpu_hour > 0;

    if (change->budget_usd > 0) {
        buf_puts(out, "a budget of ");
        shown_put_text(out, change->budget_usd);
        buf_puts(out, " USD");
    }
    if (has_both)
        buf_puts(out, " (or ");
    if (change->usd_per_gpu_hour > 0) {
        buf_puts(out, "a price of at most ");
        shown_put_text(out, change->usd_per_gpu_hour);
        buf_puts(out, " USD per GPU-hour");
    }
    if (has_both)
        buf_putc(out, ')');
}

static void put_sentence(const struct plan_row *row, const struct plan_change *change,
                         struct buf *out)
{
    bool has_cost = change->budget_usd > 0 || change->usd_per_gpu_hour > 0;
    bool has_deadline = change->deadline_hours > 0;
    bool has_gpus = change->max_gpus > 0;
    size_t count = (size_t)has_cost + has_deadline + has_gpus;
    size_t at = 0;

    if (row->checks[PLAN_BUDGET].verdict == PLAN_UNKNOWN)
        buf_puts(out, count > 0 ? "The cost is not known: there is no price. "
                                : "The cost is not known: there is no price.");
    if (count == 0)
        return;
    buf_puts(out, "It is feasible with ");
    if (has_cost) {
        put_budget(change, out);
        at++;
    }
    if (has_deadline) {
        put_joint(out, at++, count);
        buf_puts(out, "a deadline of ");
        shown_put_text(out, change->deadline_hours);
        buf_puts(out, " hours");
    }
    if (has_gpus) {
        put_joint(out, at, count);
        buf_put_int(out, change->max_gpus);
        buf_puts(out, change->max_gpus == 1 ? " GPU" : " GPUs");
    }
    buf_putc(out, '.');
}

void plan_put_change(const struct plan_row *row, struct buf *out)
{
    const struct plan_change change = plan_change_of(row);

    put_sentence(row, &change, out);
}

static void put_slack(const struct plan_row *row, struct json *j)
{
    json_begin(j, "slack", '{');
    for (size_t i = 0; i < PLAN_CONSTRAINTS; i++) {
        const struct plan_check *check = &row->checks[i];

        if (check->limit <= 0 || check->verdict == PLAN_UNKNOWN) {
            json_put_null(j, names[i].unit);
            continue;
        }
        json_begin(j, names[i].unit, '{');
        shown_put_json(j, "absolute", check->slack);
        shown_put_json(j, "fraction", check->slack_fraction);
        json_end(j, '}');
    }
    json_end(j, '}');
}

static void put_binding(const struct plan_row *row, struct json *j)
{
    json_begin(j, "binding", '[');
    for (size_t i = 0; i < PLAN_CONSTRAINTS; i++)
        if (row->checks[i].verdict != PLAN_FEASIBLE)
            json_put_text(j, NULL, names[i].limit);
    json_end(j, ']');
}

static void put_change(const struct plan_row *row, struct json *j)
{
    const struct plan_change change = plan_change_of(row);

    if (row->verdict == PLAN_FEASIBLE) {
        json_put_null(j, "change");
        return;
    }
    json_begin(j, "change", '{');
    shown_put_json_known(j, "budget_usd", change.budget_usd);
    shown_put_json_known(j, "usd_per_gpu_hour", change.usd_per_gpu_hour);
    shown_put_json_known(j, "deadline_hours", change.deadline_hours);
    if (change.max_gpus > 0)
        json_put_int(j, "max_gpus", change.max_gpus);
    else
        json_put_null(j, "max_gpus");
    json_begin(j, "text", '"'); /* The sentence has nothing that JSON would escape. */
    put_sentence(row, &change, j->buf);
    json_end(j, '"');
    json_end(j, '}');
}

static void put_verdict(enum plan_verdict verdict, struct json *j)
{
    if (verdict == PLAN_UNKNOWN)
        json_put_null(j, "feasible");
    else
        json_put_bool(j, "feasible", verdict == PLAN_FEASIBLE);
}

/* A price comes out as it went in; one that was divided has noise in its last digits. */
static void put_price(double usd_per_gpu_hour, struct json *j)
{
    if (usd_per_gpu_hour > 0)
        json_put_real(j, "usd_per_gpu_hour", num_round_digits(usd_per_gpu_hour, 12));
    else
        json_put_null(j, "usd_per_gpu_hour");
}

static void put_row(const struct plan_row *row, struct json *j)
{
    const struct plan_candidate *candidate = row->candidate;

    json_begin(j, NULL, '{');
    json_put_text(j, "recipe", candidate->recipe);
    json_put_text(j, "gpu", candidate->gpu);
    json_put_int(j, "gpus", candidate->figures.gpus);
    put_price(candidate->usd_per_gpu_hour, j);
    put_verdict(row->verdict, j);
    shown_put_json_known(j, "usd", row->estimate.usd);
    shown_put_json(j, "wall_hours", row->estimate.wall_hours);
    shown_put_json(j, "gpu_hours", row->estimate.gpu_hours);
    put_slack(row, j);
    json_put_bool(j, "on_frontier", row->on_frontier);
    put_binding(row, j);
    put_change(row, j);
    json_end(j, '}');
}

void plan_write_json(const struct plan *plan, size_t first, size_t end, const char *key,
                     struct json *j)
{
    json_begin(j, key, '[');
    for (size_t i = first; i < end; i++)
        put_row(&plan->rows[i], j);
    json_end(j, ']');
}

static const char *verdict_word(enum plan_verdict verdict)
{
    switch (verdict) {
    case PLAN_FEASIBLE:
        return "yes";
    case PLAN_UNKNOWN:
        return "unknown";
    case PLAN_INFEASIBLE:
        break;
    }
    return "no";
}

static void put_text_row(const struct plan_row *row, size_t number, struct text_table *t)
{
    buf_put_int(&t->cells, (int64_t)number);
    text_table_end(t);
    text_table_put(t, row->candidate->recipe);
    buf_put_int(&t->cells, row->candidate->figures.gpus);
    text_table_end(t);
    shown_put_text_known(&t->cells, row->estimate.usd);
    text_table_end(t);
    shown_put_text(&t->cells, row->estimate.wall_hours);
    text_table_end(t);
    text_table_put(t, row->on_frontier ? "yes" : "no");
    text_table_put(t, verdict_word(row->verdict));
    if (row->verdict == PLAN_FEASIBLE)
        buf_putc(&t->cells, '-');
    plan_put_change(row, &t->cells);
    text_table_end(t);
}

enum err_code plan_write_text(const struct plan *plan, size_t first, size_t end, size_t limit,
                              struct buf *out, struct err *e)
{
    static const char *const heads[] = {"#",          "recipe",   "gpus",     "usd",
                                        "wall_hours", "frontier", "feasible", "change"};
    struct text_table t;
    enum err_code rc;

    text_table_init(&t, COUNT_OF(heads), 1U << 0 | 1U << 2 | 1U << 3 | 1U << 4, limit);
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        text_table_put(&t, heads[i]);
    for (size_t i = first; i < end; i++)
        put_text_row(&plan->rows[i], i + 1, &t);
    rc = text_table_write(&t, out, e);
    text_table_done(&t);
    return rc;
}
