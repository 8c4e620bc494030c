/* Reading the files of an import ahead of the thread that stores them. What needs no database is
 * done by other threads: the bytes, their hash, the recipe in them, its audit and texts. They are
 * handed back in the list's order, so that what comes of an import never depends on who was faster.
 */
#ifndef IMPORTERS_IMPORT_AHEAD_H
#define IMPORTERS_IMPORT_AHEAD_H

#include "base/file.h"
#include "base/hash.h"
#include "importers/import_draft.h"

/* A file that was read.
 *
 * error:     why it was not, if its code is not ERR_OK: the import ends with it
 * canonical: its path as the system says it; whoever takes it leaves NULL
 * bytes:     len of them; NULL: the file is too long, which the report says
 * report:    problems before the recipe is looked at
 * draft:     of the recipe in it, where has_draft is set */
struct import_file {
    struct err error;
    char *canonical;
    char *bytes;
    size_t len;
    char hash[HASH_HEX_BYTES];
    struct report report;
    bool has_draft;
    struct import_draft draft;
};

struct import_ahead;

/* Start reading files; those of a catalogue are not read.
 *
 * files, catalog: lent, and not changed, until import_ahead_stop
 * Owns:  the caller ends with import_ahead_stop. */
MUST_USE enum err_code import_ahead_start(const struct file_list *files,
                                          const struct catalog *catalog, struct import_ahead **out,
                                          struct err *e);

/* Take the next file of the list, waiting for it if need be. It is lent until the next call. */
struct import_file *import_ahead_next(struct import_ahead *ahead);

/* A file that was read, as a source. All but the hash is lent by the file and the caller. */
struct import_source import_file_source(const struct import_file *file, const char *path);

/* Read the recipe in a file, if that was not done yet. source: the file's */
MUST_USE enum err_code import_file_parse(struct import_file *file,
                                         const struct import_source *source,
                                         const struct catalog *catalog, struct err *e);

/* Say whether the last file's recipe was needed: those of the next ones are read ahead if so. It is
 * a guess, and changes nothing but who reads them. */
void import_ahead_expect(struct import_ahead *ahead, bool is_needed);

/* Wait for the threads and release everything. NULL is fine. */
void import_ahead_stop(struct import_ahead *ahead);

#endif
