/* The passes: from a verified kernel to the body that a back end emits. Each pass reads
 * one body and writes another; all memory is from ctx.mem. pass_run runs them in this
 * order:
 *
 *	silence		     removes assert and print; the interpreter keeps them
 *	specialize	     replaces templates and sizes with constants, folds, removes the code
 *			     that is then dead, and checks requirements and ranges
 *	uniformity_check     checks that cross-lane operations are in uniform control flow
 *	values		     replaces variables with values if a single value reaches the read
 *	unroll		     copies the bodies of loops, if the machine asks for it
 *	mask_padding	     hides the effects of padding threads; lowers the grid loop
 *	census		     finds live instructions, so that legalize skips the others
 *	legalize	     replaces operations that the machine does not support
 *	hoist		     moves operations out of loops
 *	lower_jumps	     for machines that leave a loop only at its head, or end it after
 *			     LOOP_LIMIT iterations
 *	driver_workarounds   works around driver bugs
 *	dce		     removes unused instructions and counts uses
 *	schedule	     issues loads early, on machines with a budget of registers for it
 *
 * For the interpreter pass_run stops after uniformity_check. With CAP_LEVELS the levels of the
 * result are computed last (pass_levels). */
#ifndef QD_PASS_H
#define QD_PASS_H

#include "ir.h"
#include "diag.h"
#include "report.h"

/* -- The target as passes see it; a back end fills it (isa/isa.h) ------------------ */

enum machine_cap {
	CAP_I64 = 1, /* 64-bit integer values exist; otherwise each is two words */
	CAP_F64 = 2,
	CAP_STORE8 = 4, /* 8-bit elements in memory */
	CAP_STORE16 = 8,
	CAP_FLAG_LOOPS = 16, /* a loop exits only at its head, a block only at its end */
	CAP_HIDE_ZERO = 32,  /* the driver folds a literal zero incorrectly: load it at run time */
	CAP_HIDE_SIGN = 1048576, /* the driver turns xor with a literal sign bit into an
				  * arithmetic negation: load it at run time */
	CAP_INT_DIV_CHECKED = 64, /* div and rem are defined for every operand */
	CAP_CVT_SATURATES = 128,
	CAP_SHIFT_MASKS = 256, /* shift counts are taken modulo the width */
	CAP_U32_TO_F32_INEXACT = 512, /* the driver's u32 to f32 does not round to nearest */
	CAP_F64_TRUNC_WRONG = 1024, /* the driver's trunc and round of f64 are incorrect, but
				     * its floor is correct */
	CAP_LEVELS = 2048, /* the back end reads body.level */
	CAP_ATOMIC64 = 4096, /* atomics on elements of 64 bits */
	CAP_SYSTEM = 8192, /* atomics and fences can have system scope, which includes the host */
	CAP_F64_ORDER_SLOW = 16384, /* min and max of f64 take longer than those of i64 */
	CAP_F32_SIGN_LOST = 32768, /* the driver's floor, ceil, trunc, round of f32 return +0
				    * for -0 */
	CAP_LANES_CHEAP = 262144, /* the instruction that uses a lane pattern's result
				   * fetches it at no extra cost */
	CAP_BALLOT_FREE = 131072, /* the condition of all lanes is in a register that every
				   * lane reads */
	CAP_LOOP_LIMIT = 524288, /* the driver ends the loops of a subgroup after LOOP_LIMIT
				  * iterations in total */
	CAP_SHARED_TESTS = 2097152, /* a branch around several loads takes less time than a
				     * test of each index */
	CAP_WIDE = 8388608, /* the back end moves adjacent elements at once: runs of ATTR_NEAR */
	CAP_NEAR = 4194304, /* loads add a constant to their index at no cost: ATTR_NEAR */
	CAP_RANGE_CHECKED = 65536 /* a load past a buffer's end returns 0, a store there has no
				   * effect */
};

enum { LOG2_FULL = 0xff };

/* Mesa, gallivm/lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS: "shared between every loop". */
enum { LOOP_LIMIT = 65535 };

/* An operation for which a back end is queried. */
struct query {
	enum op op;
	qd_type type;	   /* of the leading operand; of the elements for memory */
	qd_type to;	   /* of the result, if it differs: cvt */
	uint8_t space;	   /* of memory */
	uint8_t scope, order; /* of atomics and fences */
	uint8_t pattern;   /* enum lane_pattern */
	uint8_t log2_size; /* of the tile, LOG2_FULL for the whole subgroup */
};

enum { MACHINE_NAME = 256 }; /* bytes of a name, with its NUL */

