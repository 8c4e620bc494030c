/* Opening: what is refused and how it is told, and that a refused file stays as it is. */
#include "db/connection.h"
#include "db/stmt.h"
#include "tests/support/db_fixture.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Check that an error's text is the database's path and what follows. */
static void assert_about(const struct fixture *f, const struct err *e, const char *rest)
{
    size_t len = strlen(f->path);

    assert_true(strncmp(e->text, f->path, len) == 0);
    assert_string_equal(e->text + len, rest);
}

/* The same with the version of this program's schema between two texts. */
static void assert_about_version(const struct fixture *f, const struct err *e, const char *before,
                                 const char *after)
{
    char text[200];

    (void)snprintf(text, sizeof text, "%s%d%s", before, db_schema_version(), after); /* Fits. */
    assert_about(f, e, text);
}

static void write_file(const struct fixture *f, const char *bytes, size_t len)
{
    struct err e;

    assert_int_equal(file_write(f->path, bytes, len, &e), ERR_OK);
}

static void nothing_there_is_not_found_for_readers(void **state)
{
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    assert_int_equal(db_open_read(f->path, &db, &e), ERR_NOT_FOUND);
    assert_about(f, &e, ": No such file or directory");
    assert_int_equal(access(f->path, F_OK), -1);
}

static void missing_folder_is_told(void **state)
{
    struct fixture *f = *state;
    char path[FIXTURE_PATH_BYTES];
    struct db *db;
    struct err e;

    fixture_path(f, "none/test.db", path);
    assert_int_equal(db_open_write(path, &db, &e), ERR_NOT_FOUND);
    assert_true(strncmp(e.text, path, strlen(path)) == 0);
    assert_non_null(strstr(e.text, ": there is no folder "));
    assert_true(text_ends(e.text, "/none"));
}

static void folder_is_no_database(void **state)
{
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    assert_int_equal(mkdir(f->path, 0700), 0);
    assert_int_equal(db_open_write(f->path, &db, &e), ERR_NOT_FOUND);
    assert_about(f, &e, ": not a regular file");
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_NOT_FOUND);
    assert_about(f, &e, ": not a regular file");
}

static void empty_path_is_told(void **state)
{
    struct db *db;
    struct err e;

    (void)state;
    assert_int_equal(db_open_write("", &db, &e), ERR_IO);
    assert_string_equal(e.text, "the database's path is empty");
}

static void text_file_is_corrupt_and_stays(void **state)
{
    static const char *const texts[] = {"hello\n", "a longer text, but no database: "
                                                   "0123456789012345678901234567890123456789"
                                                   "0123456789012345678901234567890123456789\n"};
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char *bytes;
        size_t len;

        write_file(f, texts[i], strlen(texts[i]));
        assert_int_equal(db_open_write(f->path, &db, &e), ERR_CORRUPT);
        assert_about(f, &e, ": not a database");
        assert_int_equal(db_open_read(f->path, &db, &e), ERR_CORRUPT);
        assert_about(f, &e, ": not a database");
        assert_int_equal(file_read(f->path, 1000, &bytes, &len, &e), ERR_OK);
        assert_string_equal(bytes, texts[i]);
        free(bytes);
    }
}

static void empty_file_is_new_for_writers_and_told_to_readers(void **state)
{
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    write_file(f, "", 0);
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_CONFLICT);
    assert_about_version(f, &e, ": its schema is version 0, this program needs ",
                         "; run `openrecipes migrate`");
    assert_int_equal(db_open_write(f->path, &f->db, &e), ERR_OK);
}

static void foreign_database_is_refused_and_stays(void **state)
{
    struct fixture *f = *state;
    char *before;
    char *after;
    size_t len_before;
    size_t len_after;
    struct db *db;
    struct err e;

    fixture_sql(f, "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)");
    assert_int_equal(file_read(f->path, 1 << 20, &before, &len_before, &e), ERR_OK);
    assert_int_equal(db_open_write(f->path, &db, &e), ERR_CONFLICT);
    assert_about(f, &e, ": a database of another program");
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_CONFLICT);
    assert_about(f, &e, ": a database of another program");
    assert_int_equal(file_read(f->path, 1 << 20, &after, &len_after, &e), ERR_OK);
    assert_int_equal(len_before, len_after);
    assert_memory_equal(before, after, len_before);
    free(before);
    free(after);
}

static void newer_schema_names_both_versions(void **state)
{
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    fixture_migrate(f);
    fixture_sql(f, "INSERT INTO schema_migrations VALUES (99, 'x', "
                   "'0123456789012345678901234567890123456789012345678901234567890123', "
                   "'2026-11-30T12:00:00Z')");
    assert_int_equal(db_open_write(f->path, &db, &e), ERR_CONFLICT);
    assert_about_version(f, &e, ": its schema is version 99, this program knows up to ",
                         "; use a newer openrecipes");
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_CONFLICT);
    assert_about_version(f, &e, ": its schema is version 99, this program knows up to ",
                         "; use a newer openrecipes");
}

