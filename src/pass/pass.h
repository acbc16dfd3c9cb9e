/* From a checked kernel to what a back end emits.  Every pass reads one body
 * and writes another; nothing is changed in place, nothing outlives ctx.mem.
 *
 *	specialise  templates and sizes become constants; requirements are checked
 *	uniform     three levels for every value; cross-lane rules are checked
 *	partial     surplus threads of the last subgroup become absent
 *	fold        constants, dead branches and dead values go
 *	legalise    only what the machine emits is left
 *	sweep       values that nobody came to use go
 *
 * The order is pass_run's. */
#ifndef QD_PASS_H
#define QD_PASS_H

#include "ir.h"
#include "diag.h"

/* What passes may know of a target.  A back end fills it (isa/isa.h). */
enum machine_cap {
	CAP_I64 = 1,	       /* 64-bit integers; else two words each */
	CAP_F64 = 2,
	CAP_STORE8 = 4,	       /* 8-bit elements in memory */
	CAP_STORE16 = 8,
	CAP_FLAG_LOOPS = 16,   /* loops leave only by a test at their head */
	CAP_HIDE_ZERO = 32,    /* a literal zero is folded wrongly: read it at run time */
	CAP_INT_DIV_CHECKED = 64, /* div and rem are defined for every operand */
	CAP_CVT_SATURATES = 128,
	CAP_SHIFT_MASKS = 256, /* shift counts are taken modulo the width */
	CAP_F64_TRUNC_WRONG = 1024, /* its trunc and round of f64 are wrong, floor is right */
	CAP_U32_TO_F32_INEXACT = 512 /* the driver's u32 to f32 does not round to nearest */
};

enum { LOG2_FULL = 0xff };

struct machine {
	char name[96]; /* for messages */
	uint32_t subgroup_size, log2_size;
	uint32_t caps;
	uint32_t max_block_dim, max_shared;
	uint32_t inline_args; /* bytes of the argument block a launch carries itself */
	/* Does the back end emit op on this type itself?  type: of the leading operand;
	 * of the result for select; both in turn for cvt; of the elements for load and
	 * store.  log2_size: of a K operation, LOG2_FULL for the whole subgroup; 0
	 * otherwise.  What it denies, legalise expands or refuses.  Asked for arithmetic,
	 * memory and cross-lane operations, elect, subgroup.id; all else is never denied. */
	bool (*native)(const struct machine *m, enum op op, qd_type type, uint32_t log2_size);
};

struct pass_ctx {
	const struct qd_kernel *k;
	const struct machine *m;
	int32_t tmpl[MAX_TMPL]; /* value of each template parameter */
	struct arena *mem;
	struct qd_error *err;
	bool partial; /* block_dim is no multiple of the subgroup size */
};

/* Uniformity levels. */
enum { LEVEL_BLOCK, LEVEL_SUBGROUP, LEVEL_VARYING };

qd_status pass_specialise(struct pass_ctx *p, const struct ir *in, struct ir *out);
qd_status pass_partial(struct pass_ctx *p, const struct ir *in, struct ir *out);
qd_status pass_fold(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* The second half of fold alone: what is dead goes.  out may share in's arrays. */
qd_status pass_sweep(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* level: one byte per instruction, from p->mem.  Errors point at the operation
 * and at the condition. */
qd_status pass_uniform(struct pass_ctx *p, const struct ir *in, uint8_t **level);
/* The levels alone, of any body, a legal one too: no rule is checked. */
qd_status pass_levels(struct pass_ctx *p, const struct ir *in, uint8_t **level);
qd_status pass_legalise(struct pass_ctx *p, const struct ir *in, struct ir *out);

/* The uniformity rules on a kernel not yet specialised, as far as they can be
 * decided: templates and tiles count as uniform.  What finish reports. */
qd_status pass_check_kernel(const struct qd_kernel *k, struct qd_error *err);

/* All of them.  stop_before_legalise: for the interpreter, which runs the IR as
 * it was meant: specialised and checked, nothing else. */
qd_status pass_run(struct pass_ctx *p, bool stop_before_legalise, struct ir *out);

/* Is this body what a pass may give: operands before their use, partners right?
 * For assertions and tests. */
bool ir_check(const struct ir *ir);

/* Resolves the template values of a call into p->tmpl; errors name the value. */
qd_status pass_set_tmpl(struct pass_ctx *p, const struct qd_tmpl *tmpl, uint32_t n);

#endif
