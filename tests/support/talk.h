/* One request fed to an exchange by hand, and its answer, without a socket. */
#ifndef TESTS_SUPPORT_TALK_H
#define TESTS_SUPPORT_TALK_H

#include "server/exchange.h"
#include "tests/support/test.h"

/* One exchange, and what it wrote into the log. */
struct talk {
    struct log log;
    struct exchange_site site;
    struct exchange exchange;
    struct http_answer answer;
    char logged[LOG_LINE_BYTES * 2];
};

/* Start an exchange of a client at 192.0.0.1, up to the end of its head.
 *
 * lines: of the head, as name, value, ..., NULL; NULL: none. There is a Host already
 * returns what exchange_judge does
 * Owns: the caller calls talk_answer, and then talk_end. */
bool talk_begin(struct talk *t, const struct http_routes *routes, const char *method,
                const char *target, const char *const *lines);

/* Answer the request, and read the log. */
void talk_answer(struct talk *t);

/* Release all of it. */
void talk_end(struct talk *t);

/* Begin and answer a request without a body; fails if it is answered before its body. */
void talk_ask(struct talk *t, const struct http_routes *routes, const char *method,
              const char *target, const char *const *lines);

/* The same for a GET without further lines. */
void talk_get(struct talk *t, const struct http_routes *routes, const char *target);

/* Compare a header of the answer; NULL: it must be absent. */
void talk_expect_header(const struct talk *t, const char *name, const char *value);

/* Compare the body, or find a text in it. */
void talk_expect_body(const struct talk *t, const char *text);
void talk_expect_in_body(const struct talk *t, const char *text);

#endif
