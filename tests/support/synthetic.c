/* Recipes from a generator of our own, so that every run makes the same. */
#include "tests/support/synthetic.h"

#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of every model. */
#define ACTIVE_PARAMS INT64_C(7000000000)

/* Longest file. */
enum { FILE_LIMIT = 64 * 1024 };

static const char *const models[SYNTHETIC_MODELS] = {
    "ada-7b",    "bell-13b",  "curie-34b", "dirac-70b",   "euler-120b", "fermi-8b",
    "gauss-22b", "hopper-1t", "ising-3b",  "jordan-9.5b", "klein-48b",  "lovelace-2b",
};

static const struct {
    const char *slug;
    const char *name;
    int memory_gb;
    int64_t peak;
    double usd_per_hour; /* of an instance with 8 GPUs; 0: no price */
} gpus[SYNTHETIC_GPUS] = {
    {"h100", "H100", 80, 989000000000000, 55.04},
    {"h200", "H200", 141, 989000000000000, 63.296},
    {"b200", "B200", 180, 2250000000000000, 113.9328},
    {"x900", "X900", 288, 2500000000000000, 0},
};

static const char *const authors[] = {"ATTUNE", "Another Team", "=SUM(1)"};
static const char *const statuses[] = {"verified", "unverified", "retracted"};
static const char *const dispatchers[] = {NULL, "alltoall", "deepep"};
static const char *const words[] = {"amber", "basalt", "cobalt", "dolomite"};

uint32_t synthetic_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static int64_t peak_of(const char *gpu)
{
    for (size_t i = 0; i < SYNTHETIC_GPUS; i++)
        if (strcmp(gpus[i].slug, gpu) == 0)
            return gpus[i].peak;
    return 0;
}

/* Slug of a model: the listed ones, then the same with numbers. */
static void name_model(char out[SYNTHETIC_MODEL_BYTES], size_t index)
{
    size_t turn = index / SYNTHETIC_MODELS;
    int len;

    if (turn == 0)
        len = snprintf(out, SYNTHETIC_MODEL_BYTES, "%s", models[index]);
    else
        len = snprintf(out, SYNTHETIC_MODEL_BYTES, "%s-v%zu", models[index % SYNTHETIC_MODELS],
                       turn + 1);
    assert_in_range(len, 1, SYNTHETIC_MODEL_BYTES - 1);
}

void synthetic_make(struct synthetic *out, uint32_t seed, size_t index)
{
    synthetic_make_wide(out, seed, index, SYNTHETIC_MODELS);
}

void synthetic_make_wide(struct synthetic *out, uint32_t seed, size_t index, size_t model_count)
{
    uint32_t at = (uint32_t)index * 2654435761u + seed * 40503u + 1;

    for (int i = 0; i < 3; i++)
        (void)synthetic_random(&at, 2); /* Neighbours start alike. */
    *out = (struct synthetic){
        .gpu = gpus[index / model_count % SYNTHETIC_GPUS].slug,
        .author = authors[synthetic_random(&at, COUNT_OF(authors))],
        .status = statuses[synthetic_random(&at, COUNT_OF(statuses))],
        .tp = 1 << synthetic_random(&at, 4),
        .pp = 1 << synthetic_random(&at, 3),
        .batch = synthetic_random(&at, 4) == 0 ? 256 : 128,
        .tokens_per_s_per_gpu = 100 + 12.5 * synthetic_random(&at, 200),
        .step_time_cv_percent = 0.25 * synthetic_random(&at, 20),
        .offload = synthetic_random(&at, 2) == 0 ? 0 : 0.5,
        .dispatcher = dispatchers[synthetic_random(&at, COUNT_OF(dispatchers))],
        .word = words[synthetic_random(&at, COUNT_OF(words))],
    };
    name_model(out->model, index % model_count);
    if (synthetic_random(&at, 3) > 0)
        out->mfu = num_round_digits(
            cost_mfu(ACTIVE_PARAMS, out->tokens_per_s_per_gpu, peak_of(out->gpu)), 3);
    out->dp = 8 << synthetic_random(&at, 3);
    out->gpus = out->tp * out->pp * out->dp;
    (void)snprintf(out->recipe, sizeof out->recipe, "r%05zu", index % 100000000); /* Fits. */
    (void)snprintf(out->measured, sizeof out->measured, "2026-%02u-%02u",
                   1 + synthetic_random(&at, 10), 1 + synthetic_random(&at, 28)); /* Fits. */
}

double synthetic_price(const char *gpu)
{
    for (size_t i = 0; i < SYNTHETIC_GPUS; i++)
        if (strcmp(gpus[i].slug, gpu) == 0)
            return gpus[i].usd_per_hour / 8;
    return 0;
}

static int memory_of(const char *gpu)
{
    for (size_t i = 0; i < SYNTHETIC_GPUS; i++)
        if (strcmp(gpus[i].slug, gpu) == 0)
            return gpus[i].memory_gb;
    return 0;
}

