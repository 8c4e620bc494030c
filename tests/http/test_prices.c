/* Choosing among known prices: by purchase, by provider, beside prices of the client's own. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Rows behind those of the project: a spot price, and another provider's. */
static const char more_prices[] = "- gpu: b200\n"
                                  "  provider: AWS\n"
                                  "  instance: p6-b200.48xlarge\n"
                                  "  region: us-east-2\n"
                                  "  purchase: spot\n"
                                  "  usd_per_hour: 40\n"
                                  "  gpus: 8\n"
                                  "  as_of: 2026-10-19\n"
                                  "  source: spot prices\n"
                                  "- gpu: b200\n"
                                  "  provider: Some Cloud\n"
                                  "  instance: b200-one\n"
                                  "  region: north\n"
                                  "  purchase: on_demand\n"
                                  "  usd_per_hour: 6.5\n"
                                  "  gpus: 1\n"
                                  "  as_of: 2026-10-18\n"
                                  "  source: their page\n";

static int setup(void **state)
{
    struct service *s = calloc(1, sizeof *s);
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char *text;
    size_t len;
    const char *paths[] = {"catalog", path, "recipes", NULL};
    struct buf all;

    assert_non_null(s);
    scratch_make(folder);
    scratch_path(path, folder, "catalog");
    assert_int_equal(mkdir(path, 0755), 0);
    scratch_path(path, folder, "catalog/prices.yaml");
    text = scratch_read("catalog/prices.yaml", &len);
    buf_init(&all, 1 << 20);
    buf_add(&all, text, len);
    buf_puts(&all, more_prices);
    scratch_write(path, all.data, all.len);
    buf_done(&all);
    free(text);
    service_start(s, &(struct service_options){.paths = paths});
    scratch_remove(folder);
    *state = s;
    return 0;
}

static void get(void **state, const char *target, int status, struct http_response *out)
{
    if (http_get(((const struct service *)*state)->port, target, NULL, out) != status)
        fail_msg("%s: %d instead of %d: %.300s", target, out->status, status, out->body);
}

#define RANKING "/models/qwen3.5-397b-a17b/b200"

/* Ask for a ranking with some choice, and compare what it was computed at and its first cost. */
static void expect(void **state, const char *query, const char *basis, const char *provider,
                   double gpu_hour, double usd)
{
    struct http_response r;
    char path[300];

    (void)snprintf(path, sizeof path, RANKING "?%s", query); /* Fits. */
    get(state, path, 200, &r);
    assert_string_equal(json_text_at(&r, "pricing.basis"), basis);
    if (provider)
        assert_string_equal(json_text_at(&r, "pricing.provider"), provider);
    else
        assert_true(json_is_null_at(&r, "pricing.provider"));
    assert_true(json_real_at(&r, "pricing.usd_per_gpu_hour") == gpu_hour);
    assert_true(json_real_at(&r, "recipes.0.usd_per_million_tokens") == usd);
    http_response_done(&r);
}

static void the_first_price_that_is_asked_for_counts(void **state)
{
    expect(state, "limit=1", "list", "AWS", 14.2416, 3.20966);
    expect(state, "purchase=on_demand", "list", "AWS", 14.2416, 3.20966);
    expect(state, "purchase=spot", "list", "AWS", 5, 1.12686);
    expect(state, "provider=Some%20Cloud", "list", "Some Cloud", 6.5, 1.46492);
    expect(state, "provider=some+cloud", "list", "Some Cloud", 6.5, 1.46492);
    expect(state, "provider=AWS&purchase=spot", "list", "AWS", 5, 1.12686);
    expect(state, "price=b200:2&purchase=spot", "custom", NULL, 2, 0.450744);
}

