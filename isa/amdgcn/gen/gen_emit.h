/* Interface of the forward walk, which emits words.
 *
 *	emit.c	   the walk, leaves, variables, constructs
 *	branch.c   branches, over any distance
 *	regalloc.c	   register allocation
 *	spill.c	   registers in scratch
 *	waitcnt.c	   outstanding results and waits for them
 *	operand.c  values as sources
 *	select.c	   instruction and encoding selection
 *	alu.c	   lane arithmetic: rows of alu.def and other operations
 *	divide.c, div64.c  division and square root
 *	memory.c   buffers, shared arrays, atomics
 *	fence.c	   fences, barriers
 *	pair.c	   loads of two elements of a shared array
 *	uniform.c  scalar loads of elements that are the same in all lanes
 *	cross.c	   values of other lanes, ballots
 *	scan.c	   scans, and reductions on gfx9
 *	scan64.c  64-bit scans and reductions
 *	prologue.c launch inputs
 *	image.c	   the kernel descriptor
 */
#ifndef AMDGCN_WRITE_H
#define AMDGCN_WRITE_H

#include "amd_abi.h"
#include "call.h"
#include "diag.h"
#include "gen.h"
#include "label.h"
#include "occupancy.h"

#include <assert.h>

enum { N_VGPR = 256, N_SGPR = 128, REG_NONE = 0xffff };
enum { SRC_VCC = 106, SRC_M0 = 125, SRC_EXEC = 126, SRC_ZERO = 128, SRC_ONES = 193 };

/* A source operand: the hardware's operand number; `bits` is the value of GCN_LITERAL. */
struct src {
	uint32_t n, bits;
};
static inline struct src
src_of(uint32_t n)
{
	return (struct src){ .n = n };
}
static const struct src none = { .n = GCN_OFF }; /* padding source */
static const struct gcn_mods plain; /* no modifiers */
/* Source modifiers: bit n negates source n; bit 8 + n takes its absolute value first. */
enum { SIGN_NEG = 1, SIGN_ABS = 1 << 8 };
static inline struct gcn_mods
gen_mods(uint32_t signs)
{
	return (struct gcn_mods){ .neg = signs & 7, .abs = signs >> 8 & 7 };
}
enum { CLASS_ZERO_OR_INF = 0x260 }; /* v_cmp_class mask: zeros of both signs and positive infinity */
/* Returns vector register `reg`, or the pair that starts there, as a source. */
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
/* Returns true for scalar registers, including vcc and exec. */
static inline bool
src_is_s(struct src s)
{
	return s.n < 128;
}

/* Location of a live value. */
enum gen_at { AT_NONE, AT_CONST, AT_S, AT_V, AT_MASK, AT_SCRATCH, AT_LANES, AT_AGAIN };
struct gen_loc {
	uint8_t at;
	uint8_t n;   /* number of registers */
	uint16_t reg; /* AT_SCRATCH: a slot of 4 bytes; AT_LANES: a lane of lane_v */
	uint32_t of;  /* AT_CONST: the constant's instruction; AT_LANES: AT_S or AT_MASK; AT_AGAIN: the instruction
		       * that computes it, at each use; a register that the launch filled: GEN_STANDS */
};

enum { GEN_STANDS = 1 };
enum { GEN_MOST_SCRATCH = 1 << 16 /* bytes of a lane */ };

/* An outstanding result. Vector registers start at 256. */
struct gen_pend {
	uint16_t reg;
	uint8_t n, counter;
	uint32_t seq; /* sequence number in its counter */
};
enum { MAX_PEND = 64, FAR_STATES = 16 };
enum gen_counter { CNT_LOAD, CNT_DS, CNT_SMEM, CNT_STORE, N_CNT };

/* Outstanding results at the branches to a label. */
struct gen_join {
	struct gen_label_state *state; /* NULL before the first branch */
	struct gcn_label label;
	bool far; /* branches to it do not reach it */
};
struct gen_label_state {
	uint32_t n;
	uint8_t counted; /* bit mask of counters */
	struct gen_pend pend[MAX_PEND]; /* seq: minimum number of younger results */
};

struct gen_open {
	uint32_t at; /* opener of the construct */
	uint16_t save;
	struct gen_join join[GEN_N_LABEL];
};

