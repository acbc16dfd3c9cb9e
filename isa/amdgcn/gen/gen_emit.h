/* The walk that writes words: what its files share.
 *
 *	emit.c	   the walk, leaves, variables, constructs
 *	regalloc.c	   registers: given out, given back
 *	waitcnt.c	   results on their way, and waits for them
 *	operand.c  values as sources
 *	select.c	   instructions from sources
 *	alu.c	   what a lane computes: rows of alu.def, and the others
 *	divide.c, div64.c  quotients and roots
 *	memory.c   buffers, shared arrays, atomics, fences, barriers
 *	cross.c	   values of other lanes, ballots
 *	scan.c	   scans, and reductions of gfx9's waves
 *	scan64.c  those of 64 bits
 *	prologue.c what the launch gives
 *	image.c	   the descriptor before the code
 */
#ifndef AMDGCN_WRITE_H
#define AMDGCN_WRITE_H

#include "call.h"
#include "diag.h"
#include "gen.h"
#include "label.h"
#include "occupancy.h"

#include <assert.h>

enum { N_VGPR = 256, N_SGPR = 128, REG_NONE = 0xffff };
enum { SRC_VCC = 106, SRC_M0 = 125, SRC_EXEC = 126, SRC_ZERO = 128, SRC_ONES = 193 };

/* A source: the hardware's number, GCN_LITERAL with its bits. */
struct src {
	uint32_t n, bits;
};
static inline struct src
src_of(uint32_t n)
{
	return (struct src){ .n = n };
}
static const struct src none = { .n = GCN_OFF }; /* no such source */
static const struct gcn_mods plain; /* no modifiers */
/* What sources are read with: bit n, source n is negated; bit 8 + n, behind its absolute value. */
enum { SIGN_NEG = 1, SIGN_ABS = 1 << 8 };
static inline struct gcn_mods
gen_mods(uint32_t signs)
{
	return (struct gcn_mods){ .neg = signs & 7, .abs = signs >> 8 & 7 };
}
enum { CLASS_ZERO_OR_INF = 0x260 }; /* of v_cmp_class: of either sign, but infinity above 0 alone */
/* Of a vector register, or of a pair its first. */
static inline struct src
src_v(uint32_t reg)
{
	return src_of(256 + reg);
}
static inline bool
src_is_v(struct src s)
{
	return s.n >= 256;
}
/* A scalar register, vcc and exec among them. */
static inline bool
src_is_s(struct src s)
{
	return s.n < 128;
}

/* Where a value stands while it lives. */
enum gen_at { AT_NONE, AT_CONST, AT_S, AT_V, AT_MASK };
struct gen_loc {
	uint8_t at;
	uint8_t n;   /* registers */
	uint16_t reg;
	uint32_t of; /* the constant */
};

/* A result on its way to registers; vector registers from 256 on. */
struct gen_pend {
	uint16_t reg;
	uint8_t n, counter;
	uint32_t seq; /* its number in the counter */
};
enum { MAX_PEND = 64, FAR_STATES = 16 };
enum gen_counter { CNT_LOAD, CNT_DS, CNT_SMEM, CNT_STORE, N_CNT };

/* What is on its way where branches to a label stand. */
struct gen_join {
	struct gen_label_state *state; /* NULL: no branch so far */
	struct gcn_label label;
};
struct gen_label_state {
	uint32_t n;
	uint8_t counted; /* bit n: counter n */
	struct gen_pend pend[MAX_PEND]; /* seq: younger ones there are, at least */
};

struct gen_open {
	uint32_t at; /* opener */
	uint16_t save;
	struct gen_join join[GEN_N_LABEL];
};

struct emit {
	/* What is asked for all the time: in the first 128 bytes, as far as short offsets reach. */
	const struct ins *ins; /* of ir */
	struct gen_loc *loc; /* of values */
	uint32_t *dies_at, *chain; /* lists of what dies at an instruction */
	const struct gen_plan *plan; /* g's */
	const uint16_t *rows; /* the target's, of each operation */
	const struct gen_target *t;
	const struct gcn_target *gcn;
	uint32_t at; /* the instruction that is emitted */
	uint32_t n_pend; /* results on their way */
	uint32_t clock;	 /* instructions so far, from FAR_STATES on, so that 0 is long ago */
	uint32_t n_temps;
	qd_status st;  /* the first failure sticks */
	uint32_t took; /* the instruction whose result stands where an operand did */
	bool needs;    /* a wait is owed before the next instruction */
	bool stale;    /* exec is to be all ones, which nobody has asked for so far */
	bool holds;    /* is a register held? */
	uint8_t keeps; /* enum gen_keep: what this target wants kept */
	bool cmpx_at;  /* v_cmpx, and no vector instruction since */
	bool vm_reads; /* gfx10.1: of vector memory */
	uint16_t scc_of; /* the scalar register of which scc says whether it is not 0 */
	struct gcn_out o;

