/* The command line, as people and scripts use it: what each command prints, stores and exits with.
 */
#include "base/file.h"
#include "tests/support/commands.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
        commands_run(state, ARGS("check", "--catalog", "catalog", list.paths[i]), &r);
        assert_string_equal(r.out, expected);
        assert_int_equal(r.exit_code, *r.err ? 65 : 0);
        process_result_done(&r);
        free(expected);
    }
    file_list_done(&list);
}

static void check_judges_warnings_strictly_when_asked(void **state)
{
    commands_expect(state, ARGS("check", "tests/invalid/stated-mfu-differs.yaml"), 0, NULL, "");
    commands_expect(
        state, ARGS("check", "--strict", "tests/invalid/stated-mfu-differs.yaml"), 65,
        "tests/invalid/stated-mfu-differs.yaml:82:8: error: result.mfu: 0.0469, but 6 * "
        "16331407360 * 1075.5 / 2250000000000000 = 0.0468385\n",
        "openrecipes check: errors in 1 of 1 files\n");
    commands_expect(state, ARGS("check", "no/such/file.yaml"), 66, "",
                    "openrecipes check: no/such/file.yaml: No such file or directory\n");
}

static void a_second_import_changes_nothing(void **state)
{
    const struct commands *place = *state;
    char wal[SCRATCH_BYTES];
    struct stat before;
    struct stat after;

    commands_expect(
        state, ARGS("import", "catalog", "recipes"), 0,
        "imported 6 catalogue files (changed); 5 recipes: 5 added, 0 changed, 0 unchanged, 0 "
        "removed\n",
        "");
    assert_int_equal(stat(place->db, &before), 0);
    commands_expect(
        state, ARGS("import", "--prune", "catalog", "recipes"), 0,
        "imported 6 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n", "");
    assert_int_equal(stat(place->db, &after), 0);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    scratch_path(wal, place->folder, "openrecipes.db-wal");
    assert_int_not_equal(stat(wal, &after) == 0 && after.st_size > 0, 1);
}

/* Copy a recipe into the scratch folder's recipes/, changed at one place if from is not NULL. */
static void copy_recipe(const struct commands *place, const char *to, const char *from_text,
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
    const struct commands *place = *state;
    char folder[SCRATCH_BYTES];
    char message[2048];

    commands_expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    copy_recipe(place, "good", NULL, NULL);
    copy_recipe(place, "bad", "  tp: 2\n", "  tp: 0\n");
    scratch_path(folder, place->folder, "recipes");
    (void)snprintf(message, sizeof message,
                   "%s/gemma-4-31b/h100/bad.yaml:67:7: error: layout.tp: 0 is below 1\n"
                   "openrecipes import: 1 error; nothing was imported\n",
                   folder);
    commands_expect(state, ARGS("import", folder), 65, "", message);
    commands_expect(
        state, ARGS("import", "recipes"), 0,
        "imported 0 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n", "");
}

static void prune_removes_what_is_gone_below_the_folder(void **state)
{
    const struct commands *place = *state;
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];

    copy_recipe(place, "one", NULL, NULL);
    copy_recipe(place, "two", "  runs: 1\n", "  runs: 2\n");
    scratch_path(folder, place->folder, "recipes");
    commands_expect(
        state, ARGS("import", "catalog", "recipes", folder), 0,
        "imported 6 catalogue files (changed); 7 recipes: 7 added, 0 changed, 0 unchanged, 0 "
        "removed\n",
        "");
    scratch_path(path, folder, "gemma-4-31b/h100/one.yaml");
    assert_int_equal(unlink(path), 0);
    commands_expect(
        state, ARGS("import", folder), 0,
        "imported 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 0 removed\n", "");
    commands_expect(state, ARGS("import", "--prune", "--dry-run", folder), 0,
                    "would import 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 1 "
                    "removed\n",
                    "");
    commands_expect(
        state, ARGS("import", "--prune", folder), 0,
        "imported 0 catalogue files; 1 recipes: 0 added, 0 changed, 1 unchanged, 1 removed\n", "");
    copy_recipe(place, "two", "  runs: 1\n", "  runs: 3\n");
    commands_expect(
        state, ARGS("import", "--prune", folder, "recipes"), 0,
        "imported 0 catalogue files; 6 recipes: 0 added, 1 changed, 5 unchanged, 0 removed\n", "");
}

