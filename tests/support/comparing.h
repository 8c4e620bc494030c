/* Recipe files to compare: as they are, or with a part of their text replaced. For tests; what
 * fails here fails the test. */
#ifndef TESTS_SUPPORT_COMPARING_H
#define TESTS_SUPPORT_COMPARING_H

#include "core/compare.h"

/* Folder of the measured recipes of qwen3.5-397b-a17b. */
#define COMPARING_QWEN "recipes/qwen3.5-397b-a17b/b200/"

/* On-demand price of one B200, USD per GPU-hour. */
#define COMPARING_B200_USD (113.9328 / 8)

/* A recipe file compared with a changed copy of itself, at the price of a B200. */
struct comparing {
    struct recipe original;
    struct recipe changed;
    struct compare_side a;
    struct compare_side b;
    struct comparison found;
};

/* Load a recipe file, by its path from the project's root, with the first occurrence of a part of
 * its text replaced, which must be there.
 *
 * part: NULL: nothing is replaced
 * r:    after use, recipe_done */
void comparing_load(struct recipe *r, const char *path, const char *part, const char *by);

/* Make a side of a recipe, whose arena keeps the facts. */
struct compare_side comparing_side(const char *label, struct recipe *r, double usd);

/* Compare a recipe of 64 GPUs with a copy, in which a part is replaced as by comparing_load. */
void comparing_make(struct comparing *c, const char *part, const char *by);

/* Release all of it. */
void comparing_done(struct comparing *c);

/* Compare the names of what differs in a group, each followed by a space. */
void comparing_assert_names(const struct comparison *c, enum compare_group group,
                            const char *expected);

/* Compare all reasons with texts that NULL ends. */
void comparing_assert_reasons(const struct comparison *c, const char *const *expected);

#endif
