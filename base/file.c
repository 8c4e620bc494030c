/* Whole files: read, write in one step, and list below a folder. */
#include "base/file.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

void file_path_tidy(char *path)
{
    size_t out = 0;

    for (size_t in = 0; path[in];) {
        size_t len = strcspn(path + in, "/");
        bool is_dot = len == 1 && path[in] == '.' && (in > 0 || path[1] == '/');

        if (!is_dot) {
            memmove(path + out, path + in, len);
            out += len;
        }
        in += len;
        if (path[in] == '/' && (in == 0 || (out > 0 && path[out - 1] != '/')))
            path[out++] = '/';
        in += strspn(path + in, "/");
    }
    if (out > 1 && path[out - 1] == '/')
        out--;
    if (out == 0 && path[0] != '\0')
        path[out++] = '.';
    path[out] = '\0';
}

static char *join(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    const char *slash = text_ends(folder, "/") ? "" : "/";
    char *path = mem_array(bytes, 1);

    if (path)
        (void)snprintf(path, bytes, "%s%s%s", folder, slash, name); /* Fits: measured above. */
    return path;
}

static enum err_code real_path(const char *path, char **out_path, struct err *e)
{
    char *found = realpath(path, NULL);

    if (!found)
        return errno == ENOMEM ? err_nomem(e) : fail(e, path);
    *out_path = found;
    return ERR_OK;
}

/* Find the canonical path of the folder that a path of some bytes leads to.
 *
 * returns the path, lent by last; NULL after a failure, which e tells */
static const char *enter(struct file_folder *last, const char *path, size_t len, struct err *e)
{
    char *canonical = NULL;
    char *folder;

    if (last->path && strncmp(last->path, path, len) == 0 && last->path[len] == '\0')
        return last->canonical;
    folder = mem_text(path, len);
    if (!folder)
        (void)err_nomem(e); /* Told by NULL, as is the other failure. */
    else
        (void)real_path(folder, &canonical, e);
    if (!canonical) {
        free(folder);
        return NULL;
    }
    file_folder_done(last);
    last->path = folder;
    last->canonical = canonical;
    return canonical;
}

enum err_code file_canonical(struct file_folder *last, const char *path, char **out_path,
                             struct err *e)
{
    const char *slash = strrchr(path, '/');
    const char *folder;
    struct stat about;

    if (lstat(path, &about) != 0)
        return fail(e, path);
    /* A link leads elsewhere, and a folder's last name may be "..". */
    if (!slash || slash == path || !S_ISREG(about.st_mode))
        return real_path(path, out_path, e);
    folder = enter(last, path, (size_t)(slash - path), e);
    if (!folder)
        return e->code;
    *out_path = join(folder, slash + 1);
    return *out_path ? ERR_OK : err_nomem(e);
}

void file_folder_done(struct file_folder *last)
{
    free(last->path);
    free(last->canonical);
    *last = (struct file_folder){0};
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Take a path into a list; it is freed on failure too. */
static enum err_code take(struct file_list *list, char *path, size_t limit, struct err *e)
{
    if (!path)
        return err_nomem(e);
    if (list->count >= limit) {
        (void)err_set(e, ERR_LIMIT, "%s: more than %zu files", path, limit);
        free(path);
        return ERR_LIMIT;
    }
    if (!mem_grow((void **)&list->paths, &list->cap, list->count, sizeof *list->paths)) {
        free(path);
        return err_nomem(e);
    }
    list->paths[list->count++] = path;
    return ERR_OK;
}

/* A walk through folders. It does not use fts, which crashes when memory is short.
 *
 * list:    files found
 * skipped: what is passed over; NULL: not listed
 * folders: still to be read */
struct walk {
    struct file_list *list;
    struct file_list *skipped;
    struct file_list folders;
    const char *suffix;
    size_t limit;
};

/* Find out what a path is: S_IFDIR, S_IFREG, or 0 for what is passed over. A link to a folder is,
 * so that no walk goes in circles; any other link counts as a file, and reading it tells the rest.
 */
static enum err_code look(const char *path, mode_t *out_kind, struct err *e)
{
    struct stat about;

    *out_kind = 0;
    if (lstat(path, &about) != 0)
        return errno == ENOENT ? ERR_OK : fail(e, path); /* It may have gone just now. */
    if (!S_ISLNK(about.st_mode))
        *out_kind = about.st_mode & S_IFMT;
    else if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        *out_kind = S_IFREG;
    return ERR_OK;
}

/* Take one name of a folder: a folder is read later, a file that fits is added. Most file systems
 * say at once which it is. */
static enum err_code visit(struct walk *w, const char *folder, const struct dirent *entry,
                           struct err *e)
{
    const char *name = entry->d_name;
    mode_t kind = entry->d_type == DT_REG ? S_IFREG : entry->d_type == DT_DIR ? S_IFDIR : 0;
    enum err_code rc = ERR_OK;
    char *path;

    if (name[0] == '.')
        return ERR_OK;
    path = join(folder, name);
    if (!path)
        return err_nomem(e);
    if (kind == 0)
        rc = look(path, &kind, e);
    if (rc == ERR_OK && kind == S_IFDIR)
        return take(&w->folders, path, w->limit, e);
    if (rc == ERR_OK && kind == S_IFREG && text_ends(name, w->suffix))
        return take(w->list, path, w->limit, e);
    if (rc == ERR_OK && w->skipped)
        return take(w->skipped, path, w->limit, e);
    free(path);
    return rc;
}

static enum err_code read_folder(struct walk *w, const char *folder, struct err *e)
{
    DIR *names = opendir(folder);
    enum err_code rc = ERR_OK;
    const struct dirent *entry;

    if (!names)
        return fail(e, folder);
    for (errno = 0; rc == ERR_OK && (entry = readdir(names)) != NULL; errno = 0)
        rc = visit(w, folder, entry, e);
    if (rc == ERR_OK && errno != 0)
        rc = fail(e, folder);
    (void)closedir(names); /* Read only. */
    return rc;
}

/* Sort what a list has from an index on. */
static void sort_from(struct file_list *list, size_t first)
{
    if (list->count > first)
        qsort(list->paths + first, list->count - first, sizeof *list->paths, by_path);
}

enum err_code file_list_add(struct file_list *list, const char *path, const char *suffix,
                            size_t limit, struct err *e)
{
    return file_list_look(list, NULL, path, suffix, limit, e);
}

enum err_code file_list_look(struct file_list *list, struct file_list *skipped, const char *path,
                             const char *suffix, size_t limit, struct err *e)
{
    struct walk w = {.list = list, .skipped = skipped, .suffix = suffix, .limit = limit};
    size_t skipped_before = skipped ? skipped->count : 0;
    size_t before = list->count;
    char *start;
    enum err_code rc;
    struct stat about;

    if (stat(path, &about) != 0)
        return fail(e, path);
    start = mem_text(path, strlen(path));
    if (start)
        file_path_tidy(start);
    rc = take(S_ISDIR(about.st_mode) ? &w.folders : list, start, limit, e);
    while (rc == ERR_OK && w.folders.count > 0) {
        char *folder = w.folders.paths[--w.folders.count];

        rc = read_folder(&w, folder, e);
        free(folder);
    }
    file_list_done(&w.folders);
    if (rc != ERR_OK)
        while (list->count > before)
            free(list->paths[--list->count]);
    else
        sort_from(list, before);
    if (rc == ERR_OK && skipped)
        sort_from(skipped, skipped_before);
    return rc;
}

void file_list_done(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct file_list){0};
}