	struct gen g;
	const struct isa_in *in;
	const struct ir *ir;
	const struct body *body;
	const struct qd_kernel *k;
	uint32_t wave, mask_words; /* lanes; registers of a mask of them */
	uint32_t threads; /* of the hardware's block */
	struct qd_error *err;

	/* Registers: set bits are free. */
	uint64_t free_v[N_VGPR / 64], free_s[N_SGPR / 64];
	uint64_t held_v[N_VGPR / 64], held_s[N_SGPR / 64]; /* free from the next instruction on */
	uint32_t max_v, max_s; /* one past the highest that was given out */
	uint32_t limit_v;
	uint16_t zero_v; /* the register that is 0, or REG_NONE */

	/* Results on their way. */
	uint64_t wait_v[N_VGPR / 64], wait_s[N_SGPR / 64]; /* registers in pend */
	uint32_t seq[N_CNT];
	uint8_t counted; /* since a wait for none: bit n, counter n */
	uint16_t need[N_CNT];

	/* Wait states. */
	uint32_t near_all; /* where anything may have been written */
	uint64_t read_pairs, by_salu, by_valu; /* pairs of scalar registers: read, written then */
	uint64_t row_reads[N_VGPR / 64], row_writes[N_VGPR / 64]; /* vector memory in a row */
	uint32_t row_at; /* its last instruction */
	bool lds_seen, vmem_seen, lds_branched, vmem_branched; /* gfx10.1 */

	struct gen_open *open; /* outermost first */
	uint32_t n_open;
	uint16_t lanes; /* mask of GEN_DO_LANES */

	bool *described; /* by memory: its descriptor stands in arg */
	uint32_t *base;	 /* by memory: of a shared array its first byte */
	uint16_t block_idx;
	uint32_t far_base; /* of the words that values of far lanes go through, in LDS */

	/* From here on nothing is 0 before somebody sets it. */
	struct gen_loc temps[24]; /* of the instruction that is emitted */
	struct gen_pend pend[MAX_PEND];
	uint16_t arg[GEN_ARG_WORDS]; /* scalar register of each word of the argument block */
	/* Written by a vector instruction, when; set from the begin on under KEEP_STATES. */
	uint32_t v_at[N_VGPR + 4], s_at[N_SGPR + 4];
};
_Static_assert(offsetof(struct emit, o.gen) < 128, "all that packing asks for");

/* -- emit.c --------------------------------------------------------------------------- */

QD_COLD void gen_fail(struct emit *e, qd_status st, const char *format, ...) QD_PRINTF(3, 4);
/* The operation has no form here. */
QD_COLD void gen_illegal(struct emit *e, uint32_t i, const char *why);
static inline const struct ins *
gen_ins(const struct emit *e, uint32_t i)
{
	return &e->ins[i];
}
static inline bool
gen_is_fused(const struct emit *e, uint32_t i)
{
	return e->plan[i].flags & GEN_FUSE;
}

/* -- regalloc.c ----------------------------------------------------------------------------- */

void gen_regs_init(struct emit *e, uint32_t n_sgpr, uint32_t limit_v);
uint32_t gen_take_v(struct emit *e, uint32_t n), gen_take_s(struct emit *e, uint32_t n);
/* A run of scalar registers that begins at a multiple of `align`. */
uint32_t gen_take_s_at(struct emit *e, uint32_t n, uint32_t align);
void gen_give_v(struct emit *e, uint32_t reg, uint32_t n);
void gen_give_s(struct emit *e, uint32_t reg, uint32_t n);
/* Until the end of this instruction. */
uint32_t gen_temp_v(struct emit *e, uint32_t n), gen_temp_s(struct emit *e, uint32_t n);
uint32_t gen_temp_s4(struct emit *e); /* from a multiple of 4 on */
/* Behind the instruction: what ended there is free, and its temporaries. */
void gen_end(struct emit *e);
/* The place of i's result.  `single`: one instruction makes it, so that it may stand where
 * an operand does that ends here. */
