/* Loading the stored catalogue. */
#include "base/mem.h"
#include "db/catalog.h"
#include "db/stmt.h"

enum { GET_GPUS, GET_ALIASES, GET_PRICES, GET_MODELS, GET_PUBLISHED, GET_AUTHORS };

/* The first column of each counts the rows, in the same state of the database, so that their memory
 * can be taken at once. */
static const struct stmt_row rows[] = {
    [GET_GPUS] = {"SELECT (SELECT count(*) FROM gpus), slug, name, memory_gb, peak_bf16_flops, "
                  "source, source_date FROM gpus ORDER BY position",
                  "load the GPUs", "all of them, a few"},
    [GET_ALIASES] = {"SELECT (SELECT count(*) FROM gpu_aliases WHERE gpu = :gpu), alias FROM "
                     "gpu_aliases WHERE gpu = :gpu ORDER BY position",
                     "load aliases", NULL},
    [GET_PRICES] = {"SELECT (SELECT count(*) FROM prices), gpu, provider, instance, region, "
                    "purchase, usd_per_hour, gpus, as_of, source FROM prices ORDER BY position",
                    "load the prices", "all of them, a few"},
    [GET_MODELS] = {"SELECT (SELECT count(*) FROM models), slug, name, family, hub_repository, "
                    "hub_revision, total_params, total_params_source, notes FROM models ORDER BY "
                    "position",
                    "load the models", "all of them, once for each change"},
    [GET_PUBLISHED] = {"SELECT (SELECT count(*) FROM published WHERE model = :model), gpu, gpus, "
                       "tokens_per_s_per_gpu, usd_per_million_tokens, source, date FROM published "
                       "WHERE model = :model ORDER BY position",
                       "load published figures", NULL},
    [GET_AUTHORS] = {"SELECT (SELECT count(*) FROM authors), name, url, citation, bibtex FROM "
                     "authors ORDER BY position",
                     "load the authors", "all of them, a few"},
};

const struct stmt_table catalog_load_statements = {rows, COUNT_OF(rows)};

typedef void read_item(struct stmt *s, struct arena *arena, void *out);

/* Read every row of a begun statement into a list, and end it. */
static enum err_code read_list(struct stmt *s, read_item *read, size_t item_size,
                               struct arena *arena, struct item_list *out, struct err *e)
{
    size_t cap = 0;

    *out = (struct item_list){0};
    while (stmt_next(s)) {
        if (!out->items) {
            cap = (size_t)stmt_int(s, 0);
            out->items = stmt_array(s, arena, cap, item_size);
        }
        if (out->items && out->count < cap)
            read(s, arena, (char *)out->items + item_size * out->count++);
    }
    return stmt_end(s, e);
}

static void read_gpu(struct stmt *s, struct arena *arena, void *out)
{
    struct gpu *gpu = out;

    gpu->slug = stmt_copy(s, 1, arena);
    gpu->name = stmt_copy(s, 2, arena);
    gpu->memory_gb = stmt_int(s, 3);
    gpu->peak_bf16_flops = stmt_int(s, 4);
    gpu->source = stmt_copy(s, 5, arena);
    gpu->source_date = stmt_copy(s, 6, arena);
}

static void read_alias(struct stmt *s, struct arena *arena, void *out)
{
    const char **alias = out;

    *alias = stmt_copy(s, 1, arena);
}

static void read_price(struct stmt *s, struct arena *arena, void *out)
{
    struct price *price = out;

    price->gpu = stmt_copy(s, 1, arena);
    price->provider = stmt_copy(s, 2, arena);
    price->instance = stmt_copy(s, 3, arena);
    price->region = stmt_copy(s, 4, arena);
    price->purchase = stmt_copy(s, 5, arena);
    price->usd_per_hour = stmt_real(s, 6);
    price->gpus = stmt_int(s, 7);
    price->as_of = stmt_copy(s, 8, arena);
    price->source = stmt_copy(s, 9, arena);
}

static void read_model(struct stmt *s, struct arena *arena, void *out)
{
    struct model *model = out;

    model->slug = stmt_copy(s, 1, arena);
    model->name = stmt_copy(s, 2, arena);
    model->family = stmt_copy(s, 3, arena);
    model->hub_repository = stmt_copy(s, 4, arena);
    model->hub_revision = stmt_copy(s, 5, arena);
    model->total_params = stmt_int(s, 6);
    model->total_params_source = stmt_copy(s, 7, arena);
    model->notes = stmt_copy(s, 8, arena);
}

static void read_published(struct stmt *s, struct arena *arena, void *out)
{
    struct published *published = out;

    published->gpu = stmt_copy(s, 1, arena);
    published->gpus = stmt_int(s, 2);
    published->tokens_per_s_per_gpu = stmt_real(s, 3);
    published->usd_per_million_tokens = stmt_real(s, 4);
    published->source = stmt_copy(s, 5, arena);
    published->date = stmt_copy(s, 6, arena);
}

static void read_author(struct stmt *s, struct arena *arena, void *out)
{
    struct author *author = out;

    author->name = stmt_copy(s, 1, arena);
    author->url = stmt_copy(s, 2, arena);
    author->citation = stmt_copy(s, 3, arena);
    author->bibtex = stmt_copy(s, 4, arena);
}

static enum err_code load_aliases(struct db *db, struct catalog *out, struct err *e)
{
    struct gpu *gpus = out->gpus.items;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < out->gpus.count; i++) {
        struct item_list aliases = {0};
        struct stmt s;

        stmt_begin(&s, db, STMT_CATALOG_LOAD, GET_ALIASES);
        stmt_bind_text(&s, ":gpu", gpus[i].slug);
        rc = read_list(&s, read_alias, sizeof(const char *), &out->arena, &aliases, e);
        gpus[i].aliases = (struct text_list){aliases.items, aliases.count};
    }
    return rc;
}

static enum err_code load_published(struct db *db, struct catalog *out, struct err *e)
{
    struct model *models = out->models.items;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < out->models.count; i++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_CATALOG_LOAD, GET_PUBLISHED);
        stmt_bind_text(&s, ":model", models[i].slug);
        rc = read_list(&s, read_published, sizeof(struct published), &out->arena,
                       &models[i].published, e);
    }
    return rc;
}

enum err_code db_catalog_load(struct db *db, struct catalog *out, struct err *e)
{
    const struct {
        size_t row;
        read_item *read;
        size_t item_size;
        struct item_list *list;
    } lists[] = {
        {GET_GPUS, read_gpu, sizeof(struct gpu), &out->gpus},
        {GET_PRICES, read_price, sizeof(struct price), &out->prices},
        {GET_MODELS, read_model, sizeof(struct model), &out->models},
        {GET_AUTHORS, read_author, sizeof(struct author), &out->authors},
    };
    enum err_code rc = ERR_OK;

    out->model_cap = 0;
    for (size_t i = 0; rc == ERR_OK && i < COUNT_OF(lists); i++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_CATALOG_LOAD, lists[i].row);
        rc = read_list(&s, lists[i].read, lists[i].item_size, &out->arena, lists[i].list, e);
    }
    if (rc == ERR_OK)
        rc = load_aliases(db, out, e);
    if (rc == ERR_OK)
        rc = load_published(db, out, e);
    return rc == ERR_OK ? catalog_index(out, e) : rc;
}
