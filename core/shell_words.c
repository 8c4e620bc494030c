/* One step function for each kind of thing that is open; a step looks at one character and takes
 * what belongs to it. */
#include "core/shell_words.h"

#include "core/shell_reader.h"

#include <string.h>

static void begin_word(struct shell_reader *r, struct shell_frame *f)
{
    if (!f->has_word)
        f->word = r->at;
    f->has_word = true;
}

/* Digits right before a redirection are a file descriptor, not a word. */
static bool is_descriptor(struct shell_span word, char next)
{
    if (next != '<' && next != '>')
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.text[i] < '0' || word.text[i] > '9')
            return false;
    return true;
}

static void end_word(struct shell_reader *r, struct shell_frame *f)
{
    struct shell_span word = {r->text + f->word, r->at - f->word};

    if (f->has_word && r->script && !is_descriptor(word, shell_reader_peek(r, 0)))
        shell_command_word(r->script, &f->command, word);
    f->has_word = false;
}

/* Read a here-document's delimiter; its text comes after the line. */
static void take_heredoc(struct shell_reader *r)
{
    struct shell_heredoc h = {.expands = true};
    const char *stops = " \t\n;&|()<>'\"";
    char quote;
    size_t end;

    shell_reader_skip(r, 2);
    h.has_tabs = shell_reader_peek(r, 0) == '-';
    shell_reader_skip(r, h.has_tabs ? 1 : 0);
    while (shell_is_one_of(shell_reader_peek(r, 0), " \t"))
        shell_reader_skip(r, 1);
    quote = shell_reader_peek(r, 0);
    if (shell_is_one_of(quote, "'\"\\")) {
        h.expands = false;
        stops = quote == '\\' ? stops : "'\"\n";
        shell_reader_skip(r, 1);
    }
    for (end = r->at; end < r->len && !shell_is_one_of(r->text[end], stops);)
        end++;
    h.delimiter = (struct shell_span){r->text + r->at, end - r->at};
    r->at = end;
    if (shell_is_one_of(shell_reader_peek(r, 0), "'\""))
        shell_reader_skip(r, 1);
    if (r->heredoc_count == SHELL_HEREDOCS_LIMIT)
        r->problem = "a line has more than 8 here-documents";
    else
        r->heredocs[r->heredoc_count++] = h;
    r->has_line_end = false;
}

/* Go to the text of the first here-document that waits; the reader is at the start of a line. */
static void open_heredoc(struct shell_reader *r)
{
    struct shell_heredoc h = r->heredocs[0];
    size_t end = r->at, resume = r->at;
    struct shell_frame *f;

    r->heredoc_count--;
    memmove(r->heredocs, r->heredocs + 1, r->heredoc_count * sizeof h);
    while (resume < r->len) {
        const char *newline = memchr(r->text + resume, '\n', r->len - resume);
        size_t line_end = newline ? (size_t)(newline - r->text) : r->len;
        size_t start = resume;

        while (h.has_tabs && start < line_end && r->text[start] == '\t')
            start++;
        end = resume;
        resume = newline ? line_end + 1 : line_end;
        if (line_end - start == h.delimiter.len &&
            memcmp(r->text + start, h.delimiter.text, h.delimiter.len) == 0)
            break;
        end = resume;
    }
    f = h.expands ? shell_reader_push(r, SHELL_FRAME_HEREDOC) : NULL;
    if (f) {
        f->end = end;
        f->resume = resume;
        r->has_line_end = false; /* The next one begins where this one's text ends. */
    } else {
        r->at = resume;
    }
}

/* Take a redirection; the word after it belongs to it. */
static void take_redirection(struct shell_reader *r, struct shell_frame *f)
{
    if (shell_reader_peek(r, 1) == '(') {
        begin_word(r, f);
        shell_reader_push_commands(r, ')');
        shell_reader_skip(r, 2);
        return;
    }
    end_word(r, f);
    if (shell_reader_peek(r, 0) == '<' && shell_reader_peek(r, 1) == '<' &&
        shell_reader_peek(r, 2) != '<') {
        take_heredoc(r);
        return;
    }
    f->command.skips_next = true;
    shell_reader_skip(r, 1);
    for (int i = 0; i < 2 && shell_is_one_of(shell_reader_peek(r, 0), "<>&|"); i++)
        shell_reader_skip(r, 1);
}

