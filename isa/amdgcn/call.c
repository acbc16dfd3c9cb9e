/* Instructions as calls: a packer for each format (pack.h), and checks of the arguments. */
#include "call.h"
#include "pack.h"

/* -- Pieces ----------------------------------------------------------------------------- */

void
gcn_no_room(struct gcn_out *o, enum gcn_row_id row)
{
	o->wrong = o->bad ? o->wrong : (uint16_t)row;
	o->bad |= GCN_BAD_ROOM;
	o->at = o->spare;
	o->full = o->spare + QD_COUNT(o->spare) - GCN_MAX_WORDS + 1;
}

void
gcn_no_row(struct gcn_out *o, enum gcn_row_id row)
{
	o->wrong = o->bad ? o->wrong : (uint16_t)row;
	o->bad |= GCN_BAD_FIELD;
}

/* Returns the opcode of the row. If the target lacks the row, or `called` is not the row's kind
 * of call, the result has bits that do not fit the field. Must precede other changes of *o. */
QD_INLINE uint32_t
begin(struct gcn_out *o, enum gcn_row_id row, uint32_t called)
{
	if (QD_UNLIKELY(o->at >= o->full))
		gcn_no_room(o, row);
	o->wrong = o->bad ? o->wrong : (uint16_t)row;
	return gcn_call_of(o->op, row) ^ called << CALL_SHIFT;
}

/* Emits an instruction without a DPP word; `literal` is 1 if a source is a literal, else 0. */
QD_INLINE void
emit(struct gcn_out *o, unsigned format, const struct gcn_fields *f, uint32_t literal)
{
	uint32_t bad = 0, *at = gcn_pack(o->at, o->gen, format, f, true, &bad);

	*at = o->literal;
	o->at = at + literal;
	o->bad |= (uint8_t)((bad != 0) | (literal != o->pending) << 2);
	o->pending = 0;
}

/* Emits an instruction followed by a DPP word, which excludes a literal. */
QD_INLINE void
emit_two(struct gcn_out *o, unsigned format, const struct gcn_fields *f, unsigned second,
	 const struct gcn_fields *g)
{
	uint32_t bad = 0, *at = gcn_pack(o->at, o->gen, format, f, true, &bad);

	o->at = gcn_pack(at, o->gen, second, g, true, &bad);
	o->bad |= (uint8_t)((bad != 0) | (o->pending != 0) << 2);
	o->pending = 0;
}

#define EMIT(fmt, literal, ...) emit(o, GCN_##fmt, &(struct gcn_fields){ __VA_ARGS__ }, literal)
#define EMIT_TWO(fmt, second, g, ...)                                                              \
	emit_two(o, GCN_##fmt, &(struct gcn_fields){ __VA_ARGS__ }, GCN_##second, g)

/* Converts a vector register for a field of 8 bits. */
static inline uint32_t
vector(uint32_t n)
{
	return n - 256;
}

static inline uint32_t
vector_or_none(uint32_t n)
{
	return n == GCN_OFF ? 0 : n - 256;
}

/* Converts a vector or accumulation register; another field has the kind. */
static inline uint32_t
any_vector(uint32_t n)
{
	return n == GCN_OFF ? 0 : n >= GCN_ACC ? n - GCN_ACC : n - 256;
}

static inline uint32_t
is_acc(uint32_t n)
{
	return n >= GCN_ACC && n != GCN_OFF;
}

static inline uint32_t
source_or_none(uint32_t n)
{
	return n == GCN_OFF ? 0 : n;
}

static inline uint32_t
is_literal(uint32_t n)
{
	return n == GCN_LITERAL;
}

/* -- Scalar ----------------------------------------------------------------------------- */

void
gcn_sop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src)
{
	EMIT(SOP1, is_literal(src), .OP = begin(o, row, GCN_SOP1), .SDST = dst, .SSRC0 = src);
}

