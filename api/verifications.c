/* GET /verifications: what was found of each recipe's active parameters. */
#include "api/endpoints.h"
#include "api/list.h"
#include "base/mem.h"
#include "core/recipe.h"
#include "db/checkpoints.h"

#include <stdio.h>

/* Columns of the query, in this order. */
enum { STATED, SOURCE, REVISION, QUERIED };

/* Room for the path of a recipe: three slugs. */
enum { URL_BYTES = 512 };

/* One row. */
struct verification {
    const char *model;
    const char *gpu;
    const char *recipe;
    const char *status;
    const char *repository;
    struct hub_claim claim;
    struct hub_result found;
    char url[URL_BYTES];
};

/* How a member is shown. */
enum member {
    LENT,   /* a const char * */
    HELD,   /* an array of char; null if it is "" */
    NUMBER, /* an int64_t; null if it is 0 */
    PART,   /* an int64_t; null if there is no count that it is a part of */
    AGREES  /* a bool; null if there is no count, or no total of the hub's */
};

/* Expands to a row's member: offsets need its name. */
#define AT(member) offsetof(struct verification, member)

/* The columns. is_short: a terminal has room for it. */
static const struct column {
    const char *name;
    enum member member;
    size_t offset;
    bool is_short;
} columns[] = {
    {"model", LENT, AT(model), true},
    {"gpu", LENT, AT(gpu), true},
    {"recipe", LENT, AT(recipe), true},
    {"status", LENT, AT(status), true},
    {"stated", NUMBER, AT(claim.stated), true},
    {"computed", NUMBER, AT(found.computed), true},
    {"checked_at", HELD, AT(found.checked_at), true},
    {"reason", HELD, AT(found.reason), true},
    {"repository", LENT, AT(repository), false},
    {"revision", LENT, AT(claim.revision), false},
    {"embedding", PART, AT(found.counts.embedding), false},
    {"head", PART, AT(found.counts.head), false},
    {"dense", PART, AT(found.counts.dense), false},
    {"routed", PART, AT(found.counts.routed), false},
    {"experts", NUMBER, AT(found.counts.config.experts), false},
    {"experts_per_token", NUMBER, AT(found.counts.config.experts_per_token), false},
    {"left_out_vision", PART, AT(found.counts.skipped[ACTIVE_PARAMS_VISION]), false},
    {"left_out_audio", PART, AT(found.counts.skipped[ACTIVE_PARAMS_AUDIO]), false},
    {"left_out_mtp", PART, AT(found.counts.skipped[ACTIVE_PARAMS_MTP]), false},
    {"left_out_per_layer_embeddings", PART,
     AT(found.counts.skipped[ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS]), false},
    {"left_out_small", PART, AT(found.counts.skipped[ACTIVE_PARAMS_SMALL]), false},
    {"total", PART, AT(found.counts.total), false},
    {"hub_total", NUMBER, AT(found.hub_total), false},
    {"hub_total_agrees", AGREES, AT(found.hub_total_agrees), false},
    {"requests", NUMBER, AT(found.requests), false},
    {"bytes", NUMBER, AT(found.bytes), false},
    {"url", HELD, AT(url), false},
};

static struct query_value text_or_null(const char *text)
{
    return (struct query_value){.kind = text && *text ? QUERY_TEXT : QUERY_NULL, .text = text};
}

static struct query_value number_or_null(bool is_known, int64_t number)
{
    return (struct query_value){.kind = is_known ? QUERY_INT : QUERY_NULL, .integer = number};
}

static struct query_value value_of(const struct verification *v, const struct column *column)
{
    const void *at = (const char *)v + column->offset;
    bool is_counted = v->found.computed > 0;
    int64_t number = column->member == NUMBER || column->member == PART ? *(const int64_t *)at : 0;

    switch (column->member) {
    case LENT:
        return text_or_null(*(const char *const *)at);
    case HELD:
        return text_or_null(at);
    case NUMBER:
        return number_or_null(number > 0, number);
    case PART:
        return number_or_null(is_counted, number);
    case AGREES:
        return number_or_null(is_counted && v->found.hub_total > 0, *(const bool *)at);
    }
    return text_or_null(NULL);
}

/* Find what is known of the row where a walk stands. */
static enum err_code find(struct api_scope *s, const struct query_row *row,
                          struct verification *out, struct err *e)
{
    enum err_code rc;

    out->model = row->model;
    out->gpu = row->gpu;
    out->recipe = row->recipe;
    out->claim = (struct hub_claim){row->values[SOURCE].text, row->values[REVISION].text,
                                    row->values[STATED].integer};
    out->repository = hub_repo_of(out->claim.source);
    rc = db_checkpoint_judge(s->db, &out->claim, &out->found, e);
    out->status = hub_outcome_name(out->found.outcome);
    (void)snprintf(out->url, sizeof out->url, "/models/%s/%s/%s", row->model, row->gpu,
                   row->recipe); /* Fits: slugs have 100 characters at most. */
    return rc;
}

/* What fills rows.
 *
 * shown: the columns of this request's format; found: the row where the walk stands */
struct filler {
    struct api_scope *scope;
    const struct column *shown[COUNT_OF(columns)];
    struct verification found;
};

static enum err_code fill(const struct rows_style *style, const struct rows_walk *walk,
                          struct query_value *out, struct err *e)
{
    struct filler *filler = style->context;
    enum err_code rc = find(filler->scope, walk->row, &filler->found, e);

    for (size_t i = 0; rc == ERR_OK && i < style->column_count; i++)
        out[i] = value_of(&filler->found, filler->shown[i]);
    return rc;
}

static enum field_kind kind_of(const struct column *column)
{
    if (column->member == AGREES)
        return FIELD_BOOL;
    return column->member == NUMBER || column->member == PART ? FIELD_INT : FIELD_TEXT;
}

static enum err_code choose(struct api_scope *s, const struct parts_place *place, struct list *out,
                            struct err *e)
{
    static const char *const queried[QUERIED] = {
        [STATED] = "active_params",
        [SOURCE] = "active_params_source",
        [REVISION] = "active_params_revision",
    };
    bool is_text = http_request_format(s->request) == HTTP_TEXT;
    struct filler *filler = arena_array(&s->arena, 1, sizeof *filler);
    struct rows_style *style = &out->style;

    (void)place; /* It is everywhere. */
    if (!filler)
        return err_nomem(e);
    filler->scope = s;
    *style = (struct rows_style){.fill = fill, .context = filler};
    for (size_t i = 0; i < QUERIED; i++)
        out->columns[out->query.column_count++] = field_by_column(&recipe_fields, queried[i]);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (is_text && !columns[i].is_short)
            continue;
        filler->shown[style->column_count] = &columns[i];
        style->columns[style->column_count++] =
            (struct rows_column){columns[i].name, kind_of(&columns[i])};
    }
    return ERR_OK;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    static const struct list_kind list_of_verifications = {
        .key = "verifications", .noun = "verification", .choose = choose};

    return list_answer(s, &list_of_verifications, e);
}

enum err_code api_verifications(const struct http_request *request, struct http_reply *reply,
                                void *app, struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
