/* Packed operations: two results of 32 bits from pairs of registers. op_sel selects the register
 * of a pair for the lower result, op_sel_hi for the upper. */
#include "taint.h"
#include "wave.h"

/* Reads source n of the upper (`hi`) or lower result; neg_hi or neg_lo negates it. */
static bool
half_source(struct run *r, const struct wave *w, const struct insn *i, unsigned n, bool hi,
	    unsigned lane, uint64_t *v, uint64_t *undef)
{
	const struct gcn_view *o = &i->view[n + 1];
	const uint32_t *f = i->in.field;
	bool upper = (hi ? gcn_op_sel_hi(&i->in) : f[GCN_F_OPSEL]) >> n & 1;

	if (o->v >= 128 && o->v < 256 && o->v != 128)
		return amd_find(r, w, i, lane, "a constant of two parts is not modelled");
	if (!amd_source(r, w, i, o, lane, v, undef))
		return false;
	*v = upper ? *v >> 32 : (uint32_t)*v;
	*undef = upper ? *undef >> 32 : (uint32_t)*undef;
	if (gcn_is_float(o->kind.type) && (f[hi ? GCN_F_NEG_HI : GCN_F_NEG_LO] >> n & 1))
		*v ^= 0x80000000;
	return true;
}

static bool
result(struct run *r, const struct wave *w, const struct insn *i, bool hi, unsigned lane,
       uint64_t *v, uint64_t *undef)
{
	bool moves = i->in.row == GCN_v_pk_mov_b32, none;
	struct op o = { .lane = lane };
	uint64_t u[3] = { 0 };

	/* v_pk_mov: the lower result is from the first source, the upper from the second. */
	for (unsigned n = 0; n + 1 < i->n_view; n++) {
		if (moves && n != hi)
			continue;
		if (!half_source(r, w, i, n, hi && !moves, lane, &o.s[moves ? 0 : n],
				 &u[moves ? 0 : n]))
			return false;
	}
	i->sem->fn(&o);
	*undef = amd_taint(i->sem, &o, u, false, &none);
	*v = o.d;
	return true;
}

bool
amd_packed(struct run *r, struct wave *w, const struct insn *i)
{
	uint64_t exec = exec_of(r, w), lo, hi, u_lo, u_hi;

	if (i->in.field[GCN_F_CLAMP])
		return amd_find(r, w, i, NO_LANE, "this clamp is not modelled");
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		if (!(exec >> lane & 1))
			continue;
		if (!result(r, w, i, false, lane, &lo, &u_lo) ||
		    !result(r, w, i, true, lane, &hi, &u_hi))
			return false;
		amd_set_vector(r, i, w, &i->view[0], lane, (uint32_t)lo | hi << 32,
			       (uint32_t)u_lo | u_hi << 32, false);
	}
	return true;
}
