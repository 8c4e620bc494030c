/* Children by fork and exec, waited for by pidfd so that no wait needs a signal or a sleep. */
#include "tests/support/process.h"

#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *process_binary(void)
{
    const char *path = getenv("OPENRECIPES_BIN");

    if (!path)
        fail_msg("OPENRECIPES_BIN must name the binary under test");
    return path;
}

static int memory_file(const char *bytes, size_t len)
{
    int fd = memfd_create("openrecipes-test", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static char *read_memory_file(int fd)
{
    off_t len = lseek(fd, 0, SEEK_END);
    char *bytes;

    assert_true(len >= 0);
    bytes = calloc((size_t)len + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(pread(fd, bytes, (size_t)len, 0), len);
    return bytes;
}

/* In the child. What fails ends it with 127, as a shell would. */
static void become(const struct process_command *command, pid_t parent, const int fds[3])
{
    char *const *argv;

    /* exec changes no argument, but its prototype is older than const. */
    memcpy(&argv, &command->argv, sizeof argv);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(127);
    for (int fd = 0; fd < 3; fd++)
        if (dup2(fds[fd], fd) < 0)
            _exit(127);
    for (const struct process_variable *v = command->variables; v && v->name; v++)
        if (setenv(v->name, v->value, 1) != 0)
            _exit(127);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

void process_start(struct process *p, const struct process_command *command)
{
    pid_t parent = getpid();
    int in_fd = memory_file(command->input, command->input ? command->input_len : 0);
    int pipe_fds[2];
    int write_fd;

    p->err_fd = memory_file(NULL, 0);
    if (command->is_piped) {
        assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
        p->out_fd = pipe_fds[0];
        write_fd = pipe_fds[1];
    } else {
        p->out_fd = write_fd = memory_file(NULL, 0);
    }
    (void)fflush(NULL); /* Else the child could write what is buffered a second time. */
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0)
        become(command, parent, (int[]){in_fd, write_fd, p->err_fd});
    p->pid_fd = pidfd_open(p->pid, 0);
    assert_true(p->pid_fd >= 0);
    assert_int_equal(close(in_fd), 0);
    if (command->is_piped)
        assert_int_equal(close(write_fd), 0);
}

static bool wait_readable(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int ready;

    do
        ready = poll(&wanted, 1, PROCESS_SECONDS * 1000);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

bool process_line(struct process *p, char *out, size_t size)
{
    size_t len = 0;

    for (;;) {
        char c;
        ssize_t got;

        if (!wait_readable(p->out_fd))
            fail_msg("no line on standard output after %d s", PROCESS_SECONDS);
        got = read(p->out_fd, &c, 1);
        assert_true(got >= 0);
        if (got == 0)
            return false;
        if (c == '\n')
            break;
        assert_true(len + 1 < size);
        out[len++] = c;
    }
    out[len] = '\0';
    return true;
}

void process_signal(const struct process *p, int signal)
{
    assert_int_equal(kill(p->pid, signal), 0);
}

bool process_is_running(const struct process *p)
{
    struct pollfd wanted = {.fd = p->pid_fd, .events = POLLIN};

    return poll(&wanted, 1, 0) == 0;
}

static void forget(int fd)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
}

void process_forget_output(const struct process *p)
{
    forget(p->out_fd);
    forget(p->err_fd);
}

void process_result_make(const struct process *p, int status, struct process_result *out_result)
{
    off_t out_end = lseek(p->out_fd, 0, SEEK_CUR); /* Fails for a pipe. */

    out_result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    out_result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out_result->out = out_end < 0 ? calloc(1, 1) : read_memory_file(p->out_fd);
    out_result->err = read_memory_file(p->err_fd);
    assert_non_null(out_result->out);
}

void process_wait(struct process *p, struct process_result *out_result)
{
    bool is_late = !wait_readable(p->pid_fd);
    int status;

    if (is_late)
        process_signal(p, SIGKILL);
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    process_result_make(p, status, out_result);
    assert_int_equal(close(p->out_fd), 0);
    assert_int_equal(close(p->err_fd), 0);
    assert_int_equal(close(p->pid_fd), 0);
    *p = (struct process){.pid_fd = -1, .out_fd = -1, .err_fd = -1};
    if (is_late)
        fail_msg("not done after %d s; standard error: %s", PROCESS_SECONDS, out_result->err);
}

void process_run(const struct process_command *command, struct process_result *out_result)
{
    struct process p;

    assert_false(command->is_piped);
    process_start(&p, command);
    process_wait(&p, out_result);
}

void process_check_sanitizers(const struct process_result *r)
{
    static const char *const marks[] = {"Sanitizer", "runtime error:"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(r->err, marks[i]))
            fail_msg("%s", r->err);
}

void process_result_done(struct process_result *r)
{
    free(r->out);
    free(r->err);
    *r = (struct process_result){0};
}
