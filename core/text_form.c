/* Checks and patterns of text forms, side by side. */
#include "core/text_form.h"

#include "base/mem.h"
#include "base/text.h"
#include "core/field.h"
#include "core/slug.h"

#include <string.h>

/* Expands to the start of every repository's address, to be joined to other literals. */
#define HUB "https://huggingface.co/"

/* Longest owner and longest name on the hub. */
enum { HUB_NAME_LIMIT = 96 };

static bool can_be_slug(const char *text)
{
    char slug[SLUG_BYTES];

    return slug_make(slug, text);
}

/* Whatever ends an address in HTML, Markdown or a shell is refused with the rest. */
static bool is_url(const char *text)
{
    size_t skip = text_starts(text, "https://") ? 8 : 7;

    if (skip == 7 && !text_starts(text, "http://"))
        return false;
    if (text[skip] == '\0' || strpbrk(text, "\"<>\\^`{|}"))
        return false;
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

/* Length of an owner's or a model's name at the start of text; 0 if there is none. */
static size_t hub_word(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t len = strspn(text, letters);

    return len > HUB_NAME_LIMIT || text[0] == '.' || text[0] == '-' ? 0 : len;
}

static bool is_hub_name(const char *text)
{
    size_t owner = hub_word(text);
    size_t name;

    if (owner == 0 || text[owner] != '/')
        return false;
    name = hub_word(text + owner + 1);
    return name > 0 && text[owner + 1 + name] == '\0';
}

static bool is_hub_url(const char *text)
{
    return text_starts(text, HUB) && is_hub_name(text + sizeof HUB - 1);
}

/* Expand to pieces of the patterns below, joined to other literals: what a slug may not end with,
 * and an owner's or a model's name on the hub. */
#define NO_SUFFIX "(?!.*\\.(?:json|csv|ndjson|txt|atom|yaml|sh|bib|html)$)"
#define HUB_WORD  "[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}"

static const struct text_form forms[] = {
    {FIELD_SLUG_PART, can_be_slug, "^" NO_SUFFIX "[A-Za-z0-9][A-Za-z0-9.-]{0,99}$",
     "a name of letters, digits, dots and hyphens that can become a slug"},
    {FIELD_SLUG, slug_check, "^" NO_SUFFIX "[a-z0-9][a-z0-9.-]{0,99}$",
     "a slug: lower-case letters, digits, dots and hyphens, not ending like a format"},
    {FIELD_URL, is_url, "^https?://[^\\u0000- \\u007f\"<>\\\\^`{|}]+$", "an http or https address"},
    {FIELD_HUB_NAME, is_hub_name, "^" HUB_WORD "/" HUB_WORD "$",
     "OWNER/NAME of a repository on Hugging Face"},
    {FIELD_HUB_URL, is_hub_url, "^https://huggingface\\.co/" HUB_WORD "/" HUB_WORD "$",
     HUB "OWNER/NAME"},
};

const struct text_form *text_form_get(unsigned flags)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (flags & forms[i].flag)
            return &forms[i];
    return NULL;
}
