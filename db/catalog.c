/* Storing the catalogue in one piece, and keeping what was loaded. Loading is in catalog_load.c. */
#include "db/catalog.h"

#include "base/mem.h"
#include "db/stmt.h"

#include <stdlib.h>
#include <string.h>

/* Digested text of a catalogue: that of its arena, with keys and quotes around it. */
static const size_t digest_limit = (size_t)2 * CATALOG_ARENA_LIMIT;

static const char fact_name[] = "catalog_hash";

enum {
    CLEAR_ALIASES,
    CLEAR_PRICES,
    CLEAR_PUBLISHED,
    CLEAR_AUTHORS,
    REMOVE_GPUS,
    REMOVE_MODELS,
    PUT_GPU,
    PUT_ALIAS,
    PUT_PRICE,
    PUT_MODEL,
    PUT_PUBLISHED,
    PUT_AUTHOR,
    FIND_MISSING
};

/* GPUs and models are changed in place: recipes refer to them, and removing one makes SQLite look
 * through all recipes. */
static const struct stmt_row rows[] = {
    [CLEAR_ALIASES] = {"DELETE FROM gpu_aliases", "clear aliases", "all of them go"},
    [CLEAR_PRICES] = {"DELETE FROM prices", "clear prices", "all of them go"},
    [CLEAR_PUBLISHED] = {"DELETE FROM published", "clear published figures", "all of them go"},
    [CLEAR_AUTHORS] = {"DELETE FROM authors", "clear authors", NULL},
    [REMOVE_GPUS] = {"DELETE FROM gpus WHERE slug NOT IN (SELECT value FROM json_each(:slugs))",
                     "remove GPUs", "each one is looked at"},
    [REMOVE_MODELS] = {"DELETE FROM models WHERE slug NOT IN (SELECT value FROM "
                       "json_each(:slugs))",
                       "remove models", "each one is looked at"},
    [PUT_GPU] = {"INSERT INTO gpus (slug, position, name, memory_gb, peak_bf16_flops, source, "
                 "source_date) VALUES (:slug, :position, :name, :memory_gb, :peak_bf16_flops, "
                 ":source, :source_date) ON CONFLICT (slug) DO UPDATE SET position = "
                 "excluded.position, name = excluded.name, memory_gb = excluded.memory_gb, "
                 "peak_bf16_flops = excluded.peak_bf16_flops, source = excluded.source, "
                 "source_date = excluded.source_date",
                 "store a GPU", "recipes are looked through only while some lack a GPU"},
    [PUT_ALIAS] = {"INSERT INTO gpu_aliases (gpu, position, alias) VALUES (:gpu, :position, "
                   ":alias)",
                   "store an alias", NULL},
    [PUT_PRICE] = {"INSERT INTO prices (position, gpu, provider, instance, region, purchase, "
                   "usd_per_hour, gpus, as_of, source) VALUES (:position, :gpu, :provider, "
                   ":instance, :region, :purchase, :usd_per_hour, :gpus, :as_of, :source)",
                   "store a price", NULL},
    [PUT_MODEL] = {"INSERT INTO models (slug, position, name, family, hub_repository, "
                   "hub_revision, total_params, total_params_source, notes) VALUES (:slug, "
                   ":position, :name, :family, :hub_repository, :hub_revision, :total_params, "
                   ":total_params_source, :notes) ON CONFLICT (slug) DO UPDATE SET position = "
                   "excluded.position, name = excluded.name, family = excluded.family, "
                   "hub_repository = excluded.hub_repository, hub_revision = "
                   "excluded.hub_revision, total_params = excluded.total_params, "
                   "total_params_source = excluded.total_params_source, notes = excluded.notes",
                   "store a model", NULL},
    [PUT_PUBLISHED] = {"INSERT INTO published (model, position, gpu, gpus, tokens_per_s_per_gpu, "
                       "usd_per_million_tokens, source, date) VALUES (:model, :position, :gpu, "
                       ":gpus, :tokens_per_s_per_gpu, :usd_per_million_tokens, :source, :date)",
                       "store a published figure", NULL},
    [PUT_AUTHOR] = {"INSERT INTO authors (position, name, url, citation, bibtex) VALUES "
                    "(:position, :name, :url, :citation, :bibtex)",
                    "store an author", NULL},
    [FIND_MISSING] = {"SELECT 'GPU', gpu, 'recipe ' || recipe || ' of ' || model FROM recipes "
                      "WHERE gpu NOT IN (SELECT slug FROM gpus) UNION ALL "
                      "SELECT 'model', model, 'recipe ' || recipe || ' on ' || gpu FROM recipes "
                      "WHERE model NOT IN (SELECT slug FROM models) UNION ALL "
                      "SELECT 'GPU', gpu, 'a price of ' || provider FROM prices "
                      "WHERE gpu NOT IN (SELECT slug FROM gpus) UNION ALL "
                      "SELECT 'GPU', gpu, 'a published figure of ' || model FROM published "
                      "WHERE gpu NOT IN (SELECT slug FROM gpus) LIMIT 1",
                      "look for what is missing", "only once something is known to be missing"},
};

