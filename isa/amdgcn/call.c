/* Instructions as calls, those whose fields depend on target and format: lane
 * patterns, scalar memory, LDS, vector memory. */
#include "call.h"
#include "table.h"

static void
refuse(struct gcn_asm *a, const struct gcn_insn *in, const char *why)
{
	if (!a->status)
		a->status = qd_fail(a->err, QD_E_TARGET, "%s: %s on %s", gcn_rows[in->row].name, why,
				    a->target->name);
}

/* The number of a vector register into a field of eight bits; an accumulation
 * register sets the bit that tells. */
static void
put_vector(struct gcn_asm *a, struct gcn_insn *in, unsigned field, uint32_t v)
{
	if (v == GCN_OFF)
		return;
	if (v < 256)
		refuse(a, in, "a vector register is wanted");
	in->field[field] = v & 255;
	if (v >= GCN_ACC)
		in->field[F_ACC] = 1;
}

/* Sources behind the first, in the fields that the row's format has. */
static void
put_sources(struct gcn_asm *a, struct gcn_insn *in, uint32_t src1, uint32_t src2)
{
	if (gcn_is_vop3(gcn_rows[in->row].format)) {
		in->field[F_SRC1] = src1;
		in->field[F_SRC2] = src2;
	} else {
		put_vector(a, in, F_VSRC1, src1);
	}
}

static void
put_offset(struct gcn_asm *a, struct gcn_insn *in, int32_t offset, bool is_signed)
{
	const struct gcn_layout *l = gcn_layout_of(a->target, gcn_rows[in->row].format);
	int64_t span = 0;

	for (unsigned i = 0; l && i < l->n_fields; i++) {
		if (l->bits[i].field == F_OFFSET)
			span = (int64_t)1 << l->bits[i].width;
	}
	if (offset < (is_signed ? -span / 2 : 0) || offset >= (is_signed ? span / 2 : span))
		refuse(a, in, "the offset is out of range");
	else
		in->field[F_OFFSET] = (uint32_t)offset & (uint32_t)(span - 1);
}

void
gcn_vopc(struct gcn_asm *a, enum gcn_row_id row, uint32_t src0, uint32_t src1)
{
	struct gcn_insn in = gcn_start(a, row);

	in.field[F_SRC0] = src0;
	put_vector(a, &in, F_VSRC1, src1);
	gcn_put(a, &in);
}

void
gcn_vop3b(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t mask, uint32_t src0,
	  uint32_t src1, uint32_t src2)
{
	struct gcn_insn in = gcn_start(a, row);

	if (!(gcn_rows[in.row].mods & M_VOP3B) || mask > 127)
		refuse(a, &in, "no scalar result here");
	put_vector(a, &in, F_VDST, dst);
	in.field[F_ABS] = mask & 7;
	in.field[F_OPSEL] = mask >> 3 & 15;
	in.field[F_SRC0] = src0;
	in.field[F_SRC1] = src1;
	in.field[F_SRC2] = src2;
	gcn_put(a, &in);
}

void
gcn_dpp16(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	  uint32_t src2, struct gcn_dpp lanes)
{
	struct gcn_insn in = gcn_start(a, row);

	in.form = FORM_DPP16;
	in.field[F_SRC0] = 250;
	put_vector(a, &in, F_VDST, dst);
	put_vector(a, &in, F_X_SRC0, src0);
	put_sources(a, &in, src1, src2);
	in.field[F_CTRL] = lanes.ctrl;
	in.field[F_ROW] = lanes.row_mask;
	in.field[F_BANK] = lanes.bank_mask;
	in.field[F_BC] = lanes.bound_ctrl;
	in.field[F_FI] = lanes.fetch_inactive;
	if (lanes.fetch_inactive && a->target->gen < G10)
		refuse(a, &in, "lanes that are switched off cannot be read");
	gcn_put(a, &in);
}

