/* Outcomes: what may take the place of what, and their JSON. */
#include "core/hub_result.h"

#include "base/mem.h"
#include "tests/support/test.h"

static const struct hub_claim claim = {"https://huggingface.co/google/gemma-4-31B-it",
                                       "842da3794eaa0b77d5f08bae87a17459d91ff475", 30696013824};

static const struct hub_result counted = {
    .computed = 30696013824,
    .counts = {.embedding = 1409286144,
               .dense = 29286727680,
               .skipped = {575743536, 0, 0, 0, 1331516},
               .total = 31273088876,
               .tensors = 1188},
    .sha = "842da3794eaa0b77d5f08bae87a17459d91ff475",
    .gated = "false",
    .hub_total = 31273088876,
    .hub_total_agrees = true,
    .shards = 2,
    .requests = 11,
    .bytes = 350979,
    .checked_at = "2026-11-30T08:00:00Z",
};

static void later_results_take_the_place_of_what_says_less(void **state)
{
    static const struct hub_result results[] = {
        {.outcome = HUB_NOT_CHECKED},
        {.outcome = HUB_UNREACHABLE},
        {.outcome = HUB_GATED},
        {.outcome = HUB_CONFIRMED, .computed = 1},
    };
    static const struct hub_result others[] = {
        {.outcome = HUB_UNCONFIRMABLE}, {.outcome = HUB_NOT_FOUND}, {.outcome = HUB_GATED}};
    static const struct hub_result contradicted = {.outcome = HUB_CONTRADICTED, .computed = 2};

    (void)state;
    for (size_t later = 0; later < COUNT_OF(results); later++)
        for (size_t earlier = 0; earlier < COUNT_OF(results); earlier++)
            assert_int_equal(hub_result_replaces(&results[later], &results[earlier]),
                             later > 0 && later >= earlier);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_true(hub_result_replaces(&others[i], &results[2]));
    assert_true(hub_result_replaces(&contradicted, &results[3]));
    assert_false(hub_result_replaces(&results[2], &contradicted));
}

static void assert_json(const struct hub_result *result, const struct hub_claim *stated,
                        const char *expected)
{
    struct buf out;
    struct json j;

    buf_init(&out, 10000);
    json_init(&j, &out);
    hub_result_write_json(result, stated, NULL, &j);
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

static void counts_are_written_with_what_they_are_made_of(void **state)
{
    struct hub_result result = counted;
    struct hub_claim other = claim;

    (void)state;
    hub_result_judge(&result, claim.stated);
    assert_json(&result, &claim,
                "{\"status\":\"confirmed\",\"reason\":null,\"stated\":30696013824,"
                "\"computed\":30696013824,\"repository\":\"google/gemma-4-31B-it\","
                "\"revision\":\"842da3794eaa0b77d5f08bae87a17459d91ff475\","
                "\"checked_at\":\"2026-11-30T08:00:00Z\","
                "\"sha\":\"842da3794eaa0b77d5f08bae87a17459d91ff475\",\"gated\":\"false\","
                "\"breakdown\":{\"embedding\":1409286144,\"head\":0,\"dense\":29286727680,"
                "\"routed\":0,\"experts\":null,\"experts_per_token\":null,\"left_out\":{"
                "\"vision\":575743536,\"audio\":0,\"mtp\":0,\"per_layer_embeddings\":0,"
                "\"small\":1331516},\"total\":31273088876,\"tensors\":1188,\"shards\":2},"
                "\"hub_total\":31273088876,\"hub_total_agrees\":true,\"requests\":11,"
                "\"bytes\":350979}");
    other.stated++;
    result.hub_total = 0;
    result.counts.config.experts = 128;
    result.counts.config.experts_per_token = 8;
    hub_result_judge(&result, other.stated);
    assert_json(&result, &other,
                "{\"status\":\"contradicted\",\"reason\":\"30696013825 are stated, and the "
                "headers give 30696013824\",\"stated\":30696013825,"
                "\"computed\":30696013824,\"repository\":\"google/gemma-4-31B-it\","
                "\"revision\":\"842da3794eaa0b77d5f08bae87a17459d91ff475\","
                "\"checked_at\":\"2026-11-30T08:00:00Z\","
                "\"sha\":\"842da3794eaa0b77d5f08bae87a17459d91ff475\",\"gated\":\"false\","
                "\"breakdown\":{\"embedding\":1409286144,\"head\":0,\"dense\":29286727680,"
                "\"routed\":0,\"experts\":128,\"experts_per_token\":8,\"left_out\":{"
                "\"vision\":575743536,\"audio\":0,\"mtp\":0,\"per_layer_embeddings\":0,"
                "\"small\":1331516},\"total\":31273088876,\"tensors\":1188,\"shards\":2},"
                "\"hub_total\":null,\"hub_total_agrees\":null,\"requests\":11,"
                "\"bytes\":350979}");
}

static void what_is_not_known_is_null(void **state)
{
    static const struct hub_result nothing = {.outcome = HUB_NOT_CHECKED};
    static const struct hub_result gated = {.outcome = HUB_GATED,
                                            .reason = "config.json: \"gated\"",
                                            .gated = "manual",
                                            .hub_total = 5,
                                            .checked_at = "2026-11-30T08:00:00Z"};

    (void)state;
    assert_json(&nothing, NULL,
                "{\"status\":\"not_checked\",\"reason\":null,\"stated\":null,\"computed\":null,"
                "\"repository\":null,\"revision\":null,\"checked_at\":null,\"sha\":null,"
                "\"gated\":null,\"breakdown\":null,\"hub_total\":null,\"hub_total_agrees\":null,"
                "\"requests\":null,\"bytes\":null}");
    assert_json(&gated, &claim,
                "{\"status\":\"gated\",\"reason\":\"config.json: \\\"gated\\\"\","
                "\"stated\":30696013824,\"computed\":null,"
                "\"repository\":\"google/gemma-4-31B-it\","
                "\"revision\":\"842da3794eaa0b77d5f08bae87a17459d91ff475\","
                "\"checked_at\":\"2026-11-30T08:00:00Z\",\"sha\":null,\"gated\":\"manual\","
                "\"breakdown\":null,\"hub_total\":5,\"hub_total_agrees\":null,\"requests\":null,"
                "\"bytes\":null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_results_take_the_place_of_what_says_less),
        cmocka_unit_test(counts_are_written_with_what_they_are_made_of),
        cmocka_unit_test(what_is_not_known_is_null),
    };

    return cmocka_run_group_tests_name("hub_result", tests, NULL, NULL);
}