const struct stmt_table catalog_statements = {rows, COUNT_OF(rows)};

static enum err_code run(struct db *db, size_t row, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_CATALOG, row);
    return stmt_run(&s, e);
}

static enum err_code put_aliases(struct db *db, const struct gpu *gpu, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < gpu->aliases.count; i++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_CATALOG, PUT_ALIAS);
        stmt_bind_text(&s, ":gpu", gpu->slug);
        stmt_bind_int(&s, ":position", (int64_t)i);
        stmt_bind_text(&s, ":alias", gpu->aliases.items[i]);
        rc = stmt_run(&s, e);
    }
    return rc;
}

static enum err_code put_gpu(struct db *db, const void *item, int64_t position, struct err *e)
{
    const struct gpu *gpu = item;
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_CATALOG, PUT_GPU);
    stmt_bind_text(&s, ":slug", gpu->slug);
    stmt_bind_int(&s, ":position", position);
    stmt_bind_text(&s, ":name", gpu->name);
    stmt_bind_int(&s, ":memory_gb", gpu->memory_gb);
    stmt_bind_int(&s, ":peak_bf16_flops", gpu->peak_bf16_flops);
    stmt_bind_text(&s, ":source", gpu->source);
    stmt_bind_text(&s, ":source_date", gpu->source_date);
    rc = stmt_run(&s, e);
    return rc == ERR_OK ? put_aliases(db, gpu, e) : rc;
}

static enum err_code put_price(struct db *db, const void *item, int64_t position, struct err *e)
{
    const struct price *price = item;
    struct stmt s;

    stmt_begin(&s, db, STMT_CATALOG, PUT_PRICE);
    stmt_bind_int(&s, ":position", position);
    stmt_bind_text(&s, ":gpu", price->gpu);
    stmt_bind_text(&s, ":provider", price->provider);
    stmt_bind_text(&s, ":instance", price->instance);
    stmt_bind_text(&s, ":region", price->region);
    stmt_bind_text(&s, ":purchase", price->purchase);
    stmt_bind_real(&s, ":usd_per_hour", price->usd_per_hour);
    stmt_bind_int(&s, ":gpus", price->gpus);
    stmt_bind_text(&s, ":as_of", price->as_of);
    stmt_bind_text(&s, ":source", price->source);
    return stmt_run(&s, e);
}

static enum err_code put_published(struct db *db, const struct model *model, struct err *e)
{
    const struct published *items = model->published.items;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < model->published.count; i++) {
        struct stmt s;

        stmt_begin(&s, db, STMT_CATALOG, PUT_PUBLISHED);
        stmt_bind_text(&s, ":model", model->slug);
        stmt_bind_int(&s, ":position", (int64_t)i);
        stmt_bind_text(&s, ":gpu", items[i].gpu);
        stmt_bind_int(&s, ":gpus", items[i].gpus);
        stmt_bind_real(&s, ":tokens_per_s_per_gpu", items[i].tokens_per_s_per_gpu);
        if (items[i].usd_per_million_tokens > 0)
            stmt_bind_real(&s, ":usd_per_million_tokens", items[i].usd_per_million_tokens);
        stmt_bind_text(&s, ":source", items[i].source);
        stmt_bind_text(&s, ":date", items[i].date);
        rc = stmt_run(&s, e);
    }
    return rc;
}

