/* A scratch folder for each test, and comparing what a command says. */
#include "tests/support/commands.h"

#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

int commands_set_up(void **state)
{
    struct commands *place = calloc(1, sizeof *place);

    assert_non_null(place);
    scratch_make(place->folder);
    scratch_path(place->db, place->folder, "openrecipes.db");
    *state = place;
    return 0;
}

int commands_tear_down(void **state)
{
    struct commands *place = *state;

    scratch_remove(place->folder);
    free(place);
    return 0;
}

void commands_run(void **state, const char *const *arguments, struct process_result *out)
{
    const struct commands *place = *state;
    const char *argv[12] = {process_binary()};
    const struct process_variable variables[] = {{"OPENRECIPES_DB", place->db}, {NULL, NULL}};
    const struct process_command command = {.argv = argv, .variables = variables};
    size_t i = 0;

    for (; arguments[i]; i++)
        argv[i + 1] = arguments[i];
    argv[i + 1] = NULL;
    process_run(&command, out);
    process_check_sanitizers(out);
}

void commands_expect(void **state, const char *const *arguments, int code, const char *out,
                     const char *err)
{
    struct process_result r;

    commands_run(state, arguments, &r);
    if (r.exit_code != code)
        fail_msg("%s: exit status %d instead of %d: %s%s", arguments[0], r.exit_code, code, r.out,
                 r.err);
    if (out)
        assert_string_equal(r.out, out);
    if (err)
        assert_string_equal(r.err, err);
    process_result_done(&r);
}
