/* libFuzzer's entry for the prices that a client names: words that are taken are prices within
 * their range, of GPUs that there are, and costs follow them; words that are not are told as
 * issues. The corpus is in corpus/prices: the value of price, of purchase and of provider, each on
 * a line of its own and as it is meant, not encoded. */
#include "core/plan.h"
#include "server/limits.h"
#include "tests/support/fuzz_service.h"
#include "tests/support/fuzzing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Encoding makes three bytes of one. */
enum { TARGET_LIMIT = 3 * 65536 };

static void put(struct buf *out, const char *name, const char *value)
{
    if (!*value)
        return;
    buf_putc(out, '&');
    buf_puts(out, name);
    for (;;) {
        size_t len = strcspn(value, ",");
        char *part = fuzz_text((const uint8_t *)value, len);

        fuzz_put_encoded(out, part);
        free(part);
        value += len;
        if (!*value)
            break;
        buf_putc(out, ',');
        value++;
    }
}

/* One entry of pricing: what it is worked out from, and that it says so. */
static void check_pricing(const json_t *pricing, const char *price)
{
    const json_t *usd = json_object_get(pricing, "usd_per_gpu_hour");
    const char *basis = json_string_value(json_object_get(pricing, "basis"));
    const json_t *provider = json_object_get(pricing, "provider");

    fuzz_require(basis && usd);
    fuzz_require(json_is_null(usd) == (strcmp(basis, "none") == 0));
    fuzz_require(json_is_string(provider) == (strcmp(basis, "list") == 0));
    if (strcmp(basis, "custom") == 0) {
        fuzz_require(json_real_value(usd) >= PLAN_PRICE_LEAST &&
                     json_real_value(usd) <= PLAN_PRICE_MOST);
        fuzz_require(strchr(price, ':') != NULL);
    } else {
        fuzz_require(json_is_null(usd) || json_real_value(usd) > 0);
    }
}

/* Look through a reply for all its pricings and costs. */
static void check_tree(json_t *tree, const char *price)
{
    const char *key;
    json_t *value;
    size_t i;

    json_array_foreach(tree, i, value) check_tree(value, price);
    json_object_foreach(tree, key, value)
    {
        if (strcmp(key, "basis") == 0)
            check_pricing(tree, price);
        if (strncmp(key, "usd", 3) == 0 && json_is_number(value))
            fuzz_require(isfinite(json_number_value(value)) && json_number_value(value) > 0);
        check_tree(value, price);
    }
}

static int ask(const char *path, const char *query, const char *price)
{
    struct buf target;
    struct fuzz_reply reply;
    json_t *tree;
    int status;

    buf_init(&target, TARGET_LIMIT + 100);
    buf_puts(&target, path);
    buf_puts(&target, query);
    fuzz_get(buf_text(&target), &reply);
    tree = fuzz_reply_json(&reply);
    if (tree)
        check_tree(tree, price);
    status = reply.exchange.status;
    fuzz_require(status == 200 || (status == 400 && reply.exchange.reply.issues.count > 0) ||
                 status == 414);
    json_decref(tree);
    fuzz_reply_done(&reply);
    buf_done(&target);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *at = text;
    const char *price = fuzz_next_line(&at);
    const char *purchase = fuzz_next_line(&at);
    struct buf query;
    int status;

    buf_init(&query, TARGET_LIMIT);
    put(&query, "price=", price);
    put(&query, "purchase=", purchase);
    put(&query, "provider=", fuzz_next_line(&at));
    if (query.status == ERR_OK && query.len + 100 < HTTP_TARGET_BYTES) {
        status = ask("/models?limit=50", buf_text(&query), price);
        fuzz_require(ask("/recipes?sort=usd_per_million_tokens", buf_text(&query), price) ==
                     status);
        fuzz_require(ask("/cost?tokens=10B&recipe=gemma-4-31b/h100/attune-tp2-pp4-split13",
                         buf_text(&query), price) == status);
        fuzz_require(ask("/plan?tokens=1e18&budget_usd=0.01&model=gemma-4-31b", buf_text(&query),
                         price) == status);
        fuzz_require(ask("/compare?a=gemma-4-31b/h100&b=gemma-4-26b-a4b/b200", buf_text(&query),
                         price) == status);
    }
    buf_done(&query);
    free(text);
    return 0;
}
