/* Single HTTP requests over one curl_multi. */
#include "importers/fetch.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STALL_BYTES_PER_S = 100,
    TOKEN_LIMIT = 2000,
    HEADERS_LIMIT = 64 * 1024, /* bytes of one reply's headers */
    LEFT_OUT_LIMIT = 64 * 1024 /* bytes of a body that nobody reads, an error page's */
};

/* The engine.
 *
 * numbers:    of config; its texts are not kept
 * origin:     the endpoint's scheme://host:port
 * plain, with_token: headers of a request to elsewhere, and to the endpoint */
struct fetch {
    struct fetch_config numbers;
    CURLM *multi;
    char origin[FETCH_ORIGIN_BYTES];
    char user_agent[100];
    struct curl_slist *plain;
    struct curl_slist *with_token;
};

enum err_code fetch_origin(const char *url, char out[FETCH_ORIGIN_BYTES], struct err *e)
{
    CURLU *parts = curl_url();
    char *scheme = NULL, *host = NULL, *port = NULL;
    char text[FETCH_ORIGIN_BYTES];
    enum err_code rc = ERR_OK;
    CURLUcode code;
    int len;

    if (!parts)
        return err_nomem(e);
    code = curl_url_set(parts, CURLUPART_URL, url, CURLU_DISALLOW_USER);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_HOST, &host, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
    if (code != CURLUE_OK) {
        rc = code == CURLUE_OUT_OF_MEMORY
                 ? err_nomem(e)
                 : err_set(e, ERR_INPUT, "not a URL, or one with a user name");
        goto out;
    }
    len = snprintf(text, sizeof text, "%s://%s:%s", scheme, host, port);
    if (len < 0 || (size_t)len >= sizeof text)
        rc = err_set(e, ERR_INPUT, "the host's name is too long");
    else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        rc = err_set(e, ERR_INPUT, "%.20s is neither http nor https", scheme);
    else
        text_lower(out, text, (size_t)len);
out:
    curl_free(port);
    curl_free(host);
    curl_free(scheme);
    curl_url_cleanup(parts);
    return rc;
}

static bool add_header(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);

    if (longer)
        *list = longer;
    return longer;
}

/* Compressed bodies are not asked for: what a few bytes unpack to has no limit. */
static bool make_headers(struct fetch *f, const char *token)
{
    static const char identity[] = "Accept-Encoding: identity";
    static const char bearer[] = "Authorization: Bearer ";
    struct buf line;
    bool is_made;

    if (!add_header(&f->plain, identity) || !add_header(&f->with_token, identity))
        return false;
    if (!token)
        return true;
    buf_init(&line, sizeof bearer + TOKEN_LIMIT);
    buf_puts(&line, bearer);
    buf_puts(&line, token);
    is_made = line.status == ERR_OK && add_header(&f->with_token, line.data);
    buf_done(&line);
    return is_made;
}

static enum err_code check_config(const struct fetch_config *config, struct err *e)
{
    char origin[FETCH_ORIGIN_BYTES];

    if (fetch_origin(config->endpoint, origin, e) != ERR_OK)
        return err_wrap(e, "endpoint %.200s", config->endpoint);
    if (strpbrk(config->endpoint, "?#"))
        return err_set(e, ERR_INPUT, "endpoint %.200s: it has a query or a fragment",
                       config->endpoint);
    for (const char *c = config->token; c && *c; c++)
        if (*c <= ' ' || *c > '~')
            return err_set(e, ERR_INPUT, "the token has characters that no token has");
    if (config->token && strlen(config->token) > TOKEN_LIMIT)
        return err_set(e, ERR_INPUT, "the token is longer than %d characters", TOKEN_LIMIT);
    return ERR_OK;
}

enum err_code fetch_new(const struct fetch_config *config, struct fetch **out_fetch, struct err *e)
{
    enum err_code rc = check_config(config, e);
    struct fetch *f;

