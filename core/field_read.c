/* Reading a document tree by a field table: every value typed by its field, every problem noted
 * with its place and path. What is allowed is the table's; nothing here knows a field by name. */
#include "base/text.h"
#include "core/field_reader.h"

#include <stdio.h>
#include <string.h>

/* Most names of one map that a wrong one is compared with. */
enum { NAMES = 64 };

/* Lengthen the path by a key; path_cut with the value returned takes it off again. */
static size_t path_add(struct field_reader *rd, const char *key)
{
    struct field_shown shown = field_show(key);
    size_t before = rd->path_len;
    bool has_dot = before > 0 && rd->path[before - 1] != '.';
    size_t dots_len = strlen(shown.dots);
    char *at = rd->path + before;

    if (has_dot + (size_t)shown.len + dots_len >= FIELD_PATH_BYTES - before)
        return before;
    if (has_dot)
        *at++ = '.';
    memcpy(at, key, (size_t)shown.len);
    memcpy(at + shown.len, shown.dots, dots_len + 1);
    rd->path_len = (size_t)(at - rd->path) + (size_t)shown.len + dots_len;
    return before;
}

static size_t path_add_index(struct field_reader *rd, size_t index)
{
    size_t before = rd->path_len;
    int len = snprintf(rd->path + before, FIELD_PATH_BYTES - before, "[%zu]", index);

    if (len > 0 && (size_t)len < FIELD_PATH_BYTES - before)
        rd->path_len = before + (size_t)len;
    return before;
}

static void path_cut(struct field_reader *rd, size_t len)
{
    rd->path_len = len;
    rd->path[len] = '\0';
}

static void *new_items(struct field_reader *rd, size_t count, size_t size)
{
    void *items = arena_array(rd->arena, count, size);

    if (!items)
        rd->is_short = true;
    return items;
}

/* Whether a list or an open map has as many items as it may have. */
static bool is_good_count(struct field_reader *rd, const struct field *field,
                          const struct tree_node *node)
{
    const char *plural = node->count == 1 ? "" : "s";
    double most = field->max > 0 ? field->max : FIELD_ITEMS_LIMIT;

    if ((double)node->count < field->min)
        field_refuse(rd, node, "%zu item%s, where %.0f are needed", node->count, plural,
                     field->min);
    else if ((double)node->count > most)
        field_refuse(rd, node, "%zu item%s, where %.0f are the most", node->count, plural, most);
    else
        return true;
    return false;
}

static void read_texts(struct field_reader *rd, const struct field *field,
                       const struct tree_node *node, struct text_list *out)
{
    const char **items = new_items(rd, node->count, sizeof *items);
    size_t index = 0;

    if (!items)
        return;
    for (const struct tree_node *item = node->first; item; item = item->next, index++) {
        size_t before = path_add_index(rd, index);

        if (field_is_shape(rd, FIELD_TEXT, item))
            field_read_text(rd, field, item, &items[index]);
        path_cut(rd, before);
    }
    *out = (struct text_list){items, node->count};
}

static void read_ints(struct field_reader *rd, const struct tree_node *node, struct int_list *out)
{
    static const struct field one = {.kind = FIELD_INT, .max = FIELD_ITEM_MAX};
    int64_t *items = new_items(rd, node->count, sizeof *items);
    size_t index = 0;

    if (!items)
        return;
    for (const struct tree_node *item = node->first; item; item = item->next, index++) {
        size_t before = path_add_index(rd, index);

        if (field_is_shape(rd, FIELD_INT, item))
            field_read_int(rd, &one, item, &items[index]);
        path_cut(rd, before);
    }
    *out = (struct int_list){items, node->count};
}

static const struct field *find_name(const struct field_table *rows, const char *name)
{
    struct field_table below;

    for (size_t i = 0; i < rows->count; i += 1 + below.count) {
        const struct field *field = &rows->rows[i];

        below = field_below(rows, i);
        if (!(field->flags & FIELD_DERIVED) && strcmp(field_name(field), name) == 0)
            return field;
    }
    return NULL;
}

static void read_entry(struct field_reader *rd, const struct field_table *typed,
                       const struct tree_node *node, struct open_entry *out)
{
    const struct field *field = find_name(typed, node->key);
    enum field_kind kind = field ? field->kind : FIELD_TEXT;

    out->key = field_copy_text(rd, node->key, strlen(node->key));
    out->kind = kind;
    if (!field_is_shape(rd, kind, node))
        return;
    if (kind == FIELD_INT)
        field_read_int(rd, field, node, &out->integer);
    else if (kind == FIELD_REAL)
        field_read_real(rd, field, node, &out->real);
    else
        out->text = field_copy_text(rd, node->text, node->len);
}

static void read_open_map(struct field_reader *rd, const struct field_table *typed,
                          const struct tree_node *node, struct open_map *out)
{
    struct open_entry *entries = new_items(rd, node->count, sizeof *entries);
    size_t index = 0;

    if (!entries)
        return;
    for (const struct tree_node *child = node->first; child; child = child->next, index++) {
        size_t before = path_add(rd, child->key);

        read_entry(rd, typed, child, &entries[index]);
        path_cut(rd, before);
    }
    *out = (struct open_map){entries, node->count};
}

