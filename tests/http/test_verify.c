/* `openrecipes verify` as people and timers run it: what it prints, asks for, stores and exits
 * with, and what the service shows then. */
#include "base/mem.h"
#include "tests/support/verifying.h"

#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char dense[] = "gemma-4-31b/h100/attune-tp2-pp4-split13";
static const char expert[] = "gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8";
static const char large[] = "qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8";
static const char dense_file[] = "recipes/gemma-4-31b/h100/attune-tp2-pp4-split13.yaml";

/* Expands to an array of arguments ended by NULL. */
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* With one transfer at a time, results come in this order. */
static const char all_confirmed[] =
    "confirmed      gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8: 3821830144 active parameters\n"
    "confirmed      gemma-4-31b/h100/attune-tp2-pp4-split13: 30696013824 active parameters\n"
    "confirmed      qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8: 16331407360 active "
    "parameters\n"
    "confirmed      qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k: 16331407360 active "
    "parameters\n"
    "confirmed      qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k: 16331407360 active "
    "parameters\n"
    "\n"
    "CHECKPOINT                              OUTCOME       ACTIVE        DENSE  VOCABULARY        "
    "ROUTED    EXPERTS    LEFT OUT           ALL  BY THE HUB\n"
    "Qwen/Qwen3.5-397B-A17B@8472618112ab     counted  16331407360   7764541440  1017118720  "
    "386547056640  10 of 512  7052093424  403397928944    the same\n"
    "google/gemma-4-26B-A4B-it@4d7ae4984b7d  counted   3821830144   1656258560   738197504   "
    "22837985280   8 of 128   573494862   25805936206    the same\n"
    "google/gemma-4-31B-it@842da3794eaa      counted  30696013824  29286727680  1409286144        "
    "     0          -   577075052   31273088876    the same\n"
    "\n"
    "5 recipes of 3 checkpoints: 5 confirmed; asked for 3 checkpoints in 219 requests, 10476165 "
    "bytes\n";

/* Run to an exit status and compare standard output and standard error; NULL: not compared. */
static void expect(const struct verifying *v, const char *const *arguments, int code,
                   const char *out, const char *err)
{
    struct process_result r;

    verifying_run(v, arguments, NULL, code, &r);
    if (out)
        assert_string_equal(r.out, out);
    if (err)
        assert_string_equal(r.err, err);
    process_result_done(&r);
}

static size_t requests(const struct verifying *v, const char *path)
{
    return loopback_hub_count(v->hub, LOOPBACK_HUB, path) +
           loopback_hub_count(v->hub, LOOPBACK_STORAGE, path);
}

static void all_recipes_are_confirmed_once(void **state)
{
    static const char again[] = "5 recipes of 3 checkpoints: 5 confirmed; asked for 0 checkpoints "
                                "in 0 requests, 0 bytes\n";
    struct process_result r;
    struct verifying v;
    size_t asked;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, ARGS("--jobs", "1"), 0, all_confirmed, "");
    asked = requests(&v, "/");
    assert_int_equal(asked, 219);
    verifying_run(&v, ARGS("--all"), NULL, 0, &r);
    assert_non_null(strstr(r.out, again));
    process_result_done(&r);
    assert_int_equal(requests(&v, "/"), asked);
    verifying_assert(&v, dense, "confirmed", NULL);
    verifying_assert(&v, expert, "confirmed", NULL);
    verifying_assert(&v, large, "confirmed", NULL);
    verifying_stop(&v);
}

/* Take the time out of a reply: it is checked for its form. */
static void hide_time(char *text)
{
    static const char start[] = "\"checked_at\":\"";
    char *at = strstr(text, start);

    assert_non_null(at);
    at += strlen(start);
    assert_int_equal(strspn(at, "0123456789-:TZ"), 20);
    memset(at, '0', 20);
}

