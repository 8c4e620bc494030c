/* The field tables of the catalogue's files. A list's table begins with the row of the list; the
 * rows after it are the table of one item. */
#include "base/mem.h"
#include "core/catalog.h"

#include <stddef.h>

enum { GPUS_MAX = 1000000 };

static const struct field gpus[] = {
    {"gpus", NULL, FIELD_MAP_LIST, .offset = offsetof(struct catalog, gpus),
     .item_size = sizeof(struct gpu), .description = "GPU types, in the order they are shown."},
    {"gpus[].slug", NULL, FIELD_TEXT, FIELD_SLUG, offsetof(struct gpu, slug),
     .description = "Name in paths."},
    {"gpus[].name", NULL, FIELD_TEXT, .offset = offsetof(struct gpu, name),
     .description = "Name for people."},
    {"gpus[].aliases", NULL, FIELD_TEXT_LIST, FIELD_SLUG, offsetof(struct gpu, aliases),
     .description = "Other names that mean this GPU."},
    {"gpus[].memory_gb", NULL, FIELD_INT, .offset = offsetof(struct gpu, memory_gb), .unit = "GB",
     .min = 1, .max = 100000, .description = "Memory of one GPU, in units of 10^9 bytes."},
    {"gpus[].peak_bf16_flops", NULL, FIELD_INT, .offset = offsetof(struct gpu, peak_bf16_flops),
     .unit = "FLOP/s", .min = 1, .max = 1e18, .description = "Dense BF16 peak of one GPU."},
    {"gpus[].source", NULL, FIELD_TEXT, .offset = offsetof(struct gpu, source),
     .description = "Where the peak is from."},
    {"gpus[].source_date", NULL, FIELD_DATE, .offset = offsetof(struct gpu, source_date),
     .description = "Day the source was read."},
};

static const char *const purchases[] = {"on_demand", "reserved", "spot", NULL};

static const struct field prices[] = {
    {"prices", NULL, FIELD_MAP_LIST, .offset = offsetof(struct catalog, prices),
     .item_size = sizeof(struct price),
     .description = "The price book. Of a GPU's on_demand prices the first is the list price."},
    {"prices[].gpu", NULL, FIELD_TEXT, FIELD_SLUG, offsetof(struct price, gpu),
     .description = "Slug of the GPU."},
    {"prices[].provider", NULL, FIELD_TEXT, .offset = offsetof(struct price, provider),
     .description = "Who rents it out."},
    {"prices[].instance", NULL, FIELD_TEXT, .offset = offsetof(struct price, instance),
     .description = "Instance type."},
    {"prices[].region", NULL, FIELD_TEXT, .offset = offsetof(struct price, region),
     .description = "Region of the price."},
    {"prices[].purchase", NULL, FIELD_TEXT, .offset = offsetof(struct price, purchase),
     .allowed = purchases, .description = "Purchase option."},
    {"prices[].usd_per_hour", NULL, FIELD_REAL, FIELD_ABOVE_MIN,
     offsetof(struct price, usd_per_hour), .unit = "USD/h", .max = 1e6,
     .description = "Price of the whole instance."},
    {"prices[].gpus", NULL, FIELD_INT, .offset = offsetof(struct price, gpus), .unit = "GPUs",
     .min = 1, .max = GPUS_MAX, .description = "GPUs of the instance."},
    {"prices[].as_of", NULL, FIELD_DATE, .offset = offsetof(struct price, as_of),
     .description = "Day that the price stood."},
    {"prices[].source", NULL, FIELD_TEXT, .offset = offsetof(struct price, source),
     .description = "The price list."},
};

