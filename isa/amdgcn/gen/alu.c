/* Lane arithmetic.
 *
 * The scalar unit computes an operation if the result is uniform, every operand is scalar or
 * constant, and it has an instruction. Otherwise the vector unit does. */
#include "alu.h"
#include "dpp.h"
#include "word.h"

/* -- Table of operations -------------------------------------------------------------------- */

enum form { FORM_NONE, FORM_BIN, FORM_SHIFT, FORM_UNA };
struct row {
	uint8_t form;
	uint16_t s;
	struct vop v;
};

/* Indexed by the result's type, which is also the operands' type for these operations. */
static const struct row alu_rows[N_OP][N_CLASS + 1] = {
#define BIN(op, class, s, ...)	 [OP_##op][ON_##class] = { FORM_BIN, s, __VA_ARGS__ },
#define SHIFT(op, class, s, ...) [OP_##op][ON_##class] = { FORM_SHIFT, s, __VA_ARGS__ },
#define UNA(op, class, s, ...)	 [OP_##op][ON_##class] = { FORM_UNA, s, __VA_ARGS__ },
#define CMP(...)
#include "alu.def"
};

/* -- Three-operand instructions ---------------------------------------------------------------- */

/* Instructions that compute `user` together with its fused operand `op`. */
static const struct three {
	uint8_t user, op;
	uint16_t row;
	uint16_t if_signed; /* of a signed op, if the row depends on it */
} threes[] = {
	{ OP_ADD, OP_ADD, GCN_OP_v_add3_u32, 0 },	  { OP_ADD, OP_SHL, GCN_OP_v_lshl_add_u32, 0 },
	{ OP_ADD, OP_MUL, GCN_OP_v_lshl_add_u32, 0 }, { OP_ADD, OP_XOR, GCN_OP_v_xad_u32, 0 },
	{ OP_SHL, OP_ADD, GCN_OP_v_add_lshl_u32, 0 }, { OP_OR, OP_SHL, GCN_OP_v_lshl_or_b32, 0 },
	{ OP_OR, OP_AND, GCN_OP_v_and_or_b32, 0 },	  { OP_OR, OP_OR, GCN_OP_v_or3_b32, 0 },
	{ OP_XOR, OP_XOR, GCN_OP_v_xor3_b32, 0 },
	{ OP_ADD, OP_MUL24, GCN_OP_v_mad_u32_u24, GCN_OP_v_mad_i32_i24 },
	{ OP_AND, OP_SHR, GCN_OP_v_bfe_u32, 0 },
	{ OP_MIN, OP_MIN, GCN_OP_v_min3_u32, GCN_OP_v_min3_i32 },
	{ OP_MAX, OP_MAX, GCN_OP_v_max3_u32, GCN_OP_v_max3_i32 },
	{ OP_MIN, OP_MAX, GCN_OP_v_maxmin_u32, GCN_OP_v_maxmin_i32 },
	{ OP_MAX, OP_MIN, GCN_OP_v_minmax_u32, GCN_OP_v_minmax_i32 },
};

static const struct three *
find_three(const struct emit *e, const struct ins *s, uint32_t *inner)
{
	for (uint32_t j = 0; j < 2; j++) {
		uint32_t v = s->arg[j];
		if (!v || !gen_is_fused(e, v))
			continue;
		for (uint32_t i = 0; i < QD_COUNT(threes); i++) {
			if (threes[i].user == s->op && threes[i].op == gen_ins(e, v)->op) {
				*inner = j;
				return &threes[i];
			}
		}
	}
	return NULL;
}

