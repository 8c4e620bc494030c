/* A hash table of entries, each in a list by last use. One lock guards both: a look-up holds it for
 * a tenth of a microsecond, so that threads do not wait for each other. */
#include "server/cache.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* What an entry takes beside its key and its body: this struct, and the library's response with a
 * dozen headers, measured with malloc_usable_size. */
enum { ENTRY_BYTES = 2048 };

/* No single reply may push out more than this share of the others. */
enum { LARGEST_SHARE = 8 };

/* users:  who may still look at it, the table being one of them
 * chain:  next entry of the same bucket
 * newer, older: neighbours in the list by last use */
struct cache_entry {
    struct cache_reply reply;
    atomic_uint users;
    uint64_t hash;
    size_t bytes;
    struct cache_entry *chain;
    struct cache_entry *newer;
    struct cache_entry *older;
    size_t key_len;
    char key[];
};

/* buckets: a power of two of them, so many that a full cache has at most one entry in each
 * secret:  makes hashes that nobody outside can foresee; odd
 * lock:    guards buckets, newest, oldest and counts */
struct cache {
    size_t limit_bytes;
    uint64_t secret;
    _Atomic uint64_t generation;
    pthread_mutex_t lock;
    struct cache_entry **buckets;
    size_t bucket_count;
    struct cache_entry *newest;
    struct cache_entry *oldest;
    struct cache_counts counts;
};

enum err_code cache_new(size_t limit_bytes, struct cache **out_cache, struct err *e)
{
    struct cache *c = mem_array(1, sizeof *c);

    if (!c)
        return err_nomem(e);
    c->limit_bytes = limit_bytes;
    c->bucket_count = 1;
    while (c->bucket_count < limit_bytes / ENTRY_BYTES)
        c->bucket_count *= 2;
    c->buckets = mem_array(c->bucket_count, sizeof(struct cache_entry *));
    if (!c->buckets || pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c->buckets);
        free(c);
        return err_nomem(e);
    }
    if (getrandom(&c->secret, sizeof c->secret, 0) != sizeof c->secret) {
        cache_free(c);
        return err_set(e, ERR_IO, "the system has no random numbers");
    }
    c->secret |= 1;
    *out_cache = c;
    return ERR_OK;
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    cache_clear(c);
    (void)pthread_mutex_destroy(&c->lock); /* Nobody holds it. */
    free(c->buckets);
    free(c);
}

uint64_t cache_generation(const struct cache *c)
{
    return atomic_load(&c->generation);
}

/* Hash by multiplying with a secret and folding, eight bytes a step. */
static uint64_t hash_of(const struct cache *c, const char *key, size_t len)
{
    uint64_t hash = c->secret ^ len;

    while (len > 0) {
        uint64_t word = 0;
        size_t part = len < sizeof word ? len : sizeof word;

        memcpy(&word, key, part);
        hash = (hash ^ word) * c->secret;
        hash ^= hash >> 32;
        key += part;
        len -= part;
    }
    return hash;
}

static void lock(struct cache *c)
{
    (void)pthread_mutex_lock(&c->lock); /* Fails only for a broken mutex. */
}

static void unlock(struct cache *c)
{
    (void)pthread_mutex_unlock(&c->lock); /* Likewise. */
}

/* The place that points to an entry with this key, or to NULL at the end of its bucket. */
static struct cache_entry **find(struct cache *c, uint64_t hash, const void *key, size_t key_len)
{
    struct cache_entry **at = &c->buckets[hash & (c->bucket_count - 1)];

    while (*at && ((*at)->hash != hash || (*at)->key_len != key_len ||
                   memcmp((*at)->key, key, key_len) != 0))
        at = &(*at)->chain;
    return at;
}

/* Put an entry at the new end of the list. */
static void link_newest(struct cache *c, struct cache_entry *entry)
{
    entry->newer = NULL;
    entry->older = c->newest;
    if (c->newest)
        c->newest->newer = entry;
    else
        c->oldest = entry;
    c->newest = entry;
}

