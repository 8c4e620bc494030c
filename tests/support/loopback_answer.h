/* What the loopback hub answers: the true answer to a path, and that answer edited. Knows no
 * sockets. */
#ifndef TESTS_SUPPORT_LOOPBACK_ANSWER_H
#define TESTS_SUPPORT_LOOPBACK_ANSWER_H

#include "base/buf.h"
#include "tests/support/loopback_hub.h"

/* End the program if something that a test cannot go on without has failed. */
void loopback_need(bool is_fine, const char *what);

/* An answer under way.
 *
 * headers: lines that end in \r\n, the lengths not among them
 * bytes:   the body's first len bytes; up to size they are zero. Owned */
struct loopback_answer {
    int status;
    struct buf headers;
    char *bytes;
    size_t len;
    int64_t size;
};

/* Make the answer to a request.
 *
 * origins: of the ports
 * path:    without its query
 * fault:   of kind LOOPBACK_REPLY or LOOPBACK_EDIT, or one that changes only how it is sent; NULL:
 *          the true answer
 * Owns:    the caller ends with loopback_answer_done. */
void loopback_answer_make(const struct hub_repo *repos, size_t count, const char *const *origins,
                          enum loopback_port port, const char *path,
                          const struct loopback_fault *fault, struct loopback_answer *out_answer);

/* Release an answer's text. */
void loopback_answer_done(struct loopback_answer *a);

#endif
