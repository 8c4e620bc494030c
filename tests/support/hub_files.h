/* The files of the checkpoints in hub_models.h, as a hub serves them: metadata, config.json, index,
 * and headers of files of weights whose data is never made. */
#ifndef TESTS_SUPPORT_HUB_FILES_H
#define TESTS_SUPPORT_HUB_FILES_H

#include "tests/support/hub_models.h"

/* One file.
 *
 * bytes: its first len bytes; all others are zero
 * size:  of the whole file */
struct hub_file {
    char name[80];
    char *bytes;
    size_t len;
    int64_t size;
};

/* One repository at one revision.
 *
 * metadata: JSON
 * files:    config.json, the index if there are several files of weights, then those */
struct hub_repo {
    const struct hub_model *model;
    char *metadata;
    struct hub_file *files;
    size_t count;
};

/* Make the repository of a checkpoint. Ends the program if memory is short. */
void hub_repo_make(enum hub_model_id id, struct hub_repo *out_repo);

/* Release a repository's files. */
void hub_repo_done(struct hub_repo *repo);

#endif
