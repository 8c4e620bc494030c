/* What the system says of this process. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdint.h>

/* Figures; one that the system does not tell is -1. */
struct process_figures {
    int64_t resident_bytes;
    int64_t virtual_bytes;
    int64_t open_descriptors;
    int64_t max_descriptors;
    double cpu_seconds;
};

/* Read them now. */
void process_figures_get(struct process_figures *out);

#endif
