/* The few facts of a model's config.json that counting its active parameters needs. */
#ifndef CORE_MODEL_CONFIG_H
#define CORE_MODEL_CONFIG_H

#include "base/json_read.h"

/* Facts of the language model.
 *
 * hidden_layers:     > 0
 * experts:           routed experts in each layer; 0: none named
 * experts_per_token: of them used by one token; 0: none named */
struct model_config {
    int64_t hidden_layers;
    int64_t experts;
    int64_t experts_per_token;
};

/* Read the facts from text_config if there is one, else from the top.
 *
 * Errors: ERR_NOT_FOUND if the number of layers stands under no name that is known; ERR_INPUT for
 *         a value of the wrong kind. */
MUST_USE enum err_code model_config_read(const struct json_t *config,
                                         struct model_config *out_config, struct err *e);

#endif
