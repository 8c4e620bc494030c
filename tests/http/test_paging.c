/* Pages under change: whatever is imported meanwhile, a walk over the pages of any list gives each
 * recipe whose sort key did not change exactly once, in the order of a plain sort. */
#include "tests/support/http_client.h"
#include "tests/support/json_at.h"
#include "tests/support/service.h"
#include "tests/support/synthetic.h"
#include "tests/support/test.h"

#include "base/mem.h"
#include "core/cost.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every fifth recipe changes, goes and comes back while the lists are read; the one after it is
 * rewritten with what no list here is sorted or filtered by. */
enum { RECIPES = 2000, CHANGING = 5, IMPORTS = 3, LEAST_QUERIES = 45, QUERY_BYTES = 1000 };

/* What the test works with.
 *
 * known:   as first imported
 * present: whether a changing recipe's file is there now
 * seed:    of what is chosen */
struct site {
    struct service service;
    char files[SCRATCH_BYTES];
    struct synthetic known[RECIPES];
    bool present[RECIPES];
    uint32_t seed;
};

static bool is_changing(size_t index)
{
    return index % CHANGING == 0;
}

static bool is_rewritten(size_t index)
{
    return index % CHANGING == 1;
}

static int setup(void **state)
{
    struct site *site = calloc(1, sizeof *site);
    const char *const paths[] = {site ? site->files : NULL, NULL};

    assert_non_null(site);
    site->seed = 4;
    scratch_make(site->files);
    synthetic_write_catalog(site->files);
    for (size_t i = 0; i < RECIPES; i++) {
        synthetic_make(&site->known[i], 3, i);
        synthetic_write(&site->known[i], site->files);
        site->present[i] = true;
    }
    service_start(&site->service,
                  &(struct service_options){.paths = paths, .options = service_no_cache});
    *state = site;
    return 0;
}

static int teardown(void **state)
{
    struct site *site = *state;

    service_stop(&site->service);
    scratch_remove(site->files);
    free(site);
    return 0;
}

/* A value of a recipe that is sorted by; nulls come last whatever the direction. */
struct key {
    bool is_null;
    const char *text; /* NULL: number counts */
    double number;
};

static struct key number_key(double value)
{
    return (struct key){.number = value};
}

static struct key positive_key(double value)
{
    return (struct key){.is_null = value <= 0, .number = value};
}

static struct key text_key(const char *value)
{
    return (struct key){.is_null = !value, .text = value};
}

enum sort {
    BY_SPEED,
    BY_USD,
    BY_GPUS,
    BY_TP,
    BY_MFU,
    BY_OFFLOAD,
    BY_DISPATCHER,
    BY_MEASURED,
    BY_STATUS,
    BY_MODEL,
    BY_GPU,
    BY_RECIPE,
    SORTS
};

static const char *const sort_names[SORTS] = {
    [BY_SPEED] = "tokens_per_s_per_gpu",
    [BY_USD] = "usd_per_million_tokens",
    [BY_GPUS] = "gpus",
    [BY_TP] = "tp",
    [BY_MFU] = "mfu",
    [BY_OFFLOAD] = "offload",
    [BY_DISPATCHER] = "dispatcher",
    [BY_MEASURED] = "measured",
    [BY_STATUS] = "status",
    [BY_MODEL] = "model",
    [BY_GPU] = "gpu",
    [BY_RECIPE] = "recipe",
};

/* One random list.
 *
 * text:      its query
 * sorts:     those of the query, then what ends every order; with a minus for descending
 * the rest:  its conditions; 0 and NULL where there is none */
struct list {
    char text[QUERY_BYTES];
    struct {
        enum sort by;
        bool is_descending;
    } sorts[8];
    size_t sort_count;
    const char *gpus[2];
    int64_t max_gpus;
    double min_speed;
    bool is_without_offload;
    const char *dispatcher;
    const char *word;
    double price_h100; /* USD per GPU-hour */
};

static struct key key_of(const struct list *list, const struct synthetic *r, enum sort by)
{
    double price = list->price_h100 > 0 && strcmp(r->gpu, "h100") == 0 ? list->price_h100
                                                                       : synthetic_price(r->gpu);

    switch (by) {
    case BY_SPEED:
        return number_key(r->tokens_per_s_per_gpu);
    case BY_USD:
        return positive_key(price > 0 ? cost_usd_per_million_tokens(price, r->tokens_per_s_per_gpu)
                                      : 0);
    case BY_GPUS:
        return number_key((double)r->gpus);
    case BY_TP:
        return number_key((double)r->tp);
    case BY_MFU:
        return positive_key(r->mfu);
    case BY_OFFLOAD:
        return positive_key(r->offload);
    case BY_DISPATCHER:
        return text_key(r->dispatcher);
    case BY_MEASURED:
        return text_key(r->measured);
    case BY_STATUS:
        return text_key(r->status);
    case BY_MODEL:
        return text_key(r->model);
    case BY_GPU:
        return text_key(r->gpu);
    case BY_RECIPE:
    case SORTS:
        break;
    }
    return text_key(r->recipe);
}

