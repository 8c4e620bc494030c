/* What checking a checkpoint against a hub came to: found by importers/hub.c, kept by
 * db/checkpoints.c, judged by each count that a recipe states. */
#ifndef CORE_HUB_RESULT_H
#define CORE_HUB_RESULT_H

#include "base/clock.h"
#include "base/json.h"
#include "core/active_params.h"

/* The outcome. Only a count from every header of the very revision gives the first two. */
enum hub_outcome {
    HUB_CONFIRMED,     /* the count is the stated one */
    HUB_CONTRADICTED,  /* the count is another one */
    HUB_UNCONFIRMABLE, /* the counting rule does not cover what the repository holds */
    HUB_GATED,         /* the files are shown only to who was given access */
    HUB_NOT_FOUND,     /* no such repository or revision, or it is private, disabled or renamed */
    HUB_UNREACHABLE,   /* no answer, or one that is malformed or contradicts itself */
    HUB_NOT_CHECKED,   /* not yet, offline, stopped, or short of memory */
    HUB_OUTCOMES       /* how many there are */
};

/* What a recipe says of its model.
 *
 * source:   "https://huggingface.co/google/gemma-4-31B-it"
 * revision: 40 lower-case hexadecimal digits
 * stated:   active parameters */
struct hub_claim {
    const char *source;
    const char *revision;
    int64_t stated;
};

/* What was found. A revision never changes, so a result with a count may be kept for good and
 * judged again with hub_result_judge.
 *
 * reason:           one sentence; "" if confirmed. Valid UTF-8 without control characters
 * computed:         the count; 0: none
 * counts:           what it is made of; of use only with a count
 * sha:              of the revision, as the hub says it; "": nothing was said
 * gated:            "false", "auto" or "manual", as the hub says it; "": nothing was said
 * hub_total:        the hub's own sum of all parameters; 0: none said
 * hub_total_agrees: whether it is counts.total
 * shards:           files whose headers were read
 * requests, bytes:  that it took, redirects and retries counted; bytes of bodies
 * checked_at:       when; "": it was not kept yet, or nothing was checked */
struct hub_result {
    enum hub_outcome outcome;
    char reason[512];
    int64_t computed;
    struct active_params counts;
    char sha[41];
    char gated[16];
    int64_t hub_total;
    bool hub_total_agrees;
    size_t shards;
    int64_t requests;
    int64_t bytes;
    char checked_at[CLOCK_TEXT_BYTES];
};

/* Set outcome and reason of a result with a count by another stated figure. */
void hub_result_judge(struct hub_result *result, int64_t stated);

/* Tell whether a result may take the place of an earlier one of the same revision. Whatever is said
 * of a revision later, what was counted of it stays true; and a hub that is away says nothing. */
bool hub_result_replaces(const struct hub_result *result, const struct hub_result *earlier);

/* The repository of a recipe's source, "https://huggingface.co/OWNER/NAME"; lent from source. NULL
 * if it is none of that kind. */
const char *hub_repo_of(const char *source);

/* The words for the outcomes, in their order, ended by NULL. */
extern const char *const hub_outcome_words[];

/* The word for one: "confirmed", "not_found". */
const char *hub_outcome_name(enum hub_outcome outcome);

/* Write an object: the outcome, and what the count is made of; what is not known is null.
 *
 * claim:  NULL: nothing is stated
 * result: judged by the claim */
void hub_result_write_json(const struct hub_result *result, const struct hub_claim *claim,
                           const char *key, struct json *j);

#endif
