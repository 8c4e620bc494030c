/* openrecipes check: judge recipe files without a database. */
#include "cli/commands.h"

#include "base/file.h"
#include "base/mem.h"
#include "importers/catalog_files.h"
#include "importers/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One file's report at most. */
enum { OUTPUT_LIMIT = 64 * 1024 * 1024 };

static const struct cli_option options[] = {
    {"catalog", "OPENRECIPES_CATALOG", "DIR", NULL,
     .help = "judge against this catalogue instead of the one built in"},
    {"strict", "OPENRECIPES_STRICT", NULL, NULL, .help = "take warnings for errors"},
    {"format", NULL, "text|json", "text",
     .help = "how to report; json writes one line for each file"},
};

static void write_text(const struct judgement *judgement, const char *name, struct buf *out)
{
    report_write_text(&judgement->report, name, out);
    if (judgement->report.errors > 0)
        return;
    buf_printf(out, "%s: valid; %s: %s\n", name, audit_runnable_name(judgement->audit.runnable),
               judgement->audit.summary);
}

static void write_json(const struct judgement *judgement, const char *name, struct buf *out)
{
    struct json j;

    json_init(&j, out);
    json_begin(&j, NULL, '{');
    json_put_text(&j, "file", name);
    judgement_write_json(judgement, &j);
    json_end(&j, '}');
    buf_putc(out, '\n');
}

/* Judge one file and print what was found.
 *
 * path:      tidied where it is one; "-" is standard input
 * out_valid: whether it has no errors */
static enum err_code check_file(const struct cli_args *args, const struct catalog *catalog,
                                const char *path, bool *out_valid, struct err *e)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    struct judgement judgement;
    char *bytes = NULL;
    size_t len = 0;
    struct buf out;
    enum err_code rc = file_read(path, RECIPE_FILE_LIMIT, &bytes, &len, e);

    if (rc != ERR_OK)
        return rc;
    buf_init(&out, OUTPUT_LIMIT);
    rc = judge_recipe(bytes, len, is_stdin ? NULL : path, catalog, NULL, &judgement, e);
    if (rc == ERR_OK && cli_flag(args, "strict"))
        report_make_strict(&judgement.report);
    *out_valid = judgement.report.errors == 0;
    if (rc == ERR_OK && strcmp(cli_value(args, "format"), "json") == 0)
        write_json(&judgement, name, &out);
    else if (rc == ERR_OK)
        write_text(&judgement, name, &out);
    if (rc == ERR_OK)
        rc = buf_check(&out, e);
    if (rc == ERR_OK)
        (void)fputs(buf_text(&out), stdout); /* main looks at standard output's state. */
    judgement_done(&judgement);
    buf_done(&out);
    free(bytes);
    return rc;
}

static int run(const struct cli_args *args)
{
    const char *folder = cli_value(args, "catalog");
    struct catalog catalog;
    struct err e = {0};
    size_t invalid = 0;
    enum err_code rc;

    catalog_init(&catalog);
    rc = folder ? catalog_load_folder(&catalog, folder, &e) : catalog_load_embedded(&catalog, &e);
    for (size_t i = 0; rc == ERR_OK && i < args->operand_count; i++) {
        char *path = mem_text(args->operands[i], strlen(args->operands[i]));
        bool is_valid = true;

        if (path)
            file_path_tidy(path);
        rc = path ? check_file(args, &catalog, path, &is_valid, &e) : err_nomem(&e);
        free(path);
        invalid += !is_valid;
    }
    catalog_done(&catalog);
    if (rc == ERR_OK && invalid > 0)
        rc = err_set(&e, ERR_INPUT, "errors in %zu of %zu files", invalid, args->operand_count);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_check = {
    .name = "check",
    .operands = "FILE...",
    .least = 1,
    .most = 10000,
    .summary = "Judge recipe files as import would, without a database.",
    .details = "- reads standard input. Every problem of every file is printed as\n"
               "path:line:column: error: field: what is wrong.\n\n"
               "Exit status: 0 all are valid; 64 usage; 65 a file has errors; 66 no such file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