static void two_files_of_one_recipe_are_refused(void **state)
{
    const struct commands *place = *state;
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
    commands_expect(state, ARGS("import", "catalog", "recipes", folder), 65, "", message);
    copy_recipe(place, "attune-tp2-pp4-split13", "  runs: 1\n", "  runs: 2\n");
    commands_expect(state, ARGS("import", "catalog", folder, "recipes"), 65, "", message);
    commands_expect(
        state, ARGS("import", "catalog", folder, folder), 0,
        "imported 6 catalogue files (changed); 2 recipes: 1 added, 0 changed, 1 unchanged, 0 "
        "removed\n",
        "");
}

/* Copy the catalogue's three lists, the GPUs with another peak of the H100. */
static void copy_catalog(const struct commands *place, const char *peak)
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
    const struct commands *place = *state;
    char catalog[SCRATCH_BYTES];
    char folder[SCRATCH_BYTES];
    char gone[SCRATCH_BYTES];

    copy_recipe(place, "one", NULL, NULL);
    copy_recipe(place, "two", NULL, NULL);
    copy_catalog(place, "peak_bf16_flops: 989");
    scratch_path(folder, place->folder, "recipes");
    scratch_path(catalog, place->folder, "catalog");
    commands_expect(state, ARGS("import", catalog, folder), 0, NULL, NULL);
    copy_catalog(place, "peak_bf16_flops: 979");
    copy_recipe(place, "one", "  runs: 1\n", "  runs: 2\n");
    commands_expect(
        state, ARGS("import", "--dry-run", catalog, folder), 0,
        "would import 3 catalogue files (changed); 2 recipes: 0 added, 1 changed, 1 unchanged, "
        "0 removed, 1 judged again; 4 warnings\n",
        NULL);
    scratch_path(gone, folder, "gemma-4-31b/h100/two.yaml");
    assert_int_equal(unlink(gone), 0);
    commands_expect(
        state, ARGS("import", "--prune", catalog, folder), 0,
        "imported 3 catalogue files (changed); 1 recipes: 0 added, 1 changed, 0 unchanged, 1 "
        "removed; 2 warnings\n",
        NULL);
}

