/* What a table drives as a whole: nesting, missing and unknown keys, nulls, JSON in the table's
 * order. What single values may be is test_field_values.c's. */
#include "core/field.h"

#include "base/mem.h"
#include "tests/support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

enum { ARENA_LIMIT = 1024 * 1024 };

/* A table with everything that nests. */
struct part {
    const char *name;
    const char *note;
};

struct whole {
    int64_t size;
    struct {
        bool is_present;
        int64_t first;
        double share;
        const char *why;
    } split;
    struct open_map open;
    struct item_list parts;
    struct text_list texts;
    struct int_list ints;
    const char *worked_out;
};

static const struct field whole_rows[] = {
    {"size", "size", FIELD_INT, FIELD_NULLABLE, .offset = offsetof(struct whole, size), .min = 1,
     .max = 9},
    {"split", NULL, FIELD_MAP, FIELD_NULLABLE, .offset = offsetof(struct whole, split.is_present)},
    {"split.first", "first", FIELD_INT, FIELD_BELOW_NULLABLE,
     .offset = offsetof(struct whole, split.first), .min = 0, .max = 9},
    {"split.share", "share", FIELD_REAL, FIELD_NULLABLE | FIELD_BELOW_NULLABLE,
     .offset = offsetof(struct whole, split.share), .max = 1},
    {"split.why", "why", FIELD_TEXT, FIELD_NULLABLE | FIELD_BELOW_NULLABLE,
     .offset = offsetof(struct whole, split.why)},
    {"open", NULL, FIELD_OPEN_MAP, .offset = offsetof(struct whole, open)},
    {"open.rows", NULL, FIELD_INT, FIELD_OPTIONAL, .min = 1, .max = 9},
    {"open.ratio", NULL, FIELD_REAL, FIELD_OPTIONAL, .max = 1},
    {"parts", NULL, FIELD_MAP_LIST, .offset = offsetof(struct whole, parts),
     .item_size = sizeof(struct part)},
    {"parts[].name", NULL, FIELD_TEXT, .offset = offsetof(struct part, name)},
    {"parts[].note", NULL, FIELD_TEXT, FIELD_OPTIONAL, .offset = offsetof(struct part, note)},
    {"texts", NULL, FIELD_TEXT_LIST, .offset = offsetof(struct whole, texts)},
    {"ints", NULL, FIELD_INT_LIST, .offset = offsetof(struct whole, ints)},
    {"derived", NULL, FIELD_MAP, .flags = FIELD_DERIVED},
    {"derived.worked_out", "worked_out", FIELD_TEXT, FIELD_DERIVED,
     .offset = offsetof(struct whole, worked_out)},
};
static const struct field_table whole_table = {whole_rows, COUNT_OF(whole_rows)};

static const char good[] = "size: 3\n"
                           "split: {first: 0, share: 0.30000000000000004, why: \"a \\\"b\\\"\"}\n"
                           "open: {z: 3.10, rows: 8, ratio: 1.0, a: ''}\n"
                           "parts: [{name: x, note: y}, {name: z}]\n"
                           "texts: [a]\n"
                           "ints: [5, 19]\n";

/* Read a whole; the report must be what is expected. */
static void read_whole(const char *yaml, const char *expected, struct arena *arena,
                       struct whole *out)
{
    struct reading r;
    struct err e = {0};

    *out = (struct whole){0};
    reading_text(&r, yaml);
    assert_int_equal(field_read(&whole_table, r.root, out, arena, &r.report, &e), ERR_OK);
    assert_string_equal(reading_problems(&r), expected);
    reading_done(&r);
}

