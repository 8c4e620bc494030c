/* Numbers to text and back, the same under every locale. Reals that are written read back to the
 * same double; text that is read must be a number to its last byte. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number in decimal, with the zero byte. */
#define NUM_TEXT_BYTES 40

/* Parse a whole number: an optional minus, then digits without a leading zero.
 *
 * Errors: ERR_INPUT with the reason in words (octal, hexadecimal, underscores, a fraction, a value
 *         outside min..max and so on). */
MUST_USE enum err_code num_parse_int(const char *text, size_t len, int64_t min, int64_t max,
                                     int64_t *out_value, struct err *e);

/* Parse a finite real in plain decimal or exponent form (8.6e-05); digits on both sides of a point,
 * no leading plus, no leading zeros but one.
 *
 * Errors: ERR_INPUT with the reason in words; a value that overflows, or that is not zero and reads
 *         as zero, is refused. Ranges are the caller's to check. */
MUST_USE enum err_code num_parse_real(const char *text, size_t len, double *out_value,
                                      struct err *e);

/* Write an integer in decimal. */
void num_format_int(char out[NUM_TEXT_BYTES], int64_t value);

/* Write a finite real as the shortest decimal that reads back to the same double, with a point or
 * an exponent in it (2.0, 1178.1, 8.6e-05). */
void num_format_real(char out[NUM_TEXT_BYTES], double value);

/* Round to a number of significant decimal digits.
 *
 * value:  finite
 * digits: 1 to 17 */
double num_round_digits(double value, int digits);

#endif
