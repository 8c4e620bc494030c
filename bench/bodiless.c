/* Load for replies that have a head and nothing else, 304 above all: wrk waits for the body that
 * their Content-Length tells of, which none has (RFC 9110, 15.4.5). Prints as wrk does.
 *
 *     bodiless PORT TARGET HEADER CONNECTIONS SECONDS */
#include "base/clock.h"
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

enum { EVENTS = 256, BYTES = 16 * 1024, MOST_TIMES = 20 * 1000 * 1000 };

/* begun_ns: when a connection sent its request, by descriptor */
struct load {
    char request[BYTES];
    size_t request_len;
    int64_t begun_ns[4096];
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

static int64_t number(const char *text, int64_t most)
{
    int64_t value = 0;
    struct err e;

    need(num_parse_int(text, strlen(text), 1, most, &value, &e) == ERR_OK, text);
    return value;
}

static void send_request(struct load *load, int fd)
{
    load->begun_ns[fd] = clock_steady_ns();
    need(write(fd, load->request, load->request_len) == (ssize_t)load->request_len, "write");
}

static void open_connection(struct load *load, int epoll, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(fd >= 0 && (size_t)fd < COUNT_OF(load->begun_ns) &&
             connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
             epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0,
         "connect");
    send_request(load, fd);
}

/* A reply comes in one piece, and ends with its empty line. */
static void take_reply(struct load *load, int fd)
{
    char reply[BYTES];
    ssize_t len = read(fd, reply, sizeof reply);

    need(len > 12 && memcmp(reply + 9, "304", 3) == 0 &&
             memcmp(reply + len - 4, "\r\n\r\n", 4) == 0 && load->count < MOST_TIMES,
         "reply");
    load->times_ns[load->count++] = clock_steady_ns() - load->begun_ns[fd];
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
    qsort(load->times_ns, load->count, sizeof *load->times_ns, by_size);
    printf("     99%%   %.3fms\n  %zu requests in %.2fs\nRequests/sec: %.2f\n",
           (double)load->times_ns[load->count * 99 / 100] / 1e6, load->count, seconds,
           (double)load->count / seconds);
}

int main(int argc, char **argv)
{
    static struct load load;
    struct epoll_event events[EVENTS];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int64_t begun_ns = clock_steady_ns();
    int64_t end_ns;

    if (argc != 6) {
        (void)fprintf(stderr, "usage: bodiless PORT TARGET HEADER CONNECTIONS SECONDS\n");
        return 64;
    }
    load.request_len =
        (size_t)snprintf(load.request, sizeof load.request,
                         "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n\r\n", argv[2], argv[3]);
    load.times_ns = mem_array(MOST_TIMES, sizeof *load.times_ns);
    need(epoll >= 0 && load.times_ns && load.request_len < sizeof load.request, "start");
    for (int64_t i = number(argv[4], 1000); i > 0; i--)
        open_connection(&load, epoll, (unsigned)number(argv[1], 65535));
    end_ns = begun_ns + number(argv[5], 3600) * INT64_C(1000000000);
    while (clock_steady_ns() < end_ns) {
        int count = epoll_wait(epoll, events, EVENTS, 1000);

        for (int i = 0; i < count; i++)
            take_reply(&load, events[i].data.fd);
    }
    show(&load, (double)(clock_steady_ns() - begun_ns) / 1e9);
    free(load.times_ns);
    return 0;
}
