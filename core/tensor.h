/* One stored tensor as a checkpoint's header describes it; the weights themselves are never read.
 */
#ifndef CORE_TENSOR_H
#define CORE_TENSOR_H

#include "base/err.h"

#include <stdint.h>

/* Most dimensions that a tensor may have. The largest seen is 5, a video patch embedding. */
#define TENSOR_RANK_LIMIT 16

/* A tensor.
 *
 * name:  parts separated by dots; lent
 * dtype: as safetensors writes it, "BF16"; lent
 * rank:  dimensions in shape, 0 for a single number
 * shape: each >= 0 */
struct tensor {
    const char *name;
    const char *dtype;
    size_t rank;
    int64_t shape[TENSOR_RANK_LIMIT];
};

/* Multiply the shape out.
 *
 * Errors: ERR_INPUT if the product does not fit 64 bits. */
MUST_USE enum err_code tensor_count(const struct tensor *t, int64_t *out_count, struct err *e);

/* Bits of one element of a dtype; 0 for a dtype that is not known. */
unsigned tensor_dtype_bits(const char *dtype);

#endif
