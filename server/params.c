/* Query parameters: split, decoded, found in the table, judged by kind. */
#include "server/params.h"

#include "base/num.h"
#include "base/text.h"
#include "server/limits.h"
#include "server/path.h"

#include <string.h>

static const char *const bools[] = {"true", "false", NULL};

/* One query being read. */
struct reader {
    const struct http_endpoint *endpoint;
    struct http_issues *issues;
    struct http_values values;
    const char **names; /* of the endpoint's parameters; made when the first unknown one comes */
};

/* One `name=value` of the query; value is NULL where there is no equals sign. */
struct pair {
    const char *name;
    size_t name_len;
    const char *value;
    size_t value_len;
};

static struct pair split_pair(const char *at, size_t len)
{
    const char *equals = memchr(at, '=', len);

    if (!equals)
        return (struct pair){.name = at, .name_len = len};
    return (struct pair){at, (size_t)(equals - at), equals + 1, len - (size_t)(equals - at) - 1};
}

static size_t list_length(const char *const *list)
{
    size_t count = 0;

    while (list[count])
        count++;
    return count;
}

/* Report a value that is none of a few words. */
static void refuse_word(struct reader *r, const char *name, const char *value,
                        const char *const *words)
{
    const char *const near[] = {text_nearest(value, words, list_length(words)), NULL};
    struct err e;

    (void)err_set(&e, ERR_INPUT, "%.100s is not one of the words that are taken", value);
    http_issues_add(r->issues, name, e.text, words, http_issues_keep(r->issues, near));
}

static bool is_word(const char *value, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(value, *words) == 0)
            return true;
    return false;
}

/* Read a number of either kind.
 *
 * Errors: ERR_INPUT if it is none, or out of the parameter's range. */
static enum err_code check_number(const struct http_param *param, const char *value, struct err *e)
{
    bool has_range = param->min != 0 || param->max != 0;
    size_t len = strlen(value);
    int64_t whole;
    double real;

    /* Bounds are far below 2^53, so that they are exact. */
    if (param->kind == HTTP_PARAM_INT)
        return num_parse_int(value, len, has_range ? (int64_t)param->min : INT64_MIN,
                             has_range ? (int64_t)param->max : INT64_MAX, &whole, e);
    if (num_parse_real(value, len, &real, e))
        return e->code;
    if (has_range && real < param->min)
        return err_set(e, ERR_INPUT, "%.40s is below %.15g", value, param->min);
    if (has_range && real > param->max)
        return err_set(e, ERR_INPUT, "%.40s is above %.15g", value, param->max);
    return ERR_OK;
}

/* Judge one decoded value; only those of a list can be empty here. */
static void check_value(struct reader *r, const struct http_param *param, const char *value)
{
    struct err e;

    if (!*value) {
        http_issues_add(r->issues, param->name, "an item of the list is empty", NULL, NULL);
        return;
    }
    if (param->is_list && !param->has_commas && strchr(value, ',')) {
        http_issues_add(r->issues, param->name, "a list's commas must not be percent-encoded", NULL,
                        NULL);
        return;
    }
    if (param->is_nullable && strcmp(value, "none") == 0)
        return;
    switch (param->kind) {
    case HTTP_PARAM_TEXT:
        break;
    case HTTP_PARAM_INT:
    case HTTP_PARAM_REAL:
        if (check_number(param, value, &e))
            http_issues_add(r->issues, param->name, e.text, NULL, NULL);
        break;
    case HTTP_PARAM_DATE:
        if (!text_is_date(value)) {
            (void)err_set(&e, ERR_INPUT, "%.40s is not a calendar day, YYYY-MM-DD", value);
            http_issues_add(r->issues, param->name, e.text, NULL, NULL);
        }
        break;
    case HTTP_PARAM_BOOL:
        if (!is_word(value, bools))
            refuse_word(r, param->name, value, bools);
        break;
    case HTTP_PARAM_WORD:
        if (!is_word(value, param->allowed))
            refuse_word(r, param->name, value, param->allowed);
        break;
    }
}

static size_t count_values(const struct http_param *param, const char *raw, size_t len)
{
    size_t count = 1;

    for (size_t i = 0; param->is_list && i < len; i++)
        if (raw[i] == ',')
            count++;
    return count;
}

/* Decode the values of a parameter into item, and judge each. */
static enum err_code read_values(struct reader *r, struct http_value *item, const char *raw,
                                 size_t len, struct err *e)
{
    size_t bytes = 0;

    for (size_t i = 0; i < item->count; i++) {
        const char *comma = item->count > 1 ? memchr(raw, ',', len) : NULL;
        size_t part_len = comma ? (size_t)(comma - raw) : len;
        enum err_code code =
            http_decode(raw, part_len, true, r->issues->arena, &item->values[i], e);

        if (code == ERR_INPUT) {
            http_issues_add(r->issues, item->param->name, e->text, NULL, NULL);
            return ERR_OK;
        }
        if (code != ERR_OK)
            return code;
        bytes += strlen(item->values[i]);
        check_value(r, item->param, item->values[i]);
        if (comma) {
            raw = comma + 1;
            len -= part_len + 1;
        }
    }
    if (bytes > HTTP_PARAM_BYTES) {
        (void)err_set(e, ERR_INPUT, "the value is longer than %d bytes", HTTP_PARAM_BYTES);
        http_issues_add(r->issues, item->param->name, e->text, NULL, NULL);
    }
    return ERR_OK;
}

