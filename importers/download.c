/* The queue: when each request begins, where a redirect may lead, what is tried again. */
#include "importers/download.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOBS = 8,
    JOBS_LIMIT = 32,
    CONNECT_MS = 10000,
    STALL_S = 20,
    TRANSFER_MS = 60000,
    SECOND_MS = 1000,
    POLL_MS = 200 /* how often is_stopped is read */
};

/* One download on its way.
 *
 * url:         asked for first, owned
 * hop_url:     where a redirect leads now, owned; NULL: url
 * is_under_way: whether hop is
 * tries:       that have begun
 * due_ms:      nothing begins before then, by the steady clock
 * failure:     why the last try failed */
struct download {
    struct download *next;
    struct download_request request;
    char *url;
    char *hop_url;
    struct fetch_hop hop;
    struct buf body;
    bool is_under_way;
    unsigned redirects;
    unsigned tries;
    int64_t due_ms;
    struct err failure;
    struct download_reply reply;
};

/* The queue.
 *
 * first:     downloads that have not ended, in the order of their start
 * active:    how many of them are under way
 * resume_ms: nothing begins before then: a reply asked for a pause */
struct downloads {
    struct fetch *fetch;
    struct download *first;
    unsigned jobs;
    unsigned active;
    unsigned second_ms;
    int64_t resume_ms;
    atomic_bool *is_stopped;
    bool is_ending;
};

static int64_t now_ms(void)
{
    return clock_steady_ns() / 1000000;
}

static unsigned or_default(unsigned value, unsigned otherwise)
{
    return value > 0 ? value : otherwise;
}

enum err_code downloads_new(const struct download_config *config, struct downloads **out_downloads,
                            struct err *e)
{
    unsigned jobs = or_default(config->jobs, JOBS);
    struct fetch_config fetch_config = {
        .endpoint = config->endpoint,
        .token = config->token,
        /* Redirects lead to a second host, and connections to both are used in turn. */
        .connections = 2 * jobs,
        .connect_ms = or_default(config->connect_ms, CONNECT_MS),
        .stall_s = or_default(config->stall_s, STALL_S),
        .transfer_ms = or_default(config->transfer_ms, TRANSFER_MS),
    };
    struct downloads *d = mem_array(1, sizeof *d);
    enum err_code rc;

    if (!d)
        return err_nomem(e);
    rc = fetch_new(&fetch_config, &d->fetch, e);
    if (rc != ERR_OK) {
        free(d);
        return rc;
    }
    d->jobs = jobs < JOBS_LIMIT ? jobs : JOBS_LIMIT;
    d->second_ms = or_default(config->second_ms, SECOND_MS);
    d->is_stopped = config->is_stopped;
    *out_downloads = d;
    return ERR_OK;
}

static void forget_hop(struct downloads *d, struct download *t)
{
    if (!t->is_under_way)
        return;
    fetch_forget(d->fetch, &t->hop);
    t->is_under_way = false;
    d->active--;
}

static void free_download(struct downloads *d, struct download *t)
{
    forget_hop(d, t);
    buf_done(&t->body);
    free(t->hop_url);
    free(t->url);
    free(t);
}

void downloads_free(struct downloads *d)
{
    if (!d)
        return;
    while (d->first) {
        struct download *t = d->first;

        d->first = t->next;
        free_download(d, t);
    }
    fetch_free(d->fetch);
    free(d);
}

enum err_code download_start(struct downloads *d, const struct download_request *request,
                             struct err *e)
{
    struct download **last = &d->first;
    struct download *t;

    if (d->is_ending)
        return err_set(e, ERR_BUSY, "stopped");
    t = mem_array(1, sizeof *t);
    if (t)
        t->url = mem_text(request->url, strlen(request->url));
    if (!t || !t->url) {
        free(t);
        return err_nomem(e);
    }
    t->request = *request;
    t->request.url = NULL;
    buf_init(&t->body, request->body_limit);
    while (*last)
        last = &(*last)->next;
    *last = t;
    return ERR_OK;
}

/* Take a download out of the queue, tell its owner, release it.
 *
 * failure: NULL: there is a reply */
static void end_download(struct downloads *d, struct download *t, const struct err *failure)
{
    struct download **link = &d->first;

    for (; *link != t; link = &(*link)->next)
        assert(*link);
    *link = t->next;
    forget_hop(d, t); /* First: its owner may start another in its place. */
    t->reply.failure = failure;
    t->reply.body = buf_text(&t->body);
    t->reply.body_len = t->body.len;
    t->request.done(t->request.ctx, &t->reply);
    free_download(d, t);
}

