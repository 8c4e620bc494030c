/* What costs are worked out from: the client's own prices, or those that it chose of the price
 * book; and telling so. */
#include "api/parts.h"

#include "base/num.h"
#include "base/text.h"
#include "core/cost.h"
#include "core/plan.h"
#include "core/shown.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Complain about one part of the price parameter.
 *
 * allowed, near: ended by NULL, or NULL */
static enum err_code bad_price(struct api_scope *s, const char *detail, const char *const *allowed,
                               const char *const *near, struct err *e)
{
    http_reply_issue(s->reply, "price", detail, allowed, near);
    return err_set(e, ERR_INPUT, "price: %s", detail);
}

static enum err_code unknown_price_gpu(struct api_scope *s, const char *name, struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;
    const char *known[QUERY_PRICES + 1] = {NULL};
    const char *near[2] = {NULL, NULL};
    size_t count = 0;
    char detail[120];

    for (; count < s->catalog->gpus.count && count < QUERY_PRICES; count++)
        known[count] = gpus[count].slug;
    near[0] = text_nearest(name, known, count);
    (void)snprintf(detail, sizeof detail, "there is no GPU %.60s", name); /* Fits: cut. */
    return bad_price(s, detail, known, near[0] ? near : NULL, e);
}

/* Read one "GPU:USD". */
static enum err_code read_price(struct api_scope *s, const char *part, struct prices *out,
                                struct err *e)
{
    const char *colon = strrchr(part, ':');
    const struct gpu *gpu;
    char *name;
    double usd = 0;

    if (!colon || colon == part)
        return bad_price(s, "each price is GPU:USD, such as h100:2.10", NULL, NULL, e);
    name = arena_text(&s->arena, part, (size_t)(colon - part));
    if (!name)
        return err_nomem(e);
    gpu = catalog_gpu(s->catalog, name);
    if (!gpu)
        return unknown_price_gpu(s, name, e);
    if (num_parse_real(colon + 1, strlen(colon + 1), &usd, e) != ERR_OK)
        return bad_price(s, e->text, NULL, NULL, e);
    if (usd < PLAN_PRICE_LEAST || usd > PLAN_PRICE_MOST)
        return bad_price(s, "USD per GPU-hour is from 0.0001 to 100000", NULL, NULL, e);
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->custom[i].gpu, gpu->slug) == 0)
            return bad_price(s, "a GPU has one price", NULL, NULL, e);
    if (out->count == QUERY_PRICES)
        return bad_price(s, "too many prices", NULL, NULL, e);
    out->custom[out->count++] = (struct query_price){gpu->slug, usd};
    return ERR_OK;
}

/* Read the parameter provider, which must be one of the price book's. */
static enum err_code read_provider(struct api_scope *s, struct prices *out, struct err *e)
{
    const struct price *book = s->catalog->prices.items;
    size_t count = s->catalog->prices.count;
    const char *given = http_query(s->request, "provider");
    const char **known;
    const char *near[2] = {NULL, NULL};
    size_t known_count = 0;

    if (!given)
        return ERR_OK;
    known = arena_array(&s->arena, count + 1, sizeof *known);
    if (!known)
        return err_nomem(e);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        if (strcasecmp(book[i].provider, given) == 0)
            out->provider = book[i].provider;
        while (k < known_count && strcmp(known[k], book[i].provider) != 0)
            k++;
        if (k == known_count)
            known[known_count++] = book[i].provider;
    }
    if (out->provider)
        return ERR_OK;
    near[0] = text_nearest(given, known, known_count);
    http_reply_issue(s->reply, "provider", "the price book has nobody of this name", known,
                     near[0] ? near : NULL);
    return err_set(e, ERR_INPUT, "provider: the price book has nobody of this name");
}

/* Where the client chose of the book, each GPU has a price of its own; 0 stands for none. */
static enum err_code fill_query(struct api_scope *s, struct prices *out, struct err *e)
{
    const struct gpu *gpus = s->catalog->gpus.items;

    out->query = out->custom;
    out->query_count = out->count;
    if (!out->purchase && !out->provider)
        return ERR_OK;
    if (s->catalog->gpus.count > QUERY_PRICES)
        return err_bug(e, "%zu GPUs have prices, and %d fit", s->catalog->gpus.count, QUERY_PRICES);
    for (size_t i = 0; i < s->catalog->gpus.count; i++)
        out->chosen[i] =
            (struct query_price){gpus[i].slug, parts_gpu_hour(s, out, gpus[i].slug, NULL)};
    out->query = out->chosen;
    out->query_count = s->catalog->gpus.count;
    return ERR_OK;
}

enum err_code parts_prices(struct api_scope *s, struct prices *out, struct err *e)
{
    enum err_code rc = ERR_OK;
    const char *part;

    *out = (struct prices){.purchase = http_query(s->request, "purchase")};
    for (size_t i = 0; (part = http_query_at(s->request, "price", i)) != NULL; i++) {
        enum err_code one = read_price(s, part, out, e);

        if (rc == ERR_OK)
            rc = one;
    }
    if (read_provider(s, out, e) != ERR_OK && rc == ERR_OK)
        rc = e->code;
    return rc == ERR_OK ? fill_query(s, out, e) : rc;
}

