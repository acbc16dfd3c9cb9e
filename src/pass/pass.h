/* The passes: from a verified kernel to the body that a back end emits.  Each pass reads
 * one body and writes another; all memory is from ctx.mem.  pass_run runs them in this
 * order:
 *
 *	silence	    removes assert and print; the interpreter keeps them
 *	specialize  replaces templates and sizes by constants, folds, removes the code that
 *		    is dead then, and checks requirements and ranges
 *	uniform	    checks that cross-lane operations are in uniform control flow
 *	partial	    padding threads have no visible effect; lowers the grid loop
 *	census	    finds live instructions, so that legalize skips the others
 *	legalize    replaces operations that the machine does not support
 *	exits	    for machines that leave a loop only at its head, or end it after
 *		    LOOP_LIMIT rounds
 *	quirk	    works around driver bugs
 *	sweep	    removes unused instructions and counts uses
 *
 * For the interpreter pass_run stops after uniform.  With CAP_LEVELS the levels of the
 * result are computed last (pass_levels). */
#ifndef QD_PASS_H
#define QD_PASS_H

#include "ir.h"
#include "diag.h"
#include "report.h"

/* -- What passes may know of a target; a back end fills it (isa/isa.h) ------------ */

enum machine_cap {
	CAP_I64 = 1, /* values of 64-bit integers exist; else two words each */
	CAP_F64 = 2,
	CAP_STORE8 = 4, /* 8-bit elements in memory */
	CAP_STORE16 = 8,
	CAP_FLAG_LOOPS = 16, /* loops leave only by a test at their head, blocks not at all */
	CAP_HIDE_ZERO = 32,  /* a literal zero is folded wrongly: read it at run time */
	CAP_HIDE_SIGN = 1048576, /* the xor of a literal sign bit becomes an arithmetic negation: likewise */
	CAP_INT_DIV_CHECKED = 64, /* div and rem are defined for every operand */
	CAP_CVT_SATURATES = 128,
	CAP_SHIFT_MASKS = 256, /* shift counts are taken modulo the width */
	CAP_U32_TO_F32_INEXACT = 512, /* the driver's u32 to f32 does not round to nearest */
	CAP_F64_TRUNC_WRONG = 1024, /* its trunc and round of f64 are wrong, floor is right */
	CAP_LEVELS = 2048, /* the back end wants body.level */
	CAP_ATOMIC64 = 4096, /* atomics on elements of 64 bits */
	CAP_SYSTEM = 8192, /* the host takes part in atomics and fences */
	CAP_F64_ORDER_SLOW = 16384, /* min and max of f64 take longer than those of i64 */
	CAP_F32_SIGN_LOST = 32768, /* its floor, ceil, trunc, round of f32 give +0 for -0 */
	CAP_LANES_CHEAP = 262144, /* a pattern of lanes is fetched by what computes with it */
	CAP_BALLOT_FREE = 131072, /* a condition of all lanes stands in a register that all read */
	CAP_LOOP_LIMIT = 524288, /* all loops of a subgroup end after LOOP_LIMIT rounds together */
	CAP_RANGE_CHECKED = 65536 /* a load past a buffer's end gives 0, a store there does nothing */
};

enum { LOG2_FULL = 0xff };

/* Mesa, gallivm/lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS: "shared between every loop". */
enum { LOOP_LIMIT = 65535 };

/* Does the back end emit this itself? */
struct query {
	enum op op;
	qd_type type;	   /* of the leading operand; of the elements for memory */
	qd_type to;	   /* of the result, where that is another: cvt */
	uint8_t space;	   /* of memory */
	uint8_t scope, order; /* of atomics and fences */
	uint8_t pattern;   /* enum lane_pattern */
	uint8_t log2_size; /* of a K operation, LOG2_FULL for the whole subgroup */
};

enum { MACHINE_NAME = 256 }; /* bytes of a name, with its NUL */

struct machine {
	char name[MACHINE_NAME]; /* the target's text: it says all that decides the code */
	uint32_t subgroup_size, log2_size; /* as kernels see it */
	uint32_t lanes, log2_lanes;	   /* of the hardware's */
	uint32_t caps;
	uint32_t max_block_dim, max_subgroups; /* of a block; 0 subgroups: as many as fit */
	uint32_t max_shared;
	uint32_t inline_args; /* bytes of the argument block a launch carries itself */
	uint32_t features;    /* the back end's own */
	/* What it denies, legalize expands or refuses.  Asked for arithmetic, memory,
	 * cross-lane operations and patterns, elect, subgroup.id; all else is never
	 * denied, and neither are lo, hi, pair of a type that exists. */
	bool (*native)(const struct machine *m, const struct query *q);
};

/* A subgroup that is not the hardware's: made of several of them, or a part of one.  What
 * lanes do together is then made of other operations, and stands where the whole block
 * comes together. */
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

/* Blocks are whole subgroups, of kernels and of the hardware: a multiple of this. */
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

/* Threads of a hardware block of subgroups of `size`, on hardware's of `lanes`, at most. */
static inline uint32_t
machine_max_block(const struct machine *m, uint32_t lanes, uint32_t size)
{
	uint32_t n = m->max_block_dim / lanes, step = size > lanes ? size : lanes;

	n = m->max_subgroups && m->max_subgroups < n ? m->max_subgroups : n;
	return n * lanes / step * step;
}

/* Does it emit this itself?  Of subgroups that are not its own it emits nothing that
 * lanes do together. */
