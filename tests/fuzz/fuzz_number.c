/* libFuzzer's entry for numbers and the other small texts that parameters and files are made of:
 * what is read and written is the same number, by its one spelling; a slug stays one, a date is ten
 * bytes, Base64 has one text for each bytes. The corpus is in corpus/number: any text. */
#include "base/base64.h"
#include "base/num.h"
#include "base/text.h"
#include "core/estimate.h"
#include "core/slug.h"
#include "tests/support/fuzzing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer than the texts that are tried. */
enum { TEXT_LIMIT = 1024 * 1024 };

static void check_int(const char *text, size_t len)
{
    char written[NUM_TEXT_BYTES];
    int64_t value = 0;
    struct err e;
    enum err_code rc = num_parse_int(text, len, INT64_MIN, INT64_MAX, &value, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return;
    }
    num_format_int(written, value);
    fuzz_require((len == strlen(written) && memcmp(written, text, len) == 0) ||
                 (value == 0 && len == 2 && text[0] == '-'));
}

static void check_real(const char *text, size_t len)
{
    char written[NUM_TEXT_BYTES];
    double value = 0;
    double again = 0;
    struct err e;
    enum err_code rc = num_parse_real(text, len, &value, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return;
    }
    fuzz_require(isfinite(value));
    num_format_real(written, value);
    fuzz_require(num_parse_real(written, strlen(written), &again, &e) == ERR_OK);
    fuzz_require(memcmp(&again, &value, sizeof value) == 0);
    for (int digits = 1; digits <= 17; digits++)
        fuzz_require(fabs(num_round_digits(value, digits)) <= fabs(value) * 1.5 + 1e-300 ||
                     fabs(value) > 1e307);
    fuzz_require(num_round_digits(value, 17) == value);
}

static void check_tokens(const char *text, size_t len)
{
    char written[NUM_TEXT_BYTES];
    int64_t tokens = 0;
    int64_t again = 0;
    struct err e;
    enum err_code rc = tokens_parse(text, len, &tokens, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return;
    }
    fuzz_require(tokens >= 1 && tokens <= ESTIMATE_TOKENS_MAX);
    num_format_int(written, tokens);
    fuzz_require(tokens_parse(written, strlen(written), &again, &e) == ERR_OK && again == tokens);
}

static void check_base64(const char *text, size_t len)
{
    struct buf bytes, written;

    buf_init(&bytes, TEXT_LIMIT);
    buf_init(&written, 2 * TEXT_LIMIT);
    if (base64_read(&bytes, text, len)) {
        base64_write(&written, buf_text(&bytes), bytes.len);
        fuzz_require(written.len == len && memcmp(buf_text(&written), text, len) == 0);
    }
    buf_done(&bytes);
    buf_reset(&written);
    base64_write(&written, text, len);
    fuzz_require(base64_read(&bytes, buf_text(&written), written.len));
    fuzz_require(bytes.len == len && memcmp(buf_text(&bytes), text, len) == 0);
    buf_done(&bytes);
    buf_done(&written);
}

static void check_words(const char *text)
{
    static const char *const known[] = {"tokens_per_s_per_gpu", "tp", "measured", "gpu"};
    const char *near = text_nearest(text, known, sizeof known / sizeof *known);
    char slug[SLUG_BYTES];
    size_t len = strlen(text);

    if (slug_make(slug, text))
        fuzz_require(slug_check(slug));
    if (slug_check(text))
        fuzz_require(slug_make(slug, text) && strcmp(slug, text) == 0);
    if (text_is_date(text))
        fuzz_require(len == 10 && text[4] == '-' && text[7] == '-');
    fuzz_require(text_distance(text, text) == 0);
    fuzz_require(!near || text_distance(text, near) <= 100);
    for (size_t at = 0; at <= len && len < 100 && text_is_utf8(text, len); at++)
        fuzz_require(text_is_utf8(text, text_utf8_cut(text, at)));
}

/* A text that was scrubbed is a line, as long as before, and has nothing left to scrub. */
static void check_scrub(char *text)
{
    size_t len = strlen(text);

    text_scrub(text);
    fuzz_require(strlen(text) == len);
    fuzz_check_line(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    size_t len = strlen(text);

    check_int(text, len);
    check_real(text, len);
    check_tokens(text, len);
    check_base64(text, size);
    check_words(text);
    check_scrub(text);
    free(text);
    return 0;
}
