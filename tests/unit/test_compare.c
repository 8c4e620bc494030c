/* Comparisons of the measured recipes, of changed copies, and with published figures. */
#include "core/compare.h"

#include "base/file.h"
#include "base/mem.h"
#include "importers/yaml_tree.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QWEN "recipes/qwen3.5-397b-a17b/b200/"

static const double b200_usd = 113.9328 / 8;
static const double h200_usd = 63.296 / 8;
static const double h100_usd = 55.04 / 8;

/* A published figure of the Qwen model on 128 H200. */
static const struct compare_side h200 = {
    .label = "qwen3.5-397b-a17b/h200",
    .model = "qwen3.5-397b-a17b",
    .gpus = 128,
    .tokens_per_s_per_gpu = 545.3,
    .usd_per_gpu_hour = 63.296 / 8,
    .published_usd_per_million_tokens = 4.03,
};

static void load_text(const char *bytes, size_t len, const char *stem, struct recipe *r)
{
    struct tree_node *root;
    struct report report;
    struct arena tree;
    struct err e;

    recipe_init(r);
    report_init(&report);
    arena_init(&tree, TREE_ARENA_LIMIT);
    assert_int_equal(yaml_tree_read(bytes, len, &tree, &root, &report, &e), ERR_OK);
    assert_int_equal(report.errors, 0);
    assert_int_equal(recipe_read(r, root, &report, &e), ERR_OK);
    assert_int_equal(report.errors, 0);
    recipe_derive(r, stem);
    arena_done(&tree);
    report_done(&report);
}

/* Load a recipe file with one part of its text replaced; the part must be there. NULL: unchanged.
 */
static void load_changed(const char *path, const char *part, const char *by, struct recipe *r)
{
    char *bytes;
    size_t len;
    struct err e;
    struct buf text;

    assert_int_equal(file_read(path, RECIPE_FILE_LIMIT, &bytes, &len, &e), ERR_OK);
    buf_init(&text, RECIPE_FILE_LIMIT);
    if (part) {
        const char *found = strstr(bytes, part);

        assert_non_null(found);
        buf_add(&text, bytes, (size_t)(found - bytes));
        buf_puts(&text, by);
        buf_puts(&text, found + strlen(part));
    } else {
        buf_add(&text, bytes, len);
    }
    load_text(buf_text(&text), text.len, "test", r);
    buf_done(&text);
    free(bytes);
}

static struct compare_side side_of(const char *label, const struct recipe *r, double usd)
{
    return (struct compare_side){
        .label = label,
        .model = r->derived.model,
        .recipe = r,
        .gpus = r->gpu.count,
        .tokens_per_s_per_gpu = r->result.tokens_per_s_per_gpu,
        .usd_per_gpu_hour = usd,
    };
}

static void make(const struct compare_side *a, const struct compare_side *b, struct comparison *c)
{
    struct err e;

    assert_int_equal(compare_make(a, b, c, &e), ERR_OK);
}

