/* Lists in the formats that are rows and nothing else. */
#include "api/list.h"

#include "api/feed.h"

#include <inttypes.h>

/* Text of one page at most; beside it stands the body's own limit. */
enum { TEXT_LIMIT = 16 * 1024 * 1024 };

void list_put_lines(struct api_scope *s, const struct list *list, struct rows_walk *walk,
                    bool is_first)
{
    bool is_csv = http_request_format(s->request) == HTTP_CSV;

    if (is_csv && is_first)
        rows_put_csv_header(s->json.buf, &list->style);
    while (rows_walk_next(walk)) {
        if (is_csv)
            rows_put_csv(s->json.buf, &list->style, walk);
        else
            rows_put_ndjson(s->json.buf, &list->style, walk);
    }
}

static void put_notes(struct api_scope *s, const struct parts_place *place, const struct list *list,
                      const struct query_page *page, const char *next)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    struct buf *out = s->json.buf;

    buf_printf(out, "\n%zu of %" PRId64 " recipe%s", page->count, page->total,
               page->total == 1 ? "" : "s");
    if (next) {
        buf_puts(out, "; the next: ");
        buf_puts(out, next);
    }
    buf_putc(out, '\n');
    if (place->gpu)
        parts_put_pricing_text(s, &list->prices, place->gpu->slug);
    for (size_t i = 0; !place->gpu && i < s->catalog->gpus.count; i++)
        parts_put_pricing_text(s, &list->prices, gpus[i].slug);
}

static enum err_code put_text(struct api_scope *s, const struct list *list, struct rows_walk *walk,
                              struct err *e)
{
    struct text_table table;
    enum err_code rc;

    rows_begin_text(&table, &list->style, TEXT_LIMIT);
    while (rows_walk_next(walk))
        rows_put_text(&table, &list->style, walk);
    rc = text_table_write(&table, s->json.buf, e);
    text_table_done(&table);
    return rc;
}

static enum err_code reply_page(struct api_scope *s, const struct parts_place *place,
                                const struct list *list, struct err *e)
{
    struct query_page page = {0};
    const char *next = NULL;
    struct rows_walk walk;
    enum err_code rc = db_query_run(s->db, &list->query, &s->arena, &page, e);

    if (rc == ERR_OK)
        rc = list_next(s, &page, &next, e);
    if (rc != ERR_OK)
        return rc;
    rows_walk_begin(&walk, &list->query, &page);
    if (http_request_format(s->request) != HTTP_TEXT) {
        list_put_lines(s, list, &walk, true);
        return ERR_OK;
    }
    rc = put_text(s, list, &walk, e);
    put_notes(s, place, list, &page, next);
    return rc;
}

enum err_code list_reply(struct api_scope *s, const struct parts_place *place,
                         const struct list *list, const char *workload, struct err *e)
{
    if (http_request_format(s->request) == HTTP_ATOM)
        return feed_reply(s, place, list, e);
    if (http_request_format(s->request) == HTTP_TEXT || http_query(s->request, "limit"))
        return reply_page(s, place, list, e);
    return list_stream(s, place, workload, e);
}
