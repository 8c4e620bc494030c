/* Whole replies that are sent again and again, bounded in bytes: the ones asked for least recently
 * leave first, and all of them when what they were made from changes. It knows no endpoint and no
 * library: a request is a key of bytes here. Every function may be called by many threads. */
#ifndef SERVER_CACHE_H
#define SERVER_CACHE_H

#include "base/err.h"
#include "server/conditional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache;
struct cache_entry;
struct http_endpoint;

/* One reply.
 *
 * body:     body_len bytes, ended with free(); what response sends
 * etag:     of the body
 * endpoint: whose reply it is
 * response: the HTTP library's object with headers and body, ended with free_response */
struct cache_reply {
    char *body;
    size_t body_len;
    char etag[HTTP_ETAG_BYTES];
    const struct http_endpoint *endpoint;
    void *response;
    void (*free_response)(void *response);
};

/* What became of the requests that asked, and what is kept now. */
struct cache_counts {
    uint64_t hits;
    uint64_t misses;
    uint64_t evictions;
    size_t entries;
    size_t bytes;
};

/* Make an empty cache.
 *
 * limit_bytes: of all entries together, bodies, keys and headers, > 0
 * Errors: ERR_NOMEM; ERR_IO if the system has no random numbers.
 * Owns:   the caller ends with cache_free, once no entry is lent any more. */
MUST_USE enum err_code cache_new(size_t limit_bytes, struct cache **out_cache, struct err *e);

/* Release the cache with what it keeps. NULL is fine. */
void cache_free(struct cache *c);

/* A number that changes with cache_clear. Whoever makes a reply asks before reading what it is made
 * from, and hands the number to cache_put. */
uint64_t cache_generation(const struct cache *c);

/* Forget everything: what replies are made from has changed. Replies that are being sent live on.
 */
void cache_clear(struct cache *c);

/* Look a request up.
 *
 * returns NULL if there is no reply to it
 * Owns: the caller ends with cache_release. */
struct cache_entry *cache_get(struct cache *c, const void *key, size_t key_len);

/* Wrap a reply up for sending, and keep it for those who ask next, unless the cache was cleared
 * since the generation was asked for, the reply is larger than an eighth of the cache, or another
 * thread was faster.
 *
 * reply:   swallowed, on failure too
 * returns  NULL if memory is short
 * Owns:    the caller ends with cache_release. */
struct cache_entry *cache_put_take(struct cache *c, uint64_t generation, const void *key,
                                   size_t key_len, struct cache_reply *reply);

/* What is in an entry. Lent until cache_release. */
const struct cache_reply *cache_entry_reply(const struct cache_entry *entry);

/* Give an entry back. NULL is fine. */
void cache_release(struct cache_entry *entry);

/* What there is now, and what became of all look-ups so far. */
struct cache_counts cache_count(struct cache *c);

#endif