static void put_workload(const struct synthetic *r, struct buf *out)
{
    buf_printf(out,
               "workload:\n"
               "  row_tokens: 8192\n"
               "  rows: SFT conversations\n"
               "  global_batch: %" PRId64 "\n"
               "  precision: bf16\n"
               "  dataset:\n"
               "    name: Made-up rows\n"
               "    source: example/rows\n"
               "    revision: b14afda60f1bbebe55d5d2fa1e4df5042f97f8be\n"
               "    license: ODC-By 1.0\n"
               "    rows_sha256: 36956f40db9943482d88e9732d1a69ad9bc94ec00e822ab3df93c0a379e7effa\n"
               "    build: {rows: 6400, row_tokens: 8192, seed: 42}\n",
               r->batch);
}

static void put_real(struct buf *out, const char *before, double value)
{
    buf_puts(out, before);
    if (value > 0)
        buf_put_real(out, value);
    else
        buf_puts(out, "null");
    buf_putc(out, '\n');
}

static void put_layout(const struct synthetic *r, struct buf *out)
{
    buf_printf(out,
               "layout:\n"
               "  label: TP%" PRId64 " PP%" PRId64 " DP%" PRId64 "\n"
               "  summary: a made-up layout\n"
               "  highlights: \"%s, \\\"quoted\\\", and more\"\n"
               "  tp: %" PRId64 "\n"
               "  pp: %" PRId64 "\n"
               "  vpp: 1\n"
               "  cp: 1\n"
               "  ep: 1\n"
               "  etp: 1\n"
               "  dp: %" PRId64 "\n"
               "  sequence_parallel: %s\n"
               "  layer_split: null\n"
               "  max_tokens_per_gpu: null\n"
               "  rows_per_microbatch: 1\n"
               "  recompute: null\n",
               r->tp, r->pp, r->dp, r->word, r->tp, r->pp, r->dp, r->tp > 1 ? "true" : "false");
    if (r->offload > 0)
        buf_printf(out, "  offload:\n    optimizer_fraction: %.1f\n    overlap_d2h_h2d: true\n",
                   r->offload);
    else
        buf_puts(out, "  offload: null\n");
    buf_printf(out, "  dispatcher: %s\n", r->dispatcher ? r->dispatcher : "null");
}

static void put_result(const struct synthetic *r, struct buf *out)
{
    put_real(out, "result:\n  tokens_per_s_per_gpu: ", r->tokens_per_s_per_gpu);
    buf_puts(out, "  usd_per_million_tokens: null\n  step_time_cv_percent: ");
    buf_put_real(out, r->step_time_cv_percent);
    put_real(out, "\n  mfu: ", r->mfu);
    buf_printf(out,
               "  mfu_note: null\n"
               "  active_params:\n"
               "    count: %" PRId64 "\n"
               "    source: https://huggingface.co/example/model\n"
               "    revision: 842da3794eaa0b77d5f08bae87a17459d91ff475\n"
               "  measured: %s\n"
               "  steps_per_run: 20\n"
               "  window: [5, 19]\n"
               "  window_tokens: %" PRId64 "\n"
               "  runs: 1\n"
               "  profiler: false\n"
               "  gpu_hours: 5.69\n"
               "  gpu_hours_note: null\n",
               ACTIVE_PARAMS, r->measured, 15 * r->batch * 8192);
}

static void put_evidence(const struct synthetic *r, struct buf *out)
{
    buf_printf(out,
               "correctness:\n"
               "  result: pass\n"
               "  summary: passed\n"
               "  reference: Not published.\n"
               "  configuration: pass\n"
               "  component_tests: []\n"
               "  convergence: {steps: 20, result: pass, correlation: 0.98, "
               "final_loss_difference: 0.01, pointwise_failures: 0, note: null}\n"
               "  rules: made up\n"
               "env: {}\n"
               "patches: []\n"
               "run: |\n"
               "  python3 train.py \\\n"
               "    --tensor-model-parallel-size %" PRId64 " \\\n"
               "    --pipeline-model-parallel-size %" PRId64 "\n"
               "notes: |\n"
               "  - Made up; the word is %s.\n",
               r->tp, r->pp, r->word);
    for (size_t i = 0; i < r->more_notes; i++)
        buf_printf(out, "  - %095zu\n", i);
}

void synthetic_put(const struct synthetic *r, struct buf *out)
{
    buf_printf(out,
               "schema_version: 1\n"
               "model: %s\n"
               "gpu:\n"
               "  type: %s\n"
               "  memory_gb: %d\n"
               "  count: %" PRId64 "\n"
               "  per_node: 8\n"
               "  instance: null\n"
               "author:\n"
               "  name: \"%s\"\n"
               "  url: null\n"
               "status: %s\n"
               "stack:\n"
               "  framework: miles 0.1.0 (commit 78527b91)\n",
               r->model, r->gpu, memory_of(r->gpu), r->gpus, r->author, r->status);
    put_workload(r, out);
    put_layout(r, out);
    put_result(r, out);
    put_evidence(r, out);
}

