-- Rankings in the order in which they are shown: by model, the catalogue's GPUs, and the place of a
-- workload among a model's and GPU's. A model's are read in one walk, without a sort. Conventions as
-- in 0001; import fills the table again whenever anything changed.

ALTER TABLE rankings RENAME TO unordered_rankings;

CREATE TABLE rankings (
    model TEXT NOT NULL,                                     -- slug
    gpu_position INTEGER NOT NULL CHECK (gpu_position >= 0), -- the GPU's in the catalogue
    place INTEGER NOT NULL CHECK (place >= 1),               -- 1: the one that ranks this model and GPU
    gpu TEXT NOT NULL,                                       -- slug
    workload TEXT NOT NULL CHECK (length(workload) = 16),    -- id; the next five are what it stands for
    row_tokens INTEGER NOT NULL CHECK (row_tokens >= 1),     -- tokens of one row
    rows TEXT NOT NULL,                                      -- what a row holds
    global_batch INTEGER NOT NULL CHECK (global_batch >= 1), -- rows of one optimizer step
    precision TEXT NOT NULL,                                 -- "bf16"
    rows_sha256 TEXT NOT NULL,                               -- SHA-256 of the rows
    recipes INTEGER NOT NULL CHECK (recipes >= 1),           -- how many there are
    best_recipe TEXT NOT NULL,                               -- slug of the fastest, whose the rest is
    best_gpus INTEGER NOT NULL CHECK (best_gpus >= 1),       -- its GPUs
    best_tokens_per_s_per_gpu REAL NOT NULL CHECK (best_tokens_per_s_per_gpu > 0), -- its tokens/s of one GPU
    best_author TEXT NOT NULL,                               -- its author
    best_active_params INTEGER NOT NULL CHECK (best_active_params >= 1), -- its active parameters
    PRIMARY KEY (model, gpu_position, place)
) STRICT, WITHOUT ROWID;

INSERT INTO rankings (model, gpu_position, place, gpu, workload, row_tokens, rows, global_batch, precision,
    rows_sha256, recipes, best_recipe, best_gpus, best_tokens_per_s_per_gpu, best_author, best_active_params)
SELECT model, gpus.position,
    row_number() OVER (PARTITION BY model, gpu ORDER BY is_main DESC, recipes DESC, newest DESC, workload),
    gpu, workload, row_tokens, rows, global_batch, precision, rows_sha256, recipes, best_recipe, best_gpus,
    best_tokens_per_s_per_gpu, best_author, best_active_params
FROM unordered_rankings JOIN gpus ON gpus.slug = gpu;

DROP TABLE unordered_rankings;
