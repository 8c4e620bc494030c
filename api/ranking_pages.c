/* Making pages of rankings, and answering with them. */
#include "api/ranking_pages.h"

#include "api/cursor.h"
#include "api/ranking.h"
#include "base/hash.h"
#include "base/mem.h"
#include "db/catalog.h"
#include "db/ranking_pages.h"

#include <string.h>

/* The pieces of a page, each in a buffer while it is written. */
enum piece { HEAD, ROWS, KEYS, TAIL, PIECES };

/* Hash the pieces, one after the other. */
static enum err_code hash_pieces(const struct buf pieces[PIECES], char out[HASH_HEX_BYTES],
                                 struct err *e)
{
    struct buf whole;
    enum err_code rc = ERR_OK;

    buf_init(&whole, PIECES * API_ARENA_LIMIT);
    for (size_t i = 0; rc == ERR_OK && i < PIECES; i++) {
        rc = buf_check(&pieces[i], e);
        buf_puts(&whole, buf_text(&pieces[i]));
    }
    if (rc == ERR_OK)
        rc = buf_check(&whole, e);
    if (rc == ERR_OK)
        hash_sha256(whole.data, whole.len, out);
    buf_done(&whole);
    return rc;
}

/* Find what a request that asks for nothing is answered with. */
static enum err_code find_view(struct api_scope *s, struct ranking_view *view, struct err *e)
{
    enum err_code rc = list_plain(s, &view->place, &view->list, e);

    if (rc == ERR_OK)
        rc = db_rankings_of(s->db, view->place.model->slug, view->place.gpu->slug, &s->arena,
                            &view->rankings, e);
    if (rc != ERR_OK)
        return rc;
    /* The main one comes first. */
    view->ranked = parts_ranking(view->rankings.items, view->rankings.count, view->place.gpu->slug);
    if (!view->ranked)
        return err_bug(e, "the ranking of %s on %s is gone", view->place.model->slug,
                       view->place.gpu->slug);
    rc = list_add_filter(s, &view->list, "workload", view->ranked->workload, e);
    return rc == ERR_OK ? db_query_run(s->db, &view->list.query, &s->arena, &view->page, e) : rc;
}

static enum err_code write_rows(struct ranking_view *view, struct buf *rows, struct buf *keys,
                                struct err *e)
{
    enum err_code rc = ERR_OK;
    struct rows_walk walk;

    rows_walk_begin(&walk, &view->list.query, &view->page);
    while (rc == ERR_OK && rows_walk_next(&walk)) {
        rc = rows_put_ndjson(rows, &view->list.style, &walk, e);
        cursor_write_keys(walk.row->keys, view->page.key_count, keys);
        buf_putc(keys, '\n');
    }
    return rc;
}

/* Write the pieces of a view, and store them. */
static enum err_code put_pieces(struct api_scope *s, struct ranking_view *view,
                                struct buf pieces[PIECES], struct err *e)
{
    char hash[HASH_HEX_BYTES];
    enum err_code rc;

    json_init(&s->json, &pieces[HEAD]);
    ranking_put_head(s, view);
    rc = write_rows(view, &pieces[ROWS], &pieces[KEYS], e);
    json_init(&s->json, &pieces[TAIL]);
    ranking_put_tail(s, view);
    if (rc == ERR_OK)
        rc = hash_pieces(pieces, hash, e);
    if (rc == ERR_OK) {
        const struct ranking_page page = {
            .hash = hash,
            .total = view->page.total,
            .head = buf_text(&pieces[HEAD]),
            .rows = buf_text(&pieces[ROWS]),
            .keys = buf_text(&pieces[KEYS]),
            .tail = buf_text(&pieces[TAIL]),
        };

        rc = db_ranking_page_put(s->db, view->place.model->slug, view->place.gpu->slug, &page, e);
    }
    return rc;
}

static enum err_code write_page(struct api_scope *s, const struct ranking_place *place,
                                struct err *e)
{
    struct ranking_view *view = arena_array(&s->arena, 1, sizeof *view);
    struct buf pieces[PIECES];
    enum err_code rc;