static void what_was_found_is_served(void **state)
{
    static const char row[] =
        "{\"status\":\"confirmed\",\"reason\":null,\"stated\":3821830144,"
        "\"computed\":3821830144,\"repository\":\"google/gemma-4-26B-A4B-it\","
        "\"revision\":\"4d7ae4984b7db7de8f8457170b3f1a419ee76d52\","
        "\"checked_at\":\"00000000000000000000\"";
    static const char rest[] =
        ",\"sha\":\"4d7ae4984b7db7de8f8457170b3f1a419ee76d52\",\"gated\":\"false\","
        "\"breakdown\":{\"embedding\":738197504,\"head\":0,\"dense\":1656258560,"
        "\"routed\":22837985280,\"experts\":128,\"experts_per_token\":8,\"left_out\":{"
        "\"vision\":572794416,\"audio\":0,\"mtp\":0,\"per_layer_embeddings\":0,"
        "\"small\":700446},\"total\":25805936206,\"tensors\":1013,\"shards\":2},"
        "\"hub_total\":25805936206,\"hub_total_agrees\":true";
    static const char *const targets[] = {"/models/gemma-4-26b-a4b",
                                          "/models/gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8"};
    struct http_response r;
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    verifying_get(&v, "/recipes?confirmation=confirmed", &r);
    assert_int_equal(json_int_at(&r, "total"), 0);
    http_response_done(&r);
    expect(&v, ARGS("gemma-4-26b-a4b"), 0, NULL, "");
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        verifying_get(&v, targets[i], &r);
        hide_time(r.body);
        assert_non_null(strstr(r.body, row));
        assert_non_null(strstr(r.body, rest));
        http_response_done(&r);
    }
    verifying_get(&v, "/verifications?confirmation=confirmed,contradicted", &r);
    hide_time(r.body);
    assert_memory_equal(r.body,
                        "{\"total\":1,\"next\":null,\"sort\":\"-tokens_per_s_per_gpu\","
                        "\"verifications\":[{\"model\":\"gemma-4-26b-a4b\",\"gpu\":\"b200\","
                        "\"recipe\":\"attune-tp1-pp1-ep8\",\"status\":\"confirmed\"",
                        161);
    http_response_done(&r);
    verifying_get(&v, "/models/gemma-4-26b-a4b/b200?confirmation=confirmed", &r);
    assert_int_equal(json_int_at(&r, "recipes.0.audit.pass"), 13);
    assert_int_equal(json_int_at(&r, "recipes.0.audit.unknown"), 0);
    http_response_done(&r);
    verifying_get(&v, "/recipes?confirmation=not_checked", &r);
    assert_int_equal(json_int_at(&r, "total"), 4);
    http_response_done(&r);
    verifying_stop(&v);
}

/* Import the dense recipe, edited, into the service's database from a file of the same name. */
static void import_edited(const struct verifying *v, const char *from, const char *to)
{
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES];
    char *text = scratch_read(dense_file, NULL);
    char *at = strstr(text, from);
    struct buf edited;

    assert_non_null(at);
    buf_init(&edited, 1 << 20);
    buf_add(&edited, text, (size_t)(at - text));
    buf_puts(&edited, to);
    buf_puts(&edited, at + strlen(from));
    scratch_make(folder);
    scratch_path(path, folder, "attune-tp2-pp4-split13.yaml");
    scratch_write(path, edited.data, edited.len);
    service_import(&v->service, ARGS(path));
    scratch_remove(folder);
    buf_done(&edited);
    free(text);
}

static void one_parameter_more_is_contradicted_without_a_request(void **state)
{
    static const char reason[] = "30696013825 are stated, and the headers give 30696013824";
    struct process_result r;
    struct http_response page;
    struct verifying v;
    size_t asked;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, ARGS("gemma-4-31b"), 0, NULL, "");
    asked = requests(&v, "/");
    import_edited(&v, "count: 30696013824", "count: 30696013825");
    verifying_assert(&v, dense, "contradicted", reason);
    verifying_run(&v, ARGS(dense), NULL, 1, &r);
    assert_memory_equal(r.out,
                        "contradicted   gemma-4-31b/h100/attune-tp2-pp4-split13: 30696013825 are "
                        "stated, and the headers give 30696013824\n",
                        112);
    assert_string_equal(r.err, "");
    process_result_done(&r);
    verifying_get(&v, "/models/gemma-4-31b/h100/attune-tp2-pp4-split13", &page);
    assert_string_equal(json_text_at(&page, "audit.rows.13.found"), "30696013824");
    assert_string_equal(json_text_at(&page, "audit.rows.13.expected"), "30696013825");
    assert_int_equal(json_int_at(&page, "confirmation.computed"), 30696013824);
    http_response_done(&page);
    import_edited(&v, "count: 30696013824", "count: 30696013824");
    verifying_assert(&v, dense, "confirmed", NULL);
    assert_int_equal(requests(&v, "/"), asked);
    verifying_stop(&v);
}

