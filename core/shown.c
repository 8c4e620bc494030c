/* Rounding to six digits, and text of what was rounded. */
#include "core/shown.h"

#include "base/num.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Significant digits of a computed figure. */
enum { DIGITS = 6 };

double shown_round(double value)
{
    return num_round_digits(value, DIGITS);
}

/* One unit in the last digit that is shown. */
static double last_digit(double value)
{
    return pow(10, floor(log10(value)) - (DIGITS - 1));
}

double shown_round_up(double value)
{
    double rounded = shown_round(value);

    return rounded < value ? shown_round(rounded + last_digit(value)) : rounded;
}

double shown_round_down(double value)
{
    double rounded = shown_round(value);

    return rounded > value ? shown_round(rounded - last_digit(value)) : rounded;
}

void shown_put_json(struct json *j, const char *key, double value)
{
    json_put_real(j, key, shown_round(value));
}

void shown_put_json_known(struct json *j, const char *key, double value)
{
    if (value > 0)
        shown_put_json(j, key, value);
    else
        json_put_null(j, key);
}

void shown_put_text(struct buf *out, double value)
{
    char text[NUM_TEXT_BYTES];
    size_t len;

    num_format_real(text, shown_round(value));
    len = strlen(text);
    buf_add(out, text, text_ends(text, ".0") ? len - 2 : len);
}

void shown_put_text_known(struct buf *out, double value)
{
    if (value > 0)
        shown_put_text(out, value);
    else
        buf_putc(out, '-');
}
