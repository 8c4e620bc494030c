/* What the YAML reader makes of a file: the tree of a good one, every refusal with its place and
 * words. */
#include "importers/yaml_tree.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/recipe.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* One reading: the tree, and the report as text. */
struct reading {
    struct arena arena;
    struct report report;
    struct tree_node *root;
    struct buf text;
    enum err_code status;
    struct err e;
};

static void read_bytes(struct reading *r, const char *bytes, size_t len, size_t arena_limit)
{
    *r = (struct reading){0};
    arena_init(&r->arena, arena_limit);
    report_init(&r->report);
    buf_init(&r->text, 1024 * 1024);
    r->status = yaml_tree_read(bytes, len, &r->arena, &r->root, &r->report, &r->e);
    report_sort(&r->report);
    report_write_text(&r->report, "f", &r->text);
    assert_int_equal(buf_check(&r->text, &r->e), ERR_OK);
}

static void read_text(struct reading *r, const char *text)
{
    read_bytes(r, text, strlen(text), RECIPE_ARENA_LIMIT);
}

static void reading_done(struct reading *r)
{
    buf_done(&r->text);
    report_done(&r->report);
    arena_done(&r->arena);
}

/* Read text that must be refused with just this report. */
static void check_refused(const char *text, size_t len, const char *expected)
{
    struct reading r;

    read_bytes(&r, text, len, RECIPE_ARENA_LIMIT);
    assert_int_equal(r.status, ERR_OK);
    assert_string_equal(buf_text(&r.text), expected);
    assert_null(r.root);
    reading_done(&r);
}

/* Read text that must be a map whose key a has this text. */
static void check_value(const char *text, const char *expected, bool is_plain)
{
    struct reading r;
    const struct tree_node *a;

    read_text(&r, text);
    assert_string_equal(buf_text(&r.text), "");
    assert_non_null(r.root);
    a = tree_find(r.root, "a");
    assert_non_null(a);
    assert_int_equal(a->kind, TREE_SCALAR);
    assert_string_equal(a->text, expected);
    assert_int_equal(a->len, strlen(expected));
    assert_int_equal(a->is_plain, is_plain);
    reading_done(&r);
}

static void check_place(const struct tree_node *node, size_t line, size_t column)
{
    assert_non_null(node);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

static void tree_has_kinds_counts_and_places(void **state)
{
    struct reading r;
    const struct tree_node *layout, *list, *item;

    (void)state;
    read_text(&r, "# head\nlayout:\n  tp: 2\n  'é': x\nlist:\n- {a: 1, b: }\n- []\n");
    assert_string_equal(buf_text(&r.text), "");
    assert_int_equal(r.root->kind, TREE_MAP);
    assert_int_equal(r.root->count, 2);
    assert_null(r.root->key);
    check_place(r.root, 2, 1);
    layout = r.root->first;
    assert_string_equal(layout->key, "layout");
    assert_int_equal(layout->kind, TREE_MAP);
    check_place(layout, 3, 3);
    assert_int_equal(layout->key_line, 2);
    assert_int_equal(layout->key_column, 1);
    check_place(tree_find(layout, "tp"), 3, 7);
    check_place(tree_find(layout, "é"), 4, 8);
    list = layout->next;
    assert_null(list->next);
    assert_int_equal(list->kind, TREE_LIST);
    assert_int_equal(list->count, 2);
    item = list->first;
    check_place(item, 6, 3);
    assert_null(item->key);
    check_place(tree_find(item, "a"), 6, 7);
    assert_true(tree_is_null(tree_find(item, "b")));
    assert_int_equal(item->next->kind, TREE_LIST);
    assert_int_equal(item->next->count, 0);
    assert_null(item->next->first);
    reading_done(&r);
}

static void scalars_keep_their_text_and_their_quoting(void **state)
{
    (void)state;
    check_value("a: 3.10\n", "3.10", true);
    check_value("a: '3.10'\n", "3.10", false);
    check_value("a: \"null\"\n", "null", false);
    check_value("a: ~\n", "~", true);
    check_value("a:\n", "", true);
    check_value("a: ''\n", "", false);
    check_value("'a': 'it''s'\n", "it's", false);
    check_value("a: \"\\t\\n\\\\ \\\" \\x41 \\u00e9 \\U0001F600 \\_\"\n",
                "\t\n\\ \" A \xC3\xA9 \xF0\x9F\x98\x80 \xC2\xA0", false);
    check_value("a: one\n  two\n\n  three\n", "one two\nthree", true);
    check_value("a: |\n  [ { \" '\n  # & * ! %\n\n  - - - ? ?\n",
                "[ { \" '\n# & * ! %\n\n- - - ? ?\n", false);
    check_value("a: |-\n  x\n   y\n", "x\n y", false);
    check_value("a: >\n  x\n  y\n\n  z\n", "x y\nz\n", false);
    check_value("a: \"x\n%y\"\n", "x %y", false);
    check_value("\"<<\": 1\n\"null\": 2\n'': 3\na: 4\n", "4", true);
    check_value("---\na: 1\n...\n# end\n", "1", true);
}

static void byte_order_mark_and_crlf_are_fine(void **state)
{
    struct reading r;

    (void)state;
    read_text(&r, "\xEF\xBB\xBF"
                  "a: \"x\r\n  y\"\r\nb: |\r\n  1\r\n  2\r\n");
    assert_string_equal(buf_text(&r.text), "");
    check_place(r.root, 1, 1);
    assert_string_equal(tree_find(r.root, "a")->text, "x y");
    assert_string_equal(tree_find(r.root, "b")->text, "1\n2\n");
    check_place(tree_find(r.root, "b"), 3, 4);
    reading_done(&r);
    check_refused("\xEF\xBB\xBF"
                  "é: &x 1\r\n",
                  13, "f:1:4: error: é: anchors are not allowed; delete this one\n");
}

struct refusal {
    const char *text;
    size_t len;
    const char *report;
};

/* Expands to a text without its zero byte, and the length that a text with NUL needs. */
#define BYTES(text) text, sizeof(text) - 1

static void check_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_refused(cases[i].text, cases[i].len, cases[i].report);
}