static void a_new_database_finds_the_contradiction_too(void **state)
{
    struct process_result r;
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    import_edited(&v, "count: 30696013824", "count: 30696013823");
    verifying_run(&v, NULL, NULL, 1, &r);
    assert_non_null(strstr(r.out, "contradicted   gemma-4-31b/h100/attune-tp2-pp4-split13: "
                                  "30696013823 are stated, and the headers give 30696013824\n"));
    assert_non_null(strstr(r.out, "\n5 recipes of 3 checkpoints: 4 confirmed, 1 contradicted; "));
    process_result_done(&r);
    verifying_assert(&v, dense, "contradicted",
                     "30696013823 are stated, and the headers give 30696013824");
    verifying_assert(&v, expert, "confirmed", NULL);
    verifying_stop(&v);
}

static void another_revision_is_another_checkpoint(void **state)
{
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, NULL, 0, NULL, "");
    import_edited(&v, "revision: 842da3794eaa0b77", "revision: 842da3794eaa0b78");
    verifying_assert(&v, dense, "not_checked", NULL);
    verifying_new_hub(&v, NULL, 0);
    expect(&v, ARGS("--jobs", "32"), 0, NULL, "");
    assert_int_equal(requests(&v, "/"), 1);
    verifying_assert(&v, dense, "not_found",
                     "metadata: there is no such repository, or it is private");
    expect(&v, NULL, 0, NULL, "");
    assert_int_equal(requests(&v, "/"), 1);
    expect(&v, ARGS("--max-age", "0"), 0, NULL, "");
    assert_int_equal(requests(&v, "/"), 2);
    verifying_stop(&v);
}

/* All tries are made with their pauses, half a minute of them: this is what a timer sees. */
static void without_a_hub_what_was_confirmed_stays(void **state)
{
    static const char reason[] = "metadata: tried 6 times: Couldn't connect to server";
    struct process_result r;
    struct http_response list;
    struct verifying v;
    char *now;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, ARGS("gemma-4-31b"), 0, NULL, "");
    verifying_take_hub(&v);
    verifying_run(&v, ARGS("--refresh", "gemma-4-31b", "gemma-4-26b-a4b/b200"), NULL, 69, &r);
    now = strstr(r.out, " on 20");
    assert_non_null(now);
    memset(now + 4, '0', 10);
    assert_non_null(strstr(r.out, "unreachable    gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8: "
                                  "metadata: tried 6 times: Couldn't connect to server\n"));
    assert_non_null(strstr(r.out, "unreachable    gemma-4-31b/h100/attune-tp2-pp4-split13: "
                                  "metadata: tried 6 times: Couldn't connect to server; "
                                  "confirmed on 0000000000 stays\n"));
    assert_non_null(strstr(r.out, "\n2 recipes of 2 checkpoints: 1 confirmed, 1 unreachable; asked "
                                  "for 2 checkpoints in 12 requests, 0 bytes\n"));
    assert_string_equal(r.err, "");
    process_result_done(&r);
    verifying_assert(&v, dense, "confirmed", NULL);
    verifying_assert(&v, expert, "unreachable", reason);
    verifying_assert(&v, large, "not_checked", NULL);
    verifying_get(&v, "/verifications?sort=-active_params&limit=2", &list);
    assert_int_equal(json_int_at(&list, "total"), 5);
    assert_string_equal(json_text_at(&list, "verifications.0.recipe"), "attune-tp2-pp4-split13");
    assert_false(json_is_null_at(&list, "next"));
    http_response_done(&list);
    verifying_stop(&v);
}

/* A hub that answers for the two small models, and is silent about the large one. */
static const struct loopback_fault silent_about_large = {
    .port = LOOPBACK_HUB, .path = "/Qwen/Qwen3.5-397B-A17B/resolve", .kind = LOOPBACK_SILENT};

