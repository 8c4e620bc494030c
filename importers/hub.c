/* The run and its jobs: metadata, then config.json, then the index, then the headers (hub_shard.c).
 */
#include "importers/hub.h"

#include "base/mem.h"
#include "importers/hub_job.h"

#include <stdlib.h>
#include <string.h>

/* Checkpoints at a time. Each may hold an index of many megabytes. */
enum { RUNNING_LIMIT = 4 };

/* Files of a checkpoint that are known of before its index is read. */
enum { FILES_AT_FIRST = 3 };

/* Real ones: metadata under 100 kB, config.json under 20 kB, an index of a trillion parameters in
 * single experts 10 MB with 90,000 entries. */
static const struct json_limits metadata_limits = {.bytes = 8000000, .depth = 32, .values = 200000};
static const struct json_limits config_limits = {.bytes = 4000000, .depth = 32, .values = 100000};
static const struct json_limits index_limits = {.bytes = 32000000, .depth = 8, .values = 500000};

static const char metadata_file[] = "metadata"; /* What messages call it. */
static const char config_file[] = "config.json";
static const char index_file[] = "model.safetensors.index.json";

static bool is_repo(const char *text)
{
    size_t owner = strcspn(text, "/");

    return text[owner] == '/' && hub_is_plain_name(text, owner) &&
           hub_is_plain_name(text + owner + 1, strlen(text + owner + 1));
}

void hub_job_get(struct hub_job *job, const char *file, download_done done,
                 struct download_request *request)
{
    const struct hub_checkpoint *c = job->checkpoint;
    struct err e = {0};
    struct buf url;

    /* All parts have only characters that need no escape: hub_is_plain_name and hub_is_revision
     * have seen to it. */
    buf_init(&url, 4096);
    buf_puts(&url, job->run->config->endpoint);
    buf_puts(&url, file ? "/" : "/api/models/");
    buf_puts(&url, c->repo);
    buf_puts(&url, file ? "/resolve/" : "/revision/");
    buf_puts(&url, c->revision);
    if (file) {
        buf_putc(&url, '/');
        buf_puts(&url, file);
    }
    request->url = buf_text(&url);
    request->done = done;
    if (buf_check(&url, &e) != ERR_OK || download_start(job->run->downloads, request, &e) != ERR_OK)
        hub_job_fail(job, file ? file : metadata_file, &e);
    else
        job->in_flight++;
    buf_done(&url);
}

/* Ask for a JSON file whole. */
static void get_json(struct hub_job *job, const char *file, const struct json_limits *limits,
                     download_done done)
{
    struct download_request request = {.body_limit = limits->bytes, .ctx = job};

    hub_job_get(job, file, done, &request);
}

/* Parse an accepted body; NULL if it is no good, and the job is over. */
static struct json_t *parse(struct hub_job *job, const char *what,
                            const struct download_reply *reply, const struct json_limits *limits)
{
    struct json_t *root = NULL;
    struct err e = {0};

    if (json_read_parse(reply->body, reply->body_len, limits, &root, &e) != ERR_OK)
        hub_job_fail(job, what, &e);
    return root;
}

static void on_index(void *ctx, const struct download_reply *reply)
{
    struct hub_job *job = ctx;
    struct err e = {0};

    hub_job_note(job, reply);
    hub_job_advance(job);
    if (!job->is_over && hub_reply_is_missing_file(reply)) {
        hub_job_read_shards(job);
    } else if (hub_job_accept(job, index_file, reply)) {
        job->root = parse(job, index_file, reply, &index_limits);
        if (job->root && json_read_object(job->root, "weight_map", &job->weight_map, &e) != ERR_OK)
            hub_job_fail(job, index_file, &e);
        if (!job->is_over)
            hub_job_read_shards(job);
    }
    hub_job_leave(job);
}

static void take_config(struct hub_job *job, const struct json_t *root)
{
    struct model_config config;
    struct err e = {0};
    enum err_code rc = model_config_read(root, &config, &e);

    if (rc == ERR_NOT_FOUND) {
        hub_job_end(job, HUB_UNCONFIRMABLE, "%s: %s", config_file, e.text);
    } else if (rc != ERR_OK) {
        hub_job_fail(job, config_file, &e);
    } else {
        active_params_init(&job->result->counts, &config);
        get_json(job, index_file, &index_limits, on_index);
    }
}

static void on_config(void *ctx, const struct download_reply *reply)
{
    struct hub_job *job = ctx;
    struct json_t *root = NULL;

    hub_job_note(job, reply);
    hub_job_advance(job);
    if (hub_job_accept(job, config_file, reply))
        root = parse(job, config_file, reply, &config_limits);
    if (root)
        take_config(job, root);
    json_read_free(root);
    hub_job_leave(job);
}