static void
emit_three(struct emit *e, uint32_t i, const struct three *t, uint32_t inner)
{
	const struct ins *s = gen_ins(e, i), *in = gen_ins(e, s->arg[inner]);
	uint32_t x = in->a, y = in->b;
	uint64_t bits = 0;
	struct src a, b, c;

	if (t->op == OP_MUL && gen_known(e, x, &bits)) {
		x = in->b;
		y = in->a;
	}
	a = gen_src(e, x);
	if (t->op == OP_MUL && gen_known(e, y, &bits))
		b = gen_const(qd_log2((uint32_t)bits));
	else if ((t->op == OP_SHL || t->op == OP_SHR) && gen_known(e, y, &bits))
		b = gen_const((uint32_t)bits & 31);
	else
		b = gen_src(e, y);
	if (t->op == OP_SHR && gen_known(e, s->arg[1 - inner], &bits))
		c = gen_const(qd_log2((uint32_t)bits + 1));
	else
		c = gen_src(e, s->arg[1 - inner]);
	if (t->op == OP_SHR && (uint32_t)bits == UINT32_MAX)
		c = gen_const(32);
	put_v3(e, (enum gcn_op)(t->if_signed && type_info[in->type].is_signed ? t->if_signed : t->row),
	       gen_result_v(e, i), a, b, c);
}

/* -- Operations of the table -------------------------------------------------------------------- */

/* Combines the values of the two halves of the wave, each of which is uniform. The operation must
 * be commutative. */
static void
emit_of_halves(struct emit *e, uint32_t i, const struct row *row, uint32_t of)
{
	struct src v = gen_vector(e, gen_src(e, of));
	uint32_t low = gen_temp_s(e, 1), high = gen_temp_s(e, 1);

	put_readlane(e, low, v, src_of(SRC_ZERO));
	put_readlane(e, high, v, gen_const(32));
	put_v2(e, row->v, gen_result_v(e, i), src_of(low), src_of(high));
}

/* Adds the bit of a mask that a fused selection of 1 or 0 reads. */
static QD_APART void
emit_add_bit(struct emit *e, uint32_t i, uint32_t j)
{
	const struct ins *s = gen_ins(e, i);
	struct src m = gen_mask(e, gen_ins(e, s->arg[j])->a), x = gen_vector(e, gen_src(e, s->arg[1 - j]));

	if (QD_UNLIKELY(!src_is_s(m))) { /* constant */
		put_v2(e, VOP(v_add_u32), gen_result_v(e, i), gen_const(m.n != SRC_ZERO), x);
		return;
	}
	uint32_t dst = gen_result_v(e, i);
	gen_valu_reads(e, x);
	gen_valu_reads_mask(e, m);
	gen_valu_writes(e, dst, SRC_VCC);
	if (m.n == SRC_VCC)
		gcn_vop2(gen_out(e), gen_row(e, GCN_OP_v_addc_co_u32), 256 + dst, SRC_ZERO, x.n);
	else
		gcn_vop3b(gen_out(e), gen_row(e, GCN_OP_v_addc_co_u32_e64), 256 + dst, SRC_VCC, SRC_ZERO, x.n, m.n,
			  plain);
}

/* Emits a binary operation whose operand j is a fused lane pattern, as one DPP instruction. */
static QD_APART void
emit_with_lane(struct emit *e, uint32_t i, const struct row *row, uint32_t j)
{
	const struct ins *s = gen_ins(e, i), *pattern = gen_ins(e, s->arg[j]);
	uint32_t signs = 0;
	int ctrl = gen_pattern_ctrl(e, pattern);

	if (QD_UNLIKELY(ctrl < 0)) {
		emit_of_halves(e, i, row, pattern->a);
		return;
	}
	struct src lane = gen_vector(e, gen_src(e, pattern->a));
	struct src own = gen_vector(e, signed_src(e, s->arg[1 - j], 1, &signs));
	struct gcn_dpp d = DPP_WHOLE(ctrl);
	d.neg = gen_mods(signs).neg;
	d.abs = gen_mods(signs).abs;
	word_dpp2(e, (enum gcn_op)(j ? row->v.rev : row->v.e32), gen_result_v(e, i), lane, own, &d);
}

/* Returns true if the scalar unit computes i, which must be uniform. */
static bool
is_scalar(const struct emit *e, uint32_t i, const struct row *row)
{
	return row->s && gen_on_scalar(e, i) &&
	       gen_regclass(e->t, (qd_type)gen_ins(e, i)->type, e->body->level[i]) == GEN_S;
}

