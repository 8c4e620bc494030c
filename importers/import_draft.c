/* bytes -> judgement -> the texts that are stored beside a recipe. */
#include "importers/import_draft.h"

#include "core/card.h"
#include "core/compare_facts.h"

#include <string.h>

/* One text of one recipe: a document is at most a few times its file. */
enum { RENDER_LIMIT = 16 * 1024 * 1024 };

/* What each text may keep for the next recipe's. */
enum { KEPT_BYTES = 16 * 1024 };

enum { TEXTS = 6 };

static void list_texts(struct import_draft *draft, struct buf *out[TEXTS])
{
    struct buf *const texts[TEXTS] = {&draft->document,  &draft->facts,     &draft->audit,
                                      &draft->card_head, &draft->card_tail, &draft->made.words};

    memcpy(out, texts, sizeof texts);
}

void import_draft_init(struct import_draft *draft)
{
    struct buf *texts[TEXTS];

    list_texts(draft, texts);
    for (size_t i = 0; i < TEXTS; i++)
        buf_init(texts[i], RENDER_LIMIT);
}

struct recipe_entry import_draft_entry(const struct import_draft *draft,
                                       const struct import_source *source)
{
    return (struct recipe_entry){.recipe = &draft->judgement.recipe,
                                 .source = source->canonical,
                                 .hash = source->hash,
                                 .yaml = source->bytes,
                                 .yaml_len = source->len,
                                 .document = buf_text(&draft->document),
                                 .audit = buf_text(&draft->audit),
                                 .card_head = buf_text(&draft->card_head),
                                 .card_tail = buf_text(&draft->card_tail),
                                 .facts = buf_text(&draft->facts),
                                 .made = &draft->made};
}

/* Write what tells of the audit, and what follows from all. */
static enum err_code write_audit(struct import_draft *draft, const struct import_source *source,
                                 struct err *e)
{
    struct recipe_entry entry;
    struct json j;
    enum err_code rc;

    json_init(&j, &draft->audit);
    audit_write_json(&draft->judgement.audit, NULL, &j);
    card_write_tail(&draft->judgement.recipe, &draft->judgement.audit, &draft->card_tail);
    rc = buf_check(&draft->audit, e);
    if (rc == ERR_OK)
        rc = buf_check(&draft->card_tail, e);
    if (rc != ERR_OK)
        return rc;
    entry = import_draft_entry(draft, source);
    return db_recipe_make(&entry, &draft->made, e);
}

static enum err_code write_texts(struct import_draft *draft, const struct import_source *source,
                                 struct err *e)
{
    const struct recipe *recipe = &draft->judgement.recipe;
    struct json j;
    enum err_code rc;

    json_init(&j, &draft->document);
    recipe_write_document(recipe, NULL, &j);
    card_write_head(recipe, &draft->card_head);
    rc = buf_check(&draft->document, e);
    if (rc == ERR_OK)
        rc = buf_check(&draft->card_head, e);
    if (rc == ERR_OK)
        rc = compare_facts_write(recipe, &draft->facts, e);
    return rc == ERR_OK ? write_audit(draft, source, e) : rc;
}

enum err_code import_draft_read(const struct import_source *source, const struct catalog *catalog,
                                struct import_draft *out, struct err *e)
{
    enum err_code rc =
        judge_file(source->bytes, source->len, source->path, catalog, &out->judgement, e);

    return rc == ERR_OK && out->judgement.has_audit ? write_texts(out, source, e) : rc;
}

enum err_code import_draft_confirm(struct import_draft *draft, const struct import_source *source,
                                   const struct catalog *catalog, struct db *db, struct err *e)
{
    bool is_new;
    enum err_code rc = judge_confirm(&draft->judgement, catalog, db, &is_new, e);

    if (rc != ERR_OK || !is_new)
        return rc;
    buf_reset(&draft->audit);
    buf_reset(&draft->card_tail);
    buf_reset(&draft->made.words);
    return write_audit(draft, source, e);
}

void import_draft_clear(struct import_draft *draft)
{
    struct buf *texts[TEXTS];

    list_texts(draft, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        if (texts[i]->cap > KEPT_BYTES || texts[i]->status != ERR_OK)
            buf_done(texts[i]);
        buf_reset(texts[i]);
    }
    judgement_done(&draft->judgement);
}

void import_draft_done(struct import_draft *draft)
{
    struct buf *texts[TEXTS];

    list_texts(draft, texts);
    for (size_t i = 0; i < TEXTS; i++)
        buf_done(texts[i]);
}
