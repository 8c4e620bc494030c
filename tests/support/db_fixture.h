/* A database in a folder of its own, with a small catalogue and recipes made by hand. For tests. */
#ifndef TESTS_SUPPORT_DB_FIXTURE_H
#define TESTS_SUPPORT_DB_FIXTURE_H

#include "core/catalog.h"
#include "db/db.h"
#include "db/recipes.h"

/* Room for a path below the fixture's folder. */
#define FIXTURE_PATH_BYTES 256

/* folder: made for the test, removed by fixture_done
 * path:   of the database in it
 * db:     open for writing and migrated; NULL before fixture_migrate */
struct fixture {
    char folder[FIXTURE_PATH_BYTES];
    char path[FIXTURE_PATH_BYTES];
    struct db *db;
};

/* Make the folder. Any failure in these functions fails the test. */
void fixture_init(struct fixture *f);

/* Open the database for writing, and migrate it. */
void fixture_migrate(struct fixture *f);

/* Close the database and remove the folder with all that is in it. */
void fixture_done(struct fixture *f);

/* cmocka's setup, whose state is a fixture of its own: with an empty folder; with a migrated
 * database in it; with the catalogue of fixture_catalog in that. Each ends with fixture_tear_down.
 */
int fixture_set_up_folder(void **state);
int fixture_set_up_database(void **state);
int fixture_set_up_catalog(void **state);
int fixture_tear_down(void **state);

/* Path of a file in the folder. */
void fixture_path(const struct fixture *f, const char *name, char out[FIXTURE_PATH_BYTES]);

/* Run SQL on the database through a connection of its own; only for what db/ does not offer. */
void fixture_sql(const struct fixture *f, const char *sql);

/* Fill a catalogue after catalog_init: GPUs b200, h100 (alias h100-sxm), h200, in this order, of
 * which h200 has no price; models alpha, beta, gamma; one author. */
void fixture_catalog(struct catalog *c);

/* Store that catalogue, in a transaction. */
void fixture_put_catalog(struct fixture *f);

/* Fill a recipe with valid values: model "alpha", GPU "h100", the given slug, measured 2026-10-20
 * at 1000 tokens/s, 8 GPUs. Its text is constant, or the recipe's own. */
void fixture_recipe(struct recipe *r, const char *slug);

/* Give a recipe other slugs. */
void fixture_place(struct recipe *r, const char *model, const char *gpu);

/* Store a recipe, in a transaction; its file is /data/recipes/MODEL/GPU/RECIPE.yaml. */
enum recipe_change fixture_put(struct fixture *f, const struct recipe *r);

/* Work the rankings out again, in a transaction. */
void fixture_rank(struct fixture *f);

#endif
