/* Running list queries: binding their values and reading their pages. */
#include "db/query.h"

#include "base/num.h"
#include "db/query_sql.h"
#include "db/scan.h"

#include <assert.h>
#include <string.h>

/* Longest parameter name, ":price" and a number of any size. */
enum { NAME_BYTES = 8 + 2 * NUM_TEXT_BYTES };

/* Put a parameter's name together. */
static void name_numbered(char *out, const char *letter, size_t number)
{
    size_t len = strlen(letter);

    memcpy(out, letter, len);
    num_format_int(out + len, (int64_t)number);
}

static void bind_value(struct stmt *s, const char *name, const struct query_value *value)
{
    switch (value->kind) {
    case QUERY_NULL:
        break; /* In the text already. */
    case QUERY_INT:
        stmt_bind_int(s, name, value->integer);
        break;
    case QUERY_REAL:
        stmt_bind_real(s, name, value->real);
        break;
    case QUERY_TEXT:
        stmt_bind_text(s, name, value->text);
        break;
    }
}

static void bind_filters(struct stmt *s, const struct recipe_query *query)
{
    char name[NAME_BYTES];

    for (size_t i = 0; i < query->filter_count; i++)
        for (size_t j = 0; j < query->filters[i].count; j++) {
            name_numbered(name, ":f", i);
            name_numbered(name + strlen(name), "_", j);
            bind_value(s, name, &query->filters[i].values[j]);
        }
}

/* Prices stand in a statement only where it works out costs. */
static void bind_prices(struct stmt *s, const struct recipe_query *query)
{
    char name[NAME_BYTES];

    if (query->price_count == 0 || sqlite3_bind_parameter_index(s->handle, ":gpu0") == 0)
        return;
    for (size_t i = 0; i < query->price_count; i++) {
        name_numbered(name, ":gpu", i);
        stmt_bind_text(s, name, query->prices[i].gpu);
        name_numbered(name, ":price", i);
        if (query->prices[i].usd_per_gpu_hour > 0)
            stmt_bind_real(s, name, query->prices[i].usd_per_gpu_hour);
    }
}

void query_bind_conditions(struct stmt *s, const struct recipe_query *query, const char *match)
{
    bind_filters(s, query);
    bind_prices(s, query);
    if (query->as_of)
        stmt_bind_text(s, ":as_of", query->as_of);
    if (query->text)
        stmt_bind_text(s, ":text", match);
}

static void bind_keys(struct stmt *s, const char *letter, const struct query_value *keys,
                      const struct query_order *order, size_t count)
{
    char name[NAME_BYTES];

    for (size_t i = 0; i < count; i++) {
        if (order->terms[i].is_idle)
            continue;
        name_numbered(name, letter, i);
        bind_value(s, name, &keys[i]);
    }
}

static struct query_value read_value(struct stmt *s, int column, struct arena *arena)
{
    switch (sqlite3_column_type(s->handle, column)) {
    case SQLITE_INTEGER:
        return (struct query_value){.kind = QUERY_INT, .integer = stmt_int(s, column)};
    case SQLITE_FLOAT:
        return (struct query_value){.kind = QUERY_REAL, .real = stmt_real(s, column)};
    case SQLITE_TEXT:
        return (struct query_value){.kind = QUERY_TEXT, .text = stmt_copy(s, column, arena)};
    default:
        return (struct query_value){.kind = QUERY_NULL};
    }
}

/* What the parts of one run share. sql is used for one statement after the other.
 */
struct run {
    struct db *db;
    const struct recipe_query *query;
    struct query_order order;
    struct buf sql;
    struct buf match;
    struct arena *arena;
    struct query_page page;
};

/* Read a row's values and keys, which come from left to right. */
static void read_values(struct run *run, struct stmt *s, struct query_value *out)
{
    int column = QUERY_FIRST_VALUE;

    for (size_t i = 0; i < run->query->column_count; i++)
        *out++ = read_value(s, column++, run->arena);
    for (size_t i = 0; i < run->order.count; i++) {
        const struct query_value *fixed = run->order.terms[i].fixed;

        *out++ = fixed ? *fixed : read_value(s, column++, run->arena);
    }
}

