/* History: revisions of recipes that change, go and come back, and the events of it. */
#include "db/events.h"
#include "db/rankings.h"
#include "db/revisions.h"
#include "tests/support/db_fixture.h"
#include "tests/support/test.h"

#include "base/buf.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

static const char first_time[] = "2026-12-01T00:00:00Z";
static const char second_time[] = "2026-12-02T00:00:00Z";
static const char third_time[] = "2026-12-03T00:00:00Z";

/* One import of one recipe: its file's text, its speed, when; or its removal, where text is NULL.
 *
 * audit: NULL: {"summary":"fine"} */
struct import {
    const char *slug;
    const char *text;
    double speed;
    const char *now;
    const char *audit;
};

static bool is_kept(void *context, const char *source)
{
    const struct import *import = context;

    return !strstr(source, import->slug);
}

static enum err_code put(struct db *db, const struct import *import, struct err *e)
{
    enum recipe_change change;
    char hash[HASH_HEX_BYTES];
    char source[100];
    struct recipe r;
    const struct recipe_entry entry = {
        .recipe = &r,
        .source = source,
        .hash = hash,
        .yaml = import->text,
        .yaml_len = strlen(import->text),
        .document = "{}",
        .audit = import->audit ? import->audit : "{\"summary\":\"fine\"}",
        .card_head = "\"recipe\":\"x\"",
        .card_tail = "\"gpus\":8",
        .facts = "facts",
    };

    (void)snprintf(source, sizeof source, "/data/%s.yaml", import->slug); /* Fits. */
    hash_sha256(import->text, strlen(import->text), hash);
    fixture_recipe(&r, import->slug);
    r.result.tokens_per_s_per_gpu = import->speed;
    return db_recipe_put(db, &entry, import->now, &change, e);
}

static enum err_code import_tx(struct db *db, void *context, struct err *e)
{
    struct import *import = context;
    size_t removed;
    enum err_code rc =
        import->text ? put(db, import, e)
                     : db_recipes_prune(db, "/data", is_kept, import, import->now, &removed, e);

    if (rc == ERR_OK)
        rc = db_rankings_rebuild(db, e);
    return rc == ERR_OK ? db_first_places_note(db, import->now, e) : rc;
}

static void import_one(struct fixture *f, struct import one)
{
    struct err e;

    if (db_tx_run(f->db, import_tx, &one, &e) != ERR_OK)
        fail_msg("%s", e.text);
}

static void import(struct fixture *f, const char *slug, const char *text, double speed,
                   const char *now)
{
    import_one(f, (struct import){slug, text, speed, now, NULL});
}

/* Compare a recipe's revisions, one "first_seen replaced_at speed" a line, newest first. */
static void assert_revisions(struct fixture *f, const char *slug, const char *expected)
{
    struct revision_list list;
    struct arena arena;
    struct buf found;
    struct err e;

    arena_init(&arena, 1 << 20);
    buf_init(&found, 1 << 16);
    assert_int_equal(db_revisions_list(f->db, "alpha", "h100", slug, &arena, &list, &e), ERR_OK);
    for (size_t i = 0; i < list.count; i++)
        buf_printf(&found, "%s %s %g\n", list.items[i].first_seen,
                   list.items[i].replaced_at ? list.items[i].replaced_at : "-",
                   list.items[i].tokens_per_s_per_gpu);
    assert_string_equal(buf_text(&found), expected);
    buf_done(&found);
    arena_done(&arena);
}

/* Compare the newest events, one "kind recipe before after" a line. */
static void assert_events(struct fixture *f, const struct recipe_query *query, const char *expected)
{
    struct event_list list;
    struct arena arena;
    struct buf found;
    struct err e;

    arena_init(&arena, 1 << 20);
    buf_init(&found, 1 << 16);
    if (db_events_list(f->db, query, &arena, &list, &e) != ERR_OK)
        fail_msg("%s", e.text);
    for (size_t i = 0; i < list.count; i++)
        buf_printf(&found, "%s %s %g %g%s%s\n", list.items[i].kind, list.items[i].recipe,
                   list.items[i].old_tokens_per_s_per_gpu, list.items[i].tokens_per_s_per_gpu,
                   list.items[i].old_recipe ? " after " : "",
                   list.items[i].old_recipe ? list.items[i].old_recipe : "");
    assert_string_equal(buf_text(&found), expected);
    buf_done(&found);
    arena_done(&arena);
}

