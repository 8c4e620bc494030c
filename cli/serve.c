/* openrecipes serve: migrate, import if asked to, then answer until a signal comes. */
#include "cli/commands.h"

#include "api/api.h"
#include "cli/confine.h"
#include "cli/database.h"
#include "importers/import.h"
#include "server/server.h"
#include "server/tls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Problems of the files imported first, as text at most. */
enum { OUTPUT_LIMIT = 256 * 1024 * 1024 };

/* How often to look whether another database was put in place. */
enum { LOOK_MS = 250 };

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
    {"rate-limit", "OPENRECIPES_RATE_LIMIT", "N", NULL,
     "requests a minute from one address; default: any number"},
    {"trusted-proxy", "OPENRECIPES_TRUSTED_PROXY", "ADDR[/BITS]", NULL,
     "believe X-Forwarded-For from here"},
    {"tls-certificate", "OPENRECIPES_TLS_CERTIFICATE", "FILE", NULL,
     "speak HTTPS with this certificate and its chain (PEM); SIGHUP reads it again"},
    {"tls-key", "OPENRECIPES_TLS_KEY", "FILE", NULL, "the certificate's key (PEM)"},
    {"user", "OPENRECIPES_USER", "NAME", NULL, "become this user once the port is open"},
    {"no-sandbox", "OPENRECIPES_NO_SANDBOX", NULL, NULL,
     "keep access to files and system calls that serving does not need"},
    {"stop-delay", "OPENRECIPES_STOP_DELAY", "SECONDS", "0",
     "serve on so long after SIGTERM, with /readyz at 503, for load balancers to notice"},
    {"log-format", "OPENRECIPES_LOG_FORMAT", "FORMAT", "text", "text: key=value pairs; or json"},
    {"no-access-log", "OPENRECIPES_NO_ACCESS_LOG", NULL, NULL, "no line for each request"},
    {"greet", NULL, NULL, NULL, "print commands to try"},
};

/* What is being served.
 *
 * is_wal:      whether reading the database needs to write beside it
 * stop_delay:  seconds
 * ends_on_hangup: whether SIGHUP says that the terminal is gone, and not to read files again
 * refused:     why a database that was put in place is not served, as it was logged */
struct serving {
    const struct cli_args *args;
    struct server_config config;
    struct log log;
    sigset_t signals;
    int stop_delay;
    bool ends_on_hangup;
    bool is_wal;
    struct tls *tls;
    struct api *api;
    struct server *server;
    struct err refused;
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
static enum err_code prepare(struct serving *s, struct err *e)
{
    const char *db_path = cli_value(s->args, "db");
    size_t count = 0;
    const char *const *paths = cli_values(s->args, "import", &count);
    struct db *db = NULL;

    s->is_wal = true;
    if (count > 0 || db_open_read(db_path, &db, e) != ERR_OK)
        return import_first(db_path, paths, count, e);
    s->is_wal = db_is_wal(db);
    db_close(db);
    return ERR_OK;
}

static enum err_code read_numbers(struct serving *s, struct err *e)
{
    struct server_config *out = &s->config;
    unsigned stop_delay = 0;
    const struct {
        const char *name;
        int64_t min;
        int64_t max;
        unsigned *member;
    } numbers[] = {
        {"threads", 1, 256, &out->threads},
        {"connections", 1, 100000, &out->connections},
        {"connections-per-address", 1, 100000, &out->connections_per_address},
        {"idle-seconds", 1, 3600, &out->idle_seconds},
        {"request-seconds", 1, 3600, &out->request_seconds},
        {"rate-limit", 1, 1000000, &out->rate_limit},
        {"stop-delay", 0, 3600, &stop_delay},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t value = 0;
        enum err_code rc =
            cli_number(s->args, numbers[i].name, numbers[i].min, numbers[i].max, 0, &value, e);

        if (rc != ERR_OK)
            return rc;
        *numbers[i].member = (unsigned)value;
    }
    s->stop_delay = (int)stop_delay;
    return ERR_OK;
}

static enum err_code read_config(struct serving *s, struct err *e)
{
    const char *format = cli_value(s->args, "log-format");
    const char *certificate = cli_value(s->args, "tls-certificate");
    const char *key = cli_value(s->args, "tls-key");