static bool list_names(struct reader *r)
{
    size_t count = r->endpoint->param_count;

    if (!r->names)
        r->names = arena_array(r->issues->arena, count + 1, sizeof *r->names);
    for (size_t i = 0; r->names && i < count; i++)
        r->names[i] = r->endpoint->params[i].name;
    return r->names;
}

static enum err_code refuse_unknown(struct reader *r, const char *name, struct err *e)
{
    size_t count = r->endpoint->param_count;
    const char *near[] = {NULL, NULL};

    if (!list_names(r))
        return err_nomem(e);
    near[0] = text_nearest(name, r->names, count);
    r->values.has_unknown = true;
    http_issues_add(r->issues, name,
                    count > 0 ? "there is no such parameter here" : "there are no parameters here",
                    r->names, http_issues_keep(r->issues, near));
    return ERR_OK;
}

static const struct http_param *find_param(const struct http_endpoint *endpoint, const char *name)
{
    for (size_t i = 0; i < endpoint->param_count; i++)
        if (strcmp(endpoint->params[i].name, name) == 0)
            return &endpoint->params[i];
    return NULL;
}

/* Take a parameter whose name is known. */
static enum err_code read_param(struct reader *r, const struct http_param *param,
                                const struct pair *pair, struct err *e)
{
    struct http_value item = {.param = param};

    if (http_values_find(&r->values, param->name)) {
        http_issues_add(r->issues, param->name,
                        param->is_list ? "it is given more than once; join its values with commas"
                                       : "it is given more than once",
                        NULL, NULL);
        return ERR_OK;
    }
    if (!pair->value || pair->value_len == 0) {
        http_issues_add(r->issues, param->name, "a value is missing", NULL, NULL);
        return ERR_OK;
    }
    item.count = count_values(param, pair->value, pair->value_len);
    if (item.count > HTTP_LIST_VALUES) {
        (void)err_set(e, ERR_INPUT, "there are more than %d values", HTTP_LIST_VALUES);
        http_issues_add(r->issues, param->name, e->text, NULL, NULL);
        return ERR_OK;
    }
    item.values = arena_array(r->issues->arena, item.count, sizeof *item.values);
    if (!item.values)
        return err_nomem(e);
    r->values.items[r->values.count++] = item;
    return read_values(r, &item, pair->value, pair->value_len, e);
}

static enum err_code read_pair(struct reader *r, const char *at, size_t len, struct err *e)
{
    struct pair pair = split_pair(at, len);
    const char *name;
    const struct http_param *param;
    enum err_code code;

    if (pair.name_len == 0) {
        http_issues_add(r->issues, "", "a parameter without a name", NULL, NULL);
        return ERR_OK;
    }
    code = http_decode(pair.name, pair.name_len, true, r->issues->arena, &name, e);
    if (code == ERR_INPUT) {
        const char *raw = arena_text(r->issues->arena, pair.name, pair.name_len);

        http_issues_add(r->issues, raw ? raw : "", e->text, NULL, NULL);
        return ERR_OK;
    }
    if (code != ERR_OK)
        return code;
    param = find_param(r->endpoint, name);
    return param ? read_param(r, param, &pair, e) : refuse_unknown(r, name, e);
}

/* Tell whether an issue is about a parameter: it was sent, and refused. */
static bool has_issue(const struct http_issues *issues, const char *name)
{
    for (const struct http_issue *issue = issues->first; issue; issue = issue->next)
        if (strcmp(issue->parameter, name) == 0)
            return true;
    return false;
}

static void require_params(struct reader *r)
{
    const struct http_endpoint *endpoint = r->endpoint;

    for (size_t i = 0; i < endpoint->param_count; i++) {
        const struct http_param *param = &endpoint->params[i];

        if (param->is_required && !http_values_find(&r->values, param->name) &&
            !has_issue(r->issues, param->name))
            http_issues_add(r->issues, param->name, "it is required, and missing", NULL, NULL);
    }
}

static enum err_code read_query(struct reader *r, const char *query, struct err *e)
{
    for (size_t i = 0; i < HTTP_PARAMS; i++) {
        size_t len = strcspn(query, "&");

        if (read_pair(r, query, len, e))
            return e->code;
        if (!query[len])
            return ERR_OK;
        query += len + 1;
    }
    (void)err_set(e, ERR_INPUT, "there are more than %d parameters", HTTP_PARAMS);
    http_issues_add(r->issues, "", e->text, NULL, NULL);
    return ERR_OK;
}

/* Say in one sentence what the issues say. */
static enum err_code sum_up(const struct http_issues *issues, struct err *e)
{
    if (issues->is_short)
        return err_nomem(e);
    if (issues->count == 0)
        return ERR_OK;
    if (issues->count > 1)
        return err_set(e, ERR_INPUT, "the query has %zu mistakes; errors has each", issues->count);
    return err_set(e, ERR_INPUT, "%.100s%s%s", issues->first->parameter,
                   *issues->first->parameter ? ": " : "", issues->first->detail);
}

enum err_code http_params_parse(const struct http_endpoint *endpoint, const char *query,
                                struct http_issues *issues, struct http_values *out_values,
                                struct err *e)
{
    struct reader r = {.endpoint = endpoint, .issues = issues};

    *out_values = r.values;
    if (*query) {
        r.values.items = arena_array(issues->arena, endpoint->param_count, sizeof *r.values.items);
        if (!r.values.items)
            return err_nomem(e);
        if (read_query(&r, query, e))
            return e->code;
        *out_values = r.values;
    }
    require_params(&r);
    return sum_up(issues, e);
}

const struct http_value *http_values_find(const struct http_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].param->name, name) == 0)
            return &values->items[i];
    return NULL;
}
