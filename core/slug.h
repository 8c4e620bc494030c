/* Slugs: the names that models, GPUs and recipes have in paths. */
#ifndef CORE_SLUG_H
#define CORE_SLUG_H

#include <stdbool.h>

/* Longest slug, and room for one with its zero byte. */
#define SLUG_LIMIT 100
#define SLUG_BYTES (SLUG_LIMIT + 1)

/* Tell whether text is a slug: [a-z0-9][a-z0-9.-]{0,99}, not ending like a format suffix
 * (.json .csv .ndjson .txt .atom .yaml .sh .bib .html). */
bool slug_check(const char *text);

/* Write a name in lower case, as the slug that it would be.
 *
 * out: "" if the name is NULL or longer than SLUG_LIMIT
 * returns whether out is a slug */
bool slug_make(char out[SLUG_BYTES], const char *name);

#endif
