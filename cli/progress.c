/* The bar is one line that is written over. */
#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

/* Columns of the bar itself, and nanoseconds between two drawings. */
enum { WIDTH = 30, PAUSE_NS = 100 * 1000 * 1000 };

void progress_init(struct progress *p, const char *label)
{
    *p = (struct progress){.label = label, .is_shown = isatty(STDERR_FILENO) == 1};
}

void progress_show(void *progress, size_t done, size_t total)
{
    static const char full[WIDTH + 1] = "##############################";
    static const char empty[WIDTH + 1] = "..............................";
    struct progress *p = progress;
    int64_t now = clock_steady_ns();
    int filled = total > 0 ? (int)(done * WIDTH / total) : WIDTH;

    if (!p->is_shown || (done < total && now - p->drawn_ns < PAUSE_NS))
        return;
    p->drawn_ns = now;
    (void)fprintf(stderr, "\r[%.*s%.*s] %zu/%zu %s", filled, full, WIDTH - filled, empty, done,
                  total, p->label);
    (void)fflush(stderr);
}

void progress_done(struct progress *p)
{
    if (p->is_shown && p->drawn_ns != 0)
        (void)fprintf(stderr, "\r\033[K");
}