struct machine {
	char name[MACHINE_NAME]; /* the target's text, which determines the code completely */
	uint32_t subgroup_size, log2_size; /* the kernel's subgroup */
	uint32_t lanes, log2_lanes;	   /* the hardware's subgroup */
	uint32_t caps;
	uint32_t max_block_dim, max_subgroups; /* per block; 0 subgroups: as many as fit */
	uint32_t max_shared;
	uint32_t inline_args; /* bytes of the argument block that a launch carries inline */
	uint32_t unroll; /* instructions that a loop may become (unroll.c); 0: loops remain */
	bool facts; /* the code may rely on launch facts (qd.h, qd_facts) */
	uint32_t features;    /* defined by the back end */
	/* Vector registers of a thread up to which loads are issued early; 0: loads stay in order. */
	uint32_t load_registers;
	/* Returns false for an operation that legalize must expand or reject. It is queried for
	 * arithmetic, memory, cross-lane operations and patterns, elect, and subgroup.id. All
	 * others are always native, and so are lo, hi, pair of a type that exists. */
	bool (*native)(const struct machine *m, const struct query *q);
};

/* A kernel's subgroup may be several hardware subgroups or a part of one. Its cross-lane
 * operations are then lowered to others, at points that the whole block reaches together. */
static inline bool
machine_gathers(const struct machine *m)
{
	return m->subgroup_size > m->lanes;
}
static inline bool
machine_splits(const struct machine *m)
{
	return m->subgroup_size < m->lanes;
}
static inline bool
machine_makes(const struct machine *m)
{
	return m->subgroup_size != m->lanes;
}

/* Returns the granularity of hardware blocks: they are whole subgroups, both of the kernel and of
 * the hardware. */
static inline uint32_t
machine_block_step(const struct machine *m)
{
	return m->subgroup_size > m->lanes ? m->subgroup_size : m->lanes;
}
static inline uint32_t
machine_rounded(const struct machine *m, uint32_t block_dim)
{
	uint32_t step = machine_block_step(m);

	return (block_dim + step - 1) / step * step;
}

/* Returns the largest hardware block, in threads, for kernel subgroups of `size` and hardware
 * subgroups of `lanes`. */
static inline uint32_t
machine_max_block(const struct machine *m, uint32_t lanes, uint32_t size)
{
	uint32_t n = m->max_block_dim / lanes, step = size > lanes ? size : lanes;

	n = m->max_subgroups && m->max_subgroups < n ? m->max_subgroups : n;
	return n * lanes / step * step;
}

/* Returns whether the back end emits the operation itself. It emits no cross-lane operation of a
 * subgroup that differs from the hardware's. */
static inline bool
machine_has(const struct machine *m, const struct query *q)
{
	return !(machine_makes(m) && op_info[q->op].scope == SCOPE_SUBGROUP) && m->native(m, q);
}

/* Cached answers of native() for operations whose operand and result types are equal: by
 * operation, a bit for each type. */
struct answers {
	uint16_t asked[N_OP], said[N_OP];
};
/* Queries all arithmetic, so that compilations for the same machine can share the answers. */
void machine_ask(const struct machine *m, struct answers *out);

/* -- Results of the passes ---------------------------------------------------------- */

/* Device features that the code needs, in any instruction set. */
enum body_need {
	NEED_I64 = 1,
	NEED_F64 = 2,
	NEED_SMALL8 = 4, /* 8-bit elements */
	NEED_SMALL16 = 8,
	NEED_LANES = 16,   /* lane numbers */
	NEED_CROSS = 32,   /* lanes exchange values */
	NEED_SHARED = 64,
	NEED_BARRIER = 128,
	NEED_ATOMIC = 256, /* atomics and fences */
};

enum { NO_MEMORY = UINT32_MAX >> 1 };

struct body {
	struct ir ir;
	/* By instruction. For a construct: the scope in which its control flow is uniform. A
	 * back end may emit a branch if it is not LEVEL_VARYING. NULL without CAP_LEVELS. */
	uint8_t *level;
	uint32_t *uses; /* by instruction: its uses as an operand */
	const struct memory *mems; /* the kernel's, then scratch, then the report buffer */
	uint32_t n_mems;
	uint32_t report;      /* the row of the report buffer, or NO_MEMORY */
	uint32_t args_size;   /* bytes of the argument block */
	uint32_t shared_size; /* bytes of all shared memories */
	uint32_t n_barriers;  /* instructions at which threads wait for each other */
	uint32_t needs;
	bool unrolled; /* loops have become copies */
	bool early;    /* loads are issued early */
};

/* Returns the offset in the argument block of the address of memory x, which must be a buffer. */
static inline uint32_t
body_buffer_at(const struct body *b, const struct qd_kernel *k, uint32_t x)
{
	return x == b->report ? report_args_at(k) : k->params[x].offset;
}

struct pass_ctx {
	const struct qd_kernel *k;
	const struct machine *m;
	const struct answers *answers; /* cached answers of m; or NULL */
	int32_t tmpl[MAX_TMPL]; /* value of each template parameter */
	struct arena *mem;
	struct qd_error *err;
	uint32_t opt;	   /* optimization level */
	uint32_t unroll;   /* of the machine, or 0: loops remain */
	uint32_t load_registers; /* of the machine, or 0: loads stay in order */
	bool padded_block; /* block_dim is not a multiple of the subgroup size */
	const char *device; /* the machine's name in messages; NULL: the target's name */
	/* Memories of the body. legalize may append. */
	struct memory *mems;
	uint32_t n_mems, cap_mems;
	uint32_t report; /* the row of the report buffer, or NO_MEMORY */
};

