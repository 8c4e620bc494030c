/* The environment of the hub's client: which variable wins, and where the token file is. */
#include "base/file.h"
#include "base/mem.h"
#include "importers/hub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const variables[] = {"HF_ENDPOINT", "HF_TOKEN",       "HF_TOKEN_PATH", "HF_HOME",
                                        "HOME",        "XDG_CACHE_HOME", "HF_HUB_OFFLINE"};

/* A folder of its own for each test, and none of the variables set. */
static int enter(void **state)
{
    char *folder = mem_text("/tmp/hub_config.XXXXXX", strlen("/tmp/hub_config.XXXXXX"));

    for (size_t i = 0; i < COUNT_OF(variables); i++)
        if (unsetenv(variables[i]) != 0)
            return -1;
    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

/* Make the path of a file in the test's folder. */
static void path_of(void **state, const char *name, char out[100])
{
    (void)snprintf(out, 100, "%s/%s", (const char *)*state, name); /* Fits. */
}

static int leave(void **state)
{
    static const char *const names[] = {"token",
                                        "other",
                                        "huggingface/token",
                                        "huggingface",
                                        ".cache/huggingface/token",
                                        ".cache/huggingface",
                                        ".cache"};
    char path[100];

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        path_of(state, names[i], path);
        (void)remove(path); /* Most of them are not there. */
    }
    if (rmdir(*state) != 0)
        return -1;
    free(*state);
    return 0;
}

static void put_file(void **state, const char *name, const char *text)
{
    char path[100];
    struct err e;

    path_of(state, name, path);
    assert_int_equal(file_write(path, text, strlen(text), &e), ERR_OK);
}

static void put_folder(void **state, const char *name)
{
    char path[100];

    path_of(state, name, path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static struct hub_config read_config(void)
{
    struct hub_config config = {0};
    struct err e = {0};

    if (hub_config_read(&config, &e) != ERR_OK)
        fail_msg("%s", e.text);
    return config;
}

static void has_defaults(void **state)
{
    struct hub_config config = read_config();

    (void)state;
    assert_string_equal(config.endpoint, "https://huggingface.co");
    assert_string_equal(config.token, "");
    assert_false(config.is_offline);
    assert_int_equal(config.jobs, 0);
    assert_null(config.is_stopped);
}

static void reads_the_endpoint(void **state)
{
    (void)state;
    assert_int_equal(setenv("HF_ENDPOINT", " https://hub.example/mirror// \n", 1), 0);
    assert_string_equal(read_config().endpoint, "https://hub.example/mirror");
    assert_int_equal(setenv("HF_ENDPOINT", "", 1), 0);
    assert_string_equal(read_config().endpoint, "https://huggingface.co");
}

static void prefers_the_token_to_the_file(void **state)
{
    char path[100];

    put_file(state, "other", "from-path\n");
    put_file(state, "token", "from-home\r\n");
    assert_int_equal(setenv("HF_HOME", *state, 1), 0);
    assert_string_equal(read_config().token, "from-home");
    path_of(state, "other", path);
    assert_int_equal(setenv("HF_TOKEN_PATH", path, 1), 0);
    assert_string_equal(read_config().token, "from-path");
    assert_int_equal(setenv("HF_TOKEN", "from-variable\n", 1), 0);
    assert_string_equal(read_config().token, "from-variable");
    assert_int_equal(setenv("HF_TOKEN", "\n", 1), 0);
    assert_string_equal(read_config().token, "from-path");
}

static void finds_the_token_in_the_cache(void **state)
{
    put_folder(state, ".cache");
    put_folder(state, ".cache/huggingface");
    put_file(state, ".cache/huggingface/token", "from-cache");
    assert_int_equal(setenv("HOME", *state, 1), 0);
    assert_string_equal(read_config().token, "from-cache");
    put_folder(state, "huggingface");
    put_file(state, "huggingface/token", "from-xdg");
    assert_int_equal(setenv("XDG_CACHE_HOME", *state, 1), 0);
    assert_string_equal(read_config().token, "from-xdg");
}

static void takes_an_empty_or_absent_file_for_no_token(void **state)
{
    assert_int_equal(setenv("HF_HOME", *state, 1), 0);
    assert_string_equal(read_config().token, "");
    put_file(state, "token", "\n");
    assert_string_equal(read_config().token, "");
}

static void refuses_values_that_are_too_long(void **state)
{
    struct hub_config config = {.jobs = 7};
    char text[3000];
    struct err e = {0};

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(setenv("HF_TOKEN", text, 1), 0);
    assert_int_equal(hub_config_read(&config, &e), ERR_INPUT);
    assert_string_equal(e.text, "HF_TOKEN is longer than 2047 bytes");
    assert_int_equal(unsetenv("HF_TOKEN"), 0);
    assert_int_equal(setenv("HF_ENDPOINT", text, 1), 0);
    assert_int_equal(hub_config_read(&config, &e), ERR_INPUT);
    assert_string_equal(e.text, "HF_ENDPOINT is longer than 511 bytes");
    assert_int_equal(unsetenv("HF_ENDPOINT"), 0);
    assert_int_equal(setenv("HF_TOKEN_PATH", *state, 1), 0);
    assert_int_equal(hub_config_read(&config, &e), ERR_INPUT);
    assert_memory_equal(e.text, "the token file: /tmp/", strlen("the token file: /tmp/"));
    assert_int_equal(config.jobs, 7);
}

static void reads_whether_it_is_offline(void **state)
{
    static const char *const yes[] = {"1", "true", "TRUE", "Yes", "on"};
    static const char *const no[] = {"", "0", "false", "off", "2"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(yes); i++) {
        assert_int_equal(setenv("HF_HUB_OFFLINE", yes[i], 1), 0);
        assert_true(read_config().is_offline);
    }
    for (size_t i = 0; i < COUNT_OF(no); i++) {
        assert_int_equal(setenv("HF_HUB_OFFLINE", no[i], 1), 0);
        assert_false(read_config().is_offline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(has_defaults, enter, leave),
        cmocka_unit_test_setup_teardown(reads_the_endpoint, enter, leave),
        cmocka_unit_test_setup_teardown(prefers_the_token_to_the_file, enter, leave),
        cmocka_unit_test_setup_teardown(finds_the_token_in_the_cache, enter, leave),
        cmocka_unit_test_setup_teardown(takes_an_empty_or_absent_file_for_no_token, enter, leave),
        cmocka_unit_test_setup_teardown(refuses_values_that_are_too_long, enter, leave),
        cmocka_unit_test_setup_teardown(reads_whether_it_is_offline, enter, leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
