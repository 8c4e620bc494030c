/* Storing a recipe, by the field table's columns, and removing recipes whose file is gone. */
#include "base/clock.h"
#include "base/mem.h"
#include "core/card.h"
#include "db/columns.h"
#include "db/history.h"
#include "db/recipes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A path, or all text of one recipe as words. */
static const size_t text_limit = (size_t)8 * RECIPE_ARENA_LIMIT;

enum {
    FIND,
    NEW_ID,
    REMOVE_PAGES,
    REMOVE_CARD,
    REMOVE_RECIPE,
    REMOVE_TEXTS,
    REMOVE_SEARCH,
    ADD_SEARCH,
    SOURCES,
    ALL_SOURCES,
};

static const struct stmt_row rows[] = {
    [FIND] = {"SELECT recipes.id, digest, first_seen, hash, tokens_per_s_per_gpu, "
              "usd_per_million_tokens FROM recipes JOIN recipe_texts ON "
              "recipe_texts.id = recipes.id WHERE model = :model AND gpu = :gpu AND recipe = "
              ":recipe",
              "look for a recipe", NULL},
    [NEW_ID] = {"SELECT coalesce(max(id), 0) + 1 FROM recipe_texts", "number a recipe", NULL},
    /* A page shows the best of the model's other GPUs, too. */
    [REMOVE_PAGES] =
        {"DELETE FROM ranking_pages WHERE model = (SELECT model FROM recipes WHERE id = "
         ":id)",
         "remove a model's pages", NULL},
    [REMOVE_CARD] = {"DELETE FROM recipe_cards WHERE (model, gpu, workload, tokens_per_s_per_gpu, "
                     "measured, recipe) = (SELECT model, gpu, workload, tokens_per_s_per_gpu, "
                     "measured, recipe FROM recipes WHERE id = :id)",
                     "remove a recipe's card", NULL},
    [REMOVE_RECIPE] = {"DELETE FROM recipes WHERE id = :id", "remove a recipe", NULL},
    [REMOVE_TEXTS] = {"DELETE FROM recipe_texts WHERE id = :id", "remove a recipe's texts", NULL},
    [REMOVE_SEARCH] = {"DELETE FROM recipe_search WHERE rowid = :id", "remove a recipe's words",
                       NULL},
    [ADD_SEARCH] = {"INSERT INTO recipe_search (rowid, text) VALUES (:id, :text)",
                    "store a recipe's words", NULL},
    [SOURCES] = {"SELECT id, source FROM recipe_texts WHERE source >= :first AND source < :end",
                 "look for files that are gone", NULL},
    [ALL_SOURCES] = {"SELECT source FROM recipe_texts ORDER BY source", "look at all files",
                     "every one is looked at, in the order of an index that has nothing else"},
};

const struct stmt_table recipes_put_statements = {rows, COUNT_OF(rows)};

static bool is_column_of(const struct field *field, enum recipe_table table)
{
    return field->column && column_is_in(field, table);
}

static void write_columns(struct buf *sql, const char *before, enum recipe_table table)
{
    for (size_t i = 0; i < recipe_fields.count; i++)
        if (is_column_of(&recipe_fields.rows[i], table)) {
            buf_puts(sql, before);
            buf_puts(sql, recipe_fields.rows[i].column);
        }
}

/* Put the INSERT of one table together: its own columns, which bind_own binds, and the field
 * table's. */
static void write_insert(struct buf *sql, enum recipe_table table, const char *name,
                         const char *columns, const char *parameters)
{
    buf_printf(sql, "INSERT INTO %s (%s", name, columns);
    write_columns(sql, ", ", table);
    buf_printf(sql, ") VALUES (%s", parameters);
    write_columns(sql, ", :", table);
    buf_putc(sql, ')');
}

static void write_recipe(struct buf *sql)
{
    write_insert(sql, TABLE_RECIPES, "recipes", "id, window_steps", ":id, :window_steps");
}

static void write_texts(struct buf *sql)
{
    write_insert(sql, TABLE_TEXTS, "recipe_texts",
                 "id, hash, digest, source, first_seen, changed_at, audit, document, yaml, facts",
                 ":id, :hash, :digest, :source, :first_seen, :changed_at, :audit, :document, "
                 ":yaml, :facts");
}

static void write_card(struct buf *sql)
{
    write_insert(sql, TABLE_CARDS, "recipe_cards", "speed_stderr, card_head, card_tail",
                 ":speed_stderr, :card_head, :card_tail");
}

/* Each table's INSERT, and its place beside the statements above. */
static const struct {
    void (*write)(struct buf *sql);
    size_t slot;
} inserts[] = {
    [TABLE_RECIPES] = {write_recipe, COUNT_OF(rows)},
    [TABLE_TEXTS] = {write_texts, COUNT_OF(rows) + 1},
    [TABLE_CARDS] = {write_card, COUNT_OF(rows) + 2},
};

static_assert(COUNT_OF(rows) + COUNT_OF(inserts) <= STMT_ROWS, "a connection has a place for each");

