/* What a hub's reply means for a job: the table of its errors, and how a job ends. */
#include "base/mem.h"
#include "base/text.h"
#include "importers/hub_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hub_job_end(struct hub_job *job, enum hub_outcome outcome, const char *fmt, ...)
{
    char *reason = job->result->reason;
    va_list args;

    if (job->is_over)
        return;
    job->is_over = true;
    job->result->outcome = outcome;
    va_start(args, fmt);
    /* A reason that is too long is cut: its start says most. */
    if (vsnprintf(reason, sizeof job->result->reason, fmt, args) < 0)
        reason[0] = '\0';
    va_end(args);
    text_scrub(reason); /* Of what a hub may have slipped in. */
}

void hub_job_fail(struct hub_job *job, const char *what, const struct err *e)
{
    bool is_ours = e->code == ERR_NOMEM || e->code == ERR_BUSY || e->code == ERR_BUG;

    if (is_ours && job->run->failure.code == ERR_OK)
        job->run->failure = *e;
    hub_job_end(job, is_ours ? HUB_NOT_CHECKED : HUB_UNREACHABLE, "%s: %s", what, e->text);
}

void hub_job_note(struct hub_job *job, const struct download_reply *reply)
{
    job->in_flight--;
    job->result->requests += reply->requests;
    job->result->bytes += reply->bytes;
}

void hub_job_advance(struct hub_job *job)
{
    const struct hub_hooks *hooks = job->run->hooks;

    job->files_done++;
    job->run->files_done++;
    if (hooks && hooks->on_progress)
        hooks->on_progress(hooks->ctx, job->run->files_done, job->run->files);
}

/* Whom a row of the table is about, and what was asked for. */
enum asker { ANYBODY, ANONYMOUS, WITH_TOKEN };
enum asked { ANYTHING, METADATA, ANY_FILE, GATED_FILE };

/* One row of the hub's errors; the first that fits holds.
 *
 * code:    X-Error-Code; NULL: whatever it is
 * message: part of X-Error-Message; NULL: whatever it is */
struct row {
    long status;
    const char *code;
    const char *message;
    enum asker asker;
    enum asked asked;
    enum hub_outcome outcome;
    const char *words;
};

static const char needs_access[] = "the repository is gated, and access was not given";
static const char no_repo[] = "there is no such repository, or it is private";
static const char no_file[] = "there is no such file";

static const struct row rows[] = {
    {401, "GatedRepo", NULL, ANYBODY, ANYTHING, HUB_GATED, needs_access},
    {403, "GatedRepo", NULL, ANYBODY, ANYTHING, HUB_GATED, needs_access},
    {401, "RepoNotFound", NULL, ANYBODY, ANYTHING, HUB_NOT_FOUND, no_repo},
    {404, "RepoNotFound", NULL, ANYBODY, ANYTHING, HUB_NOT_FOUND, no_repo},
    {404, "RevisionNotFound", NULL, ANYBODY, ANYTHING, HUB_NOT_FOUND, "there is no such revision"},
    {404, "EntryNotFound", NULL, ANYBODY, ANYTHING, HUB_UNCONFIRMABLE, no_file},
    {403, NULL, "disabled", ANYBODY, ANYTHING, HUB_NOT_FOUND, "the repository is disabled"},
    {401, NULL, NULL, ANYBODY, GATED_FILE, HUB_GATED, needs_access},
    {403, NULL, NULL, ANYBODY, GATED_FILE, HUB_GATED, needs_access},
    {401, NULL, NULL, ANONYMOUS, ANYTHING, HUB_NOT_FOUND, no_repo},
    {401, NULL, NULL, WITH_TOKEN, ANYTHING, HUB_UNREACHABLE, "the hub does not accept the token"},
    {404, NULL, NULL, ANYBODY, METADATA, HUB_NOT_FOUND, no_repo},
    {404, NULL, NULL, ANYBODY, ANY_FILE, HUB_UNCONFIRMABLE, no_file},
};

static bool is_about(enum asked asked, const struct hub_result *result)
{
    bool is_file = result->sha[0] != '\0'; /* The metadata say it, and come first. */

    switch (asked) {
    case ANYTHING:
        return true;
    case METADATA:
        return !is_file;
    case ANY_FILE:
        return is_file;
    case GATED_FILE:
        return is_file && result->gated[0] && strcmp(result->gated, "false") != 0;
    }
    return false;
}

static bool fits(const struct row *row, const struct hub_job *job,
                 const struct download_reply *reply)
{
    enum asker asker = job->run->config->token[0] ? WITH_TOKEN : ANONYMOUS;

    return row->status == reply->status &&
           (!row->code || strcmp(row->code, reply->headers[DOWNLOAD_ERROR_CODE]) == 0) &&
           (!row->message || strstr(reply->headers[DOWNLOAD_ERROR_MESSAGE], row->message)) &&
           (row->asker == ANYBODY || row->asker == asker) && is_about(row->asked, job->result);
}

static void end_by_status(struct hub_job *job, const char *what, const struct download_reply *reply)
{
    if (!reply->is_own) {
        hub_job_end(job, HUB_UNREACHABLE, "%s: the storage behind the hub answered with status %ld",
                    what, reply->status);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (fits(&rows[i], job, reply)) {
            hub_job_end(job, rows[i].outcome, "%s: %s", what, rows[i].words);
            return;
        }
    }
    hub_job_end(job, HUB_UNREACHABLE, "%s: status %ld %s", what, reply->status,
                reply->headers[DOWNLOAD_ERROR_MESSAGE]);
}

bool hub_job_accept(struct hub_job *job, const char *what, const struct download_reply *reply)
{
    const char *commit = reply->headers[DOWNLOAD_REPO_COMMIT];

    if (job->is_over)
        return false;
    if (reply->failure)
        hub_job_fail(job, what, reply->failure);
    else if (reply->status != 200 && reply->status != 206)
        end_by_status(job, what, reply);
    else if (*commit && strcmp(commit, job->checkpoint->revision) != 0)
        hub_job_end(job, HUB_UNREACHABLE, "%s: the answer is for revision %.40s", what, commit);
    return !job->is_over;
}

bool hub_reply_is_missing_file(const struct download_reply *reply)
{
    const char *code = reply->headers[DOWNLOAD_ERROR_CODE];

    return !reply->failure && reply->is_own && reply->status == 404 &&
           strcmp(code, "RepoNotFound") != 0 && strcmp(code, "RevisionNotFound") != 0;
}
