/* The counting rule: exact counts of real checkpoints, every skip and every refusal. */
#include "core/active_params.h"

#include "base/mem.h"
#include "tests/support/hub_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A config as the rule sees it. */
static struct model_config read_config(const char *text)
{
    static const struct json_limits limits = {.bytes = 10000, .depth = 10, .values = 100};
    struct model_config config = {0};
    struct json_t *root = NULL;
    struct err e = {0};

    assert_int_equal(json_read_parse(text, strlen(text), &limits, &root, &e), ERR_OK);
    assert_int_equal(model_config_read(root, &config, &e), ERR_OK);
    json_read_free(root);
    return config;
}

static void assert_config_refused(const char *text, enum err_code code, const char *message)
{
    static const struct json_limits limits = {.bytes = 10000, .depth = 10, .values = 100};
    struct model_config config = {0};
    struct json_t *root = NULL;
    struct err e = {0};

    assert_int_equal(json_read_parse(text, strlen(text), &limits, &root, &e), ERR_OK);
    assert_int_equal(model_config_read(root, &config, &e), code);
    assert_string_equal(e.text, message);
    json_read_free(root);
}

static void add_to_count(void *ctx, const struct tensor *t)
{
    struct err e = {0};

    if (active_params_add(ctx, t, &e) != ERR_OK)
        fail_msg("%s", e.text);
}

static struct active_params count_model(enum hub_model_id id)
{
    struct model_config config = read_config(hub_model_get(id)->config);
    struct active_params count;
    struct err e = {0};

    active_params_init(&count, &config);
    hub_model_each(id, add_to_count, &count);
    if (active_params_finish(&count, &e) != ERR_OK)
        fail_msg("%s", e.text);
    return count;
}

static void assert_counts(enum hub_model_id id, int64_t tensors, int64_t total, int64_t active)
{
    struct active_params count = count_model(id);

    assert_int_equal(count.tensors, tensors);
    assert_int_equal(count.total, total);
    assert_int_equal(count.active, active);
}

static void counts_the_checkpoints_that_recipes_cite(void **state)
{
    (void)state;
    assert_counts(HUB_MODEL_GEMMA_4_31B, 1188, 31273088876, 30696013824);
    assert_counts(HUB_MODEL_GEMMA_4_26B_A4B, 1013, 25805936206, 3821830144);
    assert_counts(HUB_MODEL_QWEN3_5_397B_A17B, 2924, 403397928944, 16331407360);
}

static void counts_other_families(void **state)
{
    (void)state;
    assert_counts(HUB_MODEL_LLAMA_3_1_8B, 291, 8030261248, 7504658432);
    assert_counts(HUB_MODEL_LLAMA_3_2_1B, 146, 1235814400, 1235746816);
    assert_counts(HUB_MODEL_QWEN3_0_6B, 311, 751632384, 595984384);
    assert_counts(HUB_MODEL_QWEN3_30B_A3B, 18867, 30532122624, 3041656832);
    assert_counts(HUB_MODEL_MIXTRAL_8X7B, 995, 46702792704, 12748587008);
}

static void breaks_a_count_down(void **state)
{
    struct active_params c = count_model(HUB_MODEL_QWEN3_5_397B_A17B);
    int64_t sum = c.embedding + c.head + c.dense + c.routed;

    (void)state;
    assert_int_equal(c.embedding, 248320LL * 4096);
    assert_int_equal(c.head, 248320LL * 4096);
    assert_int_equal(c.routed, 60LL * 512 * 3 * 1024 * 4096);
    assert_int_equal(c.config.experts, 512);
    assert_int_equal(c.config.experts_per_token, 10);
    assert_int_equal(c.active, c.head + c.dense + c.routed / 512 * 10);
    assert_int_equal(c.skipped[ACTIVE_PARAMS_MTP], 6595568128);
    assert_int_equal(c.skipped[ACTIVE_PARAMS_VISION], 456010480);
    assert_int_equal(c.skipped[ACTIVE_PARAMS_AUDIO], 0);
    assert_int_equal(c.skipped[ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS], 0);
    for (int i = 0; i < ACTIVE_PARAMS_SKIPS; i++)
        sum += c.skipped[i];
    assert_int_equal(sum, c.total);
}

