/* libFuzzer's entry for what a hub answers: metadata, config.json, the index and the headers of the
 * files, through the whole of hub_verify, with downloads that end at once in this file's place of
 * importers/download.c. A count is confirmed only if it is the stated one, and then always; every
 * other outcome has a reason in one line. The corpus is in corpus/hub: the answers in the order of
 * the requests, each a line "STATUS", "STATUS X-Error-Code" or "STATUS DATA_BYTES", then its body;
 * a line of two percent signs ends it. A file's header is preceded by its length here. */
#include "base/num.h"
#include "base/text.h"
#include "importers/download.h"
#include "importers/hub.h"
#include "tests/support/fuzzing.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

/* The revision that is asked for; an answer about it names it. */
static const char revision[] = "0123456789abcdef0123456789abcdef01234567";

/* Bytes before a header, longest part of a file that is made here, most requests of one run: three
 * for each file at most. */
enum { PREFIX = 8, PART_LIMIT = 32 * 1024 * 1024, REQUESTS = 3 * 4096 + 3 };

/* A run: what is left of its answers. hub_verify hands is_stopped to downloads_new, and so this. */
struct trial {
    atomic_bool is_stopped; /* First: a pointer to it is one to the trial. */
    const char *at;
    const char *end;
    int64_t requests;
};

struct waiting {
    struct download_request request;
    bool is_file;
    struct waiting *next;
};

struct downloads {
    struct trial *trial;
    struct waiting *first;
    struct waiting **last;
};

/* One answer of the input. */
struct answer {
    int64_t status;
    int64_t data_bytes;
    char code[100];
    const char *body;
    size_t body_len;
};

enum err_code downloads_new(const struct download_config *config, struct downloads **out_downloads,
                            struct err *e)
{
    struct downloads *d = malloc(sizeof *d);
    union {
        atomic_bool *is_stopped;
        struct trial *trial;
    } both = {.is_stopped = config->is_stopped};

    (void)e;
    fuzz_require(d != NULL);
    *d = (struct downloads){.trial = both.trial, .last = &d->first};
    *out_downloads = d;
    return ERR_OK;
}

void downloads_free(struct downloads *d)
{
    free(d);
}

enum err_code download_start(struct downloads *d, const struct download_request *request,
                             struct err *e)
{
    struct waiting *w = malloc(sizeof *w);

    (void)e;
    fuzz_require(w && request->body_limit > 0 && text_starts(request->url, "https://hub.test/"));
    fuzz_require(!request->has_range || request->first <= request->last);
    *w = (struct waiting){.request = *request, .is_file = text_ends(request->url, ".safetensors")};
    *d->last = w;
    d->last = &w->next;
    return ERR_OK;
}

/* Read the line of an answer. */
static void read_line(const char *line, size_t len, struct answer *out)
{
    const char *space = memchr(line, ' ', len);
    size_t status_len = space ? (size_t)(space - line) : len;
    size_t rest_len = space ? len - status_len - 1 : 0;
    struct err e;

    *out = (struct answer){.status = 200, .data_bytes = -1};
    if (num_parse_int(line, status_len, 100, 599, &out->status, &e) != ERR_OK)
        out->status = 200;
    if (rest_len == 0 || rest_len >= sizeof out->code)
        return;
    if (num_parse_int(space + 1, rest_len, 0, INT64_MAX / 2, &out->data_bytes, &e) != ERR_OK)
        memcpy(out->code, space + 1, rest_len);
}

/* Take the next answer off the input; there is nothing behind the last one. */
static void next_answer(struct trial *t, struct answer *out)
{
    static const char mark[] = "\n%%\n";
    size_t len = (size_t)(t->end - t->at);
    const char *line_end = len > 0 ? memchr(t->at, '\n', len) : NULL;
    const char *stop;

    if (!line_end) {
        *out = (struct answer){.status = 404, .data_bytes = -1, .code = "EntryNotFound"};
        t->at = t->end;
        return;
    }
    read_line(t->at, (size_t)(line_end - t->at), out);
    stop = memmem(line_end, (size_t)(t->end - line_end), mark, sizeof mark - 1);
    out->body = line_end + 1;
    out->body_len = stop > line_end ? (size_t)(stop - out->body) : 0;
    if (!stop)
        out->body_len = (size_t)(t->end - out->body);
    t->at = stop ? stop + sizeof mark - 1 : t->end;
}

/* Copy a part of a file: the header's length, the header, zeros. */
static char *copy_part(const struct answer *a, int64_t first, size_t len)
{
    char *part = calloc(len + 1, 1);

    fuzz_require(part != NULL);
    for (size_t i = 0; i < len; i++) {
        uint64_t at = (uint64_t)first + i;

        if (at < PREFIX)
            part[i] = (char)(a->body_len >> 8 * at);
        else if (at - PREFIX < a->body_len)
            part[i] = a->body[at - PREFIX];
    }
    return part;
}

