/* The Vulkan driver's functions, wrapped: counted, and failing where they are told. */
#ifndef FAULT_VULKAN_H
#define FAULT_VULKAN_H

#include <stdbool.h>
#include <stdint.h>

/* One call to fail: the `at`-th of a function, from 1. */
struct fault_place {
	unsigned fn;
	uint32_t at;
	unsigned error;
};

/* Takes the place of every function; before anything of the process has used Vulkan.
 * false: there is none here. */
bool fault_vulkan_begin(bool staged);
void fault_vulkan_end(void);
/* The next instance is a new one: for functions that are called once in a process. */
void fault_vulkan_new_instance(void);

unsigned fault_vulkan_functions(void);
const char *fault_vulkan_name(unsigned fn);
/* Errors of a function: 0 to n-1; their names. */
unsigned fault_vulkan_errors(unsigned fn);
const char *fault_vulkan_error(unsigned fn, unsigned error);
/* Has the program to fail where this call does? */
bool fault_vulkan_must(const struct fault_place *p);
/* Counts begin anew, and this call fails; NULL: none. */
void fault_vulkan_arm(const struct fault_place *p);
void fault_vulkan_calm(void); /* no failure any more */
bool fault_vulkan_hit(void);  /* it has failed */
uint32_t fault_vulkan_calls(unsigned fn); /* since */
/* The first kind of object of which some are left or were destroyed twice; NULL. */
const char *fault_vulkan_left(void);
/* Dispatches are dropped; for the test of the test. */
extern bool fault_vulkan_drop;

#endif
