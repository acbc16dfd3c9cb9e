/* Instructions as calls: gcn_vop2(a, GCN_v_add_f32, v(1), s(2), v(3)).  Words go
 * to a buffer of the caller; the first refusal sticks and later calls do
 * nothing, so that straight lines are checked once, at the end. */
#ifndef AMDGCN_CALL_H
#define AMDGCN_CALL_H

#include "gcn.h"

struct gcn_asm {
	const struct gcn_target *target;
	uint32_t *at, *end;
	qd_status status;
	struct qd_error *err; /* may be NULL */
};

static inline uint32_t
v(unsigned n)
{
	return 256 + n;
}

static inline uint32_t
s(unsigned n)
{
	return n;
}

static inline void
gcn_put(struct gcn_asm *a, const struct gcn_insn *in)
{
	uint32_t w[GCN_MAX_WORDS];
	int n = 0;

	if (a->status)
		return;
	a->status = gcn_encode(a->target, in, w, &n, a->err);
	if (!a->status && a->end - a->at < n)
		a->status = qd_fail(a->err, QD_E_LIMIT, "gcn_put: the buffer is full");
	if (a->status)
		return;
	memcpy(a->at, w, (size_t)n * 4);
	a->at += n;
}

/* The row of this target that has the name of `row`. */
static inline struct gcn_insn
gcn_start(const struct gcn_asm *a, enum gcn_row_id row)
{
	unsigned on = gcn_row_on(a->target, row);
	struct gcn_insn in = { .row = (uint16_t)(on == GCN_N_ROW ? (unsigned)row : on) };

	return in;
}

static inline void
gcn_sop1(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_SDST] = dst;
	in.field[F_SSRC0] = src;
	gcn_put(a, &in);
}

static inline void
gcn_sop2(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_SDST] = dst;
	in.field[F_SSRC0] = src0;
	in.field[F_SSRC1] = src1;
	gcn_put(a, &in);
}

static inline void
gcn_sopc(struct gcn_asm *a, enum gcn_row_id row, uint32_t src0, uint32_t src1)
{
	gcn_sop2(a, row, 0, src0, src1);
}

static inline void
gcn_sopk(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint16_t imm)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_SDST] = dst;
	in.field[F_SIMM] = imm;
	gcn_put(a, &in);
}

static inline void
gcn_sopp(struct gcn_asm *a, enum gcn_row_id row, uint16_t imm)
{
	gcn_sopk(a, row, 0, imm);
}

static inline void
gcn_vop1(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_VDST] = dst & 255;
	in.field[F_SRC0] = src;
	gcn_put(a, &in);
}

static inline void
gcn_vop2(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_VDST] = dst & 255;
	in.field[F_SRC0] = src0;
	in.field[F_VSRC1] = src1 - 256; /* a scalar here does not fit and is refused */
	gcn_put(a, &in);
}

static inline void
gcn_vop3(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 uint32_t src2)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_VDST] = dst & 255;
	in.field[F_SRC0] = src0;
	in.field[F_SRC1] = src1;
	in.field[F_SRC2] = src2;
	gcn_put(a, &in);
}

/* Two at once.  A literal of either half is the one behind both; the second
 * source of v_dual_mov_b32, which has none, is v(0). */
struct gcn_half {
	enum gcn_row_id row;
	uint32_t dst, src0, src1;
};

static inline void
gcn_vopd(struct gcn_asm *a, struct gcn_half x, struct gcn_half y, uint32_t literal)
{
	struct gcn_insn in = gcn_start(a, x.row), second = gcn_start(a, y.row);

	if (a->status)
		return;
	if (!((x.dst ^ y.dst) & 1)) {
		a->status = qd_fail(a->err, QD_E_TARGET, "gcn_vopd: one destination must be even, the other odd");
		return;
	}
	in.field[F_VDST] = x.dst & 255;
	in.field[F_SRC0] = x.src0;
	in.field[F_VSRC1] = x.src1 - 256;
	in.field[F_OPY] = gcn_opcode(a->target, second.row);
	in.field[F_Y_VDST] = (y.dst & 255) >> 1;
	in.field[F_Y_SRC0] = y.src0;
	in.field[F_Y_VSRC1] = y.src1 - 256;
	in.field[F_LIT] = literal;
	gcn_put(a, &in);
}

/* Packed instructions: op_sel_hi takes the high halves for the high result. */
static inline void
gcn_vop3p(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	  uint32_t src2)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_VDST] = dst & 255;
	in.field[F_SRC0] = src0;
	in.field[F_SRC1] = src1;
	in.field[F_SRC2] = src2;
	gcn_set_op_sel_hi(&in, 7);
	gcn_put(a, &in);
}

/* -- The rest stands in call.c -------------------------------------------------- */

enum { GCN_OFF = 0xffff }; /* no such register */

/* A comparison to vcc (to exec where the name says so). */
void gcn_vopc(struct gcn_asm *a, enum gcn_row_id row, uint32_t src0, uint32_t src1);
/* Arithmetic with a carry or a mask written to scalar registers. */
void gcn_vop3b(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t mask, uint32_t src0,
	       uint32_t src1, uint32_t src2);

/* A lane pattern for the first source: ctrl as the manuals number them (0 to 0xff
 * quad_perm, 0x111 row_shr:1 ...), the rows and the banks of four lanes that are
 * written.  bound_ctrl: lanes without a source read 0; without it they are not
 * written.  fetch_inactive (gfx10 and up): lanes that are switched off give
 * their value too. */
struct gcn_dpp {
	uint16_t ctrl;
	uint8_t row_mask, bank_mask;
	bool bound_ctrl, fetch_inactive;
};
/* src1 and src2 as far as the instruction has them. */
void gcn_dpp16(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	       uint32_t src2, struct gcn_dpp lanes);
/* Lane i of each eight reads lane from[i]. */
void gcn_dpp8(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	      uint32_t src2, const uint8_t from[8]);

/* Scalar loads and stores: offset in bytes. */
void gcn_smem(struct gcn_asm *a, enum gcn_row_id row, uint32_t data, uint32_t base, int32_t offset);
/* LDS: what the instruction does not have is GCN_OFF.  Of two offsets the second
 * is the upper byte. */
void gcn_ds(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t addr, uint32_t data0,
	    uint32_t data1, uint16_t offset);

/* Vector memory; registers first to last, GCN_OFF for what is not there.  An
 * atomic with a dst gives back the value before. */
struct gcn_mem {
	uint32_t dst, addr, data;
	uint32_t base;	/* flat: GCN_OFF; buffers: four scalar registers */
	int32_t offset; /* bytes */
	/* of buffers */
	uint32_t soffset; /* scalar register or inline constant */
	bool offen, idxen; /* what addr holds */
};
/* FLAT, GLOBAL, SCRATCH, MUBUF. */
void gcn_vmem(struct gcn_asm *a, enum gcn_row_id row, struct gcn_mem m);

#endif
