/* SHA-256 by nettle, which libmicrohttpd brings along. */
#include "base/hash.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

void hash_sha256(const void *bytes, size_t len, char out[HASH_HEX_BYTES])
{
    struct sha256_ctx ctx;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&ctx);
    sha256_update(&ctx, len, bytes);
    sha256_digest(&ctx, sizeof digest, digest);
    base16_encode_update(out, sizeof digest, digest);
    out[HASH_HEX_BYTES - 1] = '\0';
}
