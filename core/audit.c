/* The audit as a whole: the rows of recomputed figures, whether the command runs, the names, the
 * JSON. Rows that need the command's text are in core/audit_run.c, those of the evidence in
 * core/audit_evidence.c. */
#include "core/audit.h"

#include "base/mem.h"
#include "core/audit_maker.h"
#include "core/figures.h"

#include <string.h>

/* What an audit may take in memory: two long texts for each row, and the lists. */
static const size_t arena_bytes = (size_t)2 * 1024 * 1024;

static const char *const check_names[AUDIT_CHECKS] = {
    [AUDIT_USD] = "usd",
    [AUDIT_MFU] = "mfu",
    [AUDIT_WINDOW_TOKENS] = "window_tokens",
    [AUDIT_DP] = "dp",
    [AUDIT_FLAGS] = "flags",
    [AUDIT_ENV] = "env",
    [AUDIT_PLACEHOLDERS] = "placeholders",
    [AUDIT_VARIABLES] = "variables",
    [AUDIT_FRAMEWORK] = "framework",
    [AUDIT_PATCHES] = "patches",
    [AUDIT_REFERENCE] = "reference",
    [AUDIT_CONVERGENCE] = "convergence",
    [AUDIT_RUNS] = "runs",
    [AUDIT_CONFIRMATION] = "confirmation",
};

static const char *const result_names[] = {
    [AUDIT_PASS] = "pass",
    [AUDIT_WARN] = "warn",
    [AUDIT_FAIL] = "fail",
    [AUDIT_UNKNOWN] = "unknown",
};

static const char *const runnable_names[] = {
    [AUDIT_AS_IS] = "as_is",
    [AUDIT_NEEDS_VARIABLES] = "needs_variables",
    [AUDIT_NOT_AS_IT_STANDS] = "not_as_it_stands",
};

const char *audit_check_name(enum audit_check check)
{
    return check_names[check];
}

const char *audit_result_name(enum audit_result result)
{
    return result_names[result];
}

const char *audit_runnable_name(enum audit_runnable runnable)
{
    return runnable_names[runnable];
}

static const char *keep(struct audit_maker *m, const char *text)
{
    const char *copy = arena_text(&m->audit->arena, text, strlen(text));

    if (!copy)
        m->is_short = true;
    return copy;
}

void audit_put(struct audit_maker *m, enum audit_check check, enum audit_result result,
               const char *found, const char *expected)
{
    struct audit_row *row = &m->audit->rows[check];

    row->result = result;
    row->found = found && *found ? keep(m, found) : NULL;
    row->expected = expected && *expected ? keep(m, expected) : NULL;
}

void audit_put_bufs(struct audit_maker *m, enum audit_check check, enum audit_result result,
                    struct buf *found, struct buf *expected)
{
    if (found->status != ERR_OK || expected->status != ERR_OK)
        m->is_short = true;
    audit_put(m, check, result, buf_text(found), buf_text(expected));
    buf_done(found);
    buf_done(expected);
}

void audit_add_item(struct buf *out, const char *separator, const char *item)
{
    size_t len = strnlen(item, AUDIT_ITEM_BYTES + 1);
    bool is_cut = len > AUDIT_ITEM_BYTES;

    if (out->len > 0)
        buf_puts(out, separator);
    if (is_cut)
        for (len = AUDIT_ITEM_BYTES; len > 0 && ((unsigned char)item[len] & 0xC0) == 0x80;)
            len--;
    buf_add(out, item, len);
    if (is_cut)
        buf_puts(out, "...");
}

void audit_add_list(struct buf *out, const struct text_list *list, const char *last_separator)
{
    size_t shown = list->count < AUDIT_ITEMS_SHOWN ? list->count : AUDIT_ITEMS_SHOWN;

    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            buf_puts(out, i + 1 == list->count ? last_separator : ", ");
        audit_add_item(out, "", list->items[i]);
    }
    if (shown < list->count)
        buf_printf(out, "%s%zu more", last_separator, list->count - shown);
}

/* A figure that is not there, or that nothing can be held against, is unknown. */
static void put_figure(struct audit_maker *m, enum audit_check check, enum audit_result if_differs,
                       const struct figure *figure)
{
    enum audit_result result = figure->agrees ? AUDIT_PASS : if_differs;

    audit_put(m, check, figure->is_known ? result : AUDIT_UNKNOWN,
              *figure->found ? figure->found : "not stated", figure->expected);
}

static void audit_figures(struct audit_maker *m)
{
    const char *day = m->r->result.measured;
    const struct gpu *gpu = m->r->gpu.type ? catalog_gpu(m->catalog, m->r->gpu.type) : NULL;
    struct figure figure;

    figure_usd(m->r, gpu ? catalog_price_on(m->catalog, gpu->slug, day) : NULL, &figure);
    put_figure(m, AUDIT_USD, AUDIT_WARN, &figure);
    figure_mfu(m->r, gpu, &figure);
    put_figure(m, AUDIT_MFU, AUDIT_WARN, &figure);
    figure_window_tokens(m->r, &figure);
    put_figure(m, AUDIT_WINDOW_TOKENS, AUDIT_FAIL, &figure);
    figure_dp(m->r, &figure);
    put_figure(m, AUDIT_DP, AUDIT_FAIL, &figure);
}

