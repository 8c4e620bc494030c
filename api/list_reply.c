/* Lists in the formats that are rows and nothing else. */
#include "api/list.h"

#include "api/feed.h"
#include "api/rows_recipes.h"

#include <inttypes.h>

/* Text of one page at most; beside it stands the body's own limit. */
enum { TEXT_LIMIT = 16 * 1024 * 1024 };

static enum err_code choose_for_recipes(struct api_scope *s, const struct parts_place *place,
                                        struct list *out, struct err *e)
{
    enum http_format format = http_request_format(s->request);
    bool has_cards = out->query.column_count == 0;

    (void)e; /* Columns come from tables of ours. */
    if (has_cards && format == HTTP_CSV)
        out->query.column_count = rows_recipes_csv(out->columns);
    else if (has_cards && format == HTTP_TEXT)
        out->query.column_count = rows_recipes_text(!place->gpu, out->columns);
    rows_recipes_style(&out->query, has_cards, !place->gpu, &out->style);
    return ERR_OK;
}

const struct list_kind list_of_recipes = {
    .key = "recipes", .noun = "recipe", .has_costs = true, .choose = choose_for_recipes};

enum err_code list_put_lines(struct api_scope *s, const struct list *list, struct rows_walk *walk,
                             bool is_first, struct err *e)
{
    bool is_csv = http_request_format(s->request) == HTTP_CSV;
    enum err_code rc = ERR_OK;

    if (is_csv && is_first)
        rows_put_csv_header(s->json.buf, &list->style);
    while (rc == ERR_OK && rows_walk_next(walk))
        rc = is_csv ? rows_put_csv(s->json.buf, &list->style, walk, e)
                    : rows_put_ndjson(s->json.buf, &list->style, walk, e);
    return rc;
}

static void put_notes(struct api_scope *s, const struct parts_place *place, const struct list *list,
                      const struct query_page *page, const char *next)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    struct buf *out = s->json.buf;

    buf_printf(out, "\n%zu of %" PRId64 " %s%s", page->count, page->total, list->kind->noun,
               page->total == 1 ? "" : "s");
    if (next) {
        buf_puts(out, "; the next: ");
        buf_puts(out, next);
    }
    buf_putc(out, '\n');
    if (!list->kind->has_costs)
        return;
    if (place->gpu)
        parts_put_pricing_text(s, &list->prices, place->gpu->slug);
    for (size_t i = 0; !place->gpu && i < s->catalog->gpus.count; i++)
        parts_put_pricing_text(s, &list->prices, gpus[i].slug);
}

static enum err_code put_text(struct api_scope *s, const struct list *list, struct rows_walk *walk,
                              struct err *e)
{
    struct text_table table;
    enum err_code rc = ERR_OK;

    rows_begin_text(&table, &list->style, TEXT_LIMIT);
    while (rc == ERR_OK && rows_walk_next(walk))
        rc = rows_put_text(&table, &list->style, walk, e);
    if (rc == ERR_OK)
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
    if (http_request_format(s->request) != HTTP_TEXT)
        return list_put_lines(s, list, &walk, true, e);
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
    return list_stream(s, place, list->kind, workload, e);
}

static enum err_code put_page(struct api_scope *s, const struct list *list, struct err *e)
{
    struct query_page page = {0};
    enum err_code rc = db_query_run(s->db, &list->query, &s->arena, &page, e);

    if (rc != ERR_OK)
        return rc;
    json_begin(&s->json, NULL, '{');
    json_put_int(&s->json, "total", page.total);
    rc = list_put_next(s, &page, e);
    json_put_text(&s->json, "sort", list->sort);
    if (list->kind->has_costs)
        parts_put_pricings(s, "pricing", &list->prices);
    if (rc == ERR_OK)
        rc = list_put_rows(s, list, &page, e);
    json_end(&s->json, '}');
    return rc;
}

enum err_code list_answer(struct api_scope *s, const struct list_kind *kind, struct err *e)
{
    const struct parts_place everywhere = {0};
    struct list *list = arena_array(&s->arena, 1, sizeof *list);
    enum err_code rc;

    if (!list)
        return err_nomem(e);
    rc = list_parse(s, &everywhere, kind, list, e);
    if (rc != ERR_OK)
        return rc;
    if (http_request_format(s->request) != HTTP_JSON)
        return list_reply(s, &everywhere, list, NULL, e);
    return put_page(s, list, e);
}
