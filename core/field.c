/* Looking into field tables, and writing records as JSON by them. Reading is core/field_read.c. */
#include "core/field.h"

#include <string.h>

const char *field_name(const struct field *field)
{
    const char *dot = strrchr(field->path, '.');

    return dot ? dot + 1 : field->path;
}

/* len: of the map's path */
static bool is_below_path(const struct field *field, const char *map, size_t len)
{
    return strncmp(field->path, map, len) == 0 &&
           (field->path[len] == '.' || field->path[len] == '[');
}

static bool is_below(const struct field *field, const struct field *map)
{
    return is_below_path(field, map->path, strlen(map->path));
}

struct field_table field_below(const struct field_table *table, size_t index)
{
    const struct field *field = &table->rows[index];
    size_t most = table->count - index - 1;
    size_t len = strlen(field->path);
    struct field_table below = {field + 1, 0};

    if (field->kind != FIELD_MAP && field->kind != FIELD_OPEN_MAP && field->kind != FIELD_MAP_LIST)
        return below;
    while (below.count < most && is_below_path(&below.rows[below.count], field->path, len))
        below.count++;
    return below;
}

const struct field *field_by_column(const struct field_table *table, const char *column)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->rows[i].column;

        /* Most names end at their first letter: lists ask for ten columns each. */
        if (name && *name == *column && strcmp(name, column) == 0)
            return &table->rows[i];
    }
    return NULL;
}

const struct field *field_by_path(const struct field_table *table, const char *path)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].path, path) == 0)
            return &table->rows[i];
    return NULL;
}

static const void *member(const struct field *field, const void *record)
{
    return (const char *)record + field->offset;
}

static bool may_be_null(const struct field *field)
{
    return (field->flags & (FIELD_NULLABLE | FIELD_OPTIONAL)) != 0;
}

static bool is_member_null(const struct field *field, const void *record)
{
    bool may_be_zero = !may_be_null(field);

    switch (field->kind) {
    case FIELD_MAP:
        return !may_be_zero && !*(const bool *)member(field, record);
    case FIELD_INT:
        return !may_be_zero && *(const int64_t *)member(field, record) == 0;
    case FIELD_REAL:
        return !may_be_zero && *(const double *)member(field, record) == 0;
    case FIELD_TEXT:
    case FIELD_DATE:
        return !*(const char *const *)member(field, record);
    case FIELD_BOOL:
    case FIELD_TEXT_LIST:
    case FIELD_INT_LIST:
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        return false;
    }
    return false;
}

bool field_is_null(const struct field *field, const void *record)
{
    const struct field *row = field;

    if (is_member_null(field, record))
        return true;
    /* The map that may be null has its row before it, and none stands within another. */
    if (field->flags & FIELD_BELOW_NULLABLE)
        do
            row--;
        while (!may_be_null(row) || !is_below(field, row));
    return row != field && is_member_null(row, record);
}

bool field_can_be_null(const struct field_table *table, const struct field *field)
{
    for (const struct field *row = table->rows; row <= field; row++)
        if (may_be_null(row) && (row == field || is_below(field, row)))
            return true;
    return false;
}

static void write_open_map(const char *key, const struct open_map *map, struct json *j)
{
    json_begin(j, key, '{');
    for (size_t i = 0; i < map->count; i++) {
        const struct open_entry *entry = &map->entries[i];

        json_put_key(j, entry->key);
        if (entry->kind == FIELD_INT)
            json_put_int(j, NULL, entry->integer);
        else if (entry->kind == FIELD_REAL)
            json_put_real(j, NULL, entry->real);
        else
            json_put_text(j, NULL, entry->text);
    }
    json_end(j, '}');
}

static void write_texts(const char *key, const struct text_list *list, struct json *j)
{
    json_begin(j, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_put_text(j, NULL, list->items[i]);
    json_end(j, ']');
}

static void write_ints(const char *key, const struct int_list *list, struct json *j)
{
    json_begin(j, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_put_int(j, NULL, list->items[i]);
    json_end(j, ']');
}

/* Maps are written by recursion, as deep as the table nests its rows. */
static void write_items(const struct field *field, const struct field_table *below,
                        const struct item_list *list, struct json *j)
{
    json_begin(j, field_name(field), '[');
    for (size_t i = 0; i < list->count; i++)
        field_write_json(below, (const char *)list->items + i * field->item_size, NULL, j);
    json_end(j, ']');
}

static void write_value(const struct field *field, const struct field_table *below,
                        const void *record, struct json *j)
{
    const char *key = field_name(field);
    const void *value = member(field, record);

    switch (field->kind) {
    case FIELD_MAP:
        field_write_json(below, record, key, j);
        break;
    case FIELD_INT:
        json_put_int(j, key, *(const int64_t *)value);
        break;
    case FIELD_REAL:
        json_put_real(j, key, *(const double *)value);
        break;
    case FIELD_BOOL:
        json_put_bool(j, key, *(const bool *)value);
        break;
    case FIELD_TEXT:
    case FIELD_DATE:
        json_put_text(j, key, *(const char *const *)value);
        break;
    case FIELD_TEXT_LIST:
        write_texts(key, value, j);
        break;
    case FIELD_INT_LIST:
        write_ints(key, value, j);
        break;
    case FIELD_OPEN_MAP:
        write_open_map(key, value, j);
        break;
    case FIELD_MAP_LIST:
        write_items(field, below, value, j);
        break;
    }
}

void field_write_json(const struct field_table *table, const void *record, const char *key,
                      struct json *j)
{
    struct field_table below;

    json_begin(j, key, '{');
    for (size_t i = 0; i < table->count; i += 1 + below.count) {
        const struct field *field = &table->rows[i];

        below = field_below(table, i);
        if (field->flags & FIELD_DERIVED)
            continue;
        if (!is_member_null(field, record))
            write_value(field, &below, record, j);
        else if (!(field->flags & FIELD_OPTIONAL))
            json_put_null(j, field_name(field));
    }
    json_end(j, '}');
}
