/* openrecipes snapshot: a consistent copy of the database while it is in use. */
#include "cli/commands.h"

#include "db/db.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    CLI_OPTION_DB,
};

static int run(const struct cli_args *args)
{
    const char *target = args->operands[0];
    struct db *db = NULL;
    struct err e = {0};
    enum err_code rc = db_open_read(cli_value(args, "db"), &db, &e);

    if (rc == ERR_OK)
        rc = db_snapshot(db, target, &e);
    db_close(db);
    if (rc != ERR_OK)
        return cli_fail(args, &e);
    printf("%s\n", target);
    return EXIT_SUCCESS;
}

const struct cli_command command_snapshot = {
    .name = "snapshot",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "Write a consistent copy of the database to a new file.",
    .details = "The database may be in use. The copy is one file that can be served from\n"
               "read-only media; an existing file is never overwritten.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
