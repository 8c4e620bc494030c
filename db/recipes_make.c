/* What storing a recipe takes beside its texts: the digest that tells whether anything changed, and
 * its words. */
#include "base/mem.h"
#include "db/columns.h"
#include "db/recipes.h"

#include <string.h>

/* All text of one recipe: its file, and rendered. */
static const size_t text_limit = (size_t)8 * RECIPE_ARENA_LIMIT;

/* What the columns of most recipes take. */
enum { COLUMNS_BYTES = 2000 };

/* Digest everything that would be stored. */
static enum err_code digest(const struct recipe_entry *entry, char out[HASH_HEX_BYTES],
                            struct err *e)
{
    const char *const texts[] = {entry->hash,      entry->source,    entry->document, entry->audit,
                                 entry->card_head, entry->card_tail, entry->facts};
    size_t lengths[COUNT_OF(texts)];
    size_t len = COLUMNS_BYTES;
    struct buf all;
    enum err_code rc;

    buf_init(&all, text_limit);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        len += lengths[i] = strlen(texts[i]) + 1;
    (void)buf_room(&all, len); /* Taken at once; whether it is there, buf_check tells. */
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        buf_add(&all, texts[i], lengths[i]);
    for (size_t i = 0; i < recipe_fields.count; i++)
        if (recipe_fields.rows[i].column)
            column_digest(&recipe_fields.rows[i], entry->recipe, &all);
    rc = buf_check(&all, e);
    if (rc == ERR_OK)
        hash_sha256(all.data, all.len, out);
    buf_done(&all);
    return rc;
}

enum err_code db_recipe_make(const struct recipe_entry *entry, struct recipe_made *out,
                             struct err *e)
{
    enum err_code rc = digest(entry, out->digest, e);

    if (rc != ERR_OK)
        return rc;
    column_search_text(entry->recipe, &out->words);
    return buf_check(&out->words, e);
}
