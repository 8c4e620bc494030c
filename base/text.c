/* UTF-8, dates, and edit distance for "did you mean". */
#include "base/text.h"

#include <string.h>

static bool is_continuation(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

size_t text_utf8_next(const char *bytes, size_t len, uint32_t *out_code)
{
    /* Smallest code point that needs this many bytes; a smaller one is an overlong form. */
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)bytes[0];
    size_t need = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t code = need <= 1 ? first : first & (0xFFu >> (need + 1));

    if (need == 0 || need > len || first > 0xF4)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if (!is_continuation((unsigned char)bytes[i]))
            return 0;
        code = code << 6 | ((unsigned char)bytes[i] & 0x3F);
    }
    if (code < smallest[need] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF)
        return 0;
    *out_code = code;
    return need;
}

bool text_is_utf8(const char *bytes, size_t len)
{
    uint32_t code;

    for (size_t at = 0; at < len;) {
        size_t step = text_utf8_next(bytes + at, len - at, &code);

        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

size_t text_utf8_cut(const char *bytes, size_t at)
{
    size_t start = at;
    uint32_t code;

    while (start > 0 && at - start < 4 && is_continuation((unsigned char)bytes[start - 1]))
        start--;
    if (start == 0 || (unsigned char)bytes[start - 1] < 0xC2)
        return at;
    start--;
    return text_utf8_next(bytes + start, at - start, &code) == at - start ? at : start;
}

bool text_is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void text_scrub(char *text)
{
    size_t len = strlen(text);
    uint32_t code = 0;

    for (size_t at = 0; at < len;) {
        size_t step = text_utf8_next(text + at, len - at, &code);

        if (step == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
            step = step > 0 ? step : 1;
            memset(text + at, '?', step);
        }
        at += step;
    }
}

void text_lower(char *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = lower(text[i]);
    out[len] = '\0';
}

bool text_is_word(const char *text, const char *also)
{
    while (*text && (text_is_alnum(*text) || strchr(also, *text)))
        text++;
    return !*text;
}

bool text_starts(const char *text, const char *part)
{
    while (*part && *text == *part) {
        text++;
        part++;
    }
    return !*part;
}

bool text_ends(const char *text, const char *part)
{
    size_t len = strlen(text);
    size_t part_len = strlen(part);

    return len >= part_len && memcmp(text + len - part_len, part, part_len) == 0;
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

bool text_is_date(const char *text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const char shape[] = "dddd-dd-dd";
    int year, month, day;

    if (strlen(text) != sizeof shape - 1)
        return false;
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != '-')
            return false;
    year = two_digits(text) * 100 + two_digits(text + 2);
    month = two_digits(text + 5);
    day = two_digits(text + 8);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    return month != 2 || day < 29 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Longest text that is compared; more would make the table below large for nothing. */
enum { COMPARED = 100 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

size_t text_distance(const char *a, const char *b)
{
    size_t rows[3][COMPARED + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t a_len = strnlen(a, COMPARED);
    size_t b_len = strnlen(b, COMPARED);

    for (size_t j = 0; j <= b_len; j++)
        above[j] = before[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            bool is_swap = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);

            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1));
            if (is_swap && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        before = above;
        above = row;
        row = spare;
    }
    return above[b_len];
}

static bool is_near(const char *given, const char *name, size_t distance)
{
    size_t len = strlen(name);

    return distance * 3 <= len || (len > 2 && text_starts(given, name)) ||
           (strlen(given) > 2 && text_starts(name, given));
}

const char *text_nearest(const char *given, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = 0;

    for (size_t i = 0; i < count; i++) {
        size_t distance = text_distance(given, names[i]);

        if (is_near(given, names[i], distance) && (!best || distance < best_distance)) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}
