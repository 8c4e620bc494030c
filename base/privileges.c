/* setuid, no_new_privs, seccomp and Landlock by their system calls, without a library. */
#include "base/privileges.h"

#include "base/mem.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Room for a user's entry; names and paths are shorter. */
enum { USER_BYTES = 16 * 1024 };

static enum err_code failed(const char *what, struct err *e)
{
    return err_set(e, ERR_IO, "%s: %s", what, strerror(errno));
}

enum err_code privileges_drop(const char *user, struct err *e)
{
    char bytes[USER_BYTES];
    struct passwd entry;
    struct passwd *found = NULL;
    int status = getpwnam_r(user, &entry, bytes, sizeof bytes, &found);

    if (!found)
        return err_set(e, ERR_INPUT, "there is no user %s%s%s", user, status ? ": " : "",
                       status ? strerror(status) : "");
    if (geteuid() == found->pw_uid && getuid() == found->pw_uid)
        return ERR_OK;
    if (geteuid() != 0)
        return err_set(e, ERR_INPUT, "only root can become %s", user);
    if (initgroups(user, found->pw_gid) != 0 ||
        setresgid(found->pw_gid, found->pw_gid, found->pw_gid) != 0 ||
        setresuid(found->pw_uid, found->pw_uid, found->pw_uid) != 0)
        return failed("cannot become another user", e);
    if (found->pw_uid != 0 && setuid(0) == 0)
        return err_set(e, ERR_IO, "%s could become root again", user);
    return ERR_OK;
}

/* Landlock's interface, as of version 6 (linux/landlock.h of Linux 6.12): Debian 12's header is
 * older than many kernels that it runs on. */
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct landlock_path {
    uint64_t files;
    int32_t fd;
} __attribute__((packed));

/* Rights on files by their bits: executing, writing, reading, listing, eleven more that change
 * folders or link, and those that came with versions 2, 3 and 5. */
static const uint64_t right_write = 1 << 1, right_read = 1 << 2, right_list = 1 << 3,
                      right_remove = 1 << 5, right_make = 1 << 8, right_truncate = 1 << 14;

/* Everything that a version knows is forbidden unless a path allows it. Of the network those are
 * binding and connecting TCP, of scopes abstract sockets and signals to others. */
static const struct {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
} landlock_versions[] = {
    {(1 << 13) - 1, 0, 0}, {(1 << 14) - 1, 0, 0}, {(1 << 15) - 1, 0, 0},
    {(1 << 15) - 1, 3, 0}, {(1 << 16) - 1, 3, 0}, {(1 << 16) - 1, 3, 3},
};

/* Numbers of the system calls, the same on every architecture since they came. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };

enum { LANDLOCK_PATH = 1, LANDLOCK_VERSION = 1 };

static enum err_code allow_path(int rules_fd, const struct privileges_path *path, uint64_t known,
                                struct err *e)
{
    struct landlock_path rule = {.files = right_read};
    struct stat about;
    enum err_code rc = ERR_OK;
    int fd = open(path->path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == EACCES ? ERR_OK : failed(path->path, e);
    rule.fd = fd;
    if (path->may_write)
        rule.files |= right_write | right_truncate;
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode))
        rule.files |= right_list | (path->may_write ? right_make | right_remove : 0);
    rule.files &= known;
    if (syscall(LANDLOCK_ADD, rules_fd, LANDLOCK_PATH, &rule, 0) != 0)
        rc = failed(path->path, e);
    (void)close(fd); /* Nothing was written. */
    return rc;
}

static enum err_code enter_landlock(const struct privileges_path *paths, size_t count, int *out_abi,
                                    struct err *e)
{
    long abi = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    size_t last = COUNT_OF(landlock_versions) - 1;
    struct landlock_rules rules;
    enum err_code rc = ERR_OK;
    long fd;

    if (abi < 1)
        return ERR_OK; /* Not built in, or switched off. */
    if ((size_t)abi - 1 < last)
        last = (size_t)abi - 1;
    rules = (struct landlock_rules){landlock_versions[last].files, landlock_versions[last].network,
                                    landlock_versions[last].scopes};
    fd = syscall(LANDLOCK_CREATE, &rules, sizeof rules, 0);
    if (fd < 0)
        return failed("landlock_create_ruleset", e);
    for (size_t i = 0; rc == ERR_OK && i < count; i++)
        rc = allow_path((int)fd, &paths[i], rules.files, e);
    if (rc == ERR_OK && syscall(LANDLOCK_RESTRICT, (int)fd, 0) != 0)
        rc = failed("landlock_restrict_self", e);
    (void)close((int)fd); /* Nothing was written. */
    *out_abi = rc == ERR_OK ? (int)abi : 0;
    return rc;
}

/* The architecture whose numbers the filter compares; 0: one that was not tried. */
#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#else
#define FILTER_ARCH 0
#endif

/* What a server that listens already never calls: starting programs, sockets of its own, and what
 * changes the system or looks into other processes. */
static const unsigned forbidden_calls[] = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_sethostname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_open_by_handle_at,
    SYS_quotactl,
    SYS_acct,
    SYS_memfd_create,
};

/* Calls of a second numbering that x86-64 kernels also take (x32) have this bit. */
enum { OTHER_NUMBERING = 0x40000000 };

/* Make each forbidden call fail with EPERM: a library that tries one goes on without. */
static enum err_code enter_filter(bool *out_has, struct err *e)
{
    enum { HEAD = 4, CALLS = COUNT_OF(forbidden_calls), LENGTH = HEAD + CALLS + 2 };

    struct sock_filter code[LENGTH] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 0, CALLS + 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_NUMBERING, CALLS + 1, 0),
    };
    const struct sock_fprog program = {.len = LENGTH, .filter = code};

    if (FILTER_ARCH == 0)
        return ERR_OK;
    for (unsigned i = 0; i < CALLS; i++)
        code[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden_calls[i],
                                                      (uint8_t)(CALLS - i), 0);
    code[LENGTH - 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[LENGTH - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        return errno == ENOSYS || errno == EINVAL ? ERR_OK : failed("seccomp", e);
    *out_has = true;
    return ERR_OK;
}

enum err_code privileges_enter_sandbox(const struct privileges_path *paths, size_t count,
                                       struct privileges_sandbox *out, struct err *e)
{
    struct privileges_sandbox sandbox = {0};
    enum err_code rc;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return failed("no_new_privs", e);
    rc = enter_landlock(paths, count, &sandbox.landlock_abi, e);
    if (rc == ERR_OK)
        rc = enter_filter(&sandbox.has_filter, e);
    if (rc == ERR_OK)
        *out = sandbox;
    return rc;
}
