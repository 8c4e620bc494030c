/* Writing a recipe's facts: fields in the table's order, entries of open maps and flags by name. */
#include "core/compare_facts.h"

#include "base/mem.h"
#include "base/text.h"
#include "core/compare_parts.h"

#include <stdlib.h>
#include <string.h>

/* Which fields are compared, by how their paths begin; the first that fits holds. */
struct field_group {
    const char *prefix;
    enum compare_group group;
};

/* What says in prose what other fields say one by one is in no group. */
static const struct field_group field_groups[] = {
    {"layout.summary", COMPARE_GROUPS},
    {"layout.highlights", COMPARE_GROUPS},
    {"gpu.count", COMPARE_LAYOUT},
    {"layout.", COMPARE_LAYOUT},
    {"stack", COMPARE_STACK},
    {"patches", COMPARE_STACK},
    {"workload.", COMPARE_WORKLOAD},
    {"env", COMPARE_ENV},
    {"run", COMPARE_FLAGS},
    {"result.", COMPARE_RESULTS},
    {"correctness.convergence.", COMPARE_RESULTS},
};

static enum compare_group group_of(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(field_groups); i++)
        if (field->path[0] == field_groups[i].prefix[0] &&
            text_starts(field->path, field_groups[i].prefix))
            return field_groups[i].group;
    return COMPARE_GROUPS;
}

/* Append a row's number in three digits, so that facts sort as rows do. */
static void put_row(struct buf *out, size_t row)
{
    const char digits[] = {(char)('0' + row / 100 % 10), (char)('0' + row / 10 % 10),
                           (char)('0' + row % 10)};

    buf_add(out, digits, sizeof digits);
}

void compare_fact_begin(const struct compare_place *place, enum compare_kind kind, const char *name,
                        size_t len, struct buf *out)
{
    buf_putc(out, (char)('a' + (int)place->group));
    buf_putc(out, (char)('a' + (int)kind));
    put_row(out, place->row);
    buf_puts(out, place->path);
    if (*place->path)
        buf_putc(out, '.');
    buf_add(out, name, len);
    buf_putc(out, COMPARE_MIDDLE);
}

void compare_fact_end(struct buf *out)
{
    buf_putc(out, COMPARE_END);
}

/* What a field's row is called within its group: "layer_split_first", "dataset.build". */
static const char *name_of(const struct field *field)
{
    const char *dot = strchr(field->path, '.');

    if (field->column)
        return field->column;
    return dot ? dot + 1 : field->path;
}

static void put_texts(const struct text_list *list, struct buf *out)
{
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        buf_puts(out, list->items[i]);
    }
}

static void put_integers(const struct int_list *list, struct buf *out)
{
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        buf_put_int(out, list->items[i]);
    }
}

static enum compare_kind kind_of(const struct field *field)
{
    static const enum compare_kind kinds[] = {
        [FIELD_INT] = COMPARE_INTEGER,   [FIELD_REAL] = COMPARE_REAL,
        [FIELD_BOOL] = COMPARE_BOOL,     [FIELD_TEXT] = COMPARE_TEXT,
        [FIELD_DATE] = COMPARE_TEXT,     [FIELD_TEXT_LIST] = COMPARE_TEXT,
        [FIELD_INT_LIST] = COMPARE_TEXT,
    };

    return field->kind < COUNT_OF(kinds) ? kinds[field->kind] : COMPARE_ABSENT;
}

static void put_value(const struct field *field, const void *member, struct buf *out)
{
    switch (field->kind) {
    case FIELD_INT:
        buf_put_int(out, *(const int64_t *)member);
        break;
    case FIELD_REAL:
        buf_put_real(out, *(const double *)member);
        break;
    case FIELD_BOOL:
        buf_puts(out, *(const bool *)member ? "true" : "false");
        break;
    case FIELD_TEXT:
    case FIELD_DATE:
        buf_puts(out, *(const char *const *)member);
        break;
    case FIELD_TEXT_LIST:
        put_texts(member, out);
        break;
    case FIELD_INT_LIST:
        put_integers(member, out);
        break;
    case FIELD_MAP: /* Its fields have rows of their own. */
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        break;
    }
}

static int by_key(const void *a, const void *b)
{
    const struct open_entry *const *left = a;
    const struct open_entry *const *right = b;

    return strcmp((*left)->key, (*right)->key);
}

static void put_entry(const struct compare_place *place, const struct open_entry *entry,
                      struct buf *out)
{
    enum compare_kind kind = entry->kind == FIELD_INT    ? COMPARE_INTEGER
                             : entry->kind == FIELD_REAL ? COMPARE_REAL
                                                         : COMPARE_TEXT;

    compare_fact_begin(place, kind, entry->key, strlen(entry->key), out);
    if (kind == COMPARE_INTEGER)
        buf_put_int(out, entry->integer);
    else if (kind == COMPARE_REAL)
        buf_put_real(out, entry->real);
    else
        buf_puts(out, entry->text);
    compare_fact_end(out);
}

static void put_open_map(const struct compare_place *place, const struct open_map *map,
                         struct buf *out)
{
    const struct open_entry *sorted[FIELD_ITEMS_LIMIT] = {NULL};
    size_t count = map->count < COUNT_OF(sorted) ? map->count : COUNT_OF(sorted);

    for (size_t i = 0; i < count; i++)
        sorted[i] = &map->entries[i];
    qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++)
        put_entry(place, sorted[i], out);
}

static void put_field(const struct compare_place *place, const struct field *field,
                      const struct recipe *r, struct buf *out)
{
    const void *member = (const char *)r + field->offset;
    struct compare_place inside = *place;

    if (field->kind == FIELD_OPEN_MAP) {
        inside.path = strchr(field->path, '.') ? name_of(field) : "";
        put_open_map(&inside, member, out);
        return;
    }
    if (kind_of(field) == COMPARE_ABSENT || field_is_null(field, r))
        return;
    compare_fact_begin(place, kind_of(field), name_of(field), strlen(name_of(field)), out);
    put_value(field, member, out);
    compare_fact_end(out);
}

enum err_code compare_facts_write(const struct recipe *r, struct buf *out, struct err *e)
{
    struct compare_command command;
    enum err_code rc = compare_command_read(r->run, &command, e);

    if (rc != ERR_OK)
        return rc;
    buf_puts(out, r->derived.workload);
    buf_putc(out, COMPARE_MIDDLE);
    buf_puts(out, command.script.problem ? command.script.problem : "");
    compare_fact_end(out);
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        const struct compare_place place = {group_of(field), i, ""};

        if (place.group == COMPARE_FLAGS)
            compare_flags_write(&place, &command, out);
        else if (place.group != COMPARE_GROUPS)
            put_field(&place, field, r, out);
        if (field->kind == FIELD_OPEN_MAP)
            i += field_below(&recipe_fields, i).count; /* They have no members of their own. */
    }
    compare_command_done(&command);
    return buf_check(out, e);
}