/* Fill in a reply with a part of a file, as far as the request wants it.
 *
 * returns the body, to free */
static char *reply_file(const struct answer *a, const struct download_request *r,
                        struct download_reply *reply)
{
    int64_t data = a->data_bytes >= 0 ? a->data_bytes : 0;
    int64_t total = PREFIX + (int64_t)a->body_len + data;
    int64_t first = a->status == 206 ? r->first : 0;
    int64_t last = total - 1;
    char *body;

    if (a->status == 206 && r->has_range && r->last < last)
        last = r->last;
    reply->content_bytes = last - first + 1;
    if (last - first >= (int64_t)r->body_limit)
        last = first + (int64_t)r->body_limit - 1;
    if (first > last || last - first >= PART_LIMIT) {
        reply->status = 416;
        return NULL;
    }
    reply->body_len = (size_t)(last - first + 1);
    reply->is_cut = a->status == 200 && reply->content_bytes > (int64_t)reply->body_len;
    reply->has_range = a->status == 206;
    reply->range = (struct fetch_range){.first = first, .last = last, .total = total};
    body = copy_part(a, first, reply->body_len);
    reply->body = body;
    return body;
}

/* JSON is handed over in memory of its own size, so that a sanitizer sees what lies behind it. */
static char *reply_json(const struct answer *a, const struct download_request *r,
                        struct download_reply *reply)
{
    char *body = calloc(a->body_len + 1, 1);

    fuzz_require(body && a->body_len <= r->body_limit);
    if (a->body_len > 0)
        memcpy(body, a->body, a->body_len);
    reply->body = body;
    reply->body_len = a->body_len;
    reply->content_bytes = (int64_t)a->body_len;
    return body;
}

static void answer_one(struct downloads *d, const struct waiting *w)
{
    struct download_reply reply = {.is_own = true, .body = "", .content_bytes = -1, .requests = 1};
    struct answer a;
    char *body = NULL;

    next_answer(d->trial, &a);
    reply.status = (long)a.status;
    memcpy(reply.headers[DOWNLOAD_ERROR_CODE], a.code, sizeof a.code);
    memcpy(reply.headers[DOWNLOAD_ERROR_MESSAGE], a.code, sizeof a.code);
    if (a.status == 200 || a.status == 206)
        body =
            w->is_file ? reply_file(&a, &w->request, &reply) : reply_json(&a, &w->request, &reply);
    reply.bytes = (int64_t)reply.body_len;
    w->request.done(w->request.ctx, &reply);
    free(body);
}

enum err_code downloads_run(struct downloads *d, struct err *e)
{
    (void)e;
    while (d->first) {
        struct waiting *w = d->first;

        d->first = w->next;
        if (!d->first)
            d->last = &d->first;
        fuzz_require(++d->trial->requests <= REQUESTS);
        answer_one(d, w);
        free(w);
    }
    return ERR_OK;
}

static void check_result(const struct hub_result *r, int64_t stated, const struct trial *trial)
{
    const struct hub_claim claim = {"https://huggingface.co/a/b", revision, stated};
    struct buf text;
    struct json j;
    json_t *tree;

    fuzz_require((r->outcome == HUB_CONFIRMED) == (r->reason[0] == '\0'));
    fuzz_require((r->outcome == HUB_CONFIRMED) == (r->computed == stated));
    fuzz_require((r->outcome == HUB_CONTRADICTED) == (r->computed > 0 && r->computed != stated));
    fuzz_require(r->outcome != HUB_NOT_CHECKED && r->requests == trial->requests);
    fuzz_require(r->computed == 0 || strcmp(r->sha, revision) == 0);
    fuzz_check_line(r->reason);
    buf_init(&text, PART_LIMIT);
    json_init(&j, &text);
    hub_result_write_json(r, &claim, NULL, &j);
    tree = json_loadb(buf_text(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require(tree != NULL);
    json_decref(tree);
    buf_done(&text);
}

static void verify(const uint8_t *data, size_t size, int64_t stated, struct hub_result *out)
{
    struct trial trial = {.at = (const char *)data, .end = (const char *)data + size};
    const struct hub_config config = {.endpoint = "https://hub.test",
                                      .is_stopped = &trial.is_stopped};
    const struct hub_checkpoint checkpoint = {"a/b", revision, stated};
    struct err e;

    fuzz_require(hub_verify(&config, &checkpoint, 1, NULL, out, &e) == ERR_OK);
    check_result(out, stated, &trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hub_result result, again;

    if (size == 0)
        return 0;
    verify(data, size, 7, &result);
    if (result.outcome != HUB_CONTRADICTED)
        return 0;
    verify(data, size, result.computed, &again);
    fuzz_require(again.outcome == HUB_CONFIRMED && again.counts.total == result.counts.total);
    return 0;
}
