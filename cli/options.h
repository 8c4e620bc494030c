/* Command-line options by table: GNU-style long options, each also from an environment variable. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option.
 *
 * name:  long name without hyphens
 * env:      environment variable that stands for it; empty is as good as unset; NULL: none
 * value:    name of its value in the help, "a|b" for one of these words; NULL: a flag, which the
 *           variable sets by true, yes, on or 1 and leaves by false, no, off or 0
 * fallback: value when it is neither given nor in the environment; NULL: none
 * help:     what it does
 * least, most: where most is above 0, the value is a whole number in this range */
struct cli_option {
    const char *name;
    const char *env;
    const char *value;
    const char *fallback;
    const char *help;
    int64_t least;
    int64_t most;
};

/* Options of one command at most, and times that one of them may be given. */
#define CLI_OPTIONS 24
#define CLI_REPEATS 64

struct cli_command;

/* What was given: values per option, in the table's order, and the operands after them. */
struct cli_args {
    const struct cli_command *command;
    const char *values[CLI_OPTIONS][CLI_REPEATS];
    size_t counts[CLI_OPTIONS];
    const char *const *operands;
    size_t operand_count;
};

/* One command.
 *
 * operands: how they are shown in the help: "PATH..."; "" for none
 * least, most: how many operands it takes
 * run:      returns the exit status */
struct cli_command {
    const char *name;
    const char *operands;
    size_t least;
    size_t most;
    const char *summary;
    const char *details;
    const struct cli_option *options;
    size_t option_count;
    int (*run)(const struct cli_args *args);
};

/* Parse a command's arguments; argv[0] is the command's name. Values are checked by the table,
 * those of the environment too. Problems are told on standard error.
 *
 * returns true, or false with *out_status the exit status (0 after --help) */
bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *out,
               int *out_status);

/* The value of an option, its last one if it was given more than once; NULL if there is none. */
const char *cli_value(const struct cli_args *args, const char *name);

/* All values of an option, *out_count of them. */
const char *const *cli_values(const struct cli_args *args, const char *name, size_t *out_count);

/* Tell whether a flag is set. */
bool cli_flag(const struct cli_args *args, const char *name);

/* The value of an option that the table has a range of; 0 where there is none. */
int64_t cli_number(const struct cli_args *args, const char *name);

/* Print a command's help. */
void cli_print_help(const struct cli_command *command);

/* Tell an error on standard error and give its exit status. */
int cli_fail(const struct cli_args *args, const struct err *e);

/* Tell that an option or operand is of no use, and give the exit status of that. */
int cli_misuse(const struct cli_args *args, const struct err *e);

#endif
