/* The lists of comparable recipes, worked out once for each import. */
#include "db/rankings.h"

#include "base/mem.h"
#include "db/stmt.h"

enum { CLEAR, FILL, MARK_MAIN, GET_ALL, GET_MODEL, HAS_RECIPES };

/* Expand to what the statements that read rows share: the compiler puts text together, and they
 * differ in their conditions alone. The column before these counts the rows, so that their memory
 * can be taken at once. */
#define GET_COLUMNS                                                                                \
    "model, gpu, workload, row_tokens, rows, global_batch, precision, rows_sha256, recipes, "      \
    "newest, is_main, best_recipe, best_gpus, best_tokens_per_s_per_gpu, best_measured, "          \
    "best_author, best_active_params, (SELECT since FROM first_places WHERE first_places.model = " \
    "rankings.model AND first_places.gpu = rankings.gpu AND first_places.workload = "              \
    "rankings.workload) FROM rankings JOIN gpus ON gpus.slug = rankings.gpu "

#define GET_ORDER "ORDER BY model, gpus.position, is_main DESC, recipes DESC, newest DESC, workload"

static const struct stmt_row rows[] = {
    [CLEAR] = {"DELETE FROM rankings", "clear the rankings", NULL},
    /* What is retracted is in no list. Groups come in the order of recipes_ranking, whose first
       entry is each group's best. */
    [FILL] =
        {"INSERT INTO rankings (model, gpu, workload, row_tokens, rows, global_batch, "
         "precision, rows_sha256, recipes, newest, is_main, best_recipe, best_gpus, "
         "best_tokens_per_s_per_gpu, best_measured, best_author, best_active_params) "
         "SELECT lists.model, lists.gpu, lists.workload, best.row_tokens, texts.rows, "
         "best.global_batch, best.precision, texts.rows_sha256, lists.recipes, lists.newest, "
         "0, best.recipe, best.gpus, best.tokens_per_s_per_gpu, best.measured, best.author, "
         "best.active_params FROM (SELECT model, gpu, workload, count(*) AS recipes, "
         "max(measured) AS newest FROM recipes WHERE status <> 'retracted' GROUP BY model, gpu, "
         "workload) AS lists "
         "JOIN recipes AS best ON best.model = lists.model AND best.gpu = lists.gpu AND "
         "best.recipe = (SELECT recipe FROM recipes AS fast WHERE fast.model = lists.model "
         "AND fast.gpu = lists.gpu AND fast.workload = lists.workload AND fast.status <> "
         "'retracted' ORDER BY "
         "fast.tokens_per_s_per_gpu DESC, fast.measured DESC, fast.recipe LIMIT 1) "
         "JOIN recipe_texts AS texts ON texts.id = best.id",
         "work the rankings out", "every recipe is counted, through an index"},
    [MARK_MAIN] = {"UPDATE rankings SET is_main = 1 WHERE workload = (SELECT other.workload FROM "
                   "rankings AS other WHERE other.model = rankings.model AND other.gpu = "
                   "rankings.gpu ORDER BY other.recipes DESC, other.newest DESC, other.workload "
                   "LIMIT 1)",
                   "choose the main rankings", "every ranking is looked at"},
    [GET_ALL] = {"SELECT (SELECT count(*) FROM rankings), " GET_COLUMNS
                 "WHERE :main_only = 0 OR is_main = 1 " GET_ORDER,
                 "read the rankings", "all are read, in an order that is the catalogue's"},
    [GET_MODEL] = {"SELECT (SELECT count(*) FROM rankings WHERE model = :model), " GET_COLUMNS
                   "WHERE model = :model AND (:main_only = 0 OR is_main = 1) " GET_ORDER,
                   "read the rankings", "a few rows are sorted by the catalogue's order"},
    [HAS_RECIPES] = {"SELECT 1 FROM recipes WHERE model = :model LIMIT 1",
                     "look for recipes of a model", NULL},
};

const struct stmt_table rankings_statements = {rows, COUNT_OF(rows)};

enum err_code db_rankings_rebuild(struct db *db, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t row = CLEAR; rc == ERR_OK && row <= MARK_MAIN; row++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_RANKINGS, row);
        rc = stmt_run(&s, e);
    }
    return rc;
}

static void read_row(struct stmt *s, struct arena *arena, struct ranking *out)
{
    out->model = stmt_copy(s, 1, arena);
    out->gpu = stmt_copy(s, 2, arena);
    out->workload = stmt_copy(s, 3, arena);
    out->row_tokens = stmt_int(s, 4);
    out->rows = stmt_copy(s, 5, arena);
    out->global_batch = stmt_int(s, 6);
    out->precision = stmt_copy(s, 7, arena);
    out->rows_sha256 = stmt_copy(s, 8, arena);
    out->recipes = stmt_int(s, 9);
    out->newest = stmt_copy(s, 10, arena);
    out->is_main = stmt_int(s, 11) != 0;
    out->best_recipe = stmt_copy(s, 12, arena);
    out->best_gpus = stmt_int(s, 13);
    out->best_tokens_per_s_per_gpu = stmt_real(s, 14);
    out->best_measured = stmt_copy(s, 15, arena);
    out->best_author = stmt_copy(s, 16, arena);
    out->best_active_params = stmt_int(s, 17);
    out->first_place_since = stmt_copy(s, 18, arena);
}

enum err_code db_rankings_get(struct db *db, const char *model, bool main_only, struct arena *arena,
                              struct ranking_list *out, struct err *e)
{
    struct ranking_list list = {0};
    size_t cap = 0;
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKINGS, model ? GET_MODEL : GET_ALL);
    if (model)
        stmt_bind_text(&s, ":model", model);
    stmt_bind_int(&s, ":main_only", main_only);
    while (stmt_next(&s)) {
        if (!list.items) {
            cap = (size_t)stmt_int(&s, 0);
            list.items = stmt_array(&s, arena, cap, sizeof *list.items);
        }
        if (list.items && list.count < cap)
            read_row(&s, arena, &list.items[list.count++]);
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_model_has_recipes(struct db *db, const char *model, bool *out_has, struct err *e)
{
    enum err_code rc;
    struct stmt s;
    bool has;

    stmt_begin(&s, db, STMT_RANKINGS, HAS_RECIPES);
    stmt_bind_text(&s, ":model", model);
    has = stmt_next(&s);
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out_has = has;
    return rc;
}
