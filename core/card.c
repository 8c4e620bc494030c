/* The members of a recipe in a list, in the order that DESIGN section 5.1 shows. */
#include "core/card.h"

#include "core/cost.h"
#include "core/shown.h"

void card_write_head(const struct recipe *r, struct buf *out)
{
    struct json j;

    json_init(&j, out);
    json_put_text(&j, "recipe", r->derived.recipe);
    json_put_real(&j, "tokens_per_s_per_gpu", r->result.tokens_per_s_per_gpu);
}

double card_speed_stderr(const struct recipe *r)
{
    const int64_t *window = r->result.window.items;

    return cost_speed_stderr(r->result.tokens_per_s_per_gpu, r->result.step_time_cv_percent,
                             window[1] - window[0] + 1);
}

static void put_audit_counts(const struct audit *audit, struct json *j)
{
    json_begin(j, "audit", '{');
    for (enum audit_result result = AUDIT_PASS; result <= AUDIT_UNKNOWN; result++)
        json_put_int(j, audit_result_name(result), (int64_t)audit_count(audit, result));
    json_end(j, '}');
}

void card_write_tail(const struct recipe *r, const struct audit *audit, struct buf *out)
{
    struct json j;

    json_init(&j, out);
    json_put_int(&j, "gpus", r->gpu.count);
    json_put_text(&j, "layout", r->layout.label);
    json_put_text(&j, "highlights", r->layout.highlights);
    if (r->result.mfu > 0)
        json_put_real(&j, "mfu", r->result.mfu);
    else
        json_put_null(&j, "mfu");
    json_put_real(&j, "step_time_cv_percent", r->result.step_time_cv_percent);
    json_put_text(&j, "measured", r->result.measured);
    json_put_text(&j, "author", r->author.name);
    json_put_text(&j, "status", r->status);
    put_audit_counts(audit, &j);
    json_begin(&j, "url", '"');
    /* Slugs hold nothing that a path or JSON would escape. */
    buf_printf(out, "/models/%s/%s/%s", r->derived.model, r->derived.gpu, r->derived.recipe);
    json_end(&j, '"');
    json_put_int(&j, "runs", r->result.runs);
    shown_put_json(&j, "speed_stderr", card_speed_stderr(r));
}
