/* How long a whole `openrecipes verify` of the model of 94 files takes, beside the time that its
 * requests need, and what it needs of memory. The hub is a process of its own, so that the memory
 * measured is the command's alone.
 *
 *     make bench-verify */
#include "base/clock.h"
#include "base/mem.h"
#include "importers/hub.h"
#include "tests/support/loopback_hub.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Peak memory that the command may have, in kB, and runs of which the fastest is shown: others may
 * use the machine too. */
enum { MOST_KB = 40000, RUNS = 5 };

/* What the hub is told, and what it answers: of the time since the word before. */
struct word {
    unsigned delay_ms;
};

struct answer {
    char endpoint[80];
    int64_t busy_ns;
};

/* One run of the command. */
struct run {
    double wall_s;
    double own_s;
    double cpu_s;
    long peak_kb;
};

static void need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    perror(what);
    exit(1);
}

/* The hub's process: answers each word until the pipe ends. */
static void be_hub(int in, int out)
{
    struct hub_repo repo;
    struct loopback_hub *hub;
    struct word word;
    int64_t before = 0;

    (void)signal(SIGPIPE, SIG_IGN);
    hub_repo_make(HUB_MODEL_QWEN3_5_397B_A17B, &repo);
    hub = loopback_hub_start(&repo, 1, NULL, 0);
    while (read(in, &word, sizeof word) == sizeof word) {
        struct answer answer = {.busy_ns = loopback_hub_busy_ns(hub) - before};

        before += answer.busy_ns;
        loopback_hub_delay(hub, word.delay_ms);
        (void)snprintf(answer.endpoint, sizeof answer.endpoint, "%s",
                       loopback_hub_origin(hub, LOOPBACK_HUB)); /* Fits. */
        need(write(out, &answer, sizeof answer) == sizeof answer, "pipe");
    }
    loopback_hub_stop(hub);
    hub_repo_done(&repo);
    exit(0);
}

/* The ends of the pipes to and from the hub. */
struct hub_link {
    pid_t pid;
    int to;
    int from;
};

