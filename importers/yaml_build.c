/* The tree grows along a fixed stack of open levels, so no input makes this recurse. */
#include "importers/yaml_build.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of one map that are compared each with each: twice as many as most have. */
enum { FEW_KEYS = 32 };

void yaml_build_init(struct yaml_build *b, struct arena *arena, struct report *report)
{
    *b = (struct yaml_build){.arena = arena, .report = report};
}

static struct yaml_level *innermost(struct yaml_build *b)
{
    return &b->levels[b->depth];
}

static bool expects_key(const struct yaml_level *level)
{
    return level->node && level->node->kind == TREE_MAP && !level->has_key;
}

/* Append to a path as much as fits. */
static size_t add_to_path(char *out, size_t len, const char *text)
{
    size_t room = REPORT_PATH_LIMIT + 1 - len;
    size_t add = strnlen(text, room);

    memcpy(out + len, text, add);
    out[len + add] = '\0';
    return len + add;
}

void yaml_build_path(const struct yaml_build *b, char out[REPORT_PATH_LIMIT + 2])
{
    size_t len = 0;

    out[0] = '\0';
    for (size_t i = 1; i <= b->depth; i++) {
        const struct yaml_level *level = &b->levels[i];
        char index[32] = "";

        if (level->node->kind == TREE_LIST) {
            (void)snprintf(index, sizeof index, "[%zu]", level->index); /* 22 bytes at most */
            len = add_to_path(out, len, index);
        } else if (level->has_key) {
            len = add_to_path(out, len, len > 0 ? "." : "");
            len = add_to_path(out, len, level->key ? level->key : "?");
        }
    }
}

void yaml_build_problem(const struct yaml_build *b, struct yaml_place place, const char *message)
{
    char path[REPORT_PATH_LIMIT + 2];

    yaml_build_path(b, path);
    report_add(b->report, SEVERITY_ERROR, place.line, place.column, path, "%s", message);
}

void yaml_build_pass(struct yaml_build *b)
{
    struct yaml_level *level = innermost(b);

    level->index++;
    level->key = NULL;
    level->has_key = expects_key(level);
}

/* Tell a full arena, which is the document's fault, from a lack of memory. */
static enum err_code fail_to_keep(struct yaml_build *b, size_t size, struct yaml_place place,
                                  struct err *e)
{
    /* The arena rounds sizes up to its alignment. */
    if (b->arena->limit - b->arena->used >= size + 2 * sizeof(max_align_t))
        return err_nomem(e);
    yaml_build_problem(b, place, "the document has too many values");
    return err_set(e, ERR_INPUT, "the document has too many values");
}

static enum err_code keep_text(struct yaml_build *b, const struct yaml_scalar *scalar,
                               const char **out_text, struct err *e)
{
    char *copy = arena_text(b->arena, scalar->text, scalar->len);

    if (!copy)
        return fail_to_keep(b, scalar->len, scalar->place, e);
    *out_text = copy;
    return ERR_OK;
}

/* Make a node and hang it where it is due; the value of a refused key hangs nowhere. */
static enum err_code add_node(struct yaml_build *b, struct tree_node node,
                              struct tree_node **out_node, struct err *e)
{
    struct yaml_level *level = innermost(b);
    struct tree_node *kept = arena_array(b->arena, 1, sizeof *kept);

    if (!kept)
        return fail_to_keep(b, sizeof *kept, (struct yaml_place){node.line, node.column}, e);
    *kept = node;
    *out_node = kept;
    if (!level->node) {
        b->root = kept;
        return ERR_OK;
    }
    if (level->node->kind == TREE_MAP) {
        if (!level->key)
            return ERR_OK;
        kept->key = level->key;
        kept->key_line = level->key_place.line;
        kept->key_column = level->key_place.column;
    }
    if (level->last)
        level->last->next = kept;
    else
        level->node->first = kept;
    level->last = kept;
    level->node->count++;
    return ERR_OK;
}

/* Why a scalar may not be a key; NULL if it may. */
static const char *judge_key(const struct yaml_scalar *scalar)
{
    struct tree_node node = {.kind = TREE_SCALAR,
                             .text = scalar->text,
                             .len = scalar->len,
                             .is_plain = scalar->is_plain};

    if (scalar->is_plain && scalar->len == 0)
        return "a key is missing here";
    if (tree_is_null(&node))
        return "a key must not be null; quote it if the word is meant";
    if (scalar->is_plain && strcmp(scalar->text, "<<") == 0)
        return "merge keys (<<) are not allowed; write the keys out";
    return NULL;
}

