/* Rounding to six digits, and text of what was rounded. */
#include "core/figure.h"

#include "base/num.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

double figure_round(double value)
{
    return num_round_digits(value, FIGURE_DIGITS);
}

/* One unit in the last digit that is shown. */
static double last_digit(double value)
{
    return pow(10, floor(log10(value)) - (FIGURE_DIGITS - 1));
}

double figure_round_up(double value)
{
    double rounded = figure_round(value);

    return rounded < value ? figure_round(rounded + last_digit(value)) : rounded;
}

double figure_round_down(double value)
{
    double rounded = figure_round(value);

    return rounded > value ? figure_round(rounded - last_digit(value)) : rounded;
}

void figure_put_json(struct json *j, const char *key, double value)
{
    json_put_real(j, key, figure_round(value));
}

void figure_put_json_known(struct json *j, const char *key, double value)
{
    if (value > 0)
        figure_put_json(j, key, value);
    else
        json_put_null(j, key);
}

void figure_put_text(struct buf *out, double value)
{
    char text[NUM_TEXT_BYTES];
    size_t len;

    num_format_real(text, figure_round(value));
    len = strlen(text);
    buf_add(out, text, text_ends(text, ".0") ? len - 2 : len);
}

void figure_put_text_known(struct buf *out, double value)
{
    if (value > 0)
        figure_put_text(out, value);
    else
        buf_putc(out, '-');
}
