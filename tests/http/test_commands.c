/* The command line, as people and scripts use it: what each command prints, stores and exits with.
 */
#include "base/file.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A scratch folder with a database in it. */
struct place {
    char folder[SCRATCH_BYTES];
    char db[SCRATCH_BYTES];
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    assert_non_null(place);
    scratch_make(place->folder);
    scratch_path(place->db, place->folder, "openrecipes.db");
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    scratch_remove(place->folder);
    free(place);
    return 0;
}

/* Run the binary with up to nine arguments, ended by NULL, and with OPENRECIPES_DB set to the
 * place's database. */
static void run(void **state, const char *const *arguments, struct process_result *out)
{
    const struct place *place = *state;
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

/* Run and compare exit status, standard output and standard error; NULL: not compared. */
static void expect(void **state, const char *const *arguments, int code, const char *out,
                   const char *err)
{
    struct process_result r;

    run(state, arguments, &r);
    if (r.exit_code != code)
        fail_msg("%s: exit status %d instead of %d: %s%s", arguments[0], r.exit_code, code, r.out,
                 r.err);
    if (out)
        assert_string_equal(r.out, out);
    if (err)
        assert_string_equal(r.err, err);
    process_result_done(&r);
}

/* Expands to an array of arguments ended by NULL. */
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_invalid_recipe_gets_its_messages(void **state)
{
    struct file_list list = {0};
    struct err e;

    assert_int_equal(file_list_add(&list, "tests/invalid", ".yaml", 1000, &e), ERR_OK);
    assert_true(list.count > 60);
    for (size_t i = 0; i < list.count; i++) {
        struct process_result r;
        char path[SCRATCH_BYTES];
        char *expected;

        (void)snprintf(path, sizeof path, "%.*s.txt", (int)strlen(list.paths[i]) - 5,
                       list.paths[i]);
        expected = scratch_read(path, NULL);
        run(state, ARGS("check", "--catalog", "catalog", list.paths[i]), &r);
        assert_string_equal(r.out, expected);
        assert_int_equal(r.exit_code, *r.err ? 65 : 0);
        process_result_done(&r);
        free(expected);
    }
    file_list_done(&list);
}

static void check_judges_warnings_strictly_when_asked(void **state)
{
    expect(state, ARGS("check", "tests/invalid/stated-mfu-differs.yaml"), 0, NULL, "");
    expect(state, ARGS("check", "--strict", "tests/invalid/stated-mfu-differs.yaml"), 65,
           "tests/invalid/stated-mfu-differs.yaml:82:8: error: result.mfu: 0.0469, but 6 * "
           "16331407360 * 1075.5 / 2250000000000000 = 0.0468385\n",
           "openrecipes check: errors in 1 of 1 files\n");
    expect(state, ARGS("check", "no/such/file.yaml"), 66, "",
           "openrecipes check: no/such/file.yaml: No such file or directory\n");
}

static void a_second_import_changes_nothing(void **state)
{
    const struct place *place = *state;
    char wal[SCRATCH_BYTES];
    struct stat before;
    struct stat after;

    expect(state, ARGS("import", "catalog", "recipes"), 0,
           "imported 6 catalogue files (changed); 5 recipes: 5 added, 0 changed, 0 unchanged, 0 "
           "removed\n",
           "");
    assert_int_equal(stat(place->db, &before), 0);
    expect(state, ARGS("import", "--prune", "catalog", "recipes"), 0,
           "imported 6 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n",
           "");
    assert_int_equal(stat(place->db, &after), 0);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    scratch_path(wal, place->folder, "openrecipes.db-wal");
    assert_int_not_equal(stat(wal, &after) == 0 && after.st_size > 0, 1);
}

/* Copy a recipe into the scratch folder's recipes/, changed at one place if from is not NULL. */
static void copy_recipe(const struct place *place, const char *to, const char *from_text,
                        const char *to_text)
{
    static const char *const folders[] = {"recipes", "recipes/gemma-4-31b",
                                          "recipes/gemma-4-31b/h100"};
    char path[SCRATCH_BYTES];
    char name[100];
    size_t len = 0;
    char *bytes = scratch_read("recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", &len);
    char *at = from_text ? strstr(bytes, from_text) : NULL;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        scratch_path(path, place->folder, folders[i]);
        (void)mkdir(path, 0755); /* It may be there already. */
    }
    if (from_text) {
        assert_non_null(at);
        assert_int_equal(strlen(from_text), strlen(to_text));
        memcpy(at, to_text, strlen(to_text));
    }
    (void)snprintf(name, sizeof name, "recipes/gemma-4-31b/h100/%s.yaml", to);
    scratch_path(path, place->folder, name);
    scratch_write(path, bytes, len);
    free(bytes);
}

