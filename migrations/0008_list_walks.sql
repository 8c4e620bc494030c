-- Lists of all recipes are walked in an index and their cards: an index has the whole key of a card,
-- and a card all that a list shows, its speed's standard error too. Conventions as in 0001.

ALTER TABLE recipe_cards ADD COLUMN speed_stderr REAL NOT NULL DEFAULT 0; -- of tokens_per_s_per_gpu
UPDATE recipe_cards SET speed_stderr = cost_speed_stderr(tokens_per_s_per_gpu, step_time_cv_percent, window_steps);
UPDATE recipe_cards SET card_tail = card_tail || ',"runs":' || runs || ',"speed_stderr":' || shown_json(speed_stderr);
ALTER TABLE recipe_cards DROP COLUMN window_steps;

DROP INDEX recipes_measured;
DROP INDEX recipes_speed;
DROP INDEX recipes_cost;
CREATE INDEX recipes_measured
    ON recipes (measured DESC, model, gpu, recipe, workload, tokens_per_s_per_gpu);
CREATE INDEX recipes_speed
    ON recipes (tokens_per_s_per_gpu DESC, measured DESC, model, gpu, recipe, workload);
CREATE INDEX recipes_cost
    ON recipes (usd_per_million_tokens, measured DESC, model, gpu, recipe, workload, tokens_per_s_per_gpu);

-- What is asked of one ranking is in its cards.
DROP INDEX recipes_ranking;
