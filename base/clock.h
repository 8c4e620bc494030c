/* What time it is: the calendar's, which may be set back, and a steady one for durations. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Room for a time stamp with its zero byte. */
#define CLOCK_TEXT_BYTES 21

/* Now in UTC, to the second: 2026-10-20T08:15:00Z. */
void clock_now_text(char out[CLOCK_TEXT_BYTES]);

/* The same, so many seconds ago; as long ago as can be written where that is too much. */
void clock_ago_text(int64_t seconds, char out[CLOCK_TEXT_BYTES]);

/* Nanoseconds since some fixed moment; never goes back. */
int64_t clock_steady_ns(void);

#endif