static void a_bad_file_leaves_all_as_it_was(void **state)
{
    const struct place *place = *state;
    char folder[SCRATCH_BYTES];
    char message[2048];

    expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    copy_recipe(place, "good", NULL, NULL);
    copy_recipe(place, "bad", "  tp: 2\n", "  tp: 0\n");
    scratch_path(folder, place->folder, "recipes");
    (void)snprintf(message, sizeof message,
                   "%s/gemma-4-31b/h100/bad.yaml:67:7: error: layout.tp: 0 is below 1\n"
                   "openrecipes import: 1 error; nothing was imported\n",
                   folder);
    expect(state, ARGS("import", folder), 65, "", message);
    expect(state, ARGS("import", "recipes"), 0,
           "imported 0 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n",
           "");
}

static void prune_removes_what_is_gone_below_the_folder(void **state)
{
    const struct place *place = *state;
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];

    copy_recipe(place, "one", NULL, NULL);
    copy_recipe(place, "two", "  runs: 1\n", "  runs: 2\n");
    scratch_path(folder, place->folder, "recipes");
    expect(state, ARGS("import", "catalog", "recipes", folder), 0,
           "imported 6 catalogue files (changed); 7 recipes: 7 added, 0 changed, 0 unchanged, 0 "
           "removed\n",
           "");
    scratch_path(path, folder, "gemma-4-31b/h100/one.yaml");
    assert_int_equal(unlink(path), 0);
    expect(state, ARGS("import", folder), 0,
           "imported 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 0 removed\n",
           "");
    expect(state, ARGS("import", "--prune", "--dry-run", folder), 0,
           "would import 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 1 "
           "removed\n",
           "");
    expect(state, ARGS("import", "--prune", folder), 0,
           "imported 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 1 removed\n",
           "");
    copy_recipe(place, "two", "  runs: 1\n", "  runs: 3\n");
    expect(state, ARGS("import", "--prune", folder, "recipes"), 0,
           "imported 0 catalogue files; 6 recipes: 0 added, 1 changed, 5 unchanged, 0 removed\n",
           "");
}

static void two_files_of_one_recipe_are_refused(void **state)
{
    const struct place *place = *state;
    char folder[SCRATCH_BYTES];
    char message[2048];

    copy_recipe(place, "attune-tp2-pp4-split13", NULL, NULL);
    scratch_path(folder, place->folder, "recipes");
    (void)snprintf(message, sizeof message,
                   "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml: error: "
                   "gemma-4-31b/h100/attune-tp2-pp4-split13 is in "
                   "%s/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml, too\n"
                   "openrecipes import: 1 error; nothing was imported\n",
                   folder);
    expect(state, ARGS("import", "catalog", "recipes", folder), 65, "", message);
    copy_recipe(place, "attune-tp2-pp4-split13", "  runs: 1\n", "  runs: 2\n");
    expect(state, ARGS("import", "catalog", folder, "recipes"), 65, "", message);
    expect(state, ARGS("import", "catalog", folder, folder), 0,
           "imported 6 catalogue files (changed); 2 recipes: 1 added, 0 changed, 1 unchanged, 0 "
           "removed\n",
           "");
}

