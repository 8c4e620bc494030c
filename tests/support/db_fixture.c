/* The tests' own database, catalogue and recipes. */
#include "tests/support/db_fixture.h"

#include "base/hash.h"
#include "base/mem.h"
#include "db/catalog.h"
#include "db/rankings.h"

#include <ftw.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char now[] = "2026-11-30T12:00:00Z";

void fixture_init(struct fixture *f)
{
    *f = (struct fixture){.folder = "/tmp/openrecipes-test-XXXXXX"};
    assert_non_null(mkdtemp(f->folder));
    fixture_path(f, "test.db", f->path);
}

void fixture_path(const struct fixture *f, const char *name, char out[FIXTURE_PATH_BYTES])
{
    int len = snprintf(out, FIXTURE_PATH_BYTES, "%s/%s", f->folder, name);

    assert_in_range(len, 1, FIXTURE_PATH_BYTES - 1);
}

void fixture_migrate(struct fixture *f)
{
    struct err e;
    int from;
    int to;

    assert_int_equal(db_open_write(f->path, &f->db, &e), ERR_OK);
    assert_int_equal(db_migrate(f->db, &from, &to, &e), ERR_OK);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    return remove(path);
}

void fixture_done(struct fixture *f)
{
    db_close(f->db);
    f->db = NULL;
    assert_int_equal(nftw(f->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

int fixture_set_up_folder(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);

    assert_non_null(f);
    fixture_init(f);
    *state = f;
    return 0;
}

int fixture_set_up_database(void **state)
{
    (void)fixture_set_up_folder(state); /* Fails by itself. */
    fixture_migrate(*state);
    return 0;
}

int fixture_set_up_catalog(void **state)
{
    (void)fixture_set_up_database(state); /* Fails by itself. */
    fixture_put_catalog(*state);
    return 0;
}

int fixture_tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

void fixture_sql(const struct fixture *f, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static const char *const aliases[] = {"h100-sxm", "h100-sxm5"};

static const struct gpu gpus[] = {
    {"b200", "B200", {NULL, 0}, 180, 2250000000000000, "data sheet", "2026-10-01"},
    {"h100",
     "H100",
     {(const char **)(uintptr_t)aliases, 2},
     80,
     989000000000000,
     "data sheet",
     "2026-10-01"},
    {"h200", "H200", {NULL, 0}, 141, 989000000000000, "data sheet", "2026-10-02"},
};

static const struct price prices[] = {
    {"h100", "AWS", "p5.48xlarge", "us-east-1", "on_demand", 55.04, 8, "2026-10-20", "list"},
    {"b200", "AWS", "p6-b200.48xlarge", "us-east-1", "on_demand", 113.9328, 8, "2026-10-20",
     "list"},
};

static const struct published published[] = {
    {"h200", 16, 500.5, 0, "a page", "2026-09-01"},
    {"b200", 8, 900.25, 3.5, "another page", "2026-09-02"},
};

static const struct model models[] = {
    {"alpha",
     "Alpha",
     "Greek",
     "greek/alpha",
     "0123456789012345678901234567890123456789",
     31000000000,
     "index",
     "Notes.\n",
     {(void *)(uintptr_t)published, 2}},
    {"beta", "Beta", "Greek", NULL, NULL, 0, NULL, NULL, {NULL, 0}},
    {"gamma", "Gamma", NULL, NULL, NULL, 0, NULL, NULL, {NULL, 0}},
};

static const struct author authors[] = {
    {"ATTUNE", "https://example.org/attune", "ATTUNE authors, 2026.", "@misc{attune}\n"},
};

static struct item_list copy(struct arena *arena, const void *items, size_t count, size_t size)
{
    struct item_list list = {arena_array(arena, count, size), count};

    assert_non_null(list.items);
    memcpy(list.items, items, count * size);
    return list;
}

void fixture_catalog(struct catalog *c)
{
    c->gpus = copy(&c->arena, gpus, COUNT_OF(gpus), sizeof *gpus);
    c->prices = copy(&c->arena, prices, COUNT_OF(prices), sizeof *prices);
    c->models = copy(&c->arena, models, COUNT_OF(models), sizeof *models);
    c->authors = copy(&c->arena, authors, COUNT_OF(authors), sizeof *authors);
}

static enum err_code put_catalog(struct db *db, void *context, struct err *e)
{
    bool is_changed;

    return db_catalog_put(db, context, &is_changed, e);
}

void fixture_put_catalog(struct fixture *f)
{
    struct catalog c;
    struct err e;

    catalog_init(&c);
    fixture_catalog(&c);
    assert_int_equal(db_tx_run(f->db, put_catalog, &c, &e), ERR_OK);
    catalog_done(&c);
}

static const char hash40[] = "842da3794eaa0b77d5f08bae87a17459d91ff475";
static const char hash64[] = "36956f40db9943482d88e9732d1a69ad9bc94ec00e822ab3df93c0a379e7effa";
static int64_t window[] = {5, 19};

static void fill_workload(struct recipe *r)
{
    r->workload.row_tokens = 8192;
    r->workload.rows = "SFT conversations";
    r->workload.global_batch = 128;
    r->workload.precision = "bf16";
    r->workload.dataset.name = "Tulu 3";
    r->workload.dataset.source = "allenai/tulu-3";
    r->workload.dataset.revision = hash40;
    r->workload.dataset.license = "ODC-By 1.0";
    r->workload.dataset.rows_sha256 = hash64;
}

static void fill_layout(struct recipe *r)
{
    r->layout.label = "TP2 PP4 DP1";
    r->layout.summary = "TP 2, PP 4";
    r->layout.highlights = "split embedding";
    r->layout.tp = 2;
    r->layout.pp = 4;
    r->layout.vpp = r->layout.cp = r->layout.ep = r->layout.etp = r->layout.dp = 1;
    r->layout.sequence_parallel = true;
}

static void fill_result(struct recipe *r)
{
    r->result.tokens_per_s_per_gpu = 1000;
    r->result.step_time_cv_percent = 2.5;
    r->result.active_params.count = 31000000000;
    r->result.active_params.source = "https://huggingface.co/greek/alpha";
    r->result.active_params.revision = hash40;
    r->result.measured = "2026-10-20";
    r->result.steps_per_run = 20;
    r->result.window = (struct int_list){window, COUNT_OF(window)};
    r->result.window_tokens = 15728640;
    r->result.runs = 1;
    r->result.gpu_hours = 5.69;
    r->correctness.result = "pass";
    r->correctness.summary = "passed";
    r->correctness.reference = "the launcher";
    r->correctness.configuration = "pass";
    r->correctness.convergence.steps = 20;
    r->correctness.convergence.result = "pass";
    r->correctness.convergence.correlation = 0.99;
    r->correctness.convergence.final_loss_difference = 0.01;
    r->correctness.rules = "rules";
}

void fixture_recipe(struct recipe *r, const char *slug)
{
    recipe_init(r);
    r->schema_version = 1;
    r->model = "Alpha";
    r->gpu.type = "H100";
    r->gpu.memory_gb = 80;
    r->gpu.count = r->gpu.per_node = 8;
    r->author.name = "ATTUNE";
    r->status = "verified";
    fill_workload(r);
    fill_layout(r);
    fill_result(r);
    r->run = "python3 train.py --tensor-model-parallel-size 2\n";
    fixture_place(r, "alpha", "h100");
    (void)snprintf(r->derived.recipe_slug, SLUG_BYTES, "%s", slug); /* Slugs here are short. */
    r->derived.recipe = r->derived.recipe_slug;
    r->derived.family = "Greek";
    r->derived.framework = "miles";
    r->derived.nodes = 1;
    r->derived.workload = "0123456789abcdef";
    r->derived.usd_per_million_tokens = 1.91111;
    r->derived.confirmation = "not_checked";
}

void fixture_place(struct recipe *r, const char *model, const char *gpu)
{
    (void)snprintf(r->derived.model_slug, SLUG_BYTES, "%s", model); /* Slugs here are short. */
    (void)snprintf(r->derived.gpu_slug, SLUG_BYTES, "%s", gpu);
    r->derived.model = r->derived.model_slug;
    r->derived.gpu = r->derived.gpu_slug;
}

static enum err_code rank(struct db *db, void *context, struct err *e)
{
    (void)context;
    return db_rankings_rebuild(db, e);
}

void fixture_rank(struct fixture *f)
{
    struct err e;

    assert_int_equal(db_tx_run(f->db, rank, NULL, &e), ERR_OK);
}

struct put {
    const struct recipe_entry *entry;
    enum recipe_change change;
};

static enum err_code put_entry(struct db *db, void *context, struct err *e)
{
    struct put *put = context;

    return db_recipe_put(db, put->entry, now, &put->change, e);
}

enum recipe_change fixture_put(struct fixture *f, const struct recipe *r)
{
    char source[512];
    char hash[HASH_HEX_BYTES];
    struct err e;
    const struct recipe_entry entry = {
        .recipe = r,
        .source = source,
        .hash = hash,
        .yaml = "model: Alpha\n",
        .yaml_len = strlen("model: Alpha\n"),
        .document = "{\"model\":\"Alpha\"}",
        .audit = "{\"summary\":\"fine\"}",
        .card_head = "\"recipe\":\"x\"",
        .card_tail = "\"gpus\":8",
        .facts = "facts",
    };
    struct put put = {.entry = &entry};

    (void)snprintf(source, sizeof source, "/data/recipes/%s/%s/%s.yaml", r->derived.model,
                   r->derived.gpu, r->derived.recipe); /* Slugs here are short. */
    hash_sha256(source, strlen(source), hash);
    assert_int_equal(db_tx_run(f->db, put_entry, &put, &e), ERR_OK);
    return put.change;
}
