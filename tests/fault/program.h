/* One program that makes every call of qd.h (program.c), and what it reports. */
#ifndef FAULT_PROGRAM_H
#define FAULT_PROGRAM_H

#include "qd.h"

/* Errors made on purpose, for the test of the test. */
enum fault_inject {
	INJECT_NONE,
	INJECT_LEAK,    /* after a failure something is not freed */
	INJECT_SWALLOW, /* a failure is taken for success */
	INJECT_DATA     /* one word is changed */
};

struct fault_run {
	const char *selector; /* of the device */
	uint32_t large;	      /* bytes of the largest buffer */
	struct qd_allocator allocator;
	qd_log_fn *log;
	void *log_user;
	void (*created)(struct qd_context *ctx); /* a look at the context; or NULL */
	/* Ends the faults.  Then the program is run again in the context that has seen
	 * one, and must go well; NULL: it is not. */
	void (*calm)(void);
	enum fault_inject inject;
	/* What came of it: */
	struct qd_error err; /* of the call that failed first */
	const char *call;    /* its text */
	char wrong[256];     /* what no failure explains; else "" */
};

/* What the first call that failed returned; all is freed. */
qd_status fault_program(struct fault_run *r);

/* The first public call that no run has made; NULL: there is none. */
const char *fault_call_missing(void);

#endif
