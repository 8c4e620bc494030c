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
 * env:   environment variable that stands for it; NULL: none. A flag is set by any value of it but
 *        "" and "0"
 * value: what its value is called in the help; NULL: it is a flag
 * fallback: its value where it is neither given nor in the environment; NULL: none
 * help:  what it does */
struct cli_option {
    const char *name;
    const char *env;
    const char *value;
    const char *fallback;
    const char *help;
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

/* Parse a command's arguments; argv[0] is the command's name. Problems are told on standard error.
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

/* The value of an option as a number from min to max, or what to take where there is none.
 *
 * Errors: ERR_INPUT naming the option. */
MUST_USE enum err_code cli_number(const struct cli_args *args, const char *name, int64_t min,
                                  int64_t max, int64_t absent, int64_t *out, struct err *e);

/* Print a command's help. */
void cli_print_help(const struct cli_command *command);

/* Tell an error on standard error and give its exit status. */
int cli_fail(const struct cli_args *args, const struct err *e);

#endif
