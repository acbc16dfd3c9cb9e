/* Addresses of vector memory, and the operands that the text omits. A flat, global or scratch
 * address consists of an optional vector part, an optional scalar part and an offset; special
 * numbers in the field of the scalar part mark missing parts. The vector part of a buffer
 * address is an optional index and an optional offset, with one bit each. Source: the
 * disassembler of LLVM 22, run on each number for each target. */
#include "table.h"

/* Numbers in GCN_F_SADDR: of FLAT; without a scalar part. */
static const struct {
	uint8_t flat, off;
} code[GCN_N_GEN] = {
	[GCN_G9] = { 0, 0x7f },     [GCN_G90A] = { 0, 0x7f },   [GCN_G94] = { 0, 0x7f },
	[GCN_G10] = { 0x7d, 0x7d }, [GCN_G11] = { 0x7c, 0x7c }, [GCN_G12] = { 0x7c, 0x7c },
	[GCN_G125] = { 0x7c, 0x7c },
};

/* Returns the number for an address with neither part. It equals `off` if the target uses
 * GCN_F_SVE for the vector part or has no such address. */
static uint32_t
alone_code(const struct gcn_target *t)
{
	return t->class_bit & C1030 ? 0x7f : code[t->gen].off;
}

bool
gcn_has_sve(const struct gcn_target *t)
{
	return t->gen == GCN_G94 || t->gen >= GCN_G11;
}

uint32_t
gcn_no_saddr(const struct gcn_target *t, unsigned format, bool alone)
{
	if (format == GCN_FLAT)
		return code[t->gen].flat;
	return alone && format == GCN_SCRATCH ? alone_code(t) : code[t->gen].off;
}

static bool
saddr_used(const struct gcn_target *t, const struct gcn_insn *in, unsigned format)
{
	uint32_t v = in->field[GCN_F_SADDR];

	return v != code[t->gen].off && !(format == GCN_SCRATCH && v == alone_code(t));
}

static bool
scratch_vaddr_used(const struct gcn_target *t, const struct gcn_insn *in)
{
	return gcn_has_sve(t) ? in->field[GCN_F_SVE] : in->field[GCN_F_SADDR] == code[t->gen].off;
}

bool
gcn_flat_scalar(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	return r->format == GCN_FLAT && t->gen == GCN_G125 && saddr_used(t, in, r->format);
}

void
gcn_address_view(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_view *o)
{
	unsigned format = gcn_rows[in->row].format;

	if (o->kind.bank == BANK_SADDR) {
		o->kind.bank = saddr_used(t, in, format) ? BANK_S : BANK_OFF;
		if (in->field[GCN_F_LDS])
			o->kind.flags &= (uint8_t)~R_XEXEC;
		return;
	}
	o->kind.bank = BANK_V;
	o->v += 256;
	if (gcn_is_buffer(format)) {
		o->kind.n = (uint8_t)(in->field[GCN_F_IDXEN] + in->field[GCN_F_OFFEN]);
		if (!o->kind.n)
			o->kind.bank = BANK_OFF;
	} else if (format == GCN_SCRATCH) {
		o->kind.n = 1;
		if (!scratch_vaddr_used(t, in))
			o->kind.bank = BANK_OFF;
	} else {
		o->kind.n = saddr_used(t, in, format) ? 1 : 2;
	}
}

bool
gcn_returns(const struct gcn_target *t, const struct gcn_insn *in)
{
	return in->field[t->gen >= GCN_G12 ? GCN_F_TH : GCN_F_GLC] & 1;
}

/* A flat atomic has a destination register only if it returns. A buffer atomic uses its data
 * register as the destination, so nothing is hidden. */
unsigned
gcn_memory_hidden(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (!s->n_op || s->op[0].field != GCN_F_VDST)
		return 0;
	if (gcn_row_mods(r) & M_ATOMIC)
		return gcn_is_flat(r->format) && !gcn_returns(t, in);
	return (gcn_row_mods(r) & M_LDS) && in->field[GCN_F_LDS];
}

bool
gcn_takes_acc(const struct gcn_target *t, const struct gcn_views *ops)
{
	if (t->gen == GCN_G9)
		return false;
	for (unsigned i = 0; i < ops->n; i++) {
		if (ops->op[i].kind.bank == BANK_AV)
			return true;
	}
	return false;
}

static const char *
check_flat(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	if (r->format == GCN_FLAT && t->gen != GCN_G125 && in->field[GCN_F_SADDR] != code[t->gen].flat)
		return "the instruction takes no scalar address";
	if (!gcn_shapes[r->shape].n_op && in->field[GCN_F_SADDR] != code[t->gen].off)
		return "the instruction takes no address";
	if (in->field[GCN_F_SVE] && !(r->format == GCN_SCRATCH && gcn_has_sve(t)))
		return "unused bits must be clear";
	if (t->gen <= GCN_G90A && in->field[GCN_F_SCC] && (gcn_row_mods(r) & M_FLOAT_ATOMIC))
		return "the instruction takes no scc";
	return NULL;
}

static const char *
check_buffer(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	const uint32_t *f = in->field;
	bool data = s->n_op && s->op[0].field == GCN_F_VDST;

	if (f[GCN_F_X_ZERO] || f[GCN_F_X_ZERO1])
		return "unused bits must be clear";
	if (t->gen == GCN_G10 && f[GCN_F_DLC] && r->format == GCN_MUBUF && (gcn_row_mods(r) & M_ATOMIC))
		return "the instruction takes no dlc";
	if (t->gen >= GCN_G12 && f[GCN_F_OFFSET] >> 23)
		return "the offset from a buffer cannot be negative";
	if (f[GCN_F_TFE] &&
	    (r->format != GCN_MUBUF || (gcn_row_mods(r) & M_ATOMIC) || !data || f[GCN_F_LDS]))
		return "the instruction takes no tfe";
	if (t->gen == GCN_G90A && f[GCN_F_SCC] && (gcn_row_mods(r) & M_FLOAT_ATOMIC))
		return "the instruction takes no scc";
	if (!s->n_op && !(gcn_row_mods(r) & M_CPOL) &&
	    (f[GCN_F_GLC] || f[GCN_F_SCC] || f[GCN_F_DLC]))
		return "the instruction takes no cache policy";
	if (!data && (f[GCN_F_OFFEN] || f[GCN_F_IDXEN]))
		return "the instruction takes no address";
	if ((gcn_row_mods(r) & M_LDSONLY) && !f[GCN_F_LDS])
		return "the instruction reads only from LDS";
	if (data && f[GCN_F_LDS] && gcn_kinds[s->op[0].kind].n > 1 && !(t->class_bit & C950))
		return "at most one register per lane goes to LDS on this target";
	return NULL;
}

const char *
gcn_memory_check(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	/* gfx94 has separate instructions for loads to LDS (global_load_lds_dword). */
	bool flat = gcn_is_flat(r->format) && (t->gen == GCN_G94 || t->gen >= GCN_G11);

	if (in->field[GCN_F_LDS] && (flat || !(gcn_row_mods(r) & (M_LDS | M_LDSONLY))))
		return "the instruction cannot load to LDS";
	if ((gcn_row_mods(r) & M_FLOAT_ATOMIC) && t->gen == GCN_G9 && gcn_returns(t, in))
		return "the instruction returns no value on this target";
	if (in->field[GCN_F_ACC] && !gcn_takes_acc(t, ops))
		return "the instruction takes no accumulation register";
	return gcn_is_flat(r->format) ? check_flat(t, in) : check_buffer(t, in);
}
