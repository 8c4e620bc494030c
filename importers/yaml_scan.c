/* Characters and lines of a YAML file, without its structure. */
#include "importers/yaml_scan.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* Characters that may not stand in a file, nor in text by an escape; tab and line feed are left
 * out. Carriage return is here for escapes: in a file it may stand before a line feed. */
static const struct refused {
    uint32_t first;
    uint32_t last;
    const char *what;
    const char *remedy;
} refused[] = {
    {0x00, 0x08, "control character", "delete it"},
    {0x0B, 0x1F, "control character", "delete it"},
    {0x7F, 0x84, "control character", "delete it"},
    {0x85, 0x85, "line break", "end lines with LF"},
    {0x86, 0x9F, "control character", "delete it"},
    {0x2028, 0x2029, "line break", "end lines with LF"},
    {0xFEFF, 0xFEFF, "byte order mark", "delete it"},
    {0xFFFE, 0xFFFF, "noncharacter", "delete it"},
};

static const struct refused *find_refused(uint32_t code)
{
    for (size_t i = 0; i < COUNT_OF(refused) && code >= refused[i].first; i++)
        if (code <= refused[i].last)
            return &refused[i];
    return NULL;
}

static void step(struct yaml_place *place, uint32_t code)
{
    place->column++;
    if (code == '\n')
        *place = (struct yaml_place){place->line + 1, 1};
}

/* UTF-16 by its byte order mark or, as the first characters of a file are ASCII, by its zeros. */
static bool is_utf16(const char *bytes, size_t len)
{
    if (len >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0))
        return true;
    return len >= 4 && !bytes[0] != !bytes[1] && !bytes[0] == !bytes[2] && !bytes[1] == !bytes[3];
}

static void judge_character(uint32_t code, bool is_line_end, struct yaml_place place,
                            struct report *report)
{
    const struct refused *r = find_refused(code);

    if (!r || is_line_end)
        return;
    if (code == '\r')
        report_add(report, SEVERITY_ERROR, place.line, place.column, "",
                   "a carriage return stands without a line feed; end lines with LF or CRLF");
    else
        report_add(report, SEVERITY_ERROR, place.line, place.column, "",
                   "%s U+%04X is not allowed; %s", r->what, (unsigned)code, r->remedy);
}

/* Count the printable ASCII characters that a text starts with: nearly all of any file. */
static size_t count_plain(const char *text, size_t len)
{
    size_t count = 0;

    while (count < len && text[count] >= ' ' && text[count] <= '~')
        count++;
    return count;
}

void yaml_scan_bytes(const char *bytes, size_t len, struct report *report)
{
    struct yaml_place place = {1, 1};
    uint32_t code;

    if (is_utf16(bytes, len)) {
        report_add(report, SEVERITY_ERROR, 1, 1, "", "this is UTF-16; save the file as UTF-8");
        return;
    }
    for (size_t at = 0, width; at < len; at += width) {
        width = count_plain(bytes + at, len - at);
        place.column += width;
        if (width > 0)
            continue;
        width = text_utf8_next(bytes + at, len - at, &code);
        if (width == 0) {
            report_add(report, SEVERITY_ERROR, place.line, place.column, "",
                       "byte 0x%02X is not UTF-8; save the file as UTF-8",
                       (unsigned)(unsigned char)bytes[at]);
            width = 1;
            code = ' ';
        }
        judge_character(code, code == '\r' && at + 1 < len && bytes[at + 1] == '\n', place, report);
        step(&place, code);
    }
}

/* The escapes of one letter that stand for a refused character. */
static const struct letter {
    char letter;
    uint32_t code;
} letters[] = {{'0', 0x00}, {'a', 0x07}, {'b', 0x08}, {'v', 0x0B},   {'f', 0x0C},
               {'r', 0x0D}, {'e', 0x1B}, {'N', 0x85}, {'L', 0x2028}, {'P', 0x2029}};

static uint32_t read_hex(const char *digits, size_t count)
{
    uint32_t value = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t c = (unsigned char)digits[i];

        value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Read the escape that text starts with; what is no refused letter and no number reads as a space.
 * Returns its length: 2, 4, 6 or 10. */
static size_t read_escape(const char *text, size_t len, uint32_t *out_code)
{
    int letter = len > 1 ? text[1] : ' ';
    size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;

    *out_code = ' ';
    if (digits > 0 && len >= 2 + digits)
        *out_code = read_hex(text + 2, digits);
    for (size_t i = 0; i < COUNT_OF(letters); i++)
        if (letter == letters[i].letter)
            *out_code = letters[i].code;
    return 2 + digits;
}

/* Move over bytes of text that is known to be UTF-8. */
static void step_bytes(struct yaml_place *place, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80)
            step(place, (unsigned char)bytes[i]);
}

bool yaml_scan_escapes(const char *text, size_t len, struct yaml_place place, const char *path,
                       struct report *report)
{
    bool is_clean = true;
    uint32_t code;

    for (size_t at = 0, width; at < len; at += width) {
        const char *backslash = memchr(text + at, '\\', len - at);
        size_t plain = backslash ? (size_t)(backslash - (text + at)) : len - at;
        const struct refused *r;

        step_bytes(&place, text + at, plain);
        at += plain;
        width = at < len ? read_escape(text + at, len - at, &code) : 0;
        r = width > 0 ? find_refused(code) : NULL;
        if (r) {
            report_add(report, SEVERITY_ERROR, place.line, place.column, path,
                       "the escape %.*s makes %s U+%04X, which is not allowed", (int)width,
                       text + at, r->what, (unsigned)code);
            is_clean = false;
        }
        step_bytes(&place, text + at, width);
    }
    return is_clean;
}

static bool is_idle_line(const char *line, size_t len)
{
    size_t at = len >= 3 && memcmp(line, "...", 3) == 0 ? 3 : 0;

    while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r'))
        at++;
    return at == len || line[at] == '#';
}

bool yaml_scan_directive(const char *text, size_t len, struct yaml_place *place)
{
    struct yaml_place here = *place;
    size_t line_len;

    for (size_t at = 0; at < len; at += line_len + 1) {
        const char *end = memchr(text + at, '\n', len - at);

        line_len = end ? (size_t)(end - (text + at)) : len - at;
        if (text[at] == '%' && here.column == 1) {
            *place = here;
            return true;
        }
        if (!is_idle_line(text + at, line_len))
            return false;
        here = (struct yaml_place){here.line + 1, 1};
    }
    return false;
}
