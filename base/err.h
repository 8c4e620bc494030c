/* Errors as values: what the caller can do, and words that say what was tried and found. Reporting
 * one never allocates. Logging is not done here. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#define MUST_USE                __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))

/* What the caller can do about it. The order is that of the table in err.c. */
enum err_code {
    ERR_OK = 0,
    ERR_INPUT,     /* fix the named field */
    ERR_NOT_FOUND, /* no such thing */
    ERR_GONE,      /* there was such a thing, and it was withdrawn */
    ERR_CONFLICT,  /* it contradicts what is stored */
    ERR_LIMIT,     /* send less */
    ERR_BUSY,      /* try again */
    ERR_UPSTREAM,  /* another service failed */
    ERR_NOMEM,     /* out of memory; the request fails, the process lives */
    ERR_IO,        /* a file or the disk failed */
    ERR_CORRUPT,   /* stored data is damaged */
    ERR_BUG        /* our mistake */
};

/* One error. text is always terminated, and cut if too long.
 *
 * file, line: where an ERR_BUG was found; NULL and 0 for every other code */
struct err {
    enum err_code code;
    char text[512];
    const char *file;
    int line;
};

/* What the world outside sees of a code.
 *
 * name:        lower case words with hyphens, as in a problem's type
 * title:       one line for people
 * http_status: of a reply
 * exit_code:   of a command, from sysexits.h */
struct err_kind {
    const char *name;
    const char *title;
    int http_status;
    int exit_code;
};

/* Look a code up in the one table; never NULL. */
const struct err_kind *err_kind(enum err_code code);

/* Fill e with a code and a formatted text. An argument may be e's own text, here and below.
 *
 * Errors: returns code, so that a caller can write `return err_set(...)`. */
enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Put the formatted text and ": " before the text that e has already, saying what was tried.
 *
 * Errors: returns e's code. */
enum err_code err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Fill e with ERR_BUG and the place it was found; use the macro below. */
enum err_code err_set_bug(struct err *e, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Expands to err_set_bug with this file and line, which a function could not know. */
#define err_bug(e, ...) err_set_bug((e), __FILE__, __LINE__, __VA_ARGS__)

/* Fill e with ERR_NOMEM. */
enum err_code err_nomem(struct err *e);

#endif
