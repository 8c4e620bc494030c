/* One request and its answer: what is judged of it, in which order, and what becomes of its body.
 * It knows no socket; server/mhd.c feeds it. */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "base/log.h"
#include "server/address.h"
#include "server/answer.h"
#include "server/cache.h"
#include "server/metrics.h"
#include "server/rate.h"

#include <stdatomic.h>

/* What all exchanges of a server share.
 *
 * routes, app, log: as server_start has them
 * trusted: proxies; NULL: none
 * rate:    how many requests each client may make; NULL: any number
 * metrics: what requests are counted in; NULL: nothing
 * cache:   replies that were made before; NULL: each is made anew
 * id_seed: random, so that two servers never make the same ids
 * id_next: ids made so far */
struct exchange_site {
    const struct http_routes *routes;
    void *app;
    const struct log *log;
    const struct net_block *trusted;
    struct rate *rate;
    struct metrics *metrics;
    struct cache *cache;
    uint64_t id_seed;
    _Atomic uint64_t id_next;
};

/* One exchange.
 *
 * client:     who asks, behind a trusted proxy if there is one
 * method:     as sent, cut after a few letters; for the log
 * is_judged:  whether exchange_judge was called
 * problem:    why the request is refused; NULL: it is good so far. error has the details
 * redirect:   path without the slash at its end; NULL: none was there
 * key:        what the cache knows the request by; empty: its reply is not for the cache
 * generation: of the cache, before anything was read for the reply
 * kept:       the reply, made before; NULL: it must be made
 * body_limit: bytes that the body may have
 * body_read:  bytes that came so far, kept or not
 * status:     what was answered; 0: nothing yet
 * sent_bytes: of the answer's body
 * is_cut:     the answer was given up before its end; for the log */
struct exchange {
    const struct exchange_site *site;
    struct http_request request;
    struct http_reply reply;
    struct net_address client;
    const char *method;
    bool is_judged;
    const struct err_kind *problem;
    struct err error;
    const char *redirect;
    struct buf key;
    uint64_t generation;
    struct cache_entry *kept;
    size_t body_limit;
    uint64_t body_read;
    int64_t started_ns;
    int status;
    size_t sent_bytes;
    bool is_cut;
};

/* Start an exchange when the request's first line has come.
 *
 * peer: at the other end of the connection */
void exchange_init(struct exchange *x, struct exchange_site *site, const struct net_address *peer);

/* Release it. */
void exchange_done(struct exchange *x);

/* Take a line of the head; as http_fields_add. */
void exchange_field(struct exchange *x, const char *name, const char *value);

/* Judge the head, once all its lines have come. What is wrong is kept in x.
 *
 * method, target: of the request's first line; NULL target: it could not be read
 * is_http_1_1:    or only HTTP/1.0
 * returns whether to answer at once, and to close the connection after it, because the end of the
 *         body cannot be known, or because the client waits to be told to send a body that will not
 *         be taken, or one that is too long to throw away */
bool exchange_judge(struct exchange *x, const char *method, const char *target, bool is_http_1_1);

/* Take a part of the body.
 *
 * returns false if the client sends so much that the connection must be cut */
bool exchange_body(struct exchange *x, const char *bytes, size_t len);

/* Answer, once the whole request has come.
 *
 * Errors: ERR_NOMEM; there is no answer then.
 * Owns:   the caller ends with http_answer_done, before exchange_done. */
MUST_USE enum err_code exchange_answer(struct exchange *x, struct http_answer *out_answer,
                                       struct err *e);

/* Tell whether an answer is one that others may get too: it has an entity tag, and its request a
 * key. */
bool exchange_is_shared(const struct exchange *x, const struct http_answer *answer);

/* Answer with the reply in x->kept.
 *
 * returns the status: 200, or 304 if the client has it already */
int exchange_answer_kept(struct exchange *x);

/* Read on in the body of an answer that has a stream. What was read is counted as sent.
 *
 * size:    room in out, > 0
 * out_len: bytes that were read; 0: the body has ended
 * returns false if it cannot go on, which is logged: the connection must be cut */
bool exchange_read(struct exchange *x, char *out, size_t size, size_t *out_len);

/* Count the request, and write its line into the access log. */
void exchange_log(const struct exchange *x);

#endif
