/* Rows of the audit that read the command: flags, env, variables, and whether it runs. */
#include "core/audit.h"

#include "base/mem.h"
#include "base/text.h"
#include "tests/support/judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A command in place of the dense recipe's, and the row that it gives. */
struct command {
    const char *run;
    enum audit_check check;
    enum audit_result result;
    const char *found;
    const char *expected;
};

/* Judge the file, then put another command in place of its own. */
static void set_run(struct judging *j, const char *run)
{
    judging_run(j);
    j->judgement.recipe.run = run;
}

static void assert_commands(const struct command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct command *c = &commands[i];
        struct judging j;
        struct audit a;

        judging_init(&j, JUDGING_DENSE);
        set_run(&j, c->run);
        judging_audit(&j, &a);
        judging_assert_row(&a, c->check, c->result, c->found, c->expected);
        audit_done(&a);
        judging_done(&j);
    }
}

static void flags_that_contradict_the_layout_fail(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_DENSE, "--tensor-model-parallel-size 2", "--tensor-model-parallel-size 4",
         AUDIT_FLAGS, AUDIT_FAIL, "--tensor-model-parallel-size 4", "layout.tp 2"},
        {JUDGING_DENSE, "    --tensor-model-parallel-size 2 \\\n", "", AUDIT_FLAGS, AUDIT_FAIL,
         "no --tensor-model-parallel-size", "layout.tp 2"},
        {JUDGING_DENSE, "--tensor-model-parallel-size 2", "--tensor-model-parallel-size",
         AUDIT_FLAGS, AUDIT_FAIL, "--tensor-model-parallel-size without a value", "layout.tp 2"},
        {JUDGING_DENSE, "--tensor-model-parallel-size 2", "--tensor-model-parallel-size=\"2\"",
         AUDIT_FLAGS, AUDIT_PASS, "14 flags agree with the layout", NULL},
        {JUDGING_DENSE, "--tensor-model-parallel-size 2", "--tensor-model-parallel-size two",
         AUDIT_FLAGS, AUDIT_FAIL, "--tensor-model-parallel-size two", "layout.tp 2"},
        {JUDGING_DENSE, "--tensor-model-parallel-size 2", "--tensor-model-parallel-size $TP",
         AUDIT_FLAGS, AUDIT_PASS,
         "13 flags agree with the layout; not compared: --tensor-model-parallel-size", NULL},
        {JUDGING_DENSE, "--pipeline-model-parallel-size 4", "--pipeline-model-parallel-size 2",
         AUDIT_FLAGS, AUDIT_FAIL, "--pipeline-model-parallel-size 2", "layout.pp 4"},
        {JUDGING_DENSE, "--context-parallel-size 1", "--context-parallel-size 2", AUDIT_FLAGS,
         AUDIT_FAIL, "--context-parallel-size 2", "layout.cp 1"},
        {JUDGING_EXPERT, "--expert-model-parallel-size 8", "--expert-model-parallel-size 4",
         AUDIT_FLAGS, AUDIT_FAIL, "--expert-model-parallel-size 4", "layout.ep 8"},
        {JUDGING_EXPERT, "--expert-tensor-parallel-size 1", "--expert-tensor-parallel-size 2",
         AUDIT_FLAGS, AUDIT_FAIL, "--expert-tensor-parallel-size 2", "layout.etp 1"},
        {JUDGING_DENSE, "    --sequence-parallel \\\n", "", AUDIT_FLAGS, AUDIT_FAIL,
         "no --sequence-parallel", "layout.sequence_parallel true"},
        {JUDGING_EXPERT, "--micro-batch-size 1", "--micro-batch-size 1 --sequence-parallel",
         AUDIT_FLAGS, AUDIT_FAIL, "--sequence-parallel", "layout.sequence_parallel false"},
        {JUDGING_16K, "rank 2\n", "rank 4\n", AUDIT_FLAGS, AUDIT_FAIL,
         "--num-virtual-stages-per-pipeline-rank 4", "layout.vpp 2"},
        {JUDGING_16K, "--num-virtual-stages-per-pipeline-rank 2\n",
         "--num-layers-per-virtual-pipeline-stage 4\n", AUDIT_FLAGS, AUDIT_PASS,
         "15 flags agree with the layout", NULL},
        {JUDGING_DENSE, "--decoder-first-pipeline-num-layers 13",
         "--decoder-first-pipeline-num-layers 14", AUDIT_FLAGS, AUDIT_FAIL,
         "--decoder-first-pipeline-num-layers 14", "layout.layer_split.first 13"},
        {JUDGING_DENSE, "    --decoder-last-pipeline-num-layers 15 \\\n", "", AUDIT_FLAGS,
         AUDIT_FAIL, "no --decoder-last-pipeline-num-layers", "layout.layer_split.last 15"},
        {JUDGING_48GPU, "--sequence-parallel",
         "--sequence-parallel --decoder-last-pipeline-num-layers 6", AUDIT_FLAGS, AUDIT_FAIL,
         "--decoder-last-pipeline-num-layers 6", "layout.layer_split.last null"},
        {JUDGING_DENSE, "--recompute-granularity selective", "--recompute-granularity full",
         AUDIT_FLAGS, AUDIT_FAIL, "--recompute-granularity full",
         "layout.recompute.granularity selective"},
        {JUDGING_16K, "--recompute-method uniform", "--recompute-method block", AUDIT_FLAGS,
         AUDIT_FAIL, "--recompute-method block", "layout.recompute.method uniform"},
        {JUDGING_DENSE, "--recompute-granularity selective",
         "--recompute-granularity selective --recompute-method block", AUDIT_FLAGS, AUDIT_FAIL,
         "--recompute-method block", "layout.recompute.method null"},
        {JUDGING_16K, "--recompute-num-layers 1", "--recompute-num-layers 2", AUDIT_FLAGS,
         AUDIT_FAIL, "--recompute-num-layers 2", "layout.recompute.num_layers 1"},
        {JUDGING_DENSE, "--micro-batch-size 1", "--micro-batch-size 2", AUDIT_FLAGS, AUDIT_FAIL,
         "--micro-batch-size 2", "layout.rows_per_microbatch 1"},
        {JUDGING_DENSE, "--max-tokens-per-gpu 512", "--max-tokens-per-gpu 1", AUDIT_FLAGS,
         AUDIT_PASS, "14 flags agree with the layout", NULL},
        {JUDGING_16K, "--max-tokens-per-gpu 16384", "--max-tokens-per-gpu 8192", AUDIT_FLAGS,
         AUDIT_FAIL, "--max-tokens-per-gpu 8192", "layout.max_tokens_per_gpu 16384"},
        {JUDGING_DENSE, "--global-batch-size 128", "--global-batch-size 64", AUDIT_FLAGS,
         AUDIT_FAIL, "--global-batch-size 64", "workload.global_batch 128"},
        {JUDGING_DENSE, "    --optimizer-cpu-offload \\\n", "", AUDIT_FLAGS, AUDIT_FAIL,
         "no --optimizer-cpu-offload", "layout.offload true"},
        {JUDGING_DENSE, "--optimizer-offload-fraction 0.8", "--optimizer-offload-fraction 0.80",
         AUDIT_FLAGS, AUDIT_PASS, "14 flags agree with the layout", NULL},
        {JUDGING_DENSE, " \\\n    --optimizer-offload-fraction 0.8", "", AUDIT_FLAGS, AUDIT_FAIL,
         "no --optimizer-offload-fraction", "layout.offload.optimizer_fraction 0.8"},
        {JUDGING_DENSE, "--overlap-cpu-optimizer-d2h-h2d \\\n", "--x \\\n", AUDIT_FLAGS, AUDIT_FAIL,
         "no --overlap-cpu-optimizer-d2h-h2d", "layout.offload.overlap_d2h_h2d true"},
        {JUDGING_EXPERT, "--micro-batch-size 1", "--micro-batch-size 1 --optimizer-cpu-offload",
         AUDIT_FLAGS, AUDIT_FAIL, "--optimizer-cpu-offload; no --optimizer-offload-fraction",
         "layout.offload false; layout.offload.optimizer_fraction null"},
        {JUDGING_16K, "--actor-num-nodes 8", "--actor-num-nodes 4", AUDIT_FLAGS, AUDIT_FAIL,
         "--actor-num-nodes 4 * --actor-num-gpus-per-node 8", "gpu.count 64"},
        {JUDGING_DENSE, "--decoder-first-pipeline-num-layers 13", "'13", AUDIT_FLAGS, AUDIT_FAIL,
         "a single quote is never closed", "a whole shell script"},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

