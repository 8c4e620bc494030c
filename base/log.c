/* Lines of key=value pairs, or of JSON. */
#include "base/log.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Room that is kept for the mark of a cut line, what closes a value and the line, and the newline.
 */
enum { TAIL = 6 };

static const size_t text_limit = LOG_LINE_BYTES - TAIL;

/* Add what fits; the rest is lost, and the line is cut. */
static void add(struct log_line *line, const char *bytes, size_t len)
{
    size_t room = text_limit - line->len;

    if (len > room) {
        line->is_cut = true;
        len = room;
    }
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
}

/* Add all or nothing. */
static void add_whole(struct log_line *line, const char *bytes, size_t len)
{
    if (len > text_limit - line->len)
        line->is_cut = true;
    if (!line->is_cut)
        add(line, bytes, len);
}

/* Length of the character at text if it may stand in a line as it is; 0 if it must be escaped:
 * control characters, what some readers take for the end of a line, and bytes that are not UTF-8.
 */
static size_t clean_character(const char *text)
{
    uint32_t code = 0;
    size_t len;

    if (*text >= ' ' && *text < 0x7F)
        return 1;
    len = text_utf8_next(text, strnlen(text, 4), &code);
    if (code < ' ' || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029)
        return 0;
    return len;
}

static bool is_plain(const char *value)
{
    size_t len;

    if (!*value || value[strcspn(value, " \"=\\")])
        return false;
    for (; *value; value += len) {
        len = clean_character(value);
        if (len == 0)
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

/* Add a character of a JSON text as it is, or escaped; a byte that is not UTF-8 as U+FFFD.
 *
 * returns its bytes in value */
static size_t add_json_character(struct log_line *line, const char *value)
{
    size_t len = clean_character(value);
    uint32_t code = 0xFFFD;
    char escaped[7];

    if (len > 0 && *value != '"' && *value != '\\') {
        add_whole(line, value, len);
        return len;
    }
    len = text_utf8_next(value, strnlen(value, 4), &code);
    /* Six characters: what is escaped is below U+10000. */
    (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(code & 0xFFFF));
    add_whole(line, escaped, 6);
    return len > 0 ? len : 1;
}

/* Add a member's key, and what comes before its value. */
static void add_json_key(struct log_line *line, const char *key)
{
    char text[100];
    int len = snprintf(text, sizeof text, "%s\"%s\":", line->len > 1 ? "," : "", key);

    if (len < 0 || (size_t)len >= sizeof text)
        return; /* No key of ours is so long. */
    add_whole(line, text, (size_t)len);
}

/* Add a member with a text. Where that is too long, it ends in "...". */
static void add_json_text(struct log_line *line, const char *key, const char *value)
{
    size_t before = line->len;

    add_json_key(line, key);
    add_whole(line, "\"", 1);
    if (line->is_cut) {
        line->len = before;
        return;
    }
    while (*value && !line->is_cut)
        value += add_json_character(line, value);
    /* These fit into the tail. */
    if (line->is_cut) {
        memcpy(line->text + line->len, "...", 3);
        line->len += 3;
    }
    line->text[line->len++] = '"';
    line->is_cut = line->is_cut || line->len > text_limit;
}

void log_begin(const struct log *log, struct log_line *line, const char *level, const char *event)
{
    char now[CLOCK_TEXT_BYTES];

    line->len = 0;
    line->is_cut = false;
    line->is_json = log->is_json;
    clock_now_text(now);
    if (line->is_json)
        add(line, "{", 1);
    log_add_text(line, "time", now);
    log_add_text(line, "level", level);
    log_add_text(line, "event", event);
}

void log_add_text(struct log_line *line, const char *key, const char *value)
{
    if (line->is_cut)
        return;
    if (line->is_json) {
        add_json_text(line, key, value);
        return;
    }
    if (line->len > 0)
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
    size_t before = line->len;

    num_format_int(text, value);
    if (!line->is_json) {
        log_add_text(line, key, text);
        return;
    }
    if (line->is_cut)
        return;
    add_json_key(line, key);
    add_whole(line, text, strlen(text));
    if (line->is_cut)
        line->len = before;
}

void log_end(const struct log *log, struct log_line *line)
{
    if (line->is_json) {
        line->text[line->len++] = '}';
    } else if (line->is_cut) {
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

    log_begin(log, &line, level, event);
    log_add_text(&line, "text", text);
    log_end(log, &line);
}
