/* What a catalogue contradicts across its files. By then the files' trees are gone, so problems
 * have a path but no line. */
#include "core/catalog.h"

#include <stdio.h>
#include <string.h>

/* Room for "models[SLUG].published[N].gpu". */
enum { PATH_BYTES = SLUG_BYTES + 64 };

/* The path of a member of one item; where it would be too long, it is cut. */
static const char *path_of(char out[PATH_BYTES], const char *list, size_t index, const char *member)
{
    (void)snprintf(out, PATH_BYTES, "%s[%zu]%s", list, index, member);
    return out;
}

static void check_known(const struct catalog *c, const char *gpu, const char *path,
                        struct report *report)
{
    const struct gpu *found = catalog_gpu(c, gpu);

    /* Without GPUs their file is missing or has problems of its own: one is enough. */
    if (c->gpus.count == 0)
        return;
    if (!found)
        report_add(report, SEVERITY_ERROR, 0, 0, path, "no GPU of the catalogue is called %s", gpu);
    else if (strcmp(found->slug, gpu) != 0)
        report_add(report, SEVERITY_ERROR, 0, 0, path, "%s is another name of %s: use the slug",
                   gpu, found->slug);
}

static void check_word(const struct catalog *c, const struct gpu *gpu, const char *word,
                       const char *path, struct report *report)
{
    const struct gpu *first = catalog_gpu(c, word);

    if (first != gpu)
        report_add(report, SEVERITY_ERROR, 0, 0, path, "%s means %s already", word, first->slug);
}

static void check_gpus(const struct catalog *c, struct report *report)
{
    const struct gpu *gpus = c->gpus.items;
    char path[PATH_BYTES];

    for (size_t i = 0; i < c->gpus.count; i++) {
        check_word(c, &gpus[i], gpus[i].slug, path_of(path, "gpus", i, ".slug"), report);
        check_word(c, &gpus[i], gpus[i].name, path_of(path, "gpus", i, ".name"), report);
        for (size_t k = 0; k < gpus[i].aliases.count; k++)
            check_word(c, &gpus[i], gpus[i].aliases.items[k], path_of(path, "gpus", i, ".aliases"),
                       report);
    }
}

static bool is_same_price(const struct price *a, const struct price *b)
{
    return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->provider, b->provider) == 0 &&
           strcmp(a->instance, b->instance) == 0 && strcmp(a->region, b->region) == 0 &&
           strcmp(a->purchase, b->purchase) == 0 && strcmp(a->as_of, b->as_of) == 0;
}

static void check_prices(const struct catalog *c, struct report *report)
{
    const struct price *prices = c->prices.items;
    char path[PATH_BYTES];

    for (size_t i = 0; i < c->prices.count; i++) {
        size_t first = 0;

        check_known(c, prices[i].gpu, path_of(path, "prices", i, ".gpu"), report);
        while (!is_same_price(&prices[first], &prices[i]))
            first++;
        if (first < i)
            report_add(report, SEVERITY_ERROR, 0, 0, path_of(path, "prices", i, ""),
                       "prices[%zu] is of the same instance and day", first);
    }
}

static void check_published(const struct catalog *c, const struct model *model,
                            struct report *report)
{
    const struct published *figures = model->published.items;
    char path[PATH_BYTES];

    for (size_t i = 0; i < model->published.count; i++) {
        size_t first = 0;

        (void)snprintf(path, sizeof path, "models[%s].published[%zu].gpu", model->slug, i);
        check_known(c, figures[i].gpu, path, report);
        while (strcmp(figures[first].gpu, figures[i].gpu) != 0)
            first++;
        if (first < i)
            report_add(report, SEVERITY_ERROR, 0, 0, path, "%s stands twice", figures[i].gpu);
    }
}

static void check_models(const struct catalog *c, struct report *report)
{
    const struct model *models = c->models.items;
    char path[PATH_BYTES];

    for (size_t i = 0; i < c->models.count; i++) {
        const struct model *first = catalog_model(c, models[i].name);

        (void)snprintf(path, sizeof path, "models[%s].name", models[i].slug);
        if (first != &models[i])
            report_add(report, SEVERITY_ERROR, 0, 0, path, "%s means %s already", models[i].name,
                       first->slug);
        check_published(c, &models[i], report);
    }
}

static void check_authors(const struct catalog *c, struct report *report)
{
    const struct author *authors = c->authors.items;
    char path[PATH_BYTES];

    for (size_t i = 0; i < c->authors.count; i++)
        if (catalog_author(c, authors[i].name) != &authors[i])
            report_add(report, SEVERITY_ERROR, 0, 0, path_of(path, "authors", i, ".name"),
                       "%s stands twice", authors[i].name);
}

void catalog_check(const struct catalog *c, struct report *report)
{
    check_gpus(c, report);
    check_prices(c, report);
    check_models(c, report);
    check_authors(c, report);
}