/* The members of a comparison, as JSON. */
static void assert_json(const struct comparison *c, const char *expected)
{
    struct json j;
    struct buf out;

    buf_init(&out, 1024 * 1024);
    json_init(&j, &out);
    json_begin(&j, NULL, '{');
    compare_write_json(c, &j);
    json_end(&j, '}');
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

/* The names in a group, each followed by a space. */
static void assert_names(const struct comparison *c, enum compare_group group, const char *expected)
{
    struct buf names;

    buf_init(&names, 64 * 1024);
    for (const struct compare_difference *d = c->groups[group].first; d; d = d->next)
        buf_printf(&names, "%s ", d->name);
    assert_string_equal(buf_text(&names), expected);
    buf_done(&names);
}

static void assert_reasons(const struct comparison *c, const char *const *expected)
{
    size_t i = 0;

    for (; expected[i]; i++) {
        assert_true(i < c->reason_count);
        assert_string_equal(c->reasons[i], expected[i]);
    }
    assert_int_equal(c->reason_count, i);
}

/* A recipe file compared with a changed copy of itself. */
struct change {
    struct recipe original;
    struct recipe changed;
    struct compare_side a;
    struct compare_side b;
    struct comparison found;
};

static void make_change(struct change *change, const char *part, const char *by)
{
    static const char path[] = QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml";

    load_changed(path, NULL, NULL, &change->original);
    load_changed(path, part, by, &change->changed);
    change->a = side_of("a", &change->original, b200_usd);
    change->b = side_of("b", &change->changed, b200_usd);
    make(&change->a, &change->b, &change->found);
}

static void change_done(struct change *change)
{
    compare_done(&change->found);
    recipe_done(&change->original);
    recipe_done(&change->changed);
}

static void the_two_of_64_gpus_differ_in_batching_and_results(void **state)
{
    struct recipe mt16k, mt8k;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    load_changed(QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL, &mt16k);
    load_changed(QWEN "attune-tp2-pp8-ep8-vpp2-mt8k.yaml", NULL, NULL, &mt8k);
    a = side_of("mt16k", &mt16k, b200_usd);
    b = side_of("mt8k", &mt8k, b200_usd);
    make(&a, &b, &c);
    assert_json(
        &c,
        "{\"comparable\":true,\"reasons\":[\"Both were measured in one run only.\"],"
        "\"near_tie\":false,\"differences\":{\"layout\":["
        "{\"name\":\"summary\",\"a\":\"TP 2, PP 8 (first and last stage 6 layers), VPP 2, CP 1, "
        "EP 8, ETP 1, DP 4; two 8,192-token rows per microbatch (max 16,384 tokens per GPU); full "
        "recompute (uniform, 1 layer); precision-aware distributed optimizer; alltoall "
        "dispatcher; no offload\",\"b\":\"TP 2, PP 8 (first and last stage 6 layers), VPP 2, CP "
        "1, EP 8, ETP 1, DP 4, sequence parallel; one 8,192-token row per microbatch; full "
        "recompute (uniform, 1 layer); precision-aware distributed optimizer; alltoall "
        "dispatcher; no offload\"},"
        "{\"name\":\"highlights\",\"a\":\"max 16,384 tokens/GPU, VPP 2, no offload\","
        "\"b\":\"max 8,192 tokens/GPU, VPP 2, no offload\"},"
        "{\"name\":\"max_tokens_per_gpu\",\"a\":16384,\"b\":8192},"
        "{\"name\":\"rows_per_microbatch\",\"a\":2,\"b\":1}],"
        "\"flags\":[{\"name\":\"--max-tokens-per-gpu\",\"a\":\"16384\",\"b\":\"8192\"}],"
        "\"results\":[{\"name\":\"tokens_per_s_per_gpu\",\"a\":1232.53,\"b\":1130.65},"
        "{\"name\":\"stated_usd_per_million_tokens\",\"a\":3.21,\"b\":3.5},"
        "{\"name\":\"step_time_cv_percent\",\"a\":2.72,\"b\":0.58},"
        "{\"name\":\"mfu\",\"a\":0.0537,\"b\":0.0492},"
        "{\"name\":\"gpu_hours\",\"a\":22.49,\"b\":28.94},"
        "{\"name\":\"correlation\",\"a\":0.9999986,\"b\":0.9999967},"
        "{\"name\":\"final_loss_difference\",\"a\":8.6e-05,\"b\":0.0002},"
        "{\"name\":\"usd_per_million_tokens\",\"a\":3.20966,\"b\":3.49887}]},"
        "\"break_even\":{\"a_usd_per_gpu_hour\":15.5249,\"b_usd_per_gpu_hour\":13.0644,"
        "\"text\":\"a costs less per token than b at 14.2416 USD per GPU-hour up to 15.5249 USD "
        "per GPU-hour. b costs less per token than a at 14.2416 USD per GPU-hour up to 13.0644 "
        "USD per GPU-hour.\"}}");
    compare_done(&c);
    recipe_done(&mt16k);
    recipe_done(&mt8k);
}

static void text_is_a_head_and_an_aligned_table(void **state)
{
    struct change change;
    struct buf out;
    struct err e;

    (void)state;
    make_change(&change, "--distributed-timeout-minutes 30",
                "--new --distributed-timeout-minutes 40");
    buf_init(&out, 64 * 1024);
    assert_int_equal(compare_write_text(&change.found, 4096, &out, &e), ERR_OK);
    assert_string_equal(buf_text(&out),
                        "a: a\nb: b\ncomparable: yes\n"
                        "- The 95% intervals of the speeds overlap: a near tie.\n"
                        "- Both were measured in one run only.\n"
                        "a costs less per token than b at 14.2416 USD per GPU-hour up to 14.2416 "
                        "USD per GPU-hour. b costs less per token than a at 14.2416 USD per "
                        "GPU-hour up to 14.2416 USD per GPU-hour.\n\n"
                        "group  name                           a   b\n"
                        "flags  --distributed-timeout-minutes  30  40\n"
                        "flags  --new                          -   true\n");
    buf_reset(&out);
    assert_int_equal(compare_write_text(&change.found, 20, &out, &e), ERR_LIMIT);
    buf_done(&out);
    change_done(&change);
}

static void a_recipe_does_not_differ_from_itself(void **state)
{
    static const char *const reasons[] = {"The 95% intervals of the speeds overlap: a near tie.",
                                          "Both were measured in one run only.", NULL};
    struct change change;

    (void)state;
    make_change(&change, NULL, NULL);
    assert_int_equal(change.found.verdict, COMPARE_YES);
    assert_true(change.found.is_near_tie);
    assert_reasons(&change.found, reasons);
    for (size_t i = 0; i < COMPARE_GROUPS; i++)
        assert_null(change.found.groups[i].first);
    change_done(&change);
}

/* A change of the command's text, and the flags that it makes differ, as JSON. */
struct flag_case {
    const char *part;
    const char *by;
    const char *flags;
};

static void flags_differ_by_name_not_by_line(void **state)
{
    static const struct flag_case cases[] = {
        {"--optimizer adam --lr 1e-5", "--lr 1e-5 --optimizer adam", ""},
        {"--lr 1e-5", "--lr=1e-5", ""},
        {"--lr 1e-5", "--lr '1e-5'", ""},
        {"--lr 1e-5", "--lr \\\n      1e-5", ""},
        {"--lr 1e-5", "--lr 2e-5", "--lr 1e-5|2e-5 "},
        {"--lr 1e-5 ", "", "--lr 1e-5|null "},
        {"--lr 1e-5", "--lr 1e-5 --lr 2e-5", "--lr 1e-5|1e-5, 2e-5 "},
        {"--lr 1e-5", "--lr 1e-5 2e-5", "--lr 1e-5|1e-5 2e-5 "},
        {"--lr 1e-5", "--lr", "--lr 1e-5|true "},
        {"--lr 1e-5", "--lr=", "--lr 1e-5| "},
        {"--sequence-parallel", "--sequence-parallel --sequence-parallel",
         "--sequence-parallel true|true, true "},
        {"    --sequence-parallel \\\n", "", "--sequence-parallel true|null "},
        {"--lr 1e-5", "--lr 2e-5 --a 1 --z", "--a null|1 --lr 1e-5|2e-5 --z null|true "},
        {"--lr-decay-style", "--lr-decay", "--lr-decay null|cosine --lr-decay-style cosine|null "},
        {"${MODEL_ARGS[@]}", "", ""},
        {"$([ \"$NVLINK_COUNT\" -gt 0 ] && echo 1 || echo 0)\n\n", "$(cmd --x 1)\n\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct change change;
        struct buf found;

        make_change(&change, cases[i].part, cases[i].by);
        buf_init(&found, 64 * 1024);
        for (const struct compare_difference *d = change.found.groups[COMPARE_FLAGS].first; d;
             d = d->next) {
            const struct compare_value *values[] = {&d->a, &d->b};

            buf_printf(&found, "%s ", d->name);
            for (size_t k = 0; k < 2; k++) {
                buf_puts(&found, k > 0 ? "|" : "");
                if (values[k]->kind == COMPARE_TEXT)
                    buf_puts(&found, values[k]->text);
                else
                    buf_puts(&found, values[k]->kind == COMPARE_BOOL ? "true" : "null");
            }
            buf_putc(&found, ' ');
        }
        assert_string_equal(buf_text(&found), cases[i].flags);
        buf_done(&found);
        change_done(&change);
    }
}

static void flags_of_a_broken_command_are_said_to_be_missing(void **state)
{
    static const char *const reasons[] = {
        "Not all flags of b may have been read: a single quote is never closed.",
        "The 95% intervals of the speeds overlap: a near tie.",
        "Both were measured in one run only.", NULL};
    struct change change;

    (void)state;
    make_change(&change, "--lr 1e-5", "--lr '1e-5");
    assert_reasons(&change.found, reasons);
    change_done(&change);
}

static void env_and_stack_differ_by_key(void **state)
{
    struct change change;

    (void)state;
    make_change(&change, "  TORCHINDUCTOR_COMPILE_THREADS: '1'\n",
                "  AAA: 'x'\n  TORCHINDUCTOR_COMPILE_THREADS: '2'\n");
    assert_names(&change.found, COMPARE_ENV, "AAA TORCHINDUCTOR_COMPILE_THREADS ");
    assert_int_equal(change.found.groups[COMPARE_ENV].first->a.kind, COMPARE_ABSENT);
    assert_string_equal(change.found.groups[COMPARE_ENV].first->b.text, "x");
    assert_string_equal(change.found.groups[COMPARE_ENV].last->a.text, "1");
    assert_string_equal(change.found.groups[COMPARE_ENV].last->b.text, "2");
    assert_names(&change.found, COMPARE_STACK, "");
    change_done(&change);
    make_change(&change, "  deepep: 1.2.1\n  python: '3.12'\n", "  python: '3.13'\n  zlib: 1\n");
    assert_names(&change.found, COMPARE_STACK, "deepep python zlib ");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->a.text, "1.2.1");
    assert_int_equal(change.found.groups[COMPARE_STACK].first->b.kind, COMPARE_ABSENT);
    assert_names(&change.found, COMPARE_ENV, "");
    change_done(&change);
    make_change(&change, "patches:\n- patches/fla_blackwell_guard.py\n", "patches: [x, y]\n");
    assert_names(&change.found, COMPARE_STACK, "patches ");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->a.text,
                        "patches/fla_blackwell_guard.py");
    assert_string_equal(change.found.groups[COMPARE_STACK].first->b.text, "x, y");
    change_done(&change);
}

