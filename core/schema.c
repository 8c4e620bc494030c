/* One walk over the field table writes the schema in both notations. In YAML only maps differ from
 * JSON: they stand in block style, and every other value is JSON, which YAML reads as the same. */
#include "core/schema.h"

#include "base/json.h"
#include "core/recipe.h"
#include "core/text_form.h"

#include <stdio.h>

/* Room for a description with its unit. */
enum { DESCRIPTION_BYTES = 512 };

/* Where it goes, and how.
 *
 * json:  writes values, and in JSON the maps too
 * depth: of maps, for the indentation of YAML */
struct writer {
    struct json json;
    bool is_yaml;
    unsigned depth;
};

/* Name the next value. */
static void put_key(struct writer *w, const char *key)
{
    if (!w->is_yaml) {
        json_put_key(&w->json, key);
        return;
    }
    for (unsigned i = 0; i < w->depth; i++)
        buf_puts(w->json.buf, "  ");
    buf_puts(w->json.buf, key);
    buf_putc(w->json.buf, ':');
}

/* Begin a value that is no map. */
static struct json *value(struct writer *w, const char *key)
{
    put_key(w, key);
    if (w->is_yaml)
        buf_putc(w->json.buf, ' ');
    w->json.needs_comma = false;
    return &w->json;
}

static void end_value(struct writer *w)
{
    if (w->is_yaml)
        buf_putc(w->json.buf, '\n');
}

static void put_text(struct writer *w, const char *key, const char *text)
{
    json_put_text(value(w, key), NULL, text);
    end_value(w);
}

static void put_bool(struct writer *w, const char *key, bool is_true)
{
    json_put_bool(value(w, key), NULL, is_true);
    end_value(w);
}

/* Every limit of the table is a whole number. */
static void put_number(struct writer *w, const char *key, double number)
{
    json_put_int(value(w, key), NULL, (int64_t)number);
    end_value(w);
}

static void begin_map(struct writer *w, const char *key)
{
    put_key(w, key);
    if (w->is_yaml)
        buf_putc(w->json.buf, '\n');
    else
        json_begin(&w->json, NULL, '{');
    w->depth++;
}

static void end_map(struct writer *w)
{
    w->depth--;
    if (!w->is_yaml)
        json_end(&w->json, '}');
}

static void put_type(struct writer *w, const struct field *field, const char *type)
{
    struct json *j;

    if (!(field->flags & FIELD_NULLABLE)) {
        put_text(w, "type", type);
        return;
    }
    j = value(w, "type");
    json_begin(j, NULL, '[');
    json_put_text(j, NULL, type);
    json_put_text(j, NULL, "null");
    json_end(j, ']');
    end_value(w);
}

static void put_description(struct writer *w, const struct field *field)
{
    char text[DESCRIPTION_BYTES];

    /* The table's own words: the test of the schema would show one that is cut. */
    (void)snprintf(text, sizeof text, "%s%s%s%s", field->description, field->unit ? " Unit: " : "",
                   field->unit ? field->unit : "", field->unit ? "." : "");
    put_text(w, "description", text);
}

static void put_number_limits(struct writer *w, const struct field *field)
{
    if (field->min == 0 && field->max == 0)
        return;
    if (field->min == field->max) {
        put_number(w, "const", field->min);
        return;
    }
    put_number(w, field->flags & FIELD_ABOVE_MIN ? "exclusiveMinimum" : "minimum", field->min);
    put_number(w, "maximum", field->max);
}

static void put_enum(struct writer *w, const struct field *field)
{
    struct json *j = value(w, "enum");

    json_begin(j, NULL, '[');
    for (const char *const *word = field->allowed; *word; word++)
        json_put_text(j, NULL, *word);
    if (field->flags & FIELD_NULLABLE)
        json_put_null(j, NULL);
    json_end(j, ']');
    end_value(w);
}

static void put_hex(struct writer *w, const struct field *field)
{
    char pattern[32];

    (void)snprintf(pattern, sizeof pattern, "^[0-9a-f]{%d}$", (int)field->max); /* 64 at most. */
    put_text(w, "pattern", pattern);
}

static void put_text_limits(struct writer *w, const struct field *field)
{
    const struct text_form *form = text_form_get(field->flags);

    if (field->allowed)
        put_enum(w, field);
    else if (field->flags & FIELD_HEX)
        put_hex(w, field);
    else if (form)
        put_text(w, "pattern", form->pattern);
    else if (field->flags & FIELD_MULTILINE)
        put_text(w, "pattern", "[^ \\t\\r\\n]");
    else
        put_text(w, "pattern", "^[^\\r\\n]*[^ \\t\\r\\n][^\\r\\n]*$");
}

static void put_item_limits(struct writer *w, const struct field *field)
{
    put_number(w, "minItems", field->min);
    put_number(w, "maxItems", field->max > 0 ? field->max : FIELD_ITEMS_LIMIT);
}

