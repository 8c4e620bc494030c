/* The endpoint table: every route, its parameters, formats and handler. The index, the OpenAPI
 * document and the 405s are made from it. */
#ifndef API_ENDPOINTS_H
#define API_ENDPOINTS_H

#include "server/http.h"

/* A row's parameters that are made from the field table. */
enum endpoint_filters {
    ENDPOINT_NO_FILTERS,
    ENDPOINT_RANKING_FILTERS, /* all but model and gpu, which stand in the path */
    ENDPOINT_ALL_FILTERS,
    ENDPOINT_ROW_FILTERS /* all but fields: the columns are the endpoint's own */
};

/* One row: the server's part, and which parameters of the field table join its own.
 *
 * tag: section of the documents: "recipes", "catalogue", "cost", "service" */
struct endpoint {
    struct http_endpoint http;
    enum endpoint_filters filters;
    const char *tag;
};

/* The table, in the order that routes are looked at. */
extern const struct endpoint endpoints[];
extern const size_t endpoint_count;

/* The handlers, one file each. */
http_handler api_index;
http_handler api_models;
http_handler api_model;
http_handler api_ranking;
http_handler api_recipe;
http_handler api_history;
http_handler api_revision;
http_handler api_recipes;
http_handler api_verifications;
http_handler api_gpus;
http_handler api_gpu;
http_handler api_prices;
http_handler api_cost;
http_handler api_plan;
http_handler api_compare;
http_handler api_check;
http_handler api_openapi;
http_handler api_schema;
http_handler api_healthz;
http_handler api_readyz;
http_handler api_metrics;
http_handler api_version;
http_handler api_favicon;
http_handler api_asset;

#endif
