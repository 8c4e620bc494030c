/* From a list's parameters to a query: by the field table, every mistake told. */
#include "api/list.h"

#include "api/cursor.h"
#include "api/feed.h"
#include "api/rows_recipes.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Sort keys, filters and columns that are listed as allowed. */
enum { NAMES = 128 };

/* Find the field of a parameter and the test that its prefix asks for; NULL for a list's own ones.
 */
static const struct field *field_of(const char *name, enum query_test *out_test)
{
    const struct field *field = field_by_column(&recipe_fields, name);

    *out_test = QUERY_ANY_OF;
    if (field)
        return field;
    if (text_starts(name, "min_"))
        *out_test = QUERY_MIN;
    else if (text_starts(name, "max_"))
        *out_test = QUERY_MAX;
    else
        return NULL;
    return field_by_column(&recipe_fields, name + 4);
}

/* Other spellings of a GPU or a model stand for their slug. */
static const char *canonical(struct api_scope *s, const struct field *field, const char *text)
{
    const struct model *m = NULL;
    const struct gpu *g = NULL;

    if (strcmp(field->column, "gpu") == 0)
        g = catalog_gpu(s->catalog, text);
    else if (strcmp(field->column, "model") == 0)
        m = catalog_model(s->catalog, text);
    return g ? g->slug : m ? m->slug : text;
}

/* Turn a parameter's text, which the server checked already, into a value of the field's kind. */
static enum err_code read_value(struct api_scope *s, const struct field *field, const char *text,
                                struct query_value *out, struct err *e)
{
    *out = (struct query_value){0};
    if (strcmp(text, "none") == 0 && field_can_be_null(&recipe_fields, field))
        return ERR_OK;
    if (field->kind == FIELD_INT) {
        out->kind = QUERY_INT;
        return num_parse_int(text, strlen(text), INT64_MIN, INT64_MAX, &out->integer, e);
    }
    if (field->kind == FIELD_REAL) {
        out->kind = QUERY_REAL;
        return num_parse_real(text, strlen(text), &out->real, e);
    }
    if (field->kind == FIELD_BOOL) {
        out->kind = QUERY_INT;
        out->integer = strcmp(text, "true") == 0;
        return ERR_OK;
    }
    out->kind = QUERY_TEXT;
    out->text = canonical(s, field, text);
    return ERR_OK;
}

static enum err_code add_filter(struct list *list, const struct field *field, enum query_test test,
                                const struct query_value *values, size_t count, struct err *e)
{
    if (list->query.filter_count == QUERY_FILTERS)
        return err_set(e, ERR_INPUT, "more than %d filters", QUERY_FILTERS);
    list->filters[list->query.filter_count++] = (struct query_filter){field, test, values, count};
    return ERR_OK;
}

enum err_code list_add_filter(struct api_scope *s, struct list *list, const char *column,
                              const char *value, struct err *e)
{
    struct query_value *copy = arena_array(&s->arena, 1, sizeof *copy);

    if (!copy)
        return err_nomem(e);
    *copy = (struct query_value){.kind = QUERY_TEXT, .text = value};
    return add_filter(list, field_by_column(&recipe_fields, column), QUERY_ANY_OF, copy, 1, e);
}

/* Read one filter parameter with all its values. */
static enum err_code read_filter(struct api_scope *s, const struct http_param *param,
                                 struct list *list, struct err *e)
{
    enum query_test test;
    const struct field *field = field_of(param->name, &test);
    struct query_value *values;
    enum err_code rc = ERR_OK;
    size_t count = 0;

    if (!field)
        return ERR_OK;
    while (http_query_at(s->request, param->name, count))
        count++;
    if (count > QUERY_VALUES) {
        http_reply_issue(s->reply, param->name, "too many values: 50 at most", NULL, NULL);
        return err_set(e, ERR_INPUT, "%s: too many values", param->name);
    }
    values = arena_array(&s->arena, count, sizeof *values);
    if (!values)
        return err_nomem(e);
    for (size_t i = 0; rc == ERR_OK && i < count; i++)
        rc = read_value(s, field, http_query_at(s->request, param->name, i), &values[i], e);
    return rc == ERR_OK ? add_filter(list, field, test, values, count, e) : rc;
}

static enum err_code read_filters(struct api_scope *s, struct list *list, struct err *e)
{
    const struct http_param *param;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && (param = http_query_param(s->request, i)) != NULL; i++)
        rc = read_filter(s, param, list, e);
    return rc;
}

/* Complain about a name in sort or fields, with the nearest one and all that would do. */
static enum err_code bad_name(struct api_scope *s, const char *parameter, const char *detail,
                              const char *given, unsigned flag, struct err *e)
{
    const char *allowed[NAMES + 1] = {NULL};
    const char *near[2] = {NULL, NULL};
    size_t count = 0;

    for (size_t i = 0; i < recipe_fields.count && count < NAMES; i++) {
        const struct field *field = &recipe_fields.rows[i];

        if (field->column && (flag == 0 || (field->flags & flag) != 0))
            allowed[count++] = field->column;
    }
    near[0] = text_nearest(given, allowed, count);
    http_reply_issue(s->reply, parameter, detail, allowed, near[0] ? near : NULL);
    return err_set(e, ERR_INPUT, "%s: %s", parameter, detail);
}

static enum err_code read_sort_key(struct api_scope *s, const char *given, struct list *list,
                                   struct err *e)
{
    bool is_descending = *given == '-';
    const char *name = given + is_descending;
    const struct field *field = field_by_column(&recipe_fields, name);
    char detail[200];