/* The figures that a reader would try first, each with what it leaves in or out: none is the count.
 */
static void differs_from_naive_counts(void **state)
{
    struct active_params dense = count_model(HUB_MODEL_GEMMA_4_31B);
    struct active_params moe = count_model(HUB_MODEL_GEMMA_4_26B_A4B);
    struct active_params qwen = count_model(HUB_MODEL_QWEN3_5_397B_A17B);

    (void)state;
    /* Norms counted too. */
    assert_int_equal(dense.total - dense.skipped[ACTIVE_PARAMS_VISION], 30697345340);
    /* The share of the experts taken of everything, and not at all. */
    assert_int_equal(moe.total * 8 / 128, 1612871012);
    assert_int_equal(moe.dense + moe.routed + moe.embedding, 25232441344);
    /* Embedding and head both counted; the layer for multi-token prediction counted. */
    assert_int_equal(qwen.active + qwen.embedding, 17348526080);
    assert_int_equal(qwen.total - qwen.skipped[ACTIVE_PARAMS_VISION] - qwen.routed / 512 * 502,
                     23944609024);
}

static void reads_the_facts_under_each_name(void **state)
{
    struct model_config c;

    (void)state;
    c = read_config("{\"num_hidden_layers\":2,\"n_routed_experts\":64,\"experts_per_token\":4}");
    assert_int_equal(c.hidden_layers, 2);
    assert_int_equal(c.experts, 64);
    assert_int_equal(c.experts_per_token, 4);
    c = read_config("{\"num_hidden_layers\":2,\"num_experts\":0,\"n_routed_experts\":null,"
                    "\"num_local_experts\":8,\"top_k_experts\":2}");
    assert_int_equal(c.experts, 8);
    assert_int_equal(c.experts_per_token, 2);
    c = read_config("{\"num_experts\":9,\"text_config\":{\"num_hidden_layers\":3}}");
    assert_int_equal(c.hidden_layers, 3);
    assert_int_equal(c.experts, 0);
    c = read_config("{\"text_config\":null,\"num_hidden_layers\":5}");
    assert_int_equal(c.hidden_layers, 5);
}

static void refuses_configs_that_do_not_tell(void **state)
{
    (void)state;
    assert_config_refused("{\"n_layer\":12}", ERR_NOT_FOUND,
                          "no num_hidden_layers: the architecture is not known");
    assert_config_refused("[]", ERR_NOT_FOUND,
                          "no num_hidden_layers: the architecture is not known");
    assert_config_refused("{\"text_config\":7}", ERR_INPUT, "text_config: an object is needed");
    assert_config_refused("{\"num_hidden_layers\":60.0}", ERR_INPUT,
                          "num_hidden_layers: a whole number is needed, not a real number");
    assert_config_refused("{\"num_hidden_layers\":2,\"num_experts\":\"128\"}", ERR_INPUT,
                          "num_experts: a whole number is needed, not a text");
    assert_config_refused("{\"num_hidden_layers\":2,\"top_k_experts\":-8}", ERR_INPUT,
                          "top_k_experts: -8 is below 0");
}

static const struct model_config two_of_eight = {
    .hidden_layers = 4, .experts = 8, .experts_per_token = 2};

/* Count one tensor alone. */
static struct active_params count_one(const struct tensor *t)
{
    struct active_params count;
    struct err e = {0};

    active_params_init(&count, &two_of_eight);
    if (active_params_add(&count, t, &e) != ERR_OK)
        fail_msg("%s", e.text);
    return count;
}