    s->config.listen = cli_value(s->args, "listen");
    s->config.trusted_proxy = cli_value(s->args, "trusted-proxy");
    s->log = (struct log){.fd = STDERR_FILENO,
                          .has_access = !cli_flag(s->args, "no-access-log"),
                          .is_json = strcmp(format, "json") == 0};
    if (!s->log.is_json && strcmp(format, "text") != 0)
        return err_set(e, ERR_INPUT, "--log-format: %s is neither text nor json", format);
    if (!certificate != !key)
        return err_set(e, ERR_INPUT, "--tls-certificate and --tls-key go together");
    if (certificate && tls_new(certificate, key, &s->tls, e))
        return e->code;
    s->config.tls = s->tls;
    s->ends_on_hangup = !s->tls && isatty(STDERR_FILENO);
    return read_numbers(s, e);
}

/* Signals are taken by sigtimedwait in this thread alone, so they are blocked before any other
 * starts. */
static void block_signals(sigset_t *out)
{
    (void)sigemptyset(out); /* Fails only for a bad pointer. */
    (void)sigaddset(out, SIGTERM);
    (void)sigaddset(out, SIGINT);
    (void)sigaddset(out, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, out, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Print where it listens, in a form that scripts read; port 0 has become a real one. */
static void announce(const struct serving *s)
{
    const char *listen = s->config.listen;
    const char *colon = strrchr(listen, ':');
    const char *scheme = s->tls ? "https" : "http";
    int host_len = colon ? (int)(colon - listen) : 0;
    const char *host = host_len > 0 ? listen : "localhost";
    unsigned port = server_port(s->server);

    if (host_len == 0)
        host_len = (int)strlen(host);
    printf("listening on %s://%.*s:%u\n", scheme, host_len, host, port);
    if (cli_flag(s->args, "greet")) {
        static const char *const paths[] = {"/models/gemma-4-31b/h100",
                                            "/models/qwen3.5-397b-a17b/b200?price=b200:7.50",
                                            "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh"};

        printf("Try, in another terminal:\n");
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            printf("  curl -s '%s://%.*s:%u%s'\n", scheme, host_len, host, port, paths[i]);
    }
    (void)fflush(stdout); /* A closed standard output does not stop the service. */
}

static void reload(struct serving *s)
{
    struct err e;

    if (!s->tls)
        log_message(&s->log, "info", "reload", "there is no certificate to read again");
    else if (tls_reload(s->tls, &e) == ERR_OK)
        log_message(&s->log, "info", "reload", "the certificate was read again");
    else
        log_message(&s->log, "error", "reload_failed", e.text);
}

/* Look for another database, and tell of it once. */
static void look(struct serving *s)
{
    bool is_new = false;
    struct err e = {0};

    if (api_look(s->api, &is_new, &e) == ERR_OK)
        e = (struct err){0};
    if (is_new)
        log_message(&s->log, "info", "database_switched", cli_value(s->args, "db"));
    if (e.code != ERR_OK && strcmp(s->refused.text, e.text) != 0)
        log_message(&s->log, "error", "database_refused", e.text);
    s->refused = e;
}

/* Serve on, with /readyz telling that it is for the last time. A second signal ends that. */
static void linger(const struct serving *s)
{
    const struct timespec delay = {.tv_sec = s->stop_delay};

    api_stop(s->api);
    if (s->stop_delay > 0)
        (void)sigtimedwait(&s->signals, NULL, &delay);
}

static void serve_until_signal(struct serving *s)
{
    const struct timespec tick = {.tv_nsec = LOOK_MS * 1000000};
    bool is_ending = false;
    int got;

    do {
        got = sigtimedwait(&s->signals, NULL, &tick);
        is_ending = got == SIGTERM || got == SIGINT || (got == SIGHUP && s->ends_on_hangup);
        if (got == SIGHUP && !is_ending)
            reload(s);
        look(s);
    } while (!is_ending);
    log_message(&s->log, "info", "stop", strsignal(got));
    linger(s);
}

static enum err_code serve(struct serving *s, struct err *e)
{
    enum err_code rc = cli_confine(s->args, s->is_wal, &s->log, e);

    if (rc == ERR_OK)
        rc = api_new(cli_value(s->args, "db"), server_threads(&s->config), &s->api, e);
    if (rc != ERR_OK)
        return rc;
    s->config.metrics = api_metrics_of(s->api);
    rc = server_start(&s->config, api_routes(s->api), s->api, &s->log, &s->server, e);
    s->config.bound_fd = 0; /* Swallowed, in any case. */
    if (rc != ERR_OK)
        return rc;
    announce(s);
    log_message(&s->log, "info", "start", s->config.listen);
    serve_until_signal(s);
    return ERR_OK;
}

static int run(const struct cli_args *args)
{
    struct serving s = {.args = args};
    const char *user = cli_value(args, "user");
    struct err e = {0};
    enum err_code rc;

    block_signals(&s.signals);
    rc = read_config(&s, &e);
    if (rc == ERR_OK)
        rc = server_bind(s.config.listen, &s.config.bound_fd, &e);
    if (rc == ERR_OK && user)
        rc = privileges_drop(user, &e);
    if (rc == ERR_OK)
        rc = prepare(&s, &e);
    if (rc == ERR_OK)
        rc = serve(&s, &e);
    server_stop(s.server);
    api_free(s.api);
    tls_free(s.tls);
    if (s.config.bound_fd > 0)
        (void)close(s.config.bound_fd); /* Nothing was written to it. */
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer HTTP requests from the database.",
    .details = "Brings the schema up to date first, then holds only read-only connections. What\n"
               "another process imports shows up within a second, and so does another database\n"
               "that is moved to the place of the one served. SIGHUP reads the certificate again.\n"
               "SIGTERM ends it after the requests under way, within two seconds.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
