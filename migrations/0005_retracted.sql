-- Recipes that are kept for the record only: no ranking has them, so that lists of all recipes count
-- them apart.
CREATE INDEX recipes_retracted ON recipes (model, gpu, workload) WHERE status = 'retracted';
