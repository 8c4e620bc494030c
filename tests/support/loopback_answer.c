/* Paths to files, redirects and errors, as the hub and its storage have them. */
#include "tests/support/loopback_answer.h"

#include "base/mem.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void loopback_need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    perror(what);
    abort();
}

/* What an answer is made from. */
struct site {
    const struct hub_repo *repos;
    size_t count;
    const char *const *origins;
};

static void put_replaced(struct buf *out, const struct site *site, const char *text)
{
    static const char *const marks[] = {"{hub}", "{storage}"};

    while (*text) {
        if (text_starts(text, marks[LOOPBACK_HUB])) {
            buf_puts(out, site->origins[LOOPBACK_HUB]);
            text += strlen(marks[LOOPBACK_HUB]);
        } else if (text_starts(text, marks[LOOPBACK_STORAGE])) {
            buf_puts(out, site->origins[LOOPBACK_STORAGE]);
            text += strlen(marks[LOOPBACK_STORAGE]);
        } else {
            buf_putc(out, *text++);
        }
    }
}

static void set_text(struct loopback_answer *a, int status, const char *text)
{
    a->status = status;
    a->len = strlen(text);
    a->size = (int64_t)a->len;
    a->bytes = mem_text(text, a->len);
    loopback_need(a->bytes, "memory");
}

static void set_file(struct loopback_answer *a, const struct hub_file *file)
{
    a->status = 200;
    a->len = file->len;
    a->size = file->size;
    a->bytes = mem_text(file->bytes, file->len);
    loopback_need(a->bytes, "memory");
}

static const struct hub_file *find_file(const struct hub_repo *repo, const char *name)
{
    for (size_t i = 0; i < repo->count; i++)
        if (strcmp(repo->files[i].name, name) == 0)
            return &repo->files[i];
    return NULL;
}

/* Answer /REPO/resolve/REVISION/FILE: a redirect, within the hub for what is small. */
static void resolve(const struct site *site, const struct hub_repo *repo, const char *name,
                    struct loopback_answer *a)
{
    const struct hub_model *m = repo->model;
    const struct hub_file *file = find_file(repo, name);
    bool is_weights = text_ends(name, ".safetensors");

    if (!file) {
        buf_puts(&a->headers,
                 "X-Error-Code: EntryNotFound\r\nX-Error-Message: Entry not found\r\n");
        set_text(a, 404, "Entry not found");
        return;
    }
    buf_printf(&a->headers, "X-Repo-Commit: %s\r\nLocation: ", m->revision);
    if (is_weights)
        buf_printf(&a->headers, "%s/%s/%s?signature=s\r\nX-Linked-Size: %" PRId64 "\r\n",
                   site->origins[LOOPBACK_STORAGE], m->repo, name, file->size);
    else
        buf_printf(&a->headers, "/api/resolve-cache/%s/%s/%s\r\n", m->repo, m->revision, name);
    set_text(a, is_weights ? 302 : 307, "Redirecting");
}

/* The path behind `start REPO middle REVISION end`; NULL if it is another path. */
static const char *match(const char *path, const char *start, const struct hub_repo *repo,
                         const char *middle, const char *end)
{
    struct buf wanted;
    const char *rest = NULL;

    buf_init(&wanted, 1000);
    buf_printf(&wanted, "%s%s%s%s%s", start, repo->model->repo, middle,
               *middle ? repo->model->revision : "", end);
    if (text_starts(path, buf_text(&wanted)))
        rest = path + wanted.len;
    buf_done(&wanted);
    return rest;
}

static void answer_truly(const struct site *site, enum loopback_port port, const char *path,
                         struct loopback_answer *a)
{
    for (size_t i = 0; i < site->count && a->status == 0; i++) {
        const struct hub_repo *repo = &site->repos[i];
        const char *rest;

        if (port == LOOPBACK_STORAGE) {
            rest = match(path, "/", repo, "", "/");
            if (rest && find_file(repo, rest))
                set_file(a, find_file(repo, rest));
            continue;
        }
        rest = match(path, "/api/models/", repo, "/revision/", "");
        if (rest && !*rest)
            set_text(a, 200, repo->metadata);
        rest = match(path, "/", repo, "/resolve/", "/");
        if (rest)
            resolve(site, repo, rest, a);
        rest = match(path, "/api/resolve-cache/", repo, "/", "/");
        if (rest && find_file(repo, rest))
            set_file(a, find_file(repo, rest));
    }
    if (a->status == 0)
        set_text(a, 401, "Invalid username or password.");
}

/* Put `body` in place of the first `from`. The length before a header is mended; the size of that
 * file stays, since the redirect to it has told it. */
static void edit(struct loopback_answer *a, const struct loopback_fault *fault)
{
    size_t from_len = strlen(fault->from);
    char *at = memmem(a->bytes, a->len, fault->from, from_len);
    bool has_prefix = a->len > 8 && a->bytes[0] != '{' && a->bytes[8] == '{';
    struct buf out;
    size_t len;

    if (!at)
        return;
    buf_init(&out, 50000000);
    buf_add(&out, a->bytes, (size_t)(at - a->bytes));
    buf_puts(&out, fault->body);
    buf_add(&out, at + from_len, (size_t)(a->bytes + a->len - at) - from_len);
    a->size += has_prefix ? 0 : (int64_t)out.len - (int64_t)a->len;
    free(a->bytes);
    a->bytes = buf_take(&out, &len);
    loopback_need(a->bytes, "memory");
    a->len = len;
    for (size_t i = 0; has_prefix && i < 8; i++)
        a->bytes[i] = (char)((len - 8) >> (8 * i) & 0xFF);
}

void loopback_answer_make(const struct hub_repo *repos, size_t count, const char *const *origins,
                          enum loopback_port port, const char *path,
                          const struct loopback_fault *fault, struct loopback_answer *out_answer)
{
    struct site site = {.repos = repos, .count = count, .origins = origins};
    struct loopback_answer a = {0};

    buf_init(&a.headers, 100000);
    if (fault && fault->headers)
        put_replaced(&a.headers, &site, fault->headers);
    if (fault && fault->kind == LOOPBACK_REPLY)
        set_text(&a, fault->status, fault->body ? fault->body : "");
    else
        answer_truly(&site, port, path, &a);
    if (fault && fault->kind == LOOPBACK_EDIT && fault->from)
        edit(&a, fault);
    *out_answer = a;
}

void loopback_answer_done(struct loopback_answer *a)
{
    buf_done(&a->headers);
    free(a->bytes);
}
