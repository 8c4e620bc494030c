/* Rows and pages of lists, as JSON. */
#include "api/list.h"

#include "api/cursor.h"

#include <string.h>

static void put_value(struct json *j, const struct field *field, const struct query_value *value)
{
    switch (value->kind) {
    case QUERY_NULL:
        json_put_null(j, field->column);
        return;
    case QUERY_INT:
        if (field->kind == FIELD_BOOL)
            json_put_bool(j, field->column, value->integer != 0);
        else
            json_put_int(j, field->column, value->integer);
        return;
    case QUERY_REAL:
        json_put_real(j, field->column, value->real);
        return;
    case QUERY_TEXT:
        json_put_text(j, field->column, value->text);
        return;
    }
}

/* The usual object: what was rendered at import, with the cost between its two pieces. */
static void put_card(struct json *j, const struct query_row *row)
{
    json_put_raw(j, NULL, row->card_head, strlen(row->card_head));
    if (row->usd_per_million_tokens > 0)
        json_put_real(j, "usd_per_million_tokens", row->usd_per_million_tokens);
    else
        json_put_null(j, "usd_per_million_tokens");
    json_put_raw(j, NULL, row->card_tail, strlen(row->card_tail));
}

void list_put_rows(struct api_scope *s, const char *key, const struct list *list,
                   const struct query_page *page, bool has_place)
{
    struct json *j = &s->json;
    int64_t rank = page->first_rank;

    json_begin(j, key, '[');
    for (size_t i = 0; i < page->count; i++) {
        const struct query_row *row = &page->rows[i];

        if (i > 0 && !db_query_is_tie(&list->query, row - 1, row))
            rank = page->first_rank + (int64_t)i;
        json_begin(j, NULL, '{');
        json_put_int(j, "rank", rank);
        if (has_place && list->query.column_count == 0) {
            json_put_text(j, "model", row->model);
            json_put_text(j, "gpu", row->gpu);
        }
        if (list->query.column_count == 0)
            put_card(j, row);
        for (size_t k = 0; k < list->query.column_count; k++)
            put_value(j, list->columns[k], &row->values[k]);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static enum err_code put_path(struct api_scope *s, const struct buf *cursor, struct err *e)
{
    struct buf path;
    enum err_code rc;

    buf_init(&path, API_ARENA_LIMIT);
    cursor_write_path(s, buf_text(cursor), &path);
    rc = buf_check(&path, e);
    if (rc == ERR_OK) {
        json_put_text(&s->json, "next", buf_text(&path));
        http_reply_link(s->reply, buf_text(&path), "next");
    }
    buf_done(&path);
    return rc;
}

enum err_code list_put_next(struct api_scope *s, const struct query_page *page, struct err *e)
{
    struct buf cursor;
    enum err_code rc;

    if (!page->has_more || page->count == 0) {
        json_put_null(&s->json, "next");
        return ERR_OK;
    }
    buf_init(&cursor, API_ARENA_LIMIT);
    rc = cursor_write(s, page->rows[page->count - 1].keys, page->key_count, &cursor, e);
    if (rc == ERR_OK)
        rc = buf_check(&cursor, e);
    if (rc == ERR_OK)
        rc = put_path(s, &cursor, e);
    buf_done(&cursor);
    return rc;
}

enum err_code list_window_read(struct api_scope *s, size_t count, struct list_window *out,
                               struct err *e)
{
    size_t limit = (size_t)http_query_int(s->request, "limit", LIST_LIMIT_DEFAULT);
    const struct query_value *after = NULL;
    enum err_code rc = cursor_read(s, 1, &after, e);

    if (rc != ERR_OK)
        return rc;
    out->first = after && after->integer > 0 ? (size_t)after->integer : 0;
    if (out->first > count)
        out->first = count;
    out->end = count - out->first > limit ? out->first + limit : count;
    return ERR_OK;
}

enum err_code list_window(struct api_scope *s, size_t count, struct list_window *out, struct err *e)
{
    struct query_value key = {.kind = QUERY_INT};
    struct buf cursor;
    enum err_code rc = list_window_read(s, count, out, e);

    if (rc != ERR_OK)
        return rc;
    json_put_int(&s->json, "total", (int64_t)count);
    if (out->end == count) {
        json_put_null(&s->json, "next");
        return ERR_OK;
    }
    key.integer = (int64_t)out->end;
    buf_init(&cursor, API_ARENA_LIMIT);
    rc = cursor_write(s, &key, 1, &cursor, e);
    if (rc == ERR_OK)
        rc = put_path(s, &cursor, e);
    buf_done(&cursor);
    return rc;
}
