/* What every test program includes: cmocka, and the headers that it forgets to include itself. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Expands to a literal and its length, two arguments; a function could not measure a text with zero
 * bytes in it. */
#define TEXT_AND_LEN(literal) (literal), (sizeof(literal) - 1)

#endif