    if (!view)
        return err_nomem(e);
    view->place.model = catalog_model(s->catalog, place->model);
    view->place.gpu = catalog_gpu(s->catalog, place->gpu);
    if (!view->place.model || !view->place.gpu)
        return err_bug(e, "a ranking of %s on %s, which are in no catalogue", place->model,
                       place->gpu);
    for (size_t i = 0; i < PIECES; i++)
        buf_init(&pieces[i], API_ARENA_LIMIT);
    rc = find_view(s, view, e);
    if (rc == ERR_OK)
        rc = put_pieces(s, view, pieces, e);
    for (size_t i = 0; i < PIECES; i++)
        buf_done(&pieces[i]);
    return rc;
}

enum err_code ranking_pages_write(struct db *db, void *context, struct err *e)
{
    struct api_scope s = {.db = db};
    struct ranking_place place = {0};
    struct arena places;
    enum err_code rc = db_catalog_get(db, &s.catalog, e);

    (void)context;
    arena_init(&places, API_ARENA_LIMIT);
    while (rc == ERR_OK) {
        rc = db_ranking_page_next(db, &places, &place, e);
        if (rc != ERR_OK || !place.model)
            break;
        arena_init(&s.arena, API_ARENA_LIMIT);
        rc = write_page(&s, &place, e);
        arena_done(&s.arena);
    }
    arena_done(&places);
    return rc;
}

/* Tell whether a request asks for nothing but a number of rows. */
static bool is_plain(const struct http_request *request)
{
    const struct http_param *param;

    for (size_t i = 0; (param = http_query_param(request, i)) != NULL; i++)
        if (strcmp(param->name, "limit") != 0)
            return false;
    return http_request_format(request) == HTTP_JSON;
}

/* A line of a text, without its line feed. */
struct line {
    const char *text;
    size_t len;
};

/* Find the first lines of a text; false if it has fewer. */
static bool find_lines(const char *text, size_t count, struct line *out)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = strchr(text, '\n');

        if (!end)
            return false;
        out[i] = (struct line){text, (size_t)(end - text)};
        text = end + 1;
    }
    return true;
}

/* Put a page together.
 *
 * rows: count of them
 * last: what a cursor after them holds; no text: the ranking ends with them */
static enum err_code put_page(struct api_scope *s, const struct ranking_page *page,
                              const struct line *rows, size_t count, const struct line *last,
                              struct err *e)
{
    struct json *j = &s->json;
    enum err_code rc;

    /* All at once, instead of growing. */
    (void)buf_room(j->buf, strlen(page->head) + strlen(page->rows) + strlen(page->tail));
    json_begin(j, NULL, '{');
    json_put_raw(j, NULL, page->head, strlen(page->head));
    rc = list_put_next_keys(s, last->text, last->len, e);
    json_begin(j, list_of_recipes.key, '[');
    for (size_t i = 0; i < count; i++)
        json_put_raw(j, NULL, rows[i].text, rows[i].len);
    json_end(j, ']');
    json_put_raw(j, NULL, page->tail, strlen(page->tail));
    json_end(j, '}');
    return rc;
}

enum err_code ranking_pages_reply(struct api_scope *s, const struct parts_place *place,
                                  bool *out_is_done, struct err *e)
{
    size_t count = (size_t)http_query_int(s->request, "limit", LIST_LIMIT_DEFAULT);
    struct ranking_page page = {0};
    struct line *lines;
    struct line last = {0};
    enum err_code rc = ERR_OK;

    if (is_plain(s->request))
        rc = db_ranking_page_get(s->db, place->model->slug, place->gpu->slug, &s->arena, &page, e);
    if (rc != ERR_OK || !page.head)
        return rc;
    if (page.total < (int64_t)count)
        count = (size_t)page.total;
    lines = arena_array(&s->arena, count, sizeof *lines);
    if (!lines)
        return err_nomem(e);
    if (!find_lines(page.keys, count, lines))
        return ERR_OK; /* More rows than were kept. */
    if (page.total > (int64_t)count)
        last = lines[count - 1];
    if (!find_lines(page.rows, count, lines))
        return err_set(e, ERR_CORRUPT, "a ranking's page has fewer rows than keys");
    if (!*page.head || !*page.tail)
        return err_set(e, ERR_CORRUPT, "a ranking's page lacks what stands around its rows");
    *out_is_done = true;
    http_reply_hash(s->reply, page.hash);
    return put_page(s, &page, lines, count, &last, e);
}