void
gcn_sop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1)
{
	EMIT(SOP2, is_literal(src0) | is_literal(src1), .OP = begin(o, row, GCN_SOP2), .SDST = dst,
	     .SSRC0 = src0, .SSRC1 = src1);
}

void
gcn_sopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1)
{
	EMIT(SOPC, is_literal(src0) | is_literal(src1), .OP = begin(o, row, GCN_SOPC),
	     .SSRC0 = src0, .SSRC1 = src1);
}

void
gcn_sopk(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint16_t imm)
{
	EMIT(SOPK, false, .OP = begin(o, row, GCN_SOPK), .SDST = dst, .SIMM = imm);
}

void
gcn_sopp(struct gcn_out *o, enum gcn_row_id row, uint16_t imm)
{
	EMIT(SOPP, false, .OP = begin(o, row, GCN_SOPP), .SIMM = imm);
}

/* -- Vector ------------------------------------------------------------------------------- */

void
gcn_vop1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src)
{
	EMIT(VOP1, is_literal(src), .OP = begin(o, row, GCN_VOP1), .VDST = vector(dst),
	     .SRC0 = src);
}

void
gcn_vop2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1)
{
	EMIT(VOP2, is_literal(src0), .OP = begin(o, row, GCN_VOP2), .VDST = vector(dst),
	     .SRC0 = src0, .VSRC1 = vector(src1));
}

void
gcn_vop2k(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	  uint32_t constant)
{
	gcn_literal(o, constant);
	EMIT(VOP2, true, .OP = begin(o, row, GCN_VOP2), .VDST = vector(dst), .SRC0 = src0,
	     .VSRC1 = vector(src1));
}

void
gcn_vopc(struct gcn_out *o, enum gcn_row_id row, uint32_t src0, uint32_t src1)
{
	EMIT(VOPC, is_literal(src0), .OP = begin(o, row, GCN_VOPC), .SRC0 = src0,
	     .VSRC1 = vector(src1));
}

/* Emits an instruction with three source fields; `dst` is the field's value. */
QD_INLINE void
three(struct gcn_out *o, unsigned format, uint32_t op, uint32_t dst, uint32_t src0, uint32_t src1,
      uint32_t src2, struct gcn_mods m)
{
	uint32_t literal = is_literal(src0) | is_literal(src1) | is_literal(src2);

	o->bad |= (uint8_t)(literal & (o->gen < GCN_G10)) * GCN_BAD_LITERAL;
	emit(o, format,
	     &(struct gcn_fields){ .OP = op, .VDST = dst, .SRC0 = source_or_none(src0),
			       .SRC1 = source_or_none(src1), .SRC2 = source_or_none(src2), .ABS = m.abs,
			       .NEG = m.neg, .OPSEL = m.op_sel, .CLAMP = m.clamp, .OMOD = m.omod },
	     literal);
}

void
gcn_vop3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 uint32_t src2)
{
	three(o, GCN_VOP3, begin(o, row, GCN_VOP3), vector(dst), src0, src1, src2,
	      (struct gcn_mods){ .neg = 0 });
}

void
gcn_vop3m(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	  uint32_t src2, struct gcn_mods m)
{
	uint32_t op = begin(o, row, GCN_VOP3);

	o->bad |= m.op_sel_hi != 0;
	three(o, GCN_VOP3, op, vector(dst), src0, src1, src2, m);
}

void
gcn_vop3s(struct gcn_out *o, enum gcn_row_id row, uint32_t mask, uint32_t src0, uint32_t src1,
	  struct gcn_mods m)
{
	uint32_t op = begin(o, row, CALL_VOP3S);

	o->bad |= (mask > 127) | (m.op_sel_hi != 0);
	three(o, GCN_VOP3, op, mask, src0, src1, GCN_OFF, m);
}

