/* Files of the project that the binary carries inside it: migrations, the catalogue, documents. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

/* One file. bytes is followed by a zero byte that len does not count. */
struct embed_file {
    const char *path; /* from the project's root: "migrations/0001_recipes.sql" */
    const char *bytes;
    size_t len;
};

/* All of them, sorted by path. */
extern const struct embed_file embed_files[];
extern const size_t embed_count;

/* Find a file by its path; NULL if there is none. */
const struct embed_file *embed_find(const char *path);

#endif
