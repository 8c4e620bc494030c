/* The figures of a recipe that can be worked out again, each stated against recomputed, in words.
 * The check makes problems of them, the audit rows. */
#ifndef CORE_FIGURES_H
#define CORE_FIGURES_H

#include "core/catalog.h"
#include "core/recipe.h"

/* Room for a figure's words: five numbers and what stands between them. */
#define FIGURE_BYTES 224

/* One figure.
 *
 * is_known: both sides are there; else agrees means nothing
 * found:    what the recipe states; "" where it states nothing
 * expected: what the formula gives, with its inputs; "" where an input is missing */
struct figure {
    bool is_known;
    bool agrees;
    char found[FIGURE_BYTES];
    char expected[FIGURE_BYTES];
};

/* Half a unit of the last digit of a number's text: 0.005 for "1.62" and "3.50", 5e-07 for
 * "8.6e-05". Within it, a stated figure agrees with a recomputed one.
 *
 * text: as num_parse_real accepts it */
double figure_half_unit(const char *text);

/* Cost at a price, within the stated digits.
 *
 * price: NULL: none is known */
void figure_usd(const struct recipe *r, const struct price *price, struct figure *out);

/* Utilisation, within the stated digits.
 *
 * gpu: NULL: not in the catalogue */
void figure_mfu(const struct recipe *r, const struct gpu *gpu, struct figure *out);

/* Tokens of the measured window, exactly. */
void figure_window_tokens(const struct recipe *r, struct figure *out);

/* Data-parallel size, exactly. */
void figure_dp(const struct recipe *r, struct figure *out);

#endif