    if (rc != ERR_OK)
        return rc;
    f = mem_array(1, sizeof *f);
    if (!f || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(f);
        return err_nomem(e);
    }
    f->numbers = *config;
    f->numbers.endpoint = f->numbers.token = NULL;
    f->multi = curl_multi_init();
    /* Fits: versions are short. */
    (void)snprintf(f->user_agent, sizeof f->user_agent, "openrecipes/%s; libcurl/%s",
                   version_text(), curl_version_info(CURLVERSION_NOW)->version);
    if (!f->multi || !make_headers(f, config->token) ||
        fetch_origin(config->endpoint, f->origin, e) != ERR_OK ||
        curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS, (long)config->connections) != CURLM_OK) {
        fetch_free(f);
        return err_nomem(e);
    }
    *out_fetch = f;
    return ERR_OK;
}

void fetch_free(struct fetch *f)
{
    if (!f)
        return;
    if (f->multi)
        (void)curl_multi_cleanup(f->multi); /* Fails only for a bad handle. */
    curl_slist_free_all(f->plain);
    curl_slist_free_all(f->with_token);
    free(f);
    curl_global_cleanup();
}

static bool is_kept(long status)
{
    return status == 200 || status == 206;
}

/* libcurl cannot cap a body whose length it is not told, so the bytes are counted here. */
static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct fetch_hop *hop = ctx;
    size_t len = size * count;
    size_t room = hop->body->limit - hop->body->len;
    long status = 0;

    hop->bytes += (int64_t)len;
    /* Fails only for a bad handle. */
    (void)curl_easy_getinfo(hop->easy, CURLINFO_RESPONSE_CODE, &status);
    if (is_kept(status)) {
        hop->is_over = len > room;
        buf_add(hop->body, bytes, hop->is_over ? room : len);
    } else {
        hop->left_out += len;
        hop->is_over = hop->left_out > LEFT_OUT_LIMIT;
    }
    return hop->is_over || hop->body->status != ERR_OK ? CURL_WRITEFUNC_ERROR : len;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct fetch_hop *hop = ctx;

    (void)bytes; /* Only counted: they are read with fetch_header. */
    hop->header_bytes += size * count;
    return hop->header_bytes > HEADERS_LIMIT ? 0 : size * count;
}

static bool set_numbers(CURL *easy, const struct fetch_config *numbers)
{
    const struct {
        CURLoption option;
        long value;
    } rows[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
        {CURLOPT_HTTP_CONTENT_DECODING, 0},
        {CURLOPT_CONNECTTIMEOUT_MS, (long)numbers->connect_ms},
        {CURLOPT_LOW_SPEED_LIMIT, STALL_BYTES_PER_S},
        {CURLOPT_LOW_SPEED_TIME, (long)numbers->stall_s},
        {CURLOPT_TIMEOUT_MS, (long)numbers->transfer_ms},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (curl_easy_setopt(easy, rows[i].option, rows[i].value) != CURLE_OK)
            return false;
    return true;
}

static bool set_request(const struct fetch *f, struct fetch_hop *hop)
{
    struct curl_slist *headers = hop->is_own ? f->with_token : f->plain;
    char range[2 * 20 + 2];

    /* Fits: two numbers of 19 digits. */
    (void)snprintf(range, sizeof range, "%" PRId64 "-%" PRId64, hop->first, hop->last);
    return curl_easy_setopt(hop->easy, CURLOPT_URL, hop->url) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_USERAGENT, f->user_agent) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_RANGE, hop->has_range ? range : NULL) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_WRITEDATA, hop) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_HEADERDATA, hop) == CURLE_OK &&
           curl_easy_setopt(hop->easy, CURLOPT_PRIVATE, hop) == CURLE_OK;
}

enum err_code fetch_begin(struct fetch *f, struct fetch_hop *hop, struct err *e)
{
    char origin[FETCH_ORIGIN_BYTES];
    enum err_code rc = fetch_origin(hop->url, origin, e);

