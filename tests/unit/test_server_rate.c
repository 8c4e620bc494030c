/* The rate limit: how many pass, when the next one does, and who counts as one client. */
#include "server/rate.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const int64_t second = 1000000000;

static struct rate *make(unsigned requests)
{
    struct rate *rate = NULL;
    struct err e;

    assert_int_equal(rate_new(requests, 42, &rate, &e), ERR_OK);
    assert_int_equal(rate_requests(rate), requests);
    return rate;
}

static struct net_address address(const char *text)
{
    struct net_address out;

    assert_true(net_address_parse(text, strlen(text), &out));
    return out;
}

static void as_many_pass_as_are_allowed(void **state)
{
    struct rate *rate = make(6); /* One in ten seconds. */
    struct net_address client = address("192.0.2.1");

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(rate_take(rate, &client, second), 0);
    assert_int_equal(rate_take(rate, &client, second), 10);
    assert_int_equal(rate_take(rate, &client, second + 1), 10);
    assert_int_equal(rate_take(rate, &client, 10 * second), 1);
    assert_int_equal(rate_take(rate, &client, 11 * second - 1), 1);
    assert_int_equal(rate_take(rate, &client, 11 * second), 0);
    assert_int_equal(rate_take(rate, &client, 11 * second), 10);
    rate_free(rate);
}

static void a_pause_gives_all_of_them_back(void **state)
{
    struct rate *rate = make(100);
    struct net_address client = address("2001:db8::1");

    (void)state;
    for (int64_t minute = 1; minute < 4; minute++) {
        for (int i = 0; i < 100; i++)
            assert_int_equal(rate_take(rate, &client, minute * 60 * second), 0);
        assert_int_equal(rate_take(rate, &client, minute * 60 * second), 1);
    }
    rate_free(rate);
}

static void addresses_of_one_line_are_one_client(void **state)
{
    static const struct {
        const char *first;
        const char *other;
        bool is_one;
    } rows[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"192.0.2.1", "::ffff:192.0.2.1", true},
        {"2001:db8::1", "2001:db8::2", true},
        {"2001:db8::1", "2001:db8:0:0:ffff::1", true},
        {"2001:db8::1", "2001:db8:0:1::1", false},
        {"::", "::1", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rate *rate = make(1);
        struct net_address first = address(rows[i].first);
        struct net_address other = address(rows[i].other);

        assert_int_equal(rate_take(rate, &first, second), 0);
        if ((rate_take(rate, &other, second) > 0) != rows[i].is_one)
            fail_msg("%s and %s", rows[i].first, rows[i].other);
        rate_free(rate);
    }
}

/* More clients than there is room for: each is answered, and the memory stays what it was. */
static void many_clients_are_forgotten_not_refused(void **state)
{
    struct rate *rate = make(1);

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[32];
        struct net_address client;

        snprintf(text, sizeof text, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        client = address(text);
        assert_int_equal(rate_take(rate, &client, second), 0);
    }
    rate_free(rate);
    rate_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_pass_as_are_allowed),
        cmocka_unit_test(a_pause_gives_all_of_them_back),
        cmocka_unit_test(addresses_of_one_line_are_one_client),
        cmocka_unit_test(many_clients_are_forgotten_not_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