static void where_no_such_price_is_known_costs_are_null(void **state)
{
    struct http_response r;

    get(state, RANKING "?provider=Some%20Cloud&purchase=spot", 200, &r);
    assert_true(json_is_null_at(&r, "pricing.usd_per_gpu_hour"));
    assert_string_equal(json_text_at(&r, "pricing.basis"), "none");
    assert_string_equal(json_text_at(&r, "pricing.reason"),
                        "the price book has no spot price of this GPU from Some Cloud");
    assert_true(json_is_null_at(&r, "recipes.0.usd_per_million_tokens"));
    http_response_done(&r);
    get(state, "/models/gemma-4-31b/h100/attune-tp2-pp4-split13?purchase=reserved", 200, &r);
    assert_true(json_is_null_at(&r, "computed.usd_per_million_tokens"));
    assert_string_equal(json_text_at(&r, "pricing.reason"),
                        "the price book has no reserved price of this GPU");
    http_response_done(&r);
}

/* Costs that a list filters, sorts and shows are all at the chosen prices. */
static void lists_filter_and_sort_at_the_chosen_prices(void **state)
{
    struct http_response r;
    char next[1000];

    get(state, "/recipes?purchase=spot&sort=usd_per_million_tokens", 200, &r);
    assert_int_equal(json_int_at(&r, "total"), 5);
    assert_string_equal(json_text_at(&r, "recipes.0.recipe"), "attune-tp1-pp1-ep8");
    assert_true(json_real_at(&r, "recipes.0.usd_per_million_tokens") == 0.369052);
    assert_true(json_real_at(&r, "recipes.1.usd_per_million_tokens") == 1.12686);
    /* The H100 has no spot price: last, and null. */
    assert_string_equal(json_text_at(&r, "recipes.4.gpu"), "h100");
    assert_true(json_is_null_at(&r, "recipes.4.usd_per_million_tokens"));
    assert_string_equal(json_text_at(&r, "pricing.0.gpu"), "h100");
    assert_string_equal(json_text_at(&r, "pricing.0.basis"), "none");
    assert_true(json_real_at(&r, "pricing.2.usd_per_gpu_hour") == 5);
    http_response_done(&r);
    get(state, "/recipes?purchase=spot&max_usd_per_million_tokens=1.2", 200, &r);
    assert_int_equal(json_int_at(&r, "total"), 2);
    http_response_done(&r);
    get(state, "/recipes?purchase=spot&usd_per_million_tokens=none&fields=gpu", 200, &r);
    assert_int_equal(json_int_at(&r, "total"), 1);
    http_response_done(&r);
    /* A page may begin with rows that have no cost. */
    get(state, "/recipes?provider=Some+Cloud&sort=-usd_per_million_tokens&limit=4", 200, &r);
    (void)snprintf(next, sizeof next, "%s", json_text_at(&r, "next")); /* Fits. */
    http_response_done(&r);
    get(state, next, 200, &r);
    assert_int_equal(json_count_at(&r, "recipes"), 1);
    assert_int_equal(json_int_at(&r, "recipes.0.rank"), 5);
    assert_true(json_is_null_at(&r, "recipes.0.usd_per_million_tokens"));
    http_response_done(&r);
    get(state, "/models?provider=some%20cloud", 200, &r);
    assert_true(json_is_null_at(&r, "models.1.gpus.0.usd_per_million_tokens"));
    assert_true(json_real_at(&r, "models.2.gpus.2.usd_per_million_tokens") == 1.46492);
    http_response_done(&r);
}

/* Estimates, plans and comparisons are at the chosen prices; a cost that was published at another
 * price is no answer then. */
