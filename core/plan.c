/* Judging candidates, the frontier, and the order of rows. */
#include "core/plan.h"

#include "base/mem.h"
#include "core/shown.h"

#include <stdlib.h>
#include <string.h>

/* How far above a limit a need may be, as a fraction: the rounding of a few multiplications is far
 * below, and a limit's last digit far above. */
static const double tolerance = 1e-9;

/* Word 2 * key is the key, the word after it the key from high to low. */
const char *const plan_sort_words[2 * PLAN_KEYS + 1] = {
    [2 * PLAN_KEY_USD] = "usd",
    "-usd",
    [2 * PLAN_KEY_WALL_HOURS] = "wall_hours",
    "-wall_hours",
    [2 * PLAN_KEY_GPU_HOURS] = "gpu_hours",
    "-gpu_hours",
    [2 * PLAN_KEY_GPUS] = "gpus",
    "-gpus",
    [2 * PLAN_KEY_SPEED] = "tokens_per_s_per_gpu",
    "-tokens_per_s_per_gpu",
    [2 * PLAN_KEY_RECIPE] = "recipe",
    "-recipe",
    NULL,
};

static const struct plan_sort usual_sort = {
    .keys = {{PLAN_KEY_USD, false}, {PLAN_KEY_WALL_HOURS, false}},
    .count = 2,
};

enum err_code plan_sort_add(struct plan_sort *sort, const char *word, struct err *e)
{
    size_t at = 0;
    enum plan_key key;

    while (plan_sort_words[at] && strcmp(plan_sort_words[at], word) != 0)
        at++;
    if (!plan_sort_words[at])
        return err_set(e, ERR_INPUT, "%.40s is nothing to sort by", word);
    key = (enum plan_key)(at / 2);
    for (size_t i = 0; i < sort->count; i++)
        if (sort->keys[i].key == key)
            return err_set(e, ERR_INPUT, "%s stands twice", plan_sort_words[2 * key]);
    sort->keys[sort->count].key = key;
    sort->keys[sort->count++].is_descending = at % 2 == 1;
    return ERR_OK;
}

static struct plan_check check_need(double limit, double need)
{
    struct plan_check check = {.limit = limit};

    if (limit <= 0)
        return check;
    if (need > limit * (1 + tolerance))
        check.verdict = PLAN_INFEASIBLE;
    check.slack = limit - need;
    if (check.verdict == PLAN_FEASIBLE && check.slack < 0)
        check.slack = 0;
    check.slack_fraction = check.slack / limit;
    return check;
}

static void check_row(struct plan_row *row, const struct plan_limits *limits)
{
    if (row->estimate.usd > 0)
        row->checks[PLAN_BUDGET] = check_need(limits->budget_usd, row->estimate.usd);
    else if (limits->budget_usd > 0)
        row->checks[PLAN_BUDGET] =
            (struct plan_check){.limit = limits->budget_usd, .verdict = PLAN_UNKNOWN};
    row->checks[PLAN_DEADLINE] = check_need(limits->deadline_hours, row->estimate.wall_hours);
    row->checks[PLAN_GPUS] =
        check_need((double)limits->max_gpus, (double)row->candidate->figures.gpus);
    for (size_t i = 0; i < PLAN_CONSTRAINTS; i++)
        if (row->checks[i].verdict > row->verdict)
            row->verdict = row->checks[i].verdict;
}

/* The highest price that a budget allows; 0 if that is less than any price that is taken. */
static double price_within(double budget_usd, double gpu_hours)
{
    double price = shown_round_down(budget_usd / gpu_hours);

    if (price > PLAN_PRICE_MOST)
        return PLAN_PRICE_MOST;
    return price >= PLAN_PRICE_LEAST ? price : 0;
}

struct plan_change plan_change_of(const struct plan_row *row)
{
    const struct plan_check *budget = &row->checks[PLAN_BUDGET];
    const struct estimate *estimate = &row->estimate;
    struct plan_change change = {0};

