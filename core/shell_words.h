/* Reads shell text: words, quotes, expansions, redirections and here-documents, as far as a command
 * for training needs them. Runs nothing and expands nothing. Any text is read in time linear in its
 * length, without recursion. */
#ifndef CORE_SHELL_WORDS_H
#define CORE_SHELL_WORDS_H

#include "base/buf.h"
#include "base/err.h"
#include "core/shell_script.h"

/* Read a script.
 *
 * text, len: lent for the script's life
 * script:    after shell_script_init; findings are added
 * Errors:    ERR_NOMEM only; what is wrong with the text, script->problem says. */
MUST_USE enum err_code shell_read(const char *text, size_t len, struct shell_script *script,
                                  struct err *e);

/* Read a value: the variables that a text uses where it stands between double quotes. As
 * shell_read. */
MUST_USE enum err_code shell_read_value(const char *text, size_t len, struct shell_script *script,
                                        struct err *e);

/* Append a word as the shell would pass it on, quotes removed; substitutions and variables stay as
 * they are written. */
void shell_unquote(struct shell_span word, struct buf *out);

#endif