/* Start verifying everything against it, and wait until the two are told. */
static void begin_and_wait(const struct verifying *v, struct process *p)
{
    char line[300];

    verifying_begin(v, NULL, NULL, true, p);
    for (int i = 0; i < 2; i++) {
        assert_true(process_line(p, line, sizeof line));
        assert_memory_equal(line, "confirmed      gemma-4-", 23);
    }
}

static void assert_two_are_kept(struct verifying *v)
{
    verifying_assert(v, dense, "confirmed", NULL);
    verifying_assert(v, expert, "confirmed", NULL);
    verifying_assert(v, large, "not_checked", NULL);
    verifying_new_hub(v, NULL, 0);
    expect(v, NULL, 0, NULL, "");
    assert_int_equal(requests(v, "gemma"), 0);
    assert_true(requests(v, "Qwen") > 0);
    verifying_assert(v, large, "confirmed", NULL);
}

static void killing_it_keeps_what_is_done(void **state)
{
    struct process_result r;
    struct verifying v;
    struct process p;

    verifying_start(&v, *state, &silent_about_large, 1);
    begin_and_wait(&v, &p);
    process_signal(&p, SIGKILL);
    process_wait(&p, &r);
    assert_int_equal(r.signal, SIGKILL);
    process_result_done(&r);
    assert_two_are_kept(&v);
    verifying_stop(&v);
}

static void stopping_it_keeps_what_is_done(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT};

    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        struct process_result r;
        struct verifying v;
        struct process p;
        char line[300];
        time_t begun;

        verifying_start(&v, *state, &silent_about_large, 1);
        begin_and_wait(&v, &p);
        begun = time(NULL);
        process_signal(&p, signals[i]);
        for (int k = 0; k < 3; k++) {
            assert_true(process_line(&p, line, sizeof line));
            assert_memory_equal(line, "not_checked    qwen3.5-397b-a17b/b200/attune-", 45);
            assert_non_null(strstr(line, ": stopped"));
        }
        process_wait(&p, &r);
        assert_true(time(NULL) - begun < 10);
        assert_int_equal(r.exit_code, 75);
        assert_string_equal(r.err, "openrecipes verify: stopped\n");
        process_result_done(&r);
        assert_two_are_kept(&v);
        verifying_stop(&v);
    }
}

static void offline_nothing_is_asked(void **state)
{
    static const struct process_variable offline[] = {{"HF_HUB_OFFLINE", "1"}, {NULL, NULL}};
    struct process_result r;
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, ARGS("gemma-4-31b"), 0, NULL, "");
    verifying_new_hub(&v, NULL, 0);
    verifying_run(&v, ARGS("--refresh", "gemma-4-26b-a4b"), offline, 0, &r);
    assert_memory_equal(r.out,
                        "not_checked    gemma-4-26b-a4b/b200/attune-tp1-pp1-ep8: offline: no "
                        "request was made\n",
                        85);
    process_result_done(&r);
    verifying_run(&v, ARGS("--refresh", "gemma-4-31b"), offline, 0, &r);
    assert_non_null(strstr(r.out, ": offline: no request was made; confirmed on 20"));
    process_result_done(&r);
    assert_int_equal(requests(&v, "/"), 0);
    verifying_assert(&v, dense, "confirmed", NULL);
    verifying_assert(&v, expert, "not_checked", NULL);
    verifying_stop(&v);
}

static void the_token_goes_to_the_hub_and_nowhere_else(void **state)
{
    static const struct process_variable token[] = {{"HF_TOKEN", "hf_verysecret"}, {NULL, NULL}};
    struct loopback_request request;
    struct process_result r;
    struct verifying v;
    char *db;
    size_t len;

    verifying_start(&v, *state, NULL, 0);
    verifying_run(&v, ARGS("--format", "json"), token, 0, &r);
    assert_null(strstr(r.out, "verysecret"));
    assert_string_equal(r.err, "");
    process_result_done(&r);
    for (size_t i = 0; loopback_hub_request(v.hub, i, &request); i++)
        assert_string_equal(request.authorization,
                            request.port == LOOPBACK_HUB ? "Bearer hf_verysecret" : "");
    db = scratch_read(v.service.db, &len);
    assert_null(memmem(db, len, "verysecret", 10));
    free(db);
    verifying_stop(&v);
}

