/* Instructions as calls of a few nanoseconds: gcn_vop2(o, GCN_v_add_f32, gcn_v(1), gcn_s(2), gcn_v(3)).
 * The caller owns the buffer of words. Errors set `bad` without a branch: an opcode that the
 * target does not have, a scalar register in place of a vector register, an offset out of
 * range, a literal without a value, a modifier or a cache policy that the format does not
 * have, a full buffer. gcn_out_end reports the error after the last call; without NDEBUG it
 * also runs gcn_encode's strict checker on every word.
 *
 * Operands have the hardware's source numbers: gcn_s(n), constants (gcn_inline), gcn_v(n), and
 * gcn_acc(n) for accumulation registers. Only gcn_literal may produce GCN_LITERAL. GCN_OFF
 * means no operand. */
#ifndef AMDGCN_CALL_H
#define AMDGCN_CALL_H

#include "gcn.h"

enum { GCN_OFF = 0xffff }; /* no such register */

/* Bits of gcn_out.bad. */
enum {
	GCN_BAD_FIELD = 1, GCN_BAD_ROOM = 2, GCN_BAD_LITERAL = 4,
	GCN_BAD_FAR = 8, GCN_BAD_TWICE = 16 /* of labels */
};

struct gcn_out {
	uint32_t *at, *full; /* at or after `full` the longest instruction may not fit */
	const uint16_t *op;   /* the target's gcn_call_page */
	uint32_t literal;     /* of the next instruction */
	uint8_t pending;      /* 1: literal is set; 3: set to two different values */
	uint8_t bad;
	uint8_t gen;	      /* enum gcn_gen */
	uint8_t no_acc;	      /* 1: there are no accumulation registers */
	uint16_t wrong;	      /* row of the first bad instruction */
	uint32_t waiting;     /* labels used but not placed yet */
	const struct gcn_target *target;
	uint32_t *begin;
	uint32_t *code_end;   /* data follows; NULL: all words are code */
	uint32_t spare[2 * GCN_MAX_WORDS]; /* receives the words after the buffer is full */
};

/* Set `bad`: the buffer is full, or the target has no such instruction. */
QD_COLD void gcn_no_room(struct gcn_out *o, enum gcn_row_id row);
QD_COLD void gcn_no_row(struct gcn_out *o, enum gcn_row_id row);
/* Starts output to `words`; the last GCN_MAX_WORDS - 1 of the cap words may stay unused. */
void gcn_out_init(struct gcn_out *o, const struct gcn_target *t, uint32_t *words, size_t cap);
/* Stores the number of words in *n, or reports the first error. */
qd_status gcn_out_end(struct gcn_out *o, size_t *n, struct qd_error *err);
/* Runs the strict checker on the words; an error contains the offset of the word. */
qd_status gcn_words_check(const struct gcn_target *t, const uint32_t *words, size_t n,
			  struct qd_error *err);

static inline uint32_t
gcn_acc(unsigned n)
{
	return GCN_ACC + n;
}

static inline uint32_t
gcn_s(unsigned n)
{
	return n;
}

/* Returns a source for this constant; all literals of one instruction must be equal. */
static inline uint32_t
gcn_literal(struct gcn_out *o, uint32_t value)
{
	o->pending |= o->pending && o->literal != value ? 3 : 1;
	o->literal = value;
	return GCN_LITERAL;
}

/* Returns the number of the inline constant with these 32 bits, integer or float, or 0 (the
 * number of s0) if the value needs a literal. */
uint32_t gcn_inline(uint32_t bits);

/* Emits any instruction from its fields; the opcode is that of the row. */
void gcn_put(struct gcn_out *o, const struct gcn_insn *in);

/* -- Scalar -------------------------------------------------------------------------- */

void gcn_sop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src);
void gcn_sop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1);
void gcn_sopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1);
void gcn_sopk(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint16_t imm);
void gcn_sopp(struct gcn_out *o, enum gcn_row_id row, uint16_t imm);
/* Returns the immediate of s_waitcnt, which waits until each counter is at most the given
 * value; GCN_ANY does not wait for a counter. gfx12 has one instruction per counter, whose
 * immediate is the value. */
enum { GCN_ANY = 0xffff };
uint16_t gcn_wait_simm(const struct gcn_target *t, unsigned vm, unsigned exp, unsigned lgkm);
/* Returns the immediate of s_delay_alu (gfx11 and later). first: dependency of the next
 * instruction. skip: distance from it to a second instruction (1: the one after it). second:
 * dependency of that. */
enum {
	GCN_DEP_NONE = 0,
	GCN_DEP_VALU = 0, /* plus 1 to 4: number of vector instructions back */
	GCN_DEP_TRANS = 4, /* plus 1 to 3: number of transcendental instructions back */
	GCN_DEP_SALU = 8 /* plus 1 to 3: cycles of a scalar instruction */
};
uint16_t gcn_delay_simm(const struct gcn_target *t, unsigned first, unsigned skip, unsigned second);
/* Emits a scalar load or store. base is the first of two or four registers; offset is in
 * bytes; soffset is a scalar register to add, or GCN_OFF. */
