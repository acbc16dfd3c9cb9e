/* A driver's functions, counted, and failing where they are told. */
#ifndef FAULT_DRIVER_H
#define FAULT_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "qd.h"

/* One call to fail: the `at`-th of a function, from 1. */
struct fault_place {
	unsigned fn;
	uint32_t at;
	unsigned error;
};

struct fault_driver {
	const char *name;
	/* The next use of the driver is the first: for functions that are called once in a
	 * process. */
	void (*anew)(void);
	unsigned n_functions;
	const char *(*function)(unsigned fn);
	/* Errors of a function: 0 to n-1; their names. */
	unsigned (*errors)(unsigned fn);
	const char *(*error)(unsigned fn, unsigned error);
	/* Does this error say so, under the right status?  NULL: not asked. */
	bool (*told)(const struct fault_place *p, const struct qd_error *err);
	/* Has the program to fail where this call does? */
	bool (*must)(const struct fault_place *p);
	/* Counts begin anew, and this call fails; NULL: none. */
	void (*arm)(const struct fault_place *p);
	void (*calm)(void); /* no failure any more */
	bool (*hit)(void);  /* it has failed */
	uint32_t (*calls)(unsigned fn); /* since */
	/* The kinds of object of which some are left or were destroyed twice; NULL. */
	const char *(*left)(void);
	uint64_t (*messages)(void); /* of a validation layer, so far */
};

extern const struct fault_driver fault_vulkan, fault_cuda, fault_amdgpu;

/* Takes the place of every function of Vulkan; before anything of the process has used it.
 * false: there is none here. */
bool fault_vulkan_begin(bool staged);
void fault_vulkan_end(void);
/* Dispatches are dropped; for the test of the test. */
extern bool fault_vulkan_drop;

/* false: the fake driver is not there. */
bool fault_cuda_begin(void);
bool fault_amdgpu_begin(void);

#endif
