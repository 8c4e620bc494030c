/* A progress bar on standard error, when that is a terminal; else nothing. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bar. label: what is counted, "files" */
struct progress {
    const char *label;
    bool is_shown;
    int64_t drawn_ns;
};

/* Start a bar; label is lent for its life. */
void progress_init(struct progress *p, const char *label);

/* Say how far it is; draws at most ten times a second, and always when done. Fits import_progress.
 */
void progress_show(void *progress, size_t done, size_t total);

/* Take the bar off the screen. */
void progress_done(struct progress *p);

#endif