static void json_has_everything(void **state)
{
    struct process_result r;
    struct http_response as_reply = {0};
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    verifying_run(&v, ARGS("--format", "json"), NULL, 0, &r);
    as_reply.body = r.out;
    as_reply.len = strlen(r.out);
    assert_int_equal(r.out[as_reply.len - 1], '\n');
    assert_true(json_is_null_at(&as_reply, "error"));
    assert_int_equal(json_int_at(&as_reply, "checkpoints"), 3);
    assert_int_equal(json_int_at(&as_reply, "asked"), 3);
    assert_int_equal(json_int_at(&as_reply, "requests"), 219);
    assert_int_equal(json_int_at(&as_reply, "outcomes.confirmed"), 5);
    assert_int_equal(json_int_at(&as_reply, "outcomes.unreachable"), 0);
    assert_int_equal(json_count_at(&as_reply, "recipes"), 5);
    assert_string_equal(json_text_at(&as_reply, "recipes.4.model"), "gemma-4-31b");
    assert_string_equal(json_text_at(&as_reply, "recipes.4.gpu"), "h100");
    assert_string_equal(json_text_at(&as_reply, "recipes.4.recipe"), "attune-tp2-pp4-split13");
    assert_int_equal(json_int_at(&as_reply, "recipes.4.confirmation.computed"), 30696013824);
    assert_int_equal(json_int_at(&as_reply, "recipes.0.confirmation.breakdown.routed"),
                     386547056640);
    assert_true(json_is_null_at(&as_reply, "recipes.0.asked"));
    json_decref(as_reply.json);
    process_result_done(&r);
    verifying_stop(&v);
}

/* Expands to what standard error has for a mistake in the options. */
#define USAGE(text) "openrecipes verify: " text "\nSee `openrecipes verify --help`.\n"

static void mistakes_are_named(void **state)
{
    struct verifying v;

    verifying_start(&v, *state, NULL, 0);
    expect(&v, ARGS("gemma-4-31b/h10"), 66, "",
           "openrecipes verify: there is no recipe gemma-4-31b/h10; did you mean "
           "gemma-4-31b/h100?\n");
    expect(&v, ARGS("zzz"), 66, "", "openrecipes verify: there is no recipe zzz\n");
    expect(&v, ARGS("gemma-4-31b/h100/attune-tp2-pp4-split13/x"), 66, "", NULL);
    expect(&v, ARGS("--all", "gemma-4-31b"), 64, "", USAGE("--all: gemma-4-31b is named too"));
    expect(&v, ARGS("--jobs", "33"), 64, "", USAGE("--jobs: 33 is above 32"));
    expect(&v, ARGS("--max-age", "-1"), 64, "", USAGE("--max-age: -1 is below 0"));
    expect(&v, ARGS("--format", "yaml"), 64, "", USAGE("--format: yaml is not one of text|json"));
    expect(&v, ARGS("--db", "/no/such.db"), 66, "",
           "openrecipes verify: /no/such.db: No such file or directory\n");
    (void)snprintf(v.endpoint, sizeof v.endpoint, "ftp://example.com");
    expect(&v, ARGS("gemma-4-31b"), 65, "",
           "openrecipes verify: endpoint ftp://example.com: ftp is neither http nor https\n");
    assert_int_equal(requests(&v, "/"), 0);
    verifying_assert(&v, dense, "not_checked", NULL);
    verifying_stop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_recipes_are_confirmed_once),
        cmocka_unit_test(what_was_found_is_served),
        cmocka_unit_test(one_parameter_more_is_contradicted_without_a_request),
        cmocka_unit_test(a_new_database_finds_the_contradiction_too),
        cmocka_unit_test(another_revision_is_another_checkpoint),
        cmocka_unit_test(without_a_hub_what_was_confirmed_stays),
        cmocka_unit_test(killing_it_keeps_what_is_done),
        cmocka_unit_test(stopping_it_keeps_what_is_done),
        cmocka_unit_test(offline_nothing_is_asked),
        cmocka_unit_test(the_token_goes_to_the_hub_and_nowhere_else),
        cmocka_unit_test(json_has_everything),
        cmocka_unit_test(mistakes_are_named),
    };

    return cmocka_run_group_tests_name("verify", tests, hub_trial_setup, hub_trial_teardown);
}
