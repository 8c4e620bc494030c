/* A whole list, however long, in parts that are made while it is sent. */
#include "api/list.h"

#include "api/app.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Rows of one part: each is read in a transaction of its own, and fits into a megabyte. */
enum { PART_ROWS = 200 };

/* Room for a workload's id. */
enum { WORKLOAD_BYTES = 32 };

/* A list on its way out. What it refers to lives as long as the exchange.
 *
 * kind:       of its rows
 * has_place:  whether the path names model and GPU
 * workload:   that the list was narrowed to; "": none
 * keys:       holds after
 * after:      keys of the last row that was sent; NULL: none was
 * walk:       stands at that row */
struct stream {
    const struct api *api;
    const struct http_request *request;
    struct http_reply *reply;
    const struct list_kind *kind;
    bool has_place;
    char workload[WORKLOAD_BYTES];
    struct arena keys;
    const struct query_value *after;
    struct rows_walk walk;
};

static void stream_free(void *context)
{
    struct stream *stream = context;

    arena_done(&stream->keys);
    free(stream);
}

static bool copy_keys(struct arena *arena, const struct query_value *keys, size_t count,
                      struct query_value *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = keys[i];
        if (keys[i].kind != QUERY_TEXT)
            continue;
        out[i].text = arena_text(arena, keys[i].text, strlen(keys[i].text));
        if (!out[i].text)
            return false;
    }
    return true;
}

/* Remember where the next part begins. */
static enum err_code keep_keys(struct stream *stream, const struct query_page *page, struct err *e)
{
    struct query_value *copy;
    struct arena arena;

    if (page->count == 0)
        return ERR_OK;
    arena_init(&arena, API_ARENA_LIMIT);
    copy = arena_array(&arena, page->key_count, sizeof *copy);
    if (!copy || !copy_keys(&arena, page->rows[page->count - 1].keys, page->key_count, copy)) {
        arena_done(&arena);
        return err_nomem(e);
    }
    arena_done(&stream->keys);
    stream->keys = arena;
    stream->after = copy;
    return ERR_OK;
}

/* Parse the request again: what a parsed one refers to may have changed since the part before. */
static enum err_code parse(struct api_scope *s, const struct stream *stream, struct list *list,
                           struct err *e)
{
    struct parts_place place;
    bool is_done = false;
    enum err_code rc = parts_find(s, stream->has_place, stream->has_place, &place, &is_done, e);

    if (rc == ERR_OK)
        rc = list_parse(s, &place, stream->kind, list, e);
    if (rc == ERR_OK && *stream->workload)
        rc = list_add_filter(s, list, "workload", stream->workload, e);
    list->query.limit = PART_ROWS;
    /* Behind a client's cursor the first part has to find its rank. */
    list->query.is_part = stream->after || !list->query.after;
    if (stream->after)
        list->query.after = stream->after;
    return rc;
}

static enum err_code put_part(struct api_scope *s, struct stream *stream, bool *out_is_last,
                              struct err *e)
{
    struct list *list = arena_array(&s->arena, 1, sizeof *list);
    struct query_page page = {0};
    enum err_code rc;

    if (!list)
        return err_nomem(e);
    rc = parse(s, stream, list, e);
    if (rc == ERR_OK)
        rc = db_query_run(s->db, &list->query, &s->arena, &page, e);
    if (rc != ERR_OK)
        return rc;
    if (stream->after)
        rows_walk_on(&stream->walk, &list->query, &page, stream->after);
    else
        rows_walk_begin(&stream->walk, &list->query, &page);
    rc = list_put_lines(s, list, &stream->walk, !stream->after, e);
    if (rc != ERR_OK)
        return rc;
    *out_is_last = !page.has_more;
    return keep_keys(stream, &page, e);
}

static enum err_code stream_next(void *context, struct buf *out, bool *out_is_last, struct err *e)
{
    struct stream *stream = context;
    struct api_scope s;
    enum err_code rc = api_scope_open(&s, stream->request, stream->reply, stream->api, out, e);

    if (rc != ERR_OK)
        return rc;
    rc = put_part(&s, stream, out_is_last, e);
    api_scope_close(&s);
    return rc;
}

enum err_code list_stream(struct api_scope *s, const struct parts_place *place,
                          const struct list_kind *kind, const char *workload, struct err *e)
{
    size_t len = workload ? strlen(workload) : 0;
    struct stream *stream;

    if (len >= WORKLOAD_BYTES)
        return err_bug(e, "a workload's id is %zu bytes long", len);
    stream = mem_array(1, sizeof *stream);
    if (!stream)
        return err_nomem(e);
    arena_init(&stream->keys, API_ARENA_LIMIT);
    stream->api = s->api;
    stream->request = s->request;
    stream->reply = s->reply;
    stream->kind = kind;
    stream->has_place = place->gpu != NULL;
    if (len > 0)
        memcpy(stream->workload, workload, len);
    http_reply_take_stream(s->reply, stream_next, stream_free, stream);
    return ERR_OK;
}
