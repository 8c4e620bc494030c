/* Events as Atom: an entry each, with the figures before and after. */
#include "api/feed.h"

#include "base/hash.h"
#include "core/cost.h"
#include "db/events.h"
#include "server/canonical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for "urn:uuid:" and a UUID. */
enum { ID_BYTES = 48 };

/* Longest text that an id is made of: slugs, a hash, a path. */
enum { NAME_LIMIT = 16 * 1024 };

/* When a feed changed that never did. */
static const char never[] = "1970-01-01T00:00:00Z";

enum err_code feed_check(struct api_scope *s, struct err *e)
{
    static const char *const useless[] = {"sort", "fields", "cursor"};
    static const char detail[] = "a feed has no use for it: it shows the newest events first";
    enum err_code rc = ERR_OK;

    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
        if (!http_query(s->request, useless[i]))
            continue;
        http_reply_issue(s->reply, useless[i], detail, NULL, NULL);
        rc = err_set(e, ERR_INPUT, "%s: %s", useless[i], detail);
    }
    return rc;
}

/* Text of what XML must have another way. */
static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static void put_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);

        if (entity)
            buf_puts(out, entity);
        else
            buf_putc(out, *text);
    }
}

static void put_element(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, "<%s>", name);
    put_text(out, text);
    buf_printf(out, "</%s>\n", name);
}

/* Write a link; the address is a path of ours. */
static void put_link(struct buf *out, const char *rel, const char *type, const char *path)
{
    buf_printf(out, "<link rel=\"%s\" type=\"%s\" href=\"", rel, type);
    put_text(out, path);
    buf_puts(out, "\"/>\n");
}

/* Write the id of what a name stands for: a UUID of version 8 (RFC 9562, 5.8) made of its hash, so
 * that every copy of the collection gives the same one. */
static void put_id(struct buf *out, const char *name, size_t len)
{
    char hash[HASH_HEX_BYTES];
    char id[ID_BYTES];

    hash_sha256(name, len, hash);
    hash[12] = '8';
    hash[16] = "89ab"[hash[16] % 4];
    (void)snprintf(id, sizeof id, "urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s", hash, hash + 8, hash + 12,
                   hash + 16, hash + 20); /* Always 45 letters. */
    put_element(out, "id", id);
}

static void put_figure(struct buf *out, double value)
{
    if (value > 0)
        buf_put_real(out, value);
    else
        buf_puts(out, "none");
}

/* Write "name: before -> after" as a line. */
static void put_change(struct buf *out, const char *name, double before, double after)
{
    buf_printf(out, "%s: ", name);
    put_figure(out, before);
    buf_puts(out, " -&gt; ");
    put_figure(out, after);
    buf_putc(out, '\n');
}

static double usd(double gpu_hour, double speed)
{
    return gpu_hour > 0 && speed > 0 ? cost_usd_per_million_tokens(gpu_hour, speed) : 0;
}

static void put_content(struct api_scope *s, const struct list *list, const struct event *event)
{
    struct buf *out = s->json.buf;
    bool is_chosen = parts_is_chosen(&list->prices, event->gpu); /* Else as they stood. */
    double gpu_hour = parts_gpu_hour(s, &list->prices, event->gpu, NULL);

    buf_puts(out, "<content type=\"text\">");
    put_change(out, "tokens_per_s_per_gpu", event->old_tokens_per_s_per_gpu,
               event->tokens_per_s_per_gpu);
    put_change(out, "usd_per_million_tokens",
               is_chosen ? usd(gpu_hour, event->old_tokens_per_s_per_gpu)
                         : event->old_usd_per_million_tokens,
               is_chosen ? usd(gpu_hour, event->tokens_per_s_per_gpu)
                         : event->usd_per_million_tokens);
    if (event->old_recipe)
        buf_printf(out, "first before: %s\n", event->old_recipe);
    buf_printf(out, "workload: %s\n</content>\n", event->workload);
}

static void put_title(struct buf *out, const struct event *event)
{
    static const struct {
        const char *kind;
        const char *words;
    } titles[] = {
        {"first_place", "takes the first place"},
        {"addition", "is new"},
        {"improvement", "is faster"},
        {"change", "changed"},
        {"removal", "was withdrawn"},
    };

    buf_printf(out, "<title>%s on %s: %s ", event->model, event->gpu, event->recipe);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(titles[i].kind, event->kind) == 0)
            buf_puts(out, titles[i].words);
    buf_puts(out, "</title>\n");
}

