/* Helpers for the entry points of the driver's interface. */
#ifndef FAKE_CUDA_API_H
#define FAKE_CUDA_API_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "fake.h"

#define API(name, params)                                                                          \
	FAKE_EXPORT int name params;                                                               \
	int name params

extern bool initialized; /* by cuInit */
extern void *const garbage; /* value of handles that are not created */

/* begin takes the lock and counts the call; leave releases the lock. */
int begin(const char *call);
int leave(int r);
/* Like begin, for calls that need a context. */
int enter(const char *call, struct context **out);
/* Returns the maximum number of threads per block of a function. */
int max_threads(const struct function *f);

#endif
