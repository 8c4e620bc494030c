/* What differs between two sides: their facts, which are sorted, are merged. */
#include "core/compare_parts.h"

#include "base/mem.h"
#include "base/num.h"

#include <string.h>

static const struct compare_value absent = {COMPARE_ABSENT, NULL};

/* One fact; see core/compare_parts.h. */
struct fact {
    enum compare_group group;
    const char *key;
    struct compare_value value;
};

struct facts {
    struct fact *items;
    size_t count;
};

static bool is_equal(const struct compare_value *a, const struct compare_value *b)
{
    if (a->kind != b->kind || !a->text || !b->text)
        return a->kind == b->kind && a->text == b->text;
    return strcmp(a->text, b->text) == 0;
}

static void add(struct comparison *c, enum compare_group group, const char *name,
                struct compare_value a, struct compare_value b)
{
    struct compare_list *list = &c->groups[group];
    struct compare_difference *added;

    if (is_equal(&a, &b))
        return;
    added = arena_array(&c->arena, 1, sizeof *added);
    if (!added) {
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

/* Keep a number's text; 0 is a figure that is not known. */
static struct compare_value real_value(struct comparison *c, double value)
{
    struct compare_value made = {COMPARE_REAL, NULL};
    char text[NUM_TEXT_BYTES];

    if (value == 0)
        return absent;
    num_format_real(text, value);
    made.text = arena_text(&c->arena, text, strlen(text));
    c->is_short = c->is_short || !made.text;
    return made.text ? made : absent;
}

static struct compare_value integer_value(struct comparison *c, int64_t value)
{
    struct compare_value made = {COMPARE_INTEGER, NULL};
    char text[NUM_TEXT_BYTES];

    num_format_int(text, value);
    made.text = arena_text(&c->arena, text, strlen(text));
    c->is_short = c->is_short || !made.text;
    return made.text ? made : absent;
}

/* Cut a text off where it ends, and move behind it; NULL if it does not end. */
static char *cut(char **at, char end)
{
    char *text = *at;
    char *found = strchr(text, end);

    if (!found)
        return NULL;
    *found = '\0';
    *at = found + 1;
    return text;
}

static bool read_fact(char **at, struct fact *out)
{
    size_t group = (size_t)(**at - 'a');
    size_t kind = group < COMPARE_GROUPS ? (size_t)((*at)[1] - 'a') : SIZE_MAX;

    if (kind > COMPARE_TEXT)
        return false;
    *at += 2;
    *out =
        (struct fact){.group = (enum compare_group)group, .value = {(enum compare_kind)kind, ""}};
    out->key = cut(at, COMPARE_MIDDLE);
    out->value.text = out->key ? cut(at, COMPARE_END) : NULL;
    return out->value.text && strlen(out->key) > COMPARE_KEY_DIGITS;
}

static size_t count_facts(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == COMPARE_END;
    return count;
}

/* Take a copy of a side's facts apart. */
static enum err_code read_facts(struct comparison *c, const struct compare_side *side,
                                struct compare_head *out_head, struct facts *out, struct err *e)
{
    char *at = arena_text(&c->arena, side->facts, strlen(side->facts));
    bool is_whole;

    out->items = at ? arena_array(&c->arena, count_facts(at) + 1, sizeof *out->items) : NULL;
    if (!out->items)
        return err_nomem(e);
    out_head->workload = cut(&at, COMPARE_MIDDLE);
    out_head->problem = out_head->workload ? cut(&at, COMPARE_END) : NULL;
    is_whole = out_head->problem != NULL;
    while (is_whole && *at)
        is_whole = read_fact(&at, &out->items[out->count++]);
    return is_whole ? ERR_OK : err_set(e, ERR_CORRUPT, "the stored facts of %s", side->label);
}

static void merge(struct comparison *c, const struct facts *a, const struct facts *b)
{
    size_t i = 0;
    size_t k = 0;

    while (i < a->count || k < b->count) {
        int found = i == a->count   ? 1
                    : k == b->count ? -1
                                    : strcmp(a->items[i].key, b->items[k].key);
        const struct fact *named = found <= 0 ? &a->items[i] : &b->items[k];
        struct compare_value left = found <= 0 ? a->items[i++].value : absent;
        struct compare_value right = found >= 0 ? b->items[k++].value : absent;

        add(c, named->group, named->key + COMPARE_KEY_DIGITS, left, right);
    }
}

/* All that is known of a published figure. */
static void compare_published(struct comparison *c)
{
    const struct estimate_figures *a = &c->a->figures;
    const struct estimate_figures *b = &c->b->figures;

    add(c, COMPARE_LAYOUT, "gpus", integer_value(c, a->gpus), integer_value(c, b->gpus));
    add(c, COMPARE_RESULTS, "tokens_per_s_per_gpu", real_value(c, a->tokens_per_s_per_gpu),
        real_value(c, b->tokens_per_s_per_gpu));
}

enum err_code compare_find_differences(struct comparison *c, struct compare_head *out_a,
                                       struct compare_head *out_b, struct err *e)
{
    struct facts a = {0};
    struct facts b = {0};
    enum err_code rc = ERR_OK;

    if (c->a->facts && c->b->facts) {
        rc = read_facts(c, c->a, out_a, &a, e);
        if (rc == ERR_OK)
            rc = read_facts(c, c->b, out_b, &b, e);
        if (rc == ERR_OK)
            merge(c, &a, &b);
    } else {
        compare_published(c);
    }
    add(c, COMPARE_RESULTS, "usd_per_million_tokens", real_value(c, compare_usd(c->a)),
        real_value(c, compare_usd(c->b)));
    return rc;
}
