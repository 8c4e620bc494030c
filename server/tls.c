/* GnuTLS, for the certificate alone: libmicrohttpd does the rest of TLS. A handshake takes the
 * certificate that is current when it begins, so that no connection notices an exchange. */
#include "server/tls.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_BYTES = 1024 * 1024, /* a chain of ten certificates has 20 kB */
    CHAIN_LENGTH = 16
};

/* How long a pair is kept after another took its place. A handshake is a request that has not come
 * yet, and `serve` lets none take longer than an hour. */
static const int64_t kept_ns = INT64_C(2) * 3600 * 1000000000;

/* A certificate's chain and its key.
 *
 * older:      what was there before it
 * retired_ns: when it was exchanged, by the steady clock; 0: it is current */
struct pair {
    gnutls_pcert_st chain[CHAIN_LENGTH];
    unsigned length;
    gnutls_privkey_t key;
    struct pair *older;
    int64_t retired_ns;
};

struct tls {
    char *certificate_path;
    char *key_path;
    _Atomic(struct pair *) current;
};

static void pair_free(struct pair *pair)
{
    if (!pair)
        return;
    for (unsigned i = 0; i < pair->length; i++)
        gnutls_pcert_deinit(&pair->chain[i]);
    if (pair->key)
        gnutls_privkey_deinit(pair->key);
    free(pair);
}

static enum err_code refused(const char *path, int result, struct err *e)
{
    if (result == GNUTLS_E_MEMORY_ERROR)
        return err_nomem(e);
    return err_set(e, ERR_INPUT, "%s: %s", path, gnutls_strerror(result));
}

/* Read a file. Owns: the caller frees out->data. */
static enum err_code read_pem(const char *path, gnutls_datum_t *out, struct err *e)
{
    char *bytes = NULL;
    size_t len = 0;
    enum err_code rc = file_read(path, FILE_BYTES, &bytes, &len, e);

    if (rc == ERR_OK)
        *out = (gnutls_datum_t){(unsigned char *)bytes, (unsigned)len};
    return rc;
}

static enum err_code read_chain(struct pair *pair, const char *path, struct err *e)
{
    unsigned length = CHAIN_LENGTH;
    gnutls_datum_t pem = {NULL, 0};
    enum err_code rc = read_pem(path, &pem, e);
    int result;

    if (rc != ERR_OK)
        return rc;
    result = gnutls_pcert_list_import_x509_raw(pair->chain, &length, &pem, GNUTLS_X509_FMT_PEM,
                                               GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
    if (result >= 0)
        pair->length = length;
    else
        rc = refused(path, result, e);
    free(pem.data);
    return rc;
}

static enum err_code read_key(struct pair *pair, const char *path, struct err *e)
{
    gnutls_datum_t pem = {NULL, 0};
    enum err_code rc = read_pem(path, &pem, e);
    int result;

    if (rc != ERR_OK)
        return rc;
    result = gnutls_privkey_init(&pair->key);
    if (result >= 0)
        result = gnutls_privkey_import_x509_raw(pair->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (result < 0)
        rc = refused(path, result, e);
    explicit_bzero(pem.data, pem.size);
    free(pem.data);
    return rc;
}

/* Tell whether the key is that of the first certificate, by the ids of their public keys. */
static enum err_code check_match(const struct pair *pair, const struct tls *tls, struct err *e)
{
    unsigned char ids[2][64];
    size_t lens[2] = {sizeof ids[0], sizeof ids[1]};
    gnutls_pubkey_t public_key = NULL;
    int result = gnutls_pubkey_init(&public_key);

    if (result >= 0)
        result = gnutls_pubkey_import_privkey(public_key, pair->key, 0, 0);
    if (result >= 0)
        result = gnutls_pubkey_get_key_id(public_key, GNUTLS_KEYID_USE_SHA256, ids[0], &lens[0]);
    if (result >= 0)
        result = gnutls_pubkey_get_key_id(pair->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, ids[1],
                                          &lens[1]);
    if (public_key)
        gnutls_pubkey_deinit(public_key);
    if (result < 0)
        return refused(tls->key_path, result, e);
    if (lens[0] != lens[1] || memcmp(ids[0], ids[1], lens[0]) != 0)
        return err_set(e, ERR_INPUT, "%s is not the key of %s", tls->key_path,
                       tls->certificate_path);
    return ERR_OK;
}

/* Read both files.
 *
 * returns NULL if that fails, with the reason in e */
static struct pair *read_pair(const struct tls *tls, struct err *e)
{
    struct pair *pair = mem_array(1, sizeof *pair);

    if (!pair) {
        (void)err_nomem(e);
        return NULL;
    }
    if (read_chain(pair, tls->certificate_path, e) == ERR_OK &&
        read_key(pair, tls->key_path, e) == ERR_OK && check_match(pair, tls, e) == ERR_OK)
        return pair;
    pair_free(pair);
    return NULL;
}

/* Release the pairs that no handshake can use any more. */
static void forget_old(struct pair *pair)
{
    int64_t now = clock_steady_ns();

    while (pair->older && now - pair->older->retired_ns < kept_ns)
        pair = pair->older;
    for (struct pair *old = pair->older; old;) {
        struct pair *older = old->older;

        pair_free(old);
        old = older;
    }
    pair->older = NULL;
}

enum err_code tls_new(const char *certificate, const char *key, struct tls **out_tls, struct err *e)
{
    struct tls *tls = mem_array(1, sizeof *tls);
    struct pair *pair = NULL;

    if (!tls)
        return err_nomem(e);
    tls->certificate_path = mem_text(certificate, strlen(certificate));
    tls->key_path = mem_text(key, strlen(key));
    if (tls->certificate_path && tls->key_path)
        pair = read_pair(tls, e);
    else
        (void)err_nomem(e);
    if (!pair) {
        tls_free(tls);
        return e->code;
    }
    atomic_store(&tls->current, pair);
    *out_tls = tls;
    return ERR_OK;
}

enum err_code tls_reload(struct tls *tls, struct err *e)
{
    struct pair *pair = read_pair(tls, e);
    struct pair *old;

    if (!pair)
        return e->code;
    old = atomic_load(&tls->current);
    old->retired_ns = clock_steady_ns();
    pair->older = old;
    forget_old(pair);
    atomic_store(&tls->current, pair);
    return ERR_OK;
}

void tls_free(struct tls *tls)
{
    struct pair *pair;

    if (!tls)
        return;
    for (pair = atomic_load(&tls->current); pair;) {
        struct pair *older = pair->older;

        pair_free(pair);
        pair = older;
    }
    free(tls->certificate_path);
    free(tls->key_path);
    free(tls);
}

/* The pointer that is meant for a store of sessions, which is not used, carries it. */
void tls_attach(struct tls *tls, gnutls_session_t session)
{
    gnutls_db_set_ptr(session, tls);
}

int tls_choose(gnutls_session_t session, const gnutls_datum_t *names, int name_count,
               const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
               gnutls_pcert_st **out_chain, unsigned *out_length, gnutls_privkey_t *out_key)
{
    struct tls *tls = gnutls_db_get_ptr(session);
    struct pair *pair = tls ? atomic_load(&tls->current) : NULL;

    (void)names;
    (void)name_count;
    (void)algorithms;
    (void)algorithm_count;
    if (!pair)
        return -1;
    *out_chain = pair->chain;
    *out_length = pair->length;
    *out_key = pair->key;
    return 0;
}
