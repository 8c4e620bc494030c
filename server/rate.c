/* The generic cell rate algorithm (ITU-T I.371): of each client only the time is kept at which all
 * that it took would be given back. */
#include "server/rate.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

/* Sets that clients fall into, and clients of one set. 32k clients take 768 kB. */
enum { SETS = 4096, WAYS = 8 };

/* Locks; each guards every LOCKSth set. */
enum { LOCKS = 64 };

static const int64_t ns_per_second = 1000000000;

/* A client and when it is even; in the past: it took nothing, and the place is free. */
struct client {
    uint64_t prefix;
    uint64_t rest;
    int64_t even_ns;
};

/* step_ns: what one request costs; burst_ns: what may be owed */
struct rate {
    unsigned requests;
    int64_t step_ns;
    int64_t burst_ns;
    uint64_t seed;
    pthread_mutex_t locks[LOCKS];
    struct client clients[SETS][WAYS];
};

enum err_code rate_new(unsigned requests, uint64_t seed, struct rate **out_rate, struct err *e)
{
    struct rate *rate = mem_array(1, sizeof *rate);
    size_t made = 0;

    if (!rate)
        return err_nomem(e);
    rate->requests = requests;
    rate->step_ns = RATE_WINDOW_SECONDS * ns_per_second / requests;
    rate->burst_ns = rate->step_ns * requests;
    rate->seed = seed;
    while (made < LOCKS && pthread_mutex_init(&rate->locks[made], NULL) == 0)
        made++;
    if (made == LOCKS) {
        *out_rate = rate;
        return ERR_OK;
    }
    while (made > 0)
        (void)pthread_mutex_destroy(&rate->locks[--made]); /* Nobody holds it. */
    free(rate);
    return err_nomem(e);
}

void rate_free(struct rate *rate)
{
    if (!rate)
        return;
    for (size_t i = 0; i < LOCKS; i++)
        (void)pthread_mutex_destroy(&rate->locks[i]); /* Nobody holds it. */
    free(rate);
}

/* The two halves of an address, the second one left out where a line has all of them. */
static struct client client_of(const struct net_address *address)
{
    struct client client = {0};

    for (size_t i = 0; i < 8; i++)
        client.prefix = client.prefix << 8 | address->bytes[i];
    if (net_address_is_ipv4(address))
        for (size_t i = 8; i < 16; i++)
            client.rest = client.rest << 8 | address->bytes[i];
    return client;
}

/* The finalizer of splitmix64 (Steele et al. 2014), seeded. */
static size_t set_of(const struct rate *rate, const struct client *client)
{
    uint64_t z = rate->seed ^ client->prefix * 0x9E3779B97F4A7C15u ^ client->rest;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % SETS;
}

/* Find the client's place in its set, or take that of who owes least. */
static struct client *find(struct client set[WAYS], const struct client *wanted)
{
    struct client *least = &set[0];

    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].prefix == wanted->prefix && set[i].rest == wanted->rest)
            return &set[i];
        if (set[i].even_ns < least->even_ns)
            least = &set[i];
    }
    *least = *wanted;
    return least;
}

unsigned rate_take(struct rate *rate, const struct net_address *address, int64_t now_ns)
{
    const struct client wanted = client_of(address);
    size_t set = set_of(rate, &wanted);
    pthread_mutex_t *lock = &rate->locks[set % LOCKS];
    unsigned wait_seconds = 0;
    struct client *client;
    int64_t even_ns;

    (void)pthread_mutex_lock(lock); /* Fails only for a broken mutex. */
    client = find(rate->clients[set], &wanted);
    even_ns = (client->even_ns > now_ns ? client->even_ns : now_ns) + rate->step_ns;
    if (even_ns - now_ns <= rate->burst_ns)
        client->even_ns = even_ns;
    else
        wait_seconds = (unsigned)((even_ns - now_ns - rate->burst_ns - 1) / ns_per_second + 1);
    (void)pthread_mutex_unlock(lock);
    return wait_seconds;
}

unsigned rate_requests(const struct rate *rate)
{
    return rate->requests;
}
