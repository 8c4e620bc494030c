/* Storing, reading, walking and pruning recipes; their columns and the field table. */
#include "db/recipes.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"
#include "db/columns.h"
#include "db/rankings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void get_gives_what_put_stored(void **state)
{
    struct fixture *f = *state;
    struct recipe_page page;
    struct arena arena;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_recipe_get(f->db, "alpha", "h100", "one", &arena, &page, &e), ERR_OK);
    assert_int_equal(strlen(page.hash), 64);
    assert_string_equal(page.first_seen, "2026-11-30T12:00:00Z");
    assert_string_equal(page.changed_at, "2026-11-30T12:00:00Z");
    assert_string_equal(page.document, "{\"model\":\"Alpha\"}");
    assert_string_equal(page.audit, "{\"summary\":\"fine\"}");
    assert_string_equal(page.yaml, "model: Alpha\n");
    assert_int_equal(page.yaml_len, 13);
    assert_string_equal(page.run, "python3 train.py --tensor-model-parallel-size 2\n");
    assert_string_equal(page.author, "ATTUNE");
    assert_string_equal(page.confirmation, "not_checked");
    assert_int_equal(page.gpus, 8);
    assert_int_equal(page.active_params, 31000000000);
    assert_int_equal(page.row_tokens, 8192);
    assert_int_equal(page.global_batch, 128);
    assert_int_equal(page.steps, 15);
    assert_true(page.tokens_per_s_per_gpu == 1000);
    assert_true(page.step_time_cv_percent == 2.5);
    arena_done(&arena);
}

static void get_without_a_recipe_is_not_found(void **state)
{
    struct fixture *f = *state;
    struct recipe_page page;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    assert_int_equal(db_recipe_get(f->db, "alpha", "h100", "none", &arena, &page, &e),
                     ERR_NOT_FOUND);
    assert_string_equal(e.text, "there is no recipe none of alpha on h100");
    arena_done(&arena);
}

static void get_into_a_full_arena_is_a_limit(void **state)
{
    struct fixture *f = *state;
    struct recipe_page page;
    struct arena arena;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    (void)fixture_put(f, &r);
    arena_init(&arena, 100);
    assert_int_equal(db_recipe_get(f->db, "alpha", "h100", "one", &arena, &page, &e), ERR_LIMIT);
    assert_string_equal(e.text, "could not read a recipe: the result is too large");
    arena_done(&arena);
}

static void put_tells_what_it_did(void **state)
{
    struct fixture *f = *state;
    struct recipe r;

    fixture_recipe(&r, "one");
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    assert_int_equal(fixture_put(f, &r), RECIPE_SAME);
    r.derived.usd_per_million_tokens = 0;
    assert_int_equal(fixture_put(f, &r), RECIPE_REJUDGED);
    assert_int_equal(fixture_put(f, &r), RECIPE_SAME);
    r.layout.dispatcher = "deepep";
    assert_int_equal(fixture_put(f, &r), RECIPE_REJUDGED);
    r.layout.summary = "another";
    assert_int_equal(fixture_put(f, &r), RECIPE_REJUDGED);
    assert_int_equal(fixture_put(f, &r), RECIPE_SAME);
}

struct later {
    const struct recipe *recipe;
    enum recipe_change change;
};

static enum err_code put_later(struct db *db, void *context, struct err *e)
{
    struct later *later = context;
    const struct recipe_entry entry = {later->recipe,
                                       "/x.yaml",
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

    return db_recipe_put(db, &entry, "2027-01-01T00:00:00Z", &later->change, e);
}

static void change_keeps_the_first_date(void **state)
{
    struct fixture *f = *state;
    struct recipe_stored stored;
    struct recipe_page page;
    struct later later;
    struct arena arena;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    (void)fixture_put(f, &r);
    later.recipe = &r;
    assert_int_equal(db_tx_run(f->db, put_later, &later, &e), ERR_OK);
    assert_int_equal(later.change, RECIPE_CHANGED);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_recipe_get(f->db, "alpha", "h100", "one", &arena, &page, &e), ERR_OK);
    assert_string_equal(page.first_seen, "2026-11-30T12:00:00Z");
    assert_string_equal(page.changed_at, "2027-01-01T00:00:00Z");
    assert_int_equal(db_recipe_stored(f->db, "alpha", "h100", "one", &arena, &stored, &e), ERR_OK);
    assert_true(stored.is_there);
    assert_string_equal(stored.source, "/x.yaml");
    assert_int_equal(strncmp(stored.hash, "0123456789", 10), 0);
    assert_int_equal(db_recipe_stored(f->db, "alpha", "h100", "two", &arena, &stored, &e), ERR_OK);
    assert_false(stored.is_there);
    arena_done(&arena);
}

