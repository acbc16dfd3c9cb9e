/* From a legal body to AMD machine code: what the generator's files share.
 *
 * Two walks over the body: gen_plan backward says of each value how long it lives and who
 * makes it; the walk forward that writes words follows it and decides nothing twice. */
#ifndef AMDGCN_GEN_H
#define AMDGCN_GEN_H

#include "isa.h"

/* What differs between targets; target.def says more.  The plan asks for the first two. */
struct gen_target {
	bool salu_f32;	 /* the scalar unit computes with floats */
	uint16_t dpp[N_LANE_PATTERN]; /* by enum lane_pattern: distances that are one DPP control, bit m for m */
	bool cmpx, trans, x16, half;
	uint8_t wraps; /* waves, 32 or 64, of which a shuffle takes a lane's number modulo their size */
	uint8_t bus, wg_id, user;
	uint32_t word3;
	const char *name;
};

/* Maps of registers and words: n bits, fewer than 64, from `at` on. */
static inline uint64_t
gen_bits(const uint64_t *map, uint32_t at, uint32_t n)
{
	uint64_t bits = map[at / 64] >> at % 64;

	if (QD_UNLIKELY(at % 64 + n > 64))
		bits |= map[at / 64 + 1] << (64 - at % 64);
	return bits & ((UINT64_C(1) << n) - 1);
}
static inline void
gen_set_bits(uint64_t *map, uint32_t at, uint32_t n, bool value)
{
	uint64_t bits = (UINT64_C(1) << n) - 1, low = bits << at % 64, *word = &map[at / 64];

	*word = value ? *word | low : *word & ~low;
	if (QD_LIKELY(at % 64 + n <= 64))
		return;
	bits >>= 64 - at % 64;
	word[1] = value ? word[1] | bits : word[1] & ~bits;
}

/* -- liveness.c -------------------------------------------------------------------------- */

enum gen_flag {
	GEN_FUSE = 1,	 /* its user makes it: it has no register */
	GEN_COPY = 2,	 /* of a GET: a register of its own; else it is the variable's */
	GEN_INTO = 4,	 /* it is made in the register of the variable that its one use sets */
	GEN_TOUCHED = 8, /* of a variable, while planning: read between here and its next write */
	GEN_LOADS = 16,	 /* of a construct: something in it waits for memory or other lanes */
	GEN_LOOPS = 32,	 /* it has a loop */
	GEN_JUMPS = 64,	 /* a jump in it leaves it */
	GEN_LANES = 128, /* of an AND: a number of the lane that nobody has to know */
	GEN_HALF = 256,	 /* it is made in a register of the PAIR that alone uses it: */
	GEN_HIGH = 512	 /* the second */
};

/* By instruction.  An IF and its ELSE are an arm each. */
struct gen_plan {
	uint32_t end;  /* of a value: its last reader, or the END of a loop that it lives through;
			* 0: it is dead.  Of a construct: its END */
	uint32_t link; /* of a VAR: its nearest write below, a SET or what is made INTO it; of what
			* is made INTO it: the VAR; of a HALF: the PAIR.  Of a construct: the one around it, of an
			* ELSE its IF, of a loop's END the loop around it */
	uint32_t cand; /* of a VAR, while planning: the value that may be made INTO it.  Of a
			* construct: the outermost that a jump in it leaves, or GEN_NEVER */
	uint16_t flags; /* enum gen_flag */
	uint16_t cost;	/* of a construct: instructions inside, fewer than 65536 of them */
};
#define GEN_NEVER UINT32_MAX

/* What the body needs of the launch. */
enum { GEN_ARG_WORDS = (16 * MAX_PARAM + 4 * N_TAIL + REPORT_ARGS) / 4 };
struct gen_kernel_inputs {
	uint64_t words[(GEN_ARG_WORDS + 63) / 64]; /* of the argument block, a bit each */
	bool thread, block; /* the index of the thread in its block, that of the block */
};
static inline bool
gen_wants_word(const struct gen_kernel_inputs *w, uint32_t n)
{
	return w->words[n / 64] >> n % 64 & 1;
}

