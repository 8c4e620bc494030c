/* GET /cost: what training on a number of tokens takes by one recipe. */
#include "api/asked.h"
#include "api/endpoints.h"

#include <inttypes.h>

static void put_json(struct api_scope *s, const struct asked_recipe *asked,
                     const struct prices *prices, const struct estimate *estimate)
{
    struct json *j = &s->json;

    json_begin(j, NULL, '{');
    asked_put_members(j, asked);
    estimate_write_json(estimate, j);
    parts_put_pricing(s, "pricing", prices, asked->gpu->slug);
    json_end(j, '}');
}

static enum err_code put_text(struct api_scope *s, const struct asked_recipe *asked,
                              const struct prices *prices, const struct estimate *estimate,
                              struct err *e)
{
    struct buf *out = s->json.buf;
    enum err_code rc;

    buf_printf(out, "%s, GPUs: %" PRId64 "\n\n", asked->label, asked->figures.gpus);
    rc = estimate_write_text(estimate, out, e);
    buf_putc(out, '\n');
    parts_put_pricing_text(s, prices, asked->gpu->slug);
    return rc;
}

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct asked_recipe asked;
    struct prices prices;
    struct estimate estimate;
    int64_t tokens = 0;
    enum err_code rc = asked_tokens_and_prices(s, &tokens, &prices, e);

    if (rc == ERR_OK)
        rc = asked_recipe_find(s, "recipe", ASKED_RECIPE, &asked, e);
    if (rc == ERR_OK)
        rc = estimate_make(&asked.figures, tokens,
                           parts_gpu_hour(s, &prices, asked.gpu->slug, NULL), &estimate, e);
    if (rc != ERR_OK)
        return rc;
    if (http_request_format(s->request) == HTTP_TEXT)
        return put_text(s, &asked, &prices, &estimate, e);
    put_json(s, &asked, &prices, &estimate);
    return ERR_OK;
}

enum err_code api_cost(const struct http_request *request, struct http_reply *reply, void *app,
                       struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
