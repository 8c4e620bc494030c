/* Compression, undone with zlib itself. */
#include "server/gzip.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* Undo gzip into a buffer of exactly the length that is expected. */
static void expect_unpacked(const char *packed, size_t packed_len, const char *bytes, size_t len)
{
    z_stream stream = {.next_in = NULL};
    unsigned char *out = malloc(len + 1);
    unsigned char *copy = malloc(packed_len);

    assert_non_null(out);
    assert_non_null(copy);
    memcpy(copy, packed, packed_len);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = copy;
    stream.avail_in = (uInt)packed_len;
    stream.next_out = out;
    stream.avail_out = (uInt)len + 1;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, len);
    assert_memory_equal(out, bytes, len);
    inflateEnd(&stream);
    free(copy);
    free(out);
}

static void bytes_come_back(void **state)
{
    static const size_t lengths[] = {0, 1, 1024, 70000, 1000000};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *bytes = malloc(lengths[i] + 1);
        char *packed[2];
        size_t len[2];
        unsigned x = 1;
        struct err e;

        assert_non_null(bytes);
        /* Hard to compress in its first half, easy in its second. */
        for (size_t j = 0; j < lengths[i]; j++) {
            x = x * 1103515245 + 12345;
            bytes[j] = j < lengths[i] / 2 ? (char)(x >> 16) : 'a';
        }
        for (int k = 0; k < 2; k++)
            assert_int_equal(http_gzip(bytes, lengths[i], &packed[k], &len[k], &e), ERR_OK);
        expect_unpacked(packed[0], len[0], bytes, lengths[i]);
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(packed[0], packed[1], len[0]);
        free(packed[0]);
        free(packed[1]);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back),
    };

    return cmocka_run_group_tests_name("server_gzip", tests, NULL, NULL);
}