static void skips_what_is_outside_the_language_model(void **state)
{
    static const struct {
        const char *name;
        enum active_params_skip skip;
    } rows[] = {
        {"vision_tower.a.weight", ACTIVE_PARAMS_VISION},
        {"model.vision_model.a", ACTIVE_PARAMS_VISION},
        {"model.visual.blocks.0.w", ACTIVE_PARAMS_VISION},
        {"model.embed_vision.embedding_projection.weight", ACTIVE_PARAMS_VISION},
        {"multi_modal_projector.linear.weight", ACTIVE_PARAMS_VISION},
        {"a.audio_tower.b", ACTIVE_PARAMS_AUDIO},
        {"embed_audio.b", ACTIVE_PARAMS_AUDIO},
        {"mtp.layers.0.mlp.experts.0.up_proj.weight", ACTIVE_PARAMS_MTP},
        {"model.layers.4.mlp.up_proj.weight", ACTIVE_PARAMS_MTP},
        {"model.layers.99999999999999999999999.w", ACTIVE_PARAMS_MTP},
        {"model.embed_tokens_per_layer.weight", ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS},
        {"model.layers.0.self_attn.q_proj.bias", ACTIVE_PARAMS_SMALL},
        {"model.layers.0.mlp.experts.gate_up_proj_bias", ACTIVE_PARAMS_SMALL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        /* A packed dtype: what is skipped is never refused. */
        struct tensor t = {.name = rows[i].name, .dtype = "U8", .rank = 2, .shape = {3, 5}};
        struct active_params count = count_one(&t);

        assert_int_equal(count.skipped[rows[i].skip], 15);
        assert_int_equal(count.total, 15);
    }
    for (size_t rank = 0; rank < 2; rank++) {
        struct tensor t = {.name = "model.norm.weight", .dtype = "I8", .rank = rank, .shape = {7}};

        assert_int_equal(count_one(&t).skipped[ACTIVE_PARAMS_SMALL], rank == 0 ? 1 : 7);
    }
}

static void matches_whole_parts_of_names_only(void **state)
{
    static const char *const names[] = {
        "model.visually.weight",
        "xmtp.weight",
        "model.mtp2.weight",
        "model.layers.3.weight",
        "model.layers.weight",
        "model.sublayers.9.weight",
        "model.layers.9x.weight",
        "model.layers..weight",
        "lm_head2.weight",
        "model.embed_tokens_x.weight",
        "model.shared_experts.up.weight",
        "model.layers.0.mlp.shared_expert_gate.weight",
        "model.biased.weight",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct tensor t = {.name = names[i], .dtype = "F16", .rank = 2, .shape = {3, 5}};

        assert_int_equal(count_one(&t).dense, 15);
    }
}

static void sorts_tensors_into_sums(void **state)
{
    struct tensor t = {.name = "a.lm_head.weight", .dtype = "F32", .rank = 2, .shape = {2, 3}};

    (void)state;
    assert_int_equal(count_one(&t).head, 6);
    t.name = "a.embed_tokens.weight";
    assert_int_equal(count_one(&t).embedding, 6);
    t.name = "model.layers.1.mlp.experts.7.up_proj.weight";
    assert_int_equal(count_one(&t).routed, 6);
    t.name = "model.layers.1.linear_attn.conv1d.weight";
    t.rank = 3;
    t.shape[2] = 4;
    assert_int_equal(count_one(&t).dense, 24);
}

static void assert_tensor_refused(const struct model_config *config, const struct tensor *t,
                                  const char *message)
{
    struct active_params count;
    struct err e = {0};

    active_params_init(&count, config);
    assert_int_equal(active_params_add(&count, t, &e), ERR_INPUT);
    assert_string_equal(e.text, message);
}

static void refuses_packed_weights(void **state)
{
    static const char *const dtypes[] = {"F8_E4M3", "U8", "I32", "F4", "bf16", "F64"};
    struct tensor t = {.name = "model.layers.0.w", .rank = 2, .shape = {3, 5}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        char message[100];

        t.dtype = dtypes[i];
        (void)snprintf(message, sizeof message, /* Fits. */
                       "model.layers.0.w is stored as %s: its shape may not be its count",
                       dtypes[i]);
        assert_tensor_refused(&two_of_eight, &t, message);
    }
}

static void refuses_experts_that_the_config_does_not_explain(void **state)
{
    const struct model_config none = {.hidden_layers = 4};
    const struct model_config no_k = {.hidden_layers = 4, .experts = 8};
    const struct model_config too_many = {.hidden_layers = 4, .experts = 8, .experts_per_token = 9};
    struct tensor t = {
        .name = "l.experts.gate_up_proj", .dtype = "BF16", .rank = 3, .shape = {8, 3, 5}};

    (void)state;
    assert_tensor_refused(&none, &t,
                          "l.experts.gate_up_proj is a routed expert, and the config has no "
                          "number of experts");
    assert_tensor_refused(&no_k, &t,
                          "l.experts.gate_up_proj is a routed expert, and the config does not say "
                          "how many a token meets");
    assert_tensor_refused(&too_many, &t, "the config has 9 experts for each token, of only 8");
    t.shape[0] = 16;
    assert_tensor_refused(&two_of_eight, &t,
                          "l.experts.gate_up_proj holds 16 experts, and the config has 8");
}

static void refuses_what_does_not_fit_64_bits(void **state)
{
    struct tensor t = {.name = "w", .dtype = "BF16", .rank = 2, .shape = {INT64_MAX, 2}};
    struct active_params count;
    struct err e = {0};

    (void)state;
    assert_tensor_refused(&two_of_eight, &t, "w: its shape does not fit 64 bits");
    t.shape[1] = 1;
    count = count_one(&t);
    assert_int_equal(count.total, INT64_MAX);
    assert_int_equal(active_params_add(&count, &t, &e), ERR_INPUT);
    assert_string_equal(e.text, "the sum of the parameters does not fit 64 bits");
}

static void assert_finish_refused(const struct active_params *start, const char *message)
{
    struct active_params count = *start;
    struct err e = {0};

    count.config = two_of_eight;
    assert_int_equal(active_params_finish(&count, &e), ERR_INPUT);
    assert_string_equal(e.text, message);
    assert_int_equal(count.active, 0);
}

static void refuses_sums_that_do_not_add_up(void **state)
{
    const struct active_params no_vocabulary = {.dense = 5};
    const struct active_params uneven = {.head = 5, .routed = 6};
    const struct active_params vast = {.head = 5, .routed = INT64_MAX - 7};

    (void)state;
    assert_finish_refused(&no_vocabulary, "neither lm_head nor embed_tokens was found");
    assert_finish_refused(&uneven, "2 of 8 experts are no whole number of the 6 routed parameters");
    assert_finish_refused(&vast, "the sum of the parameters does not fit 64 bits");
}

static void takes_the_head_and_else_the_embedding(void **state)
{
    struct active_params count = {.config = two_of_eight, .head = 5, .embedding = 7, .dense = 1};
    struct err e = {0};

    (void)state;
    assert_int_equal(active_params_finish(&count, &e), ERR_OK);
    assert_int_equal(count.active, 6);
    count.head = 0;
    assert_int_equal(active_params_finish(&count, &e), ERR_OK);
    assert_int_equal(count.active, 8);
    /* The share is taken of the sum: 4 is not a multiple of 8, and neither is one of 2 tensors. */
    count.routed = 4 + 12;
    assert_int_equal(active_params_finish(&count, &e), ERR_OK);
    assert_int_equal(count.active, 8 + 4);
}

static void names_the_reasons_to_skip(void **state)
{
    (void)state;
    assert_string_equal(active_params_skip_name(ACTIVE_PARAMS_VISION), "vision");
    assert_string_equal(active_params_skip_name(ACTIVE_PARAMS_AUDIO), "audio");
    assert_string_equal(active_params_skip_name(ACTIVE_PARAMS_MTP), "mtp");
    assert_string_equal(active_params_skip_name(ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS),
                        "per_layer_embeddings");
    assert_string_equal(active_params_skip_name(ACTIVE_PARAMS_SMALL), "small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_checkpoints_that_recipes_cite),
        cmocka_unit_test(counts_other_families),
        cmocka_unit_test(breaks_a_count_down),
        cmocka_unit_test(differs_from_naive_counts),
        cmocka_unit_test(reads_the_facts_under_each_name),
        cmocka_unit_test(refuses_configs_that_do_not_tell),
        cmocka_unit_test(skips_what_is_outside_the_language_model),
        cmocka_unit_test(matches_whole_parts_of_names_only),
        cmocka_unit_test(sorts_tensors_into_sums),
        cmocka_unit_test(refuses_packed_weights),
        cmocka_unit_test(refuses_experts_that_the_config_does_not_explain),
        cmocka_unit_test(refuses_what_does_not_fit_64_bits),
        cmocka_unit_test(refuses_sums_that_do_not_add_up),
        cmocka_unit_test(takes_the_head_and_else_the_embedding),
        cmocka_unit_test(names_the_reasons_to_skip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