    if (!field || !(field->flags & FIELD_SORTABLE)) {
        (void)snprintf(detail, sizeof detail, "%.80s is no field to sort by",
                       name); /* Cut: fits. */
        return bad_name(s, "sort", detail, name, FIELD_SORTABLE, e);
    }
    for (size_t i = 0; i < list->query.sort_count; i++) {
        if (list->sorts[i].field == field) {
            (void)snprintf(detail, sizeof detail, "%.80s stands there twice", name);
            http_reply_issue(s->reply, "sort", detail, NULL, NULL);
            return err_set(e, ERR_INPUT, "sort: %s", detail);
        }
    }
    if (list->query.sort_count == QUERY_SORTS) {
        http_reply_issue(s->reply, "sort", "too many keys: 8 at most", NULL, NULL);
        return err_set(e, ERR_INPUT, "sort: too many keys");
    }
    list->sorts[list->query.sort_count++] = (struct query_sort){field, is_descending};
    return ERR_OK;
}

/* Put the order into words for the reply. */
static enum err_code name_sort(struct api_scope *s, struct list *list, struct err *e)
{
    struct buf text;

    buf_init(&text, API_ARENA_LIMIT);
    for (size_t i = 0; i < list->query.sort_count; i++) {
        if (i > 0)
            buf_putc(&text, ',');
        if (list->sorts[i].is_descending)
            buf_putc(&text, '-');
        buf_puts(&text, list->sorts[i].field->column);
    }
    if (text.status == ERR_OK)
        list->sort = arena_text(&s->arena, buf_text(&text), text.len);
    buf_done(&text);
    return list->sort ? ERR_OK : err_nomem(e);
}

/* The order where the client names none. */
static void sort_by_speed(struct list *list)
{
    list->sorts[list->query.sort_count++] =
        (struct query_sort){field_by_column(&recipe_fields, "tokens_per_s_per_gpu"), true};
}

static enum err_code read_sort(struct api_scope *s, struct list *list, struct err *e)
{
    enum err_code rc = ERR_OK;
    const char *given;

    for (size_t i = 0; (given = http_query_at(s->request, "sort", i)) != NULL; i++) {
        enum err_code one = read_sort_key(s, given, list, e);

        if (rc == ERR_OK)
            rc = one;
    }
    if (list->query.sort_count == 0)
        sort_by_speed(list);
    return rc == ERR_OK ? name_sort(s, list, e) : rc;
}

static enum err_code read_columns(struct api_scope *s, struct list *list, struct err *e)
{
    enum err_code rc = ERR_OK;
    const char *given;
    char detail[200];

    for (size_t i = 0; (given = http_query_at(s->request, "fields", i)) != NULL; i++) {
        const struct field *field = field_by_column(&recipe_fields, given);
        bool is_new = true;

        for (size_t k = 0; k < list->query.column_count; k++)
            is_new = is_new && list->columns[k] != field;
        if (field && is_new && list->query.column_count < QUERY_COLUMNS) {
            list->columns[list->query.column_count++] = field;
            continue;
        }
        (void)snprintf(detail, sizeof detail,
                       field ? "%.80s stands there twice" : "there is no field %.80s", given);
        rc = bad_name(s, "fields", detail, given, 0, e);
    }
    return rc;
}

/* Start a list with what the path stands for, which is filtered like the rest. */
static enum err_code begin(struct api_scope *s, const struct parts_place *place,
                           const struct list_kind *kind, struct list *out, struct err *e)
{
    enum err_code rc = ERR_OK;

    *out = (struct list){.kind = kind};
    out->query.filters = out->filters;
    out->query.sorts = out->sorts;
    out->query.columns = out->columns;
    if (place->model)
        rc = list_add_filter(s, out, "model", place->model->slug, e);
    if (rc == ERR_OK && place->gpu)
        rc = list_add_filter(s, out, "gpu", place->gpu->slug, e);
    return rc;
}

enum err_code list_plain(struct api_scope *s, const struct parts_place *place, struct list *out,
                         struct err *e)
{
    enum err_code rc = begin(s, place, &list_of_recipes, out, e);

    sort_by_speed(out);
    out->query.is_ranking = true;
    out->query.limit = LIST_LIMIT_DEFAULT;
    rows_recipes_style(&out->query, true, false, &out->style);
    return rc == ERR_OK ? name_sort(s, out, e) : rc;
}

enum err_code list_parse(struct api_scope *s, const struct parts_place *place,
                         const struct list_kind *kind, struct list *out, struct err *e)
{
    enum err_code rcs[5];
    enum err_code rc = begin(s, place, kind, out, e);

    /* Each of these tells its own mistakes, so that the client reads them all at once. */
    rcs[0] = parts_prices(s, &out->prices, e);
    rcs[1] = read_filters(s, out, e);
    rcs[2] = read_sort(s, out, e);
    rcs[3] = read_columns(s, out, e);
    rcs[4] = http_request_format(s->request) == HTTP_ATOM ? feed_check(s, e) : ERR_OK;
    for (size_t i = 0; rc == ERR_OK && i < COUNT_OF(rcs); i++)
        rc = rcs[i];
    out->query.prices = out->prices.query;
    out->query.price_count = out->prices.query_count;
    out->query.text = http_query(s->request, "q");
    out->query.as_of = http_query(s->request, "as_of");
    out->query.is_ranking = place->gpu && !http_query(s->request, "status");
    out->query.limit = (size_t)http_query_int(s->request, "limit", LIST_LIMIT_DEFAULT);
    if (rc == ERR_OK)
        rc = kind->choose(s, place, out, e);
    if (rc != ERR_OK)
        return rc;
    return cursor_read(s, out->query.sort_count + QUERY_TAIL_KEYS, &out->query.after, e);
}
