/* Division and square root.
 *
 * Division of an integer by a constant uses multiplication (T. Granlund and P. L. Montgomery,
 * "Division by Invariant Integers using Multiplication", 1994), on either unit. */
#include "gen_emit.h"

/* -- Helpers ----------------------------------------------------------------------------------- */

static struct src
vreg_ones(struct emit *e, uint32_t reg)
{
	put_mov_v(e, reg, src_of(SRC_ONES));
	return src_v(reg);
}

static void
put_fma(struct emit *e, uint32_t dst, struct src a, struct src b, struct src c, unsigned neg)
{
	put_v3m(e, GCN_OP_v_fma_f32, dst, a, b, c, neg * (uint32_t)SIGN_NEG);
}

/* -- Float division ------------------------------------------------------------------------------- */

static void
put_div_scale(struct emit *e, uint32_t dst, struct src a, struct src b, struct src c)
{
	gen_valu_writes(e, dst, SRC_VCC);
	gcn_vop3b(gen_out(e), gen_row(e, GCN_OP_v_div_scale_f32), 256 + dst, SRC_VCC, a.n, b.n, c.n, plain);
}

/* Newton iteration on scaled numbers (AMD's ISA guides, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP). The
 * result is correctly rounded. */
static void
emit_divide(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src num = gen_vector(e, gen_src(e, s->a)), den = gen_vector(e, gen_src(e, s->b)),
		   one = gen_const(0x3f800000);
	uint32_t dst = gen_result(e, i, AT_V, 1, false), d = gen_temp_v(e, 1), n = gen_temp_v(e, 1),
		 r = gen_temp_v(e, 1), q = gen_temp_v(e, 1);

	put_div_scale(e, d, den, den, num);
	put_slow(e, VOP(v_rcp_f32), r, src_v(d));
	put_div_scale(e, n, num, den, num);
	put_fma(e, q, src_v(d), src_v(r), one, 1);
	put_fma(e, r, src_v(q), src_v(r), src_v(r), 0);
	put_v2(e, VOP_C(v_mul_f32), q, src_v(n), src_v(r));
	put_fma(e, dst, src_v(d), src_v(q), src_v(n), 1);
	put_fma(e, q, src_v(dst), src_v(r), src_v(q), 0);
	put_fma(e, d, src_v(d), src_v(q), src_v(n), 1);
	gen_fmas_reads(e);
	gen_valu_reads_mask(e, src_of(SRC_VCC));
	put_v3(e, GCN_OP_v_div_fmas_f32, d, src_v(d), src_v(r), src_v(q));
	put_v3(e, GCN_OP_v_div_fixup_f32, dst, src_v(d), den, num);
}

/* -- Integer division ----------------------------------------------------------------------------- */

/* Registers of an integer division: quotient, remainder, temporary. The estimate uses the float
 * reciprocal of the divisor and one Newton step in integers. Its remainder is less than three
 * divisors, so put_one_more corrects it twice. */
struct quotient {
	uint32_t q, r, t;
};

static void
put_quotient(struct emit *e, struct quotient p, struct src x, struct src y)
{
	enum { UP = 0x4f7ffffe /* slightly less than 2^32 */ };

	put_v1(e, VOP(v_cvt_f32_u32), p.q, y);
	put_slow(e, VOP(v_rcp_f32), p.q, src_v(p.q));
	put_v2(e, VOP_C(v_mul_f32), p.q, gen_const(UP), src_v(p.q));
	put_v1(e, VOP(v_cvt_u32_f32), p.q, src_v(p.q));
	put_v2(e, VOP(v_sub_u32), p.t, src_of(SRC_ZERO), y);
	put_v2(e, VOP_3(v_mul_lo_u32), p.t, src_v(p.t), src_v(p.q));
	put_v2(e, VOP_3(v_mul_hi_u32), p.t, src_v(p.q), src_v(p.t));
	put_v2(e, VOP_C(v_add_u32), p.q, src_v(p.q), src_v(p.t));
	put_v2(e, VOP_3(v_mul_hi_u32), p.q, x, src_v(p.q));
	put_v2(e, VOP_3(v_mul_lo_u32), p.t, src_v(p.q), y);
	put_v2(e, VOP(v_sub_u32), p.r, x, src_v(p.t));
}

