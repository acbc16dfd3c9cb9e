/* Operations between lanes of a warp (PTX ISA 9.0, 9.7.9.6 on, 9.7.13). act: the lanes that
 * execute it together. */
#include <math.h>

#include "exec.h"
#include "half.h"

/* Follows the manual's pseudo-code of shfl.sync: bits 4:0 of c clamp, bits 12:8 are the segment
 * mask. from: each lane's source, itself if the source is out of range. */
static uint32_t
shfl_sources(unsigned op, const uint32_t *b, const uint32_t *c, uint32_t from[32])
{
	uint32_t inside = 0;

	for (uint32_t l = 0; l < 32; l++) {
		uint32_t bval = b[l] & 31, cval = c[l] & 31, mask = c[l] >> 8 & 31;
		uint32_t max = (l & mask) | (cval & ~mask), min = l & mask, j;

		switch (op) {
		case OP_UP: j = l - bval; break;
		case OP_DOWN: j = l + bval; break;
		case OP_BFLY: j = l ^ bval; break;
		default: j = min | (bval & ~mask); break;
		}
		bool p = op == OP_UP ? (int32_t)j >= (int32_t)max : j <= max;

		from[l] = p ? j : l;
		inside |= (uint32_t)p << l;
	}
	return inside;
}

static bool
exec_shfl(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	bool old = i->form->row->family == 'o';
	const uint32_t *a = src_at(r, w, i->o[2]), *b = src_at(r, w, i->o[3]),
		       *c = src_at(r, w, i->o[4]);
	uint32_t members =
		old ? act : ((const uint32_t *)src_at(r, w, i->o[5]))[qd_lowest_bit(act)];
	uint32_t *d = dst_at(w, i->o[0]), value[32], from[32], inside, inactive = 0;
	uint64_t poison = 0, pa = poison_of(w, i->o[2]);

	if (!CHECK_POISON(r, w, i, i->o[3], act, "the lane") ||
	    !CHECK_POISON(r, w, i, i->o[4], act, "the clamp"))
		return false;
	inside = shfl_sources(i->form->op[0], b, c, from);
	for (uint32_t l = 0; l < 32; l++)
		value[l] = a[from[l] & 31];
	/* A lane that is inactive or not a member provides no value. */
	members &= act;
	if (members != UINT32_MAX || pa)
		EACH_LANE(l, act)
		{
			if (members >> from[l] & 1)
				poison |= (pa >> from[l] & UINT64_C(0x100000001)) << l;
			else
				inactive |= UINT32_C(1) << l;
		}
	if (act == UINT32_MAX)
		memcpy(d, value, sizeof value);
	else
		EACH_LANE(l, act)
	d[l] = value[l];
	poison_set(w, i->o[0], act, poison | inactive | (uint64_t)inactive << 32);
	if (i->o[1].slot != NO_SLOT)
		pred_set(w, i->o[1], act, inside, 0);
	return true;
}

static bool
exec_vote(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	uint32_t v = pred_value(r, w, i, 0) & act;

	if (!CHECK_POISON(r, w, i, i->o[1], act, "the predicate"))
		return false;
	switch (i->form->op[0]) {
	case OP_ALL: v = v == act ? UINT32_MAX : 0; break;
	case OP_ANY: v = v ? UINT32_MAX : 0; break;
	case OP_UNI: v = !v || v == act ? UINT32_MAX : 0; break;
	default: {
		uint32_t *d = dst_at(w, i->o[0]);

		EACH_LANE(l, act)
		d[l] = v;
		poison_set(w, i->o[0], act, 0);
		return true;
	}
	}
	pred_set(w, i->o[0], act, v, 0);
	return true;
}

static bool
exec_match(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	unsigned size = ptx_type[i->form->type[0]].size;
	struct opnd o = i->o[i->n_dst];
	const void *a = src_at(r, w, o);
	uint32_t *d = dst_at(w, i->o[0]), result[32];
	bool same = true;

	if (!CHECK_POISON(r, w, i, o, act, "the value"))
		return false;
	EACH_LANE(l, act)
	{
		result[l] = 0;
		EACH_LANE(k, act)
		result[l] |= (uint32_t)(lane_value(a, size, k) == lane_value(a, size, l)) << k;
		same = same && result[l] == act;
	}
	if (i->form->op[0] == OP_ALL) {
		EACH_LANE(l, act)
		result[l] = same ? act : 0;
		if (i->o[1].slot != NO_SLOT)
			pred_set(w, i->o[1], act, same ? UINT32_MAX : 0, 0);
	}
	EACH_LANE(l, act)
	d[l] = result[l];
	poison_set(w, i->o[0], act, 0);
	return true;
}

/* -0 is below +0. A NaN is ignored, but with .NaN the result is NaN. */
static float
redux_float(const struct insn *i, float a, float b)
{
	if (i->flags & F_ABS) {
		a = fabsf(a);
		b = fabsf(b);
	}
	if (isnan(a) || isnan(b)) {
		if (i->flags & F_NAN || (isnan(a) && isnan(b)))
			return f32_of(0x7fffffff);
		return isnan(a) ? b : a;
	}
	if (a == b)
		return !signbit(a) == (i->form->op[0] == OP_MAX) ? a : b;
	return (a < b) == (i->form->op[0] == OP_MIN) ? a : b;
}

static uint32_t
redux(const struct insn *i, uint32_t a, uint32_t b)
{
	unsigned type = i->form->type[0];

	switch (i->form->op[0]) {
	case OP_ADD: return a + b;
	case OP_AND: return a & b;
	case OP_OR: return a | b;
	case OP_XOR: return a ^ b;
	default: break;
	}
	if (type == T_f32)
		return f32_bits(redux_float(i, f32_of(a), f32_of(b)));
	bool below = type == T_s32 ? (int32_t)a < (int32_t)b : a < b;

	return below == (i->form->op[0] == OP_MIN) ? a : b;
}

static bool
exec_redux(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const uint32_t *a = src_at(r, w, i->o[1]);
	uint32_t *d = dst_at(w, i->o[0]), v = 0;
	bool first = true;

	if (!CHECK_POISON(r, w, i, i->o[1], act, "the value"))
		return false;
	EACH_LANE(l, act)
	{
		/* The first float is combined with itself, for .abs. */
		v = !first			? redux(i, v, a[l])
		    : i->form->type[0] == T_f32 ? redux(i, a[l], a[l])
						: a[l];
		first = false;
	}
	EACH_LANE(l, act)
	d[l] = v;
	poison_set(w, i->o[0], act, 0);
	return true;
}

bool
exec_lanes(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	switch (i->kind) {
	case K_shfl: return exec_shfl(r, w, i, act);
	case K_vote: return exec_vote(r, w, i, act);
	case K_match: return exec_match(r, w, i, act);
	case K_redux: return exec_redux(r, w, i, act);
	case K_elect: {
		uint32_t *d = dst_at(w, i->o[0]), who = qd_lowest_bit(act);

		EACH_LANE(l, act)
		d[l] = who;
		poison_set(w, i->o[0], act, 0);
		pred_set(w, i->o[1], act, UINT32_C(1) << who, 0);
		return true;
	}
	default: return true; /* bar.warp.sync has no effect other than waiting */
	}
}