static void what_is_null_on_one_side_differs(void **state)
{
    struct change change;
    const struct compare_difference *d;

    (void)state;
    make_change(&change, "  layer_split:\n    first: 6\n    last: 6\n", "  layer_split: null\n");
    assert_names(&change.found, COMPARE_LAYOUT, "layer_split_first layer_split_last ");
    d = change.found.groups[COMPARE_LAYOUT].first;
    assert_int_equal(d->a.kind, COMPARE_INTEGER);
    assert_int_equal(d->a.integer, 6);
    assert_int_equal(d->b.kind, COMPARE_ABSENT);
    change_done(&change);
    make_change(&change, "  offload: null\n",
                "  offload:\n    optimizer_fraction: 0.5\n    overlap_d2h_h2d: false\n");
    assert_names(&change.found, COMPARE_LAYOUT, "offload offload_overlap_d2h_h2d ");
    d = change.found.groups[COMPARE_LAYOUT].first;
    assert_int_equal(d->a.kind, COMPARE_ABSENT);
    assert_int_equal(d->b.kind, COMPARE_REAL);
    assert_true(d->b.real == 0.5);
    d = d->next;
    assert_int_equal(d->a.kind, COMPARE_ABSENT);
    assert_int_equal(d->b.kind, COMPARE_BOOL);
    assert_int_equal(d->b.integer, 0);
    change_done(&change);
    make_change(&change, "  - 19\n", "  - 18\n");
    assert_names(&change.found, COMPARE_RESULTS, "window ");
    assert_string_equal(change.found.groups[COMPARE_RESULTS].first->a.text, "5, 19");
    assert_string_equal(change.found.groups[COMPARE_RESULTS].first->b.text, "5, 18");
    change_done(&change);
}

