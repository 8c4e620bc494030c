/* A shared object for LD_PRELOAD that sets the wall clock of a process off, by as many seconds as
 * the file says that the variable names. Clocks that are never set are left alone. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Environment variable that names the file; without it the clock is right. */
static const char variable[] = "FAULT_CLOCK";

/* Written once, before main; a preloaded object has no caller that could hand it state. */
static const _Atomic int64_t *offset_seconds;

__attribute__((constructor)) static void map_offset(void)
{
    const char *path = getenv(variable);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *at =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset_seconds, PROT_READ, MAP_SHARED, fd, 0);

    if (fd >= 0)
        (void)close(fd); /* Nothing was written. */
    if (at != MAP_FAILED)
        offset_seconds = at;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int result = (int)syscall(SYS_clock_gettime, clock, out);

    if (result == 0 && offset_seconds &&
        (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += atomic_load(offset_seconds);
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now); /* Fails only for a clock that does not exist. */
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* As above. */
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
