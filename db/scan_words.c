/* The search index knows recipes by their ids: a bit for each, from which a column is made. */
#include "db/scan_words.h"

#include "base/mem.h"
#include "db/stmt.h"

#include <stdlib.h>

enum { FIND };

static const struct stmt_row rows[] = {
    [FIND] = {"SELECT rowid FROM recipe_search WHERE recipe_search MATCH :text", "look for words",
              NULL},
};

const struct stmt_table scan_words_statements = {rows, COUNT_OF(rows)};

/* Set the bits of the recipes that match.
 *
 * count: ids that have a bit */
static bool find(struct db *db, const char *match, uint8_t *bits, size_t count)
{
    struct err ignored; /* SQL answers then, and tells what is wrong. */
    struct stmt s;

    stmt_begin(&s, db, STMT_SCAN_WORDS, FIND);
    stmt_bind_text(&s, ":text", match);
    while (stmt_next(&s)) {
        uint64_t id = (uint64_t)stmt_int(&s, 0);

        if (id < count)
            bits[id / 8] |= (uint8_t)(1u << id % 8);
    }
    return stmt_end(&s, &ignored) == ERR_OK;
}

void scan_words_build(struct db *db, const char *match, const struct scan_column *ids,
                      struct scan_column *out)
{
    const size_t places = scan_places(ids->count);
    const uint32_t *all = ids->codes;
    uint8_t *bits = mem_array(ids->value_count / 8 + 1, sizeof *bits);
    uint8_t *codes = mem_array(places, sizeof *codes);

    if (bits && codes && find(db, match, bits, ids->value_count)) {
        for (size_t i = 0; i < ids->count; i++)
            codes[i] = bits[all[i] / 8] >> all[i] % 8 & 1;
        *out = (struct scan_column){.kind = QUERY_INT,
                                    .count = ids->count,
                                    .width = sizeof *codes,
                                    .codes = codes,
                                    .value_count = 2,
                                    .bytes = sizeof *out + places};
        codes = NULL;
    }
    free(codes);
    free(bits);
}
