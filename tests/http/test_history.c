/* Recipes that change, go and come back, as a client sees it. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The recipes here: both of ada-7b on h100. */
enum { OTHER = SYNTHETIC_MODELS * SYNTHETIC_GPUS, PATH_BYTES = 300 };

static const char page[] = "/models/ada-7b/h100/r00000";

/* A service whose files are in a folder beside it. */
struct site {
    struct service service;
    char files[SCRATCH_BYTES];
};

/* Write the recipe with a speed, and give its file's hash and text. */
static void write_recipe(const struct site *site, size_t index, double speed,
                         char out_hash[HASH_HEX_BYTES], char **out_text)
{
    struct synthetic r;
    struct buf text;

    synthetic_make(&r, 1, index);
    r.tokens_per_s_per_gpu = speed;
    r.mfu = 0;
    r.batch = 128;
    synthetic_write(&r, site->files);
    buf_init(&text, 64 * 1024);
    synthetic_put(&r, &text);
    hash_sha256(text.data, text.len, out_hash);
    *out_text = buf_take(&text, NULL);
    assert_non_null(*out_text);
}

static void write_speed(const struct site *site, size_t index, double speed)
{
    char hash[HASH_HEX_BYTES];
    char *text;

    write_recipe(site, index, speed, hash, &text);
    free(text);
}

static int setup(void **state)
{
    struct site *site = calloc(1, sizeof *site);
    const char *const paths[] = {site ? site->files : NULL, NULL};
    const struct service_options options = {.paths = paths, .options = service_no_cache};

    assert_non_null(site);
    scratch_make(site->files);
    synthetic_write_catalog(site->files);
    write_speed(site, 0, 1000);
    write_speed(site, OTHER, 900);
    service_start(&site->service, &options);
    *state = site;
    return 0;
}

static int teardown(void **state)
{
    struct site *site = *state;

    service_stop(&site->service);
    scratch_remove(site->files);
    free(site);
    return 0;
}

/* Import what is in the folder now. A moment passes first, so that what follows has another date.
 */
static void import(const struct site *site)
{
    const char *const arguments[] = {"--prune", site->files, NULL};
    const time_t now = time(NULL);

    while (time(NULL) == now)
        (void)usleep(20 * 1000); /* Woken early, it looks again. */
    service_import(&site->service, arguments);
}

/* Ask until a page has a status: an import may be seen a second late. */
static void get(const struct site *site, const char *target, int status, struct http_response *out)
{
    const time_t end = time(NULL) + 10;

    while (http_get(site->service.port, target, NULL, out) != status && time(NULL) < end) {
        http_response_done(out);
        (void)usleep(50 * 1000); /* Woken early, it asks again. */
    }
    if (out->status != status)
        fail_msg("%s: %d instead of %d: %.300s", target, out->status, status, out->body);
}

/* Ask until a page's list has a length. */
static void get_list(const struct site *site, const char *target, const char *list, size_t count,
                     struct http_response *out)
{
    const time_t end = time(NULL) + 10;

    for (;;) {
        get(site, target, 200, out);
        if (json_count_at(out, list) == count || time(NULL) > end)
            break;
        http_response_done(out);
        (void)usleep(50 * 1000); /* Woken early, it asks again. */
    }
    assert_int_equal(json_count_at(out, list), count);
}

static void assert_redirect(const struct site *site, const char *target, const char *location)
{
    struct http_response r;

    get(site, target, 308, &r);
    assert_string_equal(http_response_header(&r, "Location"), location);
    http_response_done(&r);
}

static void write_path(char out[PATH_BYTES], const char *hash, int digits, const char *suffix)
{
    (void)snprintf(out, PATH_BYTES, "%s@%.*s%s", page, digits, hash, suffix); /* Fits. */
}

static void a_revision_is_served_for_ever(void **state)
{
    struct site *site = *state;
    char old_hash[HASH_HEX_BYTES];
    char *old_text;
    char path[PATH_BYTES];
    char *before;
    struct http_response r;

    write_recipe(site, 0, 1000, old_hash, &old_text);
    write_path(path, old_hash, 64, "");
    get(site, path, 200, &r);
    assert_string_equal(http_response_header(&r, "Cache-Control"),
                        "public, max-age=31536000, immutable");
    before = strdup(r.body);
    http_response_done(&r);
    write_speed(site, 0, 1100);
    import(site);
    get_list(site, "/models/ada-7b/h100/r00000/history", "revisions", 2, &r);
    assert_true(json_is_null_at(&r, "removed_at"));
    assert_true(json_is_null_at(&r, "revisions.0.replaced_at"));
    assert_string_equal(json_text_at(&r, "revisions.1.hash"), old_hash);
    assert_string_equal(json_text_at(&r, "revisions.1.replaced_at"),
                        json_text_at(&r, "revisions.0.first_seen"));
    assert_string_equal(json_text_at(&r, "revisions.1.url"), path);
    http_response_done(&r);
    get(site, path, 200, &r);
    assert_string_equal(r.body, before);
    free(before);
    assert_true(json_real_at(&r, "document.result.tokens_per_s_per_gpu") == 1000);
    assert_string_equal(json_text_at(&r, "links.recipe"), page);
    http_response_done(&r);
    write_path(path, old_hash, 64, ".yaml");
    get(site, path, 200, &r);
    assert_string_equal(r.body, old_text);
    free(old_text);
    http_response_done(&r);
    write_path(path, old_hash, 64, ".sh");
    get(site, path, 200, &r);
    assert_memory_equal(r.body, "python3 train.py \\\n", 19);
    http_response_done(&r);
}

