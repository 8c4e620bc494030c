/* What a ranking answers with where nothing is asked for, in pieces of text. A page is missing
 * until it is put, and again after any change of its model's recipes. */
#ifndef DB_RANKING_PAGES_H
#define DB_RANKING_PAGES_H

#include "base/arena.h"
#include "db/db.h"

/* A page.
 *
 * hash:  SHA-256 of the pieces, in hexadecimal
 * total: recipes of the ranking
 * head:  JSON members before next
 * rows:  JSON objects of the first recipes, each ended by a line feed
 * keys:  for each of them what a cursor after it holds, likewise
 * tail:  JSON members after the recipes */
struct ranking_page {
    const char *hash;
    int64_t total;
    const char *head;
    const char *rows;
    const char *keys;
    const char *tail;
};

/* Find a page. What another program's import left is missing.
 *
 * out: in the arena; its texts are NULL if it is missing */
MUST_USE enum err_code db_ranking_page_get(struct db *db, const char *model, const char *gpu,
                                           struct arena *arena, struct ranking_page *out,
                                           struct err *e);

/* Store a page that is missing. Inside a write transaction, and so is all below. */
MUST_USE enum err_code db_ranking_page_put(struct db *db, const char *model, const char *gpu,
                                           const struct ranking_page *page, struct err *e);

/* A ranking without a page, and where the look for the next one goes on. Zeroed for the first. */
struct ranking_place {
    const char *model;
    const char *gpu;
    int64_t gpu_position;
};

/* Find the next ranking whose page is missing.
 *
 * place: the one before, whose texts are lent; the next one, in the arena; its model is NULL if
 *        there is none */
MUST_USE enum err_code db_ranking_page_next(struct db *db, struct arena *arena,
                                            struct ranking_place *place, struct err *e);

/* Remove all pages: what they are made from besides recipes has changed. */
MUST_USE enum err_code db_ranking_pages_clear(struct db *db, struct err *e);

#endif