static void other_workloads_are_not_compared(void **state)
{
    static const char *const batch[] = {"The workloads differ in global_batch.",
                                        "The 95% intervals of the speeds overlap: a near tie.",
                                        "Both were measured in one run only.", NULL};
    static const char *const rows[] = {"The workloads differ in rows, rows_sha256.",
                                       "The 95% intervals of the speeds overlap: a near tie.",
                                       "Both were measured in one run only.", NULL};
    struct change change;

    (void)state;
    make_change(&change, "  global_batch: 128\n", "  global_batch: 256\n");
    assert_int_equal(change.found.verdict, COMPARE_NO);
    assert_names(&change.found, COMPARE_WORKLOAD, "global_batch ");
    assert_reasons(&change.found, batch);
    change_done(&change);
    load_changed(QWEN "attune-48gpu-tp2-pp6-ep8.yaml", NULL, NULL, &change.original);
    load_changed(QWEN "attune-48gpu-tp2-pp6-ep8.yaml", "SFT conversations", "poems",
                 &change.changed);
    change.changed.workload.dataset.rows_sha256 = "0";
    recipe_derive(&change.changed, "test");
    change.a = side_of("a", &change.original, 0);
    change.b = side_of("b", &change.changed, 0);
    make(&change.a, &change.b, &change.found);
    assert_reasons(&change.found, rows);
    change_done(&change);
}

