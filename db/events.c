/* Events are read through the one builder of conditions; first places are compared with those that
 * were noted before. */
#include "db/events.h"

#include "base/mem.h"
#include "db/query_sql.h"

enum { ADD_FIRST, KEEP_FIRST, FORGET_FIRST };

/* Expand to the lists whose first place is another than it was, or has other figures: the compiler
 * puts text together. */
#define NEW_FIRST                                                                                  \
    "FROM rankings JOIN recipes ON recipes.model = rankings.model AND recipes.gpu = rankings.gpu " \
    "AND recipes.recipe = rankings.best_recipe JOIN recipe_texts ON recipe_texts.id = "            \
    "recipes.id LEFT JOIN first_places AS old ON old.model = rankings.model AND old.gpu = "        \
    "rankings.gpu AND old.workload = rankings.workload WHERE old.recipe IS NOT recipes.recipe "

static const struct stmt_row rows[] = {
    [ADD_FIRST] =
        {"INSERT INTO events (at, kind, model, gpu, workload, recipe, hash, "
         "tokens_per_s_per_gpu, usd_per_million_tokens, old_recipe, "
         "old_tokens_per_s_per_gpu, old_usd_per_million_tokens) SELECT :now, "
         "'first_place', recipes.model, recipes.gpu, recipes.workload, recipes.recipe, "
         "hash, recipes.tokens_per_s_per_gpu, recipes.usd_per_million_tokens, old.recipe, "
         "old.tokens_per_s_per_gpu, old.usd_per_million_tokens " NEW_FIRST,
         "note first places", "every ranking is looked at"},
    [KEEP_FIRST] = {"INSERT INTO first_places (model, gpu, workload, recipe, since, "
                    "tokens_per_s_per_gpu, usd_per_million_tokens) SELECT recipes.model, "
                    "recipes.gpu, recipes.workload, recipes.recipe, :now, "
                    "recipes.tokens_per_s_per_gpu, recipes.usd_per_million_tokens " NEW_FIRST
                    "OR old.tokens_per_s_per_gpu IS NOT recipes.tokens_per_s_per_gpu OR "
                    "old.usd_per_million_tokens IS NOT recipes.usd_per_million_tokens ON CONFLICT "
                    "(model, gpu, workload) DO UPDATE SET since = iif(recipe = excluded.recipe, "
                    "since, excluded.since), recipe = excluded.recipe, tokens_per_s_per_gpu = "
                    "excluded.tokens_per_s_per_gpu, usd_per_million_tokens = "
                    "excluded.usd_per_million_tokens",
                    "keep first places", "every ranking is looked at"},
    [FORGET_FIRST] = {"DELETE FROM first_places WHERE NOT EXISTS (SELECT 1 FROM rankings WHERE "
                      "rankings.model = first_places.model AND rankings.gpu = first_places.gpu AND "
                      "rankings.workload = first_places.workload)",
                      "forget first places", "every first place is looked at"},
};

const struct stmt_table events_statements = {rows, COUNT_OF(rows)};

enum err_code db_first_places_note(struct db *db, const char *now, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t row = ADD_FIRST; rc == ERR_OK && row <= FORGET_FIRST; row++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_EVENTS, row);
        if (row != FORGET_FIRST)
            stmt_bind_text(&s, ":now", now);
        rc = stmt_run(&s, e);
    }
    return rc;
}

static void read_row(struct stmt *s, struct arena *arena, struct event *out)
{
    *out = (struct event){
        .at = stmt_copy(s, 0, arena),
        .kind = stmt_copy(s, 1, arena),
        .model = stmt_copy(s, 2, arena),
        .gpu = stmt_copy(s, 3, arena),
        .workload = stmt_copy(s, 4, arena),
        .recipe = stmt_copy(s, 5, arena),
        .hash = stmt_copy(s, 6, arena),
        .tokens_per_s_per_gpu = stmt_real(s, 7),
        .usd_per_million_tokens = stmt_real(s, 8),
        .old_recipe = stmt_copy(s, 9, arena),
        .old_tokens_per_s_per_gpu = stmt_real(s, 10),
        .old_usd_per_million_tokens = stmt_real(s, 11),
    };
}

static enum err_code read_list(struct stmt *s, const struct recipe_query *query, const char *match,
                               struct arena *arena, struct event_list *out, struct err *e)
{
    struct event_list list = {stmt_array(s, arena, query->limit, sizeof *list.items), 0};
    enum err_code rc;

    query_bind_conditions(s, query, match);
    stmt_bind_int(s, ":limit", (int64_t)query->limit);
    while (stmt_next(s))
        read_row(s, arena, &list.items[list.count++]);
    rc = stmt_end(s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_events_list(struct db *db, const struct recipe_query *query, struct arena *arena,
                             struct event_list *out, struct err *e)
{
    struct buf sql;
    struct buf match;
    struct stmt s;
    enum err_code rc;

    buf_init(&sql, SQL_LIMIT);
    buf_init(&match, MATCH_LIMIT);
    query_write_events(query, &sql);
    if (query->text)
        query_write_match(query->text, &match);
    rc = buf_check(&sql, e);
    if (rc == ERR_OK)
        rc = buf_check(&match, e);
    if (rc == ERR_OK) {
        stmt_begin_built(&s, db, sql.data, sql.len, "list events");
        rc = read_list(&s, query, buf_text(&match), arena, out, e);
    }
    buf_done(&sql);
    buf_done(&match);
    return rc;
}