/* The client's own price of a GPU; 0: it gave none. */
static double custom_price(const struct prices *prices, const char *gpu)
{
    for (size_t i = 0; i < prices->count; i++)
        if (strcmp(prices->custom[i].gpu, gpu) == 0)
            return prices->custom[i].usd_per_gpu_hour;
    return 0;
}

static const struct price *book_price(const struct api_scope *s, const struct prices *prices,
                                      const char *gpu)
{
    return catalog_price_of(s->catalog, gpu, prices->purchase, prices->provider);
}

double parts_gpu_hour(const struct api_scope *s, const struct prices *prices, const char *gpu,
                      bool *out_is_custom)
{
    const struct price *book = book_price(s, prices, gpu);
    double custom = custom_price(prices, gpu);

    if (out_is_custom)
        *out_is_custom = custom > 0;
    if (custom > 0)
        return custom;
    return book ? cost_usd_per_gpu_hour(book->usd_per_hour, book->gpus) : 0;
}

bool parts_is_chosen(const struct prices *prices, const char *gpu)
{
    return prices->purchase || prices->provider || custom_price(prices, gpu) > 0;
}

static void put_price_source(struct json *j, const struct price *p)
{
    json_put_text(j, "provider", p ? p->provider : NULL);
    json_put_text(j, "instance", p ? p->instance : NULL);
    json_put_text(j, "region", p ? p->region : NULL);
    json_put_text(j, "purchase", p ? p->purchase : NULL);
    json_put_text(j, "as_of", p ? p->as_of : NULL);
    json_put_text(j, "source", p ? p->source : NULL);
}

/* Why there is no price: "the price book has no spot price of this GPU from AWS". */
static void put_reason(const struct prices *prices, struct buf *out)
{
    const char *purchase = prices->purchase ? prices->purchase : "on_demand";

    buf_puts(out, "the price book has no ");
    buf_puts(out, strcmp(purchase, "on_demand") == 0 ? "on-demand" : purchase);
    buf_puts(out, " price of this GPU");
    if (prices->provider) {
        buf_puts(out, " from ");
        buf_puts(out, prices->provider);
    }
}

/* Longest reason: that of a parameter's value with words around it. */
enum { REASON_LIMIT = 2 * HTTP_PARAM_BYTES };

static void put_members(struct api_scope *s, const struct prices *prices, const char *gpu)
{
    struct json *j = &s->json;
    bool is_custom = false;
    double gpu_hour = parts_gpu_hour(s, prices, gpu, &is_custom);
    struct buf reason;

    if (gpu_hour > 0)
        json_put_real(j, "usd_per_gpu_hour", num_round_digits(gpu_hour, 12));
    else
        json_put_null(j, "usd_per_gpu_hour");
    json_put_text(j, "basis", is_custom ? "custom" : gpu_hour > 0 ? "list" : "none");
    put_price_source(j, is_custom ? NULL : book_price(s, prices, gpu));
    if (gpu_hour > 0)
        return;
    buf_init(&reason, REASON_LIMIT);
    put_reason(prices, &reason);
    json_put_text(j, "reason", buf_text(&reason));
    buf_done(&reason);
}

void parts_put_pricing(struct api_scope *s, const char *key, const struct prices *prices,
                       const char *gpu)
{
    json_begin(&s->json, key, '{');
    put_members(s, prices, gpu);
    json_end(&s->json, '}');
}

void parts_put_pricings(struct api_scope *s, const char *key, const struct prices *prices)
{
    const struct gpu *gpus = s->catalog->gpus.items;

    json_begin(&s->json, key, '[');
    for (size_t i = 0; i < s->catalog->gpus.count; i++) {
        json_begin(&s->json, NULL, '{');
        json_put_text(&s->json, "gpu", gpus[i].slug);
        put_members(s, prices, gpus[i].slug);
        json_end(&s->json, '}');
    }
    json_end(&s->json, ']');
}

void parts_put_pricing_text(struct api_scope *s, const struct prices *prices, const char *gpu)
{
    struct buf *out = s->json.buf;
    bool is_custom = false;
    double gpu_hour = parts_gpu_hour(s, prices, gpu, &is_custom);
    const struct price *book = book_price(s, prices, gpu);

    buf_printf(out, "price of %s: ", gpu);
    if (gpu_hour <= 0) {
        buf_puts(out, "not known: ");
        put_reason(prices, out);
        buf_putc(out, '\n');
        return;
    }
    shown_put_text(out, gpu_hour);
    buf_puts(out, " USD per GPU-hour, ");
    if (is_custom)
        buf_puts(out, "yours\n");
    else
        buf_printf(out, "%s %s in %s, %s, as of %s (%s)\n", book->provider, book->instance,
                   book->region, book->purchase, book->as_of, book->source);
}
