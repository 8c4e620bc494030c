/* Filling a reply. What goes wrong is kept, and told when the handler is done. */
#include "server/reply.h"

#include "server/limits.h"

#include <string.h>

/* Bytes of a header that a handler fills: what is longer would not fit into the connection's memory
 * beside the longest request. */
enum { HEADER_BYTES = 12 * 1024 };

void http_reply_init(struct http_reply *r, struct arena *arena)
{
    *r = (struct http_reply){.arena = arena, .status = 200, .issues = {.arena = arena}};
    buf_init(&r->body, HTTP_BODY_BYTES);
    buf_init(&r->members, HTTP_PROBLEM_BYTES);
    buf_init(&r->links, HEADER_BYTES);
    buf_init(&r->disposition, HEADER_BYTES);
}

void http_reply_done(struct http_reply *r)
{
    buf_done(&r->body);
    http_stream_free_all(r->stream);
    buf_done(&r->members);
    buf_done(&r->links);
    buf_done(&r->disposition);
}

enum err_code http_reply_check(const struct http_reply *r, struct err *e)
{
    if (r->error.code != ERR_OK) {
        *e = r->error;
        return e->code;
    }
    if (r->links.status == ERR_LIMIT || r->disposition.status == ERR_LIMIT)
        return err_bug(e, "a header of the reply is longer than %d bytes", HEADER_BYTES);
    if (r->issues.is_short || r->links.status != ERR_OK || r->disposition.status != ERR_OK)
        return err_nomem(e);
    if (buf_check(&r->body, e) == ERR_LIMIT)
        return err_set(e, ERR_INPUT, "the reply would be longer than %zu bytes; ask for less",
                       r->body.limit);
    return r->body.status;
}

/* Keep the first mistake. */
static void fail(struct http_reply *r, const struct err *e)
{
    if (r->error.code == ERR_OK)
        r->error = *e;
}

/* Tell whether a text may stand in a header: letters that are seen, and nothing that ends a quoted
 * text or a target. */
static bool is_header_text(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text == 0x7F || strchr("\\\"<>", *text))
            return false;
    return true;
}

struct buf *http_reply_body(struct http_reply *r)
{
    return &r->body;
}

void http_reply_take_stream(struct http_reply *r, http_stream_next *next,
                            http_stream_free *free_context, void *context)
{
    struct err e;

    if (r->stream) {
        free_context(context);
        (void)err_bug(&e, "a second stream for one reply");
        fail(r, &e);
    } else if (http_stream_take(next, free_context, context, &r->stream, &e) != ERR_OK) {
        fail(r, &e);
    }
}

void http_reply_status(struct http_reply *r, int status)
{
    r->status = status;
}

void http_reply_redirect(struct http_reply *r, const char *path)
{
    struct err e;

    /* Two slashes would name another host. */
    if (path[0] != '/' || path[1] == '/' || !is_header_text(path)) {
        (void)err_bug(&e, "a redirect to %.200s, which is not an encoded path", path);
        fail(r, &e);
        return;
    }
    r->status = 308;
    r->location = arena_text(r->arena, path, strlen(path));
    if (!r->location) {
        (void)err_nomem(&e);
        fail(r, &e);
    }
}

void http_reply_cache(struct http_reply *r, enum http_cache cache)
{
    r->cache = cache;
}

void http_reply_link(struct http_reply *r, const char *target, const char *rel)
{
    struct err e;

    if (r->link_count == HTTP_LINKS || !is_header_text(target) || !is_header_text(rel)) {
        (void)err_bug(&e, "link %zu, %.100s, is one too many or malformed", r->link_count + 1, rel);
        fail(r, &e);
        return;
    }
    if (r->link_count++ > 0)
        buf_puts(&r->links, ", ");
    buf_puts(&r->links, "<");
    buf_puts(&r->links, target);
    buf_puts(&r->links, ">; rel=\"");
    buf_puts(&r->links, rel);
    buf_puts(&r->links, "\"");
}

void http_reply_filename(struct http_reply *r, const char *name)
{
    struct err e;

    if (is_header_text(name)) {
        buf_reset(&r->disposition);
        buf_puts(&r->disposition, "inline; filename=\"");
        buf_puts(&r->disposition, name);
        buf_putc(&r->disposition, '"');
        return;
    }
    (void)err_bug(&e, "%.200s is not fit for a file name", name);
    fail(r, &e);
}

struct buf *http_reply_members(struct http_reply *r)
{
    return &r->members;
}

void http_reply_hash(struct http_reply *r, const char *hash)
{
    struct err e;

    r->hash = arena_text(r->arena, hash, strlen(hash));
    if (r->hash)
        return;
    (void)err_nomem(&e);
    fail(r, &e);
}

void http_reply_fault(struct http_reply *r, const char *text)
{
    r->fault = text;
}

void http_reply_issue(struct http_reply *r, const char *parameter, const char *detail,
                      const char *const *allowed, const char *const *near)
{
    http_issues_add(&r->issues, parameter, detail, http_issues_keep(&r->issues, allowed),
                    http_issues_keep(&r->issues, near));
}