static void read_row(struct run *run, struct stmt *s, struct query_row *out)
{
    size_t count = run->query->column_count + run->order.count;
    struct query_value *values = stmt_array(s, run->arena, count, sizeof *values);
    const struct query_value *tail;

    if (!values)
        return;
    read_values(run, s, values);
    tail = values + count - QUERY_TAIL_KEYS;
    *out = (struct query_row){
        .model = tail[1].text,
        .gpu = tail[2].text,
        .recipe = tail[3].text,
        .workload =
            run->order.workload ? run->order.workload : stmt_copy(s, QUERY_WORKLOAD, run->arena),
        .tokens_per_s_per_gpu = stmt_real(s, QUERY_SPEED),
        .speed_stderr = stmt_real(s, QUERY_STDERR),
        .usd_per_million_tokens = stmt_real(s, QUERY_USD),
        .card_head = stmt_copy(s, QUERY_CARD_HEAD, run->arena),
        .card_tail = stmt_copy(s, QUERY_CARD_TAIL, run->arena),
        .values = values,
        .keys = values + run->query->column_count,
    };
    if (run->page.count == 0)
        run->page.author = stmt_copy(s, QUERY_AUTHOR, run->arena);
}

static enum err_code begin(struct run *run, struct stmt *s, const char *what, struct err *e)
{
    enum err_code rc = buf_check(&run->sql, e);

    if (rc == ERR_OK)
        stmt_begin_built(s, run->db, run->sql.data, run->sql.len, what);
    return rc;
}

static void begin_page(struct run *run, struct stmt *s)
{
    run->page.key_count = run->order.count;
    run->page.rows = stmt_array(s, run->arena, run->query->limit + 1, sizeof *run->page.rows);
}

/* Keep the row of the next page apart. */
static void end_page(struct run *run)
{
    struct query_page *page = &run->page;

    page->has_more = page->count > run->query->limit;
    page->count -= page->has_more;
}

static enum err_code read_page(struct run *run, struct err *e)
{
    const struct recipe_query *query = run->query;
    struct query_page *page = &run->page;
    enum err_code rc;
    struct stmt s;

    query_write_page(query, &run->order, &run->sql);
    rc = begin(run, &s, "list recipes", e);
    if (rc != ERR_OK)
        return rc;
    query_bind_conditions(&s, query, buf_text(&run->match));
    if (query->after)
        bind_keys(&s, ":a", query->after, &run->order, run->order.count);
    stmt_bind_int(&s, ":limit", (int64_t)query->limit + 1);
    for (begin_page(run, &s); stmt_next(&s); page->count++)
        read_row(run, &s, &page->rows[page->count]);
    end_page(run);
    return stmt_end(&s, e);
}

/* Read the rows of a page that was found in columns. */
static enum err_code read_found(struct run *run, const struct scan_found *found, struct err *e)
{
    struct query_page *page = &run->page;
    enum err_code rc;
    struct stmt s;

    query_write_row(run->query, &run->order, &run->sql);
    rc = begin(run, &s, "read recipes", e);
    if (rc != ERR_OK)
        return rc;
    bind_prices(&s, run->query);
    begin_page(run, &s);
    for (; s.err.code == ERR_OK && page->count < found->count; page->count++) {
        stmt_restart(&s);
        stmt_bind_int(&s, ":id", found->ids[page->count]);
        if (stmt_next(&s))
            read_row(run, &s, &page->rows[page->count]);
        else
            stmt_fail(&s, ERR_CORRUPT, "a recipe is not found by its id");
    }
    end_page(run);
    return stmt_end(&s, e);
}

/* Tell how many there are, and where the page stands among them. */
static void place_found(struct run *run, const struct scan_found *found)
{
    const struct recipe_query *query = run->query;
    struct query_page *page = &run->page;

    page->first_rank = page->first_position = 1;
    if (query->is_part)
        return;
    page->total = (int64_t)found->total;
    if (!query->after || page->count == 0)
        return;
    page->first_rank = page->first_position = (int64_t)found->before + 1;
    if (db_query_is_tie(query, query->after, page->rows[0].keys))
        page->first_rank = (int64_t)found->better + 1;
}