/* What is stored already, and under which number. */
struct place {
    bool is_there;
    int64_t id;
    char digest[HASH_HEX_BYTES];
    char first_seen[CLOCK_TEXT_BYTES];
    char hash[HASH_HEX_BYTES];
    struct history_figures figures;
};

static enum err_code find(struct db *db, const struct recipe *r, struct place *out, struct err *e)
{
    struct stmt s;
    enum err_code rc;

    *out = (struct place){0};
    stmt_begin_recipe(&s, db, STMT_RECIPES_PUT, FIND, r->derived.model, r->derived.gpu,
                      r->derived.recipe);
    if (stmt_next(&s)) {
        out->is_there = true;
        out->id = stmt_int(&s, 0);
        stmt_copy_into(&s, 1, out->digest, sizeof out->digest);
        stmt_copy_into(&s, 2, out->first_seen, sizeof out->first_seen);
        stmt_copy_into(&s, 3, out->hash, sizeof out->hash);
        out->figures.tokens_per_s_per_gpu = stmt_real(&s, 4);
        out->figures.usd_per_million_tokens = stmt_real(&s, 5);
    }
    rc = stmt_end(&s, e);
    if (rc != ERR_OK || out->is_there)
        return rc;
    stmt_begin(&s, db, STMT_RECIPES_PUT, NEW_ID);
    if (stmt_next(&s))
        out->id = stmt_int(&s, 0);
    return stmt_end(&s, e);
}

/* A text column's value: of the entry, or of what was found. */
struct own_text {
    const char *parameter;
    const char *text;
};

static void bind_texts(struct stmt *s, const struct recipe_entry *entry, const struct place *place,
                       const char *now)
{
    const struct own_text texts[] = {
        {":hash", entry->hash},         {":digest", entry->made->digest},
        {":source", entry->source},     {":first_seen", place->first_seen},
        {":changed_at", now},           {":audit", entry->audit},
        {":document", entry->document},
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        stmt_bind_text(s, texts[i].parameter, texts[i].text);
    stmt_bind_text_n(s, ":yaml", entry->yaml, entry->yaml_len);
    stmt_bind_text(s, ":facts", entry->facts);
}

/* Bind the columns that are not the field table's, in their order. */
static void bind_own(struct stmt *s, const struct recipe_entry *entry, const struct place *place,
                     const char *now, enum recipe_table table)
{
    const int64_t *window = entry->recipe->result.window.items;

    if (table != TABLE_CARDS)
        stmt_bind_int(s, ":id", place->id);
    if (table == TABLE_RECIPES)
        stmt_bind_int(s, ":window_steps", window[1] - window[0] + 1);
    if (table == TABLE_TEXTS)
        bind_texts(s, entry, place, now);
    if (table == TABLE_CARDS) {
        stmt_bind_real(s, ":speed_stderr", card_speed_stderr(entry->recipe));
        stmt_bind_text(s, ":card_head", entry->card_head);
        stmt_bind_text(s, ":card_tail", entry->card_tail);
    }
}

static enum err_code insert(struct db *db, const struct recipe_entry *entry,
                            const struct place *place, const char *now, enum recipe_table table,
                            struct err *e)
{
    struct stmt s;

    stmt_begin_written(&s, db, STMT_RECIPES_PUT, inserts[table].slot, inserts[table].write,
                       "store a recipe");
    bind_own(&s, entry, place, now, table);
    for (size_t i = 0; i < recipe_fields.count; i++)
        if (is_column_of(&recipe_fields.rows[i], table))
            column_bind(&s, &recipe_fields.rows[i], entry->recipe);
    return stmt_run(&s, e);
}

static enum err_code add_search(struct db *db, const struct buf *words, int64_t id, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RECIPES_PUT, ADD_SEARCH);
    stmt_bind_int(&s, ":id", id);
    stmt_bind_text_n(&s, ":text", buf_text(words), words->len);
    return stmt_run(&s, e);
}

static enum err_code run_on(struct db *db, size_t row, int64_t id, struct err *e)
{
    struct stmt s;

    stmt_begin(&s, db, STMT_RECIPES_PUT, row);
    stmt_bind_int(&s, ":id", id);
    return stmt_run(&s, e);
}

static enum err_code remove_id(struct db *db, int64_t id, struct err *e)
{
    enum err_code rc = ERR_OK;

    for (size_t row = REMOVE_PAGES; rc == ERR_OK && row <= REMOVE_SEARCH; row++)
        rc = run_on(db, row, id, e);
    return rc;
}

