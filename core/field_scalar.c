/* Single values of a field table: numbers, truth values, texts and dates, and what is wrong with
 * them. */
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "core/field_reader.h"
#include "core/text_form.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is shown of a text from the document in a problem, in bytes. */
enum { SHOWN = 70 };

/* Room for a problem's message: a shown text, a list of allowed words, and our own words. */
enum { MESSAGE_BYTES = 512 };

/* What each kind of field is written as. */
static const struct {
    enum tree_kind tree;
    const char *name;
} shapes[] = {
    [FIELD_MAP] = {TREE_MAP, "a map"},         [FIELD_INT] = {TREE_SCALAR, "a whole number"},
    [FIELD_REAL] = {TREE_SCALAR, "a number"},  [FIELD_BOOL] = {TREE_SCALAR, "true or false"},
    [FIELD_TEXT] = {TREE_SCALAR, "a text"},    [FIELD_DATE] = {TREE_SCALAR, "a date (YYYY-MM-DD)"},
    [FIELD_TEXT_LIST] = {TREE_LIST, "a list"}, [FIELD_INT_LIST] = {TREE_LIST, "a list"},
    [FIELD_OPEN_MAP] = {TREE_MAP, "a map"},    [FIELD_MAP_LIST] = {TREE_LIST, "a list"},
};

static const char *const tree_names[] = {
    [TREE_SCALAR] = "a single value", [TREE_MAP] = "a map", [TREE_LIST] = "a list"};

struct field_shown field_show(const char *text)
{
    size_t len = 0;

    while (len < SHOWN && (unsigned char)text[len] >= ' ')
        len++;
    if (text[len] == '\0')
        return (struct field_shown){(int)len, ""};
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return (struct field_shown){(int)len, "..."};
}

void field_refuse(struct field_reader *rd, const struct tree_node *node, const char *fmt, ...)
{
    char message[MESSAGE_BYTES] = "";
    va_list args;

    va_start(args, fmt);
    /* Everything that is noted is shorter: shown texts and lists of words are cut. */
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    report_add(rd->report, SEVERITY_ERROR, node->line, node->column, rd->path, "%s", message);
}

bool field_is_shape(struct field_reader *rd, enum field_kind kind, const struct tree_node *node)
{
    if (tree_is_null(node))
        field_refuse(rd, node, "null, where %s is needed", shapes[kind].name);
    else if (node->kind != shapes[kind].tree)
        field_refuse(rd, node, "%s, where %s is needed", tree_names[node->kind], shapes[kind].name);
    else
        return true;
    return false;
}

const char *field_copy_text(struct field_reader *rd, const char *text, size_t len)
{
    char *copy = arena_text(rd->arena, text, len);

    if (!copy)
        rd->is_short = true;
    return copy;
}

static void refuse_value(struct field_reader *rd, const struct tree_node *node, const char *needed)
{
    struct field_shown shown = field_show(node->text);

    field_refuse(rd, node, "%.*s%s is not %s", shown.len, node->text, shown.dots, needed);
}

static bool is_plain(struct field_reader *rd, enum field_kind kind, const struct tree_node *node)
{
    if (node->is_plain)
        return true;
    field_refuse(rd, node, "quoted, where %s is needed: write it without quotes",
                 shapes[kind].name);
    return false;
}

/* Letters beyond ASCII are refused here, since the number parsers cut what they show by bytes. */
static bool is_number(struct field_reader *rd, enum field_kind kind, const struct tree_node *node)
{
    const char *byte = node->text;

    if (!is_plain(rd, kind, node))
        return false;
    while (*byte != '\0' && (unsigned char)*byte < 0x80)
        byte++;
    if (*byte == '\0')
        return true;
    refuse_value(rd, node, "a number");
    return false;
}

static bool has_range(const struct field *field)
{
    return field->min != 0 || field->max != 0;
}

