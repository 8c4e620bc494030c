/* Rows that judge what a recipe says of its stack and of its correctness. */
#include "core/audit_maker.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* The gate of the convergence check. Source: Megatron-Bridge validate_convergence with its pipeline
 * thresholds, as the recipes' correctness.rules name it; DESIGN section 5.1. */
static const double min_correlation = 0.95;
static const double max_loss_difference = 0.03;
enum { GATE_STEPS = 20 };

static bool contains(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Tell whether a commit begins here: 7 to 64 hexadecimal digits with a letter and a digit among
 * them, so that neither a date nor a word is taken for one. */
static bool is_commit(const char *text)
{
    size_t len = strspn(text, "0123456789abcdef");
    size_t digits = 0;

    for (size_t i = 0; i < len; i++)
        digits += is_digit(text[i]) ? 1 : 0;
    return len >= 7 && len <= 64 && digits > 0 && digits < len && !text_is_alnum(text[len]);
}

/* Tell whether a version begins here: 0.1, v0.1.0. */
static bool is_version(const char *text)
{
    size_t start = text[0] == 'v' ? 1 : 0;
    size_t len = strspn(text + start, "0123456789");

    return len > 0 && text[start + len] == '.' && is_digit(text[start + len + 1]);
}

static bool names_version(const char *text)
{
    for (size_t i = 0; text[i]; i++) {
        bool begins_word = i == 0 || !(text_is_alnum(text[i - 1]) || text[i - 1] == '.');

        if (begins_word && (is_commit(text + i) || is_version(text + i)))
            return true;
    }
    return false;
}

/* Tell whether the text speaks of changes that nobody else has. */
static bool has_local_changes(const char *text)
{
    static const char *const words[] = {"local patches", "local changes", "local modifications"};

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const char *found = strcasestr(text, words[i]);

        if (found && !(found - text >= 3 && strncasecmp(found - 3, "no ", 3) == 0))
            return true;
    }
    return false;
}

static void audit_framework(struct audit_maker *m)
{
    const struct open_map *stack = &m->r->stack;
    const char *text = NULL;
    bool is_pinned;
    struct buf found, expected;

    for (size_t i = 0; i < stack->count; i++)
        if (strcmp(stack->entries[i].key, "framework") == 0)
            text = stack->entries[i].text;
    is_pinned = text && !contains(text, "not pinned") && !contains(text, "unpinned") &&
                !has_local_changes(text) && names_version(text);
    buf_init(&found, AUDIT_TEXT_BYTES);
    buf_init(&expected, AUDIT_TEXT_BYTES);
    audit_add_item(&found, "", text ? text : "not stated");
    buf_puts(&expected, "a commit, tag or version, without local changes");
    audit_put_bufs(m, AUDIT_FRAMEWORK, is_pinned ? AUDIT_PASS : AUDIT_WARN, &found, &expected);
}

static void audit_patches(struct audit_maker *m)
{
    struct buf found, expected;

    buf_init(&found, AUDIT_TEXT_BYTES);
    buf_init(&expected, AUDIT_TEXT_BYTES);
    audit_add_list(&found, &m->r->patches, ", ");
    if (m->r->patches.count == 0)
        buf_puts(&found, "none");
    audit_put_bufs(m, AUDIT_PATCHES, AUDIT_PASS, &found, &expected);
}

static void audit_reference(struct audit_maker *m)
{
    static const char *const denials[] = {"not published", "unpublished"};
    const char *text = m->r->correctness.reference ? m->r->correctness.reference : "";
    bool is_published = *text != '\0';

    for (size_t i = 0; i < COUNT_OF(denials); i++)
        if (strncasecmp(text, denials[i], strlen(denials[i])) == 0)
            is_published = false;
    audit_put(m, AUDIT_REFERENCE, is_published ? AUDIT_PASS : AUDIT_WARN,
              is_published ? "published" : "not published", "a published reference recipe");
}

/* Append "0.98649 (0.03649 inside)": a figure and its margin, without the noise of binary
 * fractions. */
static void add_margin(struct buf *out, double value, double margin)
{
    buf_put_real(out, value);
    buf_puts(out, " (");
    buf_put_real(out, num_round_digits(fabs(margin), 10));
    buf_puts(out, margin < 0 ? " outside)" : " inside)");
}

static bool is_fail(const char *result)
{
    return result && strcmp(result, "fail") == 0;
}

