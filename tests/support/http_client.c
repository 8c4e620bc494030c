/* Requests and replies on a socket. Every wait has a deadline. */
#include "tests/support/http_client.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* A reply must be whole by then; sanitizers make a server ten times slower. */
static const int64_t reply_ns = 60 * (int64_t)1000000000;

/* More than any reply of a test has. */
static const size_t reply_bytes = 64 << 20;

void http_client_init(struct http_client *c, unsigned port)
{
    *c = (struct http_client){.port = port, .fd = -1};
    buf_init(&c->in, reply_bytes);
}

static void disconnect(struct http_client *c)
{
    if (c->fd >= 0)
        assert_int_equal(close(c->fd), 0);
    c->fd = -1;
    buf_reset(&c->in);
}

void http_client_done(struct http_client *c)
{
    disconnect(c);
    buf_done(&c->in);
}

static void connect_to_port(struct http_client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)c->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->fd >= 0);
    if (connect(c->fd, (const struct sockaddr *)&to, sizeof to) != 0)
        fail_msg("port %u: %s", c->port, strerror(errno));
}

/* Receive something more; false at the end of the connection. */
static bool receive(struct http_client *c, int64_t deadline_ns)
{
    char part[16 * 1024];
    struct pollfd wanted = {.fd = c->fd, .events = POLLIN};
    ssize_t got;

    for (;;) {
        int64_t left_ns = deadline_ns - clock_steady_ns();

        if (left_ns <= 0)
            fail_msg("no whole reply in time; so far: %s", buf_text(&c->in));
        if (poll(&wanted, 1, (int)(left_ns / 1000000 + 1)) < 1)
            continue;
        got = recv(c->fd, part, sizeof part, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return false;
        if (got > 0) {
            buf_add(&c->in, part, (size_t)got);
            assert_int_equal(c->in.status, ERR_OK);
            return true;
        }
    }
}

/* Send all; false if the server closed the connection meanwhile (its reply may be there). */
static bool transmit(const struct http_client *c, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = send(c->fd, bytes, len, MSG_NOSIGNAL);

        if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
            return false;
        assert_true(put > 0);
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

/* Take len bytes from the front of what was received, with a zero byte after them. */
static char *take(struct http_client *c, size_t len)
{
    char *bytes = mem_text(buf_text(&c->in), len);

    assert_non_null(bytes);
    memmove(c->in.data, c->in.data + len, c->in.len - len + 1);
    c->in.len -= len;
    return bytes;
}

static bool receive_until(struct http_client *c, size_t len, int64_t deadline_ns)
{
    while (c->in.len < len)
        if (!receive(c, deadline_ns))
            return false;
    return true;
}

/* Take everything up to and with a mark; NULL if the connection ends before it. */
static char *take_until(struct http_client *c, const char *mark, int64_t deadline_ns)
{
    const char *found;

    while (!(found = strstr(buf_text(&c->in), mark)))
        if (!receive(c, deadline_ns))
            return NULL;
    return take(c, (size_t)(found - buf_text(&c->in)) + strlen(mark));
}

/* Turn "line\r\nline\r\n\r\n" into lines that each end with a zero byte, the last one empty. */
static void split_lines(char *head)
{
    char *out = head;

    for (const char *in = head; *in; in++) {
        if (*in == '\r' && in[1] == '\n') {
            *out++ = '\0';
            in++;
        } else {
            *out++ = *in;
        }
    }
}

static void read_head(struct http_client *c, int64_t deadline_ns, struct http_response *r)
{
    char *end;

    do {
        free(r->head);
        r->head = take_until(c, "\r\n\r\n", deadline_ns);
        if (!r->head)
            return;
        if (!text_starts(r->head, "HTTP/1.1 "))
            fail_msg("not a status line: %s", r->head);
        r->status = (int)strtol(r->head + sizeof "HTTP/1.1 " - 1, &end, 10);
        if (r->status < 100 || r->status > 599 || *end != ' ')
            fail_msg("not a status line: %s", r->head);
    } while (r->status < 200);
    split_lines(r->head);
}

static size_t parse_size(const char *text, int base)
{
    char *end;
    unsigned long long value = strtoull(text, &end, base);

    if (*text == '-' || end == text || (*end && strcmp(end, "\r\n") != 0) || value > reply_bytes)
        fail_msg("not a length: %s", text);
    return (size_t)value;
}

static bool read_counted(struct http_client *c, size_t len, int64_t deadline_ns, struct buf *body)
{
    bool is_whole = receive_until(c, len, deadline_ns);
    size_t got = is_whole ? len : c->in.len;
    char *bytes = take(c, got);

    buf_add(body, bytes, got);
    free(bytes);
    return is_whole;
}

static bool read_chunks(struct http_client *c, int64_t deadline_ns, struct buf *body)
{
    for (;;) {
        char *line = take_until(c, "\r\n", deadline_ns);
        size_t len = line ? parse_size(line, 16) : 0;
        char *end;

        free(line);
        if (!line || (len > 0 && !read_counted(c, len, deadline_ns, body)))
            return false;
        end = take_until(c, "\r\n", deadline_ns);
        if (!end)
            return false;
        assert_string_equal(end, "\r\n");
        free(end);
        if (len == 0)
            return true;
    }
}

static void read_body(struct http_client *c, int64_t deadline_ns, struct http_response *r)
{
    const char *length = http_response_header(r, "Content-Length");
    const char *coding = http_response_header(r, "Transfer-Encoding");
    struct buf body;

    buf_init(&body, reply_bytes);
    if (coding) {
        assert_string_equal(coding, "chunked");
        assert_null(length);
        r->is_cut = !read_chunks(c, deadline_ns, &body);
    } else if (length) {
        r->is_cut = !read_counted(c, parse_size(length, 10), deadline_ns, &body);
    } else {
        while (receive(c, deadline_ns))
            continue;
        (void)read_counted(c, c->in.len, deadline_ns, &body); /* All of it is there. */
        r->is_closed = true;
    }
    r->body = buf_take(&body, &r->len);
    assert_non_null(r->body);
}

static void build_request(struct buf *out, const char *method, const char *target,
                          const char *headers, const char *body, size_t len)
{
    buf_init(out, reply_bytes);
    buf_printf(out, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n", method, target);
    if (body)
        buf_printf(out, "Content-Length: %zu\r\n", len);
    buf_puts(out, headers ? headers : "");
    buf_puts(out, "\r\n");
    buf_add(out, body, body ? len : 0);
    assert_int_equal(out->status, ERR_OK);
}

int http_client_send(struct http_client *c, const char *method, const char *target,
                     const char *headers, const char *body, size_t len,
                     struct http_response *out_response)
{
    int64_t deadline_ns = clock_steady_ns() + reply_ns;
    struct http_response *r = out_response;
    const char *connection;
    struct buf request;

    *r = (struct http_response){0};
    if (c->fd < 0)
        connect_to_port(c);
    build_request(&request, method, target, headers, body, len);
    (void)transmit(c, request.data, request.len); /* A refusal may come before all is sent. */
    buf_done(&request);
    read_head(c, deadline_ns, r);
    if (!r->head) {
        r->is_cut = r->is_closed = true;
        r->status = 0;
        disconnect(c);
        return 0;
    }
    connection = http_response_header(r, "Connection");
    r->is_closed = connection && strcasecmp(connection, "close") == 0;
    if (strcmp(method, "HEAD") == 0 || r->status == 204 || r->status == 304)
        r->body = mem_text("", 0);
    else
        read_body(c, deadline_ns, r);
    if (c->in.len > 0)
        fail_msg("%s %s: bytes after the reply: %s", method, target, buf_text(&c->in));
    if (r->is_closed || r->is_cut)
        disconnect(c);
    return r->status;
}

static int send_once(unsigned port, const char *method, const char *target, const char *headers,
                     const char *body, size_t len, struct http_response *out_response)
{
    struct http_client c;
    int status;

    http_client_init(&c, port);
    status = http_client_send(&c, method, target, headers, body, len, out_response);
    http_client_done(&c);
    if (out_response->is_cut)
        fail_msg("%s %s: the connection was closed before the reply's end", method, target);
    return status;
}

int http_get(unsigned port, const char *target, const char *headers,
             struct http_response *out_response)
{
    return send_once(port, "GET", target, headers, NULL, 0, out_response);
}

int http_post(unsigned port, const char *target, const char *headers, const char *body, size_t len,
              struct http_response *out_response)
{
    return send_once(port, "POST", target, headers, body, len, out_response);
}

/* Value on a header line of this name; NULL if it has another name. */
static const char *value_of(const char *line, const char *name)
{
    size_t len = strlen(name);

    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return NULL;
    return line + len + 1 + strspn(line + len + 1, " \t");
}

static const char *next_line(const char *line)
{
    return line + strlen(line) + 1;
}

const char *http_response_header(const struct http_response *r, const char *name)
{
    const char *value = NULL;

    for (const char *line = r->head; line && *line && !value; line = next_line(line))
        value = value_of(line, name);
    return value;
}

size_t http_response_header_count(const struct http_response *r, const char *name)
{
    size_t count = 0;

    for (const char *line = r->head; line && *line; line = next_line(line))
        if (value_of(line, name))
            count++;
    return count;
}

void http_response_done(struct http_response *r)
{
    free(r->head);
    free(r->body);
    json_decref(r->json);
    *r = (struct http_response){0};
}