static enum err_code take_key(struct yaml_build *b, const struct yaml_scalar *scalar, struct err *e)
{
    struct yaml_level *level = innermost(b);
    const char *refusal = judge_key(scalar);
    const char *key = NULL;
    enum err_code status = ERR_OK;

    if (refusal)
        yaml_build_problem(b, scalar->place, refusal);
    else
        status = keep_text(b, scalar, &key, e);
    yaml_build_pass(b);
    level->key = key;
    level->key_place = scalar->place;
    return status;
}

enum err_code yaml_build_scalar(struct yaml_build *b, const struct yaml_scalar *scalar,
                                struct err *e)
{
    struct tree_node node = {.kind = TREE_SCALAR,
                             .line = scalar->place.line,
                             .column = scalar->place.column,
                             .len = scalar->len,
                             .is_plain = scalar->is_plain};
    struct tree_node *kept;
    enum err_code status;

    if (expects_key(innermost(b)))
        return take_key(b, scalar, e);
    status = keep_text(b, scalar, &node.text, e);
    if (status == ERR_OK)
        status = add_node(b, node, &kept, e);
    yaml_build_pass(b);
    return status;
}

static enum err_code refuse_depth(struct yaml_build *b, struct yaml_place place, struct err *e)
{
    char path[REPORT_PATH_LIMIT + 2];

    yaml_build_path(b, path);
    report_add(b->report, SEVERITY_ERROR, place.line, place.column, path,
               "this nests deeper than %d levels", YAML_DEPTH_LIMIT);
    return err_set(e, ERR_INPUT, "the document nests deeper than %d levels", YAML_DEPTH_LIMIT);
}

enum err_code yaml_build_open(struct yaml_build *b, enum tree_kind kind, struct yaml_place place,
                              struct err *e)
{
    struct tree_node node = {.kind = kind, .line = place.line, .column = place.column};
    struct tree_node *kept;
    enum err_code status;

    if (b->depth == YAML_DEPTH_LIMIT)
        return refuse_depth(b, place, e);
    if (expects_key(innermost(b)))
        yaml_build_problem(b, place, "a key must be text, not a map or a list");
    status = add_node(b, node, &kept, e);
    if (status == ERR_OK)
        b->levels[++b->depth] = (struct yaml_level){.node = kept};
    return status;
}

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const void *a, const void *b)
{
    const struct tree_node *x = *(const struct tree_node *const *)a;
    const struct tree_node *y = *(const struct tree_node *const *)b;
    int order = strcmp(x->key, y->key);

    if (order == 0)
        order = compare_sizes(x->key_line, y->key_line);
    if (order == 0)
        order = compare_sizes(x->key_column, y->key_column);
    return order;
}

static void report_twice(struct yaml_build *b, const struct tree_node *child, size_t first_line)
{
    char path[REPORT_PATH_LIMIT + 2];
    struct yaml_level *level = innermost(b);

    level->has_key = true;
    level->key = child->key;
    yaml_build_path(b, path);
    report_add(b->report, SEVERITY_ERROR, child->key_line, child->key_column, path,
               "this key was already given in line %zu", first_line);
}

/* Tell whether a map of few keys has one twice. */
static bool has_twins(const struct tree_node *map)
{
    for (const struct tree_node *child = map->first; child; child = child->next)
        for (const struct tree_node *other = child->next; other; other = other->next)
            if (child->key[0] == other->key[0] && strcmp(child->key, other->key) == 0)
                return true;
    return false;
}

/* Sorting is fast for any keys; keys could be chosen to collide in a hash table. */
static enum err_code check_keys(struct yaml_build *b, struct err *e)
{
    const struct tree_node *map = innermost(b)->node;
    const struct tree_node **sorted;
    const struct tree_node *first;
    size_t count = 0;

    if (map->count < 2 || (map->count <= FEW_KEYS && !has_twins(map)))
        return ERR_OK;
    sorted = mem_array(map->count, sizeof(struct tree_node *));
    if (!sorted)
        return err_nomem(e);
    for (const struct tree_node *child = map->first; child; child = child->next)
        sorted[count++] = child;
    qsort(sorted, count, sizeof(struct tree_node *), compare_keys);
    first = sorted[0];
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i]->key, first->key) == 0)
            report_twice(b, sorted[i], first->key_line);
        else
            first = sorted[i];
    }
    free(sorted);
    return ERR_OK;
}

enum err_code yaml_build_close(struct yaml_build *b, struct err *e)
{
    enum err_code status = ERR_OK;

    if (innermost(b)->node->kind == TREE_MAP)
        status = check_keys(b, e);
    b->depth--;
    yaml_build_pass(b);
    return status;
}
