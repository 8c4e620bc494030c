/* Lines, table and JSON of a verification. */
#include "cli/verify_print.h"

#include "base/mem.h"
#include "core/text_table.h"

#include <inttypes.h>
#include <string.h>

/* The table's cells at most. */
enum { TABLE_LIMIT = 64 * 1024 * 1024 };

/* Digits of a revision that people are shown; enough to find it. */
enum { SHOWN_REVISION = 12 };

/* Tell whether the hub was asked in vain, so that what was known before stays. */
static bool was_in_vain(const struct verify_checkpoint *c)
{
    return c->asked && !hub_result_replaces(c->asked, &c->known);
}

struct verify_tally verify_tally(const struct verify_run *run)
{
    struct verify_tally tally = {0};

    for (size_t i = 0; i < run->count; i++) {
        const struct verify_checkpoint *c = &run->checkpoints[i];

        for (size_t k = 0; k < c->claim_count; k++) {
            struct hub_result judged;

            verify_judge(c, &c->claims[k].claim, &judged);
            tally.outcomes[judged.outcome]++;
        }
        tally.recipes += c->claim_count;
        if (c->asked && c->asked->outcome == HUB_UNREACHABLE)
            tally.unreachable_now += c->claim_count;
    }
    return tally;
}

static void print_line(const struct verify_checkpoint *c, const struct recipe_claim *claim,
                       struct buf *out)
{
    struct hub_result judged;
    const struct hub_result *shown;

    verify_judge(c, &claim->claim, &judged);
    shown = was_in_vain(c) ? c->asked : &judged;
    buf_printf(out, "%-13s  %s/%s/%s: ", hub_outcome_name(shown->outcome), claim->model, claim->gpu,
               claim->recipe);
    if (shown->outcome == HUB_CONFIRMED)
        buf_printf(out, "%" PRId64 " active parameters", shown->computed);
    else
        buf_puts(out, shown->reason);
    if (shown != &judged && judged.outcome != HUB_NOT_CHECKED)
        buf_printf(out, "; %s on %.10s stays", hub_outcome_name(judged.outcome), judged.checked_at);
    buf_putc(out, '\n');
}

void verify_print_lines(const struct verify_checkpoint *checkpoint, struct buf *out)
{
    for (size_t i = 0; i < checkpoint->claim_count; i++)
        print_line(checkpoint, &checkpoint->claims[i], out);
}

static void put_int(struct text_table *t, int64_t value)
{
    buf_put_int(&t->cells, value);
    text_table_end(t);
}

static int64_t left_out(const struct active_params *counts)
{
    int64_t sum = 0;

    for (size_t i = 0; i < ACTIVE_PARAMS_SKIPS; i++)
        sum += counts->skipped[i]; /* Fits: it is a part of the total. */
    return sum;
}

/* Add the cells of what a count is made of; as many empty ones where there is none. */
static void put_counts(struct text_table *t, const struct hub_result *known)
{
    const struct active_params *counts = &known->counts;

    if (known->computed == 0) {
        for (size_t i = 0; i < 8; i++)
            text_table_put(t, "-");
        return;
    }
    put_int(t, known->computed);
    put_int(t, counts->dense);
    put_int(t, counts->head > 0 ? counts->head : counts->embedding);
    put_int(t, counts->routed);
    if (counts->routed > 0)
        buf_printf(&t->cells, "%" PRId64 " of %" PRId64, counts->config.experts_per_token,
                   counts->config.experts);
    else
        buf_putc(&t->cells, '-');
    text_table_end(t);
    put_int(t, left_out(counts));
    put_int(t, counts->total);
    if (known->hub_total == 0)
        text_table_put(t, "-");
    else if (known->hub_total_agrees)
        text_table_put(t, "the same");
    else
        put_int(t, known->hub_total);
}

static void put_checkpoint(struct text_table *t, const struct verify_checkpoint *c)
{
    buf_printf(&t->cells, "%s@%.*s", c->repository, SHOWN_REVISION, c->revision);
    text_table_end(t);
    text_table_put(t, c->known.computed > 0 ? "counted" : hub_outcome_name(c->known.outcome));
    put_counts(t, &c->known);
}

