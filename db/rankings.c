/* The lists of comparable recipes, worked out once for each import. */
#include "db/rankings.h"

#include "base/mem.h"
#include "db/stmt.h"

enum { CLEAR, FILL, GET_ALL, GET_MODEL, GET_ONE, HAS_RECIPES };

/* Expands to what the statements that read rows share: the compiler puts text together, and they
 * differ in their conditions alone. The column before these counts the rows, so that their memory
 * can be taken at once. */
#define GET_COLUMNS                                                                                \
    "model, place = 1, gpu, workload, row_tokens, rows, global_batch, precision, rows_sha256, "    \
    "recipes, best_recipe, best_gpus, best_tokens_per_s_per_gpu, best_author, best_active_params"

#define GET_ORDER "ORDER BY model, gpu_position, place"

static const struct stmt_row rows[] = {
    [CLEAR] = {"DELETE FROM rankings", "clear the rankings", NULL},
    /* What is retracted is in no list. Groups come in the order of the cards, of which the first is
       each group's best. */
    [FILL] =
        {"INSERT INTO rankings (model, gpu_position, place, gpu, workload, row_tokens, rows, "
         "global_batch, precision, rows_sha256, recipes, best_recipe, best_gpus, "
         "best_tokens_per_s_per_gpu, best_author, best_active_params) "
         "SELECT lists.model, gpus.position, row_number() OVER (PARTITION BY lists.model, "
         "lists.gpu ORDER BY lists.recipes DESC, lists.newest DESC, lists.workload), lists.gpu, "
         "lists.workload, best.row_tokens, texts.rows, best.global_batch, best.precision, "
         "texts.rows_sha256, lists.recipes, best.recipe, best.gpus, best.tokens_per_s_per_gpu, "
         "best.author, best.active_params FROM (SELECT model, gpu, workload, count(*) AS recipes, "
         "max(measured) AS newest FROM recipe_cards WHERE status <> 'retracted' GROUP BY model, "
         "gpu, "
         "workload) AS lists "
         "JOIN gpus ON gpus.slug = lists.gpu "
         "JOIN recipes AS best ON best.model = lists.model AND best.gpu = lists.gpu AND "
         "best.recipe = (SELECT recipe FROM recipe_cards AS fast WHERE fast.model = lists.model "
         "AND fast.gpu = lists.gpu AND fast.workload = lists.workload AND fast.status <> "
         "'retracted' ORDER BY "
         "fast.tokens_per_s_per_gpu DESC, fast.measured DESC, fast.recipe LIMIT 1) "
         "JOIN recipe_texts AS texts ON texts.id = best.id",
         "work the rankings out",
         "every recipe is counted, in the order of the cards, and lists are sorted by their sizes"},
    [GET_ALL] = {"SELECT (SELECT count(*) FROM rankings), " GET_COLUMNS
                 ", NULL FROM rankings WHERE place = 1 " GET_ORDER,
                 "read the rankings", "all are read"},
    [GET_MODEL] = {"SELECT (SELECT count(*) FROM rankings WHERE model = :model), " GET_COLUMNS
                   ", CASE WHEN gpu = :gpu THEN (SELECT since FROM first_places WHERE "
                   "first_places.model = rankings.model AND first_places.gpu = rankings.gpu AND "
                   "first_places.workload = rankings.workload) END "
                   "FROM rankings WHERE model = :model AND (place = 1 OR gpu = :gpu) " GET_ORDER,
                   "read the rankings", NULL},
    [GET_ONE] = {"SELECT 1, " GET_COLUMNS ", NULL FROM rankings WHERE model = :model AND place = 1 "
                 "AND gpu = :gpu",
                 "read a ranking", NULL},
    [HAS_RECIPES] = {"SELECT 1 FROM recipes WHERE model = :model LIMIT 1",
                     "look for recipes of a model", NULL},
};

const struct stmt_table rankings_statements = {rows, COUNT_OF(rows)};

enum err_code db_rankings_rebuild(struct db *db, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t row = CLEAR; rc == ERR_OK && row <= FILL; row++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_RANKINGS, row);
        rc = stmt_run(&s, e);
    }
    return rc;
}

static void read_row(struct stmt *s, struct arena *arena, struct ranking *out)
{
    out->model = stmt_copy(s, 1, arena);
    out->is_main = stmt_int(s, 2) != 0;
    out->gpu = stmt_copy(s, 3, arena);
    out->workload = stmt_copy(s, 4, arena);
    out->row_tokens = stmt_int(s, 5);
    out->rows = stmt_copy(s, 6, arena);
    out->global_batch = stmt_int(s, 7);
    out->precision = stmt_copy(s, 8, arena);
    out->rows_sha256 = stmt_copy(s, 9, arena);
    out->recipes = stmt_int(s, 10);
    out->best_recipe = stmt_copy(s, 11, arena);
    out->best_gpus = stmt_int(s, 12);
    out->best_tokens_per_s_per_gpu = stmt_real(s, 13);
    out->best_author = stmt_copy(s, 14, arena);
    out->best_active_params = stmt_int(s, 15);
    out->first_place_since = stmt_copy(s, 16, arena);
}

static enum err_code read_all(struct stmt *s, struct arena *arena, struct ranking_list *out,
                              struct err *e)
{
    struct ranking_list list = {0};
    size_t cap = 0;
    enum err_code rc;

    while (stmt_next(s)) {
        if (!list.items) {
            cap = (size_t)stmt_int(s, 0);
            list.items = stmt_array(s, arena, cap, sizeof *list.items);
        }
        if (list.items && list.count < cap)
            read_row(s, arena, &list.items[list.count++]);
    }
    rc = stmt_end(s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_rankings_main(struct db *db, struct arena *arena, struct ranking_list *out,
                               struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKINGS, GET_ALL);
    return read_all(&s, arena, out, e);
}

/* Read the rows of a statement that asks for a model and a GPU. */
static enum err_code read_place(struct db *db, size_t row, const char *model, const char *gpu,
                                struct arena *arena, struct ranking_list *out, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKINGS, row);
    stmt_bind_text(&s, ":model", model);
    stmt_bind_text(&s, ":gpu", gpu);
    return read_all(&s, arena, out, e);
}

enum err_code db_rankings_of(struct db *db, const char *model, const char *gpu, struct arena *arena,
                             struct ranking_list *out, struct err *e)
{
    return read_place(db, GET_MODEL, model, gpu, arena, out, e);
}

enum err_code db_rankings_main_of(struct db *db, const char *model, const char *gpu,
                                  struct arena *arena, struct ranking_list *out, struct err *e)
{
    return read_place(db, GET_ONE, model, gpu, arena, out, e);
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
