/* bytes -> judgement -> the texts that are stored beside a recipe. */
#include "importers/import_draft.h"

#include "base/mem.h"
#include "core/card.h"
#include "core/compare_facts.h"

/* One text of one recipe: a document is at most a few times its file. */
enum { RENDER_LIMIT = 16 * 1024 * 1024 };

/* Write what tells of the audit. */
static enum err_code write_audit(struct import_draft *draft, struct err *e)
{
    struct json j;
    enum err_code rc;

    json_init(&j, &draft->audit);
    audit_write_json(&draft->judgement.audit, NULL, &j);
    card_write_tail(&draft->judgement.recipe, &draft->judgement.audit, &draft->card_tail);
    rc = buf_check(&draft->audit, e);
    return rc == ERR_OK ? buf_check(&draft->card_tail, e) : rc;
}

static enum err_code write_texts(struct import_draft *draft, struct err *e)
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
    return rc == ERR_OK ? write_audit(draft, e) : rc;
}

enum err_code import_draft_read(const char *bytes, size_t len, const char *path,
                                const struct catalog *catalog, struct import_draft *out,
                                struct err *e)
{
    struct buf *const texts[] = {&out->document, &out->facts, &out->audit, &out->card_head,
                                 &out->card_tail};
    enum err_code rc;

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        buf_init(texts[i], RENDER_LIMIT);
    rc = judge_file(bytes, len, path, catalog, &out->judgement, e);
    return rc == ERR_OK && out->judgement.has_audit ? write_texts(out, e) : rc;
}

enum err_code import_draft_confirm(struct import_draft *draft, const struct catalog *catalog,
                                   struct db *db, struct err *e)
{
    bool is_new;
    enum err_code rc = judge_confirm(&draft->judgement, catalog, db, &is_new, e);

    if (rc != ERR_OK || !is_new)
        return rc;
    buf_reset(&draft->audit);
    buf_reset(&draft->card_tail);
    return write_audit(draft, e);
}

void import_draft_done(struct import_draft *draft)
{
    buf_done(&draft->document);
    buf_done(&draft->facts);
    buf_done(&draft->audit);
    buf_done(&draft->card_head);
    buf_done(&draft->card_tail);
    judgement_done(&draft->judgement);
}
