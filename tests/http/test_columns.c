/* Lists from columns in memory: byte for byte what a server gives that keeps none, for random
 * queries over every filter and sort key, walked page by page; and for what an import changed. */
#include "core/recipe.h"
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECIPES = 700, QUERIES = 400, PAGES = 5, PATH_LIMIT = 8000, FIELDS = 128 };

/* Characters that need no escape in a query. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

static const char *const sql_alone[] = {"--cache-bytes", "0", "--columns-bytes", "0", NULL};

/* Two servers of one database.
 *
 * values: rows with every filter's column */
struct site {
    struct service columns;
    struct service sql;
    char folder[SCRATCH_BYTES];
    const struct field *fields[FIELDS];
    size_t field_count;
    struct http_response values;
    struct http_client clients[2];
};

static void write_collection(const char *folder)
{
    synthetic_write_catalog(folder);
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r;

        synthetic_make(&r, 5, i);
        synthetic_write(&r, folder);
    }
}

static void find_fields(struct site *site)
{
    for (size_t i = 0; i < recipe_fields.count; i++)
        if (recipe_fields.rows[i].column &&
            (recipe_fields.rows[i].flags & (FIELD_FILTERABLE | FIELD_SORTABLE)))
            site->fields[site->field_count++] = &recipe_fields.rows[i];
    assert_in_range(site->field_count, 1, FIELDS);
}

static void read_values(struct site *site)
{
    struct buf path;

    buf_init(&path, PATH_LIMIT);
    buf_puts(&path, "/recipes?limit=1000&fields=");
    for (size_t i = 0; i < site->field_count; i++)
        buf_printf(&path, "%s%s", i > 0 ? "," : "", site->fields[i]->column);
    assert_int_equal(http_get(site->sql.port, buf_text(&path), NULL, &site->values), 200);
    assert_int_equal(json_count_at(&site->values, "recipes"), RECIPES);
    buf_done(&path);
}

static int setup(void **state)
{
    struct site *site = mem_array(1, sizeof *site);
    const char *const paths[] = {site ? site->folder : "", NULL};

    assert_non_null(site);
    scratch_make(site->folder);
    write_collection(site->folder);
    service_start(&site->columns,
                  &(struct service_options){.paths = paths, .options = service_no_cache});
    site->sql = site->columns;
    service_serve(&site->sql, &(struct service_options){.options = sql_alone});
    http_client_init(&site->clients[0], site->columns.port);
    http_client_init(&site->clients[1], site->sql.port);
    find_fields(site);
    read_values(site);
    *state = site;
    return 0;
}

static int teardown(void **state)
{
    struct site *site = *state;

    http_response_done(&site->values);
    http_client_done(&site->clients[0]);
    http_client_done(&site->clients[1]);
    service_end(&site->sql);
    service_stop(&site->columns);
    scratch_remove(site->folder);
    free(site);
    return 0;
}

static const struct field *pick(const struct site *site, unsigned flag, uint32_t *seed)
{
    const struct field *field;

    do
        field = site->fields[synthetic_random(seed, (uint32_t)site->field_count)];
    while (!(field->flags & flag));
    return field;
}

static void put_value(const struct site *site, const struct field *field, uint32_t *seed,
                      struct buf *path)
{
    const json_t *rows = json_at((struct http_response *)(uintptr_t)&site->values, "recipes");
    const json_t *value =
        json_object_get(json_array_get(rows, synthetic_random(seed, RECIPES)), field->column);
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));

    assert_non_null(text);
    if (json_is_null(value))
        buf_puts(path, "none");
    else
        buf_put_encoded(path, json_is_string(value) ? json_string_value(value) : text, plain);
    free(text);
}

static bool has_range(const struct field *field)
{
    return field->kind == FIELD_INT || field->kind == FIELD_REAL || field->kind == FIELD_DATE;
}

static void put_filter(const struct site *site, uint32_t *seed, struct buf *path)
{
    const struct field *field = pick(site, FIELD_FILTERABLE, seed);
    uint32_t kind = has_range(field) ? synthetic_random(seed, 3) : 0;

    buf_printf(path, "&%s%s=", kind == 0 ? "" : kind == 1 ? "min_" : "max_", field->column);
    put_value(site, field, seed, path);
    for (uint32_t i = kind == 0 ? synthetic_random(seed, 3) : 0; i > 0; i--) {
        buf_putc(path, ',');
        put_value(site, field, seed, path);
    }
}

static void make_path(const struct site *site, uint32_t *seed, struct buf *path)
{
    static const char *const words[] = {"amber", "basalt", "made-up+rows", "zinc"};

    buf_printf(path, "/recipes?limit=%u", 1 + synthetic_random(seed, 120));
    for (uint32_t i = synthetic_random(seed, 3); i > 0; i--)
        put_filter(site, seed, path);
    for (uint32_t i = synthetic_random(seed, 4); i > 0; i--) {
        const struct field *field = pick(site, FIELD_SORTABLE, seed);

        buf_puts(path, strstr(buf_text(path), "sort=") ? "," : "&sort=");
        buf_puts(path, synthetic_random(seed, 2) == 0 ? "-" : "");
        buf_puts(path, field->column);
    }
    if (synthetic_random(seed, 5) == 0)
        buf_printf(path, "&as_of=2026-0%u-15", 3 + synthetic_random(seed, 7));
    if (synthetic_random(seed, 5) == 0)
        buf_printf(path, "&q=%s", words[synthetic_random(seed, COUNT_OF(words))]);
    if (synthetic_random(seed, 6) == 0)
        buf_puts(path, "&price=h100:2.5,b200:4");
    if (synthetic_random(seed, 4) == 0)
        buf_puts(path, "&fields=recipe,label,mfu,usd_per_million_tokens");
}

