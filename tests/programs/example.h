/* What the tests of docs/examples/ have in common: a file's text, injected faults, numbers. */
#ifndef QD_TESTS_EXAMPLE_H
#define QD_TESTS_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text of root/file, of less than size bytes; says what is wrong with it. */
bool example_read(const char *root, const char *file, char *text, size_t size);

/* Does QD_TEST_MUTATION name this fault? */
bool example_injected(const char *what);

/* The same numbers after the same seed. */
void example_seed(uint64_t seed);
uint32_t example_u32(void);
uint32_t example_below(uint32_t n);

#endif
