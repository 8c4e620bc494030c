/* key=value lines. */
#include "base/log.h"

#include "base/clock.h"
#include "base/num.h"

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

static bool is_plain(const char *value)
{
    if (!*value)
        return false;
    for (; *value; value++)
        if ((unsigned char)*value <= ' ' || *value == '"' || *value == '=' || *value == '\\' ||
            *value == 0x7F)
            return false;
    return true;
}

static void add_quoted(struct log_line *line, const char *value)
{
    add(line, "\"", 1);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        char escaped[5] = {0};

        if (c < ' ' || c == 0x7F)
            (void)snprintf(escaped, sizeof escaped, "\\x%02x", c); /* Always four characters. */
        else if (c == '"' || c == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", c); /* Always two. */
        else
            escaped[0] = *value;
        add(line, escaped, strlen(escaped));
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
