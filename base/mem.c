/* Checked allocation. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *mem_array(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

bool mem_grow(void **array, size_t *cap, size_t len, size_t size)
{
    size_t wanted = *cap > 0 ? *cap * 2 : 8;
    void *moved;

    if (len < *cap)
        return true;
    if (wanted < *cap || wanted > SIZE_MAX / size)
        return false;
    moved = realloc(*array, wanted * size);
    if (!moved)
        return false;
    *array = moved;
    *cap = wanted;
    return true;
}

char *mem_text(const char *bytes, size_t len)
{
    char *copy = len < SIZE_MAX ? malloc(len + 1) : NULL;

    if (!copy)
        return NULL;
    if (len > 0)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}
