/* What a recipe's file makes of it before the database is asked: any thread may do it. */
#ifndef IMPORTERS_IMPORT_DRAFT_H
#define IMPORTERS_IMPORT_DRAFT_H

#include "base/buf.h"
#include "base/hash.h"
#include "db/recipes.h"
#include "importers/judge.h"

/* The file of a recipe: where it is as the user said it and as the system says it, its bytes and
 * their hash. */
struct import_source {
    const char *path;
    const char *canonical;
    const char *bytes;
    size_t len;
    char hash[HASH_HEX_BYTES];
};

/* A recipe that was read.
 *
 * document, facts: of recipe_write_document and compare_facts_write
 * audit, card_head, card_tail: of audit_write_json and core/card.h
 * made:            of db_recipe_make
 *
 * All texts are empty where the file has errors. */
struct import_draft {
    struct judgement judgement;
    struct buf document;
    struct buf facts;
    struct buf audit;
    struct buf card_head;
    struct buf card_tail;
    struct recipe_made made;
};

/* Start a draft, whose memory serves one recipe after the other.
 *
 * Owns: the caller ends with import_draft_done. */
void import_draft_init(struct import_draft *draft);

/* Judge a recipe and write its texts. Other arguments and errors as of judge_file.
 *
 * out: empty; stays where it is from now on; after use, on failure too, import_draft_clear */
MUST_USE enum err_code import_draft_read(const struct import_source *source,
                                         const struct catalog *catalog, struct import_draft *out,
                                         struct err *e);

/* Ask the database what is left to ask. Other arguments and errors as of judge_confirm. */
MUST_USE enum err_code import_draft_confirm(struct import_draft *draft,
                                            const struct import_source *source,
                                            const struct catalog *catalog, struct db *db,
                                            struct err *e);

/* What a draft without errors stores. All is lent by the draft and the source. */
struct recipe_entry import_draft_entry(const struct import_draft *draft,
                                       const struct import_source *source);

/* Forget the recipe. What memory the texts of most recipes take is kept. */
void import_draft_clear(struct import_draft *draft);

/* Release it, once it is cleared. */
void import_draft_done(struct import_draft *draft);

#endif