/* The same rows, and another count or another dataset, are the same workload. */
static void details_of_the_dataset_do_not_forbid_a_comparison(void **state)
{
    struct change change;

    (void)state;
    make_change(&change, "      seed: 42\n", "      seed: 43\n      new: x\n");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.new dataset.build.seed ");
    assert_int_equal(change.found.groups[COMPARE_WORKLOAD].last->a.integer, 42);
    assert_int_equal(change.found.groups[COMPARE_WORKLOAD].last->b.integer, 43);
    change_done(&change);
    make_change(&change, "supervised_token_ratio: 0.676", "supervised_token_ratio: 0.5");
    assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.supervised_token_ratio ");
    assert_true(change.found.groups[COMPARE_WORKLOAD].first->a.real == 0.676);
    change_done(&change);
}

static void other_tokenizers_are_not_compared(void **state)
{
    static const char *const other[] = {"The tokenizers differ, so that tokens are not the same "
                                        "text.",
                                        "The 95% intervals of the speeds overlap: a near tie.",
                                        "Both were measured in one run only.", NULL};
    static const struct {
        const char *part;
        const char *by;
    } others[] = {
        {"tokenizer.json sha256 5", "tokenizer.json sha256 6"},
        {"tokenizer.json sha256 5", "tokenizer.json sha256 55"},
        {"tokenizer.json sha256", "tokenizer.json"},
    };
    static const char *const missing[] = {"Only a names its tokenizer.",
                                          "The 95% intervals of the speeds overlap: a near tie.",
                                          "Both were measured in one run only.", NULL};
    struct change change;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        make_change(&change, others[i].part, others[i].by);
        assert_int_equal(change.found.verdict, COMPARE_NO);
        assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.tokenizer ");
        assert_reasons(&change.found, other);
        change_done(&change);
    }
    make_change(&change, "      tokenizer: Qwen3.5 (", "      words: Qwen3.5 (");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    assert_reasons(&change.found, missing);
    change_done(&change);
}

static void another_description_of_the_same_tokenizer_is_fine(void **state)
{
    struct change change;

    (void)state;
    make_change(&change, "tokenizer: Qwen3.5 (the Qwen3.5-122B-A10B tokenizer;",
                "tokenizer: Qwen3.5-122B-A10B (revision 1,");
    assert_int_equal(change.found.verdict, COMPARE_YES);
    assert_names(&change.found, COMPARE_WORKLOAD, "dataset.build.tokenizer ");
    assert_int_equal(change.found.reason_count, 2);
    change_done(&change);
}

