/* Questions about a document tree. */
#include "core/tree.h"

#include "base/mem.h"

#include <string.h>

const struct tree_node *tree_find(const struct tree_node *map, const char *key)
{
    for (const struct tree_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

bool tree_is_null(const struct tree_node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};

    /* Most values are longer than any of the words. */
    if (node->kind != TREE_SCALAR || !node->is_plain || node->len > 4)
        return false;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(node->text, words[i]) == 0)
            return true;
    return false;
}