uint32_t gen_result(struct emit *e, uint32_t i, enum gen_at at, uint32_t n, bool single);
uint32_t gen_result_v(struct emit *e, uint32_t i); /* one vector register, single, as most are */

/* That of n words, over the value at s if that ends here. */
uint32_t gen_result_over(struct emit *e, uint32_t i, struct src s, uint32_t n);

/* A vector register that is 0 in the lanes that run, as long as they are the same. */
uint32_t gen_zero(struct emit *e);
void gen_zero_lost_now(struct emit *e);
static inline void
gen_zero_lost(struct emit *e)
{
	if (e->zero_v != REG_NONE)
		gen_zero_lost_now(e);
}

/* -- waitcnt.c ---------------------------------------------------------------------------- */

/* The registers are about to be read or written. */
void gen_ready_now(struct emit *e, uint32_t reg, uint32_t n);
static inline void
gen_wait_reg(struct emit *e, uint32_t reg, uint32_t n)
{
	if (QD_UNLIKELY(e->n_pend))
		gen_ready_now(e, reg, n);
}
/* An instruction of this counter has been issued; n registers come from it. */
void gen_issued(struct emit *e, enum gen_counter c, uint32_t reg, uint32_t n);
/* Until nothing of these counters (a bit each) is outstanding. */
void gen_wait_all(struct emit *e, uint32_t counters);
/* Before control flow: what it finds behind. */
void gen_branch_to(struct emit *e, struct gen_join *j);
/* reached: what stands before the label comes to it. */
void gen_place_at(struct emit *e, struct gen_join *j, bool reached);
/* No result may be outstanding: a loop's head. */
void gen_drain_waits(struct emit *e);
void gen_put_waits(struct emit *e);
/* Waits, and exec as it is to be. */
void gen_put_owed(struct emit *e);

static inline void
gen_flush_pending(struct emit *e)
{
	if (QD_UNLIKELY(e->needs | e->stale))
		gen_put_owed(e);
}

/* Where instructions go: behind the waits that they need. */
static inline struct gcn_out *
gen_out_paid(struct emit *e)
{
	assert(!(e->needs | e->stale));
	e->clock++;
	return &e->o;
}
static inline struct gcn_out *
gen_out(struct emit *e)
{
	gen_flush_pending(e);
	return gen_out_paid(e);
}

/* The same for what does not look at exec. */
static inline struct gcn_out *
gen_out_scalar(struct emit *e)
{
	if (QD_UNLIKELY(e->needs))
		gen_put_waits(e);
	e->clock++;
	return &e->o;
}

/* -- operand.c --------------------------------------------------------------------------- */

/* Word w of value v as a source of either unit. */
struct src gen_word_of(struct emit *e, uint32_t v, uint32_t w);
static inline struct src
gen_word(struct emit *e, uint32_t v, uint32_t w)
{
	const struct gen_loc *l = &e->loc[v];

	if (QD_LIKELY(l->at == AT_V && !e->n_pend))
		return src_v(l->reg + w);
	return gen_word_of(e, v, w);
}
static inline struct src
gen_src(struct emit *e, uint32_t v)
{
	return gen_word(e, v, 0);
}
struct src gen_const_of(uint32_t bits);
static inline struct src
gen_const(uint32_t bits)
{
	return bits <= 64 ? src_of(SRC_ZERO + bits) : gen_const_of(bits);
}
/* In a vector register; in a scalar one or constant. */
struct src gen_vector_of(struct emit *e, struct src s);
static inline struct src
gen_vector(struct emit *e, struct src s)
{
	return QD_LIKELY(src_is_v(s)) ? s : gen_vector_of(e, s);
}
struct src gen_scalar(struct emit *e, struct src s);
/* A bool as a mask: a scalar register, its first, or a constant. */
struct src gen_mask(struct emit *e, uint32_t v);
/* The same; what has to be made is made in dst. */
struct src gen_mask_in(struct emit *e, uint32_t v, uint32_t dst);
/* Is it a constant? */
static inline bool
gen_known(const struct emit *e, uint32_t v, uint64_t *bits)
{
	const struct ins *s = gen_ins(e, v);

	if (!v || s->op != OP_CONST)
		return false;
	*bits = const_bits(s);
	return true;
}
/* A value of the scalar unit, or a constant? */
static inline bool
gen_is_scalar(const struct emit *e, uint32_t v)
{
	return e->loc[v].at == AT_S || e->loc[v].at == AT_CONST;
}
static inline bool
gen_is_uniform(const struct emit *e, uint32_t i)
{
	return e->body->level[i] < LEVEL_VARYING;
}
/* The value under a NEG and an ABS that are fused, which source `bit` of the modifiers takes. */
uint32_t gen_without_signs_of(const struct emit *e, uint32_t v, unsigned bit, uint32_t *signs);
static inline uint32_t
gen_without_signs(const struct emit *e, uint32_t v, unsigned bit, uint32_t *signs)
{
	return QD_LIKELY(!gen_is_fused(e, v)) ? v : gen_without_signs_of(e, v, bit, signs);
}
/* Are all operands of i the scalar unit's, and is its result? */
bool gen_on_scalar(const struct emit *e, uint32_t i);

