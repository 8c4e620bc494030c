/* The status, counted once for each state of the database. */
#include "db/status.h"

#include "base/mem.h"
#include "base/num.h"
#include "db/stmt.h"

#include <string.h>

enum { NUMBERS, OUTCOMES };

static const struct stmt_row rows[] = {
    [NUMBERS] = {"SELECT (SELECT total(recipes) FROM rankings), "
                 "(SELECT CAST(text AS INTEGER) FROM facts WHERE name = 'import_added'), "
                 "(SELECT CAST(text AS INTEGER) FROM facts WHERE name = 'import_changed'), "
                 "(SELECT CAST(text AS INTEGER) FROM facts WHERE name = 'import_removed'), "
                 "(SELECT unixepoch(text) FROM facts WHERE name = 'imported_at'), "
                 "(SELECT unixepoch(max(checked_at)) FROM checkpoints)",
                 "read the status", "rankings and checkpoints are few"},
    [OUTCOMES] = {"SELECT confirmation, count(*) FROM recipes GROUP BY confirmation",
                  "count recipes by confirmation", "all are wanted"},
};

const struct stmt_table status_statements = {rows, COUNT_OF(rows)};

static const char *const import_facts[] = {[DB_IMPORT_ADDED] = "import_added",
                                           [DB_IMPORT_CHANGED] = "import_changed",
                                           [DB_IMPORT_REMOVED] = "import_removed"};

static int64_t number_or_none(struct stmt *s, int column)
{
    return stmt_is_null(s, column) ? -1 : stmt_int(s, column);
}

static enum err_code read_numbers(struct db *db, struct db_status *out, struct err *e)
{
    struct stmt s;
    int column = 0;

    stmt_begin(&s, db, STMT_STATUS, NUMBERS);
    if (stmt_next(&s)) {
        out->recipes = (int64_t)stmt_real(&s, column++);
        for (size_t i = 0; i < DB_IMPORT_COUNTS; i++)
            out->imported[i] = number_or_none(&s, column++);
        out->imported_at = number_or_none(&s, column++);
        out->verified_at = number_or_none(&s, column);
    }
    return stmt_end(&s, e);
}

static enum err_code read_outcomes(struct db *db, struct db_status *out, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_STATUS, OUTCOMES);
    while (stmt_next(&s)) {
        const char *word = stmt_text(&s, 0, NULL);

        for (size_t i = 0; word && i < HUB_OUTCOMES; i++)
            if (strcmp(word, hub_outcome_name((enum hub_outcome)i)) == 0)
                out->outcomes[i] = stmt_int(&s, 1);
    }
    return stmt_end(&s, e);
}

enum err_code db_status_get(struct db *db, struct db_status *out, struct err *e)
{
    struct db_status status = {0};
    int64_t version = 0;
    enum err_code rc = db_data_version(db, &version, e);

    if (rc == ERR_OK && db->has_status && version == db->status_version) {
        *out = db->status;
        return ERR_OK;
    }
    if (rc == ERR_OK)
        rc = read_numbers(db, &status, e);
    if (rc == ERR_OK)
        rc = read_outcomes(db, &status, e);
    if (rc != ERR_OK)
        return rc;
    db->status = *out = status;
    db->status_version = version;
    db->has_status = true;
    return ERR_OK;
}

enum err_code db_status_put_import(struct db *db, const char *at,
                                   const int64_t counts[DB_IMPORT_COUNTS], struct err *e)
{
    enum err_code rc = db_fact_put(db, "imported_at", at, e);

    for (size_t i = 0; rc == ERR_OK && i < DB_IMPORT_COUNTS; i++) {
        char text[NUM_TEXT_BYTES];

        num_format_int(text, counts[i]);
        rc = db_fact_put(db, import_facts[i], text, e);
    }
    return rc;
}
