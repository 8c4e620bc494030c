/* Files from one service and whatever it redirects to: a queue with a few requests at once,
 * redirects, retries, rate limits. Knows nothing of what is downloaded.
 *
 * The program must ignore SIGPIPE. */
#ifndef IMPORTERS_DOWNLOAD_H
#define IMPORTERS_DOWNLOAD_H

#include "importers/fetch.h"
#include "importers/fetch_headers.h"

#include <stdatomic.h>

/* The queue. */
struct downloads;

/* Redirects that one request may follow, and times that it may be tried again. */
#define DOWNLOAD_REDIRECTS 5
#define DOWNLOAD_RETRIES   5

/* Longest wait, in seconds, that a reply may ask for: the window of the hub's rate limits. */
#define DOWNLOAD_WAIT_LIMIT 300

/* How to download. Zero means the default that stands beside a member.
 *
 * endpoint:    scheme://host[:port][/path]; the token goes to its scheme, host and port alone
 * token:       NULL: none
 * jobs:        requests at once, 32 at most; 0: 8
 * connect_ms:  until a connection stands; 0: 10,000
 * stall_s:     with under 100 bytes a second; 0: 20
 * transfer_ms: of one request, each redirect counted apart; 0: 60,000
 * second_ms:   length of a second of waiting between tries; 0: 1000. Tests shorten it
 * is_stopped:  read a few times a second; once true, all ends. NULL: never */
struct download_config {
    const char *endpoint;
    const char *token;
    unsigned jobs;
    unsigned connect_ms;
    unsigned stall_s;
    unsigned transfer_ms;
    unsigned second_ms;
    atomic_bool *is_stopped;
};

/* Headers that are kept, from the replies of the endpoint itself; a redirect's too. */
enum download_header {
    DOWNLOAD_REPO_COMMIT,
    DOWNLOAD_LINKED_SIZE,
    DOWNLOAD_ERROR_CODE,
    DOWNLOAD_ERROR_MESSAGE,
    DOWNLOAD_HEADERS /* how many there are */
};

/* How a download ended. Lent for the call of its download_done.
 *
 * failure:       NULL: there was a reply, whatever its status. Else why there was none:
 *                ERR_UPSTREAM, ERR_LIMIT, ERR_NOMEM, or ERR_BUSY after a stop; of the members below
 *                only requests and bytes are then of use
 * status:        of the last reply; never a redirect's, nor one that may go away by itself
 * is_own:        whether the endpoint itself sent it
 * is_cut:        whether the body is longer than body_len bytes
 * body:          body_len bytes and a zero byte; empty unless status is 200 or 206
 * content_bytes: what Content-Length says; -1: nothing
 * has_range, range: what Content-Range says
 * headers:       "" if absent; cut if long
 * requests:      that it took, redirects and retries counted
 * bytes:         of bodies that arrived, in all of them */
struct download_reply {
    const struct err *failure;
    long status;
    bool is_own;
    bool is_cut;
    const char *body;
    size_t body_len;
    int64_t content_bytes;
    bool has_range;
    struct fetch_range range;
    char headers[DOWNLOAD_HEADERS][200];
    int64_t requests;
    int64_t bytes;
};

/* Called once for each download that was started, unless downloads_free drops it; it may start
 * others. */
typedef void (*download_done)(void *ctx, const struct download_reply *reply);

/* What to download.
 *
 * url:         copied
 * has_range, first, last: bytes to ask for; without a range the whole file
 * body_limit:  most bytes of a body
 * is_cut_fine: take the first body_limit bytes of a longer body; else it is a failure */
struct download_request {
    const char *url;
    bool has_range;
    int64_t first;
    int64_t last;
    size_t body_limit;
    bool is_cut_fine;
    download_done done;
    void *ctx;
};

/* Make a queue.
 *
 * config: its texts are not kept; is_stopped is lent until downloads_free
 * Errors: ERR_INPUT as fetch_new; ERR_NOMEM.
 * Owns:   the caller ends with downloads_free. */
MUST_USE enum err_code downloads_new(const struct download_config *config,
                                     struct downloads **out_downloads, struct err *e);

/* End a queue; what still waits in it is dropped. NULL is fine. */
void downloads_free(struct downloads *d);

/* Queue a download; it begins in downloads_run.
 *
 * Errors: ERR_NOMEM; ERR_BUSY after a stop. done is then not called. */
MUST_USE enum err_code download_start(struct downloads *d, const struct download_request *request,
                                      struct err *e);

/* Tell whether a redirect may be followed: to http and https only, and never from https to http.
 *
 * Errors: ERR_UPSTREAM if not, with the reason; ERR_NOMEM. */
MUST_USE enum err_code download_check_redirect(const char *from, const char *to, struct err *e);

/* Work until every download has ended.
 *
 * Errors: ERR_BUSY if is_stopped became true, ERR_NOMEM or ERR_BUG if libcurl fails; each download
 *         was ended with that error first. */
MUST_USE enum err_code downloads_run(struct downloads *d, struct err *e);

#endif
