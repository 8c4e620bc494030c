/* GET /metrics: what the server counted, the database and the process, in the text format of
 * Prometheus (prometheus.io/docs/instrumenting/exposition_formats, read 2026-11-30). */
#include "api/app.h"
#include "api/endpoints.h"
#include "api/scope.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/version.h"
#include "db/status.h"

#include <inttypes.h>
#include <time.h>

static void put_gauge(struct buf *out, const char *name, const char *help, int64_t value)
{
    if (value < 0)
        return; /* It is not known. */
    metrics_write_head(out, name, "gauge", help);
    buf_printf(out, "%s ", name);
    buf_put_int(out, value);
    buf_putc(out, '\n');
}

static void put_counter(struct buf *out, const char *name, const char *help, uint64_t value)
{
    metrics_write_head(out, name, "counter", help);
    buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

/* One line of a metric with a label. Values of labels are words of ours. */
static void put_labelled(struct buf *out, const char *name, const char *label, const char *word,
                         int64_t value)
{
    buf_printf(out, "%s{%s=\"%s\"} ", name, label, word);
    buf_put_int(out, value);
    buf_putc(out, '\n');
}

static void put_import(const struct db_status *status, struct buf *out)
{
    static const char name[] = "openrecipes_import_recipes";
    static const char *const words[] = {[DB_IMPORT_ADDED] = "added",
                                        [DB_IMPORT_CHANGED] = "changed",
                                        [DB_IMPORT_REMOVED] = "removed"};
    int64_t now = time(NULL);

    put_gauge(out, "openrecipes_import_timestamp_seconds",
              "When an import changed the collection last; 0 if none ever did.",
              status->imported_at < 0 ? 0 : status->imported_at);
    if (status->imported_at >= 0 && status->imported_at <= now)
        put_gauge(out, "openrecipes_database_age_seconds", "Time since that import.",
                  now - status->imported_at);
    metrics_write_head(out, name, "gauge", "Recipes that the last import changed, by what it did.");
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (status->imported[i] >= 0)
            put_labelled(out, name, "result", words[i], status->imported[i]);
}

static void put_status(const struct db_status *status, int schema, struct buf *out)
{
    static const char name[] = "openrecipes_confirmations";

    put_gauge(out, "openrecipes_database_schema_version", "Version of the database's schema.",
              schema);
    put_gauge(out, "openrecipes_recipes", "Recipes in the collection.", status->recipes);
    put_import(status, out);
    put_gauge(out, "openrecipes_verification_timestamp_seconds",
              "When a checkpoint was checked last; 0 if none ever was.",
              status->verified_at < 0 ? 0 : status->verified_at);
    metrics_write_head(out, name, "gauge",
                       "Recipes by what recounting their active parameters came to.");
    for (size_t i = 0; i < HUB_OUTCOMES; i++)
        put_labelled(out, name, "outcome", hub_outcome_name((enum hub_outcome)i),
                     status->outcomes[i]);
}

/* A database that cannot be read is a fact to report like others. */
static void put_database(const struct http_request *request, struct http_reply *reply,
                         struct api *api, struct buf *out)
{
    struct db_status status;
    struct api_scope s;
    struct err e;
    int schema = 0;
    enum err_code rc = api_scope_open(&s, request, reply, api, out, &e);

    if (rc == ERR_OK) {
        rc = db_stored_version(s.db, &schema, &e);
        if (rc == ERR_OK)
            rc = db_status_get(s.db, &status, &e);
        api_scope_close(&s);
    }
    put_gauge(out, "openrecipes_database_up", "Whether the database can be read.", rc == ERR_OK);
    put_gauge(out, "openrecipes_database_refused",
              "Whether another database stands in its place that cannot be served.",
              atomic_load(&api->is_refusing));
    put_counter(out, "openrecipes_database_switches_total",
                "Times that another database was put in its place.", db_pool_generation(api->pool));
    if (rc == ERR_OK)
        put_status(&status, schema, out);
}

static void put_cache(struct cache *cache, struct buf *out)
{
    struct cache_counts counts = cache_count(cache);

    put_counter(out, "openrecipes_cache_hits_total", "Requests answered by a reply that was kept.",
                counts.hits);
    put_counter(out, "openrecipes_cache_misses_total",
                "Requests for which none was kept; also of what is never kept.", counts.misses);
    put_counter(out, "openrecipes_cache_evictions_total",
                "Replies that were forgotten to make room for others.", counts.evictions);
    put_gauge(out, "openrecipes_cache_entries", "Replies that are kept.", (int64_t)counts.entries);
    put_gauge(out, "openrecipes_cache_bytes", "Memory that they take.", (int64_t)counts.bytes);
}

static void put_columns(const struct api *api, struct buf *out)
{
    put_gauge(out, "openrecipes_columns_bytes", "Memory of the columns that lists look through.",
              (int64_t)db_pool_columns_bytes(api->pool));
}

/* Names and meanings are those that every client library of Prometheus has. */
static void put_process(const struct api *api, struct buf *out)
{
    struct process_figures figures;

    process_figures_get(&figures);
    put_gauge(out, "process_resident_memory_bytes", "Resident memory size in bytes.",
              figures.resident_bytes);
    put_gauge(out, "process_virtual_memory_bytes", "Virtual memory size in bytes.",
              figures.virtual_bytes);
    put_gauge(out, "process_open_fds", "Number of open file descriptors.",
              figures.open_descriptors);
    put_gauge(out, "process_max_fds", "Maximum number of open file descriptors.",
              figures.max_descriptors);
    put_gauge(out, "process_start_time_seconds",
              "Start time of the process since unix epoch in seconds.", api->started_at);
    if (figures.cpu_seconds < 0)
        return;
    metrics_write_head(out, "process_cpu_seconds_total", "counter",
                       "Total user and system CPU time spent in seconds.");
    buf_puts(out, "process_cpu_seconds_total ");
    buf_put_real(out, figures.cpu_seconds);
    buf_putc(out, '\n');
}

enum err_code api_metrics(const struct http_request *request, struct http_reply *reply, void *app,
                          struct err *e)
{
    struct api *api = app;
    struct buf *out = http_reply_body(reply);

    (void)e;
    metrics_write_head(out, "openrecipes_build_info", "gauge", "The program; always 1.");
    buf_printf(out, "openrecipes_build_info{version=\"%s\",build=\"%s\"} 1\n", version_text(),
               version_build());
    metrics_write(api->metrics, out);
    if (api->cache)
        put_cache(api->cache, out);
    put_database(request, reply, api, out);
    put_columns(api, out);
    put_process(api, out);
    return ERR_OK;
}
