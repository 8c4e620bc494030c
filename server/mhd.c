/* The server on libmicrohttpd 0.9.75, which nothing else here knows: its callbacks feed exchanges,
 * and their answers become its responses. What it does by itself: the syntax of HTTP/1.x, chunks,
 * keep-alive, Date, Content-Length, and short pages for what it cannot parse. */
#include "server/server.h"

#include "server/connections.h"
#include "server/exchange.h"
#include "server/limits.h"
#include "server/listen.h"
#include "server/mhd_response.h"
#include "server/tls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Defaults of struct server_config. */
enum {
    CONNECTIONS = 1000,
    CONNECTIONS_PER_ADDRESS = 200,
    IDLE_SECONDS = 30,
    REQUEST_SECONDS = 60,
    LEAST_THREADS = 2 /* a slow reply does not stop all others on a machine with one processor */
};

/* Versions of TLS before 1.2 have had their day (RFC 8996). */
static const char tls_priorities[] = "NORMAL:-VERS-TLS1.1:-VERS-TLS1.0";

/* How often server_stop looks whether the last request is through. */
enum { STOP_TICK_MS = 10 };

/* A server.
 *
 * listen_fd:   ours until the daemon has it; -1 then
 * short_reply: what is sent where there is no memory to make an answer
 * is_stopping: no connection is taken any more, and each answer closes its own */
struct server {
    struct MHD_Daemon *daemon;
    struct MHD_Response *short_reply;
    struct connections *connections;
    struct exchange_site site;
    struct net_block trusted;
    struct tls *tls;
    int listen_fd;
    unsigned port;
    atomic_bool is_stopping;
};

/* A request on its way through the library's callbacks.
 *
 * target:   copy of it, before the library decodes it in place
 * original: where it stood, to be compared with, never read */
struct call {
    struct exchange exchange;
    struct connection *connection;
    char *target;
    const char *original;
};

static void call_free(struct call *call)
{
    exchange_done(&call->exchange);
    free(call->target);
    free(call);
}

/* A connection was accepted, or is about to be closed. */
static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *s = cls;
    const union MHD_ConnectionInfo *info;
    struct net_address peer;
    int fd;

    metrics_note_connection(s->site.metrics, code == MHD_CONNECTION_NOTIFY_CLOSED ? -1 : 1);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        connections_remove(s->connections, *context);
        *context = NULL;
        return;
    }
    if (s->tls)
        tls_attach(s->tls,
                   MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session);
    fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    peer = net_address_of(info->client_addr);
    *context = connections_add(s->connections, fd, &peer);
    /* Whoever is refused finds the connection closed: the library asks here, but takes no answer.
     */
    if (!*context)
        (void)shutdown(fd, SHUT_RDWR);
}

/* The first line of a request has come.
 *
 * returns the call, which on_completed frees; NULL if there is no memory, or the connection was
 *         refused: on_request then sends the short reply */
static void *on_first_line(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    struct server *s = cls;
    char *query = strchr(uri, '?');
    struct connection *connection =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    struct call *call = connection ? malloc(sizeof *call) : NULL;
    char *target = call ? strdup(uri) : NULL;

    if (!target) {
        free(call);
        return NULL;
    }
    call->connection = connection;
    call->original = uri;
    call->target = target;
    /* The library would store each parameter in the connection's memory, where nobody reads them,
     * and where more than fit leave the client without any answer: it is its buffer, and writable.
     */
    if (query && query[1])
        query[1] = '\0';
    exchange_init(&call->exchange, &s->site, connection_peer(connection));
    connection_begin(s->connections, connection);
    return call;
}

/* A server that stops takes no new connection. MHD_quiesce_daemon would do it too, but in 0.9.75 it
 * and a thread of the pool may both take the port out of an epoll set, and the second ends the
 * process. */
static enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t len)
{
    struct server *s = cls;

    (void)address;
    (void)len;
    return atomic_load(&s->is_stopping) ? MHD_NO : MHD_YES;
}

static enum MHD_Result on_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                const char *value)
{
    (void)kind;
    exchange_field(cls, name, value ? value : "");
    return MHD_YES;
}

/* Say that there is no memory for more. */
static enum MHD_Result send_short(struct server *s, struct MHD_Connection *mhd)
{
    return MHD_queue_response(mhd, MHD_HTTP_SERVICE_UNAVAILABLE, s->short_reply);
}

/* The same, after another answer was counted. */
static enum MHD_Result send_short_instead(struct server *s, struct MHD_Connection *mhd,
                                          struct exchange *x)
{
    x->status = 0; /* What was sent is found out at the end. */
    x->sent_bytes = 0;
    return send_short(s, mhd);
}

