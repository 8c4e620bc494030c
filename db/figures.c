/* Figures come from the narrow table alone. */
#include "db/figures.h"

#include "base/mem.h"
#include "db/stmt.h"

enum { OF_MODEL, OF_RECIPE };

/* Expands to what both statements read, before whether the recipe is retracted: the compiler puts
 * text together. */
#define FIGURES                                                                                    \
    "tokens_per_s_per_gpu, gpus, row_tokens, global_batch, step_time_cv_percent, window_steps, "   \
    "runs, gpu_hours"

/* How many there are comes first, so that their memory can be taken at once. */
static const struct stmt_row rows[] = {
    [OF_MODEL] = {"SELECT " FIGURES
                  ", 0, gpu, recipe, confirmation, (SELECT count(*) FROM recipes WHERE "
                  "model = :model) FROM recipes WHERE model = :model AND status <> 'retracted' "
                  "ORDER BY gpu, recipe",
                  "read the figures of a model", NULL},
    [OF_RECIPE] = {"SELECT " FIGURES ", status = 'retracted' FROM recipes WHERE model = :model AND "
                   "gpu = :gpu AND recipe = :recipe",
                   "read the figures of a recipe", NULL},
};

enum { COLUMN_GPU = 9, COLUMN_RECIPE, COLUMN_CONFIRMATION, COLUMN_COUNT };

const struct stmt_table figures_statements = {rows, COUNT_OF(rows)};

static void read_figures(struct stmt *s, struct estimate_figures *out)
{
    *out = (struct estimate_figures){
        .tokens_per_s_per_gpu = stmt_real(s, 0),
        .gpus = stmt_int(s, 1),
        .row_tokens = stmt_int(s, 2),
        .global_batch = stmt_int(s, 3),
        .step_time_cv_percent = stmt_real(s, 4),
        .window_steps = stmt_int(s, 5),
        .runs = stmt_int(s, 6),
        .gpu_hours = stmt_real(s, 7),
        .is_retracted = stmt_int(s, 8) != 0,
    };
}

enum err_code db_figures_of_model(struct db *db, const char *model, struct arena *arena,
                                  struct figures_list *out, struct err *e)
{
    struct figures_list list = {0};
    struct recipe_figures before = {0};
    size_t cap = 0;
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_FIGURES, OF_MODEL);
    stmt_bind_text(&s, ":model", model);
    while (stmt_next(&s)) {
        struct recipe_figures *item;

        if (!list.items) {
            cap = (size_t)stmt_int(&s, COLUMN_COUNT);
            list.items = stmt_array(&s, arena, cap, sizeof *list.items);
        }
        if (!list.items || list.count == cap)
            continue;
        item = &list.items[list.count++];
        read_figures(&s, &item->figures);
        item->gpu = stmt_copy_changed(&s, COLUMN_GPU, arena, before.gpu);
        item->recipe = stmt_copy(&s, COLUMN_RECIPE, arena);
        item->confirmation = stmt_copy_changed(&s, COLUMN_CONFIRMATION, arena, before.confirmation);
        before = *item;
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = list;
    return rc;
}

enum err_code db_figures_of_recipe(struct db *db, const char *model, const char *gpu,
                                   const char *recipe, struct estimate_figures *out, struct err *e)
{
    struct estimate_figures figures = {0};
    bool is_there;
    enum err_code rc;
    struct stmt s;

    stmt_begin_recipe(&s, db, STMT_FIGURES, OF_RECIPE, model, gpu, recipe);
    is_there = stmt_next(&s);
    if (is_there)
        read_figures(&s, &figures);
    rc = stmt_end(&s, e);
    if (rc != ERR_OK)
        return rc;
    if (!is_there)
        return err_set(e, ERR_NOT_FOUND, "there is no recipe %s of %s on %s", recipe, model, gpu);
    *out = figures;
    return ERR_OK;
}
