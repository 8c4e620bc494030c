/* Answering while memory or the disk fails at every point in turn: the server stays up, each reply
 * is right or says 5xx, and the next request is answered as if nothing had happened. */
#include "api/endpoints.h"
#include "tests/support/faults.h"
#include "tests/support/http_client.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char recipe_path[] = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml";

/* Requests of every endpoint.
 *
 * endpoint:     its id in the endpoint table
 * target:       NULL: a file of the page for browsers, whose address changes with it
 * takes_recipe: it is a POST of the file above
 * is_volatile:  no two replies need be equal */
static const struct {
    const char *endpoint;
    const char *target;
    bool takes_recipe;
    bool is_volatile;
} requests[] = {
    {"healthz", "/healthz", false, true},
    {"readyz", "/readyz", false, true},
    {"index", "/", false, false},
    {"models", "/models", false, false},
    {"model", "/models/gemma-4-31b", false, false},
    {"ranking", "/models/qwen3.5-397b-a17b/b200", false, false},
    {"ranking", "/models/qwen3.5-397b-a17b/b200?price=b200:7.50", false, false},
    {"recipe", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13", false, false},
    {"recipe", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", false, false},
    {"recipe", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh", false, false},
    {"recipe", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13.html", false, false},
    {"history", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13/history", false, false},
    {"revision",
     "/models/gemma-4-31b/h100/attune-tp2-pp4-split13@"
     "4c0f501e44f8f227c4b6d9fac38b18b53f1445e3c8850365697698031857fa05",
     false, false},
    {"recipes", "/recipes.csv", false, false},
    {"recipes", "/recipes.atom", false, false},
    {"recipes", "/recipes?min_gpus=16&sort=-mfu&limit=2", false, false},
    {"recipes", "/recipes?q=expandable_segments", false, false},
    {"verifications", "/verifications", false, false},
    {"gpus", "/gpus", false, false},
    {"gpu", "/gpus/h100", false, false},
    {"prices", "/prices", false, false},
    {"cost", "/cost?recipe=gemma-4-31b/h100/attune-tp2-pp4-split13&tokens=10B", false, false},
    {"plan", "/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&gpu=b200", false, false},
    {"compare", "/compare.txt?a=qwen3.5-397b-a17b/b200&b=gemma-4-31b/h100", false, false},
    {"check", "/check", true, false},
    {"openapi", "/openapi.json", false, false},
    {"recipe_schema", "/schema/recipe.json", false, false},
    {"metrics", "/metrics", false, true},
    {"version", "/version", false, true},
    {"docs", "/docs", false, false},
    {"asset", NULL, false, false},
    {"favicon", "/favicon.ico", false, false},
};

/* Places among them: what is asked to see whether the server lives, and what opens a connection to
 * the database and little more. */
enum { LIVENESS, READINESS };

/* What the tests work with.
 *
 * asset:   address of a file of the page for browsers
 * is_warm: a connection to the database is open before each request that is disturbed */
struct place {
    struct service service;
    struct faults faults;
    char folder[SCRATCH_BYTES];
    char asset[64];
    char *recipe;
    size_t recipe_len;
    bool is_warm;
};

static const char *target_of(const struct place *p, size_t i)
{
    return requests[i].target ? requests[i].target : p->asset;
}

/* Send the i-th request on a new connection; the status is 0 if there was no whole reply. */
static int ask(const struct place *p, size_t i, struct http_response *out_response)
{
    bool takes_recipe = requests[i].takes_recipe;
    struct http_client client;
    int status;

    http_client_init(&client, p->service.port);
    status = http_client_send(&client, takes_recipe ? "POST" : "GET", target_of(p, i), NULL,
                              takes_recipe ? p->recipe : NULL, takes_recipe ? p->recipe_len : 0,
                              out_response);
    http_client_done(&client);
    return out_response->is_cut ? 0 : status;
}

/* Fail unless a reply is the one that was given when nothing failed. */
static void check_reply(const struct place *p, size_t i, const struct http_response *r,
                        const struct http_response *right, const char *when)
{
    if (!requests[i].is_volatile && (r->len != right->len || memcmp(r->body, right->body, r->len)))
        fail_msg("%s: %s gives %s, not %s", when, target_of(p, i), r->body, right->body);
}

/* Fail unless a reply is the right one, or says that the service could not give it, or none came.
 */
static void check_disturbed(const struct place *p, size_t i, const struct http_response *r,
                            const struct http_response *right, int status, const char *when)
{
    const char *type = status ? http_response_header(r, "Content-Type") : NULL;

    if (status == 200)
        check_reply(p, i, r, right, when);
    else if (status != 0 && ((status != 500 && status != 503) || !type ||
                             strcmp(type, "application/problem+json") != 0))
        fail_msg("%s: %s gives status %d: %s", when, target_of(p, i), status, r->body);
}

/* Nothing fails any more: the server must answer. */
static void check_recovery(const struct place *p, size_t i, const struct http_response *right,
                           const char *when)
{
    struct http_response r;

    if (ask(p, i, &r) != 200)
        fail_msg("after %s: %s gives status %d: %s", when, target_of(p, i), r.status,
                 r.body ? r.body : "");
    if (right)
        check_reply(p, i, &r, right, when);
    http_response_done(&r);
}

/* Start the server anew, so that it keeps no reply from before. It has one thread, so that what was
 * opened for one request is there for the next. */
static void serve(struct place *p)
{
    static const char *const arguments[] = {"--threads", "1", NULL};
    const struct service_options options = {.options = arguments, .variables = p->faults.variables};

    service_serve(&p->service, &options);
    if (p->is_warm)
        check_recovery(p, READINESS, NULL, "the start");
}

static void restart(struct place *p)
{
    service_end(&p->service);
    serve(p);
}

/* Send the i-th request while the n-th call fails.
 *
 * returns how many calls failed */
static long disturb(struct place *p, const struct fault_mode *mode, size_t i, long n,
                    const struct http_response *right)
{
    bool is_checked_whole = n % 20 == 0;
    struct http_response r;
    char when[300];
    long injected;
    int status;

    assert_true(snprintf(when, sizeof when, "%s, call %ld", mode->name, n) > 0);
    faults_arm(&p->faults, mode, n);
    status = ask(p, i, &r);
    injected = faults_disarm(&p->faults);
    check_disturbed(p, i, &r, right, status, when);
    http_response_done(&r);
    if (is_checked_whole)
        check_recovery(p, i, right, when);
    else
        check_recovery(p, LIVENESS, NULL, when);
    /* A right reply may be kept, and would be given next time whatever fails. */
    if (status == 200 || is_checked_whole)
        restart(p);
    return injected;
}

/* Disturb each call of the i-th request in turn. */
static void fail_each_call(struct place *p, const struct fault_mode *mode, size_t i)
{
    struct http_response right;

    assert_int_equal(ask(p, i, &right), 200);
    restart(p);
    for (long n = 1; disturb(p, mode, i, n, &right) > 0;)
        n = faults_next(n);
    check_recovery(p, i, &right, mode->name);
    http_response_done(&right);
}

static bool is_asked(const char *endpoint)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (strcmp(requests[i].endpoint, endpoint) == 0)
            return true;
    return false;
}

static void every_endpoint_is_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < endpoint_count; i++)
        if (!is_asked(endpoints[i].http.id))
            fail_msg("no request of %s is disturbed", endpoints[i].http.id);
}

static void requests_while_something_fails(void **state)
{
    struct place *p = *state;

    p->is_warm = true;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        fail_each_call(p, &fault_modes[FAULT_ONE_ALLOCATION], i);
        fail_each_call(p, &fault_modes[FAULT_NO_MEMORY], i);
        fail_each_call(p, &fault_modes[FAULT_ONE_OPERATION], i);
    }
}

/* SQLite tries for two seconds to get a lock, so one request must do. */
static void a_request_without_a_disk(void **state)
{
    struct place *p = *state;

    p->is_warm = true;
    fail_each_call(p, &fault_modes[FAULT_NO_DISK], READINESS);
}

static void opening_the_database_while_something_fails(void **state)
{
    struct place *p = *state;

    p->is_warm = false;
    fail_each_call(p, &fault_modes[FAULT_ONE_ALLOCATION], READINESS);
    fail_each_call(p, &fault_modes[FAULT_NO_MEMORY], READINESS);
    fail_each_call(p, &fault_modes[FAULT_ONE_OPERATION], READINESS);
}

/* The page says where its files are. */
static void find_asset(struct place *p)
{
    struct http_response r;
    const char *at;
    size_t len;

    assert_int_equal(http_get(p->service.port, "/docs", NULL, &r), 200);
    at = strstr(r.body, "/assets/");
    assert_non_null(at);
    len = strcspn(at, "\"");
    assert_true(len < sizeof p->asset);
    memcpy(p->asset, at, len);
    http_response_done(&r);
}

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->recipe = scratch_read(recipe_path, &p->recipe_len);
    scratch_make(p->folder);
    faults_init(&p->faults, p->folder);
    service_start(&p->service, NULL);
    find_asset(p);
    restart(p);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;

    service_stop(&p->service);
    faults_done(&p->faults);
    scratch_remove(p->folder);
    free(p->recipe);
    free(p);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_endpoint_is_asked),
        cmocka_unit_test(requests_while_something_fails),
        cmocka_unit_test(a_request_without_a_disk),
        cmocka_unit_test(opening_the_database_while_something_fails),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
