/* openrecipes export: all recipes as files, byte for byte, as a table, or as one JSON object a
 * line. */
#include "cli/commands.h"

#include "api/rows_recipes.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "core/recipe.h"
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
    {"format", NULL, "csv|ndjson|yaml", "yaml",
     .help = "files below DIR, or lines on standard output"},
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

static enum err_code write_all_files(struct db *db, struct target *target, struct err *e)
{
    enum err_code rc = db_recipes_visit(db, write_file, target, e);

    if (rc == ERR_OK)
        printf("%zu recipes below %s/recipes\n", target->written, target->folder);
    return rc;
}

static enum err_code write_all_lines(struct db *db, struct target *target, struct err *e)
{
    return db_recipes_visit(db, write_line, target, e);
}

/* Rows that are read at once. */
enum { PART_ROWS = 500 };

/* Memory of one part: rows and their text. */
#define PART_LIMIT ((size_t)64 * 1024 * 1024)

/* Write the rest of a walk, with a header before the first page. */
static enum err_code write_rows(const struct rows_style *style, struct rows_walk *walk,
                                bool is_first, struct err *e)
{
    enum err_code rc = ERR_OK;
    struct buf out;

    buf_init(&out, PART_LIMIT);
    if (is_first)
        rows_put_csv_header(&out, style);
    while (rc == ERR_OK && rows_walk_next(walk))
        rc = rows_put_csv(&out, style, walk, e);
    if (rc == ERR_OK)
        rc = buf_check(&out, e);
    if (rc == ERR_OK && fwrite(buf_text(&out), 1, out.len, stdout) != out.len)
        rc = err_set(e, ERR_IO, "standard output: %s", strerror(errno));
    buf_done(&out);
    return rc;
}

/* Write one page of the table, and let the query go on behind it. */
static enum err_code write_page(struct db *db, struct recipe_query *query, struct rows_walk *walk,
                                struct query_page *page, struct arena *arena, struct err *e)
{
    const struct query_value *before = query->after;
    struct rows_style style;
    enum err_code rc = db_query_run(db, query, arena, page, e);

    if (rc != ERR_OK)
        return rc;
    if (before)
        rows_walk_on(walk, query, page, before);
    else
        rows_walk_begin(walk, query, page);
    rows_recipes_style(query, true, true, &style);
    rc = write_rows(&style, walk, !before, e);
    if (page->count > 0)
        query->after = page->rows[page->count - 1].keys;
    return rc;
}

/* Write the table of /recipes.csv, page by page. */
static enum err_code write_table(struct db *db, struct target *target, struct err *e)
{
    const struct query_sort by_speed = {field_by_column(&recipe_fields, "tokens_per_s_per_gpu"),
                                        true};
    const struct field *columns[QUERY_COLUMNS];
    struct recipe_query query = {.sorts = &by_speed,
                                 .sort_count = 1,
                                 .columns = columns,
                                 .column_count = rows_recipes_csv(columns),
                                 .limit = PART_ROWS,
                                 .is_part = true};
    struct query_page page = {.has_more = true};
    struct rows_walk walk;
    struct arena arenas[2]; /* The keys of one page begin the next one. */
    enum err_code rc = ERR_OK;

    (void)target; /* It has a folder only. */
    arena_init(&arenas[0], PART_LIMIT);
    arena_init(&arenas[1], PART_LIMIT);
    for (size_t part = 0; rc == ERR_OK && page.has_more; part++) {
        arena_done(&arenas[part % 2]);
        rc = write_page(db, &query, &walk, &page, &arenas[part % 2], e);
    }
    arena_done(&arenas[0]);
    arena_done(&arenas[1]);
    return rc;
}

/* A format, and whether it goes to a folder or to standard output. */
struct format {
    const char *name;
    bool has_folder;
    enum err_code (*write)(struct db *db, struct target *target, struct err *e);
};

static const struct format formats[] = {
    {"csv", false, write_table},
    {"ndjson", false, write_all_lines},
    {"yaml", true, write_all_files},
};

/* Find the format that was asked for; NULL if there is none, or it does not fit, for the reason in
 * e. */
static const struct format *find_format(const struct cli_args *args, struct err *e)
{
    const char *name = cli_value(args, "format");
    bool has_folder = args->operand_count > 0;

    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        if (strcmp(formats[i].name, name) != 0)
            continue;
        if (formats[i].has_folder == has_folder)
            return &formats[i];
        (void)err_set(e, ERR_INPUT, /* The NULL tells. */
                      has_folder ? "lines go to standard output: name no folder"
                                 : "name the folder that the files go to");
        return NULL;
    }
    (void)err_bug(e, "no format %s", name); /* The option's row has their names. */
    return NULL;
}

/* Write the collection as it was at one time, though imports come while it is written. */
static enum err_code write_state(struct db *db, const struct format *format, struct target *target,
                                 struct err *e)
{
    enum err_code rc = db_read_begin(db, e);

    if (rc == ERR_OK)
        rc = format->write(db, target, e);
    db_read_end(db);
    return rc;
}

static int run(const struct cli_args *args)
{
    struct target target = {.folder = args->operand_count > 0 ? args->operands[0] : NULL};
    struct db *db = NULL;
    struct err e = {0};
    const struct format *format = find_format(args, &e);
    enum err_code rc;

    if (!format)
        return cli_misuse(args, &e);
    rc = db_open_read(cli_value(args, "db"), &db, &e);
    if (rc == ERR_OK)
        rc = write_state(db, format, &target, &e);
    if (rc == ERR_OK && fflush(stdout) != 0)
        rc = err_set(&e, ERR_IO, "standard output: %s", strerror(errno));
    db_close(db);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_export = {
    .name = "export",
    .operands = "[DIR]",
    .most = 1,
    .summary = "Write all recipes as files, byte for byte, as a table, or as lines of JSON.",
    .details =
        "yaml writes DIR/recipes/<model>/<gpu>/<recipe>.yaml; ndjson writes one object a\n"
        "line to standard output: model, gpu, recipe, hash, document, audit; csv writes the\n"
        "columns of /recipes.csv to standard output.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
