/* YAML text to a document tree with positions, under the rules of DESIGN section 3. Knows nothing
 * of recipes. The home of libyaml. */
#ifndef IMPORTERS_YAML_TREE_H
#define IMPORTERS_YAML_TREE_H

#include "base/arena.h"
#include "core/report.h"
#include "core/tree.h"

/* Deepest nesting of maps and lists. Reading ends where a document nests deeper, since libyaml's
 * time grows with the square of the depth; it reads no more than 1024 characters ahead. */
#define YAML_DEPTH_LIMIT 32

/* What the tree of a file of RECIPE_FILE_LIMIT bytes may take: every two bytes can be a node. */
#define TREE_ARENA_LIMIT (128 * 1024 * 1024)

/* Read one document. Characters that may not be there, and bytes that are not UTF-8, are reported
 * alone, since libyaml cannot read past them; a syntax error is the last problem found.
 *
 * bytes, len: the file; len is at most RECIPE_FILE_LIMIT, else a problem is reported
 * arena:      owns the tree; on problems it may hold parts of one; a document that it has no room
 *             for is reported as a problem
 * out_root:   the root, or NULL when the report has errors
 * Errors:     ERR_NOMEM only; the report has every problem that can be told apart. */
MUST_USE enum err_code yaml_tree_read(const char *bytes, size_t len, struct arena *arena,
                                      struct tree_node **out_root, struct report *report,
                                      struct err *e);

#endif
