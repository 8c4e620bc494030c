/* Reading the catalogue's files, and looking things up in it. Lists are short, and searched one by
 * one, but for models. */
#include "core/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Characters of a day: YYYY-MM-DD. */
enum { DAY_CHARS = 10 };

void catalog_init(struct catalog *c)
{
    *c = (struct catalog){0};
    arena_init(&c->arena, CATALOG_ARENA_LIMIT);
}

void catalog_done(struct catalog *c)
{
    arena_done(&c->arena);
}

/* Find the place of a model, or make one at the end; NULL if memory is short. */
static struct model *place_model(struct catalog *c, const char *slug)
{
    struct model *models = c->models.items;

    c->by_slug = NULL;
    for (size_t i = 0; i < c->models.count; i++)
        if (strcmp(models[i].slug, slug) == 0)
            return &models[i];
    if (c->models.count >= c->model_cap) {
        size_t cap = c->models.count < 8 ? 8 : 2 * c->models.count;
        struct model *more = arena_array(&c->arena, cap, sizeof *more);

        if (!more)
            return NULL;
        if (c->models.count > 0)
            memcpy(more, models, c->models.count * sizeof *more);
        c->models.items = models = more;
        c->model_cap = cap;
    }
    return &models[c->models.count++];
}

static enum err_code read_model(struct catalog *c, const char *stem, const struct tree_node *root,
                                struct report *report, struct err *e)
{
    size_t errors = report->errors;
    const struct tree_node *slug;
    struct model model = {0};
    struct model *place;
    enum err_code rc = field_read(&model_fields, root, &model, &c->arena, report, e);

    if (rc != ERR_OK || report->errors > errors)
        return rc;
    if (strcmp(model.slug, stem) != 0) {
        slug = tree_find(root, "slug");
        report_add(report, SEVERITY_ERROR, slug->line, slug->column, "slug",
                   "%s is not the file's name, %s", model.slug, stem);
        return ERR_OK;
    }
    place = place_model(c, model.slug);
    if (!place)
        return err_nomem(e);
    *place = model;
    return ERR_OK;
}

/* A list with problems has holes: the one that was there before stays. */
static enum err_code read_list(struct catalog *c, const struct field_table *file,
                               struct item_list *list, const struct tree_node *root,
                               struct report *report, struct err *e)
{
    struct item_list before = *list;
    size_t errors = report->errors;
    enum err_code rc = field_read(file, root, c, &c->arena, report, e);

    if (rc != ERR_OK || report->errors > errors)
        *list = before;
    return rc;
}

enum err_code catalog_read(struct catalog *c, enum catalog_file which, const char *stem,
                           const struct tree_node *root, struct report *report, struct err *e)
{
    switch (which) {
    case CATALOG_GPUS:
        return read_list(c, &catalog_gpus_file, &c->gpus, root, report, e);
    case CATALOG_PRICES:
        return read_list(c, &catalog_prices_file, &c->prices, root, report, e);
    case CATALOG_AUTHORS:
        return read_list(c, &catalog_authors_file, &c->authors, root, report, e);
    case CATALOG_MODEL:
        return read_model(c, stem, root, report, e);
    }
    return err_bug(e, "%d is no catalogue file", (int)which);
}

enum err_code catalog_add_model(struct catalog *c, const char *slug, const char *name,
                                struct err *e)
{
    const char *slug_copy = arena_text(&c->arena, slug, strlen(slug));
    const char *name_copy = arena_text(&c->arena, name, strlen(name));
    struct model *place = NULL;

    if (slug_copy && name_copy)
        place = place_model(c, slug);
    if (!place)
        return err_nomem(e);
    *place = (struct model){.slug = slug_copy, .name = name_copy};
    return ERR_OK;
}