static const struct field authors[] = {
    {"authors", NULL, FIELD_MAP_LIST, .offset = offsetof(struct catalog, authors),
     .item_size = sizeof(struct author), .description = "Authors of recipes."},
    {"authors[].name", NULL, FIELD_TEXT, .offset = offsetof(struct author, name),
     .description = "Name, as recipes write it."},
    {"authors[].url", NULL, FIELD_TEXT, FIELD_URL, offsetof(struct author, url),
     .description = "Address of the author's page or paper."},
    {"authors[].citation", NULL, FIELD_TEXT, .offset = offsetof(struct author, citation),
     .description = "How to cite, in a sentence."},
    {"authors[].bibtex", NULL, FIELD_TEXT, FIELD_MULTILINE, offsetof(struct author, bibtex),
     .description = "How to cite, as BibTeX."},
};

static const struct field model[] = {
    {"slug", NULL, FIELD_TEXT, FIELD_SLUG, offsetof(struct model, slug),
     .description = "Name in paths: that of the file."},
    {"name", NULL, FIELD_TEXT, FIELD_SLUG_PART, offsetof(struct model, name),
     .description = "Name, as recipes write it."},
    {"family", NULL, FIELD_TEXT, .offset = offsetof(struct model, family),
     .description = "Name of the family."},
    {"hub_repository", NULL, FIELD_TEXT, FIELD_NULLABLE | FIELD_HUB_NAME,
     offsetof(struct model, hub_repository), .description = "The checkpoint on Hugging Face."},
    {"hub_revision", NULL, FIELD_TEXT, FIELD_NULLABLE | FIELD_HEX,
     offsetof(struct model, hub_revision), .max = 40, .description = "Commit of the checkpoint."},
    {"total_params", NULL, FIELD_INT, FIELD_NULLABLE, offsetof(struct model, total_params),
     .unit = "parameters", .min = 1, .max = 1e15,
     .description = "All parameters of the checkpoint."},
    {"total_params_source", NULL, FIELD_TEXT, FIELD_NULLABLE,
     offsetof(struct model, total_params_source), .description = "Where the count is from."},
    {"notes", NULL, FIELD_TEXT, FIELD_NULLABLE | FIELD_MULTILINE, offsetof(struct model, notes),
     .description = "What holds for every recipe of the model, as Markdown."},
    {"published", NULL, FIELD_MAP_LIST, .offset = offsetof(struct model, published),
     .item_size = sizeof(struct published),
     .description = "Figures published elsewhere, whose recipes are not here; may be empty."},
    {"published[].gpu", NULL, FIELD_TEXT, FIELD_SLUG, offsetof(struct published, gpu),
     .description = "Slug of the GPU."},
    {"published[].gpus", NULL, FIELD_INT, .offset = offsetof(struct published, gpus),
     .unit = "GPUs", .min = 1, .max = GPUS_MAX, .description = "How many GPUs the run used."},
    {"published[].tokens_per_s_per_gpu", NULL, FIELD_REAL, FIELD_ABOVE_MIN,
     offsetof(struct published, tokens_per_s_per_gpu), .unit = "tokens/s", .max = 1e9,
     .description = "Training tokens per second and GPU."},
    {"published[].usd_per_million_tokens", NULL, FIELD_REAL, FIELD_NULLABLE | FIELD_ABOVE_MIN,
     offsetof(struct published, usd_per_million_tokens), .unit = "USD", .max = 1e9,
     .description = "Cost of a million training tokens, as published."},
    {"published[].source", NULL, FIELD_TEXT, .offset = offsetof(struct published, source),
     .description = "Where it was published."},
    {"published[].date", NULL, FIELD_DATE, .offset = offsetof(struct published, date),
     .description = "Day it was read there."},
};

const struct field_table gpu_fields = {gpus + 1, COUNT_OF(gpus) - 1};
const struct field_table price_fields = {prices + 1, COUNT_OF(prices) - 1};
const struct field_table author_fields = {authors + 1, COUNT_OF(authors) - 1};
const struct field_table model_fields = {model, COUNT_OF(model)};

const struct field_table catalog_gpus_file = {gpus, COUNT_OF(gpus)};
const struct field_table catalog_prices_file = {prices, COUNT_OF(prices)};
const struct field_table catalog_authors_file = {authors, COUNT_OF(authors)};