/* A list of single values: its items have the limits of the reader (core/field.h). */
static void put_items(struct writer *w, const struct field *field)
{
    begin_map(w, "items");
    if (field->kind == FIELD_INT_LIST) {
        put_text(w, "type", "integer");
        put_number(w, "minimum", 0);
        put_number(w, "maximum", FIELD_ITEM_MAX);
    } else {
        put_text(w, "type", "string");
        put_text_limits(w, field);
    }
    end_map(w);
    put_item_limits(w, field);
}

static void put_required(struct writer *w, const struct field_table *rows)
{
    struct json *j = value(w, "required");
    struct field_table below;

    json_begin(j, NULL, '[');
    for (size_t i = 0; i < rows->count; i += 1 + below.count) {
        below = field_below(rows, i);
        if (!(rows->rows[i].flags & (FIELD_DERIVED | FIELD_OPTIONAL)))
            json_put_text(j, NULL, field_name(&rows->rows[i]));
    }
    json_end(j, ']');
    end_value(w);
}

/* Maps are written by recursion, as deep as the table nests its rows. */
static void put_field(struct writer *w, const struct field *field, const struct field_table *below);

static void put_properties(struct writer *w, const struct field_table *rows)
{
    struct field_table below;

    begin_map(w, "properties");
    for (size_t i = 0; i < rows->count; i += 1 + below.count) {
        below = field_below(rows, i);
        if (!(rows->rows[i].flags & FIELD_DERIVED))
            put_field(w, &rows->rows[i], &below);
    }
    end_map(w);
}

static void put_map(struct writer *w, const struct field_table *rows)
{
    put_properties(w, rows);
    put_required(w, rows);
    put_bool(w, "additionalProperties", false);
}

static void put_open_map(struct writer *w, const struct field_table *typed)
{
    if (typed->count > 0)
        put_properties(w, typed);
    begin_map(w, "additionalProperties");
    put_text(w, "type", "string");
    end_map(w);
    put_number(w, "maxProperties", FIELD_ITEMS_LIMIT);
}

static void put_map_items(struct writer *w, const struct field *field,
                          const struct field_table *below)
{
    begin_map(w, "items");
    put_text(w, "type", "object");
    put_map(w, below);
    end_map(w);
    put_item_limits(w, field);
}

static void put_limits(struct writer *w, const struct field *field, const struct field_table *below)
{
    switch (field->kind) {
    case FIELD_MAP:
        put_map(w, below);
        break;
    case FIELD_INT:
    case FIELD_REAL:
        put_number_limits(w, field);
        break;
    case FIELD_BOOL:
        break;
    case FIELD_TEXT:
        put_text_limits(w, field);
        break;
    case FIELD_DATE:
        put_text(w, "format", "date");
        put_text(w, "pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
        break;
    case FIELD_TEXT_LIST:
    case FIELD_INT_LIST:
        put_items(w, field);
        break;
    case FIELD_OPEN_MAP:
        put_open_map(w, below);
        break;
    case FIELD_MAP_LIST:
        put_map_items(w, field, below);
        break;
    }
}

static void put_field(struct writer *w, const struct field *field, const struct field_table *below)
{
    static const char *const types[] = {
        [FIELD_MAP] = "object",      [FIELD_INT] = "integer",    [FIELD_REAL] = "number",
        [FIELD_BOOL] = "boolean",    [FIELD_TEXT] = "string",    [FIELD_DATE] = "string",
        [FIELD_TEXT_LIST] = "array", [FIELD_INT_LIST] = "array", [FIELD_OPEN_MAP] = "object",
        [FIELD_MAP_LIST] = "array",
    };

    begin_map(w, field_name(field));
    put_type(w, field, types[field->kind]);
    put_description(w, field);
    put_limits(w, field, below);
    end_map(w);
}

static void put_schema(struct writer *w)
{
    put_text(w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put_text(w, "$id", SCHEMA_ID);
    put_text(w, "title", "Training recipe");
    put_text(
        w, "description",
        "One measured training run of a model on a GPU type: layout, software, command, speed, "
        "cost and the evidence that it trains correctly.");
    put_text(w, "type", "object");
    put_map(w, &recipe_fields);
}

void schema_write_json(struct buf *out)
{
    struct writer w = {.is_yaml = false};

    json_init(&w.json, out);
    json_begin(&w.json, NULL, '{');
    put_schema(&w);
    json_end(&w.json, '}');
    buf_putc(out, '\n');
}

void schema_write_yaml(struct buf *out)
{
    struct writer w = {.is_yaml = true};

    json_init(&w.json, out);
    buf_puts(out, "# The fields of a recipe file, generated from core/recipe_fields.c by\n"
                  "# `openrecipes schema`.\n");
    put_schema(&w);
}
