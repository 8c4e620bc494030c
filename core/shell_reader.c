/* Each function takes what is at r->at and goes past it; what it opens is read by the steps of
 * core/shell_words.c. */
#include "core/shell_reader.h"

#include "base/mem.h"

#include <string.h>

char shell_reader_peek(const struct shell_reader *r, size_t ahead)
{
    if (ahead >= r->len - r->at)
        return '\0';
    return r->text[r->at + ahead];
}

void shell_reader_skip(struct shell_reader *r, size_t count)
{
    r->at = count < r->len - r->at ? r->at + count : r->len;
}

struct shell_frame *shell_reader_push(struct shell_reader *r, enum shell_frame_kind kind)
{
    struct shell_frame *f;

    if (r->depth == SHELL_DEPTH_LIMIT) {
        r->problem = "it nests deeper than 32 levels";
        return NULL;
    }
    f = &r->frames[r->depth++];
    *f = (struct shell_frame){.kind = kind};
    return f;
}

void shell_reader_push_commands(struct shell_reader *r, char closer)
{
    struct shell_frame *f = shell_reader_push(r, SHELL_FRAME_COMMANDS);

    if (!f)
        return;
    f->closer = closer;
    f->command.is_nested = true;
}

bool shell_is_one_of(char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

/* How long the placeholder is that starts here; 0 if there is none. `<in >out` and `<in>out` are
 * redirections: a placeholder ends with a letter before its bracket and none after. Special tokens
 * of tokenizers are what a command may really name. */
static size_t placeholder_len(const char *text, size_t len)
{
    static const char *const tokens[] = {"<s>",   "<bos>",  "<eos>", "<pad>",
                                         "<unk>", "<mask>", "<sep>", "<cls>"};
    size_t limit = len < SHELL_PLACEHOLDER_BYTES ? len : SHELL_PLACEHOLDER_BYTES;
    size_t at = 1;

    if (len < 3 || !((unsigned char)text[1] >= 0x80 || shell_name_len(text + 1, 1) == 1))
        return 0;
    while (at < limit && !shell_is_one_of(text[at], "<>\"'`$&|;()\\\n"))
        at++;
    if (at >= limit || text[at] != '>' || text[at - 1] == ' ')
        return 0;
    at++;
    if (at < len &&
        (shell_is_one_of(text[at], ">&(|0123456789") || shell_name_len(text + at, 1) == 1))
        return 0;
    for (size_t i = 0; i < COUNT_OF(tokens); i++)
        if (shell_span_is((struct shell_span){text, at}, tokens[i]))
            return 0;
    return at;
}

bool shell_reader_placeholder(struct shell_reader *r)
{
    size_t len = placeholder_len(r->text + r->at, r->len - r->at);

    if (len == 0)
        return false;
    if (r->script)
        shell_script_placeholder(r->script, (struct shell_span){r->text + r->at, len});
    shell_reader_skip(r, len);
    return true;
}

static void use(struct shell_reader *r, struct shell_span name)
{
    if (r->script)
        shell_script_use(r->script, name);
}

/* Skip '...' or $'...', in which a backslash guards the next character. */
static void skip_single_quotes(struct shell_reader *r, bool has_escapes)
{
    shell_reader_skip(r, 1);
    while (r->at < r->len && r->text[r->at] != '\'') {
        if (r->text[r->at] == '<' && shell_reader_placeholder(r))
            continue;
        shell_reader_skip(r, has_escapes && r->text[r->at] == '\\' ? 2 : 1);
    }
    if (r->at == r->len)
        r->problem = "a single quote is never closed";
    shell_reader_skip(r, 1);
}

/* Where the operator of ${NAME[...]...} is, after the name and its subscript. */
static size_t brace_operator(const struct shell_reader *r, size_t at)
{
    size_t left = r->len - at;
    const char *closing;

    if (left == 0 || r->text[at] != '[')
        return at;
    closing = memchr(r->text + at, ']', left < SHELL_NAME_BYTES ? left : SHELL_NAME_BYTES);
    return closing ? (size_t)(closing - r->text) + 1 : at;
}

/* Open ${...}. Where it has a default or an alternative, its variable need not be set. */
static void open_braces(struct shell_reader *r, bool is_quoted)
{
    struct shell_frame *f = shell_reader_push(r, SHELL_FRAME_BRACES);
    struct shell_span name;
    size_t at;

    if (!f)
        return;
    f->is_quoted = is_quoted;
    shell_reader_skip(r, 2);
    if (shell_is_one_of(shell_reader_peek(r, 0), "#!"))
        shell_reader_skip(r, 1);
    name.text = r->text + r->at;
    name.len = shell_name_len(name.text, r->len - r->at);
    shell_reader_skip(r, name.len);
    at = brace_operator(r, r->at);
    if (at < r->len && r->text[at] == ':')
        at++;
    if (name.len > 0 && !(at < r->len && shell_is_one_of(r->text[at], "-=+")))
        use(r, name);
}

/* Take what a dollar sign begins. */
static void take_dollar(struct shell_reader *r, bool is_quoted)
{
    char next = shell_reader_peek(r, 1);
    struct shell_span name = {r->text + r->at + 1, 0};

    if (next == '(' && shell_reader_peek(r, 2) == '(') {
        struct shell_frame *f = shell_reader_push(r, SHELL_FRAME_ARITHMETIC);

        shell_reader_skip(r, 3);
        if (f)
            f->parens = 2;
        return;
    }
    if (next == '(') {
        shell_reader_push_commands(r, ')');
        shell_reader_skip(r, 2);
        return;
    }
    if (next == '{') {
        open_braces(r, is_quoted);
        return;
    }
    shell_reader_skip(r, 1);
    if (next == '\'' && !is_quoted) {
        skip_single_quotes(r, true);
        return;
    }
    name.len = shell_name_len(name.text, r->len - r->at);
    if (name.len > 0) {
        use(r, name);
        shell_reader_skip(r, name.len);
    } else if (shell_is_one_of(next, "@*#?-$!0123456789")) {
        shell_reader_skip(r, 1);
    }
}

void shell_reader_text(struct shell_reader *r, bool has_single, bool has_double)
{
    char c = r->text[r->at];

    if (c == '$') {
        take_dollar(r, !has_single);
    } else if (c == '\'' && has_single) {
        skip_single_quotes(r, false);
    } else if (c == '"' && has_double) {
        /* Nothing to fill in; a refusal is in r->problem. */
        (void)shell_reader_push(r, SHELL_FRAME_QUOTES);
        shell_reader_skip(r, 1);
    } else if (c == '`') {
        shell_reader_push_commands(r, '`');
        shell_reader_skip(r, 1);
    } else {
        shell_reader_skip(r, c == '\\' ? 2 : 1);
    }
}