static void what_the_scan_finds_is_refused(void **state)
{
    static const struct refusal cases[] = {
        {BYTES("\xEF\xBB\xBF"
               "é: \0\n"),
         "f:1:4: error: control character U+0000 is not allowed; delete it\n"},
        {BYTES("\xEF\xBB\xBF"
               "é: |\r\n  x\r\nb: \"\r\n y\\0\"\r\n"),
         "f:4:3: error: b: the escape \\0 makes control character U+0000, which is not allowed\n"},
        {BYTES("a\0:\0 \0b\0"), "f:1:1: error: this is UTF-16; save the file as UTF-8\n"},
        {BYTES("é: {\"\\N\": 1, b: [\"é\\\n  \\x07\"]}\n"),
         "f:1:6: error: é: the escape \\N makes line break U+0085, which is not allowed\n"
         "f:2:3: error: é.b[0]: the escape \\x07 makes control character U+0007, which is not "
         "allowed\n"},
    };

    (void)state;
    check_refusals(cases, COUNT_OF(cases));
}

static void keys_that_may_not_be_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {BYTES("layout:\n  tp: 1\n  pp: 2\n  tp: 3\n  tp: 4\n"),
         "f:4:3: error: layout.tp: this key was already given in line 2\n"
         "f:5:3: error: layout.tp: this key was already given in line 2\n"},
        {BYTES("- a: {b: 1, \"b\": 2}\n"),
         "f:1:13: error: [0].a.b: this key was already given in line 1\n"},
        {BYTES("a:\n  <<: {b: 1}\n"),
         "f:2:3: error: a: merge keys (<<) are not allowed; write the keys out\n"},
        {BYTES("~: 1\nnull: 2\n"),
         "f:1:1: error: a key must not be null; quote it if the word is meant\n"
         "f:2:1: error: a key must not be null; quote it if the word is meant\n"},
        {BYTES("a: 1\n: 2\n"), "f:2:1: error: did not find expected key, while parsing a block "
                               "mapping that starts in line 1\n"},
        {BYTES("a:\n  ? \n  : 2\n"), "f:2:4: error: a: a key is missing here\n"},
        {BYTES("? [x, &y z]\n: {b: *y}\n? {c: d}\n: 2\n"),
         "f:1:3: error: a key must be text, not a map or a list\n"
         "f:1:7: error: [1]: anchors are not allowed; delete this one\n"
         "f:2:7: error: ?.b: aliases are not allowed; write the value out\n"
         "f:3:3: error: a key must be text, not a map or a list\n"},
        {BYTES("*x : 1\n*y : 2\n"), "f:1:1: error: aliases are not allowed; write the value out\n"
                                    "f:2:1: error: aliases are not allowed; write the value out\n"},
        {BYTES("\"x\\ny\": &a 1\n"),
         "f:1:9: error: x\\ny: anchors are not allowed; delete this one\n"},
    };

    (void)state;
    check_refusals(cases, COUNT_OF(cases));
}

