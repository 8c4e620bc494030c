/* The stored catalogue: the same when loaded, changed in place, kept by read connections. */
#include "db/catalog.h"
#include "tests/support/db_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A catalogue as JSON. Owns: the caller frees it with free(). */
static char *text_of(const struct catalog *c)
{
    const struct model *models = c->models.items;
    struct buf out;
    struct json j;
    char *text;

    buf_init(&out, 1 << 20);
    json_init(&j, &out);
    json_begin(&j, NULL, '[');
    field_write_json(&catalog_gpus_file, c, NULL, &j);
    field_write_json(&catalog_prices_file, c, NULL, &j);
    field_write_json(&catalog_authors_file, c, NULL, &j);
    for (size_t i = 0; i < c->models.count; i++)
        field_write_json(&model_fields, &models[i], NULL, &j);
    json_end(&j, ']');
    text = buf_take(&out, NULL);
    assert_non_null(text);
    return text;
}

static void assert_same(const struct catalog *a, const struct catalog *b)
{
    char *text_a = text_of(a);
    char *text_b = text_of(b);

    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
}

static void loaded_catalogue_is_the_stored_one(void **state)
{
    struct fixture *f = *state;
    struct catalog stored;
    struct catalog loaded;
    const struct gpu *gpu;
    struct err e;

    fixture_put_catalog(f);
    catalog_init(&stored);
    fixture_catalog(&stored);
    catalog_init(&loaded);
    assert_int_equal(db_catalog_load(f->db, &loaded, &e), ERR_OK);
    assert_same(&stored, &loaded);
    gpu = catalog_gpu(&loaded, "h100-sxm5");
    assert_non_null(gpu);
    assert_string_equal(gpu->slug, "h100");
    assert_int_equal(loaded.models.count, 3);
    assert_int_equal(catalog_model(&loaded, "alpha")->published.count, 2);
    assert_null(catalog_model(&loaded, "gamma")->family);
    assert_int_equal(catalog_add_model(&loaded, "delta", "Delta", &e), ERR_OK);
    assert_int_equal(loaded.models.count, 4);
    catalog_done(&stored);
    catalog_done(&loaded);
}

static void nothing_stored_loads_as_nothing(void **state)
{
    struct fixture *f = *state;
    struct catalog loaded;
    struct err e;

    catalog_init(&loaded);
    assert_int_equal(db_catalog_load(f->db, &loaded, &e), ERR_OK);
    assert_int_equal(
        loaded.gpus.count + loaded.prices.count + loaded.models.count + loaded.authors.count, 0);
    catalog_done(&loaded);
}

/* A catalogue to store, a recipe to store with it, and one to prune. */
struct step {
    const struct catalog *catalog;
    const struct recipe *recipe;
    bool prunes;
    bool is_changed;
};

static enum err_code put_recipe(struct db *db, const struct recipe *r, struct err *e)
{
    enum recipe_change change;
    const struct recipe_entry entry = {r,
                                       "/data/x.yaml",
                                       "0123456789012345678901234567890123456789012345678901234567"
                                       "890123",
                                       "y",
                                       1,
                                       "{}",
                                       "{}",
                                       "",
                                       "",
                                       "facts",
                                       NULL};

    return db_recipe_put(db, &entry, "2026-11-30T12:00:00Z", &change, e);
}

static bool never(void *context, const char *source)
{
    (void)context;
    (void)source;
    return false;
}

static enum err_code run_step(struct db *db, void *context, struct err *e)
{
    struct step *step = context;
    size_t removed = 0;
    enum err_code rc = ERR_OK;

    if (step->recipe)
        rc = put_recipe(db, step->recipe, e);
    if (rc == ERR_OK)
        rc = db_catalog_put(db, step->catalog, &step->is_changed, e);
    if (rc == ERR_OK && step->prunes)
        rc = db_recipes_prune(db, "/data", never, NULL, "2026-12-01T12:00:00Z", &removed, e);
    return rc;
}

