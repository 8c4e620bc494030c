/* Content-Range, RateLimit, Retry-After: what is understood, and what is left alone. */
#include "importers/fetch_headers.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void reads_ranges(void **state)
{
    struct fetch_range r = {0};

    (void)state;
    assert_true(fetch_headers_range("bytes 0-100000/49784788364", &r));
    assert_int_equal(r.first, 0);
    assert_int_equal(r.last, 100000);
    assert_int_equal(r.total, 49784788364);
    assert_true(fetch_headers_range("bytes 5-5/6", &r));
    assert_int_equal(r.first, 5);
    assert_int_equal(r.last, 5);
    assert_int_equal(r.total, 6);
}

static void refuses_ranges_that_say_nothing(void **state)
{
    static const char *const wrong[] = {"",
                                        "bytes",
                                        "bytes */5",
                                        "bytes 0-4/*",
                                        "bytes 0-4",
                                        "bytes 0-5/5",
                                        "bytes 4-3/9",
                                        "bytes -4/9",
                                        "bytes 0-/9",
                                        "items 0-4/5",
                                        "bytes 0-4/5 ",
                                        "bytes=0-4/5",
                                        "bytes 0-4/99999999999999999999"};
    struct fetch_range r = {.total = 7};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_false(fetch_headers_range(wrong[i], &r));
    assert_int_equal(r.total, 7);
}

static void reads_rate_limits(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } rows[] = {
        {"\"api\";r=0;t=55", 55},
        {"\"api\"; r=0; t=55", 55},
        {"\"api\";t=55;r=0", 55},
        {"\"pages\";r=4;t=99, \"api\";r=0;t=20,\"resolvers\";r=0;t=30", 30},
        {"\"api\";r=1;t=55", 0},
        {"\"api\";r=0", 0},
        {"\"api\";t=55", 0},
        {"\"api\";r=0,t=55", 0},
        {"\"api\";r=00;t=55", 0},
        {"\"api\";r=0;t=-5", 0},
        {"\"api\";rr=0;t=55", 0},
        {"", 0},
        {";;;,,,", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(fetch_headers_rate_limit(rows[i].text), rows[i].seconds);
}

static void reads_seconds_to_wait(void **state)
{
    (void)state;
    assert_int_equal(fetch_headers_retry_after("120"), 120);
    assert_int_equal(fetch_headers_retry_after("0"), 0);
    assert_int_equal(fetch_headers_retry_after(""), -1);
    assert_int_equal(fetch_headers_retry_after("-1"), -1);
    assert_int_equal(fetch_headers_retry_after("1.5"), -1);
    assert_int_equal(fetch_headers_retry_after("Fri, 31 Dec 2026 23:59:59 GMT"), -1);
}

static void knows_what_may_go_away(void **state)
{
    static const long passing[] = {408, 429, 500, 502, 503, 504};
    static const long staying[] = {0, 200, 302, 400, 401, 403, 404, 416, 501, 505};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(passing); i++)
        assert_true(fetch_headers_is_passing(passing[i]));
    for (size_t i = 0; i < COUNT_OF(staying); i++)
        assert_false(fetch_headers_is_passing(staying[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ranges),           cmocka_unit_test(refuses_ranges_that_say_nothing),
        cmocka_unit_test(reads_rate_limits),      cmocka_unit_test(reads_seconds_to_wait),
        cmocka_unit_test(knows_what_may_go_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