static enum err_code put_model(struct db *db, const void *item, int64_t position, struct err *e)
{
    const struct model *model = item;
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_CATALOG, PUT_MODEL);
    stmt_bind_text(&s, ":slug", model->slug);
    stmt_bind_int(&s, ":position", position);
    stmt_bind_text(&s, ":name", model->name);
    stmt_bind_text(&s, ":family", model->family);
    stmt_bind_text(&s, ":hub_repository", model->hub_repository);
    stmt_bind_text(&s, ":hub_revision", model->hub_revision);
    if (model->total_params > 0)
        stmt_bind_int(&s, ":total_params", model->total_params);
    stmt_bind_text(&s, ":total_params_source", model->total_params_source);
    stmt_bind_text(&s, ":notes", model->notes);
    rc = stmt_run(&s, e);
    return rc == ERR_OK ? put_published(db, model, e) : rc;
}

static enum err_code put_author(struct db *db, const void *item, int64_t position, struct err *e)
{
    const struct author *author = item;
    struct stmt s;

    stmt_begin(&s, db, STMT_CATALOG, PUT_AUTHOR);
    stmt_bind_int(&s, ":position", position);
    stmt_bind_text(&s, ":name", author->name);
    stmt_bind_text(&s, ":url", author->url);
    stmt_bind_text(&s, ":citation", author->citation);
    stmt_bind_text(&s, ":bibtex", author->bibtex);
    return stmt_run(&s, e);
}

typedef enum err_code put_item(struct db *db, const void *item, int64_t position, struct err *e);

static enum err_code put_list(struct db *db, const struct item_list *list, size_t item_size,
                              put_item *put, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < list->count; i++)
        rc = put(db, (const char *)list->items + i * item_size, (int64_t)i, e);
    return rc;
}

/* Run a removal of what a list does not have. Its items begin with their slug, as struct gpu and
 * struct model do. */
static enum err_code remove_others(struct db *db, size_t row, const struct item_list *list,
                                   size_t item_size, struct err *e)
{
    struct buf slugs;
    struct json j;
    struct stmt s;
    enum err_code rc;

    buf_init(&slugs, CATALOG_ARENA_LIMIT);
    json_init(&j, &slugs);
    json_begin(&j, NULL, '[');
    for (size_t i = 0; i < list->count; i++)
        json_put_text(&j, NULL, *(const char *const *)((const char *)list->items + i * item_size));
    json_end(&j, ']');
    rc = buf_check(&slugs, e);
    if (rc == ERR_OK) {
        stmt_begin(&s, db, STMT_CATALOG, row);
        stmt_bind_text(&s, ":slugs", buf_text(&slugs));
        rc = stmt_run(&s, e);
    }
    buf_done(&slugs);
    return rc;
}

static enum err_code replace(struct db *db, const struct catalog *c, struct err *e)
{
    enum err_code rc = ERR_OK;

    _Static_assert(offsetof(struct gpu, slug) == 0 && offsetof(struct model, slug) == 0,
                   "remove_others reads slugs at the start of items");
    for (size_t row = CLEAR_ALIASES; rc == ERR_OK && row <= CLEAR_AUTHORS; row++)
        rc = run(db, row, e);
    if (rc == ERR_OK)
        rc = remove_others(db, REMOVE_GPUS, &c->gpus, sizeof(struct gpu), e);
    if (rc == ERR_OK)
        rc = remove_others(db, REMOVE_MODELS, &c->models, sizeof(struct model), e);
    if (rc == ERR_OK)
        rc = put_list(db, &c->gpus, sizeof(struct gpu), put_gpu, e);
    if (rc == ERR_OK)
        rc = put_list(db, &c->prices, sizeof(struct price), put_price, e);
    if (rc == ERR_OK)
        rc = put_list(db, &c->models, sizeof(struct model), put_model, e);
    if (rc == ERR_OK)
        rc = put_list(db, &c->authors, sizeof(struct author), put_author, e);
    return rc;
}

