/* Looking at columns in memory: values are found by halving, codes are compared block by block. */
#include "db/scan_column.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Marks that are counted at once: the bytes of a word. */
enum { WORD_MARKS = sizeof(uint64_t) };

static_assert(SCAN_BLOCK % WORD_MARKS == 0, "marks of a block are counted word by word");

bool scan_subject_is_same(struct scan_subject a, struct scan_subject b)
{
    if (a.field != b.field || !a.words != !b.words)
        return false;
    return !a.words || strcmp(a.words, b.words) == 0;
}

void scan_column_done(struct scan_column *column)
{
    free(column->codes);
    free(column->values);
    free(column->texts);
    *column = (struct scan_column){0};
}

size_t scan_blocks(size_t count)
{
    return count / SCAN_BLOCK + (count % SCAN_BLOCK > 0);
}

size_t scan_places(size_t count)
{
    return scan_blocks(count) * SCAN_BLOCK;
}

enum query_value_kind scan_kind(const struct field *field)
{
    if (field->kind == FIELD_REAL)
        return QUERY_REAL;
    return field->kind == FIELD_INT || field->kind == FIELD_BOOL ? QUERY_INT : QUERY_TEXT;
}

int scan_value_compare(enum query_value_kind kind, union scan_value a, union scan_value b)
{
    switch (kind) {
    case QUERY_NULL:
        break;
    case QUERY_INT:
        return (a.integer > b.integer) - (a.integer < b.integer);
    case QUERY_REAL:
        return (a.real > b.real) - (a.real < b.real);
    case QUERY_TEXT:
        return strcmp(a.text, b.text);
    }
    return 0;
}

static union scan_value value_of(const struct query_value *value)
{
    if (value->kind == QUERY_REAL)
        return (union scan_value){.real = value->real};
    if (value->kind == QUERY_TEXT)
        return (union scan_value){.text = value->text};
    return (union scan_value){.integer = value->integer};
}

struct scan_place scan_column_find(const struct scan_column *column,
                                   const struct query_value *value)
{
    const union scan_value sought = value_of(value);
    uint32_t first = 0;
    uint32_t end = column->value_count;

    if (value->kind == QUERY_NULL)
        return (struct scan_place){end, true};
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (scan_value_compare(column->kind, column->values[middle], sought) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return (struct scan_place){
        first, first < column->value_count &&
                   scan_value_compare(column->kind, column->values[first], sought) == 0};
}

uint32_t scan_column_code(const struct scan_column *column, size_t ordinal)
{
    if (column->width == 1)
        return ((const uint8_t *)column->codes)[ordinal];
    if (column->width == 2)
        return ((const uint16_t *)column->codes)[ordinal];
    return ((const uint32_t *)column->codes)[ordinal];
}

/* The same for each width: what wraps around below first is above every span. */
static void mark_bytes(const uint8_t *restrict codes, uint8_t first, uint8_t span,
                       uint8_t *restrict marks)
{
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] |= (uint8_t)(codes[i] - first) <= span;
}

static void mark_shorts(const uint16_t *restrict codes, uint16_t first, uint16_t span,
                        uint8_t *restrict marks)
{
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] |= (uint16_t)(codes[i] - first) <= span;
}

static void mark_words(const uint32_t *restrict codes, uint32_t first, uint32_t span,
                       uint8_t *restrict marks)
{
    for (size_t i = 0; i < SCAN_BLOCK; i++)
        marks[i] |= codes[i] - first <= span;
}

void scan_column_mark(const struct scan_column *column, size_t block, struct scan_range range,
                      uint8_t *marks)
{
    const char *codes = (const char *)column->codes + block * SCAN_BLOCK * column->width;
    uint32_t span = range.last - range.first;

    if (column->width == 1)
        mark_bytes((const uint8_t *)codes, (uint8_t)range.first, (uint8_t)span, marks);
    else if (column->width == 2)
        mark_shorts((const uint16_t *)(const void *)codes, (uint16_t)range.first, (uint16_t)span,
                    marks);
    else
        mark_words((const uint32_t *)(const void *)codes, range.first, span, marks);
}

size_t scan_marks_count(const uint8_t *marks)
{
    /* Sums the bytes of a word into its highest one: 8 at most, so that none overflows. */
    static const uint64_t sum = UINT64_C(0x0101010101010101);
    size_t count = 0;

    for (size_t i = 0; i < SCAN_BLOCK; i += WORD_MARKS) {
        uint64_t word;

        memcpy(&word, marks + i, sizeof word);
        count += word * sum >> 56;
    }
    return count;
}