struct emit {
	/* Hot fields. They are in the first 128 bytes so that one-byte displacements reach them. */
	const struct ins *ins; /* ir->ins */
	struct gen_loc *loc; /* by value */
	uint32_t *dies_at, *chain; /* linked lists of the values that die at an instruction */
	const struct gen_plan *plan; /* g.plan */
	const uint16_t *rows; /* the target's gcn_op_page */
	const struct gen_target *t;
	const struct gcn_target *gcn;
	uint32_t at; /* the instruction being emitted */
	uint32_t n_pend; /* number of outstanding results */
	uint32_t clock;	 /* instructions emitted, counted from FAR_STATES so that 0 is in the distant past */
	uint32_t n_temps;
	qd_status st;  /* only the first failure is recorded */
	uint32_t took; /* last instruction whose result reused the register of a dying operand */
	bool needs;    /* a wait is pending before the next instruction */
	bool stale;    /* setting exec to all ones is pending */
	bool holds;    /* a register is in held_v or held_s */
	uint8_t keeps; /* enum gen_keep: hazards that this target requires tracking */
	bool cmpx_at;  /* no vector instruction has followed the last v_cmpx */
	bool vm_reads; /* gfx10.1: a memory access may not have read its vector registers yet */
	uint16_t scc_of; /* scc is 1 if this scalar register is not 0; or REG_NONE */
	struct gcn_out o;

	struct gen g;
	const struct isa_in *in;
	const struct ir *ir;
	const struct body *body;
	const struct qd_kernel *k;
	uint32_t wave, mask_words; /* lanes in a wave; registers in a mask of lanes */
	uint32_t threads; /* threads in the hardware's block */
	struct qd_error *err;

	/* Register allocation. A set bit is a free register. */
	uint64_t free_v[N_VGPR / 64], free_s[N_SGPR / 64];
	uint64_t held_v[N_VGPR / 64], held_s[N_SGPR / 64]; /* free after this instruction */
	uint32_t max_v, max_s; /* one more than the highest register used */
	uint32_t limit_v;
	uint16_t zero_v; /* a register that contains 0, or REG_NONE */
	struct gen_scaled {
		uint32_t of, end; /* the value and its end */
		uint32_t used_at;
		uint16_t reg, shift;
		uint32_t from; /* the constant that is added */
	} scaled[2]; /* values that are shifted to the left, as addresses in LDS */
	uint32_t n_scaled;

	/* Outstanding results. */
	uint64_t wait_v[N_VGPR / 64], wait_s[N_SGPR / 64]; /* registers in pend */
	uint32_t seq[N_CNT];
	uint8_t counted; /* bit mask of counters that may be nonzero */
	uint16_t need[N_CNT];

	/* Wait states. */
	uint32_t near_all; /* clock of the last label: any register may have been written there */
	uint64_t read_pairs, by_salu, by_valu; /* scalar register pairs: read; written after the read */
	uint64_t row_reads[N_VGPR / 64], row_writes[N_VGPR / 64]; /* registers of consecutive vector
								   * memory instructions */
	uint32_t row_at; /* clock of the last of them */
	bool row_self;	 /* one of them overwrites its own index */
	bool lds_seen, vmem_seen, lds_branched, vmem_branched; /* gfx10.1 */

	struct gen_open *open; /* outermost construct first */
	uint32_t n_open;
	uint16_t lanes; /* mask computed by GEN_DO_LANES */
	/* Spilling. */
	uint32_t n_reloads;
	uint32_t scratch; /* one more than the highest slot of 4 bytes used */
	uint16_t scratch_base; /* a scalar register that contains 0, or GCN_OFF */
	uint32_t n_lanes; /* one more than the highest lane of lane_v used */
	uint32_t *slots_at; /* by instruction: list of the values whose slots or lanes are free after it */
	bool found_spill; /* a value was added to `spilled`, so the body must be emitted again */
	bool owners;	  /* owner[] is set */

	bool found_far; /* a bit of `far` was set, so the body must be emitted again */

