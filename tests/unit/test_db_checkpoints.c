/* What is stored of checkpoints: everything comes back, nothing inconsistent goes in. */
#include "db/checkpoints.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include <string.h>

static const char repository[] = "greek/alpha";
static const char revision[] = "842da3794eaa0b77d5f08bae87a17459d91ff475";

/* A count in which every number is another one. */
static const struct hub_result counted = {
    .outcome = HUB_CONTRADICTED,
    .reason = "1 are stated, and the headers give 1072",
    .computed = 1072, /* 1000 + 64 * 2 / 16 + 64 */
    .counts = {.config = {.experts = 16, .experts_per_token = 2},
               .active = 1072,
               .embedding = 32,
               .head = 64,
               .dense = 1000,
               .routed = 64,
               .skipped = {1, 2, 4, 8, 16},
               .total = 1191,
               .tensors = 17},
    .sha = "842da3794eaa0b77d5f08bae87a17459d91ff475",
    .gated = "manual",
    .hub_total = 1190,
    .shards = 3,
    .requests = 9,
    .bytes = 12345,
    .checked_at = "2026-11-30T08:00:00Z",
};

static const struct hub_result gated = {.outcome = HUB_GATED,
                                        .reason = "the files are shown to few",
                                        .sha = "842da3794eaa0b77d5f08bae87a17459d91ff475",
                                        .gated = "auto",
                                        .requests = 2,
                                        .checked_at = "2026-11-30T08:00:00Z"};

struct put {
    const struct hub_result *result;
    enum err_code rc;
};

static enum err_code put_tx(struct db *db, void *context, struct err *e)
{
    struct put *put = context;

    put->rc = db_checkpoint_put(db, repository, revision, put->result, e);
    return put->rc;
}

static enum err_code put(struct fixture *f, const struct hub_result *result)
{
    struct put put = {.result = result};
    struct err e;

    return db_tx_run(f->db, put_tx, &put, &e);
}

static struct hub_result get(struct fixture *f)
{
    struct hub_result found;
    struct err e;

    memset(&found, 'x', sizeof found);
    assert_int_equal(db_checkpoint_get(f->db, repository, revision, &found, &e), ERR_OK);
    return found;
}

static void what_is_not_there_was_not_checked(void **state)
{
    struct hub_result found = get(*state);

    assert_int_equal(found.outcome, HUB_NOT_CHECKED);
    assert_string_equal(found.reason, "");
    assert_string_equal(found.checked_at, "");
    assert_int_equal(found.computed, 0);
}

static void a_count_comes_back_whole(void **state)
{
    struct hub_result found;

    assert_int_equal(put(*state, &counted), ERR_OK);
    found = get(*state);
    assert_int_equal(found.outcome, HUB_CONFIRMED);
    assert_string_equal(found.reason, "");
    assert_memory_equal(&found.counts, &counted.counts, sizeof found.counts);
    assert_int_equal(found.computed, 1072);
    assert_string_equal(found.sha, counted.sha);
    assert_string_equal(found.gated, "manual");
    assert_int_equal(found.hub_total, 1190);
    assert_false(found.hub_total_agrees);
    assert_int_equal(found.shards, 3);
    assert_int_equal(found.requests, 9);
    assert_int_equal(found.bytes, 12345);
    assert_string_equal(found.checked_at, "2026-11-30T08:00:00Z");
}

static void the_hubs_total_is_compared(void **state)
{
    struct hub_result result = counted;

    result.hub_total = 1191;
    assert_int_equal(put(*state, &result), ERR_OK);
    assert_true(get(*state).hub_total_agrees);
}

static void an_outcome_without_a_count_comes_back(void **state)
{
    struct hub_result found;

    assert_int_equal(put(*state, &counted), ERR_OK);
    assert_int_equal(put(*state, &gated), ERR_OK);
    found = get(*state);
    assert_int_equal(found.outcome, HUB_GATED);
    assert_string_equal(found.reason, "the files are shown to few");
    assert_string_equal(found.gated, "auto");
    assert_int_equal(found.computed, 0);
    assert_int_equal(found.counts.total, 0);
    assert_int_equal(found.hub_total, 0);
    assert_int_equal(found.requests, 2);
}

static void what_contradicts_itself_is_refused(void **state)
{
    struct hub_result result = counted;

    result.computed = 1073;
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    result = counted;
    result.counts.total = 1192;
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    result = counted;
    result.sha[0] = '0';
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    result = gated;
    result.reason[0] = '\0';
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    result = gated;
    result.outcome = HUB_NOT_CHECKED;
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    result = gated;
    result.checked_at[0] = '\0';
    assert_int_equal(put(*state, &result), ERR_CONFLICT);
    assert_int_equal(get(*state).outcome, HUB_NOT_CHECKED);
}