static void take_metadata(struct hub_job *job, const struct json_t *root)
{
    struct hub_metadata metadata;
    struct err e = {0};

    if (hub_metadata_read(root, job->result, &metadata, &e) != ERR_OK)
        hub_job_fail(job, metadata_file, &e);
    else if (strcmp(job->result->sha, job->checkpoint->revision) != 0)
        hub_job_end(job, HUB_UNREACHABLE, "%s: the answer is for revision %s", metadata_file,
                    job->result->sha);
    else if (strcmp(metadata.id, job->checkpoint->repo) != 0)
        hub_job_end(job, HUB_NOT_FOUND, "the repository is now named %.200s", metadata.id);
    else if (metadata.is_disabled)
        hub_job_end(job, HUB_NOT_FOUND, "the repository is disabled");
    else
        get_json(job, config_file, &config_limits, on_config);
}

static void on_metadata(void *ctx, const struct download_reply *reply)
{
    struct hub_job *job = ctx;
    struct json_t *root = NULL;

    hub_job_note(job, reply);
    hub_job_advance(job);
    if (hub_job_accept(job, metadata_file, reply))
        root = parse(job, metadata_file, reply, &metadata_limits);
    if (root)
        take_metadata(job, root);
    json_read_free(root);
    hub_job_leave(job);
}

static void report(struct hub_job *job)
{
    const struct hub_hooks *hooks = job->run->hooks;

    job->run->files_done += job->files - job->files_done;
    job->files_done = job->files;
    if (hooks && hooks->on_progress)
        hooks->on_progress(hooks->ctx, job->run->files_done, job->run->files);
    if (hooks && hooks->on_result)
        hooks->on_result(hooks->ctx, (size_t)(job - job->run->jobs), job->result);
}

/* Begin as many jobs as may run; one that ends at once makes room for the next. */
static void begin_jobs(struct hub_run *run)
{
    while (run->running < RUNNING_LIMIT && run->next < run->count) {
        struct hub_job *job = &run->jobs[run->next++];

        if (!is_repo(job->checkpoint->repo))
            hub_job_end(job, HUB_UNCONFIRMABLE, "the repository's name is not OWNER/NAME");
        else if (!hub_is_revision(job->checkpoint->revision))
            hub_job_end(job, HUB_UNCONFIRMABLE, "the revision is not 40 hexadecimal digits");
        else if (run->config->is_offline)
            hub_job_end(job, HUB_NOT_CHECKED, "offline: no request was made");
        else
            get_json(job, NULL, &metadata_limits, on_metadata);
        if (job->is_over)
            report(job);
        else
            run->running++;
    }
}

/* All headers are read: the count can be made. */
static void finish(struct hub_job *job)
{
    struct hub_result *result = job->result;
    struct err e = {0};

    if (active_params_finish(&result->counts, &e) != ERR_OK) {
        hub_job_end(job, HUB_UNCONFIRMABLE, "%s", e.text);
        return;
    }
    result->computed = result->counts.active;
    result->hub_total_agrees = result->hub_total == result->counts.total;
    hub_result_judge(result, job->checkpoint->stated);
    job->is_over = true;
}

void hub_job_leave(struct hub_job *job)
{
    if (job->in_flight > 0)
        return;
    if (!job->is_over)
        finish(job);
    report(job);
    hub_job_free_shards(job);
    json_read_free(job->root);
    job->root = job->weight_map = NULL;
    job->run->running--;
    begin_jobs(job->run);
}

static enum err_code run_jobs(struct hub_run *run, struct err *e)
{
    const struct hub_config *config = run->config;
    struct download_config download_config = {
        .endpoint = config->endpoint,
        .token = config->token[0] ? config->token : NULL,
        .jobs = config->jobs,
        .connect_ms = config->connect_ms,
        .stall_s = config->stall_s,
        .transfer_ms = config->transfer_ms,
        .second_ms = config->second_ms,
        .is_stopped = config->is_stopped,
    };
    enum err_code rc = downloads_new(&download_config, &run->downloads, e);

    if (rc != ERR_OK)
        return rc;
    begin_jobs(run);
    rc = downloads_run(run->downloads, e);
    downloads_free(run->downloads);
    return rc;
}

enum err_code hub_verify(const struct hub_config *config, const struct hub_checkpoint *checkpoints,
                         size_t count, const struct hub_hooks *hooks,
                         struct hub_result *out_results, struct err *e)
{
    struct hub_run run = {
        .config = config, .hooks = hooks, .count = count, .files = count * FILES_AT_FIRST};
    enum err_code rc;

    for (size_t i = 0; i < count; i++)
        out_results[i] = (struct hub_result){.outcome = HUB_NOT_CHECKED, .reason = "not begun"};
    run.jobs = mem_array(count, sizeof *run.jobs);
    if (!run.jobs)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++)
        run.jobs[i] = (struct hub_job){.run = &run,
                                       .checkpoint = &checkpoints[i],
                                       .result = &out_results[i],
                                       .files = FILES_AT_FIRST};
    rc = run_jobs(&run, e);
    if (rc == ERR_OK && run.failure.code != ERR_OK) {
        *e = run.failure;
        rc = e->code;
    }
    free(run.jobs);
    return rc;
}