	struct gen_late *late; /* late parts of groups of scalar loads, latest first */
	bool grouped; /* such a group has been emitted */
	bool *described; /* by memory: its descriptor is in registers, those of arg for a buffer */
	uint32_t *base;	 /* by memory: first byte of a shared array; register of a table's descriptor */
	struct gcn_label *tables; /* by memory: the address of a table; NULL: none is used */
	uint16_t block_idx;
	uint32_t far_base; /* LDS offset of the words that by_lds uses to exchange values */

	/* The fields from here on are not zeroed. */
	struct gen_loc temps[64]; /* temporaries of the current instruction */
	bool *spilled; /* by value: it is in scratch or in lanes; or NULL */
	struct gen_reload {
		uint32_t of;
		struct gen_loc from;
	} reloads[32]; /* operands of the current instruction that are spilled */
	uint32_t most_lanes; /* lanes that the last walk used */
	bool sets_scratch; /* the kernel initializes the address of its scratch */
	uint16_t lane_v[16]; /* vector registers whose lanes contain scalar values */
	uint64_t slot_map[GEN_MOST_SCRATCH / 4 / 64], lane_map[16]; /* a set bit is a slot or lane in use */
	uint32_t owner[N_VGPR], owner_s[N_SGPR]; /* the value that was last assigned to a register, or 0 */
	uint8_t *far; /* by construct: bit mask of its labels that branches do not reach; or NULL */
	struct gen_pend pend[MAX_PEND];
	uint32_t stored; /* index of the last store of the last vector */
	bool ungrouped; /* set by the caller: loads form no groups */
	uint16_t arg[GEN_ARG_WORDS]; /* scalar register of each word of the argument block */
	/* Clock of the last write by a vector instruction. Zeroed at the start under KEEP_STATES
	 * only. */
	uint32_t v_at[N_VGPR + 4], s_at[N_SGPR + 4];
};
_Static_assert(offsetof(struct emit, o.gen) < 128, "all that packing asks for");

/* A test compiles the generator with GEN_RULES, omits each rule in turn and must detect it. */
#ifdef GEN_RULES
bool gen_rule(const char *name);
#define GEN_RULE(name) gen_rule(#name)
#else
#define GEN_RULE(name) true
#endif

/* -- emit.c --------------------------------------------------------------------------- */

QD_COLD void gen_fail(struct emit *e, qd_status st, const char *format, ...) QD_PRINTF(3, 4);
/* Reports that the target cannot encode the operation. */
QD_COLD void gen_illegal(struct emit *e, uint32_t i, const char *why);
/* Emits instruction i again, as part of the current one. */
QD_COLD void gen_emit_again(struct emit *e, uint32_t i);
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

/* -- table.c -------------------------------------------------------------------------------- */

/* Emits a table's descriptor to four registers. */
void gen_table_descriptor(struct emit *e, uint32_t mem, uint32_t reg);
/* Emits the descriptors of tables at the start of the code, as far as `room` registers suffice. */
void gen_load_tables(struct emit *e, uint32_t *room);
/* Returns an upper bound of the words that tables add to the code. */
uint32_t gen_table_words(const struct body *b);
/* Appends the tables to the code, which has ended. */
void gen_put_tables(struct emit *e);

/* -- branch.c ------------------------------------------------------------------------------- */

/* Emits a branch to the label. */
void gen_put_branch(struct emit *e, enum gcn_op op, struct gen_join *j);
/* Records that branches do not reach the label of the action. */
QD_COLD void gen_mark_far(struct emit *e, const struct gen_act *a);

/* -- regalloc.c ----------------------------------------------------------------------------- */

void gen_regs_init(struct emit *e, uint32_t n_sgpr, uint32_t limit_v);
uint32_t gen_take_v(struct emit *e, uint32_t n), gen_take_s(struct emit *e, uint32_t n);
/* Allocates n consecutive scalar registers, starting at a multiple of `align`. */
uint32_t gen_take_s_at(struct emit *e, uint32_t n, uint32_t align);
/* Allocates n consecutive scalar registers, aligned for a scalar load, if at least `spare` others
 * remain free. Otherwise returns REG_NONE. */
