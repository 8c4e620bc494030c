/* Names and shapes of real checkpoints, generated layer by layer. */
#include "tests/support/hub_models.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct hub_model models[] = {
    [HUB_MODEL_GEMMA_4_31B] =
        {"google/gemma-4-31B-it", "842da3794eaa0b77d5f08bae87a17459d91ff475",
         "{\"model_type\":\"gemma4\",\"text_config\":{\"num_hidden_layers\":60,"
         "\"num_experts\":null,\"top_k_experts\":null},\"vision_config\":{\"num_hidden_layers\":27}"
         "}",
         1188, 31273088876, 30696013824, "model-", 50000000000, false},
    [HUB_MODEL_GEMMA_4_26B_A4B] =
        {"google/gemma-4-26B-A4B-it", "4d7ae4984b7db7de8f8457170b3f1a419ee76d52",
         "{\"model_type\":\"gemma4\",\"text_config\":{\"num_hidden_layers\":30,"
         "\"num_experts\":128,\"top_k_experts\":8},\"vision_config\":{\"num_hidden_layers\":27}}",
         1013, 25805936206, 3821830144, "model-", 50000000000, false},
    [HUB_MODEL_QWEN3_5_397B_A17B] =
        {"Qwen/Qwen3.5-397B-A17B", "8472618112abcbd45acbcdc58436aff4233c23f7",
         "{\"model_type\":\"qwen3_5_moe\",\"text_config\":{\"num_hidden_layers\":60,"
         "\"num_experts\":512,\"num_experts_per_tok\":10,\"mtp_num_hidden_layers\":1}}",
         2924, 403397928944, 16331407360, "model.safetensors-", 9663676416, true},
    [HUB_MODEL_LLAMA_3_1_8B] = {"meta-llama/Llama-3.1-8B",
                                "1111111111111111111111111111111111111111",
                                "{\"num_hidden_layers\":32}", 291, 8030261248, 7504658432, "model-",
                                5000000000, false},
    [HUB_MODEL_LLAMA_3_2_1B] = {"meta-llama/Llama-3.2-1B",
                                "2222222222222222222222222222222222222222",
                                "{\"num_hidden_layers\":16,\"tie_word_embeddings\":true}", 146,
                                1235814400, 1235746816, NULL, INT64_MAX, false},
    [HUB_MODEL_QWEN3_0_6B] = {"Qwen/Qwen3-0.6B", "3333333333333333333333333333333333333333",
                              "{\"num_hidden_layers\":28,\"tie_word_embeddings\":true}", 311,
                              751632384, 595984384, NULL, INT64_MAX, false},
    [HUB_MODEL_QWEN3_30B_A3B] =
        {"Qwen/Qwen3-30B-A3B", "4444444444444444444444444444444444444444",
         "{\"num_hidden_layers\":48,\"num_experts\":128,\"num_experts_per_tok\":8}", 18867,
         30532122624, 3041656832, "model-", 4000000000, false},
    [HUB_MODEL_MIXTRAL_8X7B] =
        {"mistralai/Mixtral-8x7B-v0.1", "5555555555555555555555555555555555555555",
         "{\"num_hidden_layers\":32,\"num_local_experts\":8,\"num_experts_per_tok\":2}", 995,
         46702792704, 12748587008, "model-", 5000000000, false},
};

const struct hub_model *hub_model_get(enum hub_model_id id)
{
    return &models[id];
}

/* Where tensors go while they are generated.
 *
 * prefix: put before each name */
struct sink {
    hub_model_visit visit;
    void *ctx;
    const char *dtype;
    char prefix[80];
};

