-- What recipes were before, and what happened to the collection. Neither refers to a recipe: both
-- stay when it is gone.

-- One row for each time that a recipe's file came with other bytes, or came back. What
-- recipe_texts has of the recipe of now comes here when that is replaced or removed.
CREATE TABLE revisions (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    recipe TEXT NOT NULL,                                    -- slug
    number INTEGER NOT NULL CHECK (number >= 1),             -- of the recipe's revisions, from 1
    hash TEXT NOT NULL CHECK (length(hash) = 64),            -- SHA-256 of the file's bytes
    first_seen TEXT NOT NULL CHECK (length(first_seen) = 20), -- when it was imported
    replaced_at TEXT CHECK (length(replaced_at) = 20),       -- when another came, or the recipe was removed; null: it is there
    tokens_per_s_per_gpu REAL NOT NULL CHECK (tokens_per_s_per_gpu > 0), -- training tokens/s of one GPU
    measured TEXT NOT NULL CHECK (length(measured) = 10),    -- day of the measured run
    audit TEXT NOT NULL,                                     -- JSON object of the audit at its import
    document TEXT,                                           -- JSON document; null: in recipe_texts
    yaml TEXT,                                               -- the file's bytes; null: likewise
    run TEXT,                                                -- the command; null: likewise
    PRIMARY KEY (model, gpu, recipe, number),
    CHECK ((replaced_at IS NULL) = (yaml IS NULL) AND (replaced_at IS NULL) = (document IS NULL)
           AND (replaced_at IS NULL) = (run IS NULL))
) STRICT;

-- Of the recipes that are there nobody knows what they were before.
INSERT INTO revisions (model, gpu, recipe, number, hash, first_seen, tokens_per_s_per_gpu, measured, audit)
SELECT model, gpu, recipe, 1, hash, changed_at, tokens_per_s_per_gpu, measured, audit
FROM recipes JOIN recipe_texts ON recipe_texts.id = recipes.id;

-- Who is first in each list of comparable recipes, and since when.
CREATE TABLE first_places (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    workload TEXT NOT NULL CHECK (length(workload) = 16),    -- id
    recipe TEXT NOT NULL,                                    -- slug
    since TEXT NOT NULL CHECK (length(since) = 20),          -- when it came to be the first
    tokens_per_s_per_gpu REAL NOT NULL CHECK (tokens_per_s_per_gpu > 0), -- training tokens/s of one GPU
    usd_per_million_tokens REAL CHECK (usd_per_million_tokens > 0), -- at the list price, USD; null: no price
    PRIMARY KEY (model, gpu, workload)
) STRICT, WITHOUT ROWID;

INSERT INTO first_places (model, gpu, workload, recipe, since, tokens_per_s_per_gpu, usd_per_million_tokens)
SELECT rankings.model, rankings.gpu, rankings.workload, best_recipe, changed_at, tokens_per_s_per_gpu,
       usd_per_million_tokens
FROM rankings
JOIN recipes ON recipes.model = rankings.model AND recipes.gpu = rankings.gpu AND recipe = best_recipe
JOIN recipe_texts ON recipe_texts.id = recipes.id;

-- What import changed, for feeds. Figures are as they stood then; cost is at the list price.
CREATE TABLE events (
    id INTEGER NOT NULL PRIMARY KEY,                         -- in the order of what happened
    at TEXT NOT NULL CHECK (length(at) = 20),                -- when
    kind TEXT NOT NULL CHECK (kind IN ('first_place', 'addition', 'improvement', 'change', 'removal')), -- what
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    workload TEXT NOT NULL CHECK (length(workload) = 16),    -- id
    recipe TEXT NOT NULL,                                    -- slug of the recipe that it happened to
    hash TEXT NOT NULL CHECK (length(hash) = 64),            -- its revision; of a removal the last one
    tokens_per_s_per_gpu REAL CHECK (tokens_per_s_per_gpu > 0), -- after it; null: a removal
    usd_per_million_tokens REAL CHECK (usd_per_million_tokens > 0), -- after it, USD; null: a removal, or no price
    old_recipe TEXT,                                         -- who was first before; null: no first place, or nobody was
    old_tokens_per_s_per_gpu REAL CHECK (old_tokens_per_s_per_gpu > 0), -- before it; null: nothing was there
    old_usd_per_million_tokens REAL CHECK (old_usd_per_million_tokens > 0) -- before it, USD; null: likewise, or no price
) STRICT;

-- The feed of a ranking.
CREATE INDEX events_place ON events (model, gpu);