static int compare_keys(const struct key *a, const struct key *b, bool is_descending)
{
    int order;

    if (a->is_null || b->is_null)
        return a->is_null - b->is_null;
    order = a->text ? strcmp(a->text, b->text) : (a->number > b->number) - (a->number < b->number);
    return is_descending ? -order : order;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct synthetic *const *x = a;
    const struct synthetic *const *y = b;
    const struct list *list = context;
    int order = 0;

    for (size_t i = 0; order == 0 && i < list->sort_count; i++) {
        struct key left = key_of(list, *x, list->sorts[i].by);
        struct key right = key_of(list, *y, list->sorts[i].by);

        order = compare_keys(&left, &right, list->sorts[i].is_descending);
    }
    return order;
}

static bool matches(const struct list *list, const struct synthetic *r)
{
    if (list->gpus[0] && strcmp(r->gpu, list->gpus[0]) != 0 && strcmp(r->gpu, list->gpus[1]) != 0)
        return false;
    if (list->max_gpus > 0 && r->gpus > list->max_gpus)
        return false;
    if (list->min_speed > 0 && r->tokens_per_s_per_gpu < list->min_speed)
        return false;
    if (list->is_without_offload && r->offload > 0)
        return false;
    if (list->dispatcher && (!r->dispatcher || strcmp(r->dispatcher, list->dispatcher) != 0))
        return false;
    return !list->word || strcmp(r->word, list->word) == 0;
}

/* Add to a query's text. */
static void add(struct list *list, const char *name, const char *value)
{
    size_t len = strlen(list->text);
    int added = snprintf(list->text + len, sizeof list->text - len, "%s%s=%s", len > 0 ? "&" : "",
                         name, value);

    assert_in_range(added, 1, sizeof list->text - len - 1);
}

static void add_number(struct list *list, const char *name, double value)
{
    char text[40];

    (void)snprintf(text, sizeof text, "%g", value); /* Fits. */
    add(list, name, text);
}

static void choose_filters(struct list *list, uint32_t *seed)
{
    if (synthetic_random(seed, 3) == 0) {
        list->gpus[0] = "h100";
        list->gpus[1] = synthetic_random(seed, 2) == 0 ? "x900" : "b200";
        add(list, "gpu", strcmp(list->gpus[1], "x900") == 0 ? "h100,x900" : "h100,b200");
    }
    if (synthetic_random(seed, 3) == 0)
        add_number(list, "max_gpus", (double)(list->max_gpus = 16 << synthetic_random(seed, 4)));
    if (synthetic_random(seed, 3) == 0)
        add_number(list, "min_tokens_per_s_per_gpu",
                   list->min_speed = 100 + 100 * synthetic_random(seed, 15));
    if (synthetic_random(seed, 4) == 0) {
        list->is_without_offload = true;
        add(list, "offload", "none");
    }
    if (synthetic_random(seed, 4) == 0)
        add(list, "dispatcher", list->dispatcher = "deepep");
    if (synthetic_random(seed, 4) == 0)
        add(list, "q", list->word = "cobalt");
    if (synthetic_random(seed, 3) == 0) {
        list->price_h100 = 2.5;
        add(list, "price", "h100:2.5");
    }
}

/* Choose up to three different sort keys, and add what ends every order. */
static void choose_sorts(struct list *list, uint32_t *seed)
{
    static const enum sort ends[] = {BY_MEASURED, BY_MODEL, BY_GPU, BY_RECIPE};
    size_t count = 1 + synthetic_random(seed, 3);
    char text[200] = "";

    while (list->sort_count < count) {
        enum sort by = (enum sort)synthetic_random(seed, SORTS);
        bool is_new = true;
        size_t len = strlen(text);

        for (size_t i = 0; i < list->sort_count; i++)
            is_new = is_new && list->sorts[i].by != by;
        if (!is_new)
            continue;
        list->sorts[list->sort_count].by = by;
        list->sorts[list->sort_count].is_descending = synthetic_random(seed, 2) == 0;
        (void)snprintf(text + len, sizeof text - len, "%s%s%s", len > 0 ? "," : "",
                       list->sorts[list->sort_count].is_descending ? "-" : "",
                       sort_names[by]); /* Fits. */
        list->sort_count++;
    }
    add(list, "sort", text);
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        list->sorts[list->sort_count].by = ends[i];
        list->sorts[list->sort_count++].is_descending = i == 0;
    }
}

static void choose_list(struct list *list, uint32_t *seed)
{
    static const double limits[] = {7, 50, 97, 400};

    *list = (struct list){.text = ""};
    choose_filters(list, seed);
    choose_sorts(list, seed);
    add_number(list, "limit", limits[synthetic_random(seed, COUNT_OF(limits))]);
}

/* Compare one page's rows that do not move with what is expected next.
 *
 * at: how many were seen; moved on */