void field_read_int(struct field_reader *rd, const struct field *field,
                    const struct tree_node *node, int64_t *out)
{
    int64_t min = has_range(field) ? (int64_t)field->min : INT64_MIN;
    int64_t max = has_range(field) ? (int64_t)field->max : INT64_MAX;
    struct err why;

    if (!is_number(rd, FIELD_INT, node))
        return;
    if (num_parse_int(node->text, node->len, min, max, out, &why))
        field_refuse(rd, node, "%s", why.text);
}

void field_read_real(struct field_reader *rd, const struct field *field,
                     const struct tree_node *node, double *out)
{
    bool is_above = field->flags & FIELD_ABOVE_MIN;
    double value;
    struct err why;

    if (!is_number(rd, FIELD_REAL, node))
        return;
    if (num_parse_real(node->text, node->len, &value, &why))
        field_refuse(rd, node, "%s", why.text);
    else if (has_range(field) && value < field->min)
        field_refuse(rd, node, "%s is below %.15g", node->text, field->min);
    else if (has_range(field) && is_above && value == field->min)
        field_refuse(rd, node, "%s is not above %.15g", node->text, field->min);
    else if (has_range(field) && value > field->max)
        field_refuse(rd, node, "%s is above %.15g", node->text, field->max);
    else
        *out = value;
}

void field_read_bool(struct field_reader *rd, const struct tree_node *node, bool *out)
{
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    size_t i = 0;

    if (!is_plain(rd, FIELD_BOOL, node))
        return;
    while (i < COUNT_OF(words) && strcmp(node->text, words[i]) != 0)
        i++;
    if (i < COUNT_OF(words))
        *out = i >= 3;
    else
        refuse_value(rd, node, "true or false");
}

static void refuse_word(struct field_reader *rd, const struct field *field,
                        const struct tree_node *node)
{
    struct field_shown shown = field_show(node->text);
    const char *nearest;
    char list[FIELD_PATH_BYTES] = "";
    size_t len = 0;
    size_t count = 0;

    for (; field->allowed[count]; count++) {
        int more = snprintf(list + len, sizeof list - len, "%s%s", count > 0 ? ", " : "",
                            field->allowed[count]);

        if (more > 0 && (size_t)more < sizeof list - len)
            len += (size_t)more;
    }
    nearest = text_nearest(node->text, field->allowed, count);
    field_refuse(rd, node, "%.*s%s is none of %s%s%s%s", shown.len, node->text, shown.dots, list,
                 nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static bool is_allowed(const struct field *field, const char *text)
{
    if (!field->allowed)
        return true;
    for (const char *const *word = field->allowed; *word; word++)
        if (strcmp(text, *word) == 0)
            return true;
    return false;
}

static bool is_hex(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

static void refuse_hex(struct field_reader *rd, const struct field *field,
                       const struct tree_node *node)
{
    struct field_shown shown = field_show(node->text);

    field_refuse(rd, node, "%.*s%s is not %.0f lower-case hexadecimal digits", shown.len,
                 node->text, shown.dots, field->max);
}

static bool is_good_text(struct field_reader *rd, const struct field *field,
                         const struct tree_node *node)
{
    const struct text_form *form = text_form_get(field->flags);

    if (node->text[strspn(node->text, " \t\r\n")] == '\0')
        field_refuse(rd, node, "empty, where a text is needed");
    else if (!(field->flags & FIELD_MULTILINE) && strpbrk(node->text, "\r\n"))
        field_refuse(rd, node, "has a line break, where one line is needed; fold it with >-");
    else if (!is_allowed(field, node->text))
        refuse_word(rd, field, node);
    else if (field->kind == FIELD_DATE && !text_is_date(node->text))
        refuse_value(rd, node, shapes[FIELD_DATE].name);
    else if ((field->flags & FIELD_HEX) && !is_hex(node->text, (size_t)field->max))
        refuse_hex(rd, field, node);
    else if (form && !form->is_ok(node->text))
        refuse_value(rd, node, form->needed);
    else
        return true;
    return false;
}

void field_read_text(struct field_reader *rd, const struct field *field,
                     const struct tree_node *node, const char **out)
{
    if (is_good_text(rd, field, node))
        *out = field_copy_text(rd, node->text, node->len);
}
