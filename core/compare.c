/* Whether two sides may be compared, and their break-even prices. */
#include "core/compare.h"

#include "base/mem.h"
#include "core/compare_parts.h"
#include "core/cost.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    REASON_BYTES = 512,
    PARTS_BYTES = 128, /* all of workload_parts, joined */
    TOKENIZER_HASH_LEN = 64,

    /* Facts of two files of RECIPE_FILE_LIMIT, differences and reasons. */
    ARENA_LIMIT = 32 * 1024 * 1024
};

/* What is in the id of a workload, by the names that differences have. */
static const char *const workload_parts[] = {"row_tokens", "rows", "global_batch", "precision",
                                             "rows_sha256"};

/* Add a reason. fmt: makes less than REASON_BYTES. */
static void add_reason(struct comparison *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add_reason(struct comparison *c, const char *fmt, ...)
{
    char text[REASON_BYTES];
    const char *kept;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args); /* Callers keep to the size. */
    va_end(args);
    kept = arena_text(&c->arena, text, strlen(text));
    if (!kept)
        c->is_short = true;
    else if (c->reason_count < COMPARE_REASONS)
        c->reasons[c->reason_count++] = kept;
}

static void worsen(struct comparison *c, enum compare_verdict verdict)
{
    if (verdict > c->verdict)
        c->verdict = verdict;
}

static void judge_model(struct comparison *c)
{
    if (strcmp(c->a->model, c->b->model) == 0)
        return;
    worsen(c, COMPARE_NO);
    add_reason(c, "The models differ: a is %s, b is %s.", c->a->model, c->b->model);
}

static void judge_retracted(struct comparison *c, const struct compare_side *side, const char *name)
{
    if (side->figures.is_retracted)
        add_reason(c, "%s is retracted: kept for the record, not to be used.", name);
}

static void judge_published(struct comparison *c, const struct compare_side *side, const char *name)
{
    if (side->facts)
        return;
    worsen(c, COMPARE_UNKNOWN);
    add_reason(c,
               "%s is a published figure without a recipe: what it was trained on is not "
               "known.",
               name);
}

static void judge_workload(struct comparison *c, const char *a, const char *b)
{
    char parts[PARTS_BYTES] = "";
    size_t len = 0;

    if (strcmp(a, b) == 0)
        return;
    for (size_t i = 0; i < COUNT_OF(workload_parts); i++)
        if (compare_find(c, COMPARE_WORKLOAD, workload_parts[i]))
            /* Has room for all parts. */
            len += (size_t)snprintf(parts + len, sizeof parts - len, "%s%s", len > 0 ? ", " : "",
                                    workload_parts[i]);
    worsen(c, COMPARE_NO);
    add_reason(c, "The workloads differ in %s.", parts);
}

/* The hash of tokenizer.json that a description of a tokenizer has; NULL if it has none. */
static const char *tokenizer_hash(const char *text)
{
    static const char before[] = "tokenizer.json sha256 ";
    const char *found = strstr(text, before);

    if (!found)
        return NULL;
    found += sizeof before - 1;
    return strspn(found, "0123456789abcdef") == TOKENIZER_HASH_LEN ? found : NULL;
}

/* Descriptions are prose: where both have a hash, that alone counts. */
static bool is_same_tokenizer(const char *a, const char *b)
{
    const char *a_hash = tokenizer_hash(a);
    const char *b_hash = tokenizer_hash(b);

    return a_hash && b_hash && memcmp(a_hash, b_hash, TOKENIZER_HASH_LEN) == 0;
}

static void judge_tokenizer(struct comparison *c)
{
    const struct compare_difference *tokenizer =
        compare_find(c, COMPARE_WORKLOAD, "dataset.build.tokenizer");

    if (!tokenizer)
        return;
    if (tokenizer->a.kind == COMPARE_ABSENT || tokenizer->b.kind == COMPARE_ABSENT) {
        add_reason(c, "Only %s names its tokenizer.",
                   tokenizer->a.kind == COMPARE_ABSENT ? "b" : "a");
        return;
    }
    if (is_same_tokenizer(tokenizer->a.text, tokenizer->b.text))
        return;
    worsen(c, COMPARE_NO);
    add_reason(c, "The tokenizers differ, so that tokens are not the same text.");
}

static double speed_stderr(const struct estimate_figures *f)
{
    return cost_speed_stderr(f->tokens_per_s_per_gpu, f->step_time_cv_percent, f->window_steps);
}

