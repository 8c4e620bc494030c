/* Whole files: reading with limits, writing in one step, listing. */
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(void **state)
{
    char *folder = calloc(1, SCRATCH_BYTES);

    assert_non_null(folder);
    scratch_make(folder);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    scratch_remove(*state);
    free(*state);
    return 0;
}

/* Fail unless reading a file ends with this code, and with words that end like this. */
static void expect_refusal(const char *path, size_t limit, enum err_code code, const char *words)
{
    char *bytes = NULL;
    size_t len = 77;
    struct err e;
    size_t text_len;

    assert_int_equal(file_read(path, limit, &bytes, &len, &e), code);
    assert_null(bytes);
    assert_int_equal(len, 77);
    text_len = strlen(e.text);
    assert_true(text_len >= strlen(words));
    assert_string_equal(e.text + text_len - strlen(words), words);
    assert_memory_equal(e.text, path, strlen(path));
}

static void reading_gives_the_bytes(void **state)
{
    static const size_t sizes[] = {0, 1, 16383, 16384, 16385, 32768, 100000};
    char path[SCRATCH_BYTES];
    char *wanted = calloc(100000, 1);

    assert_non_null(wanted);
    for (size_t i = 0; i < 100000; i++)
        wanted[i] = (char)(i * 7);
    scratch_path(path, *state, "file");
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char *bytes;
        size_t len;
        struct err e;

        scratch_write(path, wanted, sizes[i]);
        assert_int_equal(file_read(path, sizes[i], &bytes, &len, &e), ERR_OK);
        assert_int_equal(len, sizes[i]);
        assert_memory_equal(bytes, wanted, len);
        assert_int_equal(bytes[len], '\0');
        free(bytes);
        if (sizes[i] > 0)
            expect_refusal(path, sizes[i] - 1, ERR_LIMIT, " bytes");
    }
    free(wanted);
}

static void only_regular_files_are_read(void **state)
{
    char path[SCRATCH_BYTES];

    expect_refusal(*state, 10, ERR_INPUT, ": not a regular file");
    expect_refusal("/dev/null", 10, ERR_INPUT, ": not a regular file");
    scratch_path(path, *state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(path, 10, ERR_INPUT, ": not a regular file");
    scratch_path(path, *state, "absent");
    expect_refusal(path, 10, ERR_NOT_FOUND, ": No such file or directory");
    scratch_path(path, *state, "file");
    scratch_write(path, "x", 1);
    scratch_path(path, *state, "file/below");
    expect_refusal(path, 10, ERR_NOT_FOUND, ": Not a directory");
}

static void a_dash_is_standard_input(void **state)
{
    char path[SCRATCH_BYTES];
    int saved = dup(STDIN_FILENO);
    char *bytes = NULL;
    size_t len;
    struct err e;
    int fd;

    scratch_path(path, *state, "input");
    scratch_write(path, "a\0b", 3);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && saved >= 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(file_read("-", 3, &bytes, &len, &e), ERR_OK);
    assert_int_equal(len, 3);
    assert_memory_equal(bytes, "a\0b", 4);
    free(bytes);
    assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_SET), 0);
    assert_int_equal(file_read("-", 2, &bytes, &len, &e), ERR_LIMIT);
    assert_string_equal(e.text, "standard input: longer than 2 bytes");
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(saved), 0);
    assert_int_equal(close(fd), 0);
}

/* How many names a folder has. */
static size_t count_files(const char *folder)
{
    struct file_list list = {0};
    size_t count;
    struct err e;

    assert_int_equal(file_list_add(&list, folder, "", 100, &e), ERR_OK);
    count = list.count;
    file_list_done(&list);
    return count;
}

