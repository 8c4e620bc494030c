/* libFuzzer's entry for the JSON reader and writer: what is read lies within the limits, is
 * written, and read again as the same; the getters refuse in words or give what is there. The
 * corpus is in corpus/json: any text. */
#include "base/json.h"
#include "base/json_read.h"
#include "core/model_config.h"
#include "tests/support/fuzzing.h"

#include <jansson.h>

#include <string.h>

static const struct json_limits limits = {.bytes = 65536, .depth = 16, .values = 4096};

/* Room for what escapes make of a text at the limit. */
enum { WRITTEN_LIMIT = 8 * 65536, INTS = 4 };

/* Write a value with our writer; what has members or elements must be within a depth. */
static void put(struct json *j, json_t *value, size_t depth)
{
    struct json_member member = {0};
    json_t *element;
    size_t i;

    fuzz_require(depth <= limits.depth || (!json_is_object(value) && !json_is_array(value)));
    if (json_is_object(value)) {
        json_begin(j, NULL, '{');
        while (json_read_next(value, &member)) {
            json_put_key(j, member.key);
            put(j, member.value, depth + 1);
        }
        json_end(j, '}');
    } else if (json_is_array(value)) {
        json_begin(j, NULL, '[');
        json_array_foreach(value, i, element) put(j, element, depth + 1);
        json_end(j, ']');
    } else if (json_is_string(value)) {
        json_put_text_n(j, NULL, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        json_put_int(j, NULL, json_integer_value(value));
    } else if (json_is_real(value)) {
        json_put_real(j, NULL, json_real_value(value));
    } else if (json_is_boolean(value)) {
        json_put_bool(j, NULL, json_is_true(value));
    } else {
        json_put_null(j, NULL);
    }
}

static void check_round_trip(json_t *root)
{
    static const struct json_limits wide = {.bytes = WRITTEN_LIMIT, .depth = 16, .values = 4096};
    struct json_t *again = NULL;
    struct buf text;
    struct json j;
    struct err e;

    buf_init(&text, WRITTEN_LIMIT);
    json_init(&j, &text);
    put(&j, root, 1);
    fuzz_require(text.status == ERR_OK);
    fuzz_require(json_read_parse(buf_text(&text), text.len, &wide, &again, &e) == ERR_OK);
    fuzz_require(json_equal(root, again));
    json_read_free(again);
    buf_done(&text);
}

/* Ask a value for everything that it may be. */
static void check_getters(const json_t *value)
{
    int64_t integer = 0;
    int64_t integers[INTS];
    size_t count = 0;
    const char *text = NULL;
    bool is_true = false;
    struct err e;
    enum err_code rc = json_read_int(value, "it", -10, 10, &integer, &e);

    fuzz_require(rc == ERR_OK ? json_is_integer(value) && integer >= -10 && integer <= 10
                              : rc == ERR_INPUT && e.text[0]);
    rc = json_read_ints(value, "it", 0, 10, INTS, integers, &count, &e);
    fuzz_require(rc == ERR_OK ? json_is_array(value) && count == json_read_count(value)
                              : rc == ERR_INPUT && e.text[0]);
    rc = json_read_text(value, "it", &text, &e);
    fuzz_require(rc == ERR_OK ? json_is_string(value) && text : rc == ERR_INPUT && e.text[0]);
    rc = json_read_bool(value, "it", &is_true, &e);
    fuzz_require(rc == ERR_OK ? json_is_boolean(value) : rc == ERR_INPUT && e.text[0]);
}

static void check_config(const json_t *root)
{
    struct model_config config;
    struct err e;
    enum err_code rc = model_config_read(root, &config, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return;
    }
    fuzz_require(config.hidden_layers > 0 && config.experts >= 0 && config.experts_per_token >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_member member = {0};
    struct json_t *root = NULL;
    struct err e;
    enum err_code rc = json_read_parse((const char *)data, size, &limits, &root, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return 0;
    }
    check_round_trip(root);
    while (json_read_next(root, &member))
        check_getters(member.value);
    check_config(root);
    json_read_free(root);
    return 0;
}
