/* Interface of the AMD code generator: legal IR in, machine code out.
 *
 * gen_plan walks the body backward and determines each value's lifetime and the instruction that
 * emits it. The forward walk that emits words follows this plan and repeats none of its decisions. */
#ifndef AMDGCN_GEN_H
#define AMDGCN_GEN_H

#include "isa.h"

/* Properties of a class of targets; see class.def. */
struct gen_target {
	bool salu_f32;	 /* the scalar unit has float arithmetic */
	uint16_t dpp[N_LANE_PATTERN]; /* by enum lane_pattern: bit m is set if one DPP control
				       * implements distance m */
	bool cmpx, trans, x16, half, bf16;
	uint8_t wraps; /* wave sizes (32 | 64) at which a shuffle takes the lane index modulo the wave size */
	uint8_t bus, wg_id, user, dot;
	uint32_t word3;
	uint32_t classes; /* gcn_target.class_bit of the targets */
};

/* Bit maps of registers and words: n < 64 bits, starting at bit `at`. */
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
	GEN_FUSE = 1,	 /* emitted as part of its user; it has no register */
	GEN_COPY = 2,	 /* of a GET: it has its own register; otherwise it shares the variable's */
	GEN_INTO = 4,	 /* computed directly in the register of a variable that is set to it */
	GEN_TOUCHED = 8, /* of a variable, while planning: read between here and its next write */
	GEN_LOADS = 16,	 /* of a construct: it contains a wait for memory or for other lanes */
	GEN_LOOPS = 32,	 /* of a construct: it contains a loop */
	GEN_JUMPS = 64,	 /* of a construct: a jump in it leaves it */
	GEN_LANES = 128, /* of an AND: operates on a lane index that is never computed */
	GEN_HALF = 256,	 /* computed in one register of the PAIR that is its only user */
	GEN_HIGH = 512	 /* with GEN_HALF: in the second register */
};

/* Plan of one instruction. An IF and its ELSE are one arm each. */
struct gen_plan {
	uint32_t end;  /* of a value: its last reader, or the END of a loop that it is live across; 0:
			* dead. For a construct: its END */
	uint32_t link; /* of a VAR: the next write below, a SET or an INTO value; of an INTO value: its
			* VAR; of a HALF: its PAIR. For a construct: the enclosing one; of an ELSE: its
			* IF; of a loop's END: the enclosing loop */
	uint32_t cand; /* while planning: of a VAR, the candidate for INTO; of that, the VAR's next write
			* after the SET, or 0. For a construct: the outermost construct that a
			* jump in it leaves, or GEN_NEVER */
	uint16_t flags; /* enum gen_flag */
	uint16_t cost;	/* of a construct: number of instructions in it, saturating at 65535 */
};
#define GEN_NEVER UINT32_MAX

/* Launch inputs that the body reads. */
enum { GEN_ARG_WORDS = (16 * MAX_PARAM + 4 * N_TAIL + REPORT_ARGS) / 4 };
struct gen_kernel_inputs {
	uint64_t words[(GEN_ARG_WORDS + 63) / 64]; /* one bit for each word of the argument block */
	bool thread, block; /* thread index in the block; block index */
	bool tables; /* constant tables */
};
static inline bool
gen_has_word(const struct gen_kernel_inputs *w, uint32_t n)
{
	return w->words[n / 64] >> n % 64 & 1;
}

/* Register class of a value: scalar, vector (one per lane), or mask of lanes. */
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

/* Returns true if one instruction computes value x on every target. */
bool gen_is_single(const struct ir *ir, uint32_t x);

/* -- exec.c: active lanes --------------------------------------------------------------- */

/* Actions on exec, on a save or on the program counter. A save is a construct's saved mask of
 * lanes; a label is one of the construct's three labels. */
enum gen_do {
	GEN_DO_LABEL,
	GEN_DO_BRANCH,	   /* to the label */
	GEN_DO_BRANCH_IF,  /* if the condition, which is uniform, is true */
	GEN_DO_BRANCH_NOT, /* if it is false */
	GEN_DO_EXECZ,	   /* if exec is empty */
	GEN_DO_EXECNZ,	   /* if exec is not empty */
	GEN_DO_SAVE,	   /* save = exec */
	GEN_DO_AND_SAVE,   /* save = exec, exec &= cond */
	GEN_DO_AND,	   /* exec &= cond */
	GEN_DO_ONLY,	   /* exec = cond; exec is all ones before */
	GEN_DO_NOT,	   /* exec = ~exec */
	GEN_DO_XOR,	   /* exec ^= save */
	GEN_DO_RESTORE,	   /* exec = save */
	GEN_DO_ALL,	   /* exec = all ones; may be deferred until an instruction depends on exec */
	GEN_DO_DROP,	   /* exec &= ~cond */
	GEN_DO_NONE,	   /* exec = 0 */
	GEN_DO_LANES,	   /* lanes = exec & cond; exec if there is no condition */
	GEN_DO_TAKE,	   /* save &= ~lanes */
	GEN_DO_LEAVE,	   /* exec &= ~lanes */
	GEN_DO_FREE	   /* release the save's registers */
};
enum gen_label { GEN_HEAD, GEN_OTHER, GEN_BEHIND, GEN_N_LABEL };
struct gen_act {
	uint8_t what;  /* enum gen_do */
	uint8_t label; /* enum gen_label, for actions that take one */
	uint32_t of;   /* the construct's opener */
};

/* An open construct. */
struct gen_frame {
	uint32_t at, arm; /* opener; opener of the current arm: `at` or its ELSE */
	bool varies;	  /* lanes may diverge in it */
	bool full, empty; /* state before it: exec was all ones; exec may have been empty */
	bool saves;	  /* it holds a save now */
	bool tail;	  /* an enclosing END restores exec immediately after its own END */
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
	bool empty;	     /* exec may be empty */
	bool gone;	     /* this code is unreachable: it follows an unconditional branch */
	struct gen_act *act; /* actions of the last instruction, in order */
	uint32_t n_act;
};

struct gen {
	const struct isa_in *in; /* its body has levels */
	const struct gen_target *t;
	struct gen_plan *plan; /* by instruction; allocated in in->mem */
	uint32_t n_nest;       /* maximum nesting depth of constructs */
	struct gen_kernel_inputs inputs;
	struct gen_exec exec;
};

/* Fills plan, n_nest and wants. The plan must be zeroed. */
void gen_plan(struct gen *g);

/* Initializes g->exec after gen_plan. Returns false if out of memory. */
bool gen_exec_init(struct gen *g);
/* Computes the actions of construct or jump i into exec.act. Operand a is its condition. */
void gen_exec_at(struct gen *g, uint32_t i);

#endif
