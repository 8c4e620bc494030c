/* Load on a server: requests on connections that are kept, each sent when the reply before is
 * there. It never sleeps: being woken costs a virtual machine more than a request does, and whoever
 * answers soonest would pay for it most.
 *
 *     load PORT CONNECTIONS SECONDS STATUS TARGETS HEADER
 *
 * STATUS is what every reply must have; TARGETS is a file, whose lines are asked for in random
 * order, the same in each run; HEADER is a line for every request, or nothing. Prints requests,
 * seconds and the 99th percentile of their times. */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, DESCRIPTORS = 4096, READ_BYTES = 64 * 1024, MOST_TIMES = 20 * 1000 * 1000 };
enum { TARGET_BYTES = 1000, MOST_TARGETS_BYTES = 64 * 1024 * 1024 };

/* begun_ns:  when a connection's request was sent
 * body_left: bytes of its reply's body that are still to come */
struct connection {
    int64_t begun_ns;
    size_t body_left;
};

/* targets: ended by zeros, in the file's bytes
 * header:  a line for every request, with its end; "": none */
struct load {
    const char *status;
    const char *header;
    char **targets;
    size_t target_count;
    uint32_t random;
    struct connection connections[DESCRIPTORS];
    int64_t *times_ns;
    size_t count;
};

static void need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    perror(what);
    exit(1);
}

static size_t number(const char *text, size_t len, int64_t most)
{
    int64_t value = 0;
    struct err e;

    need(num_parse_int(text, len, 0, most, &value, &e) == ERR_OK, text);
    return (size_t)value;
}

static void read_targets(struct load *load, const char *path)
{
    size_t cap = 0;
    size_t len;
    char *text;
    struct err e;

    need(file_read(path, MOST_TARGETS_BYTES, &text, &len, &e) == ERR_OK, path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        need(strlen(line) < TARGET_BYTES &&
                 mem_grow((void **)&load->targets, &cap, load->target_count, sizeof *load->targets),
             path);
        load->targets[load->target_count++] = line;
    }
    need(load->target_count > 0, path);
}

/* Xorshift of 32 bits, G. Marsaglia, 2003. */
static const char *pick_target(struct load *load)
{
    load->random ^= load->random << 13;
    load->random ^= load->random >> 17;
    load->random ^= load->random << 5;
    return load->targets[load->random % load->target_count];
}

static void send_request(struct load *load, int fd)
{
    char request[2 * TARGET_BYTES];
    int len = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n",
                       pick_target(load), load->header);

    need(len > 0 && (size_t)len < sizeof request, "request");
    load->connections[fd].begun_ns = clock_steady_ns();
    need(write(fd, request, (size_t)len) == len, "write");
}

static void open_connection(struct load *load, int epoll, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(fd >= 0 && fd < DESCRIPTORS && connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
             epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0,
         "connect");
    send_request(load, fd);
}

/* Bytes of the body that a head tells of, which a 304 has not (RFC 9110, 15.4.5). */
static size_t body_len(const struct load *load, const char *head)
{
    static const char name[] = "\r\nContent-Length: ";
    const char *line;

    if (strcmp(load->status, "304") == 0)
        return 0;
    line = strcasestr(head, name);
    need(line != NULL, "Content-Length");
    line += sizeof name - 1;
    return number(line, strspn(line, "0123456789"), INT64_C(1) << 40);
}

/* Take a reply's first bytes, which have its whole head; returns how many are of its body. */
static size_t take_head(struct load *load, struct connection *c, char *reply, size_t len)
{
    char *end = memmem(reply, len, "\r\n\r\n", 4);

    need(len > 12 && memcmp(reply + 9, load->status, 3) == 0 && end, "reply");
    *end = '\0';
    c->body_left = body_len(load, reply);
    return len - (size_t)(end + 4 - reply);
}

static void take(struct load *load, int fd)
{
    struct connection *c = &load->connections[fd];
    char reply[READ_BYTES];
    ssize_t got = read(fd, reply, sizeof reply);
    size_t len;

    need(got > 0, "read");
    len = (size_t)got;
    if (c->body_left == 0)
        len = take_head(load, c, reply, len);
    need(len <= c->body_left, "a reply longer than its head tells");
    c->body_left -= len;
    if (c->body_left > 0)
        return;
    need(load->count < MOST_TIMES, "too many requests");
    load->times_ns[load->count++] = clock_steady_ns() - c->begun_ns;
    send_request(load, fd);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void show(struct load *load, double seconds)
{
    need(load->count > 0, "no reply in time");
    qsort(load->times_ns, load->count, sizeof *load->times_ns, by_size);
    printf("%zu requests in %.3f s, p99 %.3f ms\n", load->count, seconds,
           (double)load->times_ns[load->count * 99 / 100] / 1e6);
}

static void run(struct load *load, int epoll, int64_t end_ns)
{
    struct epoll_event events[EVENTS];

    while (clock_steady_ns() < end_ns) {
        int count = epoll_wait(epoll, events, EVENTS, 0);

        for (int i = 0; i < count; i++)
            take(load, events[i].data.fd);
    }
}

int main(int argc, char **argv)
{
    static struct load load = {.random = 1, .header = ""};
    char header[TARGET_BYTES];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int64_t begun_ns;

    if (argc != 7) {
        (void)fprintf(stderr, "usage: load PORT CONNECTIONS SECONDS STATUS TARGETS HEADER\n");
        return 64;
    }
    load.status = argv[4];
    read_targets(&load, argv[5]);
    if (*argv[6]) {
        need(snprintf(header, sizeof header, "%s\r\n", argv[6]) < TARGET_BYTES - 100, "header");
        load.header = header;
    }
    load.times_ns = mem_array(MOST_TIMES, sizeof *load.times_ns);
    need(epoll >= 0 && load.times_ns, "start");
    begun_ns = clock_steady_ns();
    for (size_t i = number(argv[2], strlen(argv[2]), DESCRIPTORS / 2); i > 0; i--)
        open_connection(&load, epoll, (unsigned)number(argv[1], strlen(argv[1]), 65535));
    run(&load, epoll,
        begun_ns + (int64_t)number(argv[3], strlen(argv[3]), 3600) * INT64_C(1000000000));
    show(&load, (double)(clock_steady_ns() - begun_ns) / 1e9);
    free(load.times_ns);
    free(load.targets);
    return 0;
}
