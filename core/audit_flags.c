/* The row that holds the command's flags against the layout, by one table of flags. */
#include "core/audit_maker.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/shell_words.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* A flag and the member that it sets.
 *
 * kind:     FIELD_BOOL for a flag without a value
 * fallback: what holds where the flag is absent, "" for null; NULL: its absence says nothing
 * needs:    another flag without which this one has no effect; NULL: none
 * unless:   another flag with which this one has no effect; NULL: none
 *
 * Source: Megatron-LM core 0.16, megatron/training/arguments.py, and slime's and miles' arguments,
 * as the recipes' stacks name them. */
struct flag_rule {
    const char *flag;
    const char *path;
    enum field_kind kind;
    size_t offset;
    const char *fallback;
    const char *needs;
    const char *unless;
};

/* Expands to a member's path and offset in struct recipe: a function's value is no constant, and
 * written twice they might differ. */
#define AT(kind, member) #member, kind, offsetof(struct recipe, member)

static const char dynamic[] = "--use-dynamic-batch-size";
static const char offload[] = "--optimizer-cpu-offload";
static const char pp_layout[] = "--pipeline-model-parallel-layout";
static const char recompute[] = "--recompute-activations";

static const struct flag_rule rules[] = {
    {"--tensor-model-parallel-size", AT(FIELD_INT, layout.tp), "1", NULL, NULL},
    {"--pipeline-model-parallel-size", AT(FIELD_INT, layout.pp), "1", NULL, NULL},
    {"--context-parallel-size", AT(FIELD_INT, layout.cp), "1", NULL, NULL},
    {"--expert-model-parallel-size", AT(FIELD_INT, layout.ep), "1", NULL, NULL},
    {"--expert-tensor-parallel-size", AT(FIELD_INT, layout.etp), NULL, NULL, NULL},
    {"--sequence-parallel", AT(FIELD_BOOL, layout.sequence_parallel), "", NULL, NULL},
    {"--num-virtual-stages-per-pipeline-rank", AT(FIELD_INT, layout.vpp), "1", NULL,
     "--num-layers-per-virtual-pipeline-stage"},
    {"--decoder-first-pipeline-num-layers", AT(FIELD_INT, layout.layer_split.first), "", NULL,
     pp_layout},
    {"--decoder-last-pipeline-num-layers", AT(FIELD_INT, layout.layer_split.last), "", NULL,
     pp_layout},
    {"--recompute-granularity", AT(FIELD_TEXT, layout.recompute.granularity), "", NULL, recompute},
    {"--recompute-method", AT(FIELD_TEXT, layout.recompute.method), "", NULL, recompute},
    {"--recompute-num-layers", AT(FIELD_INT, layout.recompute.num_layers), "", NULL, recompute},
    {"--micro-batch-size", AT(FIELD_INT, layout.rows_per_microbatch), NULL, NULL, dynamic},
    {"--max-tokens-per-gpu", AT(FIELD_INT, layout.max_tokens_per_gpu), NULL, dynamic, NULL},
    {"--global-batch-size", AT(FIELD_INT, workload.global_batch), NULL, NULL, NULL},
    {offload, "layout.offload", FIELD_BOOL, offsetof(struct recipe, layout.offload.is_present), "",
     NULL, NULL},
    {"--optimizer-offload-fraction", AT(FIELD_REAL, layout.offload.optimizer_fraction), "1.0",
     offload, NULL},
    {"--overlap-cpu-optimizer-d2h-h2d", AT(FIELD_BOOL, layout.offload.overlap_d2h_h2d), "", NULL,
     NULL},
};

/* The row being made.
 *
 * agreeing:   flags that were compared and agree
 * uncompared: flags whose values are not written out in the command, as a list */
struct flag_row {
    const struct recipe *r;
    const struct shell_script *script;
    struct audit_differences differences;
    struct buf uncompared;
    struct buf value;
    size_t agreeing;
};

static bool has_flag(const struct flag_row *row, const char *name)
{
    return name && shell_script_flag(row->script, name);
}

/* Append what the layout says: a number, a word, true, false or null. */
static void put_layout(struct buf *out, const struct flag_rule *rule, const struct recipe *r)
{
    const void *member = (const char *)r + rule->offset;
    const char *text;

    switch (rule->kind) {
    case FIELD_INT:
        if (*(const int64_t *)member == 0)
            break;
        buf_put_int(out, *(const int64_t *)member);
        return;
    case FIELD_REAL:
        if (*(const double *)member == 0)
            break;
        buf_put_real(out, *(const double *)member);
        return;
    case FIELD_BOOL:
        buf_puts(out, *(const bool *)member ? "true" : "false");
        return;
    case FIELD_TEXT:
        text = *(const char *const *)member;
        buf_puts(out, text ? text : "null");
        return;
    case FIELD_MAP:
    case FIELD_DATE:
    case FIELD_TEXT_LIST:
    case FIELD_INT_LIST:
    case FIELD_OPEN_MAP:
    case FIELD_MAP_LIST:
        break; /* No flag sets one of these. */
    }
    buf_puts(out, "null");
}

/* Tell whether the layout says the same as a flag's value; "" is null. */
static bool is_same(const struct flag_rule *rule, const struct recipe *r, const char *value)
{
    const void *member = (const char *)r + rule->offset;
    const char *text = NULL;
    int64_t integer = 0;
    double real = 0;
    struct err e;

    if (rule->kind == FIELD_INT) {
        if (*value && num_parse_int(value, strlen(value), 1, INT64_MAX, &integer, &e) != ERR_OK)
            return false;
        return *(const int64_t *)member == integer;
    }
    if (rule->kind == FIELD_REAL) {
        if (*value && num_parse_real(value, strlen(value), &real, &e) != ERR_OK)
            return false;
        return *(const double *)member == real;
    }
    text = *(const char *const *)member;
    return strcmp(text ? text : "", value) == 0;
}

