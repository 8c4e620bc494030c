/* From the start of the server to the signal that ends it, and what is looked at meanwhile. */
#include "cli/serving.h"

#include "base/process.h"
#include "cli/confine.h"
#include "server/tls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How often to look whether the database has changed: a few microseconds each time. */
enum { LOOK_MS = 100 };

/* Descriptors beside those of connections. A thread has its set of connections and a way to be
 * woken, and opens the database and its log, at times a second one; the rest are the process's. */
enum { DESCRIPTORS_PER_THREAD = 8, DESCRIPTORS_OF_PROCESS = 24 };

/* Signals are taken by sigtimedwait in this thread alone, so they are blocked before any other
 * starts. */
void serving_block_signals(struct serving *s)
{
    (void)sigemptyset(&s->signals); /* Fails only for a bad pointer. */
    (void)sigaddset(&s->signals, SIGTERM);
    (void)sigaddset(&s->signals, SIGINT);
    (void)sigaddset(&s->signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &s->signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Many systems allow 1024 at first and far more to who asks. */
static void want_descriptors(const struct serving *s)
{
    uint64_t threads = server_threads(&s->config);

    if (!process_want_descriptors(s->config.connections + threads * DESCRIPTORS_PER_THREAD +
                                  DESCRIPTORS_OF_PROCESS))
        log_message(&s->log, "warn", "descriptors",
                    "the system allows too few descriptors for so many connections; those beyond "
                    "wait");
}

enum err_code serving_start(struct serving *s, struct err *e)
{
    const struct api_config over = {
        .db_path = cli_value(s->args, "db"),
        .threads = server_threads(&s->config),
        .statement_ms = (int)cli_number(s->args, "statement-ms"),
        .cache_bytes = (size_t)cli_number(s->args, "cache-bytes"),
        .columns_bytes = (size_t)cli_number(s->args, "columns-bytes"),
    };
    enum err_code rc;

    want_descriptors(s);
    rc = cli_confine(s->args, s->is_wal, &s->log, e);
    if (rc == ERR_OK)
        rc = api_new(&over, &s->api, e);
    if (rc != ERR_OK)
        return rc;
    s->config.metrics = api_metrics_of(s->api);
    s->config.cache = api_cache_of(s->api);
    rc = server_start(&s->config, api_routes(s->api), s->api, &s->log, &s->server, e);
    s->config.bound_fd = 0; /* Swallowed, in any case. */
    return rc;
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
static void announce(const struct cli_args *args, const char *scheme, const struct place *at)
{
    static const char *const paths[] = {"/models/gemma-4-31b/h100",
                                        "/models/qwen3.5-397b-a17b/b200?price=b200:7.50",
                                        "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh"};

    printf("listening on %s://%.*s:%u\n", scheme, at->host_len, at->host, at->port);
    if (cli_flag(args, "greet"))
        printf("Try, in another terminal:\n");
    for (size_t i = 0; cli_flag(args, "greet") && i < sizeof paths / sizeof *paths; i++)
        printf("  curl -s '%s://%.*s:%u%s'\n", scheme, at->host_len, at->host, at->port, paths[i]);
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

static void reload(struct serving *s)
{
    struct err e;

    if (!s->config.tls)
        log_message(&s->log, "info", "reload", "there is no certificate to read again");
    else if (tls_reload(s->config.tls, &e) == ERR_OK)
        log_message(&s->log, "info", "reload", "the certificate was read again");
    else
        log_message(&s->log, "error", "reload_failed", e.text);
}

/* Look at the database, and tell once of another. */
static void look(struct serving *s)
{
    enum db_pool_news news;
    struct err e = {0};

    if (api_look(s->api, &news, &e) == ERR_OK)
        e = (struct err){0};
    if (news == DB_POOL_REPLACED)
        log_message(&s->log, "info", "database_switched", cli_value(s->args, "db"));
    if (e.code != ERR_OK && strcmp(s->refused.text, e.text) != 0)
        log_message(&s->log, "error", "database_refused", e.text);
    s->refused = e;
}

/* Serve on, with /readyz telling that it is for the last time. A second signal ends that. */
static void linger(const struct serving *s)
{
    const struct timespec delay = {.tv_sec = (time_t)cli_number(s->args, "stop-delay")};

    api_stop(s->api);
    if (delay.tv_sec > 0)
        (void)sigtimedwait(&s->signals, NULL, &delay);
}

static void wait_for_end(struct serving *s)
{
    const struct timespec tick = {.tv_nsec = LOOK_MS * 1000000};
    /* SIGHUP says that the terminal is gone, where there is one; asked now, as it is none then. */
    const bool ends_on_hangup = !s->config.tls && isatty(STDERR_FILENO);
    bool is_ending = false;
    int got;

    do {
        got = sigtimedwait(&s->signals, NULL, &tick);
        is_ending = got == SIGTERM || got == SIGINT || (got == SIGHUP && ends_on_hangup);
        if (got == SIGHUP && !is_ending)
            reload(s);
        look(s);
    } while (!is_ending);
    log_message(&s->log, "info", "stop", strsignal(got));
    linger(s);
}

void serving_until_signal(struct serving *s)
{
    const struct place at = place_of(s->args, server_port(s->server));

    announce(s->args, s->config.tls ? "https" : "http", &at);
    log_start(&s->log, s->args, at.port);
    wait_for_end(s);
}

void serving_end(struct serving *s)
{
    server_stop(s->server);
    api_free(s->api);
    tls_free(s->config.tls);
    if (s->config.bound_fd > 0)
        (void)close(s->config.bound_fd); /* Nothing was written to it. */
}
