/* Packed operations: two results of 16 bits from halves of registers, or two of 32 bits from pairs
 * of registers. op_sel selects the part for the lower result, op_sel_hi for the upper. And
 * v_fma_mix, whose sources are floats of 32 bits or halves. */
#include "ops.h"
#include "taint.h"
#include "wave.h"

/* Reads source n of the upper (`hi`) or lower result; neg_hi or neg_lo negates it. */
static bool
part_of(struct run *r, const struct wave *w, const struct insn *i, unsigned n, bool hi,
	unsigned lane, uint64_t *v, uint64_t *undef)
{
	struct gcn_view o = i->view[n + 1];
	const uint32_t *f = i->in.field;
	unsigned bits = o.kind.n == 2 ? 32 : 16;
	bool upper = (hi ? gcn_op_sel_hi(&i->in) : f[GCN_F_OPSEL]) >> n & 1;
	uint64_t ones = (UINT64_C(1) << bits) - 1;

	if (bits == 32 && o.v >= 128 && o.v < 256) { /* the lower part is the constant */
		if (upper && o.v != 128)
			return amd_find(r, w, i, lane,
					"the upper part of a constant is not emulated");
		o.kind.n = 1;
	}
	if (!amd_source(r, w, i, &o, lane, v, undef))
		return false;
	*v = (upper ? *v >> bits : *v) & ones;
	*undef = (upper ? *undef >> bits : *undef) & ones;
	if (gcn_is_float(o.kind.type) && (f[hi ? GCN_F_NEG_HI : GCN_F_NEG_LO] >> n & 1))
		*v ^= UINT64_C(1) << (bits - 1);
	return true;
}

/* Applies the operation to o.s. */
static bool
apply(struct run *r, const struct wave *w, const struct insn *i, unsigned lane, struct op *o,
      const uint64_t u[3], uint64_t *undef)
{
	bool none;

	i->sem->fn(o);
	*undef = amd_taint(i->sem, o, u, false, &none);
	if (o->clamp && !o->clamped)
		return amd_find(r, w, i, NO_LANE, "this clamp is not emulated");
	return !o->cannot || *undef || amd_find(r, w, i, lane, "%s is not emulated", o->cannot);
}

static bool
result(struct run *r, const struct wave *w, const struct insn *i, bool hi, unsigned lane,
       uint64_t *v, uint64_t *undef)
{
	bool moves = i->in.row == GCN_v_pk_mov_b32;
	uint64_t u[3] = { 0 };
	struct op o;

	amd_op_modes(&o, r, w, i);
	o.lane = lane;
	/* v_pk_mov: the lower result is from the first source, the upper from the second. */
	for (unsigned n = 0; n + 1 < i->n_view; n++) {
		if (moves && n != hi)
			continue;
		if (!part_of(r, w, i, n, hi && !moves, lane, &o.s[moves ? 0 : n], &u[moves ? 0 : n]))
			return false;
	}
	if (!apply(r, w, i, lane, &o, u, undef))
		return false;
	*v = o.d;
	return true;
}

static bool
check_mode(struct run *r, const struct wave *w, const struct insn *i)
{
	enum { NOT_NEAREST = 15 };

	return !gcn_is_float(i->view[1].kind.type) || !(w->mode & NOT_NEAREST) ||
	       amd_find(r, w, i, NO_LANE, "float mode 0x%x is not emulated", w->mode & 0xff);
}

bool
amd_packed(struct run *r, struct wave *w, const struct insn *i)
{
	unsigned bits = i->view[0].kind.n == 2 ? 32 : 16;
	uint64_t lo, hi, u_lo, u_hi, ones = (UINT64_C(1) << bits) - 1;

	if (!check_mode(r, w, i))
		return false;
	for (uint64_t left = exec_of(r, w); left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		if (!result(r, w, i, false, lane, &lo, &u_lo) ||
		    !result(r, w, i, true, lane, &hi, &u_hi))
			return false;
		amd_set_vector(r, i, w, &i->view[0], lane, (lo & ones) | hi << bits,
			       (u_lo & ones) | u_hi << bits, false);
	}
	return true;
}

/* -- v_fma_mix: op_sel_hi makes a source a half, and op_sel then selects it ---------------------------- */

static bool
mixed(struct run *r, const struct wave *w, const struct insn *i, unsigned n, unsigned lane,
      const struct op *modes, uint64_t *v, uint64_t *undef)
{
	const uint32_t *f = i->in.field;
	struct gcn_view o = i->view[n + 1];
	bool half = gcn_op_sel_hi(&i->in) >> n & 1;
	uint32_t sign = half ? 0x8000 : 0x80000000;
	struct op x = *modes;

	/* Only a constant has the type. */
	o.kind.type = o.v >= 128 && o.v < 256 && o.v != GCN_LITERAL && half ? T_F16 : T_F32;
	if (!amd_source(r, w, i, &o, lane, v, undef))
		return false;
	if (half) {
		unsigned shift = f[GCN_F_OPSEL] >> n & 1 ? 16 : 0;
		*v = *v >> shift & 0xffff;
		*undef = *undef >> shift & 0xffff;
	}
	*v &= f[GCN_F_NEG_HI] >> n & 1 ? ~(uint64_t)sign : UINT64_MAX; /* the bits of abs */
	*v ^= f[GCN_F_NEG_LO] >> n & 1 ? sign : 0;
	if (!half)
		return true;
	x.s[0] = *v;
	x.clamp = false;
	x.mode |= 0x30; /* a subnormal half is a normal float */
	amd_op_f32_f16(&x);
	*v = x.d;
	*undef = *undef ? UINT32_MAX : 0;
	return true;
}

bool
amd_mix(struct run *r, struct wave *w, const struct insn *i)
{
	unsigned reg = vector_of(i->view[0].v), shift = i->sem->flags & F_HI ? 16 : 0;
	uint64_t u[3], undef;
	struct op modes;

	if (!check_mode(r, w, i))
		return false;
	amd_op_modes(&modes, r, w, i);
	for (uint64_t left = exec_of(r, w); left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		struct op o = modes;
		uint32_t keep = 0;
		for (unsigned n = 0; n < 3; n++)
			if (!mixed(r, w, i, n, lane, &modes, &o.s[n], &u[n]))
				return false;
		if (!apply(r, w, i, lane, &o, u, &undef))
			return false;
		keep = o.half ? ~(0xffffu << shift) : 0;
		w->v[reg][lane] = (w->v[reg][lane] & keep) | (uint32_t)o.d << (o.half ? shift : 0);
		w->vu[reg][lane] = (w->vu[reg][lane] & keep) | ((uint32_t)undef << (o.half ? shift : 0) & ~keep);
	}
	return true;
}
