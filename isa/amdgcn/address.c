/* Addresses of FLAT, GLOBAL and SCRATCH, and which operands of a memory
 * instruction its text leaves out.  An address is a vector part, a scalar part,
 * both or neither, and an offset; codes in the field of the scalar part say
 * what there is.  Source: the disassembler of LLVM 22, each code asked for each
 * target. */
#include "table.h"

/* In F_SADDR: what FLAT has there; no scalar part. */
static const struct {
	uint8_t flat, off;
} code[GCN_N_GEN] = {
	[G9] = { 0, 0x7f },     [G90A] = { 0, 0x7f },   [G94] = { 0, 0x7f },
	[G10] = { 0x7d, 0x7d }, [G11] = { 0x7c, 0x7c }, [G12] = { 0x7c, 0x7c },
};

/* Neither part; the same as `off` where the target says it by F_SVE or has no
 * such address. */
static uint32_t
alone_code(const struct gcn_target *t)
{
	return t->class_bit & C1030 ? 0x7f : code[t->gen].off;
}

bool
gcn_has_sve(const struct gcn_target *t)
{
	return t->gen == G94 || t->gen >= G11;
}

uint32_t
gcn_no_saddr(const struct gcn_target *t, unsigned format, bool alone)
{
	if (format == FLAT)
		return code[t->gen].flat;
	return alone && format == SCRATCH ? alone_code(t) : code[t->gen].off;
}

static bool
saddr_used(const struct gcn_target *t, const struct gcn_insn *in, unsigned format)
{
	uint32_t v = in->field[F_SADDR];

	return v != code[t->gen].off && !(format == SCRATCH && v == alone_code(t));
}

static bool
scratch_vaddr_used(const struct gcn_target *t, const struct gcn_insn *in)
{
	return gcn_has_sve(t) ? in->field[F_SVE] : in->field[F_SADDR] == code[t->gen].off;
}

void
gcn_address_view(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_view *o)
{
	unsigned format = gcn_rows[in->row].format;

	if (o->kind.bank == BANK_SADDR) {
		o->kind.bank = saddr_used(t, in, format) ? BANK_S : BANK_OFF;
		if (in->field[F_LDS])
			o->kind.flags &= (uint8_t)~R_XEXEC;
		return;
	}
	o->kind.bank = BANK_V;
	o->v += 256;
	if (format == SCRATCH) {
		o->kind.n = 1;
		if (!scratch_vaddr_used(t, in))
			o->kind.bank = BANK_OFF;
	} else {
		o->kind.n = saddr_used(t, in, format) ? 1 : 2;
	}
}

/* An atomic gives back what was there before. */
static bool
returns(const struct gcn_target *t, const struct gcn_insn *in)
{
	return in->field[t->gen >= G12 ? F_TH : F_GLC] & 1;
}

unsigned
gcn_memory_hidden(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if ((r->mods & M_ATOMIC) && s->op[0].field == F_VDST)
		return !returns(t, in);
	return (r->mods & M_LDS) && in->field[F_LDS];
}

/* Some data may lie in accumulation registers. */
bool
gcn_takes_acc(const struct gcn_target *t, const struct gcn_views *ops)
{
	if (t->gen == G9)
		return false;
	for (unsigned i = 0; i < ops->n; i++) {
		if (ops->op[i].kind.bank == BANK_AV)
			return true;
	}
	return false;
}

const char *
gcn_memory_check(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (r->format == FLAT && in->field[F_SADDR] != code[t->gen].flat)
		return "no scalar address here";
	if (!s->n_op && in->field[F_SADDR] != code[t->gen].off)
		return "no address here";
	if (t->gen <= G90A && in->field[F_SCC] && (r->mods & M_NOSCC))
		return "no scc here";
	if (in->field[F_SVE] && !(r->format == SCRATCH && gcn_has_sve(t)))
		return "unused bits must be clear";
	if (in->field[F_LDS] && !(r->mods & M_LDS))
		return "not to LDS";
	if ((r->mods & M_ATOMIC) && s->op[0].field != F_VDST && returns(t, in))
		return "the value does not come back on this target";
	if (in->field[F_ACC] && !gcn_takes_acc(t, ops))
		return "no accumulation register here";
	return NULL;
}
