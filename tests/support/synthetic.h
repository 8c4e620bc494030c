/* Made-up collections of any size: valid recipes of many models and GPUs, the same for the same
 * seed, and the catalogue that they need. */
#ifndef TESTS_SUPPORT_SYNTHETIC_H
#define TESTS_SUPPORT_SYNTHETIC_H

#include "base/buf.h"

/* Models and GPUs of a collection; the first three GPUs have prices. */
#define SYNTHETIC_MODELS      12
#define SYNTHETIC_MODEL_BYTES 32
#define SYNTHETIC_GPUS        4

/* What differs between recipes; the rest of a file is the same in all.
 *
 * model, gpu:      slugs
 * recipe:          slug: "r00017"
 * gpus:            tp * pp * dp, whole nodes of 8
 * offload, mfu:    0: null
 * dispatcher:      NULL: null
 * batch:           rows of a step; recipes with the same one have the same workload
 * word:            stands in the notes, for q=
 * more_notes:      further lines of them, 100 bytes each */
struct synthetic {
    char model[SYNTHETIC_MODEL_BYTES];
    const char *gpu;
    char recipe[16];
    const char *author;
    const char *status;
    int64_t tp;
    int64_t pp;
    int64_t dp;
    int64_t gpus;
    int64_t batch;
    double tokens_per_s_per_gpu;
    double step_time_cv_percent;
    double offload;
    double mfu;
    const char *dispatcher;
    char measured[11];
    const char *word;
    size_t more_notes;
};

/* A generator of numbers from 0 to below - 1; the seed moves on. */
uint32_t synthetic_random(uint32_t *seed, uint32_t below);

/* Make the index-th recipe of the collection that a seed stands for. Another seed changes what it
 * is like, but neither its slug nor its model and GPU. */
void synthetic_make(struct synthetic *out, uint32_t seed, size_t index);

/* The same for a collection of more models, 1 or more. */
void synthetic_make_wide(struct synthetic *out, uint32_t seed, size_t index, size_t models);

/* USD per GPU-hour of one of the collection's GPUs; 0: no price is known. */
double synthetic_price(const char *gpu);

/* Append the recipe's file. */
void synthetic_put(const struct synthetic *r, struct buf *out);

/* Write the recipe below a folder, as recipes/MODEL/GPU/RECIPE.yaml; the folders are made by
 * synthetic_write_catalog. The test fails if that cannot be done. */
void synthetic_write(const struct synthetic *r, const char *folder);

/* Remove that file. */
void synthetic_remove(const struct synthetic *r, const char *folder);

/* Make the folders of a collection, and its catalogue in FOLDER/catalog. */
void synthetic_write_catalog(const char *folder);

/* The same for a collection of more models. */
void synthetic_write_wide_catalog(const char *folder, size_t models);

#endif
