/* openrecipes schema: the JSON Schema of a recipe file. */
#include "cli/commands.h"

#include "core/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The schema is some 30 kB. */
enum { OUTPUT_LIMIT = 1024 * 1024 };

static const struct cli_option options[] = {
    {"format", NULL, "yaml|json", "yaml", .help = "how to write it"},
};

static int run(const struct cli_args *args)
{
    const char *format = cli_value(args, "format");
    struct err e = {0};
    enum err_code rc;
    struct buf out;

    buf_init(&out, OUTPUT_LIMIT);
    if (strcmp(format, "yaml") == 0)
        schema_write_yaml(&out);
    else
        schema_write_json(&out);
    rc = buf_check(&out, &e);
    if (rc == ERR_OK)
        (void)fputs(buf_text(&out), stdout); /* main looks at standard output's state. */
    buf_done(&out);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_schema = {
    .name = "schema",
    .operands = "",
    .summary = "Print the JSON Schema of a recipe file.",
    .details = "It is generated from the field table; schema/recipe.schema.yaml is this output.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
