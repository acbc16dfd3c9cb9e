/* How a test in the same process tells the fake what to be (config.c), and asks it. */
#ifndef FAKE_AMDGPU_CONTROL_H
#define FAKE_AMDGPU_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifndef FAKE_EXPORT
#define FAKE_EXPORT __attribute__((visibility("default")))
#endif

/* A text as QD_FAKE_AMDGPU has; while no device is open.  Complaints are forgotten. */
FAKE_EXPORT void fake_amdgpu_set(const char *text);
/* Calls of a function since then, and whether one was told to fail. */
FAKE_EXPORT unsigned fake_amdgpu_calls(const char *function);
FAKE_EXPORT int fake_amdgpu_hit(void);
/* Complaints since then, of a check or (NULL) of all but warnings; text, if given: the last
 * such one. */
FAKE_EXPORT unsigned fake_amdgpu_complaints(const char *check, char *text, size_t size);
FAKE_EXPORT void fake_amdgpu_forget(void);
/* The names of the checks, with how each ends (check.def); NULL: no more. */
FAKE_EXPORT const char *fake_amdgpu_check(unsigned i, const char **end);
/* So many objects are not given back; text says which.  In libdrm_amdgpu.so.1. */
FAKE_EXPORT unsigned fake_amdgpu_left(char *text, size_t size);
/* Jobs run, dispatches, and waves of them, since the first device was opened. */
FAKE_EXPORT void fake_amdgpu_counts(uint64_t *jobs, uint64_t *dispatches);

#endif
