/* The environment variables that other clients of the hub read too. */
#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "importers/hub.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Source: huggingface_hub, "Environment variables"; read 2026-10. */
static const char default_endpoint[] = "https://huggingface.co";

static const char *get(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Copy a value without the white space around it. */
static enum err_code copy(char *out, size_t size, const char *name, const char *value,
                          struct err *e)
{
    static const char space[] = " \t\r\n";
    size_t len;

    value += strspn(value, space);
    len = strlen(value);
    while (len > 0 && strchr(space, value[len - 1]))
        len--;
    if (len >= size)
        return err_set(e, ERR_INPUT, "%s is longer than %zu bytes", name, size - 1);
    memcpy(out, value, len);
    out[len] = '\0';
    return ERR_OK;
}

static enum err_code token_path(struct buf *path, struct err *e)
{
    const char *token = get("HF_TOKEN_PATH");
    const char *home = get("HF_HOME");
    const char *cache = get("XDG_CACHE_HOME");
    const char *user = get("HOME");

    if (token) {
        buf_puts(path, token);
    } else if (home) {
        buf_puts(path, home);
        buf_puts(path, "/token");
    } else if (cache) {
        buf_puts(path, cache);
        buf_puts(path, "/huggingface/token");
    } else if (user) {
        buf_puts(path, user);
        buf_puts(path, "/.cache/huggingface/token");
    }
    return buf_check(path, e);
}

static enum err_code read_token_file(struct hub_config *config, struct err *e)
{
    struct buf path;
    char *bytes = NULL;
    size_t len = 0;
    enum err_code rc;

    buf_init(&path, 4096);
    rc = token_path(&path, e);
    if (rc == ERR_OK && path.len > 0)
        rc = file_read(path.data, sizeof config->token, &bytes, &len, e);
    if (rc == ERR_NOT_FOUND)
        rc = ERR_OK;
    else if (rc != ERR_OK)
        (void)err_wrap(e, "the token file"); /* rc is its code. */
    else if (bytes)
        rc = copy(config->token, sizeof config->token, path.data, bytes, e);
    free(bytes);
    buf_done(&path);
    return rc;
}

static bool is_true(const char *value)
{
    static const char *const words[] = {"1", "on", "yes", "true"};

    for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

enum err_code hub_config_read(struct hub_config *out_config, struct err *e)
{
    const char *endpoint = get("HF_ENDPOINT");
    const char *token = get("HF_TOKEN");
    struct hub_config config = {.is_offline = is_true(get("HF_HUB_OFFLINE"))};
    enum err_code rc = copy(config.endpoint, sizeof config.endpoint, "HF_ENDPOINT",
                            endpoint ? endpoint : default_endpoint, e);

    if (rc == ERR_OK && token)
        rc = copy(config.token, sizeof config.token, "HF_TOKEN", token, e);
    if (rc == ERR_OK && !config.token[0])
        rc = read_token_file(&config, e);
    if (rc != ERR_OK)
        return rc;
    while (text_ends(config.endpoint, "/"))
        config.endpoint[strlen(config.endpoint) - 1] = '\0';
    *out_config = config;
    return ERR_OK;
}
