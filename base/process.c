/* /proc/self and the limits of this process. */
#include "base/process.h"

#include "base/num.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Read the first two numbers of /proc/self/statm: pages of address space, pages in memory. */
static void read_memory(struct process_figures *out)
{
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128];
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    int64_t page_bytes = sysconf(_SC_PAGESIZE);
    int64_t pages[2];
    const char *at = text;
    struct err e;

    if (fd >= 0)
        (void)close(fd); /* Nothing was written. */
    if (len <= 0)
        return;
    text[len] = '\0';
    for (size_t i = 0; i < 2; i++) {
        size_t digits = strcspn(at, " ");

        if (num_parse_int(at, digits, 0, INT64_MAX / page_bytes, &pages[i], &e))
            return;
        at += digits + (at[digits] == ' ');
    }
    out->virtual_bytes = pages[0] * page_bytes;
    out->resident_bytes = pages[1] * page_bytes;
}

static int64_t count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int64_t count = 0;

    if (!folder)
        return -1;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    (void)closedir(folder); /* Nothing was written. */
    return count - 1;       /* The folder's own. */
}

void process_figures_get(struct process_figures *out)
{
    struct rlimit limit;
    struct rusage usage;

    *out = (struct process_figures){-1, -1, count_descriptors(), -1, -1};
    read_memory(out);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        out->max_descriptors = limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        out->cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