/* Moves one divisor from the remainder to the quotient if the remainder is large enough. */
static void
put_one_more(struct emit *e, struct quotient p, struct src y, bool rem, bool last)
{
	if (!rem) {
		put_cmp(e, VOP(v_cmp_le_u32), SRC_VCC, y, src_v(p.r), 0);
		put_v2(e, VOP_C(v_add_u32), p.t, gen_const(1), src_v(p.q));
		put_choose(e, p.q, src_v(p.q), src_v(p.t), src_of(SRC_VCC));
	}
	if (last && !rem)
		return;
	/* If r is less than y, the difference wraps to a greater number. */
	put_v2(e, VOP(v_sub_u32), p.t, src_v(p.r), y);
	put_v2(e, VOP_C(v_min_u32), p.r, src_v(p.r), src_v(p.t));
}

/* Sets dst to all ones in lanes where v is negative, otherwise to 0. */
static void
put_sign(struct emit *e, uint32_t dst, struct src v)
{
	put_v2(e, VOP(v_ashrrev_i32), dst, gen_const(31), v);
}

/* dst = (v ^ sign) - sign: negates v in lanes where sign is all ones. */
static void
put_turned(struct emit *e, uint32_t dst, struct src v, uint32_t sign)
{
	put_v2(e, VOP_C(v_xor_b32), dst, src_v(sign), v);
	put_v2(e, VOP(v_sub_u32), dst, src_v(dst), src_v(sign));
}

static void
emit_divide_int(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool rem = s->op == OP_REM, is_signed = s->type == QD_TYPE_I32;
	struct src a = gen_vector(e, gen_src(e, s->a)), b = gen_vector(e, gen_src(e, s->b)), x = a, y = b;
	uint32_t dst = gen_result(e, i, AT_V, 1, false), other = gen_temp_v(e, 1), sign = 0, t = gen_temp_v(e, 1);
	struct quotient p = { rem ? other : dst, rem ? dst : other, t };

	if (is_signed) {
		uint32_t of_b = gen_temp_v(e, 1), mx = gen_temp_v(e, 1), my = gen_temp_v(e, 1);
		sign = gen_temp_v(e, 1);
		put_sign(e, sign, a);
		put_sign(e, of_b, b);
		put_turned(e, mx, a, sign);
		put_turned(e, my, b, of_b);
		if (!rem)
			put_v2(e, VOP_C(v_xor_b32), sign, src_v(sign), src_v(of_b));
		x = src_v(mx);
		y = src_v(my);
	}
	put_quotient(e, p, x, y);
	put_one_more(e, p, y, rem, false);
	put_one_more(e, p, y, rem, true);
	if (is_signed)
		put_turned(e, dst, src_v(dst), sign);
	if (rem)
		return;
	put_cmp(e, VOP(v_cmp_eq_u32), SRC_VCC, src_of(SRC_ZERO), b, 0);
	put_choose(e, dst, src_v(dst), vreg_ones(e, t), src_of(SRC_VCC));
}

/* -- Integer division by a constant -------------------------------------------------------------- */

enum step { STEP_HIGH_U, STEP_HIGH_I, STEP_LOW, STEP_ADD, STEP_SUB, STEP_SHR, STEP_SAR, STEP_AND };
static const struct {
	uint16_t s;
	struct vop v;
	bool turned; /* the vector instruction takes the second operand first */
} steps[] = {
	[STEP_HIGH_U] = { GCN_OP_s_mul_hi_u32, LONG(v_mul_hi_u32), false },
	[STEP_HIGH_I] = { GCN_OP_s_mul_hi_i32, LONG(v_mul_hi_i32), false },
	[STEP_LOW] = { GCN_OP_s_mul_i32, LONG(v_mul_lo_u32), false },
	[STEP_ADD] = { GCN_OP_s_add_i32, SWAPS(v_add_u32), false },
	[STEP_SUB] = { GCN_OP_s_sub_i32, BACK(v_sub_u32, v_subrev_u32), false },
	[STEP_SHR] = { GCN_OP_s_lshr_b32, SHORT(v_lshrrev_b32), true },
	[STEP_SAR] = { GCN_OP_s_ashr_i32, SHORT(v_ashrrev_i32), true },
	[STEP_AND] = { GCN_OP_s_and_b32, SWAPS(v_and_b32), false },
};

/* The unit that computes. Registers are numbered within that unit. */
struct by {
	struct emit *e;
	bool scalar;
};

