/* openrecipes migrate: the schema of the database. */
#include "cli/commands.h"

#include "cli/database.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    CLI_OPTION_DB,
};

static int run(const struct cli_args *args)
{
    struct db *db = NULL;
    struct err e = {0};
    int from = 0;
    int to = 0;
    enum err_code rc = cli_open_migrated(cli_value(args, "db"), &db, &from, &to, &e);

    db_close(db);
    if (rc != ERR_OK)
        return cli_fail(args, &e);
    if (from == to)
        printf("schema %d, nothing to do\n", to);
    else
        printf("schema %d -> %d\n", from, to);
    return EXIT_SUCCESS;
}

const struct cli_command command_migrate = {
    .name = "migrate",
    .operands = "",
    .summary = "Create the database, or bring its schema up to date.",
    .details = "import and serve do this by themselves. Each step is one transaction.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
