/* Models and GPUs by their names, and what is answered to a name that nothing has. */
#include "api/parts.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that a 404 offers, and so few known ones that it lists them all. */
enum { OFFERED = 3, LISTED = 8 };

/* Letters of a name that may differ at least, and of a beginning that tells a name. */
enum { SLIPS = 2, BEGINNING = 3 };

struct offer {
    const char *name;
    size_t distance;
};

static int by_distance(const void *a, const void *b)
{
    const struct offer *x = a;
    const struct offer *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Tell whether a name may be what was meant: a few letters differ, or one is the other's beginning.
 */
static bool is_near(const char *given, const struct offer *offer)
{
    size_t len = strlen(offer->name);

    if (offer->distance <= SLIPS || offer->distance <= len / 3)
        return true;
    return (len >= BEGINNING && text_starts(given, offer->name)) ||
           (strlen(given) >= BEGINNING && text_starts(offer->name, given));
}

/* Replace each name by the whole value that it would make. */
static enum err_code complete(struct api_scope *s, const struct parts_name *name,
                              const char **names, struct err *e)
{
    enum err_code rc = ERR_OK;
    struct buf value;

    buf_init(&value, API_ARENA_LIMIT);
    for (size_t i = 0; names[i] && rc == ERR_OK; i++) {
        buf_reset(&value);
        buf_puts(&value, name->before);
        buf_puts(&value, names[i]);
        buf_puts(&value, name->after);
        if (value.status == ERR_OK)
            names[i] = arena_text(&s->arena, value.data, value.len);
        if (value.status != ERR_OK || !names[i])
            rc = err_nomem(e);
    }
    buf_done(&value);
    return rc;
}

enum err_code parts_unknown(struct api_scope *s, const struct parts_name *name,
                            const char *const *known, struct err *e)
{
    const char *near[OFFERED + 1] = {NULL};
    const char *listed[LISTED + 1] = {NULL};
    size_t count = 0;
    size_t near_count = 0;
    struct offer *offers;
    char detail[200];

    while (known[count])
        count++;
    offers = arena_array(&s->arena, count + 1, sizeof *offers);
    if (!offers)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        offers[i] = (struct offer){known[i], text_distance(name->given, known[i])};
    qsort(offers, count, sizeof *offers, by_distance);
    for (size_t i = 0; i < count && near_count < OFFERED; i++)
        if (is_near(name->given, &offers[i]))
            near[near_count++] = offers[i].name;
    for (size_t i = 0; i < count && count <= LISTED; i++)
        listed[i] = known[i];
    if (complete(s, name, near, e) != ERR_OK || complete(s, name, listed, e) != ERR_OK)
        return e->code;
    /* Fits: the name is cut. */
    (void)snprintf(detail, sizeof detail, "there is no %s %.100s", name->noun, name->given);
    http_reply_issue(s->reply, name->parameter, detail, listed, near);
    return err_set(e, ERR_NOT_FOUND, "%s", detail);
}

enum err_code parts_not_found(struct api_scope *s, const char *parameter, const char *given,
                              const char *const *known, struct err *e)
{
    const struct parts_name name = {parameter, parameter, given, "", ""};

    return parts_unknown(s, &name, known, e);
}

enum err_code parts_model(struct api_scope *s, const struct parts_name *name,
                          const struct model **out, struct err *e)
{
    const struct model *models = s->catalog->models.items;
    size_t count = s->catalog->models.count;
    const char **known;

    *out = catalog_model(s->catalog, name->given);
    if (*out)
        return ERR_OK;
    known = arena_array(&s->arena, count + 1, sizeof *known);
    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        known[i] = models[i].slug;
    return parts_unknown(s, name, known, e);
}

enum err_code parts_gpu(struct api_scope *s, const struct parts_name *name, const struct gpu **out,
                        struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    size_t count = s->catalog->gpus.count;
    const char **known;

    *out = catalog_gpu(s->catalog, name->given);
    if (*out)
        return ERR_OK;
    known = arena_array(&s->arena, count + 1, sizeof *known);
    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        known[i] = gpus[i].slug;
    return parts_unknown(s, name, known, e);
}
