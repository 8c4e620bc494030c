/* What reading shell text is made of: a reader with a stack of what is open, and the parts of text
 * that mean the same everywhere (quotes, dollar signs, placeholders). For core/shell_words.c, which
 * knows of commands. */
#ifndef CORE_SHELL_READER_H
#define CORE_SHELL_READER_H

#include "core/shell_script.h"

/* Deepest nesting of substitutions, quotes and braces; real commands nest four deep. */
#define SHELL_DEPTH_LIMIT 32

/* Most here-documents that begin on one line. */
#define SHELL_HEREDOCS_LIMIT 8

/* Longest placeholder, brackets included; a longer one is not meant as one. */
#define SHELL_PLACEHOLDER_BYTES 80

enum shell_frame_kind {
    SHELL_FRAME_COMMANDS,
    SHELL_FRAME_QUOTES,
    SHELL_FRAME_BRACES,
    SHELL_FRAME_ARITHMETIC,
    SHELL_FRAME_HEREDOC
};

/* Something open.
 *
 * closer:    of commands: ')' or '`'; 0 for the whole script
 * is_quoted: of braces: they stand between double quotes, where ' is a letter
 * has_word:  of commands: a word has begun, at offset word
 * is_array:  of commands: inside NAME=( ... )
 * parens:    open parentheses inside commands or arithmetic
 * end:       where a here-document's text ends; resume: where its last line ends */
struct shell_frame {
    enum shell_frame_kind kind;
    char closer;
    bool is_quoted;
    bool has_word;
    bool is_array;
    size_t word;
    size_t parens;
    size_t end;
    size_t resume;
    struct shell_command command;
};

/* A here-document whose text comes after the line.
 *
 * expands: its text is read for variables: the delimiter was not quoted
 * has_tabs: <<- , so that tabs before the delimiter do not count */
struct shell_heredoc {
    struct shell_span delimiter;
    bool expands;
    bool has_tabs;
};

/* The reader.
 *
 * script:       where findings go; NULL when only the end of something is looked for
 * problem:      why reading stopped early, in words; NULL: it did not
 * heredocs:     those whose text is not read yet
 * has_line_end: their line has ended, so that the first one's text begins */
struct shell_reader {
    const char *text;
    size_t len;
    size_t at;
    struct shell_script *script;
    const char *problem;
    struct shell_frame frames[SHELL_DEPTH_LIMIT];
    size_t depth;
    struct shell_heredoc heredocs[SHELL_HEREDOCS_LIMIT];
    size_t heredoc_count;
    bool has_line_end;
};

/* The character so many places ahead; 0 past the end. */
char shell_reader_peek(const struct shell_reader *r, size_t ahead);

/* Go on by so many characters, at most to the end. */
void shell_reader_skip(struct shell_reader *r, size_t count);

/* Open something; NULL, with r->problem said, if too much is open. Lent until it is closed. */
struct shell_frame *shell_reader_push(struct shell_reader *r, enum shell_frame_kind kind);

/* Take the placeholder that starts here; false if there is none. */
bool shell_reader_placeholder(struct shell_reader *r);

/* Take one character of text, and what it begins.
 *
 * has_single, has_double: whether these quotes mean something here */
void shell_reader_text(struct shell_reader *r, bool has_single, bool has_double);

/* Open the commands of a substitution. */
void shell_reader_push_commands(struct shell_reader *r, char closer);

/* Tell whether c is one of the characters; 0 never is. */
bool shell_is_one_of(char c, const char *chars);

#endif
