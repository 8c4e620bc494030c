/* Recipe files for tests of checks and audits: a real file, edited, then judged against the
 * project's catalogue. */
#ifndef TESTS_SUPPORT_JUDGING_H
#define TESTS_SUPPORT_JUDGING_H

#include "base/buf.h"
#include "importers/judge.h"

/* The real files, by their paths from the project's root. */
#define JUDGING_DENSE  "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml"
#define JUDGING_EXPERT "recipes/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8.yaml"
#define JUDGING_16K    "recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k.yaml"
#define JUDGING_8K     "recipes/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k.yaml"
#define JUDGING_48GPU  "recipes/qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8.yaml"

/* A file and its judgement.
 *
 * path:         given with the file; NULL: none
 * confirmation: that judging_audit audits with; NULL: none */
struct judging {
    struct catalog catalog;
    struct buf text;
    const char *path;
    const struct hub_result *confirmation;
    struct judgement judgement;
    struct buf problems;
};

/* Read a file and the catalogue; the test fails where that is impossible.
 *
 * Owns: the caller ends with judging_done. */
void judging_init(struct judging *j, const char *path);
void judging_done(struct judging *j);

/* Replace the first occurrence of a text; the test fails where there is none. */
void judging_edit(struct judging *j, const char *from, const char *to);

/* Judge the file. */
void judging_run(struct judging *j);

/* Audit the judged recipe again, after its struct was changed: for what the check would refuse.
 *
 * Owns: the caller ends with audit_done. */
void judging_audit(const struct judging *j, struct audit *out);

/* The test fails unless the row is as given; found and expected may be NULL. */
void judging_assert_row(const struct audit *a, enum audit_check check, enum audit_result result,
                        const char *found, const char *expected);

/* A row as it must be. */
struct judging_row {
    enum audit_result result;
    const char *found;
    const char *expected;
};

/* One edit of a file, and a row of its audit. */
struct judging_change {
    const char *file;
    const char *from;
    const char *to;
    enum audit_check check;
    enum audit_result result;
    const char *found;
    const char *expected;
};

/* Judge each edited file; the test fails unless the rows are as given. */
void judging_assert_changes(const struct judging_change *changes, size_t count);

/* The problems as text, with "f" as the file's name. Lent until judging_done. */
const char *judging_problems(struct judging *j);

#endif
