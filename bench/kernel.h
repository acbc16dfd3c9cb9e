/* Kernels for the primitives of the product's table. A kernel loads and stores a value of every
 * type that the row uses, then stores the results, or if it is empty the loaded values. */
#ifndef QD_BENCH_KERNEL_H
#define QD_BENCH_KERNEL_H

#include "isa.h"

enum { KERNEL_TILE = 3 /* log2_size of tiled primitives, if the subgroup is large enough */ };

struct kernel_job {
	struct qd_context *ctx;
	const struct target *target;
	enum op op;	  /* NONE: the language composes it of others */
	const char *made; /* name of such a primitive */
	const char *result;
	qd_type type;
	bool tiled;
	struct qd_error err;
};

/* Returns true if the caller supplies the operator. */
bool kernel_is_operator(enum op op);
/* Creates the kernel. Returns NULL on failure, with the reason in j->err: for example if a name has
 * no call in kernel.c. */
struct qd_kernel *kernel_make(struct kernel_job *j, bool empty);
/* Instruction counts of the legal body, which the back end receives. */
struct kernel_count {
	uint32_t ins, alu, lane; /* alu: arithmetic, comparisons, selections, conversions */
};
bool kernel_count(struct kernel_job *j, const struct qd_kernel *k, struct kernel_count *out);

#endif
