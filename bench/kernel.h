/* One kernel for each primitive of the product's table: every type that its row knows of
 * is loaded and stored, then the results; or, empty, what was loaded in their place. */
#ifndef QD_BENCH_KERNEL_H
#define QD_BENCH_KERNEL_H

#include "isa.h"

enum { KERNEL_TILE = 3 /* log2_size of the tiled ones, where there are so many lanes */ };

struct kernel_job {
	struct qd_context *ctx;
	const struct target *target;
	enum op op;	  /* NONE: the language makes it of others */
	const char *made; /* its name then */
	const char *result;
	qd_type type;
	bool tiled;
	struct qd_error err;
};

/* Does it combine by an operator of the caller's? */
bool kernel_is_operator(enum op op);
/* NULL: the job's error says why; no kernel is made of a name that has no call here. */
struct qd_kernel *kernel_make(struct kernel_job *j, bool empty);
/* The legal body, which the back end writes. */
struct kernel_count {
	uint32_t ins, alu, lane; /* alu: arithmetic, comparisons, selections, conversions */
};
bool kernel_count(struct kernel_job *j, const struct qd_kernel *k, struct kernel_count *out);

#endif
