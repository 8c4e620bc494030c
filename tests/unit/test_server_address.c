/* Addresses, blocks of them, and who stands behind a proxy. */
#include "server/address.h"
#include "tests/support/test.h"

#include <string.h>

static struct net_address parse(const char *text)
{
    struct net_address address;

    assert_true(net_address_parse(text, strlen(text), &address));
    return address;
}

static void addresses_are_read_and_written(void **state)
{
    static const char *const cases[][2] = {
        {"127.0.0.1", "127.0.0.1"},
        {"0.0.0.0", "0.0.0.0"},
        {"::1", "::1"},
        {"2001:DB8::0:1", "2001:db8::1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"255.255.255.255", "255.255.255.255"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_address address = parse(cases[i][0]);
        char text[NET_TEXT_BYTES];

        net_address_text(&address, text);
        assert_string_equal(text, cases[i][1]);
    }
}

static void other_texts_are_no_addresses(void **state)
{
    static const char *const bad[] = {
        "",          "localhost",  "1.2.3",
        "1.2.3.4.5", "1.2.3.4:80", "[::1]",
        "::1%lo",    "256.0.0.1",  "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
    };
    struct net_address address;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(net_address_parse(bad[i], strlen(bad[i]), &address));
}

static void blocks_have_their_addresses(void **state)
{
    static const struct {
        const char *block;
        const char *address;
        bool has_it;
    } cases[] = {
        {"10.0.0.0/8", "10.255.1.2", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.1.2.3", "10.1.2.3", true},
        {"10.1.2.3", "10.1.2.2", false},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"0.0.0.0/0", "::1", false},
        {"::/0", "8.8.8.8", true},
        {"172.16.0.0/12", "172.31.255.255", true},
        {"172.16.0.0/12", "172.32.0.0", false},
        {"192.0.2.1/31", "192.0.2.0", true},
        {"fd00::/8", "fdff::1", true},
        {"fd00::/8", "fe00::1", false},
        {"2001:db8::/33", "2001:db8:7fff::", true},
        {"2001:db8::/33", "2001:db8:8000::", false},
        {"::1", "::1", true},
        {"::1/128", "::2", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_address address = parse(cases[i].address);
        struct net_block block;
        struct err e;

        assert_int_equal(net_block_parse(cases[i].block, &block, &e), ERR_OK);
        assert_int_equal(net_block_has(&block, &address), cases[i].has_it);
    }
}

static void other_texts_are_no_blocks(void **state)
{
    static const char *const cases[][2] = {
        {"", " is not an IP address or CIDR block"},
        {"nginx", "nginx is not an IP address or CIDR block"},
        {"10.0.0.0/33", "10.0.0.0/33 is not a CIDR block: 33 is above 32"},
        {"::/129", "::/129 is not a CIDR block: 129 is above 128"},
        {"10.0.0.0/-1", "10.0.0.0/-1 is not a CIDR block: -1 is below 0"},
        {"10.0.0.0/255.0.0.0", "10.0.0.0/255.0.0.0 is not a CIDR block: 255.0.0.0 is not a number"},
    };
    struct net_block block;
    struct err e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(net_block_parse(cases[i][0], &block, &e), ERR_INPUT);
        assert_string_equal(e.text, cases[i][1]);
    }
}

static void the_client_is_the_last_one_that_is_not_trusted(void **state)
{
    static const struct {
        const char *peer;
        const char *forwarded;
        const char *client;
    } cases[] = {
        {"10.0.0.1", NULL, "10.0.0.1"},
        {"10.0.0.1", "", "10.0.0.1"},
        {"10.0.0.1", "192.0.2.1", "192.0.2.1"},
        {"10.0.0.1", "1.1.1.1, 192.0.2.1", "192.0.2.1"},
        {"10.0.0.1", "1.1.1.1,192.0.2.1 , 10.0.0.2", "192.0.2.1"},
        {"10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"},
        {"10.0.0.1", "2001:db8::1", "2001:db8::1"},
        {"10.0.0.1", "1.1.1.1, unknown, 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", "1.1.1.1, ", "10.0.0.1"},
        {"10.0.0.1", "1.1.1.1,,10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", ",", "10.0.0.1"},
        {"192.0.2.9", "1.1.1.1", "192.0.2.9"},
    };
    struct net_block trusted;
    struct err e;

    (void)state;
    assert_int_equal(net_block_parse("10.0.0.0/8", &trusted, &e), ERR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_address peer = parse(cases[i].peer);
        struct net_address client = net_client(&peer, cases[i].forwarded, &trusted);
        char text[NET_TEXT_BYTES];

        net_address_text(&client, text);
        assert_string_equal(text, cases[i].client);
        client = net_client(&peer, cases[i].forwarded, NULL);
        assert_memory_equal(&client, &peer, sizeof peer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_written),
        cmocka_unit_test(other_texts_are_no_addresses),
        cmocka_unit_test(blocks_have_their_addresses),
        cmocka_unit_test(other_texts_are_no_blocks),
        cmocka_unit_test(the_client_is_the_last_one_that_is_not_trusted),
    };

    return cmocka_run_group_tests_name("server_address", tests, NULL, NULL);
}
