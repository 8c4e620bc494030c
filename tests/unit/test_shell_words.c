/* What is read from shell text: needed variables, settings, flags, placeholders. */
#include "core/shell_words.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_script(const char *text, struct shell_script *script)
{
    struct err e;

    shell_script_init(script);
    assert_int_equal(shell_read(text, strlen(text), script, &e), ERR_OK);
}

/* The spans, each followed by a comma. */
static void join(const struct shell_spans *spans, struct buf *out)
{
    buf_init(out, 64 * 1024);
    for (size_t i = 0; i < spans->count; i++) {
        buf_add(out, spans->items[i].text, spans->items[i].len);
        buf_putc(out, ',');
    }
}

/* A text and what it needs, or which placeholders it has. */
struct example {
    const char *text;
    const char *expected;
};

static void assert_needs(const char *text, const char *expected)
{
    struct shell_script script;
    struct buf found;

    read_script(text, &script);
    assert_null(script.problem);
    join(&script.needs, &found);
    assert_string_equal(buf_text(&found), expected);
    buf_done(&found);
    shell_script_done(&script);
}

static void variables_that_are_not_set_are_needed(void **state)
{
    static const struct example examples[] = {
        {"echo $A ${B} \"$C\" ${D[@]} \"${E[@]}\" x${F}y", "A,B,C,D,E,F,"},
        {"echo $B $A $B", "B,A,"},
        {"echo '$A' \\$B \"\\$C\" '\\' $D", "D,"},
        {"echo $1 $@ $* $# $? $$ $! $- $0 ${1} ${#} ${@}", ""},
        {"echo $HOME ${PATH} $RANDOM", ""},
        {"echo ${#A} ${!B} ${C%x} ${D:1:2} ${E?no} ${F:?no} ${G//a/b}", "A,B,C,D,E,F,G,"},
        {"echo ${A:-1} ${B-1} ${C:=1} ${D=1} ${E:+1} ${F+1}", ""},
        {"echo ${A:-$B} ${C:-\"${D}\"}", "B,D,"},
        {"echo ${A[$I]:-x} ${B[0]}", "I,B,"},
        {"echo \"${A:-it's} $B\"", "B,"},
        {"echo $(cat $A \"$(cat $B)\") `cat $C`", "A,B,C,"},
        {"echo $((A + $B * (2 << 3))) $C", "B,C,"},
        {"((x << 2)); echo $A", "A,"},
        {"echo $'it\\'s $A' $B", "B,"},
        {"echo a#$A # $B\n# $C\necho $D", "A,D,"},
        {"echo $ A$", ""},
        {"cat < $A > \"$B\" 2>&1 &> $C", "A,B,C,"},
        {"cat <($(echo $A)) >(cat $B)", "A,B,"},
        {"cat <<< \"$A\"", "A,"},
        {"[ \"$N\" -gt 0 ] && echo 1 || echo 0", "N,"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++)
        assert_needs(examples[i].text, examples[i].expected);
}

static void variables_that_are_set_are_not_needed(void **state)
{
    static const struct example examples[] = {
        {"A=1; echo $A", ""},
        {"echo $A; A=1", "A,"},
        {"A=$A", "A,"},
        {"A+=x B[2]=y; echo $A $B", ""},
        {"A=1 B=2 cmd; echo $A $B", ""},
        {"cmd A=1; echo $A", "A,"},
        {"export A=1 B; echo $A $B", "B,"},
        {"A=1; export A; echo $A", ""},
        {"declare -x A=1; readonly B=2; local C=3; echo $A $B $C", ""},
        {"read -ra ARGS <<< \"$LINE\"\ncmd \"${ARGS[@]}\"", "LINE,"},
        {"read -r -p prompt A B; echo $A $B $prompt", "prompt,"},
        {"mapfile -t A < f; readarray -d x B; echo $A $B $x", "x,"},
        {"for I in 1 2; do echo $I; done", ""},
        {"for ((i = 0; i < n; i++)); do X=$i; done; echo $X", "i,"},
        {"if A=1; then B=2; else C=3; fi; ! D=4; { E=5; }; echo $A $B $C $D $E", ""},
        {"env A=1 cmd $A", ""},
        {"(A=1; echo $A); cmd && B=2; cmd | C=3 x; echo $B $C", ""},
        {"A=(--x $B\n --y 2)\necho \"${A[@]}\"", "B,"},
        {"\\\nA=1 \\\n  cmd \\\n  $A", ""},
        {"A=`cmd`; B=$(cmd); echo $A $B", ""},
        {"echo $(A=1; echo $A)", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++)
        assert_needs(examples[i].text, examples[i].expected);
}

static void here_documents_are_read_as_text(void **state)
{
    static const struct example examples[] = {
        {"cat <<EOF\n$A it's \"${B}\" $(echo $C)\nEOF\necho $D", "A,B,C,D,"},
        {"cat <<'EOF'\n$A (\nEOF\necho $D", "D,"},
        {"cat <<\"EOF\" x\n$A\nEOF\necho $D", "D,"},
        {"cat <<\\EOF\n$A\nEOF\necho $D", "D,"},
        {"cat <<-EOF\n\t$A\n\tEOF\necho $D", "A,D,"},
        {"cat <<EOF\n\t$A\n\tEOF\nEOF \nEOF\n$D", "A,D,"},
        {"cat <<A; cat <<'B'; echo $X\n$Y\nA\n$Z\nB\necho $W", "X,Y,W,"},
        {"cat <<EOF\n$A", "A,"},
        {"cat <<A <<B\n$(x; y) $P\nA\n$Q\nB\n$C", "P,Q,C,"},
        {"cat <<EOF \\\n  $A\n$B\nEOF\n$C", "A,B,C,"},
        {"cat <<'EOF' \\\n  $A\n$B\nEOF\n$C", "A,C,"},
        {"cat <<'EOF' # $A\n$B\nEOF\n$C", "C,"},
        {"cat <<'A'; cat <<'B'\n$X\nA\n\n$X\nB\n$C", "C,"},
        {"x=$(cat <<EOF\n$A )\nEOF\n)\necho $x $B", "A,B,"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++)
        assert_needs(examples[i].text, examples[i].expected);
}

static void placeholders_are_told_from_redirections(void **state)
{
    static const struct example examples[] = {
        {"python3 -m <slime entry module> --async", "<slime entry module>,"},
        {"cmd <a> --x <path/to it>/y --z=<B>, <a>", "<a>,<path/to it>,<B>,"},
        {"cmd \"<a b>\" '<c>' ${X:-<d>} $(cat <e>)", "<a b>,<c>,<d>,<e>,"},
        {"cmd <in >out", ""},
        {"cmd < in > out", ""},
        {"cmd <in>out", ""},
        {"cmd <in>>out <in>&2 <a>(b)", ""},
        {"cmd <<<word >out", ""},
        {"cat <<EOF >out\n<a>\nEOF", ""},
        {"cmd <1> <> <a\nb> <a;b> <a$b> <-x>", ""},
        {"cmd \"<s>\" '<pad>' \"<|im_end|>\" \"</s>\"", ""},
        {"# <a>", ""},
        {"cmd <", ""},
        {"cmd <a", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        struct shell_script script;
        struct buf found;

        read_script(examples[i].text, &script);
        assert_null(script.problem);
        join(&script.placeholders, &found);
        assert_string_equal(buf_text(&found), examples[i].expected);
        buf_done(&found);
        shell_script_done(&script);
    }
}

static void assert_flag(const char *text, const char *name, const char *value)
{
    struct shell_script script;
    const struct shell_flag *flag;

    read_script(text, &script);
    flag = shell_script_flag(&script, name);
    assert_non_null(flag);
    if (value)
        assert_true(shell_span_is(flag->value, value));
    else
        assert_null(flag->value.text);
    shell_script_done(&script);
}

static void flags_have_the_word_after_them(void **state)
{
    (void)state;
    assert_flag("cmd --x 1 --y --z \"a b\" c -q", "--x", "1");
    assert_flag("cmd --x 1 --y --z \"a b\" c -q", "--y", NULL);
    assert_flag("cmd --x 1 --y --z \"a b\" c -q", "--z", "\"a b\"");
    assert_flag("cmd --x=1 2", "--x", "1");
    assert_flag("cmd --x= 2", "--x", "");
    assert_flag("cmd --x -q", "--x", NULL);
    assert_flag("cmd --x -1", "--x", "-1");
    assert_flag("cmd --x 2>&1", "--x", NULL);
    assert_flag("cmd --x > 2", "--x", NULL);
    assert_flag("cmd --x\ncmd 2", "--x", NULL);
    assert_flag("cmd --x \\\n  2", "--x", "2");
    assert_flag("cmd --x <a b> c", "--x", "<a b>");
    assert_flag("ARGS=(\n  --x 2\n  --y\n)", "--x", "2");
    assert_flag("cmd --x 1 && cmd --x 2", "--x", "2");
    assert_flag("cmd --x $(cmd --x 3)", "--x", "$(cmd --x 3)");
}

/* The values of every flag named --x, each followed by a comma. */
static void assert_values(const char *text, const char *expected)
{
    struct shell_script script;
    struct shell_spans values = {NULL, 0, 0};
    struct shell_span items[8];
    struct buf found;

    read_script(text, &script);
    values.items = items;
    for (size_t i = 0; i < script.flag_count; i++)
        if (shell_span_is(script.flags[i].name, "--x"))
            items[values.count++] = script.flags[i].value;
    join(&values, &found);
    assert_string_equal(buf_text(&found), expected);
    buf_done(&found);
    shell_script_done(&script);
}

static void flags_may_have_further_values(void **state)
{
    (void)state;
    assert_values("cmd --x 1 2 'a b' --y 3", "1,2,'a b',");
    assert_values("cmd --x 1 2 \\\n  3\ncmd 4", "1,2,3,");
    assert_values("cmd --x 1 -q 2", "1,");
    assert_values("cmd --x 1 ${A[@]} 2", "1,");
    assert_values("cmd --x 1 \"$A\" 2", "1,");
    assert_values("cmd --x $A -1", "$A,-1,");
    assert_values("cmd --x=1 2", "1,");
    assert_values("cmd --x 1 2 | cmd 3", "1,2,");
    assert_values("cmd --x 1 --y --x 2 3", "1,2,3,");
    assert_flag("cmd --x 1 2", "--x", "1");
    assert_flag("cmd --x 1 2 --x 3 4", "--x", "3");
}

static void flags_in_substitutions_are_not_the_commands(void **state)
{
    struct shell_script script;

    (void)state;
    read_script("A=$(cmd --x 3) B=`cmd --x 3` cmd '--x' # --x 1\ncat <<E\n--x 1\nE", &script);
    assert_null(shell_script_flag(&script, "--x"));
    assert_null(script.problem);
    shell_script_done(&script);
}

static const struct shell_set *find(const struct shell_script *script, const char *name)
{
    return shell_script_find(script, (struct shell_span){name, strlen(name)});
}

static void settings_say_their_value_and_whether_they_are_exported(void **state)
{
    struct shell_script script;

    (void)state;
    read_script("export A=1 B=\"x y\"\nC=3\nD=4; export D\nE=5 cmd\ndeclare -x F=6\ndeclare G=7\n"
                "export H=$([ \"$N\" -gt 0 ] && echo 1 || echo 0)\nread I",
                &script);
    assert_true(find(&script, "A")->is_exported);
    assert_true(shell_span_is(find(&script, "A")->value, "1"));
    assert_true(shell_span_is(find(&script, "B")->value, "\"x y\""));
    assert_false(find(&script, "C")->is_exported);
    assert_true(find(&script, "D")->is_exported);
    assert_true(find(&script, "E")->is_exported);
    assert_true(find(&script, "F")->is_exported);
    assert_false(find(&script, "G")->is_exported);
    assert_true(
        shell_span_is(find(&script, "H")->value, "$([ \"$N\" -gt 0 ] && echo 1 || echo 0)"));
    assert_null(find(&script, "I")->value.text);
    assert_null(find(&script, "N"));
    shell_script_done(&script);
}

static void quotes_are_removed_and_expansions_kept(void **state)
{
    static const struct example examples[] = {
        {"plain", "plain"},
        {"\"a b\"'c d'e", "a bc de"},
        {"a\\ b\\\nc", "a bc"},
        {"\"\\$A \\n \\\" \\\\\"", "$A \\n \" \\"},
        {"'it\\s'", "it\\s"},
        {"\"$A ${B:-\"x y\"}\"", "$A ${B:-\"x y\"}"},
        {"$([ \"$N\" -gt 0 ] && echo 1 || echo 0)", "$([ \"$N\" -gt 0 ] && echo 1 || echo 0)"},
        {"\"$(echo \")\")\"", "$(echo \")\")"},
        {"`echo \"a\"`", "`echo \"a\"`"},
        {"'open", "open"},
        {"\"open", "open"},
        {"$(open", "$(open"},
        {"end\\", "end"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        struct buf out;

        buf_init(&out, 1024);
        shell_unquote((struct shell_span){examples[i].text, strlen(examples[i].text)}, &out);
        assert_string_equal(buf_text(&out), examples[i].expected);
        buf_done(&out);
    }
}

static void a_value_is_read_like_quoted_text(void **state)
{
    static const char text[] = "it's \"$A\" $(echo '$B' $C)";
    struct shell_script script;
    struct buf found;
    struct err e;

    (void)state;
    shell_script_init(&script);
    assert_int_equal(shell_read_value(text, strlen(text), &script, &e), ERR_OK);
    join(&script.needs, &found);
    assert_string_equal(buf_text(&found), "A,C,");
    assert_null(script.problem);
    buf_done(&found);
    shell_script_done(&script);
}

static void what_is_never_closed_is_told(void **state)
{
    static const struct example examples[] = {
        {"echo 'a", "a single quote is never closed"},
        {"echo $'a\\'", "a single quote is never closed"},
        {"echo \"a", "a double quote is never closed"},
        {"echo ${A", "a brace is never closed"},
        {"echo $(a", "a parenthesis or a backquote is never closed"},
        {"echo `a", "a parenthesis or a backquote is never closed"},
        {"echo $((1", "a parenthesis is never closed"},
        {"(echo", "a parenthesis or a backquote is never closed"},
        {"A=(1 2", "a parenthesis or a backquote is never closed"},
        {"echo <<1 <<2 <<3 <<4 <<5 <<6 <<7 <<8 <<9\n", "a line has more than 8 here-documents"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        struct shell_script script;

        read_script(examples[i].text, &script);
        assert_non_null(script.problem);
        assert_string_equal(script.problem, examples[i].expected);
        shell_script_done(&script);
    }
}

/* A mebibyte of one pattern after the other; returns what the script's problem is. */
static const char *read_repeated(const char *pattern)
{
    enum { BYTES = 1024 * 1024 };
    size_t len = strlen(pattern);
    char *text = malloc(BYTES);
    struct shell_script script;
    const char *problem;
    struct err e;

    assert_non_null(text);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = pattern[i % len];
    shell_script_init(&script);
    assert_int_equal(shell_read(text, BYTES, &script, &e), ERR_OK);
    problem = script.problem;
    shell_script_done(&script);
    free(text);
    return problem;
}

static void hostile_text_is_read_to_its_end_or_limit(void **state)
{
    (void)state;
    assert_string_equal(read_repeated("$("), "it nests deeper than 32 levels");
    assert_string_equal(read_repeated("${a["), "it nests deeper than 32 levels");
    assert_string_equal(read_repeated("\"$("), "it nests deeper than 32 levels");
    assert_string_equal(read_repeated("$(cat <<A\n"), "it nests deeper than 32 levels");
    assert_string_equal(read_repeated("("), "a parenthesis is never closed");
    assert_string_equal(read_repeated("( "), "a parenthesis or a backquote is never closed");
    assert_string_equal(read_repeated("--a "), "it has more than 4096 flags");
    assert_string_equal(read_repeated("a=1 "), "it sets more than 256 variables");
    assert_null(read_repeated("$a "));
    assert_null(read_repeated("<a> "));
    assert_null(read_repeated("<a b "));
    assert_null(read_repeated("cat <<A\n"));
    assert_string_equal(read_repeated("cat <<A "), "a line has more than 8 here-documents");
}

/* So many different names, each used once. */
static void names_over_the_limits_are_told(void **state)
{
    struct shell_script script;
    struct buf text;

    (void)state;
    buf_init(&text, 64 * 1024);
    for (int i = 0; i < SHELL_NAMES_LIMIT; i++)
        buf_printf(&text, "$a%d <p%d> ", i, i);
    read_script(buf_text(&text), &script);
    assert_null(script.problem);
    assert_int_equal(script.needs.count, SHELL_NAMES_LIMIT);
    assert_int_equal(script.placeholders.count, SHELL_NAMES_LIMIT);
    shell_script_done(&script);
    buf_puts(&text, "$b");
    read_script(buf_text(&text), &script);
    assert_string_equal(script.problem, "it uses more than 256 variables");
    shell_script_done(&script);
    buf_done(&text);
    assert_string_equal(
        read_repeated("<p1> <p2> $abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz"
                      "_abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz"
                      "_abcdefghijklmnopqrstuvwxyz"),
        "a variable's name is longer than 128 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_that_are_not_set_are_needed),
        cmocka_unit_test(variables_that_are_set_are_not_needed),
        cmocka_unit_test(here_documents_are_read_as_text),
        cmocka_unit_test(placeholders_are_told_from_redirections),
        cmocka_unit_test(flags_have_the_word_after_them),
        cmocka_unit_test(flags_may_have_further_values),
        cmocka_unit_test(flags_in_substitutions_are_not_the_commands),
        cmocka_unit_test(settings_say_their_value_and_whether_they_are_exported),
        cmocka_unit_test(quotes_are_removed_and_expansions_kept),
        cmocka_unit_test(a_value_is_read_like_quoted_text),
        cmocka_unit_test(what_is_never_closed_is_told),
        cmocka_unit_test(hostile_text_is_read_to_its_end_or_limit),
        cmocka_unit_test(names_over_the_limits_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
