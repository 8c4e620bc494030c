/* openrecipes version: what this binary is. */
#include "cli/commands.h"

#include "base/version.h"
#include "db/db.h"

#include <stdio.h>
#include <stdlib.h>

static int run(const struct cli_args *args)
{
    (void)args;
    printf("openrecipes %s (build %s, database schema %d)\n", version_text(), version_build(),
           db_schema_version());
    return EXIT_SUCCESS;
}

const struct cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version.",
    .run = run,
};
