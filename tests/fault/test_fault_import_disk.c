/* Importing while the disk fails at every point in turn: for one operation, or full from then on.
 */
#include "tests/support/importing.h"
#include "tests/support/test.h"

static void the_shim_sees_file_operations(void **state)
{
    importing_check_count(*state, FAULT_IO, 50);
    importing_check_count(*state, FAULT_SPACE, 50);
}

static void a_new_database_while_one_operation_fails(void **state)
{
    importing_fail_each_call(*state, FAULT_ONE_OPERATION, IMPORTING_NEW);
}

static void a_new_database_on_a_full_disk(void **state)
{
    importing_fail_each_call(*state, FAULT_FULL_DISK, IMPORTING_NEW);
}

static void an_older_database_while_one_operation_fails(void **state)
{
    importing_fail_each_call(*state, FAULT_ONE_OPERATION, IMPORTING_OLDER);
}

static void an_older_database_on_a_full_disk(void **state)
{
    importing_fail_each_call(*state, FAULT_FULL_DISK, IMPORTING_OLDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shim_sees_file_operations),
        cmocka_unit_test(a_new_database_while_one_operation_fails),
        cmocka_unit_test(a_new_database_on_a_full_disk),
        cmocka_unit_test(an_older_database_while_one_operation_fails),
        cmocka_unit_test(an_older_database_on_a_full_disk),
    };

    return cmocka_run_group_tests(tests, importing_set_up, importing_tear_down);
}
