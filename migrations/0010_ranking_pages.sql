-- What GET /models/{model}/{gpu} answers with where nothing is asked for, in the pieces that it is put together from:
-- written at the end of an import, and gone with any change of a card that it shows. Conventions as in 0001.

CREATE TABLE ranking_pages (
    model TEXT NOT NULL,                                     -- slug
    gpu TEXT NOT NULL,                                       -- slug
    hash TEXT NOT NULL CHECK (length(hash) = 64),            -- SHA-256 of the four pieces, one after the other
    total INTEGER NOT NULL CHECK (total >= 1),               -- recipes of the ranking
    head TEXT NOT NULL,                                      -- JSON members before next
    rows TEXT NOT NULL,                                      -- JSON objects of the first recipes, a line for each
    keys TEXT NOT NULL,                                      -- a line for each, too: what a cursor after it holds
    tail TEXT NOT NULL,                                      -- JSON members after the recipes
    PRIMARY KEY (model, gpu)
) STRICT;
