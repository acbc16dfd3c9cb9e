/* Instruction selection: the shorter encoding if the operands allow it, and registers in place of
 * constants if the operands require them. */
#include "word.h"
#include "table.h"

/* -- Scalar ---------------------------------------------------------------------------------- */

/* Returns b, moved to a register if a and b are different literals: an instruction has one at most. */
static struct src
one_literal(struct emit *e, struct src a, struct src b)
{
	uint32_t reg;

	if (a.n != GCN_LITERAL || b.n != GCN_LITERAL || a.bits == b.bits)
		return b;
	reg = gen_temp_s(e, 1);
	put_mov_s(e, reg, b);
	return src_of(reg);
}

/* Returns the output. A pending write to exec is emitted first if the instruction accesses exec. */
static inline struct gcn_out *
scalar_out(struct emit *e, uint32_t dst, struct src a, struct src b)
{
	if (QD_UNLIKELY(e->stale) && (dst == SRC_EXEC || a.n == SRC_EXEC || b.n == SRC_EXEC))
		gen_emit_pending(e);
	return gen_out_scalar(e);
}

/* Returns the register that scc describes after the instruction, or REG_NONE. */
static uint16_t
scc_says(enum gcn_op op, uint32_t dst)
{
	switch (op) {
	case GCN_OP_s_and_b32:
	case GCN_OP_s_or_b32:
	case GCN_OP_s_xor_b32:
	case GCN_OP_s_andn2_b32: return (uint16_t)dst;
	default: return REG_NONE;
	}
}

void
put_sop1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a)
{
	e->scc_of = REG_NONE;
	gen_salu_reads(e, a);
	gen_salu_writes(e, dst);
	if (dst == SRC_EXEC && a.n != SRC_EXEC)
		e->stale = false;
	struct gcn_out *o = scalar_out(e, dst, a, a);
	word_put_sources(o, GCN_SOP1, gen_row(e, op), GCN_SOP1, (struct gcn_fields){ .SDST = dst, .SSRC0 = a.n }, a,
			 none);
	if (dst == SRC_EXEC)
		gen_exec_written(e);
}

void
put_sop2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b)
{
	b = one_literal(e, a, b);
	if (QD_UNLIKELY(e->keeps)) {
		gen_salu_reads(e, a);
		gen_salu_reads(e, b);
		gen_salu_writes(e, dst);
	}
	struct gcn_out *o = scalar_out(e, dst, a, b);
	word_put_sources(o, GCN_SOP2, gen_row(e, op), GCN_SOP2,
			 (struct gcn_fields){ .SDST = dst, .SSRC0 = a.n, .SSRC1 = b.n }, a, b);
	e->scc_of = scc_says(op, dst);
	if (dst == SRC_EXEC)
		gen_exec_written(e);
}

void
put_sopc(struct emit *e, enum gcn_op op, struct src a, struct src b)
{
	b = one_literal(e, a, b);
	gen_salu_reads(e, a);
	gen_salu_reads(e, b);
	struct gcn_out *o = scalar_out(e, 0, a, b);
	word_put_sources(o, GCN_SOPC, gen_row(e, op), GCN_SOPC,
			 (struct gcn_fields){ .SSRC0 = a.n, .SSRC1 = b.n }, a, b);
	e->scc_of = REG_NONE;
}

void
put_sopp(struct emit *e, enum gcn_op op, uint16_t imm)
{
	word_put(gen_out_scalar(e), GCN_SOPP, gen_row(e, op), GCN_SOPP, (struct gcn_fields){ .SIMM = imm });
}

void
put_mask1(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a)
{
	put_sop1(e, e->wave == 64 ? op64 : op32, dst, a);
}

void
put_lanes(struct emit *e, uint32_t dst, uint64_t mask)
{
	uint32_t low = (uint32_t)mask, high = (uint32_t)(mask >> 32);

	put_mov_s(e, dst, gen_const(low));
	if (e->wave == 64)
		put_mov_s(e, dst + 1, low == high ? src_of(dst) : gen_const(high));
}

void
put_saveexec(struct emit *e, uint32_t save, struct src m)
{
	gen_salu_writes(e, SRC_EXEC);
	gen_emit_pending(e);
	put_mask1(e, GCN_OP_s_and_saveexec_b32, GCN_OP_s_and_saveexec_b64, save, m);
	gen_exec_written(e);
}

void
put_mask2(struct emit *e, enum gcn_op op32, enum gcn_op op64, uint32_t dst, struct src a, struct src b)
{
	put_sop2(e, e->wave == 64 ? op64 : op32, dst, a, b);
}

/* -- Limits on vector operands --------------------------------------------------------------- */