static void path_of(const struct synthetic *r, const char *folder, char out[SCRATCH_BYTES])
{
    int len = snprintf(out, SCRATCH_BYTES, "%s/recipes/%s/%s/%s.yaml", folder, r->model, r->gpu,
                       r->recipe);

    assert_in_range(len, 1, SCRATCH_BYTES - 1);
}

void synthetic_write(const struct synthetic *r, const char *folder)
{
    char path[SCRATCH_BYTES];
    struct buf text;
    struct err e;

    path_of(r, folder, path);
    buf_init(&text, FILE_LIMIT);
    synthetic_put(r, &text);
    assert_int_equal(buf_check(&text, &e), ERR_OK);
    scratch_write(path, text.data, text.len);
    buf_done(&text);
}

void synthetic_remove(const struct synthetic *r, const char *folder)
{
    char path[SCRATCH_BYTES];

    path_of(r, folder, path);
    assert_int_equal(unlink(path), 0);
}

static void write_file(const char *folder, const char *name, const struct buf *text)
{
    char path[SCRATCH_BYTES];
    struct err e;

    assert_int_equal(buf_check(text, &e), ERR_OK);
    scratch_path(path, folder, name);
    scratch_write(path, text->data, text->len);
}

static void write_gpus(const char *folder)
{
    struct buf list;
    struct buf prices;

    buf_init(&list, FILE_LIMIT);
    buf_init(&prices, FILE_LIMIT);
    buf_puts(&list, "gpus:\n");
    buf_puts(&prices, "prices:\n");
    for (size_t i = 0; i < SYNTHETIC_GPUS; i++) {
        buf_printf(&list,
                   "- slug: %s\n  name: %s\n  aliases: []\n  memory_gb: %d\n"
                   "  peak_bf16_flops: %" PRId64 "\n  source: made up\n"
                   "  source_date: 2026-10-20\n",
                   gpus[i].slug, gpus[i].name, gpus[i].memory_gb, gpus[i].peak);
        if (gpus[i].usd_per_hour <= 0)
            continue;
        buf_printf(&prices,
                   "- gpu: %s\n  provider: Somebody\n  instance: i-%s\n  region: r\n"
                   "  purchase: on_demand\n  usd_per_hour: ",
                   gpus[i].slug, gpus[i].slug);
        buf_put_real(&prices, gpus[i].usd_per_hour);
        buf_puts(&prices, "\n  gpus: 8\n  as_of: 2026-10-20\n  source: made up\n");
    }
    write_file(folder, "catalog/gpus.yaml", &list);
    write_file(folder, "catalog/prices.yaml", &prices);
    buf_done(&list);
    buf_done(&prices);
}

static void write_authors(const char *folder)
{
    struct buf text;

    buf_init(&text, FILE_LIMIT);
    buf_puts(&text, "authors:\n");
    for (size_t i = 0; i < COUNT_OF(authors); i++)
        buf_printf(&text,
                   "- name: \"%s\"\n  url: https://example.org/\n  citation: cite\n"
                   "  bibtex: x\n",
                   authors[i]);
    write_file(folder, "catalog/authors.yaml", &text);
    buf_done(&text);
}

static void write_model(const char *folder, const char *slug)
{
    char name[64];
    struct buf text;

    buf_init(&text, FILE_LIMIT);
    buf_printf(&text,
               "slug: %s\nname: %s\nfamily: Made-up\nhub_repository: null\nhub_revision: null\n"
               "total_params: null\ntotal_params_source: null\nnotes: null\npublished: []\n",
               slug, slug);
    (void)snprintf(name, sizeof name, "catalog/models/%s.yaml", slug); /* Slugs are short. */
    write_file(folder, name, &text);
    buf_done(&text);
}

static void make_folder(const char *folder, const char *name)
{
    char path[SCRATCH_BYTES];

    scratch_path(path, folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

void synthetic_write_catalog(const char *folder)
{
    synthetic_write_wide_catalog(folder, SYNTHETIC_MODELS);
}

void synthetic_write_wide_catalog(const char *folder, size_t model_count)
{
    char model[SYNTHETIC_MODEL_BYTES];
    char name[128];

    make_folder(folder, "catalog");
    make_folder(folder, "catalog/models");
    make_folder(folder, "recipes");
    for (size_t i = 0; i < model_count; i++) {
        name_model(model, i);
        (void)snprintf(name, sizeof name, "recipes/%s", model); /* Slugs are short. */
        make_folder(folder, name);
        for (size_t j = 0; j < SYNTHETIC_GPUS; j++) {
            (void)snprintf(name, sizeof name, "recipes/%s/%s", model, gpus[j].slug);
            make_folder(folder, name);
        }
        write_model(folder, model);
    }
    write_gpus(folder);
    write_authors(folder);
}
