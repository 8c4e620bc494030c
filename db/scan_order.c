/* Keys are packed from the top: what is compared first stands highest. */
#include "db/scan_order.h"

#include <string.h>

enum { WORD_BITS = 64 };

/* So many recipes of a block are sooner looked at one by one. */
enum { FEW = 32 };

bool scan_order_fits(const struct query_order *order, const struct query_value *after)
{
    for (size_t i = 0; i < order->count; i++) {
        const struct query_term *term = &order->terms[i];
        bool is_of_tail = i + QUERY_TAIL_KEYS >= order->count;

        /* By the last ones a recipe is looked for. */
        if (after[i].kind != scan_kind(term->field) && (is_of_tail || after[i].kind != QUERY_NULL))
            return false;
    }
    return true;
}

/* Tell whether a term decides something that ordinals do not. The first key of the tail is the
 * day; model, gpu and recipe are what ordinals are in the order of. */
static bool is_needed(const struct query_order *order, size_t sort_count, size_t index)
{
    return index <= sort_count && !order->terms[index].is_idle;
}

void scan_order_want(const struct query_order *order, size_t sort_count, struct scan_loan *loan)
{
    for (size_t i = 0; i < order->count; i++)
        if (is_needed(order, sort_count, i))
            scan_loan_want(loan, (struct scan_subject){.field = order->terms[i].field});
}

/* Bits of a number up to most; at least one. */
static unsigned bits_for(uint64_t most)
{
    unsigned bits = 1;

    while (most >> bits > 0)
        bits++;
    return bits;
}

static uint64_t mask_of(unsigned bits)
{
    return bits < WORD_BITS ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Give a term its place: in the higher word while that has room.
 *
 * free_high, free_low: bits that are left of each */
static bool place_term(struct scan_term *term, unsigned *free_high, unsigned *free_low,
                       unsigned low_end)
{
    const unsigned bits = term->bits;

    term->is_high = bits <= *free_high;
    if (term->is_high) {
        *free_high -= bits;
        term->shift = *free_high;
        return true;
    }
    *free_high = 0;
    if (bits > *free_low)
        return false;
    *free_low -= bits;
    term->shift = low_end + *free_low;
    return true;
}

static void put(const struct scan_term *term, uint32_t turned, struct scan_key *key)
{
    if (term->is_high)
        key->high |= (uint64_t)turned << term->shift;
    else
        key->low |= (uint64_t)turned << term->shift;
}

bool scan_order_make(const struct query_order *order, size_t sort_count,
                     const struct scan_loan *loan, struct scan_order *out)
{
    unsigned free_high = WORD_BITS;
    unsigned free_low;

    *out = (struct scan_order){
        .ordinal_bits = bits_for(scan_loan_column(loan, (struct scan_subject){0})->count)};
    free_low = WORD_BITS - out->ordinal_bits;
    for (size_t i = 0; i < order->count; i++) {
        struct scan_term *term = &out->terms[out->count];

        if (!is_needed(order, sort_count, i))
            continue;
        *term = (struct scan_term){
            .column = scan_loan_column(loan, (struct scan_subject){.field = order->terms[i].field}),
            .index = i,
            .is_descending = order->terms[i].is_descending,
            .is_sort = i < sort_count};
        term->bits = bits_for(term->column->value_count);
        if (!place_term(term, &free_high, &free_low, out->ordinal_bits))
            return false;
        if (term->is_sort)
            put(term, (uint32_t)mask_of(term->bits), &out->tie_mask);
        out->count++;
    }
    return true;
}

/* A code as the order has it, and back: nulls stay last. */
static uint32_t turn(const struct scan_term *term, uint32_t code)
{
    uint32_t count = term->column->value_count;

    return term->is_descending && code < count ? count - 1 - code : code;
}

struct scan_key scan_order_key(const struct scan_order *order, size_t ordinal)
{
    struct scan_key key = {0, ordinal};

    for (size_t i = 0; i < order->count; i++) {
        const struct scan_term *term = &order->terms[i];

        put(term, turn(term, scan_column_code(term->column, ordinal)), &key);
    }
    return key;
}

size_t scan_order_ordinal(const struct scan_order *order, struct scan_key key)
{
    return (size_t)(key.low & mask_of(order->ordinal_bits));
}

struct scan_key scan_order_start(const struct scan_order *order, const struct query_value *after,
                                 size_t ordinal)
{
    struct scan_key key = {0, 0};

    for (size_t i = 0; i < order->count; i++) {
        const struct scan_term *term = &order->terms[i];
        struct scan_place place = scan_column_find(term->column, &after[term->index]);
        bool is_turned = term->is_descending && after[term->index].kind != QUERY_NULL;

        if (!is_turned)
            put(term, place.code, &key);
        else
            put(term, term->column->value_count - place.code - place.is_in, &key);
        /* What follows a value that no recipe has decides nothing. */
        if (!place.is_in)
            return key;
    }
    key.low |= ordinal;
    return key;
}

bool scan_key_is_less(struct scan_key a, struct scan_key b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

bool scan_order_is_better(const struct scan_order *order, struct scan_key a, struct scan_key b)
{
    return scan_key_is_less(
        (struct scan_key){a.high & order->tie_mask.high, a.low & order->tie_mask.low},
        (struct scan_key){b.high & order->tie_mask.high, b.low & order->tie_mask.low});
}

/* A term's part of a key. */
static uint32_t part_of(const struct scan_term *term, struct scan_key key)
{
    uint64_t word = term->is_high ? key.high : key.low;

    return (uint32_t)(word >> term->shift & mask_of(term->bits));
}

/* Mark recipes whose turned codes are from first to before end. */
static void mark_turned(const struct scan_term *term, size_t block, uint32_t first, uint32_t end,
                        uint8_t *marks)
{
    const uint32_t count = term->column->value_count;

    if (first >= end)
        return;
    if (!term->is_descending) {
        scan_column_mark(term->column, block, (struct scan_range){first, end - 1}, marks);
        return;
    }
    if (end > count) /* Nulls, and what comes before them. */
        scan_column_mark(term->column, block, (struct scan_range){count, count}, marks);
    if (first < count)
        scan_column_mark(term->column, block,
                         (struct scan_range){end < count ? count - end : 0, count - 1 - first},
                         marks);
}

/* Go one term further: some of those that were equal so far are below the key, others still equal.
 */
static void split_equal(const struct scan_term *term, size_t block, uint32_t part, uint8_t *below,
                        uint8_t *equal)
{
    uint8_t found_below[SCAN_BLOCK] = {0};
    uint8_t found_equal[SCAN_BLOCK] = {0};

    mark_turned(term, block, 0, part, found_below);
    mark_turned(term, block, part, part + 1, found_equal);
    for (size_t i = 0; i < SCAN_BLOCK; i++) {
        below[i] |= equal[i] & found_below[i];
        equal[i] &= found_equal[i];
    }
}

void scan_order_split(const struct scan_order *order, size_t block, struct scan_key key,
                      const uint8_t *marks, uint8_t *out_below, uint8_t *out_equal,
                      size_t *out_better)
{
    size_t better = 0;

    memset(out_below, 0, SCAN_BLOCK);
    memcpy(out_equal, marks, SCAN_BLOCK);
    for (size_t i = 0; i < order->count; i++) {
        const struct scan_term *term = &order->terms[i];

        if (scan_marks_count(out_equal) <= FEW)
            break;
        split_equal(term, block, part_of(term, key), out_below, out_equal);
        if (term->is_sort)
            better = scan_marks_count(out_below);
    }
    *out_better = better;
}