/* What stands in the way of running the command as it stands, as a clause of the summary. */
struct obstacle {
    enum audit_check check;
    enum audit_result result;
    const char *clause;
};

/* The row of flags is the first: it fails, too, for a text that cannot be read whole, and that is
 * told in its place. */
static const struct obstacle obstacles[] = {
    {AUDIT_FLAGS, AUDIT_FAIL, "its flags contradict the layout"},
    {AUDIT_ENV, AUDIT_FAIL, "its exports contradict env"},
    {AUDIT_FRAMEWORK, AUDIT_WARN, "the framework is not pinned"},
    {AUDIT_REFERENCE, AUDIT_WARN, "the reference is not published"},
};

static enum audit_runnable judge_runnable(const struct audit *a)
{
    if (a->rows[AUDIT_PLACEHOLDERS].result == AUDIT_FAIL ||
        a->rows[AUDIT_FLAGS].result == AUDIT_FAIL || a->rows[AUDIT_ENV].result == AUDIT_FAIL)
        return AUDIT_NOT_AS_IT_STANDS;
    return a->variables.count > 0 ? AUDIT_NEEDS_VARIABLES : AUDIT_AS_IS;
}

/* Append "; " between clauses, ": " before the first. */
static void begin_clause(struct buf *out, bool *has_clause)
{
    buf_puts(out, *has_clause ? "; " : ": ");
    *has_clause = true;
}

static void add_obstacles(const struct audit_maker *m, struct buf *out)
{
    const struct audit *a = m->audit;
    bool has_clause = false;

    if (a->placeholders.count > 0) {
        begin_clause(out, &has_clause);
        buf_puts(out, "replace ");
        audit_add_list(out, &a->placeholders, " and ");
    }
    if (a->variables.count > 0) {
        begin_clause(out, &has_clause);
        buf_puts(out, "set ");
        audit_add_list(out, &a->variables, " and ");
    }
    if (m->problem) {
        begin_clause(out, &has_clause);
        buf_puts(out, m->problem);
    }
    for (size_t i = m->problem ? 1 : 0; i < COUNT_OF(obstacles); i++)
        if (a->rows[obstacles[i].check].result == obstacles[i].result) {
            begin_clause(out, &has_clause);
            buf_puts(out, obstacles[i].clause);
        }
}

static void summarise(struct audit_maker *m)
{
    struct audit *a = m->audit;
    struct buf out;

    buf_init(&out, AUDIT_TEXT_BYTES);
    a->runnable = judge_runnable(a);
    switch (a->runnable) {
    case AUDIT_AS_IS:
        buf_puts(&out, "The command runs as it stands");
        break;
    case AUDIT_NEEDS_VARIABLES:
        buf_puts(&out, "Set ");
        audit_add_list(&out, &a->variables, " and ");
        buf_puts(&out, ", then the command runs as it stands");
        break;
    case AUDIT_NOT_AS_IT_STANDS:
        buf_puts(&out, "The command does not run as it stands");
        add_obstacles(m, &out);
        break;
    }
    buf_putc(&out, '.');
    m->is_short = m->is_short || out.status != ERR_OK;
    a->summary = keep(m, buf_text(&out));
    buf_done(&out);
}

enum err_code audit_make(const struct recipe *r, const struct catalog *catalog,
                         const struct hub_result *confirmation, struct audit *out, struct err *e)
{
    struct audit_maker m = {.r = r, .catalog = catalog, .confirmation = confirmation, .audit = out};
    enum err_code rc;

    *out = (struct audit){0};
    arena_init(&out->arena, arena_bytes);
    audit_figures(&m);
    rc = audit_run(&m, e);
    if (rc == ERR_OK) {
        audit_evidence(&m);
        summarise(&m);
    }
    if (rc == ERR_OK && m.is_short)
        rc = err_nomem(e);
    if (rc != ERR_OK)
        audit_done(out);
    return rc;
}

void audit_done(struct audit *a)
{
    arena_done(&a->arena);
}

size_t audit_count(const struct audit *a, enum audit_result result)
{
    size_t count = 0;

    for (size_t i = 0; i < AUDIT_CHECKS; i++)
        count += a->rows[i].result == result ? 1 : 0;
    return count;
}

static void write_list(struct json *j, const char *key, const struct text_list *list)
{
    json_begin(j, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_put_text(j, NULL, list->items[i]);
    json_end(j, ']');
}

void audit_write_json(const struct audit *a, const char *key, struct json *j)
{
    json_begin(j, key, '{');
    json_put_text(j, "summary", a->summary);
    json_put_text(j, "runnable", audit_runnable_name(a->runnable));
    write_list(j, "variables", &a->variables);
    write_list(j, "placeholders", &a->placeholders);
    json_begin(j, "rows", '[');
    for (size_t i = 0; i < AUDIT_CHECKS; i++) {
        json_begin(j, NULL, '{');
        json_put_text(j, "check", audit_check_name((enum audit_check)i));
        json_put_text(j, "result", audit_result_name(a->rows[i].result));
        json_put_text(j, "found", a->rows[i].found);
        json_put_text(j, "expected", a->rows[i].expected);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}
