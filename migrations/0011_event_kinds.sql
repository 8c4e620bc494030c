-- SQLite checks a list of more than two words by a table that it makes for each row, which took a twenty-fifth of an
-- import. Conventions as in 0001.

CREATE TABLE events_checked (
    id INTEGER NOT NULL PRIMARY KEY,                         -- in the order of what happened
    at TEXT NOT NULL CHECK (length(at) = 20),                -- when
    kind TEXT NOT NULL CHECK (kind = 'addition' OR kind = 'change' OR kind = 'improvement' OR kind = 'first_place'
                              OR kind = 'removal'),          -- what
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

INSERT INTO events_checked SELECT * FROM events ORDER BY id;

DROP TABLE events;
ALTER TABLE events_checked RENAME TO events;

-- The feed of a ranking.
CREATE INDEX events_place ON events (model, gpu);
