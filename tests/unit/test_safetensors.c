/* safetensors headers: what is read, and every way in which one may not agree with its file. */
#include "core/safetensors.h"

#include "base/buf.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* What was visited, as text: "name dtype rank shape[0];". */
static enum err_code note(void *ctx, const struct tensor *t, struct err *e)
{
    struct buf *seen = ctx;

    (void)e;
    buf_printf(seen, "%s %s %zu %lld;", t->name, t->dtype, t->rank, (long long)t->shape[0]);
    return ERR_OK;
}

static enum err_code refuse(void *ctx, const struct tensor *t, struct err *e)
{
    (void)ctx;
    return err_set(e, ERR_CONFLICT, "not %s", t->name);
}

/* The size of a file with this header and so many bytes of data. */
static int64_t file_bytes(const char *header, int64_t data_bytes)
{
    return SAFETENSORS_PREFIX_BYTES + (int64_t)strlen(header) + data_bytes;
}

static void assert_read(const char *header, int64_t data_bytes, const char *expected)
{
    struct err e = {0};
    struct buf seen;

    buf_init(&seen, 1000);
    if (safetensors_read(header, strlen(header), file_bytes(header, data_bytes), note, &seen, &e) !=
        ERR_OK)
        fail_msg("%s", e.text);
    assert_string_equal(buf_text(&seen), expected);
    buf_done(&seen);
}

static void assert_refused(const char *header, int64_t data_bytes, const char *message)
{
    struct err e = {0};
    struct buf seen;

    buf_init(&seen, 1000);
    assert_int_equal(
        safetensors_read(header, strlen(header), file_bytes(header, data_bytes), note, &seen, &e),
        ERR_INPUT);
    assert_string_equal(e.text, message);
    buf_done(&seen);
}

static void reads_tensors(void **state)
{
    (void)state;
    assert_read("{\"__metadata__\":{\"format\":\"pt\"},"
                "\"a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"
                "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[12,16]}}   ",
                16, "a BF16 2 2;b F32 0 0;");
    assert_read("{}", 0, "");
    assert_read("{\"__metadata__\":{}}", 0, "");
}

static void reads_data_in_another_order_than_the_names(void **state)
{
    (void)state;
    assert_read("{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[2,5]},"
                "\"b\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                "\"c\":{\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[2,2]}}",
                5, "a I8 1 3;b I8 1 2;c I8 1 0;");
}

static void reads_packed_and_unknown_dtypes(void **state)
{
    (void)state;
    assert_read("{\"a\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[0,2]},"
                "\"b\":{\"dtype\":\"Q7\",\"shape\":[9],\"data_offsets\":[2,5]}}",
                5, "a F4 1 4;b Q7 1 9;");
    assert_refused("{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2,
                   "a: its shape has 3 elements of 4 bits, its offsets 2 bytes");
}

static void refuses_sizes_that_lie(void **state)
{
    static const char one[] =
        "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]}}";

    (void)state;
    assert_refused(one, 11, "the tensors have 12 bytes, and the file has room for 11");
    assert_refused(one, 13, "the tensors have 12 bytes, and the file has room for 13");
    assert_refused("{\"a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,24]}}", 24,
                   "a: its shape has 6 elements of 16 bits, its offsets 24 bytes");
    assert_refused("{\"a\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[2,4]}}", 4,
                   "a tensor begins at byte 2, and the one before ends at 0");
    assert_refused("{\"a\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]},"
                   "\"b\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]}}",
                   2, "a tensor begins at byte 0, and the one before ends at 2");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],"
                   "\"data_offsets\":[0,1]}}",
                   1, "a: its size does not fit 64 bits");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
                   "\"data_offsets\":[0,1]}}",
                   1, "a: its shape does not fit 64 bits");
}

static void refuses_entries_of_the_wrong_kind(void **state)
{
    (void)state;
    assert_refused("[]", 0, "a header is an object");
    assert_refused("{\"a\":7}", 0, "a: dtype: a text is needed, not nothing");
    assert_refused("{\"a\":{\"dtype\":16}}", 0, "a: dtype: a text is needed, not a whole number");
    assert_refused("{\"a\":{\"dtype\":\"F32\"}}", 0, "a: shape: a list is needed, not nothing");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}", 8,
                   "a: shape: a whole number is needed, not a real number");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8,
                   "a: shape: -2 is below 0");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[\"0\",8]}}", 8,
                   "a: data_offsets: a whole number is needed, not a text");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8]}}", 8,
                   "a: data_offsets: a begin and an end are needed");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8,
                   "a: data_offsets: a begin and an end are needed");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"
                   "\"data_offsets\":[0,4]}}",
                   4, "a: shape: 17 elements, more than 16");
}

