/* Options: their help, their variables, and what mistakes in them end with, having changed nothing.
 */
#include "tests/support/commands.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void every_command_has_help(void **state)
{
    static const char *const commands[] = {"serve",  "import",   "check",  "migrate",
                                           "export", "snapshot", "schema", "version"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct process_result r;
        char usage[100];

        (void)snprintf(usage, sizeof usage, "Usage: openrecipes %s [OPTION...]", commands[i]);
        commands_run(state, ARGS(commands[i], "--help"), &r);
        assert_int_equal(r.exit_code, 0);
        assert_ptr_equal(strstr(r.out, usage), r.out);
        process_result_done(&r);
        commands_run(state, ARGS("help", commands[i]), &r);
        assert_int_equal(r.exit_code, 0);
        assert_ptr_equal(strstr(r.out, usage), r.out);
        process_result_done(&r);
        commands_run(state, ARGS("help"), &r);
        assert_non_null(strstr(r.out, commands[i]));
        process_result_done(&r);
    }
}

static void help_of_help_is_the_help(void **state)
{
    struct process_result plain;

    commands_run(state, ARGS("help"), &plain);
    assert_int_equal(plain.exit_code, 0);
    commands_expect(state, ARGS("help", "--help"), 0, plain.out, "");
    commands_expect(state, ARGS("help", "help"), 0, plain.out, "");
    process_result_done(&plain);
}

/* Each option's text begins in one column, two spaces or more after the option. */
static void help_has_one_column_for_all_options(void **state)
{
    struct process_result r;

    commands_run(state, ARGS("serve", "--help"), &r);
    assert_non_null(strstr(r.out, "\n  --connections-per-address N  connections at once from"));
    assert_non_null(strstr(r.out, "\n  --greet                      print commands to try\n"));
    assert_non_null(strstr(r.out, "Exit status: 0 ended by a signal; 64 usage;"));
    process_result_done(&r);
}

static void assert_nothing_made(const struct commands *place)
{
    struct stat about;

    assert_int_equal(stat(place->db, &about), -1);
}

static void mistakes_of_serve_leave_no_database(void **state)
{
    const struct commands *place = *state;

    commands_expect(
        state, ARGS("serve", "--threads", "0"), 64, "",
        "openrecipes serve: --threads: 0 is below 1\nSee `openrecipes serve --help`.\n");
    commands_expect(state, ARGS("serve", "--listen", "bogus"), 64, "",
                    "openrecipes serve: --listen: bogus is not an address to listen at; write "
                    "127.0.0.1:8080, [::1]:8080 or :8080\nSee `openrecipes serve --help`.\n");
    commands_expect(state, ARGS("serve", "--listen", ":70000"), 64, "", NULL);
    commands_expect(state, ARGS("serve", "--trusted-proxy", "10.0.0.0/99"), 64, "", NULL);
    assert_nothing_made(place);
}

static void databases_that_cannot_be_are_told(void **state)
{
    const struct commands *place = *state;
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char message[2048];
    struct stat about;

    scratch_path(folder, place->folder, "newdir");
    scratch_path(path, folder, "x.db");
    (void)snprintf(message, sizeof message, "openrecipes import: %s: there is no folder %s\n", path,
                   folder);
    commands_expect(state, ARGS("import", "--db", path, "recipes"), 66, "", message);
    commands_expect(state, ARGS("serve", "--db", path, "--listen", "127.0.0.1:0"), 66, "", NULL);
    commands_expect(state, ARGS("migrate", "--db", path), 66, "", NULL);
    assert_int_equal(stat(folder, &about), -1);
    (void)snprintf(message, sizeof message, "openrecipes import: %s: not a regular file\n",
                   place->folder);
    commands_expect(state, ARGS("import", "--db", place->folder, "recipes"), 66, "", message);
    commands_expect(state, ARGS("export", "--db", place->folder, "--format", "csv"), 66, "", NULL);
}

