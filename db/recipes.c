/* Reading recipes one by one. Lists are db/query.c; storing is db/recipes_put.c. */
#include "db/recipes.h"

#include "base/mem.h"
#include "db/stmt.h"

#include <string.h>

enum { STORED, GET, FACTS, FIRST, NEXT, CITING, SLUGS };

static const struct stmt_row rows[] = {
    [STORED] = {"SELECT hash, source FROM recipes JOIN recipe_texts ON recipe_texts.id = "
                "recipes.id WHERE model = :model AND gpu = :gpu AND recipe = :recipe",
                "look for a recipe", NULL},
    [GET] = {"SELECT hash, first_seen, changed_at, document, audit, yaml, run, author, "
             "confirmation, gpus, active_params, row_tokens, global_batch, window_steps, "
             "tokens_per_s_per_gpu, step_time_cv_percent FROM recipes JOIN recipe_texts ON "
             "recipe_texts.id = recipes.id WHERE model = :model AND gpu = :gpu AND recipe = "
             ":recipe",
             "read a recipe", NULL},
    [FACTS] = {"SELECT facts FROM recipes JOIN recipe_texts ON recipe_texts.id = recipes.id WHERE "
               "model = :model AND gpu = :gpu AND recipe = :recipe",
               "read the facts of a recipe", NULL},
    [FIRST] = {"SELECT model, gpu, recipe, source, hash, yaml, document, audit FROM recipes JOIN "
               "recipe_texts ON recipe_texts.id = recipes.id ORDER BY model, gpu, recipe LIMIT 1",
               "read the first recipe", "in the table's own order, up to the first row"},
    [NEXT] = {"SELECT model, gpu, recipe, source, hash, yaml, document, audit FROM recipes JOIN "
              "recipe_texts ON recipe_texts.id = recipes.id WHERE (model, gpu, recipe) > (:model, "
              ":gpu, :recipe) ORDER BY model, gpu, recipe LIMIT 1",
              "read the next recipe", NULL},
    [CITING] = {"SELECT model, gpu, recipe, source, hash, yaml, document, audit, recipes.id FROM "
                "recipe_texts JOIN recipes ON recipes.id = recipe_texts.id WHERE "
                "active_params_source = :source AND active_params_revision = :revision AND "
                "recipe_texts.id > :id ORDER BY recipe_texts.id LIMIT 1",
                "read the next recipe of a checkpoint", NULL},
    [SLUGS] = {"SELECT recipe FROM recipes WHERE model = :model AND gpu = :gpu ORDER BY recipe "
               "LIMIT :limit",
               "read slugs", NULL},
};

const struct stmt_table recipes_statements = {rows, COUNT_OF(rows)};

/* Names among which the nearest is looked for: comparing more would take longer than the reader of
 * a "did you mean" gains. */
enum { SLUGS_LIMIT = 1000 };

enum err_code db_recipe_stored(struct db *db, const char *model, const char *gpu,
                               const char *recipe, struct arena *arena, struct recipe_stored *out,
                               struct err *e)
{
    struct recipe_stored stored = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_RECIPES, STORED, model, gpu, recipe);
    if (stmt_next(&s)) {
        stored.is_there = true;
        stmt_copy_into(&s, 0, stored.hash, sizeof stored.hash);
        stored.source = stmt_copy(&s, 1, arena);
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = stored;
    return rc;
}

enum err_code db_recipe_get(struct db *db, const char *model, const char *gpu, const char *recipe,
                            struct arena *arena, struct recipe_page *out, struct err *e)
{
    struct recipe_page page = {0};
    bool is_there;
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_RECIPES, GET, model, gpu, recipe);
    is_there = stmt_next(&s);
    if (is_there) {
        page.hash = stmt_copy(&s, 0, arena);
        page.first_seen = stmt_copy(&s, 1, arena);
        page.changed_at = stmt_copy(&s, 2, arena);
        page.document = stmt_copy(&s, 3, arena);
        page.audit = stmt_copy(&s, 4, arena);
        page.yaml = stmt_copy(&s, 5, arena);
        (void)stmt_text(&s, 5, &page.yaml_len); /* For its length. */
        page.run = stmt_copy(&s, 6, arena);
        page.author = stmt_copy(&s, 7, arena);
        page.confirmation = stmt_copy(&s, 8, arena);
        page.gpus = stmt_int(&s, 9);
        page.active_params = stmt_int(&s, 10);
        page.row_tokens = stmt_int(&s, 11);
        page.global_batch = stmt_int(&s, 12);
        page.steps = stmt_int(&s, 13);
        page.tokens_per_s_per_gpu = stmt_real(&s, 14);
        page.step_time_cv_percent = stmt_real(&s, 15);
    }
    rc = stmt_end(&s, e);
    if (rc != ERR_OK)
        return rc;
    if (!is_there)
        return err_set(e, ERR_NOT_FOUND, "there is no recipe %s of %s on %s", recipe, model, gpu);
    *out = page;
    return ERR_OK;
}

