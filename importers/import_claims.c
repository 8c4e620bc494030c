/* Which file each recipe of one import is in: two files for one recipe are a mistake, of which the
 * later would silently win. */
#include "importers/import_run.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum err_code import_claim_add(struct import_run *run, const struct recipe_place *place,
                               const struct import_source *source, struct err *e)
{
    char text[3 * SLUG_BYTES];
    struct import_claim *claim;
    char *copy;

    (void)snprintf(text, sizeof text, "%s/%s/%s", place->model, place->gpu,
                   place->recipe); /* Fits */
    copy = mem_text(text, strlen(text));
    if (!copy ||
        !mem_grow((void **)&run->claims, &run->claim_cap, run->claim_count, sizeof *run->claims)) {
        free(copy);
        return err_nomem(e);
    }
    claim = &run->claims[run->claim_count++];
    *claim = (struct import_claim){copy, source->path, source->canonical};
    return ERR_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct import_claim *left = a;
    const struct import_claim *right = b;
    int places = strcmp(left->place, right->place);

    return places != 0 ? places : strcmp(left->path, right->path);
}

enum err_code import_claims_check(struct import_run *run, struct err *e)
{
    enum err_code rc = ERR_OK;

    if (run->claim_count > 0)
        qsort(run->claims, run->claim_count, sizeof *run->claims, by_place);
    for (size_t i = 1; rc == ERR_OK && i < run->claim_count; i++) {
        const struct import_claim *first = &run->claims[i - 1];
        const struct import_claim *second = &run->claims[i];
        struct report report;

        if (strcmp(first->place, second->place) != 0 ||
            strcmp(first->canonical, second->canonical) == 0)
            continue;
        report_init(&report);
        report_add(&report, SEVERITY_ERROR, 0, 0, "", "%s is in %s, too", second->place,
                   first->path);
        rc = import_take_report(run, second->path, &report, e);
    }
    return rc;
}

void import_claims_done(struct import_run *run)
{
    for (size_t i = 0; i < run->claim_count; i++)
        free(run->claims[i].place);
    free(run->claims);
    run->claims = NULL;
    run->claim_count = 0;
    run->claim_cap = 0;
}
