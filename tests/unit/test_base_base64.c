/* URL-safe Base64: one text for each run of bytes, and nothing else is read. */
#include "base/base64.h"
#include "tests/support/test.h"

#include <string.h>

enum { MOST = 700, LIMIT = 2000 };

static void what_is_written_is_read(void **state)
{
    char bytes[MOST];

    (void)state;
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (char)(i * 37 + i / 11);
    for (size_t len = 0; len <= MOST; len += len < 20 ? 1 : 47) {
        struct buf text, back;

        buf_init(&text, LIMIT);
        buf_init(&back, LIMIT);
        base64_write(&text, bytes, len);
        assert_int_equal(text.len, (len * 4 + 2) / 3);
        assert_true(base64_read(&back, buf_text(&text), text.len));
        assert_int_equal(back.len, len);
        assert_memory_equal(buf_text(&back), bytes, len);
        buf_done(&text);
        buf_done(&back);
    }
}

static void another_text_is_refused(void **state)
{
    static const char *const taken[] = {"", "AA", "AAA", "AAAA", "_-_-", "aQ", "aWs"};
    static const char *const refused[] = {"A",    "AAAAA", "AB",     "AAB",    "aR",       "aWt",
                                          "AA==", "AAA=",  "A AA",   "AAAA\n", " AAAA",    "AA+A",
                                          "AA/A", "====",  "AA\xc3", "AAAA ",  "AAAAAAAAA"};
    struct buf out;

    (void)state;
    buf_init(&out, LIMIT);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        assert_true(base64_read(&out, taken[i], strlen(taken[i])));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (base64_read(&out, refused[i], strlen(refused[i])))
            fail_msg("%s", refused[i]);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(another_text_is_refused),
    };

    return cmocka_run_group_tests_name("base_base64", tests, NULL, NULL);
}
