/* The audit: what this service checks of every recipe, each row pass, warn, fail or unknown, with
 * what was found and what was expected (DESIGN section 5.1). Pure: computed at import, stored,
 * served. */
#ifndef CORE_AUDIT_H
#define CORE_AUDIT_H

#include "core/catalog.h"
#include "core/hub_result.h"
#include "core/recipe.h"

enum audit_result { AUDIT_PASS, AUDIT_WARN, AUDIT_FAIL, AUDIT_UNKNOWN };

/* Whether the command runs as it stands. */
enum audit_runnable { AUDIT_AS_IS, AUDIT_NEEDS_VARIABLES, AUDIT_NOT_AS_IT_STANDS };

/* The rows, in the order they are served. */
enum audit_check {
    AUDIT_USD,
    AUDIT_MFU,
    AUDIT_WINDOW_TOKENS,
    AUDIT_DP,
    AUDIT_FLAGS,
    AUDIT_ENV,
    AUDIT_PLACEHOLDERS,
    AUDIT_VARIABLES,
    AUDIT_FRAMEWORK,
    AUDIT_PATCHES,
    AUDIT_REFERENCE,
    AUDIT_CONVERGENCE,
    AUDIT_RUNS,
    AUDIT_CONFIRMATION,
    AUDIT_CHECKS /* how many there are */
};

/* One row; found and expected are sentences or figures for people, NULL where there is nothing to
 * say. Owned by the audit's arena. */
struct audit_row {
    enum audit_result result;
    const char *found;
    const char *expected;
};

/* The whole.
 *
 * rows:         by enum audit_check
 * summary:      one sentence: what stands between the reader and a run
 * variables:    what the reader must set, in order of first use
 * placeholders: as they stand in run: "<slime entry module>" */
struct audit {
    struct arena arena;
    struct audit_row rows[AUDIT_CHECKS];
    enum audit_runnable runnable;
    const char *summary;
    struct text_list variables;
    struct text_list placeholders;
};

/* Audit a checked recipe.
 *
 * confirmation: of its active parameters, judged by its count; NULL: not checked yet
 * out:          after use, audit_done
 * Errors:       ERR_NOMEM. */
MUST_USE enum err_code audit_make(const struct recipe *r, const struct catalog *catalog,
                                  const struct hub_result *confirmation, struct audit *out,
                                  struct err *e);

/* Release an audit and all its text; a zeroed one may be released too. */
void audit_done(struct audit *a);

/* Count rows with this result. */
size_t audit_count(const struct audit *a, enum audit_result result);

/* Write {"summary","runnable","variables":[...],"placeholders":[...],"rows":[...]}. */
void audit_write_json(const struct audit *a, const char *key, struct json *j);

/* The words of the API: "usd", "pass", "needs_variables". */
const char *audit_check_name(enum audit_check check);
const char *audit_result_name(enum audit_result result);
const char *audit_runnable_name(enum audit_runnable runnable);

#endif