/* Emits 0 - (x & 1), which extends the lowest bit of x. */
static void
emit_low_bit(struct emit *e, uint32_t i, uint32_t and)
{
	struct src x = gen_src(e, gen_ins(e, and)->a);

	put_v3(e, GCN_OP_v_bfe_i32, gen_result_v(e, i), x, src_of(SRC_ZERO), gen_const(1));
}

/* Emits an operation with a fused operand other than a lane pattern. The vector unit computes it. */
static QD_APART void
emit_fused(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t signs = 0;
	const struct three *t;
	uint32_t inner;

	if ((t = find_three(e, s, &inner))) {
		emit_three(e, i, t, inner);
		return;
	}
	if (is_fused(e, s->a, OP_SELECT) || is_fused(e, s->b, OP_SELECT)) {
		emit_add_bit(e, i, is_fused(e, s->b, OP_SELECT));
		return;
	}
	if (s->op == OP_SUB && is_fused(e, s->b, OP_AND)) {
		emit_low_bit(e, i, s->b);
		return;
	}
	struct src a = signed_src(e, s->a, 0, &signs), b = signed_src(e, s->b, 1, &signs);
	bool turned = row->form == FORM_SHIFT;
	put_v2m(e, row->v, gen_result_v(e, i), turned ? b : a, turned ? a : b, signs);
}

/* Multiplies by 2^k + 1 in one instruction, which takes a quarter of a product's time. Returns false
 * for other products. */
static bool
emit_shift_add(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t x = s->a;
	uint64_t k;

	if (s->op != OP_MUL || s->type == QD_TYPE_F32)
		return false;
	if (!gen_known(e, s->b, &k)) {
		if (!gen_known(e, s->a, &k))
			return false;
		x = s->b;
	}
	uint32_t power = (uint32_t)k - 1;
	if (power < 2 || (power & (power - 1)))
		return false;
	struct src v = gen_src(e, x);
	put_v3(e, GCN_OP_v_lshl_add_u32, gen_result_v(e, i), v, gen_const(qd_log2(power)), v);
	return true;
}

static QD_APART void
emit_binary(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);

	if (gen_is_uniform(e, i) && is_scalar(e, i, row)) {
		struct src a = gen_src(e, s->a), b = gen_src(e, s->b);
		put_sop2(e, (enum gcn_op)row->s, gen_result(e, i, AT_S, 1, true), a, b);
		return;
	}
	if (emit_shift_add(e, i))
		return;
	struct src a = gen_src(e, s->a), b = gen_src(e, s->b);
	bool turned = row->form == FORM_SHIFT;
	put_v2(e, row->v, gen_result_v(e, i), turned ? b : a, turned ? a : b);
}

static QD_APART void
emit_unary(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_src(e, s->a);

	if (gen_is_uniform(e, i) && is_scalar(e, i, row))
		put_sop1(e, (enum gcn_op)row->s, gen_result(e, i, AT_S, 1, true), a);
	else
		put_v1(e, row->v, gen_result_v(e, i), a);
}

/* -- Operations of several instructions ----------------------------------------------------------------------- */

static void
emit_negate(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool is_float = s->type == QD_TYPE_F32;

	if (is_fused(e, s->a, OP_AND)) {
		emit_low_bit(e, i, s->a);
		return;
	}
	if (gen_on_scalar(e, i)) {
		struct src a = gen_src(e, s->a);
		uint32_t dst = gen_result(e, i, AT_S, 1, true);
		if (is_float)
			put_sop2(e, GCN_OP_s_xor_b32, dst, a, gen_const(0x80000000));
		else
			put_sop2(e, GCN_OP_s_sub_i32, dst, src_of(SRC_ZERO), a);
		return;
	}
	if (is_float && is_fused(e, s->a, OP_ABS)) {
		struct src a = gen_src(e, gen_ins(e, s->a)->a);
		put_v2(e, VOP_C(v_or_b32), gen_result_v(e, i), gen_const(0x80000000), a);
		return;
	}
	struct src a = gen_src(e, s->a);
	uint32_t dst = gen_result_v(e, i);
	if (is_float)
		put_v2(e, VOP_C(v_xor_b32), dst, gen_const(0x80000000), a);
	else
		put_v2(e, VOP(v_sub_u32), dst, src_of(SRC_ZERO), a);
}

