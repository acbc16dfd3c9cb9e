/* Instructions as calls of a few nanoseconds: gcn_vop2(o, GCN_v_add_f32, gcn_v(1), gcn_s(2), gcn_v(3)).
 * Words go to a buffer of the caller.  What does not fit sets `bad` without a branch: an
 * opcode that the target has not, a scalar register where a vector register is wanted, an
 * offset out of range, a literal without a value, a modifier or a cache policy that the
 * format has not, no room.  gcn_out_end tells it once, behind the last call; where it is
 * not defined NDEBUG it also lets the strict checker (gcn_encode's) read every word.
 *
 * Operands are numbered as hardware numbers sources: gcn_s(n), constants (gcn_inline), gcn_v(n),
 * gcn_acc(n) for accumulation registers; GCN_LITERAL by gcn_literal alone; GCN_OFF is none. */
#ifndef AMDGCN_CALL_H
#define AMDGCN_CALL_H

#include "gcn.h"

enum { GCN_OFF = 0xffff }; /* no such register */

/* Why something is bad; bits of gcn_out.bad. */
enum {
	GCN_BAD_FIELD = 1, GCN_BAD_ROOM = 2, GCN_BAD_LITERAL = 4,
	GCN_BAD_FAR = 8, GCN_BAD_TWICE = 16 /* of labels */
};

struct gcn_out {
	uint32_t *at, *full; /* from `full` on there may be no room for another */
	const uint16_t *op;   /* the target's opcode of each row */
	uint32_t literal;     /* of the next instruction */
	uint8_t pending;      /* 1: there is one; 3: two that differ */
	uint8_t bad;
	uint8_t gen;	      /* enum gcn_gen */
	uint8_t no_acc;	      /* 1: there are no accumulation registers */
	uint16_t wrong;	      /* row of the first instruction that is bad */
	uint32_t waiting;     /* labels that are used and not placed */
	const struct gcn_target *target;
	uint32_t *begin;
	uint32_t spare[2 * GCN_MAX_WORDS]; /* where words go for which there is no room */
};

/* What sets `bad` where there is no room, or where the target has no such instruction. */
QD_COLD void gcn_no_room(struct gcn_out *o, enum gcn_row_id row);
QD_COLD void gcn_no_row(struct gcn_out *o, enum gcn_row_id row);
/* Room for cap words; the last GCN_MAX_WORDS - 1 of them may stay unused. */
void gcn_out_init(struct gcn_out *o, const struct gcn_target *t, uint32_t *words, size_t cap);
/* The number of words, or what was bad: QD_E_LIMIT for no room, else QD_E_TARGET. */
qd_status gcn_out_end(struct gcn_out *o, size_t *n, struct qd_error *err);
/* What the strict checker has against these words, with their offset. */
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

/* A source that is this constant; of several in one instruction all must be the same. */
static inline uint32_t
gcn_literal(struct gcn_out *o, uint32_t value)
{
	o->pending |= o->pending && o->literal != value ? 3 : 1;
	o->literal = value;
	return GCN_LITERAL;
}

/* The number of an inline constant of 32 bits, as an integer or as a float's bits; 0 (which
 * is s0) where there is none: then it takes a literal. */
uint32_t gcn_inline(uint32_t bits);
/* May sources of this format be literals here?  Sources that may be scalar in one vector
 * instruction: the same register twice, or a literal, counts once. */
bool gcn_literal_ok(const struct gcn_target *t, enum gcn_format format);
unsigned gcn_bus_limit(const struct gcn_target *t, enum gcn_format format);

/* An instruction as its fields, whatever it is; the row decides the opcode. */
void gcn_put(struct gcn_out *o, const struct gcn_insn *in);

/* -- Scalar -------------------------------------------------------------------------- */

void gcn_sop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src);
void gcn_sop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1);
void gcn_sopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1);
void gcn_sopk(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint16_t imm);
void gcn_sopp(struct gcn_out *o, enum gcn_row_id row, uint16_t imm);
/* The immediate of s_waitcnt: at most so many outstanding; GCN_ANY waits for none of them.
 * gfx12 has an instruction for each counter, whose immediate is the number. */
enum { GCN_ANY = 0xffff };
uint16_t gcn_wait_simm(const struct gcn_target *t, unsigned vm, unsigned exp, unsigned lgkm);
/* That of s_delay_alu (gfx11 on): what the next instruction depends on, how many
 * instructions lie between that and the one that the second is about (1: it is the next
 * one), and what that depends on. */
enum {
	GCN_DEP_NONE = 0,
	GCN_DEP_VALU = 0, /* plus 1 to 4: so many vector instructions ago */
	GCN_DEP_TRANS = 4, /* plus 1 to 3: so many transcendental ones */
	GCN_DEP_SALU = 8 /* plus 1 to 3: cycles of a scalar one */
};
uint16_t gcn_delay_simm(const struct gcn_target *t, unsigned first, unsigned skip, unsigned second);
/* Loads and stores: base is the first of a pair or four, offset in bytes; soffset a scalar
 * register that is added, or GCN_OFF. */
