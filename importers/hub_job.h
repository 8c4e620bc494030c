/* What the files hub*.c share: one checkpoint while it is checked. Not for others. */
#ifndef IMPORTERS_HUB_JOB_H
#define IMPORTERS_HUB_JOB_H

#include "base/buf.h"
#include "importers/download.h"
#include "importers/hub.h"

struct hub_job;

/* One file of weights.
 *
 * file:       its name; lent from the job's index or a constant
 * expected:   tensors that the index puts into it
 * seen:       tensors that its header has
 * start:      its first bytes, as far as they were read
 * wanted:     bytes of start that are needed: a guess, then up to the end of the header
 * is_ranged:  whether to ask for ranges: some storages answer 416 where the file is short
 * is_refused: whether the counting rule refused a tensor */
struct hub_shard {
    struct hub_job *job;
    const char *file;
    size_t expected;
    size_t seen;
    struct buf start;
    size_t wanted;
    bool is_ranged;
    bool is_refused;
};

/* The whole run. */
struct hub_run {
    const struct hub_config *config;
    const struct hub_hooks *hooks;
    struct downloads *downloads;
    struct hub_job *jobs;
    size_t count;
    size_t next;    /* the first job that has not begun */
    size_t running; /* jobs that have begun and not ended */
    size_t files_done;
    size_t files;
    struct err failure; /* what hub_verify returns; code ERR_OK: nothing */
};

/* One checkpoint.
 *
 * root:       of the index, NULL without one
 * weight_map: in root; tensor name to file
 * is_over:    whether the outcome stands; requests may still be under way
 * in_flight:  requests under way
 * files, files_done: of this job */
struct hub_job {
    struct hub_run *run;
    const struct hub_checkpoint *checkpoint;
    struct hub_result *result;
    struct json_t *root;
    struct json_t *weight_map;
    struct hub_shard *shards;
    size_t shard_count;
    size_t next_shard;
    bool is_over;
    size_t in_flight;
    size_t files;
    size_t files_done;
};

/* What the metadata of a revision say.
 *
 * id: the repository's name; lent from the JSON */
struct hub_metadata {
    const char *id;
    bool is_disabled;
};

/* Read metadata; sha, gated and hub_total go into the result.
 *
 * Errors: ERR_INPUT for what is missing or of the wrong kind. */
MUST_USE enum err_code hub_metadata_read(const struct json_t *root, struct hub_result *result,
                                         struct hub_metadata *out_metadata, struct err *e);

/* Tell whether text is a whole revision: 40 lower-case hexadecimal digits. */
bool hub_is_revision(const char *text);

/* Set the outcome and end the job; a job that is over already stays as it is. */
void hub_job_end(struct hub_job *job, enum hub_outcome outcome, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* End the job because of an error: of memory, of a stop, else of the hub.
 *
 * what: the file that was asked for */
void hub_job_fail(struct hub_job *job, const char *what, const struct err *e);

/* Ask for a file of the repository, or for the revision's metadata where file is NULL. A failure
 * ends the job.
 *
 * request: url and done are filled in here */
void hub_job_get(struct hub_job *job, const char *file, download_done done,
                 struct download_request *request);

/* Note that a request has ended: count it. */
void hub_job_note(struct hub_job *job, const struct download_reply *reply);

/* Note that a file needs nothing more, and tell the progress. */
void hub_job_advance(struct hub_job *job);

/* Judge a reply: true if its body is the file that was asked for and the job goes on. Else the job
 * is over. */
bool hub_job_accept(struct hub_job *job, const char *what, const struct download_reply *reply);

/* Tell whether a reply says that there is no such file in a repository that exists. */
bool hub_reply_is_missing_file(const struct download_reply *reply);

/* Leave the job: the last thing that a download_done does with it. Reports it if it has ended. */
void hub_job_leave(struct hub_job *job);

/* Tell whether len bytes are a name that stands in a URL as it is: no slash, no dot in front. */
bool hub_is_plain_name(const char *text, size_t len);

/* Read weight_map, or take the one file for granted where there is none, and begin with the
 * headers.
 */
void hub_job_read_shards(struct hub_job *job);

/* Release the shards. */
void hub_job_free_shards(struct hub_job *job);

#endif
