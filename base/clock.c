/* The system's two clocks. */
#include "base/clock.h"

#include <string.h>
#include <time.h>

void clock_ago_text(int64_t seconds, char out[CLOCK_TEXT_BYTES])
{
    time_t now = time(NULL);
    time_t then = seconds < now ? now - seconds : 0;
    struct tm parts;

    if (!gmtime_r(&then, &parts) ||
        strftime(out, CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        memcpy(out, "1970-01-01T00:00:00Z", CLOCK_TEXT_BYTES);
}

void clock_now_text(char out[CLOCK_TEXT_BYTES])
{
    clock_ago_text(0, out);
}

int64_t clock_steady_ns(void)
{
    struct timespec now = {0};

    /* Fails only for a clock that does not exist. */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
