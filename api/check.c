/* POST /check: the judgement of a recipe file that was sent; nothing is stored. */
#include "api/endpoints.h"
#include "api/scope.h"
#include "importers/judge.h"

static enum err_code answer(struct api_scope *s, struct err *e)
{
    struct judgement judgement;
    size_t len = 0;
    const char *bytes = http_request_body(s->request, &len);
    enum err_code rc = judge_recipe(bytes, len, NULL, s->catalog, s->db, &judgement, e);

    if (rc == ERR_OK) {
        json_begin(&s->json, NULL, '{');
        judgement_write_json(&judgement, &s->json);
        json_end(&s->json, '}');
    }
    judgement_done(&judgement);
    return rc;
}

enum err_code api_check(const struct http_request *request, struct http_reply *reply, void *app,
                        struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
