/* Lists that are longer than one part: whole, in order, the same in every format. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"
#include "tests/support/wire.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* More than three parts of a stream; with their notes, more bytes than the buffers of a connection
 * hold (4 MiB: net.ipv4.tcp_wmem). */
enum { RECIPES = 700, NOTES = 80, PATH_BYTES = 400 };

static int setup(void **state)
{
    struct service *s = calloc(1, sizeof *s);
    char folder[SCRATCH_BYTES];
    const char *const paths[] = {folder, NULL};
    const struct service_options options = {.paths = paths};

    assert_non_null(s);
    scratch_make(folder);
    synthetic_write_catalog(folder);
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r;

        synthetic_make(&r, 1, i);
        r.more_notes = NOTES;
        synthetic_write(&r, folder);
    }
    service_start(s, &options);
    scratch_remove(folder);
    *state = s;
    return 0;
}

static unsigned port_of(void **state)
{
    return ((const struct service *)*state)->port;
}

/* Take the next line, without its end. */
static char *next_line(char **at)
{
    char *line = *at;
    size_t len = strcspn(line, "\n");

    assert_true(line[len] == '\n');
    *at = line + len + 1;
    line[len > 0 && line[len - 1] == '\r' ? len - 1 : len] = '\0';
    return line;
}

/* Join the rows of all pages, each "rank model gpu recipe" on a line of its own. */
static char *rows_of_pages(unsigned port, const char *query)
{
    char path[4000];
    struct buf rows;

    buf_init(&rows, 1024 * 1024);
    (void)snprintf(path, sizeof path, "/recipes%s%climit=90", query,
                   *query ? '&' : '?'); /* Fits. */
    while (*path) {
        struct http_response r;

        assert_int_equal(http_get(port, path, NULL, &r), 200);
        for (size_t i = 0; i < json_count_at(&r, "recipes"); i++) {
            const json_t *row = json_array_get(json_at(&r, "recipes"), i);

            buf_printf(&rows, "%lld %s %s %s\n", json_integer_value(json_object_get(row, "rank")),
                       json_string_value(json_object_get(row, "model")),
                       json_string_value(json_object_get(row, "gpu")),
                       json_string_value(json_object_get(row, "recipe")));
        }
        (void)snprintf(path, sizeof path, "%s",
                       json_is_null_at(&r, "next") ? "" : json_text_at(&r, "next")); /* Fits. */
        http_response_done(&r);
    }
    return buf_take(&rows, NULL);
}

static char *rows_of_lines(char *body)
{
    struct buf rows;

    buf_init(&rows, 1024 * 1024);
    for (char *at = body; *at;) {
        json_t *row = json_loads(next_line(&at), JSON_REJECT_DUPLICATES, NULL);

        assert_non_null(row);
        buf_printf(&rows, "%lld %s %s %s\n", json_integer_value(json_object_get(row, "rank")),
                   json_string_value(json_object_get(row, "model")),
                   json_string_value(json_object_get(row, "gpu")),
                   json_string_value(json_object_get(row, "recipe")));
        json_decref(row);
    }
    return buf_take(&rows, NULL);
}

/* The first four cells are never quoted here. */
static char *rows_of_csv(char *body)
{
    struct buf rows;
    char *at = body;

    buf_init(&rows, 1024 * 1024);
    assert_memory_equal(next_line(&at), "rank,model,gpu,recipe,", 22);
    while (*at) {
        char *cell = next_line(&at);

        for (int i = 0; i < 4; i++) {
            size_t len = strcspn(cell, ",");

            buf_add(&rows, cell, len);
            buf_putc(&rows, i < 3 ? ' ' : '\n');
            cell += len + 1;
        }
    }
    return buf_take(&rows, NULL);
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void every_format_has_the_same_rows_in_the_same_order(void **state)
{
    static const struct {
        const char *query;
        size_t count; /* 0: not worked out here */
    } queries[] = {
        {"", RECIPES},
        {"?sort=gpus", RECIPES},        /* long ties */
        {"?sort=-offload,tp", RECIPES}, /* nulls */
        {"?max_gpus=64&status=verified", 0},
        {"?price=h100:2.5,x900:9&sort=usd_per_million_tokens", RECIPES},
        {"?q=cobalt&sort=measured", 0},
    };

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char path[PATH_BYTES];
        char *expected = rows_of_pages(port_of(state), queries[i].query);
        struct http_response r;
        char *rows;

        if (queries[i].count > 0)
            assert_int_equal(count_lines(expected), queries[i].count);
        (void)snprintf(path, sizeof path, "/recipes.ndjson%s", queries[i].query); /* Fits. */
        assert_int_equal(http_get(port_of(state), path, NULL, &r), 200);
        rows = rows_of_lines(r.body);
        assert_string_equal(rows, expected);
        free(rows);
        http_response_done(&r);
        (void)snprintf(path, sizeof path, "/recipes.csv%s", queries[i].query); /* Fits. */
        assert_int_equal(http_get(port_of(state), path, NULL, &r), 200);
        rows = rows_of_csv(r.body);
        assert_string_equal(rows, expected);
        free(rows);
        free(expected);
        http_response_done(&r);
    }
}

