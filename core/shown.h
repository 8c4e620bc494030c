/* Computed figures as they are shown. Prices and measured speeds have six significant digits at
 * most, so costs, hours and limits are given with no more. */
#ifndef CORE_SHOWN_H
#define CORE_SHOWN_H

#include "base/json.h"

/* Round to the nearest figure that can be shown. value: finite, its magnitude at most 1e300. */
double shown_round(double value);

/* Round to a figure that can be shown and is not below, or not above, value: a limit that is given
 * as shown then holds. value: 0 or 1e-300 to 1e300. */
double shown_round_up(double value);
double shown_round_down(double value);

/* Write a figure, rounded. */
void shown_put_json(struct json *j, const char *key, double value);

/* Write a figure for which 0 means that it is not known: null then. */
void shown_put_json_known(struct json *j, const char *key, double value);

/* Append a figure for people, rounded; whole ones have no fraction: "64", "35.2146". */
void shown_put_text(struct buf *out, double value);

/* Append a figure for which 0 means that it is not known: "-" then. */
void shown_put_text_known(struct buf *out, double value);

#endif
