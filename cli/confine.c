/* Which paths serving needs. */
#include "cli/confine.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders of three files, each also where a link leads; the system's three. */
enum { FOLDERS = 6, PATHS = FOLDERS + 2 };

/* The list under construction.
 *
 * folders: names that are made here */
struct reach {
    struct privileges_path paths[PATHS];
    size_t count;
    char folders[FOLDERS][PATH_MAX];
    size_t folder_count;
};

/* Add the folder of a file; "." for one without. */
static void add_folder(struct reach *reach, const char *file, bool may_write)
{
    const char *slash = strrchr(file, '/');
    size_t len = slash ? (size_t)(slash - file) : 0;
    char *folder = reach->folders[reach->folder_count];

    if (len >= PATH_MAX)
        return; /* No file could be opened by such a name. */
    memcpy(folder, file, len);
    folder[len] = '\0';
    if (len == 0)
        memcpy(folder, slash ? "/" : ".", 2);
    reach->folder_count++;
    reach->paths[reach->count++] = (struct privileges_path){folder, may_write};
}

/* Add the folders in which a file stands, by name and where links lead: either may get another
 * file. */
static void add_places(struct reach *reach, const char *file, bool may_write)
{
    char target[PATH_MAX];

    if (!file)
        return;
    add_folder(reach, file, may_write);
    if (realpath(file, target))
        add_folder(reach, target, may_write);
}

static void tell(const struct privileges_sandbox *sandbox, const struct log *log)
{
    bool is_whole = sandbox->has_filter && sandbox->landlock_abi > 0;
    struct log_line line;

    log_begin(log, &line, is_whole ? "info" : "warn", "sandbox");
    log_add_text(&line, "seccomp", sandbox->has_filter ? "yes" : "no");
    log_add_int(&line, "landlock", sandbox->landlock_abi);
    if (sandbox->landlock_abi == 0)
        log_add_text(&line, "text",
                     "this kernel has no Landlock: files are guarded by their "
                     "permissions alone");
    log_end(log, &line);
}

enum err_code cli_confine(const struct cli_args *args, bool may_write, const struct log *log,
                          struct err *e)
{
    /* SQLite asks the first for a random number, /metrics the second for memory and descriptors. */
    static const char *const system_paths[] = {"/dev/urandom", "/proc/self"};
    struct privileges_sandbox sandbox = {0};
    struct reach *reach;
    enum err_code rc;

    if (geteuid() == 0)
        log_message(log, "warn", "root", "serving as root; --user names another");
    if (cli_flag(args, "no-sandbox"))
        return ERR_OK;
    reach = mem_array(1, sizeof *reach);
    if (!reach)
        return err_nomem(e);
    for (size_t i = 0; i < COUNT_OF(system_paths); i++)
        reach->paths[reach->count++] = (struct privileges_path){system_paths[i], false};
    add_places(reach, cli_value(args, "db"), may_write);
    add_places(reach, cli_value(args, "tls-certificate"), false);
    add_places(reach, cli_value(args, "tls-key"), false);
    rc = privileges_enter_sandbox(reach->paths, reach->count, &sandbox, e);
    free(reach);
    if (rc == ERR_OK)
        tell(&sandbox, log);
    return rc;
}