uint32_t gen_spare_s(struct emit *e, uint32_t n, uint32_t spare);
/* Assign an allocated register, or n of them, to i until the value's end. */
void gen_assign_s(struct emit *e, uint32_t i, uint32_t reg);
void gen_assign_v(struct emit *e, uint32_t i, uint32_t reg, uint32_t n);
/* Returns whether n consecutive vector registers are free, 1, 2 or 4, and several others. */
bool gen_has_room_v(const struct emit *e, uint32_t n);
void gen_give_v(struct emit *e, uint32_t reg, uint32_t n);
void gen_give_s(struct emit *e, uint32_t reg, uint32_t n);
/* Allocate registers that are freed at the end of the current instruction. */
uint32_t gen_temp_v(struct emit *e, uint32_t n), gen_temp_s(struct emit *e, uint32_t n);
/* Frees the registers of l at the end of the current instruction. */
void gen_temp_loc(struct emit *e, struct gen_loc l);
uint32_t gen_temp_s4(struct emit *e); /* four registers, starting at a multiple of 4 */
/* Ends the current instruction: frees its temporaries and the values that die there. */
void gen_end(struct emit *e);
/* Allocates the result of i. `single`: one instruction computes it, so it may reuse the register of
 * an operand that dies there. */
uint32_t gen_result(struct emit *e, uint32_t i, enum gen_at at, uint32_t n, bool single);
uint32_t gen_result_v(struct emit *e, uint32_t i); /* one vector register, single */

/* Allocates the result of i, n vector registers, in place of the value in s if that value dies
 * here. */
uint32_t gen_result_over(struct emit *e, uint32_t i, struct src s, uint32_t n);

/* Returns a vector register that is 0 in all active lanes. It is valid until exec changes. */
uint32_t gen_zero(struct emit *e);
void gen_zero_lost_now(struct emit *e);
static inline void
gen_zero_lost(struct emit *e)
{
	if (e->zero_v != REG_NONE || e->n_scaled)
		gen_zero_lost_now(e);
}
/* Returns a vector register with value v shifted to the left, in all active lanes. It is shared by
 * the instructions that need it until exec changes or v ends. */
uint32_t gen_scaled(struct emit *e, uint32_t v, uint32_t shift);
/* The same with the sum of the shifted value and `from`. */
uint32_t gen_scaled_from(struct emit *e, uint32_t v, uint32_t shift, uint32_t from);

/* -- spill.c ---------------------------------------------------------------------------------- */

/* Returns true if the hardware initializes the address of scratch. */
static inline bool
gen_has_scratch(const struct emit *e)
{
	return e->gcn->gen == GCN_G94 || e->gcn->gen >= GCN_G11;
}
/* Returns true if the kernel must do so. */
static inline bool
gen_sets_scratch(const struct emit *e)
{
	return e->scratch && !gen_has_scratch(e);
}
/* Registers that the launch adds if the kernel initializes the address: a pair with the base of all waves'
 * scratch, and the offset of this wave's scratch after the block's index. */
enum { GEN_SCRATCH_USER = 2, GEN_SCRATCH_SYSTEM = 1 };
/* Initializes the address of scratch from these registers. */
QD_COLD void gen_init_scratch(struct emit *e, uint32_t base, uint32_t offset);
/* Frees n consecutive vector registers, by moving values to scratch in the next walk. Returns false if
 * that is impossible. */
QD_COLD bool gen_make_room(struct emit *e, uint32_t n);
/* Frees n scalar registers in the same way, starting at a multiple of align. */
QD_COLD bool gen_make_room_s(struct emit *e, uint32_t n, uint32_t align);
/* Reserves the vector registers for scalar values. */
QD_COLD void gen_reserve_lanes(struct emit *e);
QD_COLD void gen_clear_owners(struct emit *e);
/* Precede and follow an instruction if values are in scratch: load its operands, and store its result.
 * The first one returns false if the instruction is emitted at each use of its value instead. The
 * second one also ends the instruction. */
bool gen_before_spill(struct emit *e, uint32_t i);
void gen_after_spill(struct emit *e, uint32_t i);
/* Assigns v to a variable in scratch. */
void gen_set_spilled(struct emit *e, struct gen_loc to, uint32_t v);

/* -- waitcnt.c ---------------------------------------------------------------------------- */

