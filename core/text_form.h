/* The forms that a text field may be bound to by a flag: what the reader checks and the schema
 * says. */
#ifndef CORE_TEXT_FORM_H
#define CORE_TEXT_FORM_H

#include <stdbool.h>

/* One form.
 *
 * flag:    of enum field_flag
 * pattern: the same as a regular expression of JSON Schema
 * needed:  what a text is not when it fails, for people: "an http or https address" */
struct text_form {
    unsigned flag;
    bool (*is_ok)(const char *text);
    const char *pattern;
    const char *needed;
};

/* Find the form that a field's flags ask for; NULL if they ask for none. FIELD_HEX is not here: its
 * length is the field's. */
const struct text_form *text_form_get(unsigned flags);

#endif
