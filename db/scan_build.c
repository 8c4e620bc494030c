/* One walk through the table of recipes, from which all columns are made that are missing. */
#include "db/scan_build.h"

#include "db/scan_maker.h"
#include "db/stmt.h"

#include <assert.h>
#include <string.h>

/* Recipes between two looks at the memory that makers take. */
enum { RECIPES_PER_LOOK = 4096 };

/* Largest id: a query for words has a bit for each. */
static const int64_t id_most = 1 << 28;

/* A finished column may take a quarter of what it took before. */
enum { SHRINKS_BY = 4 };

/* Makers of the columns.
 *
 * has_given_up: of each, whether its column takes too much */
struct build {
    struct scan_maker makers[SCAN_COLUMNS];
    bool has_given_up[SCAN_COLUMNS];
    size_t count;
    size_t limit_bytes;
};

static void write_walk(const struct field *const *fields, size_t count, struct buf *sql)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(sql, i == 0 ? "SELECT " : ", ");
        buf_puts(sql, fields[i] ? fields[i]->column : "id");
    }
    buf_puts(sql, " FROM recipes ORDER BY model, gpu, recipe");
}

/* Read a column's value, which must be what its field says. */
static struct query_value read_value(struct stmt *s, int column, enum query_value_kind kind)
{
    int type = sqlite3_column_type(s->handle, column);
    struct query_value value = {.kind = kind};
    size_t len = 0;

    if (type == SQLITE_NULL)
        return (struct query_value){.kind = QUERY_NULL};
    if (kind == QUERY_INT && type == SQLITE_INTEGER)
        value.integer = stmt_int(s, column);
    else if (kind == QUERY_REAL && type == SQLITE_FLOAT)
        value.real = stmt_real(s, column);
    else if (kind == QUERY_TEXT && type == SQLITE_TEXT)
        value.text = stmt_text(s, column, &len);
    else
        stmt_fail(s, ERR_CORRUPT, "a value is of another kind than its field");
    if (value.text && strlen(value.text) != len)
        stmt_fail(s, ERR_CORRUPT, "a text has a zero byte");
    return value;
}

static void add_recipe(struct build *build, struct stmt *s)
{
    for (size_t i = 0; i < build->count && s->err.code == ERR_OK; i++) {
        struct scan_maker *m = &build->makers[i];
        struct query_value value;

        if (build->has_given_up[i])
            continue;
        value = read_value(s, (int)i, m->kind);
        if (!m->field && (value.kind == QUERY_NULL || value.integer < 0 || value.integer > id_most))
            stmt_fail(s, ERR_LIMIT, "an id is too large");
        else if (s->err.code == ERR_OK && !scan_maker_add(m, &value))
            stmt_fail(s, ERR_NOMEM, "out of memory");
    }
}

/* Give up what takes too much already. */
static void look_at_bytes(struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        struct scan_maker *m = &build->makers[i];

        if (scan_maker_bytes(m) / SHRINKS_BY <= build->limit_bytes)
            continue;
        build->has_given_up[i] = true;
        scan_maker_done(m);
    }
}

static enum err_code walk(struct build *build, struct db *db, const struct buf *sql, struct err *e)
{
    struct stmt s;

    stmt_begin_built(&s, db, sql->data, sql->len, "read columns");
    for (size_t recipes = 1; stmt_next(&s); recipes++) {
        add_recipe(build, &s);
        if (recipes % RECIPES_PER_LOOK == 0)
            look_at_bytes(build);
    }
    return stmt_end(&s, e);
}

static enum err_code finish(struct build *build, struct scan_column *out, struct err *e)
{
    for (size_t i = 0; i < build->count; i++) {
        if (build->has_given_up[i] || scan_maker_finish(&build->makers[i], &out[i]))
            continue;
        while (i-- > 0)
            scan_column_done(&out[i]);
        return err_nomem(e);
    }
    return ERR_OK;
}

enum err_code scan_build(struct db *db, const struct field *const *fields, size_t count,
                         size_t limit_bytes, struct scan_column *out, struct err *e)
{
    struct build build = {.count = count, .limit_bytes = limit_bytes};
    struct buf sql;
    enum err_code rc;

    assert(count >= 1 && count <= SCAN_COLUMNS);
    for (size_t i = 0; i < count; i++)
        scan_maker_init(&build.makers[i], fields[i]);
    buf_init(&sql, SQL_LIMIT);
    write_walk(fields, count, &sql);
    rc = buf_check(&sql, e);
    if (rc == ERR_OK)
        rc = walk(&build, db, &sql, e);
    if (rc == ERR_OK)
        rc = finish(&build, out, e);
    for (size_t i = 0; i < count; i++)
        scan_maker_done(&build.makers[i]);
    buf_done(&sql);
    return rc;
}
