-- What lists show of a recipe, in a table of its own, in the order of the rankings: the rows of one
-- ranking's page lie beside each other and are read without a look at any other table. Columns are
-- as in recipes. Conventions as in 0001.

CREATE TABLE recipe_cards (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    workload TEXT NOT NULL,                                  -- id of what makes speeds comparable
    tokens_per_s_per_gpu REAL NOT NULL,                      -- training tokens/s of one GPU
    measured TEXT NOT NULL,                                  -- day of the measured run
    recipe TEXT NOT NULL,                                    -- slug
    usd_per_million_tokens REAL,                             -- at the list price, USD; null: no price
    author TEXT NOT NULL,                                    -- name of its author
    status TEXT NOT NULL,                                    -- verified, unverified, retracted
    step_time_cv_percent REAL NOT NULL,                      -- of the window's steps, percent
    window_steps INTEGER NOT NULL,                           -- steps of the measured window
    gpus INTEGER NOT NULL,                                   -- GPUs of the run
    runs INTEGER NOT NULL,                                   -- runs that the figures are from
    card_head TEXT NOT NULL,                                 -- JSON members before the cost in a list
    card_tail TEXT NOT NULL,                                 -- JSON members after it
    PRIMARY KEY (model, gpu, workload, tokens_per_s_per_gpu DESC, measured DESC, recipe)
) STRICT, WITHOUT ROWID;

INSERT INTO recipe_cards (model, gpu, workload, tokens_per_s_per_gpu, measured, recipe, usd_per_million_tokens,
    author, status, step_time_cv_percent, window_steps, gpus, runs, card_head, card_tail)
SELECT model, gpu, workload, tokens_per_s_per_gpu, measured, recipe, usd_per_million_tokens,
    author, status, step_time_cv_percent, window_steps, gpus, runs, card_head, card_tail
FROM recipes JOIN recipe_texts ON recipe_texts.id = recipes.id
ORDER BY model, gpu, workload, tokens_per_s_per_gpu DESC, measured DESC, recipe;

ALTER TABLE recipe_texts DROP COLUMN card_head;
ALTER TABLE recipe_texts DROP COLUMN card_tail;