static void judge_speeds(struct comparison *c)
{
    const struct estimate_figures *a = &c->a->figures;
    const struct estimate_figures *b = &c->b->figures;

    c->has_stderr = true;
    c->is_near_tie = estimate_is_near_tie(a->tokens_per_s_per_gpu, speed_stderr(a),
                                          b->tokens_per_s_per_gpu, speed_stderr(b));
    if (c->is_near_tie)
        add_reason(c, "The 95%% intervals of the speeds overlap: a near tie.");
}

static void judge_runs(struct comparison *c)
{
    bool a_is_single = c->a->facts && c->a->figures.runs == 1;
    bool b_is_single = c->b->facts && c->b->figures.runs == 1;

    if (a_is_single && b_is_single)
        add_reason(c, "Both were measured in one run only.");
    else if (a_is_single || b_is_single)
        add_reason(c, "%s was measured in one run only.", a_is_single ? "a" : "b");
}

static void judge_command(struct comparison *c, const char *problem, const char *name)
{
    if (*problem)
        add_reason(c, "Not all flags of %s may have been read: %s.", name, problem);
}

static bool is_one(const struct comparison *c)
{
    return strcmp(c->a->label, c->b->label) == 0;
}

static void judge(struct comparison *c, const struct compare_head *a, const struct compare_head *b)
{
    if (is_one(c)) {
        add_reason(c, "a and b are the same %s.", c->a->facts ? "recipe" : "published figure");
        return;
    }
    judge_command(c, a->problem, "a");
    judge_command(c, b->problem, "b");
    judge_retracted(c, c->a, "a");
    judge_retracted(c, c->b, "b");
    judge_model(c);
    judge_published(c, c->a, "a");
    judge_published(c, c->b, "b");
    if (c->a->facts && c->b->facts) {
        judge_workload(c, a->workload, b->workload);
        judge_tokenizer(c);
        judge_speeds(c);
    }
    if (c->a->figures.gpus != c->b->figures.gpus)
        add_reason(c, "The GPU counts differ: a has %" PRId64 ", b has %" PRId64 ".",
                   c->a->figures.gpus, c->b->figures.gpus);
    judge_runs(c);
}

double compare_usd(const struct compare_side *side)
{
    if (side->usd_per_gpu_hour > 0)
        return cost_usd_per_million_tokens(side->usd_per_gpu_hour,
                                           side->figures.tokens_per_s_per_gpu);
    return side->published_usd_per_million_tokens;
}

/* The price per GPU-hour at which one side's tokens cost what the other's do; 0: not known. */
static double break_even(const struct compare_side *own, const struct compare_side *other)
{
    double speed = own->figures.tokens_per_s_per_gpu;

    if (other->usd_per_gpu_hour > 0)
        return other->usd_per_gpu_hour / other->figures.tokens_per_s_per_gpu * speed;
    return other->published_usd_per_million_tokens / cost_gpu_hours(1e6, speed);
}

static bool is_figure(double value)
{
    return value >= 1e-9 && value <= 1e9;
}

static enum err_code check_side(const struct compare_side *side, struct err *e)
{
    bool is_ok = side->figures.gpus >= 1 && is_figure(side->figures.tokens_per_s_per_gpu) &&
                 (side->usd_per_gpu_hour == 0 || is_figure(side->usd_per_gpu_hour)) &&
                 (side->published_usd_per_million_tokens == 0 ||
                  is_figure(side->published_usd_per_million_tokens));

    if (is_ok)
        return ERR_OK;
    return err_set(e, ERR_INPUT, "%s: a figure is not between 1e-09 and 1e+09", side->label);
}

enum err_code compare_make(const struct compare_side *a, const struct compare_side *b,
                           struct comparison *out, struct err *e)
{
    struct comparison c = {.a = a, .b = b};
    struct compare_head a_head = {"", ""};
    struct compare_head b_head = {"", ""};
    enum err_code rc = check_side(a, e);

    if (rc == ERR_OK)
        rc = check_side(b, e);
    if (rc != ERR_OK)
        return rc;
    arena_init(&c.arena, ARENA_LIMIT);
    rc = compare_find_differences(&c, &a_head, &b_head, e);
    if (rc == ERR_OK)
        judge(&c, &a_head, &b_head);
    if (rc == ERR_OK && c.is_short)
        rc = err_nomem(e);
    if (rc != ERR_OK) {
        compare_done(&c);
        return rc;
    }
    if (!is_one(&c)) {
        c.break_even_a = break_even(a, b);
        c.break_even_b = break_even(b, a);
    }
    *out = c;
    return ERR_OK;
}

void compare_done(struct comparison *c)
{
    arena_done(&c->arena);
    *c = (struct comparison){0};
}
