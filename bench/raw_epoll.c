/* The limit of a server on one thread: an epoll loop that answers whatever comes with the bytes of
 * a file, head and body. It reads no request but for the empty line at its end.
 *
 *     raw_epoll FILE        says where it listens, and serves until it is killed */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, REQUEST_BYTES = 16 * 1024, REPLY_BYTES = 1024 * 1024 };

static void need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    perror(what);
    exit(1);
}

static size_t read_reply(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t len;

    need(file != NULL, path);
    len = fread(out, 1, size, file);
    need(len > 0 && len < size && fclose(file) == 0, path);
    return len;
}

static int start_listening(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, 1024) == 0 &&
             getsockname(fd, (struct sockaddr *)&address, &len) == 0,
         "listen");
    printf("listening on http://127.0.0.1:%u\n", (unsigned)ntohs(address.sin_port));
    (void)fflush(stdout);
    return fd;
}

static void watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    need(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll");
}

static void take(int epoll, int listener)
{
    int one = 1;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    watch(epoll, fd);
}

/* Clients here send one request in one piece, and read the reply before the next. */
static void answer(int fd, const char *reply, size_t len)
{
    char request[REQUEST_BYTES];
    ssize_t got = read(fd, request, sizeof request);

    if (got < 4 || memcmp(request + got - 4, "\r\n\r\n", 4) != 0 ||
        write(fd, reply, len) != (ssize_t)len)
        (void)close(fd);
}

int main(int argc, char **argv)
{
    static char reply[REPLY_BYTES];
    struct epoll_event events[EVENTS];
    size_t len;
    int listener;
    int epoll;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: raw_epoll FILE\n");
        return 64;
    }
    len = read_reply(argv[1], reply, sizeof reply);
    listener = start_listening();
    epoll = epoll_create1(EPOLL_CLOEXEC);
    need(epoll >= 0, "epoll");
    watch(epoll, listener);
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, 0);

        for (int i = 0; i < count; i++)
            if (events[i].data.fd == listener)
                take(epoll, listener);
            else
                answer(events[i].data.fd, reply, len);
    }
}
