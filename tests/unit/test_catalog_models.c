/* Models of the catalogue that no file describes: added, found and dropped. */
#include "core/catalog.h"
#include "tests/support/reading.h"
#include "tests/support/test.h"

#include "base/mem.h"

#include <stdio.h>

/* Read the project's three models. */
static void read_models(struct catalog *c)
{
    static const char *const slugs[] = {"gemma-4-26b-a4b", "gemma-4-31b", "qwen3.5-397b-a17b"};

    catalog_init(c);
    for (size_t i = 0; i < COUNT_OF(slugs); i++) {
        char path[100];
        struct reading r;
        struct err e;

        assert_true(snprintf(path, sizeof path, "catalog/models/%s.yaml", slugs[i]) > 0);
        reading_file(&r, path);
        assert_int_equal(catalog_read(c, CATALOG_MODEL, slugs[i], r.root, &r.report, &e), ERR_OK);
        reading_done(&r);
    }
}

static void bare_models_are_added_one_by_one(void **state)
{
    struct catalog c;
    struct err e = {0};
    char slug[16];

    (void)state;
    read_models(&c);
    for (int i = 0; i < 100; i++) {
        assert_true(snprintf(slug, sizeof slug, "m%d", i) > 0);
        assert_int_equal(catalog_add_model(&c, slug, "Name", &e), ERR_OK);
    }
    assert_int_equal(c.models.count, 103);
    assert_string_equal(catalog_model(&c, "gemma-4-31b")->family, "Gemma");
    assert_string_equal(catalog_model(&c, "m99")->slug, "m99");
    assert_null(catalog_model(&c, "m99")->family);
    catalog_done(&c);
}

static void an_index_finds_what_was_found_without_it(void **state)
{
    static const char *const words[] = {"gemma-4-31b", "GEMMA-4-31b", "m0",   "M57", "m99",
                                        "Name",        "gemma",       "m100", ""};
    const struct model *found[COUNT_OF(words)];
    struct catalog c;
    struct err e = {0};
    char slug[16];

    (void)state;
    read_models(&c);
    for (int i = 99; i >= 0; i--) {
        assert_true(snprintf(slug, sizeof slug, "m%d", i) > 0);
        assert_int_equal(catalog_add_model(&c, slug, "Name", &e), ERR_OK);
    }
    for (size_t i = 0; i < COUNT_OF(words); i++)
        found[i] = catalog_model(&c, words[i]);
    assert_int_equal(catalog_index(&c, &e), ERR_OK);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_ptr_equal(catalog_model(&c, words[i]), found[i]);
    catalog_drop_model(&c, "m57");
    assert_null(catalog_model(&c, "m57"));
    assert_string_equal(catalog_model(&c, "m56")->slug, "m56");
    catalog_done(&c);
}

/* Lists that somebody else made have room for what they hold and no more. */
static void models_are_added_to_lists_of_others(void **state)
{
    struct model one = {.slug = "one", .name = "One"};
    struct catalog c;
    struct err e = {0};

    (void)state;
    catalog_init(&c);
    c.models = (struct item_list){&one, 1};
    assert_int_equal(catalog_add_model(&c, "two", "Two", &e), ERR_OK);
    assert_int_equal(c.models.count, 2);
    assert_string_equal(catalog_model(&c, "ONE")->slug, "one");
    assert_string_equal(catalog_model(&c, "two")->name, "Two");
    catalog_done(&c);
}

static void a_bare_model_needs_memory(void **state)
{
    struct catalog c;
    struct err e = {0};

    (void)state;
    catalog_init(&c);
    c.arena.limit = 32; /* Slug and name, but no list. */
    assert_int_equal(catalog_add_model(&c, "m", "M", &e), ERR_NOMEM);
    assert_int_equal(e.code, ERR_NOMEM);
    assert_int_equal(c.models.count, 0);
    catalog_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_models_are_added_one_by_one),
        cmocka_unit_test(an_index_finds_what_was_found_without_it),
        cmocka_unit_test(models_are_added_to_lists_of_others),
        cmocka_unit_test(a_bare_model_needs_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