/* Where a value stands: in a scalar register, in one of each lane, as a mask of lanes. */
enum gen_regclass { GEN_S, GEN_V, GEN_MASK };
static inline enum gen_regclass
gen_regclass(const struct gen_target *t, qd_type type, uint8_t level)
{
	if (type == QD_TYPE_BOOL)
		return GEN_MASK;
	if (level >= LEVEL_VARYING)
		return GEN_V;
	return (TM_INT >> type & 1) || (type == QD_TYPE_F32 && t->salu_f32) ? GEN_S : GEN_V;
}

/* -- exec.c: which lanes run ------------------------------------------------------------ */

/* What is done to exec, to a save or to the program counter.  A save is a mask of a
 * construct, a label is one of its three. */
enum gen_do {
	GEN_DO_LABEL,
	GEN_DO_BRANCH,	   /* to a label */
	GEN_DO_BRANCH_IF,  /* where the condition holds, which is the same in all lanes */
	GEN_DO_BRANCH_NOT, /* where it does not */
	GEN_DO_EXECZ,	   /* where exec is empty */
	GEN_DO_EXECNZ,	   /* where it is not */
	GEN_DO_SAVE,	   /* save = exec */
	GEN_DO_AND_SAVE,   /* save = exec, exec &= cond */
	GEN_DO_AND,	   /* exec &= cond */
	GEN_DO_ONLY,	   /* exec = cond, where exec was all ones */
	GEN_DO_NOT,	   /* exec = ~exec */
	GEN_DO_XOR,	   /* exec ^= save */
	GEN_DO_RESTORE,	   /* exec = save */
	GEN_DO_ALL,	   /* exec = all ones: may be put off until something asks */
	GEN_DO_DROP,	   /* exec &= ~cond */
	GEN_DO_NONE,	   /* exec = 0 */
	GEN_DO_LANES,	   /* lanes = exec & cond; without a condition exec */
	GEN_DO_TAKE,	   /* save &= ~lanes */
	GEN_DO_LEAVE,	   /* exec &= ~lanes */
	GEN_DO_FREE	   /* the save is not wanted any more */
};
enum gen_label { GEN_HEAD, GEN_OTHER, GEN_BEHIND, GEN_N_LABEL };
struct gen_act {
	uint8_t what;  /* enum gen_do */
	uint8_t label; /* enum gen_label, of those that name one */
	uint32_t of;   /* the opener of the construct */
};

/* An open construct. */
struct gen_frame {
	uint32_t at, arm; /* opener; the one of the arm that is open: it or its ELSE */
	bool varies;	  /* lanes may go apart in it */
	bool full, empty; /* before it: exec was all ones; it may have been empty */
	bool saves;	  /* it has a save now */
	bool tail;	  /* behind its END another restores exec at once */
	bool crossed;	  /* lanes have jumped past its END */
};

struct gen_exec {
	const struct ins *ins;
	uint32_t n_ins;
	const uint8_t *level;
	const struct gen_plan *plan;
	struct gen_frame *frame; /* outermost first */
	uint32_t n_frame;
	bool full;	     /* exec is all ones */
	bool empty;	     /* it may be empty */
	bool gone;	     /* nobody comes here: a straight jump stands before */
	struct gen_act *act; /* of the last instruction, in order */
	uint32_t n_act;
};

struct gen {
	const struct isa_in *in; /* its body has levels */
	const struct gen_target *t;
	struct gen_plan *plan; /* by instruction, of in->mem */
	uint32_t n_nest;       /* constructs that are open at a time, at most */
	struct gen_kernel_inputs wants;
	struct gen_exec exec;
};

/* Fills plan, n_nest and wants; plan is zeroed. */
void gen_plan(struct gen *g);

/* After gen_plan; false when out of memory. */
bool gen_exec_init(struct gen *g);
/* What the construct or jump i does, in order; its condition is operand a. */
void gen_exec_at(struct gen *g, uint32_t i);

#endif
