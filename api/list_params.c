/* The parameters of a list of recipes, made from the field table. */
#include "api/list.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name or description that is put together. */
enum { TEXT_BYTES = 300 };

const char *const list_purchases[] = {"on_demand", "reserved", "spot", NULL};

static const struct http_param own[] = {
    {.name = "q",
     .kind = HTTP_PARAM_TEXT,
     .description = "Words to look for in notes, highlights, summaries, stack, flags and patches; "
                    "all must be there."},
    {.name = "sort",
     .kind = HTTP_PARAM_TEXT,
     .is_list = true,
     .fallback = "-tokens_per_s_per_gpu",
     .description = "Fields to sort by, the first counts most; a minus sorts from high to low. "
                    "Recipes without a value come last."},
    {.name = "as_of",
     .kind = HTTP_PARAM_DATE,
     .description = "Only what was measured by this day."},
    {.name = "workload",
     .kind = HTTP_PARAM_TEXT,
     .description = "The id of a workload. A ranking without it shows the one with the most "
                    "recipes."},
    LIST_PARAMS_PRICES,
    LIST_PARAM_LIMIT,
    LIST_PARAM_CURSOR,
    {.name = "fields",
     .kind = HTTP_PARAM_TEXT,
     .is_list = true,
     .description = "Columns to show, in this order, instead of the usual ones."},
};

static bool is_number(const struct field *field)
{
    return field->kind == FIELD_INT || field->kind == FIELD_REAL;
}

static enum http_param_kind param_kind(const struct field *field)
{
    switch (field->kind) {
    case FIELD_INT:
        return HTTP_PARAM_INT;
    case FIELD_REAL:
        return HTTP_PARAM_REAL;
    case FIELD_BOOL:
        return HTTP_PARAM_BOOL;
    case FIELD_DATE:
        return HTTP_PARAM_DATE;
    case FIELD_TEXT:
        return field->allowed ? HTTP_PARAM_WORD : HTTP_PARAM_TEXT;
    case FIELD_MAP:
    case FIELD_TEXT_LIST:
    case FIELD_INT_LIST:
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        break;
    }
    return HTTP_PARAM_TEXT;
}

/* Make a name or description that starts with one of three phrases. Owned by the parameter. */
static char *join(const char *before, const char *text)
{
    char line[TEXT_BYTES];

    /* Cut at most in a description's last words. */
    (void)snprintf(line, sizeof line, "%s%s", before, text);
    return mem_text(line, strlen(line));
}

static bool add(struct http_param *out, const struct field *field, const char *prefix,
                const char *phrase)
{
    bool is_range = *prefix != '\0';

    *out = (struct http_param){
        .name = join(prefix, field->column),
        .kind = param_kind(field),
        .is_list = !is_range,
        .has_commas = field->flags & FIELD_FREE_TEXT,
        .is_nullable = !is_range && field_can_be_null(&recipe_fields, field),
        .min = is_number(field) ? field->min : 0,
        .max = is_number(field) ? field->max : 0,
        .allowed = field->allowed,
        .description = join(phrase, field->description),
    };
    return out->name && out->description;
}

/* Count the parameters that a field has: itself, and a range where it has an order. */
static size_t params_of(const struct field *field)
{
    if (!(field->flags & FIELD_FILTERABLE))
        return 0;
    return is_number(field) || field->kind == FIELD_DATE ? 3 : 1;
}

static bool add_field(struct http_param *out, size_t *at, const struct field *field)
{
    size_t count = params_of(field);

    if (count > 0 && !add(&out[(*at)++], field, "", ""))
        return false;
    if (count > 1)
        return add(&out[(*at)++], field, "min_", "At least: ") &&
               add(&out[(*at)++], field, "max_", "At most: ");
    return true;
}

static size_t count_params(void)
{
    size_t count = sizeof own / sizeof *own;

    for (size_t i = 0; i < recipe_fields.count; i++)
        count += params_of(&recipe_fields.rows[i]);
    return count;
}

/* A list's own parameters lend constants, which list_params_free must not release. */
static bool is_own(const struct http_param *param)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (param->name == own[i].name)
            return true;
    return false;
}

enum err_code list_params_make(struct http_param **out_params, size_t *out_count, struct err *e)
{
    static const char *const in_path[LIST_PATH_FILTERS] = {"model", "gpu"};
    size_t count = count_params();
    struct http_param *params = mem_array(count + 1, sizeof *params);
    size_t at = 0;
    bool is_ok = params != NULL;

    for (size_t i = 0; is_ok && i < LIST_PATH_FILTERS; i++)
        is_ok = add_field(params, &at, field_by_column(&recipe_fields, in_path[i]));
    for (size_t i = 0; is_ok && i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        bool is_path = field->column && (strcmp(field->column, in_path[0]) == 0 ||
                                         strcmp(field->column, in_path[1]) == 0);

        /* A list has a parameter of its own for these. */
        if (!is_path && !(field->column && strcmp(field->column, "workload") == 0))
            is_ok = add_field(params, &at, field);
    }
    if (!is_ok) {
        list_params_free(params);
        return err_nomem(e);
    }
    memcpy(params + at, own, sizeof own);
    *out_params = params;
    *out_count = at + sizeof own / sizeof *own;
    return ERR_OK;
}

/* Texts that join made; the struct lends them as constants. */
static void release(const char *text)
{
    union {
        const char *lent;
        char *owned;
    } both = {.lent = text};

    free(both.owned);
}

void list_params_free(struct http_param *params)
{
    for (size_t i = 0; params && params[i].name && !is_own(&params[i]); i++) {
        release(params[i].name);
        release(params[i].description);
    }
    free(params);
}
