/* Options by table, over getopt_long. */
#include "cli/options.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* Value that getopt_long returns for the first option of a table; above every character. */
enum { FIRST = 256, HELP = FIRST + CLI_OPTIONS };

static void fill_getopt(const struct cli_command *command, struct option *out)
{
    size_t i;

    assert(command->option_count <= CLI_OPTIONS);
    for (i = 0; i < command->option_count; i++)
        out[i] =
            (struct option){.name = command->options[i].name,
                            .has_arg = command->options[i].value ? required_argument : no_argument,
                            .val = FIRST + (int)i};
    out[i++] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP};
    out[i] = (struct option){0};
}

static bool add_value(struct cli_args *out, size_t index, const char *value)
{
    if (out->counts[index] == CLI_REPEATS)
        return false;
    out->values[index][out->counts[index]++] = value;
    return true;
}

/* Options that were not given are looked for in the environment, then in the table. */
static void fill_absent(struct cli_args *out)
{
    const struct cli_command *command = out->command;

    for (size_t i = 0; i < command->option_count; i++) {
        const struct cli_option *option = &command->options[i];
        const char *value = option->env ? getenv(option->env) : NULL;

        if (value && (!*value || (!option->value && strcmp(value, "0") == 0)))
            value = NULL;
        if (!value)
            value = option->fallback;
        if (out->counts[i] == 0 && value)
            out->values[i][out->counts[i]++] = value;
    }
}

static bool usage_error(const struct cli_command *command, int *out_status)
{
    (void)fprintf(stderr, "See `openrecipes %s --help`.\n", command->name);
    *out_status = EX_USAGE;
    return false;
}

static bool check_operands(const struct cli_command *command, const struct cli_args *args,
                           int *out_status)
{
    if (args->operand_count < command->least)
        (void)fprintf(stderr, "openrecipes %s: %s is missing\n", command->name, command->operands);
    else if (args->operand_count > command->most)
        (void)fprintf(stderr, "openrecipes %s: %s: not expected here\n", command->name,
                      args->operands[command->most]);
    else
        return true;
    return usage_error(command, out_status);
}

bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *out,
               int *out_status)
{
    struct option options[CLI_OPTIONS + 2];
    char name[64];
    int got;

    *out = (struct cli_args){.command = command};
    fill_getopt(command, options);
    /* getopt_long starts its messages with this; command names are ours and short. */
    (void)snprintf(name, sizeof name, "openrecipes %s", command->name);
    argv[0] = name;
    optind = 0;
    while ((got = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (got == 'h' || got == HELP) {
            cli_print_help(command);
            *out_status = EXIT_SUCCESS;
            return false;
        }
        if (got < FIRST)
            return usage_error(command, out_status);
        if (!add_value(out, (size_t)(got - FIRST), optarg ? optarg : "1")) {
            (void)fprintf(stderr, "%s: --%s is given too often\n", name,
                          command->options[got - FIRST].name);
            return usage_error(command, out_status);
        }
    }
    fill_absent(out);
    out->operands = (const char *const *)(argv + optind);
    out->operand_count = (size_t)(argc - optind);
    return check_operands(command, out, out_status);
}

static size_t index_of(const struct cli_args *args, const char *name)
{
    size_t i = 0;

    while (i < args->command->option_count && strcmp(args->command->options[i].name, name) != 0)
        i++;
    assert(i < args->command->option_count);
    return i;
}

const char *cli_value(const struct cli_args *args, const char *name)
{
    size_t index = index_of(args, name);
    size_t count = args->counts[index];

    return count > 0 ? args->values[index][count - 1] : NULL;
}

const char *const *cli_values(const struct cli_args *args, const char *name, size_t *out_count)
{
    size_t index = index_of(args, name);

    *out_count = args->counts[index];
    return args->values[index];
}

bool cli_flag(const struct cli_args *args, const char *name)
{
    return cli_value(args, name) != NULL;
}

enum err_code cli_number(const struct cli_args *args, const char *name, int64_t min, int64_t max,
                         int64_t absent, int64_t *out, struct err *e)
{
    const char *value = cli_value(args, name);

    if (!value) {
        *out = absent;
        return ERR_OK;
    }
    if (num_parse_int(value, strlen(value), min, max, out, e) != ERR_OK)
        return err_wrap(e, "--%s", name);
    return ERR_OK;
}

void cli_print_help(const struct cli_command *command)
{
    printf("Usage: openrecipes %s [OPTION...]%s%s\n\n%s\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    printf("\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct cli_option *option = &command->options[i];
        char left[80];

        /* Cut at most in the help's layout; names and values are ours and short. */
        (void)snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
                       option->value ? option->value : "");
        printf("  %-26s %s", left, option->help);
        if (option->fallback)
            printf(" (default %s)", option->fallback);
        if (option->env)
            printf(" [$%s]", option->env);
        printf("\n");
    }
    printf("  %-26s %s\n", "--help", "print this help");
}

int cli_fail(const struct cli_args *args, const struct err *e)
{
    if (e->file)
        (void)fprintf(stderr, "openrecipes %s: %s (%s:%d; please report this)\n",
                      args->command->name, e->text, e->file, e->line);
    else
        (void)fprintf(stderr, "openrecipes %s: %s\n", args->command->name, e->text);
    return err_kind(e->code)->exit_code;
}
