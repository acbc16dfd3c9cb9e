/* How a test in the same process tells the fake what to be (config.c), and asks it. */
#ifndef FAKE_CUDA_CONTROL_H
#define FAKE_CUDA_CONTROL_H

#include <stddef.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* A text as QD_FAKE_CUDA has. */
FAKE_EXPORT void fake_cuda_set(const char *text);
/* Calls of a function since then; NULL: of all. */
FAKE_EXPORT unsigned fake_cuda_calls(const char *function);
/* Has a call been told to fail since then? */
FAKE_EXPORT int fake_cuda_hit(void);
/* So many objects are not destroyed; text says which. */
FAKE_EXPORT unsigned fake_cuda_left(char *text, size_t size);
/* The calling thread's contexts: how many, and the current one. */
FAKE_EXPORT unsigned fake_cuda_depth(void **current);

#endif