/* Send one request of a download; on failure the download has ended. */
static void begin_hop(struct downloads *d, struct download *t)
{
    forget_hop(d, t);
    buf_done(&t->body); /* A body that was too long says nothing about the next one. */
    t->hop = (struct fetch_hop){
        .url = t->hop_url ? t->hop_url : t->url,
        .has_range = t->request.has_range,
        .first = t->request.first,
        .last = t->request.last,
        .body = &t->body,
        .owner = t,
    };
    t->is_under_way = true;
    d->active++;
    t->reply.requests++;
    if (fetch_begin(d->fetch, &t->hop, &t->failure) != ERR_OK)
        end_download(d, t, &t->failure);
}

/* Begin what is due, as far as there is room. */
static void begin_due(struct downloads *d)
{
    int64_t now = now_ms();
    struct download *next;

    for (struct download *t = d->first; t && now >= d->resume_ms; t = next) {
        next = t->next;
        if (t->is_under_way || t->due_ms > now || d->active >= d->jobs)
            continue;
        t->tries++;
        begin_hop(d, t);
    }
}

/* Try again from the request's own URL after a while, or give up for the reason in t->failure.
 *
 * asked_s: what the reply asks for; -1: nothing */
static void retry(struct downloads *d, struct download *t, int64_t asked_s)
{
    static const int64_t backoff_s[DOWNLOAD_RETRIES] = {1, 2, 4, 8, 8};

    if (asked_s > DOWNLOAD_WAIT_LIMIT || t->tries > DOWNLOAD_RETRIES) {
        /* The code is the one that failure has. */
        if (asked_s > DOWNLOAD_WAIT_LIMIT)
            (void)err_wrap(&t->failure, "asked to wait %" PRId64 " s", asked_s);
        else
            (void)err_wrap(&t->failure, "tried %u times", t->tries);
        end_download(d, t, &t->failure);
        return;
    }
    t->due_ms = now_ms() + (asked_s >= 0 ? asked_s : backoff_s[t->tries - 1]) * d->second_ms;
    forget_hop(d, t);
    free(t->hop_url);
    t->hop_url = NULL;
    t->redirects = 0;
    memset(t->reply.headers, 0, sizeof t->reply.headers);
}

enum err_code download_check_redirect(const char *from, const char *to, struct err *e)
{
    char from_origin[FETCH_ORIGIN_BYTES];
    char to_origin[FETCH_ORIGIN_BYTES];
    enum err_code rc = fetch_origin(from, from_origin, e);

    if (rc == ERR_OK)
        rc = fetch_origin(to, to_origin, e);
    if (rc == ERR_INPUT)
        return err_set(e, ERR_UPSTREAM, "a redirect leads to no http or https URL");
    if (rc == ERR_OK && text_starts(from_origin, "https:") && !text_starts(to_origin, "https:"))
        return err_set(e, ERR_UPSTREAM, "a redirect leads from https to http");
    return rc;
}

static void follow(struct downloads *d, struct download *t, const char *target)
{
    enum err_code rc = download_check_redirect(t->hop.url, target, &t->failure);
    char *url = mem_text(target, strlen(target));

    if (rc == ERR_OK && t->redirects == DOWNLOAD_REDIRECTS)
        rc = err_set(&t->failure, ERR_UPSTREAM, "more than %d redirects", DOWNLOAD_REDIRECTS);
    if (rc == ERR_OK && !url)
        rc = err_nomem(&t->failure);
    if (rc != ERR_OK) {
        free(url);
        end_download(d, t, &t->failure);
        return;
    }
    forget_hop(d, t); /* First: the request lent it the URL. */
    free(t->hop_url);
    t->hop_url = url;
    t->redirects++;
    begin_hop(d, t);
}

static void keep_headers(struct download *t)
{
    static const char *const names[DOWNLOAD_HEADERS] = {
        [DOWNLOAD_REPO_COMMIT] = "X-Repo-Commit",
        [DOWNLOAD_LINKED_SIZE] = "X-Linked-Size",
        [DOWNLOAD_ERROR_CODE] = "X-Error-Code",
        [DOWNLOAD_ERROR_MESSAGE] = "X-Error-Message",
    };

    for (size_t i = 0; t->hop.is_own && i < DOWNLOAD_HEADERS; i++) {
        const char *value = fetch_header(&t->hop, names[i]);

        /* Cut where it is too long: no value that is used is. */
        if (*value)
            (void)snprintf(t->reply.headers[i], sizeof t->reply.headers[i], "%s", value);
    }
}

