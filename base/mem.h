/* The heap, with multiplied sizes checked. Freed with free(). */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Expands to the number of elements of a true array; a function would see only a pointer. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Allocate count elements of size bytes, all zero.
 *
 * Errors: NULL if the product overflows or memory is short.
 * Owns:   the caller frees it with free(). */
void *mem_array(size_t count, size_t size);

/* Make room for one more element in an array that grows by doubling.
 *
 * array: the array, NULL while empty; moved as needed
 * cap:   elements that fit now; changed with it
 * len:   elements in use
 * Errors: false if memory is short; array and cap are unchanged. */
bool mem_grow(void **array, size_t *cap, size_t len, size_t size);

/* Copy len bytes and end them with a zero byte.
 *
 * Errors: NULL if memory is short.
 * Owns:   the caller frees it with free(). */
char *mem_text(const char *bytes, size_t len);

#endif
