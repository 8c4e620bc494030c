/* Element counts and widths. */
#include "core/tensor.h"

#include "base/mem.h"

#include <string.h>

enum err_code tensor_count(const struct tensor *t, int64_t *out_count, struct err *e)
{
    int64_t count = 1;

    for (size_t i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(count, t->shape[i], &count))
            return err_set(e, ERR_INPUT, "its shape does not fit 64 bits");
    *out_count = count;
    return ERR_OK;
}

/* Source: safetensors, safetensors/src/tensor.rs, enum Dtype; read 2026-10. */
unsigned tensor_dtype_bits(const char *dtype)
{
    static const struct {
        const char *name;
        unsigned bits;
    } known[] = {
        {"BF16", 16},   {"F16", 16},    {"F32", 32},    {"F64", 64},    {"F8_E4M3", 8},
        {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
        {"I8", 8},      {"U8", 8},      {"I16", 16},    {"U16", 16},    {"I32", 32},
        {"U32", 32},    {"I64", 64},    {"U64", 64},    {"BOOL", 8},    {"C64", 64},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(known[i].name, dtype) == 0)
            return known[i].bits;
    return 0;
}