/* Send an answer that was made for this request alone. Its body is taken. */
static enum MHD_Result send_answer(struct server *s, struct MHD_Connection *mhd, struct exchange *x,
                                   struct http_answer *made)
{
    struct MHD_Response *response = mhd_response_make(made, x, atomic_load(&s->is_stopping));
    enum MHD_Result result;

    if (!response)
        return send_short_instead(s, mhd, x);
    result = MHD_queue_response(mhd, (unsigned)x->status, response);
    MHD_destroy_response(response); /* The connection has its own reference. */
    return result;
}

/* Send what the cache has, which lives until the request is completed. Only what asks for a header
 * of its own gets a response of its own. */
static enum MHD_Result send_kept(struct server *s, struct MHD_Connection *mhd, struct exchange *x)
{
    bool is_last = atomic_load(&s->is_stopping);
    unsigned status = (unsigned)exchange_answer_kept(x);
    struct MHD_Response *own;
    enum MHD_Result result;

    if (!is_last && !x->request.has_id)
        return MHD_queue_response(mhd, status, cache_entry_reply(x->kept)->response);
    own = mhd_response_copy(cache_entry_reply(x->kept), x->request.has_id ? x->request.id : NULL,
                            is_last);
    if (!own)
        return send_short_instead(s, mhd, x);
    result = MHD_queue_response(mhd, status, own);
    MHD_destroy_response(own); /* The connection has its own reference. */
    return result;
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *mhd, struct call *call)
{
    struct exchange *x = &call->exchange;
    struct http_answer made;
    enum MHD_Result result;
    struct err e;

    connection_receive(call->connection);
    if (x->kept)
        return send_kept(s, mhd, x);
    if (exchange_answer(x, &made, &e))
        return send_short(s, mhd);
    if (!exchange_is_shared(x, &made))
        result = send_answer(s, mhd, x, &made);
    else if (mhd_response_keep(&made, x))
        result = send_kept(s, mhd, x);
    else
        result = send_short_instead(s, mhd, x);
    http_answer_done(&made);
    return result;
}

/* Tell whether the target's copy is all of it: a zero byte in the line would end the copy early,
 * while the version stands right behind the target's true end. */
static bool is_whole(const struct call *call, const char *version)
{
    return call->original + strlen(call->target) + 1 == version;
}

/* The library calls this once when the head has come, once for each part of the body, and once at
 * the end. An answer that is queued in the first call costs the connection: only what cannot be
 * read on is answered there. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_len, void **context)
{
    struct server *s = cls;
    struct call *call = *context;
    bool is_cut;

    (void)url; /* Decoded in place, so that slashes and %2F look the same. */
    if (!call)
        return send_short(s, mhd);
    if (!call->exchange.is_judged) {
        (void)MHD_get_connection_values(mhd, MHD_HEADER_KIND, on_field, &call->exchange);
        if (exchange_judge(&call->exchange, method, is_whole(call, version) ? call->target : NULL,
                           strcmp(version, "HTTP/1.0") != 0))
            return answer(s, mhd, call);
        return MHD_YES;
    }
    if (*upload_len == 0)
        return answer(s, mhd, call);
    is_cut = !exchange_body(&call->exchange, upload, *upload_len);
    *upload_len = 0;
    return is_cut ? MHD_NO : MHD_YES;
}

/* The answer was sent, or the connection was lost before. */
static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode code)
{
    struct call *call = *context;
    const union MHD_ConnectionInfo *info;

    (void)cls;
    if (!call)
        return;
    call->exchange.is_cut =
        call->exchange.status != 0 && code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    *context = NULL;
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_HTTP_STATUS);
    /* What the library refused by itself, and the short reply. */
    if (call->exchange.status == 0 && info)
        call->exchange.status = (int)info->http_status;
    exchange_log(&call->exchange);
    connection_end(call->connection);
    call_free(call);
}

/* The library would decode targets in place; their copies are decoded elsewhere. */
static size_t keep_encoded(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

/* Make the answer that is sent again and again, and so has no request's id. */
static enum err_code make_short_reply(struct server *s, struct err *e)
{
    static const char no_id[] = "none";
    const struct net_address nobody = {{0}};
    struct exchange x;
    struct http_answer made;
    enum err_code code;

    exchange_init(&x, &s->site, &nobody);
    memcpy(x.request.id, no_id, sizeof no_id);
    code = http_answer_problem(&x.request, &x.reply, err_kind(ERR_NOMEM), NULL, HTTP_PROBLEM, &made,
                               e);
    if (code == ERR_OK) {
        s->short_reply = mhd_response_make(&made, &x, true);
        http_answer_done(&made);
        if (!s->short_reply)
            code = err_nomem(e);
    }
    exchange_done(&x);
    return code;
}

static unsigned or_default(unsigned value, unsigned fallback)
{
    return value > 0 ? value : fallback;
}

unsigned server_threads(const struct server_config *config)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (config->threads > 0)
        return config->threads;
    return processors > LEAST_THREADS ? (unsigned)processors : LEAST_THREADS;
}

