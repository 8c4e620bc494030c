/* The metadata of a revision, and the forms of names and revisions. */
#include "importers/hub_job.h"

#include <string.h>

/* Longest name of a file or of half a repository; the hub allows 96 for the latter. */
enum { NAME_LIMIT = 200 };

bool hub_is_plain_name(const char *text, size_t len)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    return len > 0 && len <= NAME_LIMIT && text[0] != '.' && strspn(text, letters) >= len;
}

bool hub_is_revision(const char *text)
{
    return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

/* Copy a text of the hub; false if it does not fit. */
static bool copy(char *out, size_t size, const char *text)
{
    size_t len = strlen(text);

    if (len >= size)
        return false;
    memcpy(out, text, len + 1);
    return true;
}

/* gated is false or a text, where all else that is true or false is a bool. */
static enum err_code read_gated(const struct json_t *root, struct hub_result *result, struct err *e)
{
    const struct json_t *gated = json_read_find(root, "gated");
    const char *text = "false";
    bool is_gated = false;
    enum err_code rc;

    if (!gated)
        return ERR_OK;
    if (json_read_bool(gated, "gated", &is_gated, e) != ERR_OK) {
        rc = json_read_text(gated, "gated", &text, e);
        if (rc != ERR_OK)
            return rc;
    }
    if (is_gated || !copy(result->gated, sizeof result->gated, text))
        return err_set(e, ERR_INPUT, "gated: false, \"auto\" or \"manual\" is needed");
    return ERR_OK;
}

static enum err_code read_total(const struct json_t *root, struct hub_result *result, struct err *e)
{
    const struct json_t *totals = json_read_find(root, "safetensors");
    const struct json_t *total = json_read_find(totals, "total");

    if (totals && !json_read_is_object(totals))
        return err_set(e, ERR_INPUT, "safetensors: an object is needed");
    if (!total)
        return ERR_OK;
    return json_read_int(total, "safetensors.total", 0, INT64_MAX, &result->hub_total, e);
}

enum err_code hub_metadata_read(const struct json_t *root, struct hub_result *result,
                                struct hub_metadata *out_metadata, struct err *e)
{
    const struct json_t *disabled = json_read_find(root, "disabled");
    struct hub_metadata found = {0};
    const char *sha = NULL;
    enum err_code rc = json_read_text(json_read_find(root, "id"), "id", &found.id, e);

    if (rc == ERR_OK)
        rc = json_read_text(json_read_find(root, "sha"), "sha", &sha, e);
    if (rc == ERR_OK && !(hub_is_revision(sha) && copy(result->sha, sizeof result->sha, sha)))
        rc = err_set(e, ERR_INPUT, "sha: 40 hexadecimal digits are needed");
    if (rc == ERR_OK && disabled)
        rc = json_read_bool(disabled, "disabled", &found.is_disabled, e);
    if (rc == ERR_OK)
        rc = read_gated(root, result, e);
    if (rc == ERR_OK)
        rc = read_total(root, result, e);
    if (rc == ERR_OK)
        *out_metadata = found;
    return rc;
}
