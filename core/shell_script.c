/* Tables of what shells have built in, and lists of what was found. */
#include "core/shell_script.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A builtin that sets variables.
 *
 * kind:           SHELL_IN_DECLARE or SHELL_IN_READ
 * exports:        what it declares is exported
 * option_letters: of read and its like: options that take the next word */
struct builtin {
    const char *name;
    enum shell_command_kind kind;
    bool exports;
    const char *option_letters;
};

/* Source: Bash Reference Manual 5.2, "Shell Builtin Commands", read 2026-11-30. The -a of read is
 * followed by a name like any other. */
static const struct builtin builtins[] = {
    {"export", SHELL_IN_DECLARE, true, NULL},     {"declare", SHELL_IN_DECLARE, false, NULL},
    {"typeset", SHELL_IN_DECLARE, false, NULL},   {"readonly", SHELL_IN_DECLARE, false, NULL},
    {"local", SHELL_IN_DECLARE, false, NULL},     {"read", SHELL_IN_READ, false, "dinNptu"},
    {"mapfile", SHELL_IN_READ, false, "dnOsuCc"}, {"readarray", SHELL_IN_READ, false, "dnOsuCc"},
};

/* Words after which a command starts anew: assignments may follow them. */
static const char *const openers[] = {
    "if", "then", "else", "elif", "while", "until", "do",   "{",     "}",
    "!",  "done", "fi",   "esac", "time",  "env",   "exec", "nohup", "command",
};

/* Variables that a shell sets by itself, or that a login or an image brings and a command may
 * extend; nobody needs to be told to set them. */
static const char *const known_names[] = {
    "BASH_SOURCE",     "EUID",   "FUNCNAME", "HOME",       "HOSTNAME", "IFS",    "LANG",
    "LD_LIBRARY_PATH", "LINENO", "LOGNAME",  "OLDPWD",     "OPTARG",   "OPTIND", "PATH",
    "PIPESTATUS",      "PPID",   "PWD",      "PYTHONPATH", "RANDOM",   "REPLY",  "SECONDS",
    "SHELL",           "SHLVL",  "TERM",     "TMPDIR",     "UID",      "USER",
};

static bool is_among(struct shell_span span, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (shell_span_is(span, texts[i]))
            return true;
    return false;
}

static bool is_same(struct shell_span a, struct shell_span b)
{
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

bool shell_span_is(struct shell_span span, const char *text)
{
    return span.text && strlen(text) == span.len && memcmp(span.text, text, span.len) == 0;
}

size_t shell_name_len(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len &&
           (text[at] == '_' || (text[at] >= 'a' && text[at] <= 'z') ||
            (text[at] >= 'A' && text[at] <= 'Z') || (at > 0 && text[at] >= '0' && text[at] <= '9')))
        at++;
    return at;
}

void shell_script_init(struct shell_script *s)
{
    *s = (struct shell_script){0};
}

void shell_script_done(struct shell_script *s)
{
    free(s->needs.items);
    free(s->placeholders.items);
    free(s->sets);
    free(s->flags);
    shell_script_init(s);
}

/* Add a span unless it is there already or the list is full. */
static void add_once(struct shell_script *s, struct shell_spans *list, struct shell_span span,
                     const char *when_full)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same(list->items[i], span))
            return;
    if (list->count == SHELL_NAMES_LIMIT)
        s->problem = when_full;
    else if (!mem_grow((void **)&list->items, &list->cap, list->count, sizeof *list->items))
        s->is_short = true;
    else
        list->items[list->count++] = span;
}

const struct shell_set *shell_script_find(const struct shell_script *s, struct shell_span name)
{
    for (size_t i = s->set_count; i > 0; i--)
        if (is_same(s->sets[i - 1].name, name))
            return &s->sets[i - 1];
    return NULL;
}

const struct shell_flag *shell_script_flag(const struct shell_script *s, const char *name)
{
    for (size_t i = s->flag_count; i > 0; i--)
        if (!s->flags[i - 1].is_further && shell_span_is(s->flags[i - 1].name, name))
            return &s->flags[i - 1];
    return NULL;
}

void shell_script_use(struct shell_script *s, struct shell_span name)
{
    if (name.len > SHELL_NAME_BYTES)
        s->problem = "a variable's name is longer than 128 bytes";
    else if (!is_among(name, known_names, COUNT_OF(known_names)) && !shell_script_find(s, name))
        add_once(s, &s->needs, name, "it uses more than 256 variables");
}

void shell_script_set(struct shell_script *s, struct shell_span name, struct shell_span value,
                      bool is_exported)
{
    if (s->set_count == SHELL_NAMES_LIMIT)
        s->problem = "it sets more than 256 variables";
    else if (!mem_grow((void **)&s->sets, &s->set_cap, s->set_count, sizeof *s->sets))
        s->is_short = true;
    else
        s->sets[s->set_count++] = (struct shell_set){name, value, is_exported};
}

void shell_script_placeholder(struct shell_script *s, struct shell_span placeholder)
{
    add_once(s, &s->placeholders, placeholder, "it has more than 256 placeholders");
}

static void add_flag(struct shell_script *s, struct shell_flag flag)
{
    if (s->flag_count == SHELL_FLAGS_LIMIT)
        s->problem = "it has more than 4096 flags";
    else if (!mem_grow((void **)&s->flags, &s->flag_cap, s->flag_count, sizeof *s->flags))
        s->is_short = true;
    else
        s->flags[s->flag_count++] = flag;
}