static void another_model_is_not_compared(void **state)
{
    static const char *const reasons[] = {
        "The models differ: a is gemma-4-31b, b is gemma-4-26b-a4b.",
        "Both were measured in one run only.", NULL};
    struct recipe a_recipe, b_recipe;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    load_changed("recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", NULL, NULL, &a_recipe);
    load_changed("recipes/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8.yaml", NULL, NULL, &b_recipe);
    a = side_of("a", &a_recipe, h100_usd);
    b = side_of("b", &b_recipe, b200_usd);
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_NO);
    assert_reasons(&c, reasons);
    compare_done(&c);
    recipe_done(&a_recipe);
    recipe_done(&b_recipe);
}

static void another_number_of_gpus_is_a_caution(void **state)
{
    static const char *const reasons[] = {"The GPU counts differ: a has 64, b has 48.",
                                          "a was measured in one run only.", NULL};
    struct recipe a_recipe, b_recipe;
    struct compare_side a, b;
    struct comparison c;

    (void)state;
    load_changed(QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL, &a_recipe);
    load_changed(QWEN "attune-48gpu-tp2-pp6-ep8.yaml", "  runs: 1\n", "  runs: 2\n", &b_recipe);
    a = side_of("a", &a_recipe, b200_usd);
    b = side_of("b", &b_recipe, b200_usd);
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_YES);
    assert_reasons(&c, reasons);
    assert_names(&c, COMPARE_LAYOUT,
                 "gpus label summary highlights pp vpp layer_split_first layer_split_last "
                 "max_tokens_per_gpu rows_per_microbatch ");
    assert_names(&c, COMPARE_FLAGS,
                 "--actor-num-nodes --decoder-first-pipeline-num-layers "
                 "--decoder-last-pipeline-num-layers --max-tokens-per-gpu "
                 "--num-virtual-stages-per-pipeline-rank --pipeline-model-parallel-size ");
    assert_names(&c, COMPARE_ENV, "");
    assert_names(&c, COMPARE_STACK, "");
    assert_names(&c, COMPARE_WORKLOAD, "");
    compare_done(&c);
    recipe_done(&a_recipe);
    recipe_done(&b_recipe);
}

static void the_worked_break_even_is_reproduced(void **state)
{
    struct recipe r;
    struct compare_side a;
    struct comparison c;

    (void)state;
    load_changed(QWEN "attune-tp2-pp8-ep8-vpp2-mt16k.yaml", NULL, NULL, &r);
    a = side_of("qwen3.5-397b-a17b/b200/mt16k", &r, b200_usd);
    assert_true(h200.usd_per_gpu_hour == h200_usd);
    make(&a, &h200, &c);
    assert_json(&c, "{\"comparable\":null,\"reasons\":[\"b is a published figure without a "
                    "recipe: what it was trained on is not known.\",\"The GPU counts differ: a "
                    "has 64, b has 128.\",\"a was measured in one run only.\"],\"near_tie\":null,"
                    "\"differences\":{\"layout\":[{\"name\":\"gpus\",\"a\":64,\"b\":128}],"
                    "\"results\":[{\"name\":\"tokens_per_s_per_gpu\",\"a\":1232.53,\"b\":545.3},"
                    "{\"name\":\"usd_per_million_tokens\",\"a\":3.20966,\"b\":4.0304}]},"
                    "\"break_even\":{\"a_usd_per_gpu_hour\":17.8833,\"b_usd_per_gpu_hour\":"
                    "6.30082,\"text\":\"a costs less per token than b at 7.912 USD per GPU-hour "
                    "up to 17.8833 USD per GPU-hour. b costs less per token than a at 14.2416 "
                    "USD per GPU-hour up to 6.30082 USD per GPU-hour.\"}}");
    compare_done(&c);
    recipe_done(&r);
}

