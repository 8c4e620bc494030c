/* The made-up collection is valid to its last recipe, and the same every time. */
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include <string.h>

enum { RECIPES = 200 };

static void every_recipe_is_valid(void **state)
{
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
    const char *const argv[] = {process_binary(), "import", "--strict", "--db", db, folder, NULL};
    const struct process_command command = {.argv = argv};
    struct process_result result;

    (void)state;
    scratch_make(folder);
    scratch_path(db, folder, "x.db");
    synthetic_write_catalog(folder);
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r;

        synthetic_make(&r, (uint32_t)i % 3, i);
        synthetic_write(&r, folder);
    }
    process_run(&command, &result);
    assert_string_equal(result.err, "");
    assert_int_equal(result.exit_code, 0);
    assert_non_null(strstr(result.out, "200 recipes: 200 added"));
    process_result_done(&result);
    scratch_remove(folder);
}

static void a_seed_makes_the_same_recipe_again(void **state)
{
    struct synthetic a;
    struct synthetic b;

    (void)state;
    synthetic_make(&a, 5, 17);
    synthetic_make(&b, 5, 17);
    assert_memory_equal(&a, &b, sizeof a);
    synthetic_make(&b, 6, 17);
    assert_string_equal(a.recipe, "r00017");
    assert_string_equal(a.recipe, b.recipe);
    assert_string_equal(a.model, b.model);
    assert_string_equal(a.gpu, b.gpu);
    assert_true(a.tokens_per_s_per_gpu != b.tokens_per_s_per_gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recipe_is_valid),
        cmocka_unit_test(a_seed_makes_the_same_recipe_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
