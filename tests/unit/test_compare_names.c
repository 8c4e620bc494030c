/* What differs: flags, variables, components and fields, by name. */
#include "core/compare.h"

#include "base/mem.h"
#include "tests/support/comparing.h"
#include "tests/support/test.h"

/* A change of the command's text, and the flags that it makes differ: "NAME A|B ". */
struct flag_case {
    const char *part;
    const char *by;
    const char *flags;
};

static void put_flag_value(const struct compare_value *value, struct buf *out)
{
    if (value->kind == COMPARE_TEXT)
        buf_puts(out, value->text);
    else
        buf_puts(out, value->kind == COMPARE_BOOL ? "true" : "null");
}

static void put_flags(const struct comparison *c, struct buf *out)
{
    for (const struct compare_difference *d = c->groups[COMPARE_FLAGS].first; d; d = d->next) {
        buf_printf(out, "%s ", d->name);
        put_flag_value(&d->a, out);
        buf_putc(out, '|');
        put_flag_value(&d->b, out);
        buf_putc(out, ' ');
    }
}

static void flags_differ_by_name_not_by_line(void **state)
{
    static const struct flag_case cases[] = {
        {"--optimizer adam --lr 1e-5", "--lr 1e-5 --optimizer adam", ""},
        {"--lr 1e-5", "--lr=1e-5", ""},
        {"--lr 1e-5", "--lr '1e-5'", ""},
        {"--lr 1e-5", "--lr \\\n      1e-5", ""},
        {"--lr 1e-5", "--lr 2e-5", "--lr 1e-5|2e-5 "},
        {"--lr 1e-5 ", "", "--lr 1e-5|null "},
        {"--lr 1e-5", "--lr 1e-5 --lr 2e-5", "--lr 1e-5|1e-5, 2e-5 "},
        {"--lr 1e-5", "--lr 1e-5 2e-5", "--lr 1e-5|1e-5 2e-5 "},
        {"--lr 1e-5", "--lr", "--lr 1e-5|true "},
        {"--lr 1e-5", "--lr=", "--lr 1e-5| "},
        {"--sequence-parallel", "--sequence-parallel --sequence-parallel",
         "--sequence-parallel true|true, true "},
        {"    --sequence-parallel \\\n", "", "--sequence-parallel true|null "},
        {"--lr 1e-5", "--lr 2e-5 --a 1 --z", "--a null|1 --lr 1e-5|2e-5 --z null|true "},
        {"--lr-decay-style", "--lr-decay", "--lr-decay null|cosine --lr-decay-style cosine|null "},
        {"${MODEL_ARGS[@]}", "", ""},
        {"$([ \"$NVLINK_COUNT\" -gt 0 ] && echo 1 || echo 0)\n\n", "$(cmd --x 1)\n\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct comparing change;
        struct buf found;

        comparing_make(&change, cases[i].part, cases[i].by);
        buf_init(&found, (size_t)64 * 1024);
        put_flags(&change.found, &found);
        assert_string_equal(buf_text(&found), cases[i].flags);
        buf_done(&found);
        comparing_done(&change);
    }
}

static void flags_of_a_broken_command_are_said_to_be_missing(void **state)
{
    static const char *const reasons[] = {
        "Not all flags of b may have been read: a single quote is never closed.",
        "The 95% intervals of the speeds overlap: a near tie.",
        "Both were measured in one run only.", NULL};
    struct comparing change;

    (void)state;
    comparing_make(&change, "--lr 1e-5", "--lr '1e-5");
    comparing_assert_reasons(&change.found, reasons);
    comparing_done(&change);
}

static void env_and_stack_differ_by_key(void **state)
{
    struct comparing change;

    (void)state;
    comparing_make(&change, "  TORCHINDUCTOR_COMPILE_THREADS: '1'\n",
                   "  AAA: 'x'\n  TORCHINDUCTOR_COMPILE_THREADS: '2'\n");
    comparing_assert_names(&change.found, COMPARE_ENV, "AAA TORCHINDUCTOR_COMPILE_THREADS ");
    assert_int_equal(change.found.groups[COMPARE_ENV].first->a.kind, COMPARE_ABSENT);
    assert_string_equal(change.found.groups[COMPARE_ENV].first->b.text, "x");
    assert_string_equal(change.found.groups[COMPARE_ENV].last->a.text, "1");
    assert_string_equal(change.found.groups[COMPARE_ENV].last->b.text, "2");
    comparing_assert_names(&change.found, COMPARE_STACK, "");
    comparing_done(&change);
    comparing_make(&change, "  deepep: 1.2.1\n  python: '3.12'\n", "  python: '3.13'\n  zlib: 1\n");
    comparing_assert_names(&change.found, COMPARE_STACK, "deepep python zlib ");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->a.text, "1.2.1");
    assert_int_equal(change.found.groups[COMPARE_STACK].first->b.kind, COMPARE_ABSENT);
    comparing_assert_names(&change.found, COMPARE_ENV, "");
    comparing_done(&change);
    comparing_make(&change, "patches:\n- patches/fla_blackwell_guard.py\n", "patches: [x, y]\n");
    comparing_assert_names(&change.found, COMPARE_STACK, "patches ");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->a.text,
                        "patches/fla_blackwell_guard.py");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->b.text, "x, y");
    comparing_done(&change);
}

static void what_is_null_on_one_side_differs(void **state)
{
    struct comparing change;
    const struct compare_difference *d;

    (void)state;
    comparing_make(&change, "  layer_split:\n    first: 6\n    last: 6\n", "  layer_split: null\n");
    comparing_assert_names(&change.found, COMPARE_LAYOUT, "layer_split_first layer_split_last ");
    d = change.found.groups[COMPARE_LAYOUT].first;
    assert_int_equal(d->a.kind, COMPARE_INTEGER);
    assert_string_equal(d->a.text, "6");
    assert_int_equal(d->b.kind, COMPARE_ABSENT);
    comparing_done(&change);
    comparing_make(&change, "  offload: null\n",
                   "  offload:\n    optimizer_fraction: 0.5\n    overlap_d2h_h2d: false\n");
    comparing_assert_names(&change.found, COMPARE_LAYOUT, "offload offload_overlap_d2h_h2d ");
    d = change.found.groups[COMPARE_LAYOUT].first;
    assert_int_equal(d->a.kind, COMPARE_ABSENT);
    assert_int_equal(d->b.kind, COMPARE_REAL);
    assert_string_equal(d->b.text, "0.5");
    d = d->next;
    assert_int_equal(d->a.kind, COMPARE_ABSENT);
    assert_int_equal(d->b.kind, COMPARE_BOOL);
    assert_string_equal(d->b.text, "false");
    comparing_done(&change);
    comparing_make(&change, "  - 19\n", "  - 18\n");
    comparing_assert_names(&change.found, COMPARE_RESULTS, "window ");
    assert_string_equal(change.found.groups[COMPARE_RESULTS].first->a.text, "5, 19");
    assert_string_equal(change.found.groups[COMPARE_RESULTS].first->b.text, "5, 18");
    comparing_done(&change);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_differ_by_name_not_by_line),
        cmocka_unit_test(flags_of_a_broken_command_are_said_to_be_missing),
        cmocka_unit_test(env_and_stack_differ_by_key),
        cmocka_unit_test(what_is_null_on_one_side_differs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