static void damaged_page_is_corrupt(void **state)
{
    struct fixture *f = *state;
    char zeros[4096] = {0};
    FILE *file;
    struct db *db;
    struct err e;

    fixture_migrate(f);
    db_close(f->db);
    f->db = NULL;
    file = fopen(f->path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_equal(fwrite(zeros, sizeof zeros, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_CORRUPT);
    assert_about(f, &e, ": cannot be opened: database disk image is malformed");
}

static void wal_that_cannot_be_shared_says_what_to_do(void **state)
{
    struct fixture *f = *state;
    char shm[FIXTURE_PATH_BYTES];
    char expected[1024];
    struct db *db;
    struct err e;

    fixture_migrate(f);
    db_close(f->db);
    f->db = NULL;
    fixture_path(f, "test.db-shm", shm);
    assert_int_equal(symlink("nowhere/else", shm), 0);
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_IO);
    (void)snprintf(expected, sizeof expected,
                   ": cannot be read without writing %s beside it; on read-only media, serve a "
                   "copy that `openrecipes snapshot` made",
                   shm);
    assert_about(f, &e, expected);
}

static void names_are_never_addresses(void **state)
{
    static const char *const names[] = {":memory:", "file:x?mode=memory"};
    struct fixture *f = *state;
    char here[FIXTURE_PATH_BYTES];
    struct db *db;
    struct err e;

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f->folder), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(db_open_write(names[i], &db, &e), ERR_OK);
        db_close(db);
        assert_int_equal(access(names[i], F_OK), 0);
    }
    assert_int_equal(chdir(here), 0);
}

static void pragma_is(sqlite3 *handle, const char *sql, const char *expected)
{
    sqlite3_stmt *s;

    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(s, 0), expected);
    assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
}

static void writer_is_set_up(void **state)
{
    struct fixture *f = *state;
    char id[20];

    fixture_migrate(f);
    (void)snprintf(id, sizeof id, "%d", DB_APPLICATION_ID);
    pragma_is(f->db->handle, "PRAGMA application_id", id);
    pragma_is(f->db->handle, "PRAGMA journal_mode", "wal");
    pragma_is(f->db->handle, "PRAGMA synchronous", "2");
    pragma_is(f->db->handle, "PRAGMA foreign_keys", "1");
    pragma_is(f->db->handle, "PRAGMA page_size", "8192");
    pragma_is(f->db->handle, "PRAGMA trusted_schema", "0");
    pragma_is(f->db->handle, "PRAGMA mmap_size", "0");
}

static void reader_can_only_read(void **state)
{
    static const char *const refused[] = {
        "INSERT INTO facts VALUES ('a', 'b')",
        "DELETE FROM recipes",
        "UPDATE sqlite_master SET sql = ''",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "ATTACH ':memory:' AS other",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA schema_version",
        "SELECT load_extension('x')",
        "SAVEPOINT x",
    };
    struct fixture *f = *state;
    struct db *db;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_OK);
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_int_not_equal(sqlite3_exec(db->handle, refused[i], NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db->handle, "SELECT * FROM recipe_search('x')", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db->handle, "SELECT count(*) FROM recipes", NULL, NULL, NULL),
                     SQLITE_OK);
    db_close(db);
}

static void slow_statement_is_cut_off(void **state)
{
    static const char sql[] = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "SELECT count(*) FROM n";
    struct fixture *f = *state;
    struct stmt s;
    struct err e;

    fixture_migrate(f);
    db_set_time_limit(f->db, 5);
    stmt_begin_built(&s, f->db, sql, strlen(sql), "count for ever");
    assert_false(stmt_next(&s));
    assert_int_equal(stmt_end(&s, &e), ERR_BUSY);
    assert_string_equal(e.text, "could not count for ever: it took longer than 5 ms");
}

static void change_by_another_connection_is_seen(void **state)
{
    struct fixture *f = *state;
    int64_t before = 0;
    int64_t same = 0;
    int64_t after = 0;
    struct db *db;
    char *text;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_open_read(f->path, &db, &e), ERR_OK);
    assert_int_equal(db_fact_get(db, "imported_at", &text, &e), ERR_OK);
    assert_null(text);
    assert_int_equal(db_data_version(db, &before, &e), ERR_OK);
    assert_int_equal(db_data_version(db, &same, &e), ERR_OK);
    assert_int_equal(before, same);
    assert_int_equal(db_read_begin(db, &e), ERR_OK);
    assert_int_equal(db_fact_get(db, "imported_at", &text, &e), ERR_OK);
    assert_int_equal(db_fact_put(f->db, "imported_at", "now", &e), ERR_OK);
    assert_int_equal(db_fact_get(db, "imported_at", &text, &e), ERR_OK);
    assert_null(text);
    db_read_end(db);
    assert_int_equal(db_data_version(db, &after, &e), ERR_OK);
    assert_int_not_equal(before, after);
    assert_int_equal(db_fact_get(db, "imported_at", &text, &e), ERR_OK);
    assert_string_equal(text, "now");
    free(text);
    db_close(db);
}

