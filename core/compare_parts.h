/* What the parts of a comparison share; core/compare.h is for everybody else. Where memory runs
 * out, c->is_short says so, and is looked at once at the end. */
#ifndef CORE_COMPARE_PARTS_H
#define CORE_COMPARE_PARTS_H

#include "base/buf.h"
#include "core/compare.h"

/* Most bytes of one joined value: all of a file, and as many separators. */
enum { COMPARE_TEXT_LIMIT = 2 * RECIPE_FILE_LIMIT };

/* Add a reason. fmt: makes less than 512 bytes. */
void compare_add_reason(struct comparison *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Make a value; text is lent. */
struct compare_value compare_integer(int64_t value);
struct compare_value compare_text(const char *text);

/* Tell whether two values are the same; reals to the last bit. */
bool compare_is_equal(const struct compare_value *a, const struct compare_value *b);

/* Keep a buffer's text in the arena, and release the buffer.
 *
 * returns the text, "" if memory is short; it lives as long as c */
const char *compare_keep(struct comparison *c, struct buf *b);

/* Add a difference, unless the values are the same. name: lives as long as c. */
void compare_add(struct comparison *c, enum compare_group group, const char *name,
                 struct compare_value a, struct compare_value b);

/* Find a difference by its name; NULL if there is none. */
const struct compare_difference *compare_find(const struct comparison *c, enum compare_group group,
                                              const char *name);

/* Add all that differs between two open maps.
 *
 * path: of the maps within their group, which comes before the names; "": they are the group */
void compare_open_maps(struct comparison *c, enum compare_group group, const char *path,
                       const struct open_map *a, const struct open_map *b);

/* Add all that differs between the flags of two recipes. That those of one could not all be read
 * becomes a reason. */
void compare_flags(struct comparison *c);

/* Add all that differs between c->a and c->b. */
void compare_find_differences(struct comparison *c);

/* USD per million tokens of a side: at its price, else as published; 0: not known. */
double compare_usd(const struct compare_side *side);

#endif
