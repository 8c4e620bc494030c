/* Rows of recipes: their columns and cards. */
#include "api/rows_recipes.h"

#include "base/mem.h"
#include "core/recipe.h"
#include "core/shown.h"

#include <string.h>

/* What a reader looks for first; the other columns follow in the field table's order. */
static const char *const first_columns[] = {"model", "gpu", "recipe", "tokens_per_s_per_gpu",
                                            "usd_per_million_tokens"};

static bool is_first(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(first_columns); i++)
        if (strcmp(field->column, first_columns[i]) == 0)
            return true;
    return false;
}

size_t rows_recipes_csv(const struct field **out)
{
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(first_columns); i++)
        out[count++] = field_by_column(&recipe_fields, first_columns[i]);
    for (size_t i = 0; i < recipe_fields.count && count < QUERY_COLUMNS; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (field->column && !(field->flags & FIELD_MULTILINE) && !is_first(field))
            out[count++] = field;
    }
    return count;
}

/* What a terminal has room for. */
static const char *const text_columns[] = {
    "model",
    "gpu",
    "recipe",
    "tokens_per_s_per_gpu",
    "usd_per_million_tokens",
    "mfu",
    "gpus",
    "label",
    "status",
    "measured",
    "runs",
    "author",
};

/* Model and GPU come first, where the path does not name them. */
enum { PLACE_COLUMNS = 2 };

size_t rows_recipes_text(bool has_place, const struct field **out)
{
    size_t skipped = has_place ? 0 : PLACE_COLUMNS;

    for (size_t i = skipped; i < COUNT_OF(text_columns); i++)
        out[i - skipped] = field_by_column(&recipe_fields, text_columns[i]);
    return COUNT_OF(text_columns) - skipped;
}

/* What was rendered at import, with the cost between its two pieces, and how the next row stands.
 */
static void put_card_members(const struct rows_walk *walk, struct json *j)
{
    const struct query_row *row = walk->row;

    json_put_raw(j, NULL, row->card_head, strlen(row->card_head));
    if (row->usd_per_million_tokens > 0)
        json_put_real(j, "usd_per_million_tokens", row->usd_per_million_tokens);
    else
        json_put_null(j, "usd_per_million_tokens");
    json_put_raw(j, NULL, row->card_tail, strlen(row->card_tail));
    if (walk->near_tie == ROWS_UNKNOWN)
        json_put_null(j, "near_tie");
    else
        json_put_bool(j, "near_tie", walk->near_tie == ROWS_NEAR_TIE);
}

static void put_card(const struct rows_style *style, const struct rows_walk *walk, struct json *j)
{
    (void)style; /* Cards are all alike. */
    json_put_int(j, "rank", walk->rank);
    put_card_members(walk, j);
}

static void put_card_with_place(const struct rows_style *style, const struct rows_walk *walk,
                                struct json *j)
{
    (void)style;
    json_put_int(j, "rank", walk->rank);
    json_put_text(j, "model", walk->row->model);
    json_put_text(j, "gpu", walk->row->gpu);
    put_card_members(walk, j);
}

static enum err_code fill(const struct rows_style *style, const struct rows_walk *walk,
                          struct query_value *out, struct err *e)
{
    size_t count = walk->query->column_count;

    (void)e; /* Everything is in the row. */
    out[0] = (struct query_value){.kind = QUERY_INT, .integer = walk->rank};
    memcpy(out + 1, walk->row->values, count * sizeof *out);
    if (style->column_count == 1 + count)
        return ERR_OK;
    out[1 + count] =
        (struct query_value){.kind = QUERY_REAL, .real = shown_round(walk->row->speed_stderr)};
    out[2 + count] = (struct query_value){
        .kind = walk->near_tie == ROWS_UNKNOWN ? QUERY_NULL : QUERY_INT,
        .integer = walk->near_tie == ROWS_NEAR_TIE,
    };
    return ERR_OK;
}

static void add(struct rows_style *style, const char *name, enum field_kind kind)
{
    style->columns[style->column_count++] = (struct rows_column){name, kind};
}

void rows_recipes_style(const struct recipe_query *query, bool has_cards, bool has_place,
                        struct rows_style *out)
{
    *out = (struct rows_style){.fill = fill};
    add(out, "rank", FIELD_INT);
    for (size_t i = 0; i < query->column_count; i++)
        add(out, query->columns[i]->column, query->columns[i]->kind);
    if (!has_cards)
        return;
    add(out, "speed_stderr", FIELD_REAL);
    add(out, "near_tie", FIELD_BOOL);
    out->put_card = has_place ? put_card_with_place : put_card;
}
