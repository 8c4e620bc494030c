/* Checkpoints as their repositories hold them, without weights: the tensors' names, dtypes and
 * shapes, and the facts of config.json. The counts beside each are known from elsewhere. */
#ifndef TESTS_SUPPORT_HUB_MODELS_H
#define TESTS_SUPPORT_HUB_MODELS_H

#include "core/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hub_model_id {
    HUB_MODEL_GEMMA_4_31B,
    HUB_MODEL_GEMMA_4_26B_A4B,
    HUB_MODEL_QWEN3_5_397B_A17B,
    HUB_MODEL_LLAMA_3_1_8B,
    HUB_MODEL_LLAMA_3_2_1B,
    HUB_MODEL_QWEN3_0_6B,
    HUB_MODEL_QWEN3_30B_A3B,
    HUB_MODEL_MIXTRAL_8X7B,
    HUB_MODELS, /* how many there are */

    HUB_MODEL_SMALL = HUB_MODEL_LLAMA_3_2_1B /* fastest to check: one file, a header of 15 kB */
};

/* One checkpoint.
 *
 * repo, revision:   where it is; the revision of the families that no recipe cites is made up
 * config:           the part of config.json that counting needs, as the file nests and names it
 * tensors, total, active: what is known of it
 * shard_start:      of the names of its files of weights; NULL: there is one, model.safetensors
 * shard_bytes:      most data that one of them holds
 * is_biggest_first: whether they are filled in order of size, not in that of the model */
struct hub_model {
    const char *repo;
    const char *revision;
    const char *config;
    int64_t tensors;
    int64_t total;
    int64_t active;
    const char *shard_start;
    int64_t shard_bytes;
    bool is_biggest_first;
};

/* Look a checkpoint up; never NULL. */
const struct hub_model *hub_model_get(enum hub_model_id id);

/* What to do with a tensor; lent for the call. */
typedef void (*hub_model_visit)(void *ctx, const struct tensor *t);

/* Visit every tensor of a checkpoint, in the order of the model. */
void hub_model_each(enum hub_model_id id, hub_model_visit visit, void *ctx);

#endif