static void snapshot_is_one_file_that_opens(void **state)
{
    struct fixture *f = *state;
    char target[FIXTURE_PATH_BYTES];
    char beside[FIXTURE_PATH_BYTES];
    struct db *reader;
    struct db *copy;
    char *text;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_fact_put(f->db, "imported_at", "now", &e), ERR_OK);
    fixture_path(f, "copy.db", target);
    assert_int_equal(db_open_read(f->path, &reader, &e), ERR_OK);
    assert_int_equal(db_snapshot(reader, target, &e), ERR_OK);
    db_close(reader);
    /* Where shared memory cannot be made, only a file without WAL opens. */
    fixture_path(f, "copy.db-shm", beside);
    assert_int_equal(symlink("nowhere/else", beside), 0);
    assert_int_equal(db_open_read(target, &copy, &e), ERR_OK);
    assert_int_equal(db_fact_get(copy, "imported_at", &text, &e), ERR_OK);
    assert_string_equal(text, "now");
    free(text);
    pragma_is(f->db->handle, "PRAGMA journal_mode", "wal");
    db_close(copy);
}

static void snapshot_does_not_overwrite(void **state)
{
    struct fixture *f = *state;
    char *bytes;
    size_t len;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_snapshot(f->db, f->path, &e), ERR_CONFLICT);
    assert_about(f, &e, ": File exists");
    fixture_path(f, "none/copy.db", f->path);
    assert_int_equal(db_snapshot(f->db, f->path, &e), ERR_IO);
    assert_about(f, &e, ": No such file or directory");
    fixture_path(f, "keep", f->path);
    write_file(f, "keep", 4);
    assert_int_equal(db_snapshot(f->db, f->path, &e), ERR_CONFLICT);
    assert_int_equal(file_read(f->path, 10, &bytes, &len, &e), ERR_OK);
    assert_string_equal(bytes, "keep");
    free(bytes);
}

struct busy {
    int runs;
    int fail;
};

static enum err_code busy_at_first(struct db *db, void *context, struct err *e)
{
    struct busy *busy = context;

    if (++busy->runs <= busy->fail)
        return err_set(e, ERR_BUSY, "try again");
    return db_fact_put(db, "runs", "ok", e);
}

static void busy_is_tried_again(void **state)
{
    struct fixture *f = *state;
    struct busy busy = {.fail = 5};
    char *text;
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_tx_run(f->db, busy_at_first, &busy, &e), ERR_OK);
    assert_int_equal(busy.runs, 6);
    assert_int_equal(db_fact_get(f->db, "runs", &text, &e), ERR_OK);
    assert_string_equal(text, "ok");
    free(text);
}

static enum err_code nest(struct db *db, void *context, struct err *e)
{
    return db_tx_run(db, busy_at_first, context, e);
}

static void transactions_do_not_nest(void **state)
{
    struct fixture *f = *state;
    struct busy busy = {0};
    struct err e;

    fixture_migrate(f);
    assert_int_equal(db_tx_run(f->db, nest, &busy, &e), ERR_BUG);
    assert_string_equal(e.text, "a transaction inside a transaction");
    assert_int_equal(busy.runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_there_is_not_found_for_readers,
                                        fixture_set_up_folder, fixture_tear_down),
        cmocka_unit_test_setup_teardown(missing_folder_is_told, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(folder_is_no_database, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test(empty_path_is_told),
        cmocka_unit_test_setup_teardown(text_file_is_corrupt_and_stays, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(empty_file_is_new_for_writers_and_told_to_readers,
                                        fixture_set_up_folder, fixture_tear_down),
        cmocka_unit_test_setup_teardown(foreign_database_is_refused_and_stays,
                                        fixture_set_up_folder, fixture_tear_down),
        cmocka_unit_test_setup_teardown(newer_schema_names_both_versions, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(damaged_page_is_corrupt, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(wal_that_cannot_be_shared_says_what_to_do,
                                        fixture_set_up_folder, fixture_tear_down),
        cmocka_unit_test_setup_teardown(names_are_never_addresses, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(writer_is_set_up, fixture_set_up_folder, fixture_tear_down),
        cmocka_unit_test_setup_teardown(reader_can_only_read, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(slow_statement_is_cut_off, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(change_by_another_connection_is_seen, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(snapshot_is_one_file_that_opens, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(snapshot_does_not_overwrite, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(busy_is_tried_again, fixture_set_up_folder,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(transactions_do_not_nest, fixture_set_up_folder,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests_name("db_open", tests, NULL, NULL);
}
