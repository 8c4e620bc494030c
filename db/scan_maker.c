/* A hash table gives each new value a code; at the end values are sorted and all codes replaced. */
#include "db/scan_maker.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Stands for null until all values are known. */
static const uint32_t null_code = UINT32_MAX;

/* Slots of the first table. */
enum { FIRST_SLOTS = 64 };

void scan_maker_init(struct scan_maker *m, const struct field *field)
{
    *m = (struct scan_maker){.field = field, .kind = field ? scan_kind(field) : QUERY_INT};
    m->last = null_code;
}

void scan_maker_done(struct scan_maker *m)
{
    free(m->codes);
    free(m->values);
    free(m->texts);
    free(m->slots);
    scan_maker_init(m, m->field);
}

size_t scan_maker_bytes(const struct scan_maker *m)
{
    return m->code_cap * sizeof *m->codes + m->value_cap * sizeof *m->values + m->text_cap +
           m->slot_count * sizeof *m->slots;
}

/* FNV-1a over bytes, 64 bits wide (draft-eastlake-fnv-17, read 2026-11-30). */
static uint64_t hash_bytes(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* A value that is not null, for the table. text_len: of a text */
struct sought {
    union scan_value value;
    size_t text_len;
};

static uint64_t hash_of(const struct scan_maker *m, const struct sought *sought)
{
    if (m->kind == QUERY_TEXT)
        return hash_bytes(sought->value.text, sought->text_len);
    return hash_bytes(&sought->value, sizeof sought->value);
}

/* A value by its code, with text in its place. */
static union scan_value value_at(const struct scan_maker *m, uint32_t code)
{
    if (m->kind == QUERY_TEXT)
        return (union scan_value){.text = m->texts + m->values[code].integer};
    return m->values[code];
}

/* The slot of a value: with its code, or free. */
static size_t find_slot(const struct scan_maker *m, const struct sought *sought)
{
    size_t slot = hash_of(m, sought) & (m->slot_count - 1);

    while (m->slots[slot] != 0 &&
           scan_value_compare(m->kind, value_at(m, m->slots[slot] - 1), sought->value) != 0)
        slot = (slot + 1) & (m->slot_count - 1);
    return slot;
}

/* Keep a third of the table free. */
static bool grow_slots(struct scan_maker *m)
{
    size_t wanted = m->slot_count > 0 ? 2 * m->slot_count : FIRST_SLOTS;
    uint32_t *slots;

    if (m->slot_count / 3 * 2 > m->value_count)
        return true;
    slots = mem_array(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(m->slots);
    m->slots = slots;
    m->slot_count = wanted;
    for (uint32_t code = 0; code < m->value_count; code++) {
        struct sought sought = {.value = value_at(m, code)};

        if (m->kind == QUERY_TEXT)
            sought.text_len = strlen(sought.value.text);
        m->slots[find_slot(m, &sought)] = code + 1;
    }
    return true;
}

static bool add_text(struct scan_maker *m, const struct sought *sought)
{
    size_t end = m->text_len + sought->text_len + 1;

    while (m->text_cap < end)
        if (!mem_grow((void **)&m->texts, &m->text_cap, m->text_cap, 1))
            return false;
    memcpy(m->texts + m->text_len, sought->value.text, sought->text_len + 1);
    m->text_len = end;
    return true;
}

/* Give a value its code. */
static bool add_value(struct scan_maker *m, const struct sought *sought, uint32_t *out_code)
{
    union scan_value value = sought->value;
    size_t slot;

    if (!grow_slots(m))
        return false;
    slot = find_slot(m, sought);
    if (m->slots[slot] == 0) {
        if (!mem_grow((void **)&m->values, &m->value_cap, m->value_count, sizeof *m->values))
            return false;
        if (m->kind == QUERY_TEXT)
            value.integer = (int64_t)m->text_len;
        if (m->kind == QUERY_TEXT && !add_text(m, sought))
            return false;
        m->values[m->value_count++] = value;
        m->slots[slot] = m->value_count;
    }
    *out_code = m->slots[slot] - 1;
    return true;
}

/* The code of a value. Recipes beside each other often have the same one. */
static bool find_code(struct scan_maker *m, const struct query_value *value, uint32_t *out_code)
{
    struct sought sought = {.value.integer = value->integer};

    if (value->kind == QUERY_NULL) {
        *out_code = null_code;
        return true;
    }
    if (value->kind == QUERY_REAL)
        sought.value.real = value->real + 0.0; /* Of the two zeros the one without a sign. */
    if (value->kind == QUERY_TEXT)
        sought = (struct sought){{.text = value->text}, strlen(value->text)};
    *out_code = m->last;
    if (m->last != null_code &&
        scan_value_compare(m->kind, value_at(m, m->last), sought.value) == 0)
        return true;
    return add_value(m, &sought, out_code);
}

bool scan_maker_add(struct scan_maker *m, const struct query_value *value)
{
    uint32_t code = (uint32_t)value->integer;

    if (!mem_grow((void **)&m->codes, &m->code_cap, m->count, sizeof *m->codes))
        return false;
    if (m->field && !find_code(m, value, &code))
        return false;
    if (!m->field && code >= m->value_count)
        m->value_count = code + 1;
    m->codes[m->count++] = m->last = code;
    return true;
}

static int compare_codes(const void *a, const void *b, void *context)
{
    const struct scan_maker *m = context;

    return scan_value_compare(m->kind, value_at(m, *(const uint32_t *)a),
                              value_at(m, *(const uint32_t *)b));
}

/* Bring the values into their order.
 *
 * ranks: the new code for each old one */
static bool sort_values(struct scan_maker *m, uint32_t *ranks, union scan_value *out)
{
    uint32_t *order = mem_array(m->value_count, sizeof *order);

    if (!order)
        return false;
    for (uint32_t i = 0; i < m->value_count; i++)
        order[i] = i;
    qsort_r(order, m->value_count, sizeof *order, compare_codes, m);
    for (uint32_t i = 0; i < m->value_count; i++) {
        ranks[order[i]] = i;
        out[i] = value_at(m, order[i]);
    }
    free(order);
    return true;
}

static size_t width_for(const struct scan_maker *m)
{
    if (!m->field || m->value_count > UINT16_MAX)
        return sizeof(uint32_t);
    return m->value_count > UINT8_MAX ? sizeof(uint16_t) : sizeof(uint8_t);
}

static void put_code(struct scan_column *column, size_t ordinal, uint32_t code)
{
    if (column->width == 1)
        ((uint8_t *)column->codes)[ordinal] = (uint8_t)code;
    else if (column->width == 2)
        ((uint16_t *)column->codes)[ordinal] = (uint16_t)code;
    else
        ((uint32_t *)column->codes)[ordinal] = code;
}

static void put_codes(const struct scan_maker *m, const uint32_t *ranks, struct scan_column *out)
{
    for (size_t i = 0; i < m->count; i++) {
        uint32_t code = m->codes[i];

        if (m->field)
            code = code == null_code ? m->value_count : ranks[code];
        put_code(out, i, code);
    }
}

/* Give back what texts do not need; values point into them from now on. */
static void trim_texts(struct scan_maker *m)
{
    char *trimmed = m->text_len > 0 ? realloc(m->texts, m->text_len) : NULL;

    if (!trimmed)
        return;
    m->texts = trimmed;
    m->text_cap = m->text_len;
}

bool scan_maker_finish(struct scan_maker *m, struct scan_column *out)
{
    struct scan_column column = {
        .kind = m->kind, .count = m->count, .width = width_for(m), .value_count = m->value_count};
    size_t places = scan_places(m->count);
    size_t values = m->field ? m->value_count : 0;
    uint32_t *ranks = mem_array(values, sizeof *ranks);
    bool is_done = false;

    trim_texts(m);
    column.codes = mem_array(places, column.width);
    column.values = m->field ? mem_array(values, sizeof *column.values) : NULL;
    if (ranks && column.codes && (!m->field || column.values))
        is_done = !m->field || sort_values(m, ranks, column.values);
    if (is_done) {
        put_codes(m, ranks, &column);
        column.texts = m->texts;
        column.bytes =
            sizeof column + places * column.width + values * sizeof *column.values + m->text_cap;
        m->texts = NULL;
        *out = column;
    } else {
        scan_column_done(&column);
    }
    free(ranks);
    scan_maker_done(m);
    return is_done;
}
