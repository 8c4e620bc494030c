/* The counting rule: how many of a checkpoint's parameters one text token meets. It is fed with one
 * tensor at a time, in any order, and refuses what it does not know rather than guess. */
#ifndef CORE_ACTIVE_PARAMS_H
#define CORE_ACTIVE_PARAMS_H

#include "core/model_config.h"
#include "core/tensor.h"

/* Why a tensor is not counted as active. */
enum active_params_skip {
    ACTIVE_PARAMS_VISION, /* its tower and the projector behind it */
    ACTIVE_PARAMS_AUDIO,
    ACTIVE_PARAMS_MTP,                  /* multi-token prediction, under its name or as a layer
                                           above the last */
    ACTIVE_PARAMS_PER_LAYER_EMBEDDINGS, /* looked up, not multiplied */
    ACTIVE_PARAMS_SMALL,                /* norms, scales and biases of the language model */
    ACTIVE_PARAMS_SKIPS                 /* how many there are */
};

/* A count and what it is made of, in parameters.
 *
 * active:    what one token meets; 0 until active_params_finish
 * embedding: the vocabulary's; left out of active where a head is stored
 * head:      0: not stored, the embedding stands in
 * dense:     all that every token meets but the vocabulary: routers and shared experts too
 * routed:    all routed experts; active has routed * experts_per_token / experts of them
 * skipped:   not in active, by reason
 * total:     of all tensors, the skipped ones too
 * tensors:   how many were added */
struct active_params {
    struct model_config config;
    int64_t active;
    int64_t embedding;
    int64_t head;
    int64_t dense;
    int64_t routed;
    int64_t skipped[ACTIVE_PARAMS_SKIPS];
    int64_t total;
    int64_t tensors;
};

/* Start a count; config is copied. */
void active_params_init(struct active_params *a, const struct model_config *config);

/* Count one tensor.
 *
 * Errors: ERR_INPUT if the rule does not allow a count that has this tensor in it, with the reason
 *         in words; the count is then of no use. */
MUST_USE enum err_code active_params_add(struct active_params *a, const struct tensor *t,
                                         struct err *e);

/* Work out active after the last tensor.
 *
 * Errors: ERR_INPUT if the rule does not allow it, with the reason in words. */
MUST_USE enum err_code active_params_finish(struct active_params *a, struct err *e);

/* The name of a reason to skip: "vision", "audio", "mtp", "per_layer_embeddings", "small". */
const char *active_params_skip_name(enum active_params_skip skip);

#endif
