/* Values of a JSON reply by dotted path ("recipes.0.rank"), for asserts that can be read. */
#ifndef TESTS_SUPPORT_JSON_AT_H
#define TESTS_SUPPORT_JSON_AT_H

#include "tests/support/http_client.h"

/* The value at a dotted path of the JSON body, "" for all of it; NULL if there is none. The test
 * fails if the body is not JSON, or repeats a key. Lent for the response's life. */
const json_t *json_at(struct http_response *r, const char *path);

/* The same for one type each; the test fails, naming the path, if something else is there. */
const char *json_text_at(struct http_response *r, const char *path);
long long json_int_at(struct http_response *r, const char *path);
double json_real_at(struct http_response *r, const char *path);
bool json_bool_at(struct http_response *r, const char *path);
size_t json_count_at(struct http_response *r, const char *path);

/* Tell whether null is there. */
bool json_is_null_at(struct http_response *r, const char *path);

#endif
