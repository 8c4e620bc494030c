/* What users rely on of the API, asked of the real binary on the real recipes. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct service *service_of(void **state)
{
    return *state;
}

static void get(void **state, const char *target, struct http_response *out)
{
    (void)http_get(service_of(state)->port, target, NULL, out);
}

/* Ask and compare the status, and the Location if one is expected. */
static void expect_status(void **state, const char *target, int status, const char *location)
{
    struct http_response r;
    const char *found;

    get(state, target, &r);
    if (r.status != status)
        fail_msg("%s: %d instead of %d: %.300s", target, r.status, status, r.body);
    found = http_response_header(&r, "Location");
    if (location)
        assert_string_equal(found, location);
    else
        assert_null(found);
    http_response_done(&r);
}

static void the_ranking_is_what_the_design_shows(void **state)
{
    struct http_response r;

    get(state, "/models/gemma-4-31b/h100", &r);
    assert_int_equal(r.status, 200);
    assert_string_equal(json_text_at(&r, "model.slug"), "gemma-4-31b");
    assert_string_equal(json_text_at(&r, "model.family"), "Gemma");
    assert_int_equal(json_int_at(&r, "model.active_params"), 30696013824);
    assert_int_equal(json_int_at(&r, "gpu.peak_bf16_flops"), 989000000000000);
    assert_int_equal(json_int_at(&r, "workload.row_tokens"), 8192);
    assert_string_equal(json_text_at(&r, "workload.rows"), "SFT conversations");
    assert_true(json_real_at(&r, "pricing.usd_per_gpu_hour") == 6.88);
    assert_string_equal(json_text_at(&r, "pricing.basis"), "list");
    assert_string_equal(json_text_at(&r, "pricing.instance"), "p5.48xlarge");
    assert_string_equal(json_text_at(&r, "pricing.as_of"), "2026-10-20");
    assert_string_equal(json_text_at(&r, "sort"), "-tokens_per_s_per_gpu");
    assert_int_equal(json_int_at(&r, "total"), 1);
    assert_int_equal(json_int_at(&r, "recipes.0.rank"), 1);
    assert_string_equal(json_text_at(&r, "recipes.0.recipe"), "attune-tp2-pp4-split13");
    assert_true(json_real_at(&r, "recipes.0.usd_per_million_tokens") == 1.6222);
    assert_string_equal(json_text_at(&r, "recipes.0.layout"), "TP2 PP4 DP1");
    assert_int_equal(json_int_at(&r, "recipes.0.audit.pass"), 12);
    assert_int_equal(json_int_at(&r, "recipes.0.audit.warn"), 1);
    assert_int_equal(json_int_at(&r, "recipes.0.audit.fail"), 0);
    assert_int_equal(json_int_at(&r, "recipes.0.audit.unknown"), 1);
    assert_int_equal(json_count_at(&r, "other_workloads"), 0);
    assert_int_equal(json_count_at(&r, "other_gpus"), 3);
    assert_true(json_is_null_at(&r, "other_gpus.1.recipe"));
    assert_true(json_is_null_at(&r, "notes"));
    assert_non_null(strstr(json_text_at(&r, "citation.bibtex"), "@article{fan2026attune"));
    http_response_done(&r);
}

static void audits_say_what_must_be_set(void **state)
{
    static const struct {
        const char *recipe;
        const char *runnable;
        const char *const variables[6];
        size_t placeholders;
    } expected[] = {
        {"gemma-4-31b/h100/attune-tp2-pp4-split13",
         "needs_variables",
         {"HF_CKPT", "SFT_DATA", NULL},
         0},
        {"gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8",
         "needs_variables",
         {"HF_CKPT", "SFT_DATA", NULL},
         0},
        {"qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k",
         "not_as_it_stands",
         {"NVLINK_COUNT", "MODEL_ARGS", "HF_CKPT", "TORCH_DIST", "SFT_DATA", NULL},
         1},
        {"qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k",
         "not_as_it_stands",
         {"NVLINK_COUNT", "MODEL_ARGS", "HF_CKPT", "TORCH_DIST", "SFT_DATA", NULL},
         1},
        {"qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8",
         "not_as_it_stands",
         {"NVLINK_COUNT", "MODEL_ARGS", "HF_CKPT", "TORCH_DIST", "SFT_DATA", NULL},
         1},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct http_response r;
        char path[200];
        size_t count = 0;

        (void)snprintf(path, sizeof path, "/models/%s", expected[i].recipe);
        get(state, path, &r);
        assert_string_equal(json_text_at(&r, "audit.runnable"), expected[i].runnable);
        for (; expected[i].variables[count]; count++) {
            (void)snprintf(path, sizeof path, "audit.variables.%zu", count);
            assert_string_equal(json_text_at(&r, path), expected[i].variables[count]);
        }
        assert_int_equal(json_count_at(&r, "audit.variables"), count);
        assert_int_equal(json_count_at(&r, "audit.placeholders"), expected[i].placeholders);
        if (expected[i].placeholders > 0)
            assert_string_equal(json_text_at(&r, "audit.placeholders.0"), "<slime entry module>");
        assert_int_equal(json_count_at(&r, "audit.rows"), 14);
        http_response_done(&r);
    }
}

