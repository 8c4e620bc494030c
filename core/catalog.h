/* The catalogue: GPUs, prices, models and authors, as its YAML files say. A whole catalogue is
 * small; it is read, checked and kept in one piece. */
#ifndef CORE_CATALOG_H
#define CORE_CATALOG_H

#include "core/field.h"
#include "core/recipe.h"

/* A GPU type.
 *
 * memory_gb:       of one GPU, 10^9 bytes, > 0
 * peak_bf16_flops: dense BF16 peak of one GPU, FLOP/s, > 0
 * source:          where the peak is from; source_date when it was read */
struct gpu {
    const char *slug;
    const char *name;
    struct text_list aliases;
    int64_t memory_gb;
    int64_t peak_bf16_flops;
    const char *source;
    const char *source_date;
};

/* What an instance costs.
 *
 * usd_per_hour: of the whole instance, > 0; gpus: in it, >= 1
 * as_of:        the day the price stood; source: the price list */
struct price {
    const char *gpu; /* slug */
    const char *provider;
    const char *instance;
    const char *region;
    const char *purchase; /* on_demand, reserved, spot */
    double usd_per_hour;
    int64_t gpus;
    const char *as_of;
    const char *source;
};

/* A figure published elsewhere for a GPU whose recipe file is not in the collection. */
struct published {
    const char *gpu; /* slug */
    int64_t gpus;
    double tokens_per_s_per_gpu;
    double usd_per_million_tokens; /* as published; 0: null */
    const char *source;
    const char *date;
};

/* A model.
 *
 * family:              NULL for a model that no file describes
 * hub_repository:      OWNER/NAME on Hugging Face; NULL: null
 * hub_revision:        40 hexadecimal digits; NULL: null
 * total_params:        all parameters of the checkpoint; 0: null
 * total_params_source: NULL: null
 * notes:               Markdown; NULL: null
 * published:           of struct published */
struct model {
    const char *slug;
    const char *name;
    const char *family;
    const char *hub_repository;
    const char *hub_revision;
    int64_t total_params;
    const char *total_params_source;
    const char *notes;
    struct item_list published;
};

/* Who made recipes, and how to cite them. */
struct author {
    const char *name;
    const char *url;
    const char *citation; /* one sentence for people */
    const char *bibtex;
};

/* The whole; lists hold the structs above, in file order.
 *
 * model_cap: how many models fit into the list's memory; 0 where nobody but its maker knows
 * by_slug:   the models by slug in any letter case; NULL until catalog_index, and again after a
 *            change of the models */
struct catalog {
    struct arena arena;
    struct item_list gpus;
    struct item_list prices;
    struct item_list models;
    size_t model_cap;
    const struct model **by_slug;
    struct item_list authors;
};

/* What a catalogue may take in memory: thousands of models with notes. */
#define CATALOG_ARENA_LIMIT ((size_t)256 * 1024 * 1024)

/* Which of the catalogue's files a tree is from. */
enum catalog_file { CATALOG_GPUS, CATALOG_PRICES, CATALOG_AUTHORS, CATALOG_MODEL };

/* The fields of one struct gpu, price, model, author. */
extern const struct field_table gpu_fields;
extern const struct field_table price_fields;
extern const struct field_table model_fields;
extern const struct field_table author_fields;

/* The files gpus.yaml, prices.yaml and authors.yaml, each a map with one list; read into a struct
 * catalog. */
extern const struct field_table catalog_gpus_file;
extern const struct field_table catalog_prices_file;
extern const struct field_table catalog_authors_file;

/* Make an empty catalogue; allocates nothing. */
void catalog_init(struct catalog *c);
void catalog_done(struct catalog *c);

/* Read one catalogue file into the catalogue: the lists of gpus.yaml, prices.yaml and authors.yaml
 * replace the list, a models/SLUG.yaml replaces or adds that model. A file with problems changes
 * nothing.
 *
 * stem:   of a model's file: must be its slug; not looked at for the other files
 * Errors: ERR_NOMEM only; the report has every problem of the file. */
MUST_USE enum err_code catalog_read(struct catalog *c, enum catalog_file which, const char *stem,
                                    const struct tree_node *root, struct report *report,
                                    struct err *e);

/* Make looking models up fast, where there are thousands of them. Without it, all are looked at.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code catalog_index(struct catalog *c, struct err *e);

/* Look for a GPU by slug, name or listed alias, letter case ignored; never by prefix. NULL if there
 * is none. */
const struct gpu *catalog_gpu(const struct catalog *c, const char *word);

/* Look for a model by slug, or by name in any letter case; NULL if there is none. */
const struct model *catalog_model(const struct catalog *c, const char *word);

/* Add a bare model, for a recipe whose model no file describes: slug and name are copied.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code catalog_add_model(struct catalog *c, const char *slug, const char *name,
                                         struct err *e);

/* Take a model out; it must be there. */
void catalog_drop_model(struct catalog *c, const char *slug);

/* Check what refers to what, once all files are read: prices and published figures name known GPUs
 * (looked at where GPUs are known at all), no name stands twice. Problems have no line. */
void catalog_check(const struct catalog *c, struct report *report);

/* Look for an author by name, exactly; NULL if there is none. */
const struct author *catalog_author(const struct catalog *c, const char *name);

/* The price that figures are computed at when nobody names another: the first on_demand price of
 * the GPU in the order of prices.yaml; NULL if there is none. */
const struct price *catalog_price(const struct catalog *c, const char *gpu_slug);

/* The price that a cost stated on a day was worked out at: the first on_demand price of the GPU, in
 * the order of prices.yaml, that stood by then, which is what catalog_price gave on that day as
 * newer rows go above older ones; the earliest one where all are later; NULL if there is none.
 *
 * day: as YYYY-MM-DD; NULL: not known, so that it is the list price */
const struct price *catalog_price_on(const struct catalog *c, const char *gpu_slug,
                                     const char *day);

/* The first price of a GPU, in the order of prices.yaml, that is bought in a certain way from a
 * certain provider; NULL if there is none.
 *
 * purchase: NULL: on_demand
 * provider: in any letter case; NULL: whoever */
const struct price *catalog_price_of(const struct catalog *c, const char *gpu_slug,
                                     const char *purchase, const char *provider);

#endif
