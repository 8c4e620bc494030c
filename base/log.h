/* One line per event on a file descriptor, as key=value pairs or as a JSON object. Each line is one
 * write, so lines of several threads never mix. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/buf.h"

/* Where lines go.
 *
 * fd:         open for writing; not owned
 * has_access: whether there is a line for each request
 * is_json:    whether lines are JSON objects */
struct log {
    int fd;
    bool has_access;
    bool is_json;
};

/* Longest line; a longer one is cut and ends with "...". */
#define LOG_LINE_BYTES 4096

/* A line under construction; starts with the time and the event's name.
 *
 * is_cut: whether it is full: what is added further is lost */
struct log_line {
    char text[LOG_LINE_BYTES];
    size_t len;
    bool is_cut;
    bool is_json;
};

/* Start a line: time=... level=... event=... */
void log_begin(const struct log *log, struct log_line *line, const char *level, const char *event);

/* Add a pair; keys are words of ours. In key=value lines values with spaces, quotes, = or control
 * characters are quoted and escaped, so that no input can forge a line or a pair. */
void log_add_text(struct log_line *line, const char *key, const char *value);
void log_add_int(struct log_line *line, const char *key, int64_t value);

/* Write the line. A failure is ignored on purpose: there is nowhere left to report it. */
void log_end(const struct log *log, struct log_line *line);

/* A whole line with one text. */
void log_message(const struct log *log, const char *level, const char *event, const char *text);

#endif