    if (rc != ERR_OK)
        return rc;
    hop->is_own = strcmp(origin, f->origin) == 0;
    hop->easy = curl_easy_init();
    if (!hop->easy || !set_numbers(hop->easy, &f->numbers) || !set_request(f, hop) ||
        curl_multi_add_handle(f->multi, hop->easy) != CURLM_OK)
        return err_nomem(e);
    hop->is_active = true;
    return ERR_OK;
}

enum err_code fetch_flow(struct fetch *f, unsigned wait_ms, struct err *e)
{
    int running = 0;
    CURLMcode code = curl_multi_poll(f->multi, NULL, 0, (int)wait_ms, NULL);

    if (code == CURLM_OK)
        code = curl_multi_perform(f->multi, &running);
    if (code == CURLM_OUT_OF_MEMORY)
        return err_nomem(e);
    return code == CURLM_OK ? ERR_OK : err_bug(e, "libcurl: %s", curl_multi_strerror(code));
}

/* What may be better at the next try. A certificate that is not right never is. */
static bool is_passing(CURLcode code)
{
    static const CURLcode passing[] = {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
                                       CURLE_COULDNT_CONNECT,      CURLE_OPERATION_TIMEDOUT,
                                       CURLE_GOT_NOTHING,          CURLE_SEND_ERROR,
                                       CURLE_RECV_ERROR,           CURLE_PARTIAL_FILE,
                                       CURLE_SSL_CONNECT_ERROR,    CURLE_HTTP2,
                                       CURLE_HTTP2_STREAM};

    for (size_t i = 0; i < COUNT_OF(passing); i++)
        if (passing[i] == code)
            return true;
    return false;
}

static void judge(struct fetch_hop *hop, CURLcode code)
{
    curl_off_t content_bytes = -1;

    /* Both fail only for a bad handle. */
    (void)curl_easy_getinfo(hop->easy, CURLINFO_RESPONSE_CODE, &hop->status);
    (void)curl_easy_getinfo(hop->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &content_bytes);
    hop->content_bytes = content_bytes;
    hop->end = is_passing(code) ? FETCH_PASSING_FAULT : FETCH_FAULT;
    /* The results are codes that fault keeps. */
    if (code == CURLE_OK)
        hop->end = FETCH_WHOLE;
    else if (hop->is_over)
        hop->end = FETCH_CUT;
    else if (code == CURLE_OUT_OF_MEMORY || hop->body->status != ERR_OK)
        (void)err_nomem(&hop->fault);
    else if (hop->header_bytes > HEADERS_LIMIT)
        (void)err_set(&hop->fault, ERR_LIMIT, "the headers are longer than %d bytes",
                      HEADERS_LIMIT);
    else
        (void)err_set(&hop->fault, ERR_UPSTREAM, "%s", curl_easy_strerror(code));
}

struct fetch_hop *fetch_next_ended(struct fetch *f)
{
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(f->multi, &left);
    struct fetch_hop *hop;
    char *owner = NULL;
    CURLcode code;

    if (!message)
        return NULL;
    code = message->data.result;
    /* Both fail only for a bad handle; the message is gone once the handle is removed. */
    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
    hop = (struct fetch_hop *)(void *)owner;
    (void)curl_multi_remove_handle(f->multi, hop->easy);
    hop->is_active = false;
    judge(hop, code);
    return hop;
}

const char *fetch_header(const struct fetch_hop *hop, const char *name)
{
    struct curl_header *found;

    if (curl_easy_header(hop->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
        return "";
    return found->value;
}

const char *fetch_redirect(const struct fetch_hop *hop)
{
    char *target = NULL;

    if (hop->status != 301 && hop->status != 302 && hop->status != 303 && hop->status != 307 &&
        hop->status != 308)
        return NULL;
    /* Fails only for a bad handle. */
    (void)curl_easy_getinfo(hop->easy, CURLINFO_REDIRECT_URL, &target);
    return target;
}

void fetch_forget(struct fetch *f, struct fetch_hop *hop)
{
    if (hop->is_active)
        (void)curl_multi_remove_handle(f->multi, hop->easy); /* Fails only for a bad handle. */
    hop->is_active = false;
    curl_easy_cleanup(hop->easy);
    hop->easy = NULL;
}
