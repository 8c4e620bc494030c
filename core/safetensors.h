/* The header of a safetensors file: what tensors it holds and where. It is checked against the
 * file's size, so that a header that is not the file's own is not taken for it. */
#ifndef CORE_SAFETENSORS_H
#define CORE_SAFETENSORS_H

#include "core/tensor.h"

#include <stddef.h>

/* Bytes before the header, which hold its length. */
#define SAFETENSORS_PREFIX_BYTES 8

/* Longest header. Real ones have under 200 kB; the format itself allows 100 MB. */
#define SAFETENSORS_HEADER_LIMIT 25000000

/* What to do with each tensor; lent for the call. An error ends the reading and is its result. */
typedef enum err_code (*safetensors_visit)(void *ctx, const struct tensor *t, struct err *e);

/* Read the length of the header.
 *
 * bytes:  the file's first SAFETENSORS_PREFIX_BYTES
 * Errors: ERR_LIMIT if it is above SAFETENSORS_HEADER_LIMIT, ERR_INPUT if the file is too short to
 *         hold it. */
MUST_USE enum err_code safetensors_header_bytes(const char *bytes, int64_t file_bytes,
                                                size_t *out_bytes, struct err *e);

/* Read a header and visit each tensor, in the header's order. The tensors must fill the file to its
 * end without gap or overlap, each as large as its shape and dtype tell.
 *
 * header, len: the header without its length
 * file_bytes:  of the whole file
 * Errors:      ERR_INPUT, ERR_LIMIT, ERR_NOMEM, or what visit returned. Some tensors may have been
 *              visited by then. */
MUST_USE enum err_code safetensors_read(const char *header, size_t len, int64_t file_bytes,
                                        safetensors_visit visit, void *ctx, struct err *e);

#endif
