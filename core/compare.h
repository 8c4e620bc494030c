/* Two recipes side by side, or a recipe and a figure published elsewhere: what differs, by name;
 * whether the speeds may be compared; at which price each costs the same per token. */
#ifndef CORE_COMPARE_H
#define CORE_COMPARE_H

#include "base/arena.h"
#include "core/estimate.h"

/* One of the two.
 *
 * label:                "MODEL/GPU/RECIPE", or "MODEL/GPU" of a published figure
 * model:                slug
 * facts:                of core/compare_facts.h; NULL: a published figure, of which only gpus and
 *                       tokens_per_s_per_gpu are known
 * figures:              gpus is 1 or more, tokens_per_s_per_gpu 1e-9 to 1e9
 * usd_per_gpu_hour:     1e-9 to 1e9; 0: not known
 * published_usd_per_million_tokens: 1e-9 to 1e9; counts where no price is known; 0: not known
 *
 * Text is lent for the comparison's life. */
struct compare_side {
    const char *label;
    const char *model;
    const char *facts;
    struct estimate_figures figures;
    double usd_per_gpu_hour;
    double published_usd_per_million_tokens;
};

/* Where a difference is. The order is that of the table in compare_write.c. */
enum compare_group {
    COMPARE_LAYOUT,   /* fields of the layout, and the number of GPUs */
    COMPARE_FLAGS,    /* long flags of run */
    COMPARE_ENV,      /* environment variables */
    COMPARE_STACK,    /* versions of software, and patches */
    COMPARE_WORKLOAD, /* what was trained on */
    COMPARE_RESULTS,  /* what was measured, the convergence check, and the cost */
    COMPARE_GROUPS
};

/* What a value holds. */
enum compare_kind {
    COMPARE_ABSENT, /* null, or not there */
    COMPARE_INTEGER,
    COMPARE_REAL,
    COMPARE_BOOL, /* a flag without a value is true */
    COMPARE_TEXT
};

/* One side of a difference.
 *
 * text: as JSON writes it, but for COMPARE_TEXT itself; NULL: absent. Lives as long as the
 *       comparison */
struct compare_value {
    enum compare_kind kind;
    const char *text;
};

/* Something that differs.
 *
 * name: column of the field ("max_tokens_per_gpu") or the path within its group, flag
 *       ("--max-tokens-per-gpu"), variable, or component */
struct compare_difference {
    const char *name;
    struct compare_value a;
    struct compare_value b;
    struct compare_difference *next;
};

/* What differs in one group: fields in the table's order, all else by name. */
struct compare_list {
    struct compare_difference *first;
    struct compare_difference *last;
};

/* Whether the two speeds may be compared. */
enum compare_verdict {
    COMPARE_YES,
    COMPARE_UNKNOWN, /* a published figure does not say what was trained */
    COMPARE_NO
};

/* Most reasons that are given. */
#define COMPARE_REASONS 12

/* A comparison.
 *
 * arena:       owns all text but the sides'
 * reasons:     sentences: why not, and what to mind in any case
 * is_near_tie: the 95% intervals of the speeds overlap; only of two recipes (see has_stderr)
 * break_even_a, break_even_b: USD per GPU-hour of one side at which it costs the same per token as
 *              the other at the other's price; 0: not known
 * is_short:    memory ran out while comparing */
struct comparison {
    struct arena arena;
    const struct compare_side *a;
    const struct compare_side *b;
    enum compare_verdict verdict;
    const char *reasons[COMPARE_REASONS];
    size_t reason_count;
    bool has_stderr;
    bool is_near_tie;
    double break_even_a;
    double break_even_b;
    struct compare_list groups[COMPARE_GROUPS];
    bool is_short;
};

/* USD per million tokens of a side: at its price, else as published; 0: not known. */
double compare_usd(const struct compare_side *side);

/* Compare.
 *
 * a, b:   lent for the comparison's life
 * out:    after use, compare_done
 * Errors: ERR_INPUT if a side's figure is out of its range; ERR_CORRUPT if its facts cannot be
 *         read; ERR_NOMEM. */
MUST_USE enum err_code compare_make(const struct compare_side *a, const struct compare_side *b,
                                    struct comparison *out, struct err *e);

/* Release a comparison; its sides are the caller's. */
void compare_done(struct comparison *c);

/* Write members into an open object: comparable (null: cannot tell), reasons, near_tie (null: not
 * known), differences (groups that are equal are absent), break_even (null: no price known). */
void compare_write_json(const struct comparison *c, struct json *j);

/* Append a comparison for a terminal: a table, and below it the values that are too long for one.
 *
 * limit:  bytes that its table may take
 * Errors: ERR_NOMEM; ERR_LIMIT. */
MUST_USE enum err_code compare_write_text(const struct comparison *c, size_t limit, struct buf *out,
                                          struct err *e);

#endif
