/* Network addresses: of clients, of trusted proxies. */
#ifndef SERVER_ADDRESS_H
#define SERVER_ADDRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct sockaddr;

/* An address in IPv6 form; one of IPv4 is ::ffff:a.b.c.d. */
struct net_address {
    unsigned char bytes[16];
};

/* The addresses that share their first bits with one.
 *
 * bits: 0 to 128, counted in IPv6 form */
struct net_block {
    struct net_address address;
    unsigned bits;
};

/* Room for an address as text, with its zero byte. */
#define NET_TEXT_BYTES 46

/* Take the address of a socket; all zero for a family that is not IP. */
struct net_address net_address_of(const struct sockaddr *socket);

/* Read an address without port: 192.0.2.1, 2001:db8::1.
 *
 * returns false if text is none */
bool net_address_parse(const char *text, size_t len, struct net_address *out_address);

/* Write an address; one of IPv4 in its own form. */
void net_address_text(const struct net_address *address, char out[NET_TEXT_BYTES]);

/* Tell whether it is an IPv4 address. */
bool net_address_is_ipv4(const struct net_address *address);

/* Tell whether two addresses have their first bits in common. */
bool net_address_is_near(const struct net_address *a, const struct net_address *b, unsigned bits);

/* Read an address or a CIDR block: 10.0.0.0/8, fd00::/8.
 *
 * Errors: ERR_INPUT. */
MUST_USE enum err_code net_block_parse(const char *text, struct net_block *out_block,
                                       struct err *e);

/* Tell whether a block has an address. */
bool net_block_has(const struct net_block *block, const struct net_address *address);

/* Find out who the client is behind a proxy that is trusted.
 *
 * peer:      at the other end of the connection
 * forwarded: value of X-Forwarded-For; NULL: none
 * trusted:   whose word is taken; NULL: nobody's
 * returns    peer if it is not trusted; else the first address that is not, read from the end of
 *            forwarded; the last one read where the list ends, or cannot be read further, before */
struct net_address net_client(const struct net_address *peer, const char *forwarded,
                              const struct net_block *trusted);

#endif
