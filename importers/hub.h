/* Confirming active parameters: recompute the count of a checkpoint from what a hub says of it at
 * one revision (metadata, config.json, safetensors headers; no weights) and compare. Prints
 * nothing, stores nothing. */
#ifndef IMPORTERS_HUB_H
#define IMPORTERS_HUB_H

#include "core/hub_result.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to reach a hub; hub_config_read fills it from the environment. Zero means the default of
 * struct download_config in download.h.
 *
 * endpoint:   "https://huggingface.co"
 * token:      "": none
 * is_offline: no request is made
 * is_stopped: once true, the rest is not checked; NULL: never */
struct hub_config {
    char endpoint[512];
    char token[2048];
    bool is_offline;
    unsigned jobs;
    unsigned connect_ms;
    unsigned stall_s;
    unsigned transfer_ms;
    unsigned second_ms;
    atomic_bool *is_stopped;
};

/* What a recipe says of its model.
 *
 * repo:     "google/gemma-4-31B-it"
 * revision: 40 lower-case hexadecimal digits
 * stated:   active parameters */
struct hub_checkpoint {
    const char *repo;
    const char *revision;
    int64_t stated;
};

/* What to tell while it goes on; members may be NULL.
 *
 * on_result:   the result of checkpoints[index], once it is final; lent for the call
 * on_progress: files read, of how many known so far; total grows as indexes are read */
struct hub_hooks {
    void (*on_result)(void *ctx, size_t index, const struct hub_result *result);
    void (*on_progress)(void *ctx, size_t done, size_t total);
    void *ctx;
};

/* Fill a config from HF_ENDPOINT, HF_TOKEN, HF_TOKEN_PATH, HF_HOME and HF_HUB_OFFLINE; the rest is
 * zeroed.
 *
 * Errors: ERR_INPUT for a value that is too long; ERR_IO for a token file that cannot be read (one
 *         that does not exist means no token); ERR_NOMEM. */
MUST_USE enum err_code hub_config_read(struct hub_config *out_config, struct err *e);

/* Check checkpoints, a few at a time. The program must ignore SIGPIPE.
 *
 * checkpoints: count of them; the same repository and revision twice is read twice
 * hooks:       NULL: none
 * out_results: count of them, filled in on failure too: what was not checked says so
 * Errors:      ERR_INPUT for an endpoint or token of no use; ERR_BUSY after is_stopped; ERR_NOMEM;
 *              ERR_BUG. What a hub does wrong is in the results. */
MUST_USE enum err_code hub_verify(const struct hub_config *config,
                                  const struct hub_checkpoint *checkpoints, size_t count,
                                  const struct hub_hooks *hooks, struct hub_result *out_results,
                                  struct err *e);

#endif
