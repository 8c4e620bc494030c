/* The sandbox, entered by a child: what it keeps, and what it loses. Where a kernel has no
 * Landlock, the child must say so, and keep what it would lose. */
#include "base/privileges.h"

#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child found out: error numbers, 0 for what worked. */
struct findings {
    struct privileges_sandbox sandbox;
    enum err_code entered;
    int read_inside;
    int make_inside;
    int make_in_read_only;
    int read_outside;
    int make_outside;
    int run_program;
    int open_socket;
    int read_again;
};

static int try_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int try_program(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};

    execv("/bin/true", argv);
    return errno;
}

static void look_around(const char *writable, const char *readable, const char *outside,
                        struct findings *out)
{
    const struct privileges_path paths[] = {
        {writable, true}, {readable, false}, {"/no/such/place", true}};
    char path[SCRATCH_BYTES];
    struct err e;
    int fd;

    out->entered = privileges_enter_sandbox(paths, 3, &out->sandbox, &e);
    scratch_path(path, readable, "file");
    out->read_inside = try_open(path, O_RDONLY);
    scratch_path(path, writable, "new");
    out->make_inside = try_open(path, O_RDWR | O_CREAT | O_TRUNC);
    scratch_path(path, readable, "new");
    out->make_in_read_only = try_open(path, O_RDWR | O_CREAT);
    out->read_outside = try_open("/etc/passwd", O_RDONLY);
    scratch_path(path, outside, "new");
    out->make_outside = try_open(path, O_RDWR | O_CREAT);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    out->open_socket = fd < 0 ? errno : 0;
    out->run_program = try_program();
    scratch_path(path, readable, "file");
    out->read_again = try_open(path, O_RDONLY);
}

static void write_file(const char *folder, const char *name)
{
    char path[SCRATCH_BYTES];

    scratch_path(path, folder, name);
    assert_int_equal(try_open(path, O_RDWR | O_CREAT), 0);
}

static void a_sandbox_keeps_its_paths_and_nothing_else(void **state)
{
    struct findings *found =
        mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char folders[3][SCRATCH_BYTES];
    bool has_landlock;
    int status;
    pid_t pid;

    (void)state;
    assert_ptr_not_equal(found, MAP_FAILED);
    for (int i = 0; i < 3; i++)
        scratch_make(folders[i]);
    write_file(folders[1], "file");
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        look_around(folders[0], folders[1], folders[2], found);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(found->entered, ERR_OK);
    assert_true(found->sandbox.has_filter);
    has_landlock = found->sandbox.landlock_abi > 0;
    assert_int_equal(found->read_inside, 0);
    assert_int_equal(found->make_inside, 0);
    assert_int_equal(found->make_in_read_only, has_landlock ? EACCES : 0);
    assert_int_equal(found->read_outside, has_landlock ? EACCES : 0);
    assert_int_equal(found->make_outside, has_landlock ? EACCES : 0);
    assert_int_equal(found->open_socket, EPERM);
    assert_int_equal(found->run_program, EPERM);
    assert_int_equal(found->read_again, 0);
    for (int i = 0; i < 3; i++)
        scratch_remove(folders[i]);
    munmap(found, sizeof *found);
}

static void a_user_that_is_not_there_is_named(void **state)
{
    struct err e;

    (void)state;
    assert_int_equal(privileges_drop("no-such-user", &e), ERR_INPUT);
    assert_string_equal(e.text, "there is no user no-such-user");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sandbox_keeps_its_paths_and_nothing_else),
        cmocka_unit_test(a_user_that_is_not_there_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
