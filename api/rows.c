/* What rows of every format share, and rows as JSON. */
#include "api/rows.h"
#include "api/rows_parts.h"

#include "core/cost.h"
#include "core/estimate.h"
#include "core/recipe.h"
#include "core/shown.h"

#include <string.h>

static double speed_stderr(const struct query_row *row)
{
    return cost_speed_stderr(row->tokens_per_s_per_gpu, row->step_time_cv_percent, row->steps);
}

static enum rows_near_tie near_tie(const struct recipe_query *query, const struct query_row *row,
                                   const struct query_row *next)
{
    bool is_by_speed =
        query->sort_count > 0 && strcmp(query->sorts[0].field->column, "tokens_per_s_per_gpu") == 0;

    if (!is_by_speed || strcmp(row->model, next->model) != 0 || strcmp(row->gpu, next->gpu) != 0 ||
        strcmp(row->workload, next->workload) != 0)
        return ROWS_UNKNOWN;
    return estimate_is_near_tie(row->tokens_per_s_per_gpu, speed_stderr(row),
                                next->tokens_per_s_per_gpu, speed_stderr(next))
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

void rows_put_plain(struct buf *out, const struct field *field, const struct query_value *value)
{
    if (value->kind == QUERY_REAL)
        buf_put_real(out, value->real);
    else if (value->kind == QUERY_INT && field->kind == FIELD_BOOL)
        buf_puts(out, value->integer != 0 ? "true" : "false");
    else if (value->kind == QUERY_INT)
        buf_put_int(out, value->integer);
}

void rows_put_stderr(struct buf *out, const struct query_row *row)
{
    buf_put_real(out, shown_round(speed_stderr(row)));
}

const char *rows_near_tie_word(enum rows_near_tie near_tie)
{
    static const char *const words[] = {
        [ROWS_UNKNOWN] = "", [ROWS_APART] = "false", [ROWS_NEAR_TIE] = "true"};

    return words[near_tie];
}

static void put_value(struct json *j, const struct field *field, const struct query_value *value)
{
    switch (value->kind) {
    case QUERY_NULL:
        json_put_null(j, field->column);
        return;
    case QUERY_INT:
        if (field->kind == FIELD_BOOL)
            json_put_bool(j, field->column, value->integer != 0);
        else
            json_put_int(j, field->column, value->integer);
        return;
    case QUERY_REAL:
        json_put_real(j, field->column, value->real);
        return;
    case QUERY_TEXT:
        json_put_text(j, field->column, value->text);
        return;
    }
}

/* What was rendered at import, with the cost between its two pieces, and how sure the speed is. */
static void put_card(struct json *j, const struct rows_walk *walk)
{
    const struct query_row *row = walk->row;

    json_put_raw(j, NULL, row->card_head, strlen(row->card_head));
    if (row->usd_per_million_tokens > 0)
        json_put_real(j, "usd_per_million_tokens", row->usd_per_million_tokens);
    else
        json_put_null(j, "usd_per_million_tokens");
    json_put_raw(j, NULL, row->card_tail, strlen(row->card_tail));
    json_put_int(j, "runs", row->runs);
    shown_put_json(j, "speed_stderr", speed_stderr(row));
    if (walk->near_tie == ROWS_UNKNOWN)
        json_put_null(j, "near_tie");
    else
        json_put_bool(j, "near_tie", walk->near_tie == ROWS_NEAR_TIE);
}

void rows_put_json(struct json *j, const struct rows_style *style, const struct rows_walk *walk)
{
    json_put_int(j, "rank", walk->rank);
    if (!style->has_cards) {
        for (size_t i = 0; i < style->query->column_count; i++)
            put_value(j, style->query->columns[i], &walk->row->values[i]);
        return;
    }
    if (style->has_place) {
        json_put_text(j, "model", walk->row->model);
        json_put_text(j, "gpu", walk->row->gpu);
    }
    put_card(j, walk);
}

void rows_put_ndjson(struct buf *out, const struct rows_style *style, const struct rows_walk *walk)
{
    struct json j;

    json_init(&j, out);
    json_begin(&j, NULL, '{');
    rows_put_json(&j, style, walk);
    json_end(&j, '}');
    buf_putc(out, '\n');
}
