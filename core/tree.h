/* A document as a tree with positions: what the YAML reader makes and the field table reads.
 * Scalars are text; nothing is typed here. */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_kind { TREE_SCALAR, TREE_MAP, TREE_LIST };

/* One value.
 *
 * line, column: where it starts, from 1; columns count characters
 * key:          its key when it stands in a map, else NULL; key_line and key_column say where
 * text, len:    of a scalar, without quotes and folds; a zero byte follows
 * is_plain:     of a scalar: written without quotes and not as a block, so that null, true and
 *               numbers may be meant
 * first, next:  children of a map or list in file order; the next child of the same parent
 * count:        how many children */
struct tree_node {
    enum tree_kind kind;
    size_t line;
    size_t column;
    const char *key;
    size_t key_line;
    size_t key_column;
    const char *text;
    size_t len;
    bool is_plain;
    struct tree_node *first;
    struct tree_node *next;
    size_t count;
};

/* Find the child of a map with this key; NULL if there is none. Linear. */
const struct tree_node *tree_find(const struct tree_node *map, const char *key);

/* Tell whether a scalar is plain null, Null, NULL, ~ or nothing. */
bool tree_is_null(const struct tree_node *node);

#endif
