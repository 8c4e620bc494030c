/* Bodies and headers as libmicrohttpd takes them. */
#include "server/mhd_response.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that are asked of a stream at once, at most. */
enum { STREAM_BYTES = 32 * 1024 };

/* The one header of a shared answer that belongs to a request. */
static const char id_name[] = "X-Request-Id";

/* Give the library the next bytes of a stream. It asks on the connection's own thread, and never
 * once on_completed was called, so that the exchange lives. */
static ssize_t on_stream(void *cls, uint64_t at, char *out, size_t size)
{
    size_t len;

    (void)at; /* Always where the last call ended. */
    if (!exchange_read(cls, out, size, &len))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    return len > 0 ? (ssize_t)len : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_body(struct http_answer *answer, struct exchange *x)
{
    struct MHD_Response *response;

    if (!answer->stream) {
        response =
            MHD_create_response_from_buffer(answer->body_len, answer->body, MHD_RESPMEM_MUST_FREE);
        if (response)
            answer->body = NULL;
        return response;
    }
    response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES, on_stream, x, NULL);
    /* After a head that says "chunked" 0.9.75 sends the last chunk to HEAD too, which the client
     * takes for the next reply. In this mode there are no chunks, and the connection is closed. */
    if (response && x->request.verb == HTTP_VERB_HEAD)
        (void)MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
                                       MHD_RO_END); /* Fails only for options that it lacks. */
    return response;
}

struct MHD_Response *mhd_response_make(struct http_answer *answer, struct exchange *x, bool is_last)
{
    struct MHD_Response *response = make_body(answer, x);
    enum MHD_Result result = response ? MHD_YES : MHD_NO;

    for (size_t i = 0; i < answer->header_count && result == MHD_YES; i++)
        result =
            MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    if (is_last && result == MHD_YES)
        result = MHD_add_response_header(response, "Connection", "close");
    if (result == MHD_YES)
        return response;
    MHD_destroy_response(response);
    return NULL;
}

/* Take the answer's body, which is not empty, without the room that it had to grow. */
static void take_body(struct http_answer *answer, struct cache_reply *reply)
{
    char *exact = realloc(answer->body, answer->body_len);

    if (exact)
        answer->body = exact;
    reply->body = answer->body;
    reply->body_len = answer->body_len;
    answer->body = NULL;
}

static void free_response(void *response)
{
    MHD_destroy_response(response);
}

/* Make a response that sends memory which lives longer. The library only reads it in this mode. */
static struct MHD_Response *make_lent(char *body, size_t len)
{
    return MHD_create_response_from_buffer(len, body, MHD_RESPMEM_PERSISTENT);
}

static bool add_shared_headers(struct MHD_Response *response, const struct http_answer *answer)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, id_name) != 0 &&
            MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value) !=
                MHD_YES)
            return false;
    return true;
}

bool mhd_response_keep(struct http_answer *answer, struct exchange *x)
{
    struct cache_reply reply = {.endpoint = x->request.match.endpoint,
                                .free_response = free_response};
    struct MHD_Response *response;

    take_body(answer, &reply);
    response = make_lent(reply.body, reply.body_len);
    if (!response || !add_shared_headers(response, answer)) {
        if (response)
            MHD_destroy_response(response);
        free(reply.body);
        return false;
    }
    reply.response = response;
    memcpy(reply.etag, answer->etag, strlen(answer->etag) + 1);
    x->kept = cache_put_take(x->site->cache, x->generation, x->key.data, x->key.len, &reply);
    return x->kept != NULL;
}

static enum MHD_Result copy_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    (void)kind;
    return MHD_add_response_header(cls, name, value);
}

struct MHD_Response *mhd_response_copy(const struct cache_reply *reply, const char *id,
                                       bool is_last)
{
    struct MHD_Response *response = make_lent(reply->body, reply->body_len);
    int count = MHD_get_response_headers(reply->response, NULL, NULL);

    if (!response)
        return NULL;
    if (MHD_get_response_headers(reply->response, copy_header, response) == count &&
        (!id || MHD_add_response_header(response, id_name, id) == MHD_YES) &&
        (!is_last || MHD_add_response_header(response, "Connection", "close") == MHD_YES))
        return response;
    MHD_destroy_response(response);
    return NULL;
}