static void a_claim_is_judged_by_the_count(void **state)
{
    struct hub_claim claim = {"https://huggingface.co/greek/alpha", revision, 1072};
    struct hub_result found;
    struct err e;

    struct fixture *f = *state;

    assert_int_equal(put(f, &counted), ERR_OK);
    assert_int_equal(db_checkpoint_judge(f->db, &claim, &found, &e), ERR_OK);
    assert_int_equal(found.outcome, HUB_CONFIRMED);
    claim.stated = 1073;
    assert_int_equal(db_checkpoint_judge(f->db, &claim, &found, &e), ERR_OK);
    assert_int_equal(found.outcome, HUB_CONTRADICTED);
    assert_string_equal(found.reason, "1073 are stated, and the headers give 1072");
    claim.revision = "0000000000000000000000000000000000000000";
    assert_int_equal(db_checkpoint_judge(f->db, &claim, &found, &e), ERR_OK);
    assert_int_equal(found.outcome, HUB_NOT_CHECKED);
    claim.source = "https://example.com/greek/alpha";
    assert_int_equal(db_checkpoint_judge(f->db, &claim, &found, &e), ERR_BUG);
}

static void put_recipe(struct fixture *f, const char *slug, const char *source, int64_t stated)
{
    struct recipe r;

    fixture_recipe(&r, slug);
    r.result.active_params.source = source;
    r.result.active_params.count = stated;
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    recipe_done(&r);
}

static enum err_code note_slug(void *context, const struct recipe_stored_text *text, struct err *e)
{
    (void)e;
    strncat(context, text->recipe, 1);
    return ERR_OK;
}

static enum err_code stop_at_c(void *context, const struct recipe_stored_text *text, struct err *e)
{
    (void)context;
    return strcmp(text->recipe, "c") == 0 ? err_set(e, ERR_CONFLICT, "enough") : ERR_OK;
}

static void claims_of_a_checkpoint_stand_together(void **state)
{
    static const char alpha[] = "https://huggingface.co/greek/alpha";
    static const char beta[] = "https://huggingface.co/greek/beta";
    struct fixture *f = *state;
    struct claim_list claims = {0};
    struct hub_claim claim;
    char seen[10] = "";
    struct arena arena;
    struct err e;

    arena_init(&arena, 100000);
    assert_int_equal(db_claims_get(f->db, &arena, &claims, &e), ERR_OK);
    assert_int_equal(claims.count, 0);
    put_recipe(f, "c", alpha, 3);
    put_recipe(f, "b", beta, 2);
    put_recipe(f, "a", alpha, 1);
    assert_int_equal(db_claims_get(f->db, &arena, &claims, &e), ERR_OK);
    assert_int_equal(claims.count, 3);
    assert_string_equal(claims.items[0].recipe, "a");
    assert_string_equal(claims.items[1].recipe, "c");
    assert_string_equal(claims.items[1].model, "alpha");
    assert_string_equal(claims.items[1].gpu, "h100");
    assert_string_equal(claims.items[1].claim.source, alpha);
    assert_string_equal(claims.items[1].claim.revision, revision);
    assert_string_equal(claims.items[2].recipe, "b");
    assert_int_equal(claims.items[2].claim.stated, 2);
    assert_int_equal(db_claim_get(f->db, "alpha", "h100", "c", &arena, &claim, &e), ERR_OK);
    assert_int_equal(claim.stated, 3);
    assert_int_equal(db_claim_get(f->db, "alpha", "h100", "d", &arena, &claim, &e), ERR_NOT_FOUND);
    assert_string_equal(e.text, "there is no recipe d of alpha on h100");
    assert_int_equal(db_recipes_visit_citing(f->db, alpha, revision, note_slug, seen, &e), ERR_OK);
    assert_string_equal(seen, "ca");
    assert_int_equal(db_recipes_visit_citing(f->db, alpha, revision, stop_at_c, NULL, &e),
                     ERR_CONFLICT);
    assert_string_equal(e.text, "enough");
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_there_was_not_checked, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_count_comes_back_whole, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(the_hubs_total_is_compared, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(an_outcome_without_a_count_comes_back,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_contradicts_itself_is_refused, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_claim_is_judged_by_the_count, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(claims_of_a_checkpoint_stand_together,
                                        fixture_set_up_catalog, fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_checkpoints", tests, NULL, NULL);
}
