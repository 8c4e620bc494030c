-- What the hub's headers say of each checkpoint that recipes cite, so that serving and importing
-- need no hub. Conventions as in 0001.

CREATE TABLE checkpoints (
    repository TEXT NOT NULL CHECK (repository <> ''),       -- OWNER/NAME on Hugging Face
    revision TEXT NOT NULL CHECK (length(revision) = 40),    -- commit there, which never changes
    outcome TEXT NOT NULL                                    -- of the last check; counted: the rest says so
        CHECK (outcome IN ('counted', 'unconfirmable', 'gated', 'not_found', 'unreachable')),
    reason TEXT NOT NULL CHECK ((reason = '') = (outcome = 'counted')), -- why there is no count, a sentence
    checked_at TEXT NOT NULL CHECK (length(checked_at) = 20), -- when that was found
    sha TEXT CHECK (length(sha) = 40),                       -- commit by the hub; null: nothing was said
    gated TEXT CHECK (gated <> ''),                          -- false, auto, manual; null: nothing was said
    hub_total INTEGER CHECK (hub_total > 0),                 -- all parameters by the hub; null: nothing was said
    requests INTEGER NOT NULL CHECK (requests >= 0),         -- that the check took, retries too
    bytes INTEGER NOT NULL CHECK (bytes >= 0),               -- of bodies that arrived
    shards INTEGER NOT NULL CHECK (shards >= 0),             -- files whose headers were read
    computed INTEGER CHECK (computed > 0),                   -- active parameters; null, as all below: no count
    embedding INTEGER CHECK (embedding >= 0),                -- parameters of the vocabulary's embedding
    head INTEGER CHECK (head >= 0),                          -- of the output head; 0: the embedding stands in
    dense INTEGER CHECK (dense >= 0),                        -- of what every token meets but the vocabulary
    routed INTEGER CHECK (routed >= 0),                      -- of all routed experts
    experts INTEGER CHECK (experts >= 0),                    -- routed experts of a layer; 0: none
    experts_per_token INTEGER CHECK (experts_per_token >= 0), -- of them met by a token; 0: none
    skipped_vision INTEGER CHECK (skipped_vision >= 0),      -- left out: the vision tower
    skipped_audio INTEGER CHECK (skipped_audio >= 0),        -- left out: the audio tower
    skipped_mtp INTEGER CHECK (skipped_mtp >= 0),            -- left out: multi-token prediction
    skipped_per_layer_embeddings INTEGER CHECK (skipped_per_layer_embeddings >= 0), -- left out: looked up
    skipped_small INTEGER CHECK (skipped_small >= 0),        -- left out: norms, scales, biases
    total INTEGER                                            -- of all tensors, the ones left out too
        CHECK (total = embedding + head + dense + routed + skipped_vision + skipped_audio +
            skipped_mtp + skipped_per_layer_embeddings + skipped_small),
    tensors INTEGER CHECK (tensors >= 1),                    -- how many were counted
    PRIMARY KEY (repository, revision),
    CHECK ((outcome = 'counted') = (computed IS NOT NULL)),
    CHECK ((outcome = 'counted') = (total IS NOT NULL)),
    CHECK (outcome <> 'counted' OR sha = revision),
    CHECK (computed = dense + iif(head > 0, head, embedding) +
        iif(routed > 0, routed * experts_per_token / experts, 0))
) STRICT, WITHOUT ROWID;

-- A verification asks for the recipes that cite a checkpoint.
CREATE INDEX recipe_texts_checkpoint ON recipe_texts (active_params_source, active_params_revision);
