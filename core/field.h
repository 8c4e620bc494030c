/* Tables of fields, and what one table drives: reading a document tree into a struct with every
 * problem reported, and writing the struct as JSON in the table's order. The recipe's table is in
 * core/recipe_fields.c, the catalogue's in core/catalog_fields.c. */
#ifndef CORE_FIELD_H
#define CORE_FIELD_H

#include "base/arena.h"
#include "base/json.h"
#include "core/report.h"
#include "core/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a field holds, and the C type of its member. */
enum field_kind {
    FIELD_MAP,  /* a map with the fields below it; member: bool is_present where it may be null */
    FIELD_INT,  /* int64_t; where it may be null its range leaves 0 out, and 0 means null */
    FIELD_REAL, /* double; likewise */
    FIELD_BOOL, /* bool; never null */
    FIELD_TEXT, /* const char *, NULL for null or absent */
    FIELD_DATE, /* const char *, "2026-10-20" */
    FIELD_TEXT_LIST, /* struct text_list */
    FIELD_INT_LIST,  /* struct int_list, of exactly max items */
    FIELD_OPEN_MAP,  /* struct open_map: any keys; text, but for keys that have a row below it */
    FIELD_MAP_LIST   /* struct item_list of maps: rows "path[].name", offsets within item_size bytes
                      */
};

/* Facts about a field, or-ed. Without FIELD_OPTIONAL a key must be there; without FIELD_NULLABLE
 * its value must not be null. */
enum field_flag {
    FIELD_OPTIONAL = 1,           /* may be absent, and then stays absent in JSON */
    FIELD_NULLABLE = 2,           /* may be null */
    FIELD_ABOVE_MIN = 4,          /* min itself is excluded */
    FIELD_FILTERABLE = 8,         /* a query parameter; needs a column */
    FIELD_SORTABLE = 16,          /* a sort key; needs a column */
    FIELD_MULTILINE = 32,         /* in CSV only when asked for */
    FIELD_DERIVED = 64,           /* not in the file: worked out from it, or from the catalogue */
    FIELD_SLUG_PART = 128,        /* becomes a slug: letters, digits, dots and hyphens */
    FIELD_HEX = 256,              /* lower-case hexadecimal, of exactly max digits */
    FIELD_SLUG = 512,             /* is a slug already (slug_check) */
    FIELD_URL = 1024,             /* an http or https address */
    FIELD_HUB_NAME = 2048,        /* OWNER/NAME on Hugging Face */
    FIELD_HUB_URL = 4096,         /* https://huggingface.co/OWNER/NAME */
    FIELD_FREE_TEXT = 8192,       /* a name as people write it: a filter's value may have commas */
    FIELD_BELOW_NULLABLE = 16384, /* a map above it may be null, and then it is null, too */
    FIELD_CARD = 32768            /* its column is among those that lists show, too */
};

/* Most items of a list and most entries of an open map. Recipes have a few; the limit keeps what a
 * file of the largest size may take in memory far below RECIPE_ARENA_LIMIT. */
#define FIELD_ITEMS_LIMIT 1000

/* Largest item of a FIELD_INT_LIST; the smallest is 0. */
#define FIELD_ITEM_MAX 1000000000

/* One row. Rows of one map stand together, after the row of the map.
 *
 * path:        dotted ("layout.tp"), never ""; of an item's member "component_tests[].test"
 * column:      SQL column, query parameter, sort key and CSV header ("tp"); NULL: none of these
 * offset:      of the member in the table's struct, or in an item for a "[]" row
 * unit:        "GPUs", "tokens/s"; NULL where there is none
 * min, max:    range of a number, inclusive (see FIELD_ABOVE_MIN); number of items of a list; max
 *              alone: digits with FIELD_HEX; both 0 where there is no limit
 * allowed:     the words it may be, ended by NULL; NULL: any text
 * item_size:   of one item of a FIELD_MAP_LIST
 * description: a sentence or two for the schema and the OpenAPI document */
struct field {
    const char *path;
    const char *column;
    enum field_kind kind;
    unsigned flags;
    size_t offset;
    const char *unit;
    double min;
    double max;
    const char *const *allowed;
    size_t item_size;
    const char *description;
};

/* A table: rows in document order, each parent before its children. */
struct field_table {
    const struct field *rows;
    size_t count;
};

/* The member of a FIELD_TEXT_LIST. */
struct text_list {
    const char **items;
    size_t count;
};

/* The member of a FIELD_INT_LIST. */
struct int_list {
    int64_t *items;
    size_t count;
};

/* An entry of an open map.
 *
 * kind: FIELD_TEXT, or FIELD_INT or FIELD_REAL for the keys that the table types */
struct open_entry {
    const char *key;
    enum field_kind kind;
    const char *text;
    int64_t integer;
    double real;
};

/* The member of a FIELD_OPEN_MAP, in the file's order. */
struct open_map {
    struct open_entry *entries;
    size_t count;
};

/* Items of a FIELD_MAP_LIST, one after the other. */
struct item_list {
    void *items;
    size_t count;
};

/* Read a tree into a struct by a table. Every problem goes into the report: a missing key (at its
 * parent's place), an unknown one (with the nearest known name), a wrong kind, a value out of
 * range.
 *
 * root:   the document's root
 * out:    a zeroed struct that the table's offsets fit; members of fields with problems stay zero
 * arena:  owns all text and lists that out points to
 * Errors: ERR_NOMEM only; whether the document is valid, the report says. */
MUST_USE enum err_code field_read(const struct field_table *table, const struct tree_node *root,
                                  void *out, struct arena *arena, struct report *report,
                                  struct err *e);

/* Read one map inside a document, as field_read, its own path before the fields' in problems:
 * prefix "gpus[2]." */
MUST_USE enum err_code field_read_at(const struct field_table *table, const struct tree_node *map,
                                     const char *prefix, void *out, struct arena *arena,
                                     struct report *report, struct err *e);

/* Write a struct as one JSON object with the document's own nesting; nulls are written, absent
 * optional fields are not. FIELD_DERIVED rows are left out. */
void field_write_json(const struct field_table *table, const void *record, const char *key,
                      struct json *j);

/* Find a row by its column, or by its path; NULL if there is none. */
const struct field *field_by_column(const struct field_table *table, const char *column);
const struct field *field_by_path(const struct field_table *table, const char *path);

/* The key of a row's value in its map: the last part of its path. */
const char *field_name(const struct field *field);

/* The rows below a row, lent from the table: of its map, open map or list of maps; none for other
 * kinds. */
struct field_table field_below(const struct field_table *table, size_t index);

/* Tell whether a member is null (or absent) in a record, be it because a map above it is null.
 *
 * field:  a row of a table, not a copy: the rows before it are looked at
 * record: the table's struct; for a "[]" row, its item */
bool field_is_null(const struct field *field, const void *record);

/* Tell whether a member may be null (or absent) in some record, be it because a map above it may.
 */
bool field_can_be_null(const struct field_table *table, const struct field *field);

#endif
