/* The JSON Schema (2020-12) of a recipe file, generated from the field table. It describes the tree
 * that a recipe file has once its scalars are typed by their fields; judgements across fields are
 * core/check.h's. */
#ifndef CORE_SCHEMA_H
#define CORE_SCHEMA_H

#include "base/buf.h"

/* Where the service serves the schema; its $id. */
#define SCHEMA_ID "/schema/recipe.json"

/* Append the schema as one line of JSON, ended by a newline. */
void schema_write_json(struct buf *out);

/* Append the same schema as YAML, with a comment at its head that says where it is from. */
void schema_write_yaml(struct buf *out);

#endif