/* Count what matches, or what comes before a row by the first keys of the order.
 *
 * keys: of the row, key_count of them; NULL: count all */
static enum err_code count(struct run *run, const struct query_value *keys, size_t key_count,
                           int64_t *out_count, struct err *e)
{
    enum err_code rc;
    struct stmt s;

    buf_reset(&run->sql);
    if (keys)
        query_write_before(run->query, &run->order, keys, key_count, &run->sql);
    else
        query_write_total(run->query, &run->sql);
    rc = begin(run, &s, "count recipes", e);
    if (rc != ERR_OK)
        return rc;
    query_bind_conditions(&s, run->query, buf_text(&run->match));
    if (keys)
        bind_keys(&s, ":b", keys, &run->order, key_count);
    if (stmt_next(&s))
        *out_count = stmt_int(&s, 0);
    return stmt_end(&s, e);
}

/* Find out how many there are, and where the page stands among them. */
static enum err_code count_all(struct run *run, struct err *e)
{
    const struct recipe_query *query = run->query;
    struct query_page *page = &run->page;
    enum err_code rc = ERR_OK;

    page->first_rank = page->first_position = 1;
    if (query->is_part)
        return ERR_OK;
    page->total = (int64_t)page->count;
    if (query->after || page->has_more)
        rc = count(run, NULL, 0, &page->total, e);
    if (rc != ERR_OK || !query->after || page->count == 0)
        return rc;
    rc = count(run, page->rows[0].keys, query->sort_count, &page->first_rank, e);
    page->first_position = ++page->first_rank;
    if (rc == ERR_OK && db_query_is_tie(query, query->after, page->rows[0].keys)) {
        rc = count(run, page->rows[0].keys, run->order.count, &page->first_position, e);
        page->first_position++;
    }
    return rc;
}

static enum err_code run_query(struct run *run, struct err *e)
{
    struct scan_found found;
    enum err_code rc;

    if (run->query->text) {
        query_write_match(run->query->text, &run->match);
        rc = buf_check(&run->match, e);
        if (rc != ERR_OK)
            return rc;
    }
    if (!scan_run(run->db, run->query, &run->order, buf_text(&run->match), run->arena, &found)) {
        rc = read_page(run, e);
        return rc == ERR_OK ? count_all(run, e) : rc;
    }
    rc = read_found(run, &found, e);
    if (rc == ERR_OK)
        place_found(run, &found);
    return rc;
}

enum err_code db_query_run(struct db *db, const struct recipe_query *query, struct arena *arena,
                           struct query_page *out, struct err *e)
{
    struct run run = {.db = db, .query = query, .arena = arena};
    enum err_code rc;

    assert(query->filter_count <= QUERY_FILTERS && query->price_count <= QUERY_PRICES);
    assert(query->column_count <= QUERY_COLUMNS);
    assert(query->limit >= 1 && query->limit <= QUERY_LIMIT);
    query_order_make(query, &run.order);
    buf_init(&run.sql, SQL_LIMIT);
    buf_init(&run.match, MATCH_LIMIT);
    rc = run_query(&run, e);
    buf_done(&run.sql);
    buf_done(&run.match);
    if (rc == ERR_OK)
        *out = run.page;
    return rc;
}

static bool is_equal(const struct query_value *a, const struct query_value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case QUERY_NULL:
        return true;
    case QUERY_INT:
        return a->integer == b->integer;
    case QUERY_REAL:
        return a->real == b->real;
    case QUERY_TEXT:
        return strcmp(a->text, b->text) == 0;
    }
    return false;
}

bool db_query_is_tie(const struct recipe_query *query, const struct query_value *a,
                     const struct query_value *b)
{
    for (size_t i = 0; i < query->sort_count; i++)
        if (!is_equal(&a[i], &b[i]))
            return false;
    return true;
}