void
gcn_vop3b(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t mask, uint32_t src0,
	  uint32_t src1, uint32_t src2, struct gcn_mods m)
{
	uint32_t op = begin(o, row, CALL_VOP3B);

	/* The mask uses the bits of abs and op_sel. */
	o->bad |= (mask > 127) | ((m.abs | m.op_sel | m.op_sel_hi) != 0);
	m.abs = mask & 7;
	m.op_sel = mask >> 3 & 15;
	three(o, GCN_VOP3, op, vector(dst), src0, src1, src2, m);
}

void
gcn_vop3p(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	  uint32_t src2, struct gcn_mods m)
{
	uint32_t op = begin(o, row, GCN_VOP3P);

	/* Bit 2 of op_sel_hi is bit 3 of op_sel, bits 0 and 1 are those of omod. */
	o->bad |= (m.op_sel > 7) | (m.op_sel_hi > 7) | (m.omod != 0);
	m.op_sel = (uint8_t)((m.op_sel & 7) | (m.op_sel_hi >> 2 & 1) << 3);
	m.omod = m.op_sel_hi & 3;
	three(o, GCN_VOP3P, op, vector(dst), src0, src1, src2, m);
}

/* Converts a source of a matrix instruction: 256 + n for both kinds of registers. */
static inline uint32_t
matrix_source(uint32_t n)
{
	return is_acc(n) ? n - GCN_ACC + 256 : n;
}

void
gcn_mfma(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 uint32_t src2, struct gcn_mfma m)
{
	uint32_t ab = is_acc(src0) | is_acc(src1) << 1, cd = is_acc(dst), op = begin(o, row, CALL_MFMA);

	/* One bit marks both the addend and the destination as accumulation registers. */
	o->bad |= (src2 >= 256) & (is_acc(src2) != cd);
	EMIT(VOP3P, false, .OP = op, .VDST = any_vector(dst), .SRC0 = matrix_source(src0),
	     .SRC1 = matrix_source(src1), .SRC2 = matrix_source(src2), .ABS = m.cbsz,
	     .OPSEL = m.abid, .NEG = m.blgp, .OMOD = ab, .CLAMP = cd);
}

void
gcn_vopd(struct gcn_out *o, struct gcn_half x, struct gcn_half y)
{
	uint32_t op = begin(o, x.row, GCN_VOPD);

	uint32_t apart = (x.dst ^ y.dst) & 1, literal = is_literal(x.src0) | is_literal(y.src0);
	o->bad |= (uint8_t)((apart ^ 1) | (literal & !o->pending));
	EMIT(VOPD, o->pending & 1, .OP = op, .VDST = vector(x.dst), .SRC0 = x.src0,
	     .VSRC1 = vector(x.src1), .OPY = gcn_call_of(o->op, y.row) ^ GCN_VOPD << CALL_SHIFT,
	     .Y_VDST = vector(y.dst) >> 1, .Y_SRC0 = y.src0, .Y_VSRC1 = vector(y.src1));
}

/* -- Lane patterns ---------------------------------------------------------------------------- */

enum { IS_DPP16 = 250, IS_DPP8 = 233 };

static inline struct gcn_fields
pattern(uint32_t src0, struct gcn_dpp d, bool modifiers)
{
	return (struct gcn_fields){ .X_SRC0 = vector(src0), .CTRL = d.ctrl, .ROW = d.row_mask,
				.BANK = d.bank_mask, .BC = d.bound_ctrl, .FI = d.fetch_inactive,
				.X_NEG0 = modifiers ? d.neg & 1 : 0, .X_NEG1 = modifiers ? d.neg >> 1 : 0,
				.X_ABS0 = modifiers ? d.abs & 1 : 0, .X_ABS1 = modifiers ? d.abs >> 1 : 0 };
}

static inline bool
bad_pattern(const struct gcn_out *o, struct gcn_dpp d)
{
	return d.fetch_inactive & (o->gen < GCN_G10);
}

