/* A file that the test and the shim map. */
#include "tests/support/faults.h"

#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

const struct fault_mode fault_modes[FAULT_WAYS] = {
    [FAULT_ONE_ALLOCATION] = {"one allocation fails", FAULT_MALLOC, ENOMEM, false},
    [FAULT_NO_MEMORY] = {"no more memory", FAULT_MALLOC, ENOMEM, true},
    [FAULT_ONE_OPERATION] = {"one operation fails", FAULT_IO, EIO, false},
    [FAULT_NO_DISK] = {"the disk fails", FAULT_IO, EIO, true},
    [FAULT_FULL_DISK] = {"the disk is full", FAULT_SPACE, ENOSPC, true},
};

/* The shim stands beside the test program. */
static void find_shim(char out[SCRATCH_BYTES])
{
    char self[SCRATCH_BYTES];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(len > 0);
    self[len] = '\0';
    scratch_path(out, dirname(self), "shim.so");
    if (access(out, R_OK) != 0)
        fail_msg("%s: %s", out, strerror(errno));
}

void faults_init(struct faults *f, const char *folder)
{
    static const struct fault_control nothing;
    int fd;

    find_shim(f->shim);
    scratch_path(f->file, folder, "faults");
    scratch_write(f->file, (const char *)&nothing, sizeof nothing);
    fd = open(f->file, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    f->control = mmap(NULL, sizeof *f->control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(f->control, MAP_FAILED);
    assert_int_equal(close(fd), 0);
    f->variables[0] = (struct process_variable){"LD_PRELOAD", f->shim};
    f->variables[1] = (struct process_variable){FAULT_VARIABLE, f->file};
    f->variables[2] = (struct process_variable){0};
}

void faults_done(struct faults *f)
{
    assert_int_equal(munmap(f->control, sizeof *f->control), 0);
    assert_int_equal(unlink(f->file), 0);
}

void faults_runs_start(struct faults *f, const char *const *argv, struct process *out_process)
{
    struct fault_runs *runs = &f->control->runs;
    struct process_command command = {.argv = argv, .variables = f->variables};

    assert_int_equal(sem_init(&runs->go, 1, 0), 0);
    assert_int_equal(sem_init(&runs->done, 1, 0), 0);
    runs->is_over = false;
    runs->is_used = true;
    process_start(out_process, &command);
}

void faults_runs_end(struct faults *f, struct process *p)
{
    struct fault_runs *runs = &f->control->runs;
    struct process_result result;

    runs->is_over = true;
    assert_int_equal(sem_post(&runs->go), 0);
    process_wait(p, &result);
    assert_int_equal(result.exit_code, 0);
    process_result_done(&result);
    runs->is_used = false;
}

static void wait_until_done(struct fault_runs *runs)
{
    struct timespec deadline;
    int result;

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &deadline), 0);
    deadline.tv_sec += PROCESS_SECONDS;
    do
        result = sem_timedwait(&runs->done, &deadline);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        fail_msg("a run is not done after %d s", PROCESS_SECONDS);
}

void faults_run(struct faults *f, const struct process *p, struct process_result *out_result)
{
    struct fault_runs *runs = &f->control->runs;

    process_forget_output(p);
    assert_int_equal(sem_post(&runs->go), 0);
    wait_until_done(runs);
    process_result_make(p, runs->status, out_result);
}

void faults_arm(struct faults *f, const struct fault_mode *mode, long n)
{
    struct fault *fault = &f->control->kinds[mode->kind];

    (void)faults_disarm(f);
    atomic_store(&fault->injected, 0);
    atomic_store(&fault->error, mode->error);
    atomic_store(&fault->is_sticky, mode->is_sticky);
    atomic_store(&fault->left, n);
    atomic_store(&fault->is_armed, true);
}

long faults_disarm(struct faults *f)
{
    long injected = 0;

    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        struct fault *fault = &f->control->kinds[kind];

        if (atomic_exchange(&fault->is_armed, false))
            injected += atomic_load(&fault->injected);
    }
    return injected;
}

long faults_count(const struct faults *f, enum fault_kind kind)
{
    return atomic_load(&f->control->kinds[kind].count);
}

long faults_next(long n)
{
    return n < 2000 ? n + 1 : n + 100;
}
