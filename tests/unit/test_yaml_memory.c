/* The YAML reader where memory is short: an error, not a crash and not a refusal; and a document
 * that its arena has no room for: a refusal. */
#include "importers/yaml_tree.h"

#include "core/recipe.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* libyaml asks for memory through these two names, and the program's own come before the library's.
 * allowed counts down to the allocation that fails; below zero none does. */
static int allowed = -1;

void *yaml_malloc(size_t size);
void *yaml_realloc(void *old, size_t size);

void *yaml_malloc(size_t size)
{
    if (allowed == 0)
        return NULL;
    allowed -= allowed > 0;
    return malloc(size > 0 ? size : 1);
}

void *yaml_realloc(void *old, size_t size)
{
    if (allowed == 0)
        return NULL;
    allowed -= allowed > 0;
    return realloc(old, size > 0 ? size : 1);
}

static const char sample[] =
    "a: [1, {b: \"c\\x41\"}]\nd:\n- e\n- |\n  f\n? g\n: 'h'\ni: &j !!str k\nl: !<x> \"\"\nm: ! n\n";

/* Read the sample with all memory but the n-th allocation of libyaml; count the problems. */
static enum err_code read_sample(int n, size_t *out_problems)
{
    struct arena arena;
    struct report report;
    struct tree_node *root = NULL;
    struct err e;
    enum err_code status;

    arena_init(&arena, RECIPE_ARENA_LIMIT);
    report_init(&report);
    allowed = n;
    status = yaml_tree_read(sample, strlen(sample), &arena, &root, &report, &e);
    allowed = -1;
    assert_null(root);
    *out_problems = report.errors;
    report_done(&report);
    arena_done(&arena);
    return status;
}

static void lack_of_memory_in_libyaml_is_an_error(void **state)
{
    size_t problems;
    int failures = 0;

    (void)state;
    for (; read_sample(failures, &problems) != ERR_OK; failures++) {
        assert_int_equal(read_sample(failures, &problems), ERR_NOMEM);
        assert_true(failures < 10000);
    }
    assert_true(failures > 20);
    assert_int_equal(problems, 4);
}

/* Read a map in an arena of this size. */
static bool fits(size_t limit)
{
    struct arena arena;
    struct report report;
    struct tree_node *root = NULL;
    struct err e;
    bool is_read;

    arena_init(&arena, limit);
    report_init(&report);
    assert_int_equal(yaml_tree_read("a: 1\nb: [2]\n", 12, &arena, &root, &report, &e), ERR_OK);
    is_read = root != NULL;
    assert_int_equal(report.errors, is_read ? 0 : 1);
    if (!is_read)
        assert_string_equal(report.first->message, "the document has too many values");
    report_done(&report);
    arena_done(&arena);
    return is_read;
}

static void a_full_arena_is_the_documents_fault(void **state)
{
    size_t limit = 16;

    (void)state;
    while (!fits(limit))
        limit += 16;
    assert_in_range(limit, 400, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lack_of_memory_in_libyaml_is_an_error),
        cmocka_unit_test(a_full_arena_is_the_documents_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
