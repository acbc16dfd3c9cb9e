/* Comparisons: the mask of lanes for which they are true. */
#include <math.h>

#include "half.h"
#include "table.h"

#define MASK(name, T, expr)                                                                        \
	static uint32_t name(const void *const *s)                                                 \
	{                                                                                          \
		const T *ap = s[0], *bp = s[1];                                                    \
		uint32_t m = 0;                                                                    \
		for (unsigned l = 0; l < 32; l++) {                                                \
			T a = ap[l], b = bp[l];                                                    \
			m |= (uint32_t)(expr) << l;                                                \
		}                                                                                  \
		return m;                                                                          \
	}
#define ORDERS(suffix, T, of)                                                                      \
	MASK(eq_##suffix, T, of(a) == of(b))                                                       \
	MASK(ne_##suffix, T, of(a) != of(b))                                                       \
	MASK(lt_##suffix, T, of(a) < of(b))                                                        \
	MASK(le_##suffix, T, of(a) <= of(b))                                                       \
	MASK(gt_##suffix, T, of(a) > of(b))                                                        \
	MASK(ge_##suffix, T, of(a) >= of(b))
/* ne of floats is ordered too: false if either is a NaN. */
#define FLOATS(suffix, T, of)                                                                      \
	MASK(eq_##suffix, T, of(a) == of(b))                                                       \
	MASK(ne_##suffix, T, of(a) < of(b) || of(a) > of(b))                                       \
	MASK(lt_##suffix, T, of(a) < of(b))                                                        \
	MASK(le_##suffix, T, of(a) <= of(b))                                                       \
	MASK(gt_##suffix, T, of(a) > of(b))                                                        \
	MASK(ge_##suffix, T, of(a) >= of(b))                                                       \
	MASK(equ_##suffix, T, !(of(a) < of(b) || of(a) > of(b)))                                   \
	MASK(neu_##suffix, T, of(a) != of(b))                                                      \
	MASK(ltu_##suffix, T, !(of(a) >= of(b)))                                                   \
	MASK(leu_##suffix, T, !(of(a) > of(b)))                                                    \
	MASK(gtu_##suffix, T, !(of(a) <= of(b)))                                                   \
	MASK(geu_##suffix, T, !(of(a) < of(b)))                                                    \
	MASK(num_##suffix, T, !isnan(of(a)) && !isnan(of(b)))                                      \
	MASK(nan_##suffix, T, isnan(of(a)) || isnan(of(b)))

#define SELF(x) (x)
#define H(x)	half_value(half_f16, x)
#define G(x)	half_value(half_bf16, x)
ORDERS(u16, uint16_t, SELF)
ORDERS(s16, int16_t, SELF)
ORDERS(u32, uint32_t, SELF)
ORDERS(s32, int32_t, SELF)
ORDERS(u64, uint64_t, SELF)
ORDERS(s64, int64_t, SELF)
FLOATS(f32, float, SELF)
FLOATS(f64, double, SELF)
FLOATS(f16, uint16_t, H)
FLOATS(bf16, uint16_t, G)

/* Pairs are compared by halves, which alu.c extracts. */
#define BY_FLOAT(op)                                                                               \
	[T_f32] = op##_f32, [T_f64] = op##_f64, [T_f16] = op##_f16, [T_bf16] = op##_bf16,          \
	[T_f16x2] = op##_f16, [T_bf16x2] = op##_bf16
#define BY_TYPE(op)                                                                                \
	{ [T_u16] = op##_u16, [T_s16] = op##_s16, [T_b16] = op##_u16, [T_u32] = op##_u32,          \
	  [T_s32] = op##_s32, [T_b32] = op##_u32, [T_u64] = op##_u64, [T_s64] = op##_s64,          \
	  [T_b64] = op##_u64, BY_FLOAT(op) }

mask_fn *const cmp_table[N_CMP][N_TYPES] = {
	[CMP_EQ] = BY_TYPE(eq),	  [CMP_NE] = BY_TYPE(ne),      [CMP_LT] = BY_TYPE(lt),
	[CMP_LE] = BY_TYPE(le),	  [CMP_GT] = BY_TYPE(gt),      [CMP_GE] = BY_TYPE(ge),
	[CMP_EQU] = { BY_FLOAT(equ) }, [CMP_NEU] = { BY_FLOAT(neu) }, [CMP_LTU] = { BY_FLOAT(ltu) },
	[CMP_LEU] = { BY_FLOAT(leu) }, [CMP_GTU] = { BY_FLOAT(gtu) }, [CMP_GEU] = { BY_FLOAT(geu) },
	[CMP_NUM] = { BY_FLOAT(num) }, [CMP_NAN] = { BY_FLOAT(nan) },
};

/* -- testp: a zero counts as normal ------------------------------------------------------- */

#define TEST(name, T, expr)                                                                        \
	static uint32_t name(const void *const *s)                                                 \
	{                                                                                          \
		const T *ap = s[0];                                                                \
		uint32_t m = 0;                                                                    \
		for (unsigned l = 0; l < 32; l++) {                                                \
			T a = ap[l];                                                               \
			m |= (uint32_t)(expr) << l;                                                \
		}                                                                                  \
		return m;                                                                          \
	}
#define TESTS(suffix, T)                                                                           \
	TEST(finite_##suffix, T, isfinite(a) != 0)                                                 \
	TEST(infinite_##suffix, T, isinf(a) != 0)                                                  \
	TEST(number_##suffix, T, !isnan(a))                                                        \
	TEST(notanumber_##suffix, T, isnan(a) != 0)                                                \
	TEST(normal_##suffix, T, isnormal(a) || a == 0)                                            \
	TEST(subnormal_##suffix, T, fpclassify(a) == FP_SUBNORMAL)
TESTS(f32, float)
TESTS(f64, double)
#define BOTH(name) { [T_f32] = name##_f32, [T_f64] = name##_f64 }
mask_fn *const testp_table[OP_SUBNORMAL + 1][N_TYPES] = {
	[OP_FINITE] = BOTH(finite),	    [OP_INFINITE] = BOTH(infinite),
	[OP_NUMBER] = BOTH(number),	    [OP_NOTANUMBER] = BOTH(notanumber),
	[OP_NORMAL] = BOTH(normal),	    [OP_SUBNORMAL] = BOTH(subnormal),
};