static void features_that_may_not_be_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {BYTES("a:\n- x\n- &b y\n- !!str z\n- !t [1]\n- ! 2\n- *b\n- &c {d: &e}\n"),
         "f:3:3: error: a[1]: anchors are not allowed; delete this one\n"
         "f:4:3: error: a[2]: explicit tags are not allowed; delete this one\n"
         "f:5:3: error: a[3]: explicit tags are not allowed; delete this one\n"
         "f:6:3: error: a[4]: explicit tags are not allowed; delete this one\n"
         "f:7:3: error: a[5]: aliases are not allowed; write the value out\n"
         "f:8:3: error: a[6]: anchors are not allowed; delete this one\n"
         "f:8:10: error: a[6].d: anchors are not allowed; delete this one\n"},
        {BYTES("a: !x!y 1\n"), "f:1:4: error: explicit tags are not allowed; delete this one\n"},
        {BYTES("a: 1\n---\nb: 2\n"), "f:2:1: error: a file holds one document; delete this one\n"},
        {BYTES("a: 1\n...\n---\n"), "f:3:1: error: a file holds one document; delete this one\n"},
        {BYTES("a: 1\n...\nb: 2\n"),
         "f:3:1: error: the document has ended before this; check the indentation\n"},
        {BYTES("# x\n\n%YAML 1.2\n---\na: 1\n"),
         "f:3:1: error: directives are not allowed; delete this line\n"},
        {BYTES("%TAG ! x\n"), "f:1:1: error: directives are not allowed; delete this line\n"},
        {BYTES("a: 1\n... # é\n...\n%X\n"),
         "f:4:1: error: directives are not allowed; delete this line\n"},
        {BYTES("a: 1\n%YAML 1.2\n"),
         "f:2:1: error: directives are not allowed; delete this line\n"},
        {BYTES(""), "f:1:1: error: the document is empty\n"},
        {BYTES("\xEF\xBB\xBF"), "f:1:1: error: the document is empty\n"},
        {BYTES("# only\n\n# comments\n"), "f:1:1: error: the document is empty\n"},
        {BYTES("--- # nothing\n...\n"), "f:1:1: error: the document is empty\n"},
    };

    (void)state;
    check_refusals(cases, COUNT_OF(cases));
}

static void syntax_errors_say_what_is_wrong_and_where(void **state)
{
    static const struct refusal cases[] = {
        {BYTES("a: 1\nb\nc: 2\n"), "f:2:1: error: this is not followed by a colon; write \"key: "
                                   "value\", or check the indentation\n"},
        {BYTES("é: b: c\n"), "f:1:5: error: a key cannot stand here; check the indentation, or "
                             "quote text that has \": \" in it\n"},
        {BYTES("a: 1\nb: \"x\nc: 2\n"), "f:2:4: error: this quote is not closed\n"},
        {BYTES("a:\n\tb: 1\n"), "f:2:1: error: text cannot start with this character; quote the "
                                "text, and indent with spaces\n"},
        {BYTES("a: @x\n"), "f:1:4: error: text cannot start with this character; quote the text, "
                           "and indent with spaces\n"},
        {BYTES("a: [1, 2\nb: 3\n"), "f:2:2: error: did not find expected ',' or ']', while parsing "
                                    "a flow sequence that starts in line 1\n"},
        {BYTES("a: \"\\q\"\n"), "f:1:5: error: found unknown escape character, while parsing a "
                                "quoted scalar that starts in line 1\n"},
        {BYTES("a: &b 1\na: 'x' y\n"),
         "f:1:4: error: a: anchors are not allowed; delete this one\n"
         "f:2:8: error: did not find expected key, while parsing a block mapping that starts in "
         "line 1\n"},
    };

    (void)state;
    check_refusals(cases, COUNT_OF(cases));
}

/* Read count times open, then "x", then count times close. */
static void read_nested(struct reading *r, const char *open, const char *close, size_t count)
{
    struct buf b;

    buf_init(&b, RECIPE_FILE_LIMIT);
    for (size_t i = 0; i < count; i++)
        buf_puts(&b, open);
    buf_putc(&b, 'x');
    for (size_t i = 0; i < count; i++)
        buf_puts(&b, close);
    read_bytes(r, buf_text(&b), b.len, RECIPE_ARENA_LIMIT);
    buf_done(&b);
}

