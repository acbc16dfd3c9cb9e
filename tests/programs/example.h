/* Helpers for the tests of docs/examples/: reading a file, injected faults, random numbers. */
#ifndef QD_TESTS_EXAMPLE_H
#define QD_TESTS_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads root/file, which must be smaller than size bytes. Prints the error on failure. */
bool example_read(const char *root, const char *file, char *text, size_t size);

/* Returns whether QD_TEST_MUTATION names this fault. */
bool example_injected(const char *what);

/* Seeds the random numbers. */
void example_seed(uint64_t seed);
uint32_t example_u32(void);
uint32_t example_below(uint32_t n);

#endif