/* Copies the bits unchanged. */
static void
emit_copy(struct emit *e, uint32_t i)
{
	uint32_t a = gen_ins(e, i)->a;

	gen_word(e, a, 0); /* wait for the operand first */
	gen_result(e, i, gen_is_scalar(e, a) ? AT_S : AT_V, 1, true);
	put_move(e, e->loc[i], a);
}

static void
emit_abs(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (s->type == QD_TYPE_U32) {
		emit_copy(e, i);
		return;
	}
	struct src a = gen_src(e, s->a);
	if (s->type == QD_TYPE_F32) {
		if (gen_on_scalar(e, i))
			put_sop2(e, GCN_OP_s_and_b32, gen_result(e, i, AT_S, 1, true), a, gen_const(0x7fffffff));
		else
			put_v2(e, VOP_C(v_and_b32), gen_result_v(e, i), gen_const(0x7fffffff), a);
	} else if (gen_on_scalar(e, i)) {
		put_sop1(e, GCN_OP_s_abs_i32, gen_result(e, i, AT_S, 1, true), a);
	} else {
		uint32_t dst = gen_result(e, i, AT_V, 1, false);
		a = gen_vector(e, a);
		put_v2(e, VOP(v_sub_u32), dst, src_of(SRC_ZERO), a);
		put_v2(e, VOP_C(v_max_i32), dst, src_of(256 + dst), a);
	}
}

/* Emits a bit count. The hardware's bit searches return all ones if no bit is found. */
static void
emit_count(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool scalar = gen_on_scalar(e, i);
	struct src a = gen_src(e, s->a);
	uint32_t dst = gen_result(e, i, scalar ? AT_S : AT_V, 1, s->op == OP_POPCOUNT);

	switch (s->op) {
	case OP_POPCOUNT:
		if (scalar)
			put_sop1(e, GCN_OP_s_bcnt1_i32_b32, dst, a);
		else
			put_v2(e, VOP_3(v_bcnt_u32_b32), dst, a, src_of(SRC_ZERO));
		break;
	case OP_CLZ:
		if (scalar) {
			put_sop1(e, GCN_OP_s_flbit_i32_b32, dst, a);
			put_sop2(e, GCN_OP_s_min_u32, dst, src_of(dst), gen_const(32));
		} else {
			put_v1(e, VOP(v_ffbh_u32), dst, a);
			put_v2(e, VOP_C(v_min_u32), dst, gen_const(32), src_of(256 + dst));
		}
		break;
	default: /* FFS counts from 1 */
		if (scalar) {
			put_sop1(e, GCN_OP_s_ff1_i32_b32, dst, a);
			put_sop2(e, GCN_OP_s_add_i32, dst, src_of(dst), gen_const(1));
		} else {
			put_v1(e, VOP(v_ffbl_b32), dst, a);
			put_v2(e, VOP_C(v_add_u32), dst, gen_const(1), src_of(256 + dst));
		}
	}
}

static void
emit_convert(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type from = ir_lead_type(e->ir, s), to = (qd_type)s->type;

	if (type_info[from].is_float == type_info[to].is_float) {
		emit_copy(e, i);
		return;
	}
	struct src a = gen_src(e, s->a);
	uint32_t dst = gen_result_v(e, i);
	if (to == QD_TYPE_F32)
		put_v1(e, from == QD_TYPE_I32 ? VOP(v_cvt_f32_i32) : VOP(v_cvt_f32_u32), dst, a);
	else
		put_v1(e, to == QD_TYPE_I32 ? VOP(v_cvt_i32_f32) : VOP(v_cvt_u32_f32), dst, a);
}

static void
emit_fma(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t signs = 0;
	struct src a = signed_src(e, s->a, 0, &signs), b = signed_src(e, s->b, 1, &signs),
		   c = signed_src(e, s->c, 2, &signs);

	put_v3m(e, GCN_OP_v_fma_f32, gen_result_v(e, i), a, b, c, signs);
}

/* The scalar unit has no funnel shift. Its shifts take the count modulo 32, and the result is written
 * after the last operand is read. */
