/* openrecipes serve: migrate, import if asked to, then answer until a signal comes. */
#include "cli/commands.h"

#include "api/ranking_pages.h"
#include "base/privileges.h"
#include "cli/database.h"
#include "cli/serving.h"
#include "importers/import.h"
#include "server/address.h"
#include "server/tls.h"

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
    {"rate-limit", "OPENRECIPES_RATE_LIMIT", "N", NULL,
     .help = "requests a minute from one address; default: any number", .least = 1,
     .most = 1000000},
    {"trusted-proxy", "OPENRECIPES_TRUSTED_PROXY", "ADDR[/BITS]", NULL,
     .help = "believe X-Forwarded-For from here"},
    {"tls-certificate", "OPENRECIPES_TLS_CERTIFICATE", "FILE", NULL,
     .help = "speak HTTPS with this certificate and its chain (PEM); SIGHUP reads it again"},
    {"tls-key", "OPENRECIPES_TLS_KEY", "FILE", NULL, .help = "the certificate's key (PEM)"},
    {"user", "OPENRECIPES_USER", "NAME", NULL, .help = "become this user once the port is open"},
    {"no-sandbox", "OPENRECIPES_NO_SANDBOX", NULL, NULL,
     .help = "keep access to files and system calls that serving does not need"},
    {"stop-delay", "OPENRECIPES_STOP_DELAY", "N", "0",
     .help = "serve on so many seconds after SIGTERM, with /readyz at 503, for load balancers",
     .least = 0, .most = 3600},
    {"log-format", "OPENRECIPES_LOG_FORMAT", "text|json", "text",
     .help = "key=value pairs, or JSON objects"},
    {"cache-bytes", "OPENRECIPES_CACHE_BYTES", "N", "4194304",
     .help = "memory for replies that are sent again; 0 makes each anew", .most = INT64_C(1) << 40},
    {"columns-bytes", "OPENRECIPES_COLUMNS_BYTES", "N", "268435456",
     .help = "memory for columns of large collections that lists look through; 0 keeps none",
     .most = INT64_C(1) << 40},
    {"statement-ms", "OPENRECIPES_STATEMENT_MS", "N", "5000",
     .help = "cut off a statement that takes longer, and answer 503", .least = 1, .most = 3600000},
    {"no-access-log", "OPENRECIPES_NO_ACCESS_LOG", NULL, NULL, .help = "no line for each request"},
    {"greet", NULL, NULL, NULL, .help = "print commands to try"},
};

static enum err_code import_first(const char *db_path, const char *const *paths, size_t count,
                                  struct err *e)
{
    const struct import_options what = {
        .paths = paths, .path_count = count, .finish = ranking_pages_write};
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

static enum err_code read_tls(const struct cli_args *args, struct tls **out, struct err *e)
{
    const char *certificate = cli_value(args, "tls-certificate");
    const char *key = cli_value(args, "tls-key");

    if (!certificate != !key)
        return err_set(e, ERR_INPUT, "--tls-certificate and --tls-key go together");
    return certificate ? tls_new(certificate, key, out, e) : ERR_OK;
}

/* Read the options that the server judges, so that a mistake in them changes nothing. */
static enum err_code read_options(const struct cli_args *args, struct serving *out, struct err *e)
{
    struct net_block proxy;

    out->log = (struct log){.fd = STDERR_FILENO,
                            .has_access = !cli_flag(args, "no-access-log"),
                            .is_json = strcmp(cli_value(args, "log-format"), "json") == 0};
    out->config = (struct server_config){
        .listen = cli_value(args, "listen"),
        .threads = (unsigned)cli_number(args, "threads"),
        .connections = (unsigned)cli_number(args, "connections"),
        .connections_per_address = (unsigned)cli_number(args, "connections-per-address"),
        .idle_seconds = (unsigned)cli_number(args, "idle-seconds"),
        .request_seconds = (unsigned)cli_number(args, "request-seconds"),
        .rate_limit = (unsigned)cli_number(args, "rate-limit"),
        .trusted_proxy = cli_value(args, "trusted-proxy"),
    };
    if (out->config.trusted_proxy && net_block_parse(out->config.trusted_proxy, &proxy, e))
        return err_wrap(e, "--trusted-proxy");
    return read_tls(args, &out->config.tls, e);
}

/* Open the port; whoever has it already is told of, and it is not the disk's failure. */
static enum err_code take_port(struct serving *s, struct err *e)
{
    enum err_code rc = server_bind(s->config.listen, &s->config.bound_fd, e);

    if (rc == ERR_IO)
        return e->code = ERR_UPSTREAM;
    return rc == ERR_OK ? ERR_OK : err_wrap(e, "--listen");
}

/* Take what the options ask for, before the database is touched. */
static enum err_code set_up(struct serving *s, struct err *e)
{
    const char *user = cli_value(s->args, "user");
    enum err_code rc = read_options(s->args, s, e);

    if (rc == ERR_OK)
        rc = take_port(s, e);
    return rc == ERR_OK && user ? privileges_drop(user, e) : rc;
}

static int run(const struct cli_args *args)
{
    struct serving s = {.args = args};
    struct err e = {0};
    enum err_code rc;
    bool is_misuse;

    serving_block_signals(&s);
    rc = set_up(&s, &e);
    is_misuse = rc == ERR_INPUT;
    if (rc == ERR_OK)
        rc = prepare(&s, &e);
    if (rc == ERR_OK)
        rc = serving_start(&s, &e);
    if (rc == ERR_OK)
        serving_until_signal(&s);
    serving_end(&s);
    if (is_misuse)
        return cli_misuse(args, &e);
    return rc == ERR_OK ? EXIT_SUCCESS : cli_fail(args, &e);
}

const struct cli_command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer HTTP requests from the database.",
    .details =
        "Brings the schema up to date first, then holds only read-only connections. What\n"
        "another process imports shows up within a second, and so does another database that\n"
        "is moved to the place of the one served. SIGHUP reads the certificate again. SIGTERM\n"
        "ends it after the requests under way, within two seconds.\n\n"
        "Exit status: 0 ended by a signal; 64 usage; 65 a file of --import has errors, or the\n"
        "database is another program's or a newer one's; 66 no such path; 69 the address cannot\n"
        "be listened at; 70 the database is damaged; 71 out of memory; 74 the disk failed; 75\n"
        "the database is in use.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
