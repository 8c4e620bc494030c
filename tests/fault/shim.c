/* A shared object for LD_PRELOAD that makes the n-th allocation or file operation of a process
 * fail. It stands in front of the C library's functions and passes every other call on. */
#include "tests/fault/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The C library's own allocator, under the names it keeps for those who replace malloc; dlsym would
 * not do, as it may allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

/* Written once, before main; a preloaded object has no caller that could hand it state. */
static struct fault_control *control;

/* Be the process of one run, which goes on to main. */
static void begin_run(void)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        _exit(127);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        atomic_store(&control->kinds[kind].count, 0);
}

/* Return once for each run, in a process of its own. Most of what a short command costs is loading
 * its libraries, and this does it once. */
static void run_many_times(struct fault_runs *runs)
{
    for (;;) {
        pid_t pid;

        while (sem_wait(&runs->go) != 0)
            continue; /* A signal came. */
        if (runs->is_over)
            _exit(0);
        pid = fork();
        if (pid == 0) {
            begin_run();
            return;
        }
        if (pid < 0 || waitpid(pid, &runs->status, 0) != pid)
            _exit(127);
        (void)sem_post(&runs->done); /* Fails only after two thousand million of them. */
    }
}

/* Uses system calls only, so that it counts nothing itself. Libraries that allocate when they are
 * loaded have done so: the loader begins with those that others need, and ends with this. */
__attribute__((constructor)) static void map_control(void)
{
    const char *path = getenv(FAULT_VARIABLE);
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    long at = fd < 0 ? -1
                     : syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED,
                               fd, 0);

    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    if (at != -1)
        control = (struct fault_control *)at;
    if (control && control->runs.is_used)
        run_many_times(&control->runs);
}

/* Count one call, and tell whether it is the one that fails. */
static bool is_time_to_fail(enum fault_kind kind)
{
    struct fault *fault = control ? &control->kinds[kind] : NULL;
    long left;

    if (!fault)
        return false;
    atomic_fetch_add(&fault->count, 1);
    if (!atomic_load(&fault->is_armed))
        return false;
    left = atomic_fetch_sub(&fault->left, 1);
    if (left > 1 || (left < 1 && !atomic_load(&fault->is_sticky)))
        return false;
    atomic_fetch_add(&fault->injected, 1);
    if (atomic_load(&fault->error) == FAULT_KILL)
        (void)kill(getpid(), SIGKILL); /* Does not return. */
    errno = atomic_load(&fault->error);
    return true;
}

