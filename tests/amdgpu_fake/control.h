/* Interface for a test in the same process: configures the fake (config.c) and queries it. */
#ifndef FAKE_AMDGPU_CONTROL_H
#define FAKE_AMDGPU_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifndef FAKE_EXPORT
#define FAKE_EXPORT __attribute__((visibility("default")))
#endif

/* Sets a configuration text as in QD_FAKE_AMDGPU, while no device is open, and clears the
 * complaints. */
FAKE_EXPORT void fake_amdgpu_set(const char *text);
/* Returns the number of calls of a function since then, and whether one was made to fail. */
FAKE_EXPORT unsigned fake_amdgpu_calls(const char *function);
FAKE_EXPORT int fake_amdgpu_hit(void);
/* Returns the complaints since then: of one check, or (NULL) of all checks but warnings. text, if
 * given, receives the last one. */
FAKE_EXPORT unsigned fake_amdgpu_complaints(const char *check, char *text, size_t size);
FAKE_EXPORT void fake_amdgpu_forget(void);
/* Returns the name of check i and its outcome (check.def), or NULL after the last. */
FAKE_EXPORT const char *fake_amdgpu_check(unsigned i, const char **end);
/* Returns the number of objects not freed; text receives their kinds. In libdrm_amdgpu.so.1. */
FAKE_EXPORT unsigned fake_amdgpu_left(char *text, size_t size);
/* Counts jobs, dispatches and waves since the first device was opened. */
FAKE_EXPORT void fake_amdgpu_counts(uint64_t *jobs, uint64_t *dispatches);

#endif