void
gcn_dpp8(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t src0, uint32_t src1,
	 uint32_t src2, const uint8_t from[8])
{
	struct gcn_insn in = gcn_start(a, row);

	if (a->target->gen < G10)
		refuse(a, &in, "no DPP8 here");
	in.form = FORM_DPP8;
	in.field[F_SRC0] = 233;
	put_vector(a, &in, F_VDST, dst);
	put_vector(a, &in, F_X_SRC0, src0);
	put_sources(a, &in, src1, src2);
	for (unsigned i = 0; i < 8; i++) {
		if (from[i] > 7)
			refuse(a, &in, "a lane of eight is wanted");
		in.field[F_SEL8] |= (from[i] & 7u) << (3 * i);
	}
	gcn_put(a, &in);
}

void
gcn_smem(struct gcn_asm *a, enum gcn_row_id row, uint32_t data, uint32_t base, int32_t offset)
{
	struct gcn_insn in = gcn_start(a, row);

	if (base & 1)
		refuse(a, &in, "the register tuple must begin at an even register");
	in.field[F_SDST] = data;
	in.field[F_SBASE] = base / 2;
	put_offset(a, &in, offset, true);
	if (a->target->gen < G10)
		in.field[F_IMM] = 1;
	else
		in.field[F_SOFFSET] = a->target->gen >= G11 ? 124 : 125; /* null */
	gcn_put(a, &in);
}

void
gcn_ds(struct gcn_asm *a, enum gcn_row_id row, uint32_t dst, uint32_t addr, uint32_t data0,
       uint32_t data1, uint16_t offset)
{
	struct gcn_insn in = gcn_start(a, row);

	put_vector(a, &in, F_VDST, dst);
	put_vector(a, &in, F_ADDR, addr);
	put_vector(a, &in, F_DATA0, data0);
	put_vector(a, &in, F_DATA1, data1);
	in.field[F_OFFSET] = offset;
	in.field[F_GDS] = (gcn_rows[in.row].mods & M_GDSONLY) != 0;
	gcn_put(a, &in);
}

static void
put_buffer(struct gcn_asm *a, struct gcn_insn *in, const struct gcn_mem *m)
{
	bool atomic = gcn_rows[in->row].mods & M_ATOMIC;

	if (m->base & 3)
		refuse(a, in, "the descriptor must begin at a register divisible by four");
	if (atomic && m->dst != GCN_OFF && m->dst != m->data)
		refuse(a, in, "the value comes back where the data was");
	put_vector(a, in, F_VDST, m->data != GCN_OFF ? m->data : m->dst);
	put_vector(a, in, F_ADDR, m->addr);
	in->field[F_SRSRC] = m->base / 4;
	in->field[F_SOFFSET] = m->soffset;
	in->field[F_OFFEN] = m->offen;
	in->field[F_IDXEN] = m->idxen;
	put_offset(a, in, m->offset, false);
}

static void
put_flat(struct gcn_asm *a, struct gcn_insn *in, const struct gcn_mem *m, unsigned format)
{
	const struct gcn_target *t = a->target;
	bool addr = m->addr != GCN_OFF, base = m->base != GCN_OFF;

	if (!addr && format != SCRATCH)
		refuse(a, in, "an address in vector registers is wanted");
	put_vector(a, in, F_VDST, m->dst);
	put_vector(a, in, F_ADDR, m->addr);
	put_vector(a, in, F_DATA0, m->data);
	in->field[F_SADDR] = base ? m->base : gcn_no_saddr(t, format, !addr);
	in->field[F_SVE] = format == SCRATCH && addr && gcn_has_sve(t);
	put_offset(a, in, m->offset, format != FLAT || t->gen >= G12);
}

void
gcn_vmem(struct gcn_asm *a, enum gcn_row_id row, struct gcn_mem m)
{
	struct gcn_insn in = gcn_start(a, row);
	unsigned format = gcn_rows[in.row].format;

	if (format == MUBUF)
		put_buffer(a, &in, &m);
	else if (gcn_is_flat(format))
		put_flat(a, &in, &m, format);
	else
		refuse(a, &in, "no instruction of vector memory");
	if ((gcn_rows[in.row].mods & M_ATOMIC) && m.dst != GCN_OFF)
		in.field[a->target->gen >= G12 ? F_TH : F_GLC] = 1;
	gcn_put(a, &in);
}
