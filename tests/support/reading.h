/* Documents for tests: YAML text or a file as a tree with its report, and a tree compared with
 * JSON.
 */
#ifndef TESTS_SUPPORT_READING_H
#define TESTS_SUPPORT_READING_H

#include "base/buf.h"
#include "core/report.h"
#include "core/tree.h"

/* One document. The report holds what reading its fields adds to it. */
struct reading {
    struct arena arena;
    struct report report;
    struct tree_node *root;
    struct buf problems;
};

/* Read YAML text; the test fails where that is no YAML that the service takes. */
void reading_text(struct reading *r, const char *yaml);

/* Read a YAML file by its path from the project's root; likewise. */
void reading_file(struct reading *r, const char *path);

/* Release what was read. */
void reading_done(struct reading *r);

/* The report as text, one line for each problem in order of place, with "f" as the file's name.
 * Lent until the next call. */
const char *reading_problems(struct reading *r);

/* Take a key out of a map; the test fails where it is not there. To put it back, set *out_link to
 * it and count one more. */
struct tree_node *reading_cut(struct tree_node *map, const char *key, struct tree_node ***out_link);

/* The test fails where JSON text and a tree differ: keys, their order, scalars' texts and values.
 */
void reading_assert_json(const struct tree_node *root, const char *json_text);

#endif
