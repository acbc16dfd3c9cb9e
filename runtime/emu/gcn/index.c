/* Register numbers that depend on m0: s_movrel and v_movrel, and the index mode of gfx9. The
 * instruction is copied with the numbers that it really uses, and then checked and executed as any
 * other. */
#include "wave.h"

enum { DESTINATION = 8, ENABLED = 12, MASK10 = 0x3ff };

/* What is added to the register numbers of sources (bits of `which`) and of the destination. */
struct offsets {
	uint32_t src, dst;
	unsigned which; /* bits 0 to 2: sources; 3: destination */
};

static struct offsets
offsets_of(const struct insn *i, uint32_t m0)
{
	struct offsets at = { .src = m0, .dst = m0 };

	if (!i->relative)
		return (struct offsets){ m0 & 0xff, m0 & 0xff, m0 >> ENABLED & 15 };
	at.which = (i->fx.flags & E(REL_SRC) ? 1u : 0) | (i->fx.flags & E(REL_DST) ? DESTINATION : 0u);
	switch (i->in.row) {
	case GCN_v_movrelsd_2_b32:
	case GCN_v_movrelsd_2_b32_e64:
	case GCN_s_movrelsd_2_b32:
		at.src = m0 & MASK10;
		at.dst = m0 >> 16 & MASK10;
		return at;
	default: return at;
	}
}

static bool
is_dst(const struct gcn_view *o)
{
	return o->field == GCN_F_VDST || o->field == GCN_F_SDST;
}

/* Moves one operand; returns whether the register exists. */
static bool
move(const struct run *r, struct gcn_view *o, const struct offsets *at)
{
	bool dst = is_dst(o), vector = amd_is_row(o);
	unsigned n = o->field == GCN_F_SSRC0 ? 0 : o->src < 0 ? 3 : (unsigned)o->src;
	uint32_t by = dst ? at->dst : at->src, end;

	if (!(at->which >> (dst ? 3 : n) & 1) || (!vector && o->v >= N_SCALAR))
		return true;
	end = vector ? 256 + r->l->code->n_rows : GCN_VCC;
	if (by > end || o->v + by + o->kind.n > end)
		return false;
	o->v += by;
	return true;
}

const struct insn *
amd_indexed(struct run *r, const struct wave *w, const struct insn *i, struct insn *at)
{
	unsigned m0 = gcn_m0_of(r->t);
	struct offsets by;

	if (!i->relative && (i->fx.class != CL_VALU || !i->fx.n_range))
		return i;
	if (!i->relative && i->sem->unit != U_VALU) {
		amd_find(r, w, i, NO_LANE,
			 "register indexing is not emulated for this instruction");
		return NULL;
	}
	if (w->su[m0]) {
		amd_find(r, w, i, NO_LANE, "m0 is undefined");
		return NULL;
	}
	by = offsets_of(i, w->s[m0]);
	*at = *i;
	for (unsigned k = 0; k < at->n_view; k++) {
		if (move(r, &at->view[k], &by))
			continue;
		amd_find(r, w, i, NO_LANE, "m0 is 0x%x: the indexed register does not exist",
			 w->s[m0]);
		return NULL;
	}
	for (unsigned k = 0; k < at->fx.n_range; k++) {
		struct gcn_range *u = &at->fx.range[k];
		unsigned bit = u->role == ROLE_DST ? 3u : (unsigned)u->role - ROLE_SRC0;
		if ((u->role == ROLE_DST || (u->role >= ROLE_SRC0 && u->role <= ROLE_SRC2)) &&
		    u->file != FILE_X && (by.which >> bit & 1) && (i->relative || u->file == FILE_V))
			u->first = (uint16_t)(u->first + (bit == 3 ? by.dst : by.src));
	}
	if (at->sem->unit == U_VALU) {
		memset(at->part, 0, sizeof at->part);
		amd_valu_decode(r->t, at);
	}
	return at;
}

bool
amd_set_index(struct run *r, struct wave *w, const struct insn *i)
{
	unsigned m0 = gcn_m0_of(r->t);
	const uint32_t *f = i->in.field;
	uint64_t v = 0, undef = 0;

	if (i->in.row == GCN_s_set_gpr_idx_off) {
		w->by_index = false;
		return true;
	}
	if (i->in.row == GCN_s_set_gpr_idx_mode) {
		w->s[m0] = (w->s[m0] & ~(15u << ENABLED)) | (f[GCN_F_SIMM] & 15) << ENABLED;
		w->su[m0] &= ~(15u << ENABLED);
		return true;
	}
	if (!amd_scalar(r, w, i, &i->view[0], &v, &undef))
		return false;
	w->s[m0] = (w->s[m0] & ~0xffu) | (v & 0xff);
	w->su[m0] = (w->su[m0] & ~0xffu) | (undef & 0xff);
	if (i->in.row == GCN_s_set_gpr_idx_idx)
		return true;
	/* The other bits of m0 are not part of the index. */
	w->s[m0] = (w->s[m0] & 0xff) | (f[GCN_F_SSRC1] & 15) << ENABLED;
	w->su[m0] &= 0xff;
	w->by_index = true;
	return true;
}
