/* key=value lines. */
#include "base/log.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Room that is kept for the mark of a cut line and the newline. */
enum { TAIL = 5 };

static void add(struct log_line *line, const char *bytes, size_t len)
{
    size_t room = LOG_LINE_BYTES - TAIL - line->len;

    if (len > room)
        len = room;
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
}

/* Length of the character at text if it may stand in a line as it is; 0 if it must be escaped:
 * control characters, what some readers take for the end of a line, and bytes that are not UTF-8.
 */
static size_t clean_character(const char *text)
{
    uint32_t code = 0;
    size_t len = text_utf8_next(text, strnlen(text, 4), &code);

    if (code < ' ' || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029)
        return 0;
    return len;
}

static bool is_plain(const char *value)
{
    size_t len;

    if (!*value)
        return false;
    for (; *value; value += len) {
        len = clean_character(value);
        if (len == 0 || strchr(" \"=\\", *value))
            return false;
    }
    return true;
}

static void add_quoted(struct log_line *line, const char *value)
{
    size_t len;

    add(line, "\"", 1);
    for (; *value; value += len > 0 ? len : 1) {
        char escaped[5];

        len = clean_character(value);
        if (*value == '"' || *value == '\\')
            add(line, "\\", 1);
        if (len > 0) {
            add(line, value, len);
            continue;
        }
        /* Always four characters. */
        (void)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*value);
        add(line, escaped, 4);
    }
    add(line, "\"", 1);
}

void log_begin(struct log_line *line, const char *level, const char *event)
{
    char now[CLOCK_TEXT_BYTES];

    line->len = 0;
    clock_now_text(now);
    add(line, "time=", 5);
    add(line, now, strlen(now));
    log_add_text(line, "level", level);
    log_add_text(line, "event", event);
}

void log_add_text(struct log_line *line, const char *key, const char *value)
{
    add(line, " ", 1);
    add(line, key, strlen(key));
    add(line, "=", 1);
    if (is_plain(value))
        add(line, value, strlen(value));
    else
        add_quoted(line, value);
}

void log_add_int(struct log_line *line, const char *key, int64_t value)
{
    char text[NUM_TEXT_BYTES];

    num_format_int(text, value);
    log_add_text(line, key, text);
}

void log_end(const struct log *log, struct log_line *line)
{
    if (line->len == LOG_LINE_BYTES - TAIL) {
        line->len = text_utf8_cut(line->text, line->len);
        memcpy(line->text + line->len, "...", 3);
        line->len += 3;
    }
    line->text[line->len++] = '\n';
    if (write(log->fd, line->text, line->len) < 0)
        return; /* Nowhere left to say so. */
}

void log_message(const struct log *log, const char *level, const char *event, const char *text)
{
    struct log_line line;

    log_begin(&line, level, event);
    log_add_text(&line, "text", text);
    log_end(log, &line);
}
