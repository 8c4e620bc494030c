/* Limits, then jansson, then typed getters. */
#include "base/json_read.h"

#include <inttypes.h>
#include <jansson.h>

/* One pass over the bytes before jansson sees them: it has a depth limit of 2048 that cannot be
 * set, and none on how many values there are. */
static enum err_code check_limits(const char *bytes, size_t len, const struct json_limits *limits,
                                  struct err *e)
{
    bool is_text = false;
    size_t depth = 0;
    size_t values = 1;

    if (len > limits->bytes)
        return err_set(e, ERR_LIMIT, "longer than %zu bytes", limits->bytes);
    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];

        if (c == '"')
            is_text = !is_text;
        else if (is_text && c == '\\')
            i++;
        else if (!is_text && (c == '}' || c == ']') && depth > 0)
            depth--;
        else if (!is_text && (c == '{' || c == '['))
            depth++, values++;
        else if (!is_text && c == ',')
            values++;
        if (depth > limits->depth)
            return err_set(e, ERR_LIMIT, "nested deeper than %zu", limits->depth);
        if (values > limits->values)
            return err_set(e, ERR_LIMIT, "more than %zu values", limits->values);
    }
    return ERR_OK;
}

enum err_code json_read_parse(const char *bytes, size_t len, const struct json_limits *limits,
                              struct json_t **out_root, struct err *e)
{
    enum err_code rc = check_limits(bytes, len, limits, e);
    json_error_t error;
    json_t *root;

    if (rc != ERR_OK)
        return rc;
    root = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &error);
    /* Where jansson cannot make a value, it gives up without a text. */
    if (!root && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
        return err_nomem(e);
    if (!root)
        return err_set(e, ERR_INPUT, "not valid JSON: line %d, column %d: %s", error.line,
                       error.column, error.text);
    *out_root = root;
    return ERR_OK;
}

void json_read_free(struct json_t *root)
{
    json_decref(root);
}

bool json_read_is_object(const struct json_t *value)
{
    return json_is_object(value);
}

struct json_t *json_read_find(const struct json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

static const char *kind_of(const json_t *value)
{
    if (!value)
        return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a real number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

static enum err_code refuse_kind(const json_t *value, const char *name, const char *wanted,
                                 struct err *e)
{
    return err_set(e, ERR_INPUT, "%s: %s is needed, not %s", name, wanted, kind_of(value));
}

enum err_code json_read_object(const struct json_t *object, const char *key,
                               struct json_t **out_value, struct err *e)
{
    json_t *value = json_object_get(object, key);

    if (!json_is_object(value))
        return refuse_kind(value, key, "an object", e);
    *out_value = value;
    return ERR_OK;
}

size_t json_read_count(const struct json_t *value)
{
    return json_is_object(value) ? json_object_size(value) : json_array_size(value);
}

bool json_read_next(struct json_t *object, struct json_member *member)
{
    member->at = member->at ? json_object_iter_next(object, member->at) : json_object_iter(object);
    if (!member->at)
        return false;
    member->key = json_object_iter_key(member->at);
    member->value = json_object_iter_value(member->at);
    return true;
}

enum err_code json_read_int(const struct json_t *value, const char *name, int64_t min, int64_t max,
                            int64_t *out_value, struct err *e)
{
    json_int_t number;

    if (!json_is_integer(value))
        return refuse_kind(value, name, "a whole number", e);
    number = json_integer_value(value);
    if (number < min)
        return err_set(e, ERR_INPUT, "%s: %lld is below %" PRId64, name, number, min);
    if (number > max)
        return err_set(e, ERR_INPUT, "%s: %lld is above %" PRId64, name, number, max);
    *out_value = number;
    return ERR_OK;
}

enum err_code json_read_ints(const struct json_t *value, const char *name, int64_t min, int64_t max,
                             size_t limit, int64_t *out_values, size_t *out_count, struct err *e)
{
    size_t count = json_array_size(value);

    if (!json_is_array(value))
        return refuse_kind(value, name, "a list", e);
    if (count > limit)
        return err_set(e, ERR_INPUT, "%s: %zu elements, more than %zu", name, count, limit);
    for (size_t i = 0; i < count; i++) {
        enum err_code rc =
            json_read_int(json_array_get(value, i), name, min, max, &out_values[i], e);

        if (rc != ERR_OK)
            return rc;
    }
    *out_count = count;
    return ERR_OK;
}

enum err_code json_read_text(const struct json_t *value, const char *name, const char **out_text,
                             struct err *e)
{
    if (!json_is_string(value))
        return refuse_kind(value, name, "a text", e);
    *out_text = json_string_value(value);
    return ERR_OK;
}

enum err_code json_read_bool(const struct json_t *value, const char *name, bool *out_value,
                             struct err *e)
{
    if (!json_is_boolean(value))
        return refuse_kind(value, name, "true or false", e);
    *out_value = json_is_true(value);
    return ERR_OK;
}