/* Take a word that begins with two hyphens; one with an "=" has its only value. */
static void take_flag(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    const char *equals = memchr(word.text, '=', word.len);
    struct shell_flag flag = {.name = word};

    if (equals) {
        flag.name.len = (size_t)(equals - word.text);
        flag.value = (struct shell_span){equals + 1, word.len - flag.name.len - 1};
    }
    add_flag(s, flag);
    c->has_flag = !equals;
}

/* Whether a word starts like an option, which no value does; -1 is a number. */
static bool is_option(struct shell_span word)
{
    return word.len > 1 && word.text[0] == '-' && !(word.text[1] >= '0' && word.text[1] <= '9');
}

static bool is_expansion(struct shell_span word)
{
    size_t quote = word.len > 0 && word.text[0] == '"' ? 1 : 0;

    return word.len > quote && word.text[quote] == '$';
}

/* Take a word that may be a value of the flag before it. */
static void take_value(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    struct shell_flag *last = &s->flags[s->flag_count - 1];

    if (!last->value.text)
        last->value = word;
    else if (!is_expansion(word))
        add_flag(s, (struct shell_flag){last->name, word, true});
    else
        c->has_flag = false;
}

static void take_arg(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    bool is_flag = word.len > 2 && word.text[0] == '-' && word.text[1] == '-';

    if (c->is_nested)
        return;
    if (is_flag)
        take_flag(s, c, word);
    else if (is_option(word) || s->flag_count == 0)
        c->has_flag = false;
    else if (c->has_flag)
        take_value(s, c, word);
}

/* Split NAME=value, NAME+=value or NAME[i]=value; false if the word is no assignment. */
static bool split_assignment(struct shell_span word, struct shell_span *out_name,
                             struct shell_span *out_value)
{
    size_t name = shell_name_len(word.text, word.len);
    size_t at = name;

    if (name > 0 && at < word.len && word.text[at] == '[') {
        const char *closing = memchr(word.text + at, ']', word.len - at);

        at = closing ? (size_t)(closing - word.text) + 1 : word.len;
    }
    if (name > 0 && at < word.len && word.text[at] == '+')
        at++;
    if (name == 0 || at >= word.len || word.text[at] != '=')
        return false;
    *out_name = (struct shell_span){word.text, name};
    *out_value = (struct shell_span){word.text + at + 1, word.len - at - 1};
    return true;
}

/* An assignment before a command's first word is in the environment of that command alone. */
static void export_assignments(struct shell_script *s, struct shell_command *c)
{
    for (size_t i = 0; i < c->assignments && i < s->set_count; i++)
        s->sets[s->set_count - 1 - i].is_exported = true;
    c->assignments = 0;
}

static void take_first(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    struct shell_span name, value;

    if (split_assignment(word, &name, &value)) {
        shell_script_set(s, name, value, false);
        c->assignments++;
        return;
    }
    if (is_among(word, openers, COUNT_OF(openers)))
        return;
    export_assignments(s, c);
    c->kind =
        shell_span_is(word, "for") || shell_span_is(word, "select") ? SHELL_IN_FOR : SHELL_IN_ARGS;
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        if (shell_span_is(word, builtins[i].name)) {
            c->kind = builtins[i].kind;
            c->exports = builtins[i].exports;
            c->option_letters = builtins[i].option_letters;
        }
}

/* Export a variable by its name alone: one that is set so far, or the reader's. */
static void export_name(struct shell_script *s, struct shell_span name)
{
    for (size_t i = s->set_count; i > 0; i--)
        if (is_same(s->sets[i - 1].name, name)) {
            s->sets[i - 1].is_exported = true;
            return;
        }
    shell_script_use(s, name);
}

static void take_declaration(struct shell_script *s, struct shell_command *c,
                             struct shell_span word)
{
    struct shell_span name, value;

    if (word.text[0] == '-')
        c->exports = c->exports || memchr(word.text, 'x', word.len);
    else if (split_assignment(word, &name, &value))
        shell_script_set(s, name, value, c->exports);
    else if (c->exports && shell_name_len(word.text, word.len) == word.len)
        export_name(s, word);
}

static void take_read(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    if (word.text[0] == '-')
        c->skips_next = strchr(c->option_letters, word.text[word.len - 1]) != NULL;
    else if (shell_name_len(word.text, word.len) == word.len)
        shell_script_set(s, word, (struct shell_span){NULL, 0}, false);
}

void shell_command_word(struct shell_script *s, struct shell_command *c, struct shell_span word)
{
    if (c->skips_next) {
        c->skips_next = false;
        return;
    }
    switch (c->kind) {
    case SHELL_AT_START:
        take_first(s, c, word);
        break;
    case SHELL_IN_ARGS:
    case SHELL_IN_ARRAY:
        take_arg(s, c, word);
        break;
    case SHELL_IN_DECLARE:
        take_declaration(s, c, word);
        break;
    case SHELL_IN_READ:
        take_read(s, c, word);
        break;
    case SHELL_IN_FOR:
        shell_script_set(s, word, (struct shell_span){NULL, 0}, false);
        c->kind = SHELL_IN_ARGS;
        break;
    }
}

void shell_command_array(struct shell_command *c, bool is_open)
{
    if (is_open)
        c->before_array = c->kind;
    c->kind = is_open ? SHELL_IN_ARRAY : c->before_array;
    c->has_flag = false;
}

void shell_command_end(struct shell_command *c)
{
    *c = (struct shell_command){.is_nested = c->is_nested};
}
