/* SHA-256, for content hashes, entity tags and migration checksums. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

/* Room for a SHA-256 in hexadecimal with its zero byte. */
#define HASH_HEX_BYTES 65

/* Hash len bytes; out gets 64 lower-case hexadecimal digits. */
void hash_sha256(const void *bytes, size_t len, char out[HASH_HEX_BYTES]);

#endif