static void a_published_cost_counts_where_no_price_is_known(void **state)
{
    struct compare_side a = h200;
    struct compare_side b = h200;
    struct comparison c;
    struct buf out;
    struct err e;

    (void)state;
    a.tokens_per_s_per_gpu = 1232.53;
    a.usd_per_gpu_hour = 0;
    a.published_usd_per_million_tokens = 0;
    b.usd_per_gpu_hour = 0;
    make(&a, &b, &c);
    assert_int_equal(c.verdict, COMPARE_UNKNOWN);
    assert_int_equal(c.reason_count, 2);
    assert_true(c.break_even_b == 0);
    buf_init(&out, 64 * 1024);
    assert_int_equal(compare_write_text(&c, 4096, &out, &e), ERR_OK);
    assert_string_equal(
        buf_text(&out),
        "a: qwen3.5-397b-a17b/h200\nb: qwen3.5-397b-a17b/h200\ncomparable: cannot tell\n"
        "- a is a published figure without a recipe: what it was trained on is not known.\n"
        "- b is a published figure without a recipe: what it was trained on is not known.\n"
        "a costs less per token than b at 4.03 USD per million tokens up to 17.8815 USD per "
        "GPU-hour.\n\n"
        "group    name                    a        b\n"
        "results  tokens_per_s_per_gpu    1232.53  545.3\n"
        "results  usd_per_million_tokens  -        4.03\n");
    buf_done(&out);
    compare_done(&c);
}

static void without_any_cost_there_is_no_break_even(void **state)
{
    struct compare_side side = h200;
    struct comparison c;

    (void)state;
    side.usd_per_gpu_hour = 0;
    side.published_usd_per_million_tokens = 0;
    make(&side, &side, &c);
    assert_json(&c, "{\"comparable\":null,\"reasons\":[\"a is a published figure without a "
                    "recipe: what it was trained on is not known.\",\"b is a published figure "
                    "without a recipe: what it was trained on is not known.\"],\"near_tie\":null,"
                    "\"differences\":{},\"break_even\":null}");
    compare_done(&c);
}

static void figures_out_of_range_are_refused(void **state)
{
    struct compare_side wrong[] = {h200, h200, h200, h200};
    struct comparison c;
    struct err e;

    (void)state;
    wrong[0].gpus = 0;
    wrong[1].tokens_per_s_per_gpu = 0;
    wrong[2].usd_per_gpu_hour = (double)NAN;
    wrong[3].published_usd_per_million_tokens = -1;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(compare_make(&wrong[i], &h200, &c, &e), ERR_INPUT);
        assert_string_equal(e.text,
                            "qwen3.5-397b-a17b/h200: a figure is not between 1e-09 and 1e+09");
        assert_int_equal(compare_make(&h200, &wrong[i], &c, &e), ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_of_64_gpus_differ_in_batching_and_results),
        cmocka_unit_test(text_is_a_head_and_an_aligned_table),
        cmocka_unit_test(a_recipe_does_not_differ_from_itself),
        cmocka_unit_test(flags_differ_by_name_not_by_line),
        cmocka_unit_test(flags_of_a_broken_command_are_said_to_be_missing),
        cmocka_unit_test(env_and_stack_differ_by_key),
        cmocka_unit_test(what_is_null_on_one_side_differs),
        cmocka_unit_test(other_workloads_are_not_compared),
        cmocka_unit_test(details_of_the_dataset_do_not_forbid_a_comparison),
        cmocka_unit_test(other_tokenizers_are_not_compared),
        cmocka_unit_test(another_description_of_the_same_tokenizer_is_fine),
        cmocka_unit_test(another_model_is_not_compared),
        cmocka_unit_test(another_number_of_gpus_is_a_caution),
        cmocka_unit_test(the_worked_break_even_is_reproduced),
        cmocka_unit_test(a_published_cost_counts_where_no_price_is_known),
        cmocka_unit_test(without_any_cost_there_is_no_break_even),
        cmocka_unit_test(figures_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
