/* What the file of a recipe makes of it before the catalogue and the database are asked: any thread
 * may do it. */
#ifndef IMPORTERS_IMPORT_DRAFT_H
#define IMPORTERS_IMPORT_DRAFT_H

#include "base/buf.h"
#include "importers/judge.h"

/* A recipe that was read.
 *
 * judgement: as judge_read leaves it
 * document, facts: of recipe_write_document and compare_facts_write; empty where the file has
 *                  errors */
struct import_draft {
    struct judgement judgement;
    struct buf document;
    struct buf facts;
};

/* Read a recipe and write its texts. Arguments and errors as of judge_read.
 *
 * out: stays where it is from now on; after use, on failure too, import_draft_done */
MUST_USE enum err_code import_draft_read(const char *bytes, size_t len, const char *path,
                                         struct import_draft *out, struct err *e);

/* Release it. */
void import_draft_done(struct import_draft *draft);

#endif
