/* Ranking pages: four statements. */
#include "db/ranking_pages.h"

#include "base/mem.h"
#include "base/version.h"
#include "db/stmt.h"

enum { GET, PUT, NEXT_MISSING, CLEAR };

static const struct stmt_row rows[] = {
    [GET] = {"SELECT hash, total, head, rows, keys, tail FROM ranking_pages WHERE model = :model "
             "AND gpu = :gpu AND EXISTS (SELECT 1 FROM facts WHERE name = 'render_version' AND "
             "text = :version)",
             "read a ranking's page", NULL},
    [PUT] = {"INSERT INTO ranking_pages (model, gpu, hash, total, head, rows, keys, tail) VALUES "
             "(:model, :gpu, :hash, :total, :head, :rows, :keys, :tail)",
             "store a ranking's page", NULL},
    [NEXT_MISSING] = {"SELECT model, gpu, gpu_position FROM rankings WHERE (model, gpu_position) > "
                      "(:model, :position) AND place = 1 AND NOT EXISTS (SELECT 1 FROM "
                      "ranking_pages AS page WHERE page.model = rankings.model AND page.gpu = "
                      "rankings.gpu) ORDER BY model, gpu_position LIMIT 1",
                      "look for a ranking without a page", NULL},
    [CLEAR] = {"DELETE FROM ranking_pages", "clear the rankings' pages", NULL},
};

const struct stmt_table ranking_pages_statements = {rows, COUNT_OF(rows)};

enum err_code db_ranking_page_get(struct db *db, const char *model, const char *gpu,
                                  struct arena *arena, struct ranking_page *out, struct err *e)
{
    struct ranking_page page = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKING_PAGES, GET);
    stmt_bind_text(&s, ":model", model);
    stmt_bind_text(&s, ":gpu", gpu);
    stmt_bind_text(&s, ":version", version_whole());
    if (stmt_next(&s)) {
        page.hash = stmt_copy(&s, 0, arena);
        page.total = stmt_int(&s, 1);
        page.head = stmt_copy(&s, 2, arena);
        page.rows = stmt_copy(&s, 3, arena);
        page.keys = stmt_copy(&s, 4, arena);
        page.tail = stmt_copy(&s, 5, arena);
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *out = page;
    return rc;
}

enum err_code db_ranking_page_put(struct db *db, const char *model, const char *gpu,
                                  const struct ranking_page *page, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKING_PAGES, PUT);
    stmt_bind_text(&s, ":model", model);
    stmt_bind_text(&s, ":gpu", gpu);
    stmt_bind_text(&s, ":hash", page->hash);
    stmt_bind_int(&s, ":total", page->total);
    stmt_bind_text(&s, ":head", page->head);
    stmt_bind_text(&s, ":rows", page->rows);
    stmt_bind_text(&s, ":keys", page->keys);
    stmt_bind_text(&s, ":tail", page->tail);
    return stmt_run(&s, e);
}

enum err_code db_ranking_page_next(struct db *db, struct arena *arena, struct ranking_place *place,
                                   struct err *e)
{
    struct ranking_place next = {0};
    enum err_code rc;
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKING_PAGES, NEXT_MISSING);
    stmt_bind_text(&s, ":model", place->model ? place->model : "");
    stmt_bind_int(&s, ":position", place->gpu_position);
    if (stmt_next(&s)) {
        next.model = stmt_copy(&s, 0, arena);
        next.gpu = stmt_copy(&s, 1, arena);
        next.gpu_position = stmt_int(&s, 2);
    }
    rc = stmt_end(&s, e);
    if (rc == ERR_OK)
        *place = next;
    return rc;
}

enum err_code db_ranking_pages_clear(struct db *db, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RANKING_PAGES, CLEAR);
    return stmt_run(&s, e);
}