static void refuse_name(struct field_reader *rd, const struct field_table *rows,
                        const struct tree_node *node)
{
    const char *names[NAMES];
    const char *nearest = NULL;
    size_t count = 0;
    struct field_table below;
    size_t before = path_add(rd, node->key);

    for (size_t i = 0; i < rows->count && count < NAMES; i += 1 + below.count) {
        below = field_below(rows, i);
        if (!(rows->rows[i].flags & FIELD_DERIVED))
            names[count++] = field_name(&rows->rows[i]);
    }
    /* Problems over the limit are only counted: looking for what they meant would be in vain. */
    if (rd->report->errors < REPORT_LIMIT)
        nearest = text_nearest(node->key, names, count);
    report_add(rd->report, SEVERITY_ERROR, node->key_line, node->key_column, rd->path,
               "unknown key%s%s%s", nearest ? "; did you mean " : "", nearest ? nearest : "",
               nearest ? "?" : "");
    path_cut(rd, before);
}

/* A missing key has no place of its own: it is reported where its parent is named. */
static void refuse_missing(struct field_reader *rd, const struct tree_node *map)
{
    bool has_key = map->key != NULL;

    report_add(rd->report, SEVERITY_ERROR, has_key ? map->key_line : map->line,
               has_key ? map->key_column : map->column, rd->path, "the key is missing");
}

/* Find a child of a map by its key. Most files have their keys in the table's order, so that the
 * one after the last one found is looked at first. */
static const struct tree_node *find_after(const struct tree_node *map, const struct tree_node *last,
                                          const char *key)
{
    const struct tree_node *next = last ? last->next : map->first;

    return next && strcmp(next->key, key) == 0 ? next : tree_find(map, key);
}

/* Maps are read by recursion, as deep as the table nests its rows. */
static void read_map(struct field_reader *rd, const struct field_table *rows,
                     const struct tree_node *map, void *record);

static void read_items(struct field_reader *rd, const struct field *field,
                       const struct field_table *below, const struct tree_node *node,
                       struct item_list *out)
{
    char *items = new_items(rd, node->count, field->item_size);
    size_t index = 0;

    if (!items)
        return;
    for (const struct tree_node *item = node->first; item; item = item->next, index++) {
        size_t before = path_add_index(rd, index);

        if (field_is_shape(rd, FIELD_MAP, item))
            read_map(rd, below, item, items + index * field->item_size);
        path_cut(rd, before);
    }
    *out = (struct item_list){items, node->count};
}

static void read_value(struct field_reader *rd, const struct field *field,
                       const struct field_table *below, const struct tree_node *node, void *record)
{
    void *member = (char *)record + field->offset;

    switch (field->kind) {
    case FIELD_MAP:
        if (field->flags & FIELD_NULLABLE)
            *(bool *)member = true;
        read_map(rd, below, node, record);
        break;
    case FIELD_INT:
        field_read_int(rd, field, node, member);
        break;
    case FIELD_REAL:
        field_read_real(rd, field, node, member);
        break;
    case FIELD_BOOL:
        field_read_bool(rd, node, member);
        break;
    case FIELD_TEXT:
    case FIELD_DATE:
        field_read_text(rd, field, node, member);
        break;
    case FIELD_TEXT_LIST:
        if (is_good_count(rd, field, node))
            read_texts(rd, field, node, member);
        break;
    case FIELD_INT_LIST:
        if (is_good_count(rd, field, node))
            read_ints(rd, node, member);
        break;
    case FIELD_OPEN_MAP:
        if (is_good_count(rd, field, node))
            read_open_map(rd, below, node, member);
        break;
    case FIELD_MAP_LIST:
        if (is_good_count(rd, field, node))
            read_items(rd, field, below, node, member);
        break;
    }
}

/* node: the field's value; NULL: the map has none */
static void read_member(struct field_reader *rd, const struct field *field,
                        const struct field_table *below, const struct tree_node *map,
                        const struct tree_node *node, void *record)
{
    size_t before = path_add(rd, field_name(field));
    bool may_be_null = field->flags & FIELD_NULLABLE;

    if (!node && !(field->flags & FIELD_OPTIONAL))
        refuse_missing(rd, map);
    else if (node && !(may_be_null && tree_is_null(node)) && field_is_shape(rd, field->kind, node))
        read_value(rd, field, below, node, record);
    path_cut(rd, before);
}

static void read_map(struct field_reader *rd, const struct field_table *rows,
                     const struct tree_node *map, void *record)
{
    const struct tree_node *node = NULL;
    struct field_table below;
    size_t known = 0;

    for (size_t i = 0; i < rows->count; i += 1 + below.count) {
        const struct field *field = &rows->rows[i];

        below = field_below(rows, i);
        if (field->flags & FIELD_DERIVED)
            continue;
        node = find_after(map, node, field_name(field));
        known += node ? 1 : 0;
        read_member(rd, field, &below, map, node, record);
    }
    if (known == map->count)
        return;
    for (const struct tree_node *child = map->first; child; child = child->next)
        if (!find_name(rows, child->key))
            refuse_name(rd, rows, child);
}

enum err_code field_read_at(const struct field_table *table, const struct tree_node *map,
                            const char *prefix, void *out, struct arena *arena,
                            struct report *report, struct err *e)
{
    struct field_reader rd = {.arena = arena, .report = report};

    (void)path_add(&rd, prefix); /* The whole path is this reader's own. */
    if (field_is_shape(&rd, FIELD_MAP, map))
        read_map(&rd, table, map, out);
    return rd.is_short || report->is_short ? err_nomem(e) : ERR_OK;
}

enum err_code field_read(const struct field_table *table, const struct tree_node *root, void *out,
                         struct arena *arena, struct report *report, struct err *e)
{
    return field_read_at(table, root, "", out, arena, report, e);
}