static void check_page(const struct list *list, struct http_response *r,
                       const struct synthetic *const *expected, size_t count, size_t *at)
{
    for (size_t i = 0; i < json_count_at(r, "recipes"); i++) {
        const json_t *row = json_array_get(json_at(r, "recipes"), i);
        const char *recipe = json_string_value(json_object_get(row, "recipe"));

        if (is_changing((size_t)strtoul(recipe + 1, NULL, 10)))
            continue;
        if (*at == count)
            fail_msg("%s: %s is too much", list->text, recipe);
        if (strcmp(recipe, expected[*at]->recipe) != 0)
            fail_msg("%s: %s at %zu, not %s", list->text, recipe, *at, expected[*at]->recipe);
        (*at)++;
    }
}

static void walk(struct site *site, const struct list *list)
{
    const struct synthetic *expected[RECIPES];
    char path[4000];
    size_t count = 0;
    size_t at = 0;

    for (size_t i = 0; i < RECIPES; i++)
        if (!is_changing(i) && matches(list, &site->known[i]))
            expected[count++] = &site->known[i];
    qsort_r(expected, count, sizeof *expected, compare, (void *)(uintptr_t)list);
    (void)snprintf(path, sizeof path, "/recipes?%s", list->text); /* Fits. */
    while (*path) {
        struct http_response r;

        if (http_get(site->service.port, path, NULL, &r) != 200)
            fail_msg("%s: %d: %s", path, r.status, r.body);
        check_page(list, &r, expected, count, &at);
        (void)snprintf(path, sizeof path, "%s",
                       json_is_null_at(&r, "next") ? "" : json_text_at(&r, "next")); /* Fits. */
        http_response_done(&r);
    }
    if (at != count)
        fail_msg("%s: %zu of %zu", list->text, at, count);
}

/* Change, remove or bring back the file of a recipe. */
static void change_file(struct site *site, size_t index)
{
    struct synthetic r;

    synthetic_make(&r, site->seed, index);
    if (site->present[index] && synthetic_random(&site->seed, 3) == 0) {
        synthetic_remove(&r, site->files);
        site->present[index] = false;
        return;
    }
    synthetic_write(&r, site->files);
    site->present[index] = true;
}

/* Do that with some recipes, and rewrite some others. */
static void change_files(struct site *site)
{
    for (size_t i = 0; i < RECIPES; i++) {
        struct synthetic r = site->known[i];

        if ((!is_changing(i) && !is_rewritten(i)) || synthetic_random(&site->seed, 3) == 0)
            continue;
        r.step_time_cv_percent = 5 + 0.25 * synthetic_random(&site->seed, 100);
        if (is_changing(i))
            change_file(site, i);
        else
            synthetic_write(&r, site->files);
    }
}

static bool has_ended(const struct process *p)
{
    struct pollfd poll_fd = {.fd = p->pid_fd, .events = POLLIN};

    return poll(&poll_fd, 1, 0) == 1;
}

static void pages_give_what_did_not_move_exactly_once(void **state)
{
    struct site *site = *state;
    const char *const argv[] = {process_binary(), "import",    "--db", site->service.db,
                                "--prune",        site->files, NULL};
    const struct process_command command = {.argv = argv};
    int queries = 0;

    for (int i = 0; i < IMPORTS; i++) {
        struct process import;
        struct process_result result;

        change_files(site);
        process_start(&import, &command);
        for (int n = 0; n < LEAST_QUERIES / IMPORTS || !has_ended(&import); n++, queries++) {
            struct list list;

            choose_list(&list, &site->seed);
            walk(site, &list);
        }
        process_wait(&import, &result);
        if (result.exit_code != 0)
            fail_msg("%s", result.err);
        process_result_done(&result);
    }
    assert_true(queries >= LEAST_QUERIES);
}

/* The same of one long reply, each part of which is read by itself. */
static void a_stream_gives_what_did_not_move_exactly_once(void **state)
{
    struct site *site = *state;
    const char *const argv[] = {process_binary(), "import",    "--db",
                                site->service.db, site->files, NULL};
    const struct process_command command = {.argv = argv};
    struct process import;
    struct process_result result;

    change_files(site);
    process_start(&import, &command);
    while (!has_ended(&import)) {
        size_t seen[RECIPES] = {0};
        struct http_response r;

        assert_int_equal(
            http_get(site->service.port, "/recipes.csv?sort=gpus&fields=recipe", NULL, &r), 200);
        for (const char *at = strstr(r.body, ",r0"); at; at = strstr(at + 1, ",r0"))
            seen[strtoul(at + 2, NULL, 10)]++;
        for (size_t i = 0; i < RECIPES; i++)
            if (!is_changing(i))
                assert_int_equal(seen[i], 1);
        http_response_done(&r);
    }
    process_wait(&import, &result);
    assert_int_equal(result.exit_code, 0);
    process_result_done(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_give_what_did_not_move_exactly_once),
        cmocka_unit_test(a_stream_gives_what_did_not_move_exactly_once),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