/* Take a placeholder, which is part of a word, or a redirection. */
static void take_bracket(struct shell_reader *r, struct shell_frame *f)
{
    size_t start = r->at;

    if (r->text[start] != '<' || !shell_reader_placeholder(r)) {
        take_redirection(r, f);
    } else if (!f->has_word) {
        f->has_word = true;
        f->word = start;
    }
}

static void take_open_paren(struct shell_reader *r, struct shell_frame *f)
{
    bool is_array = f->has_word && r->text[r->at - 1] == '=';

    end_word(r, f);
    if (is_array) {
        f->is_array = true;
        shell_command_array(&f->command, true);
    } else if (shell_reader_peek(r, 1) == '(') {
        struct shell_frame *arithmetic = shell_reader_push(r, SHELL_FRAME_ARITHMETIC);

        if (arithmetic)
            arithmetic->parens = 2;
        shell_reader_skip(r, 1);
    } else {
        f->parens++;
        shell_command_end(&f->command);
    }
    shell_reader_skip(r, 1);
}

static void take_close_paren(struct shell_reader *r, struct shell_frame *f)
{
    end_word(r, f);
    shell_reader_skip(r, 1);
    if (f->is_array) {
        f->is_array = false;
        shell_command_array(&f->command, false);
    } else if (f->parens == 0 && f->closer == ')') {
        r->depth--;
    } else {
        f->parens -= f->parens > 0 ? 1 : 0;
        shell_command_end(&f->command);
    }
}

static void take_separator(struct shell_reader *r, struct shell_frame *f)
{
    end_word(r, f);
    if (!f->is_array)
        shell_command_end(&f->command);
    if (r->text[r->at] == '\n')
        r->has_line_end = true;
    shell_reader_skip(r, 1);
}

static void skip_comment(struct shell_reader *r)
{
    const char *newline = memchr(r->text + r->at, '\n', r->len - r->at);

    r->at = newline ? (size_t)(newline - r->text) : r->len;
}

static void step_commands(struct shell_reader *r, struct shell_frame *f)
{
    char c = shell_reader_peek(r, 0), next = shell_reader_peek(r, 1);

    if (r->has_line_end && r->heredoc_count > 0) {
        open_heredoc(r);
    } else if (shell_is_one_of(c, " \t\r")) {
        end_word(r, f);
        shell_reader_skip(r, 1);
    } else if (c == '\\' && next == '\n') {
        shell_reader_skip(r, 2); /* A continued line: neither begins nor ends a word. */
    } else if (c == '#' && !f->has_word) {
        skip_comment(r);
    } else if (c == '`' && f->closer == '`') {
        end_word(r, f);
        r->depth--;
        shell_reader_skip(r, 1);
    } else if (c == '(') {
        take_open_paren(r, f);
    } else if (c == ')') {
        take_close_paren(r, f);
    } else if (shell_is_one_of(c, "<>") || (c == '&' && next == '>')) {
        take_bracket(r, f);
    } else if (shell_is_one_of(c, "\n;&|")) {
        take_separator(r, f);
    } else {
        begin_word(r, f);
        shell_reader_text(r, true, true);
    }
}

static void step_quotes(struct shell_reader *r, struct shell_frame *f)
{
    (void)f;
    if (r->text[r->at] == '"') {
        r->depth--;
        shell_reader_skip(r, 1);
    } else if (r->text[r->at] != '<' || !shell_reader_placeholder(r)) {
        shell_reader_text(r, false, false);
    }
}

static void step_braces(struct shell_reader *r, struct shell_frame *f)
{
    if (r->text[r->at] == '}') {
        r->depth--;
        shell_reader_skip(r, 1);
    } else if (r->text[r->at] != '<' || !shell_reader_placeholder(r)) {
        shell_reader_text(r, !f->is_quoted, true);
    }
}

static void step_arithmetic(struct shell_reader *r, struct shell_frame *f)
{
    char c = r->text[r->at];

    if (c == '(' || c == ')') {
        f->parens += c == '(' ? 1 : (size_t)-1;
        r->depth -= f->parens == 0 ? 1 : 0;
        shell_reader_skip(r, 1);
    } else {
        shell_reader_text(r, true, true);
    }
}

