/* Migrations: from every version on, all or nothing, by one process or several, checked by
 * checksum.
 */
#include "db/checkpoints.h"
#include "db/migrate.h"
#include "db/stmt.h"
#include "tests/support/db_fixture.h"

#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
    struct fixture *f = mem_array(1, sizeof *f);

    fixture_init(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

static void open_write(struct fixture *f)
{
    struct err e;

    assert_int_equal(db_open_write(f->path, &f->db, &e), ERR_OK);
}

static void reopen(struct fixture *f)
{
    db_close(f->db);
    f->db = NULL;
    open_write(f);
}

static int stored(struct fixture *f)
{
    int version = -1;
    struct err e;

    assert_int_equal(db_stored_version(f->db, &version, &e), ERR_OK);
    return version;
}

static int64_t count(struct fixture *f, const char *sql)
{
    struct stmt s;
    int64_t found;
    struct err e;

    stmt_begin_built(&s, f->db, sql, strlen(sql), "count");
    assert_true(stmt_next(&s));
    found = stmt_int(&s, 0);
    assert_int_equal(stmt_end(&s, &e), ERR_OK);
    return found;
}

static void files_are_numbered_and_leave_transactions_alone(void **state)
{
    static const char *const words[] = {"\nBEGIN",  "\nCOMMIT",    "\nROLLBACK",
                                        "\nPRAGMA", "\nSAVEPOINT", "\nATTACH"};
    size_t found;
    const struct embed_file *files = migrate_files(&found);

    (void)state;
    assert_true(found >= 1);
    assert_int_equal(db_schema_version(), (int)found);
    for (size_t i = 0; i < found; i++) {
        char start[40];

        (void)snprintf(start, sizeof start, "migrations/%04zu_", i + 1);
        assert_true(text_starts(files[i].path, start));
        for (size_t j = 0; j < COUNT_OF(words); j++)
            assert_null(strcasestr(files[i].bytes, words[j]));
    }
}

/* What later versions added is taken away again, so that a database as of version 1 is left, with
 * data. */
static const char to_version_1[] =
    "DROP TABLE revisions; DROP TABLE first_places; DROP TABLE events; "
    "DROP INDEX recipe_texts_checkpoint; DROP TABLE checkpoints; "
    "DROP INDEX recipes_retracted; "
    "ALTER TABLE recipe_texts DROP COLUMN facts; "
    "ALTER TABLE recipe_texts ADD COLUMN card_head TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE recipe_texts ADD COLUMN card_tail TEXT NOT NULL DEFAULT ''; "
    "UPDATE recipe_texts SET (card_head, card_tail) = (SELECT card_head, card_tail FROM "
    "recipe_cards JOIN recipes USING (model, gpu, recipe) WHERE recipes.id = recipe_texts.id); "
    "DROP TABLE recipe_cards; DROP TABLE ranking_pages; "
    "DROP INDEX recipes_measured; DROP INDEX recipes_speed; DROP INDEX recipes_cost; "
    "CREATE INDEX recipes_measured ON recipes (measured); "
    "CREATE INDEX recipes_speed ON recipes (measured); "
    "CREATE INDEX recipes_cost ON recipes (measured); "
    "CREATE INDEX recipes_ranking ON recipes (measured); "
    "ALTER TABLE rankings ADD COLUMN is_main INTEGER NOT NULL DEFAULT 1; "
    "ALTER TABLE rankings ADD COLUMN newest TEXT NOT NULL DEFAULT ''; "
    "UPDATE rankings SET is_main = place = 1, gpu_position = 9, place = 1 + place % 2; "
    "DELETE FROM schema_migrations WHERE version >= 2";

/* Migrate a database of version 1 with two recipes: "first" of the fixture's, "second" is slower.
 */
static void migrate_from_version_1(struct fixture *f)
{
    struct recipe r;
    struct err e;
    int from;
    int to;

    fixture_migrate(f);
    fixture_put_catalog(f);
    fixture_recipe(&r, "first");
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    r.derived.recipe = "second";
    r.result.tokens_per_s_per_gpu = 900;
    assert_int_equal(fixture_put(f, &r), RECIPE_ADDED);
    recipe_done(&r);
    fixture_rank(f);
    db_close(f->db);
    f->db = NULL;
    fixture_sql(f, to_version_1);
    open_write(f);
    assert_int_equal(db_migrate(f->db, &from, &to, &e), ERR_OK);
    assert_int_equal(from, 1);
}

static void recipes_of_version_1_have_a_history(void **state)
{
    struct fixture *f = *state;

    migrate_from_version_1(f);
    assert_int_equal(
        count(f, "SELECT count(*) FROM revisions JOIN recipes USING (model, gpu, "
                 "recipe) JOIN recipe_texts ON recipe_texts.id = recipes.id WHERE "
                 "number = 1 AND revisions.hash = recipe_texts.hash AND revisions.first_seen = "
                 "changed_at AND replaced_at IS NULL AND revisions.audit IS NULL"),
        2);
    assert_int_equal(count(f, "SELECT count(*) FROM first_places WHERE recipe = 'first' AND since "
                              "= '2026-11-30T12:00:00Z' AND tokens_per_s_per_gpu = 1000 AND "
                              "usd_per_million_tokens = 1.91111"),
                     1);
    assert_int_equal(count(f, "SELECT count(*) FROM first_places"), 1);
    assert_int_equal(count(f, "SELECT count(*) FROM events"), 0);
}

static void recipes_of_version_1_keep_their_cards(void **state)
{
    struct fixture *f = *state;

    migrate_from_version_1(f);
    assert_int_equal(count(f,
                           "SELECT count(*) FROM recipes JOIN recipe_cards USING (model, gpu, "
                           "workload, tokens_per_s_per_gpu, measured, recipe, author, status, "
                           "gpus, runs, usd_per_million_tokens, step_time_cv_percent) WHERE "
                           "card_head = '\"recipe\":\"x\"' AND card_tail = '\"gpus\":8,\"runs\":1,"
                           "\"speed_stderr\":' || iif(recipe = 'first', '6.45497', '5.80948') AND "
                           "abs(speed_stderr - tokens_per_s_per_gpu * 0.025 / sqrt(15)) < 1e-9"),
                     2);
}

static void rankings_of_version_1_come_in_their_order(void **state)
{
    struct fixture *f = *state;

    migrate_from_version_1(f);
    assert_int_equal(count(f, "SELECT count(*) FROM rankings JOIN gpus ON gpus.slug = gpu WHERE "
                              "place = 1 AND gpu_position = gpus.position AND recipes = 2"),
                     1);
    assert_int_equal(count(f, "SELECT count(*) FROM rankings"), 1);
}

static void every_earlier_version_comes_to_the_newest(void **state)
{
    struct fixture *f = *state;
    size_t newest;
    const struct embed_file *files = migrate_files(&newest);

    for (size_t start = 0; start < newest; start++) {
        int from = -1;
        int to = -1;
        struct err e;

        (void)unlink(f->path); /* There is none the first time. */
        open_write(f);
        assert_int_equal(migrate_apply(f->db, files, start, &from, &to, &e), ERR_OK);
        assert_int_equal(from, 0);
        assert_int_equal(to, start);
        assert_int_equal(db_migrate(f->db, &from, &to, &e), ERR_OK);
        assert_int_equal(from, start);
        assert_int_equal(to, newest);
        assert_int_equal(db_migrate(f->db, &from, &to, &e), ERR_OK);
        assert_int_equal(from, newest);
        assert_int_equal(stored(f), newest);
        assert_int_equal(count(f, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
        db_close(f->db);
        f->db = NULL;
    }
}

static const struct embed_file good = {"migrations/0001_good.sql", "CREATE TABLE a (x);", 19};
static const struct embed_file other = {"migrations/0001_good.sql", "CREATE TABLE b (x);", 19};
static const struct embed_file bad = {"migrations/0002_bad.sql",
                                      "CREATE TABLE c (x); CREATE TABLE a (y);", 39};
static const struct embed_file committing = {"migrations/0002_commit.sql",
                                             "CREATE TABLE c (x); COMMIT;", 27};

static void failed_migration_leaves_the_version_before(void **state)
{
    const struct embed_file files[] = {good, bad};
    struct fixture *f = *state;
    char expected[600];
    int from = -1;
    int to = -1;
    struct err e;

    open_write(f);
    assert_int_equal(migrate_apply(f->db, files, 2, &from, &to, &e), ERR_BUG);
    (void)snprintf(expected, sizeof expected,
                   "%s: migrating: migrations/0002_bad.sql: SQL logic error", f->path);
    assert_string_equal(e.text, expected);
    assert_int_equal(from, -1);
    assert_int_equal(stored(f), 1);
    assert_int_equal(count(f, "SELECT count(*) FROM sqlite_schema WHERE name = 'c'"), 0);
    assert_int_equal(count(f, "SELECT count(*) FROM sqlite_schema WHERE name = 'a'"), 1);
}

static void migration_that_commits_is_our_bug(void **state)
{
    const struct embed_file files[] = {good, committing};
    struct fixture *f = *state;
    int from;
    int to;
    struct err e;

    open_write(f);
    assert_int_equal(migrate_apply(f->db, files, 2, &from, &to, &e), ERR_BUG);
    assert_true(text_ends(e.text, "0002_commit.sql ends the transaction, which is the runner's"));
    assert_int_equal(stored(f), 1);
}

static void changed_migration_is_refused(void **state)
{
    struct fixture *f = *state;
    int from;
    int to;
    struct err e;

    open_write(f);
    assert_int_equal(migrate_apply(f->db, &good, 1, &from, &to, &e), ERR_OK);
    assert_int_equal(migrate_apply(f->db, &other, 1, &from, &to, &e), ERR_CONFLICT);
    assert_true(text_starts(e.text, f->path));
    assert_true(text_starts(e.text + strlen(f->path),
                            ": the database was migrated by another text of "
                            "migrations/0001_good.sql (as migrations/0001_good.sql) than this "
                            "program has: it has checksum "));
    assert_int_equal(count(f, "SELECT count(*) FROM sqlite_schema WHERE name = 'b'"), 0);
}

static void newer_database_is_refused(void **state)
{
    const struct embed_file files[] = {good, other};
    struct fixture *f = *state;
    char expected[600];
    int from;
    int to;
    struct err e;

    open_write(f);
    assert_int_equal(migrate_apply(f->db, files, 2, &from, &to, &e), ERR_OK);
    assert_int_equal(migrate_apply(f->db, files, 1, &from, &to, &e), ERR_CONFLICT);
    (void)snprintf(expected, sizeof expected,
                   "%s: its schema is version 2, this program knows up to 1; use a newer "
                   "openrecipes",
                   f->path);
    assert_string_equal(e.text, expected);
}

/* Migrate in a child process, and leave it with status 0 if that worked. */
static pid_t start_child(const struct fixture *f, int (*on_progress)(void *), int *context)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct db *db = NULL;
        struct err e;
        int from;
        int to;
        bool is_good = db_open_write(f->path, &db, &e) == ERR_OK;

        if (is_good && on_progress)
            sqlite3_progress_handler(db->handle, 10, on_progress, context);
        is_good = is_good && db_migrate(db, &from, &to, &e) == ERR_OK;
        db_close(db);
        _exit(is_good ? 0 : 1);
    }
    return child;
}

static int end_child(pid_t child)
{
    int status = -1;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void processes_migrate_at_once(void **state)
{
    struct fixture *f = *state;
    pid_t children[4];

    for (size_t i = 0; i < COUNT_OF(children); i++)
        children[i] = start_child(f, NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(children); i++)
        assert_int_equal(end_child(children[i]), 0);
    open_write(f);
    assert_int_equal(stored(f), db_schema_version());
}

static int kill_me(void *context)
{
    int *left = context;

    return --*left == 0 ? kill(getpid(), SIGKILL) : 0;
}

static void killed_migration_leaves_all_or_nothing(void **state)
{
    struct fixture *f = *state;
    bool was_killed = true;
    int kills = 0;

    for (int looks = 1; was_killed; looks += 1 + looks / 4) {
        int left = looks;
        int status = end_child(start_child(f, kill_me, &left));
        int from;
        int to;
        struct err e;

        was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        kills += was_killed;
        open_write(f);
        if (stored(f) == 0)
            assert_int_equal(count(f, "SELECT count(*) FROM sqlite_schema"), 0);
        assert_int_equal(db_migrate(f->db, &from, &to, &e), ERR_OK);
        assert_int_equal(to, db_schema_version());
        db_close(f->db);
        f->db = NULL;
        assert_int_equal(unlink(f->path), 0);
    }
    assert_true(kills >= 10);
}

static void version_survives_reopening(void **state)
{
    struct fixture *f = *state;

    open_write(f);
    assert_int_equal(stored(f), 0);
    reopen(f);
    assert_int_equal(stored(f), 0);
    db_close(f->db);
    fixture_migrate(f);
    reopen(f);
    assert_int_equal(stored(f), db_schema_version());
}

static void recipes_of_version_1_have_claims(void **state)
{
    struct fixture *f = *state;
    struct claim_list claims = {0};
    struct hub_result found;
    struct arena arena;
    struct err e;

    migrate_from_version_1(f);
    arena_init(&arena, 100000);
    assert_int_equal(db_claims_get(f->db, &arena, &claims, &e), ERR_OK);
    assert_int_equal(claims.count, 2);
    assert_string_equal(claims.items[0].recipe, "first");
    assert_int_equal(claims.items[0].claim.stated, 31000000000);
    assert_int_equal(db_checkpoint_judge(f->db, &claims.items[0].claim, &found, &e), ERR_OK);
    assert_int_equal(found.outcome, HUB_NOT_CHECKED);
    assert_int_equal(count(f, "SELECT count(*) FROM recipes WHERE confirmation = 'not_checked'"),
                     2);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_numbered_and_leave_transactions_alone),
        cmocka_unit_test_setup_teardown(recipes_of_version_1_have_a_history, setup, teardown),
        cmocka_unit_test_setup_teardown(recipes_of_version_1_keep_their_cards, setup, teardown),
        cmocka_unit_test_setup_teardown(rankings_of_version_1_come_in_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(every_earlier_version_comes_to_the_newest, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_migration_leaves_the_version_before, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(migration_that_commits_is_our_bug, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_migration_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(newer_database_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(processes_migrate_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(killed_migration_leaves_all_or_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(version_survives_reopening, setup, teardown),
        cmocka_unit_test_setup_teardown(recipes_of_version_1_have_claims, setup, teardown),
    };

    return cmocka_run_group_tests_name("db_migrate", tests, NULL, NULL);
}
