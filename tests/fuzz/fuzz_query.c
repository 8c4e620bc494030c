/* libFuzzer's entry for queries to the real endpoints: a mistake is told with its parameter; what
 * is answered pages through to its end without a row twice; and the same list as lines has as many
 * rows. The corpus is in corpus/query: a path and a query, each on a line of its own. */
#include "server/canonical.h"
#include "server/limits.h"
#include "tests/support/fuzz_service.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

/* Pages that are read of one list; the lists have fewer rows, one a page at least. */
enum { PAGES = 60 };

/* The member of a reply that is a list of rows; NULL: it has none. */
static json_t *rows_of(json_t *tree)
{
    static const char *const names[] = {"recipes", "verifications", "models",
                                        "gpus",    "prices",        "revisions"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_array(json_object_get(tree, names[i])))
            return json_object_get(tree, names[i]);
    return NULL;
}

/* Every error names what it is about, and tells it in one line. */
static void check_mistakes(const struct fuzz_reply *reply)
{
    json_t *tree = json_loadb(buf_text(&reply->body), reply->body.len, 0, NULL);
    json_t *errors = json_object_get(tree, "errors");
    json_t *issue;
    size_t i;

    json_array_foreach(errors, i, issue)
    {
        const char *name = json_string_value(json_object_get(issue, "parameter"));

        fuzz_require(name != NULL);
        fuzz_check_line(json_string_value(json_object_get(issue, "detail")));
    }
    json_decref(tree);
}

/* Read the pages after a first one.
 *
 * first:  its tree
 * returns rows of all pages */
static size_t count_pages(json_t *first)
{
    size_t rows = json_array_size(rows_of(first));
    json_t *tree = json_incref(first);

    for (int i = 0; json_is_string(json_object_get(tree, "next")); i++) {
        json_t *last = json_array_get(rows_of(tree), json_array_size(rows_of(tree)) - 1);
        struct fuzz_reply reply;
        json_t *page;

        fuzz_require(i < PAGES && json_array_size(rows_of(tree)) > 0);
        fuzz_get(json_string_value(json_object_get(tree, "next")), &reply);
        page = fuzz_reply_json(&reply);
        fuzz_require(page && json_array_size(rows_of(page)) > 0);
        fuzz_require(!json_is_object(last) || !json_object_get(last, "url") ||
                     !json_equal(json_object_get(last, "url"),
                                 json_object_get(json_array_get(rows_of(page), 0), "url")));
        rows += json_array_size(rows_of(page));
        fuzz_reply_done(&reply);
        json_decref(tree);
        tree = page;
    }
    json_decref(tree);
    return rows;
}

/* Count the lines of the same list, which has no pages then. */
static void check_lines(const char *path, const char *query, size_t rows)
{
    struct fuzz_reply reply;
    struct buf target;
    size_t lines = 0;

    if (strstr(query, "limit") || strstr(query, "cursor") || strchr(query, '%'))
        return;
    buf_init(&target, HTTP_TARGET_BYTES);
    buf_puts(&target, path);
    buf_puts(&target, ".ndjson?");
    buf_puts(&target, query);
    fuzz_get(buf_text(&target), &reply);
    for (size_t i = 0; i < reply.body.len; i++)
        lines += buf_text(&reply.body)[i] == '\n';
    if (reply.exchange.status == 200)
        fuzz_require(lines == rows);
    buf_done(&target);
    fuzz_reply_done(&reply);
}

static void check_list(const char *path, const char *query, json_t *tree)
{
    json_t *total = json_object_get(tree, "total");
    bool is_later = strstr(query, "cursor") || strchr(query, '%');
    size_t rows;

    if (!rows_of(tree))
        return;
    rows = count_pages(tree);
    if (json_is_integer(total) && !is_later)
        fuzz_require((size_t)json_integer_value(total) == rows);
    if (json_is_integer(total))
        check_lines(path, query, rows);
}

static void make_target(const char *path, const char *query, struct buf *out)
{
    buf_init(out, 2 * HTTP_TARGET_BYTES);
    buf_puts(out, path);
    buf_putc(out, '?');
    buf_puts(out, query);
}

/* The one spelling that the cache knows a query by has one spelling, and the same reply; but for a
 * page, whose links repeat the address as it stands in the browser. */
static void check_spelling(const char *path, const char *query, const struct fuzz_reply *reply)
{
    struct fuzz_reply other;
    struct buf once, twice, target;

    buf_init(&once, HTTP_TARGET_BYTES);
    buf_init(&twice, HTTP_TARGET_BYTES);
    http_canonical_query(query, &once);
    http_canonical_query(buf_text(&once), &twice);
    fuzz_require(strlen(query) > HTTP_TARGET_BYTES ||
                 strcmp(buf_text(&once), buf_text(&twice)) == 0);
    if (reply->exchange.status == 200 && reply->exchange.request.format != HTTP_HTML &&
        strcmp(buf_text(&once), query) != 0) {
        make_target(path, buf_text(&once), &target);
        fuzz_get(buf_text(&target), &other);
        fuzz_require(other.exchange.status == 200);
        fuzz_require(strcmp(buf_text(&other.body), buf_text(&reply->body)) == 0);
        fuzz_reply_done(&other);
        buf_done(&target);
    }
    buf_done(&twice);
    buf_done(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *path = fuzz_next_line(&at);
    const char *query = fuzz_next_line(&at);
    struct fuzz_reply reply;
    struct buf target;
    json_t *tree;

    make_target(path, query, &target);
    fuzz_get(buf_text(&target), &reply);
    check_spelling(path, query, &reply);
    tree = fuzz_reply_json(&reply);
    if (tree)
        check_list(path, query, tree);
    if (reply.exchange.status == 400 && !fuzz_reply_header(&reply, "Content-Encoding"))
        check_mistakes(&reply);
    json_decref(tree);
    fuzz_reply_done(&reply);
    buf_done(&target);
    free(text);
    return 0;
}