static void a_price_of_ones_own_changes_every_cost(void **state)
{
    struct http_response r;

    get(state, "/models/qwen3.5-397b-a17b/b200?price=b200:7.50,H200:3", &r);
    assert_string_equal(json_text_at(&r, "pricing.basis"), "custom");
    assert_true(json_real_at(&r, "pricing.usd_per_gpu_hour") == 7.5);
    assert_true(json_is_null_at(&r, "pricing.provider"));
    assert_true(json_real_at(&r, "recipes.0.usd_per_million_tokens") == 1.69029);
    assert_true(json_real_at(&r, "other_gpus.1.usd_per_million_tokens") == 1.52821);
    assert_true(json_real_at(&r, "other_gpus.0.usd_per_million_tokens") == 6.1);
    http_response_done(&r);
}

static void wrong_prices_are_refused(void **state)
{
    static const char *const wrong[] = {"h100",       "h100:0",        "h100:-1",  "h100:nan",
                                        "h100:1e999", "h100:2,h100:3", "x100:2",   "h100:2,",
                                        ":2",         "h100:2,H100:3", "h100:0x1", "h100:+1"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct http_response r;
        char path[100];

        (void)snprintf(path, sizeof path, "/models/gemma-4-31b/h100?price=%s", wrong[i]);
        get(state, path, &r);
        if (r.status != 400)
            fail_msg("%s: %d", path, r.status);
        assert_string_equal(json_text_at(&r, "errors.0.parameter"), "price");
        http_response_done(&r);
    }
}

static void ranks_follow_the_sort(void **state)
{
    struct http_response r;

    get(state, "/models/qwen3.5-397b-a17b/b200?sort=gpus", &r);
    assert_int_equal(json_int_at(&r, "recipes.0.gpus"), 48);
    assert_int_equal(json_int_at(&r, "recipes.0.rank"), 1);
    assert_int_equal(json_int_at(&r, "recipes.1.rank"), 2);
    assert_int_equal(json_int_at(&r, "recipes.2.rank"), 2);
    assert_string_equal(json_text_at(&r, "recipes.1.recipe"), "attune-tp2-pp8-ep8-vpp2-mt16k");
    http_response_done(&r);
}

static void pages_join_to_the_whole(void **state)
{
    static const char *const order[] = {"attune-tp2-pp8-ep8-vpp2-mt16k",
                                        "attune-tp2-pp8-ep8-vpp2-mt8k", "attune-48gpu-tp2-pp6-ep8"};
    char path[2048] = "/models/qwen3.5-397b-a17b/b200?limit=1";

    for (size_t i = 0; i < 3; i++) {
        struct http_response r;

        get(state, path, &r);
        assert_int_equal(r.status, 200);
        assert_int_equal(json_int_at(&r, "total"), 3);
        assert_int_equal(json_int_at(&r, "recipes.0.rank"), (long long)i + 1);
        assert_string_equal(json_text_at(&r, "recipes.0.recipe"), order[i]);
        if (i == 2)
            assert_true(json_is_null_at(&r, "next"));
        else
            (void)snprintf(path, sizeof path, "%s", json_text_at(&r, "next"));
        http_response_done(&r);
    }
}

static void a_cursor_of_another_query_is_refused(void **state)
{
    struct http_response r;
    char path[2048];
    char *at;

    get(state, "/recipes?limit=2", &r);
    (void)snprintf(path, sizeof path, "%s", json_text_at(&r, "next"));
    http_response_done(&r);
    expect_status(state, path, 200, NULL);
    at = strstr(path, "cursor=") + 30;
    *at = *at == 'A' ? 'B' : 'A';
    expect_status(state, path, 400, NULL);
    expect_status(state, "/recipes?cursor=x", 400, NULL);
    *at = '\0';
    expect_status(state, path, 400, NULL);
}