/* Append what failed by the recipe's own words; false if nothing did. */
static bool add_failures(const struct recipe *r, struct buf *out)
{
    const struct component_test *tests = r->correctness.component_tests.items;
    size_t before = out->len;
    size_t failed = 0;

    for (size_t i = 0; i < r->correctness.component_tests.count; i++)
        failed += is_fail(tests[i].result) ? 1 : 0;
    if (is_fail(r->correctness.convergence.result))
        buf_puts(out, "; convergence is stated as fail");
    if (is_fail(r->correctness.configuration))
        buf_puts(out, "; configuration is stated as fail");
    if (failed > 0)
        buf_printf(out, "; %zu component test%s stated as fail", failed, failed == 1 ? "" : "s");
    if (out->len == before && is_fail(r->correctness.result))
        buf_puts(out, "; correctness is stated as fail");
    return out->len > before;
}

static void audit_convergence(struct audit_maker *m)
{
    double correlation = m->r->correctness.convergence.correlation;
    double difference = fabs(m->r->correctness.convergence.final_loss_difference);
    int64_t failures = m->r->correctness.convergence.pointwise_failures;
    int64_t steps = m->r->correctness.convergence.steps;
    bool is_failed =
        correlation < min_correlation || difference > max_loss_difference || failures > 0;
    struct buf found, expected;

    buf_init(&found, AUDIT_TEXT_BYTES);
    buf_init(&expected, AUDIT_TEXT_BYTES);
    buf_puts(&found, "correlation ");
    add_margin(&found, correlation, correlation - min_correlation);
    buf_puts(&found, ", final loss difference ");
    add_margin(&found, difference, max_loss_difference - difference);
    buf_printf(&found, ", %" PRId64 " pointwise failure%s over %" PRId64 " steps", failures,
               failures == 1 ? "" : "s", steps);
    is_failed = add_failures(m->r, &found) || is_failed;
    buf_puts(&expected, "correlation at least 0.95, final loss difference at most 0.03, "
                        "0 pointwise failures over 20 steps");
    audit_put_bufs(m, AUDIT_CONVERGENCE,
                   is_failed            ? AUDIT_FAIL
                   : steps < GATE_STEPS ? AUDIT_UNKNOWN
                                        : AUDIT_PASS,
                   &found, &expected);
}

static void audit_runs(struct audit_maker *m)
{
    int64_t runs = m->r->result.runs;
    char text[NUM_TEXT_BYTES];

    num_format_int(text, runs);
    audit_put(m, AUDIT_RUNS, runs > 1 ? AUDIT_PASS : AUDIT_WARN, runs == 1 ? "a single run" : text,
              "2 or more runs");
}

/* What a verification's outcome means for its row.
 *
 * reason: NULL: the computed count is what was found. A reason of the run's own would change what
 *         is stored each time that a hub is away in another way */
struct outcome {
    enum audit_result result;
    const char *reason;
};

static const struct outcome outcomes[HUB_OUTCOMES] = {
    [HUB_CONFIRMED] = {AUDIT_PASS, NULL},
    [HUB_CONTRADICTED] = {AUDIT_FAIL, NULL},
    [HUB_UNCONFIRMABLE] = {AUDIT_UNKNOWN, "the count cannot be recomputed from this checkpoint"},
    [HUB_GATED] = {AUDIT_UNKNOWN, "the checkpoint is gated"},
    [HUB_NOT_FOUND] = {AUDIT_UNKNOWN, "the checkpoint is not found"},
    [HUB_UNREACHABLE] = {AUDIT_UNKNOWN, "the hub could not be reached"},
    [HUB_NOT_CHECKED] = {AUDIT_UNKNOWN, "not checked"},
};

static void audit_confirm(struct audit_maker *m)
{
    enum hub_outcome found = m->confirmation ? m->confirmation->outcome : HUB_NOT_CHECKED;
    const struct outcome *outcome = &outcomes[found];
    char computed[NUM_TEXT_BYTES], stated[NUM_TEXT_BYTES];

    num_format_int(computed, m->confirmation ? m->confirmation->computed : 0);
    num_format_int(stated, m->r->result.active_params.count);
    audit_put(m, AUDIT_CONFIRMATION, outcome->result, outcome->reason ? outcome->reason : computed,
              stated);
}

void audit_evidence(struct audit_maker *m)
{
    audit_framework(m);
    audit_patches(m);
    audit_reference(m);
    audit_convergence(m);
    audit_runs(m);
    audit_confirm(m);
}