void gcn_smem(struct gcn_out *o, enum gcn_row_id row, uint32_t data, uint32_t base, int32_t offset,
	      uint32_t soffset, uint32_t policy);

/* -- Vector ---------------------------------------------------------------------------- */

/* Modifiers, one bit per source; bit 3 of op_sel is the destination's. In packed
 * instructions neg is neg_lo and abs is neg_hi. */
struct gcn_mods {
	uint8_t neg, abs, op_sel, op_sel_hi, omod;
	bool clamp;
};

void gcn_vop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src);
void gcn_vop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1);
/* Emits v_madmk, v_fmaak and similar, whose text contains a constant. */
void gcn_vop2k(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t constant);
/* Emits a comparison that writes vcc; v_cmpx writes exec. */
void gcn_vopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1);
/* A source that the instruction does not have is GCN_OFF. */
void gcn_vop3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2);
void gcn_vop3m(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t src2, struct gcn_mods m);
/* Emits an instruction with a scalar destination: comparisons, v_readlane. The mask of
 * v_cmpx is 126 (exec). */
void gcn_vop3s(struct gcn_out *o, enum gcn_row_id row, uint32_t mask, uint32_t src0, uint32_t src1,
	       struct gcn_mods m);
/* Emits arithmetic that also writes a carry or a mask to scalar registers. */
void gcn_vop3b(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t mask, uint32_t src0,
	       uint32_t src1, uint32_t src2, struct gcn_mods m);
/* Emits a packed instruction with m.op_sel_hi as given; the text omits the default, 7. */
void gcn_vop3p(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t src2, struct gcn_mods m);
/* Modifiers of CDNA matrix instructions. A destination or addend in accumulation registers
 * is gcn_acc(n). */
struct gcn_mfma {
	uint8_t cbsz, abid, blgp;
};
void gcn_mfma(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2, struct gcn_mfma m);

/* Half of a dual instruction. src1 of v_dual_mov_b32 must be gcn_v(0). All literals of both
 * halves, and the constants in their text, must be equal. */
struct gcn_half {
	enum gcn_row_id row;
	uint32_t dst, src0, src1;
};
void gcn_vopd(struct gcn_out *o, struct gcn_half x, struct gcn_half y);

/* Lane pattern of the first source: ctrl as the ISA guides number it (0 to 0xff quad_perm,
 * 0x111 row_shr:1 ...), and the rows and banks of four lanes that are written. With
 * bound_ctrl, lanes without a source read 0; without it, they are not written. With
 * fetch_inactive (gfx10 and later), inactive lanes supply their value too. */
struct gcn_dpp {
	uint16_t ctrl;
	uint8_t row_mask, bank_mask;
	bool bound_ctrl, fetch_inactive;
	uint8_t neg, abs; /* of VOP1, VOP2, VOPC */
};
void gcn_dpp1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, struct gcn_dpp d);
void gcn_dpp2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      struct gcn_dpp d);
/* Emits VOP3 with a pattern (gfx11 and later). The modifiers are in m; d.neg and d.abs must
 * be 0. */
void gcn_dpp3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2, struct gcn_mods m, struct gcn_dpp d);
/* Lane i of each group of eight reads lane from[i]. src1 may be GCN_OFF. */
void gcn_dpp8(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      const uint8_t from[8], bool fetch_inactive);

/* -- Memory ------------------------------------------------------------------------------ */

/* Cache policies: glc to scc before gfx12, th and scope on gfx12. On all generations
 * GCN_RETURN makes an atomic return the old value. */
enum {
	GCN_GLC = 1, GCN_SLC = 2, GCN_DLC = 4, GCN_SCC = 8, GCN_NV = 16,
	GCN_TH = 1 << 8 /* times 0 to 7 */, GCN_SCOPE = 1 << 12 /* times 0 to 3 */,
	GCN_RETURN = 1 << 16
};

/* Emits an LDS instruction; an operand that it does not have is GCN_OFF. If it has two
 * offsets, the second is the upper byte. */
void gcn_ds(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t addr, uint32_t data0,
	    uint32_t data1, uint16_t offset);

/* Operands of a flat, global or scratch instruction. dst, addr and data are the first
 * register of a tuple; an operand that the instruction does not have is GCN_OFF. */
struct gcn_mem {
	uint32_t dst, addr, data;
	uint32_t base;	/* a pair of scalar registers; scratch: one */
	int32_t offset; /* bytes */
	uint32_t policy;
};
void gcn_flat(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
void gcn_global(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
void gcn_scratch(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
/* Operands of a buffer instruction; data is the destination, the source, or both. */
struct gcn_buf {
	uint32_t data, addr;
	uint32_t rsrc;	  /* four scalar registers */
	uint32_t soffset; /* scalar register or constant */
	uint32_t offset;  /* bytes */
	bool offen, idxen; /* addr contains an offset, an index */
	uint32_t policy;
};
void gcn_mubuf(struct gcn_out *o, enum gcn_row_id row, struct gcn_buf m);

#endif
