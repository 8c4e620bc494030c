/* Walks libyaml's events and hands them to the tree's builder. What a single event or libyaml
 * itself gives away is refused here: tags, anchors, aliases, second documents, syntax. */
#include "importers/yaml_tree.h"

#include "base/mem.h"
#include "core/recipe.h"
#include "importers/yaml_build.h"
#include "importers/yaml_scan.h"

#include <yaml.h>

#include <string.h>

/* A file being read.
 *
 * bytes, len:   without the byte order mark
 * at, index:    a byte of the file and its number in characters, as libyaml's marks count them;
 *               they only move forward, so that all look-ups together take one pass
 * has_document: a document has begun */
struct reader {
    const char *bytes;
    size_t len;
    size_t at;
    size_t index;
    bool has_document;
    struct report *report;
    struct yaml_build build;
};

static struct yaml_place place_of(const yaml_mark_t *mark)
{
    return (struct yaml_place){mark->line + 1, mark->column + 1};
}

/* Find the byte of a mark that does not lie before the last one asked for. */
static size_t find_byte(struct reader *r, const yaml_mark_t *mark)
{
    const char *bytes = r->bytes;
    size_t at = r->at;
    size_t index = r->index;

    while (index < mark->index && at < r->len) {
        do
            at++;
        while (at < r->len && ((unsigned char)bytes[at] & 0xC0) == 0x80);
        index++;
    }
    r->at = at;
    r->index = index;
    return at;
}

/* Report what ends the reading. */
static enum err_code stop(struct reader *r, struct yaml_place place, const char *message,
                          struct err *e)
{
    report_add(r->report, SEVERITY_ERROR, place.line, place.column, "", "%s", message);
    return err_set(e, ERR_INPUT, "%s", message);
}

static enum err_code refuse_empty(struct reader *r, struct err *e)
{
    return stop(r, (struct yaml_place){1, 1}, "the document is empty", e);
}

static enum err_code refuse_directive(struct reader *r, size_t from, struct yaml_place place,
                                      struct err *e)
{
    if (!yaml_scan_directive(r->bytes + from, r->len - from, &place))
        return ERR_OK;
    return stop(r, place, "directives are not allowed; delete this line", e);
}

static void refuse_properties(struct reader *r, const yaml_char_t *anchor, const yaml_char_t *tag,
                              struct yaml_place place)
{
    if (anchor)
        yaml_build_problem(&r->build, place, "anchors are not allowed; delete this one");
    if (tag)
        yaml_build_problem(&r->build, place, "explicit tags are not allowed; delete this one");
}

