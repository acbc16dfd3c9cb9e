/* Comparisons and float classes. */
#include "number.h"

#define OP(name) void amd_op_##name(struct op *o)
#define INTEGER(ty, t)                                                                              \
	OP(cmp_lt_##ty) { o->out = (t)o->s[0] < (t)o->s[1]; }                                       \
	OP(cmp_eq_##ty) { o->out = (t)o->s[0] == (t)o->s[1]; }                                      \
	OP(cmp_le_##ty) { o->out = (t)o->s[0] <= (t)o->s[1]; }                                      \
	OP(cmp_gt_##ty) { o->out = (t)o->s[0] > (t)o->s[1]; }                                       \
	OP(cmp_ne_##ty) { o->out = (t)o->s[0] != (t)o->s[1]; }                                      \
	OP(cmp_ge_##ty) { o->out = (t)o->s[0] >= (t)o->s[1]; }
INTEGER(i32, int32_t)
INTEGER(u32, uint32_t)
INTEGER(i64, int64_t)
INTEGER(u64, uint64_t)
INTEGER(i16, int16_t)
INTEGER(u16, uint16_t)

OP(cmp_lg_i32) { amd_op_cmp_ne_i32(o); }
OP(cmp_lg_u32) { amd_op_cmp_ne_u32(o); }

/* s_cmpk_u32 zero-extends its constant. */
#define CMPK(c) OP(cmpk_##c##_u32) { o->s[1] &= 0xffff; amd_op_cmp_##c##_u32(o); }
CMPK(eq)
CMPK(lg)
CMPK(gt)
CMPK(ge)
CMPK(lt)
CMPK(le)

OP(bitcmp0_32) { o->out = !(o->s[0] >> (o->s[1] & 31) & 1); }
OP(bitcmp1_32) { o->out = o->s[0] >> (o->s[1] & 31) & 1; }
OP(bitcmp0_64) { o->out = !(o->s[0] >> (o->s[1] & 63) & 1); }
OP(bitcmp1_64) { o->out = o->s[0] >> (o->s[1] & 63) & 1; }

#define FLOAT(ty, in)                                                                              \
	OP(cmp_lt_##ty) { o->out = isless(in(o, 0), in(o, 1)); }                                   \
	OP(cmp_eq_##ty) { o->out = in(o, 0) == in(o, 1); }                                         \
	OP(cmp_le_##ty) { o->out = islessequal(in(o, 0), in(o, 1)); }                              \
	OP(cmp_gt_##ty) { o->out = isgreater(in(o, 0), in(o, 1)); }                                \
	OP(cmp_lg_##ty) { o->out = islessgreater(in(o, 0), in(o, 1)); }                            \
	OP(cmp_ge_##ty) { o->out = isgreaterequal(in(o, 0), in(o, 1)); }                           \
	OP(cmp_o_##ty) { o->out = !isunordered(in(o, 0), in(o, 1)); }                              \
	OP(cmp_u_##ty) { o->out = isunordered(in(o, 0), in(o, 1)); }                               \
	OP(cmp_nge_##ty) { o->out = !isgreaterequal(in(o, 0), in(o, 1)); }                         \
	OP(cmp_nlg_##ty) { o->out = !islessgreater(in(o, 0), in(o, 1)); }                          \
	OP(cmp_ngt_##ty) { o->out = !isgreater(in(o, 0), in(o, 1)); }                              \
	OP(cmp_nle_##ty) { o->out = !islessequal(in(o, 0), in(o, 1)); }                            \
	OP(cmp_neq_##ty) { o->out = !(in(o, 0) == in(o, 1)); }                                     \
	OP(cmp_nlt_##ty) { o->out = !isless(in(o, 0), in(o, 1)); }
FLOAT(f16, amd_in16)
FLOAT(f32, amd_in32)
FLOAT(f64, amd_in64)

/* Returns the bit of a float's class: signaling NaN, quiet NaN, -infinity, -normal, -subnormal,
 * -0, +0 ... +infinity. */
static unsigned
class_of(uint64_t v, unsigned bits, unsigned mantissa)
{
	bool minus = v >> (bits - 1) & 1;
	uint64_t frac = v & ((UINT64_C(1) << mantissa) - 1);
	uint64_t exp = v >> mantissa & ((UINT64_C(1) << (bits - 1 - mantissa)) - 1);

	if (exp == (UINT64_C(1) << (bits - 1 - mantissa)) - 1) {
		if (frac)
			return frac >> (mantissa - 1) ? 1 : 0;
		return minus ? 2 : 9;
	}
	if (exp)
		return minus ? 3 : 8;
	if (frac)
		return minus ? 4 : 7;
	return minus ? 5 : 6;
}

OP(class_f32) { o->out = o->s[1] >> class_of((uint32_t)o->s[0], 32, 23) & 1; }
OP(class_f64) { o->out = o->s[1] >> class_of(o->s[0], 64, 52) & 1; }
OP(class_f16) { o->out = o->s[1] >> class_of((uint16_t)o->s[0], 16, 10) & 1; }
