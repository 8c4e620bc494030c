/* Counters in shards, and their text. */
#include "server/metrics.h"

#include "base/mem.h"

#include <inttypes.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Sets of counters. Processors beyond share them, which is slower and as right. */
enum { SHARDS = 8, CACHE_LINE_BYTES = 64 };

/* Statuses that are counted for themselves; the place after them is for all others. */
static const int statuses[] = {200, 204, 304, 308, 400, 404, 405, 406, 409, 410,
                               413, 414, 415, 429, 431, 500, 501, 502, 503};

enum { STATUSES = COUNT_OF(statuses) + 1 };

/* Upper ends of the latency histogram, and how Prometheus reads them. A cached reply takes tens of
 * microseconds, a statement is cut off at five seconds. */
static const struct {
    int64_t ns;
    const char *seconds;
} buckets[] = {
    {50000, "0.00005"},    {100000, "0.0001"},  {250000, "0.00025"}, {500000, "0.0005"},
    {1000000, "0.001"},    {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},
    {25000000, "0.025"},   {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"},
    {500000000, "0.5"},    {1000000000, "1.0"}, {2500000000, "2.5"}, {5000000000, "5.0"},
    {10000000000, "10.0"},
};

enum { BUCKETS = COUNT_OF(buckets) + 1 };

/* Counters of one route: requests by status, requests by the bucket they fall into, and what they
 * took in all. */
struct route_counts {
    _Atomic uint64_t statuses[STATUSES];
    _Atomic uint64_t buckets[BUCKETS];
    _Atomic uint64_t duration_ns;
};

/* What one processor counts. The last of the routes is for requests that fitted none. */
struct shard {
    alignas(CACHE_LINE_BYTES) _Atomic uint64_t received;
    _Atomic uint64_t sent;
    _Atomic int64_t connections;
    struct route_counts *routes;
};

/* counts: memory of all shards' routes */
struct metrics {
    const struct http_routes *routes;
    struct route_counts *counts;
    struct shard shards[SHARDS];
};

enum err_code metrics_new(const struct http_routes *routes, struct metrics **out_metrics,
                          struct err *e)
{
    struct metrics *m = aligned_alloc(CACHE_LINE_BYTES, sizeof *m);

    if (!m)
        return err_nomem(e);
    memset(m, 0, sizeof *m);
    m->routes = routes;
    m->counts = mem_array(SHARDS * (routes->count + 1), sizeof *m->counts);
    if (!m->counts) {
        free(m);
        return err_nomem(e);
    }
    for (size_t i = 0; i < SHARDS; i++)
        m->shards[i].routes = m->counts + i * (routes->count + 1);
    *out_metrics = m;
    return ERR_OK;
}

void metrics_free(struct metrics *m)
{
    if (!m)
        return;
    free(m->counts);
    free(m);
}

static struct shard *own_shard(struct metrics *m)
{
    int processor = sched_getcpu();

    return &m->shards[processor > 0 ? (unsigned)processor % SHARDS : 0];
}

/* Orders nothing: a counter says nothing about any other memory. */
static void add(_Atomic uint64_t *counter, uint64_t value)
{
    (void)atomic_fetch_add_explicit(counter, value, memory_order_relaxed); /* Gives the old one. */
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static size_t place_of_status(int status)
{
    size_t i = 0;

    while (i < COUNT_OF(statuses) && statuses[i] != status)
        i++;
    return i;
}

static size_t place_of_duration(int64_t ns)
{
    size_t i = 0;

    while (i < COUNT_OF(buckets) && ns > buckets[i].ns)
        i++;
    return i;
}

void metrics_note(struct metrics *m, const struct metrics_request *request)
{
    struct shard *shard;
    struct route_counts *route;

    if (!m)
        return;
    shard = own_shard(m);
    route = &shard->routes[request->endpoint ? (size_t)(request->endpoint - m->routes->endpoints)
                                             : m->routes->count];
    add(&route->statuses[place_of_status(request->status)], 1);
    add(&route->buckets[place_of_duration(request->duration_ns)], 1);
    add(&route->duration_ns, (uint64_t)request->duration_ns);
    add(&shard->received, request->received);
    add(&shard->sent, request->sent);
}

void metrics_note_connection(struct metrics *m, int change)
{
    if (m)
        (void)atomic_fetch_add_explicit(&own_shard(m)->connections, change, memory_order_relaxed);
}

void metrics_write_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The label of a route. Templates are ours: no letter of them needs escaping. */
static const char *route_name(const struct metrics *m, size_t route)
{
    return route < m->routes->count ? m->routes->endpoints[route].path : "none";
}

static void write_requests(const struct metrics *m, size_t route, struct buf *out)
{
    for (size_t i = 0; i < STATUSES; i++) {
        uint64_t sum = 0;

        for (size_t k = 0; k < SHARDS; k++)
            sum += get(&m->shards[k].routes[route].statuses[i]);
        if (sum == 0)
            continue;
        buf_printf(out, "openrecipes_http_requests_total{route=\"%s\",status=\"",
                   route_name(m, route));
        if (i < COUNT_OF(statuses))
            buf_put_int(out, statuses[i]);
        else
            buf_puts(out, "other");
        buf_printf(out, "\"} %" PRIu64 "\n", sum);
    }
}

/* Buckets are counted as they fall, and written added up; a route that nobody asked has no lines.
 */
static void write_durations(const struct metrics *m, size_t route, struct buf *out)
{
    static const char name[] = "openrecipes_http_request_duration_seconds";
    const char *label = route_name(m, route);
    uint64_t counts[BUCKETS] = {0};
    uint64_t ns = 0;
    uint64_t sum = 0;

    for (size_t k = 0; k < SHARDS; k++) {
        ns += get(&m->shards[k].routes[route].duration_ns);
        for (size_t i = 0; i < BUCKETS; i++)
            counts[i] += get(&m->shards[k].routes[route].buckets[i]);
    }
    for (size_t i = 0; i < BUCKETS; i++)
        sum += counts[i];
    if (sum == 0)
        return;
    sum = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        sum += counts[i];
        buf_printf(out, "%s_bucket{route=\"%s\",le=\"%s\"} %" PRIu64 "\n", name, label,
                   i < COUNT_OF(buckets) ? buckets[i].seconds : "+Inf", sum);
    }
    buf_printf(out, "%s_sum{route=\"%s\"} %" PRIu64 ".%09" PRIu64 "\n", name, label,
               ns / 1000000000, ns % 1000000000);
    buf_printf(out, "%s_count{route=\"%s\"} %" PRIu64 "\n", name, label, sum);
}

static void write_totals(const struct metrics *m, struct buf *out)
{
    uint64_t received = 0;
    uint64_t sent = 0;
    int64_t connections = 0;

    for (size_t k = 0; k < SHARDS; k++) {
        received += get(&m->shards[k].received);
        sent += get(&m->shards[k].sent);
        connections += atomic_load_explicit(&m->shards[k].connections, memory_order_relaxed);
    }
    metrics_write_head(out, "openrecipes_http_received_bytes_total", "counter",
                       "Bytes of request bodies.");
    buf_printf(out, "openrecipes_http_received_bytes_total %" PRIu64 "\n", received);
    metrics_write_head(out, "openrecipes_http_sent_bytes_total", "counter",
                       "Bytes of reply bodies, compressed where they were sent so.");
    buf_printf(out, "openrecipes_http_sent_bytes_total %" PRIu64 "\n", sent);
    metrics_write_head(out, "openrecipes_http_connections", "gauge", "Connections that are open.");
    buf_printf(out, "openrecipes_http_connections %" PRId64 "\n", connections);
}

void metrics_write(const struct metrics *m, struct buf *out)
{
    metrics_write_head(out, "openrecipes_http_requests_total", "counter",
                       "Requests by route and status; route none fitted no route.");
    for (size_t route = 0; route <= m->routes->count; route++)
        write_requests(m, route, out);
    metrics_write_head(out, "openrecipes_http_request_duration_seconds", "histogram",
                       "From a request's first line to the last byte of its reply.");
    for (size_t route = 0; route <= m->routes->count; route++)
        write_durations(m, route, out);
    write_totals(m, out);
}
