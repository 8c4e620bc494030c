/* Whole files in and out. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

/* Read a regular file whole.
 *
 * path:   "-" reads standard input
 * limit:  bytes that it may have
 * out_bytes, out_len: contents, and a zero byte after them that is not counted
 * Errors: ERR_NOT_FOUND, ERR_IO, ERR_NOMEM; ERR_INPUT for a folder, a device or a pipe by name;
 *         ERR_LIMIT if it is longer than limit.
 * Owns:   the caller frees *out_bytes with free(). */
MUST_USE enum err_code file_read(const char *path, size_t limit, char **out_bytes, size_t *out_len,
                                 struct err *e);

/* A folder whose canonical path was asked for last; {0} at first. */
struct file_folder {
    char *path;
    char *canonical;
};

/* Find the canonical path of a file or folder, as realpath does. Of the files of one folder only
 * the first one asks the system for each folder above.
 *
 * last:   the folder asked for last
 * Errors: ERR_NOT_FOUND, ERR_IO, ERR_NOMEM.
 * Owns:   the caller frees *out_path, and ends with file_folder_done. */
MUST_USE enum err_code file_canonical(struct file_folder *last, const char *path, char **out_path,
                                      struct err *e);
void file_folder_done(struct file_folder *last);

/* Write a whole new file and put it in place under its name in one step, so that a reader sees the
 * old file or the new one, never a part.
 *
 * Errors: ERR_NOT_FOUND if there is no such folder, ERR_IO, ERR_NOMEM; an old file of that name is
 *         then as it was. */
MUST_USE enum err_code file_write(const char *path, const char *bytes, size_t len, struct err *e);

/* Shorten a path in place to the form that says the same without "//", "/./" and a "/" or "/." at
 * its end; ".." stays, as links may stand before it. */
void file_path_tidy(char *path);

/* A list of paths, sorted bytewise. */
struct file_list {
    char **paths;
    size_t count;
    size_t cap;
};

/* Add path itself, tidied, if it is no folder, else every regular file below it whose name ends in
 * suffix, in bytewise order. Names that start with a dot are passed over; links to folders are not
 * followed.
 *
 * limit:  files that the list may have
 * Errors: ERR_NOT_FOUND, ERR_IO, ERR_NOMEM, ERR_LIMIT; the list keeps what it had before.
 * Owns:   the list; the caller ends with file_list_done. */
MUST_USE enum err_code file_list_add(struct file_list *list, const char *path, const char *suffix,
                                     size_t limit, struct err *e);

/* The same, and list what was passed over but for names that start with a dot: files of another
 * suffix, links to folders, pipes, sockets, devices.
 *
 * skipped: sorted too, and as long as the list at most; NULL: nobody wants to know */
MUST_USE enum err_code file_list_look(struct file_list *list, struct file_list *skipped,
                                      const char *path, const char *suffix, size_t limit,
                                      struct err *e);

/* Release the paths; the list is empty again. */
void file_list_done(struct file_list *list);

#endif