static void filters_narrow_the_list(void **state)
{
    static const struct {
        const char *query;
        long long total;
    } cases[] = {
        {"", 5},
        {"?model=gemma-4-31b", 1},
        {"?model=Gemma-4-31B,gemma-4-26b-a4b", 2},
        {"?family=Qwen", 3},
        {"?gpu=h100", 1},
        {"?gpu=B200", 4},
        {"?max_gpus=48", 3},
        {"?min_gpus=48&max_gpus=48", 1},
        {"?offload=none", 4},
        {"?min_offload=0.5", 1},
        {"?offload=none,0.8", 5},
        {"?dispatcher=none", 1},
        {"?recompute=full", 3},
        {"?sequence_parallel=false", 1},
        {"?framework=miles", 2},
        {"?as_of=2026-10-19", 3},
        {"?min_measured=2026-10-20", 2},
        {"?q=blackwell", 3},
        {"?q=qwen3.5", 3},
        {"?q=%22", 0},
        {"?tp=2&pp=8", 2},
        {"?tp=512", 0},
        {"?confirmation=not_checked", 5},
        {"?usd_per_million_tokens=1.6222", 1},
        {"?price=b200:1&max_usd_per_million_tokens=0.3", 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_response r;
        char path[200];

        (void)snprintf(path, sizeof path, "/recipes%s", cases[i].query);
        get(state, path, &r);
        if (r.status != 200)
            fail_msg("%s: %d: %.300s", path, r.status, r.body);
        if (json_int_at(&r, "total") != cases[i].total)
            fail_msg("%s: %lld instead of %lld", path, json_int_at(&r, "total"), cases[i].total);
        http_response_done(&r);
    }
}

static void wrong_parameters_are_named_with_the_nearest(void **state)
{
    struct http_response r;

    get(state, "/recipes?gpux=h100&limit=0&sort=-tokens_per_s&tp=", &r);
    assert_int_equal(r.status, 400);
    assert_string_equal(http_response_header(&r, "Content-Type"), "application/problem+json");
    assert_int_equal(json_int_at(&r, "status"), 400);
    assert_string_equal(json_text_at(&r, "errors.0.parameter"), "gpux");
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "gpu");
    assert_int_equal(json_count_at(&r, "errors"), 3);
    http_response_done(&r);

    get(state, "/recipes?sort=-tokens_per_s,gpus,gpus&fields=tpp", &r);
    assert_int_equal(r.status, 400);
    assert_int_equal(json_count_at(&r, "errors"), 3);
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "tokens_per_s_per_gpu");
    assert_string_equal(json_text_at(&r, "errors.2.parameter"), "fields");
    http_response_done(&r);
}

static void unknown_names_get_the_nearest(void **state)
{
    struct http_response r;

    get(state, "/models/gemma-4-31/h100", &r);
    assert_int_equal(r.status, 404);
    assert_string_equal(json_text_at(&r, "errors.0.parameter"), "model");
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "gemma-4-31b");
    http_response_done(&r);
    get(state, "/models/gemma-4-31b/h1000", &r);
    assert_int_equal(r.status, 404);
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "h100");
    http_response_done(&r);
    get(state, "/models/gemma-4-31b/h100/attune-tp2-pp4", &r);
    assert_int_equal(r.status, 404);
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), "attune-tp2-pp4-split13");
    http_response_done(&r);
    expect_status(state, "/gpus/h10", 404, NULL);
    expect_status(state, "/nothing", 404, NULL);
}

static void a_known_pair_without_a_recipe_is_an_empty_ranking(void **state)
{
    struct http_response r;

    get(state, "/models/gemma-4-31b/b200", &r);
    assert_int_equal(r.status, 200);
    assert_int_equal(json_int_at(&r, "total"), 0);
    assert_int_equal(json_count_at(&r, "recipes"), 0);
    assert_true(json_is_null_at(&r, "workload"));
    assert_string_equal(json_text_at(&r, "other_gpus.0.recipe"), "attune-tp2-pp4-split13");
    http_response_done(&r);
}