static void a_dry_run_leaves_no_database(void **state)
{
    const struct commands *place = *state;

    commands_expect(state, ARGS("import", "--dry-run", "catalog", "recipes"), 0, NULL, "");
    assert_nothing_made(place);
    commands_expect(state, ARGS("import", "--dry-run", "tests/invalid/number-below-range.yaml"), 65,
                    "", NULL);
    assert_nothing_made(place);
}

static void an_address_in_use_is_unavailable(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char message[200];
    char where[40];

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    (void)snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    (void)snprintf(message, sizeof message,
                   "openrecipes serve: cannot listen at %s: Address already in use\n", where);
    commands_expect(state, ARGS("serve", "--listen", where), 69, "", message);
    (void)close(fd);
}

/* Run check on a recipe with a warning, OPENRECIPES_STRICT being set to a word. */
static void expect_strict(const char *word, int code, const char *err)
{
    const char *const argv[] = {process_binary(), "check", "tests/invalid/stated-mfu-differs.yaml",
                                NULL};
    const struct process_variable variables[] = {{"OPENRECIPES_STRICT", word}, {NULL, NULL}};
    const struct process_command command = {.argv = argv, .variables = variables};
    struct process_result r;

    process_run(&command, &r);
    if (r.exit_code != code)
        fail_msg("OPENRECIPES_STRICT=%s: exit status %d instead of %d", word, r.exit_code, code);
    if (err)
        assert_string_equal(r.err, err);
    process_result_done(&r);
}

static void variables_of_flags_are_true_or_false(void **state)
{
    static const char *const off[] = {"", "0", "false", "no", "off", "FALSE"};
    static const char *const on[] = {"1", "true", "yes", "on", "On"};

    (void)state;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        expect_strict(off[i], 0, "");
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        expect_strict(on[i], 65, NULL);
    expect_strict("maybe", 64,
                  "openrecipes check: OPENRECIPES_STRICT: maybe is not one of true, yes, on, 1, "
                  "false, no, off, 0\nSee `openrecipes check --help`.\n");
}

static void mistakes_on_the_command_line_are_told(void **state)
{
    commands_expect(state, ARGS("imprt"), 64, "",
                    "openrecipes: there is no command imprt; did you mean import?\n"
                    "See `openrecipes help`.\n");
    commands_expect(state, ARGS("import"), 64, "",
                    "openrecipes import: PATH... is missing\nSee `openrecipes import --help`.\n");
    commands_expect(state, ARGS("import", "--purne", "recipes"), 64, "",
                    "openrecipes import: unrecognized option '--purne'\n"
                    "See `openrecipes import --help`.\n");
    commands_expect(state, ARGS("schema", "--format", "xml"), 64, "",
                    "openrecipes schema: --format: xml is not one of yaml|json\n"
                    "See `openrecipes schema --help`.\n");
    commands_expect(state, ARGS("export", "--format", "yam", "x"), 64, "", NULL);
    commands_expect(state, ARGS("import", "--format", "xml", "recipes"), 64, "", NULL);
    commands_expect(state, ARGS("check", "--format", "", "recipes"), 64, "", NULL);
    commands_expect(
        state, ARGS("import", "--db", "", "recipes"), 64, "",
        "openrecipes import: --db: the value is empty\nSee `openrecipes import --help`.\n");
    commands_expect(state, ARGS("import", "no/such/folder"), 66, "",
                    "openrecipes import: no/such/folder: No such file or directory\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_command_has_help, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(help_of_help_is_the_help, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(help_has_one_column_for_all_options, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(mistakes_of_serve_leave_no_database, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(databases_that_cannot_be_are_told, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_dry_run_leaves_no_database, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(an_address_in_use_is_unavailable, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(variables_of_flags_are_true_or_false, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(mistakes_on_the_command_line_are_told, commands_set_up,
                                        commands_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