static void unlink_entry(struct cache *c, struct cache_entry *entry)
{
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        c->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        c->oldest = entry->newer;
}

struct cache_entry *cache_get(struct cache *c, const void *key, size_t key_len)
{
    uint64_t hash = hash_of(c, key, key_len);
    struct cache_entry *entry;

    lock(c);
    entry = *find(c, hash, key, key_len);
    if (entry) {
        (void)atomic_fetch_add(&entry->users, 1);
        if (entry != c->newest) {
            unlink_entry(c, entry);
            link_newest(c, entry);
        }
        c->counts.hits++;
    } else {
        c->counts.misses++;
    }
    unlock(c);
    return entry;
}

static void free_reply(struct cache_reply *reply)
{
    if (reply->response)
        reply->free_response(reply->response);
    free(reply->body);
}

void cache_release(struct cache_entry *entry)
{
    if (!entry || atomic_fetch_sub(&entry->users, 1) > 1)
        return;
    free_reply(&entry->reply);
    free(entry);
}

/* Take the oldest entries out of the table until bytes are free, the lock being held.
 *
 * returns them, by chain, for release_all to end without the lock */
static struct cache_entry *make_room(struct cache *c, size_t bytes)
{
    struct cache_entry *gone = NULL;

    while (c->oldest && c->counts.bytes + bytes > c->limit_bytes) {
        struct cache_entry *entry = c->oldest;
        struct cache_entry **at = find(c, entry->hash, entry->key, entry->key_len);

        assert(!entry->older);
        *at = entry->chain;
        unlink_entry(c, entry);
        c->counts.bytes -= entry->bytes;
        c->counts.entries--;
        c->counts.evictions++;
        entry->chain = gone;
        gone = entry;
    }
    return gone;
}

static void release_all(struct cache_entry *gone)
{
    while (gone) {
        struct cache_entry *next = gone->chain;

        cache_release(gone);
        gone = next;
    }
}

void cache_clear(struct cache *c)
{
    struct cache_entry *gone;
    uint64_t evictions;

    lock(c);
    (void)atomic_fetch_add(&c->generation, 1);
    evictions = c->counts.evictions;
    gone = make_room(c, c->limit_bytes + 1);
    c->counts.evictions = evictions; /* Nothing left for want of room. */
    unlock(c);
    release_all(gone);
}

struct cache_entry *cache_put_take(struct cache *c, uint64_t generation, const void *key,
                                   size_t key_len, struct cache_reply *reply)
{
    struct cache_entry *entry = malloc(sizeof *entry + key_len);
    struct cache_entry *gone = NULL;
    struct cache_entry **at;

    if (!entry) {
        free_reply(reply);
        return NULL;
    }
    *entry = (struct cache_entry){.reply = *reply,
                                  .users = 1,
                                  .hash = hash_of(c, key, key_len),
                                  .bytes = ENTRY_BYTES + key_len + reply->body_len,
                                  .key_len = key_len};
    memcpy(entry->key, key, key_len);
    if (entry->bytes > c->limit_bytes / LARGEST_SHARE)
        return entry;
    lock(c);
    at = find(c, entry->hash, key, key_len);
    if (!*at && atomic_load(&c->generation) == generation) {
        entry->users = 2;
        gone = make_room(c, entry->bytes);
        at = find(c, entry->hash, key, key_len); /* Its bucket may have changed. */
        *at = entry;
        link_newest(c, entry);
        c->counts.bytes += entry->bytes;
        c->counts.entries++;
    }
    unlock(c);
    release_all(gone);
    return entry;
}

const struct cache_reply *cache_entry_reply(const struct cache_entry *entry)
{
    return &entry->reply;
}

struct cache_counts cache_count(struct cache *c)
{
    struct cache_counts counts;

    lock(c);
    counts = c->counts;
    unlock(c);
    return counts;
}