static void step_heredoc(struct shell_reader *r, struct shell_frame *f)
{
    if (r->at < f->end) {
        shell_reader_text(r, false, false);
        return;
    }
    r->at = r->at > f->resume ? r->at : f->resume;
    r->has_line_end = true;
    r->depth--;
}

/* Read until no more than depth frames are open, or to the end. */
static void run(struct shell_reader *r, size_t depth)
{
    static void (*const steps[])(struct shell_reader *, struct shell_frame *) = {
        [SHELL_FRAME_COMMANDS] = step_commands, [SHELL_FRAME_QUOTES] = step_quotes,
        [SHELL_FRAME_BRACES] = step_braces,     [SHELL_FRAME_ARITHMETIC] = step_arithmetic,
        [SHELL_FRAME_HEREDOC] = step_heredoc,
    };

    while (r->depth > depth && r->at < r->len && !r->problem) {
        struct shell_frame *f = &r->frames[r->depth - 1];

        steps[f->kind](r, f);
    }
}

/* End the whole text: its last word, and what was left open. */
static void finish(struct shell_reader *r)
{
    static const char *const unclosed[] = {
        [SHELL_FRAME_COMMANDS] = "a parenthesis or a backquote is never closed",
        [SHELL_FRAME_QUOTES] = "a double quote is never closed",
        [SHELL_FRAME_BRACES] = "a brace is never closed",
        [SHELL_FRAME_ARITHMETIC] = "a parenthesis is never closed",
    };
    struct shell_frame *f;

    while (r->depth > 1 && r->frames[r->depth - 1].kind == SHELL_FRAME_HEREDOC)
        r->depth--;
    f = &r->frames[r->depth - 1];
    if (r->depth > 1 && !r->problem)
        r->problem = unclosed[f->kind];
    if (r->depth == 1 && f->kind == SHELL_FRAME_COMMANDS) {
        if (!r->problem && (f->parens > 0 || f->is_array))
            r->problem = unclosed[SHELL_FRAME_COMMANDS];
        end_word(r, f);
    }
    if (!r->script->problem)
        r->script->problem = r->problem;
}

/* Read all of it as one thing of a kind that only the end of the text closes. */
static enum err_code read_all(const char *text, size_t len, enum shell_frame_kind kind,
                              struct shell_script *script, struct err *e)
{
    struct shell_reader r = {.text = text, .len = len, .script = script, .depth = 1};

    r.frames[0] = (struct shell_frame){.kind = kind, .end = len, .resume = len};
    run(&r, 0);
    finish(&r);
    return script->is_short ? err_nomem(e) : ERR_OK;
}

enum err_code shell_read(const char *text, size_t len, struct shell_script *script, struct err *e)
{
    return read_all(text, len, SHELL_FRAME_COMMANDS, script, e);
}

/* A here-document's text is read like text between double quotes, and quotes do not end it. */
enum err_code shell_read_value(const char *text, size_t len, struct shell_script *script,
                               struct err *e)
{
    return read_all(text, len, SHELL_FRAME_HEREDOC, script, e);
}

/* Append what a backslash guards; between double quotes it guards only some characters. */
static void unquote_backslash(struct shell_reader *r, bool is_quoted, struct buf *out)
{
    char next = shell_reader_peek(r, 1);

    if (is_quoted && !shell_is_one_of(next, "$`\"\\\n"))
        buf_putc(out, '\\');
    if (next != '\0' && next != '\n')
        buf_putc(out, next);
    shell_reader_skip(r, 2);
}

void shell_unquote(struct shell_span word, struct buf *out)
{
    struct shell_reader r = {.text = word.text, .len = word.len};
    bool is_quoted = false;

    while (r.at < r.len && !r.problem) {
        size_t start = r.at;
        char c = r.text[start];

        if (c == '\\') {
            unquote_backslash(&r, is_quoted, out);
        } else if (c == '"') {
            is_quoted = !is_quoted;
            shell_reader_skip(&r, 1);
        } else if (c == '\'' && !is_quoted) {
            shell_reader_text(&r, true, true);
            buf_add(out, r.text + start + 1, r.at - start - 1 - (r.problem ? 0 : 1));
        } else {
            shell_reader_text(&r, !is_quoted, false);
            run(&r, 0);
            buf_add(out, r.text + start, r.at - start);
        }
    }
}