static void assert_whole_json(const struct whole *whole, const char *expected)
{
    struct buf out;
    struct json j;
    struct err e = {0};

    buf_init(&out, ARENA_LIMIT);
    json_init(&j, &out);
    field_write_json(&whole_table, whole, NULL, &j);
    assert_int_equal(buf_check(&out, &e), ERR_OK);
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

static void json_is_the_documents_own_tree(void **state)
{
    struct arena arena;
    struct whole whole;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_whole(good, "", &arena, &whole);
    whole.worked_out = "not in the file";
    assert_whole_json(
        &whole, "{\"size\":3,"
                "\"split\":{\"first\":0,\"share\":0.30000000000000004,\"why\":\"a \\\"b\\\"\"},"
                "\"open\":{\"z\":\"3.10\",\"rows\":8,\"ratio\":1.0,\"a\":\"\"},"
                "\"parts\":[{\"name\":\"x\",\"note\":\"y\"},{\"name\":\"z\"}],"
                "\"texts\":[\"a\"],\"ints\":[5,19]}");
    read_whole("ints: []\ntexts: []\nparts: []\nopen: {}\nsplit: {first: 1, share: ~, why: null}\n"
               "size:\n",
               "", &arena, &whole);
    assert_whole_json(&whole, "{\"size\":null,\"split\":{\"first\":1,\"share\":null,\"why\":null},"
                              "\"open\":{},\"parts\":[],\"texts\":[],\"ints\":[]}");
    arena_done(&arena);
}

static void null_maps_make_their_fields_null(void **state)
{
    struct arena arena;
    struct whole whole;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_whole(good, "", &arena, &whole);
    assert_false(field_is_null(field_by_path(&whole_table, "size"), &whole));
    assert_false(field_is_null(field_by_path(&whole_table, "split"), &whole));
    assert_false(field_is_null(field_by_column(&whole_table, "first"), &whole));
    assert_false(field_is_null(field_by_column(&whole_table, "why"), &whole));
    assert_true(field_is_null(field_by_column(&whole_table, "worked_out"), &whole));
    assert_false(field_is_null(field_by_path(&whole_table, "parts[].note"), whole.parts.items));
    assert_true(field_is_null(field_by_path(&whole_table, "parts[].note"),
                              (const struct part *)whole.parts.items + 1));
    read_whole("size: null\nsplit: null\nopen: {}\nparts: []\ntexts: []\nints: []\n", "", &arena,
               &whole);
    assert_true(field_is_null(field_by_path(&whole_table, "size"), &whole));
    assert_true(field_is_null(field_by_path(&whole_table, "split"), &whole));
    assert_true(field_is_null(field_by_column(&whole_table, "first"), &whole));
    assert_true(field_is_null(field_by_column(&whole_table, "why"), &whole));
    assert_false(field_is_null(field_by_path(&whole_table, "parts"), &whole));
    assert_whole_json(&whole, "{\"size\":null,\"split\":null,\"open\":{},\"parts\":[],\"texts\":[],"
                              "\"ints\":[]}");
    arena_done(&arena);
}

static void every_problem_is_reported_with_its_place(void **state)
{
    struct arena arena;
    struct whole whole;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_whole("sice: 3\n"
               "split:\n"
               "  frist: 0\n"
               "  why: ''\n"
               "open: {x: null, y: [1], rows: 0, ratio: '1', z: {}}\n"
               "parts:\n"
               "- note: null\n"
               "- null\n"
               "- name: a\n"
               "  nam: b\n"
               "texts: {}\n"
               "derived: {worked_out: a}\n",
               "f:1:1: error: size: the key is missing\n"
               "f:1:1: error: ints: the key is missing\n"
               "f:1:1: error: sice: unknown key; did you mean size?\n"
               "f:2:1: error: split.first: the key is missing\n"
               "f:2:1: error: split.share: the key is missing\n"
               "f:3:3: error: split.frist: unknown key; did you mean first?\n"
               "f:4:8: error: split.why: empty, where a text is needed\n"
               "f:5:11: error: open.x: null, where a text is needed\n"
               "f:5:20: error: open.y: a list, where a text is needed\n"
               "f:5:31: error: open.rows: 0 is below 1\n"
               "f:5:41: error: open.ratio: quoted, where a number is needed: write it without "
               "quotes\n"
               "f:5:49: error: open.z: a map, where a text is needed\n"
               "f:7:3: error: parts[0].name: the key is missing\n"
               "f:7:9: error: parts[0].note: null, where a text is needed\n"
               "f:8:3: error: parts[1]: null, where a map is needed\n"
               "f:10:3: error: parts[2].nam: unknown key; did you mean name?\n"
               "f:11:8: error: texts: a map, where a list is needed\n"
               "f:12:1: error: derived: unknown key\n",
               &arena, &whole);
    arena_done(&arena);
}

static void a_root_that_is_no_map_is_refused(void **state)
{
    struct arena arena;
    struct whole whole;

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    read_whole("- a\n", "f:1:1: error: a list, where a map is needed\n", &arena, &whole);
    read_whole("a\n", "f:1:1: error: a single value, where a map is needed\n", &arena, &whole);
    read_whole("~\n", "f:1:1: error: null, where a map is needed\n", &arena, &whole);
    arena_done(&arena);
}

static void wrong_keys_are_cut_in_paths(void **state)
{
    struct arena arena;
    int64_t value = 0;
    const struct field row = {"v", .kind = FIELD_INT};
    const struct field_table table = {&row, 1};
    struct reading r;
    struct err e = {0};

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    reading_text(&r, "v: 1\n"
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaXX: 1\n"
                     "\"b\\nc\": 1\n");
    assert_int_equal(field_read(&table, r.root, &value, &arena, &r.report, &e), ERR_OK);
    assert_string_equal(
        reading_problems(&r),
        "f:2:1: error: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: "
        "unknown key\n"
        "f:3:1: error: b...: unknown key\n");
    reading_done(&r);
    arena_done(&arena);
}

static void a_prefix_stands_before_every_path(void **state)
{
    struct arena arena;
    struct whole whole = {0};
    struct reading r;
    struct err e = {0};

    (void)state;
    arena_init(&arena, ARENA_LIMIT);
    reading_text(&r, "size: 0\nsplit: null\nopen: {}\nparts: [1]\ntexts: []\nints: []\n");
    assert_int_equal(field_read_at(&whole_table, r.root, "gpus[2].", &whole, &arena, &r.report, &e),
                     ERR_OK);
    assert_string_equal(reading_problems(&r),
                        "f:1:7: error: gpus[2].size: 0 is below 1\n"
                        "f:4:9: error: gpus[2].parts[0]: a single value, where a map is needed\n");
    reading_done(&r);
    arena_done(&arena);
}

static void rows_are_found_by_name_and_nesting(void **state)
{
    struct field_table below = field_below(&whole_table, 1);

    (void)state;
    assert_ptr_equal(below.rows, whole_rows + 2);
    assert_int_equal(below.count, 3);
    assert_int_equal(field_below(&whole_table, 0).count, 0);
    assert_int_equal(field_below(&whole_table, 5).count, 2);
    assert_int_equal(field_below(&whole_table, 8).count, 2);
    assert_int_equal(field_below(&whole_table, COUNT_OF(whole_rows) - 1).count, 0);
    assert_string_equal(field_name(&whole_rows[0]), "size");
    assert_string_equal(field_name(&whole_rows[2]), "first");
    assert_string_equal(field_name(&whole_rows[9]), "name");
    assert_ptr_equal(field_by_column(&whole_table, "first"), whole_rows + 2);
    assert_null(field_by_column(&whole_table, "split"));
    assert_ptr_equal(field_by_path(&whole_table, "parts[].note"), whole_rows + 10);
    assert_null(field_by_path(&whole_table, "parts[0].note"));
}

/* The arena's limit stands for memory that runs out: one more block of 16 bytes each time. */
static void short_memory_is_an_error_everywhere(void **state)
{
    enum err_code rc = ERR_NOMEM;
    struct reading r;
    size_t limit = 0;

    (void)state;
    reading_text(&r, good);
    while (rc != ERR_OK) {
        struct arena arena;
        struct whole whole = {0};
        struct err e = {0};

        arena_init(&arena, limit);
        rc = field_read(&whole_table, r.root, &whole, &arena, &r.report, &e);
        assert_int_equal(e.code, rc);
        assert_true(rc == ERR_OK || rc == ERR_NOMEM);
        arena_done(&arena);
        limit += 16;
        assert_true(limit < ARENA_LIMIT);
    }
    /* Lists, keys and texts of the document come to far more than a few blocks. */
    assert_true(limit > 400);
    assert_string_equal(reading_problems(&r), "");
    reading_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_the_documents_own_tree),
        cmocka_unit_test(null_maps_make_their_fields_null),
        cmocka_unit_test(every_problem_is_reported_with_its_place),
        cmocka_unit_test(a_root_that_is_no_map_is_refused),
        cmocka_unit_test(wrong_keys_are_cut_in_paths),
        cmocka_unit_test(a_prefix_stands_before_every_path),
        cmocka_unit_test(rows_are_found_by_name_and_nesting),
        cmocka_unit_test(short_memory_is_an_error_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
