/* A recipe's object in a list, as two pieces of JSON text that are rendered once, at import: what
 * depends on a price or a rank is put between and before them when a list is served. */
#ifndef CORE_CARD_H
#define CORE_CARD_H

#include "base/buf.h"
#include "core/audit.h"
#include "core/recipe.h"

/* Append the members before usd_per_million_tokens, without braces or a comma at the end:
 * "recipe":"x","tokens_per_s_per_gpu":1178.1 */
void card_write_head(const struct recipe *r, struct buf *out);

/* Append the members after it, up to near_tie: "gpus":8,"layout":"TP2 PP4 DP1",... */
void card_write_tail(const struct recipe *r, const struct audit *audit, struct buf *out);

/* Standard error of a recipe's speed, by its window; cost_speed_stderr. */
double card_speed_stderr(const struct recipe *r);

#endif