static inline bool
machine_has(const struct machine *m, const struct query *q)
{
	return !(machine_makes(m) && op_info[q->op].scope == SCOPE_SUBGROUP) && m->native(m, q);
}

/* What a machine said of plain operations, where type and `to` are one: by operation and
 * a bit for each type. */
struct answers {
	uint16_t asked[N_OP], said[N_OP];
};
/* Asks of all arithmetic, so that compiles for one machine need not ask again. */
void machine_ask(const struct machine *m, struct answers *out);

/* -- What they give ----------------------------------------------------------------- */

/* What code needs of a device, whatever it is emitted as. */
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
	/* By instruction; of a construct, for whom its control flow is one: a back end
	 * may jump where that is not LEVEL_VARYING.  NULL without CAP_LEVELS. */
	uint8_t *level;
	uint32_t *uses; /* by instruction: how often it is an operand */
	const struct memory *mems; /* the kernel's, then scratch, then that of reports */
	uint32_t n_mems;
	uint32_t report;      /* the row of what is reported into, or NO_MEMORY */
	uint32_t args_size;   /* bytes of the argument block */
	uint32_t shared_size; /* bytes of all shared memories */
	uint32_t n_barriers;  /* instructions at which threads wait for each other */
	uint32_t needs;
};

/* Where in the argument block the address of memory x is, which is a buffer. */
static inline uint32_t
body_buffer_at(const struct body *b, const struct qd_kernel *k, uint32_t x)
{
	return x == b->report ? report_args_at(k) : k->params[x].offset;
}

struct pass_ctx {
	const struct qd_kernel *k;
	const struct machine *m;
	const struct answers *answers; /* what m has said before; or NULL */
	int32_t tmpl[MAX_TMPL]; /* value of each template parameter */
	struct arena *mem;
	struct qd_error *err;
	bool partial; /* block_dim is no multiple of the subgroup size */
	const char *device; /* what messages call the machine; NULL: a target, by its name */
	/* Memories of the body, which legalize may add to. */
	struct memory *mems;
	uint32_t n_mems, cap_mems;
	uint32_t report; /* the row of what is reported into, or NO_MEMORY */
};

/* The machine in messages, for "%s%s". */
#define PASS_ON(p) (p)->device ? "" : "target ", (p)->device ? (p)->device : (p)->m->name

void pass_ctx_init(struct pass_ctx *p, const struct qd_kernel *k, const struct machine *m,
		   struct arena *mem, struct qd_error *err);

qd_status pass_specialize(struct pass_ctx *p, const struct ir *in, struct ir *out);
qd_status pass_partial(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* What lives in a body: what has an effect, and what that uses. */
struct census {
	uint32_t *uses;	   /* by instruction: how often what lives has it as an operand */
	uint8_t *live;	   /* what lives without a use: CENSUS_LIVE */
	uint32_t n;	   /* how much lives */
	uint32_t has;	   /* enum has */
	uint32_t types;	   /* of results, a bit each */
	uint64_t memories; /* that are accessed, a bit for row x modulo 64 */
	uint32_t n_barriers;
};
enum { CENSUS_LIVE = 1 };
qd_status pass_census(struct pass_ctx *p, const struct ir *in, struct census *out);
static inline bool
census_lives(const struct census *c, uint32_t i)
{
	return c->uses[i] || (c->live[i] & CENSUS_LIVE);
}
/* What does not live goes.  out may share in's arrays, or be `in`; census, which may be
 * NULL, and out->has are out's, exactly. */
qd_status pass_sweep(struct pass_ctx *p, const struct ir *in, struct ir *out,
		     struct census *census);
/* What tells of the run goes, with all that only it uses. */
qd_status pass_silence(struct pass_ctx *p, const struct ir *in, struct ir *out);
/* Of what does not live nothing is made.  census may be NULL. */
qd_status pass_legalize(struct pass_ctx *p, const struct ir *in, const struct census *census,
			struct ir *out);
/* Do nothing and set *used false where the body needs none of it. */
qd_status pass_quirk(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
qd_status pass_exits(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
/* Does a legal body surely make fewer rounds than this in all its loops together?  What
 * pass_exits makes of it then does too. */
bool pass_rounds_below(const struct ir *in, uint64_t limit);
/* level: one byte per instruction, from p->mem.  Errors point at the operation
 * and at the condition. */
qd_status pass_uniform(struct pass_ctx *p, const struct ir *in, uint8_t **level);
/* The levels alone, of any body, a legal one too: no rule is checked. */
qd_status pass_levels(struct pass_ctx *p, const struct ir *in, uint8_t **level);

/* Can compiling find a breach of the rules that making the kernel could not? */
bool pass_must_check(const struct pass_ctx *p, const struct ir *ir);
/* The uniformity rules on a kernel not yet specialized, as far as they can be
 * decided: templates and tiles count as uniform.  What finish reports. */
qd_status pass_check_kernel(const struct qd_kernel *k, struct qd_error *err);

/* Bytes of a block's shared arrays, each at a multiple of its elements' size, and of what is
 * copied to it at once; refuses more than the machine has. */
qd_status pass_count_shared(struct pass_ctx *p, uint32_t *out);

/* All of them.  as_meant: for the interpreter, which runs the IR as it was meant:
 * specialized and checked, nothing else, and of the body only the ir is filled. */
qd_status pass_run(struct pass_ctx *p, bool as_meant, struct body *out);

/* Resolves the template values of a call into p->tmpl; errors name the value. */
qd_status pass_set_tmpl(struct pass_ctx *p, const struct qd_tmpl *tmpl, uint32_t n);

#endif
