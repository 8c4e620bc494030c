/* What differs between two recipes, field by field of the field table. */
#include "core/compare_parts.h"

#include "base/mem.h"

#include <string.h>

/* Which fields are compared, by how their paths begin. */
struct field_group {
    const char *prefix;
    enum compare_group group;
};

static const struct field_group field_groups[] = {
    {"gpu.count", COMPARE_LAYOUT},   {"layout.", COMPARE_LAYOUT},
    {"stack", COMPARE_STACK},        {"patches", COMPARE_STACK},
    {"workload.", COMPARE_WORKLOAD}, {"env", COMPARE_ENV},
    {"result.", COMPARE_RESULTS},    {"correctness.convergence.", COMPARE_RESULTS},
};

bool compare_is_equal(const struct compare_value *a, const struct compare_value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case COMPARE_ABSENT:
        return true;
    case COMPARE_INTEGER:
    case COMPARE_BOOL:
        return a->integer == b->integer;
    case COMPARE_REAL:
        return a->real == b->real;
    case COMPARE_TEXT:
        return strcmp(a->text, b->text) == 0;
    }
    return false;
}

void compare_add(struct comparison *c, enum compare_group group, const char *name,
                 struct compare_value a, struct compare_value b)
{
    struct compare_list *list = &c->groups[group];
    struct compare_difference *added;

    if (compare_is_equal(&a, &b))
        return;
    added = arena_array(&c->arena, 1, sizeof *added);
    if (!name || !added) {
        c->is_short = true;
        return;
    }
    *added = (struct compare_difference){name, a, b, NULL};
    if (list->last)
        list->last->next = added;
    else
        list->first = added;
    list->last = added;
}

const struct compare_difference *compare_find(const struct comparison *c, enum compare_group group,
                                              const char *name)
{
    const struct compare_difference *found = c->groups[group].first;

    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    return found;
}

struct compare_value compare_integer(int64_t value)
{
    return (struct compare_value){.kind = COMPARE_INTEGER, .integer = value};
}

/* An unknown figure is 0. */
static struct compare_value real_value(double value)
{
    if (value == 0)
        return (struct compare_value){0};
    return (struct compare_value){.kind = COMPARE_REAL, .real = value};
}

struct compare_value compare_text(const char *text)
{
    return (struct compare_value){.kind = COMPARE_TEXT, .text = text};
}

const char *compare_keep(struct comparison *c, struct buf *b)
{
    const char *kept = b->status == ERR_OK ? arena_text(&c->arena, buf_text(b), b->len) : NULL;

    buf_done(b);
    if (kept)
        return kept;
    c->is_short = true;
    return "";
}

static struct compare_value texts_value(struct comparison *c, const struct text_list *list)
{
    struct buf joined;

    buf_init(&joined, COMPARE_TEXT_LIMIT);
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(&joined, i > 0 ? ", " : "");
        buf_puts(&joined, list->items[i]);
    }
    return compare_text(compare_keep(c, &joined));
}

static struct compare_value integers_value(struct comparison *c, const struct int_list *list)
{
    struct buf joined;

    buf_init(&joined, COMPARE_TEXT_LIMIT);
    for (size_t i = 0; i < list->count; i++) {
        buf_puts(&joined, i > 0 ? ", " : "");
        buf_put_int(&joined, list->items[i]);
    }
    return compare_text(compare_keep(c, &joined));
}

static const void *member_of(const struct field *field, const struct recipe *r)
{
    return (const char *)r + field->offset;
}

static struct compare_value field_value(struct comparison *c, const struct field *field,
                                        const struct recipe *r)
{
    const void *member = member_of(field, r);

    if (field_is_null(field, r))
        return (struct compare_value){0};
    switch (field->kind) {
    case FIELD_INT:
        return compare_integer(*(const int64_t *)member);
    case FIELD_REAL:
        return (struct compare_value){.kind = COMPARE_REAL, .real = *(const double *)member};
    case FIELD_BOOL:
        return (struct compare_value){.kind = COMPARE_BOOL, .integer = *(const bool *)member};
    case FIELD_TEXT:
    case FIELD_DATE:
        return compare_text(*(const char *const *)member);
    case FIELD_TEXT_LIST:
        return texts_value(c, member);
    case FIELD_INT_LIST:
        return integers_value(c, member);
    case FIELD_MAP: /* Its fields have rows of their own. */
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        break;
    }
    return (struct compare_value){0};
}

/* What a field's row is called within its group: "layer_split_first", "dataset.build". */
static const char *name_of(const struct field *field)
{
    const char *dot = strchr(field->path, '.');

    if (field->column)
        return field->column;
    return dot ? dot + 1 : field->path;
}

static const struct field_group *group_of(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(field_groups); i++)
        if (strncmp(field->path, field_groups[i].prefix, strlen(field_groups[i].prefix)) == 0)
            return &field_groups[i];
    return NULL;
}

static void compare_fields(struct comparison *c)
{
    for (size_t i = 0; i < recipe_fields.count; i++) {
        const struct field *field = &recipe_fields.rows[i];
        const struct field_group *found = group_of(field);

        if (!found)
            continue;
        if (field->kind == FIELD_OPEN_MAP) {
            compare_open_maps(c, found->group, strchr(field->path, '.') ? name_of(field) : "",
                              member_of(field, c->a->recipe), member_of(field, c->b->recipe));
            i += field_below(&recipe_fields, i).count; /* They have no members of their own. */
        } else if (field->kind != FIELD_MAP) {
            compare_add(c, found->group, name_of(field), field_value(c, field, c->a->recipe),
                        field_value(c, field, c->b->recipe));
        }
    }
}

/* All that is known of a published figure. */
static void compare_published(struct comparison *c)
{
    compare_add(c, COMPARE_LAYOUT, "gpus", compare_integer(c->a->gpus),
                compare_integer(c->b->gpus));
    compare_add(c, COMPARE_RESULTS, "tokens_per_s_per_gpu", real_value(c->a->tokens_per_s_per_gpu),
                real_value(c->b->tokens_per_s_per_gpu));
}

void compare_find_differences(struct comparison *c)
{
    if (c->a->recipe && c->b->recipe) {
        compare_fields(c);
        compare_flags(c);
    } else {
        compare_published(c);
    }
    compare_add(c, COMPARE_RESULTS, "usd_per_million_tokens", real_value(compare_usd(c->a)),
                real_value(compare_usd(c->b)));
}
