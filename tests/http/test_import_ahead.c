/* Reading ahead: files come back whole and in the list's order, whoever has read them; what is
 * wrong with one is told in its turn. A part of import, but one with threads, like the service. */
#include "importers/catalog_files.h"
#include "importers/import_ahead.h"
#include "tests/support/scratch.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many that there are threads, and the ring goes round several times. */
enum { RECIPES = 300, LONG_FILE = 40, BAD_FILE = 41, LOST_FILE = 200 };

/* A folder of recipes with their catalogue, and its files in order. */
struct fixture {
    char folder[SCRATCH_BYTES];
    struct file_list files;
    struct catalog catalog;
};

static int set_up(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);
    char catalog[SCRATCH_BYTES + sizeof "/catalog"];
    struct err e;

    assert_non_null(f);
    scratch_make(f->folder);
    synthetic_write_catalog(f->folder);
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r;

        synthetic_make(&r, 1, i);
        synthetic_write(&r, f->folder);
    }
    catalog_init(&f->catalog);
    (void)snprintf(catalog, sizeof catalog, "%s/catalog", f->folder);
    assert_int_equal(catalog_load_folder(&f->catalog, catalog, &e), ERR_OK);
    assert_int_equal(file_list_add(&f->files, f->folder, ".yaml", 1000, &e), ERR_OK);
    assert_true(f->files.count > RECIPES);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    file_list_done(&f->files);
    catalog_done(&f->catalog);
    scratch_remove(f->folder);
    free(f);
    return 0;
}

static bool is_recipe(const char *path)
{
    return strstr(path, "/recipes/") != NULL;
}

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

static void assert_is_file(const struct import_file *file, const char *path)
{
    char hash[HASH_HEX_BYTES];
    size_t len;
    char *bytes = scratch_read(path, &len);

    assert_int_equal(file->error.code, ERR_OK);
    assert_string_equal(name_of(file->canonical), name_of(path));
    assert_int_equal(file->len, len);
    assert_memory_equal(file->bytes, bytes, len);
    hash_sha256(bytes, len, hash);
    assert_string_equal(file->hash, hash);
    free(bytes);
}

static void files_come_in_order_with_their_recipes(void **state)
{
    struct fixture *f = *state;
    struct import_ahead *ahead = NULL;
    struct err e;

    assert_int_equal(import_ahead_start(&f->files, &f->catalog, &ahead, &e), ERR_OK);
    for (size_t i = 0; i < f->files.count; i++) {
        const char *path = f->files.paths[i];
        struct import_file *file = import_ahead_next(ahead);
        char stem[SLUG_BYTES + sizeof ".yaml"];

        if (!is_recipe(path)) {
            assert_null(file->bytes);
            assert_null(file->canonical);
            continue;
        }
        assert_is_file(file, path);
        assert_true(file->has_draft);
        assert_int_equal(file->draft.judgement.report.errors, 0);
        (void)snprintf(stem, sizeof stem, "%s.yaml", file->draft.judgement.recipe.derived.recipe);
        assert_string_equal(stem, name_of(path));
        assert_true(text_starts(buf_text(&file->draft.document), "{\"schema_version\":1,"));
        assert_true(text_starts(buf_text(&file->draft.audit), "{\"summary\":"));
    }
    import_ahead_stop(ahead);
}

static void recipes_that_are_not_needed_are_not_read(void **state)
{
    struct fixture *f = *state;
    struct import_ahead *ahead = NULL;
    size_t without = 0;
    struct err e;

    assert_int_equal(import_ahead_start(&f->files, &f->catalog, &ahead, &e), ERR_OK);
    for (size_t i = 0; i < f->files.count; i++) {
        const char *path = f->files.paths[i];
        struct import_file *file = import_ahead_next(ahead);
        const struct import_source source = import_file_source(file, path);

        import_ahead_expect(ahead, false);
        if (!is_recipe(path))
            continue;
        assert_is_file(file, path);
        without += !file->has_draft;
        assert_int_equal(import_file_parse(file, &source, &f->catalog, &e), ERR_OK);
        assert_true(file->has_draft);
        assert_int_equal(file->draft.judgement.report.errors, 0);
    }
    import_ahead_stop(ahead);
    assert_true(without >= RECIPES - 64); /* All but what was read before it was said. */
}

static void what_is_wrong_is_told_in_its_turn(void **state)
{
    struct fixture *f = *state;
    size_t first = 0;
    struct import_ahead *ahead = NULL;
    char *large = mem_array(1, RECIPE_FILE_LIMIT + 2);
    struct err e;

    assert_non_null(large);
    memset(large, '#', RECIPE_FILE_LIMIT + 1);
    while (!is_recipe(f->files.paths[first]))
        first++;
    scratch_write(f->files.paths[first + LONG_FILE], large, RECIPE_FILE_LIMIT + 1);
    scratch_write(f->files.paths[first + BAD_FILE], "model: [", 8);
    assert_int_equal(unlink(f->files.paths[first + LOST_FILE]), 0);
    assert_int_equal(import_ahead_start(&f->files, &f->catalog, &ahead, &e), ERR_OK);
    for (size_t i = 0; i < f->files.count; i++) {
        struct import_file *file = import_ahead_next(ahead);

        if (i == first + LONG_FILE) {
            assert_null(file->bytes);
            assert_int_equal(file->report.errors, 1);
            assert_string_equal(file->report.first->message,
                                "the file is longer than 1048576 bytes");
        } else if (i == first + BAD_FILE) {
            assert_true(file->has_draft && file->draft.judgement.report.errors > 0);
        } else {
            assert_int_equal(file->report.errors, 0);
        }
        assert_int_equal(file->error.code, i == first + LOST_FILE ? ERR_NOT_FOUND : ERR_OK);
    }
    import_ahead_stop(ahead);
    free(large);
}

static void stopping_early_waits_for_nobody(void **state)
{
    struct fixture *f = *state;
    struct import_ahead *ahead = NULL;
    struct err e;

    for (size_t taken = 0; taken < 40; taken += 13) {
        assert_int_equal(import_ahead_start(&f->files, &f->catalog, &ahead, &e), ERR_OK);
        for (size_t i = 0; i < taken; i++)
            assert_int_equal(import_ahead_next(ahead)->error.code, ERR_OK);
        import_ahead_stop(ahead);
    }
    import_ahead_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_in_order_with_their_recipes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(recipes_that_are_not_needed_are_not_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_told_in_its_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stopping_early_waits_for_nobody, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
