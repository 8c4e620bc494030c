/* libFuzzer's entry for the header fields that are negotiated over: what is chosen was on offer,
 * and neither letter case nor empty elements change it; a body that is packed is the body; 304 is
 * said only to who has the tag; a client's address is its peer's or one that was told. The corpus
 * is in corpus/headers: Accept, Accept-Encoding, If-None-Match, X-Forwarded-For and a block of
 * trusted proxies, each on a line of its own. */
#include "server/conditional.h"
#include "server/format.h"
#include "server/negotiate.h"
#include "tests/support/fuzz_service.h"
#include "tests/support/fuzzing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Longer bodies than the catalogue of GPUs has. */
enum { BODY_BYTES = 1024 * 1024 };

/* What inflateInit2 wants for the gzip format. */
enum { GZIP_WINDOW = 15 + 16 };

/* Make a text that says the same: other letters, an empty element before it. */
static char *vary(const char *text)
{
    struct buf varied;

    buf_init(&varied, BODY_BYTES);
    buf_puts(&varied, " ,\t");
    for (; *text; text++)
        buf_putc(&varied, (char)toupper((unsigned char)*text));
    return buf_take(&varied, NULL);
}

static void check_choices(const char *accept, const char *coding)
{
    static const unsigned offers[] = {
        HTTP_BIT(HTTP_JSON), HTTP_BIT(HTTP_JSON) | HTTP_BIT(HTTP_HTML),
        HTTP_BIT(HTTP_CSV) | HTTP_BIT(HTTP_NDJSON) | HTTP_BIT(HTTP_TEXT) | HTTP_BIT(HTTP_ATOM)};
    static const enum http_format firsts[] = {HTTP_JSON, HTTP_JSON, HTTP_TEXT};
    char *other_accept = vary(accept);
    char *other_coding = vary(coding);

    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        enum http_format format = HTTP_FORMATS;
        enum http_format other = HTTP_FORMATS;
        bool is_taken = http_negotiate(accept, offers[i], firsts[i], &format);

        fuzz_require(!is_taken || (offers[i] & HTTP_BIT(format)) != 0);
        fuzz_require(http_negotiate(other_accept, offers[i], firsts[i], &other) == is_taken);
        fuzz_require(other == format);
    }
    fuzz_require(http_negotiate_coding(other_coding) == http_negotiate_coding(coding));
    free(other_accept);
    free(other_coding);
}

/* Stop unless packed bytes are those of a body. */
static void check_packed(const struct buf *packed, const struct buf *body)
{
    z_stream stream = {0};
    unsigned char *bytes = malloc(BODY_BYTES);
    union {
        const char *lent;
        unsigned char *in;
    } both = {.lent = buf_text(packed)};

    fuzz_require(bytes && inflateInit2(&stream, GZIP_WINDOW) == Z_OK);
    stream.next_in = both.in;
    stream.avail_in = (unsigned)packed->len;
    stream.next_out = bytes;
    stream.avail_out = BODY_BYTES;
    fuzz_require(inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0);
    fuzz_require(stream.total_out == body->len && memcmp(bytes, buf_text(body), body->len) == 0);
    fuzz_require(inflateEnd(&stream) == Z_OK);
    free(bytes);
}

static void ask(const struct http_header *headers, size_t count, struct fuzz_reply *out)
{
    const struct fuzz_question question = {
        .method = "GET", .target = "/recipes?limit=2", .headers = headers, .header_count = count};

    fuzz_ask(&question, out);
}

static void check_service(const char *accept, const char *coding, const char *tags)
{
    const struct http_header headers[] = {
        {"Accept", accept}, {"Accept-Encoding", coding}, {"If-None-Match", tags}};
    struct http_header known[] = {
        {"Accept", accept}, {"Accept-Encoding", coding}, {"If-None-Match", NULL}};
    struct fuzz_reply plain, coded, asked;
    const char *tag;

    ask(headers, 1, &plain);
    ask(headers, 2, &coded);
    ask(headers, 3, &asked);
    tag = fuzz_reply_header(&coded, "ETag");
    /* Control characters in the other fields are refused. */
    fuzz_require(coded.exchange.status == plain.exchange.status || coded.exchange.status == 400);
    if (plain.exchange.status == 200 && fuzz_reply_header(&coded, "Content-Encoding"))
        check_packed(&coded.body, &plain.body);
    if (asked.exchange.status == 304)
        fuzz_require(
            tag &&
            http_etag_is_in(asked.exchange.request.fields.values[HTTP_FIELD_IF_NONE_MATCH], tag));
    fuzz_reply_done(&asked);
    if (tag) {
        known[2].value = tag;
        ask(known, 3, &asked);
        fuzz_require(asked.exchange.status == 304);
        fuzz_reply_done(&asked);
    }
    fuzz_reply_done(&coded);
    fuzz_reply_done(&plain);
}

static void check_tags(const char *tags)
{
    static const char tag[] = "\"0123456789abcdef-json\"";
    static const char none[] = "\"no-such\"";
    char *varied = vary(tags);
    struct buf list;

    buf_init(&list, BODY_BYTES);
    buf_printf(&list, "W/%s, ", tag);
    buf_puts(&list, tags);
    fuzz_require(http_etag_is_in(buf_text(&list), tag));
    if (http_etag_is_in(tags, none))
        fuzz_require(strstr(tags, none) || strchr(tags, '*'));
    if (strchr(tags, '"') == NULL)
        fuzz_require(http_etag_is_in(varied, none) == http_etag_is_in(tags, none));
    buf_done(&list);
    free(varied);
}

/* An address that was written is read as the same. */
static void check_address(const struct net_address *address)
{
    char text[NET_TEXT_BYTES];
    struct net_address again;

    net_address_text(address, text);
    fuzz_require(net_address_parse(text, strlen(text), &again));
    fuzz_require(memcmp(&again, address, sizeof again) == 0);
}

static void check_client(const char *forwarded, const char *proxies)
{
    struct net_block block = {.bits = 0};
    struct net_address peer, client;
    struct err e;

    if (net_block_parse(proxies, &block, &e) != ERR_OK) {
        fuzz_check_error(ERR_INPUT, &e);
        return;
    }
    peer = block.address;
    fuzz_require(block.bits <= 128 && net_block_has(&block, &peer));
    client = net_client(&peer, forwarded, NULL);
    fuzz_require(memcmp(&client, &peer, sizeof peer) == 0);
    client = net_client(&peer, forwarded, &block);
    check_address(&client);
    if (forwarded[0] == '\0')
        fuzz_require(memcmp(&client, &peer, sizeof peer) == 0);
    /* Who is not trusted is believed by itself: nobody before it is looked at. */
    if (!net_block_has(&block, &client)) {
        struct net_address same = net_client(&client, forwarded, &block);

        fuzz_require(memcmp(&same, &client, sizeof client) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *accept = fuzz_next_line(&at);
    const char *coding = fuzz_next_line(&at);
    const char *tags = fuzz_next_line(&at);
    const char *forwarded = fuzz_next_line(&at);

    check_choices(accept, coding);
    check_tags(tags);
    check_client(forwarded, fuzz_next_line(&at));
    check_service(accept, coding, tags);
    free(text);
    return 0;
}
