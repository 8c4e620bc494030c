/* Connections in buckets by address, and the thread that looks through them. */
#include "server/connections.h"

#include "base/clock.h"
#include "base/mem.h"
#include "server/limits.h"

#include <linux/tcp.h> /* The C library's copy lacks tcpi_bytes_received. */
#include <netinet/in.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
    BUCKETS = 256,    /* a fourth of the connections that a server has by default */
    SHARED_BITS = 64, /* of IPv6 addresses that are taken for one client: one line's */
    IPV4_BITS = 128,  /* an IPv4 address counts for itself */
    TICK_MS = 200     /* how late a client may be cut off; looking costs 1 us each */
};

static const int64_t ns_per_second = 1000000000;

/* States of a deadline that is not set: nothing came of the next request. In the first the thread
 * has yet to note how many bytes had come before. */
enum { WAITING_NEW = -1, WAITING = 0 };

/* One connection.
 *
 * deadline_ns: when its request, or its reply, must be through; or one of the states above
 * seen_bytes:  received when the wait began; the thread's alone */
struct connection {
    struct connection *next;
    struct connection *prev;
    int fd;
    struct net_address peer;
    uint64_t seen_bytes;
    _Atomic int64_t deadline_ns;
    atomic_bool is_busy;
};

/* lock guards the buckets, is_ending, and every socket against being closed while the thread shuts
 * it down. */
struct connections {
    pthread_mutex_t lock;
    pthread_cond_t ending;
    pthread_t thread;
    bool is_ending;
    unsigned per_address;
    int64_t request_ns;
    const struct net_block *exempt;
    struct connection *buckets[BUCKETS];
};

static unsigned client_bits(const struct net_address *address)
{
    return net_address_is_ipv4(address) ? IPV4_BITS : SHARED_BITS;
}

/* Addresses of one client fall into one bucket. */
static struct connection **bucket_of(struct connections *cs, const struct net_address *address)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a, 64 bits. */

    for (unsigned i = 0; i < client_bits(address) / 8; i++)
        hash = (hash ^ address->bytes[i]) * 1099511628211u;
    return &cs->buckets[(hash ^ hash >> 32) % BUCKETS];
}

static bool has_room(struct connections *cs, const struct net_address *peer)
{
    unsigned bits = client_bits(peer);
    unsigned count = 0;

    if (cs->exempt && net_block_has(cs->exempt, peer))
        return true;
    for (struct connection *c = *bucket_of(cs, peer); c; c = c->next)
        if (net_address_is_near(&c->peer, peer, bits))
            count++;
    return count < cs->per_address;
}

/* Bytes that a socket received so far; 0 if the kernel does not tell. */
static uint64_t received_bytes(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 ? info.tcpi_bytes_received : 0;
}

/* Note the first byte of a request, and cut the connection off when its time is over. */
static void look_at(struct connections *cs, struct connection *c, int64_t now)
{
    int64_t deadline = atomic_load(&c->deadline_ns);

    if (deadline == WAITING_NEW) {
        c->seen_bytes = received_bytes(c->fd);
        (void)atomic_compare_exchange_strong(&c->deadline_ns, &deadline, WAITING);
    } else if (deadline == WAITING) {
        if (received_bytes(c->fd) != c->seen_bytes)
            (void)atomic_compare_exchange_strong(&c->deadline_ns, &deadline, now + cs->request_ns);
    } else if (now > deadline) {
        (void)shutdown(c->fd, SHUT_RDWR); /* Fails where the client was quicker. */
    }
}

static void wait_a_tick(struct connections *cs)
{
    struct timespec until;
    int64_t ns;

    (void)clock_gettime(CLOCK_MONOTONIC, &until); /* Fails only for a clock that does not exist. */
    ns = until.tv_nsec + (int64_t)TICK_MS * 1000000;
    until.tv_sec += ns / ns_per_second;
    until.tv_nsec = ns % ns_per_second;
    (void)pthread_cond_timedwait(&cs->ending, &cs->lock,
                                 &until); /* Late or early, both are fine. */
}

static void *run(void *arg)
{
    struct connections *cs = arg;

    (void)pthread_mutex_lock(&cs->lock);
    while (!cs->is_ending) {
        int64_t now = clock_steady_ns();

        for (size_t i = 0; i < BUCKETS; i++)
            for (struct connection *c = cs->buckets[i]; c; c = c->next)
                look_at(cs, c, now);
        wait_a_tick(cs);
    }
    (void)pthread_mutex_unlock(&cs->lock);
    return NULL;
}