static void writing_replaces_the_whole_file(void **state)
{
    char path[SCRATCH_BYTES];
    struct stat about;
    struct err e;
    char *bytes;
    size_t len;

    scratch_path(path, *state, "out");
    assert_int_equal(file_write(path, "longer text", 11, &e), ERR_OK);
    assert_int_equal(file_write(path, "a\0b", 3, &e), ERR_OK);
    bytes = scratch_read(path, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(bytes, "a\0b", 3);
    free(bytes);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(file_write(path, NULL, 0, &e), ERR_OK);
    free(scratch_read(path, &len));
    assert_int_equal(len, 0);
    assert_int_equal(count_files(*state), 1);
}

static void a_reader_keeps_the_old_file(void **state)
{
    char path[SCRATCH_BYTES];
    char part[8] = "";
    struct err e;
    int fd;

    scratch_path(path, *state, "out");
    assert_int_equal(file_write(path, "old", 3, &e), ERR_OK);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(file_write(path, "new", 3, &e), ERR_OK);
    assert_int_equal(read(fd, part, sizeof part), 3);
    assert_string_equal(part, "old");
    assert_int_equal(close(fd), 0);
}

static void a_write_that_fails_leaves_the_old_file(void **state)
{
    static char large[1 << 16];
    struct rlimit saved;
    struct rlimit small;
    char path[SCRATCH_BYTES];
    struct err e;
    char *bytes;

    scratch_path(path, *state, "out");
    assert_int_equal(file_write(path, "old", 3, &e), ERR_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
    small = (struct rlimit){.rlim_cur = 1024, .rlim_max = saved.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(file_write(path, large, sizeof large, &e), ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
    assert_non_null(strstr(e.text, "/out: File too large"));
    bytes = scratch_read(path, NULL);
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_int_equal(count_files(*state), 1);
}

static void a_write_needs_its_folder(void **state)
{
    char path[SCRATCH_BYTES];
    struct err e;

    scratch_path(path, *state, "absent/out");
    assert_int_equal(file_write(path, "x", 1, &e), ERR_NOT_FOUND);
    assert_non_null(strstr(e.text, "/absent/out: No such file or directory"));
    /* A folder stands where the file should be: the new file was written, and must not stay. */
    scratch_path(path, *state, "folder");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(file_write(path, "x", 1, &e), ERR_IO);
    assert_int_equal(count_files(*state), 0);
}

/* Make files below a folder; a name that ends with a slash is a folder. */
static void make_files(const char *folder, const char *const *names)
{
    for (; *names; names++) {
        char path[SCRATCH_BYTES];

        scratch_path(path, folder, *names);
        if ((*names)[strlen(*names) - 1] == '/')
            assert_int_equal(mkdir(path, 0700), 0);
        else
            scratch_write(path, "", 0);
    }
}

static void expect_list(const struct file_list *list, const char *folder, const char *const *names)
{
    size_t count = 0;

    for (; names[count]; count++) {
        assert_true(count < list->count);
        assert_string_equal(list->paths[count] + strlen(folder) + 1, names[count]);
    }
    assert_int_equal(list->count, count);
}

static void a_list_is_sorted_and_filtered(void **state)
{
    static const char *const made[] = {
        "b/",          "b/z.yaml",     "b/a.yaml", "a.yaml",  "B.yaml",        "note.txt", ".git/",
        ".git/x.yaml", ".hidden.yaml", "b.yaml",   "c.yaml/", "c.yaml/d.yaml", NULL};
    static const char *const wanted[] = {"B.yaml",   "a.yaml",        "b.yaml", "b/a.yaml",
                                         "b/z.yaml", "c.yaml/d.yaml", NULL};
    struct file_list list = {0};
    struct err e;

    make_files(*state, made);
    assert_int_equal(file_list_add(&list, *state, ".yaml", 6, &e), ERR_OK);
    expect_list(&list, *state, wanted);
    file_list_done(&list);
    assert_null(list.paths);
    assert_int_equal(list.count, 0);
}

static void links_to_files_count_and_links_to_folders_do_not(void **state)
{
    static const char *const made[] = {"b/", "b/z.yaml", NULL};
    static const char *const wanted[] = {"b/z.yaml", "file.yaml", NULL};
    struct file_list list = {0};
    char path[SCRATCH_BYTES];
    struct err e;

    make_files(*state, made);
    scratch_path(path, *state, "file.yaml");
    assert_int_equal(symlink("b/z.yaml", path), 0);
    scratch_path(path, *state, "folder");
    assert_int_equal(symlink("b", path), 0);
    assert_int_equal(file_list_add(&list, *state, ".yaml", 10, &e), ERR_OK);
    expect_list(&list, *state, wanted);
    file_list_done(&list);
    scratch_path(path, *state, "nowhere.yaml");
    assert_int_equal(symlink("absent", path), 0);
    scratch_path(path, *state, "pipe.yaml");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_list_add(&list, *state, ".yaml", 10, &e), ERR_OK);
    assert_int_equal(list.count, 3);
    assert_true(text_ends(list.paths[2], "/nowhere.yaml"));
    file_list_done(&list);
    scratch_path(path, *state, "folder");
    /* One that the caller names is followed. */
    assert_int_equal(file_list_add(&list, path, ".yaml", 10, &e), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_true(text_ends(list.paths[0], "/folder/z.yaml"));
    file_list_done(&list);
}

static void expect_canonical(struct file_folder *last, const char *folder, const char *name,
                             enum err_code code)
{
    char path[SCRATCH_BYTES];
    char *found = NULL;
    char *real;
    struct err e;

    scratch_path(path, folder, name);
    real = realpath(path, NULL);
    assert_int_equal(file_canonical(last, path, &found, &e), code);
    if (code == ERR_OK)
        assert_string_equal(found, real);
    free(found);
    free(real);
}

static void canonical_paths_are_those_of_the_system(void **state)
{
    static const char *const made[] = {"b/", "b/y.yaml", "b/z.yaml", "bb/", "bb/z.yaml", NULL};
    struct file_folder last = {0};
    char path[SCRATCH_BYTES];

    make_files(*state, made);
    scratch_path(path, *state, "link.yaml");
    assert_int_equal(symlink("b/z.yaml", path), 0);
    scratch_path(path, *state, "folder");
    assert_int_equal(symlink("b", path), 0);
    expect_canonical(&last, *state, "b/y.yaml", ERR_OK);
    expect_canonical(&last, *state, "b/z.yaml", ERR_OK);
    expect_canonical(&last, *state, "bb/z.yaml", ERR_OK);
    expect_canonical(&last, *state, "b/../bb/z.yaml", ERR_OK);
    expect_canonical(&last, *state, "link.yaml", ERR_OK);
    expect_canonical(&last, *state, "folder/z.yaml", ERR_OK);
    expect_canonical(&last, *state, "folder", ERR_OK);
    expect_canonical(&last, *state, "b/..", ERR_OK);
    expect_canonical(&last, *state, "b/", ERR_OK);
    expect_canonical(&last, *state, "b/absent.yaml", ERR_NOT_FOUND);
    expect_canonical(&last, *state, "absent/z.yaml", ERR_NOT_FOUND);
    expect_canonical(&last, *state, "b/z.yaml", ERR_OK);
    file_folder_done(&last);
}

static void a_slash_at_the_end_changes_nothing(void **state)
{
    static const char *const made[] = {"b/", "b/z.yaml", NULL};
    static const char *const wanted[] = {"b/z.yaml", NULL};
    struct file_list list = {0};
    char path[SCRATCH_BYTES];
    struct err e;

    make_files(*state, made);
    scratch_path(path, *state, "");
    assert_int_equal(file_list_add(&list, path, ".yaml", 10, &e), ERR_OK);
    expect_list(&list, *state, wanted);
    file_list_done(&list);
}

static void a_named_file_is_taken_whatever_its_name(void **state)
{
    struct file_list list = {0};
    char path[SCRATCH_BYTES];
    struct err e;

    scratch_path(path, *state, ".odd.txt");
    scratch_write(path, "", 0);
    assert_int_equal(file_list_add(&list, path, ".yaml", 10, &e), ERR_OK);
    assert_int_equal(file_list_add(&list, "/dev/null", ".yaml", 10, &e), ERR_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.paths[0], path);
    assert_string_equal(list.paths[1], "/dev/null");
    file_list_done(&list);
}

static void a_failed_addition_leaves_the_list_as_it_was(void **state)
{
    static const char *const made[] = {"a.yaml", "b.yaml", "c.yaml", NULL};
    struct file_list list = {0};
    char path[SCRATCH_BYTES];
    struct err e;

    make_files(*state, made);
    scratch_path(path, *state, "a.yaml");
    assert_int_equal(file_list_add(&list, path, ".yaml", 10, &e), ERR_OK);
    assert_int_equal(file_list_add(&list, *state, ".yaml", 3, &e), ERR_LIMIT);
    assert_non_null(strstr(e.text, ": more than 3 files"));
    assert_int_equal(list.count, 1);
    scratch_path(path, *state, "absent");
    assert_int_equal(file_list_add(&list, path, ".yaml", 10, &e), ERR_NOT_FOUND);
    assert_non_null(strstr(e.text, "/absent: No such file or directory"));
    assert_int_equal(file_list_add(&list, "", ".yaml", 10, &e), ERR_NOT_FOUND);
    assert_int_equal(list.count, 1);
    assert_int_equal(file_list_add(&list, *state, ".yaml", 4, &e), ERR_OK);
    assert_int_equal(list.count, 4);
    file_list_done(&list);
}

static void paths_are_tidied(void **state)
{
    static const char *const pairs[][2] = {
        {"a/b.yaml", "a/b.yaml"},
        {"a//b", "a/b"},
        {"a/./b", "a/b"},
        {"a/.", "a"},
        {"a/", "a"},
        {"./a", "a"},
        {".//a/.//", "a"},
        {".", "."},
        {"./", "."},
        {"/", "/"},
        {"//", "/"},
        {"/.", "/"},
        {"//a", "/a"},
        {"/./a", "/a"},
        {"../a", "../a"},
        {"a/../b", "a/../b"},
        {"a/.b/.", "a/.b"},
        {"", ""},
        {"-", "-"},
        {"a./b", "a./b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char path[20];

        (void)snprintf(path, sizeof path, "%s", pairs[i][0]);
        file_path_tidy(path);
        assert_string_equal(path, pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_tidied),
        cmocka_unit_test_setup_teardown(reading_gives_the_bytes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(only_regular_files_are_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_dash_is_standard_input, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(writing_replaces_the_whole_file, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_reader_keeps_the_old_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_write_that_fails_leaves_the_old_file, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_write_needs_its_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_list_is_sorted_and_filtered, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(links_to_files_count_and_links_to_folders_do_not,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(canonical_paths_are_those_of_the_system, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_slash_at_the_end_changes_nothing, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_named_file_is_taken_whatever_its_name, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_failed_addition_leaves_the_list_as_it_was, make_folder,
                                        remove_folder),
    };

    /* Past RLIMIT_FSIZE a write must fail, not end the program. */
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
