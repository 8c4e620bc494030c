/* Options by table, over getopt_long. */
#include "cli/options.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* Tell whether a word is one of "a|b|c". */
static bool is_choice(const char *choices, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = choices; *at; at += strspn(at, "|")) {
        size_t part = strcspn(at, "|");

        if (part == len && strncmp(at, word, len) == 0)
            return true;
        at += part;
    }
    return false;
}

/* Check a value by its row.
 *
 * label: what the user knows it by: "--jobs", "OPENRECIPES_JOBS" */
static enum err_code check_value(const struct cli_option *option, const char *label,
                                 const char *value, struct err *e)
{
    int64_t number;

    if (!*value)
        return err_set(e, ERR_INPUT, "%s: the value is empty", label);
    if (option->most > 0 &&
        num_parse_int(value, strlen(value), option->least, option->most, &number, e) != ERR_OK)
        return err_wrap(e, "%s", label);
    if (strchr(option->value, '|') && !is_choice(option->value, value))
        return err_set(e, ERR_INPUT, "%s: %s is not one of %s", label, value, option->value);
    return ERR_OK;
}

/* Take what getopt_long found; a flag has no value there. */
static enum err_code add_value(struct cli_args *out, size_t index, const char *value, struct err *e)
{
    const struct cli_option *option = &out->command->options[index];
    char label[64];

    (void)snprintf(label, sizeof label, "--%s", option->name); /* Fits: names are ours and short. */
    if (out->counts[index] == CLI_REPEATS)
        return err_set(e, ERR_INPUT, "%s is given too often", label);
    out->values[index][out->counts[index]++] = value ? value : "1";
    return value ? check_value(option, label, value, e) : ERR_OK;
}

/* Read a variable that stands for a flag.
 *
 * out_value: NULL: the flag is not set */
static enum err_code read_flag(const char *name, const char *value, const char **out_value,
                               struct err *e)
{
    static const struct {
        const char *word;
        bool is_set;
    } words[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},
                 {"false", false}, {"no", false}, {"off", false}, {"0", false}};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(words[i].word, value) == 0) {
            *out_value = words[i].is_set ? "1" : NULL;
            return ERR_OK;
        }
    return err_set(e, ERR_INPUT, "%s: %s is not one of true, yes, on, 1, false, no, off, 0", name,
                   value);
}

/* Read the variable of an option that was not given. */
static enum err_code read_variable(const struct cli_option *option, const char **out_value,
                                   struct err *e)
{
    const char *value = option->env ? getenv(option->env) : NULL;

    if (!value || !*value)
        return ERR_OK;
    if (!option->value)
        return read_flag(option->env, value, out_value, e);
    *out_value = value;
    return check_value(option, option->env, value, e);
}

/* Options that were not given are looked for in the environment, then in the table. */
static enum err_code fill_absent(struct cli_args *out, struct err *e)
{
    const struct cli_command *command = out->command;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < command->option_count; i++) {
        const char *value = command->options[i].fallback;

        if (out->counts[i] > 0)
            continue;
        rc = read_variable(&command->options[i], &value, e);
        if (rc == ERR_OK && value)
            out->values[i][out->counts[i]++] = value;
    }
    return rc;
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
    enum err_code rc = ERR_OK;
    struct err e = {0};
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
        if (rc == ERR_OK)
            rc = add_value(out, (size_t)(got - FIRST), optarg, &e);
    }
    if (rc == ERR_OK)
        rc = fill_absent(out, &e);
    if (rc != ERR_OK) {
        *out_status = cli_misuse(out, &e);
        return false;
    }
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

int64_t cli_number(const struct cli_args *args, const char *name)
{
    const struct cli_option *option = &args->command->options[index_of(args, name)];
    const char *value = cli_value(args, name);
    int64_t number = 0;
    struct err e;

    /* It was read once before, so it can be read again; a fallback is ours. */
    if (value && num_parse_int(value, strlen(value), option->least, option->most, &number, &e))
        number = 0;
    return number;
}

/* Write how an option is given: "--jobs N". */
static size_t write_left(const struct cli_option *option, char *out, size_t size)
{
    int len = snprintf(out, size, "--%s%s%s", option->name, option->value ? " " : "",
                       option->value ? option->value : "");

    return len > 0 ? (size_t)len : 0;
}

void cli_print_help(const struct cli_command *command)
{
    int width = sizeof "--help" - 1;
    char left[80];

    printf("Usage: openrecipes %s [OPTION...]%s%s\n\n%s\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    printf("\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        size_t len = write_left(&command->options[i], left, sizeof left);

        width = (int)len > width ? (int)len : width;
    }
    for (size_t i = 0; i < command->option_count; i++) {
        const struct cli_option *option = &command->options[i];

        (void)write_left(option, left, sizeof left); /* Fits: names and values are ours. */
        printf("  %-*s  %s", width, left, option->help);
        if (option->fallback)
            printf(" (default %s)", option->fallback);
        if (option->env)
            printf(" [$%s]", option->env);
        printf("\n");
    }
    printf("  %-*s  %s\n", width, "--help", "print this help");
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

int cli_misuse(const struct cli_args *args, const struct err *e)
{
    int status = EX_USAGE;

    (void)fprintf(stderr, "openrecipes %s: %s\n", args->command->name, e->text);
    (void)usage_error(args->command, &status);
    return status;
}
