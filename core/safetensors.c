/* safetensors headers: {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...}, with an
 * optional "__metadata__" that holds no tensor. */
#include "core/safetensors.h"

#include "base/json_read.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tensor is about eight values in a header, so this leaves room for 125,000 in one file; all of
 * a model of a trillion parameters has fewer. */
static const struct json_limits limits = {
    .bytes = SAFETENSORS_HEADER_LIMIT, .depth = 8, .values = 1000000};

/* Where a tensor's data lies, in bytes after the header. */
struct span {
    int64_t begin;
    int64_t end;
};

enum err_code safetensors_header_bytes(const char *bytes, int64_t file_bytes, size_t *out_bytes,
                                       struct err *e)
{
    uint64_t header_bytes = 0;

    for (size_t i = SAFETENSORS_PREFIX_BYTES; i > 0; i--)
        header_bytes = header_bytes << 8 | (unsigned char)bytes[i - 1];
    if (header_bytes > SAFETENSORS_HEADER_LIMIT)
        return err_set(e, ERR_LIMIT, "a header of %" PRIu64 " bytes is longer than %d",
                       header_bytes, SAFETENSORS_HEADER_LIMIT);
    if ((int64_t)header_bytes > file_bytes - SAFETENSORS_PREFIX_BYTES)
        return err_set(e, ERR_INPUT, "a header of %" PRIu64 " bytes in a file of %" PRId64,
                       header_bytes, file_bytes);
    *out_bytes = (size_t)header_bytes;
    return ERR_OK;
}

static enum err_code read_span(const struct json_t *entry, struct span *out_span, struct err *e)
{
    int64_t offsets[2];
    size_t count = 0;
    enum err_code rc = json_read_ints(json_read_find(entry, "data_offsets"), "data_offsets", 0,
                                      INT64_MAX, COUNT_OF(offsets), offsets, &count, e);

    if (rc != ERR_OK)
        return rc;
    if (count != COUNT_OF(offsets) || offsets[1] < offsets[0])
        return err_set(e, ERR_INPUT, "data_offsets: a begin and an end are needed");
    *out_span = (struct span){.begin = offsets[0], .end = offsets[1]};
    return ERR_OK;
}

/* A dtype that is not known has a width that is not known: whoever counts the tensor refuses it. */
static enum err_code check_bytes(const struct tensor *t, const struct span *span, struct err *e)
{
    unsigned bits = tensor_dtype_bits(t->dtype);
    int64_t count = 0;
    int64_t total_bits = 0;
    enum err_code rc = tensor_count(t, &count, e);

    if (rc != ERR_OK || bits == 0)
        return rc;
    if (__builtin_mul_overflow(count, bits, &total_bits))
        return err_set(e, ERR_INPUT, "its size does not fit 64 bits");
    if (total_bits % 8 != 0 || total_bits / 8 != span->end - span->begin)
        return err_set(e, ERR_INPUT,
                       "its shape has %" PRId64 " elements of %u bits, its offsets %" PRId64
                       " bytes",
                       count, bits, span->end - span->begin);
    return ERR_OK;
}

static enum err_code read_entry(const struct json_member *entry, struct tensor *out_tensor,
                                struct span *out_span, struct err *e)
{
    struct tensor t = {.name = entry->key};
    enum err_code rc = json_read_text(json_read_find(entry->value, "dtype"), "dtype", &t.dtype, e);

    if (rc == ERR_OK)
        rc = json_read_ints(json_read_find(entry->value, "shape"), "shape", 0, INT64_MAX,
                            TENSOR_RANK_LIMIT, t.shape, &t.rank, e);
    if (rc == ERR_OK)
        rc = read_span(entry->value, out_span, e);
    if (rc == ERR_OK)
        rc = check_bytes(&t, out_span, e);
    if (rc != ERR_OK)
        return err_wrap(e, "%.200s", entry->key);
    *out_tensor = t;
    return ERR_OK;
}

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The order of the names is not always that of the data. */
static enum err_code check_spans(struct span *spans, size_t count, int64_t data_bytes,
                                 struct err *e)
{
    int64_t at = 0;

    if (count > 0)
        qsort(spans, count, sizeof *spans, by_begin);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].begin != at)
            return err_set(e, ERR_INPUT,
                           "a tensor begins at byte %" PRId64
                           ", and the one before ends at %" PRId64,
                           spans[i].begin, at);
        at = spans[i].end;
    }
    if (at != data_bytes)
        return err_set(e, ERR_INPUT,
                       "the tensors have %" PRId64 " bytes, and the file has room for %" PRId64, at,
                       data_bytes);
    return ERR_OK;
}

static enum err_code visit_all(struct json_t *root, struct span *spans, size_t *out_count,
                               safetensors_visit visit, void *ctx, struct err *e)
{
    struct json_member entry = {0};
    enum err_code rc = ERR_OK;
    size_t count = 0;
    struct tensor t;

    while (rc == ERR_OK && json_read_next(root, &entry)) {
        if (strcmp(entry.key, "__metadata__") == 0)
            continue;
        rc = read_entry(&entry, &t, &spans[count], e);
        count++;
        if (rc == ERR_OK)
            rc = visit(ctx, &t, e);
    }
    *out_count = count;
    return rc;
}

enum err_code safetensors_read(const char *header, size_t len, int64_t file_bytes,
                               safetensors_visit visit, void *ctx, struct err *e)
{
    int64_t data_bytes = file_bytes - SAFETENSORS_PREFIX_BYTES - (int64_t)len;
    struct json_t *root = NULL;
    struct span *spans = NULL;
    size_t count = 0;
    enum err_code rc = json_read_parse(header, len, &limits, &root, e);

    if (rc != ERR_OK)
        goto out;
    if (!json_read_is_object(root)) {
        rc = err_set(e, ERR_INPUT, "a header is an object");
        goto out;
    }
    spans = mem_array(json_read_count(root), sizeof *spans);
    if (!spans) {
        rc = err_nomem(e);
        goto out;
    }
    rc = visit_all(root, spans, &count, visit, ctx, e);
    if (rc == ERR_OK)
        rc = check_spans(spans, count, data_bytes, e);
out:
    free(spans);
    json_read_free(root);
    return rc;
}