/* Ask both for a path, and fail if they differ.
 *
 * out: the reply; the caller ends it */
static void ask_both(struct site *site, const char *path, struct http_response *out)
{
    struct http_response by_sql;

    (void)http_client_send(&site->clients[0], "GET", path, NULL, NULL, 0, out);
    (void)http_client_send(&site->clients[1], "GET", path, NULL, NULL, 0, &by_sql);
    /* What is refused has another id each time. */
    if (out->status == 400 && by_sql.status == 400) {
        http_response_done(&by_sql);
        return;
    }
    if (out->status != 200 || by_sql.status != 200 || out->len != by_sql.len ||
        memcmp(out->body, by_sql.body, out->len) != 0)
        fail_msg("%s: %d %s\ninstead of: %d %s", path, out->status, out->body, by_sql.status,
                 by_sql.body);
    http_response_done(&by_sql);
}

/* Ask for a page and those that follow it.
 *
 * returns whether it was one: two filters may be the same, which is refused */
static bool walk(struct site *site, const char *path)
{
    char next[PATH_LIMIT];
    bool is_page = false;

    (void)snprintf(next, sizeof next, "%s", path); /* Fits. */
    for (int page = 0; *next && page < PAGES; page++) {
        struct http_response r;
        const char *link = NULL;

        ask_both(site, next, &r);
        if (r.status == 200)
            link = json_string_value(json_at(&r, "next"));
        is_page = is_page || r.status == 200;
        (void)snprintf(next, sizeof next, "%s", link ? link : ""); /* Likewise. */
        http_response_done(&r);
    }
    return is_page;
}

static void pages_are_byte_for_byte_those_of_sql(void **state)
{
    uint32_t seed = 20261130;
    size_t pages = 0;

    for (int i = 0; i < QUERIES; i++) {
        struct buf path;

        buf_init(&path, PATH_LIMIT);
        make_path(*state, &seed, &path);
        pages += walk(*state, buf_text(&path));
        buf_done(&path);
    }
    assert_in_range(pages, QUERIES / 2, QUERIES);
}

static void other_formats_are_those_of_sql(void **state)
{
    static const char *const paths[] = {
        "/recipes.csv?tp=2&sort=-mfu",
        "/recipes.ndjson?sort=gpus,-tp&status=verified,unverified",
        "/recipes.ndjson",
        "/recipes.txt?max_mfu=0.3&sort=author",
        "/verifications?sort=-gpus&limit=20",
        "/models/ada-7b/h100?tp=2,4&sort=mfu",
        "/models/ada-7b/h100?as_of=2026-06-01",
    };

    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct http_response r;

        ask_both(*state, paths[i], &r);
        assert_int_equal(r.status, 200);
        http_response_done(&r);
    }
}

/* Bytes of the columns that a server keeps. */
static double kept_bytes(unsigned port)
{
    static const char name[] = "\nopenrecipes_columns_bytes ";
    struct http_response r;
    const char *at;
    double bytes;

    assert_int_equal(http_get(port, "/metrics", NULL, &r), 200);
    at = strstr(r.body, name);
    assert_non_null(at);
    bytes = strtod(at + strlen(name), NULL);
    http_response_done(&r);
    return bytes;
}

static void import_shows_at_the_next_request(void **state)
{
    struct site *site = *state;
    const char *const arguments[] = {site->folder, NULL};
    struct synthetic changed;
    struct http_response before;
    struct http_response after;

    ask_both(site, "/recipes?tp=2&sort=-window_tokens,tokens_per_s_per_gpu&limit=3", &before);
    assert_in_range(kept_bytes(site->columns.port), 4096, 4 << 20);
    assert_true(kept_bytes(site->sql.port) == 0);
    synthetic_make(&changed, 6, 17);
    changed.tp = 2;
    changed.batch = 256;
    changed.gpus = changed.tp * changed.pp * changed.dp;
    changed.tokens_per_s_per_gpu = 1.5;
    synthetic_write(&changed, site->folder);
    service_import(&site->columns, arguments);
    ask_both(site, "/recipes?tp=2&sort=-window_tokens,tokens_per_s_per_gpu&limit=3", &after);
    assert_string_not_equal(before.body, after.body);
    http_response_done(&before);
    http_response_done(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_byte_for_byte_those_of_sql),
        cmocka_unit_test(other_formats_are_those_of_sql),
        cmocka_unit_test(import_shows_at_the_next_request),
    };

    return cmocka_run_group_tests_name("columns", tests, setup, teardown);
}