void *malloc(size_t size)
{
    return is_time_to_fail(FAULT_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_time_to_fail(FAULT_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return is_time_to_fail(FAULT_MALLOC) ? NULL : __libc_realloc(old, size);
}

/* Sockets, pipes and event descriptors are the network's and the threads' business, and the
 * standard streams are the test's. */
static bool is_file(int fd)
{
    struct stat about;

    return control && fd > STDERR_FILENO && syscall(SYS_fstat, fd, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

static bool is_on_disk(const char *path)
{
    static const char *const systems[] = {"/dev/", "/proc/", "/sys/"};

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strncmp(path, systems[i], strlen(systems[i])) == 0)
            return false;
    return true;
}

/* Count a call that needs no space on the disk. */
static bool fails(bool is_counted)
{
    return is_counted && is_time_to_fail(FAULT_IO);
}

/* Count a call that may need space, as one of either kind. */
static bool fails_to_grow(bool is_counted)
{
    bool is_full = is_counted && is_time_to_fail(FAULT_SPACE);

    return fails(is_counted && !is_full) || is_full;
}

typedef void any_function(void);

/* Find the C library's function of a name. Looked up at each call: it is quick enough, and there is
 * nothing to keep. */
static any_function *next_function(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    any_function *function;

    /* ISO C has no cast from one to the other; POSIX says that they look the same. */
    memcpy(&function, &found, sizeof function);
    return function;
}

/* Expands to the function `name`, which fails where `is_failing` says so and else calls the one of
 * the C library with the arguments at the end. Functions of these many types cannot be written as
 * one. */
#define WRAP(type, name, parameters, is_failing, ...)                                              \
    type name parameters                                                                           \
    {                                                                                              \
        return (is_failing) ? (type)-1 : ((type(*) parameters)next_function(#name))(__VA_ARGS__);  \
    }

/* Expands to the value of the optional argument of open; it is there when a file may be created. */
#define TAKE_MODE(mode, flags)                                                                     \
    do {                                                                                           \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, flags);                                                                     \
        (mode) = ((flags) & (O_CREAT | O_TMPFILE)) ? va_arg(args, mode_t) : 0;                     \
        va_end(args);                                                                              \
    } while (0)

static int open_or_fail(int folder, const char *path, int flags, mode_t mode)
{
    bool may_grow = (flags & O_CREAT) != 0;
    bool is_failing = may_grow ? fails_to_grow(is_on_disk(path)) : fails(is_on_disk(path));

    return is_failing ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    mode_t mode;

    TAKE_MODE(mode, flags);
    return open_or_fail(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode;

    TAKE_MODE(mode, flags);
    return open_or_fail(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode;

    TAKE_MODE(mode, flags);
    return open_or_fail(folder, path, flags, mode);
}

WRAP(ssize_t, read, (int fd, void *out, size_t len), fails(is_file(fd)), fd, out, len)
WRAP(ssize_t, pread, (int fd, void *out, size_t len, off_t at), fails(is_file(fd)), fd, out, len,
     at)
WRAP(ssize_t, pread64, (int fd, void *out, size_t len, off64_t at), fails(is_file(fd)), fd, out,
     len, at)
WRAP(ssize_t, write, (int fd, const void *bytes, size_t len), fails_to_grow(is_file(fd)), fd, bytes,
     len)
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t len, off_t at), fails_to_grow(is_file(fd)),
     fd, bytes, len, at)
WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t len, off64_t at),
     fails_to_grow(is_file(fd)), fd, bytes, len, at)
WRAP(int, ftruncate, (int fd, off_t len), fails_to_grow(is_file(fd)), fd, len)
WRAP(int, ftruncate64, (int fd, off64_t len), fails_to_grow(is_file(fd)), fd, len)
WRAP(int, fstat, (int fd, struct stat *out), fails(is_file(fd)), fd, out)
WRAP(int, fstat64, (int fd, struct stat64 *out), fails(is_file(fd)), fd, out)
WRAP(int, fchmod, (int fd, mode_t mode), fails(is_file(fd)), fd, mode)
WRAP(int, stat, (const char *path, struct stat *out), fails(is_on_disk(path)), path, out)
WRAP(int, stat64, (const char *path, struct stat64 *out), fails(is_on_disk(path)), path, out)
WRAP(int, lstat, (const char *path, struct stat *out), fails(is_on_disk(path)), path, out)
WRAP(int, lstat64, (const char *path, struct stat64 *out), fails(is_on_disk(path)), path, out)
WRAP(int, access, (const char *path, int mode), fails(is_on_disk(path)), path, mode)
WRAP(int, mkdir, (const char *path, mode_t mode), fails_to_grow(is_on_disk(path)), path, mode)
WRAP(int, mkstemp, (char *path), fails_to_grow(is_on_disk(path)), path)
WRAP(int, mkstemp64, (char *path), fails_to_grow(is_on_disk(path)), path)
WRAP(int, unlink, (const char *path), fails(is_on_disk(path)), path)
WRAP(int, rename, (const char *from, const char *to), fails_to_grow(is_on_disk(from)), from, to)
WRAP(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
     fails(is_file(fd)), at, len, prot, flags, fd, offset)
WRAP(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off64_t offset),
     fails(is_file(fd)), at, len, prot, flags, fd, offset)

/* Nothing is really flushed to the disk: no test pulls the plug, and thousands of imports wait
 * less. */
int fsync(int fd)
{
    return fails_to_grow(is_file(fd)) ? -1 : 0;
}

int fdatasync(int fd)
{
    return fails_to_grow(is_file(fd)) ? -1 : 0;
}

/* Taking a lock may fail; giving one back may not, as no caller could do anything about it. */
static int lock_or_fail(int fd, int command, void *argument)
{
    const struct flock *lock = argument;
    bool is_lock = command == F_SETLK || command == F_SETLKW;

    if (is_lock && lock->l_type != F_UNLCK && fails(is_file(fd)))
        return -1;
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list args;
    void *argument;

    /* The kernel takes integers and pointers alike in one register, and so do we. */
    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    return lock_or_fail(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    void *argument;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    return lock_or_fail(fd, command, argument);
}
