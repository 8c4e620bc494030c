/* The one table from error code to name, HTTP status and exit code, and the formatting of errors.
 */
#include "base/err.h"

#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static const struct err_kind kinds[] = {
    [ERR_OK] = {"ok", "OK", 200, EX_OK},
    [ERR_INPUT] = {"invalid-input", "The request has a mistake in it", 400, EX_DATAERR},
    [ERR_NOT_FOUND] = {"not-found", "There is no such resource", 404, EX_NOINPUT},
    [ERR_GONE] = {"gone", "The resource was withdrawn", 410, EX_NOINPUT},
    [ERR_CONFLICT] = {"conflict", "The request contradicts what is stored", 409, EX_DATAERR},
    [ERR_LIMIT] = {"too-large", "The request is too large", 413, EX_DATAERR},
    [ERR_BUSY] = {"busy", "The service is busy; try again", 503, EX_TEMPFAIL},
    [ERR_UPSTREAM] = {"upstream", "Another service failed", 502, EX_UNAVAILABLE},
    [ERR_NOMEM] = {"out-of-memory", "The service is short of memory; try again", 503, EX_OSERR},
    [ERR_IO] = {"storage", "The storage failed; try again", 503, EX_IOERR},
    [ERR_CORRUPT] = {"corrupt", "Stored data is damaged", 500, EX_SOFTWARE},
    [ERR_BUG] = {"internal", "The service made a mistake", 500, EX_SOFTWARE},
};

const struct err_kind *err_kind(enum err_code code)
{
    size_t index = (size_t)code;

    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : &kinds[ERR_BUG];
}

/* A text that does not fit is cut, between characters: an error that is too long is still worth
 * reading, and may become JSON. An argument may be e's own text, so that it is written last. */
PRINTF_LIKE(2, 0)
static void format(struct err *e, const char *fmt, va_list args)
{
    char text[sizeof e->text];
    int len = vsnprintf(text, sizeof text, fmt, args);
    size_t end = 0;

    if (len > 0)
        end = (size_t)len < sizeof text ? (size_t)len : text_utf8_cut(text, sizeof text - 1);
    memcpy(e->text, text, end);
    e->text[end] = '\0';
}

enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list args;

    assert(code != ERR_OK);
    e->code = code;
    e->file = NULL;
    e->line = 0;
    va_start(args, fmt);
    format(e, fmt, args);
    va_end(args);
    return code;
}

enum err_code err_wrap(struct err *e, const char *fmt, ...)
{
    char old[sizeof e->text];
    size_t len;
    size_t room;
    va_list args;

    memcpy(old, e->text, sizeof old);
    va_start(args, fmt);
    format(e, fmt, args);
    va_end(args);
    len = strlen(e->text);
    room = sizeof e->text - len;
    /* Where both do not fit, the old text is cut: the new one says more to the reader. */
    if ((size_t)snprintf(e->text + len, room, ": %s", old) >= room)
        e->text[text_utf8_cut(e->text, sizeof e->text - 1)] = '\0';
    return e->code;
}

enum err_code err_set_bug(struct err *e, const char *file, int line, const char *fmt, ...)
{
    va_list args;

    e->code = ERR_BUG;
    e->file = file;
    e->line = line;
    va_start(args, fmt);
    format(e, fmt, args);
    va_end(args);
    return ERR_BUG;
}

enum err_code err_nomem(struct err *e)
{
    return err_set(e, ERR_NOMEM, "out of memory");
}
