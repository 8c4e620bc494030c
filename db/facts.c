/* Small facts about the collection, by name. */
#include "db/stmt.h"

#include "base/mem.h"

enum { FACT_GET, FACT_PUT };

static const struct stmt_row rows[] = {
    [FACT_GET] = {"SELECT text FROM facts WHERE name = :name", "read a fact", NULL},
    [FACT_PUT] = {"INSERT INTO facts (name, text) VALUES (:name, :text) "
                  "ON CONFLICT (name) DO UPDATE SET text = excluded.text",
                  "store a fact", NULL},
};

const struct stmt_table facts_statements = {rows, COUNT_OF(rows)};

enum err_code db_fact_get(struct db *db, const char *name, char **out_text, struct err *e)
{
    struct stmt s;
    char *copy = NULL;
    enum err_code rc;

    stmt_begin(&s, db, STMT_FACTS, FACT_GET);
    stmt_bind_text(&s, ":name", name);
    if (stmt_next(&s)) {
        size_t len;
        const char *text = stmt_text(&s, 0, &len);

        copy = text ? mem_text(text, len) : NULL;
        if (!copy)
            stmt_fail(&s, ERR_NOMEM, "out of memory");
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out_text = copy;
    return rc;
}

enum err_code db_fact_put(struct db *db, const char *name, const char *text, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_FACTS, FACT_PUT);
    stmt_bind_text(&s, ":name", name);
    stmt_bind_text(&s, ":text", text);
    return stmt_run(&s, e);
}
