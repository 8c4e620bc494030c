/* The headers of a checkpoint's files of weights: which files, their first bytes, and what they
 * hold. */
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "core/safetensors.h"
#include "importers/hub_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes to ask for before the header's length is known; most headers fit. */
enum { FIRST_BYTES = 100001 };

/* Requests of one job that wait or are under way: more would only fill the queue. */
enum { IN_FLIGHT_LIMIT = 8 };

/* Most files of one checkpoint; the largest seen has 163. */
enum { SHARDS_LIMIT = 4096 };

static void on_shard(void *ctx, const struct download_reply *reply);

void hub_job_free_shards(struct hub_job *job)
{
    for (size_t i = 0; i < job->shard_count; i++)
        buf_done(&job->shards[i].start);
    free(job->shards);
    job->shards = NULL;
    job->shard_count = job->next_shard = 0;
}

/* Ask for the bytes that are wanted and not there yet. */
static void get_bytes(struct hub_shard *s)
{
    struct download_request request = {
        .has_range = s->is_ranged,
        .first = (int64_t)s->start.len,
        .last = (int64_t)s->wanted - 1,
        .body_limit = s->wanted, /* The whole of it: a range may be ignored. */
        .is_cut_fine = true,
        .ctx = s,
    };

    hub_job_get(s->job, s->file, on_shard, &request);
}