static void start_hub(struct hub_link *out)
{
    int to[2];
    int from[2];

    need(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe");
    out->pid = fork();
    need(out->pid >= 0, "fork");
    if (out->pid == 0) {
        (void)close(to[1]);
        (void)close(from[0]);
        be_hub(to[0], from[1]);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    out->to = to[1];
    out->from = from[0];
}

static struct answer tell_hub(const struct hub_link *hub, unsigned delay_ms)
{
    const struct word word = {delay_ms};
    struct answer answer = {.busy_ns = 0};

    need(write(hub->to, &word, sizeof word) == sizeof word &&
             read(hub->from, &answer, sizeof answer) == sizeof answer,
         "hub");
    return answer;
}

static double seconds(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Run a program to its end, silently; it must succeed. */
static void execute(const char *const *argv, bool is_silent, struct rusage *out_usage)
{
    char *copy[16] = {NULL};
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t pid;

    for (size_t i = 0; argv[i]; i++) {
        copy[i] = mem_text(argv[i], strlen(argv[i]));
        need(copy[i] != NULL, "memory");
    }
    need(posix_spawn_file_actions_init(&actions) == 0, "spawn");
    if (is_silent)
        need(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ==
                 0,
             "spawn");
    need(posix_spawn(&pid, argv[0], &actions, NULL, copy, environ) == 0, argv[0]);
    need(wait4(pid, &status, 0, out_usage) == pid, "wait");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        (void)fprintf(stderr, "%s %s: status %d\n", argv[0], argv[1], status);
        exit(1);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; copy[i]; i++)
        free(copy[i]);
}

static int by_wall(const void *a, const void *b)
{
    double x = ((const struct run *)a)->wall_s;
    double y = ((const struct run *)b)->wall_s;

    return (x > y) - (x < y);
}

/* Run the command some times; the fastest run. */
static struct run measure(const struct hub_link *hub, const char *binary, const char *db,
                          unsigned delay_ms, const char *jobs)
{
    const char *const argv[] = {
        binary, "verify", "--db", db, "--jobs", jobs, "--refresh", "qwen3.5-397b-a17b", NULL};
    struct run runs[RUNS];

    (void)tell_hub(hub, delay_ms);
    for (size_t i = 0; i < RUNS; i++) {
        struct rusage usage;
        int64_t begun = clock_steady_ns();

        execute(argv, true, &usage);
        runs[i].wall_s = (double)(clock_steady_ns() - begun) / 1e9;
        runs[i].own_s = (double)tell_hub(hub, delay_ms).busy_ns / 1e9;
        runs[i].cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
        runs[i].peak_kb = usage.ru_maxrss;
    }
    qsort(runs, RUNS, sizeof *runs, by_wall);
    return runs[0];
}

static size_t count_entries(const char *folder)
{
    DIR *d = opendir(folder);
    size_t count = 0;

    need(d != NULL, folder);
    while (readdir(d))
        count++;
    (void)closedir(d);
    return count;
}

/* The client alone, time after time in one process: what does it leave behind? */
static int be_client(const char *endpoint)
{
    const struct hub_model *m = hub_model_get(HUB_MODEL_QWEN3_5_397B_A17B);
    const struct hub_checkpoint checkpoint = {m->repo, m->revision, m->active};
    struct hub_config config = {.jobs = 8};
    size_t threads[RUNS];
    size_t descriptors[RUNS];

    (void)signal(SIGPIPE, SIG_IGN);
    (void)snprintf(config.endpoint, sizeof config.endpoint, "%s", endpoint); /* Fits. */
    for (size_t i = 0; i < RUNS; i++) {
        struct hub_result result;
        struct err e = {0};

        threads[i] = count_entries("/proc/self/task");
        descriptors[i] = count_entries("/proc/self/fd");
        need(hub_verify(&config, &checkpoint, 1, NULL, &result, &e) == ERR_OK &&
                 result.outcome == HUB_CONFIRMED,
             "verify");
    }
    printf("\nleft behind after %d runs in one process: %zd threads, %zd descriptors\n", RUNS,
           (ssize_t)(count_entries("/proc/self/task") - threads[0]),
           (ssize_t)(count_entries("/proc/self/fd") - descriptors[0]));
    return count_entries("/proc/self/task") == threads[0] &&
                   count_entries("/proc/self/fd") == descriptors[0]
               ? 0
               : 1;
}

static bool show(const struct hub_link *hub, const char *binary, const char *db)
{
    static const struct {
        unsigned delay_ms;
        const char *jobs;
        double count;
    } cases[] = {{0, "1", 1}, {0, "8", 8}, {20, "1", 1}, {20, "8", 8}, {100, "8", 8}};
    bool is_small = true;

    printf(" delay  jobs  wall s  requests s  by jobs  wall/that  cpu s  peak MB\n");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct run run = measure(hub, binary, db, cases[i].delay_ms, cases[i].jobs);
        double least = run.own_s / cases[i].count;

        printf("%3u ms  %4s  %6.2f  %10.2f  %7.2f  %9.2f  %5.2f  %7.1f\n", cases[i].delay_ms,
               cases[i].jobs, run.wall_s, run.own_s, least, run.wall_s / least, run.cpu_s,
               (double)run.peak_kb / 1000);
        is_small = is_small && run.peak_kb < MOST_KB;
    }
    return is_small;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/openrecipes-bench.XXXXXX";
    char db[100];
    struct hub_link hub;
    struct answer answer;
    struct rusage usage;
    bool is_small;

    if (argc == 3 && strcmp(argv[1], "client") == 0)
        return be_client(argv[2]);
    if (argc != 2) {
        (void)fprintf(stderr, "usage: verify OPENRECIPES\n");
        return 64;
    }
    start_hub(&hub);
    answer = tell_hub(&hub, 0);
    need(mkdtemp(folder) != NULL, folder);
    (void)snprintf(db, sizeof db, "%s/bench.db", folder); /* Fits. */
    need(setenv("HF_ENDPOINT", answer.endpoint, 1) == 0 && setenv("HF_TOKEN", "", 1) == 0 &&
             setenv("HF_HOME", folder, 1) == 0,
         "environment");
    execute((const char *const[]){argv[1], "import", "--db", db, "catalog", "recipes", NULL}, true,
            &usage);
    is_small = show(&hub, argv[1], db);
    (void)fflush(stdout);
    execute((const char *const[]){argv[0], "client", answer.endpoint, NULL}, false, &usage);
    (void)close(hub.to); /* Ends it. */
    (void)waitpid(hub.pid, NULL, 0);
    (void)unlink(db);
    (void)rmdir(folder);
    return is_small ? 0 : 1;
}