static struct src
reg_of(struct by by, uint32_t reg)
{
	return src_of(by.scalar ? reg : 256 + reg);
}

static uint32_t
temp_of(struct by by)
{
	return by.scalar ? gen_temp_s(by.e, 1) : gen_temp_v(by.e, 1);
}

static void
put_step(struct by by, enum step step, uint32_t dst, struct src a, struct src b)
{
	if (by.scalar)
		put_sop2(by.e, (enum gcn_op)steps[step].s, dst, a, b);
	else if (steps[step].turned)
		put_v2(by.e, steps[step].v, dst, b, a);
	else
		put_v2(by.e, steps[step].v, dst, a, b);
}

/* n / d is the upper word of n * factor, shifted right. wide: the factor has bit 32 as well. */
struct factor {
	uint32_t bits;
	uint8_t shift;
	bool wide;
};

/* Returns the smallest factor that is exact for all n of n_bits bits (CHOOSE_MULTIPLIER in the
 * paper). Both bounds have 33 bits; bit 32 is set until they are halved. */
static struct factor
factor_of(uint32_t d, uint32_t n_bits)
{
	uint32_t shift = 0;

	while (shift < 32 && UINT64_C(1) << shift < d)
		shift++;
	uint64_t over = ((UINT64_C(1) << shift) - d) << 32, one = UINT64_C(1) << 32;
	uint64_t low = one + over / d, high = one + (over + (UINT64_C(1) << (32 + shift - n_bits))) / d;
	while (shift && low / 2 < high / 2) {
		low /= 2;
		high /= 2;
		shift--;
	}
	return (struct factor){ (uint32_t)high, (uint8_t)shift, high >= one };
}

static void
by_unsigned(struct by by, uint32_t q, struct src n, uint32_t d)
{
	struct factor f = factor_of(d, 32);
	uint32_t zeros = qd_lowest_bit(d), t;

	if (f.wide && zeros) {
		f = factor_of(d >> zeros, 32 - zeros);
		put_step(by, STEP_SHR, q, n, gen_const(zeros));
		n = reg_of(by, q);
	}
	put_step(by, STEP_HIGH_U, q, n, gen_const(f.bits));
	if (f.wide) {
		/* Add half of the product of bit 32 to avoid a carry. */
		t = temp_of(by);
		put_step(by, STEP_SUB, t, n, reg_of(by, q));
		put_step(by, STEP_SHR, t, reg_of(by, t), gen_const(1));
		put_step(by, STEP_ADD, q, reg_of(by, t), reg_of(by, q));
		f.shift--;
	}
	if (f.shift)
		put_step(by, STEP_SHR, q, reg_of(by, q), gen_const(f.shift));
}

/* Rounds n toward zero to a multiple of 2^log2: adds 2^log2 - 1 to negative numbers first. The
 * result is the multiple for OP_REM, and the multiple divided by 2^log2 for OP_DIV. */
static void
by_power(struct by by, enum op op, uint32_t q, struct src n, uint32_t log2)
{
	struct src sign = n;

	if (log2 > 1) {
		put_step(by, STEP_SAR, q, n, gen_const(31));
		sign = reg_of(by, q);
	}
	put_step(by, STEP_SHR, q, sign, gen_const(32 - log2));
	put_step(by, STEP_ADD, q, n, reg_of(by, q));
	if (op == OP_REM)
		put_step(by, STEP_AND, q, gen_const(0 - (1u << log2)), reg_of(by, q));
	else
		put_step(by, STEP_SAR, q, reg_of(by, q), gen_const(log2));
}

static void
by_signed(struct by by, uint32_t q, struct src n, uint32_t d)
{
	struct factor f = factor_of(d, 31);
	uint32_t t = temp_of(by);

	put_step(by, STEP_HIGH_I, q, n, gen_const(f.bits));
	if (f.bits >> 31) /* the factor was read as a negative number, 2^32 too small */
		put_step(by, STEP_ADD, q, n, reg_of(by, q));
	if (f.shift)
		put_step(by, STEP_SAR, q, reg_of(by, q), gen_const(f.shift));
	put_step(by, STEP_SHR, t, n, gen_const(31));
	put_step(by, STEP_ADD, q, reg_of(by, t), reg_of(by, q));
}

static bool
is_power(uint32_t d)
{
	return !(d & (d - 1));
}

