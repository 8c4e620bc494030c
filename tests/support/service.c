/* Import, serve, stop. */
#include "tests/support/service.h"

#include "base/num.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* More arguments than any test gives. */
enum { ARGUMENTS = 32 };

const char *const service_no_cache[] = {"--cache-bytes", "0", NULL};

static size_t append(const char *argv[ARGUMENTS], size_t count, const char *const *more)
{
    for (; more && *more; more++) {
        assert_true(count + 1 < ARGUMENTS);
        argv[count++] = *more;
    }
    argv[count] = NULL;
    return count;
}

void service_import(const struct service *s, const char *const *arguments)
{
    const char *argv[ARGUMENTS] = {process_binary(), "import", "--db", s->db};
    struct process_command command = {.argv = argv};
    struct process_result result;

    append(argv, 4, arguments);
    process_run(&command, &result);
    process_check_sanitizers(&result);
    if (result.exit_code != 0)
        fail_msg("import ended with %d, signal %d: %s%s", result.exit_code, result.signal,
                 result.out, result.err);
    process_result_done(&result);
}

/* serve says where it listens in its first line; port 0 was asked for, so this is how to know. */
static void learn_port(struct service *s)
{
    static const char start[] = "listening on http://127.0.0.1:";
    struct process_result result;
    struct err e;
    char line[256];
    int64_t port;

    if (!process_line(&s->process, line, sizeof line)) {
        process_wait(&s->process, &result);
        fail_msg("serve ended with %d, signal %d: %s", result.exit_code, result.signal, result.err);
    }
    if (strncmp(line, start, sizeof start - 1) != 0)
        fail_msg("serve said \"%s\"", line);
    if (num_parse_int(line + sizeof start - 1, strlen(line) - (sizeof start - 1), 1, 65535, &port,
                      &e) != ERR_OK)
        fail_msg("serve said \"%s\": %s", line, e.text);
    s->port = (unsigned)port;
}

static const struct service_options nothing_special;

void service_serve(struct service *s, const struct service_options *options)
{
    const struct service_options *o = options ? options : &nothing_special;
    const char *argv[ARGUMENTS] = {process_binary(), "serve",      "--db", s->db,
                                   "--listen",       "127.0.0.1:0"};
    struct process_command command = {.argv = argv, .variables = o->variables, .is_piped = true};

    append(argv, 6, o->options);
    process_start(&s->process, &command);
    learn_port(s);
}

void service_end(struct service *s)
{
    struct process_result result;

    process_signal(&s->process, SIGTERM);
    process_wait(&s->process, &result);
    process_check_sanitizers(&result);
    if (result.exit_code != 0)
        fail_msg("serve ended with %d, signal %d: %s", result.exit_code, result.signal, result.err);
    process_result_done(&result);
}

void service_start(struct service *s, const struct service_options *options)
{
    static const char *const usual_paths[] = {"catalog", "recipes", NULL};
    const struct service_options *o = options ? options : &nothing_special;

    scratch_make(s->folder);
    scratch_path(s->db, s->folder, "openrecipes.db");
    service_import(s, o->paths ? o->paths : usual_paths);
    service_serve(s, o);
}

void service_stop(struct service *s)
{
    service_end(s);
    scratch_remove(s->folder);
}

int service_group_setup(void **state)
{
    struct service *s = calloc(1, sizeof *s);

    assert_non_null(s);
    service_start(s, NULL);
    *state = s;
    return 0;
}

int service_group_teardown(void **state)
{
    service_stop(*state);
    free(*state);
    return 0;
}
