/* openrecipes verify: confirm active parameters against the hub. */
#include "cli/commands.h"

#include "api/ranking_pages.h"
#include "cli/database.h"
#include "cli/progress.h"
#include "cli/verify_print.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* What is printed at once at most. */
enum { OUTPUT_LIMIT = 256 * 1024 * 1024 };

/* Hours after which an outcome without a count is asked for again, unless the user says: less than
 * a day, so that a daily run that begins a little early asks. */
#define MAX_AGE "12"

/* Exit status where a stated count is contradicted. */
enum { EXIT_CONTRADICTED = 1 };

static const struct cli_option options[] = {
    CLI_OPTION_DB,
    {"all", NULL, NULL, NULL, .help = "verify all recipes, as without names"},
    {"jobs", "OPENRECIPES_JOBS", "N", "8", .help = "transfers at once, 32 at most", .least = 1,
     .most = 32},
    {"max-age", "OPENRECIPES_MAX_AGE", "HOURS", MAX_AGE,
     .help = "ask again for what could not be counted so long ago", .least = 0, .most = 1000000},
    {"refresh", NULL, NULL, NULL, .help = "ask for everything again, what is counted too"},
    {"format", NULL, "text|json", "text", .help = "how to report"},
};

/* Waits for SIGINT and SIGTERM in a thread of its own, so that no handler runs in the middle of
 * something. */
struct watch {
    pthread_t thread;
    bool is_running;
    sigset_t signals;
    atomic_bool is_stopped;
};

static void *wait_for_signal(void *context)
{
    struct watch *watch = context;
    int got = 0;

    while (sigwait(&watch->signals, &got) != 0)
        continue;
    atomic_store(&watch->is_stopped, true);
    return NULL;
}

static enum err_code watch_start(struct watch *watch, struct err *e)
{
    *watch = (struct watch){.is_running = false};
    (void)sigemptyset(&watch->signals); /* Fails only for a bad pointer. */
    (void)sigaddset(&watch->signals, SIGINT);
    (void)sigaddset(&watch->signals, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &watch->signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    watch->is_running = pthread_create(&watch->thread, NULL, wait_for_signal, watch) == 0;
    return watch->is_running ? ERR_OK : err_set(e, ERR_NOMEM, "no thread could be started");
}

static void watch_end(struct watch *watch)
{
    if (!watch->is_running)
        return;
    (void)pthread_cancel(watch->thread); /* Fails only for a thread that was joined. */
    (void)pthread_join(watch->thread, NULL);
}

/* What is shown while it goes on. */
struct show {
    struct progress progress;
    bool has_lines;
};

static void on_checkpoint(void *ctx, const struct verify_checkpoint *checkpoint)
{
    struct show *show = ctx;
    struct buf out;

    if (!show->has_lines)
        return;
    progress_done(&show->progress);
    buf_init(&out, OUTPUT_LIMIT);
    verify_print_lines(checkpoint, &out);
    (void)fputs(buf_text(&out), stdout); /* main looks at standard output's state. */
    (void)fflush(stdout);
    buf_done(&out);
}

static void on_progress(void *ctx, size_t done, size_t total)
{
    struct show *show = ctx;

    progress_show(&show->progress, done, total);
}

static enum err_code read_options(const struct cli_args *args, struct hub_config *hub,
                                  struct verify_options *out, struct err *e)
{
    enum err_code rc = hub_config_read(hub, e);

    if (rc != ERR_OK)
        return rc;
    hub->jobs = (unsigned)cli_number(args, "jobs");
    *out = (struct verify_options){.hub = hub,
                                   .names = args->operands,
                                   .name_count = args->operand_count,
                                   .max_age_s = cli_number(args, "max-age") * 3600,
                                   .refresh = cli_flag(args, "refresh"),
                                   .finish = ranking_pages_write};
    return ERR_OK;
}

static enum err_code print(const struct verify_run *run, bool is_json, const struct err *failure,
                           struct err *e)
{
    enum err_code rc = ERR_OK;
    struct buf out;

