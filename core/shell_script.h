/* What a shell text says: which variables it needs, what it sets and exports, which flags its
 * commands have. Takes words as they come; reading words from text is core/shell_words.h's. */
#ifndef CORE_SHELL_SCRIPT_H
#define CORE_SHELL_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* Most variables that are needed, that are set, and most placeholders: each use is looked up among
 * them, and a real command has some ten. */
#define SHELL_NAMES_LIMIT 256

/* Longest name of a variable, in bytes. */
#define SHELL_NAME_BYTES 128

/* Most flags: a real command has about fifty. */
#define SHELL_FLAGS_LIMIT 4096

/* A part of the text that was read; lent from it. text is NULL where there is none. */
struct shell_span {
    const char *text;
    size_t len;
};

/* A long flag of a command outside substitutions.
 *
 * name:  with its hyphens: "--global-batch-size"
 * value: the word after it or after its "=", quotes included; NULL where another flag follows
 * is_further: the value is one more of the flag before it, which has the same name: b of "--x a b".
 *        A word that begins with an expansion is none, since it may hold anything */
struct shell_flag {
    struct shell_span name;
    struct shell_span value;
    bool is_further;
};

/* A variable that the script sets.
 *
 * value:       the right-hand side, quotes included; NULL text where it is set by read, for or an
 *              array
 * is_exported: commands see it in their environment */
struct shell_set {
    struct shell_span name;
    struct shell_span value;
    bool is_exported;
};

/* A list of spans of the script's text. */
struct shell_spans {
    struct shell_span *items;
    size_t count;
    size_t cap;
};

/* The findings, in the order of the text.
 *
 * needs:        variables used but not set before, each once; not the shell's own
 * placeholders: each once, as they stand: "<slime entry module>"
 * problem:      why the text is no whole script, in words; NULL: it is one
 * is_short:     memory ran out, so findings are missing */
struct shell_script {
    struct shell_spans needs;
    struct shell_spans placeholders;
    struct shell_set *sets;
    size_t set_count;
    size_t set_cap;
    struct shell_flag *flags;
    size_t flag_count;
    size_t flag_cap;
    const char *problem;
    bool is_short;
};

/* What the words of a command mean depends on its first one. */
enum shell_command_kind {
    SHELL_AT_START,   /* no word but assignments so far */
    SHELL_IN_ARGS,    /* a command's arguments */
    SHELL_IN_ARRAY,   /* items of NAME=( ... ) */
    SHELL_IN_DECLARE, /* after export and its like */
    SHELL_IN_READ,    /* after read and its like */
    SHELL_IN_FOR      /* after for, before its variable */
};

/* A command whose words are being taken; zeroed is one without words.
 *
 * kind, before_array: the kind now, and the one to return to after an array
 * exports:            whether its declarations are exported
 * option_letters:     of read and its like: options that take the next word
 * skips_next:         the next word belongs to a redirection or an option
 * has_flag:           the words so far end in a flag and its values, and the next may be one more
 * assignments:        how many stand before the first word
 * is_nested:          it stands in a substitution, so its flags are not the script's */
struct shell_command {
    enum shell_command_kind kind;
    enum shell_command_kind before_array;
    bool exports;
    const char *option_letters;
    bool skips_next;
    bool has_flag;
    size_t assignments;
    bool is_nested;
};

/* Make an empty script. */
void shell_script_init(struct shell_script *s);

/* Release the lists; the text that spans point into is the caller's. */
void shell_script_done(struct shell_script *s);

/* Note that a variable is used. */
void shell_script_use(struct shell_script *s, struct shell_span name);

/* Note that a variable is set; value may have NULL text. */
void shell_script_set(struct shell_script *s, struct shell_span name, struct shell_span value,
                      bool is_exported);

/* Note a placeholder, with its angle brackets. */
void shell_script_placeholder(struct shell_script *s, struct shell_span placeholder);

/* Take the next word of a command. */
void shell_command_word(struct shell_script *s, struct shell_command *c, struct shell_span word);

/* Begin, or end, the items of NAME=( ... ). */
void shell_command_array(struct shell_command *c, bool is_open);

/* End a command; the next word begins another. */
void shell_command_end(struct shell_command *c);

/* Find the last setting of a variable; NULL if there is none. */
const struct shell_set *shell_script_find(const struct shell_script *s, struct shell_span name);

/* Find the last occurrence of a flag, which is the one that counts, with its first value; NULL if
 * there is none. */
const struct shell_flag *shell_script_flag(const struct shell_script *s, const char *name);

/* Tell whether a span reads exactly as text. */
bool shell_span_is(struct shell_span span, const char *text);

/* How many bytes at the start of text are a variable's name; 0 if it starts with none. */
size_t shell_name_len(const char *text, size_t len);

#endif
