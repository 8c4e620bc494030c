/* Builds a document tree node by node, as a YAML reader meets them, and refuses what a document of
 * ours may not have: keys that are no text, keys given twice, deep nesting. Knows no libyaml. */
#ifndef IMPORTERS_YAML_BUILD_H
#define IMPORTERS_YAML_BUILD_H

#include "base/arena.h"
#include "core/report.h"
#include "core/tree.h"
#include "importers/yaml_scan.h"
#include "importers/yaml_tree.h"

/* A map or list whose end has not come yet, or the document around them.
 *
 * node:    NULL: the document
 * last:    its newest child; NULL: none
 * has_key: of a map: its next node is the value of key
 * key:     NULL: the key was refused, so the value is read but not kept
 * index:   of a list: where its next node stands, from 0 */
struct yaml_level {
    struct tree_node *node;
    struct tree_node *last;
    bool has_key;
    const char *key;
    struct yaml_place key_place;
    size_t index;
};

/* A tree under construction.
 *
 * root:  NULL until the document's first node
 * depth: the innermost level; 0 is the document's */
struct yaml_build {
    struct arena *arena;
    struct report *report;
    struct tree_node *root;
    struct yaml_level levels[1 + YAML_DEPTH_LIMIT];
    size_t depth;
};

/* A scalar, lent for one call. */
struct yaml_scalar {
    struct yaml_place place;
    const char *text;
    size_t len;
    bool is_plain;
};

/* The functions below return ERR_INPUT when reading cannot go on; the report then says why. */

/* Start without a root; arena will own the nodes. */
void yaml_build_init(struct yaml_build *b, struct arena *arena, struct report *report);

/* Add a key, value or item, whichever is due.
 *
 * Errors: ERR_INPUT if the arena is full; ERR_NOMEM. */
MUST_USE enum err_code yaml_build_scalar(struct yaml_build *b, const struct yaml_scalar *scalar,
                                         struct err *e);

/* Open a map or list; its children follow until yaml_build_close.
 *
 * Errors: ERR_INPUT if it nests too deep or the arena is full; ERR_NOMEM. */
MUST_USE enum err_code yaml_build_open(struct yaml_build *b, enum tree_kind kind,
                                       struct yaml_place place, struct err *e);

/* Close the innermost map or list.
 *
 * Errors: ERR_NOMEM. */
MUST_USE enum err_code yaml_build_close(struct yaml_build *b, struct err *e);

/* Pass over the key, value or item that is due: it was refused, or it has come to its end. */
void yaml_build_pass(struct yaml_build *b);

/* Report a problem with the node that is due. */
void yaml_build_problem(const struct yaml_build *b, struct yaml_place place, const char *message);

/* Write the dotted path of the node that is due; of a key, its map's. A path that is longer than a
 * report keeps is cut after the first byte too many. */
void yaml_build_path(const struct yaml_build *b, char out[REPORT_PATH_LIMIT + 2]);

#endif