static void
emit_scalar_funnel(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src hi = gen_src(e, s->a), lo = gen_src(e, s->b), n = gen_src(e, s->c);
	uint32_t low = gen_temp_s(e, 1), high = gen_temp_s(e, 1);
	uint64_t k;

	put_sop2(e, GCN_OP_s_lshr_b32, low, lo, n);
	if (gen_known(e, s->c, &k)) {
		put_sop2(e, GCN_OP_s_lshl_b32, high, hi, gen_const(32 - (uint32_t)k));
	} else {
		uint32_t rest = gen_temp_s(e, 1);
		put_sop1(e, GCN_OP_s_not_b32, rest, n);
		put_sop2(e, GCN_OP_s_lshl_b32, high, hi, gen_const(1));
		put_sop2(e, GCN_OP_s_lshl_b32, high, src_of(high), src_of(rest));
	}
	put_sop2(e, GCN_OP_s_or_b32, gen_result(e, i, AT_S, 1, true), src_of(high), src_of(low));
}

static void
emit_funnel(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (gen_on_scalar(e, i)) {
		emit_scalar_funnel(e, i);
		return;
	}
	struct src hi = gen_src(e, s->a), lo = gen_src(e, s->b), n = gen_src(e, s->c);
	put_v3(e, GCN_OP_v_alignbit_b32, gen_result_v(e, i), hi, lo, n);
}

static void
emit_bit_select(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (gen_on_scalar(e, i)) {
		struct src m = gen_src(e, s->a), yes = gen_src(e, s->b), no = gen_src(e, s->c);
		uint32_t set = gen_temp_s(e, 1), clear = gen_temp_s(e, 1);

		put_sop2(e, GCN_OP_s_and_b32, set, m, yes);
		put_sop2(e, GCN_OP_s_andn2_b32, clear, no, m);
		put_sop2(e, GCN_OP_s_or_b32, gen_result(e, i, AT_S, 1, true), src_of(set), src_of(clear));
		return;
	}
	struct src m = gen_src(e, s->a), yes = gen_src(e, s->b), no = gen_src(e, s->c);
	put_v3(e, GCN_OP_v_bfi_b32, gen_result_v(e, i), m, yes, no);
}

static void
emit_byte_select(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src high = gen_src(e, s->a), low = gen_src(e, s->b), selector = gen_src(e, s->c);

	put_v3(e, GCN_OP_v_perm_b32, gen_result_v(e, i), high, low, selector);
}

/* v_dot4_i32_iu8 takes the signs of its factors from neg_lo. */
static void
emit_dot(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src x = gen_src(e, s->a), y = gen_src(e, s->b), acc = gen_src(e, s->c);
	enum gcn_op op = s->op == OP_DOT4_U8 ? GCN_OP_v_dot4_u32_u8 :
			 e->t->dot > 1	     ? GCN_OP_v_dot4_i32_iu8 : GCN_OP_v_dot4_i32_i8;
	uint32_t neg = op != GCN_OP_v_dot4_i32_iu8 ? 0 : s->op == OP_DOT4_I8 ? 3 : 1;

	put_dot(e, op, gen_result_v(e, i), x, y, acc, neg);
}

/* -- Dispatch ------------------------------------------------------------------------------------- */

