/* Problems as a list in an arena, and their two forms: lines for people, an array for programs. */
#include "core/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for REPORT_LIMIT problems of the longest path and message. */
enum { ARENA_BYTES = 1024 * 1024 };

static const char *const severity_names[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning"};

void report_init(struct report *r)
{
    *r = (struct report){0};
    arena_init(&r->arena, ARENA_BYTES);
}

void report_done(struct report *r)
{
    arena_done(&r->arena);
    report_init(r);
}

/* Copy text; one that is longer than limit is cut between two characters, and says so. */
static const char *keep_text(struct arena *a, const char *text, size_t limit)
{
    size_t len = strnlen(text, limit + 1);
    char *copy;

    if (len <= limit)
        return arena_text(a, text, len);
    len = limit - 3;
    while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
        len--;
    copy = arena_text(a, text, len + 3);
    if (copy)
        memset(copy + len, '.', 3);
    return copy;
}

static void keep_problem(struct report *r, const struct problem *given)
{
    struct problem *p = arena_array(&r->arena, 1, sizeof *p);
    const char *path = keep_text(&r->arena, given->path, REPORT_PATH_LIMIT);
    const char *message = keep_text(&r->arena, given->message, REPORT_MESSAGE_LIMIT);

    if (!p || !path || !message) {
        r->is_short = true;
        return;
    }
    *p = *given;
    p->path = path;
    p->message = message;
    if (r->last)
        r->last->next = p;
    else
        r->first = p;
    r->last = p;
}

void report_add(struct report *r, enum severity severity, size_t line, size_t column,
                const char *path, const char *fmt, ...)
{
    /* One byte more than is kept, so that a cut is noticed, and the zero byte. */
    char message[REPORT_MESSAGE_LIMIT + 2] = "";
    va_list args;

    if (severity == SEVERITY_ERROR)
        r->errors++;
    else
        r->warnings++;
    if (r->errors + r->warnings - r->hidden > REPORT_LIMIT) {
        r->hidden++;
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args); /* keep_text marks what was cut */
    va_end(args);
    keep_problem(r, &(struct problem){.line = line,
                                      .column = column,
                                      .severity = severity,
                                      .path = path,
                                      .message = message});
}

static bool is_after(const struct problem *a, const struct problem *b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

/* Insertion keeps problems of one place in their order, and they come nearly sorted. */
void report_sort(struct report *r)
{
    struct problem *order[REPORT_LIMIT];
    struct problem *next;
    size_t count = 0;

    for (struct problem *p = r->first; p; p = p->next) {
        size_t at = count++;

        for (; at > 0 && is_after(order[at - 1], p); at--)
            order[at] = order[at - 1];
        order[at] = p;
    }
    next = NULL;
    r->last = count > 0 ? order[count - 1] : NULL;
    while (count > 0) {
        order[--count]->next = next;
        next = order[count];
    }
    r->first = next;
}

/* Append text with its control characters written as escapes, so that a line stays one line. */
static void put_inert(struct buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '\n')
            buf_puts(out, "\\n");
        else if (c == '\t')
            buf_puts(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            buf_printf(out, "\\x%02x", c);
        else
            buf_putc(out, *text);
    }
}

void report_write_text(const struct report *r, const char *file, struct buf *out)
{
    for (const struct problem *p = r->first; p; p = p->next) {
        put_inert(out, file);
        if (p->line > 0)
            buf_printf(out, ":%zu:%zu", p->line, p->column);
        buf_printf(out, ": %s: ", severity_names[p->severity]);
        if (*p->path) {
            put_inert(out, p->path);
            buf_puts(out, ": ");
        }
        put_inert(out, p->message);
        buf_putc(out, '\n');
    }
    if (r->hidden == 0)
        return;
    put_inert(out, file);
    buf_printf(out, ": note: %zu more problems are not shown\n", r->hidden);
}

static void put_place(struct json *j, const char *key, size_t value)
{
    if (value > 0)
        json_put_int(j, key, (int64_t)value);
    else
        json_put_null(j, key);
}

void report_write_json(const struct report *r, const char *key, struct json *j)
{
    json_begin(j, key, '[');
    for (const struct problem *p = r->first; p; p = p->next) {
        json_begin(j, NULL, '{');
        put_place(j, "line", p->line);
        put_place(j, "column", p->column);
        json_put_text(j, "path", p->path);
        json_put_text(j, "severity", severity_names[p->severity]);
        json_put_text(j, "message", p->message);
        json_end(j, '}');
    }
    json_end(j, ']');
}

void report_make_strict(struct report *r)
{
    for (struct problem *p = r->first; p; p = p->next)
        p->severity = SEVERITY_ERROR;
    r->errors += r->warnings;
    r->warnings = 0;
}