static void
fit_bus_now(struct emit *e, struct src *s, uint32_t n, uint32_t extra)
{
	uint32_t used[4], n_used = 0;
	bool literals = e->t->bus > 1;

	if (extra != GCN_OFF)
		used[n_used++] = extra;
	for (uint32_t i = 0; i < n; i++) {
		bool is_literal = s[i].n == GCN_LITERAL, counts = is_literal || src_is_s(s[i]), known = false;
		if (!counts)
			continue;
		uint32_t key = is_literal ? 0x1000 : s[i].n;
		for (uint32_t k = 0; k < n_used; k++)
			known |= used[k] == key;
		bool other = false; /* a second literal */
		for (uint32_t k = 0; is_literal && k < i; k++)
			other |= s[k].n == GCN_LITERAL && s[k].bits != s[i].bits;
		if (known && !other)
			continue;
		if (other || (is_literal && !literals) || n_used == e->t->bus)
			s[i] = gen_vector(e, s[i]);
		else
			used[n_used++] = key;
	}
}

/* Moves scalar sources and literals to vector registers until the others fit the scalar bus limit.
 * A single one always fits, except a literal on targets whose VOP3 has none. */
QD_INLINE void
fit_bus(struct emit *e, struct src *s, uint32_t n, uint32_t extra)
{
	uint32_t counted = extra != GCN_OFF;
	bool literal = false;

	for (uint32_t i = 0; i < n; i++) {
		bool is_literal = s[i].n == GCN_LITERAL;
		counted += src_is_s(s[i]) | is_literal;
		literal |= is_literal;
	}
	if (counted && (counted > 1 || (literal && e->t->bus == 1)))
		fit_bus_now(e, s, n, extra);
}

/* -- Vector formats, with nothing pending ---------------------------------------------------------- */

static inline void
vop1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a)
{
	word_put_sources(gen_out_flushed(e), GCN_VOP1, gen_row(e, op), GCN_VOP1,
			 (struct gcn_fields){ .VDST = dst, .SRC0 = a.n }, a, none);
}

static inline void
vop2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b)
{
	word_put_sources(gen_out_flushed(e), GCN_VOP2, gen_row(e, op), GCN_VOP2,
			 (struct gcn_fields){ .VDST = dst, .SRC0 = a.n, .VSRC1 = b.n - 256u }, a, none);
}

static inline void
vopc(struct emit *e, enum gcn_op op, struct src a, struct src b)
{
	word_put_sources(gen_out_flushed(e), GCN_VOPC, gen_row(e, op), GCN_VOPC,
			 (struct gcn_fields){ .SRC0 = a.n, .VSRC1 = b.n - 256u }, a, none);
}

/* Emits a VOP3 with two or three sources. dst is the field's value: a vector register or a mask,
 * depending on `called`. */
QD_INLINE void
vop3(struct emit *e, enum gcn_op op, uint32_t called, uint32_t dst, const struct src *s, uint32_t n,
     uint32_t signs)
{
	struct src literal = n > 2 && s[2].n == GCN_LITERAL ? s[2] : s[1];

	word_put_sources(gen_out_flushed(e), GCN_VOP3, gen_row(e, op), called,
			 (struct gcn_fields){ .VDST = dst, .SRC0 = s[0].n, .SRC1 = s[1].n,
					      .SRC2 = n > 2 ? s[2].n : 0u, .NEG = gen_mods(signs).neg,
					      .ABS = gen_mods(signs).abs },
			 s[0], literal);
}

/* -- Vector -------------------------------------------------------------------------------------- */

void
put_v1(struct emit *e, struct vop op, uint32_t dst, struct src a)
{
	gen_valu_reads(e, a);
	gen_valu_writes(e, dst, GCN_OFF);
	vop1(e, (enum gcn_op)op.e32, dst, a);
}

void
put_v1_long(struct emit *e, struct vop op, uint32_t dst, struct src a)
{
	const struct src s[] = { a, src_of(0) };

	gen_valu_reads(e, a);
	gen_valu_writes_one(e, dst);
	vop3(e, (enum gcn_op)op.e64, GCN_VOP3, dst, s, 2, 0);
}

void
put_slow(struct emit *e, struct vop op, uint32_t dst, struct src a)
{
	put_v1(e, op, dst, a);
	gen_slow_made(e);
}

void
put_mov_v(struct emit *e, uint32_t dst, struct src a)
{
	if (a.n == 256 + dst)
		return;
	gen_valu_reads(e, a);
	gen_valu_writes_one(e, dst);
	vop1(e, GCN_OP_v_mov_b32, dst, a);
}