/* Make the lock and the condition; the latter on the clock that is never set back. */
static bool init_lock(struct connections *cs)
{
    pthread_condattr_t attr;
    bool is_made;

    if (pthread_condattr_init(&attr) != 0)
        return false;
    is_made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&cs->ending, &attr) == 0;
    (void)pthread_condattr_destroy(&attr); /* Never fails for one that was made. */
    if (is_made && pthread_mutex_init(&cs->lock, NULL) != 0) {
        (void)pthread_cond_destroy(&cs->ending);
        return false;
    }
    return is_made;
}

static void release(struct connections *cs)
{
    (void)pthread_mutex_destroy(&cs->lock);
    (void)pthread_cond_destroy(&cs->ending);
    free(cs);
}

enum err_code connections_new(unsigned per_address, unsigned request_seconds,
                              const struct net_block *exempt, struct connections **out_connections,
                              struct err *e)
{
    struct connections *cs = mem_array(1, sizeof *cs);
    int status;

    if (!cs)
        return err_nomem(e);
    cs->per_address = per_address;
    cs->request_ns = request_seconds * ns_per_second;
    cs->exempt = exempt;
    if (!init_lock(cs)) {
        free(cs);
        return err_nomem(e);
    }
    status = pthread_create(&cs->thread, NULL, run, cs);
    if (status != 0) {
        release(cs);
        return err_set(e, ERR_IO, "cannot start a thread: %s", strerror(status));
    }
    *out_connections = cs;
    return ERR_OK;
}

void connections_free(struct connections *cs)
{
    if (!cs)
        return;
    (void)pthread_mutex_lock(&cs->lock);
    cs->is_ending = true;
    (void)pthread_cond_signal(&cs->ending);
    (void)pthread_mutex_unlock(&cs->lock);
    (void)pthread_join(cs->thread, NULL); /* It was started, and nobody else joins it. */
    release(cs);
}

struct connection *connections_add(struct connections *cs, int fd, const struct net_address *peer)
{
    struct connection *c = mem_array(1, sizeof *c);
    struct connection **bucket = bucket_of(cs, peer);
    bool is_welcome;

    if (!c)
        return NULL;
    c->fd = fd;
    c->peer = *peer;
    atomic_init(&c->deadline_ns, WAITING);
    atomic_init(&c->is_busy, false);
    (void)pthread_mutex_lock(&cs->lock);
    is_welcome = has_room(cs, peer);
    if (is_welcome) {
        c->next = *bucket;
        if (c->next)
            c->next->prev = c;
        *bucket = c;
    }
    (void)pthread_mutex_unlock(&cs->lock);
    if (is_welcome)
        return c;
    free(c);
    return NULL;
}

void connections_remove(struct connections *cs, struct connection *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&cs->lock);
    if (c->prev)
        c->prev->next = c->next;
    else
        *bucket_of(cs, &c->peer) = c->next;
    if (c->next)
        c->next->prev = c->prev;
    (void)pthread_mutex_unlock(&cs->lock);
    free(c);
}

const struct net_address *connection_peer(const struct connection *c)
{
    return &c->peer;
}

void connection_begin(struct connections *cs, struct connection *c)
{
    int64_t waiting = atomic_load(&c->deadline_ns);

    atomic_store(&c->is_busy, true);
    /* The thread may have noted the first byte already, also just now: its deadline stays. */
    while (waiting <= WAITING && !atomic_compare_exchange_weak(&c->deadline_ns, &waiting,
                                                               clock_steady_ns() + cs->request_ns))
        ;
}

void connection_receive(struct connection *c)
{
    atomic_store(&c->deadline_ns, clock_steady_ns() + HTTP_REPLY_SECONDS * ns_per_second);
}

void connection_end(struct connection *c)
{
    atomic_store(&c->deadline_ns, WAITING_NEW);
    atomic_store(&c->is_busy, false);
}

bool connections_are_busy(struct connections *cs)
{
    bool is_busy = false;

    (void)pthread_mutex_lock(&cs->lock);
    for (size_t i = 0; i < BUCKETS && !is_busy; i++)
        for (struct connection *c = cs->buckets[i]; c && !is_busy; c = c->next)
            is_busy = atomic_load(&c->is_busy);
    (void)pthread_mutex_unlock(&cs->lock);
    return is_busy;
}
