/* What a reply's headers say to a client that reads parts of files and keeps to rate limits. */
#ifndef IMPORTERS_FETCH_HEADERS_H
#define IMPORTERS_FETCH_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

/* Part of a file.
 *
 * first, last: bytes, both included
 * total:       size of the whole file */
struct fetch_range {
    int64_t first;
    int64_t last;
    int64_t total;
};

/* Parse a Content-Range; false if it is not "bytes FIRST-LAST/TOTAL" with numbers that agree. */
bool fetch_headers_range(const char *text, struct fetch_range *out_range);

/* How many seconds a RateLimit header asks to wait: the longest t of the quotas of which nothing
 * remains (`"api";r=0;t=55`); 0 if something remains of each, or if it is not understood. */
int64_t fetch_headers_rate_limit(const char *text);

/* How many seconds a Retry-After header asks to wait; -1 if it is a date or not understood. */
int64_t fetch_headers_retry_after(const char *text);

/* Tell whether a status may go away by itself: 408, 429, 500, 502, 503, 504. */
bool fetch_headers_is_passing(long status);

#endif