void
put_mov_pair(struct emit *e, uint32_t dst, struct src lo, struct src hi)
{
	enum gcn_row_id row = gen_row(e, GCN_OP_v_mov_b64);

	if (!gcn_has(e->gcn, row) || hi.n != lo.n + 1u || lo.n % 2 || (!src_is_s(lo) && !src_is_v(lo)) || lo.n == 256 + dst) {
		put_mov_v(e, dst, lo);
		put_mov_v(e, dst + 1, hi);
		return;
	}
	gen_valu_reads(e, hi); /* first, because it was written last */
	gen_valu_reads(e, lo);
	gen_valu_writes(e, dst, GCN_OFF);
	gcn_vop1(gen_out(e), row, 256 + dst, lo.n);
}

void
put_mov_s(struct emit *e, uint32_t dst, struct src a)
{
	if (a.n != dst)
		put_sop1(e, GCN_OP_s_mov_b32, dst, a);
}

/* Exchanges the operands if the short encoding needs it and the operation permits it. */
static void
turn(struct vop *op, struct src *a, struct src *b)
{
	if (src_is_v(*b) || !src_is_v(*a) || !op->rev)
		return;
	struct src swap = *a;
	op->e32 = op->rev;
	*a = *b;
	*b = swap;
}

QD_INLINE void
v2_long(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, uint32_t signs)
{
	struct src s[] = { a, b };

	if (!src_is_v(a) || !src_is_v(b))
		fit_bus(e, s, 2, GCN_OFF);
	gen_valu_reads(e, s[0]);
	gen_valu_reads(e, s[1]);
	gen_valu_writes_one(e, dst);
	vop3(e, op, GCN_VOP3, dst, s, 2, signs);
}

void
put_v2(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b)
{
	if (op.e32) {
		turn(&op, &a, &b);
		/* The long encoding cannot read a literal here. In a register it fits the short
		 * one. */
		if (!src_is_v(b) && e->t->bus == 1 && b.n == GCN_LITERAL)
			b = gen_vector(e, b);
		if (src_is_v(b)) {
			gen_valu_reads(e, a);
			gen_valu_writes_one(e, dst);
			vop2(e, (enum gcn_op)op.e32, dst, a, b);
			return;
		}
	}
	v2_long(e, (enum gcn_op)op.e64, dst, a, b, 0);
}

void
put_v2m(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b, uint32_t signs)
{
	if (!signs)
		put_v2(e, op, dst, a, b);
	else
		v2_long(e, (enum gcn_op)op.e64, dst, a, b, signs);
}

QD_INLINE void
v3(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
   uint32_t signs)
{
	struct src s[] = { a, b, c };

	fit_bus(e, s, 3, GCN_OFF);
	for (uint32_t i = 0; i < 3; i++)
		gen_valu_reads(e, s[i]);
	gen_valu_writes_one(e, dst);
	vop3(e, op, GCN_VOP3, dst, s, 3, signs);
}

void
put_v3(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c)
{
	v3(e, op, dst, a, b, c, 0);
}

void
put_v3m(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
	uint32_t signs)
{
	v3(e, op, dst, a, b, c, signs);
}

void
put_dot(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
	uint32_t neg)
{
	/* op_sel_hi is all ones: bits 0 and 1 are OMOD, bit 2 is bit 3 of OPSEL. */
	enum { OMOD_ONES = 3, OPSEL_TOP = 8 };
	struct src s[] = { a, b, c };

	fit_bus(e, s, 3, GCN_OFF);
	for (uint32_t i = 0; i < 3; i++)
		gen_valu_reads(e, s[i]);
	gen_valu_writes_one(e, dst);
	word_put_sources(gen_out_flushed(e), GCN_VOP3P, gen_row(e, op), GCN_VOP3P,
			 (struct gcn_fields){ .VDST = dst, .SRC0 = s[0].n, .SRC1 = s[1].n, .SRC2 = s[2].n,
					      .NEG = neg, .OMOD = OMOD_ONES, .OPSEL = OPSEL_TOP },
			 s[0], s[2].n == GCN_LITERAL ? s[2] : s[1]);
	gen_dot_made(e);
}

void
put_cmpx(struct emit *e, struct vop op, struct src a, struct src b, uint32_t signs)
{
	struct vop flip = op;
	struct src s[] = { a, b };

	turn(&flip, &s[0], &s[1]);
	if (!signs && src_is_v(s[1])) {
		gen_valu_reads(e, s[0]);
		gen_flush_pending(e);
		vopc(e, (enum gcn_op)flip.e32, s[0], s[1]);
	} else {
		s[0] = a;
		s[1] = b;
		fit_bus(e, s, 2, GCN_OFF);
		gen_valu_reads(e, s[0]);
		gen_valu_reads(e, s[1]);
		gen_flush_pending(e);
		vop3(e, (enum gcn_op)op.e64, CALL_VOP3S, SRC_EXEC, s, 2, signs);
	}
	gen_exec_written(e);
	e->cmpx_at = true;
}

