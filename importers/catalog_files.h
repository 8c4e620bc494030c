/* Catalogue files: which paths are ones, and reading them from a folder or from inside the binary.
 */
#ifndef IMPORTERS_CATALOG_FILES_H
#define IMPORTERS_CATALOG_FILES_H

#include "core/catalog.h"
#include "core/report.h"

/* What a path names, by its last folder named "catalog". */
enum catalog_path {
    CATALOG_PATH_NONE,   /* no catalogue file: a recipe */
    CATALOG_PATH_FILE,   /* gpus.yaml, prices.yaml, authors.yaml or models/SLUG.yaml in it */
    CATALOG_PATH_UNKNOWN /* something else in it */
};
enum catalog_path catalog_path_kind(const char *path, enum catalog_file *out_file);

/* Tell whether a problem of catalog_check is in this file, by its path: "prices[1].gpu" in
 * prices.yaml, "models[SLUG].name" in models/SLUG.yaml. */
bool catalog_file_has(const char *path, const char *problem);

/* Read the bytes of one catalogue file into a catalogue.
 *
 * path:   a CATALOG_PATH_FILE
 * Errors: ERR_NOMEM only; the report has every problem. */
MUST_USE enum err_code catalog_file_read(struct catalog *c, const char *path, const char *bytes,
                                         size_t len, struct report *report, struct err *e);

/* Fill a catalogue from the files that the binary carries, for `check` without --catalog.
 *
 * c: after catalog_init */
MUST_USE enum err_code catalog_load_embedded(struct catalog *c, struct err *e);

/* Fill a catalogue from a folder named "catalog".
 *
 * Errors: ERR_INPUT naming the first problem; ERR_NOT_FOUND, ERR_IO, ERR_NOMEM. */
MUST_USE enum err_code catalog_load_folder(struct catalog *c, const char *folder, struct err *e);

#endif