/* Hash all that is stored of a catalogue, as the JSON of its files. */
static enum err_code digest(const struct catalog *c, char out[HASH_HEX_BYTES], struct err *e)
{
    const struct model *models = c->models.items;
    struct buf text;
    struct json j;
    enum err_code rc;

    buf_init(&text, digest_limit);
    json_init(&j, &text);
    json_begin(&j, NULL, '[');
    field_write_json(&catalog_gpus_file, c, NULL, &j);
    field_write_json(&catalog_prices_file, c, NULL, &j);
    field_write_json(&catalog_authors_file, c, NULL, &j);
    for (size_t i = 0; i < c->models.count; i++)
        field_write_json(&model_fields, &models[i], NULL, &j);
    json_end(&j, ']');
    rc = buf_check(&text, e);
    if (rc == ERR_OK)
        hash_sha256(text.data, text.len, out);
    buf_done(&text);
    return rc;
}

enum err_code db_catalog_put(struct db *db, const struct catalog *catalog, bool *out_changed,
                             struct err *e)
{
    char hash[HASH_HEX_BYTES];
    char *stored = NULL;
    bool is_same;
    enum err_code rc = digest(catalog, hash, e);

    if (rc == ERR_OK)
        rc = db_fact_get(db, fact_name, &stored, e);
    if (rc != ERR_OK)
        return rc;
    is_same = stored && strcmp(stored, hash) == 0;
    free(stored);
    if (!is_same) {
        catalog_forget(db);
        rc = replace(db, catalog, e);
    }
    if (rc == ERR_OK && !is_same)
        rc = db_fact_put(db, fact_name, hash, e);
    if (rc == ERR_OK)
        *out_changed = !is_same;
    return rc;
}

enum err_code catalog_check_uses(struct db *db, struct err *e)
{
    struct stmt s;
    struct err missing = {.code = ERR_OK};
    enum err_code rc;

    stmt_begin(&s, db, STMT_CATALOG, FIND_MISSING);
    if (stmt_next(&s)) {
        const char *kind = stmt_text(&s, 0, NULL);
        const char *name = stmt_text(&s, 1, NULL);
        const char *user = stmt_text(&s, 2, NULL);

        if (kind && name && user) /* Looked at below. */
            (void)err_set(&missing, ERR_CONFLICT, "the catalogue lacks the %s %s, but %s uses it",
                          kind, name, user);
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK && missing.code != ERR_OK)
        *e = missing;
    return rc == ERR_OK ? missing.code : rc;
}

void catalog_forget(struct db *db)
{
    if (db->catalog)
        catalog_done(db->catalog);
    free(db->catalog);
    db->catalog = NULL;
}

/* Load the catalogue into the connection's keeping. */
static enum err_code keep(struct db *db, struct err *e)
{
    struct catalog *catalog = mem_array(1, sizeof *catalog);
    enum err_code rc;

    if (!catalog)
        return err_nomem(e);
    catalog_init(catalog);
    rc = db_catalog_load(db, catalog, e);
    catalog_forget(db);
    db->catalog = catalog;
    if (rc != ERR_OK)
        catalog_forget(db);
    return rc;
}

/* Most changes are of recipes alone: what is kept then stays. */
static enum err_code refresh(struct db *db, struct err *e)
{
    char *hash = NULL;
    enum err_code rc = db_fact_get(db, fact_name, &hash, e);

    if (rc == ERR_OK && (!db->catalog || !hash || strcmp(hash, db->catalog_hash) != 0))
        rc = keep(db, e);
    if (rc == ERR_OK) {
        memset(db->catalog_hash, 0, sizeof db->catalog_hash);
        if (hash)
            memcpy(db->catalog_hash, hash, strnlen(hash, sizeof db->catalog_hash - 1));
    }
    free(hash);
    return rc;
}

enum err_code db_catalog_get(struct db *db, const struct catalog **out, struct err *e)
{
    int64_t version = 0;
    enum err_code rc = db_data_version(db, &version, e);

    if (rc == ERR_OK && (!db->catalog || version != db->catalog_version))
        rc = refresh(db, e);
    if (rc != ERR_OK)
        return rc;
    db->catalog_version = version;
    *out = db->catalog;
    return ERR_OK;
}
