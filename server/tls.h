/* The certificate that HTTPS connections are shown, and its key; both may be exchanged while
 * connections are served. */
#ifndef SERVER_TLS_H
#define SERVER_TLS_H

#include "base/err.h"

#include <gnutls/abstract.h>

struct tls;

/* Read a certificate with its chain, and its key, both PEM.
 *
 * certificate, key: paths, copied
 * Errors: ERR_NOT_FOUND, ERR_IO, ERR_LIMIT for a file; ERR_INPUT if one is malformed, or they do
 *         not belong together; ERR_NOMEM. No text has anything of the key.
 * Owns:   the caller ends with tls_free, after the server stopped. */
MUST_USE enum err_code tls_new(const char *certificate, const char *key, struct tls **out_tls,
                               struct err *e);

/* Read both files again, for the handshakes that begin from now on. Called by one thread.
 *
 * Errors: as tls_new; the old certificate stays. */
MUST_USE enum err_code tls_reload(struct tls *tls, struct err *e);

/* Release them; NULL is fine. */
void tls_free(struct tls *tls);

/* Make a session of a connection take its certificate from tls; before its handshake. */
void tls_attach(struct tls *tls, gnutls_session_t session);

/* The library's question for a certificate, whatever the client asks for: there is one. */
int tls_choose(gnutls_session_t session, const gnutls_datum_t *names, int name_count,
               const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
               gnutls_pcert_st **out_chain, unsigned *out_length, gnutls_privkey_t *out_key);

#endif
