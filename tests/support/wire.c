/* Sockets with deadlines, and just enough HTTP to find the end of a reply. */
#include "tests/support/wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* How long a peer may be silent; generous, for a loaded machine under a sanitizer. */
enum { PATIENCE_MS = 20000 };

/* A reply that is longer is a failure of the test. */
enum { HEAD_BYTES = 65536 };

int wire_connect(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void wire_send_bytes(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);

        assert_true(sent > 0);
        at += sent;
        len -= (size_t)sent;
    }
}

void wire_send(int fd, const char *text)
{
    wire_send_bytes(fd, text, strlen(text));
}

/* Wait for bytes, and read at most len of them; 0 at the end of the stream. */
static size_t read_some(int fd, char *out, size_t len, int flags)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    ssize_t got;

    assert_int_equal(poll(&waiting, 1, PATIENCE_MS), 1);
    got = recv(fd, out, len, flags);
    assert_true(got >= 0);
    return (size_t)got;
}

/* Read up to and including the empty line, and no byte of what follows it. */
static char *read_head(int fd)
{
    char *head = calloc(1, HEAD_BYTES);
    size_t len = 0;
    const char *end = NULL;

    assert_non_null(head);
    while (!end) {
        size_t seen = read_some(fd, head + len, HEAD_BYTES - 1 - len, MSG_PEEK);

        assert_true(seen > 0);
        head[len + seen] = '\0';
        end = strstr(len > 3 ? head + len - 3 : head, "\r\n\r\n");
        if (end)
            seen = (size_t)(end + 4 - head) - len;
        assert_int_equal(read_some(fd, head + len, seen, 0), seen);
        len += seen;
    }
    head[len - 2] = '\0';
    return head;
}

struct wire_reply wire_read(int fd, bool is_head)
{
    struct wire_reply reply = {.head = read_head(fd)};
    char value[1024];
    const char *length;

    assert_int_equal(strncmp(reply.head, "HTTP/1.1 ", 9), 0);
    reply.status = (int)strtol(reply.head + 9, NULL, 10);
    length = wire_header(&reply, "Content-Length", value);
    if (!is_head && length)
        reply.len = strtoul(length, NULL, 10);
    reply.body = malloc(reply.len + 1);
    assert_non_null(reply.body);
    for (size_t done = 0; done < reply.len;) {
        size_t got = read_some(fd, reply.body + done, reply.len - done, 0);

        assert_true(got > 0);
        done += got;
    }
    reply.body[reply.len] = '\0';
    return reply;
}

struct wire_reply wire_expect(int fd, int status)
{
    struct wire_reply reply = wire_read(fd, status == 204 || status == 304 || status < 200);

    assert_int_equal(reply.status, status);
    return reply;
}

struct wire_reply wire_ask(unsigned port, const char *request, int status)
{
    int fd = wire_connect(port);
    struct wire_reply reply;

    wire_send(fd, request);
    reply = wire_expect(fd, status);
    close(fd);
    return reply;
}

struct wire_reply wire_get(unsigned port, const char *target, const char *lines, int status)
{
    char request[16384];
    int len =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", target, lines);

    assert_true(len > 0 && (size_t)len < sizeof request);
    return wire_ask(port, request, status);
}

void wire_reply_done(struct wire_reply *reply)
{
    free(reply->head);
    free(reply->body);
    *reply = (struct wire_reply){.head = NULL};
}

const char *wire_header(const struct wire_reply *reply, const char *name, char out[1024])
{
    size_t name_len = strlen(name);
    const char *found = NULL;

    for (const char *line = strstr(reply->head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        const char *at = line + 2;
        size_t len = strcspn(at, "\r");

        if (strncasecmp(at, name, name_len) != 0 || at[name_len] != ':')
            continue;
        assert_null(found);
        assert_true(at[name_len + 1] == ' ' && len - name_len - 2 < 1024);
        memcpy(out, at + name_len + 2, len - name_len - 2);
        out[len - name_len - 2] = '\0';
        found = out;
    }
    return found;
}

void wire_assert_header(const struct wire_reply *reply, const char *name, const char *value)
{
    char out[1024];
    const char *found = wire_header(reply, name, out);

    if (!value) {
        assert_null(found);
        return;
    }
    if (!found)
        print_error("no header %s in\n%s", name, reply->head);
    assert_non_null(found);
    assert_string_equal(found, value);
}

bool wire_is_closed(int fd, int timeout_ms)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&waiting, 1, timeout_ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}