/* Divides by a constant other than 0. Returns false if the divisor is no such constant. */
static bool
emit_by_known(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool is_signed = s->type == QD_TYPE_I32;
	uint64_t bits, known;

	if (!gen_known(e, s->b, &bits) || !(uint32_t)bits || gen_known(e, s->a, &known))
		return false;
	bool negative = is_signed && (uint32_t)bits >> 31;
	uint32_t d = negative ? 0 - (uint32_t)bits : (uint32_t)bits;
	struct src n = gen_src(e, s->a);
	bool scalar = src_is_s(n) && gen_is_uniform(e, i);
	struct by by = { e, scalar };

	if (!scalar)
		n = gen_vector(e, n);
	uint32_t dst = gen_result(e, i, scalar ? AT_S : AT_V, 1, false), q = s->op == OP_REM ? temp_of(by) : dst;

	if (d == 1 && scalar)
		put_mov_s(e, q, n);
	else if (d == 1)
		put_mov_v(e, q, n);
	else if (is_power(d) && is_signed)
		by_power(by, (enum op)s->op, q, n, qd_log2(d));
	else if (is_power(d))
		put_step(by, STEP_SHR, q, n, gen_const(qd_log2(d)));
	else if (is_signed)
		by_signed(by, q, n, d);
	else
		by_unsigned(by, q, n, d);
	if (s->op == OP_REM && is_power(d) && is_signed && d > 1) {
		put_step(by, STEP_SUB, dst, n, reg_of(by, q));
	} else if (s->op == OP_REM) {
		put_step(by, STEP_LOW, q, reg_of(by, q), gen_const(d));
		put_step(by, STEP_SUB, dst, n, reg_of(by, q));
	} else if (negative) {
		put_step(by, STEP_SUB, dst, src_of(SRC_ZERO), reg_of(by, q));
	}
	return true;
}

void
gen_emit_quotient(struct emit *e, uint32_t i)
{
	if (gen_ins(e, i)->type == QD_TYPE_F32)
		emit_divide(e, i);
	else if (!emit_by_known(e, i))
		emit_divide_int(e, i);
}

/* -- Square root --------------------------------------------------------------------------------------- */

/* Takes the hardware's root or an adjacent float, by the sign of the residual of x. Small inputs
 * are scaled by 2^32 first. */
void
gen_emit_root(struct emit *e, uint32_t i)
{
	enum { SMALL = 0x0f800000, UP = 0x4f800000, DOWN = 0x37800000 };
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_vector(e, gen_src(e, s->a));
	uint32_t dst = gen_result(e, i, AT_V, 1, false), x = gen_temp_v(e, 1), r = gen_temp_v(e, 1),
		 near = gen_temp_v(e, 1), left = gen_temp_v(e, 1), small = gen_temp_s(e, e->mask_words);

	put_cmp(e, VOP(v_cmp_gt_f32), small, gen_const(SMALL), a, 0);
	put_v2(e, VOP_C(v_mul_f32), x, gen_const(UP), a);
	put_choose(e, x, a, src_v(x), src_of(small));
	put_slow(e, VOP(v_sqrt_f32), r, src_v(x));
	put_v2(e, VOP_C(v_add_u32), near, src_of(SRC_ONES), src_v(r));
	put_fma(e, left, src_v(near), src_v(r), src_v(x), 1);
	put_cmp(e, VOP(v_cmp_ge_f32), SRC_VCC, src_of(SRC_ZERO), src_v(left), 0);
	put_choose(e, dst, src_v(r), src_v(near), src_of(SRC_VCC));
	put_v2(e, VOP_C(v_add_u32), near, gen_const(1), src_v(r));
	put_fma(e, left, src_v(near), src_v(r), src_v(x), 1);
	put_cmp(e, VOP(v_cmp_lt_f32), SRC_VCC, src_of(SRC_ZERO), src_v(left), 0);
	put_choose(e, dst, src_v(dst), src_v(near), src_of(SRC_VCC));
	put_v2(e, VOP_C(v_mul_f32), r, gen_const(DOWN), src_v(dst));
	put_choose(e, dst, src_v(dst), src_v(r), src_of(small));
	put_cmp(e, VOP(v_cmp_class_f32), SRC_VCC, src_v(x),
		gen_vector(e, gen_const(CLASS_ZERO_OR_INF)), 0);
	put_choose(e, dst, src_v(dst), src_v(x), src_of(SRC_VCC));
}
