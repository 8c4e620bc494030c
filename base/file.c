/* Whole files: read, write in one step, and list below a folder. */
#include "base/file.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err_code fail(struct err *e, const char *path)
{
    enum err_code code = errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO;

    if (errno == ENOMEM)
        return err_nomem(e);
    return err_set(e, code, "%s: %s", path, strerror(errno));
}

static enum err_code read_all(int fd, const char *path, size_t limit, char **out_bytes,
                              size_t *out_len, struct err *e)
{
    size_t len = 0;
    size_t cap = 16 * 1024;
    char *bytes = malloc(cap + 1);

    while (bytes) {
        ssize_t got = read(fd, bytes + len, cap - len);
        char *moved;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(bytes);
            return fail(e, path);
        }
        len += (size_t)got;
        if (len > limit) {
            free(bytes);
            return err_set(e, ERR_LIMIT, "%s: longer than %zu bytes", path, limit);
        }
        if (got == 0) {
            bytes[len] = '\0';
            *out_bytes = bytes;
            *out_len = len;
            return ERR_OK;
        }
        if (len < cap)
            continue;
        moved = realloc(bytes, cap * 2 + 1);
        if (!moved)
            break;
        bytes = moved;
        cap *= 2;
    }
    free(bytes);
    return err_nomem(e);
}

enum err_code file_read(const char *path, size_t limit, char **out_bytes, size_t *out_len,
                        struct err *e)
{
    struct stat about;
    enum err_code rc;
    int fd;

    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", limit, out_bytes, out_len, e);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(e, path);
    if (fstat(fd, &about) != 0)
        rc = fail(e, path);
    else if (!S_ISREG(about.st_mode))
        rc = err_set(e, ERR_INPUT, "%s: not a regular file", path);
    else
        rc = read_all(fd, path, limit, out_bytes, out_len, e);
    (void)close(fd); /* Nothing was written. */
    return rc;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, bytes, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

enum err_code file_write(const char *path, const char *bytes, size_t len, struct err *e)
{
    size_t temp_bytes = strlen(path) + sizeof ".XXXXXX";
    char *temp = mem_array(temp_bytes, 1);
    enum err_code rc = ERR_OK;
    int fd = -1;

    if (!temp)
        return err_nomem(e);
    (void)snprintf(temp, temp_bytes, "%s.XXXXXX", path); /* Fits: measured above. */
    fd = mkstemp(temp);
    if (fd < 0) {
        rc = fail(e, path);
        goto out;
    }
    if (!write_all(fd, bytes, len) || fchmod(fd, 0644) != 0 || fsync(fd) != 0)
        rc = fail(e, path);
    if (close(fd) != 0 && rc == ERR_OK)
        rc = fail(e, path);
    if (rc == ERR_OK && rename(temp, path) != 0)
        rc = fail(e, path);
    if (rc != ERR_OK)
        (void)unlink(temp); /* Best effort: the first failure is the one to report. */
out:
    free(temp);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum err_code append(struct file_list *list, const char *path, size_t limit, struct err *e)
{
    if (list->count >= limit)
        return err_set(e, ERR_LIMIT, "%s: more than %zu files", path, limit);
    if (!mem_grow((void **)&list->paths, &list->cap, list->count, sizeof *list->paths))
        return err_nomem(e);
    list->paths[list->count] = mem_text(path, strlen(path));
    if (!list->paths[list->count])
        return err_nomem(e);
    list->count++;
    return ERR_OK;
}

/* Take one entry of the walk: a file that fits is added, a hidden folder is not entered. Whatever
 * the caller named is added if it is no folder: reading it tells what is wrong with it. */
static enum err_code visit(FTS *walk, FTSENT *entry, struct file_list *list, const char *suffix,
                           size_t limit, struct err *e)
{
    bool is_root = entry->fts_level == FTS_ROOTLEVEL;
    bool is_hidden = !is_root && entry->fts_name[0] == '.';

    switch (entry->fts_info) {
    case FTS_D:
        if (is_hidden && fts_set(walk, entry, FTS_SKIP) != 0)
            return fail(e, entry->fts_path);
        return ERR_OK;
    case FTS_DP:
        return ERR_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        errno = entry->fts_errno;
        return fail(e, entry->fts_path);
    case FTS_F:
    case FTS_SL:
        if (!is_root && (is_hidden || !text_ends(entry->fts_name, suffix)))
            return ERR_OK;
        return append(list, entry->fts_path, limit, e);
    default:
        return is_root ? append(list, entry->fts_path, limit, e) : ERR_OK;
    }
}

enum err_code file_list_add(struct file_list *list, const char *path, const char *suffix,
                            size_t limit, struct err *e)
{
    char *root = mem_text(path, strlen(path));
    char *roots[] = {root, NULL};
    size_t before = list->count;
    enum err_code rc = ERR_OK;
    FTSENT *entry;
    FTS *walk;

    if (!root)
        return err_nomem(e);
    walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    if (!walk) {
        free(root);
        return fail(e, path);
    }
    for (errno = 0; rc == ERR_OK && (entry = fts_read(walk)) != NULL; errno = 0)
        rc = visit(walk, entry, list, suffix, limit, e);
    if (rc == ERR_OK && errno != 0)
        rc = fail(e, path);
    (void)fts_close(walk); /* With FTS_NOCHDIR there is no folder to go back to. */
    free(root);
    if (rc != ERR_OK)
        while (list->count > before)
            free(list->paths[--list->count]);
    else if (list->count > before)
        qsort(list->paths + before, list->count - before, sizeof *list->paths, by_path);
    return rc;
}

void file_list_done(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct file_list){0};
}