void gcn_smem(struct gcn_out *o, enum gcn_row_id row, uint32_t data, uint32_t base, int32_t offset,
	      uint32_t soffset, uint32_t policy);

/* -- Vector ---------------------------------------------------------------------------- */

/* A bit for each source, the fourth of op_sel for the destination.  Packed instructions: neg
 * is neg_lo, abs neg_hi. */
struct gcn_mods {
	uint8_t neg, abs, op_sel, op_sel_hi, omod;
	bool clamp;
};

void gcn_vop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src);
void gcn_vop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1);
/* With the constant that stands behind: v_madmk and v_fmaak have it in their text. */
void gcn_vop2k(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t constant);
/* A comparison to vcc (to exec where the name says so). */
void gcn_vopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1);
/* Sources that the instruction does not have are GCN_OFF. */
void gcn_vop3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2);
void gcn_vop3m(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t src2, struct gcn_mods m);
/* To a scalar register: comparisons, v_readlane; mask 126 (exec) for v_cmpx. */
void gcn_vop3s(struct gcn_out *o, enum gcn_row_id row, uint32_t mask, uint32_t src0, uint32_t src1,
	       struct gcn_mods m);
/* Arithmetic with a carry or a mask written to scalar registers besides. */
void gcn_vop3b(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t mask, uint32_t src0,
	       uint32_t src1, uint32_t src2, struct gcn_mods m);
/* Packed: m.op_sel_hi is taken as it is; 7 is what the text shows nothing of. */
void gcn_vop3p(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t src2, struct gcn_mods m);
/* Matrices of CDNA; a destination or an addend of accumulation registers is gcn_acc(n). */
struct gcn_mfma {
	uint8_t cbsz, abid, blgp;
};
void gcn_mfma(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2, struct gcn_mfma m);

/* Two at once.  The second source of v_dual_mov_b32, which has none, is gcn_v(0); the constant
 * of a half that has one in its text, and literals, must be one and the same. */
struct gcn_half {
	enum gcn_row_id row;
	uint32_t dst, src0, src1;
};
void gcn_vopd(struct gcn_out *o, struct gcn_half x, struct gcn_half y);

/* A lane pattern for the first source: ctrl as the manuals number them (0 to 0xff
 * quad_perm, 0x111 row_shr:1 ...), the rows and the banks of four lanes that are
 * written.  bound_ctrl: lanes without a source read 0; without it they are not
 * written.  fetch_inactive (gfx10 and up): lanes that are switched off give
 * their value too. */
struct gcn_dpp {
	uint16_t ctrl;
	uint8_t row_mask, bank_mask;
	bool bound_ctrl, fetch_inactive;
	uint8_t neg, abs; /* of VOP1, VOP2, VOPC */
};
void gcn_dpp1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, struct gcn_dpp d);
void gcn_dpp2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      struct gcn_dpp d);
/* VOP3 with a pattern (gfx11 and up); modifiers stand in m. */
void gcn_dpp3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2, struct gcn_mods m, struct gcn_dpp d);
/* Lane i of each eight reads lane from[i]; GCN_OFF for src1 where there is none. */
void gcn_dpp8(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      const uint8_t from[8], bool fetch_inactive);

/* -- Memory ------------------------------------------------------------------------------ */

/* Cache policies: bits that the generation has, glc to scc below gfx12, there th and scope;
 * GCN_RETURN is what makes an atomic give back the value before, on each. */
enum {
	GCN_GLC = 1, GCN_SLC = 2, GCN_DLC = 4, GCN_SCC = 8, GCN_NV = 16,
	GCN_TH = 1 << 8 /* times 0 to 7 */, GCN_SCOPE = 1 << 12 /* times 0 to 3 */,
	GCN_RETURN = 1 << 16
};

/* LDS: what the instruction does not have is GCN_OFF.  Of two offsets the second is the
 * upper byte. */
void gcn_ds(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t addr, uint32_t data0,
	    uint32_t data1, uint16_t offset);

/* Registers first to last, GCN_OFF for what is not there. */
struct gcn_mem {
	uint32_t dst, addr, data;
	uint32_t base;	/* a pair of scalar registers; scratch: one */
	int32_t offset; /* bytes */
	uint32_t policy;
};
void gcn_flat(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
void gcn_global(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
void gcn_scratch(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m);
/* data is loaded, stored, or both. */
struct gcn_buf {
	uint32_t data, addr;
	uint32_t rsrc;	  /* four scalar registers */
	uint32_t soffset; /* scalar register or constant */
	uint32_t offset;  /* bytes */
	bool offen, idxen; /* what addr holds */
	uint32_t policy;
};
void gcn_mubuf(struct gcn_out *o, enum gcn_row_id row, struct gcn_buf m);

#endif
