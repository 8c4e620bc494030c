/* What this process may do: the user that it is, and the sandbox that it enters. */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Become a user for good, with its groups and no others.
 *
 * Errors: ERR_INPUT if there is no such user, or this process is neither root nor that user;
 *         ERR_IO. */
MUST_USE enum err_code privileges_drop(const char *user, struct err *e);

/* A file, or a folder with all below it, that stays reachable in the sandbox.
 *
 * may_write: else it may only be read */
struct privileges_path {
    const char *path;
    bool may_write;
};

/* What of the sandbox the kernel has.
 *
 * has_filter:   system calls that a server has no use for fail (seccomp)
 * landlock_abi: version of Landlock, which keeps the process to its paths and from connecting
 *               anywhere; 0: the kernel has none */
struct privileges_sandbox {
    bool has_filter;
    int landlock_abi;
};

/* Give up, for this thread and those it will start, what serving does not need: privileges by
 * exec, files outside of paths, system calls that start programs, open sockets or change the
 * system. What the kernel lacks is left out, and told. Sockets that are open stay.
 *
 * Errors: ERR_IO if something that the kernel has fails; paths that are not there are passed over.
 */
MUST_USE enum err_code privileges_enter_sandbox(const struct privileges_path *paths, size_t count,
                                                struct privileges_sandbox *out, struct err *e);

#endif
