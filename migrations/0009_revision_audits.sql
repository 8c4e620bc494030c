-- The audit of the revision that is there is that of recipe_texts, too, until the recipe is judged
-- otherwise, changes or goes: it need not be stored twice. Conventions as in 0001.

CREATE TABLE revisions_once (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    recipe TEXT NOT NULL,                                    -- slug
    number INTEGER NOT NULL CHECK (number >= 1),             -- of the recipe's revisions, from 1
    hash TEXT NOT NULL CHECK (length(hash) = 64),            -- SHA-256 of the file's bytes
    first_seen TEXT NOT NULL CHECK (length(first_seen) = 20), -- when it was imported
    replaced_at TEXT CHECK (length(replaced_at) = 20),       -- when another came, or the recipe was removed; null: it is there
    tokens_per_s_per_gpu REAL NOT NULL CHECK (tokens_per_s_per_gpu > 0), -- training tokens/s of one GPU
    measured TEXT NOT NULL CHECK (length(measured) = 10),    -- day of the measured run
    audit TEXT,                                              -- JSON object of the audit at its import; null: in recipe_texts
    document TEXT,                                           -- JSON document; null: likewise
    yaml TEXT,                                               -- the file's bytes; null: likewise
    run TEXT,                                                -- the command; null: likewise
    PRIMARY KEY (model, gpu, recipe, number),
    CHECK ((replaced_at IS NULL) = (yaml IS NULL) AND (replaced_at IS NULL) = (document IS NULL)
           AND (replaced_at IS NULL) = (run IS NULL) AND (replaced_at IS NULL OR audit IS NOT NULL))
) STRICT;

INSERT INTO revisions_once (model, gpu, recipe, number, hash, first_seen, replaced_at, tokens_per_s_per_gpu, measured,
    audit, document, yaml, run)
SELECT revisions.model, revisions.gpu, revisions.recipe, number, revisions.hash, revisions.first_seen, replaced_at,
    revisions.tokens_per_s_per_gpu, revisions.measured,
    iif(replaced_at IS NULL AND revisions.audit = recipe_texts.audit, NULL, revisions.audit), revisions.document,
    revisions.yaml, revisions.run
FROM revisions
LEFT JOIN recipes ON recipes.model = revisions.model AND recipes.gpu = revisions.gpu AND recipes.recipe = revisions.recipe
LEFT JOIN recipe_texts ON recipe_texts.id = recipes.id;

DROP TABLE revisions;
ALTER TABLE revisions_once RENAME TO revisions;
