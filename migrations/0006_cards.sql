-- What lists show of a recipe, in a table of its own. Beside the texts a recipe took a page of the
-- file, so that a list of twenty read twenty pages; here it reads three. Conventions as in 0001.

CREATE TABLE recipe_cards (
    id INTEGER NOT NULL PRIMARY KEY,                         -- of recipes
    card_head TEXT NOT NULL,                                 -- JSON members before the cost in a list
    card_tail TEXT NOT NULL                                  -- JSON members after it
) STRICT;

INSERT INTO recipe_cards (id, card_head, card_tail) SELECT id, card_head, card_tail FROM recipe_texts ORDER BY id;

ALTER TABLE recipe_texts DROP COLUMN card_head;
ALTER TABLE recipe_texts DROP COLUMN card_tail;
