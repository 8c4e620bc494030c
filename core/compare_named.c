/* What differs between two lists of things that have names of their own (components, variables,
 * flags): each list is sorted by name, and the two are merged. */
#include "core/compare_parts.h"
#include "core/shell_words.h"

#include <stdlib.h>
#include <string.h>

static const struct compare_value absent = {.kind = COMPARE_ABSENT};

/* Something with a name of its own.
 *
 * order:      its place, which keeps equal names in order
 * is_further: a flag's value that goes on from the one before */
struct entry {
    struct shell_span name;
    struct compare_value value;
    size_t order;
    bool is_further;
};

struct entries {
    struct entry *items;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    size_t len = left->name.len < right->name.len ? left->name.len : right->name.len;
    int found = memcmp(left->name.text, right->name.text, len);

    if (found != 0)
        return found;
    return (left->name.len > right->name.len) - (left->name.len < right->name.len);
}

static int by_name_and_order(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int found = by_name(a, b);

    return found != 0 ? found : (left->order > right->order) - (left->order < right->order);
}

/* Make room for entries, and sort them once they are filled in. */
static bool make_entries(struct comparison *c, size_t count, struct entries *out)
{
    out->items = arena_array(&c->arena, count + 1, sizeof *out->items);
    out->count = out->items ? count : 0;
    c->is_short = c->is_short || !out->items;
    return out->items != NULL;
}

static void sort_entries(struct entries *entries)
{
    qsort(entries->items, entries->count, sizeof *entries->items, by_name_and_order);
}

static struct compare_value open_value(const struct open_entry *entry)
{
    if (entry->kind == FIELD_INT)
        return compare_integer(entry->integer);
    if (entry->kind == FIELD_REAL)
        return (struct compare_value){.kind = COMPARE_REAL, .real = entry->real};
    return entry->text ? compare_text(entry->text) : absent;
}

static void read_open_map(struct comparison *c, const struct open_map *map, struct entries *out)
{
    if (!make_entries(c, map->count, out))
        return;
    for (size_t i = 0; i < map->count; i++)
        out->items[i] = (struct entry){
            .name = {map->entries[i].key, strlen(map->entries[i].key)},
            .value = open_value(&map->entries[i]),
            .order = i,
        };
    sort_entries(out);
}

static struct compare_value flag_value(struct comparison *c, struct shell_span word)
{
    struct buf text;

    if (!word.text)
        return (struct compare_value){.kind = COMPARE_BOOL, .integer = 1};
    buf_init(&text, COMPARE_TEXT_LIMIT);
    shell_unquote(word, &text);
    return compare_text(compare_keep(c, &text));
}

/* Join all values of one flag: "1 2" of --x 1 2, "1, 2" of --x 1 --x 2. */
static struct compare_value join_values(struct comparison *c, const struct entry *items,
                                        size_t count)
{
    struct buf joined;

    if (count == 1)
        return items->value;
    buf_init(&joined, COMPARE_TEXT_LIMIT);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_puts(&joined, items[i].is_further ? " " : ", ");
        buf_puts(&joined, items[i].value.kind == COMPARE_TEXT ? items[i].value.text : "true");
    }
    return compare_text(compare_keep(c, &joined));
}

/* Leave one entry of each name. */
static void join_repeated(struct comparison *c, struct entries *entries)
{
    size_t kept = 0;
    size_t end;

    for (size_t i = 0; i < entries->count; i = end) {
        for (end = i + 1; end < entries->count; end++)
            if (by_name(&entries->items[i], &entries->items[end]) != 0)
                break;
        entries->items[kept] = entries->items[i];
        entries->items[kept++].value = join_values(c, &entries->items[i], end - i);
    }
    entries->count = kept;
}

static void read_flags(struct comparison *c, const struct recipe *r, const char *side,
                       struct entries *out)
{
    struct shell_script script;
    struct err e;

    shell_script_init(&script);
    if (shell_read(r->run, strlen(r->run), &script, &e) != ERR_OK)
        c->is_short = true;
    if (script.problem)
        compare_add_reason(c, "Not all flags of %s may have been read: %s.", side, script.problem);
    if (make_entries(c, script.flag_count, out)) {
        for (size_t i = 0; i < script.flag_count; i++)
            out->items[i] = (struct entry){
                .name = script.flags[i].name,
                .value = flag_value(c, script.flags[i].value),
                .order = i,
                .is_further = script.flags[i].is_further,
            };
        sort_entries(out);
        join_repeated(c, out);
    }
    shell_script_done(&script); /* Names point into the recipe's text. */
}

/* A name that ends with a zero byte, its path before it. */
static const char *full_name(struct comparison *c, const char *path, struct shell_span name)
{
    struct buf text;

    buf_init(&text, COMPARE_TEXT_LIMIT);
    if (*path) {
        buf_puts(&text, path);
        buf_putc(&text, '.');
    }
    buf_add(&text, name.text, name.len);
    return compare_keep(c, &text);
}

/* Walk two sorted lists side by side.
 *
 * path: of the map that they are from, within its group; "" if that is the group */
static void compare_entries(struct comparison *c, enum compare_group group, const char *path,
                            const struct entries *a, const struct entries *b)
{
    size_t i = 0;
    size_t k = 0;

    while (i < a->count || k < b->count) {
        int found = i == a->count ? 1 : k == b->count ? -1 : by_name(&a->items[i], &b->items[k]);
        const struct entry *named = found <= 0 ? &a->items[i] : &b->items[k];
        struct compare_value left = found <= 0 ? a->items[i++].value : absent;
        struct compare_value right = found >= 0 ? b->items[k++].value : absent;

        if (!compare_is_equal(&left, &right))
            compare_add(c, group, full_name(c, path, named->name), left, right);
    }
}

void compare_open_maps(struct comparison *c, enum compare_group group, const char *path,
                       const struct open_map *a, const struct open_map *b)
{
    struct entries left, right;

    read_open_map(c, a, &left);
    read_open_map(c, b, &right);
    compare_entries(c, group, path, &left, &right);
}

void compare_flags(struct comparison *c)
{
    struct entries a, b;

    read_flags(c, c->a->recipe, "a", &a);
    read_flags(c, c->b->recipe, "b", &b);
    compare_entries(c, COMPARE_FLAGS, "", &a, &b);
}