/* Copy the catalogue's three lists, the GPUs with another peak of the H100. */
static void copy_catalog(const struct place *place, const char *peak)
{
    static const char *const names[] = {"catalog/gpus.yaml", "catalog/prices.yaml",
                                        "catalog/authors.yaml"};
    char path[SCRATCH_BYTES];

    scratch_path(path, place->folder, "catalog");
    (void)mkdir(path, 0755); /* It may be there already. */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = 0;
        char *bytes = scratch_read(names[i], &len);
        char *at = strstr(bytes, "peak_bf16_flops: 989");

        if (at)
            memcpy(at, peak, strlen(peak));
        scratch_path(path, place->folder, names[i]);
        scratch_write(path, bytes, len);
        free(bytes);
    }
}

static void a_changed_catalogue_changes_no_recipe(void **state)
{
    const struct place *place = *state;
    char catalog[SCRATCH_BYTES];
    char folder[SCRATCH_BYTES];
    char gone[SCRATCH_BYTES];

    copy_recipe(place, "one", NULL, NULL);
    copy_recipe(place, "two", NULL, NULL);
    copy_catalog(place, "peak_bf16_flops: 989");
    scratch_path(folder, place->folder, "recipes");
    scratch_path(catalog, place->folder, "catalog");
    expect(state, ARGS("import", catalog, folder), 0, NULL, NULL);
    copy_catalog(place, "peak_bf16_flops: 979");
    copy_recipe(place, "one", "  runs: 1\n", "  runs: 2\n");
    expect(state, ARGS("import", "--dry-run", catalog, folder), 0,
           "would import 3 catalogue files (changed); 2 recipes: 0 added, 1 changed, 1 unchanged, "
           "0 removed, 1 judged again; 4 warnings\n",
           NULL);
    scratch_path(gone, folder, "gemma-4-31b/h100/two.yaml");
    assert_int_equal(unlink(gone), 0);
    expect(state, ARGS("import", "--prune", catalog, folder), 0,
           "imported 3 catalogue files (changed); 1 recipes: 0 added, 1 changed, 0 unchanged, 1 "
           "removed; 2 warnings\n",
           NULL);
}

static void import_reports_as_json(void **state)
{
    expect(state, ARGS("import", "--format", "json", "--dry-run", "catalog", "recipes"), 0,
           "{\"ok\":true,\"dry_run\":true,\"error\":null,\"catalog_changed\":true,"
           "\"catalog_files\":6,\"recipe_files\":5,\"added\":5,\"changed\":0,\"unchanged\":0,"
           "\"removed\":0,\"judged_again\":0,\"errors\":0,\"warnings\":0,\"files\":[]}\n",
           "");
    expect(state, ARGS("import", "--format", "json", "tests/invalid/number-below-range.yaml"), 65,
           "{\"ok\":false,\"dry_run\":false,\"error\":\"1 error; nothing was imported\","
           "\"catalog_changed\":true,\"catalog_files\":0,\"recipe_files\":1,\"added\":0,"
           "\"changed\":0,\"unchanged\":0,\"removed\":0,\"judged_again\":0,\"errors\":1,"
           "\"warnings\":0,\"files\":[{\"file\":\"tests/invalid/number-below-range.yaml\","
           "\"problems\":[{\"line\":61,\"column\":7,\"path\":\"layout.tp\",\"severity\":\"error\","
           "\"message\":\"0 is below 1\"}]}]}\n",
           "openrecipes import: 1 error; nothing was imported\n");
}