static void set_prefix(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void set_prefix(struct sink *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(s->prefix, sizeof s->prefix, fmt, args); /* The longest has 40 characters. */
    va_end(args);
}

static void put(struct sink *s, const char *name, size_t rank, const int64_t *shape)
{
    char full[160];
    struct tensor t = {.name = full, .dtype = s->dtype, .rank = rank};

    (void)snprintf(full, sizeof full, "%s%s", s->prefix, name); /* Under 100 characters. */
    memcpy(t.shape, shape, rank * sizeof *shape);
    s->visit(s->ctx, &t);
}

static void put1(struct sink *s, const char *name, int64_t a)
{
    put(s, name, 1, &a);
}

static void put2(struct sink *s, const char *name, int64_t a, int64_t b)
{
    const int64_t shape[] = {a, b};

    put(s, name, COUNT_OF(shape), shape);
}

static void put3(struct sink *s, const char *name, int64_t a, int64_t b, int64_t c)
{
    const int64_t shape[] = {a, b, c};

    put(s, name, COUNT_OF(shape), shape);
}

/* The shape of a plain decoder: Llama, Qwen3, Mixtral.
 *
 * q, kv:     rows of the query, and of the key and value projections
 * ffn:       rows of the feed-forward, of one expert where there are some
 * experts:   0: dense
 * head_norm: size of the norms of query and key; 0: none */
struct decoder {
    int64_t layers, hidden, q, kv, ffn, vocab, experts, head_norm;
    bool is_mixtral;
    bool has_head;
};

static void put_experts(struct sink *s, const struct decoder *d)
{
    static const char *const names[2][3] = {{"gate_proj", "up_proj", "down_proj"},
                                            {"w1", "w3", "w2"}};
    const char *block = d->is_mixtral ? "block_sparse_moe" : "mlp";
    const char *const *name = names[d->is_mixtral];
    char text[80];

    (void)snprintf(text, sizeof text, "%s.gate.weight", block);
    put2(s, text, d->experts, d->hidden);
    for (int64_t i = 0; i < d->experts * 3; i++) {
        bool is_down = i % 3 == 2;

        (void)snprintf(text, sizeof text, "%s.experts.%d.%s.weight", block, (int)(i / 3),
                       name[i % 3]);
        put2(s, text, is_down ? d->hidden : d->ffn, is_down ? d->ffn : d->hidden);
    }
}

static void put_decoder_layer(struct sink *s, const struct decoder *d)
{
    put1(s, "input_layernorm.weight", d->hidden);
    put1(s, "post_attention_layernorm.weight", d->hidden);
    put2(s, "self_attn.q_proj.weight", d->q, d->hidden);
    put2(s, "self_attn.k_proj.weight", d->kv, d->hidden);
    put2(s, "self_attn.v_proj.weight", d->kv, d->hidden);
    put2(s, "self_attn.o_proj.weight", d->hidden, d->q);
    if (d->head_norm > 0) {
        put1(s, "self_attn.q_norm.weight", d->head_norm);
        put1(s, "self_attn.k_norm.weight", d->head_norm);
    }
    if (d->experts > 0) {
        put_experts(s, d);
        return;
    }
    put2(s, "mlp.gate_proj.weight", d->ffn, d->hidden);
    put2(s, "mlp.up_proj.weight", d->ffn, d->hidden);
    put2(s, "mlp.down_proj.weight", d->hidden, d->ffn);
}

static void put_decoder(struct sink *s, const struct decoder *d)
{
    put2(s, "model.embed_tokens.weight", d->vocab, d->hidden);
    for (int64_t i = 0; i < d->layers; i++) {
        set_prefix(s, "model.layers.%d.", (int)i);
        put_decoder_layer(s, d);
    }
    set_prefix(s, "%s", "");
    put1(s, "model.norm.weight", d->hidden);
    if (d->has_head)
        put2(s, "lm_head.weight", d->vocab, d->hidden);
}

/* A Gemma-4; experts is 0 where it has none. */
struct gemma {
    int64_t layers, hidden, ffn, heads, kv_heads, full_kv_heads, experts, expert_ffn;
};

static void put_gemma_vision(struct sink *s, const struct gemma *g)
{
    static const char *const norms[] = {"input_layernorm.weight", "post_attention_layernorm.weight",
                                        "pre_feedforward_layernorm.weight",
                                        "post_feedforward_layernorm.weight"};
    static const char *const projections[] = {
        "self_attn.k_proj.linear.weight", "self_attn.q_proj.linear.weight",
        "self_attn.v_proj.linear.weight", "self_attn.o_proj.linear.weight"};
    enum { SIZE = 1152, FFN = 4304, HEAD = 72 };

    set_prefix(s, "model.");
    put2(s, "embed_vision.embedding_projection.weight", g->hidden, SIZE);
    put2(s, "vision_tower.patch_embedder.input_proj.weight", SIZE, 768);
    put3(s, "vision_tower.patch_embedder.position_embedding_table", 2, 10240, SIZE);
    put1(s, "vision_tower.std_bias", SIZE);
    put1(s, "vision_tower.std_scale", SIZE);
    for (int i = 0; i < 27; i++) {
        set_prefix(s, "model.vision_tower.encoder.layers.%d.", i);
        for (size_t n = 0; n < COUNT_OF(norms); n++)
            put1(s, norms[n], SIZE);
        put1(s, "self_attn.k_norm.weight", HEAD);
        put1(s, "self_attn.q_norm.weight", HEAD);
        for (size_t n = 0; n < COUNT_OF(projections); n++)
            put2(s, projections[n], SIZE, SIZE);
        put2(s, "mlp.gate_proj.linear.weight", FFN, SIZE);
        put2(s, "mlp.up_proj.linear.weight", FFN, SIZE);
        put2(s, "mlp.down_proj.linear.weight", SIZE, FFN);
    }
}

static void put_gemma_experts(struct sink *s, const struct gemma *g)
{
    put1(s, "router.per_expert_scale", g->experts);
    put1(s, "router.scale", g->hidden);
    put3(s, "experts.gate_up_proj", g->experts, 2 * g->expert_ffn, g->hidden);
    put3(s, "experts.down_proj", g->experts, g->hidden, g->expert_ffn);
    put2(s, "router.proj.weight", g->experts, g->hidden);
    put1(s, "pre_feedforward_layernorm_2.weight", g->hidden);
    put1(s, "post_feedforward_layernorm_1.weight", g->hidden);
    put1(s, "post_feedforward_layernorm_2.weight", g->hidden);
}

/* Every sixth layer attends to all tokens: wider heads, fewer keys, and values that are the keys.
 */
static void put_gemma_layer(struct sink *s, const struct gemma *g, bool is_full)
{
    int64_t head = is_full ? 512 : 256;
    int64_t q = g->heads * head;
    int64_t kv = (is_full ? g->full_kv_heads : g->kv_heads) * head;

    put1(s, "layer_scalar", 1);
    put2(s, "self_attn.o_proj.weight", g->hidden, q);
    put2(s, "self_attn.k_proj.weight", kv, g->hidden);
    if (!is_full)
        put2(s, "self_attn.v_proj.weight", kv, g->hidden);
    put1(s, "self_attn.k_norm.weight", head);
    put2(s, "self_attn.q_proj.weight", q, g->hidden);
    put1(s, "self_attn.q_norm.weight", head);
    if (g->experts > 0)
        put_gemma_experts(s, g);
    put2(s, "mlp.gate_proj.weight", g->ffn, g->hidden);
    put2(s, "mlp.up_proj.weight", g->ffn, g->hidden);
    put2(s, "mlp.down_proj.weight", g->hidden, g->ffn);
    put1(s, "input_layernorm.weight", g->hidden);
    put1(s, "post_attention_layernorm.weight", g->hidden);
    put1(s, "pre_feedforward_layernorm.weight", g->hidden);
    put1(s, "post_feedforward_layernorm.weight", g->hidden);
}

static void put_gemma(struct sink *s, const struct gemma *g)
{
    put_gemma_vision(s, g);
    set_prefix(s, "model.language_model.");
    put2(s, "embed_tokens.weight", 262144, g->hidden);
    put1(s, "norm.weight", g->hidden);
    for (int64_t i = 0; i < g->layers; i++) {
        set_prefix(s, "model.language_model.layers.%d.", (int)i);
        put_gemma_layer(s, g, i % 6 == 5);
    }
}

/* Qwen3.5: sizes that several of its parts share. */
enum {
    QWEN_HIDDEN = 4096,
    QWEN_EXPERTS = 512,
    QWEN_FFN = 1024,
    QWEN_VOCAB = 248320,
    QWEN_KEY = 16 * 128,
    QWEN_VALUE = 64 * 128
};

/* q_proj holds the query and its output gate. */
static void put_qwen_attention(struct sink *s)
{
    put2(s, "self_attn.q_proj.weight", 2LL * 32 * 256, QWEN_HIDDEN);
    put2(s, "self_attn.k_proj.weight", 2LL * 256, QWEN_HIDDEN);
    put2(s, "self_attn.v_proj.weight", 2LL * 256, QWEN_HIDDEN);
    put2(s, "self_attn.o_proj.weight", QWEN_HIDDEN, 32LL * 256);
    put1(s, "self_attn.q_norm.weight", 256);
    put1(s, "self_attn.k_norm.weight", 256);
}

static void put_qwen_linear_attention(struct sink *s)
{
    put2(s, "linear_attn.in_proj_qkv.weight", 2 * QWEN_KEY + QWEN_VALUE, QWEN_HIDDEN);
    put2(s, "linear_attn.in_proj_z.weight", QWEN_VALUE, QWEN_HIDDEN);
    put2(s, "linear_attn.in_proj_a.weight", 64, QWEN_HIDDEN);
    put2(s, "linear_attn.in_proj_b.weight", 64, QWEN_HIDDEN);
    put3(s, "linear_attn.conv1d.weight", 2 * QWEN_KEY + QWEN_VALUE, 1, 4);
    put2(s, "linear_attn.out_proj.weight", QWEN_HIDDEN, QWEN_VALUE);
    put1(s, "linear_attn.dt_bias", 64);
    s->dtype = "F32";
    put1(s, "linear_attn.A_log", 64);
    put1(s, "linear_attn.norm.weight", 128);
    s->dtype = "BF16";
}

static void put_qwen_mlp(struct sink *s)
{
    put1(s, "input_layernorm.weight", QWEN_HIDDEN);
    put1(s, "post_attention_layernorm.weight", QWEN_HIDDEN);
    put2(s, "mlp.shared_expert_gate.weight", 1, QWEN_HIDDEN);
    put2(s, "mlp.shared_expert.gate_proj.weight", QWEN_FFN, QWEN_HIDDEN);
    put2(s, "mlp.shared_expert.up_proj.weight", QWEN_FFN, QWEN_HIDDEN);
    put2(s, "mlp.shared_expert.down_proj.weight", QWEN_HIDDEN, QWEN_FFN);
}

/* One more layer; its experts are stored one by one, those of the model in one tensor. */
static void put_qwen_mtp(struct sink *s)
{
    static const struct decoder experts = {
        .hidden = QWEN_HIDDEN, .ffn = QWEN_FFN, .experts = QWEN_EXPERTS};

    set_prefix(s, "mtp.");
    put1(s, "norm.weight", QWEN_HIDDEN);
    put1(s, "pre_fc_norm_embedding.weight", QWEN_HIDDEN);
    put1(s, "pre_fc_norm_hidden.weight", QWEN_HIDDEN);
    put2(s, "fc.weight", QWEN_HIDDEN, 2 * QWEN_HIDDEN);
    set_prefix(s, "mtp.layers.0.");
    put_qwen_attention(s);
    put_qwen_mlp(s);
    put_experts(s, &experts);
}

static void put_pair(struct sink *s, const char *name, int64_t rows, int64_t columns)
{
    char text[60];

    (void)snprintf(text, sizeof text, "%s.weight", name);
    if (columns > 0)
        put2(s, text, rows, columns);
    else
        put1(s, text, rows);
    (void)snprintf(text, sizeof text, "%s.bias", name);
    put1(s, text, rows);
}

static void put_qwen_vision(struct sink *s)
{
    enum { SIZE = 1152, FFN = 4304, MERGED = 4608 };
    static const int64_t patch[] = {SIZE, 3, 2, 16, 16};

    set_prefix(s, "model.visual.");
    put(s, "patch_embed.proj.weight", COUNT_OF(patch), patch);
    put1(s, "patch_embed.proj.bias", SIZE);
    put2(s, "pos_embed.weight", 2304, SIZE);
    put_pair(s, "merger.linear_fc1", MERGED, MERGED);
    put_pair(s, "merger.linear_fc2", QWEN_HIDDEN, MERGED);
    put_pair(s, "merger.norm", SIZE, 0);
    for (int i = 0; i < 27; i++) {
        set_prefix(s, "model.visual.blocks.%d.", i);
        put_pair(s, "attn.qkv", 3LL * SIZE, SIZE);
        put_pair(s, "attn.proj", SIZE, SIZE);
        put_pair(s, "mlp.linear_fc1", FFN, SIZE);
        put_pair(s, "mlp.linear_fc2", SIZE, FFN);
        put_pair(s, "norm1", SIZE, 0);
        put_pair(s, "norm2", SIZE, 0);
    }
}

static void put_qwen(struct sink *s)
{
    put2(s, "lm_head.weight", QWEN_VOCAB, QWEN_HIDDEN);
    set_prefix(s, "model.language_model.");
    put2(s, "embed_tokens.weight", QWEN_VOCAB, QWEN_HIDDEN);
    put1(s, "norm.weight", QWEN_HIDDEN);
    for (int i = 0; i < 60; i++) {
        set_prefix(s, "model.language_model.layers.%d.", i);
        put_qwen_mlp(s);
        put2(s, "mlp.gate.weight", QWEN_EXPERTS, QWEN_HIDDEN);
        put3(s, "mlp.experts.gate_up_proj", QWEN_EXPERTS, 2 * QWEN_FFN, QWEN_HIDDEN);
        put3(s, "mlp.experts.down_proj", QWEN_EXPERTS, QWEN_HIDDEN, QWEN_FFN);
        if (i % 4 == 3)
            put_qwen_attention(s);
        else
            put_qwen_linear_attention(s);
    }
    put_qwen_mtp(s);
    put_qwen_vision(s);
}

void hub_model_each(enum hub_model_id id, hub_model_visit visit, void *ctx)
{
    static const struct gemma gemma_31b = {60, 5376, 21504, 32, 16, 4, 0, 0};
    static const struct gemma gemma_26b = {30, 2816, 2112, 16, 8, 2, 128, 704};
    static const struct decoder decoders[HUB_MODELS] = {
        [HUB_MODEL_LLAMA_3_1_8B] = {32, 4096, 4096, 1024, 14336, 128256, 0, 0, false, true},
        [HUB_MODEL_LLAMA_3_2_1B] = {16, 2048, 2048, 512, 8192, 128256, 0, 0, false, false},
        [HUB_MODEL_QWEN3_0_6B] = {28, 1024, 2048, 1024, 3072, 151936, 0, 128, false, true},
        [HUB_MODEL_QWEN3_30B_A3B] = {48, 2048, 4096, 512, 768, 151936, 128, 128, false, true},
        [HUB_MODEL_MIXTRAL_8X7B] = {32, 4096, 4096, 1024, 14336, 32000, 8, 0, true, true},
    };
    struct sink s = {.visit = visit, .ctx = ctx, .dtype = "BF16"};

    if (id == HUB_MODEL_GEMMA_4_31B)
        put_gemma(&s, &gemma_31b);
    else if (id == HUB_MODEL_GEMMA_4_26B_A4B)
        put_gemma(&s, &gemma_26b);
    else if (id == HUB_MODEL_QWEN3_5_397B_A17B)
        put_qwen(&s);
    else
        put_decoder(&s, &decoders[id]);
}
