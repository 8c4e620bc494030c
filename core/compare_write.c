/* A comparison as JSON, and as text for a terminal. */
#include "core/compare.h"

#include "base/mem.h"
#include "core/shown.h"
#include "core/text_table.h"

#include <string.h>

static const char *const group_names[COMPARE_GROUPS] = {
    [COMPARE_LAYOUT] = "layout", [COMPARE_FLAGS] = "flags",       [COMPARE_ENV] = "env",
    [COMPARE_STACK] = "stack",   [COMPARE_WORKLOAD] = "workload", [COMPARE_RESULTS] = "results",
};

static void put_value(struct json *j, const char *key, const struct compare_value *value)
{
    if (value->kind == COMPARE_ABSENT || value->kind == COMPARE_TEXT)
        json_put_text(j, key, value->text);
    else
        json_put_raw(j, key, value->text, strlen(value->text));
}

static void put_group(struct json *j, const char *key, const struct compare_list *list)
{
    json_begin(j, key, '[');
    for (const struct compare_difference *d = list->first; d; d = d->next) {
        json_begin(j, NULL, '{');
        json_put_text(j, "name", d->name);
        put_value(j, "a", &d->a);
        put_value(j, "b", &d->b);
        json_end(j, '}');
    }
    json_end(j, ']');
}

/* Say what a side costs: its price, or the cost that was published. */
static void put_cost(const struct compare_side *side, struct buf *out)
{
    if (side->usd_per_gpu_hour > 0) {
        shown_put_text(out, side->usd_per_gpu_hour);
        buf_puts(out, " USD per GPU-hour");
    } else {
        shown_put_text(out, side->published_usd_per_million_tokens);
        buf_puts(out, " USD per million tokens");
    }
}

static void put_break_even_side(const char *own, double price, const char *other,
                                const struct compare_side *other_side, struct buf *out)
{
    if (price <= 0)
        return;
    buf_puts(out, "With ");
    put_cost(other_side, out);
    buf_printf(out, " for %s, %s costs less per token up to ", other, own);
    shown_put_text(out, price);
    buf_puts(out, " USD per GPU-hour.");
}

static void put_break_even_text(const struct comparison *c, struct buf *out)
{
    put_break_even_side("a", c->break_even_a, "b", c->b, out);
    if (c->break_even_a > 0 && c->break_even_b > 0)
        buf_putc(out, ' ');
    put_break_even_side("b", c->break_even_b, "a", c->a, out);
}

static void put_break_even(const struct comparison *c, struct json *j)
{
    if (c->break_even_a <= 0 && c->break_even_b <= 0) {
        json_put_null(j, "break_even");
        return;
    }
    json_begin(j, "break_even", '{');
    shown_put_json_known(j, "a_usd_per_gpu_hour", c->break_even_a);
    shown_put_json_known(j, "b_usd_per_gpu_hour", c->break_even_b);
    json_begin(j, "text", '"'); /* The sentences have nothing that JSON would escape. */
    put_break_even_text(c, j->buf);
    json_end(j, '"');
    json_end(j, '}');
}

void compare_write_json(const struct comparison *c, struct json *j)
{
    if (c->verdict == COMPARE_UNKNOWN)
        json_put_null(j, "comparable");
    else
        json_put_bool(j, "comparable", c->verdict == COMPARE_YES);
    json_begin(j, "reasons", '[');
    for (size_t i = 0; i < c->reason_count; i++)
        json_put_text(j, NULL, c->reasons[i]);
    json_end(j, ']');
    if (c->has_stderr)
        json_put_bool(j, "near_tie", c->is_near_tie);
    else
        json_put_null(j, "near_tie");
    json_begin(j, "differences", '{');
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        if (c->groups[i].first)
            put_group(j, group_names[i], &c->groups[i]);
    json_end(j, '}');
    put_break_even(c, j);
}

static void put_head(const struct comparison *c, struct buf *out)
{
    static const char *const words[] = {
        [COMPARE_YES] = "yes", [COMPARE_UNKNOWN] = "cannot tell", [COMPARE_NO] = "no"};

    buf_printf(out, "a: %s\nb: %s\ncomparable: %s\n", c->a->label, c->b->label, words[c->verdict]);
    for (size_t i = 0; i < c->reason_count; i++)
        buf_printf(out, "- %s\n", c->reasons[i]);
    put_break_even_text(c, out);
    buf_puts(out, c->break_even_a > 0 || c->break_even_b > 0 ? "\n\n" : "\n");
}

/* Longest value in the table, in bytes: a longer one would make every row of it too wide to read.
 */
enum { TABLE_VALUE_BYTES = 40 };

static const char *shown_value(const struct compare_value *value)
{
    return value->text ? value->text : "-";
}

static bool fits_table(const struct compare_difference *d)
{
    return strlen(shown_value(&d->a)) <= TABLE_VALUE_BYTES &&
           strlen(shown_value(&d->b)) <= TABLE_VALUE_BYTES;
}

static void put_table_row(struct text_table *t, const char *group,
                          const struct compare_difference *d)
{
    text_table_put(t, group);
    text_table_put(t, d->name);
    text_table_put(t, shown_value(&d->a));
    text_table_put(t, shown_value(&d->b));
}

static void put_long(struct buf *out, const char *group, const struct compare_difference *d)
{
    buf_printf(out, "\n%s %s\n  a: ", group, d->name);
    text_put_on_line(out, shown_value(&d->a));
    buf_puts(out, "\n  b: ");
    text_put_on_line(out, shown_value(&d->b));
    buf_putc(out, '\n');
}

enum err_code compare_write_text(const struct comparison *c, size_t limit, struct buf *out,
                                 struct err *e)
{
    static const char *const heads[] = {"group", "name", "a", "b"};
    struct text_table t;
    enum err_code rc;

    text_table_init(&t, COUNT_OF(heads), 0, limit);
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        text_table_put(&t, heads[i]);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        for (const struct compare_difference *d = c->groups[i].first; d; d = d->next)
            if (fits_table(d))
                put_table_row(&t, group_names[i], d);
    put_head(c, out);
    rc = text_table_write(&t, out, e);
    text_table_done(&t);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        for (const struct compare_difference *d = c->groups[i].first; d; d = d->next)
            if (!fits_table(d))
                put_long(out, group_names[i], d);
    return rc;
}
