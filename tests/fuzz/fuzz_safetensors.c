/* libFuzzer's entry for headers of safetensors files: what is taken fills the file to its last
 * byte, and no other length of the file will do; the count that is made of it adds up. The corpus
 * is in corpus/safetensors: the bytes of data in the file on the first line, then the header. */
#include "base/num.h"
#include "core/active_params.h"
#include "core/safetensors.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

/* What the tensors of one header come to.
 *
 * bits:       of those whose dtype is known
 * is_unknown: whether one is not
 * is_refused: whether the counting rule refused one */
struct sum {
    size_t tensors;
    int64_t elements;
    bool is_unknown;
    bool is_refused;
    struct active_params params;
};

static enum err_code visit(void *ctx, const struct tensor *t, struct err *e)
{
    struct sum *sum = ctx;
    int64_t count = 0;

    (void)e;
    fuzz_require(t->rank <= TENSOR_RANK_LIMIT && t->name && t->dtype);
    for (size_t i = 0; i < t->rank; i++)
        fuzz_require(t->shape[i] >= 0);
    sum->tensors++;
    if (tensor_dtype_bits(t->dtype) == 0) {
        struct err refusal;
        enum err_code rc = tensor_count(t, &count, &refusal);

        sum->is_unknown = true;
        if (rc != ERR_OK)
            fuzz_check_error(rc, &refusal);
    }
    if (!sum->is_refused) {
        struct err refusal;
        enum err_code rc = active_params_add(&sum->params, t, &refusal);

        sum->is_refused = rc != ERR_OK;
        if (rc != ERR_OK)
            fuzz_check_error(rc, &refusal);
    }
    return ERR_OK;
}

/* Read a header as that of a file with so many bytes of data. */
static enum err_code read(const char *header, size_t len, int64_t data_bytes, struct sum *out)
{
    static const struct model_config config = {
        .hidden_layers = 2, .experts = 8, .experts_per_token = 2};
    struct err e;
    enum err_code rc;

    *out = (struct sum){.tensors = 0};
    active_params_init(&out->params, &config);
    rc = safetensors_read(header, len, data_bytes + (int64_t)len + SAFETENSORS_PREFIX_BYTES, visit,
                          out, &e);
    if (rc != ERR_OK)
        fuzz_check_error(rc, &e);
    return rc;
}

/* The parts of a count are its total, and nothing is below zero. */
static void check_count(struct sum *sum)
{
    struct active_params *p = &sum->params;
    int64_t parts = p->embedding + p->head + p->dense + p->routed;
    struct err e;
    enum err_code rc;

    if (sum->is_refused)
        return;
    fuzz_require(p->tensors == (int64_t)sum->tensors);
    fuzz_require(p->embedding >= 0 && p->head >= 0 && p->dense >= 0 && p->routed >= 0);
    for (size_t i = 0; i < ACTIVE_PARAMS_SKIPS; i++)
        parts += p->skipped[i];
    fuzz_require(parts == p->total);
    rc = active_params_finish(p, &e);
    if (rc != ERR_OK)
        fuzz_check_error(rc, &e);
    else
        fuzz_require(p->active > 0 && p->active <= p->total);
}

/* The first bytes of a file say how long its header is, and it fits. */
static void check_length(const char *bytes, size_t size)
{
    size_t len = 0;
    struct err e;
    enum err_code rc;

    if (size < SAFETENSORS_PREFIX_BYTES)
        return;
    rc = safetensors_header_bytes(bytes, (int64_t)size, &len, &e);
    if (rc != ERR_OK)
        fuzz_check_error(rc, &e);
    else
        fuzz_require(len <= SAFETENSORS_HEADER_LIMIT && len <= size - SAFETENSORS_PREFIX_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    size_t first = end ? (size_t)(end - bytes) : 0;
    const char *header = end ? end + 1 : bytes;
    size_t len = end ? size - first - 1 : size;
    int64_t data_bytes = 0;
    struct sum sum, other;
    struct err e;

    check_length(bytes, size);
    if (num_parse_int(bytes, first, 0, INT64_MAX / 2, &data_bytes, &e) != ERR_OK)
        data_bytes = 0;
    if (read(header, len, data_bytes, &sum) != ERR_OK)
        return 0;
    check_count(&sum);
    fuzz_require(read(header, len, data_bytes + 1, &other) != ERR_OK);
    fuzz_require(data_bytes == 0 || read(header, len, data_bytes - 1, &other) != ERR_OK);
    return 0;
}
