/* Small questions about text: UTF-8, letter case, and which known name somebody meant. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read one UTF-8 character.
 *
 * bytes, len: text, len > 0
 * out_code:   its code point
 * returns     its length in bytes, 1 to 4; 0 if the bytes are not valid UTF-8 (surrogates, overlong
 *             forms and code points above U+10FFFF are not) */
size_t text_utf8_next(const char *bytes, size_t len, uint32_t *out_code);

/* Tell whether len bytes are valid UTF-8 throughout. */
bool text_is_utf8(const char *bytes, size_t len);

/* Find where to cut a text so that no character is split.
 *
 * at:     length that is wanted, not past the text's end
 * returns the largest length up to at that ends where a character ends; at itself if the bytes
 *         before it are not UTF-8 */
size_t text_utf8_cut(const char *bytes, size_t at);

/* Replace by question marks, in place, what cannot stand in a line for people: bytes that are not
 * UTF-8, and control characters. The length stays. */
void text_scrub(char *text);

/* Copy text with A-Z as a-z; out has room for len + 1 bytes. */
void text_lower(char *out, const char *text, size_t len);

/* Tell whether a byte is an ASCII letter or digit, in any locale. */
bool text_is_alnum(char c);

/* Tell whether text has only ASCII letters, digits and the characters of also. */
bool text_is_word(const char *text, const char *also);

/* Tell whether text starts, or ends, with a part. */
bool text_starts(const char *text, const char *part);
bool text_ends(const char *text, const char *part);

/* Tell whether text is a real calendar date, YYYY-MM-DD. */
bool text_is_date(const char *text);

/* How many single-letter changes (insert, delete, replace, swap of neighbours) turn a into b,
 * letter case ignored. Texts longer than 100 bytes are compared by their first 100. */
size_t text_distance(const char *a, const char *b);

/* Find the known name closest to a given one.
 *
 * names: count names, none NULL
 * returns the nearest name, lent from names; NULL if none is near enough to be what was meant (more
 *         than a third of its letters differ, and neither starts with the other) */
const char *text_nearest(const char *given, const char *const *names, size_t count);

#endif
