/* A recipe's values by the field table: bound to columns, digested, and as words for search. */
#include "db/columns.h"

#include "base/mem.h"

#include <string.h>

bool column_is_in(const struct field *field, enum recipe_table table)
{
    bool is_narrow = (field->flags & (FIELD_FILTERABLE | FIELD_SORTABLE)) != 0;

    if (table == TABLE_CARDS)
        return (field->flags & FIELD_CARD) != 0;
    return is_narrow == (table == TABLE_RECIPES);
}

bool column_is_nullable(const struct field *field)
{
    return (field->flags & (FIELD_NULLABLE | FIELD_OPTIONAL | FIELD_BELOW_NULLABLE)) != 0;
}

static const void *member(const struct field *field, const void *record)
{
    return (const char *)record + field->offset;
}

void column_bind(struct stmt *s, const struct field *field, const struct recipe *r)
{
    const void *value = member(field, r);

    if (field_is_null(field, r)) {
        stmt_bind_null(s, NULL);
        return;
    }
    switch (field->kind) {
    case FIELD_INT:
        stmt_bind_int(s, NULL, *(const int64_t *)value);
        break;
    case FIELD_REAL:
        stmt_bind_real(s, NULL, *(const double *)value);
        break;
    case FIELD_BOOL:
        stmt_bind_int(s, NULL, *(const bool *)value);
        break;
    case FIELD_TEXT:
    case FIELD_DATE:
        stmt_bind_text(s, NULL, *(const char *const *)value);
        break;
    case FIELD_MAP:
    case FIELD_TEXT_LIST:
    case FIELD_INT_LIST:
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        stmt_fail(s, ERR_BUG, "a list has no column");
        break;
    }
}

void column_digest(const struct field *field, const struct recipe *r, struct buf *out)
{
    if (field_is_null(field, r))
        buf_putc(out, '\1'); /* No text has control characters. */
    else if (field->kind == FIELD_INT)
        buf_put_int(out, *(const int64_t *)member(field, r));
    else if (field->kind == FIELD_REAL)
        buf_put_real(out, *(const double *)member(field, r));
    else if (field->kind == FIELD_BOOL)
        buf_put_int(out, *(const bool *)member(field, r));
    else
        buf_puts(out, *(const char *const *)member(field, r));
    buf_putc(out, '\0');
}

static void add_word(struct buf *out, const char *text)
{
    if (text) {
        buf_puts(out, text);
        buf_putc(out, '\n');
    }
}

static void add_map(struct buf *out, const struct open_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        add_word(out, map->entries[i].key);
        add_word(out, map->entries[i].text);
    }
}

static void add_list(struct buf *out, const struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add_word(out, list->items[i]);
}

static void add_items(struct buf *out, const struct field *field, struct field_table below,
                      const struct item_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < below.count; j++)
            if (below.rows[j].kind == FIELD_TEXT)
                add_word(out,
                         *(const char *const *)member(&below.rows[j], (const char *)list->items +
                                                                          i * field->item_size));
}

void column_search_text(const struct recipe *r, struct buf *out)
{
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if ((field->flags & FIELD_DERIVED) || strchr(field->path, '['))
            continue;
        if (field->kind == FIELD_TEXT)
            add_word(out, *(const char *const *)member(field, r));
        else if (field->kind == FIELD_OPEN_MAP)
            add_map(out, member(field, r));
        else if (field->kind == FIELD_TEXT_LIST)
            add_list(out, member(field, r));
        else if (field->kind == FIELD_MAP_LIST)
            add_items(out, field, field_below(&recipe_fields, i), member(field, r));
    }
}