/* Compare what the revision with a text's hash says. */
static void assert_text(struct fixture *f, const char *slug, const char *text,
                        const char *first_seen)
{
    char hash[HASH_HEX_BYTES];
    struct revision_text found;
    struct arena arena;
    struct err e;

    arena_init(&arena, 1 << 20);
    hash_sha256(text, strlen(text), hash);
    assert_int_equal(db_revision_get(f->db, "alpha", "h100", slug, hash, &arena, &found, &e),
                     ERR_OK);
    assert_string_equal(found.yaml, text);
    assert_int_equal(found.yaml_len, strlen(text));
    assert_string_equal(found.first_seen, first_seen);
    assert_string_equal(found.audit, "{\"summary\":\"fine\"}");
    assert_string_equal(found.document, "{}");
    assert_string_equal(found.run, "python3 train.py --tensor-model-parallel-size 2\n");
    arena_done(&arena);
}

static void a_changed_recipe_keeps_what_it_was(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    assert_revisions(f, "a", "2026-12-01T00:00:00Z - 1000\n");
    assert_text(f, "a", "one", first_time);
    import(f, "a", "two", 1100, second_time);
    assert_revisions(f, "a",
                     "2026-12-02T00:00:00Z - 1100\n"
                     "2026-12-01T00:00:00Z 2026-12-02T00:00:00Z 1000\n");
    assert_text(f, "a", "one", first_time);
    assert_text(f, "a", "two", second_time);
}

static void the_same_bytes_make_no_revision(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    /* Judged anew: the bytes are the same, what is stored beside them is not. */
    import(f, "a", "one", 1000.5, second_time);
    assert_revisions(f, "a", "2026-12-01T00:00:00Z - 1000\n");
    assert_events(f, &(struct recipe_query){.limit = 10},
                  "first_place a 0 1000\naddition a 0 1000\n");
}

static void a_revision_keeps_the_audit_of_its_import(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    import_one(f, (struct import){"a", "one", 1000, second_time, "{\"summary\":\"dear\"}"});
    assert_text(f, "a", "one", first_time);
    import_one(f, (struct import){"a", "one", 1000, second_time, "{\"summary\":\"cheap\"}"});
    assert_text(f, "a", "one", first_time);
    import(f, "a", "two", 1100, third_time);
    assert_text(f, "a", "one", first_time);
    assert_text(f, "a", "two", third_time);
}

static void bytes_that_come_back_are_served_from_their_first_time(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    import(f, "a", "two", 1100, second_time);
    import(f, "a", "one", 1000, third_time);
    assert_revisions(f, "a",
                     "2026-12-03T00:00:00Z - 1000\n"
                     "2026-12-02T00:00:00Z 2026-12-03T00:00:00Z 1100\n"
                     "2026-12-01T00:00:00Z 2026-12-02T00:00:00Z 1000\n");
    assert_text(f, "a", "one", first_time);
}

static void a_removed_recipe_keeps_its_history_and_may_live_again(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    import(f, "a", NULL, 0, second_time);
    assert_revisions(f, "a", "2026-12-01T00:00:00Z 2026-12-02T00:00:00Z 1000\n");
    assert_text(f, "a", "one", first_time);
    import(f, "a", "one", 1000, third_time);
    assert_revisions(f, "a",
                     "2026-12-03T00:00:00Z - 1000\n"
                     "2026-12-01T00:00:00Z 2026-12-02T00:00:00Z 1000\n");
    assert_text(f, "a", "one", first_time);
    assert_events(f, &(struct recipe_query){.limit = 10},
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n"
                  "removal a 1000 0\n"
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n");
}

static void unknown_revision_is_not_found(void **state)
{
    struct fixture *f = *state;
    struct revision_text found;
    struct arena arena;
    struct err e;

    import(f, "a", "one", 1000, first_time);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_revision_get(f->db, "alpha", "h100", "a", "00", &arena, &found, &e),
                     ERR_NOT_FOUND);
    assert_string_equal(e.text, "there is no revision 00 of a");
    arena_done(&arena);
}

