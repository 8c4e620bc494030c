/* GET /recipes: all recipes, filtered, sorted, paged. */
#include "api/endpoints.h"
#include "api/list.h"

static enum err_code answer(struct api_scope *s, struct err *e)
{
    return list_answer(s, &list_of_recipes, e);
}

enum err_code api_recipes(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    return api_answer(request, reply, app, answer, e);
}
