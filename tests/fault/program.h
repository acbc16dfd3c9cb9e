/* A program that makes every call of qd.h (program.c), and its results. */
#ifndef FAULT_PROGRAM_H
#define FAULT_PROGRAM_H

#include "qd.h"

/* Intended errors, for the mutation test. */
enum fault_inject {
	INJECT_NONE,
	INJECT_LEAK,    /* an object is not freed after a failure */
	INJECT_SWALLOW, /* a failure is treated as success */
	INJECT_DATA     /* one word is changed */
};

struct fault_run {
	const char *selector; /* device selector */
	uint32_t large;	      /* size of the largest buffer, in bytes */
	struct qd_allocator allocator;
	qd_log_fn *log;
	void *log_user;
	void (*created)(struct qd_context *ctx); /* called with the new context; or NULL */
	/* Ends the faults. Then the program runs again in the same context and must succeed; NULL:
	 * it does not run again. */
	void (*calm)(void);
	enum fault_inject inject;
	/* Results: */
	struct qd_error err; /* error of the first call that failed */
	const char *call;    /* its text */
	char wrong[256];     /* an error that the failure does not explain; else "" */
};

/* Returns the status of the first call that failed, after freeing everything. */
qd_status fault_program(struct fault_run *r);

/* Returns a public call that no run has made, or NULL. */
const char *fault_call_missing(void);

#endif
