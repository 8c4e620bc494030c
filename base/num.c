/* Locale-free number text. The grammar is checked by hand; the conversion is the C library's. */
#include "base/num.h"

#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest text that is taken for a number: a double needs 17 digits and an exponent, and 64 leave
 * room for a careful writer. */
enum { LONGEST = 64 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(const char *text, size_t len, size_t at)
{
    while (at < len && is_digit(text[at]))
        at++;
    return at;
}

/* How many bytes of a text to repeat in an error. */
static int shown_bytes(const char *text, size_t len)
{
    return (int)(len > 40 ? text_utf8_cut(text, 40) : len);
}

/* Say why a text is no number, naming the mistakes that people make. */
static enum err_code refuse(const char *text, size_t len, struct err *e)
{
    size_t start = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    int shown = shown_bytes(text, len);
    char first = start < len ? text[start] : '\0';
    char next = start + 1 < len ? (char)tolower((unsigned char)text[start + 1]) : '\0';

    if (len == 0)
        return err_set(e, ERR_INPUT, "a number is needed, and nothing is here");
    if (memchr(text, '_', len))
        return err_set(e, ERR_INPUT, "%.*s: a number has no underscores", shown, text);
    if (memchr(text, ',', len))
        return err_set(e, ERR_INPUT, "%.*s: a number has no commas", shown, text);
    if (first == '0' && (next == 'x' || next == 'o' || next == 'b'))
        return err_set(e, ERR_INPUT, "%.*s: write the number in decimal", shown, text);
    if (first == '0' && is_digit(next))
        return err_set(e, ERR_INPUT, "%.*s: a number has no leading zeros", shown, text);
    if (text[0] == '+')
        return err_set(e, ERR_INPUT, "%.*s: a number has no leading plus", shown, text);
    return err_set(e, ERR_INPUT, "%.*s is not a number", shown, text);
}

static bool is_int_text(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '-' ? 1 : 0;

    if (at == len || skip_digits(text, len, at) != len)
        return false;
    return text[at] != '0' || len == at + 1;
}

static bool is_real_text(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '-' ? 1 : 0;
    size_t end = skip_digits(text, len, at);

    if (end == at || (text[at] == '0' && end > at + 1))
        return false;
    if (end < len && text[end] == '.') {
        at = end + 1;
        end = skip_digits(text, len, at);
        if (end == at)
            return false;
    }
    if (end < len && (text[end] == 'e' || text[end] == 'E')) {
        at = end + 1;
        if (at < len && (text[at] == '-' || text[at] == '+'))
            at++;
        end = skip_digits(text, len, at);
        if (end == at)
            return false;
    }
    return end == len;
}

static bool copy_text(char out[LONGEST + 1], const char *text, size_t len)
{
    if (len > LONGEST)
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

enum err_code num_parse_int(const char *text, size_t len, int64_t min, int64_t max,
                            int64_t *out_value, struct err *e)
{
    char copy[LONGEST + 1];
    long long value;

    if (!is_int_text(text, len) || !copy_text(copy, text, len)) {
        if (is_real_text(text, len))
            return err_set(e, ERR_INPUT, "%.*s is not a whole number", shown_bytes(text, len),
                           text);
        return refuse(text, len, e);
    }
    errno = 0;
    value = strtoll(copy, NULL, 10);
    if (errno == ERANGE && copy[0] == '-')
        return err_set(e, ERR_INPUT, "%s is below %" PRId64, copy, min);
    if (errno == ERANGE)
        return err_set(e, ERR_INPUT, "%s is above %" PRId64, copy, max);
    if (value < min)
        return err_set(e, ERR_INPUT, "%lld is below %" PRId64, value, min);
    if (value > max)
        return err_set(e, ERR_INPUT, "%lld is above %" PRId64, value, max);
    *out_value = value;
    return ERR_OK;
}

/* The C locale's object is a constant of the C library: making it allocates nothing and needs no
 * release. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool has_nonzero_digit(const char *text)
{
    for (; *text && *text != 'e' && *text != 'E'; text++)
        if (*text >= '1' && *text <= '9')
            return true;
    return false;
}

enum err_code num_parse_real(const char *text, size_t len, double *out_value, struct err *e)
{
    char copy[LONGEST + 1];
    double value;

    if (!is_real_text(text, len) || !copy_text(copy, text, len))
        return refuse(text, len, e);
    value = strtod_l(copy, NULL, c_locale());
    if (!isfinite(value))
        return err_set(e, ERR_INPUT, "%s is too large for a 64-bit real", copy);
    if (value == 0 && has_nonzero_digit(copy))
        return err_set(e, ERR_INPUT, "%s is too small for a 64-bit real", copy);
    *out_value = value;
    return ERR_OK;
}

void num_format_int(char out[NUM_TEXT_BYTES], int64_t value)
{
    /* 20 characters at most. */
    (void)snprintf(out, NUM_TEXT_BYTES, "%" PRId64, value);
}

/* Add one to the last digit of the mantissa; false if that would carry past the first one. */
static bool count_up(char *text)
{
    char *at = text + strcspn(text, "e");

    while (at > text) {
        at--;
        if (is_digit(*at) && *at < '9') {
            (*at)++;
            return true;
        }
        if (*at == '9')
            *at = '0';
    }
    return false;
}

/* The doubles below a power of two lie closer than those above it. So the nearest decimal of 16
 * digits may lie below and read as another double, while the next one above reads back. */
static bool format_above(char *out, double value, locale_t c)
{
    (void)snprintf(out, NUM_TEXT_BYTES - 2, "%#.16g", value);
    return count_up(out) && strtod_l(out, NULL, c) == value;
}

/* Powers of ten that a double has exactly. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Format by arithmetic, ten times faster than by text, what a decimal of at most 15 digits stands
 * for and is written without an exponent: a whole number and a power of ten that are exact give the
 * double nearest to the decimal, and where that is the value, no other such decimal reads back. */
static bool format_by_arithmetic(char out[NUM_TEXT_BYTES], double value)
{
    enum { PLACES_MOST = 18 };
    double size = fabs(value);
    double whole = rint(size);
    int places = 0;
    uint64_t digits;
    char *at = out + PLACES_MOST + 4;
    char *end = at;

    if (!(size >= 1e-4 && size < 1e15))
        return false;
    while (whole < 1e15 && whole / tens[places] != size && places < PLACES_MOST)
        whole = rint(size * tens[++places]);
    if (whole >= 1e15 || whole / tens[places] != size)
        return false;
    digits = (uint64_t)whole;
    if (places == 0) {
        *--at = '0';
        *--at = '.';
    }
    for (int i = 0; digits > 0 || i <= places; i++) {
        if (i > 0 && i == places)
            *--at = '.';
        *--at = (char)('0' + digits % 10);
        digits /= 10;
    }
    if (value < 0)
        *--at = '-';
    memmove(out, at, (size_t)(end - at));
    out[end - at] = '\0';
    return true;
}

/* Up to 15 digits every decimal has its own normal double, so the first precision to try is 15: it
 * is the shortest already once the C library has dropped trailing zeros. Subnormal doubles hold
 * fewer digits, and are tried from 1. */
void num_format_real(char out[NUM_TEXT_BYTES], double value)
{
    locale_t c = c_locale();
    locale_t old;
    int digits = fabs(value) < 2.2250738585072014e-308 ? 1 : 15;

    assert(isfinite(value));
    if (format_by_arithmetic(out, value))
        return;
    old = uselocale(c);
    do {
        (void)snprintf(out, NUM_TEXT_BYTES - 2, "%.*g", digits, value);
        digits++;
    } while (digits <= 17 && strtod_l(out, NULL, c) != value &&
             !(digits == 17 && format_above(out, value, c)));
    (void)uselocale(old); /* Restores this thread's own setting; cannot fail. */
    if (!strpbrk(out, ".e"))
        memcpy(out + strlen(out), ".0", 3);
}

/* Round by arithmetic, twenty times faster than by text, where both are sure to agree: the scaled
 * value is farther from a tie than its own error, and a whole number and a power of ten that are
 * exact give the double nearest to the decimal. */
static bool round_by_arithmetic(double value, int digits, double *out)
{
    enum { DIGITS_MOST = 12 }; /* An error is then below 0.0002. */
    double size = fabs(value);
    double scaled, whole;
    int places;

    if (digits > DIGITS_MOST || size < 1e-9 || size > 1e21)
        return false;
    places = digits - 1 - (int)floor(log10(size));
    scaled = places >= 0 ? size * tens[places] : size / tens[-places];
    whole = floor(scaled + 0.5);
    if (fabs(scaled - whole) > 0.499 || whole < tens[digits - 1] || whole > tens[digits])
        return false;
    *out = copysign(places >= 0 ? whole / tens[places] : whole * tens[-places], value);
    return true;
}

double num_round_digits(double value, int digits)
{
    char text[NUM_TEXT_BYTES];
    double rounded;
    locale_t c, old;

    assert(isfinite(value) && digits >= 1 && digits <= 17);
    if (round_by_arithmetic(value, digits, &rounded))
        return rounded;
    c = c_locale();
    old = uselocale(c);
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, value); /* 25 characters at most. */
    (void)uselocale(old);
    return strtod_l(text, NULL, c);
}