static void a_model_without_a_file_comes_and_goes_with_its_recipe(void **state)
{
    static const char warning[] =
        "tests/invalid/model-not-in-the-catalogue.yaml:4:8: warning: model: Qwen3.5-1T is not in "
        "the catalogue; it is created from the recipe\n";

    expect(state, ARGS("import", "catalog", "tests/invalid/model-not-in-the-catalogue.yaml"), 0,
           NULL, warning);
    expect(state, ARGS("import", "--strict", "tests/invalid/model-not-in-the-catalogue.yaml"), 65,
           NULL, NULL);
    expect(state, ARGS("import", "tests/invalid/model-not-in-the-catalogue.yaml"), 0, NULL,
           warning);
}

static void export_gives_back_the_bytes(void **state)
{
    const struct place *place = *state;
    struct file_list list = {0};
    struct process_result r;
    struct err e;

    expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    expect(state, ARGS("export", place->folder), 0, NULL, "");
    assert_int_equal(file_list_add(&list, "recipes", ".yaml", 100, &e), ERR_OK);
    assert_int_equal(list.count, 5);
    for (size_t i = 0; i < list.count; i++) {
        char path[SCRATCH_BYTES];
        size_t len[2];
        char *bytes[2];

        scratch_path(path, place->folder, list.paths[i]);
        bytes[0] = scratch_read(list.paths[i], &len[0]);
        bytes[1] = scratch_read(path, &len[1]);
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(bytes[0], bytes[1], len[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    file_list_done(&list);
    run(state, ARGS("export", "--format", "ndjson"), &r);
    assert_int_equal(r.exit_code, 0);
    assert_non_null(strstr(r.out, "{\"model\":\"gemma-4-26b-a4b\",\"gpu\":\"b200\","));
    assert_non_null(strstr(r.out, "\"final_loss_difference\":8.6e-05"));
    process_result_done(&r);
    expect(state, ARGS("export"), 64, "",
           "openrecipes export: name the folder that the files go to\n"
           "See `openrecipes export --help`.\n");
}

static void a_snapshot_is_a_whole_database(void **state)
{
    const struct place *place = *state;
    char copy[SCRATCH_BYTES];
    char folder[SCRATCH_BYTES];

    scratch_path(copy, place->folder, "copy.db");
    scratch_path(folder, place->folder, "files");
    expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    expect(state, ARGS("snapshot", copy), 0, NULL, "");
    expect(state, ARGS("export", "--db", copy, folder), 0, NULL, "");
    expect(state, ARGS("snapshot", copy), 65, "", NULL);
}

static void migrate_says_what_it_did(void **state)
{
    struct process_result r;

    run(state, ARGS("migrate"), &r);
    assert_int_equal(r.exit_code, 0);
    assert_ptr_equal(strstr(r.out, "schema 0 -> "), r.out);
    process_result_done(&r);
    run(state, ARGS("migrate"), &r);
    assert_non_null(strstr(r.out, "nothing to do"));
    process_result_done(&r);
}

static void every_command_has_help(void **state)
{
    static const char *const commands[] = {"serve",  "import",   "check",  "migrate",
                                           "export", "snapshot", "schema", "version"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct process_result r;
        char usage[100];

        (void)snprintf(usage, sizeof usage, "Usage: openrecipes %s [OPTION...]", commands[i]);
        run(state, ARGS(commands[i], "--help"), &r);
        assert_int_equal(r.exit_code, 0);
        assert_ptr_equal(strstr(r.out, usage), r.out);
        process_result_done(&r);
        run(state, ARGS("help", commands[i]), &r);
        assert_int_equal(r.exit_code, 0);
        assert_ptr_equal(strstr(r.out, usage), r.out);
        process_result_done(&r);
        run(state, ARGS("help"), &r);
        assert_non_null(strstr(r.out, commands[i]));
        process_result_done(&r);
    }
}

static void what_looks_like_a_recipe_is_not_passed_over_in_silence(void **state)
{
    const struct place *place = *state;
    static const char *const names[] = {"CAPS.YAML", "x.yml", "README.md", ".hidden.yml"};
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char message[4096];

    copy_recipe(place, "one", NULL, NULL);
    scratch_path(folder, place->folder, "recipes");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scratch_path(path, folder, names[i]);
        scratch_write(path, "x", 1);
    }
    scratch_path(path, folder, "fifo.yaml");
    assert_int_equal(mkfifo(path, 0600), 0);
    scratch_path(path, folder, "link.yaml");
    assert_int_equal(symlink("gemma-4-31b", path), 0);
    (void)snprintf(message, sizeof message,
                   "%s/CAPS.YAML: warning: passed over; rename to .yaml\n"
                   "%s/fifo.yaml: warning: passed over: not a regular file\n"
                   "%s/link.yaml: warning: passed over: not a regular file\n"
                   "%s/x.yml: warning: passed over; rename to .yaml\n",
                   folder, folder, folder, folder);
    expect(state, ARGS("import", folder), 0,
           "imported 0 catalogue files; 1 recipes: 1 added, 0 changed, 0 unchanged, 0 removed; 4 "
           "warnings\n",
           message);
    expect(state, ARGS("import", "--strict", folder), 65, "", NULL);
}

static void a_problem_between_catalogue_files_names_its_file(void **state)
{
    static const char price[] = "prices:\n"
                                "- {gpu: h9, provider: p, instance: i, region: r, purchase: spot, "
                                "usd_per_hour: 1, gpus: 8, as_of: 2026-01-01, source: s}\n";
    const struct place *place = *state;
    char catalog[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char message[2048];

    copy_catalog(place, "peak_bf16_flops: 989");
    scratch_path(catalog, place->folder, "catalog");
    scratch_path(path, catalog, "prices.yaml");
    scratch_write(path, price, sizeof price - 1);
    (void)snprintf(message, sizeof message,
                   "%s: error: prices[0].gpu: no GPU of the catalogue is called h9\n"
                   "openrecipes import: 1 error; nothing was imported\n",
                   path);
    expect(state, ARGS("import", catalog), 65, "", message);
}

static void paths_may_be_written_in_other_ways(void **state)
{
    expect(state, ARGS("import", "catalog/.", "recipes/."), 0,
           "imported 6 catalogue files (changed); 5 recipes: 5 added, 0 changed, 0 unchanged, 0 "
           "removed\n",
           "");
    expect(state, ARGS("import", "--prune", ".//catalog//", "./recipes//"), 0,
           "imported 6 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n",
           "");
    expect(state, ARGS("check", "recipes//gemma-4-31b/./h100/attune-tp2-pp4-split13.yaml"), 0, NULL,
           "");
}

static void help_of_help_is_the_help(void **state)
{
    struct process_result plain;

    run(state, ARGS("help"), &plain);
    assert_int_equal(plain.exit_code, 0);
    expect(state, ARGS("help", "--help"), 0, plain.out, "");
    expect(state, ARGS("help", "help"), 0, plain.out, "");
    process_result_done(&plain);
}

/* Each option's text begins in one column, two spaces or more after the option. */
static void help_has_one_column_for_all_options(void **state)
{
    struct process_result r;

    run(state, ARGS("serve", "--help"), &r);
    assert_non_null(strstr(r.out, "\n  --connections-per-address N  connections at once from"));
    assert_non_null(strstr(r.out, "\n  --greet                      print commands to try\n"));
    assert_non_null(strstr(r.out, "Exit status: 0 ended by a signal; 64 usage;"));
    process_result_done(&r);
}

static void assert_nothing_made(const struct place *place)
{
    struct stat about;

    assert_int_equal(stat(place->db, &about), -1);
}

static void mistakes_of_serve_leave_no_database(void **state)
{
    const struct place *place = *state;

    expect(state, ARGS("serve", "--threads", "0"), 64, "",
           "openrecipes serve: --threads: 0 is below 1\nSee `openrecipes serve --help`.\n");
    expect(state, ARGS("serve", "--listen", "bogus"), 64, "",
           "openrecipes serve: --listen: bogus is not an address to listen at; write "
           "127.0.0.1:8080, [::1]:8080 or :8080\nSee `openrecipes serve --help`.\n");
    expect(state, ARGS("serve", "--listen", ":70000"), 64, "", NULL);
    expect(state, ARGS("serve", "--trusted-proxy", "10.0.0.0/99"), 64, "", NULL);
    assert_nothing_made(place);
}

static void databases_that_cannot_be_are_told(void **state)
{
    const struct place *place = *state;
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char message[2048];
    struct stat about;

    scratch_path(folder, place->folder, "newdir");
    scratch_path(path, folder, "x.db");
    (void)snprintf(message, sizeof message, "openrecipes import: %s: there is no folder %s\n", path,
                   folder);
    expect(state, ARGS("import", "--db", path, "recipes"), 66, "", message);
    expect(state, ARGS("serve", "--db", path, "--listen", "127.0.0.1:0"), 66, "", NULL);
    expect(state, ARGS("migrate", "--db", path), 66, "", NULL);
    assert_int_equal(stat(folder, &about), -1);
    (void)snprintf(message, sizeof message, "openrecipes import: %s: not a regular file\n",
                   place->folder);
    expect(state, ARGS("import", "--db", place->folder, "recipes"), 66, "", message);
    expect(state, ARGS("export", "--db", place->folder, "--format", "csv"), 66, "", NULL);
}

static void a_dry_run_leaves_no_database(void **state)
{
    const struct place *place = *state;

    expect(state, ARGS("import", "--dry-run", "catalog", "recipes"), 0, NULL, "");
    assert_nothing_made(place);
    expect(state, ARGS("import", "--dry-run", "tests/invalid/number-below-range.yaml"), 65, "",
           NULL);
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
    expect(state, ARGS("serve", "--listen", where), 69, "", message);
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
    expect(state, ARGS("imprt"), 64, "",
           "openrecipes: there is no command imprt; did you mean import?\n"
           "See `openrecipes help`.\n");
    expect(state, ARGS("import"), 64, "",
           "openrecipes import: PATH... is missing\nSee `openrecipes import --help`.\n");
    expect(state, ARGS("import", "--purne", "recipes"), 64, "",
           "openrecipes import: unrecognized option '--purne'\n"
           "See `openrecipes import --help`.\n");
    expect(state, ARGS("schema", "--format", "xml"), 64, "",
           "openrecipes schema: --format: xml is not one of yaml|json\n"
           "See `openrecipes schema --help`.\n");
    expect(state, ARGS("export", "--format", "yam", "x"), 64, "", NULL);
    expect(state, ARGS("import", "--format", "xml", "recipes"), 64, "", NULL);
    expect(state, ARGS("check", "--format", "", "recipes"), 64, "", NULL);
    expect(state, ARGS("import", "--db", "", "recipes"), 64, "",
           "openrecipes import: --db: the value is empty\nSee `openrecipes import --help`.\n");
    expect(state, ARGS("import", "no/such/folder"), 66, "",
           "openrecipes import: no/such/folder: No such file or directory\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_invalid_recipe_gets_its_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(check_judges_warnings_strictly_when_asked, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_second_import_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_bad_file_leaves_all_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(prune_removes_what_is_gone_below_the_folder, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(two_files_of_one_recipe_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_catalogue_changes_no_recipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(import_reports_as_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_a_file_comes_and_goes_with_its_recipe,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(export_gives_back_the_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_is_a_whole_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(migrate_says_what_it_did, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_command_has_help, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_looks_like_a_recipe_is_not_passed_over_in_silence,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_problem_between_catalogue_files_names_its_file, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(paths_may_be_written_in_other_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(help_of_help_is_the_help, set_up, tear_down),
        cmocka_unit_test_setup_teardown(help_has_one_column_for_all_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_of_serve_leave_no_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(databases_that_cannot_be_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dry_run_leaves_no_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_address_in_use_is_unavailable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(variables_of_flags_are_true_or_false, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_on_the_command_line_are_told, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
