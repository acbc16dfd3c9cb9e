/* What a fuzz target has: the entry point that libFuzzer calls, and seeds. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* The i-th seed into out; its size, 0 behind the last. */
size_t fuzz_seed(size_t i, uint8_t *out, size_t cap);

#endif
