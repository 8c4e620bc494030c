/* Revisions: opened when a recipe's bytes come, closed when they go. */
#include "db/revisions.h"

#include "base/mem.h"
#include "db/history.h"
#include "db/stmt.h"

enum { OPEN, KEEP, CLOSE, LIST, GET, ADD_BEGINNING, ADD_REMOVAL };

/* Expand to the open revision of the recipe with an id, and its texts, likewise. */
#define OPEN_OF_ID                                                                                 \
    "FROM recipes JOIN recipe_texts ON recipe_texts.id = recipes.id WHERE recipes.id = :id AND "   \
    "revisions.model = recipes.model AND revisions.gpu = recipes.gpu AND revisions.recipe = "      \
    "recipes.recipe AND replaced_at IS NULL"

/* Expand to the key of a recipe's revisions: the compiler puts text together. */
#define OF_RECIPE "model = :model AND gpu = :gpu AND recipe = :recipe"

static const struct stmt_row rows[] = {
    /* One row of values, as for a beginning below: a statement that might add several would make
     * SQLite write the words of the search index first, one recipe at a time. */
    [OPEN] = {"INSERT INTO revisions (model, gpu, recipe, number, hash, first_seen, "
              "tokens_per_s_per_gpu, measured) VALUES (:model, :gpu, :recipe, 1 + "
              "coalesce((SELECT max(number) FROM revisions WHERE " OF_RECIPE
              "), 0), :hash, :now, :speed, :measured)",
              "begin a revision", NULL},
    [KEEP] = {"UPDATE revisions SET audit = recipe_texts.audit " OPEN_OF_ID
              " AND revisions.audit IS NULL",
              "keep the audit of a revision", NULL},
    [CLOSE] = {"UPDATE revisions SET replaced_at = :now, document = recipe_texts.document, yaml = "
               "recipe_texts.yaml, run = recipe_texts.run, audit = coalesce(revisions.audit, "
               "recipe_texts.audit) " OPEN_OF_ID,
               "end a revision", NULL},
    [LIST] = {"SELECT (SELECT count(*) FROM revisions WHERE " OF_RECIPE
              "), hash, first_seen, replaced_at, tokens_per_s_per_gpu, "
              "measured FROM revisions WHERE " OF_RECIPE " ORDER BY number DESC",
              "read revisions", NULL},
    /* The same bytes may have come more than once; the first time counts. Texts that are not in the
     * row are in those of the recipe of now, which has the same bytes then. */
    [GET] =
        {"SELECT first.hash, first.first_seen, coalesce(first.audit, now.audit), "
         "coalesce(first.document, "
         "now.document), coalesce(first.yaml, now.yaml), coalesce(first.run, now.run) FROM "
         "revisions AS first LEFT JOIN recipes ON recipes.model = first.model AND recipes.gpu = "
         "first.gpu AND recipes.recipe = first.recipe LEFT JOIN recipe_texts AS now ON now.id = "
         "recipes.id WHERE first.model = :model AND first.gpu = :gpu AND first.recipe = :recipe "
         "AND first.hash = :hash ORDER BY first.number LIMIT 1",
         "read a revision", NULL},
    [ADD_BEGINNING] =
        {"INSERT INTO events (at, kind, model, gpu, workload, recipe, hash, "
         "tokens_per_s_per_gpu, usd_per_million_tokens, old_tokens_per_s_per_gpu, "
         "old_usd_per_million_tokens) VALUES (:now, CASE WHEN :old_speed IS NULL THEN "
         "'addition' WHEN :speed > :old_speed THEN 'improvement' ELSE 'change' END, "
         ":model, :gpu, :workload, :recipe, :hash, :speed, :usd, :old_speed, :old_usd)",
         "note a change", NULL},
    [ADD_REMOVAL] =
        {"INSERT INTO events (at, kind, model, gpu, workload, recipe, hash, "
         "old_tokens_per_s_per_gpu, old_usd_per_million_tokens) SELECT :now, 'removal', "
         "model, gpu, workload, recipe, hash, tokens_per_s_per_gpu, "
         "usd_per_million_tokens FROM recipes JOIN recipe_texts ON recipe_texts.id = "
         "recipes.id WHERE recipes.id = :id",
         "note a removal", NULL},
};

const struct stmt_table revisions_statements = {rows, COUNT_OF(rows)};

