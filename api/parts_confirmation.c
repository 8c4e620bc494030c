/* What was found of a recipe's or a model's active parameters. The hub is never asked here. */
#include "api/parts.h"

#include "db/checkpoints.h"

enum err_code parts_put_confirmation(struct api_scope *s, const char *key, const char *model,
                                     const char *gpu, const char *recipe, struct err *e)
{
    struct hub_claim claim;
    struct hub_result found;
    enum err_code rc = db_claim_get(s->db, model, gpu, recipe, &s->arena, &claim, e);

    if (rc == ERR_OK)
        rc = db_checkpoint_judge(s->db, &claim, &found, e);
    if (rc == ERR_OK)
        hub_result_write_json(&found, &claim, key, &s->json);
    return rc;
}

enum err_code parts_put_model_confirmation(struct api_scope *s, const char *key,
                                           const struct ranking *rankings, size_t count,
                                           struct err *e)
{
    const struct hub_result nothing = {.outcome = HUB_NOT_CHECKED};
    const struct ranking *fastest = parts_fastest(rankings, count);

    if (fastest)
        return parts_put_confirmation(s, key, fastest->model, fastest->gpu, fastest->best_recipe,
                                      e);
    hub_result_write_json(&nothing, NULL, key, &s->json);
    return ERR_OK;
}
