/* Paths and bytes of catalogue files; what they mean is core/catalog.c's. */
#include "importers/catalog_files.h"

#include "base/embed.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "importers/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

/* Files that a catalogue may have: one for each model of the collection, and three more. */
enum { MOST_FILES = 100000 };

static const struct {
    const char *name;
    enum catalog_file file;
} fixed[] = {{"gpus.yaml", CATALOG_GPUS},
             {"prices.yaml", CATALOG_PRICES},
             {"authors.yaml", CATALOG_AUTHORS}};

/* Find what follows the last folder named "catalog"; NULL if there is none. */
static const char *below_catalog(const char *path)
{
    static const char folder[] = "catalog/";
    const char *found = NULL;

    for (const char *at = strstr(path, folder); at; at = strstr(at + 1, folder))
        if (at == path || at[-1] == '/')
            found = at + sizeof folder - 1;
    return found;
}

enum catalog_path catalog_path_kind(const char *path, enum catalog_file *out_file)
{
    static const char models[] = "models/";
    const char *name = below_catalog(path);

    if (!name)
        return CATALOG_PATH_NONE;
    for (size_t i = 0; i < COUNT_OF(fixed); i++) {
        if (strcmp(name, fixed[i].name) == 0) {
            *out_file = fixed[i].file;
            return CATALOG_PATH_FILE;
        }
    }
    if (!text_starts(name, models) || strchr(name + sizeof models - 1, '/') ||
        !text_ends(name, ".yaml"))
        return CATALOG_PATH_UNKNOWN;
    *out_file = CATALOG_MODEL;
    return CATALOG_PATH_FILE;
}

bool catalog_file_has(const char *path, const char *problem)
{
    static const char models[] = "models[";
    const char *slash = strrchr(path, '/');
    const char *stem = slash ? slash + 1 : path;
    enum catalog_file which;
    size_t len;

    if (catalog_path_kind(path, &which) != CATALOG_PATH_FILE)
        return false;
    len = strlen(stem) - sizeof ".yaml" + 1;
    if (which != CATALOG_MODEL)
        return strncmp(problem, stem, len) == 0 && problem[len] == '[';
    return text_starts(problem, models) && strncmp(problem + sizeof models - 1, stem, len) == 0 &&
           problem[sizeof models - 1 + len] == ']';
}

/* The file's name without folder and ".yaml", as a copy to free. */
static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return mem_text(name, strlen(name) - sizeof ".yaml" + 1);
}

enum err_code catalog_file_read(struct catalog *c, const char *path, const char *bytes, size_t len,
                                struct report *report, struct err *e)
{
    enum catalog_file which = CATALOG_GPUS;
    struct tree_node *root = NULL;
    struct arena tree_arena;
    char *stem = NULL;
    enum err_code rc;

    if (catalog_path_kind(path, &which) != CATALOG_PATH_FILE)
        return err_bug(e, "%s is no catalogue file", path);
    arena_init(&tree_arena, TREE_ARENA_LIMIT);
    rc = yaml_tree_read(bytes, len, &tree_arena, &root, report, e);
    if (rc == ERR_OK && root) {
        stem = stem_of(path);
        rc = stem ? catalog_read(c, which, stem, root, report, e) : err_nomem(e);
    }
    if (rc == ERR_OK && report->is_short)
        rc = err_nomem(e);
    free(stem);
    arena_done(&tree_arena);
    return rc;
}

/* Read one file where any problem is the end: a catalogue that cannot be read cannot judge. */
static enum err_code read_strictly(struct catalog *c, const char *path, const char *bytes,
                                   size_t len, struct err *e)
{
    struct report report;
    struct buf text;
    enum err_code rc;

    report_init(&report);
    buf_init(&text, RECIPE_FILE_LIMIT);
    rc = catalog_file_read(c, path, bytes, len, &report, e);
    if (rc == ERR_OK && report.errors > 0) {
        report_sort(&report);
        report_write_text(&report, path, &text);
        rc = err_set(e, ERR_INPUT, "%.*s", (int)strcspn(buf_text(&text), "\n"), buf_text(&text));
    }
    buf_done(&text);
    report_done(&report);
    return rc;
}

/* References between files are looked at when all are read. */
static enum err_code check_whole(const struct catalog *c, const char *where, struct err *e)
{
    struct report report;
    enum err_code rc = ERR_OK;

    report_init(&report);
    catalog_check(c, &report);
    if (report.is_short)
        rc = err_nomem(e);
    else if (report.errors > 0)
        rc = err_set(e, ERR_INPUT, "%s: %s: %s", where, report.first->path, report.first->message);
    report_done(&report);
    return rc;
}

enum err_code catalog_load_embedded(struct catalog *c, struct err *e)
{
    for (size_t i = 0; i < embed_count; i++) {
        enum catalog_file which;
        enum err_code rc;

        if (catalog_path_kind(embed_files[i].path, &which) != CATALOG_PATH_FILE)
            continue;
        rc = read_strictly(c, embed_files[i].path, embed_files[i].bytes, embed_files[i].len, e);
        if (rc != ERR_OK)
            return rc;
    }
    return check_whole(c, "the catalogue built in", e);
}

enum err_code catalog_load_folder(struct catalog *c, const char *folder, struct err *e)
{
    struct file_list list = {0};
    enum err_code rc = file_list_add(&list, folder, ".yaml", MOST_FILES, e);

    for (size_t i = 0; rc == ERR_OK && i < list.count; i++) {
        enum catalog_file which;
        char *bytes = NULL;
        size_t len = 0;

        if (catalog_path_kind(list.paths[i], &which) != CATALOG_PATH_FILE) {
            rc = err_set(e, ERR_INPUT,
                         "%s: not a catalogue file (catalog/gpus.yaml, prices.yaml, authors.yaml "
                         "or models/SLUG.yaml)",
                         list.paths[i]);
            break;
        }
        rc = file_read(list.paths[i], RECIPE_FILE_LIMIT, &bytes, &len, e);
        if (rc == ERR_OK)
            rc = read_strictly(c, list.paths[i], bytes, len, e);
        free(bytes);
    }
    if (rc == ERR_OK)
        rc = check_whole(c, folder, e);
    file_list_done(&list);
    return rc;
}
