/* The rule, tensor by tensor: what is skipped, what is refused, and to which sum the rest goes. */
#include "core/active_params.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

void active_params_init(struct active_params *a, const struct model_config *config)
{
    *a = (struct active_params){.config = *config};
}

/* A walk over the parts of a name, which are separated by dots. */
struct part {
    const char *text;
    size_t len;
};

static bool next_part(const char *name, struct part *part)
{
    const char *start = part->text ? part->text + part->len : name;

    if (part->text && *start == '\0')
        return false;
    part->text = part->text ? start + 1 : start;
    part->len = strcspn(part->text, ".");
    return true;
}

static bool is_part(const struct part *part, const char *word)
{
    return strlen(word) == part->len && memcmp(part->text, word, part->len) == 0;
}

static bool has_part(const char *name, const char *word)
{
    struct part part = {0};

    while (next_part(name, &part))
        if (is_part(&part, word))
            return true;
    return false;
}

static bool ends_in_bias(const char *name)
{
    static const char bias[] = "bias";
    size_t len = strlen(name);

    return len >= sizeof bias - 1 && strcmp(name + len - (sizeof bias - 1), bias) == 0;
}

/* The number that a part is; -1 if it is none. What does not fit stays at the largest value, which
 * is above every number of layers. */
static int64_t part_number(const struct part *part)
{
    int64_t number = 0;

    for (size_t i = 0; i < part->len; i++) {
        if (part->text[i] < '0' || part->text[i] > '9')
            return -1;
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, part->text[i] - '0', &number))
            number = INT64_MAX / 10;
    }
    return part->len > 0 ? number : -1;
}

/* Some checkpoints keep the layer for multi-token prediction as one more layer of the model. */
static bool is_extra_layer(const char *name, int64_t hidden_layers)
{
    struct part part = {0};
    bool is_after_layers = false;

    while (next_part(name, &part)) {
        if (is_after_layers && part_number(&part) >= hidden_layers)
            return true;
        is_after_layers = is_part(&part, "layers");
    }
    return false;
}

/* Find the reason to leave a tensor out; ACTIVE_PARAMS_SKIPS if it counts. The reasons overlap (a
 * vision tower has norms): the one that tells more comes first. */
static enum active_params_skip skip_of(const struct active_params *a, const struct tensor *t)
{
    static const struct {
        const char *part;
        enum active_params_skip skip;
    } outside[] = {
        {"vision_tower", ACTIVE_PARAMS_VISION},
        {"vision_model", ACTIVE_PARAMS_VISION},
        {"visual", ACTIVE_PARAMS_VISION},
        {"embed_vision", ACTIVE_PARAMS_VISION},
        {"multi_modal_projector", ACTIVE_PARAMS_VISION},
        {"audio_tower", ACTIVE_PARAMS_AUDIO},
        {"embed_audio", ACTIVE_PARAMS_AUDIO},
        {"mtp", ACTIVE_PARAMS_MTP},
        {"embed_tokens_per_layer", ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS},
    };

    for (size_t i = 0; i < COUNT_OF(outside); i++)
        if (has_part(t->name, outside[i].part))
            return outside[i].skip;
    if (is_extra_layer(t->name, a->config.hidden_layers))
        return ACTIVE_PARAMS_MTP;
    if (t->rank < 2 || ends_in_bias(t->name))
        return ACTIVE_PARAMS_SMALL;
    return ACTIVE_PARAMS_SKIPS;
}

static bool is_plain_dtype(const char *dtype)
{
    return strcmp(dtype, "BF16") == 0 || strcmp(dtype, "F16") == 0 || strcmp(dtype, "F32") == 0;
}

static enum err_code check_expert(const struct model_config *config, const struct tensor *t,
                                  struct err *e)
{
    if (config->experts == 0)
        return err_set(e, ERR_INPUT,
                       "%.200s is a routed expert, and the config has no number of experts",
                       t->name);
    if (config->experts_per_token == 0)
        return err_set(
            e, ERR_INPUT,
            "%.200s is a routed expert, and the config does not say how many a token meets",
            t->name);
    if (config->experts_per_token > config->experts)
        return err_set(e, ERR_INPUT,
                       "the config has %" PRId64 " experts for each token, of only %" PRId64,
                       config->experts_per_token, config->experts);
    if (t->rank > 2 && t->shape[0] != config->experts)
        return err_set(e, ERR_INPUT,
                       "%.200s holds %" PRId64 " experts, and the config has %" PRId64, t->name,
                       t->shape[0], config->experts);
    return ERR_OK;
}

/* Find the sum that a tensor belongs to; NULL if no count is possible, for the reason in e. */
static int64_t *sum_of(struct active_params *a, const struct tensor *t, struct err *e)
{
    enum active_params_skip skip = skip_of(a, t);

    if (skip != ACTIVE_PARAMS_SKIPS)
        return &a->skipped[skip];
    if (!is_plain_dtype(t->dtype)) {
        /* Whoever sees the NULL returns the code. */
        (void)err_set(e, ERR_INPUT, "%.200s is stored as %.40s: its shape may not be its count",
                      t->name, t->dtype);
        return NULL;
    }
    if (has_part(t->name, "lm_head"))
        return &a->head;
    if (has_part(t->name, "embed_tokens"))
        return &a->embedding;
    if (!has_part(t->name, "experts"))
        return &a->dense;
    return check_expert(&a->config, t, e) == ERR_OK ? &a->routed : NULL;
}

static enum err_code refuse_sum(struct err *e)
{
    return err_set(e, ERR_INPUT, "the sum of the parameters does not fit 64 bits");
}

enum err_code active_params_add(struct active_params *a, const struct tensor *t, struct err *e)
{
    int64_t *sum = sum_of(a, t, e);
    int64_t count = 0;

    if (!sum)
        return e->code;
    if (tensor_count(t, &count, e) != ERR_OK)
        return err_wrap(e, "%.200s", t->name);
    if (__builtin_add_overflow(a->total, count, &a->total))
        return refuse_sum(e);
    *sum += count; /* Each sum is a part of the total, which fits. */
    a->tensors++;
    return ERR_OK;
}

enum err_code active_params_finish(struct active_params *a, struct err *e)
{
    int64_t met = 0;

    if (a->head == 0 && a->embedding == 0)
        return err_set(e, ERR_INPUT, "neither lm_head nor embed_tokens was found");
    if (a->routed > 0) {
        if (__builtin_mul_overflow(a->routed, a->config.experts_per_token, &met))
            return refuse_sum(e);
        if (met % a->config.experts != 0)
            return err_set(e, ERR_INPUT,
                           "%" PRId64 " of %" PRId64 " experts are no whole number of the %" PRId64
                           " routed parameters",
                           a->config.experts_per_token, a->config.experts, a->routed);
        met /= a->config.experts;
    }
    /* Fits: the experts that are met are at most routed, so this is a part of the total. */
    a->active = a->dense + met + (a->head > 0 ? a->head : a->embedding);
    return ERR_OK;
}

const char *active_params_skip_name(enum active_params_skip skip)
{
    static const char *const names[] = {
        [ACTIVE_PARAMS_VISION] = "vision",
        [ACTIVE_PARAMS_AUDIO] = "audio",
        [ACTIVE_PARAMS_MTP] = "mtp",
        [ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS] = "per_layer_embeddings",
        [ACTIVE_PARAMS_SMALL] = "small",
        [ACTIVE_PARAMS_SKIPS] = "counted",
    };

    return names[skip];
}