/* Requests waits for outstanding results in the registers before they are read or written. */
void gen_wait_reg_now(struct emit *e, uint32_t reg, uint32_t n);
static inline void
gen_wait_reg(struct emit *e, uint32_t reg, uint32_t n)
{
	if (QD_UNLIKELY(e->n_pend))
		gen_wait_reg_now(e, reg, n);
}
/* Records an issued instruction of counter c that returns n registers, starting at reg. */
void gen_issued(struct emit *e, enum gen_counter c, uint32_t reg, uint32_t n);
/* Waits for all outstanding instructions of the counters, a bit mask. */
void gen_wait_all(struct emit *e, uint32_t counters);
/* Records the outstanding results at a branch to the label. */
void gen_branch_to(struct emit *e, struct gen_join *j);
/* Binds the label. reached: control falls through to it from the code above. */
void gen_bind_join(struct emit *e, struct gen_join *j, bool reached);
/* Waits for all outstanding results. Used at the head of a loop. */
void gen_drain_waits(struct emit *e);
void gen_put_waits(struct emit *e);
/* Emits the pending waits and the pending write of all ones to exec. */
void gen_emit_pending(struct emit *e);

static inline void
gen_flush_pending(struct emit *e)
{
	if (QD_UNLIKELY(e->needs | e->stale))
		gen_emit_pending(e);
}

/* Return the output for the next instruction. gen_out emits pending waits and exec writes first;
 * gen_out_flushed requires that none are pending. */
static inline struct gcn_out *
gen_out_flushed(struct emit *e)
{
	assert(!(e->needs | e->stale));
	e->clock++;
	return &e->o;
}
static inline struct gcn_out *
gen_out(struct emit *e)
{
	gen_flush_pending(e);
	return gen_out_flushed(e);
}

/* Returns the output for an instruction that does not depend on exec. */
static inline struct gcn_out *
gen_out_scalar(struct emit *e)
{
	if (QD_UNLIKELY(e->needs))
		gen_put_waits(e);
	e->clock++;
	return &e->o;
}

/* -- operand.c --------------------------------------------------------------------------- */

/* Returns word w of value v as a source for either unit. */
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
/* Returns s in a vector register; gen_scalar returns it in a scalar register or as a constant. */
struct src gen_vector_of(struct emit *e, struct src s);
static inline struct src
gen_vector(struct emit *e, struct src s)
{
	return QD_LIKELY(src_is_v(s)) ? s : gen_vector_of(e, s);
}
struct src gen_scalar(struct emit *e, struct src s);
/* Returns a bool as a mask of lanes: its first scalar register, or a constant. */
struct src gen_mask(struct emit *e, uint32_t v);
/* Returns the mask like gen_mask; if it must be computed, computes it in dst. */
struct src gen_mask_in(struct emit *e, uint32_t v, uint32_t dst);
/* Returns true and the value if v is a constant. */
static inline bool
gen_known(const struct emit *e, uint32_t v, uint64_t *bits)
{
	const struct ins *s = gen_ins(e, v);

	if (!v || s->op != OP_CONST)
		return false;
	*bits = const_bits(s);
	return true;
}
/* Returns true if v is a constant or is in scalar registers. */
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
/* Strips fused NEG and ABS from v and adds them to the modifiers of source `bit`. */
uint32_t gen_without_signs_of(const struct emit *e, uint32_t v, unsigned bit, uint32_t *signs);
static inline uint32_t
gen_without_signs(const struct emit *e, uint32_t v, unsigned bit, uint32_t *signs)
{
	return QD_LIKELY(!gen_is_fused(e, v)) ? v : gen_without_signs_of(e, v, bit, signs);
}
/* Returns true if i is uniform and all its operands are scalar. */
bool gen_on_scalar(const struct emit *e, uint32_t i);

/* -- select.c -------------------------------------------------------------------------------- */

