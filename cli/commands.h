/* The commands, one per file in cli/. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

/* One row of the command table each, in the order of the help. */
extern const struct cli_command command_serve;
extern const struct cli_command command_import;
extern const struct cli_command command_check;
extern const struct cli_command command_verify;
extern const struct cli_command command_migrate;
extern const struct cli_command command_export;
extern const struct cli_command command_snapshot;
extern const struct cli_command command_schema;
extern const struct cli_command command_version;

/* Expands to the row of --db, the same in every command that has a database; a constant in tables.
 */
#define CLI_OPTION_DB                                                                              \
    {                                                                                              \
        "db", "OPENRECIPES_DB", "FILE", "var/openrecipes.db", .help = "the database"               \
    }

#endif