enum err_code db_recipe_facts(struct db *db, const char *model, const char *gpu, const char *recipe,
                              struct arena *arena, const char **out, struct err *e)
{
    const char *facts = NULL;
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_RECIPES, FACTS, model, gpu, recipe);
    if (stmt_next(&s))
        facts = stmt_copy(&s, 0, arena);
    rc = stmt_end(&s, e);
    if (rc != ERR_OK)
        return rc;
    if (!facts)
        return err_set(e, ERR_NOT_FOUND, "there is no recipe %s of %s on %s", recipe, model, gpu);
    *out = facts;
    return ERR_OK;
}

/* Where a walk stands: the slugs of the recipe visited last. */
struct walk {
    char model[SLUG_BYTES];
    char gpu[SLUG_BYTES];
    char recipe[SLUG_BYTES];
};

static bool keep_slug(char out[SLUG_BYTES], const char *slug)
{
    size_t len = strnlen(slug, SLUG_BYTES);

    if (len >= SLUG_BYTES)
        return false;
    memcpy(out, slug, len + 1);
    return true;
}

/* Visit the row that the statement stands at. */
static enum err_code visit_row(struct stmt *s, struct walk *walk, recipe_visit *visit,
                               void *context, struct err *e)
{
    struct recipe_stored_text text = {
        .model = stmt_text(s, 0, NULL),
        .gpu = stmt_text(s, 1, NULL),
        .recipe = stmt_text(s, 2, NULL),
        .source = stmt_text(s, 3, NULL),
        .hash = stmt_text(s, 4, NULL),
        .document = stmt_text(s, 6, NULL),
        .audit = stmt_text(s, 7, NULL),
    };

    text.yaml = stmt_text(s, 5, &text.yaml_len);
    if (s->err.code != ERR_OK)
        return ERR_OK; /* Told by stmt_end. */
    if (!keep_slug(walk->model, text.model) || !keep_slug(walk->gpu, text.gpu) ||
        !keep_slug(walk->recipe, text.recipe))
        return err_set(e, ERR_CORRUPT, "a stored slug is too long");
    return visit(context, &text, e);
}

/* Each step is a statement of its own, so that the visitor may change what it is shown. */
enum err_code db_recipes_visit(struct db *db, recipe_visit *visit, void *context, struct err *e)
{
    struct walk walk = {{0}, {0}, {0}};
    bool has_row = true;
    enum err_code rc = ERR_OK;
    struct stmt s;

    stmt_begin(&s, db, STMT_RECIPES, FIRST);
    while (has_row) {
        struct err failure = {.code = ERR_OK};

        has_row = stmt_next(&s);
        if (has_row)
            rc = visit_row(&s, &walk, visit, context, &failure);
        if (stmt_end(&s, e) != ERR_OK)
            return e->code;
        if (rc != ERR_OK) {
            *e = failure;
            return rc;
        }
        if (has_row)
            stmt_begin_recipe(&s, db, STMT_RECIPES, NEXT, walk.model, walk.gpu, walk.recipe);
    }
    return ERR_OK;
}

enum err_code db_recipes_visit_citing(struct db *db, const char *source, const char *revision,
                                      recipe_visit *visit, void *context, struct err *e)
{
    struct walk walk = {{0}, {0}, {0}};
    bool has_row = true;
    int64_t id = 0;
    enum err_code rc = ERR_OK;

    while (has_row) {
        struct err failure = {.code = ERR_OK};
        struct stmt s;

        stmt_begin(&s, db, STMT_RECIPES, CITING);
        stmt_bind_text(&s, ":source", source);
        stmt_bind_text(&s, ":revision", revision);
        stmt_bind_int(&s, ":id", id);
        has_row = stmt_next(&s);
        if (has_row) {
            id = stmt_int(&s, 8);
            rc = visit_row(&s, &walk, visit, context, &failure);
        }
        if (stmt_end(&s, e) != ERR_OK)
            return e->code;
        if (rc != ERR_OK) {
            *e = failure;
            return rc;
        }
    }
    return ERR_OK;
}

enum err_code db_recipe_slugs(struct db *db, const char *model, const char *gpu,
                              struct arena *arena, const char *const **out, struct err *e)
{
    const char **slugs;
    size_t count = 0;
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_RECIPES, SLUGS);
    stmt_bind_text(&s, ":model", model);
    stmt_bind_text(&s, ":gpu", gpu);
    stmt_bind_int(&s, ":limit", SLUGS_LIMIT);
    slugs = stmt_array(&s, arena, SLUGS_LIMIT + 1, sizeof *slugs);
    while (stmt_next(&s))
        slugs[count++] = stmt_copy(&s, 0, arena);
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = (const char *const *)slugs;
    return rc;
}