static inline enum gcn_row_id
gen_row(const struct emit *e, enum gcn_op op)
{
	return gcn_row_in(e->rows, op);
}
/* An operation's encodings. */
struct vop {
	uint16_t e32, e64, rev; /* VOP1/VOP2 and VOP3 rows; rev: e32 with the operands exchanged, the
				 * same row if commutative; 0: none */
	uint16_t none; /* padding, so that the struct fits in one register */
};
#define VOP(id)	    ((struct vop)SHORT(id))
#define VOP_C(id)   ((struct vop)SWAPS(id))
#define VOP_3(id)   ((struct vop)LONG(id))
/* Initializers of a struct vop. BACK: exchanging the operands changes the operation. */
#define SHORT(id)      { GCN_OP_##id, GCN_OP_##id##_e64, 0, 0 }
#define SWAPS(id)      { GCN_OP_##id, GCN_OP_##id##_e64, GCN_OP_##id, 0 }
#define BACK(id, back) { GCN_OP_##id, GCN_OP_##id##_e64, GCN_OP_##back, 0 }
#define LONG(id)       { 0, GCN_OP_##id, 0, 0 }

void put_sop1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a);
void put_sop2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b);
void put_sopc(struct emit *e, enum gcn_op op, struct src a, struct src b);
void put_sopp(struct emit *e, enum gcn_op op, uint16_t imm);
/* Emit an operation on masks of lanes: op32 or op64, by wave size. */
void put_mask1(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a);
void put_mask2(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a,
	       struct src b);
/* Sets dst to a constant mask; bit n is lane n. */
void put_lanes(struct emit *e, uint32_t dst, uint64_t mask);
/* save = exec, exec &= m */
void put_saveexec(struct emit *e, uint32_t save, struct src m);
void put_v1(struct emit *e, struct vop op, uint32_t dst, struct src a);
/* Emits the long encoding. a is a register. */
void put_v1_long(struct emit *e, struct vop op, uint32_t dst, struct src a);
/* Emits a reciprocal or root whose result the next instruction may read. */
void put_slow(struct emit *e, struct vop op, uint32_t dst, struct src a);
void put_v2(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b);
void put_v2m(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b,
	     uint32_t signs);
void put_v3(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c);
/* Emits a dot product of bytes. neg: neg_lo. */
void put_dot(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
	     uint32_t neg);
void put_v3m(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b,
	     struct src c, uint32_t signs);
/* Emits a comparison. dst is a mask register; vcc allows the short encoding. */
void put_cmp(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b,
	     uint32_t signs);
/* Emits a comparison that deactivates the lanes for which it is false. */
void put_cmpx(struct emit *e, struct vop op, struct src a, struct src b, uint32_t signs);
/* dst = mask ? yes : no */
void put_choose(struct emit *e, uint32_t dst, struct src no, struct src yes, struct src mask);
void put_dpp1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, const struct gcn_dpp *d);
void put_dpp2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b,
	      const struct gcn_dpp *d);
void put_mov_v(struct emit *e, uint32_t dst, struct src a);
void put_mov_s(struct emit *e, uint32_t dst, struct src a);
/* Moves two words to a register pair. */
void put_mov_pair(struct emit *e, uint32_t dst, struct src lo, struct src hi);
/* Copies a value to a location of any kind. */
void put_move(struct emit *e, struct gen_loc to, uint32_t v);
void put_readlane(struct emit *e, uint32_t dst, struct src v, struct src lane);
/* Writes one lane of dst. */
void put_writelane(struct emit *e, uint32_t dst, struct src a, uint32_t lane);
void put_readfirst(struct emit *e, uint32_t dst, struct src v);

/* -- alu.c -------------------------------------------------------------------------------- */

void gen_emit_alu(struct emit *e, uint32_t i);
/* Returns the short encoding of a binary operation, or 0 if there is none. */
uint16_t gen_short_of(enum op op, qd_type type);
bool gen_has_alu(const struct gen_target *t, enum op op, qd_type type, qd_type to);
/* Evaluates a condition for a branch and returns where it is: in scc, or in vcc. `not` is set if
 * the condition is inverted. */
enum gen_cond { COND_SCC, COND_VCC };
enum gen_cond gen_branch_cond(struct emit *e, uint32_t v, bool *not);
/* Emits exec &= v, or exec &= ~v, if one instruction can. Otherwise returns false. */
bool gen_compare_to_exec(struct emit *e, uint32_t v, bool inverse);

/* -- divide.c ------------------------------------------------------------------------------ */

void gen_emit_quotient(struct emit *e, uint32_t i), gen_emit_root(struct emit *e, uint32_t i);

/* -- alu64.c: 64-bit arithmetic ------------------------------------------------------------- */

