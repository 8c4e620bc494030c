/* openrecipes serve: migrate, import if asked to, then answer until a signal comes. */
#include "cli/commands.h"

#include "api/api.h"
#include "cli/database.h"
#include "importers/import.h"
#include "server/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Problems of the files imported first, as text at most. */
enum { OUTPUT_LIMIT = 256 * 1024 * 1024 };

static const struct cli_option options[] = {
    CLI_OPTION_DB,
    {"listen", "OPENRECIPES_LISTEN", "ADDR:PORT", "127.0.0.1:8080",
     "where to listen; :8080 is every address, port 0 takes a free one"},
    {"import", "OPENRECIPES_IMPORT", "PATH", NULL,
     "import this file or folder first; may be given more than once"},
    {"threads", "OPENRECIPES_THREADS", "N", NULL, "threads that answer; default: one a processor"},
    {"connections", "OPENRECIPES_CONNECTIONS", "N", "1000", "connections at once"},
    {"connections-per-address", "OPENRECIPES_CONNECTIONS_PER_ADDRESS", "N", "200",
     "connections at once from one address"},
    {"idle-seconds", "OPENRECIPES_IDLE_SECONDS", "N", "30", "end a connection silent for so long"},
    {"request-seconds", "OPENRECIPES_REQUEST_SECONDS", "N", "60",
     "end a request that takes so long to arrive, however it drips"},
    {"trusted-proxy", "OPENRECIPES_TRUSTED_PROXY", "ADDR[/BITS]", NULL,
     "believe X-Forwarded-For from here"},
    {"no-access-log", "OPENRECIPES_NO_ACCESS_LOG", NULL, NULL, "no line for each request"},
    {"greet", NULL, NULL, NULL, "print commands to try"},
};

static enum err_code import_first(const char *db_path, const char *const *paths, size_t count,
                                  struct err *e)
{
    const struct import_options what = {.paths = paths, .path_count = count};
    struct import_result result = {0};
    struct db *db = NULL;
    struct buf problems;
    enum err_code rc = cli_open_migrated(db_path, &db, NULL, NULL, e);

    buf_init(&problems, OUTPUT_LIMIT);
    if (rc == ERR_OK && count > 0)
        rc = import_run(db, &what, &result, e);
    for (size_t i = 0; i < result.problem_count; i++)
        report_write_text(&result.problems[i].report, result.problems[i].path, &problems);
    (void)fputs(buf_text(&problems), stderr); /* What is lost here, rc tells of. */
    buf_done(&problems);
    import_result_done(&result);
    db_close(db);
    return rc;
}

/* A database that is up to date is not opened for writing: it may be on read-only media. */
static enum err_code prepare(const struct cli_args *args, struct err *e)
{
    const char *db_path = cli_value(args, "db");
    size_t count = 0;
    const char *const *paths = cli_values(args, "import", &count);
    struct db *db = NULL;

    if (count == 0 && db_open_read(db_path, &db, e) == ERR_OK) {
        db_close(db);
        return ERR_OK;
    }
    return import_first(db_path, paths, count, e);
}

static enum err_code read_config(const struct cli_args *args, struct server_config *out,
                                 struct err *e)
{
    const struct {
        const char *name;
        int64_t max;
        unsigned *member;
    } numbers[] = {
        {"threads", 256, &out->threads},
        {"connections", 100000, &out->connections},
        {"connections-per-address", 100000, &out->connections_per_address},
        {"idle-seconds", 3600, &out->idle_seconds},
        {"request-seconds", 3600, &out->request_seconds},
    };

    out->listen = cli_value(args, "listen");
    out->trusted_proxy = cli_value(args, "trusted-proxy");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t value = 0;
        enum err_code rc = cli_number(args, numbers[i].name, 1, numbers[i].max, 0, &value, e);

        if (rc != ERR_OK)
            return rc;
        *numbers[i].member = (unsigned)value;
    }
    return ERR_OK;
}

/* Signals are taken by sigwait in this thread alone, so they are blocked before any other starts.
 */
static void block_signals(sigset_t *out)
{
    (void)sigemptyset(out); /* Fails only for a bad pointer. */
    (void)sigaddset(out, SIGTERM);
    (void)sigaddset(out, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, out, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Print where it listens, in a form that scripts read; port 0 has become a real one. */
static void announce(const struct cli_args *args, unsigned port)
{
    const char *listen = cli_value(args, "listen");
    const char *colon = strrchr(listen, ':');
    int host_len = colon ? (int)(colon - listen) : 0;
    const char *host = host_len > 0 ? listen : "localhost";

    if (host_len == 0)
        host_len = (int)strlen(host);
    printf("listening on http://%.*s:%u\n", host_len, host, port);
    if (cli_flag(args, "greet")) {
        static const char *const paths[] = {"/models/gemma-4-31b/h100",
                                            "/models/qwen3.5-397b-a17b/b200?price=b200:7.50",
                                            "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh"};

        printf("Try, in another terminal:\n");
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            printf("  curl -s 'http://%.*s:%u%s'\n", host_len, host, port, paths[i]);
    }
    (void)fflush(stdout); /* A closed standard output does not stop the service. */
}

static enum err_code serve(const struct cli_args *args, struct server_config *config,
                           const sigset_t *signals, struct err *e)
{
    const struct log log = {.fd = STDERR_FILENO, .has_access = !cli_flag(args, "no-access-log")};
    struct server *server = NULL;
    struct api *api = NULL;
    enum err_code rc = api_new(cli_value(args, "db"), &api, e);
    int got = 0;

    if (rc == ERR_OK) {
        config->metrics = api_metrics_of(api);
        rc = server_start(config, api_routes(api), api, &log, &server, e);
    }
    if (rc == ERR_OK) {
        announce(args, server_port(server));
        log_message(&log, "info", "start", config->listen);
        while (sigwait(signals, &got) != 0)
            continue;
        log_message(&log, "info", "stop", strsignal(got));
    }
    server_stop(server);
    api_free(api);
    return rc;
}

static int run(const struct cli_args *args)
{
    struct server_config config = {0};
    struct err e = {0};
    sigset_t signals;
    enum err_code rc;

    block_signals(&signals);
    rc = read_config(args, &config, &e);
    if (rc == ERR_OK)
        rc = prepare(args, &e);
    if (rc == ERR_OK)
        rc = serve(args, &config, &signals, &e);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer HTTP requests from the database.",
    .details = "Brings the schema up to date first, then holds only read-only connections. What\n"
               "another process imports shows up within a second. SIGTERM ends it after the\n"
               "requests under way, within two seconds.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