/* -- select.c -------------------------------------------------------------------------------- */

static inline enum gcn_row_id
gen_row(const struct emit *e, enum gcn_op op)
{
	return (enum gcn_row_id)e->rows[op];
}
/* Of the operations of one and of two words. */
struct vop {
	uint16_t e32, e64, rev; /* rev: e32 with the operands exchanged, itself where that is one; 0: none */
	uint16_t none; /* so that the whole goes in one register */
};
#define VOP(id)	    ((struct vop)SHORT(id))
#define VOP_C(id)   ((struct vop)SWAPS(id))
#define VOP_3(id)   ((struct vop)LONG(id))
/* The same in tables; BACK: with the operands exchanged it is another. */
#define SHORT(id)      { GCN_OP_##id, GCN_OP_##id##_e64, 0, 0 }
#define SWAPS(id)      { GCN_OP_##id, GCN_OP_##id##_e64, GCN_OP_##id, 0 }
#define BACK(id, back) { GCN_OP_##id, GCN_OP_##id##_e64, GCN_OP_##back, 0 }
#define LONG(id)       { 0, GCN_OP_##id, 0, 0 }

void put_sop1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a);
void put_sop2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b);
void put_sopc(struct emit *e, enum gcn_op op, struct src a, struct src b);
void put_sopp(struct emit *e, enum gcn_op op, uint16_t imm);
/* On masks of lanes: op32 or op64 as the wave is. */
void put_mask1(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a);
void put_mask2(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a,
	       struct src b);
/* A mask that is known: bit n, lane n. */
void put_lanes(struct emit *e, uint32_t dst, uint64_t mask);
/* save = exec, exec &= m */
void put_saveexec(struct emit *e, uint32_t save, struct src m);
void put_v1(struct emit *e, struct vop op, uint32_t dst, struct src a);
/* A reciprocal or a root, to be read at once. */
void put_slow(struct emit *e, struct vop op, uint32_t dst, struct src a);
void put_v2(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b);
void put_v2m(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b,
	     uint32_t signs);
void put_v3(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c);
void put_v3m(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b,
	     struct src c, uint32_t signs);
/* A comparison; dst: a mask, vcc where it may. */
void put_cmp(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b,
	     uint32_t signs);
/* One to exec: lanes that run and do not fulfil it run no more. */
void put_cmpx(struct emit *e, struct vop op, struct src a, struct src b, uint32_t signs);
/* dst = mask ? yes : no */
void put_choose(struct emit *e, uint32_t dst, struct src no, struct src yes, struct src mask);
void put_dpp1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, const struct gcn_dpp *d);
void put_dpp2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b,
	      const struct gcn_dpp *d);
void put_mov_v(struct emit *e, uint32_t dst, struct src a);
void put_mov_s(struct emit *e, uint32_t dst, struct src a);
/* Two words to a pair. */
void put_mov_pair(struct emit *e, uint32_t dst, struct src lo, struct src hi);
/* A value's registers of either kind. */
void put_move(struct emit *e, struct gen_loc to, uint32_t v);
void put_readlane(struct emit *e, uint32_t dst, struct src v, struct src lane);
/* Of dst one lane alone. */
void put_writelane(struct emit *e, uint32_t dst, struct src a, uint32_t lane);
void put_readfirst(struct emit *e, uint32_t dst, struct src v);

/* -- alu.c -------------------------------------------------------------------------------- */

