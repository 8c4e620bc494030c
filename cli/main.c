/* Picks the command. */
#include "cli/commands.h"
#include "db/db.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const struct cli_command *const commands[] = {
    &command_serve,  &command_import,   &command_check,  &command_verify, &command_migrate,
    &command_export, &command_snapshot, &command_schema, &command_version};

static void print_usage(FILE *out)
{
    (void)fprintf(out, "Usage: openrecipes COMMAND [OPTION...]\n\n"
                       "An HTTP service over a collection of LLM training recipes.\n\nCommands:\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        (void)fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    (void)fprintf(out, "  %-10s %s\n\n", "help", "Print this, or the help of a command.");
    (void)fprintf(out, "`openrecipes COMMAND --help` has each command's options.\n");
}

static const struct cli_command *find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[COUNT_OF(commands)];
    const char *nearest;

    for (size_t i = 0; i < COUNT_OF(commands); i++)
        names[i] = commands[i]->name;
    nearest = text_nearest(name, names, COUNT_OF(names));
    (void)fprintf(stderr, "openrecipes: there is no command %s", name);
    if (nearest)
        (void)fprintf(stderr, "; did you mean %s?", nearest);
    (void)fprintf(stderr, "\nSee `openrecipes help`.\n");
    return EX_USAGE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(const char *name)
{
    const struct cli_command *command = name ? find(name) : NULL;

    if (name && !command && !is_help(name))
        return unknown(name);
    if (command)
        cli_print_help(command);
    else
        print_usage(stdout);
    return EXIT_SUCCESS;
}

/* Output that could not be written is a failure, however well the rest went. */
static int finish(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_SUCCESS) {
        perror("openrecipes: standard output");
        return EX_IOERR;
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct cli_command *command;
    struct cli_args args;
    int status;

    if (argc < 2) {
        print_usage(stderr);
        return EX_USAGE;
    }
    if (is_help(argv[1]))
        return finish(help(argc > 2 ? argv[2] : NULL));
    command = strcmp(argv[1], "--version") == 0 ? &command_version : find(argv[1]);
    if (!command)
        return unknown(argv[1]);
    if (!cli_parse(command, argc - 1, argv + 1, &args, &status))
        return finish(status);
    db_start();
    return finish(command->run(&args));
}