static void get_more_shards(struct hub_job *job)
{
    while (!job->is_over && job->in_flight < IN_FLIGHT_LIMIT && job->next_shard < job->shard_count)
        get_bytes(&job->shards[job->next_shard++]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* List the file of every tensor, sorted, so that each file's tensors stand together.
 *
 * out_files: as many as weight_map has members; lent from it */
static enum err_code list_files(struct hub_job *job, const char **out_files, struct err *e)
{
    struct json_member member = {0};
    size_t count = 0;

    while (json_read_next(job->weight_map, &member)) {
        const char *name = NULL;

        if (json_read_text(member.value, "weight_map", &name, e) != ERR_OK)
            return e->code;
        if (!hub_is_plain_name(name, strlen(name)) || !text_ends(name, ".safetensors"))
            return err_set(e, ERR_INPUT, "weight_map: %.200s is no safetensors file at the root",
                           name);
        out_files[count++] = name;
    }
    if (count == 0)
        return err_set(e, ERR_INPUT, "weight_map: it is empty");
    qsort(out_files, count, sizeof *out_files, by_text);
    return ERR_OK;
}

static enum err_code add_shard(struct hub_job *job, const char *file, size_t expected,
                               struct err *e)
{
    if (job->shard_count == SHARDS_LIMIT)
        return err_set(e, ERR_LIMIT, "more than %d files", SHARDS_LIMIT);
    job->shards[job->shard_count++] = (struct hub_shard){
        .job = job, .file = file, .expected = expected, .wanted = FIRST_BYTES, .is_ranged = true};
    return ERR_OK;
}

static enum err_code make_shards(struct hub_job *job, struct err *e)
{
    size_t tensors = json_read_count(job->weight_map);
    size_t limit = job->weight_map ? SHARDS_LIMIT : 1;
    const char **files = NULL;
    enum err_code rc = ERR_OK;

    job->shards = mem_array(limit, sizeof *job->shards);
    files = mem_array(tensors, sizeof *files);
    if (!job->shards || !files) {
        rc = err_nomem(e);
        goto out;
    }
    if (!job->weight_map) {
        rc = add_shard(job, "model.safetensors", 0, e);
        goto out;
    }
    rc = list_files(job, files, e);
    for (size_t i = 0, next; rc == ERR_OK && i < tensors; i = next) {
        for (next = i + 1; next < tensors && strcmp(files[i], files[next]) == 0;)
            next++;
        rc = add_shard(job, files[i], next - i, e);
    }
out:
    free(files);
    return rc;
}

void hub_job_read_shards(struct hub_job *job)
{
    struct err e = {0};

    if (make_shards(job, &e) != ERR_OK) {
        hub_job_fail(job, "model.safetensors.index.json", &e);
        return;
    }
    for (size_t i = 0; i < job->shard_count; i++)
        buf_init(&job->shards[i].start, SAFETENSORS_PREFIX_BYTES + SAFETENSORS_HEADER_LIMIT);
    job->files += job->shard_count;
    job->run->files += job->shard_count;
    get_more_shards(job);
}

static enum err_code on_tensor(void *ctx, const struct tensor *t, struct err *e)
{
    struct hub_shard *s = ctx;
    const char *file = s->file;
    enum err_code rc = ERR_OK;

    if (s->job->weight_map)
        rc = json_read_text(json_read_find(s->job->weight_map, t->name), "weight_map", &file, e);
    if (rc != ERR_OK || strcmp(file, s->file) != 0)
        return err_set(e, ERR_UPSTREAM, "the index does not have %.200s in this file", t->name);
    s->seen++;
    rc = active_params_add(&s->job->result->counts, t, e);
    s->is_refused = rc != ERR_OK;
    return rc;
}

static void read_header(struct hub_shard *s, size_t header_bytes, int64_t file_bytes)
{
    struct hub_job *job = s->job;
    struct err e = {0};
    enum err_code rc = safetensors_read(s->start.data + SAFETENSORS_PREFIX_BYTES, header_bytes,
                                        file_bytes, on_tensor, s, &e);

    if (rc != ERR_OK && s->is_refused)
        hub_job_end(job, HUB_UNCONFIRMABLE, "%s", e.text);
    else if (rc != ERR_OK)
        hub_job_fail(job, s->file, &e);
    else if (job->weight_map && s->seen != s->expected)
        hub_job_end(job, HUB_UNREACHABLE,
                    "%s: the index has %zu tensors in this file, its header %zu", s->file,
                    s->expected, s->seen);
    else
        job->result->shards++;
    hub_job_advance(job);
    buf_done(&s->start);
}

/* Find the size of the whole file, from the reply and from the hub's own word on the redirect.
 *
 * Errors: ERR_UPSTREAM if nothing says it, or not with one voice. */
static enum err_code read_size(const struct download_reply *reply, int64_t *out_bytes,
                               struct err *e)
{
    const char *linked = reply->headers[DOWNLOAD_LINKED_SIZE];
    int64_t bytes = reply->status == 206 ? reply->range.total : reply->content_bytes;
    int64_t linked_bytes = -1;

    if (*linked && num_parse_int(linked, strlen(linked), 0, INT64_MAX, &linked_bytes, e) != ERR_OK)
        return err_set(e, ERR_UPSTREAM, "X-Linked-Size is no size");
    if (bytes < 0 && !reply->is_cut)
        bytes = (int64_t)reply->body_len;
    if (bytes < 0)
        bytes = linked_bytes;
    if (bytes < 0)
        return err_set(e, ERR_UPSTREAM, "nothing says how large the file is");
    if (linked_bytes >= 0 && linked_bytes != bytes)
        return err_set(e, ERR_UPSTREAM, "the hub has %" PRId64 " bytes of it, the storage %" PRId64,
                       linked_bytes, bytes);
    *out_bytes = bytes;
    return ERR_OK;
}

/* Check that a part is the one that was asked for. */
static enum err_code check_part(const struct hub_shard *s, const struct download_reply *reply,
                                struct err *e)
{
    int64_t last = (int64_t)s->wanted - 1;

    if (!reply->has_range)
        return err_set(e, ERR_UPSTREAM, "status 206 without a proper Content-Range");
    if (last >= reply->range.total)
        last = reply->range.total - 1;
    if (!s->is_ranged || reply->range.first != (int64_t)s->start.len || reply->range.last != last ||
        reply->is_cut || (int64_t)reply->body_len != last - reply->range.first + 1)
        return err_set(e, ERR_UPSTREAM, "another range than was asked for");
    return ERR_OK;
}

/* Take the bytes of a reply; once the header is whole, read it, else ask for the rest. */
static enum err_code take_bytes(struct hub_shard *s, const struct download_reply *reply,
                                struct err *e)
{
    size_t header_bytes = 0;
    int64_t file_bytes = 0;
    enum err_code rc = ERR_OK;

    if (reply->status == 206)
        rc = check_part(s, reply, e);
    else
        buf_reset(&s->start); /* A range that was ignored: these bytes are the file's first. */
    if (rc == ERR_OK)
        rc = read_size(reply, &file_bytes, e);
    if (rc != ERR_OK)
        return rc;
    buf_add(&s->start, reply->body, reply->body_len);
    rc = buf_check(&s->start, e);
    if (rc == ERR_OK && s->start.len < SAFETENSORS_PREFIX_BYTES)
        rc = err_set(e, ERR_UPSTREAM, "only %zu bytes", s->start.len);
    if (rc == ERR_OK)
        rc = safetensors_header_bytes(s->start.data, file_bytes, &header_bytes, e);
    if (rc != ERR_OK)
        return rc;
    if (s->start.len >= SAFETENSORS_PREFIX_BYTES + header_bytes) {
        read_header(s, header_bytes, file_bytes);
        return ERR_OK;
    }
    if (s->wanted > FIRST_BYTES)
        return err_set(e, ERR_UPSTREAM, "the header is cut");
    s->wanted = SAFETENSORS_PREFIX_BYTES + header_bytes;
    get_bytes(s);
    return ERR_OK;
}

static void on_shard(void *ctx, const struct download_reply *reply)
{
    struct hub_shard *s = ctx;
    struct hub_job *job = s->job;
    struct err e = {0};

    hub_job_note(job, reply);
    if (!job->is_over && !reply->failure && reply->status == 416 && s->is_ranged) {
        s->is_ranged = false;
        get_bytes(s);
    } else if (!job->is_over && !job->weight_map && hub_reply_is_missing_file(reply)) {
        hub_job_end(job, HUB_UNCONFIRMABLE,
                    "there is neither model.safetensors nor model.safetensors.index.json");
    } else if (hub_job_accept(job, s->file, reply) && take_bytes(s, reply, &e) != ERR_OK) {
        hub_job_fail(job, s->file, &e);
    }
    get_more_shards(job);
    hub_job_leave(job);
}
