/* Addresses of both families in one form. */
#include "server/address.h"

#include "base/num.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* What stands before the four bytes of IPv4; RFC 4291, 2.5.5.2. */
static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};

enum { BITS = 128, MAPPED_BITS = 96 };

bool net_address_is_ipv4(const struct net_address *address)
{
    return memcmp(address->bytes, mapped, sizeof mapped) == 0;
}

static struct net_address from_ipv4(const struct in_addr *ipv4)
{
    struct net_address address;

    memcpy(address.bytes, mapped, sizeof mapped);
    memcpy(address.bytes + sizeof mapped, ipv4, sizeof *ipv4);
    return address;
}

struct net_address net_address_of(const struct sockaddr *socket)
{
    struct net_address address = {{0}};
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;

    if (socket->sa_family == AF_INET) {
        memcpy(&ipv4, socket, sizeof ipv4);
        address = from_ipv4(&ipv4.sin_addr);
    } else if (socket->sa_family == AF_INET6) {
        memcpy(&ipv6, socket, sizeof ipv6);
        memcpy(address.bytes, &ipv6.sin6_addr, sizeof address.bytes);
    }
    return address;
}

bool net_address_parse(const char *text, size_t len, struct net_address *out_address)
{
    char copy[NET_TEXT_BYTES];
    struct in_addr ipv4;

    if (len >= sizeof copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET, copy, &ipv4) == 1) {
        *out_address = from_ipv4(&ipv4);
        return true;
    }
    return inet_pton(AF_INET6, copy, out_address->bytes) == 1;
}

void net_address_text(const struct net_address *address, char out[NET_TEXT_BYTES])
{
    const char *text = net_address_is_ipv4(address)
                           ? inet_ntop(AF_INET, address->bytes + sizeof mapped, out, NET_TEXT_BYTES)
                           : inet_ntop(AF_INET6, address->bytes, out, NET_TEXT_BYTES);

    assert(text);
    (void)text; /* The room is enough for both families. */
}

bool net_address_is_near(const struct net_address *a, const struct net_address *b, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned mask = 0xFF00u >> bits % 8 & 0xFF;

    if (memcmp(a->bytes, b->bytes, whole) != 0)
        return false;
    return mask == 0 || ((a->bytes[whole] ^ b->bytes[whole]) & mask) == 0;
}

enum err_code net_block_parse(const char *text, struct net_block *out_block, struct err *e)
{
    size_t len = strcspn(text, "/");
    struct net_block block;
    int64_t most, bits;

    if (!net_address_parse(text, len, &block.address))
        return err_set(e, ERR_INPUT, "%s is not an IP address or CIDR block", text);
    most = net_address_is_ipv4(&block.address) ? BITS - MAPPED_BITS : BITS;
    bits = most;
    if (text[len] && num_parse_int(text + len + 1, strlen(text + len + 1), 0, most, &bits, e))
        return err_wrap(e, "%s is not a CIDR block", text);
    block.bits = (unsigned)(bits + (BITS - most));
    *out_block = block;
    return ERR_OK;
}

bool net_block_has(const struct net_block *block, const struct net_address *address)
{
    return net_address_is_near(&block->address, address, block->bits);
}

struct net_address net_client(const struct net_address *peer, const char *forwarded,
                              const struct net_block *trusted)
{
    struct net_address client = *peer;
    size_t end = forwarded ? strlen(forwarded) : 0;

    while (trusted && end > 0 && net_block_has(trusted, &client)) {
        size_t start = end;
        size_t skipped;
        struct net_address before;

        while (start > 0 && forwarded[start - 1] != ',')
            start--;
        skipped = strspn(forwarded + start, " \t");
        if (!net_address_parse(forwarded + start + skipped,
                               strcspn(forwarded + start + skipped, " \t,"), &before))
            return client;
        client = before;
        end = start > 0 ? start - 1 : 0;
    }
    return client;
}
