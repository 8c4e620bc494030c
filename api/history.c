/* GET /models/{model}/{gpu}/{recipe}/history and {recipe}@{hash}: what a recipe was before. */
#include "api/endpoints.h"
#include "api/list.h"
#include "api/recipe_find.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Hexadecimal digits of a hash, and the fewest that stand for one. */
enum { HASH_DIGITS = 64, PREFIX_DIGITS = 8 };

/* Find the recipe of the path and its revisions, of which there is one at least.
 *
 * tail, out_is_done: as recipe_find has them */
static enum err_code find_revisions(struct api_scope *s, const char *tail, struct recipe_place *at,
                                    struct revision_list *out, bool *out_is_done, struct err *e)
{
    enum err_code rc = recipe_find(s, tail, at, out_is_done, e);

    if (rc != ERR_OK || *out_is_done)
        return rc;
    rc = db_revisions_list(s->db, at->model, at->gpu, at->recipe, &s->arena, out, e);
    if (rc != ERR_OK || out->count > 0)
        return rc;
    *out_is_done = true; /* By a redirect, or an error. */
    return recipe_missing(s, at, e);
}

static enum err_code answer_history(struct api_scope *s, struct err *e)
{
    struct revision_list list = {0};
    struct list_window window = {0};
    struct recipe_place at;
    struct json *j = &s->json;
    bool is_done = false;
    enum err_code rc = find_revisions(s, "/history", &at, &list, &is_done, e);

    if (rc != ERR_OK || is_done)
        return rc;
    json_begin(j, NULL, '{');
    json_put_text(j, "model", at.model);
    json_put_text(j, "gpu", at.gpu);
    json_put_text(j, "recipe", at.recipe);
    json_put_text(j, "removed_at", list.items[0].replaced_at);
    rc = list_window(s, list.count, &window, e);
    json_begin(j, "revisions", '[');
    for (size_t i = window.first; i < window.end; i++)
        recipe_put_revision(j, &at, &list.items[i]);
    json_end(j, ']');
    json_end(j, '}');
    return rc;
}

static void put_links(struct json *j, const struct recipe_place *at, const char *hash)
{
    static const struct {
        const char *key;
        const char *suffix;
    } own[] = {{"self", ""}, {"yaml", ".yaml"}, {"sh", ".sh"}};

    json_begin(j, "links", '{');
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        json_begin(j, own[i].key, '"');
        /* Slugs and hexadecimal digits need no escaping. */
        buf_printf(j->buf, "/models/%s/%s/%s@%s%s", at->model, at->gpu, at->recipe, hash,
                   own[i].suffix);
        json_end(j, '"');
    }
    json_begin(j, "recipe", '"');
    buf_printf(j->buf, "/models/%s/%s/%s", at->model, at->gpu, at->recipe);
    json_end(j, '"');
    json_begin(j, "history", '"');
    buf_printf(j->buf, "/models/%s/%s/%s/history", at->model, at->gpu, at->recipe);
    json_end(j, '"');
    json_end(j, '}');
}

/* Nothing here may depend on what changes: prices, the catalogue, what came after. */
static void put_json(struct json *j, const struct recipe_place *at,
                     const struct revision_text *revision)
{
    json_begin(j, NULL, '{');
    json_put_text(j, "model", at->model);
    json_put_text(j, "gpu", at->gpu);
    json_put_text(j, "recipe", at->recipe);
    json_put_text(j, "hash", revision->hash);
    json_put_text(j, "first_seen", revision->first_seen);
    json_put_raw(j, "document", revision->document, strlen(revision->document));
    json_put_raw(j, "audit", revision->audit, strlen(revision->audit));
    put_links(j, at, revision->hash);
    json_end(j, '}');
}

static enum err_code put_revision(struct api_scope *s, const struct recipe_place *at,
                                  const char *hash, struct err *e)
{
    struct revision_text revision;
    enum http_format format = http_request_format(s->request);
    enum err_code rc =
        db_revision_get(s->db, at->model, at->gpu, at->recipe, hash, &s->arena, &revision, e);

    if (rc != ERR_OK)
        return rc;
    if (format == HTTP_YAML)
        buf_add(s->json.buf, revision.yaml, revision.yaml_len);
    else if (format == HTTP_SH)
        buf_puts(s->json.buf, revision.run);
    else
        put_json(&s->json, at, &revision);
    return ERR_OK;
}

/* A hash that is not whole, or not in lower case, leads to the whole one. */
static void redirect(struct api_scope *s, const struct recipe_place *at, const char *hash)
{
    struct buf path;

    buf_init(&path, 1024);
    buf_printf(&path, "/models/%s/%s/%s@%s", at->model, at->gpu, at->recipe, hash);
    http_reply_redirect(s->reply, buf_text(&path));
    buf_done(&path);
}

/* Find the hash that the path means, which must be the only one that begins so; NULL: there is
 * none, for the reason in e. */
static const char *find_hash(struct api_scope *s, const char *given,
                             const struct revision_list *list, struct err *e)
{
    const char **known = arena_array(&s->arena, list->count + 1, sizeof *known);
    const char **found = arena_array(&s->arena, list->count + 1, sizeof *found);
    size_t known_count = 0;
    size_t found_count = 0;

    if (!known || !found) {
        (void)err_nomem(e); /* The NULL tells. */
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++) {
        const char *hash = list->items[i].hash;
        bool is_new = true;

        for (size_t k = 0; k < known_count; k++)
            is_new = is_new && strcmp(known[k], hash) != 0;
        if (!is_new)
            continue;
        known[known_count++] = hash;
        if (strlen(given) >= PREFIX_DIGITS && text_starts(hash, given))
            found[found_count++] = hash;
    }
    if (found_count == 1)
        return found[0];
    (void)parts_not_found(s, "hash", given, found_count > 0 ? found : known, e); /* Likewise. */
    return NULL;
}

/* A tail that may stand in a path: digits, else the whole is no hash. */
static bool make_tail(const char *given, char tail[HASH_DIGITS + 2])
{
    size_t len = strlen(given);

    if (len > HASH_DIGITS || strspn(given, "0123456789abcdefABCDEF") != len)
        return false;
    tail[0] = '@';
    text_lower(tail + 1, given, len);
    return true;
}

static enum err_code answer_revision(struct api_scope *s, struct err *e)
{
    const char *given = http_arg(s->request, "hash");
    char tail[HASH_DIGITS + 2] = "";
    struct revision_list list = {0};
    struct recipe_place at;
    const char *hash;
    bool is_hash = make_tail(given, tail);
    bool is_done = false;
    enum err_code rc = find_revisions(s, tail, &at, &list, &is_done, e);

    if (rc != ERR_OK || is_done)
        return rc;
    hash = find_hash(s, is_hash ? tail + 1 : given, &list, e);
    if (!hash)
        return e->code;
    if (strcmp(given, hash) == 0)
        return put_revision(s, &at, hash, e);
    redirect(s, &at, hash);
    return ERR_OK;
}

enum err_code api_history(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer_history, e);
}

enum err_code api_revision(const struct http_request *request, struct http_reply *reply, void *app,
                           struct err *e)
{
    return api_answer(request, reply, app, answer_revision, e);
}