/* How long a reply asks to wait; -1: it does not. A quota that is used up holds for every request
 * of the endpoint, so all of them wait. */
static int64_t keep_to_limits(struct downloads *d, const struct fetch_hop *hop)
{
    int64_t asked_s = fetch_headers_rate_limit(fetch_header(hop, "RateLimit"));
    bool is_used_up = asked_s > 0 || hop->status == 429;

    if (asked_s == 0)
        asked_s = fetch_headers_retry_after(fetch_header(hop, "Retry-After"));
    if (hop->is_own && is_used_up && asked_s > 0 && asked_s <= DOWNLOAD_WAIT_LIMIT) {
        int64_t resume_ms = now_ms() + asked_s * d->second_ms;

        d->resume_ms = resume_ms > d->resume_ms ? resume_ms : d->resume_ms;
    }
    return asked_s;
}

/* Judge a reply: to be followed, tried again, or the end. */
static void take_reply(struct downloads *d, struct download *t)
{
    int64_t asked_s = keep_to_limits(d, &t->hop);
    const char *coding = fetch_header(&t->hop, "Content-Encoding");
    const char *target = fetch_redirect(&t->hop);
    struct download_reply *r = &t->reply;

    r->status = t->hop.status;
    r->is_own = t->hop.is_own;
    r->is_cut = t->hop.end == FETCH_CUT;
    r->content_bytes = t->hop.content_bytes;
    r->has_range = fetch_headers_range(fetch_header(&t->hop, "Content-Range"), &r->range);
    keep_headers(t);
    if (target) {
        follow(d, t, target);
        return;
    }
    if (fetch_headers_is_passing(r->status)) {
        (void)err_set(&t->failure, ERR_UPSTREAM, "status %ld", r->status);
        retry(d, t, asked_s);
        return;
    }
    if (*coding && strcmp(coding, "identity") != 0)
        (void)err_set(&t->failure, ERR_UPSTREAM, "a compressed answer, which was not asked for");
    else if (r->is_cut && t->body.len > 0 && !t->request.is_cut_fine)
        (void)err_set(&t->failure, ERR_LIMIT, "longer than %zu bytes", t->body.limit);
    end_download(d, t, t->failure.code == ERR_OK ? NULL : &t->failure);
}

static void end_hop(struct downloads *d, struct fetch_hop *hop)
{
    struct download *t = hop->owner;

    t->reply.bytes += hop->bytes;
    t->failure = hop->fault;
    switch (hop->end) {
    case FETCH_WHOLE:
    case FETCH_CUT:
        take_reply(d, t);
        return;
    case FETCH_FAULT:
        end_download(d, t, &t->failure);
        return;
    case FETCH_PASSING_FAULT:
        retry(d, t, -1);
        return;
    }
}

/* How long the loop may sleep: until something is due, and never long. */
static unsigned sleep_ms(const struct downloads *d)
{
    int64_t now = now_ms();
    int64_t wait = POLL_MS;

    for (const struct download *t = d->first; t && d->active < d->jobs; t = t->next) {
        int64_t due = t->due_ms > d->resume_ms ? t->due_ms : d->resume_ms;

        if (!t->is_under_way && due - now < wait)
            wait = due > now ? due - now : 0;
    }
    return (unsigned)wait;
}

enum err_code downloads_run(struct downloads *d, struct err *e)
{
    enum err_code rc = ERR_OK;
    struct fetch_hop *hop;

    while (rc == ERR_OK && d->first) {
        if (d->is_stopped && atomic_load(d->is_stopped)) {
            rc = err_set(e, ERR_BUSY, "stopped");
            break;
        }
        begin_due(d);
        rc = fetch_flow(d->fetch, sleep_ms(d), e);
        while (rc == ERR_OK && (hop = fetch_next_ended(d->fetch)) != NULL)
            end_hop(d, hop);
    }
    d->is_ending = rc != ERR_OK;
    while (d->first && d->is_ending)
        end_download(d, d->first, e);
    return rc;
}
