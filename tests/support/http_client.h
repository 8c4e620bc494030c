/* A small HTTP/1.1 client on a plain socket, strict about what it gets: it fails the test on
 * replies that are malformed, late, or have bytes after their end. */
#ifndef TESTS_SUPPORT_HTTP_CLIENT_H
#define TESTS_SUPPORT_HTTP_CLIENT_H

#include "base/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A connection that is opened when needed and kept while the server keeps it.
 *
 * port: on 127.0.0.1
 * fd:   -1 while there is no connection
 * in:   what was received and not yet taken */
struct http_client {
    unsigned port;
    int fd;
    struct buf in;
};

/* One reply.
 *
 * status:    0 if the connection was closed before a whole head came
 * head:      status line and header lines, a zero byte after each, and one more at the end
 * body, len: without chunks; a zero byte follows
 * is_cut:    the connection was closed before the reply's end
 * is_closed: the server closed the connection, or will
 * json:      body as read by json_at; NULL before */
struct http_response {
    int status;
    char *head;
    char *body;
    size_t len;
    bool is_cut;
    bool is_closed;
    json_t *json;
};

/* Make a client; connects nothing yet.
 *
 * Owns: the caller ends with http_client_done. */
void http_client_init(struct http_client *c, unsigned port);
void http_client_done(struct http_client *c);

/* Send one request and read its reply; connects if there is no connection.
 *
 * target:    path and query as they are sent
 * headers:   further header lines, each ended by \r\n; NULL: none
 * body, len: NULL: no body and no Content-Length
 * returns    the status; 0 if there was none
 * Owns:      the caller ends with http_response_done. */
int http_client_send(struct http_client *c, const char *method, const char *target,
                     const char *headers, const char *body, size_t len,
                     struct http_response *out_response);

/* GET or POST on a connection of its own; the test fails unless a whole reply comes. */
int http_get(unsigned port, const char *target, const char *headers,
             struct http_response *out_response);
int http_post(unsigned port, const char *target, const char *headers, const char *body, size_t len,
              struct http_response *out_response);

/* Value of a header, whatever the case of its name; NULL if there is none. The first of several.
 * Lent for the response's life. */
const char *http_response_header(const struct http_response *r, const char *name);

/* How many headers have this name. */
size_t http_response_header_count(const struct http_response *r, const char *name);

/* Release a response; a zeroed one is fine. */
void http_response_done(struct http_response *r);

#endif
