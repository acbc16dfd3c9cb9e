/* Interface for a test in the same process: configures the fake (config.c) and queries it. */
#ifndef FAKE_CUDA_CONTROL_H
#define FAKE_CUDA_CONTROL_H

#include <stddef.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* Sets a configuration text as in QD_FAKE_CUDA. */
FAKE_EXPORT void fake_cuda_set(const char *text);
/* Returns the number of calls of a function since then; NULL: of all functions. */
FAKE_EXPORT unsigned fake_cuda_calls(const char *function);
/* Returns whether a call was made to fail since then. */
FAKE_EXPORT int fake_cuda_hit(void);
/* Returns the number of objects not destroyed; text receives their kinds. */
FAKE_EXPORT unsigned fake_cuda_left(char *text, size_t size);
/* Returns the number of contexts on the calling thread's stack, and the current one. */
FAKE_EXPORT unsigned fake_cuda_depth(void **current);

#endif