/* Expands to the export of the dense recipe that the commands below have in common: literals join
 * only as literals. */
#define ALLOC_OK "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"

static void commands_without_known_flags_are_unknown(void **state)
{
    static const struct command commands[] = {
        {"torchrun train.py --nnodes 1", AUDIT_FLAGS, AUDIT_UNKNOWN,
         "0 flags agree with the layout", NULL},
        {"train.py --global-batch-size 128", AUDIT_FLAGS, AUDIT_PASS,
         "1 flag agrees with the layout", NULL},
        {"train.py --tensor-model-parallel-size <tp>", AUDIT_FLAGS, AUDIT_FAIL,
         "no --pipeline-model-parallel-size; no --sequence-parallel; no "
         "--decoder-first-pipeline-num-layers; no --decoder-last-pipeline-num-layers; no "
         "--recompute-granularity; no --optimizer-cpu-offload; no "
         "--overlap-cpu-optimizer-d2h-h2d",
         "layout.pp 4; layout.sequence_parallel true; layout.layer_split.first 13; "
         "layout.layer_split.last 15; layout.recompute.granularity selective; layout.offload "
         "true; layout.offload.overlap_d2h_h2d true"},
    };

    (void)state;
    assert_commands(commands, COUNT_OF(commands));
}

static void exports_and_env_are_compared_both_ways(void **state)
{
    static const struct command commands[] = {
        {ALLOC_OK "export CUDA_DEVICE_MAX_CONNECTIONS=\"1\"\n", AUDIT_ENV, AUDIT_PASS,
         "2 exports agree with env", NULL},
        {ALLOC_OK "CUDA_DEVICE_MAX_CONNECTIONS='1' train.py", AUDIT_ENV, AUDIT_PASS,
         "2 exports agree with env", NULL},
        {ALLOC_OK "export CUDA_DEVICE_MAX_CONNECTIONS=2\n", AUDIT_ENV, AUDIT_FAIL,
         "CUDA_DEVICE_MAX_CONNECTIONS=2", "CUDA_DEVICE_MAX_CONNECTIONS=1"},
        {ALLOC_OK "export CUDA_DEVICE_MAX_CONNECTIONS=2 CUDA_DEVICE_MAX_CONNECTIONS=1\n", AUDIT_ENV,
         AUDIT_PASS, "2 exports agree with env", NULL},
        {ALLOC_OK "CUDA_DEVICE_MAX_CONNECTIONS=1\n", AUDIT_ENV, AUDIT_FAIL,
         "CUDA_DEVICE_MAX_CONNECTIONS is not exported", "CUDA_DEVICE_MAX_CONNECTIONS=1"},
        {ALLOC_OK "export CUDA_DEVICE_MAX_CONNECTIONS=1 A='x y'\n", AUDIT_ENV, AUDIT_FAIL, "A=x y",
         "A is not in env"},
        {"", AUDIT_ENV, AUDIT_FAIL,
         "CUDA_DEVICE_MAX_CONNECTIONS is not exported; PYTORCH_CUDA_ALLOC_CONF is not exported",
         "CUDA_DEVICE_MAX_CONNECTIONS=1; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
        {"echo \"", AUDIT_ENV, AUDIT_UNKNOWN, "the command cannot be read whole", NULL},
    };

    (void)state;
    assert_commands(commands, COUNT_OF(commands));
}

static void env_may_be_written_as_the_shell_has_it(void **state)
{
    static const struct judging_change edits[] = {
        {JUDGING_DENSE, "CONNECTIONS: '1'\n", "CONNECTIONS: '\"1\"'\n", AUDIT_ENV, AUDIT_PASS,
         "2 exports agree with env", NULL},
        {JUDGING_DENSE, "CONNECTIONS: '1'\n", "CONNECTIONS: ${N}\n", AUDIT_VARIABLES, AUDIT_PASS,
         "HF_CKPT, SFT_DATA, N", NULL},
    };

    (void)state;
    judging_assert_changes(edits, COUNT_OF(edits));
}

static void long_lists_and_values_are_cut(void **state)
{
    struct judging j;
    struct audit a;
    struct buf run;
    const struct audit_row *env = &a.rows[AUDIT_ENV], *variables = &a.rows[AUDIT_VARIABLES];

    (void)state;
    buf_init(&run, 64 * 1024);
    buf_puts(&run, "export V=");
    for (int i = 0; i < 40; i++)
        buf_puts(&run, "\xE2\x82\xAC=");
    buf_putc(&run, '\n');
    for (int i = 0; i < 60; i++)
        buf_printf(&run, "export V%d=1\n", i);
    buf_puts(&run, "echo ");
    for (int i = 0; i < 60; i++)
        buf_printf(&run, "$U%d ", i);
    judging_init(&j, JUDGING_DENSE);
    set_run(&j, buf_text(&run));
    judging_audit(&j, &a);
    assert_true(text_is_utf8(env->found, strlen(env->found)));
    assert_non_null(strstr(env->found, "=\xE2\x82\xAC=...; V0=1; "));
    assert_true(text_ends(env->found, "; V48=1; 13 more"));
    assert_true(text_ends(variables->found, ", U49, 10 more"));
    assert_int_equal(a.variables.count, 60);
    assert_true(text_ends(a.summary, ", U49 and 10 more; its exports contradict env."));
    audit_done(&a);
    judging_done(&j);
    buf_done(&run);
}

static void commands_run_as_they_stand_or_do_not(void **state)
{
    struct judging j;
    struct audit a;

    (void)state;
    judging_init(&j, JUDGING_DENSE);
    set_run(&j, ALLOC_OK "export CUDA_DEVICE_MAX_CONNECTIONS=1\ntrain.py\n");
    judging_audit(&j, &a);
    assert_int_equal(a.runnable, AUDIT_AS_IS);
    assert_string_equal(a.summary, "The command runs as it stands.");
    audit_done(&a);
    j.judgement.recipe.run = "train.py --global-batch-size 1";
    judging_audit(&j, &a);
    assert_int_equal(a.runnable, AUDIT_NOT_AS_IT_STANDS);
    assert_string_equal(a.summary, "The command does not run as it stands: its flags contradict "
                                   "the layout; its exports contradict env.");
    audit_done(&a);
    j.judgement.recipe.run = ALLOC_OK "CUDA_DEVICE_MAX_CONNECTIONS=1 train.py $A";
    judging_audit(&j, &a);
    assert_int_equal(a.runnable, AUDIT_NEEDS_VARIABLES);
    assert_string_equal(a.summary, "Set A, then the command runs as it stands.");
    audit_done(&a);
    j.judgement.recipe.run = "train.py \"$A";
    judging_audit(&j, &a);
    assert_int_equal(a.runnable, AUDIT_NOT_AS_IT_STANDS);
    assert_string_equal(a.summary,
                        "The command does not run as it stands: set A; a double quote is "
                        "never closed.");
    audit_done(&a);
    judging_done(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_that_contradict_the_layout_fail),
        cmocka_unit_test(commands_without_known_flags_are_unknown),
        cmocka_unit_test(exports_and_env_are_compared_both_ways),
        cmocka_unit_test(env_may_be_written_as_the_shell_has_it),
        cmocka_unit_test(long_lists_and_values_are_cut),
        cmocka_unit_test(commands_run_as_they_stand_or_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
