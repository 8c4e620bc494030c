/* openrecipes import: files into the database. */
#include "cli/commands.h"

#include "api/ranking_pages.h"
#include "base/json.h"
#include "cli/database.h"
#include "cli/progress.h"
#include "importers/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The report as JSON at most; thousands of problems fit. */
enum { OUTPUT_LIMIT = 256 * 1024 * 1024 };

static const struct cli_option options[] = {
    CLI_OPTION_DB,
    {"prune", NULL, NULL, NULL,
     .help = "remove recipes whose file below the given folders is gone"},
    {"dry-run", NULL, NULL, NULL, .help = "judge everything, store nothing"},
    {"strict", "OPENRECIPES_STRICT", NULL, NULL, .help = "take warnings for errors"},
    {"format", NULL, "text|json", "text", .help = "how to report"},
};

static void print_problems(const struct import_result *result, struct buf *out)
{
    for (size_t i = 0; i < result->problem_count; i++)
        report_write_text(&result->problems[i].report, result->problems[i].path, out);
    if (result->hidden > 0)
        buf_printf(out, "%zu more files have problems\n", result->hidden);
    (void)fputs(buf_text(out), stderr); /* What is lost here, the exit status tells. */
}

static void print_text(const struct import_result *result, bool is_ok, bool is_dry)
{
    struct buf out;

    buf_init(&out, OUTPUT_LIMIT);
    print_problems(result, &out);
    buf_done(&out);
    if (!is_ok)
        return;
    printf("%s%zu catalogue files%s; %zu recipes: %zu added, %zu changed, %zu unchanged, %zu "
           "removed",
           is_dry ? "would import " : "imported ", result->catalog_files,
           result->catalog_changed && result->catalog_files > 0 ? " (changed)" : "",
           result->recipe_files, result->added, result->changed, result->same, result->removed);
    if (result->rendered > 0)
        printf(", %zu judged again", result->rendered);
    if (result->warnings > 0)
        printf("; %zu warning%s", result->warnings, result->warnings == 1 ? "" : "s");
    printf("\n");
}

static enum err_code print_json(const struct import_result *result, bool is_ok, bool is_dry,
                                const struct err *cause, struct err *e)
{
    enum err_code rc;
    struct json j;
    struct buf out;

    buf_init(&out, OUTPUT_LIMIT);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    json_put_bool(&j, "ok", is_ok);
    json_put_bool(&j, "dry_run", is_dry);
    json_put_text(&j, "error", is_ok ? NULL : cause->text);
    json_put_bool(&j, "catalog_changed", result->catalog_changed);
    json_put_int(&j, "catalog_files", (int64_t)result->catalog_files);
    json_put_int(&j, "recipe_files", (int64_t)result->recipe_files);
    json_put_int(&j, "added", (int64_t)result->added);
    json_put_int(&j, "changed", (int64_t)result->changed);
    json_put_int(&j, "unchanged", (int64_t)result->same);
    json_put_int(&j, "removed", (int64_t)result->removed);
    json_put_int(&j, "judged_again", (int64_t)result->rendered);
    json_put_int(&j, "errors", (int64_t)result->errors);
    json_put_int(&j, "warnings", (int64_t)result->warnings);
    json_begin(&j, "files", '[');
    for (size_t i = 0; i < result->problem_count; i++) {
        json_begin(&j, NULL, '{');
        json_put_text(&j, "file", result->problems[i].path);
        report_write_json(&result->problems[i].report, "problems", &j);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    rc = buf_check(&out, e);
    if (rc == ERR_OK)
        (void)puts(buf_text(&out)); /* main looks at standard output's state. */
    buf_done(&out);
    return rc;
}

static int run(const struct cli_args *args)
{
    bool is_json = strcmp(cli_value(args, "format"), "json") == 0;
    const char *path = cli_value(args, "db");
    char *scratch = NULL;
    bool is_dry = cli_flag(args, "dry-run");
    struct import_result result = {0};
    struct progress progress;
    struct db *db = NULL;
    struct err e = {0};
    struct err json_e = {0};
    enum err_code rc;

    progress_init(&progress, "files");
    rc = is_dry ? cli_scratch_make(path, &scratch, &e) : ERR_OK;
    if (rc == ERR_OK)
        rc = cli_open_migrated(scratch ? scratch : path, &db, NULL, NULL, &e);
    if (rc == ERR_OK) {
        const struct import_options what = {.paths = args->operands,
                                            .path_count = args->operand_count,
                                            .prune = cli_flag(args, "prune"),
                                            .dry_run = is_dry,
                                            .strict = cli_flag(args, "strict"),
                                            .finish = ranking_pages_write,
                                            .progress = progress_show,
                                            .progress_context = &progress};

        rc = import_run(db, &what, &result, &e);
    }
    progress_done(&progress);
    if (!is_json)
        print_text(&result, rc == ERR_OK, is_dry);
    else if (print_json(&result, rc == ERR_OK, is_dry, &e, &json_e) != ERR_OK && rc == ERR_OK) {
        rc = json_e.code;
        e = json_e;
    }
    db_close(db);
    cli_scratch_remove(scratch);
    import_result_done(&result);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_import = {
    .name = "import",
    .operands = "PATH...",
    .least = 1,
    .most = 10000,
    .summary = "Import recipe and catalogue files into the database.",
    .details =
        "Files and folders, in one transaction: either everything is stored or nothing.\n"
        "Catalogue files are known by their path (catalog/gpus.yaml and so on) and come first.\n"
        "A file that is stored already, byte for byte, is passed over.\n\n"
        "Exit status: 0 done; 64 usage; 65 a file has errors, each told on standard error;\n"
        "66 no such path; 71 out of memory; 74 the disk failed; 75 the database is in use.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