static enum err_code put_entry(struct api_scope *s, const struct list *list,
                               const struct event *event, struct err *e)
{
    struct buf *out = s->json.buf;
    struct buf name;
    enum err_code rc;

    buf_init(&name, NAME_LIMIT);
    buf_printf(&name, "openrecipes event\n%s\n%s\n%s/%s/%s\n%s\n%s", event->at, event->kind,
               event->model, event->gpu, event->recipe, event->workload, event->hash);
    rc = buf_check(&name, e);
    if (rc == ERR_OK) {
        buf_puts(out, "<entry>\n");
        put_id(out, name.data, name.len);
        put_title(out, event);
        put_element(out, "updated", event->at);
        buf_printf(out, "<category term=\"%s\"/>\n", event->kind);
        buf_reset(&name);
        /* Slugs and hexadecimal digits need no escaping. */
        buf_printf(&name, "/models/%s/%s/%s@%s", event->model, event->gpu, event->recipe,
                   event->hash);
        put_link(out, "alternate", "application/json", buf_text(&name));
        put_content(s, list, event);
        buf_puts(out, "</entry>\n");
    }
    buf_done(&name);
    return rc;
}

/* Write the path of this feed, with its parameters in the order that all requests for it share, as
 * they share the reply that is kept. */
static enum err_code put_self(struct api_scope *s, struct err *e)
{
    struct buf query;
    enum err_code rc;

    buf_init(&query, NAME_LIMIT);
    http_canonical_query(http_request_query(s->request), &query);
    buf_puts(s->json.buf, "<link rel=\"self\" type=\"application/atom+xml\" href=\"");
    put_text(s->json.buf, http_request_path(s->request));
    if (query.len > 0) {
        buf_putc(s->json.buf, '?');
        put_text(s->json.buf, query.data);
    }
    buf_puts(s->json.buf, "\"/>\n");
    rc = buf_check(&query, e);
    buf_done(&query);
    return rc;
}

static void put_feed_title(struct api_scope *s, const struct parts_place *place)
{
    struct buf *out = s->json.buf;

    if (!place->gpu) {
        put_element(out, "title", "OpenRecipes: all recipes");
        put_link(out, "alternate", "application/json", "/recipes");
        return;
    }
    buf_puts(out, "<title>OpenRecipes: ");
    put_text(out, place->model->name);
    buf_puts(out, " on ");
    put_text(out, place->gpu->name);
    /* Slugs need no escaping. */
    buf_printf(out,
               "</title>\n<link rel=\"alternate\" type=\"application/json\" "
               "href=\"/models/%s/%s\"/>\n",
               place->model->slug, place->gpu->slug);
}

/* Write the feed's id: of its path and its parameters, so that each feed has one of its own. */
static enum err_code put_feed_id(struct api_scope *s, struct err *e)
{
    struct buf name;
    enum err_code rc;

    buf_init(&name, NAME_LIMIT);
    buf_puts(&name, "openrecipes feed\n");
    buf_puts(&name, http_request_path(s->request));
    buf_putc(&name, '?');
    http_canonical_query(http_request_query(s->request), &name);
    rc = buf_check(&name, e);
    if (rc == ERR_OK)
        put_id(s->json.buf, name.data, name.len);
    buf_done(&name);
    return rc;
}

static enum err_code put_feed(struct api_scope *s, const struct parts_place *place,
                              const struct list *list, const struct event_list *events,
                              const char *updated, struct err *e)
{
    struct buf *out = s->json.buf;
    enum err_code rc;

    buf_puts(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                  "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
    rc = put_feed_id(s, e);
    put_feed_title(s, place);
    if (rc == ERR_OK)
        rc = put_self(s, e);
    put_element(out, "updated", updated);
    buf_puts(out, "<author><name>OpenRecipes</name></author>\n");
    for (size_t i = 0; rc == ERR_OK && i < events->count; i++)
        rc = put_entry(s, list, &events->items[i], e);
    buf_puts(out, "</feed>\n");
    return rc;
}

enum err_code feed_reply(struct api_scope *s, const struct parts_place *place,
                         const struct list *list, struct err *e)
{
    struct event_list events = {0};
    char *imported_at = NULL;
    enum err_code rc = db_events_list(s->db, &list->query, &s->arena, &events, e);

    if (rc == ERR_OK)
        rc = db_fact_get(s->db, "imported_at", &imported_at, e);
    if (rc == ERR_OK)
        rc = put_feed(s, place, list, &events,
                      events.count > 0 ? events.items[0].at
                      : imported_at    ? imported_at
                                       : never,
                      e);
    free(imported_at);
    return rc;
}
