/* libFuzzer's entry for the headers that a hub answers with: a range that is taken lies within its
 * file, no wait is negative, and a redirect that is followed goes to http or https, never from the
 * safe one to the other. The corpus is in corpus/fetch: Content-Range, RateLimit, Retry-After, an
 * address and one that it redirects to, each on a line of its own. */
#include "importers/download.h"
#include "tests/support/fuzzing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A range that was taken is written as the same text again. */
static void check_range(const char *text)
{
    struct fetch_range range, again;
    char written[100];

    if (!fetch_headers_range(text, &range))
        return;
    fuzz_require(range.first >= 0 && range.first <= range.last && range.last < range.total);
    fuzz_require(snprintf(written, sizeof written, "bytes %" PRId64 "-%" PRId64 "/%" PRId64,
                          range.first, range.last, range.total) < (int)sizeof written);
    fuzz_require(strcmp(written, text) == 0 && fetch_headers_range(written, &again));
}

static void check_waits(const char *rate_limit, const char *retry_after)
{
    int64_t seconds = fetch_headers_retry_after(retry_after);
    char written[24];

    fuzz_require(fetch_headers_rate_limit(rate_limit) >= 0);
    fuzz_require(seconds >= -1);
    fuzz_require(snprintf(written, sizeof written, "%" PRId64, seconds) < (int)sizeof written);
    fuzz_require(seconds < 0 || strcmp(written, retry_after) == 0);
}

static void check_redirect(const char *from, const char *to)
{
    struct err e;
    enum err_code rc = download_check_redirect(from, to, &e);

    if (rc != ERR_OK) {
        fuzz_check_error(rc, &e);
        return;
    }
    fuzz_require(strncasecmp(to, "https:", 6) == 0 || strncasecmp(to, "http:", 5) == 0);
    if (strncasecmp(from, "https://", 8) == 0)
        fuzz_require(strncasecmp(to, "https:", 6) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *rate_limit, *from;

    check_range(fuzz_next_line(&at));
    rate_limit = fuzz_next_line(&at);
    check_waits(rate_limit, fuzz_next_line(&at));
    from = fuzz_next_line(&at);
    check_redirect(from, fuzz_next_line(&at));
    free(text);
    return 0;
}