static void other_spellings_are_redirected(void **state)
{
    expect_status(state, "/models/Gemma-4-31B/H100", 308, "/models/gemma-4-31b/h100");
    expect_status(state, "/models/gemma-4-31b/h100-sxm?limit=1", 308,
                  "/models/gemma-4-31b/h100?limit=1");
    expect_status(state, "/models/GEMMA-4-31B", 308, "/models/gemma-4-31b");
    expect_status(state, "/gpus/B200", 308, "/gpus/b200");
    expect_status(state, "/models/gemma-4-31b/h100/ATTUNE-TP2-PP4-SPLIT13.sh", 308,
                  "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh");
    expect_status(state, "/models/Gemma-4-31B/h100/attune-tp2-pp4-split13.yaml", 308,
                  "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml");
    expect_status(state, "/models/", 308, "/models");
}

static void check_answers_for_a_good_and_a_bad_file(void **state)
{
    static const char bad[] = "schema_version: 2\nmodel: M\ntyp: x\n";
    struct http_response r;
    size_t len = 0;
    char *good = scratch_read("recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", &len);

    (void)http_post(service_of(state)->port, "/check",
                    "Content-Type: application/x-www-form-urlencoded\r\n", good, len, &r);
    assert_int_equal(r.status, 200);
    assert_true(json_bool_at(&r, "valid"));
    assert_int_equal(json_count_at(&r, "problems"), 0);
    assert_string_equal(json_text_at(&r, "audit.runnable"), "needs_variables");
    assert_string_equal(http_response_header(&r, "Cache-Control"), "no-store");
    http_response_done(&r);
    free(good);

    (void)http_post(service_of(state)->port, "/check", "Content-Type: application/yaml\r\n", bad,
                    sizeof bad - 1, &r);
    assert_int_equal(r.status, 200);
    assert_false(json_bool_at(&r, "valid"));
    assert_int_equal(json_int_at(&r, "problems.0.line"), 1);
    assert_true(json_is_null_at(&r, "audit"));
    http_response_done(&r);
}

/* Ask until a reply has a total, for at most some seconds. */
static bool shows_total(unsigned port, const char *target, long long total)
{
    struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

    for (int i = 0; i < 500; i++) {
        struct http_response r;
        bool is_there;

        (void)http_get(port, target, NULL, &r);
        is_there = r.status == 200 && json_int_at(&r, "total") == total;
        http_response_done(&r);
        if (is_there)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static void an_import_shows_up_without_a_restart(void **state)
{
    static const char *const first[] = {"catalog", "recipes/gemma-4-31b", NULL};
    static const char *const more[] = {"recipes", NULL};
    const struct service_options options = {.paths = first, .options = service_no_cache};
    struct service s;

    (void)state;
    service_start(&s, &options);
    assert_true(shows_total(s.port, "/recipes", 1));
    service_import(&s, more);
    assert_true(shows_total(s.port, "/recipes", 5));
    service_stop(&s);
}

static void a_matching_etag_gets_304(void **state)
{
    static const char *const targets[] = {"/models/gemma-4-31b/h100", "/recipes", "/models",
                                          "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"};

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct http_response r;
        char header[200];

        get(state, targets[i], &r);
        (void)snprintf(header, sizeof header, "If-None-Match: %s\r\n",
                       http_response_header(&r, "ETag"));
        http_response_done(&r);
        assert_int_equal(http_get(service_of(state)->port, targets[i], header, &r), 304);
        assert_int_equal(r.len, 0);
        http_response_done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ranking_is_what_the_design_shows),
        cmocka_unit_test(audits_say_what_must_be_set),
        cmocka_unit_test(a_price_of_ones_own_changes_every_cost),
        cmocka_unit_test(wrong_prices_are_refused),
        cmocka_unit_test(ranks_follow_the_sort),
        cmocka_unit_test(pages_join_to_the_whole),
        cmocka_unit_test(a_cursor_of_another_query_is_refused),
        cmocka_unit_test(filters_narrow_the_list),
        cmocka_unit_test(wrong_parameters_are_named_with_the_nearest),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(a_known_pair_without_a_recipe_is_an_empty_ranking),
        cmocka_unit_test(other_spellings_are_redirected),
        cmocka_unit_test(check_answers_for_a_good_and_a_bad_file),
        cmocka_unit_test(an_import_shows_up_without_a_restart),
        cmocka_unit_test(a_matching_etag_gets_304),
    };

    return cmocka_run_group_tests(tests, service_group_setup, service_group_teardown);
}