static void cost_math_is_at_the_chosen_prices(void **state)
{
    static const char mt16k[] = "qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k";
    struct http_response r;
    char path[300];

    (void)snprintf(path, sizeof path, "/cost?recipe=%s&tokens=10B&purchase=spot",
                   mt16k); /* Fits. */
    get(state, path, 200, &r);
    assert_true(json_real_at(&r, "usd") == 11268.6);
    assert_true(json_real_at(&r, "check.usd") == 112.45);
    assert_string_equal(json_text_at(&r, "pricing.purchase"), "spot");
    assert_string_equal(json_text_at(&r, "pricing.as_of"), "2026-10-19");
    http_response_done(&r);
    get(state, "/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=15000&provider=some+cloud", 200,
        &r);
    assert_true(json_real_at(&r, "plans.0.usd") == 14649.2);
    assert_true(json_bool_at(&r, "plans.0.feasible"));
    assert_false(json_bool_at(&r, "plans.1.feasible"));
    assert_string_equal(json_text_at(&r, "pricing.b200.provider"), "Some Cloud");
    http_response_done(&r);
    get(state, "/plan?model=gemma-4-31b&tokens=1B&budget_usd=1&purchase=spot", 200, &r);
    assert_true(json_is_null_at(&r, "plans.0.feasible"));
    http_response_done(&r);
    get(state, "/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200&purchase=spot", 200, &r);
    assert_true(json_real_at(&r, "a.usd_per_million_tokens") == 1.12686);
    assert_true(json_is_null_at(&r, "b.usd_per_million_tokens"));
    assert_string_equal(json_text_at(&r, "b.pricing.reason"),
                        "the price book has no spot price of this GPU");
    assert_true(json_is_null_at(&r, "break_even.a_usd_per_gpu_hour"));
    assert_true(json_real_at(&r, "break_even.b_usd_per_gpu_hour") == 2.21212);
    http_response_done(&r);
}

static void mistakes_are_named(void **state)
{
    struct http_response r;

    get(state, RANKING "?purchase=lease", 400, &r);
    assert_string_equal(json_text_at(&r, "errors.0.parameter"), "purchase");
    assert_string_equal(json_text_at(&r, "errors.0.allowed.2"), "spot");
    http_response_done(&r);
    get(state, "/recipes?provider=Some+Clod", 400, &r);
    assert_string_equal(json_text_at(&r, "errors.0.parameter"), "provider");
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "Some Cloud");
    http_response_done(&r);
    get(state, "/recipes?provider=AW&price=b200:0&purchase=x", 400, &r);
    assert_true(json_count_at(&r, "errors") >= 1);
    http_response_done(&r);
    get(state, "/recipes.atom?sort=gpus&fields=gpus", 400, &r);
    assert_int_equal(json_count_at(&r, "errors"), 2);
    assert_string_equal(json_text_at(&r, "type"), "/problems/invalid-parameter");
    http_response_done(&r);
}

static void prices_stand_under_the_table(void **state)
{
    struct http_response r;

    get(state, RANKING ".txt?purchase=spot&limit=1", 200, &r);
    assert_non_null(strstr(r.body, "\n1 of 3 recipes; the next: " RANKING
                                   ".txt?purchase=spot&limit=1&cursor="));
    assert_non_null(strstr(r.body, "\nprice of b200: 5 USD per GPU-hour, AWS p6-b200.48xlarge in "
                                   "us-east-2, spot, as of 2026-10-19 ("));
    http_response_done(&r);
    get(state, "/recipes.txt?price=h100:2.125&purchase=spot", 200, &r);
    assert_non_null(strstr(r.body, "\n5 of 5 recipes\n"
                                   "price of h100: 2.125 USD per GPU-hour, yours\n"
                                   "price of h200: not known: the price book has no spot price of "
                                   "this GPU\n"
                                   "price of b200: 5 USD per GPU-hour, AWS "));
    http_response_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_price_that_is_asked_for_counts),
        cmocka_unit_test(where_no_such_price_is_known_costs_are_null),
        cmocka_unit_test(lists_filter_and_sort_at_the_chosen_prices),
        cmocka_unit_test(cost_math_is_at_the_chosen_prices),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(prices_stand_under_the_table),
    };

    return cmocka_run_group_tests(tests, setup, service_group_teardown);
}
