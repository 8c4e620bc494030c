/* Inputs as texts, and the checks that all targets make. */
#include "tests/support/fuzzing.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void fuzz_require(bool is_true)
{
    if (!is_true)
        abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    fuzz_require(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

char *fuzz_next_line(char **at)
{
    char *line = *at;
    size_t len = strcspn(line, "\n");

    *at = line + len + (line[len] ? 1 : 0);
    line[len] = '\0';
    return line;
}

void fuzz_check_line(const char *text)
{
    fuzz_require(text_is_utf8(text, strlen(text)));
    for (const char *c = text; *c; c++)
        fuzz_require((unsigned char)*c >= 0x20 && *c != 0x7F);
}

void fuzz_check_error(enum err_code code, const struct err *e)
{
    fuzz_require(code != ERR_OK && code == e->code);
    fuzz_require(code != ERR_BUG && code != ERR_CORRUPT && code != ERR_NOMEM);
    fuzz_require(e->text[0] != '\0' && memchr(e->text, '\0', sizeof e->text) != NULL);
}