void
gcn_dpp1(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, struct gcn_dpp d)
{
	struct gcn_fields x = pattern(src0, d, true);
	uint32_t op = begin(o, row, GCN_VOP1);

	o->bad |= bad_pattern(o, d);
	EMIT_TWO(VOP1, DPP16, &x, .OP = op, .VDST = vector(dst), .SRC0 = IS_DPP16);
}

void
gcn_dpp2(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 struct gcn_dpp d)
{
	struct gcn_fields x = pattern(src0, d, true);
	uint32_t op = begin(o, row, GCN_VOP2);

	o->bad |= bad_pattern(o, d);
	EMIT_TWO(VOP2, DPP16, &x, .OP = op, .VDST = vector(dst), .SRC0 = IS_DPP16,
		 .VSRC1 = vector(src1));
}

void
gcn_dpp3(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 uint32_t src2, struct gcn_mods m, struct gcn_dpp d)
{
	struct gcn_fields x = pattern(src0, d, false);
	uint32_t op = begin(o, row, GCN_VOP3);

	o->bad |= (o->gen < GCN_G11) | ((d.neg | d.abs | m.op_sel_hi) != 0);
	EMIT_TWO(VOP3, DPP16, &x, .OP = op, .VDST = vector(dst), .SRC0 = IS_DPP16,
		 .SRC1 = source_or_none(src1), .SRC2 = source_or_none(src2), .ABS = m.abs,
		 .NEG = m.neg, .OPSEL = m.op_sel, .CLAMP = m.clamp, .OMOD = m.omod);
}

void
gcn_dpp8(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 const uint8_t from[8], bool fetch_inactive)
{
	struct gcn_fields x = { .X_SRC0 = vector(src0) };
	uint32_t op = begin(o, row, src1 == GCN_OFF ? GCN_VOP1 : GCN_VOP2);
	uint32_t code = IS_DPP8 + fetch_inactive;

	for (unsigned i = 0; i < 8; i++) {
		o->bad |= from[i] > 7;
		x.SEL8 |= (from[i] & 7u) << (3 * i);
	}
	if (src1 == GCN_OFF)
		EMIT_TWO(VOP1, DPP8, &x, .OP = op, .VDST = vector(dst), .SRC0 = code);
	else
		EMIT_TWO(VOP2, DPP8, &x, .OP = op, .VDST = vector(dst), .SRC0 = code,
			 .VSRC1 = vector(src1));
}

/* -- Memory ---------------------------------------------------------------------------------- */

void
gcn_smem(struct gcn_out *o, enum gcn_row_id row, uint32_t data, uint32_t base, int32_t offset,
	 uint32_t soffset, uint32_t policy)
{
	bool old = o->gen < GCN_G10, reg = soffset != GCN_OFF;
	uint32_t op = begin(o, row, GCN_SMEM);

	o->bad |= (base & 1) | ((policy & GCN_RETURN) != 0);
	EMIT(SMEM, false, .OP = op, .SDST = data, .SBASE = base / 2, .OFFSET = (uint32_t)offset,
	     .offset_signed = true, .IMM = old, .SOE = old && reg,
	     .SOFFSET = reg ? soffset : old ? 0 : gcn_null_of(o->target), GCN_POLICY((o)->gen, policy));
}

void
gcn_ds(struct gcn_out *o, enum gcn_row_id row, uint32_t dst, uint32_t addr, uint32_t data0,
       uint32_t data1, uint16_t offset)
{
	uint32_t acc = is_acc(dst) | is_acc(data0) | is_acc(data1), op = begin(o, row, GCN_DS);

	o->bad |= (uint8_t)(acc & o->no_acc);
	EMIT(DS, false, .OP = op, .VDST = any_vector(dst), .ADDR = vector_or_none(addr),
	     .DATA0 = any_vector(data0), .DATA1 = any_vector(data1), .OFFSET = offset,
	     .GDS = (gcn_row_mods(&gcn_rows[row]) & M_GDSONLY) != 0, .ACC = acc);
}

