/* The page for browsers: one document for every address, and the scripts and styles that it loads.
 * All of them are files of web/ that the binary carries. */
#ifndef API_WEB_H
#define API_WEB_H

#include "base/hash.h"
#include "server/http.h"

/* Hexadecimal digits of the hash in the addresses of assets: enough that two builds differ. */
#define WEB_BUILD_DIGITS 16

/* Hash the files of web/, whose addresses change with it.
 *
 * out_build: gets WEB_BUILD_DIGITS digits
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code web_build(char out_build[HASH_HEX_BYTES], struct err *e);

/* The page of an address. */
http_page web_page;

#endif
