/* HTTP spoken by hand, for tests that care about each byte. Everything here is bounded in time: a
 * peer that says nothing ends the test with a failure. */
#ifndef TESTS_SUPPORT_WIRE_H
#define TESTS_SUPPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>

/* A reply.
 *
 * head:  status line and headers with their line ends, without the empty line
 * body:  len bytes and a zero byte */
struct wire_reply {
    int status;
    char *head;
    char *body;
    size_t len;
};

/* Connect to a port of 127.0.0.1. */
int wire_connect(unsigned port);

/* Send all of a text, or of some bytes. */
void wire_send(int fd, const char *text);
void wire_send_bytes(int fd, const void *bytes, size_t len);

/* Read one reply; its body's length is taken from Content-Length.
 *
 * is_head: the request was HEAD, or the status has no body
 * Owns:    the caller ends with wire_reply_done. */
struct wire_reply wire_read(int fd, bool is_head);

/* Read one reply and compare its status; statuses without body are known, HEAD is not. */
struct wire_reply wire_expect(int fd, int status);

/* Connect, send, read one reply, compare its status, close. */
struct wire_reply wire_ask(unsigned port, const char *request, int status);

/* The same for a GET of a target, with further header lines that end in \r\n ("" for none). */
struct wire_reply wire_get(unsigned port, const char *target, const char *lines, int status);

/* Release a reply's text. */
void wire_reply_done(struct wire_reply *reply);

/* Value of a header; NULL if it is absent; a failure if it comes twice. Lent until the next call
 * with the same buffer.
 *
 * out: room for the value */
const char *wire_header(const struct wire_reply *reply, const char *name, char out[1024]);

/* Compare a header's value; NULL: it must be absent. */
void wire_assert_header(const struct wire_reply *reply, const char *name, const char *value);

/* Tell whether the peer closes the connection, without a further byte, within some time. */
bool wire_is_closed(int fd, int timeout_ms);

#endif