/* The members recipe of lines of NDJSON. Owns: the caller frees it. */
static char *recipes_of_lines(unsigned port, const char *path)
{
    struct http_response r;
    struct buf names;
    char *at;

    buf_init(&names, 1024 * 1024);
    assert_int_equal(http_get(port, path, NULL, &r), 200);
    for (at = r.body; *at;) {
        json_t *row = json_loads(next_line(&at), JSON_REJECT_DUPLICATES, NULL);

        buf_printf(&names, "%s\n", json_string_value(json_object_get(row, "recipe")));
        json_decref(row);
    }
    http_response_done(&r);
    return buf_take(&names, NULL);
}

static void verifications_are_streamed_too(void **state)
{
    char *recipes = recipes_of_lines(port_of(state), "/recipes.ndjson?sort=gpus");
    char *verified = recipes_of_lines(port_of(state), "/verifications.ndjson?sort=gpus");
    struct http_response r;

    assert_int_equal(count_lines(recipes), RECIPES);
    assert_string_equal(verified, recipes);
    free(recipes);
    free(verified);
    assert_int_equal(http_get(port_of(state), "/verifications.csv", NULL, &r), 200);
    assert_int_equal(count_lines(r.body), 1 + RECIPES);
    assert_null(http_response_header(&r, "Content-Length"));
    http_response_done(&r);
}

static void a_long_list_has_no_length_and_no_tag(void **state)
{
    struct http_client c;
    struct http_response r;

    http_client_init(&c, port_of(state));
    assert_int_equal(
        http_client_send(&c, "GET", "/recipes.ndjson", "If-None-Match: *\r\n", NULL, 0, &r), 200);
    assert_false(r.is_closed);
    assert_null(http_response_header(&r, "ETag"));
    assert_null(http_response_header(&r, "Content-Length"));
    assert_string_equal(http_response_header(&r, "Transfer-Encoding"), "chunked");
    assert_string_equal(http_response_header(&r, "Content-Type"), "application/x-ndjson");
    assert_int_equal(count_lines(r.body), RECIPES);
    http_response_done(&r);
    /* The same connection serves on. */
    assert_int_equal(http_client_send(&c, "HEAD", "/recipes.csv", NULL, NULL, 0, &r), 200);
    assert_int_equal(r.len, 0);
    assert_string_equal(http_response_header(&r, "Content-Type"), "text/csv; charset=utf-8");
    http_response_done(&r);
    assert_int_equal(http_client_send(&c, "GET", "/healthz", NULL, NULL, 0, &r), 200);
    http_response_done(&r);
    http_client_done(&c);
}

static void a_list_that_fits_one_part_is_a_reply_like_any_other(void **state)
{
    struct http_response r;
    char *etag;
    char header[200];

    assert_int_equal(http_get(port_of(state), "/models/ada-7b/h100.csv", NULL, &r), 200);
    assert_non_null(http_response_header(&r, "Content-Length"));
    etag = strdup(http_response_header(&r, "ETag"));
    assert_non_null(etag);
    http_response_done(&r);
    (void)snprintf(header, sizeof header, "If-None-Match: %s\r\n", etag); /* Fits. */
    free(etag);
    assert_int_equal(http_get(port_of(state), "/models/ada-7b/h100.csv", header, &r), 304);
    http_response_done(&r);
}

static void limit_and_cursor_cut_every_format(void **state)
{
    struct http_response r;
    char *at;

    assert_int_equal(http_get(port_of(state), "/recipes.csv?limit=3&fields=recipe", NULL, &r), 200);
    assert_int_equal(count_lines(r.body), 4);
    assert_memory_equal(r.body, "rank,recipe\r\n1,r", 16);
    assert_non_null(strstr(http_response_header(&r, "Link"), "</recipes.csv?fields=recipe&limit=3"
                                                             "&cursor="));
    at = strdup(http_response_header(&r, "Link"));
    assert_non_null(at);
    http_response_done(&r);
    at[strcspn(at, ">")] = '\0';
    assert_int_equal(http_get(port_of(state), at + 1, NULL, &r), 200);
    assert_int_equal(count_lines(r.body), 4);
    assert_memory_equal(r.body, "rank,recipe\r\n4,r", 16);
    http_response_done(&r);
    free(at);
}