static void events_tell_who_took_the_first_place(void **state)
{
    struct fixture *f = *state;

    import(f, "a", "one", 1000, first_time);
    import(f, "b", "one", 900, first_time);
    import(f, "b", "two", 1200, second_time);
    import(f, "b", "three", 1100, third_time);
    import(f, "a", "two", 1000, third_time);
    import(f, "b", NULL, 0, third_time);
    assert_events(f, &(struct recipe_query){.limit = 100},
                  "first_place a 1100 1000 after b\n"
                  "removal b 1100 0\n"
                  "change a 1000 1000\n"
                  "change b 1200 1100\n"
                  "first_place b 1000 1200 after a\n"
                  "improvement b 900 1200\n"
                  "addition b 0 900\n"
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n");
    assert_events(f, &(struct recipe_query){.limit = 2},
                  "first_place a 1100 1000 after b\n"
                  "removal b 1100 0\n");
}

static void first_place_has_a_date_that_only_another_recipe_changes(void **state)
{
    struct fixture *f = *state;
    struct ranking_list list;
    struct arena arena;
    struct err e;

    import(f, "a", "one", 1000, first_time);
    import(f, "b", "one", 1200, second_time);
    import(f, "b", "two", 1300, third_time);
    arena_init(&arena, 1 << 20);
    assert_int_equal(db_rankings_of(f->db, "alpha", "h100", &arena, &list, &e), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].best_recipe, "b");
    assert_string_equal(list.items[0].first_place_since, second_time);
    arena_done(&arena);
}

static void events_are_filtered_like_recipes(void **state)
{
    static const char gone[] = "gone";
    struct fixture *f = *state;
    const struct query_value model = {.kind = QUERY_TEXT, .text = "alpha"};
    const struct query_value speed = {.kind = QUERY_REAL, .real = 950};
    const struct query_filter filters[] = {
        {field_by_column(&recipe_fields, "model"), QUERY_ANY_OF, &model, 1},
        {field_by_column(&recipe_fields, "tokens_per_s_per_gpu"), QUERY_MIN, &speed, 1},
    };
    struct recipe_query query = {.filters = filters, .filter_count = 1, .limit = 10};

    import(f, "a", "one", 1000, first_time);
    import(f, "b", "one", 900, first_time);
    import(f, gone, "one", 2000, second_time);
    import(f, gone, NULL, 0, third_time);
    assert_events(f, &query,
                  "first_place a 2000 1000 after gone\n"
                  "removal gone 2000 0\n"
                  "first_place gone 1000 2000 after a\n"
                  "addition gone 0 2000\n"
                  "addition b 0 900\n"
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n");
    query.filter_count = 2;
    assert_events(f, &query,
                  "first_place a 2000 1000 after gone\n"
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n");
    query.text = "embedding\"";
    query.as_of = "2026-10-20";
    assert_events(f, &query,
                  "first_place a 2000 1000 after gone\n"
                  "first_place a 0 1000\n"
                  "addition a 0 1000\n");
    query.as_of = "2026-10-19";
    assert_events(f, &query, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_changed_recipe_keeps_what_it_was, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(the_same_bytes_make_no_revision, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_revision_keeps_the_audit_of_its_import,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(bytes_that_come_back_are_served_from_their_first_time,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_removed_recipe_keeps_its_history_and_may_live_again,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(unknown_revision_is_not_found, fixture_set_up_catalog,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(events_tell_who_took_the_first_place,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(first_place_has_a_date_that_only_another_recipe_changes,
                                        fixture_set_up_catalog, fixture_tear_down),
        cmocka_unit_test_setup_teardown(events_are_filtered_like_recipes, fixture_set_up_catalog,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_history", tests, NULL, NULL);
}
