/* Outcomes by name, judgement by a stated count, JSON. */
#include "core/hub_result.h"

#include "base/text.h"
#include "core/field.h"
#include "core/text_form.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const hub_outcome_words[HUB_OUTCOMES + 1] = {
    [HUB_CONFIRMED] = "confirmed",         [HUB_CONTRADICTED] = "contradicted",
    [HUB_UNCONFIRMABLE] = "unconfirmable", [HUB_GATED] = "gated",
    [HUB_NOT_FOUND] = "not_found",         [HUB_UNREACHABLE] = "unreachable",
    [HUB_NOT_CHECKED] = "not_checked",
};

const char *hub_outcome_name(enum hub_outcome outcome)
{
    assert(outcome < HUB_OUTCOMES);
    return hub_outcome_words[outcome];
}

const char *hub_repo_of(const char *source)
{
    static const char start[] = "https://huggingface.co/";

    return text_form_get(FIELD_HUB_URL)->is_ok(source) ? source + strlen(start) : NULL;
}

void hub_result_judge(struct hub_result *result, int64_t stated)
{
    result->outcome = result->computed == stated ? HUB_CONFIRMED : HUB_CONTRADICTED;
    result->reason[0] = '\0';
    if (result->outcome == HUB_CONTRADICTED)
        /* Fits: two numbers. */
        (void)snprintf(result->reason, sizeof result->reason,
                       "%" PRId64 " are stated, and the headers give %" PRId64, stated,
                       result->computed);
}

/* How much an outcome says of the checkpoint. */
static int weight(const struct hub_result *result)
{
    if (result->computed > 0)
        return 3;
    if (result->outcome == HUB_NOT_CHECKED)
        return 0;
    return result->outcome == HUB_UNREACHABLE ? 1 : 2;
}

bool hub_result_replaces(const struct hub_result *result, const struct hub_result *earlier)
{
    return result->outcome != HUB_NOT_CHECKED && weight(result) >= weight(earlier);
}

/* Write a text that is "" where nothing is known. */
static void put_known(struct json *j, const char *key, const char *text)
{
    json_put_text(j, key, *text ? text : NULL);
}

/* Write a number that is 0 where nothing is known. */
static void put_count(struct json *j, const char *key, int64_t count)
{
    if (count > 0)
        json_put_int(j, key, count);
    else
        json_put_null(j, key);
}

static void put_outcome(const struct hub_result *result, const struct hub_claim *claim,
                        struct json *j)
{
    json_put_text(j, "status", hub_outcome_name(result->outcome));
    put_known(j, "reason", result->reason);
    put_count(j, "stated", claim ? claim->stated : 0);
    put_count(j, "computed", result->computed);
    json_put_text(j, "repository", claim ? hub_repo_of(claim->source) : NULL);
    json_put_text(j, "revision", claim ? claim->revision : NULL);
    put_known(j, "checked_at", result->checked_at);
}

static void put_breakdown(struct json *j, const struct hub_result *result)
{
    const struct active_params *counts = &result->counts;

    json_begin(j, "breakdown", '{');
    json_put_int(j, "embedding", counts->embedding);
    json_put_int(j, "head", counts->head);
    json_put_int(j, "dense", counts->dense);
    json_put_int(j, "routed", counts->routed);
    put_count(j, "experts", counts->config.experts);
    put_count(j, "experts_per_token", counts->config.experts_per_token);
    json_begin(j, "left_out", '{');
    for (enum active_params_skip skip = 0; skip < ACTIVE_PARAMS_SKIPS; skip++)
        json_put_int(j, active_params_skip_name(skip), counts->skipped[skip]);
    json_end(j, '}');
    json_put_int(j, "total", counts->total);
    json_put_int(j, "tensors", counts->tensors);
    json_put_int(j, "shards", (int64_t)result->shards);
    json_end(j, '}');
}

void hub_result_write_json(const struct hub_result *result, const struct hub_claim *claim,
                           const char *key, struct json *j)
{
    bool has_total = result->computed > 0 && result->hub_total > 0;

    json_begin(j, key, '{');
    put_outcome(result, claim, j);
    put_known(j, "sha", result->sha);
    put_known(j, "gated", result->gated);
    if (result->computed > 0)
        put_breakdown(j, result);
    else
        json_put_null(j, "breakdown");
    put_count(j, "hub_total", result->hub_total);
    if (has_total)
        json_put_bool(j, "hub_total_agrees", result->hub_total_agrees);
    else
        json_put_null(j, "hub_total_agrees");
    put_count(j, "requests", result->requests);
    put_count(j, "bytes", result->bytes);
    json_end(j, '}');
}