static void nesting_ends_at_32_levels(void **state)
{
    static const struct {
        const char *open;
        const char *close;
        const char *place;
    } cases[] = {{"[", "]", "f:1:33: error: [0][0]"},
                 {"- ", "", "f:1:65: error: [0][0]"},
                 {"{a: ", "}", "f:1:129: error: a.a."}};
    static const char end[] = ": this nests deeper than 32 levels\n";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct reading r;
        const char *text;

        read_nested(&r, cases[i].open, cases[i].close, 32);
        assert_string_equal(buf_text(&r.text), "");
        assert_non_null(r.root);
        reading_done(&r);
        read_nested(&r, cases[i].open, cases[i].close, 33);
        text = buf_text(&r.text);
        assert_memory_equal(text, cases[i].place, strlen(cases[i].place));
        assert_string_equal(text + r.text.len - strlen(end), end);
        assert_int_equal(r.report.errors, 1);
        assert_null(r.root);
        reading_done(&r);
    }
}

static void files_that_are_too_large_are_refused(void **state)
{
    const size_t len = RECIPE_FILE_LIMIT + 1;
    char *bytes = mem_array(len, 1);
    struct reading r;

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'x', len);
    check_refused(bytes, len, "f: error: the file has 1048577 bytes, over the limit of 1048576\n");
    read_bytes(&r, bytes, len - 1, RECIPE_ARENA_LIMIT);
    assert_string_equal(buf_text(&r.text), "");
    assert_int_equal(r.root->len, len - 1);
    reading_done(&r);
    free(bytes);
}

static void long_keys_are_cut_in_paths(void **state)
{
    struct reading r;
    struct buf b;

    (void)state;
    buf_init(&b, 4096);
    for (int i = 0; i < 150; i++)
        buf_puts(&b, "é");
    buf_puts(&b, ": {b: *x}\n");
    read_bytes(&r, buf_text(&b), b.len, RECIPE_ARENA_LIMIT);
    assert_int_equal(r.report.errors, 1);
    assert_int_equal(r.report.first->column, 157);
    assert_int_equal(strlen(r.report.first->path), 2 * 98 + 3);
    assert_string_equal(r.report.first->path + 2 * 97, "é...");
    reading_done(&r);
    buf_done(&b);
}

static size_t count_nodes(const struct tree_node *node)
{
    size_t count = 0;

    for (; node; node = node->next)
        count += 1 + count_nodes(node->first);
    return count;
}

static void read_file(struct reading *r, const char *path)
{
    char *bytes;
    size_t len;
    struct err e;

    assert_int_equal(file_read(path, 4 * RECIPE_FILE_LIMIT, &bytes, &len, &e), ERR_OK);
    read_bytes(r, bytes, len, RECIPE_ARENA_LIMIT);
    free(bytes);
}

static void the_recipes_are_read_whole(void **state)
{
    static const struct {
        const char *path;
        size_t nodes;
        size_t run_len;
    } cases[] = {
        {"recipes/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8.yaml", 110, 1508},
        {"recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", 130, 1713},
        {"recipes/qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8.yaml", 122, 1527},
        {"recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k.yaml", 124, 1656},
        {"recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k.yaml", 124, 1655},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct reading r;

        read_file(&r, cases[i].path);
        assert_string_equal(buf_text(&r.text), "");
        assert_int_equal(r.root->count, 14);
        assert_int_equal(count_nodes(r.root), cases[i].nodes);
        assert_int_equal(tree_find(r.root, "run")->len, cases[i].run_len);
        reading_done(&r);
    }
}

static void the_fuzz_corpus_is_read_or_refused(void **state)
{
    struct file_list files = {0};
    struct err e;

    (void)state;
    assert_int_equal(file_list_add(&files, "tests/fuzz/corpus/yaml", "", 1000, &e), ERR_OK);
    assert_true(files.count >= 24);
    for (size_t i = 0; i < files.count; i++) {
        struct reading r;

        read_file(&r, files.paths[i]);
        assert_int_equal(r.status, ERR_OK);
        assert_int_equal(r.root != NULL, r.report.errors == 0);
        reading_done(&r);
    }
    file_list_done(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_has_kinds_counts_and_places),
        cmocka_unit_test(scalars_keep_their_text_and_their_quoting),
        cmocka_unit_test(byte_order_mark_and_crlf_are_fine),
        cmocka_unit_test(what_the_scan_finds_is_refused),
        cmocka_unit_test(keys_that_may_not_be_are_refused),
        cmocka_unit_test(features_that_may_not_be_are_refused),
        cmocka_unit_test(syntax_errors_say_what_is_wrong_and_where),
        cmocka_unit_test(nesting_ends_at_32_levels),
        cmocka_unit_test(files_that_are_too_large_are_refused),
        cmocka_unit_test(long_keys_are_cut_in_paths),
        cmocka_unit_test(the_recipes_are_read_whole),
        cmocka_unit_test(the_fuzz_corpus_is_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