bool gen_has_wide(enum op op, qd_type type, qd_type to);
void gen_emit_wide(struct emit *e, uint32_t i);
/* Returns the first register of v, or a constant, as a 64-bit source; gen_wide_vector returns it in
 * vector registers. */
struct src gen_wide(struct emit *e, uint32_t v, bool is_float);
struct src gen_wide_vector(struct emit *e, struct src s);
/* Emits an instruction with 64-bit sources. Absent sources are GCN_OFF. */
void gen_put_wide(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
		  uint32_t signs);
void gen_emit_divide_wide(struct emit *e, uint32_t i), gen_emit_root_wide(struct emit *e, uint32_t i);
/* Combine two pairs of vector registers into one. dst may be either; a may be scalar. */
bool gen_has_combine_wide(enum op op, qd_type type);
void gen_combine_wide(struct emit *e, enum op op, qd_type type, uint32_t dst, struct src a, struct src b);
/* Replaces v, in the given lanes only, with the minimum or maximum of v and t, 64-bit integers. */
void gen_order_in(struct emit *e, enum op op, qd_type type, uint32_t v, struct src t, uint64_t lanes);
void gen_compare_wide(struct emit *e, uint32_t i, uint32_t dst, bool inverse);

/* -- memory.c ------------------------------------------------------------------------------ */

void gen_emit_load(struct emit *e, uint32_t i), gen_emit_store(struct emit *e, uint32_t i);
void gen_emit_atomic(struct emit *e, uint32_t i);
void gen_emit_fence(struct emit *e, uint32_t i), gen_emit_barrier(struct emit *e, uint32_t i);
bool gen_has_atomic(enum op op, qd_type t);

/* -- pair.c --------------------------------------------------------------------------------- */

/* Emits load i of a shared array with another load, if one can join it. Otherwise returns false. */
bool gen_emit_pair(struct emit *e, uint32_t i);

/* -- uniform.c ------------------------------------------------------------------------------ */

/* Emits load i with the loads of its group, if it has one. Otherwise returns false. */
bool gen_emit_uniform(struct emit *e, uint32_t i);
/* Emits the late parts of groups, to which only branches lead. */
void gen_put_late(struct emit *e);

/* -- cross.c --------------------------------------------------------------------------------- */

void gen_emit_move(struct emit *e, uint32_t i), gen_emit_pattern(struct emit *e, uint32_t i);
void gen_emit_ballot(struct emit *e, uint32_t i);
/* Emits a select fused with the pattern of the next lane; the selected alternative applies to the
 * first lane. */
void gen_emit_next(struct emit *e, uint32_t i);
/* Returns true if shuffles need one word of LDS for each thread. */
bool gen_needs_lds(const struct emit *e);

/* -- scan.c ---------------------------------------------------------------------------------- */

bool gen_has_scan(const struct query *q);
void gen_emit_scan(struct emit *e, uint32_t i);
bool gen_has_reduce(const struct gen_target *t, const struct query *q);
void gen_emit_reduce(struct emit *e, uint32_t i);

/* -- scan64.c: 64-bit scans ---------------------------------------------------------------- */

bool gen_has_scan_wide(enum op op, qd_type type, uint32_t log2_size);
void gen_emit_scan_wide(struct emit *e, uint32_t i, uint32_t log2_size);
void gen_emit_reduce_wide(struct emit *e, uint32_t i);

/* -- prologue.c ------------------------------------------------------------------------------ */

void gen_prologue(struct emit *e);
/* Returns a word of the argument block; gen_descriptor returns the registers of a buffer's
 * descriptor. */
struct src gen_arg(struct emit *e, uint32_t word);
uint32_t gen_descriptor(struct emit *e, uint32_t mem);

/* Emits the whole body, including its end. */
qd_status gen_emit_words(struct emit *e, uint32_t *words, size_t cap, size_t *n);

/* -- image.c --------------------------------------------------------------------------------- */

enum { GEN_CODE_AT = AMD_CODE_ALIGN }; /* offset of the code in the image, in bytes */

qd_status gen_emit_isa(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
		       struct qd_error *err);

/* -- target.c -------------------------------------------------------------------------------- */

extern const struct gen_target gen_targets[]; /* indexed by machine.features */

#include "wait_state.h"

#endif