typedef void special_fn(struct emit *e, uint32_t i);
static const struct special {
	uint16_t types; /* leading types */
	special_fn *emit;
} specials[N_OP] = {
	[OP_NEG] = { TM_I32 | 1u << QD_TYPE_F32, emit_negate },
	[OP_ABS] = { TM_I32 | 1u << QD_TYPE_F32, emit_abs },
	[OP_POPCOUNT] = { TM_I32, emit_count },
	[OP_CLZ] = { TM_I32, emit_count },
	[OP_FFS] = { TM_I32, emit_count },
	[OP_CVT] = { TM_I32 | 1u << QD_TYPE_F32, emit_convert },
	[OP_FUNNEL_RIGHT] = { TM_I32, emit_funnel },
	[OP_BIT_SELECT] = { TM_I32, emit_bit_select },
	[OP_BYTE_SELECT] = { 1u << QD_TYPE_U32, emit_byte_select },
	[OP_DOT4_I8] = { 1u << QD_TYPE_I32, emit_dot },
	[OP_DOT4_U8] = { 1u << QD_TYPE_U32, emit_dot },
	[OP_DOT4_I8U8] = { 1u << QD_TYPE_I32, emit_dot },
	[OP_WIDEN_F16] = { 1u << QD_TYPE_U32, gen_emit_half },
	[OP_NARROW_F16] = { 1u << QD_TYPE_F32, gen_emit_half },
	[OP_NARROW_BF16] = { 1u << QD_TYPE_F32, gen_emit_half },
	[OP_FMA] = { 1u << QD_TYPE_F32, emit_fma },
	[OP_SQRT] = { 1u << QD_TYPE_F32, gen_emit_root },
	[OP_DIV] = { TM_I32 | 1u << QD_TYPE_F32, gen_emit_quotient },
	[OP_REM] = { TM_I32, gen_emit_quotient },
	[OP_SELECT] = { TM_I32 | 1u << QD_TYPE_F32 | TM_BOOL, gen_emit_select },
};
enum { TYPES = TM_I32 | 1u << QD_TYPE_F32 | TM_BOOL };

static const struct row *
row_of(enum op op, qd_type t)
{
	const struct row *r = &alu_rows[op][class_of[t]];

	return r->form ? r : NULL;
}

uint16_t
gen_short_of(enum op op, qd_type type)
{
	const struct row *r = row_of(op, type);

	return r && r->form == FORM_BIN ? r->v.e32 : 0;
}

static bool
is_mask_logic(enum op op)
{
	return op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_NOT;
}

bool
gen_has_alu(const struct gen_target *t, enum op op, qd_type type, qd_type to)
{
	if (op == OP_NARROW_BF16 && !t->bf16)
		return false;
	if (op_info[op].sig == SIG_DOT4 && t->dot < (op == OP_DOT4_I8U8 ? 2 : 1))
		return false;
	if (type_is(type, TM_64) || (type_is(to, TM_64) && type_is(type, TM_NUM)))
		return gen_has_wide(op, type, to);
	if (!(TYPES >> type & 1) || (to != QD_TYPE_NONE && !(TYPES >> to & 1)))
		return false;
	if (op == OP_BITCAST || op == OP_EQ || op == OP_NE || (type == QD_TYPE_BOOL && is_mask_logic(op)))
		return true;
	if (op == OP_LT || op == OP_LE)
		return type != QD_TYPE_BOOL;
	return specials[op].emit ? specials[op].types >> type & 1 : row_of(op, type) != NULL;
}

/* Emits an operation that has no row in the table. */
static QD_APART void
emit_other(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type t = ir_lead_type(e->ir, s);

	if (is_compare((enum op)s->op)) {
		gen_emit_condition(e, i);
	} else if (s->type != QD_TYPE_BOOL && (type_is(t, TM_64) || type_is((qd_type)s->type, TM_64))) {
		gen_emit_wide(e, i);
	} else if (t == QD_TYPE_BOOL && is_mask_logic((enum op)s->op)) {
		if (s->op == OP_NOT)
			gen_emit_condition(e, i);
		else
			gen_emit_mask_logic(e, i);
	} else if (specials[s->op].emit && specials[s->op].types >> t & 1) {
		specials[s->op].emit(e, i);
	} else {
		gen_illegal(e, i, "the target has no such instruction");
	}
}

void
gen_emit_alu(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	const struct row *row = row_of((enum op)s->op, (qd_type)s->type);

	if (QD_UNLIKELY(!row))
		emit_other(e, i);
	else if (row->form == FORM_UNA)
		emit_unary(e, i, row);
	else if (QD_LIKELY(!((e->plan[s->a].flags | e->plan[s->b].flags) & GEN_FUSE)))
		emit_binary(e, i, row);
	else if (is_fused(e, s->b, OP_LANE_PATTERN))
		emit_with_lane(e, i, row, 1);
	else if (is_fused(e, s->a, OP_LANE_PATTERN))
		emit_with_lane(e, i, row, 0);
	else
		emit_fused(e, i, row);
}
