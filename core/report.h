/* The problems found in one input, all of them at once, each with its place. Used for recipe files,
 * catalogue files and POST /check. */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

/* One problem.
 *
 * line, column: from 1, columns counted in characters; 0 when the problem has no one place
 * path:         dotted path of the field ("layout.tp"), "" for the whole file
 * message:      "0 is below 1" */
struct problem {
    size_t line;
    size_t column;
    enum severity severity;
    const char *path;
    const char *message;
    struct problem *next;
};

/* The problems of one input, in the order found until report_sort.
 *
 * arena:    holds paths and messages
 * is_short: memory ran out, so problems are missing: treat as ERR_NOMEM
 * hidden:   problems over the limit, counted but not kept */
struct report {
    struct arena arena;
    struct problem *first;
    struct problem *last;
    size_t errors;
    size_t warnings;
    size_t hidden;
    bool is_short;
};

/* Problems that are kept of one input; a file of a megabyte of nonsense has no more to say. */
#define REPORT_LIMIT 1000

/* Longest path and message that are kept, in bytes; what is longer is cut and ends in "...". */
#define REPORT_PATH_LIMIT    200
#define REPORT_MESSAGE_LIMIT 500

/* Start an empty report; allocates nothing. */
void report_init(struct report *r);

/* Release all problems; the report is empty again and may be used again. */
void report_done(struct report *r);

/* Note a problem. Never fails in the caller's face: see is_short. */
void report_add(struct report *r, enum severity severity, size_t line, size_t column,
                const char *path, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* Put the problems in the order of their places, those without one first; problems of one place
 * keep their order. */
void report_sort(struct report *r);

/* Write one line for each problem: `path:line:column: error: layout.tp: 0 is below 1`. Without a
 * place ":line:column" is left out, without a path "layout.tp: ". Control characters are written as
 * escapes. A last line says how many problems are hidden. */
void report_write_text(const struct report *r, const char *file, struct buf *out);

/* Write the array of problems as POST /check gives it: line, column, path, severity, message.
 * Without a place line and column are null. */
void report_write_json(const struct report *r, const char *key, struct json *j);

/* Turn warnings into errors, for --strict. */
void report_make_strict(struct report *r);

#endif
