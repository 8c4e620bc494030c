/* libFuzzer's entry for the shell reader: any bytes are read, whatever they mean, and all that is
 * found lies within them. The corpus is in corpus/shell. */
#include "core/shell_words.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>

/* A span lies within the text, and is no longer once its quotes are removed. */
static void check_span(struct shell_span span, const char *text, size_t len)
{
    struct buf unquoted;

    if (!span.text)
        return;
    if (span.text < text || span.len > len || (size_t)(span.text - text) > len - span.len)
        abort();
    buf_init(&unquoted, len);
    shell_unquote(span, &unquoted);
    if (unquoted.status != ERR_OK || unquoted.len > span.len)
        abort();
    buf_done(&unquoted);
}

static void check_script(const struct shell_script *script, const char *text, size_t len)
{
    if (script->needs.count > SHELL_NAMES_LIMIT || script->placeholders.count > SHELL_NAMES_LIMIT ||
        script->set_count > SHELL_NAMES_LIMIT || script->flag_count > SHELL_FLAGS_LIMIT)
        abort();
    for (size_t i = 0; i < script->needs.count; i++)
        check_span(script->needs.items[i], text, len);
    for (size_t i = 0; i < script->placeholders.count; i++)
        check_span(script->placeholders.items[i], text, len);
    for (size_t i = 0; i < script->flag_count; i++) {
        check_span(script->flags[i].name, text, len);
        check_span(script->flags[i].value, text, len);
    }
    for (size_t i = 0; i < script->set_count; i++) {
        check_span(script->sets[i].name, text, len);
        check_span(script->sets[i].value, text, len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct shell_script script;
    struct err e;

    shell_script_init(&script);
    if (shell_read(text, size, &script, &e) != ERR_OK ||
        shell_read_value(text, size, &script, &e) != ERR_OK)
        abort();
    check_script(&script, text, size);
    shell_script_done(&script);
    return 0;
}
