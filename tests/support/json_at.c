/* Walks from the root of a JSON reply, a key or an index at each step. */
#include "tests/support/json_at.h"

#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Step into an object by key, or into an array by index; NULL if there is no such member. */
static const json_t *step(const json_t *value, const char *key, size_t len)
{
    char name[128];
    char *end;
    size_t index;

    assert_true(len < sizeof name);
    memcpy(name, key, len);
    name[len] = '\0';
    if (!json_is_array(value))
        return json_object_get(value, name);
    index = strtoul(name, &end, 10);
    return end != name && *end == '\0' ? json_array_get(value, index) : NULL;
}

const json_t *json_at(struct http_response *r, const char *path)
{
    const json_t *value;
    json_error_t error;

    if (!r->json)
        r->json = json_loadb(r->body, r->len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!r->json)
        fail_msg("not JSON, line %d: %s: %s", error.line, error.text, r->body);
    value = r->json;
    while (value && *path) {
        size_t len = strcspn(path, ".");

        value = step(value, path, len);
        path += len + (path[len] == '.');
    }
    return value;
}

static const json_t *need(struct http_response *r, const char *path, const char *what, bool is_it)
{
    const json_t *value = json_at(r, path);

    if (!value)
        fail_msg("%s: nothing there in %s", path, r->body);
    if (!is_it)
        fail_msg("%s: not %s in %s", path, what, r->body);
    return value;
}

const char *json_text_at(struct http_response *r, const char *path)
{
    return json_string_value(need(r, path, "a text", json_is_string(json_at(r, path))));
}

long long json_int_at(struct http_response *r, const char *path)
{
    return json_integer_value(need(r, path, "a whole number", json_is_integer(json_at(r, path))));
}

double json_real_at(struct http_response *r, const char *path)
{
    return json_number_value(need(r, path, "a number", json_is_number(json_at(r, path))));
}

bool json_bool_at(struct http_response *r, const char *path)
{
    return json_is_true(need(r, path, "true or false", json_is_boolean(json_at(r, path))));
}

size_t json_count_at(struct http_response *r, const char *path)
{
    const json_t *value = need(r, path, "a list", json_is_array(json_at(r, path)));

    return json_array_size(value);
}

bool json_is_null_at(struct http_response *r, const char *path)
{
    return json_is_null(need(r, path, "", true));
}