static void import_reports_as_json(void **state)
{
    commands_expect(
        state, ARGS("import", "--format", "json", "--dry-run", "catalog", "recipes"), 0,
        "{\"ok\":true,\"dry_run\":true,\"error\":null,\"catalog_changed\":true,"
        "\"catalog_files\":6,\"recipe_files\":5,\"added\":5,\"changed\":0,\"unchanged\":0,"
        "\"removed\":0,\"judged_again\":0,\"errors\":0,\"warnings\":0,\"files\":[]}\n",
        "");
    commands_expect(
        state, ARGS("import", "--format", "json", "tests/invalid/number-below-range.yaml"), 65,
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

    commands_expect(state,
                    ARGS("import", "catalog", "tests/invalid/model-not-in-the-catalogue.yaml"), 0,
                    NULL, warning);
    commands_expect(state,
                    ARGS("import", "--strict", "tests/invalid/model-not-in-the-catalogue.yaml"), 65,
                    NULL, NULL);
    commands_expect(state, ARGS("import", "tests/invalid/model-not-in-the-catalogue.yaml"), 0, NULL,
                    warning);
}

static void export_gives_back_the_bytes(void **state)
{
    const struct commands *place = *state;
    struct file_list list = {0};
    struct process_result r;
    struct err e;

    commands_expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    commands_expect(state, ARGS("export", place->folder), 0, NULL, "");
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
    commands_run(state, ARGS("export", "--format", "ndjson"), &r);
    assert_int_equal(r.exit_code, 0);
    assert_non_null(strstr(r.out, "{\"model\":\"gemma-4-26b-a4b\",\"gpu\":\"b200\","));
    assert_non_null(strstr(r.out, "\"final_loss_difference\":8.6e-05"));
    process_result_done(&r);
    commands_expect(state, ARGS("export"), 64, "",
                    "openrecipes export: name the folder that the files go to\n"
                    "See `openrecipes export --help`.\n");
}

static void a_snapshot_is_a_whole_database(void **state)
{
    const struct commands *place = *state;
    char copy[SCRATCH_BYTES];
    char folder[SCRATCH_BYTES];

    scratch_path(copy, place->folder, "copy.db");
    scratch_path(folder, place->folder, "files");
    commands_expect(state, ARGS("import", "catalog", "recipes"), 0, NULL, "");
    commands_expect(state, ARGS("snapshot", copy), 0, NULL, "");
    commands_expect(state, ARGS("export", "--db", copy, folder), 0, NULL, "");
    commands_expect(state, ARGS("snapshot", copy), 65, "", NULL);
}

static void migrate_says_what_it_did(void **state)
{
    struct process_result r;

    commands_run(state, ARGS("migrate"), &r);
    assert_int_equal(r.exit_code, 0);
    assert_ptr_equal(strstr(r.out, "schema 0 -> "), r.out);
    process_result_done(&r);
    commands_run(state, ARGS("migrate"), &r);
    assert_non_null(strstr(r.out, "nothing to do"));
    process_result_done(&r);
}

static void what_looks_like_a_recipe_is_not_passed_over_in_silence(void **state)
{
    const struct commands *place = *state;
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
    commands_expect(
        state, ARGS("import", folder), 0,
        "imported 0 catalogue files; 1 recipes: 1 added, 0 changed, 0 unchanged, 0 removed; 4 "
        "warnings\n",
        message);
    commands_expect(state, ARGS("import", "--strict", folder), 65, "", NULL);
}

static void a_problem_between_catalogue_files_names_its_file(void **state)
{
    static const char price[] = "prices:\n"
                                "- {gpu: h9, provider: p, instance: i, region: r, purchase: spot, "
                                "usd_per_hour: 1, gpus: 8, as_of: 2026-01-01, source: s}\n";
    const struct commands *place = *state;
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
    commands_expect(state, ARGS("import", catalog), 65, "", message);
}

static void paths_may_be_written_in_other_ways(void **state)
{
    commands_expect(
        state, ARGS("import", "catalog/.", "recipes/."), 0,
        "imported 6 catalogue files (changed); 5 recipes: 5 added, 0 changed, 0 unchanged, 0 "
        "removed\n",
        "");
    commands_expect(
        state, ARGS("import", "--prune", ".//catalog//", "./recipes//"), 0,
        "imported 6 catalogue files; 5 recipes: 0 added, 0 changed, 5 unchanged, 0 removed\n", "");
    commands_expect(state, ARGS("check", "recipes//gemma-4-31b/./h100/attune-tp2-pp4-split13.yaml"),
                    0, NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_invalid_recipe_gets_its_messages, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(check_judges_warnings_strictly_when_asked, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_second_import_changes_nothing, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_bad_file_leaves_all_as_it_was, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(prune_removes_what_is_gone_below_the_folder,
                                        commands_set_up, commands_tear_down),
        cmocka_unit_test_setup_teardown(two_files_of_one_recipe_are_refused, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_changed_catalogue_changes_no_recipe, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(import_reports_as_json, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_a_file_comes_and_goes_with_its_recipe,
                                        commands_set_up, commands_tear_down),
        cmocka_unit_test_setup_teardown(export_gives_back_the_bytes, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_is_a_whole_database, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(migrate_says_what_it_did, commands_set_up,
                                        commands_tear_down),
        cmocka_unit_test_setup_teardown(what_looks_like_a_recipe_is_not_passed_over_in_silence,
                                        commands_set_up, commands_tear_down),
        cmocka_unit_test_setup_teardown(a_problem_between_catalogue_files_names_its_file,
                                        commands_set_up, commands_tear_down),
        cmocka_unit_test_setup_teardown(paths_may_be_written_in_other_ways, commands_set_up,
                                        commands_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