    buf_init(&out, OUTPUT_LIMIT);
    if (is_json)
        verify_print_json(run, failure, &out);
    else
        rc = verify_print_table(run, &out, e);
    if (rc == ERR_OK)
        rc = buf_check(&out, e);
    if (rc == ERR_OK)
        (void)fputs(buf_text(&out), stdout); /* main looks at standard output's state. */
    buf_done(&out);
    return rc;
}

static enum err_code verify(const struct cli_args *args, struct watch *watch,
                            struct verify_run *out, struct err *e)
{
    struct show show = {.has_lines = strcmp(cli_value(args, "format"), "text") == 0};
    const struct verify_hooks hooks = {on_checkpoint, on_progress, &show};
    struct hub_config hub = {.jobs = 0};
    struct verify_options what = {0};
    struct db *db = NULL;
    enum err_code rc = read_options(args, &hub, &what, e);

    hub.is_stopped = &watch->is_stopped;
    what.hooks = &hooks;
    progress_init(&show.progress, "files");
    if (rc == ERR_OK)
        rc = cli_open_existing(cli_value(args, "db"), &db, e);
    if (rc == ERR_OK)
        rc = verify_run(db, &what, out, e);
    progress_done(&show.progress);
    db_close(db);
    return rc;
}

static int exit_status(const struct verify_run *run)
{
    const struct verify_tally tally = verify_tally(run);

    if (tally.outcomes[HUB_CONTRADICTED] > 0)
        return EXIT_CONTRADICTED;
    return tally.unreachable_now > 0 ? EX_UNAVAILABLE : EXIT_SUCCESS;
}

static int run(const struct cli_args *args)
{
    bool is_json = strcmp(cli_value(args, "format"), "json") == 0;
    struct verify_run done = {0};
    struct watch watch;
    struct err e = {0};
    struct err print_e = {0};
    enum err_code rc;
    int status;

    if (cli_flag(args, "all") && args->operand_count > 0) {
        (void)err_set(&e, ERR_INPUT, "--all: %s is named too", args->operands[0]);
        return cli_misuse(args, &e);
    }
    rc = watch_start(&watch, &e);
    if (rc == ERR_OK)
        rc = verify(args, &watch, &done, &e);
    watch_end(&watch);
    if ((rc == ERR_OK || rc == ERR_BUSY || is_json) &&
        print(&done, is_json, rc == ERR_OK ? NULL : &e, &print_e) != ERR_OK && rc == ERR_OK) {
        rc = print_e.code;
        e = print_e;
    }
    status = rc == ERR_OK ? exit_status(&done) : cli_fail(args, &e);
    verify_run_done(&done);
    return status;
}

const struct cli_command command_verify = {
    .name = "verify",
    .operands = "[MODEL/GPU/RECIPE...]",
    .most = 10000,
    .summary = "Confirm active parameters against the headers of the hub's checkpoints.",
    .details =
        "Recomputes each recipe's active parameters from its checkpoint at the pinned revision:\n"
        "metadata, config.json and the safetensors headers; no weights are downloaded. All\n"
        "recipes where none is named; MODEL and MODEL/GPU name several. What was counted is kept\n"
        "for good, so that a second run asks only for what is missing. SIGINT and SIGTERM end\n"
        "it, and what was found is kept.\n\n"
        "HF_ENDPOINT, HF_TOKEN (or its file: HF_TOKEN_PATH, HF_HOME) and HF_HUB_OFFLINE are read\n"
        "as the hub's own clients read them.\n\n"
        "Exit status: 0 all are confirmed, or nothing can be said of the others; 1 a stated count\n"
        "is contradicted; 64 usage; 65 a variable of the hub is of no use; 66 no such recipe or\n"
        "database; 69 the hub could not be reached; 71 out of memory; 74 the disk failed;\n"
        "75 stopped, or the database is in use.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