static void print_totals(const struct verify_run *run, struct buf *out)
{
    const struct verify_tally tally = verify_tally(run);
    const char *before = ": ";

    buf_printf(out, "%zu recipe%s of %zu checkpoint%s", tally.recipes,
               tally.recipes == 1 ? "" : "s", run->count, run->count == 1 ? "" : "s");
    for (enum hub_outcome outcome = 0; outcome < HUB_OUTCOMES; outcome++)
        if (tally.outcomes[outcome] > 0) {
            buf_printf(out, "%s%zu %s", before, tally.outcomes[outcome], hub_outcome_name(outcome));
            before = ", ";
        }
    buf_printf(out, "; asked for %zu checkpoint%s in %" PRId64 " requests, %" PRId64 " bytes\n",
               run->asked, run->asked == 1 ? "" : "s", run->requests, run->bytes);
}

enum err_code verify_print_table(const struct verify_run *run, struct buf *out, struct err *e)
{
    static const char *const heads[] = {"CHECKPOINT", "OUTCOME", "ACTIVE",   "DENSE", "VOCABULARY",
                                        "ROUTED",     "EXPERTS", "LEFT OUT", "ALL",   "BY THE HUB"};
    const unsigned right = 0x3fc; /* All but the first two. */
    enum err_code rc = ERR_OK;
    struct text_table t;

    if (run->count > 0) {
        text_table_init(&t, COUNT_OF(heads), right, TABLE_LIMIT);
        for (size_t i = 0; i < COUNT_OF(heads); i++)
            text_table_put(&t, heads[i]);
        for (size_t i = 0; i < run->count; i++)
            put_checkpoint(&t, &run->checkpoints[i]);
        buf_putc(out, '\n');
        rc = text_table_write(&t, out, e);
        text_table_done(&t);
        buf_putc(out, '\n');
    }
    print_totals(run, out);
    return rc;
}

static void put_recipe(struct json *j, const struct verify_checkpoint *c,
                       const struct recipe_claim *claim)
{
    struct hub_result judged;

    verify_judge(c, &claim->claim, &judged);
    json_begin(j, NULL, '{');
    json_put_text(j, "model", claim->model);
    json_put_text(j, "gpu", claim->gpu);
    json_put_text(j, "recipe", claim->recipe);
    hub_result_write_json(&judged, &claim->claim, "confirmation", j);
    if (was_in_vain(c)) {
        json_begin(j, "asked", '{');
        json_put_text(j, "status", hub_outcome_name(c->asked->outcome));
        json_put_text(j, "reason", c->asked->reason);
        json_end(j, '}');
    } else {
        json_put_null(j, "asked");
    }
    json_end(j, '}');
}

void verify_print_json(const struct verify_run *run, const struct err *failure, struct buf *out)
{
    const struct verify_tally tally = verify_tally(run);
    struct json j;

    json_init(&j, out);
    json_begin(&j, NULL, '{');
    json_put_text(&j, "error", failure ? failure->text : NULL);
    json_put_int(&j, "checkpoints", (int64_t)run->count);
    json_put_int(&j, "asked", (int64_t)run->asked);
    json_put_int(&j, "requests", run->requests);
    json_put_int(&j, "bytes", run->bytes);
    json_begin(&j, "outcomes", '{');
    for (enum hub_outcome outcome = 0; outcome < HUB_OUTCOMES; outcome++)
        json_put_int(&j, hub_outcome_name(outcome), (int64_t)tally.outcomes[outcome]);
    json_end(&j, '}');
    json_begin(&j, "recipes", '[');
    for (size_t i = 0; i < run->count; i++)
        for (size_t k = 0; k < run->checkpoints[i].claim_count; k++)
            put_recipe(&j, &run->checkpoints[i], &run->checkpoints[i].claims[k]);
    json_end(&j, ']');
    json_end(&j, '}');
    buf_putc(out, '\n');
}
