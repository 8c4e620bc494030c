/* The least that a server on libmicrohttpd and SQLite can take to start: open a database, read one
 * value, answer it.
 *
 *     empty_server DATABASE */
#include <microhttpd.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static enum MHD_Result answer(void *cls, struct MHD_Connection *mhd, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **context)
{
    static char text[] = "ok\n";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_queue_response(mhd, MHD_HTTP_OK, response);

    (void)cls, (void)url, (void)method, (void)version, (void)upload, (void)upload_len;
    (void)context;
    MHD_destroy_response(response);
    return result;
}

int main(int argc, char **argv)
{
    const union MHD_DaemonInfo *info;
    struct MHD_Daemon *daemon;
    sqlite3 *db = NULL;

    if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "SELECT count(*) FROM gpus", NULL, NULL, NULL) != SQLITE_OK)
        return 1;
    daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL,
                              MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END);
    info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info)
        return 1;
    printf("listening on http://127.0.0.1:%u\n", (unsigned)info->port);
    (void)fflush(stdout);
    for (;;)
        (void)pause();
}
