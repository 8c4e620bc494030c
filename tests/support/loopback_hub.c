/* Raw sockets and one thread for each connection: a server that can break every rule. */
#include "tests/support/loopback_hub.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tests/support/loopback_answer.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 200, REQUESTS = 2000, SLOW_MS = 20, HEAD_BYTES = 8192 };

struct connection {
    struct loopback_hub *hub;
    enum loopback_port port;
    pthread_t thread;
    int fd;
    char head[HEAD_BYTES];
    size_t head_len;
};

/* connections is a ring. lock guards requests, request_count and fault_hits. A connection's fd is
 * closed only after its thread has ended. delay_ms and busy_ns are the whole hub's. */
struct loopback_hub {
    const struct hub_repo *repos;
    size_t count;
    const struct loopback_fault *faults;
    size_t fault_count;
    int listeners[LOOPBACK_PORTS];
    char origins[LOOPBACK_PORTS][40];
    int wake[2];
    pthread_t thread;
    struct connection *connections[CONNECTIONS];
    size_t connection_count;
    pthread_mutex_t lock;
    struct loopback_request *requests;
    size_t request_count;
    unsigned *fault_hits;
    atomic_uint delay_ms;
    atomic_llong busy_ns;
};

static bool send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

/* Wait until the client hangs up or so long; true if it is still there. */
static bool is_waiting(int fd, int ms)
{
    struct pollfd watched = {.fd = fd, .events = POLLRDHUP};

    return poll(&watched, 1, ms) == 0;
}

static void send_endless(int fd, const char *start, const char *part)
{
    bool is_sent = send_all(fd, start, strlen(start));

    while (is_sent)
        is_sent = send_all(fd, part, strlen(part));
}

/* Send the bytes from..to of a body, the last one not included. */
static bool send_body(int fd, const struct loopback_answer *a, int64_t from, int64_t to,
                      bool is_slow)
{
    static const char zeros[16384];

    while (from < to) {
        bool is_data = from < (int64_t)a->len;
        int64_t left = (is_data && to > (int64_t)a->len ? (int64_t)a->len : to) - from;
        int64_t part = is_slow                                   ? 1
                       : is_data || left < (int64_t)sizeof zeros ? left
                                                                 : (int64_t)sizeof zeros;

        if (!send_all(fd, is_data ? a->bytes + from : zeros, (size_t)part))
            return false;
        if (is_slow && !is_waiting(fd, SLOW_MS))
            return false;
        from += part;
    }
    return true;
}

/* Send an answer; false if the connection cannot be used again. */
static bool send_answer(const struct connection *c, const struct loopback_answer *a,
                        const struct loopback_request *request, const struct loopback_fault *fault)
{
    enum loopback_kind kind = fault ? fault->kind : LOOPBACK_EDIT;
    bool has_range = a->status == 200 && request->range[0] && kind != LOOPBACK_NO_RANGE &&
                     kind != LOOPBACK_CHUNKED;
    int64_t first = 0;
    int64_t last = a->size - 1;
    struct buf head;
    bool is_sent;

    if (has_range && sscanf(request->range, "bytes=%" SCNd64 "-%" SCNd64, &first, &last) != 2)
        return false;
    if (last >= a->size)
        last = a->size - 1;
    buf_init(&head, 100000);
    buf_printf(&head, "HTTP/1.1 %d Status\r\n", has_range ? 206 : a->status);
    buf_puts(&head, buf_text(&a->headers));
    if (has_range && !strstr(buf_text(&a->headers), "Content-Range"))
        buf_printf(&head, "Content-Range: bytes %" PRId64 "-%" PRId64 "/%" PRId64 "\r\n", first,
                   last, a->size);
    if (kind != LOOPBACK_CHUNKED)
        buf_printf(&head, "Content-Length: %" PRId64 "\r\n", last - first + 1);
    else
        buf_puts(&head, "Connection: close\r\n");
    buf_puts(&head, "\r\n");
    is_sent = send_all(c->fd, buf_text(&head), head.len);
    buf_done(&head);
    if (kind == LOOPBACK_CUT)
        last = first + (last - first) / 2 - 1;
    return is_sent && send_body(c->fd, a, first, last + 1, kind == LOOPBACK_SLOW) &&
           kind != LOOPBACK_CUT && kind != LOOPBACK_CHUNKED;
}

