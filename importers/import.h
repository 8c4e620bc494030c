/* Import: files in, one transaction, every problem of every file out. A bad file never disturbs
 * what was there. */
#ifndef IMPORTERS_IMPORT_H
#define IMPORTERS_IMPORT_H

#include "core/report.h"
#include "db/db.h"

/* Called now and then with how many of the files are done; must be quick. */
typedef void import_progress(void *context, size_t done, size_t total);

/* What to import.
 *
 * paths:     files and folders, path_count of them
 * prune:     remove recipes whose file below the given folders is gone
 * dry_run:   judge and count, store nothing
 * strict:    take warnings for errors
 * finish:    makes what is made of all recipes together, at the end of the transaction; its context
 *            is NULL. May be NULL, and a dry run leaves it out
 * progress:  may be NULL */
struct import_options {
    const char *const *paths;
    size_t path_count;
    bool prune;
    bool dry_run;
    bool strict;
    db_tx_fn *finish;
    import_progress *progress;
    void *progress_context;
};

/* The problems of one file. */
struct import_problems {
    char *path;
    struct report report;
};

/* Files whose problems are kept; the rest are only counted. */
#define IMPORT_PROBLEM_FILES 1000

/* What came of it.
 *
 * problems:    files with errors or warnings, in the order they were read
 * hidden:      further files with problems
 * catalog_changed: whether the catalogue was stored anew
 * added, changed, same, removed: recipes, by their files' bytes; those of a failed or dry run were
 *              not stored
 * rendered:    recipes whose bytes are stored already, but of which something else is made now:
 *              the catalogue, the program or the file's place changed */
struct import_result {
    struct import_problems *problems;
    size_t problem_count;
    size_t problem_cap;
    size_t hidden;
    size_t errors;
    size_t warnings;
    size_t catalog_files;
    size_t recipe_files;
    size_t added;
    size_t changed;
    size_t same;
    size_t removed;
    size_t rendered;
    bool catalog_changed;
};

/* Import.
 *
 * db:     open for writing, migrated
 * out:    zeroed; filled on failure too; after use, import_result_done
 * Errors: ERR_INPUT if any file has an error (nothing was stored); ERR_NOT_FOUND or ERR_IO for a
 * path that cannot be read; ERR_BUSY, ERR_CONFLICT, ERR_NOMEM, ERR_CORRUPT. */
MUST_USE enum err_code import_run(struct db *db, const struct import_options *options,
                                  struct import_result *out, struct err *e);

/* Judge the stored recipes that cite a checkpoint again, after something else was found of it.
 * Inside a write transaction. A recipe that this program refuses stays as it is: an import tells
 * why.
 *
 * out_changed: how many differ now from what was stored; set on failure too */
MUST_USE enum err_code import_judge_citing(struct db *db, const char *source, const char *revision,
                                           size_t *out_changed, struct err *e);

/* Release the problems; the result is zeroed again. */
void import_result_done(struct import_result *result);

#endif
