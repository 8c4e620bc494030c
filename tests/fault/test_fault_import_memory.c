/* Importing while memory fails at every point in turn: for one allocation, or from then on. */
#include "tests/support/importing.h"
#include "tests/support/test.h"

static void the_shim_sees_allocations(void **state)
{
    importing_check_count(*state, FAULT_MALLOC, 500);
}

static void a_new_database_while_one_allocation_fails(void **state)
{
    importing_fail_each_call(*state, FAULT_ONE_ALLOCATION, IMPORTING_NEW);
}

static void a_new_database_without_memory(void **state)
{
    importing_fail_each_call(*state, FAULT_NO_MEMORY, IMPORTING_NEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shim_sees_allocations),
        cmocka_unit_test(a_new_database_while_one_allocation_fails),
        cmocka_unit_test(a_new_database_without_memory),
    };

    return cmocka_run_group_tests(tests, importing_set_up, importing_tear_down);
}
