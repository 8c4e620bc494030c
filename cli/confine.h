/* The sandbox of a serving process: what it can still reach once it serves. */
#ifndef CLI_CONFINE_H
#define CLI_CONFINE_H

#include "base/log.h"
#include "base/privileges.h"
#include "cli/options.h"

/* Enter the sandbox, unless the options say not to, and log what of it the kernel has. Of files the
 * database's folder stays reachable, the certificate's and the key's, and a few of the system.
 *
 * may_write: whether files may be made in the database's folder, as SQLite's -shm file
 * Errors:    ERR_IO, ERR_NOMEM. */
MUST_USE enum err_code cli_confine(const struct cli_args *args, bool may_write,
                                   const struct log *log, struct err *e);

#endif
