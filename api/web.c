/* The page for browsers, and GET /assets/{build}/{file}. */
#include "api/web.h"

#include "api/app.h"
#include "api/endpoints.h"
#include "base/embed.h"
#include "base/mem.h"
#include "base/text.h"
#include "server/format.h"

#include <string.h>

/* Bytes of all files of web/ together, far above what a page should weigh. */
enum { WEB_BYTES = 4 * 1024 * 1024 };

static const char folder[] = "web/";

enum err_code web_build(char out_build[HASH_HEX_BYTES], struct err *e)
{
    struct buf all;
    enum err_code rc;

    buf_init(&all, WEB_BYTES);
    for (size_t i = 0; i < embed_count; i++) {
        if (!text_starts(embed_files[i].path, folder))
            continue;
        buf_add(&all, embed_files[i].path, strlen(embed_files[i].path) + 1);
        buf_add(&all, embed_files[i].bytes, embed_files[i].len);
    }
    rc = buf_check(&all, e);
    if (rc == ERR_OK) {
        hash_sha256(buf_text(&all), all.len, out_build);
        out_build[WEB_BUILD_DIGITS] = '\0';
    }
    buf_done(&all);
    return rc;
}

/* What a part of the page depends on.
 *
 * formats:     of the address; none where there is no endpoint
 * has_preload: whether the page asks for its address as JSON at once */
struct page {
    const struct api *api;
    const struct http_request *request;
    unsigned formats;
    bool has_preload;
};

/* Append text for an attribute between double quotes. */
static void put_attribute(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("&<>\"'", text[i]))
            buf_printf(out, "&#%d;", text[i]);
        else
            buf_putc(out, text[i]);
    }
}

/* Append the address of this page in another format. The index has its data in the list of models.
 */
static void put_address(const struct page *page, const char *suffix, struct buf *out)
{
    const char *path = http_request_path(page->request);
    const char *query = http_request_query(page->request);
    const char *html = http_format_row(HTTP_HTML)->suffix;
    size_t len;

    if (strcmp(path, "/") == 0)
        path = "/models";
    len = strlen(path);
    if (text_ends(path, html))
        len -= strlen(html);
    put_attribute(out, path, len);
    buf_puts(out, suffix);
    if (*query) {
        buf_putc(out, '?');
        put_attribute(out, query, strlen(query));
    }
}

static void put_assets(const struct page *page, struct buf *out)
{
    buf_puts(out, "/assets/");
    buf_puts(out, page->api->build);
}

/* The page asks for the same address as JSON; a browser that is told early does so sooner. */
static void put_preload(const struct page *page, struct buf *out)
{
    if (!page->has_preload)
        return;
    buf_puts(out, "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"");
    put_address(page, http_format_row(HTTP_JSON)->suffix, out);
    buf_puts(out, "\">");
}

/* Links to every other form of the page, for who has no script. */
static void put_forms(const struct page *page, struct buf *out)
{
    for (enum http_format format = HTTP_JSON; format < HTTP_FORMATS; format++) {
        const char *suffix = http_format_row(format)->suffix;

        if (!(page->formats & HTTP_BIT(format)) || format == HTTP_HTML)
            continue;
        buf_puts(out, "<li><a href=\"");
        put_address(page, suffix, out);
        buf_printf(out, "\">%s</a></li>", http_format_row(format)->media_type);
    }
}

/* What stands between double braces in web/index.html. */
static const struct {
    const char *name;
    void (*put)(const struct page *page, struct buf *out);
} parts[] = {{"{{assets}}", put_assets}, {"{{preload}}", put_preload}, {"{{forms}}", put_forms}};

/* Append the part that the text starts with.
 *
 * returns bytes of its name; 0 if it is none */
static size_t put_part(const struct page *page, const char *text, struct buf *out)
{
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (text_starts(text, parts[i].name)) {
            parts[i].put(page, out);
            return strlen(parts[i].name);
        }
    return 0;
}

enum err_code web_page(const struct http_request *request, struct buf *out, void *app,
                       struct err *e)
{
    const struct http_endpoint *endpoint = http_request_endpoint(request);
    struct page page = {.api = app, .request = request};
    const struct embed_file *file = embed_find("web/index.html");
    const char *at = file ? file->bytes : NULL;

    if (!at)
        return err_bug(e, "web/index.html is not embedded");
    if (endpoint) {
        page.formats = endpoint->formats;
        page.has_preload = (page.formats & HTTP_BIT(HTTP_JSON)) && !endpoint->is_form;
    }
    while (*at) {
        size_t len = strcspn(at, "{");
        size_t part_len;

        buf_add(out, at, len);
        at += len;
        part_len = put_part(&page, at, out);
        if (part_len == 0 && *at)
            buf_putc(out, *at++);
        at += part_len;
    }
    return buf_check(out, e);
}

/* An address of another build leads to this one's file: a page that was kept may still ask for it.
 */
static enum err_code redirect(const struct api *api, const char *file, struct http_reply *reply,
                              struct err *e)
{
    struct buf path;
    enum err_code rc;

    buf_init(&path, HASH_HEX_BYTES + 128); /* The file is one of ours, and its name short. */
    buf_printf(&path, "/assets/%s/%s", api->build, file);
    rc = buf_check(&path, e);
    if (rc == ERR_OK)
        http_reply_redirect(reply, buf_text(&path));
    buf_done(&path);
    return rc;
}

enum err_code api_asset(const struct http_request *request, struct http_reply *reply, void *app,
                        struct err *e)
{
    const struct api *api = app;
    const char *name = http_arg(request, "file");
    const char *suffix = http_format_row(http_request_format(request))->suffix;
    const struct embed_file *file = NULL;
    struct buf path;
    enum err_code rc;

    buf_init(&path, strlen(folder) + strlen(name) + strlen(suffix));
    buf_printf(&path, "%s%s%s", folder, name, suffix);
    rc = buf_check(&path, e);
    if (rc == ERR_OK)
        file = embed_find(buf_text(&path));
    buf_done(&path);
    if (rc != ERR_OK)
        return rc;
    if (!file)
        return err_set(e, ERR_NOT_FOUND, "the page has no file %.200s", http_request_path(request));
    if (strcmp(http_arg(request, "build"), api->build) != 0)
        return redirect(api, name, reply, e);
    buf_add(http_reply_body(reply), file->bytes, file->len);
    return ERR_OK;
}
