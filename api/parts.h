/* Objects that several replies share: a model, a GPU, the pricing, the best on each GPU, a
 * citation; and finding what a path names. */
#ifndef API_PARTS_H
#define API_PARTS_H

#include "api/scope.h"
#include "db/query.h"
#include "db/rankings.h"

/* The prices that a reply is computed at: the client's own, then those of the price book.
 *
 * custom:   the client's own, count of them
 * purchase: how it is bought; NULL: the client did not say
 * provider: as the book writes it; NULL: likewise
 * query:    what lists compute with, query_count of them: custom, or chosen
 * chosen:   of every GPU, where the client chose of the book; 0: none is known */
struct prices {
    struct query_price custom[QUERY_PRICES];
    size_t count;
    const char *purchase;
    const char *provider;
    const struct query_price *query;
    size_t query_count;
    struct query_price chosen[QUERY_PRICES];
};

/* Read the parameters price ("h100:2.10,b200:4.50"), purchase and provider, of which an endpoint
 * may lack some; GPU names of any spelling become slugs.
 *
 * out:    refers into itself: must not be moved
 * Errors: ERR_INPUT with an issue for each part that is wrong. */
MUST_USE enum err_code parts_prices(struct api_scope *s, struct prices *out, struct err *e);

/* USD per GPU-hour of a GPU; 0: no price known. out_is_custom may be NULL. */
double parts_gpu_hour(const struct api_scope *s, const struct prices *prices, const char *gpu,
                      bool *out_is_custom);

/* Tell whether the client chose a GPU's price: its own, or by purchase or provider. What was
 * published or noted at another price is not shown then. */
bool parts_is_chosen(const struct prices *prices, const char *gpu);

/* Write what a cost was computed at: usd_per_gpu_hour, basis ("list", "custom" or "none"),
 * provider, instance, region, purchase, as_of, source; null and a reason where no price is known.
 */
void parts_put_pricing(struct api_scope *s, const char *key, const struct prices *prices,
                       const char *gpu);

/* Write the same for every GPU of the catalogue, as an array: gpu, then those members. */
void parts_put_pricings(struct api_scope *s, const char *key, const struct prices *prices);

/* Write the same as a line of the reply's text. */
void parts_put_pricing_text(struct api_scope *s, const struct prices *prices, const char *gpu);

/* Write a cost to six significant digits, or null where gpu_hour is 0. */
void parts_put_usd(struct json *j, const char *key, double gpu_hour, double tokens_per_s_per_gpu);

/* Write the members slug, name, family, active_params and url into an open object. */
void parts_put_model_members(struct json *j, const struct model *m, int64_t active_params);
void parts_put_model(struct json *j, const char *key, const struct model *m, int64_t active_params);

/* Write a GPU: slug, name, memory_gb, peak_bf16_flops, url. */
void parts_put_gpu(struct json *j, const char *key, const struct gpu *g);

/* Write the best recipe of a model on every GPU of the catalogue, in its order: figures published
 * elsewhere where there is no recipe, null where there is nothing.
 *
 * rankings: the model's main ones */
void parts_put_gpus(struct api_scope *s, const char *key, const struct model *m,
                    const struct ranking *rankings, size_t count, const struct prices *prices);

/* The ranking of a GPU among a model's main ones, and a figure published elsewhere; NULL if there
 * is none. */
const struct ranking *parts_ranking(const struct ranking *rankings, size_t count, const char *gpu);
const struct published *parts_published(const struct model *m, const char *gpu);

/* Write {"source","date"}: where and when a figure was published. */
void parts_put_published(struct json *j, const char *key, const struct published *p);

/* Write {"text","bibtex"} of an author, null where the catalogue has none. */
void parts_put_citation(struct json *j, const char *key, const struct catalog *c,
                        const char *author);

/* The ranking with a model's fastest recipe; NULL where it has none. */
const struct ranking *parts_fastest(const struct ranking *rankings, size_t count);

/* Active parameters of a model: of its fastest recipe; 0 where it has none. */
int64_t parts_active_params(const struct ranking *rankings, size_t count);

/* Write what was found of a recipe's active parameters, as hub_result_write_json does. */
MUST_USE enum err_code parts_put_confirmation(struct api_scope *s, const char *key,
                                              const char *model, const char *gpu,
                                              const char *recipe, struct err *e);

/* The same for a model: of its fastest recipe, whose active parameters are shown as the model's.
 *
 * rankings: the model's main ones */
MUST_USE enum err_code parts_put_model_confirmation(struct api_scope *s, const char *key,
                                                    const struct ranking *rankings, size_t count,
                                                    struct err *e);

/* What a path names. gpu stays NULL where the path has none. */
struct parts_place {
    const struct model *model;
    const struct gpu *gpu;
};

/* Find the model and the GPU of the path ({gpu} only if has_gpu).
 *
 * out_is_done: the spelling was another one, and the reply is a redirect to the canonical path; the
 *              handler returns
 * Errors: ERR_NOT_FOUND with the nearest slugs as issues. */
MUST_USE enum err_code parts_find(struct api_scope *s, bool has_model, bool has_gpu,
                                  struct parts_place *out, bool *out_is_done, struct err *e);

/* The same for what is below a recipe: a redirect's path ends with tail ("/history"), which must be
 * percent-encoded. */
MUST_USE enum err_code parts_find_below(struct api_scope *s, const char *tail,
                                        struct parts_place *out, bool *out_is_done, struct err *e);

/* A name that a client gave.
 *
 * parameter:     that it stands in
 * noun:          what it should be the name of: "model"
 * given:         the name
 * before, after: what stands around it in the parameter, so that what is offered can replace the
 *                whole value */
struct parts_name {
    const char *parameter;
    const char *noun;
    const char *given;
    const char *before;
    const char *after;
};

/* Answer ERR_NOT_FOUND: nothing has this name, with the nearest of the known ones. known: ended by
 * NULL. */
enum err_code parts_unknown(struct api_scope *s, const struct parts_name *name,
                            const char *const *known, struct err *e);

/* Find a model, or a GPU, by any spelling of the catalogue.
 *
 * Errors: ERR_NOT_FOUND with the nearest slugs. */
MUST_USE enum err_code parts_model(struct api_scope *s, const struct parts_name *name,
                                   const struct model **out, struct err *e);
MUST_USE enum err_code parts_gpu(struct api_scope *s, const struct parts_name *name,
                                 const struct gpu **out, struct err *e);

/* The same for a parameter that is called like what it names. */
enum err_code parts_not_found(struct api_scope *s, const char *parameter, const char *given,
                              const char *const *known, struct err *e);

#endif