static void putting_the_same_again_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct step step = {0};
    struct catalog c;
    struct price *prices;
    struct err e;

    catalog_init(&c);
    fixture_catalog(&c);
    step.catalog = &c;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    assert_true(step.is_changed);
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    assert_false(step.is_changed);
    prices = c.prices.items;
    prices[0].usd_per_hour = 55.05;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    assert_true(step.is_changed);
    catalog_done(&c);
}

static void catalogue_may_come_after_the_recipe(void **state)
{
    struct fixture *f = *state;
    struct step step = {0};
    struct catalog c;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    catalog_init(&c);
    fixture_catalog(&c);
    step.catalog = &c;
    step.recipe = &r;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    catalog_done(&c);
}

static void used_gpu_cannot_go_but_with_its_recipes(void **state)
{
    struct fixture *f = *state;
    struct step step = {0};
    struct catalog c;
    struct recipe r;
    struct err e;

    catalog_init(&c);
    fixture_catalog(&c);
    fixture_recipe(&r, "one");
    fixture_place(&r, "alpha", "h200");
    step.catalog = &c;
    step.recipe = &r;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    c.gpus.count = 2; /* h200 is the last one. */
    ((struct model *)c.models.items)[0].published.count = 0;
    step.recipe = NULL;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_CONFLICT);
    assert_string_equal(e.text,
                        "the catalogue lacks the GPU h200, but recipe one of alpha uses it");
    assert_int_equal(db_tx_try(f->db, run_step, &step, &e), ERR_CONFLICT);
    step.prunes = true;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    assert_true(step.is_changed);
    catalog_done(&c);
}

static void used_model_and_priced_gpu_are_named(void **state)
{
    struct fixture *f = *state;
    struct step step = {0};
    struct catalog c;
    struct recipe r;
    struct err e;

    catalog_init(&c);
    fixture_catalog(&c);
    fixture_recipe(&r, "one");
    fixture_place(&r, "gamma", "h200");
    step.catalog = &c;
    step.recipe = &r;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    step.recipe = NULL;
    c.models.count = 2; /* gamma is the last one. */
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_CONFLICT);
    assert_string_equal(e.text,
                        "the catalogue lacks the model gamma, but recipe one on h200 uses it");
    c.models.count = 3;
    ((struct price *)c.prices.items)[0].gpu = "a100";
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_CONFLICT);
    assert_string_equal(e.text, "the catalogue lacks the GPU a100, but a price of AWS uses it");
    catalog_done(&c);
}

static void reader_keeps_the_catalogue_until_it_changes(void **state)
{
    struct fixture *f = *state;
    const struct catalog *first;
    const struct catalog *second;
    struct step step = {0};
    struct catalog c;
    struct db *reader;
    struct err e;

    fixture_put_catalog(f);
    assert_int_equal(db_open_read(f->path, &reader, &e), ERR_OK);
    assert_int_equal(db_catalog_get(reader, &first, &e), ERR_OK);
    assert_int_equal(first->gpus.count, 3);
    assert_int_equal(db_fact_put(f->db, "imported_at", "now", &e), ERR_OK);
    assert_int_equal(db_catalog_get(reader, &second, &e), ERR_OK);
    assert_ptr_equal(first, second);
    catalog_init(&c);
    fixture_catalog(&c);
    c.prices.count = 1;
    step.catalog = &c;
    assert_int_equal(db_tx_run(f->db, run_step, &step, &e), ERR_OK);
    catalog_done(&c);
    assert_int_equal(db_catalog_get(reader, &second, &e), ERR_OK);
    assert_int_equal(second->prices.count, 1);
    db_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loaded_catalogue_is_the_stored_one, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(nothing_stored_loads_as_nothing, fixture_set_up_database,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(putting_the_same_again_changes_nothing,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test_setup_teardown(catalogue_may_come_after_the_recipe,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test_setup_teardown(used_gpu_cannot_go_but_with_its_recipes,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test_setup_teardown(used_model_and_priced_gpu_are_named,
                                        fixture_set_up_database, fixture_tear_down),
        cmocka_unit_test_setup_teardown(reader_keeps_the_catalogue_until_it_changes,
                                        fixture_set_up_database, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_catalog", tests, NULL, NULL);
}
