/* What the parts of import share: one run's state, and storing one recipe. For importers/import*.c
 * only. */
#ifndef IMPORTERS_IMPORT_RUN_H
#define IMPORTERS_IMPORT_RUN_H

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "core/catalog.h"
#include "db/recipes.h"
#include "importers/import.h"

/* Everything that one import holds; the part from db on is made anew by each try. */
struct import_run {
    const struct import_options *options;
    struct import_result *result;
    struct file_list files;
    char now[CLOCK_TEXT_BYTES];

    struct db *db;
    struct catalog catalog;
    bool renders_all;         /* the catalogue or the program changed, so nothing may be skipped */
    struct file_list sources; /* canonical paths of the recipe files seen; sorted when all are */
};

/* The file of a recipe: where it is as the user said it and as the system says it, its bytes and
 * their hash. */
struct import_source {
    const char *path;
    const char *canonical;
    const char *bytes;
    size_t len;
    char hash[HASH_HEX_BYTES];
};

/* Count a file's problems and keep them for the caller. Swallows the report. */
MUST_USE enum err_code import_take_report(struct import_run *run, const char *path,
                                          struct report *report, struct err *e);

/* Judge one file's bytes and store the recipe unless the file has errors.
 *
 * out_is_stored: whether it was; out_change: how it differs from what was stored */
MUST_USE enum err_code import_store(struct import_run *run, const struct import_source *source,
                                    enum recipe_change *out_change, bool *out_is_stored,
                                    struct err *e);

/* Judge a stored recipe again, from its stored bytes, and store it if that changes anything. */
MUST_USE enum err_code import_stored(struct import_run *run, const struct recipe_stored_text *text,
                                     struct err *e);

#endif
