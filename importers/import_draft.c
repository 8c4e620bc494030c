/* bytes -> tree -> struct -> the texts that are stored beside it. */
#include "importers/import_draft.h"

#include "core/compare_facts.h"

/* A document is at most a few times its file. */
enum { RENDER_LIMIT = 16 * 1024 * 1024 };

static enum err_code write_texts(struct import_draft *draft, struct err *e)
{
    const struct recipe *recipe = &draft->judgement.recipe;
    enum err_code rc;
    struct json j;

    json_init(&j, &draft->document);
    recipe_write_document(recipe, NULL, &j);
    rc = buf_check(&draft->document, e);
    return rc == ERR_OK ? compare_facts_write(recipe, &draft->facts, e) : rc;
}

enum err_code import_draft_read(const char *bytes, size_t len, const char *path,
                                struct import_draft *out, struct err *e)
{
    enum err_code rc;

    buf_init(&out->document, RENDER_LIMIT);
    buf_init(&out->facts, RENDER_LIMIT);
    rc = judge_read(bytes, len, path, &out->judgement, e);
    if (rc == ERR_OK && out->judgement.root && out->judgement.report.errors == 0)
        rc = write_texts(out, e);
    return rc;
}

void import_draft_done(struct import_draft *draft)
{
    buf_done(&draft->document);
    buf_done(&draft->facts);
    judgement_done(&draft->judgement);
}
