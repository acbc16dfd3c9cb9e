/* A walk over all kernels: the conformance tables family by family, then the examples. Each walk
 * runs in a child process, which a driver may crash; the parent reads its state in shared memory.
 */
#ifndef NULLGPU_WALK_H
#define NULLGPU_WALK_H

#include "cases.h"

enum { MAX_GROUP = 48, MAX_NAME = 512, MAX_WHY = 1024 };

enum walk_mode {
	WALK_COUNT,   /* counts the distinct kernels of each group */
	WALK_COMPILE, /* compiles the chosen kernels that follow walk.from */
	WALK_NAME     /* reports the kernel at walk.from by name, with walk.reason */
};

/* A kernel of a group, counted from 1: "block/137". */
struct place {
	uint32_t group, kernel;
};

struct shared {
	struct place at; /* the current or last kernel */
	bool busy;	 /* the driver is compiling it */
	bool finished;	 /* the walk is complete */
	uint32_t n_kernels[MAX_GROUP];
	uint64_t n_pipelines[MAX_GROUP], n_failed, n_known, n_skipped;
	char why_skipped[MAX_WHY];
	char device[128], target[256];
};

struct walk {
	enum walk_mode mode;
	struct shared *shared;
	struct place from;    /* see the modes */
	char reason[MAX_WHY]; /* WALK_NAME */
	const struct options *opt;
	struct suite *suite;
	/* State of the kernel at shared->at, from walk_begin to walk_named. */
	bool known; /* the group had it before */
	bool begun, named;
	uint64_t made_before;
	qd_status status;
	char why[MAX_WHY];
	struct seen *seen;
};

struct options {
	const char *device, *group, *examples;
	uint32_t most;	   /* kernels of a family, spread over it; 0: all */
	uint32_t least;	   /* pipelines; fewer are a failure */
	uint32_t limit;	   /* seconds of processor time for a kernel */
	struct place only; /* kernel 0: all */
	bool statistics, verbose;
};

extern const char walk_examples[]; /* the name of the last group */
uint32_t walk_groups(void);
const char *walk_group_name(uint32_t group);

/* Runs a walk in this process. Returns false if the device does not open, and prints why. */
bool walk_run(struct walk *p);

/* Steps for one kernel, also for examples.c. walk_begin returns true if the kernel must be
 * compiled; walk_end receives the status, walk_named the name. */
bool walk_begin(struct walk *p, const struct qd_kernel *k, const struct qd_tmpl *tmpl,
		uint32_t n_tmpl);
void walk_end(struct walk *p, bool begun, qd_status st, const char *why);
void walk_named(struct walk *p, const char *name);

/* Compiles the kernels of a directory's *.qdk, each value of each template at least once. */
void walk_run_examples(struct walk *p, const char *folder);

#endif
