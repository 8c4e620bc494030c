/* What can be refused by looking at the bytes of a YAML file alone, before libyaml sees them: other
 * encodings, characters that may not stand in text, directives. Knows nothing of structure. */
#ifndef IMPORTERS_YAML_SCAN_H
#define IMPORTERS_YAML_SCAN_H

#include "core/report.h"

#include <stdbool.h>
#include <stddef.h>

/* A place in a file; both from 1, columns count characters. */
struct yaml_place {
    size_t line;
    size_t column;
};

/* Report every character that is not UTF-8 or not allowed. What the scan passes has no character
 * that libyaml refuses, no carriage return without a line feed, and lines end at line feeds only.
 *
 * bytes, len: the file, without its byte order mark */
void yaml_scan_bytes(const char *bytes, size_t len, struct report *report);

/* Report every escape that stands for a character which is not allowed.
 *
 * text, len: source of one scalar in double quotes, as libyaml accepted it
 * place:     of its first character
 * path:      the scalar's
 * returns    whether there was none */
bool yaml_scan_escapes(const char *text, size_t len, struct yaml_place place, const char *path,
                       struct report *report);

/* Tell whether the next line that is not blank, a comment or a document's end ("...") is a
 * directive. Directives can only stand before a document, so this is asked at the start of the file
 * and after each document; libyaml's time would grow with the square of their number.
 *
 * text, len: the file from there on
 * place:     of text; when there is a directive, moved to it */
bool yaml_scan_directive(const char *text, size_t len, struct yaml_place *place);

#endif