static void refuses_duplicate_names(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                   "\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
                   2, "not valid JSON: line 1, column 56: duplicate object key near '\"a\"'");
}

static void hands_the_visitor_s_refusal_up(void **state)
{
    static const char one[] = "{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    struct err e = {0};

    (void)state;
    assert_int_equal(safetensors_read(one, sizeof one - 1, file_bytes(one, 1), refuse, NULL, &e),
                     ERR_CONFLICT);
    assert_string_equal(e.text, "not a");
}

static void assert_length_refused(const char *bytes, int64_t size, enum err_code code,
                                  const char *message)
{
    size_t len = 0;
    struct err e = {0};

    assert_int_equal(safetensors_header_bytes(bytes, size, &len, &e), code);
    assert_string_equal(e.text, message);
    assert_int_equal(len, 0);
}

static void reads_the_length_little_endian(void **state)
{
    size_t len = 0;
    struct err e = {0};

    (void)state;
    assert_int_equal(safetensors_header_bytes("\x20\xa1\x07\0\0\0\0\0", 500008, &len, &e), ERR_OK);
    assert_int_equal(len, 500000);
    assert_length_refused("\x20\xa1\x07\0\0\0\0\0", 500007, ERR_INPUT,
                          "a header of 500000 bytes in a file of 500007");
    assert_length_refused("\0\0\0\0\0\0\0\0", 7, ERR_INPUT, "a header of 0 bytes in a file of 7");
    assert_int_equal(safetensors_header_bytes("\x40\x78\x7d\x01\0\0\0\0", 49000000000, &len, &e),
                     ERR_OK);
    assert_int_equal(len, 25000000);
    len = 0;
    assert_length_refused("\x41\x78\x7d\x01\0\0\0\0", 49000000000, ERR_LIMIT,
                          "a header of 25000001 bytes is longer than 25000000");
    assert_length_refused("<!DOCTYP", 49000000000, ERR_LIMIT,
                          "a header of 5789751444030890300 bytes is longer than 25000000");
    assert_length_refused("\xff\xff\xff\xff\xff\xff\xff\xff", 49000000000, ERR_LIMIT,
                          "a header of 18446744073709551615 bytes is longer than 25000000");
}

/* Processor time, so that other programs on the machine do not count. */
static int64_t now_ns(void)
{
    struct timespec now = {0};

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How long it takes to read a header with so many tensors of one byte, in reverse order of their
 * data. */
static int64_t read_ns(int count)
{
    struct buf header, seen;
    struct err e = {0};
    int64_t start;

    buf_init(&header, 10000000);
    buf_init(&seen, 10000000);
    buf_putc(&header, '{');
    for (int i = count; i > 0; i--)
        buf_printf(&header, "\"t%d\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[%d,%d]}%s",
                   i, i - 1, i, i > 1 ? "," : "}");
    start = now_ns();
    assert_int_equal(
        safetensors_read(header.data, header.len, file_bytes(header.data, count), note, &seen, &e),
        ERR_OK);
    start = now_ns() - start;
    buf_done(&header);
    buf_done(&seen);
    return start;
}

/* Ten times the tensors take about ten times as long; a quadratic check would take a hundred. */
static void takes_time_in_proportion_to_the_tensors(void **state)
{
    int64_t few = read_ns(4000);

    (void)state;
    assert_true(read_ns(40000) < 40 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tensors),
        cmocka_unit_test(reads_data_in_another_order_than_the_names),
        cmocka_unit_test(reads_packed_and_unknown_dtypes),
        cmocka_unit_test(refuses_sizes_that_lie),
        cmocka_unit_test(refuses_entries_of_the_wrong_kind),
        cmocka_unit_test(refuses_duplicate_names),
        cmocka_unit_test(hands_the_visitor_s_refusal_up),
        cmocka_unit_test(reads_the_length_little_endian),
        cmocka_unit_test(takes_time_in_proportion_to_the_tensors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
