/* openrecipes export: all recipes as files, byte for byte, or as one JSON object a line. */
#include "cli/commands.h"

#include "base/file.h"
#include "base/json.h"
#include "db/recipes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One line of NDJSON at most, and the longest path that is written. */
enum { LINE_LIMIT = 16 * 1024 * 1024, PATH_LIMIT = 4096 };

static const struct cli_option options[] = {
    CLI_OPTION_DB,
    {"format", NULL, "yaml|ndjson", "yaml", "files below DIR, or lines on standard output"},
};

/* Where files go, and how many went. */
struct target {
    const char *folder;
    size_t written;
};

/* Make each folder of a path but its last part. */
static enum err_code make_folders(char *path, struct err *e)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int made;

        *slash = '\0';
        made = mkdir(path, 0755);
        if (made != 0 && errno != EEXIST)
            return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
        *slash = '/';
    }
    return ERR_OK;
}

static enum err_code write_file(void *context, const struct recipe_stored_text *text, struct err *e)
{
    struct target *target = context;
    enum err_code rc;
    struct buf path;

    buf_init(&path, PATH_LIMIT);
    buf_printf(&path, "%s/recipes/%s/%s/%s.yaml", target->folder, text->model, text->gpu,
               text->recipe);
    rc = buf_check(&path, e);
    if (rc == ERR_OK)
        rc = make_folders(path.data, e);
    if (rc == ERR_OK)
        rc = file_write(path.data, text->yaml, text->yaml_len, e);
    if (rc == ERR_OK)
        target->written++;
    buf_done(&path);
    return rc;
}

static enum err_code write_line(void *context, const struct recipe_stored_text *text, struct err *e)
{
    struct target *target = context;
    enum err_code rc;
    struct buf out;
    struct json j;

    buf_init(&out, LINE_LIMIT);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    json_put_text(&j, "model", text->model);
    json_put_text(&j, "gpu", text->gpu);
    json_put_text(&j, "recipe", text->recipe);
    json_put_text(&j, "hash", text->hash);
    json_put_raw(&j, "document", text->document, strlen(text->document));
    json_put_raw(&j, "audit", text->audit, strlen(text->audit));
    json_end(&j, '}');
    rc = buf_check(&out, e);
    if (rc == ERR_OK && puts(buf_text(&out)) < 0)
        rc = err_set(e, ERR_IO, "standard output: %s", strerror(errno));
    if (rc == ERR_OK)
        target->written++;
    buf_done(&out);
    return rc;
}

static int run(const struct cli_args *args)
{
    bool is_lines = strcmp(cli_value(args, "format"), "ndjson") == 0;
    struct target target = {.folder = args->operand_count > 0 ? args->operands[0] : NULL};
    struct db *db = NULL;
    struct err e = {0};
    enum err_code rc = ERR_OK;

    if (!is_lines && strcmp(cli_value(args, "format"), "yaml") != 0)
        rc = err_set(&e, ERR_INPUT, "--format: %s is none of yaml, ndjson",
                     cli_value(args, "format"));
    else if (is_lines == (target.folder != NULL))
        rc = err_set(&e, ERR_INPUT,
                     is_lines ? "lines go to standard output: name no folder"
                              : "name the folder that the files go to");
    if (rc == ERR_OK)
        rc = db_open_read(cli_value(args, "db"), &db, &e);
    if (rc == ERR_OK)
        rc = db_recipes_visit(db, is_lines ? write_line : write_file, &target, &e);
    db_close(db);
    if (rc != ERR_OK)
        return cli_fail(args, &e);
    if (!is_lines)
        printf("%zu recipes below %s/recipes\n", target.written, target.folder);
    return EXIT_SUCCESS;
}

const struct cli_command command_export = {
    .name = "export",
    .operands = "[DIR]",
    .most = 1,
    .summary = "Write all recipes as files, byte for byte, or as lines of JSON.",
    .details = "yaml writes DIR/recipes/<model>/<gpu>/<recipe>.yaml; ndjson writes one object a\n"
               "line to standard output: model, gpu, recipe, hash, document, audit.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