static enum err_code fail_after_put(struct db *db, void *context, struct err *e)
{
    enum err_code rc = put_later(db, context, e);

    return rc == ERR_OK ? err_set(e, ERR_INPUT, "on purpose") : rc;
}

static void failed_transaction_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct recipe_stored stored;
    struct later later;
    struct arena arena;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    later.recipe = &r;
    assert_int_equal(db_tx_run(f->db, fail_after_put, &later, &e), ERR_INPUT);
    assert_string_equal(e.text, "on purpose");
    assert_int_equal(db_tx_try(f->db, put_later, &later, &e), ERR_OK);
    assert_int_equal(later.change, RECIPE_ADDED);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_recipe_stored(f->db, "alpha", "h100", "one", &arena, &stored, &e), ERR_OK);
    assert_false(stored.is_there);
    arena_done(&arena);
}

static void recipe_of_an_unknown_gpu_is_refused(void **state)
{
    struct fixture *f = *state;
    struct later later;
    struct recipe r;
    struct err e;

    fixture_recipe(&r, "one");
    fixture_place(&r, "alpha", "a100");
    later.recipe = &r;
    assert_int_equal(db_tx_run(f->db, put_later, &later, &e), ERR_CONFLICT);
    assert_string_equal(e.text,
                        "the catalogue lacks the GPU a100, but recipe one of alpha uses it");
}

/* Slugs visited, one after the other, each with a space behind it. */
struct visited {
    struct fixture *f;
    struct recipe recipe;
    char text[256];
    size_t fail_at;
    size_t count;
};

static enum err_code note(void *context, const struct recipe_stored_text *text, struct err *e)
{
    struct visited *v = context;
    enum recipe_change change;
    const struct recipe_entry entry = {
        &v->recipe, text->source, text->hash, text->yaml, text->yaml_len, "{\"new\":1}", "{}",
        "",         "",           "facts",    NULL};

    if (++v->count == v->fail_at)
        return err_set(e, ERR_INPUT, "enough");
    (void)strncat(v->text, text->model, 20); /* Few and short. */
    (void)strncat(v->text, "/", 2);
    (void)strncat(v->text, text->recipe, 20);
    (void)strncat(v->text, " ", 2);
    assert_string_equal(text->yaml, "model: Alpha\n");
    assert_int_equal(text->yaml_len, 13);
    fixture_recipe(&v->recipe, text->recipe);
    fixture_place(&v->recipe, text->model, text->gpu);
    return db_recipe_put(v->f->db, &entry, "2027-01-01T00:00:00Z", &change, e);
}

static enum err_code walk(struct db *db, void *context, struct err *e)
{
    return db_recipes_visit(db, note, context, e);
}

static void visit_goes_in_order_while_recipes_change(void **state)
{
    static const char *const slugs[] = {"c", "a", "b"};
    struct visited v = {.f = *state};
    struct recipe r;
    struct err e;

    for (size_t i = 0; i < COUNT_OF(slugs); i++) {
        fixture_recipe(&r, slugs[i]);
        (void)fixture_put(v.f, &r);
        fixture_place(&r, "beta", "b200");
        (void)fixture_put(v.f, &r);
    }
    assert_int_equal(db_tx_run(v.f->db, walk, &v, &e), ERR_OK);
    assert_string_equal(v.text, "alpha/a alpha/b alpha/c beta/a beta/b beta/c ");
    v.count = 0;
    v.fail_at = 2;
    assert_int_equal(db_tx_run(v.f->db, walk, &v, &e), ERR_INPUT);
    assert_string_equal(e.text, "enough");
    assert_int_equal(v.count, 2);
}

static bool ends_with_b(void *context, const char *source)
{
    size_t *asked = context;

    ++*asked;
    return strcmp(source + strlen(source) - 6, "b.yaml") == 0;
}

struct prune {
    const char *folder;
    size_t asked;
    size_t removed;
};

static enum err_code prune(struct db *db, void *context, struct err *e)
{
    struct prune *p = context;

    p->asked = 0;
    return db_recipes_prune(db, p->folder, ends_with_b, &p->asked, "2026-12-01T12:00:00Z",
                            &p->removed, e);
}

