-- The catalogue, the recipes, and what is worked out from them.
-- Dates are YYYY-MM-DD, time stamps YYYY-MM-DDTHH:MM:SSZ in UTC, hashes lower-case hexadecimal,
-- booleans 0 and 1. A price or a share is a REAL in the unit that its comment names.

CREATE TABLE gpus (
    slug TEXT NOT NULL PRIMARY KEY CHECK (slug <> ''),       -- "h100"
    position INTEGER NOT NULL CHECK (position >= 0),         -- place in gpus.yaml, from 0
    name TEXT NOT NULL CHECK (name <> ''),                   -- "H100"
    memory_gb INTEGER NOT NULL CHECK (memory_gb > 0),        -- of one GPU, 10^9 bytes
    peak_bf16_flops INTEGER NOT NULL CHECK (peak_bf16_flops > 0), -- dense BF16 peak of one GPU, FLOP/s
    source TEXT NOT NULL,                                    -- where the peak is from
    source_date TEXT NOT NULL CHECK (length(source_date) = 10) -- when it was read
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu_aliases (
    gpu TEXT NOT NULL REFERENCES gpus (slug) DEFERRABLE INITIALLY DEFERRED, -- whose
    position INTEGER NOT NULL CHECK (position >= 0),         -- place in its list, from 0
    alias TEXT NOT NULL CHECK (alias <> ''),                 -- another spelling: "h100-sxm"
    PRIMARY KEY (gpu, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE prices (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 0), -- place in prices.yaml, from 0
    gpu TEXT NOT NULL REFERENCES gpus (slug) DEFERRABLE INITIALLY DEFERRED, -- GPU type of the instance
    provider TEXT NOT NULL,                                  -- "AWS"
    instance TEXT NOT NULL,                                  -- "p5.48xlarge"
    region TEXT NOT NULL,                                    -- "us-east-1"
    purchase TEXT NOT NULL CHECK (purchase IN ('on_demand', 'reserved', 'spot')), -- how it is bought
    usd_per_hour REAL NOT NULL CHECK (usd_per_hour > 0),     -- of the whole instance, USD
    gpus INTEGER NOT NULL CHECK (gpus >= 1),                 -- GPUs of the instance
    as_of TEXT NOT NULL CHECK (length(as_of) = 10),          -- day on which the price stood
    source TEXT NOT NULL                                     -- the price list
) STRICT;

CREATE INDEX prices_gpu ON prices (gpu);

CREATE TABLE models (
    slug TEXT NOT NULL PRIMARY KEY CHECK (slug <> ''),       -- "gemma-4-31b"
    position INTEGER NOT NULL CHECK (position >= 0),         -- place in the catalogue, from 0
    name TEXT NOT NULL CHECK (name <> ''),                   -- "Gemma-4-31B"
    family TEXT,                                             -- "Gemma"; null: not known
    hub_repository TEXT,                                     -- OWNER/NAME on Hugging Face; null: none
    hub_revision TEXT CHECK (length(hub_revision) = 40),     -- commit there; null: none
    total_params INTEGER CHECK (total_params > 0),           -- parameters of the checkpoint; null: not known
    total_params_source TEXT,                                -- where that is from
    notes TEXT                                               -- Markdown; null: none
) STRICT, WITHOUT ROWID;

-- Figures published elsewhere, whose recipe file is not here.
CREATE TABLE published (
    model TEXT NOT NULL REFERENCES models (slug) DEFERRABLE INITIALLY DEFERRED, -- of this model
    position INTEGER NOT NULL CHECK (position >= 0),         -- place in the model's list, from 0
    gpu TEXT NOT NULL REFERENCES gpus (slug) DEFERRABLE INITIALLY DEFERRED, -- on this GPU type
    gpus INTEGER NOT NULL CHECK (gpus >= 1),                 -- how many of them
    tokens_per_s_per_gpu REAL NOT NULL CHECK (tokens_per_s_per_gpu > 0), -- training tokens/s of one GPU
    usd_per_million_tokens REAL CHECK (usd_per_million_tokens > 0), -- as published, USD; null: not stated
    source TEXT NOT NULL,                                    -- where
    date TEXT NOT NULL CHECK (length(date) = 10),            -- when
    PRIMARY KEY (model, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX published_gpu ON published (gpu);

CREATE TABLE authors (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 0), -- place in authors.yaml, from 0
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),            -- as recipes write it
    url TEXT,                                                -- page or paper; null: none
    citation TEXT,                                           -- one sentence for people; null: none
    bibtex TEXT                                              -- BibTeX entry; null: none
) STRICT;

-- What is shown or exported of a recipe, but never filtered or sorted by. What lists show comes
-- first, so that it lies on the row's own page.
CREATE TABLE recipe_texts (
    id INTEGER NOT NULL PRIMARY KEY,                         -- links recipes and recipe_search
    card_head TEXT NOT NULL,                                 -- JSON members before the cost in a list
    card_tail TEXT NOT NULL,                                 -- JSON members after it
    hash TEXT NOT NULL CHECK (length(hash) = 64),            -- SHA-256 of the file's bytes
    digest TEXT NOT NULL CHECK (length(digest) = 64),        -- SHA-256 over all that is stored
    source TEXT NOT NULL,                                    -- canonical path of the file; '': none
    first_seen TEXT NOT NULL CHECK (length(first_seen) = 20), -- when it was first imported
    changed_at TEXT NOT NULL CHECK (length(changed_at) = 20), -- when it last changed
    model_name TEXT NOT NULL,                                -- model, as the file writes it
    gpu_type TEXT NOT NULL,                                  -- gpu.type, as the file writes it
    instance TEXT,                                           -- provider and instance; null: none
    author_url TEXT,                                         -- the author's page; null: none
    rows TEXT NOT NULL,                                      -- what a row of the workload holds
    dataset TEXT NOT NULL,                                   -- name of the dataset
    dataset_source TEXT NOT NULL,                            -- its repository
    dataset_revision TEXT NOT NULL,                          -- its commit
    dataset_license TEXT NOT NULL,                           -- its license
    rows_sha256 TEXT NOT NULL CHECK (length(rows_sha256) = 64), -- SHA-256 of the rows
    label TEXT NOT NULL,                                     -- the layout in a few words
    summary TEXT NOT NULL,                                   -- the layout in full
    highlights TEXT NOT NULL,                                -- what sets the layout apart
    mfu_note TEXT,                                           -- about the utilisation; null: nothing
    active_params_source TEXT NOT NULL,                      -- the checkpoint's page
    active_params_revision TEXT NOT NULL,                    -- the checkpoint's commit
    gpu_hours_note TEXT,                                     -- what gpu_hours includes; null: nothing
    correctness_summary TEXT NOT NULL,                       -- outcome of the checks in a sentence
    reference TEXT NOT NULL,                                 -- recipe that this one was compared with
    convergence_note TEXT,                                   -- which runs were compared; null: nothing
    rules TEXT NOT NULL,                                     -- rules that the checks follow
    run TEXT NOT NULL,                                       -- the command, as shell
    notes TEXT,                                              -- Markdown; null: none
    audit TEXT NOT NULL,                                     -- JSON object of the audit
    document TEXT NOT NULL,                                  -- JSON document of the recipe
    yaml TEXT NOT NULL                                       -- the file's bytes
) STRICT;

-- Import asks for the recipes below a folder.
CREATE INDEX recipe_texts_source ON recipe_texts (source);

-- What recipes are filtered and sorted by: narrow, so that a scan is short, and clustered, so that
-- the recipes of one ranking lie together.
CREATE TABLE recipes (
    model TEXT NOT NULL REFERENCES models (slug) DEFERRABLE INITIALLY DEFERRED, -- slug
    gpu TEXT NOT NULL REFERENCES gpus (slug) DEFERRABLE INITIALLY DEFERRED, -- slug
    recipe TEXT NOT NULL CHECK (recipe <> ''),               -- slug
    id INTEGER NOT NULL UNIQUE REFERENCES recipe_texts (id) DEFERRABLE INITIALLY DEFERRED, -- its texts
    workload TEXT NOT NULL CHECK (length(workload) = 16),    -- id of what makes speeds comparable
    tokens_per_s_per_gpu REAL NOT NULL CHECK (tokens_per_s_per_gpu > 0), -- training tokens/s of one GPU
    usd_per_million_tokens REAL CHECK (usd_per_million_tokens > 0), -- at the list price, USD; null: no price
    measured TEXT NOT NULL CHECK (length(measured) = 10),    -- day of the measured run
    author TEXT NOT NULL,                                    -- name of its author
    status TEXT NOT NULL,                                    -- verified, unverified, retracted
    family TEXT,                                             -- the model's, by the catalogue; null: not known
    framework TEXT,                                          -- first word of stack.framework; null: not stated
    schema_version INTEGER NOT NULL CHECK (schema_version >= 1), -- of the file's format
    memory_gb INTEGER NOT NULL CHECK (memory_gb >= 1),       -- of one GPU, 10^9 bytes
    gpus INTEGER NOT NULL CHECK (gpus >= 1),                 -- GPUs of the run
    per_node INTEGER NOT NULL CHECK (per_node >= 1),         -- GPUs of one node
    nodes INTEGER NOT NULL CHECK (nodes >= 1),               -- gpus / per_node, rounded up
    row_tokens INTEGER NOT NULL CHECK (row_tokens >= 1),     -- tokens of one row
    global_batch INTEGER NOT NULL CHECK (global_batch >= 1), -- rows of one optimizer step
    precision TEXT NOT NULL,                                 -- "bf16"
    tp INTEGER NOT NULL CHECK (tp >= 1),                     -- tensor-parallel size
    pp INTEGER NOT NULL CHECK (pp >= 1),                     -- pipeline-parallel size
    vpp INTEGER NOT NULL CHECK (vpp >= 1),                   -- virtual pipeline stages of one GPU
    cp INTEGER NOT NULL CHECK (cp >= 1),                     -- context-parallel size
    ep INTEGER NOT NULL CHECK (ep >= 1),                     -- expert-parallel size
    etp INTEGER NOT NULL CHECK (etp >= 1),                   -- tensor-parallel size within an expert
    dp INTEGER NOT NULL CHECK (dp >= 1),                     -- data-parallel size
    sequence_parallel INTEGER NOT NULL CHECK (sequence_parallel IN (0, 1)), -- whether it is on
    layer_split_first INTEGER CHECK (layer_split_first >= 1), -- layers of the first stage; null: equal ones
    layer_split_last INTEGER CHECK (layer_split_last >= 1),  -- layers of the last stage; null: equal ones
    max_tokens_per_gpu INTEGER CHECK (max_tokens_per_gpu >= 1), -- limit of dynamic batching; null: not dynamic
    rows_per_microbatch INTEGER CHECK (rows_per_microbatch >= 1), -- null: it varies
    recompute TEXT,                                          -- full, selective; null: none
    recompute_method TEXT,                                   -- uniform, block; null: none
    recompute_num_layers INTEGER CHECK (recompute_num_layers >= 1), -- layers of one unit; null: none
    offload REAL CHECK (offload > 0 AND offload <= 1),       -- share of optimizer state on the CPU; null: none
    offload_overlap_d2h_h2d INTEGER CHECK (offload_overlap_d2h_h2d IN (0, 1)), -- copies overlap; null: no offload
    dispatcher TEXT,                                         -- token dispatcher; null: a dense model
    stated_usd_per_million_tokens REAL CHECK (stated_usd_per_million_tokens > 0), -- in the file, USD; null: not stated
    step_time_cv_percent REAL NOT NULL CHECK (step_time_cv_percent >= 0), -- of the window's steps, percent
    mfu REAL CHECK (mfu > 0 AND mfu <= 1),                   -- as stated, a fraction; null: not stated
    active_params INTEGER NOT NULL CHECK (active_params >= 1), -- parameters that a token meets
    steps_per_run INTEGER NOT NULL CHECK (steps_per_run >= 1), -- optimizer steps of one run
    window_steps INTEGER NOT NULL CHECK (window_steps >= 1), -- steps of the measured window
    window_tokens INTEGER NOT NULL CHECK (window_tokens >= 1), -- tokens of the window
    runs INTEGER NOT NULL CHECK (runs >= 1),                 -- runs that the figures are from
    profiler INTEGER NOT NULL CHECK (profiler IN (0, 1)),    -- whether one ran in the window
    gpu_hours REAL NOT NULL CHECK (gpu_hours > 0),           -- of the measured run, GPU-hours
    correctness TEXT NOT NULL CHECK (correctness IN ('pass', 'fail')), -- of all checks together
    configuration TEXT NOT NULL CHECK (configuration IN ('pass', 'fail')), -- of comparing the arguments
    convergence_steps INTEGER NOT NULL CHECK (convergence_steps >= 1), -- steps that were compared
    convergence_result TEXT NOT NULL CHECK (convergence_result IN ('pass', 'fail')), -- of comparing the losses
    correlation REAL NOT NULL CHECK (correlation BETWEEN -1 AND 1), -- of the two loss curves
    final_loss_difference REAL NOT NULL CHECK (final_loss_difference >= 0), -- of the last losses, a fraction
    pointwise_failures INTEGER NOT NULL CHECK (pointwise_failures >= 0), -- steps beyond the tolerance
    confirmation TEXT NOT NULL,                              -- outcome of recounting active_params
    PRIMARY KEY (model, gpu, recipe)
) STRICT, WITHOUT ROWID;

-- Each gives one order without a sort: of a ranking, and of a list of all recipes.
CREATE INDEX recipes_ranking
    ON recipes (model, gpu, workload, tokens_per_s_per_gpu DESC, measured DESC, recipe);
CREATE INDEX recipes_measured ON recipes (measured DESC, model, gpu, recipe);
CREATE INDEX recipes_speed ON recipes (tokens_per_s_per_gpu DESC, measured DESC, model, gpu, recipe);
CREATE INDEX recipes_cost ON recipes (usd_per_million_tokens, measured DESC, model, gpu, recipe);

-- Words of a recipe's texts; rowid is the id.
CREATE VIRTUAL TABLE recipe_search USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');

-- One row for each list of comparable recipes.
CREATE TABLE rankings (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    workload TEXT NOT NULL CHECK (length(workload) = 16),    -- id; the next five are what it stands for
    row_tokens INTEGER NOT NULL CHECK (row_tokens >= 1),     -- tokens of one row
    rows TEXT NOT NULL,                                      -- what a row holds
    global_batch INTEGER NOT NULL CHECK (global_batch >= 1), -- rows of one optimizer step
    precision TEXT NOT NULL,                                 -- "bf16"
    rows_sha256 TEXT NOT NULL,                               -- SHA-256 of the rows
    recipes INTEGER NOT NULL CHECK (recipes >= 1),           -- how many there are
    newest TEXT NOT NULL CHECK (length(newest) = 10),        -- last measured day
    is_main INTEGER NOT NULL CHECK (is_main IN (0, 1)),      -- whether the model and GPU are ranked by it
    best_recipe TEXT NOT NULL,                               -- slug of the fastest, whose the rest is
    best_gpus INTEGER NOT NULL CHECK (best_gpus >= 1),       -- its GPUs
    best_tokens_per_s_per_gpu REAL NOT NULL CHECK (best_tokens_per_s_per_gpu > 0), -- its tokens/s of one GPU
    best_measured TEXT NOT NULL CHECK (length(best_measured) = 10), -- day of its run
    best_author TEXT NOT NULL,                               -- its author
    best_active_params INTEGER NOT NULL CHECK (best_active_params >= 1), -- its active parameters
    PRIMARY KEY (model, gpu, workload)
) STRICT, WITHOUT ROWID;

-- Small facts about the collection.
CREATE TABLE facts (
    name TEXT NOT NULL PRIMARY KEY,                          -- "imported_at"
    text TEXT NOT NULL                                       -- its value
) STRICT, WITHOUT ROWID;