void gen_emit_alu(struct emit *e, uint32_t i);
/* The operation of one word that makes two values one; 0: there is none. */
uint16_t gen_short_of(enum op op, qd_type type);
bool gen_has_alu(const struct gen_target *t, enum op op, qd_type type, qd_type to);
/* A condition for a branch: 1 where it is in scc, else in vcc; `not`: its opposite. */
enum gen_cond { COND_SCC, COND_VCC };
enum gen_cond gen_branch_cond(struct emit *e, uint32_t v, bool *not);
/* exec &= v, or its opposite, where that is one instruction. */
bool gen_compare_to_exec(struct emit *e, uint32_t v, bool inverse);

/* -- divide.c ------------------------------------------------------------------------------ */

void gen_emit_quotient(struct emit *e, uint32_t i), gen_emit_root(struct emit *e, uint32_t i);

/* -- alu64.c: of 64 bits -------------------------------------------------------------------- */

bool gen_has_wide(enum op op, qd_type type, qd_type to);
void gen_emit_wide(struct emit *e, uint32_t i);
/* A value's first word as a source of 64 bits; in vector registers. */
struct src gen_wide(struct emit *e, uint32_t v, bool is_float);
struct src gen_wide_vector(struct emit *e, struct src s);
/* An instruction on sources of 64 bits; those that it has not are GCN_OFF. */
void gen_put_wide(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
		  uint32_t signs);
void gen_emit_divide_wide(struct emit *e, uint32_t i), gen_emit_root_wide(struct emit *e, uint32_t i);
/* Two pairs of vector registers to one, dst either's; a may be scalar. */
bool gen_has_combine_wide(enum op op, qd_type type);
void gen_combine_wide(struct emit *e, enum op op, qd_type type, uint32_t dst, struct src a, struct src b);
/* Of the pair v and t, integers, the less or the greater, in those lanes alone. */
void gen_order_in(struct emit *e, enum op op, qd_type type, uint32_t v, struct src t, uint64_t lanes);
void gen_compare_wide(struct emit *e, uint32_t i, uint32_t dst, bool inverse);

/* -- memory.c ------------------------------------------------------------------------------ */

void gen_emit_load(struct emit *e, uint32_t i), gen_emit_store(struct emit *e, uint32_t i);
void gen_emit_atomic(struct emit *e, uint32_t i);
void gen_emit_fence(struct emit *e, uint32_t i), gen_emit_barrier(struct emit *e, uint32_t i);
bool gen_has_atomic(enum op op, qd_type t);

/* -- cross.c --------------------------------------------------------------------------------- */

void gen_emit_move(struct emit *e, uint32_t i), gen_emit_pattern(struct emit *e, uint32_t i);
void gen_emit_ballot(struct emit *e, uint32_t i);
/* A choice that makes its pattern, the next lane's: what else would be chosen is of the last one. */
void gen_emit_next(struct emit *e, uint32_t i);
/* A word of LDS for each thread? */
bool gen_wants_lds(const struct emit *e);

/* -- scan.c ---------------------------------------------------------------------------------- */

bool gen_has_scan(const struct query *q);
void gen_emit_scan(struct emit *e, uint32_t i);
bool gen_has_reduce(const struct gen_target *t, const struct query *q);
void gen_emit_reduce(struct emit *e, uint32_t i);

/* -- scan64.c: the same of 64 bits --------------------------------------------------------- */

bool gen_has_scan_wide(enum op op, qd_type type, uint32_t log2_size);
void gen_emit_scan_wide(struct emit *e, uint32_t i, uint32_t log2_size);
void gen_emit_reduce_wide(struct emit *e, uint32_t i);

/* -- prologue.c ------------------------------------------------------------------------------ */

void gen_prologue(struct emit *e);
/* A word of the argument block; the descriptor of a buffer. */
struct src gen_arg(struct emit *e, uint32_t word);
uint32_t gen_descriptor(struct emit *e, uint32_t mem);

/* Words of the whole body, with its end. */
qd_status gen_emit_words(struct emit *e, uint32_t *words, size_t cap, size_t *n);

/* -- image.c --------------------------------------------------------------------------------- */

enum { GEN_CODE_AT = 256 }; /* bytes of the image before its code */

qd_status gen_emit_isa(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
		       struct qd_error *err);

/* -- target.c -------------------------------------------------------------------------------- */

extern const struct gen_target gen_targets[];
extern const uint32_t gen_n_targets;

#include "wait_state.h"

#endif
