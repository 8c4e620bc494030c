/* SHA-256, by the examples of FIPS 180-2 (NIST, appendix B). */
#include "base/hash.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void the_examples_of_the_standard(void **state)
{
    char hex[HASH_HEX_BYTES];
    char *million = malloc(1000000);

    (void)state;
    hash_sha256("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_sha256("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_sha256(TEXT_AND_LEN("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_non_null(million);
    memset(million, 'a', 1000000);
    hash_sha256(million, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void zero_bytes_count(void **state)
{
    char one[HASH_HEX_BYTES];
    char two[HASH_HEX_BYTES];

    (void)state;
    hash_sha256("\0", 1, one);
    hash_sha256("\0\0", 2, two);
    assert_string_equal(one, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    assert_string_not_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard),
        cmocka_unit_test(zero_bytes_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