/* The machine's name in messages, for "%s%s". */
#define PASS_ON(p) (p)->device ? "" : "target ", (p)->device ? (p)->device : (p)->m->name

void pass_ctx_init(struct pass_ctx *p, const struct qd_kernel *k, const struct machine *m,
		   struct arena *mem, struct qd_error *err);

qd_status pass_specialize(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* Replaces reads of variables with their values if a single value reaches the read. */
qd_status pass_values(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* Replaces short ifs whose condition varies by selections. Sets *used to false and leaves `out` unset
 * if there are none. */
qd_status pass_flatten(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
enum unroll {
	UNROLL_FULL, /* replaces loops of few iterations by copies of their bodies */
	UNROLL_PART  /* precedes short loops that read memory by loops of several copies */
};
/* Sets *used to false and leaves `out` unset if there are none. */
qd_status pass_unroll(struct pass_ctx *p, const struct ir *in, enum unroll kind, struct ir *out,
		      bool *used);
qd_status pass_mask_padding(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* The live instructions of a body: effects and, transitively, their operands. */
struct census {
	uint32_t *uses;	   /* by instruction: its uses by live instructions */
	uint8_t *live;	   /* CENSUS_LIVE if it is live without a use */
	uint32_t n;	   /* live instructions */
	uint32_t has;	   /* enum has */
	uint32_t types;	   /* types of live results, a bit each */
	uint64_t memories; /* accessed memories, a bit for row x modulo 64 */
	uint32_t n_barriers;
};
enum { CENSUS_LIVE = 1 };
qd_status pass_census(struct pass_ctx *p, const struct ir *in, struct census *out);
static inline bool
census_lives(const struct census *c, uint32_t i)
{
	return c->uses[i] || (c->live[i] & CENSUS_LIVE);
}
/* Removes dead instructions. out may share in's arrays, or be `in`. census, which may be NULL,
 * and out->has describe out exactly. */
qd_status pass_dce(struct pass_ctx *p, const struct ir *in, struct ir *out,
		     struct census *census);
/* Removes assert and print, with all operands that nothing else uses. */
qd_status pass_silence(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* Legalizes live instructions only. census may be NULL. */
qd_status pass_legalize(struct pass_ctx *p, const struct ir *in, const struct census *census,
			struct ir *out);
/* Moves operations of a legal body out of the loops in which their values do not change. */
qd_status pass_hoist(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* Reorders the loads of a finished body that has levels. */
qd_status pass_schedule(struct pass_ctx *p, struct body *b);
/* Both set *used to false and leave `out` unset if the body needs no change. */
qd_status pass_driver_workarounds(struct pass_ctx *p, const struct ir *in, struct ir *out,
				  bool *used);
qd_status pass_lower_jumps(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
/* Returns whether the loops of a legal body provably make fewer than `limit` iterations in total.
 * The result also holds for the output of pass_lower_jumps. */
bool pass_rounds_below(const struct ir *in, uint64_t limit);
/* Checks that cross-lane operations are in uniform control flow. level: one byte per instruction,
 * from p->mem. Errors point at the operation and at the condition. */
qd_status pass_uniformity_check(struct pass_ctx *p, const struct ir *in, uint8_t **level);
/* Computes the levels of any body, including a legal one, without checking the rules. */
qd_status pass_levels(struct pass_ctx *p, const struct ir *in, uint8_t **level);

/* Returns whether compilation can find a uniformity violation that pass_check_kernel cannot. */
bool pass_must_check(const struct pass_ctx *p, const struct ir *ir);
/* Checks the uniformity rules of a kernel that is not yet specialized, as far as they can be
 * decided: templates and tiles count as uniform. qd_builder_finish and qd_kernel_read report its
 * errors. */
qd_status pass_check_kernel(const struct qd_kernel *k, struct qd_error *err);

/* Computes the bytes of a block's shared arrays. Each is aligned to its element size and to the
 * largest single copy into it. Fails if the machine has less. */
qd_status pass_count_shared(struct pass_ctx *p, const struct ir *legal, uint32_t *out);

/* Runs all passes. Once loops have become copies or loads have moved (out->unrolled, out->early, also
 * set after an error), errors are not reported: the caller compiles again with p->unroll or
 * p->load_registers 0. as_meant: true for the interpreter, which runs the unlowered IR. The body is
 * then only specialized and checked, and only `ir` is filled. */
qd_status pass_run(struct pass_ctx *p, bool as_meant, struct body *out);

/* Resolves the template values of a call into p->tmpl; errors name the value. */
qd_status pass_set_tmpl(struct pass_ctx *p, const struct qd_tmpl *tmpl, uint32_t n);

#endif
