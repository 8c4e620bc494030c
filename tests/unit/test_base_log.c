/* Log lines: their form, and that no value can forge one. */
#include "base/log.h"
#include "base/mem.h"
#include "tests/support/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where lines go in these tests. */
static struct log open_log(void)
{
    struct log log = {.fd = memfd_create("log", MFD_CLOEXEC)};

    assert_true(log.fd >= 0);
    return log;
}

/* Close the log and hand out all that was written to it. */
static char *close_log(const struct log *log)
{
    off_t len = lseek(log->fd, 0, SEEK_END);
    char *text = calloc((size_t)len + 1, 1);

    assert_non_null(text);
    assert_int_equal(pread(log->fd, text, (size_t)len, 0), len);
    assert_int_equal(close(log->fd), 0);
    return text;
}

/* Write one value and compare what stands after its key. */
static void expect_written(const char *value, const char *written)
{
    struct log log = open_log();
    struct log_line line;
    char *text;
    char *at;

    log_begin(&log, &line, "info", "test");
    log_add_text(&line, "key", value);
    log_end(&log, &line);
    text = close_log(&log);
    at = strstr(text, " key=");
    assert_non_null(at);
    at += 5;
    assert_int_equal(at[strlen(at) - 1], '\n');
    at[strlen(at) - 1] = '\0';
    assert_string_equal(at, written);
    free(text);
}

static void a_line_starts_with_time_level_and_event(void **state)
{
    static const char shape[] = "time=dddd-dd-ddTdd:dd:ddZ level=error event=request n=-5\n";
    struct log log = open_log();
    struct log_line line;
    char *text;

    (void)state;
    log_begin(&log, &line, "error", "request");
    log_add_int(&line, "n", -5);
    log_end(&log, &line);
    text = close_log(&log);
    assert_int_equal(strlen(text), sizeof shape - 1);
    for (size_t i = 0; i < sizeof "time=dddd-dd-ddTdd:dd:ddZ"; i++)
        if (text[i] >= '0' && text[i] <= '9')
            text[i] = 'd';
    assert_string_equal(text, shape);
    free(text);
}

static void a_message_is_a_whole_line(void **state)
{
    struct log log = open_log();
    char *text;

    (void)state;
    log_message(&log, "info", "start", "two words");
    log_message(&log, "info", "stop", "one");
    text = close_log(&log);
    assert_non_null(strstr(text, " level=info event=start text=\"two words\"\ntime="));
    assert_non_null(strstr(text, " level=info event=stop text=one\n"));
    free(text);
}

static void plain_values_have_no_quotes(void **state)
{
    (void)state;
    expect_written("simple", "simple");
    expect_written("/models/gemma-4-31b/h100", "/models/gemma-4-31b/h100");
    expect_written("Gr\xC3\xB6\xC3\x9F"
                   "e\xE2\x82\xAC\xF0\x9F\x9A\x80",
                   "Gr\xC3\xB6\xC3\x9F"
                   "e\xE2\x82\xAC\xF0\x9F\x9A\x80");
}

static void no_value_forges_a_line_or_a_pair(void **state)
{
    static const char *const rows[][2] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"a=b", "\"a=b\""},
        {"a\"b", "\"a\\\"b\""},
        {"a\\", "\"a\\\\\""},
        {"a\nlevel=info", "\"a\\x0alevel=info\""},
        {"a\r\n", "\"a\\x0d\\x0a\""},
        {"\" level=error \"", "\"\\\" level=error \\\"\""},
        {"\x1b[2J", "\"\\x1b[2J\""},
        {"a\tb\x7F", "\"a\\x09b\\x7f\""},
        {"a\xC2\x85"
         "b",
         "\"a\\xc2\\x85b\""},
        {"a\xE2\x80\xA8"
         "b\xE2\x80\xA9",
         "\"a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9\""},
        {"a\xFF\xC3", "\"a\\xff\\xc3\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_written(rows[i][0], rows[i][1]);
}

