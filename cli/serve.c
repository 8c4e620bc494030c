/* openrecipes serve: migrate, import if asked to, then answer until a signal comes. */
#include "cli/commands.h"

#include "api/api.h"
#include "cli/database.h"
#include "db/watch.h"
#include "importers/import.h"
#include "server/address.h"
#include "server/listen.h"
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
     .help = "where to listen; :8080 is every address, port 0 takes a free one"},
    {"import", "OPENRECIPES_IMPORT", "PATH", NULL,
     .help = "import this file or folder first; may be given more than once"},
    {"threads", "OPENRECIPES_THREADS", "N", NULL,
     .help = "threads that answer; default: one a processor", .least = 1, .most = 256},
    {"connections", "OPENRECIPES_CONNECTIONS", "N", "1000", .help = "connections at once",
     .least = 1, .most = 100000},
    {"connections-per-address", "OPENRECIPES_CONNECTIONS_PER_ADDRESS", "N", "200",
     .help = "connections at once from one address", .least = 1, .most = 100000},
    {"idle-seconds", "OPENRECIPES_IDLE_SECONDS", "N", "30",
     .help = "end a connection silent for so long", .least = 1, .most = 3600},
    {"request-seconds", "OPENRECIPES_REQUEST_SECONDS", "N", "60",
     .help = "end a request that takes so long to arrive, however it drips", .least = 1,
     .most = 3600},
    {"trusted-proxy", "OPENRECIPES_TRUSTED_PROXY", "ADDR[/BITS]", NULL,
     .help = "believe X-Forwarded-For from here"},
    {"cache-bytes", "OPENRECIPES_CACHE_BYTES", "N", "8388608",
     .help = "memory for replies that are sent again; 0 makes each anew", .most = INT64_C(1) << 40},
    {"statement-ms", "OPENRECIPES_STATEMENT_MS", "N", "5000",
     .help = "cut off a statement that takes longer, and answer 503", .least = 1, .most = 3600000},
    {"no-access-log", "OPENRECIPES_NO_ACCESS_LOG", NULL, NULL, .help = "no line for each request"},
    {"greet", NULL, NULL, NULL, .help = "print commands to try"},
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

/* Read the options that the server judges, so that a mistake in them changes nothing. */
static enum err_code read_config(const struct cli_args *args, struct server_config *out,
                                 struct err *e)
{
    struct net_block proxy;
    enum err_code rc;

    *out = (struct server_config){
        .listen = cli_value(args, "listen"),
        .threads = (unsigned)cli_number(args, "threads"),
        .connections = (unsigned)cli_number(args, "connections"),
        .connections_per_address = (unsigned)cli_number(args, "connections-per-address"),
        .idle_seconds = (unsigned)cli_number(args, "idle-seconds"),
        .request_seconds = (unsigned)cli_number(args, "request-seconds"),
        .trusted_proxy = cli_value(args, "trusted-proxy"),
    };
    rc = server_listen_check(out->listen, e);
    if (rc != ERR_OK)
        return err_wrap(e, "--listen");
    if (out->trusted_proxy)
        rc = net_block_parse(out->trusted_proxy, &proxy, e);
    return rc == ERR_OK ? ERR_OK : err_wrap(e, "--trusted-proxy");
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

/* Where it listens: port 0 has become a real one. host is "localhost" for every address. */
struct place {
    const char *host;
    int host_len;
    unsigned port;
};

static struct place place_of(const struct cli_args *args, unsigned port)
{
    static const char every[] = "localhost";
    const char *listen = cli_value(args, "listen");
    int len = (int)(strrchr(listen, ':') - listen); /* It was checked, and is short. */

    return len > 0 ? (struct place){listen, len, port}
                   : (struct place){every, sizeof every - 1, port};
}

/* Print where it listens, in a form that scripts read. */
static void announce(const struct cli_args *args, const struct place *at)
{
    static const char *const paths[] = {"/models/gemma-4-31b/h100",
                                        "/models/qwen3.5-397b-a17b/b200?price=b200:7.50",
                                        "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh"};

    printf("listening on http://%.*s:%u\n", at->host_len, at->host, at->port);
    if (cli_flag(args, "greet"))
        printf("Try, in another terminal:\n");
    for (size_t i = 0; cli_flag(args, "greet") && i < sizeof paths / sizeof *paths; i++)
        printf("  curl -s 'http://%.*s:%u%s'\n", at->host_len, at->host, at->port, paths[i]);
    (void)fflush(stdout); /* A closed standard output does not stop the service. */
}

/* Write the line of the log that says where it listens, as the option would say it. */
static void log_start(const struct log *log, const struct cli_args *args, unsigned port)
{
    const char *listen = cli_value(args, "listen");
    char text[128];

    (void)snprintf(text, sizeof text, "%.*s:%u", (int)(strrchr(listen, ':') - listen), listen,
                   port); /* Fits: an address with its port. */
    log_message(log, "info", "start", text);
}

static void forget_replies(void *cache)
{
    cache_clear(cache);
}

/* Make the cache, emptied whenever the database changes: the watch looks at it before the first
 * reply is made. */
static enum err_code start_cache(const struct cli_args *args, struct cache **out_cache,
                                 struct db_watch **out_watch, struct err *e)
{
    size_t bytes = (size_t)cli_number(args, "cache-bytes");
    enum err_code rc = bytes > 0 ? cache_new(bytes, out_cache, e) : ERR_OK;

    if (rc != ERR_OK || bytes == 0)
        return rc;
    return db_watch_start(cli_value(args, "db"), forget_replies, *out_cache, out_watch, e);
}

static enum err_code serve(const struct cli_args *args, struct server_config *config,
                           const sigset_t *signals, struct err *e)
{
    const struct log log = {.fd = STDERR_FILENO, .has_access = !cli_flag(args, "no-access-log")};
    struct db_watch *watch = NULL;
    struct server *server = NULL;
    struct api *api = NULL;
    enum err_code rc =
        api_new(cli_value(args, "db"), (int)cli_number(args, "statement-ms"), &api, e);
    int got = 0;

    if (rc == ERR_OK)
        rc = start_cache(args, &config->cache, &watch, e);
    if (rc == ERR_OK) {
        rc = server_start(config, api_routes(api), api, &log, &server, e);
        /* Somebody else has the address: that is not the disk's failure. */
        if (rc == ERR_IO)
            rc = e->code = ERR_UPSTREAM;
    }
    if (rc == ERR_OK) {
        const struct place at = place_of(args, server_port(server));

        announce(args, &at);
        log_start(&log, args, at.port);
        while (sigwait(signals, &got) != 0)
            continue;
        log_message(&log, "info", "stop", strsignal(got));
    }
    server_stop(server);
    db_watch_stop(watch);
    cache_free(config->cache);
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
    if (read_config(args, &config, &e) != ERR_OK)
        return cli_misuse(args, &e);
    rc = prepare(args, &e);
    if (rc == ERR_OK)
        rc = serve(args, &config, &signals, &e);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer HTTP requests from the database.",
    .details =
        "Brings the schema up to date first, then holds only read-only connections. What\n"
        "another process imports shows up at the next request. SIGTERM ends it after the\n"
        "requests under way, within two seconds.\n\n"
        "Exit status: 0 ended by a signal; 64 usage; 65 a file of --import has errors, or the\n"
        "database is another program's or a newer one's; 66 no such path; 69 the address cannot\n"
        "be listened at; 70 the database is damaged; 71 out of memory; 74 the disk failed; 75\n"
        "the database is in use.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