/* Take a flag's value, quotes removed; false if the command does not write it out. */
static bool take_value(struct flag_row *row, const struct shell_flag *flag)
{
    buf_reset(&row->value);
    shell_unquote(flag->value, &row->value);
    if (!strpbrk(buf_text(&row->value), "$`<"))
        return true;
    buf_puts(&row->uncompared, row->uncompared.len > 0 ? ", " : "; not compared: ");
    buf_add(&row->uncompared, flag->name.text, flag->name.len);
    return false;
}

static void differ(struct flag_row *row, const struct flag_rule *rule)
{
    buf_printf(&row->differences.expected_item, "%s ", rule->path);
    put_layout(&row->differences.expected_item, rule, row->r);
    audit_differ(&row->differences);
}

static void compare_present(struct flag_row *row, const struct flag_rule *rule,
                            const struct shell_flag *flag)
{
    bool agrees;

    if (rule->kind == FIELD_BOOL) {
        agrees = *(const bool *)((const char *)row->r + rule->offset);
        buf_reset(&row->value);
    } else if (!flag->value.text) {
        buf_printf(&row->differences.found_item, "%s without a value", rule->flag);
        differ(row, rule);
        return;
    } else if (take_value(row, flag)) {
        agrees = row->value.len > 0 && is_same(rule, row->r, buf_text(&row->value));
    } else {
        return;
    }
    row->agreeing += agrees ? 1 : 0;
    if (agrees)
        return;
    buf_puts(&row->differences.found_item, rule->flag);
    buf_puts(&row->differences.found_item, rule->kind == FIELD_BOOL ? "" : " ");
    buf_puts(&row->differences.found_item, buf_text(&row->value));
    differ(row, rule);
}

static void compare_absent(struct flag_row *row, const struct flag_rule *rule)
{
    bool agrees = rule->kind == FIELD_BOOL ? !*(const bool *)((const char *)row->r + rule->offset)
                                           : is_same(rule, row->r, rule->fallback);

    if (agrees)
        return;
    buf_printf(&row->differences.found_item, "no %s", rule->flag);
    differ(row, rule);
}

/* Hold every flag of the table against its member. An absent one says something only where the
 * command lays out the model by such flags at all. */
static void compare_layout(struct flag_row *row)
{
    bool lays_out = false;

    for (size_t i = 0; i < COUNT_OF(rules); i++)
        lays_out = lays_out || (rules[i].fallback && has_flag(row, rules[i].flag));
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        const struct flag_rule *rule = &rules[i];
        const struct shell_flag *flag = shell_script_flag(row->script, rule->flag);

        if ((rule->needs && !has_flag(row, rule->needs)) || has_flag(row, rule->unless))
            continue;
        if (flag)
            compare_present(row, rule, flag);
        else if (lays_out && rule->fallback)
            compare_absent(row, rule);
    }
}

/* Read a flag that counts something; false if the command does not have or write it out. */
static bool take_count(struct flag_row *row, const char *name, int64_t *out_count)
{
    enum { COUNT_MAX = 1000000000 }; /* Two of them multiply without overflow. */
    const struct shell_flag *flag = shell_script_flag(row->script, name);
    struct err e;

    return flag && flag->value.text && take_value(row, flag) &&
           num_parse_int(buf_text(&row->value), row->value.len, 1, COUNT_MAX, out_count, &e) ==
               ERR_OK;
}

/* The nodes and the GPUs of each make the GPUs of the run. */
static void compare_gpus(struct flag_row *row)
{
    int64_t nodes, gpus;

    if (!take_count(row, "--actor-num-nodes", &nodes) ||
        !take_count(row, "--actor-num-gpus-per-node", &gpus))
        return;
    if (nodes * gpus == row->r->gpu.count) {
        row->agreeing += 2;
        return;
    }
    buf_printf(&row->differences.found_item,
               "--actor-num-nodes %" PRId64 " * --actor-num-gpus-per-node %" PRId64, nodes, gpus);
    buf_printf(&row->differences.expected_item, "gpu.count %" PRId64, row->r->gpu.count);
    audit_differ(&row->differences);
}

void audit_flags(struct audit_maker *m, const struct shell_script *script)
{
    struct flag_row row = {.r = m->r, .script = script};
    struct buf found;

    if (script->problem) {
        audit_put(m, AUDIT_FLAGS, AUDIT_FAIL, script->problem, "a whole shell script");
        return;
    }
    audit_differences_init(&row.differences);
    buf_init(&row.uncompared, AUDIT_TEXT_BYTES);
    buf_init(&row.value, AUDIT_VALUE_BYTES);
    buf_init(&found, AUDIT_TEXT_BYTES);
    compare_layout(&row);
    compare_gpus(&row);
    buf_printf(&found, "%zu flag%s agree%s with the layout%s", row.agreeing,
               row.agreeing == 1 ? "" : "s", row.agreeing == 1 ? "s" : "",
               buf_text(&row.uncompared));
    if (found.status != ERR_OK || row.value.status != ERR_OK || row.uncompared.status != ERR_OK)
        m->is_short = true;
    audit_put_differences(m, AUDIT_FLAGS, &row.differences,
                          row.agreeing > 0 ? AUDIT_PASS : AUDIT_UNKNOWN, buf_text(&found));
    buf_done(&found);
    buf_done(&row.value);
    buf_done(&row.uncompared);
}