void catalog_drop_model(struct catalog *c, const char *slug)
{
    struct model *models = c->models.items;
    size_t at = 0;

    c->by_slug = NULL;
    while (strcmp(models[at].slug, slug) != 0)
        at++;
    c->models.count--;
    memmove(&models[at], &models[at + 1], (c->models.count - at) * sizeof *models);
}

static bool is_gpu_called(const struct gpu *gpu, const char *word)
{
    if (strcasecmp(gpu->slug, word) == 0 || strcasecmp(gpu->name, word) == 0)
        return true;
    for (size_t i = 0; i < gpu->aliases.count; i++)
        if (strcasecmp(gpu->aliases.items[i], word) == 0)
            return true;
    return false;
}

const struct gpu *catalog_gpu(const struct catalog *c, const char *word)
{
    const struct gpu *gpus = c->gpus.items;

    for (size_t i = 0; i < c->gpus.count; i++)
        if (is_gpu_called(&gpus[i], word))
            return &gpus[i];
    return NULL;
}

static int by_slug(const void *a, const void *b)
{
    const struct model *const *x = a;
    const struct model *const *y = b;

    return strcasecmp((*x)->slug, (*y)->slug);
}

enum err_code catalog_index(struct catalog *c, struct err *e)
{
    const struct model *models = c->models.items;
    const struct model **index = arena_array(&c->arena, c->models.count + 1, sizeof *index);

    if (!index)
        return err_nomem(e);
    for (size_t i = 0; i < c->models.count; i++)
        index[i] = &models[i];
    qsort(index, c->models.count, sizeof *index, by_slug);
    c->by_slug = index;
    return ERR_OK;
}

static const struct model *find_indexed(const struct catalog *c, const char *slug)
{
    const struct model wanted = {.slug = slug};
    const struct model *key = &wanted;
    const struct model *const *found =
        bsearch(&key, c->by_slug, c->models.count, sizeof *c->by_slug, by_slug);

    return found ? *found : NULL;
}

const struct model *catalog_model(const struct catalog *c, const char *word)
{
    const struct model *models = c->models.items;
    const struct model *indexed = c->by_slug ? find_indexed(c, word) : NULL;

    if (indexed)
        return indexed;
    for (size_t i = 0; i < c->models.count; i++)
        if (strcasecmp(models[i].slug, word) == 0 || strcasecmp(models[i].name, word) == 0)
            return &models[i];
    return NULL;
}

const struct author *catalog_author(const struct catalog *c, const char *name)
{
    const struct author *authors = c->authors.items;

    for (size_t i = 0; i < c->authors.count; i++)
        if (strcmp(authors[i].name, name) == 0)
            return &authors[i];
    return NULL;
}

const struct price *catalog_price(const struct catalog *c, const char *gpu_slug)
{
    return catalog_price_of(c, gpu_slug, NULL, NULL);
}

const struct price *catalog_price_on(const struct catalog *c, const char *gpu_slug, const char *day)
{
    const struct price *prices = c->prices.items;
    const struct price *earliest = NULL;

    for (size_t i = 0; i < c->prices.count; i++) {
        const struct price *price = &prices[i];

        if (strcmp(price->gpu, gpu_slug) != 0 || strcmp(price->purchase, "on_demand") != 0)
            continue;
        if (!day || strncmp(price->as_of, day, DAY_CHARS) <= 0)
            return price;
        if (!earliest || strncmp(price->as_of, earliest->as_of, DAY_CHARS) < 0)
            earliest = price;
    }
    return earliest;
}

const struct price *catalog_price_of(const struct catalog *c, const char *gpu_slug,
                                     const char *purchase, const char *provider)
{
    const struct price *prices = c->prices.items;

    for (size_t i = 0; i < c->prices.count; i++)
        if (strcmp(prices[i].gpu, gpu_slug) == 0 &&
            strcmp(prices[i].purchase, purchase ? purchase : "on_demand") == 0 &&
            (!provider || strcasecmp(prices[i].provider, provider) == 0))
            return &prices[i];
    return NULL;
}
