/* Walks over rows, what rows of every format share, and rows as JSON. */
#include "api/rows.h"

#include "core/estimate.h"

#include <string.h>

static enum rows_near_tie near_tie(const struct recipe_query *query, const struct query_row *row,
                                   const struct query_row *next)
{
    bool is_by_speed =
        query->sort_count > 0 && strcmp(query->sorts[0].field->column, "tokens_per_s_per_gpu") == 0;

    if (!is_by_speed || strcmp(row->model, next->model) != 0 || strcmp(row->gpu, next->gpu) != 0 ||
        strcmp(row->workload, next->workload) != 0)
        return ROWS_UNKNOWN;
    return estimate_is_near_tie(row->tokens_per_s_per_gpu, row->speed_stderr,
                                next->tokens_per_s_per_gpu, next->speed_stderr)
               ? ROWS_NEAR_TIE
               : ROWS_APART;
}

void rows_walk_begin(struct rows_walk *walk, const struct recipe_query *query,
                     const struct query_page *page)
{
    *walk = (struct rows_walk){
        .query = query, .page = page, .rank = page->first_rank, .position = page->first_position};
}

void rows_walk_on(struct rows_walk *walk, const struct recipe_query *query,
                  const struct query_page *page, const struct query_value *before)
{
    walk->query = query;
    walk->page = page;
    walk->before = before;
    walk->index = 0;
}

bool rows_walk_next(struct rows_walk *walk)
{
    const struct query_page *page = walk->page;
    bool has_next = walk->index + 1 < page->count || page->has_more;

    if (walk->index == page->count)
        return false;
    walk->row = &page->rows[walk->index];
    if (walk->before && !db_query_is_tie(walk->query, walk->before, walk->row->keys))
        walk->rank = walk->position;
    walk->near_tie = has_next ? near_tie(walk->query, walk->row, walk->row + 1) : ROWS_UNKNOWN;
    walk->before = walk->row->keys;
    walk->position++;
    walk->index++;
    return true;
}

void rows_put_plain(struct buf *out, const struct rows_column *column,
                    const struct query_value *value)
{
    if (value->kind == QUERY_REAL)
        buf_put_real(out, value->real);
    else if (value->kind == QUERY_INT && column->kind == FIELD_BOOL)
        buf_puts(out, value->integer != 0 ? "true" : "false");
    else if (value->kind == QUERY_INT)
        buf_put_int(out, value->integer);
}

static void put_member(struct json *j, const struct rows_column *column,
                       const struct query_value *value)
{
    switch (value->kind) {
    case QUERY_NULL:
        json_put_null(j, column->name);
        return;
    case QUERY_INT:
        if (column->kind == FIELD_BOOL)
            json_put_bool(j, column->name, value->integer != 0);
        else
            json_put_int(j, column->name, value->integer);
        return;
    case QUERY_REAL:
        json_put_real(j, column->name, value->real);
        return;
    case QUERY_TEXT:
        json_put_text(j, column->name, value->text);
        return;
    }
}

enum err_code rows_put_json(struct json *j, const struct rows_style *style,
                            const struct rows_walk *walk, struct err *e)
{
    struct query_value values[ROWS_COLUMNS];
    enum err_code rc;

    if (style->put_card) {
        style->put_card(style, walk, j);
        return ERR_OK;
    }
    rc = style->fill(style, walk, values, e);
    for (size_t i = 0; rc == ERR_OK && i < style->column_count; i++)
        put_member(j, &style->columns[i], &values[i]);
    return rc;
}

enum err_code rows_put_ndjson(struct buf *out, const struct rows_style *style,
                              const struct rows_walk *walk, struct err *e)
{
    enum err_code rc;
    struct json j;

    json_init(&j, out);
    json_begin(&j, NULL, '{');
    rc = rows_put_json(&j, style, walk, e);
    json_end(&j, '}');
    buf_putc(out, '\n');
    return rc;
}