static void a_short_hash_leads_to_the_whole_one(void **state)
{
    struct site *site = *state;
    char hash[HASH_HEX_BYTES];
    char upper[HASH_HEX_BYTES];
    char whole[PATH_BYTES];
    char path[PATH_BYTES];
    char *text;
    struct http_response r;

    write_recipe(site, 0, 1000, hash, &text);
    free(text);
    write_path(whole, hash, 64, "");
    write_path(path, hash, 8, "");
    assert_redirect(site, path, whole);
    for (size_t i = 0; i < sizeof upper; i++)
        upper[i] = hash[i] >= 'a' ? (char)(hash[i] - 'a' + 'A') : hash[i];
    write_path(path, upper, 20, "");
    assert_redirect(site, path, whole);
    write_path(whole, hash, 64, ".yaml");
    write_path(path, hash, 12, ".yaml");
    assert_redirect(site, path, whole);
    write_path(path, hash, 7, "");
    get(site, path, 404, &r);
    assert_string_equal(json_text_at(&r, "errors.0.did_you_mean.0"), hash);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r00000@not-a-hash", 404, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r00000@..%2F..%2Fetc", 404, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r0@0123456789", 404, &r);
    http_response_done(&r);
}

static void other_spellings_keep_what_follows(void **state)
{
    struct site *site = *state;

    assert_redirect(site, "/models/ADA-7B/H100/r00000/history?limit=1",
                    "/models/ada-7b/h100/r00000/history?limit=1");
    assert_redirect(site, "/models/ada-7b/h100/R00000/history",
                    "/models/ada-7b/h100/r00000/history");
    assert_redirect(site, "/models/ADA-7B/h100/r00000@0123456789ABCDEF",
                    "/models/ada-7b/h100/r00000@0123456789abcdef");
}

static void a_withdrawn_recipe_is_gone_with_its_history(void **state)
{
    struct site *site = *state;
    char hash[HASH_HEX_BYTES];
    char path[PATH_BYTES];
    char *text;
    struct synthetic r0;
    struct http_response r;

    write_recipe(site, 0, 1000, hash, &text);
    synthetic_make(&r0, 1, 0);
    synthetic_remove(&r0, site->files);
    import(site);
    get(site, page, 410, &r);
    assert_string_equal(json_text_at(&r, "type"), "/problems/gone");
    assert_int_equal(json_count_at(&r, "history"), 1);
    assert_string_equal(json_text_at(&r, "history.0.hash"), hash);
    assert_string_equal(json_text_at(&r, "links.history"), "/models/ada-7b/h100/r00000/history");
    assert_string_equal(http_response_header(&r, "Cache-Control"), "no-store");
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r00000.yaml", 410, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r00000/history", 200, &r);
    assert_string_equal(json_text_at(&r, "removed_at"),
                        json_text_at(&r, "revisions.0.replaced_at"));
    http_response_done(&r);
    write_path(path, hash, 64, ".yaml");
    get(site, path, 200, &r);
    assert_string_equal(r.body, text);
    free(text);
    http_response_done(&r);
    /* It may come back. */
    write_speed(site, 0, 1000);
    import(site);
    get(site, page, 200, &r);
    http_response_done(&r);
    get_list(site, "/models/ada-7b/h100/r00000/history", "revisions", 2, &r);
    assert_true(json_is_null_at(&r, "removed_at"));
    http_response_done(&r);
}

static void a_recipe_that_left_with_its_model_is_gone_too(void **state)
{
    struct site *site = *state;
    char path[SCRATCH_BYTES];
    struct synthetic r0;
    struct http_response r;

    /* Without a file of its own, the model lives as long as its recipes. */
    scratch_path(path, site->files, "catalog/models/ada-7b.yaml");
    assert_int_equal(unlink(path), 0);
    synthetic_make(&r0, 1, 0);
    synthetic_remove(&r0, site->files);
    synthetic_make(&r0, 1, OTHER);
    synthetic_remove(&r0, site->files);
    import(site);
    get(site, page, 410, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/r00000/history", 200, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100/never", 404, &r);
    http_response_done(&r);
}

static void the_ranking_says_since_when_its_first_is_the_first(void **state)
{
    struct site *site = *state;
    struct http_response r;
    char *since;

    get(site, "/models/ada-7b/h100", 200, &r);
    since = strdup(json_text_at(&r, "first_place_since"));
    http_response_done(&r);
    write_speed(site, 0, 1050);
    import(site);
    get_list(site, "/models/ada-7b/h100/r00000/history", "revisions", 2, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100", 200, &r);
    assert_string_equal(json_text_at(&r, "first_place_since"), since);
    http_response_done(&r);
    write_speed(site, OTHER, 1200);
    import(site);
    get_list(site, "/models/ada-7b/h100/r00048/history", "revisions", 2, &r);
    http_response_done(&r);
    get(site, "/models/ada-7b/h100", 200, &r);
    assert_true(strcmp(json_text_at(&r, "first_place_since"), since) > 0);
    free(since);
    http_response_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_revision_is_served_for_ever, setup, teardown),
        cmocka_unit_test_setup_teardown(a_short_hash_leads_to_the_whole_one, setup, teardown),
        cmocka_unit_test_setup_teardown(other_spellings_keep_what_follows, setup, teardown),
        cmocka_unit_test_setup_teardown(a_withdrawn_recipe_is_gone_with_its_history, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_recipe_that_left_with_its_model_is_gone_too, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_ranking_says_since_when_its_first_is_the_first, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