static void a_long_line_is_cut_and_says_so(void **state)
{
    struct log log = open_log();
    struct log_line line;
    char many[LOG_LINE_BYTES * 2];
    size_t len;
    char *text;

    (void)state;
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    many[10] = '\n';
    log_begin(&log, &line, "info", "test");
    log_add_text(&line, "key", many);
    log_add_text(&line, "next", "value");
    log_add_int(&line, "n", 1);
    log_end(&log, &line);
    text = close_log(&log);
    len = strlen(text);
    assert_in_range(len, LOG_LINE_BYTES - 8, LOG_LINE_BYTES);
    assert_string_equal(text + len - 5, "x...\n");
    assert_ptr_equal(strchr(text, '\n'), text + len - 1);
    assert_null(strstr(text, "next"));
    free(text);
}

static void a_cut_line_is_utf8(void **state)
{
    (void)state;
    for (size_t before = 0; before < 3; before++) {
        struct log log = open_log();
        struct log_line line;
        char many[LOG_LINE_BYTES * 2 + 2] = "ab";
        char *text;

        for (size_t i = before; i + 3 < sizeof many; i += 3)
            memcpy(many + i, "\xE2\x82\xAC", 4);
        log_begin(&log, &line, "info", "test");
        log_add_text(&line, "key", many);
        log_end(&log, &line);
        text = close_log(&log);
        assert_string_equal(text + strlen(text) - 7, "\xE2\x82\xAC...\n");
        free(text);
    }
}

/* Write one value as JSON, read the line back as JSON, and compare. */
static void expect_json(const char *value, const char *expected)
{
    struct log log = open_log();
    struct log_line line;
    json_t *root;
    char *text;

    log.is_json = true;
    log_begin(&log, &line, "info", "test");
    log_add_text(&line, "key", value);
    log_add_int(&line, "n", -7);
    log_end(&log, &line);
    text = close_log(&log);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        fail_msg("not JSON: %s", text);
    assert_string_equal(json_string_value(json_object_get(root, "level")), "info");
    assert_string_equal(json_string_value(json_object_get(root, "event")), "test");
    assert_int_equal(json_string_length(json_object_get(root, "time")), 20);
    if (expected) {
        assert_string_equal(json_string_value(json_object_get(root, "key")), expected);
        assert_int_equal(json_integer_value(json_object_get(root, "n")), -7);
    }
    json_decref(root);
    free(text);
}

static void json_lines_are_json_whatever_the_value(void **state)
{
    (void)state;
    expect_json("", "");
    expect_json("a b=\"c\\d", "a b=\"c\\d");
    expect_json("a\nlevel=info\x1b\x7F", "a\nlevel=info\x1b\x7F");
    expect_json("a\xFF\xC3", "a\xEF\xBF\xBD\xEF\xBF\xBD");
    expect_json("\xE2\x80\xA8\xF0\x9F\x9A\x80", "\xE2\x80\xA8\xF0\x9F\x9A\x80");
}

/* Every length around the limit, with characters of one, two, three and six bytes. */
static void json_lines_that_are_cut_are_json(void **state)
{
    static const char *const letters[] = {"x", "\xC3\xB6", "\xE2\x82\xAC", "\x01", "\""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(letters); i++) {
        char many[LOG_LINE_BYTES * 2] = "";
        size_t step = strlen(letters[i]);

        for (size_t len = 0; len + step < sizeof many - 1; len += step) {
            memcpy(many + len, letters[i], step + 1);
            if (len > 600 && len < LOG_LINE_BYTES + 10)
                expect_json(many, NULL);
        }
        expect_json(many, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_starts_with_time_level_and_event),
        cmocka_unit_test(a_message_is_a_whole_line),
        cmocka_unit_test(plain_values_have_no_quotes),
        cmocka_unit_test(no_value_forges_a_line_or_a_pair),
        cmocka_unit_test(a_long_line_is_cut_and_says_so),
        cmocka_unit_test(a_cut_line_is_utf8),
        cmocka_unit_test(json_lines_are_json_whatever_the_value),
        cmocka_unit_test(json_lines_that_are_cut_are_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