/* Undo gzip. */
static char *unpack(const char *bytes, size_t len)
{
    enum { ROOM = 4 * 1024 * 1024 };
    char *out = calloc(1, ROOM);
    z_stream stream = {.avail_in = (uInt)len, .avail_out = ROOM - 1};

    assert_non_null(out);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.next_out = (Bytef *)out;
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    (void)inflateEnd(&stream);
    return out;
}

static void a_long_list_is_compressed_on_its_way(void **state)
{
    struct http_response plain;
    struct http_response packed;
    char *body;

    assert_int_equal(http_get(port_of(state), "/recipes.ndjson", NULL, &plain), 200);
    assert_int_equal(
        http_get(port_of(state), "/recipes.ndjson", "Accept-Encoding: gzip\r\n", &packed), 200);
    assert_string_equal(http_response_header(&packed, "Content-Encoding"), "gzip");
    assert_true(packed.len * 5 < plain.len);
    body = unpack(packed.body, packed.len);
    assert_string_equal(body, plain.body);
    free(body);
    http_response_done(&plain);
    http_response_done(&packed);
}

static void mistakes_are_told_before_anything_is_sent(void **state)
{
    struct http_response r;

    assert_int_equal(http_get(port_of(state), "/recipes.ndjson?tpp=2", NULL, &r), 400);
    http_response_done(&r);
    assert_int_equal(http_get(port_of(state), "/recipes.csv?sort=fast", NULL, &r), 400);
    assert_string_equal(http_response_header(&r, "Content-Type"), "application/problem+json");
    http_response_done(&r);
    assert_int_equal(http_get(port_of(state), "/recipes.csv?cursor=abc", NULL, &r), 400);
    http_response_done(&r);
}

/* Ask for a long list and leave after its first bytes. */
static void leave_early(unsigned port)
{
    int fd = wire_connect(port);
    char first[64];

    wire_send(fd, "GET /recipes.ndjson HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(read(fd, first, sizeof first) > 0);
    (void)close(fd); /* Nothing was kept back. */
}

static void a_client_that_leaves_early_harms_nobody(void **state)
{
    for (int i = 0; i < 20; i++)
        leave_early(port_of(state));
    a_long_list_has_no_length_and_no_tag(state);
}

/* Import the last recipe again, with another speed. */
static void change_last(const struct service *s, double speed)
{
    char folder[SCRATCH_BYTES];
    const char *const arguments[] = {folder, NULL};
    struct synthetic r;

    scratch_make(folder);
    synthetic_write_catalog(folder);
    synthetic_make(&r, 1, RECIPES - 1);
    r.tokens_per_s_per_gpu = speed;
    r.mfu = 0;
    synthetic_write(&r, folder);
    service_import(s, arguments);
    scratch_remove(folder);
}

/* Tell whether the whole log can go back into the database, once parts that are being read are
 * done: no reader stays at an earlier state. */
static bool can_checkpoint(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    bool is_done;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 20000), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA wal_checkpoint(TRUNCATE)", -1, &s, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    is_done = sqlite3_column_int(s, 0) == 0;
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return is_done;
}

/* A client that reads its first bytes and waits holds no state of the database: what is imported
 * meanwhile is in the rows that come after. */
static void a_slow_reader_holds_no_transaction(void **state)
{
    const struct service *service = *state;
    int fd = wire_connect(service->port);
    char piece[16 * 1024];
    struct buf all;
    ssize_t got;

    wire_send(fd, "GET /recipes.csv?sort=recipe&fields=recipe,tokens_per_s_per_gpu,notes "
                  "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    buf_init(&all, 16 * 1024 * 1024);
    got = read(fd, piece, 64);
    assert_true(got > 0);
    buf_add(&all, piece, (size_t)got);
    change_last(service, 4321.5);
    assert_true(can_checkpoint(service->db));
    while ((got = read(fd, piece, sizeof piece)) > 0)
        buf_add(&all, piece, (size_t)got);
    assert_int_equal(got, 0);
    (void)close(fd); /* All of it was read. */
    assert_non_null(strstr(buf_text(&all), ",r00699,4321.5,"));
    buf_done(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_same_rows_in_the_same_order),
        cmocka_unit_test(verifications_are_streamed_too),
        cmocka_unit_test(a_long_list_has_no_length_and_no_tag),
        cmocka_unit_test(a_list_that_fits_one_part_is_a_reply_like_any_other),
        cmocka_unit_test(limit_and_cursor_cut_every_format),
        cmocka_unit_test(a_long_list_is_compressed_on_its_way),
        cmocka_unit_test(mistakes_are_told_before_anything_is_sent),
        cmocka_unit_test(a_client_that_leaves_early_harms_nobody),
        cmocka_unit_test(a_slow_reader_holds_no_transaction),
    };

    return cmocka_run_group_tests(tests, setup, service_group_teardown);
}
