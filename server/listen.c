/* Parsing "host:port", and socket, bind, listen. */
#include "server/listen.h"

#include "base/num.h"
#include "server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that wait to be accepted; the kernel cuts it to net.core.somaxconn. */
enum { BACKLOG = 1024 };

/* An address of either family. */
union address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static socklen_t address_length(const union address *address)
{
    return address->any.sa_family == AF_INET ? sizeof address->ipv4 : sizeof address->ipv6;
}

static bool parse_host(const char *host, size_t len, union address *out)
{
    char copy[INET6_ADDRSTRLEN];
    bool is_bracketed = len > 2 && host[0] == '[' && host[len - 1] == ']';

    if (is_bracketed) {
        host++;
        len -= 2;
    }
    if (len >= sizeof copy)
        return false;
    memcpy(copy, host, len);
    copy[len] = '\0';
    out->any.sa_family = is_bracketed || len == 0 ? AF_INET6 : AF_INET;
    if (len == 0) {
        out->ipv6.sin6_addr = in6addr_any;
        return true;
    }
    return is_bracketed ? inet_pton(AF_INET6, copy, &out->ipv6.sin6_addr) == 1
                        : inet_pton(AF_INET, copy, &out->ipv4.sin_addr) == 1;
}

/* Open and bind.
 *
 * returns the socket, or -1 with errno */
static int open_socket(const union address *address)
{
    static const int on = 1, off = 0;
    int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int saved;

    if (fd < 0)
        return -1;
    /* A server that was just stopped leaves connections behind that would keep its port. The second
     * makes one socket serve both families; on an IPv4 socket it fails, and is not needed. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, &address->any, address_length(address)) == 0)
        return fd;
    saved = errno;
    (void)close(fd); /* Nothing was written. */
    errno = saved;
    return -1;
}

/* Tell whether a failure says that this machine has no IPv6. */
static bool lacks_ipv6(int code)
{
    return code == EAFNOSUPPORT || code == EADDRNOTAVAIL || code == EPROTONOSUPPORT;
}

static enum err_code read_port(int fd, unsigned *out_port, struct err *e)
{
    union address address = {.ipv6 = {0}};
    socklen_t len = sizeof address;

    if (getsockname(fd, &address.any, &len) != 0)
        return err_set(e, ERR_IO, "cannot find out the port: %s", strerror(errno));
    *out_port =
        ntohs(address.any.sa_family == AF_INET ? address.ipv4.sin_port : address.ipv6.sin6_port);
    return ERR_OK;
}

static enum err_code parse(const char *where, union address *out, int64_t *out_port, struct err *e)
{
    const char *colon = strrchr(where, ':');

    if (!colon || !parse_host(where, (size_t)(colon - where), out))
        return err_set(e, ERR_INPUT,
                       "%s is not an address to listen at; write 127.0.0.1:8080, [::1]:8080 or "
                       ":8080",
                       where);
    if (num_parse_int(colon + 1, strlen(colon + 1), 0, 65535, out_port, e))
        return err_wrap(e, "the port of %s", where);
    return ERR_OK;
}

enum err_code server_bind(const char *where, int *out_fd, struct err *e)
{
    union address address = {.ipv6 = {0}};
    int64_t port = 0;
    enum err_code rc = parse(where, &address, &port, e);
    int fd;

    if (rc != ERR_OK)
        return rc;
    /* The port stands in the same place in both families. */
    address.ipv4.sin_port = htons((uint16_t)port);
    fd = open_socket(&address);
    if (fd < 0 && *where == ':' && lacks_ipv6(errno)) {
        address.ipv4 =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        fd = open_socket(&address);
    }
    if (fd < 0)
        return err_set(e, ERR_IO, "cannot listen at %s: %s", where, strerror(errno));
    *out_fd = fd;
    return ERR_OK;
}

enum err_code server_listen(int fd, const char *where, unsigned *out_port, struct err *e)
{
    if (listen(fd, BACKLOG) != 0)
        return err_set(e, ERR_IO, "cannot listen at %s: %s", where, strerror(errno));
    return read_port(fd, out_port, e);
}