/* Report the escapes of a scalar that stand for characters which are not allowed. */
static bool check_escapes(struct reader *r, const yaml_event_t *event)
{
    char path[REPORT_PATH_LIMIT + 2];
    size_t from, to;

    if (event->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        return true;
    from = find_byte(r, &event->start_mark);
    to = find_byte(r, &event->end_mark);
    yaml_build_path(&r->build, path);
    return yaml_scan_escapes(r->bytes + from, to - from, place_of(&event->start_mark), path,
                             r->report);
}

static enum err_code take_scalar(struct reader *r, const yaml_event_t *event, struct err *e)
{
    struct yaml_scalar scalar = {
        .place = place_of(&event->start_mark),
        .text = (const char *)event->data.scalar.value,
        .len = event->data.scalar.length,
        .is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
    };

    refuse_properties(r, event->data.scalar.anchor, event->data.scalar.tag, scalar.place);
    if (r->build.depth == 0 && scalar.is_plain && scalar.len == 0)
        return refuse_empty(r, e);
    if (check_escapes(r, event))
        return yaml_build_scalar(&r->build, &scalar, e);
    yaml_build_pass(&r->build);
    return ERR_OK;
}

static enum err_code take_document(struct reader *r, struct yaml_place place, struct err *e)
{
    if (r->has_document)
        return stop(r, place, "a file holds one document; delete this one", e);
    r->has_document = true;
    return ERR_OK;
}

static enum err_code take_event(struct reader *r, const yaml_event_t *event, struct err *e)
{
    struct yaml_place place = place_of(&event->start_mark);

    switch (event->type) {
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
        return ERR_OK;
    case YAML_STREAM_END_EVENT:
        return r->has_document ? ERR_OK : refuse_empty(r, e);
    case YAML_DOCUMENT_START_EVENT:
        return take_document(r, place, e);
    case YAML_DOCUMENT_END_EVENT:
        return refuse_directive(r, find_byte(r, &event->end_mark), place_of(&event->end_mark), e);
    case YAML_ALIAS_EVENT:
        yaml_build_problem(&r->build, place, "aliases are not allowed; write the value out");
        yaml_build_pass(&r->build);
        return ERR_OK;
    case YAML_SCALAR_EVENT:
        return take_scalar(r, event, e);
    case YAML_SEQUENCE_START_EVENT:
        refuse_properties(r, event->data.sequence_start.anchor, event->data.sequence_start.tag,
                          place);
        return yaml_build_open(&r->build, TREE_LIST, place, e);
    case YAML_MAPPING_START_EVENT:
        refuse_properties(r, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                          place);
        return yaml_build_open(&r->build, TREE_MAP, place, e);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return yaml_build_close(&r->build, e);
    }
    return err_bug(e, "libyaml gave an event of type %d", (int)event->type);
}

/* What libyaml's commonest complaints mean to somebody who writes a recipe.
 *
 * is_at_start: the mistake is where libyaml began to read the thing, not where it gave up */
static const struct complaint {
    const char *problem;
    bool is_at_start;
    const char *meaning;
} complaints[] = {
    {"could not find expected ':'", true,
     "this is not followed by a colon; write \"key: value\", or check the indentation"},
    {"mapping values are not allowed in this context", false,
     "a key cannot stand here; check the indentation, or quote text that has \": \" in it"},
    {"found unexpected end of stream", true, "this quote is not closed"},
    {"did not find expected <document start>", false,
     "the document has ended before this; check the indentation"},
    {"found character that cannot start any token", false,
     "text cannot start with this character; quote the text, and indent with spaces"},
    {"found undefined tag handle", false, "explicit tags are not allowed; delete this one"},
    {"found unknown directive name", false, "directives are not allowed; delete this line"},
};

static enum err_code refuse_syntax(struct reader *r, const yaml_parser_t *parser, struct err *e)
{
    const char *problem = parser->problem;
    struct yaml_place place = place_of(&parser->problem_mark);
    struct yaml_place start = place_of(&parser->context_mark);

    for (size_t i = 0; i < COUNT_OF(complaints); i++)
        if (strcmp(problem, complaints[i].problem) == 0)
            return stop(r, complaints[i].is_at_start ? start : place, complaints[i].meaning, e);
    (void)err_set(e, ERR_INPUT, "%s", problem);
    if (parser->context)
        (void)err_set(e, ERR_INPUT, "%s, %s that starts in line %zu", problem, parser->context,
                      start.line);
    report_add(r->report, SEVERITY_ERROR, place.line, place.column, "", "%s", e->text);
    return ERR_INPUT;
}

/* libyaml gives no error at all where an allocation for a verbatim tag fails. */
static bool is_out_of_memory(const yaml_parser_t *parser)
{
    return parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR;
}

static enum err_code read_event(struct reader *r, yaml_parser_t *parser, bool *out_is_last,
                                struct err *e)
{
    yaml_event_t event;
    enum err_code status;

    if (!yaml_parser_parse(parser, &event))
        return is_out_of_memory(parser) ? err_nomem(e) : refuse_syntax(r, parser, e);
    status = take_event(r, &event, e);
    *out_is_last = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    return status;
}

static enum err_code read_document(struct reader *r, struct err *e)
{
    yaml_parser_t parser;
    bool is_last = false;
    enum err_code status = refuse_directive(r, 0, (struct yaml_place){1, 1}, e);

    if (status != ERR_OK)
        return status;
    if (!yaml_parser_initialize(&parser))
        return err_nomem(e);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->bytes, r->len);
    while (status == ERR_OK && !is_last)
        status = read_event(r, &parser, &is_last, e);
    yaml_parser_delete(&parser);
    return status;
}

enum err_code yaml_tree_read(const char *bytes, size_t len, struct arena *arena,
                             struct tree_node **out_root, struct report *report, struct err *e)
{
    static const char byte_order_mark[] = {'\xEF', '\xBB', '\xBF'};
    struct reader r = {.bytes = bytes, .len = len, .report = report};
    size_t errors_before = report->errors;
    enum err_code status = ERR_OK;

    if (len > (size_t)RECIPE_FILE_LIMIT) {
        report_add(report, SEVERITY_ERROR, 0, 0, "", "the file has %zu bytes, over the limit of %d",
                   len, RECIPE_FILE_LIMIT);
        *out_root = NULL;
        return ERR_OK;
    }
    if (len >= sizeof byte_order_mark &&
        memcmp(bytes, byte_order_mark, sizeof byte_order_mark) == 0) {
        r.bytes += sizeof byte_order_mark;
        r.len -= sizeof byte_order_mark;
    }
    yaml_build_init(&r.build, arena, report);
    yaml_scan_bytes(r.bytes, r.len, report);
    if (report->errors == errors_before)
        status = read_document(&r, e);
    if (report->is_short)
        status = err_nomem(e);
    if (status != ERR_OK && status != ERR_INPUT)
        return status;
    *out_root = report->errors == 0 ? r.build.root : NULL;
    return ERR_OK;
}