/* Store everything anew, under the number that was found. */
static enum err_code store(struct db *db, const struct recipe_entry *entry,
                           const struct place *place, const char *now, struct err *e)
{
    bool is_revision = strcmp(place->hash, entry->hash) != 0;
    enum err_code rc = ERR_OK;

    if (place->is_there)
        rc = is_revision ? history_end(db, place->id, false, now, e)
                         : history_keep(db, place->id, e);
    if (rc == ERR_OK && place->is_there)
        rc = remove_id(db, place->id, e);
    if (rc == ERR_OK)
        rc = insert(db, entry, place, now, TABLE_TEXTS, e);
    if (rc == ERR_OK)
        rc = insert(db, entry, place, now, TABLE_RECIPES, e);
    if (rc == ERR_OK && !place->is_there)
        rc = run_on(db, REMOVE_PAGES, place->id, e);
    if (rc == ERR_OK)
        rc = insert(db, entry, place, now, TABLE_CARDS, e);
    if (rc == ERR_OK)
        rc = add_search(db, &entry->made->words, place->id, e);
    if (rc == ERR_OK && is_revision)
        rc = history_begin(db, entry, &place->figures, now, e);
    return rc;
}

static enum recipe_change change_of(const struct place *place, const char *hash)
{
    if (!place->is_there)
        return RECIPE_ADDED;
    return strcmp(place->hash, hash) == 0 ? RECIPE_REJUDGED : RECIPE_CHANGED;
}

/* Store an entry with what it made. */
static enum err_code put(struct db *db, const struct recipe_entry *entry, const char *now,
                         enum recipe_change *out_change, struct err *e)
{
    const char *fresh = entry->made->digest;
    struct place place;
    enum err_code rc = find(db, entry->recipe, &place, e);

    if (rc != ERR_OK)
        return rc;
    if (place.is_there && strcmp(place.digest, fresh) == 0) {
        *out_change = RECIPE_SAME;
        return ERR_OK;
    }
    if (!place.is_there)
        memcpy(place.first_seen, now, strnlen(now, sizeof place.first_seen - 1));
    rc = store(db, entry, &place, now, e);
    if (rc == ERR_OK)
        *out_change = change_of(&place, entry->hash);
    return rc;
}

enum err_code db_recipe_put(struct db *db, const struct recipe_entry *entry, const char *now,
                            enum recipe_change *out_change, struct err *e)
{
    struct recipe_entry whole = *entry;
    struct recipe_made made;
    enum err_code rc;

    if (entry->made)
        return put(db, entry, now, out_change, e);
    whole.made = &made;
    buf_init(&made.words, text_limit);
    rc = db_recipe_make(entry, &made, e);
    if (rc == ERR_OK)
        rc = put(db, &whole, now, out_change, e);
    buf_done(&made.words);
    return rc;
}

/* Numbers of recipes that are to go. */
struct ids {
    int64_t *items;
    size_t count;
    size_t cap;
};

static enum err_code find_unseen(struct db *db, const char *folder, recipe_is_seen *is_seen,
                                 void *context, struct ids *ids, struct err *e)
{
    struct buf first;
    struct buf end;
    struct stmt s;

    /* Paths below a folder are those from "folder/" up to "folder0": 0 follows / in ASCII. */
    buf_init(&first, text_limit);
    buf_init(&end, text_limit);
    buf_puts(&first, folder);
    buf_putc(&first, '/');
    buf_puts(&end, folder);
    buf_putc(&end, '0');
    stmt_begin(&s, db, STMT_RECIPES_PUT, SOURCES);
    if (first.status != ERR_OK || end.status != ERR_OK)
        stmt_fail(&s, ERR_NOMEM, "out of memory");
    stmt_bind_text(&s, ":first", buf_text(&first));
    stmt_bind_text(&s, ":end", buf_text(&end));
    while (stmt_next(&s)) {
        const char *source = stmt_text(&s, 1, NULL);

        if (!source || is_seen(context, source))
            continue;
        if (mem_grow((void **)&ids->items, &ids->cap, ids->count, sizeof *ids->items))
            ids->items[ids->count++] = stmt_int(&s, 0);
        else
            stmt_fail(&s, ERR_NOMEM, "out of memory");
    }
    buf_done(&first);
    buf_done(&end);
    return stmt_end(&s, e);
}

enum err_code db_recipes_have_unseen(struct db *db, recipe_is_seen *is_seen, void *context,
                                     bool *out_have, struct err *e)
{
    struct stmt s;

    *out_have = false;
    stmt_begin(&s, db, STMT_RECIPES_PUT, ALL_SOURCES);
    while (!*out_have && stmt_next(&s)) {
        const char *source = stmt_text(&s, 0, NULL);

        *out_have = source && !is_seen(context, source);
    }
    return stmt_end(&s, e);
}

enum err_code db_recipes_prune(struct db *db, const char *folder, recipe_is_seen *is_seen,
                               void *context, const char *now, size_t *out_removed, struct err *e)
{
    struct ids ids = {0};
    enum err_code rc = find_unseen(db, folder, is_seen, context, &ids, e);

    for (size_t i = 0; rc == ERR_OK && i < ids.count; i++) {
        rc = history_end(db, ids.items[i], true, now, e);
        if (rc == ERR_OK)
            rc = remove_id(db, ids.items[i], e);
    }
    free(ids.items);
    if (rc == ERR_OK)
        *out_removed = ids.count;
    return rc;
}
