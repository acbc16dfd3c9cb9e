/* Conversions (PTX ISA 9.0, 9.7.9.21), each through the widest type of its kind. */
#include <fenv.h>
#include <math.h>

#include "exec.h"
#include "half.h"

static inline uint64_t
int_of(uint64_t v, unsigned type)
{
	switch (type) {
	case T_u8: return (uint8_t)v;
	case T_s8: return (uint64_t)(int8_t)v;
	case T_u16: return (uint16_t)v;
	case T_s16: return (uint64_t)(int16_t)v;
	case T_u32: return (uint32_t)v;
	case T_s32: return (uint64_t)(int32_t)v;
	default: return v;
	}
}

static bool
is_signed(unsigned type)
{
	return ptx_type[type].kind == 's';
}

static bool
is_int(unsigned type)
{
	return ptx_type[type].kind == 's' || ptx_type[type].kind == 'u';
}

/* Clamps v to the range of an integer type. is_minus: v is negative, in two's complement. */
static uint64_t
clamp_int(uint64_t v, bool is_minus, unsigned to)
{
	unsigned bits = 8u * ptx_type[to].size;
	uint64_t max = is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
	uint64_t min = is_signed(to) ? ~max : 0; /* two's complement in 64 bits */

	if (is_minus)
		return is_signed(to) ? (int64_t)v < (int64_t)min ? min : v : 0;
	return v > max ? max : v;
}

static uint64_t
int_from_float(double x, unsigned round, unsigned to)
{
	unsigned bits = 8u * ptx_type[to].size;
	double top = ldexp(1, (int)bits - (is_signed(to) ? 1 : 0));

	if (isnan(x))
		return 0;
	switch (round) {
	case ROUND_NEAR: x = nearbyint(x); break;
	case ROUND_DOWN: x = floor(x); break;
	case ROUND_UP: x = ceil(x); break;
	default: x = trunc(x); break;
	}
	if (x >= top)
		return clamp_int(UINT64_MAX, false, to);
	if (x < (is_signed(to) ? -top : 0))
		return clamp_int(UINT64_C(1) << 63, true, to);
	return is_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static double
float_of(uint64_t v, unsigned type, bool ftz)
{
	switch (type) {
	case T_f32:
		if (ftz && !(v & 0x7f800000))
			v &= 0x80000000;
		return f32_of((uint32_t)v);
	case T_f64: return f64_of(v);
	case T_bf16: return half_value(half_bf16, (uint16_t)v);
	default: return half_value(half_f16, (uint16_t)v);
	}
}

static double
integral(double x, unsigned round)
{
	switch (round) {
	case ROUND_NEAR: return nearbyint(x);
	case ROUND_ZERO: return trunc(x);
	case ROUND_DOWN: return floor(x);
	case ROUND_UP: return ceil(x);
	default: return x;
	}
}

static uint64_t
float_to(const struct insn *i, double x, unsigned to)
{
	const struct form *f = i->form;
	bool bf = to == T_bf16 || to == T_bf16x2;
	uint64_t v;

	if (i->flags & F_SAT)
		x = x > 0 ? x < 1 ? x : 1 : 0;
	switch (to) {
	case T_f64: return f64_bits(x);
	case T_f32: {
		/* Rounds in the current mode; volatile keeps the conversion here. */
		volatile double from = x;
		float y = (float)from;

		v = y == y ? f32_bits(y) : 0x7fffffff;
		if (i->flags & F_FTZ && !(v & 0x7f800000))
			v &= 0x80000000;
		return v;
	}
	default:
		v = half_round(bf ? half_bf16 : half_f16, x, (enum rounding)f->round);
		if (i->flags & F_RELU && v & 0x8000)
			v = 0;
		return v;
	}
}

static uint64_t
convert(const struct insn *i, uint64_t v, unsigned from, unsigned to)
{
	const struct form *f = i->form;

	if (is_int(from)) {
		v = int_of(v, from);
		bool minus = is_signed(from) && v >> 63;

		if (is_int(to))
			return int_of(i->flags & F_SAT ? clamp_int(v, minus, to) : v, to);
		if (to == T_f64 || to == T_f32) {
			volatile uint64_t bits = v;

			if (to == T_f64 && !(i->flags & F_SAT))
				return f64_bits(is_signed(from) ? (double)(int64_t)bits
								: (double)bits);
			if (to == T_f32 && !(i->flags & F_SAT))
				return f32_bits(is_signed(from) ? (float)(int64_t)bits
								: (float)bits);
			return float_to(i, minus || !v ? 0 : 1, to);
		}
		return float_to(i, int_to_odd(minus ? -v : v, minus), to);
	}
	double x = float_of(v, from, i->flags & F_FTZ);

	if (is_int(to))
		return int_of(int_from_float(x, f->round, to), to);
	if (from == to) {
		/* Values that need no rounding keep their bits, including a NaN's. */
		if (!f->round && !(i->flags & (F_SAT | F_FTZ)))
			return v;
		x = integral(x, f->round);
		if (from == T_f16)
			return half_round(half_f16,
					  i->flags & F_SAT ? (x > 0 ? x < 1 ? x : 1 : 0) : x,
					  ROUND_NEAR);
	}
	return float_to(i, x, to);
}

void
exec_cvt(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	const struct form *f = i->form;
	unsigned to = f->type[0], from = f->type[1], s = i->s_size, size = i->d_size;
	const void *a = src_at(r, w, i->o[1]);
	void *d = dst_at(w, i->o[0]);
	uint64_t p = poison_of(w, i->o[1]);
	bool directed = f->round > ROUND_NEAR && !is_int(to) && from != to;

	if (is_int(from) && is_int(to) && !(i->flags & F_SAT)) {
		/* The most frequent conversions. */
		if (s == 4 && size == 8 && from == T_s32 && (to == T_s64 || to == T_u64)) {
			EACH_LANE(l, act)
			((uint64_t *)d)[l] = (uint64_t)((const int32_t *)a)[l];
		} else if (s == 4 && size == 8 && from == T_u32 && ptx_type[to].size == 8) {
			EACH_LANE(l, act)
			((uint64_t *)d)[l] = ((const uint32_t *)a)[l];
		} else if (s == 8 && size == 4 && ptx_type[to].size == 4) {
			EACH_LANE(l, act)
			((uint32_t *)d)[l] = (uint32_t)((const uint64_t *)a)[l];
		} else {
			EACH_LANE(l, act)
			lane_put(d, size, l, int_of(int_of(lane_value(a, s, l), from), to));
		}
		poison_set(w, i->o[0], act, p);
		return;
	}
	if (directed)
		fesetround(f->round == ROUND_ZERO   ? FE_TOWARDZERO
			   : f->round == ROUND_DOWN ? FE_DOWNWARD
						    : FE_UPWARD);
	if (i->n_src == 2) { /* a pair: the second source is the lower half */
		const void *b = src_at(r, w, i->o[2]);

		p |= poison_of(w, i->o[2]);
		EACH_LANE(l, act)
		lane_put(d, size, l,
			 convert(i, lane_value(a, s, l), from, to) << 16 |
				 convert(i, lane_value(b, s, l), from, to));
	} else {
		EACH_LANE(l, act)
		lane_put(d, size, l, convert(i, lane_value(a, s, l), from, to));
	}
	if (directed)
		fesetround(FE_TONEAREST);
	poison_set(w, i->o[0], act, p);
}
