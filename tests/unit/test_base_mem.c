/* Checked allocation, and the arena on top of it. */
#include "base/arena.h"
#include "base/mem.h"
#include "tests/support/test.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* A size whose product with itself wraps around. Volatile, so that no compiler refuses the call. */
static const volatile size_t huge = SIZE_MAX / 2 + 1;

static void an_array_is_zero_and_its_size_is_checked(void **state)
{
    unsigned char *array = mem_array(100, 7);

    (void)state;
    assert_non_null(array);
    for (size_t i = 0; i < 700; i++)
        assert_int_equal(array[i], 0);
    free(array);
    assert_null(mem_array(huge, 2));
    assert_null(mem_array(2, huge));
    array = mem_array(0, 8);
    assert_non_null(array);
    free(array);
}

static void an_array_grows_by_doubling(void **state)
{
    int *array = NULL;
    size_t cap = 0;

    (void)state;
    for (size_t len = 0; len < 1000; len++) {
        assert_true(mem_grow((void **)&array, &cap, len, sizeof *array));
        assert_true(cap > len);
        array[len] = (int)len;
    }
    assert_int_equal(cap, 1024);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    free(array);
}

static void an_array_that_cannot_grow_is_as_it_was(void **state)
{
    void *array = NULL;
    size_t cap = huge;

    (void)state;
    assert_false(mem_grow(&array, &cap, huge, 1));
    assert_true(cap == huge);
    cap = huge / 2;
    assert_false(mem_grow(&array, &cap, huge / 2, 16));
    assert_true(cap == huge / 2);
    assert_null(array);
}

static void a_text_is_copied_with_its_zero_bytes(void **state)
{
    char *copy = mem_text("a\0b", 3);

    (void)state;
    assert_memory_equal(copy, "a\0b", 4);
    free(copy);
    copy = mem_text(NULL, 0);
    assert_string_equal(copy, "");
    free(copy);
    assert_null(mem_text("", (size_t)-1));
}

static void an_arena_hands_out_zeroed_aligned_memory(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, 1 << 20);
    for (size_t size = 1; size < 300; size++) {
        unsigned char *part = arena_array(&a, 1, size);

        assert_non_null(part);
        assert_int_equal((uintptr_t)part % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(part[i], 0);
        memset(part, 0xAA, size);
    }
    arena_done(&a);
    assert_int_equal(a.used, 0);
    assert_null(a.head);
}

static void an_arena_has_parts_larger_than_its_blocks(void **state)
{
    struct arena a;
    char *small;
    char *large;

    (void)state;
    arena_init(&a, 1 << 20);
    small = arena_text(&a, "small", 5);
    large = arena_array(&a, 100000, 1);
    assert_non_null(large);
    memset(large, 'x', 100000);
    assert_string_equal(small, "small");
    assert_string_equal(arena_text(&a, "after", 5), "after");
    arena_done(&a);
    assert_string_equal(arena_text(&a, "again", 5), "again");
    arena_done(&a);
}

static void the_limit_of_an_arena_is_kept(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, 64);
    assert_non_null(arena_array(&a, 3, 16));
    assert_null(arena_array(&a, 17, 1));
    assert_non_null(arena_array(&a, 16, 1));
    assert_int_equal(a.used, 64);
    assert_null(arena_array(&a, 1, 1));
    assert_null(arena_text(&a, "", 0));
    arena_done(&a);
    assert_non_null(arena_array(&a, 64, 1));
    arena_done(&a);
}

static void an_arena_checks_products(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, SIZE_MAX);
    assert_null(arena_array(&a, huge, 2));
    assert_null(arena_array(&a, huge, huge));
    assert_null(arena_array(&a, huge, 1));
    assert_null(arena_text(&a, "", SIZE_MAX));
    assert_int_equal(a.used, 0);
    assert_non_null(arena_array(&a, huge, 0));
    arena_done(&a);
}

static void an_arena_copies_text_with_its_zero_bytes(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, 100);
    assert_memory_equal(arena_text(&a, "a\0b", 3), "a\0b", 4);
    assert_string_equal(arena_text(&a, NULL, 0), "");
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_zero_and_its_size_is_checked),
        cmocka_unit_test(an_array_grows_by_doubling),
        cmocka_unit_test(an_array_that_cannot_grow_is_as_it_was),
        cmocka_unit_test(a_text_is_copied_with_its_zero_bytes),
        cmocka_unit_test(an_arena_hands_out_zeroed_aligned_memory),
        cmocka_unit_test(an_arena_has_parts_larger_than_its_blocks),
        cmocka_unit_test(the_limit_of_an_arena_is_kept),
        cmocka_unit_test(an_arena_checks_products),
        cmocka_unit_test(an_arena_copies_text_with_its_zero_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