void
put_cmp(struct emit *e, struct vop op, uint32_t dst, struct src a, struct src b, uint32_t signs)
{
	struct src s[] = { a, b };

	if (dst == SRC_VCC && !signs) {
		turn(&op, &a, &b);
		if (!src_is_v(b) && e->t->bus == 1 && b.n == GCN_LITERAL)
			b = gen_vector(e, b);
		if (src_is_v(b)) {
			gen_valu_reads(e, a);
			gen_valu_writes(e, GCN_OFF, dst);
			vopc(e, (enum gcn_op)op.e32, a, b);
			return;
		}
		s[1] = b;
	}
	fit_bus(e, s, 2, GCN_OFF);
	gen_valu_reads(e, s[0]);
	gen_valu_reads(e, s[1]);
	gen_valu_writes(e, GCN_OFF, dst);
	vop3(e, (enum gcn_op)op.e64, CALL_VOP3S, dst, s, 2, signs);
}

void
put_choose(struct emit *e, uint32_t dst, struct src no, struct src yes, struct src mask)
{
	struct src s[] = { no, yes };

	if (!src_is_s(mask)) { /* constant */
		put_mov_v(e, dst, mask.n == SRC_ZERO ? no : yes);
		return;
	}
	/* vcc counts as a scalar register. */
	if (mask.n == SRC_VCC && src_is_v(yes) && (e->t->bus > 1 || src_is_v(no) || (no.n >= SRC_ZERO && no.n != GCN_LITERAL))) {
		gen_valu_reads(e, no);
		gen_valu_reads_mask(e, mask);
		gen_valu_writes_one(e, dst);
		vop2(e, GCN_OP_v_cndmask_b32, dst, no, yes);
		return;
	}
	fit_bus(e, s, 2, mask.n);
	gen_valu_reads(e, s[0]);
	gen_valu_reads(e, s[1]);
	gen_valu_reads_mask(e, mask);
	gen_valu_writes_one(e, dst);
	vop3(e, GCN_OP_v_cndmask_b32_e64, GCN_VOP3, dst, (struct src[]){ s[0], s[1], mask }, 3, 0);
}

/* -- Lanes --------------------------------------------------------------------------------------- */

void
put_dpp1(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, const struct gcn_dpp *d)
{
	gen_dpp_reads(e, a);
	gen_valu_writes_one(e, dst);
	word_put_dpp(gen_out_flushed(e), GCN_VOP1, gen_row(e, op), (struct gcn_fields){ .VDST = dst }, a.n - 256u, d);
}

void
put_dpp2(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b,
	 const struct gcn_dpp *d)
{
	word_dpp2(e, op, dst, a, b, d);
}

void
put_readlane(struct emit *e, uint32_t dst, struct src v, struct src lane)
{
	gen_lane_reads(e, v, lane);
	gen_valu_reads(e, lane);
	gen_valu_writes(e, GCN_OFF, dst);
	vop3(e, GCN_OP_v_readlane_b32, CALL_VOP3S, dst, (struct src[]){ v, lane }, 2, 0);
}

void
put_writelane(struct emit *e, uint32_t dst, struct src a, uint32_t lane)
{
	gen_valu_reads(e, a);
	gen_valu_writes_one(e, dst);
	vop3(e, GCN_OP_v_writelane_b32, GCN_VOP3, dst, (struct src[]){ a, gen_const(lane) }, 2, 0);
}

void
put_readfirst(struct emit *e, uint32_t dst, struct src v)
{
	gen_lane_reads(e, v, src_of(SRC_ZERO));
	gen_valu_writes(e, GCN_OFF, dst);
	/* A vector instruction whose result is a scalar register. */
	vop1(e, GCN_OP_v_readfirstlane_b32, dst, v);
}

/* -- Values --------------------------------------------------------------------------------------- */

void
put_move(struct emit *e, struct gen_loc to, uint32_t v)
{
	if (to.at == AT_MASK) {
		struct src m = gen_mask(e, v);
		if (m.n != to.reg)
			put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, to.reg, m);
		return;
	}
	if (to.at == AT_V && to.n == 2) {
		struct src lo = gen_word(e, v, 0);
		put_mov_pair(e, to.reg, lo, gen_word(e, v, 1));
		return;
	}
	for (uint32_t w = 0; w < to.n; w++) {
		struct src s = gen_word(e, v, w);
		if (to.at == AT_V)
			put_mov_v(e, to.reg + w, s);
		else if (src_is_v(s))
			put_readfirst(e, to.reg + w, s);
		else
			put_mov_s(e, to.reg + w, s);
	}
}
