/* Which recipes of a model fit a budget, a deadline and a number of GPUs; what those that do not
 * fit would need; and which are best in cost and time. Each recipe stands at the GPU count it was
 * measured with. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "core/estimate.h"

/* USD per GPU-hour that a client may name: below is a typing error, above too. No other price is
 * proposed. */
#define PLAN_PRICE_LEAST 0.0001
#define PLAN_PRICE_MOST  100000.0

/* What a recipe may be held to. The order is that of the tables in plan.c and plan_write.c. */
enum plan_constraint {
    PLAN_BUDGET,   /* usd <= budget_usd */
    PLAN_DEADLINE, /* wall_hours <= deadline_hours */
    PLAN_GPUS,     /* gpus <= max_gpus */
    PLAN_CONSTRAINTS
};

/* Whether a recipe fits. The order is that of the rows. */
enum plan_verdict {
    PLAN_FEASIBLE,
    PLAN_UNKNOWN, /* there is a budget, and no price is known */
    PLAN_INFEASIBLE
};

/* Limits of a plan.
 *
 * tokens: 1 to ESTIMATE_TOKENS_MAX
 * budget_usd, deadline_hours: 1e-9 to 1e30; 0: no limit
 * max_gpus: 1 or more; 0: no limit */
struct plan_limits {
    int64_t tokens;
    double budget_usd;
    double deadline_hours;
    int64_t max_gpus;
};

/* A recipe that may do it.
 *
 * recipe, gpu:      "MODEL/GPU/RECIPE" and the GPU's slug, lent for the plan's life
 * usd_per_gpu_hour: as for estimate_make; 0: not known */
struct plan_candidate {
    const char *recipe;
    const char *gpu;
    struct estimate_figures figures;
    double usd_per_gpu_hour;
};

/* One constraint on one recipe.
 *
 * limit:   what is allowed; 0: no limit, and nothing else is set
 * verdict: PLAN_UNKNOWN only for a budget without a price; there is no slack then
 * slack:   limit minus need, in the limit's unit; below 0 where it does not fit
 * slack_fraction: slack / limit */
struct plan_check {
    double limit;
    enum plan_verdict verdict;
    double slack;
    double slack_fraction;
};

/* The smallest limits that a recipe fits, rounded so that they hold as shown; 0 where a limit fits
 * already. All that are set are needed, but for the first two: either does.
 *
 * budget_usd:       at the price; 0 too where no price is known
 * usd_per_gpu_hour: highest price that the budget allows */
struct plan_change {
    double budget_usd;
    double usd_per_gpu_hour;
    double deadline_hours;
    int64_t max_gpus;
};

/* A recipe in a plan.
 *
 * candidate:   lent
 * on_frontier: of all rows, none is as good in usd and wall_hours and better in one; false where
 *              usd is not known */
struct plan_row {
    const struct plan_candidate *candidate;
    struct estimate estimate;
    enum plan_verdict verdict;
    struct plan_check checks[PLAN_CONSTRAINTS];
    bool on_frontier;
};

/* A plan: feasible rows first, then those that may be, then the others. */
struct plan {
    struct plan_row *rows;
    size_t count;
};

/* What rows may be sorted by, in the order of plan_sort_words. */
enum plan_key {
    PLAN_KEY_USD,
    PLAN_KEY_WALL_HOURS,
    PLAN_KEY_GPU_HOURS,
    PLAN_KEY_GPUS,
    PLAN_KEY_SPEED,
    PLAN_KEY_RECIPE,
    PLAN_KEYS
};

/* Keys to sort by, the first counts most; "recipe" follows by itself. */
struct plan_sort {
    struct {
        enum plan_key key;
        bool is_descending;
    } keys[PLAN_KEYS];
    size_t count;
};

/* Names of the keys, each followed by itself with a minus, which sorts from high to low; ended by
 * NULL. */
extern const char *const plan_sort_words[2 * PLAN_KEYS + 1];

/* Add the key that a word names: "-gpus".
 *
 * Errors: ERR_INPUT for a word that is none of plan_sort_words, and for a key that stands there. */
MUST_USE enum err_code plan_sort_add(struct plan_sort *sort, const char *word, struct err *e);

/* Plan. A need that is above its limit by no more than a billionth fits, so that a limit taken from
 * a reply does.
 *
 * candidates: count of them, lent for the plan's life; names differ
 * sort:       NULL: usd, then wall_hours; what is not known comes last in either direction
 * out:        after use, plan_done
 * Errors:     ERR_INPUT naming what is out of its range; ERR_NOMEM. */
MUST_USE enum err_code plan_make(const struct plan_candidate *candidates, size_t count,
                                 const struct plan_limits *limits, const struct plan_sort *sort,
                                 struct plan *out, struct err *e);

/* Release the rows. */
void plan_done(struct plan *plan);

/* Work out what would make a row feasible; all 0 where it is. */
struct plan_change plan_change_of(const struct plan_row *row);

/* Append a sentence on the smallest change that makes a row feasible; nothing if it is. */
void plan_put_change(const struct plan_row *row, struct buf *out);

/* Write rows as an array: recipe, gpu, gpus, usd_per_gpu_hour, feasible (null: unknown), usd,
 * wall_hours, gpu_hours, slack, on_frontier, binding, change.
 *
 * first, end: of the plan's rows, those from first to before end */
void plan_write_json(const struct plan *plan, size_t first, size_t end, const char *key,
                     struct json *j);

/* Append rows, as plan_write_json, as a table with a header, for a terminal.
 *
 * limit:  bytes that the table may take
 * Errors: ERR_NOMEM; ERR_LIMIT. */
MUST_USE enum err_code plan_write_text(const struct plan *plan, size_t first, size_t end,
                                       size_t limit, struct buf *out, struct err *e);

#endif
