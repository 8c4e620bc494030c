/* What a recipe's file makes of it before the database is asked: any thread may do it. */
#ifndef IMPORTERS_IMPORT_DRAFT_H
#define IMPORTERS_IMPORT_DRAFT_H

#include "base/buf.h"
#include "importers/judge.h"

/* A recipe that was read.
 *
 * document, facts: of recipe_write_document and compare_facts_write
 * audit, card_head, card_tail: of audit_write_json and core/card.h
 *
 * All texts are empty where the file has errors. */
struct import_draft {
    struct judgement judgement;
    struct buf document;
    struct buf facts;
    struct buf audit;
    struct buf card_head;
    struct buf card_tail;
};

/* Judge a recipe and write its texts. Arguments and errors as of judge_file.
 *
 * out: stays where it is from now on; after use, on failure too, import_draft_done */
MUST_USE enum err_code import_draft_read(const char *bytes, size_t len, const char *path,
                                         const struct catalog *catalog, struct import_draft *out,
                                         struct err *e);

/* Ask the database what is left to ask. Arguments and errors as of judge_confirm. */
MUST_USE enum err_code import_draft_confirm(struct import_draft *draft,
                                            const struct catalog *catalog, struct db *db,
                                            struct err *e);

/* Release it. */
void import_draft_done(struct import_draft *draft);

#endif
