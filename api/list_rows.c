/* Rows and pages of lists, as JSON. */
#include "api/list.h"

#include "api/cursor.h"

enum err_code list_put_rows(struct api_scope *s, const struct list *list,
                            const struct query_page *page, struct err *e)
{
    struct json *j = &s->json;
    enum err_code rc = ERR_OK;
    struct rows_walk walk;

    rows_walk_begin(&walk, &list->query, page);
    json_begin(j, list->kind->key, '[');
    while (rc == ERR_OK && rows_walk_next(&walk)) {
        json_begin(j, NULL, '{');
        rc = rows_put_json(j, &list->style, &walk, e);
        json_end(j, '}');
    }
    json_end(j, ']');
    return rc;
}

/* Make the path of the page that begins after the keys, and link it. */
static enum err_code link_page(struct api_scope *s, const char *keys, size_t len,
                               const char **out_path, struct err *e)
{
    struct buf cursor;
    struct buf path;
    enum err_code rc;

    buf_init(&cursor, API_ARENA_LIMIT);
    buf_init(&path, API_ARENA_LIMIT);
    rc = cursor_write(s, keys, len, &cursor, e);
    if (rc == ERR_OK)
        rc = buf_check(&cursor, e);
    if (rc == ERR_OK) {
        cursor_write_path(s, buf_text(&cursor), &path);
        rc = buf_check(&path, e);
    }
    if (rc == ERR_OK) {
        http_reply_link(s->reply, buf_text(&path), "next");
        *out_path = arena_text(&s->arena, buf_text(&path), path.len);
        rc = *out_path ? ERR_OK : err_nomem(e);
    }
    buf_done(&path);
    buf_done(&cursor);
    return rc;
}

/* The same with keys that are not written yet. */
static enum err_code link_after(struct api_scope *s, const struct query_value *keys, size_t count,
                                const char **out_path, struct err *e)
{
    struct buf text;
    enum err_code rc;

    buf_init(&text, API_ARENA_LIMIT);
    cursor_write_keys(keys, count, &text);
    rc = buf_check(&text, e);
    if (rc == ERR_OK)
        rc = link_page(s, text.data, text.len, out_path, e);
    buf_done(&text);
    return rc;
}

enum err_code list_next(struct api_scope *s, const struct query_page *page, const char **out_path,
                        struct err *e)
{
    *out_path = NULL;
    if (!page->has_more || page->count == 0)
        return ERR_OK;
    return link_after(s, page->rows[page->count - 1].keys, page->key_count, out_path, e);
}

enum err_code list_put_next(struct api_scope *s, const struct query_page *page, struct err *e)
{
    const char *path = NULL;
    enum err_code rc = list_next(s, page, &path, e);

    json_put_text(&s->json, "next", path);
    return rc;
}

enum err_code list_put_next_keys(struct api_scope *s, const char *keys, size_t len, struct err *e)
{
    const char *path = NULL;
    enum err_code rc = keys ? link_page(s, keys, len, &path, e) : ERR_OK;

    json_put_text(&s->json, "next", path);
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
    const char *path = NULL;
    enum err_code rc = list_window_read(s, count, out, e);

    if (rc != ERR_OK)
        return rc;
    json_put_int(&s->json, "total", (int64_t)count);
    key.integer = (int64_t)out->end;
    if (out->end < count)
        rc = link_after(s, &key, 1, &path, e);
    json_put_text(&s->json, "next", path);
    return rc;
}