static void prune_removes_what_was_not_seen_below_the_folder(void **state)
{
    static const char *const slugs[] = {"a", "b", "c"};
    struct fixture *f = *state;
    struct prune p = {.folder = "/data/recipes/alph"};
    const char *const *left;
    struct arena arena;
    struct recipe r;
    struct err e;

    for (size_t i = 0; i < COUNT_OF(slugs); i++) {
        fixture_recipe(&r, slugs[i]);
        (void)fixture_put(f, &r);
        fixture_place(&r, "beta", "h100");
        (void)fixture_put(f, &r);
    }
    assert_int_equal(db_tx_run(f->db, prune, &p, &e), ERR_OK);
    assert_int_equal(p.asked, 0);
    assert_int_equal(p.removed, 0);
    p.folder = "/data/recipes/alpha";
    assert_int_equal(db_tx_run(f->db, prune, &p, &e), ERR_OK);
    assert_int_equal(p.asked, 3);
    assert_int_equal(p.removed, 2);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_recipe_slugs(f->db, "alpha", "h100", &arena, &left, &e), ERR_OK);
    assert_string_equal(left[0], "b");
    assert_null(left[1]);
    assert_int_equal(db_recipe_slugs(f->db, "beta", "h100", &arena, &left, &e), ERR_OK);
    assert_string_equal(left[2], "c");
    assert_null(left[3]);
    arena_done(&arena);
}

/* The columns that a table has beyond the field table's. */
static const char *const own[] = {
    "id",    "window_steps", "speed_stderr", "card_head",  "card_tail",
    "hash",  "digest",       "source",       "first_seen", "changed_at",
    "audit", "document",     "yaml",         "facts",      NULL};

static bool is_own(const char *column)
{
    for (size_t i = 0; own[i]; i++)
        if (strcmp(own[i], column) == 0)
            return true;
    return false;
}

static const char *type_of(enum field_kind kind)
{
    if (kind == FIELD_REAL)
        return "REAL";
    return kind == FIELD_INT || kind == FIELD_BOOL ? "INTEGER" : "TEXT";
}

/* Check a table's columns by the field table, and count those that are the field table's. */
static size_t check_columns(sqlite3 *handle, enum recipe_table table)
{
    static const char *const queries[] = {
        [TABLE_RECIPES] = "SELECT name, type, \"notnull\" FROM pragma_table_info('recipes')",
        [TABLE_TEXTS] = "SELECT name, type, \"notnull\" FROM pragma_table_info('recipe_texts')",
        [TABLE_CARDS] = "SELECT name, type, \"notnull\" FROM pragma_table_info('recipe_cards')",
    };
    sqlite3_stmt *s;
    size_t count = 0;

    assert_int_equal(sqlite3_prepare_v2(handle, queries[table], -1, &s, NULL), SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        const struct field *field = field_by_column(&recipe_fields, name);

        if (is_own(name))
            continue;
        assert_non_null(field);
        assert_true(column_is_in(field, table));
        assert_string_equal((const char *)sqlite3_column_text(s, 1), type_of(field->kind));
        assert_int_equal(sqlite3_column_int(s, 2), !column_is_nullable(field));
        count++;
    }
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
    return count;
}

static void columns_are_those_of_the_field_table(void **state)
{
    struct fixture *f = *state;
    size_t wanted = 0;
    size_t cards = 0;
    sqlite3 *handle;

    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];

        wanted += field->column != NULL;
        cards += field->column && column_is_in(field, TABLE_CARDS);
    }
    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    assert_int_equal(check_columns(handle, TABLE_RECIPES) + check_columns(handle, TABLE_TEXTS),
                     wanted);
    assert_int_equal(check_columns(handle, TABLE_CARDS), cards);
    assert_int_equal(sqlite3_close(handle), SQLITE_OK);
    assert_int_equal(cards, 12);
    assert_true(wanted > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(get_gives_what_put_stored, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(get_without_a_recipe_is_not_found, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(get_into_a_full_arena_is_a_limit, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(put_tells_what_it_did, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(change_keeps_the_first_date, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(failed_transaction_leaves_nothing, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(recipe_of_an_unknown_gpu_is_refused, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(visit_goes_in_order_while_recipes_change,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(prune_removes_what_was_not_seen_below_the_folder,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(columns_are_those_of_the_field_table,
                                        fixture_set_up_catalog, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_recipes", tests, NULL, NULL);
}
