/* A list of blocks; each allocation moves a mark in the newest one. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t cap;
    alignas(max_align_t) char bytes[];
};

/* Large enough that a recipe of 7 kB takes a few blocks, small enough that a catalogue of three
 * GPUs wastes little. */
static const size_t block_bytes = (size_t)16 * 1024;

void arena_init(struct arena *a, size_t limit)
{
    a->head = NULL;
    a->used = 0;
    a->limit = limit;
}

void arena_done(struct arena *a)
{
    while (a->head) {
        struct arena_block *next = a->head->next;

        free(a->head);
        a->head = next;
    }
    a->used = 0;
}

static struct arena_block *add_block(struct arena *a, size_t bytes)
{
    size_t cap = bytes > block_bytes ? bytes : block_bytes;
    struct arena_block *block = malloc(sizeof *block + cap);

    if (!block)
        return NULL;
    block->next = a->head;
    block->used = 0;
    block->cap = cap;
    a->head = block;
    return block;
}

/* Hand out bytes with whatever they hold. */
static void *take(struct arena *a, size_t size)
{
    const size_t align = alignof(max_align_t);
    struct arena_block *block = a->head;
    size_t bytes = (size + align - 1) / align * align;
    void *out;

    if (bytes < size || bytes > a->limit - a->used)
        return NULL;
    if (!block || bytes > block->cap - block->used)
        block = add_block(a, bytes);
    if (!block)
        return NULL;
    out = block->bytes + block->used;
    block->used += bytes;
    a->used += bytes;
    return out;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    void *out;

    if (size > 0 && count > SIZE_MAX / size)
        return NULL;
    out = take(a, count * size);
    if (out)
        memset(out, 0, count * size);
    return out;
}

char *arena_text(struct arena *a, const char *bytes, size_t len)
{
    char *copy = len < SIZE_MAX ? take(a, len + 1) : NULL;

    if (!copy)
        return NULL;
    if (len > 0)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}
