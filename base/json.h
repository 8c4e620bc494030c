/* JSON out, as compact text with exact numbers. (JSON in is read with jansson, through
 * base/json_read.h.) The writer appends to a buffer, so a failure sticks there and is checked once.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* A writer. The caller keeps begin and end in balance; commas are put in by themselves.
 *
 * buf:          lent for the writer's life
 * needs_comma:  whether the next member or element follows another */
struct json {
    struct buf *buf;
    bool needs_comma;
};

/* Every json_put_* takes a key: the member's name inside an object, NULL inside an array or at the
 * top. Keys are written as they are: constants of ours, or escaped with json_put_key first. */

/* Start at the end of a buffer. */
void json_init(struct json *j, struct buf *buf);

/* Open an object '{' or an array '[', or a text '"' whose parts the caller appends to buf: only
 * such as need no escape. */
void json_begin(struct json *j, const char *key, char bracket);

/* Close what was opened: '}', ']' or '"'. */
void json_end(struct json *j, char bracket);

/* Write a member's name from outside, escaped; the value follows with a NULL key. */
void json_put_key(struct json *j, const char *name);

/* Write a text, which must be UTF-8; NULL writes null. */
void json_put_text(struct json *j, const char *key, const char *text);
void json_put_text_n(struct json *j, const char *key, const char *text, size_t len);

/* Write an integer, every digit of it. */
void json_put_int(struct json *j, const char *key, int64_t value);

/* Write a real as the shortest decimal that reads back; it must be finite. */
void json_put_real(struct json *j, const char *key, double value);

/* Write true or false, or null. */
void json_put_bool(struct json *j, const char *key, bool value);
void json_put_null(struct json *j, const char *key);

/* Write JSON text that was made by this writer earlier. */
void json_put_raw(struct json *j, const char *key, const char *text, size_t len);

#endif
