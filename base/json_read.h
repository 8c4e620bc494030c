/* JSON in, from sources that are not trusted: limits before parsing, duplicate keys refused, and
 * getters that never turn a wrong kind into a zero. The home of jansson; its value is opaque here.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of a parsed text; lives as long as the root that it belongs to. */
struct json_t;

/* What a text may have. A value takes up to about 200 bytes in memory however short its text, so
 * the length alone limits little.
 *
 * bytes:  length of the text
 * depth:  nesting of objects and lists
 * values: members and elements in all */
struct json_limits {
    size_t bytes;
    size_t depth;
    size_t values;
};

/* Parse a text whose top is an object or a list.
 *
 * out_root: the top
 * Errors:   ERR_INPUT with line and column, for duplicate keys too; ERR_LIMIT; ERR_NOMEM.
 * Owns:     the caller frees *out_root with json_read_free. */
MUST_USE enum err_code json_read_parse(const char *bytes, size_t len,
                                       const struct json_limits *limits, struct json_t **out_root,
                                       struct err *e);

/* Release a root and all below it; NULL is fine. */
void json_read_free(struct json_t *root);

/* Tell whether a value is an object; NULL is none. */
bool json_read_is_object(const struct json_t *value);

/* Look a member up; NULL if it is absent, is null, or object is no object. */
struct json_t *json_read_find(const struct json_t *object, const char *key);

/* Look a member up that must be an object.
 *
 * Errors: ERR_INPUT naming the key, if it is absent, null or of another kind. */
MUST_USE enum err_code json_read_object(const struct json_t *object, const char *key,
                                        struct json_t **out_value, struct err *e);

/* How many members an object, or elements a list, has; 0 for every other value. */
size_t json_read_count(const struct json_t *value);

/* A walk over an object's members in the order of the text. Starts zeroed.
 *
 * key, value: the member; lent from the object
 * at:         the walk's own */
struct json_member {
    const char *key;
    struct json_t *value;
    void *at;
};

/* Step to the next member; false after the last. The object is not changed: jansson walks only
 * through pointers that are not const. */
bool json_read_next(struct json_t *object, struct json_member *member);

/* Read a whole number.
 *
 * value:  NULL stands for an absent one
 * name:   what the message calls it
 * Errors: ERR_INPUT if it is no integer (2.0 and "2" are none) or not within min..max. */
MUST_USE enum err_code json_read_int(const struct json_t *value, const char *name, int64_t min,
                                     int64_t max, int64_t *out_value, struct err *e);

/* Read a list of whole numbers; each as json_read_int.
 *
 * out_values: room for limit
 * Errors:     ERR_INPUT; it is one too if there are more than limit. */
MUST_USE enum err_code json_read_ints(const struct json_t *value, const char *name, int64_t min,
                                      int64_t max, size_t limit, int64_t *out_values,
                                      size_t *out_count, struct err *e);

/* Read a text; lent from the value. Errors: ERR_INPUT for any other kind. */
MUST_USE enum err_code json_read_text(const struct json_t *value, const char *name,
                                      const char **out_text, struct err *e);

/* Read true or false. Errors: ERR_INPUT for any other kind. */
MUST_USE enum err_code json_read_bool(const struct json_t *value, const char *name, bool *out_value,
                                      struct err *e);

#endif
