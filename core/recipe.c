/* Reading a recipe by its field table, and what follows from a recipe alone. */
#include "core/recipe.h"

#include "base/hash.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void recipe_init(struct recipe *r)
{
    *r = (struct recipe){0};
    arena_init(&r->arena, RECIPE_ARENA_LIMIT);
}

void recipe_done(struct recipe *r)
{
    arena_done(&r->arena);
}

enum err_code recipe_read(struct recipe *r, const struct tree_node *root, struct report *report,
                          struct err *e)
{
    return field_read(&recipe_fields, root, r, &r->arena, report, e);
}

/* The first word of stack.framework; "" if there is none, or none of a name's length. */
static void derive_framework(struct recipe *r)
{
    const char *text = "";
    size_t len;

    for (size_t i = 0; i < r->stack.count; i++)
        if (strcmp(r->stack.entries[i].key, "framework") == 0)
            text = r->stack.entries[i].text;
    if (!text)
        return;
    text += strspn(text, " ");
    len = strcspn(text, " ,;(");
    if (len == 0 || len > SLUG_LIMIT)
        return;
    text_lower(r->derived.framework_word, text, len);
    r->derived.framework = r->derived.framework_word;
}

/* The hash is over fixed lines, so that anybody can work it out again. What the rows are is a text
 * of any length and goes in as its own hash. */
static void derive_workload(struct recipe *r)
{
    const char *what = r->workload.rows ? r->workload.rows : "";
    const char *precision = r->workload.precision ? r->workload.precision : "";
    const char *sha256 = r->workload.dataset.rows_sha256 ? r->workload.dataset.rows_sha256 : "";
    char what_hash[HASH_HEX_BYTES];
    char hash[HASH_HEX_BYTES];
    char text[512]; /* The longest is less than 300 bytes. */
    int len;

    hash_sha256(what, strlen(what), what_hash);
    len = snprintf(text, sizeof text,
                   "row_tokens: %" PRId64 "\nrows: %s\nglobal_batch: %" PRId64
                   "\nprecision: %s\nrows_sha256: %s\n",
                   r->workload.row_tokens, what_hash, r->workload.global_batch, precision, sha256);
    if (len < 0 || (size_t)len >= sizeof text)
        return;
    hash_sha256(text, (size_t)len, hash);
    memcpy(r->derived.workload_id, hash, sizeof r->derived.workload_id - 1);
}

void recipe_derive(struct recipe *r, const char *stem)
{
    size_t stem_len = strnlen(stem, SLUG_BYTES);

    memset(&r->derived, 0, sizeof r->derived);
    /* Whether they are slugs is judged with the file's path, where the problem can be told. */
    (void)slug_make(r->derived.model_slug, r->model);
    (void)slug_make(r->derived.gpu_slug, r->gpu.type);
    if (stem_len <= SLUG_LIMIT)
        memcpy(r->derived.recipe_slug, stem, stem_len);
    r->derived.model = r->derived.model_slug;
    r->derived.gpu = r->derived.gpu_slug;
    r->derived.recipe = r->derived.recipe_slug;
    derive_framework(r);
    if (r->gpu.per_node > 0)
        r->derived.nodes = (r->gpu.count + r->gpu.per_node - 1) / r->gpu.per_node;
    derive_workload(r);
    r->derived.workload = r->derived.workload_id;
    r->derived.confirmation = "not_checked";
}

void recipe_write_document(const struct recipe *r, const char *key, struct json *j)
{
    field_write_json(&recipe_fields, r, key, j);
}