    if (budget->verdict != PLAN_FEASIBLE) {
        change.budget_usd = shown_round_up(estimate->usd);
        change.usd_per_gpu_hour = price_within(budget->limit, estimate->gpu_hours);
    }
    if (row->checks[PLAN_DEADLINE].verdict != PLAN_FEASIBLE)
        change.deadline_hours = shown_round_up(estimate->wall_hours);
    if (row->checks[PLAN_GPUS].verdict != PLAN_FEASIBLE)
        change.max_gpus = row->candidate->figures.gpus;
    return change;
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Unknown cost is 0 and comes last. */
static int by_cost_and_time(const void *a, const void *b)
{
    const struct plan_row *left = a;
    const struct plan_row *right = b;
    int known = (right->estimate.usd > 0) - (left->estimate.usd > 0);
    int usd = order(left->estimate.usd, right->estimate.usd);

    if (known != 0)
        return known;
    return usd != 0 ? usd : order(left->estimate.wall_hours, right->estimate.wall_hours);
}

/* With rows by cost, then time, a row is on the frontier if it is faster than all before it, or the
 * equal of the last one that was. */
static void mark_frontier(struct plan *plan)
{
    const struct estimate *best = NULL;

    qsort(plan->rows, plan->count, sizeof *plan->rows, by_cost_and_time);
    for (size_t i = 0; i < plan->count && plan->rows[i].estimate.usd > 0; i++) {
        const struct estimate *own = &plan->rows[i].estimate;
        bool is_equal = best && own->wall_hours == best->wall_hours && own->usd == best->usd;

        plan->rows[i].on_frontier = !best || own->wall_hours < best->wall_hours || is_equal;
        if (plan->rows[i].on_frontier)
            best = own;
    }
}

/* The value of a numeric key; 0 where it is not known. */
static double key_value(const struct plan_row *row, enum plan_key key)
{
    switch (key) {
    case PLAN_KEY_USD:
        return row->estimate.usd;
    case PLAN_KEY_WALL_HOURS:
        return row->estimate.wall_hours;
    case PLAN_KEY_GPU_HOURS:
        return row->estimate.gpu_hours;
    case PLAN_KEY_GPUS:
        return (double)row->candidate->figures.gpus;
    case PLAN_KEY_SPEED:
        return row->candidate->figures.tokens_per_s_per_gpu;
    case PLAN_KEY_RECIPE:
    case PLAN_KEYS:
        break;
    }
    return 0;
}

static int by_key(const struct plan_row *a, const struct plan_row *b, enum plan_key key,
                  bool is_descending)
{
    double left = key_value(a, key);
    double right = key_value(b, key);
    int found = key == PLAN_KEY_RECIPE ? strcmp(a->candidate->recipe, b->candidate->recipe)
                                       : order(left, right);

    if ((left > 0) != (right > 0))
        return left > 0 ? -1 : 1;
    return is_descending ? -found : found;
}

static int by_sort(const void *a, const void *b, void *context)
{
    const struct plan_row *left = a;
    const struct plan_row *right = b;
    const struct plan_sort *sort = context;
    int found = (int)left->verdict - (int)right->verdict;

    for (size_t i = 0; i < sort->count && found == 0; i++)
        found = by_key(left, right, sort->keys[i].key, sort->keys[i].is_descending);
    return found != 0 ? found : by_key(left, right, PLAN_KEY_RECIPE, false);
}

static bool is_limit(double value)
{
    return value == 0 || (value >= 1e-9 && value <= 1e30);
}

enum err_code plan_make(const struct plan_candidate *candidates, size_t count,
                        const struct plan_limits *limits, const struct plan_sort *sort,
                        struct plan *out, struct err *e)
{
    struct plan_sort order_by = sort ? *sort : usual_sort;
    struct plan plan = {mem_array(count + 1, sizeof *plan.rows), count};
    enum err_code rc = ERR_OK;

    if (!plan.rows)
        return err_nomem(e);
    if (!is_limit(limits->budget_usd) || !is_limit(limits->deadline_hours) || limits->max_gpus < 0)
        rc = err_set(e, ERR_INPUT, "a limit is not between 1e-09 and 1e+30");
    for (size_t i = 0; rc == ERR_OK && i < count; i++) {
        plan.rows[i].candidate = &candidates[i];
        rc = estimate_make(&candidates[i].figures, limits->tokens, candidates[i].usd_per_gpu_hour,
                           &plan.rows[i].estimate, e);
        if (rc != ERR_OK) {
            rc = err_wrap(e, "%s", candidates[i].recipe);
            break;
        }
        check_row(&plan.rows[i], limits);
    }
    if (rc != ERR_OK) {
        plan_done(&plan);
        return rc;
    }
    mark_frontier(&plan);
    qsort_r(plan.rows, count, sizeof *plan.rows, by_sort, &order_by);
    *out = plan;
    return ERR_OK;
}

void plan_done(struct plan *plan)
{
    free(plan->rows);
    *plan = (struct plan){NULL, 0};
}
