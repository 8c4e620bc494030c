/* Blocks are looked at in loops that compilers make vector code of; whole keys are only made of
 * recipes that may be among the first so far, which soon are few. */
#include "db/scan_walk.h"

#include <stdlib.h>
#include <string.h>

static void swap(struct scan_key *a, struct scan_key *b)
{
    struct scan_key kept = *a;

    *a = *b;
    *b = kept;
}

/* Let the last key rise to its place in the heap. */
static void rise(struct scan_key *heap, size_t count)
{
    size_t at = count - 1;

    while (at > 0 && scan_key_is_less(heap[(at - 1) / 2], heap[at])) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

/* Let the top key sink to its place. */
static void sink(struct scan_key *heap, size_t count)
{
    size_t at = 0;
    size_t below = 1;

    while (below < count) {
        if (below + 1 < count && scan_key_is_less(heap[below], heap[below + 1]))
            below++;
        if (!scan_key_is_less(heap[at], heap[below]))
            return;
        swap(&heap[at], &heap[below]);
        at = below;
        below = 2 * at + 1;
    }
}

static void offer(struct scan_walk *walk, struct scan_key key)
{
    if (walk->count < walk->most) {
        walk->first[walk->count++] = key;
        rise(walk->first, walk->count);
    } else if (scan_key_is_less(key, walk->first[0])) {
        walk->first[0] = key;
        sink(walk->first, walk->count);
    }
}

static void look_at(struct scan_walk *walk, size_t ordinal)
{
    struct scan_key key = scan_order_key(walk->order, ordinal);

    if (!scan_key_is_less(key, walk->start)) {
        offer(walk, key);
        return;
    }
    walk->before++;
    walk->better += scan_order_is_better(walk->order, key, walk->start);
}

/* Count what terms alone say is before the page, and take its marks off. */
static void count_before(struct scan_walk *walk, size_t block, uint8_t *marks)
{
    uint8_t before[SCAN_BLOCK];
    uint8_t rest[SCAN_BLOCK];
    size_t better;

    scan_order_split(walk->order, block, walk->start, marks, before, rest, &better);
    walk->before += scan_marks_count(before);
    walk->better += better;
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] &= (uint8_t)(1 ^ before[i]);
}

/* Take the marks off what terms alone say comes after the first ones so far. */
static void leave_first(struct scan_walk *walk, size_t block, uint8_t *marks)
{
    uint8_t before[SCAN_BLOCK];
    uint8_t rest[SCAN_BLOCK];
    size_t ignored;

    scan_order_split(walk->order, block, walk->first[0], marks, before, rest, &ignored);
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] = before[i] | rest[i];
}

static void walk_block(struct scan_walk *walk, size_t block)
{
    uint8_t marks[SCAN_BLOCK];
    size_t count;
    uint64_t word;

    scan_filter_mark(walk->filter, block, marks);
    count = scan_marks_count(marks);
    walk->total += count;
    if (count == 0)
        return;
    if (walk->has_start)
        count_before(walk, block, marks);
    if (walk->count == walk->most)
        leave_first(walk, block, marks);
    for (size_t i = 0; i < SCAN_BLOCK; i += sizeof word) {
        memcpy(&word, marks + i, sizeof word);
        for (size_t k = i; word != 0 && k < i + sizeof word; k++)
            if (marks[k])
                look_at(walk, block * SCAN_BLOCK + k);
    }
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* A step that leads to each of count blocks once, and far from those before: what is asked for
 * often rises or falls with the recipes' own order, and blocks in that order would each be better
 * than all before. */
static size_t step_for(size_t count)
{
    size_t step = count * 618 / 1000 + 1; /* Near the golden section. */

    while (common_divisor(step, count) != 1)
        step++;
    return step;
}

static int compare_keys(const void *a, const void *b)
{
    struct scan_key x = *(const struct scan_key *)a;
    struct scan_key y = *(const struct scan_key *)b;

    return scan_key_is_less(y, x) - scan_key_is_less(x, y);
}

void scan_walk_run(struct scan_walk *walk)
{
    size_t blocks = scan_blocks(walk->filter->recipes);
    size_t step = step_for(blocks);

    for (size_t i = 0, block = 0; i < blocks; i++, block = (block + step) % blocks)
        walk_block(walk, block);
    qsort(walk->first, walk->count, sizeof *walk->first, compare_keys);
}
