/* config.json: one fact may stand under several names. */
#include "core/model_config.h"

#include "base/mem.h"

/* Read the first of the names that is there and neither null nor 0; 0 if none is. */
static enum err_code read_first(const struct json_t *object, const char *const *names, size_t count,
                                int64_t *out_value, struct err *e)
{
    int64_t value = 0;

    for (size_t i = 0; i < count && value == 0; i++) {
        const struct json_t *found = json_read_find(object, names[i]);
        enum err_code rc = found ? json_read_int(found, names[i], 0, INT64_MAX, &value, e) : ERR_OK;

        if (rc != ERR_OK)
            return rc;
    }
    *out_value = value;
    return ERR_OK;
}

enum err_code model_config_read(const struct json_t *config, struct model_config *out_config,
                                struct err *e)
{
    static const char *const layers[] = {"num_hidden_layers"};
    static const char *const experts[] = {"num_experts", "n_routed_experts", "num_local_experts"};
    static const char *const chosen[] = {"num_experts_per_tok", "top_k_experts",
                                         "experts_per_token"};
    const struct json_t *text = json_read_find(config, "text_config");
    struct model_config found = {0};
    enum err_code rc;

    if (!text)
        text = config;
    else if (!json_read_is_object(text))
        return err_set(e, ERR_INPUT, "text_config: an object is needed");
    rc = read_first(text, layers, COUNT_OF(layers), &found.hidden_layers, e);
    if (rc == ERR_OK)
        rc = read_first(text, experts, COUNT_OF(experts), &found.experts, e);
    if (rc == ERR_OK)
        rc = read_first(text, chosen, COUNT_OF(chosen), &found.experts_per_token, e);
    if (rc != ERR_OK)
        return rc;
    if (found.hidden_layers == 0)
        return err_set(e, ERR_NOT_FOUND, "no num_hidden_layers: the architecture is not known");
    *out_config = found;
    return ERR_OK;
}