static enum err_code run(struct db *db, size_t row, int64_t id, const char *now, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_REVISIONS, row);
    stmt_bind_int(&s, ":id", id);
    stmt_bind_text(&s, ":now", now);
    return stmt_run(&s, e);
}

static void bind_figure(struct stmt *s, const char *name, double figure)
{
    if (figure > 0)
        stmt_bind_real(s, name, figure);
}

/* Begin a statement about a recipe that was just stored. */
static void begin_stored(struct stmt *s, struct db *db, size_t row,
                         const struct recipe_entry *entry, const char *now)
{
    const struct recipe *r = entry->recipe;

    stmt_begin_recipe(s, db, STMT_REVISIONS, row, r->derived.model, r->derived.gpu,
                      r->derived.recipe);
    stmt_bind_text(s, ":hash", entry->hash);
    stmt_bind_text(s, ":now", now);
    stmt_bind_real(s, ":speed", r->result.tokens_per_s_per_gpu);
}

enum err_code history_begin(struct db *db, const struct recipe_entry *entry,
                            const struct history_figures *old, const char *now, struct err *e)
{
    const struct recipe *r = entry->recipe;
    enum err_code rc;
    struct stmt s;

    begin_stored(&s, db, OPEN, entry, now);
    stmt_bind_text(&s, ":measured", r->result.measured);
    rc = stmt_run(&s, e);
    if (rc != ERR_OK)
        return rc;
    begin_stored(&s, db, ADD_BEGINNING, entry, now);
    stmt_bind_text(&s, ":workload", r->derived.workload);
    bind_figure(&s, ":usd", r->derived.usd_per_million_tokens);
    bind_figure(&s, ":old_speed", old->tokens_per_s_per_gpu);
    bind_figure(&s, ":old_usd", old->usd_per_million_tokens);
    return stmt_run(&s, e);
}

enum err_code history_keep(struct db *db, int64_t id, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_REVISIONS, KEEP);
    stmt_bind_int(&s, ":id", id);
    return stmt_run(&s, e);
}

enum err_code history_end(struct db *db, int64_t id, bool is_removal, const char *now,
                          struct err *e)
{
    enum err_code rc = run(db, CLOSE, id, now, e);

    return rc == ERR_OK && is_removal ? run(db, ADD_REMOVAL, id, now, e) : rc;
}

enum err_code db_revisions_list(struct db *db, const char *model, const char *gpu,
                                const char *recipe, struct arena *arena, struct revision_list *out,
                                struct err *e)
{
    struct revision_list list = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_REVISIONS, LIST, model, gpu, recipe);
    while (stmt_next(&s)) {
        if (!list.items)
            list.items = stmt_array(&s, arena, (size_t)stmt_int(&s, 0), sizeof *list.items);
        if (!list.items)
            continue; /* Told by stmt_end, and the next step ends the loop. */
        list.items[list.count++] = (struct revision){
            .hash = stmt_copy(&s, 1, arena),
            .first_seen = stmt_copy(&s, 2, arena),
            .replaced_at = stmt_copy(&s, 3, arena),
            .tokens_per_s_per_gpu = stmt_real(&s, 4),
            .measured = stmt_copy(&s, 5, arena),
        };
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_revision_get(struct db *db, const char *model, const char *gpu, const char *recipe,
                              const char *hash, struct arena *arena, struct revision_text *out,
                              struct err *e)
{
    struct revision_text text = {0};
    bool is_there;
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_REVISIONS, GET, model, gpu, recipe);
    stmt_bind_text(&s, ":hash", hash);
    is_there = stmt_next(&s);
    if (is_there) {
        text.hash = stmt_copy(&s, 0, arena);
        text.first_seen = stmt_copy(&s, 1, arena);
        text.audit = stmt_copy(&s, 2, arena);
        text.document = stmt_copy(&s, 3, arena);
        text.yaml = stmt_copy(&s, 4, arena);
        (void)stmt_text(&s, 4, &text.yaml_len); /* For its length. */
        text.run = stmt_copy(&s, 5, arena);
    }
    rc = stmt_end(&s, e);
    if (rc != ERR_OK)
        return rc;
    if (!is_there)
        return err_set(e, ERR_NOT_FOUND, "there is no revision %s of %s", hash, recipe);
    *out = text;
    return ERR_OK;
}