static enum err_code start_daemon(struct server *s, const struct server_config *config,
                                  struct err *e)
{
    unsigned threads = server_threads(config);
    unsigned connections = or_default(config->connections, CONNECTIONS);

    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | (s->tls ? MHD_USE_TLS : 0);

    s->daemon = MHD_start_daemon(
        flags, 0, on_accept, s, on_request, s, MHD_OPTION_LISTEN_SOCKET, s->listen_fd,
        MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_LIMIT,
        connections > threads ? connections : threads, MHD_OPTION_CONNECTION_TIMEOUT,
        or_default(config->idle_seconds, IDLE_SECONDS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HTTP_CONNECTION_BYTES, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_URI_LOG_CALLBACK, on_first_line, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_encoded, NULL,
        /* Without TLS the list ends here. */
        s->tls ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, tls_choose,
        MHD_OPTION_HTTPS_PRIORITIES, tls_priorities, MHD_OPTION_END);
    if (!s->daemon)
        return err_set(e, ERR_IO, "cannot start %u threads to serve at %s", threads,
                       config->listen);
    s->listen_fd = -1;
    return ERR_OK;
}

static enum err_code start(struct server *s, const struct server_config *config, struct err *e)
{
    if (getrandom(&s->site.id_seed, sizeof s->site.id_seed, 0) != sizeof s->site.id_seed)
        return err_set(e, ERR_IO, "the system has no random numbers");
    if (config->trusted_proxy) {
        if (net_block_parse(config->trusted_proxy, &s->trusted, e))
            return err_wrap(e, "trusted proxy");
        s->site.trusted = &s->trusted;
    }
    if (make_short_reply(s, e) ||
        (config->rate_limit > 0 &&
         rate_new(config->rate_limit, s->site.id_seed, &s->site.rate, e)) ||
        connections_new(or_default(config->connections_per_address, CONNECTIONS_PER_ADDRESS),
                        or_default(config->request_seconds, REQUEST_SECONDS), s->site.trusted,
                        &s->connections, e) ||
        (config->bound_fd <= 0 && server_bind(config->listen, &s->listen_fd, e)) ||
        server_listen(s->listen_fd, config->listen, &s->port, e))
        return e->code;
    return start_daemon(s, config, e);
}

enum err_code server_start(const struct server_config *config, const struct http_routes *routes,
                           void *app, const struct log *log, struct server **out_server,
                           struct err *e)
{
    struct server *s = calloc(1, sizeof *s);

    if (!s) {
        if (config->bound_fd > 0)
            (void)close(config->bound_fd); /* Nothing was written to it. */
        return err_nomem(e);
    }
    s->site.routes = routes;
    s->site.app = app;
    s->site.log = log;
    s->site.metrics = config->metrics;
    s->site.cache = config->cache;
    s->tls = config->tls;
    s->listen_fd = config->bound_fd > 0 ? config->bound_fd : -1;
    if (start(s, config, e)) {
        server_stop(s);
        return e->code;
    }
    *out_server = s;
    return ERR_OK;
}

unsigned server_port(const struct server *s)
{
    return s->port;
}

/* Give the requests under way their time. */
static void drain(struct server *s)
{
    const struct timespec tick = {.tv_nsec = STOP_TICK_MS * 1000000};

    for (int i = 0; i < HTTP_STOP_SECONDS * 1000 / STOP_TICK_MS; i++) {
        (void)nanosleep(&tick, NULL); /* An early end only means one more look. */
        if (!connections_are_busy(s->connections))
            return;
    }
}

void server_stop(struct server *s)
{
    if (!s)
        return;
    if (s->daemon) {
        atomic_store(&s->is_stopping, true);
        drain(s);
        MHD_stop_daemon(s->daemon);
    }
    if (s->listen_fd >= 0)
        (void)close(s->listen_fd); /* Nothing was written to it. */
    connections_free(s->connections);
    rate_free(s->site.rate);
    if (s->short_reply)
        MHD_destroy_response(s->short_reply);
    free(s);
}