QD_INLINE void
flat(struct gcn_out *o, unsigned format, enum gcn_row_id row, const struct gcn_mem *m)
{
	bool addr = m->addr != GCN_OFF, base = m->base != GCN_OFF;
	uint32_t acc = is_acc(m->dst) | is_acc(m->data), op = begin(o, row, format);
	bool is_signed = format != GCN_FLAT || o->gen >= GCN_G12;
	/* A field for nonnegative offsets has one less bit. */
	uint32_t unsigned_top = o->gen == GCN_G10 ? 1u << 11 : 1u << 12;

	o->bad |= (uint8_t)(acc & o->no_acc);
	o->bad |= !addr && format != GCN_SCRATCH;
	o->bad |= !is_signed && (uint32_t)m->offset >= unsigned_top;
	emit(o, format,
	     &(struct gcn_fields){ .OP = op, .VDST = any_vector(m->dst), .ADDR = vector_or_none(m->addr),
			       .DATA0 = any_vector(m->data), .ACC = acc,
			       .SADDR = base ? m->base : gcn_no_saddr(o->target, format, !addr),
			       .SVE = format == GCN_SCRATCH && addr && gcn_has_sve(o->target),
			       .OFFSET = (uint32_t)m->offset, .offset_signed = is_signed,
			       GCN_POLICY((o)->gen, m->policy) },
	     false);
}

void
gcn_flat(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m)
{
	flat(o, GCN_FLAT, row, &m);
}

void
gcn_global(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m)
{
	flat(o, GCN_GLOBAL, row, &m);
}

void
gcn_scratch(struct gcn_out *o, enum gcn_row_id row, struct gcn_mem m)
{
	flat(o, GCN_SCRATCH, row, &m);
}

void
gcn_mubuf(struct gcn_out *o, enum gcn_row_id row, struct gcn_buf m)
{
	uint32_t op = begin(o, row, GCN_MUBUF);

	o->bad |= (uint8_t)(is_acc(m.data) & o->no_acc) | ((m.rsrc & 3) != 0);
	EMIT(MUBUF, false, .OP = op, .VDST = any_vector(m.data), .ACC = is_acc(m.data),
	     .ADDR = vector_or_none(m.addr), .SRSRC = m.rsrc / 4, .SOFFSET = m.soffset,
	     .OFFSET = m.offset, .OFFEN = m.offen, .IDXEN = m.idxen, GCN_POLICY((o)->gen, m.policy));
}

/* -- Instructions from fields ------------------------------------------------------------------ */

static uint32_t *
put_format(uint32_t *at, unsigned gen, unsigned format, const struct gcn_fields *f, uint32_t *bad)
{
	return gcn_pack(at, gen, format, f, false, bad);
}

void
gcn_put(struct gcn_out *o, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	struct gcn_views ops;
	struct gcn_fields f = {
#define FIELD(name) .name = in->field[GCN_F_##name],
#include "field.def"
	};
	uint32_t bad = 0, *at;

	f.OP = begin(o, (enum gcn_row_id)in->row, gcn_call_of(o->op, in->row) >> CALL_SHIFT);
	if (gcn_call_of(o->op, in->row) == GCN_NA)
		o->bad |= GCN_BAD_FIELD;
	if (gcn_row_mods(r) & M_CMPX)
		f.VDST = 126;
	gcn_operand_views(o->target, in, &ops);
	at = put_format(o->at, o->gen, r->format, &f, &bad);
	if (in->form)
		at = put_format(at, o->gen, gcn_form_format(in->form, r->format), &f, &bad);
	at[0] = in->field[GCN_F_LIT];
	if (ops.literal > 1)
		at[1] = in->field[GCN_F_LIT_HI];
	o->at = at + ops.literal;
	o->bad |= (uint8_t)((bad != 0) | (o->pending != 0) << 2);
	o->pending = 0;
}
