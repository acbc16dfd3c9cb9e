/* Interface to a driver's functions, with counts of calls and requested failures. */
#ifndef FAULT_DRIVER_H
#define FAULT_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "qd.h"

/* A call to fail: the `at`-th of a function, counted from 1. */
struct fault_place {
	unsigned fn;
	uint32_t at;
	unsigned error;
};

struct fault_driver {
	const char *name;
	/* Resets the driver for functions that are called once in a process: the next use
	 * initializes it again. */
	void (*anew)(void);
	unsigned n_functions;
	const char *(*function)(unsigned fn);
	/* Number and names of a function's errors. */
	unsigned (*errors)(unsigned fn);
	const char *(*error)(unsigned fn, unsigned error);
	/* Returns whether an error has the status and the text for this failure; NULL: not
	 * checked. */
	bool (*reported)(const struct fault_place *p, const struct qd_error *err);
	/* Returns whether the program must fail if this call does. */
	bool (*must)(const struct fault_place *p);
	/* Restarts the counts and makes this call fail; NULL: none. */
	void (*arm)(const struct fault_place *p);
	void (*calm)(void); /* no failures from now on */
	bool (*hit)(void);  /* the call has failed */
	uint32_t (*calls)(unsigned fn); /* since arm */
	/* Returns a kind of object with one left or destroyed twice, or NULL. */
	const char *(*left)(void);
	uint64_t (*messages)(void); /* total of a validation layer */
};

extern const struct fault_driver fault_vulkan, fault_cuda, fault_amdgpu;

/* Replaces every function of Vulkan, before its first use in the process. Returns false if there is
 * no Vulkan. */
bool fault_vulkan_begin(bool staged);
void fault_vulkan_end(void);
/* Drops dispatches, for the mutation test. */
extern bool fault_vulkan_drop;

/* Returns false if the fake driver is not available. */
bool fault_cuda_begin(void);
bool fault_amdgpu_begin(void);

#endif
