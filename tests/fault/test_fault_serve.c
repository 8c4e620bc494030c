/* Answering while an allocation fails, each in turn: the server stays up, each reply is right or
 * says 5xx, and the next request is answered as if nothing had happened. */
#include "tests/support/faults.h"
#include "tests/support/http_client.h"
#include "tests/support/service.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char recipe_path[] = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml";

/* One request of each endpoint.
 *
 * takes_recipe: it is a POST of the file above
 * is_volatile:  no two replies need be equal */
static const struct {
    const char *target;
    bool takes_recipe;
    bool is_volatile;
} requests[] = {
    {"/healthz", false, true},
    {"/", false, false},
    {"/models", false, false},
    {"/models/gemma-4-31b", false, false},
    {"/models/qwen3.5-397b-a17b/b200", false, false},
    {"/models/qwen3.5-397b-a17b/b200?price=b200:7.50", false, false},
    {"/models/gemma-4-31b/h100/attune-tp2-pp4-split13", false, false},
    {"/models/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml", false, false},
    {"/models/gemma-4-31b/h100/attune-tp2-pp4-split13.sh", false, false},
    {"/recipes?min_gpus=16&sort=-mfu&limit=2", false, false},
    {"/recipes?q=expandable_segments", false, false},
    {"/gpus", false, false},
    {"/gpus/h100", false, false},
    {"/prices", false, false},
    {"/cost?recipe=gemma-4-31b/h100/attune-tp2-pp4-split13&tokens=10B", false, false},
    {"/plan?model=qwen3.5-397b-a17b&tokens=10B&budget_usd=36000&gpu=b200", false, false},
    {"/compare.txt?a=qwen3.5-397b-a17b/b200&b=gemma-4-31b/h100", false, false},
    {"/check", true, false},
    {"/openapi.json", false, false},
    {"/schema/recipe.json", false, false},
    {"/readyz", false, true},
    {"/metrics", false, true},
    {"/version", false, true},
    {"/favicon.ico", false, false},
};

/* The first of them, which is asked to see whether the server lives. */
enum { LIVENESS };

/* What the tests work with. */
struct place {
    struct service service;
    struct faults faults;
    char folder[SCRATCH_BYTES];
    char *recipe;
    size_t recipe_len;
};

/* Send the i-th request on a new connection; the status is 0 if there was no whole reply. */
static int ask(const struct place *p, size_t i, struct http_response *out_response)
{
    bool takes_recipe = requests[i].takes_recipe;
    struct http_client client;
    int status;

    http_client_init(&client, p->service.port);
    status = http_client_send(&client, takes_recipe ? "POST" : "GET", requests[i].target, NULL,
                              takes_recipe ? p->recipe : NULL, takes_recipe ? p->recipe_len : 0,
                              out_response);
    http_client_done(&client);
    return out_response->is_cut ? 0 : status;
}

/* Fail unless a reply is the one that was given when nothing failed. */
static void check_reply(size_t i, const struct http_response *r, const struct http_response *right,
                        const char *when)
{
    if (!requests[i].is_volatile && (r->len != right->len || memcmp(r->body, right->body, r->len)))
        fail_msg("%s: %s gives %s, not %s", when, requests[i].target, r->body, right->body);
}

/* Start the server anew, so that it keeps no reply from before. */
static void restart(struct place *p)
{
    struct service_options options = {.variables = p->faults.variables};

    service_end(&p->service);
    service_serve(&p->service, &options);
}

/* Nothing fails any more: the server must answer. */
static void check_recovery(const struct place *p, size_t i, const struct http_response *right,
                           const char *when)
{
    struct http_response r;

    if (ask(p, i, &r) != 200)
        fail_msg("after %s: %s gives status %d: %s", when, requests[i].target, r.status,
                 r.body ? r.body : "");
    if (right)
        check_reply(i, &r, right, when);
    http_response_done(&r);
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
    if (status != 0 && status != 200 && status < 500)
        fail_msg("%s: %s gives status %d: %s", when, requests[i].target, status, r.body);
    if (status == 200)
        check_reply(i, &r, right, when);
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

static void fail_each(struct place *p, const struct fault_mode *mode)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct http_response right;

        assert_int_equal(ask(p, i, &right), 200);
        restart(p);
        for (long n = 1; disturb(p, mode, i, n, &right) > 0;)
            n = faults_next(n);
        check_recovery(p, i, &right, mode->name);
        http_response_done(&right);
    }
}

static void one_allocation_fails(void **state)
{
    fail_each(*state, &fault_modes[0]);
}

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    struct service_options options = {0};

    assert_non_null(p);
    p->recipe = scratch_read(recipe_path, &p->recipe_len);
    scratch_make(p->folder);
    faults_init(&p->faults, p->folder);
    options.variables = p->faults.variables;
    service_start(&p->service, &options);
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
        cmocka_unit_test(one_allocation_fails),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
