/* Memory that is released all at once: for a tree or a recipe whose parts live and die together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* An arena. Zeroed is not a valid arena: call arena_init.
 *
 * used:  bytes handed out
 * limit: bytes that may be handed out in all */
struct arena {
    struct arena_block *head;
    size_t used;
    size_t limit;
};

/* Start an empty arena; allocates nothing.
 *
 * limit: bytes that may be handed out in all, > 0 */
void arena_init(struct arena *a, size_t limit);

/* Release everything that came from the arena; it is empty again and may be used again. */
void arena_done(struct arena *a);

/* Hand out count elements of size bytes, all zero, aligned for any type.
 *
 * Errors: NULL if memory is short, the product overflows, or the limit is reached.
 * Owns:   the arena; lives until arena_done. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* Copy len bytes into the arena and end them with a zero byte; as arena_array. */
char *arena_text(struct arena *a, const char *bytes, size_t len);

#endif
