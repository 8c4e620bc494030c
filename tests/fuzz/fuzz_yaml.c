/* libFuzzer's entry for the YAML reader: any bytes end in a tree or in a report, never in both.
 * Built by clang with -fsanitize=fuzzer,address,undefined; the corpus is in corpus/yaml. */
#include "base/buf.h"
#include "core/recipe.h"
#include "importers/yaml_tree.h"
#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

/* Every text ends where its length says, every child of a map has a key, of a list none. */
static void check_tree(const struct tree_node *node)
{
    size_t count = 0;

    if (node->kind == TREE_SCALAR && strlen(node->text) != node->len)
        abort();
    for (const struct tree_node *child = node->first; child; child = child->next) {
        if ((child->key != NULL) != (node->kind == TREE_MAP) || child->line == 0)
            abort();
        check_tree(child);
        count++;
    }
    if (count != node->count)
        abort();
}

/* Every problem is one line. */
static void check_report(const struct report *report)
{
    struct buf text;
    size_t lines = 0;
    size_t problems = report->hidden > 0 ? 1 : 0;

    buf_init(&text, 4 * 1024 * 1024);
    report_write_text(report, "-", &text);
    for (const char *c = buf_text(&text); *c; c++)
        lines += *c == '\n';
    for (const struct problem *p = report->first; p; p = p->next)
        problems++;
    if (lines != problems)
        abort();
    buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct report report;
    struct tree_node *root = NULL;
    struct err e;

    arena_init(&arena, RECIPE_ARENA_LIMIT);
    report_init(&report);
    if (yaml_tree_read((const char *)data, size, &arena, &root, &report, &e) != ERR_OK)
        abort();
    if ((root != NULL) != (report.errors == 0))
        abort();
    if (root)
        check_tree(root);
    report_sort(&report);
    check_report(&report);
    report_done(&report);
    arena_done(&arena);
    return 0;
}
