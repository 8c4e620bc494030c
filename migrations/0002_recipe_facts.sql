-- What a recipe is compared by, so that a comparison reads no recipe file.

-- Facts as core/compare_parts.h has them; '': stored before there were any, until the next import.
ALTER TABLE recipe_texts ADD COLUMN facts TEXT NOT NULL DEFAULT '';
