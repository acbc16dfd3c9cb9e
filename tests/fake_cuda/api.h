/* A call of the driver's interface, from its begin to its answer. */
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

extern bool initialised; /* by cuInit */
extern void *const garbage; /* what is not given is no handle */

/* Takes the lock and counts the call; leave gives the lock back. */
int begin(const char *call);
int leave(int r);
/* The same for what needs a context. */
int enter(const char *call, struct context **out);
/* Threads of a block that a function takes. */
int max_threads(const struct function *f);

#endif