/* Answer as a fault says that needs no true answer; false: it needs one. */
static bool misbehave(int fd, const struct loopback_fault *fault)
{
    switch (fault->kind) {
    case LOOPBACK_CLOSE:
        return true;
    case LOOPBACK_SILENT:
        return !is_waiting(fd, -1);
    case LOOPBACK_ENDLESS:
        send_endless(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                     "20\r\n[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5\r\n");
        return true;
    case LOOPBACK_ENDLESS_HEADERS:
        send_endless(fd, "HTTP/1.1 200 OK\r\n", "X-More: and more and more and more\r\n");
        return true;
    case LOOPBACK_REPLY:
    case LOOPBACK_EDIT:
    case LOOPBACK_NO_RANGE:
    case LOOPBACK_CHUNKED:
    case LOOPBACK_CUT:
    case LOOPBACK_SLOW:
        return false;
    }
    return false;
}

/* Find the fault for a request and count its use. */
static const struct loopback_fault *find_fault(struct loopback_hub *hub,
                                               const struct loopback_request *request)
{
    for (size_t i = 0; i < hub->fault_count; i++) {
        const struct loopback_fault *fault = &hub->faults[i];
        unsigned hits;

        if (fault->port != request->port || !strstr(request->path, fault->path))
            continue;
        hits = hub->fault_hits[i]++;
        if (hits >= fault->skip && (fault->times == 0 || hits < fault->skip + fault->times))
            return fault;
    }
    return NULL;
}

static bool handle(struct connection *c, const struct loopback_request *request)
{
    struct loopback_hub *hub = c->hub;
    const struct loopback_fault *fault;
    const char *const origins[] = {hub->origins[LOOPBACK_HUB], hub->origins[LOOPBACK_STORAGE]};
    struct loopback_answer a;
    char path[sizeof request->path];
    bool is_kept;

    (void)snprintf(path, sizeof path, "%.*s", (int)strcspn(request->path, "?"), request->path);
    loopback_need(pthread_mutex_lock(&hub->lock) == 0, "lock");
    if (hub->request_count < REQUESTS)
        hub->requests[hub->request_count++] = *request;
    fault = find_fault(hub, request);
    loopback_need(pthread_mutex_unlock(&hub->lock) == 0, "unlock");
    if (fault && misbehave(c->fd, fault))
        return false;
    loopback_answer_make(hub->repos, hub->count, origins, c->port, path, fault, &a);
    is_kept = send_answer(c, &a, request, fault);
    loopback_answer_done(&a);
    return is_kept;
}

static void copy_header(const char *head, const char *name, char *out, size_t size)
{
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        size_t len = strlen(name);

        if (strncasecmp(line + 2, name, len) != 0 || line[2 + len] != ':')
            continue;
        line += 2 + len + 1;
        line += strspn(line, " ");
        (void)snprintf(out, size, "%.*s", (int)strcspn(line, "\r"), line);
        return;
    }
}

/* Read up to the empty line and take that out of the connection's bytes; false at the end. */
static bool read_request(struct connection *c, struct loopback_request *out_request)
{
    struct loopback_request request = {.port = c->port};
    const char *path;
    char *end;
    size_t used;

    while ((end = strstr(c->head, "\r\n\r\n")) == NULL) {
        ssize_t got = recv(c->fd, c->head + c->head_len, HEAD_BYTES - 1 - c->head_len, 0);

        if (got <= 0)
            return false;
        c->head_len += (size_t)got;
        c->head[c->head_len] = '\0';
    }
    end[2] = '\0';
    path = strchr(c->head, ' ');
    if (!path)
        return false;
    (void)snprintf(request.path, sizeof request.path, "%.*s", (int)strcspn(path + 1, " "),
                   path + 1);
    copy_header(c->head, "Range", request.range, sizeof request.range);
    copy_header(c->head, "Authorization", request.authorization, sizeof request.authorization);
    copy_header(c->head, "User-Agent", request.user_agent, sizeof request.user_agent);
    copy_header(c->head, "Accept-Encoding", request.accept_encoding,
                sizeof request.accept_encoding);
    used = (size_t)(end + 4 - c->head);
    c->head_len -= used;
    memmove(c->head, c->head + used, c->head_len + 1);
    *out_request = request;
    return true;
}

static void *serve_connection(void *ctx)
{
    struct connection *c = ctx;
    struct loopback_request request;
    bool is_kept = true;

    while (is_kept && read_request(c, &request)) {
        int64_t begun = clock_steady_ns();

        if (c->hub->delay_ms > 0)
            (void)poll(NULL, 0, (int)c->hub->delay_ms); /* Ends early for a signal alone. */
        is_kept = handle(c, &request);
        c->hub->busy_ns += clock_steady_ns() - begun;
    }
    (void)shutdown(c->fd, SHUT_RDWR); /* The client may be gone already. */
    return NULL;
}

static void end_connection(struct connection *c)
{
    if (!c)
        return;
    (void)shutdown(c->fd, SHUT_RDWR); /* The client may be gone already. */
    loopback_need(pthread_join(c->thread, NULL) == 0, "join");
    (void)close(c->fd);
    free(c);
}

/* The oldest connection makes room where there are too many. */
static void accept_connection(struct loopback_hub *hub, enum loopback_port port)
{
    struct connection **slot = &hub->connections[hub->connection_count % CONNECTIONS];
    struct connection *c = mem_array(1, sizeof *c);
    const int on = 1;

    loopback_need(c, "memory");
    c->hub = hub;
    c->port = port;
    c->fd = accept4(hub->listeners[port], NULL, NULL, SOCK_CLOEXEC);
    if (c->fd < 0) {
        free(c);
        return;
    }
    /* An answer is sent in parts; without this each part would wait for the one before. */
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* Only time is lost. */
    loopback_need(pthread_create(&c->thread, NULL, serve_connection, c) == 0, "thread");
    end_connection(*slot);
    *slot = c;
    hub->connection_count++;
}

static void *serve(void *ctx)
{
    struct loopback_hub *hub = ctx;
    struct pollfd watched[LOOPBACK_PORTS + 1] = {
        {.fd = hub->listeners[LOOPBACK_HUB], .events = POLLIN},
        {.fd = hub->listeners[LOOPBACK_STORAGE], .events = POLLIN},
        {.fd = hub->wake[0], .events = POLLIN},
    };

    while (poll(watched, COUNT_OF(watched), -1) >= 0 && !watched[LOOPBACK_PORTS].revents)
        for (int port = 0; port < LOOPBACK_PORTS; port++)
            if (watched[port].revents)
                accept_connection(hub, (enum loopback_port)port);
    return NULL;
}

static void open_port(struct loopback_hub *hub, enum loopback_port port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    loopback_need(fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 &&
                      listen(fd, 64) == 0 &&
                      getsockname(fd, (struct sockaddr *)&address, &len) == 0,
                  "loopback port");
    hub->listeners[port] = fd;
    /* Fits: an address of nine characters and a port of five. */
    (void)snprintf(hub->origins[port], sizeof hub->origins[port], "http://127.0.0.1:%u",
                   ntohs(address.sin_port));
}

struct loopback_hub *loopback_hub_start(const struct hub_repo *repos, size_t count,
                                        const struct loopback_fault *faults, size_t fault_count)
{
    struct loopback_hub *hub = mem_array(1, sizeof *hub);

    loopback_need(hub, "memory");
    hub->repos = repos;
    hub->count = count;
    hub->faults = faults;
    hub->fault_count = fault_count;
    hub->requests = mem_array(REQUESTS, sizeof *hub->requests);
    hub->fault_hits = mem_array(fault_count, sizeof *hub->fault_hits);
    loopback_need(hub->requests && hub->fault_hits && pipe(hub->wake) == 0, "memory");
    loopback_need(pthread_mutex_init(&hub->lock, NULL) == 0, "lock");
    for (int port = 0; port < LOOPBACK_PORTS; port++)
        open_port(hub, (enum loopback_port)port);
    loopback_need(pthread_create(&hub->thread, NULL, serve, hub) == 0, "thread");
    return hub;
}

void loopback_hub_stop(struct loopback_hub *hub)
{
    loopback_need(write(hub->wake[1], "", 1) == 1, "wake");
    loopback_need(pthread_join(hub->thread, NULL) == 0, "join");
    for (size_t i = 0; i < CONNECTIONS; i++)
        end_connection(hub->connections[i]);
    for (int port = 0; port < LOOPBACK_PORTS; port++)
        (void)close(hub->listeners[port]);
    (void)close(hub->wake[0]);
    (void)close(hub->wake[1]);
    (void)pthread_mutex_destroy(&hub->lock); /* Nobody holds it any more. */
    free(hub->fault_hits);
    free(hub->requests);
    free(hub);
}

void loopback_hub_delay(struct loopback_hub *hub, unsigned delay_ms)
{
    hub->delay_ms = delay_ms;
}

int64_t loopback_hub_busy_ns(struct loopback_hub *hub)
{
    return hub->busy_ns;
}

const char *loopback_hub_origin(const struct loopback_hub *hub, enum loopback_port port)
{
    return hub->origins[port];
}

bool loopback_hub_request(struct loopback_hub *hub, size_t n, struct loopback_request *out_request)
{
    bool is_there;

    loopback_need(pthread_mutex_lock(&hub->lock) == 0, "lock");
    is_there = n < hub->request_count;
    if (is_there)
        *out_request = hub->requests[n];
    loopback_need(pthread_mutex_unlock(&hub->lock) == 0, "unlock");
    return is_there;
}

size_t loopback_hub_count(struct loopback_hub *hub, enum loopback_port port, const char *path)
{
    struct loopback_request request;
    size_t count = 0;

    for (size_t i = 0; loopback_hub_request(hub, i, &request); i++)
        count += request.port == port && strstr(request.path, path);
    return count;
}
