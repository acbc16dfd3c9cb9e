/* Register pairs: 64-bit integers and floats. */
#include "gen_emit.h"
#include "table.h"

/* -- Sources ----------------------------------------------------------------------------------- */

/* Returns the inline constant with this value, or 0 if the value needs registers. */
static uint32_t
inline_wide(uint64_t bits, bool is_float)
{
	int64_t number = (int64_t)bits;

	if (number >= -16 && number <= 64)
		return number >= 0 ? 128 + (uint32_t)number : 192 + (uint32_t)-number;
	if (!is_float || bits & UINT64_C(0xffffffffffff))
		return 0;
	return gcn_float_code(gcn_double_bits, GCN_N_CONSTANT - 1, (uint32_t)(bits >> 48));
}

struct src
gen_wide(struct emit *e, uint32_t v, bool is_float)
{
	const struct gen_loc *l = &e->loc[v];
	uint32_t reg;

	if (l->at == AT_CONST) {
		uint64_t bits = const_bits(gen_ins(e, l->of));
		uint32_t n = inline_wide(bits, is_float);
		if (n)
			return src_of(n);
		reg = gen_temp_s(e, 2);
		put_mov_s(e, reg, gen_const((uint32_t)bits));
		put_mov_s(e, reg + 1, gen_const((uint32_t)(bits >> 32)));
		return src_of(reg);
	}
	struct src s = gen_word(e, v, 0);
	gen_valu_reads(e, gen_word(e, v, 1)); /* the instruction reports the read of the first word */
	return s;
}

static struct src
wide_signed(struct emit *e, uint32_t v, unsigned bit, uint32_t *signs)
{
	return gen_wide(e, gen_without_signs(e, v, bit, signs), true);
}

static struct src
word(struct src pair, uint32_t w)
{
	/* The high word of an inline integer is its sign. Inline floats are not passed here. */
	if (pair.n >= 128 && pair.n < 256)
		return !w ? pair : pair.n > 192 && pair.n < 209 ? src_of(SRC_ONES) : src_of(SRC_ZERO);
	return src_of(pair.n + w);
}

struct src
gen_wide_vector(struct emit *e, struct src s)
{
	uint32_t reg;

	if (src_is_v(s))
		return s;
	reg = gen_temp_v(e, 2);
	if (src_is_s(s)) {
		put_mov_pair(e, reg, s, src_of(s.n + 1u));
	} else if (s.n >= GCN_FLOATS) {
		put_mov_v(e, reg, src_of(SRC_ZERO));
		put_mov_v(e, reg + 1, gen_const((uint32_t)gcn_double_bits[s.n - GCN_FLOATS] << 16));
	} else {
		put_mov_v(e, reg, word(s, 0));
		put_mov_v(e, reg + 1, word(s, 1));
	}
	return src_of(256 + reg);
}

/* Moves sources to vector registers until the others fit the scalar bus limit. A pair counts once. */
static void
fit(struct emit *e, struct src *s, uint32_t n)
{
	uint32_t used[3], n_used = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool known = false;
		if (!src_is_s(s[i]))
			continue;
		for (uint32_t k = 0; k < n_used; k++)
			known |= used[k] == s[i].n;
		if (known)
			continue;
		if (n_used == e->t->bus)
			s[i] = gen_wide_vector(e, s[i]);
		else
			used[n_used++] = s[i].n;
	}
}

void
gen_put_wide(struct emit *e, enum gcn_op op, uint32_t dst, struct src a, struct src b, struct src c,
	 uint32_t signs)
{
	struct src s[] = { a, b, c };
	uint32_t n = c.n == GCN_OFF ? b.n == GCN_OFF ? 1 : 2 : 3;

	fit(e, s, n);
	for (uint32_t k = 0; k < n; k++)
		gen_valu_reads(e, s[k]);
	gen_valu_writes(e, dst, GCN_OFF);
	gcn_vop3m(gen_out(e), gen_row(e, op), 256 + dst, s[0].n, s[1].n, s[2].n,
		  gen_mods(signs));
}

/* -- Integers ----------------------------------------------------------------------------------- */

/* Adds or subtracts the low words with carry out to vcc, then the high words with that carry. */
static void
put_carry(struct emit *e, bool add, uint32_t dst, struct src a, struct src b)
{
	struct src lo[] = { word(a, 0), word(b, 0) }, x = word(a, 1), y = word(b, 1);

	if (src_is_s(lo[0]) && src_is_s(lo[1]) && lo[0].n != lo[1].n && e->t->bus == 1)
		lo[1] = gen_vector(e, lo[1]);
	if (add && !src_is_v(y)) {
		struct src swap = x;
		x = y;
		y = swap;
	}
	y = gen_vector(e, y);
	if (e->t->bus == 1 && src_is_s(x)) /* vcc also counts */
		x = gen_vector(e, x);
	gen_valu_reads(e, lo[0]);
	gen_valu_reads(e, lo[1]);
	gen_valu_writes(e, dst, SRC_VCC);
	struct gcn_out *o = gen_out(e);
	gcn_vop3b(o, gen_row(e, add ? GCN_OP_v_add_co_u32_e64 : GCN_OP_v_sub_co_u32_e64), 256 + dst, SRC_VCC,
		  lo[0].n, lo[1].n, GCN_OFF, plain);
	gen_valu_reads(e, x);
	gen_valu_reads_mask(e, src_of(SRC_VCC));
	gen_valu_writes(e, dst + 1, SRC_VCC);
	o = gen_out(e);
	gcn_vop2(o, gen_row(e, add ? GCN_OP_v_addc_co_u32 : GCN_OP_v_subb_co_u32), 256 + dst + 1, x.n, y.n);
}

/* Adds two integers. gfx940 and later have one instruction for it. */
static void
put_sum(struct emit *e, uint32_t dst, struct src a, struct src b)
{
	enum gcn_row_id row = gen_row(e, GCN_OP_v_lshl_add_u64);

	if (!gcn_has(e->gcn, row)) {
		put_carry(e, true, dst, a, b);
		return;
	}
	struct src s[] = { a, b };
	fit(e, s, 2);
	gen_valu_reads(e, s[0]);
	gen_valu_reads(e, s[1]);
	gen_valu_writes(e, dst, GCN_OFF);
	gcn_vop3(gen_out(e), row, 256 + dst, s[0].n, SRC_ZERO, s[1].n);
}

static void
emit_sum(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_wide(e, s->a, false), b = gen_wide(e, s->b, false);
	bool add = s->op == OP_ADD;
	uint32_t dst;

	if (gen_on_scalar(e, i)) {
		dst = gen_result(e, i, AT_S, 2, false);
		put_sop2(e, add ? GCN_OP_s_add_u32 : GCN_OP_s_sub_u32, dst, word(a, 0), word(b, 0));
		put_sop2(e, add ? GCN_OP_s_addc_u32 : GCN_OP_s_subb_u32, dst + 1, word(a, 1), word(b, 1));
	} else if (add) {
		put_sum(e, gen_result(e, i, AT_V, 2, false), a, b);
	} else {
		put_carry(e, false, gen_result(e, i, AT_V, 2, false), a, b);
	}
}

static void
emit_product(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_wide(e, s->a, false), b = gen_wide(e, s->b, false);
	uint32_t dst, t;

	if (gen_on_scalar(e, i)) {
		dst = gen_result(e, i, AT_S, 2, false);
		t = gen_temp_s(e, 1);
		put_sop2(e, GCN_OP_s_mul_hi_u32, dst + 1, word(a, 0), word(b, 0));
		put_sop2(e, GCN_OP_s_mul_i32, t, word(a, 0), word(b, 1));
		put_sop2(e, GCN_OP_s_add_i32, dst + 1, src_of(dst + 1), src_of(t));
		put_sop2(e, GCN_OP_s_mul_i32, t, word(a, 1), word(b, 0));
		put_sop2(e, GCN_OP_s_add_i32, dst + 1, src_of(dst + 1), src_of(t));
		put_sop2(e, GCN_OP_s_mul_i32, dst, word(a, 0), word(b, 0));
		return;
	}
	dst = gen_result(e, i, AT_V, 2, false);
	t = gen_temp_v(e, 1);
	uint32_t u = gen_temp_v(e, 1);
	struct src x = word(a, 0), y = word(b, 0);
	put_v2(e, VOP_3(v_mul_lo_u32), t, word(a, 0), word(b, 1));
	put_v2(e, VOP_3(v_mul_lo_u32), u, word(a, 1), word(b, 0));
	if (src_is_s(x) && src_is_s(y) && x.n != y.n && e->t->bus == 1)
		y = gen_vector(e, y);
	/* On gfx11.0 the destination must not overlap the sources. */
	gen_valu_reads(e, x);
	gen_valu_reads(e, y);
	gen_valu_writes(e, dst, SRC_VCC);
	gcn_vop3b(gen_out(e), gen_row(e, GCN_OP_v_mad_u64_u32), 256 + dst, SRC_VCC, x.n, y.n, SRC_ZERO, plain);
	put_v3(e, GCN_OP_v_add3_u32, dst + 1, src_of(256 + dst + 1), src_of(256 + t), src_of(256 + u));
}

static void
emit_logic(struct emit *e, uint32_t i)
{
	static const struct {
		uint16_t s;
		struct vop v;
	} rows[N_OP] = {
		[OP_AND] = { GCN_OP_s_and_b64, SWAPS(v_and_b32) },
		[OP_OR] = { GCN_OP_s_or_b64, SWAPS(v_or_b32) },
		[OP_XOR] = { GCN_OP_s_xor_b64, SWAPS(v_xor_b32) },
	};
	const struct ins *s = gen_ins(e, i);
	uint32_t dst;

	if (gen_on_scalar(e, i)) {
		struct src a = gen_wide(e, s->a, false), b = gen_wide(e, s->b, false);
		put_sop2(e, (enum gcn_op)rows[s->op].s, gen_result(e, i, AT_S, 2, true), a, b);
		return;
	}
	for (uint32_t w = 0; w < 2; w++) {
		gen_word(e, s->a, w);
		gen_word(e, s->b, w);
	}
	dst = gen_result(e, i, AT_V, 2, false);
	for (uint32_t w = 0; w < 2; w++)
		put_v2(e, rows[s->op].v, dst + w, gen_word(e, s->a, w), gen_word(e, s->b, w));
}

static void
emit_not(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_wide(e, s->a, false);

	if (gen_on_scalar(e, i)) {
		put_sop1(e, GCN_OP_s_not_b64, gen_result(e, i, AT_S, 2, true), a);
		return;
	}
	uint32_t dst = gen_result(e, i, AT_V, 2, false);
	put_v1(e, VOP(v_not_b32), dst, word(a, 0));
	put_v1(e, VOP(v_not_b32), dst + 1, word(a, 1));
}

static void
emit_shift(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool is_signed = type_info[s->type].is_signed;
	struct src a = gen_wide(e, s->a, false), n = gen_src(e, s->b);
	enum gcn_op scalar = s->op == OP_SHL ? GCN_OP_s_lshl_b64 : is_signed ? GCN_OP_s_ashr_i64 : GCN_OP_s_lshr_b64,
		    vector = s->op == OP_SHL ? GCN_OP_v_lshlrev_b64_e64 :
			     is_signed	     ? GCN_OP_v_ashrrev_i64 :
					       GCN_OP_v_lshrrev_b64;

	if (n.n == GCN_LITERAL)
		n = gen_const(n.bits & 63);
	if (gen_on_scalar(e, i)) {
		put_sop2(e, scalar, gen_result(e, i, AT_S, 2, true), a, n);
		return;
	}
	if (src_is_s(n) && src_is_s(a) && e->t->bus == 1)
		a = gen_wide_vector(e, a);
	uint32_t dst = gen_result(e, i, AT_V, 2, true);
	gen_valu_reads(e, n);
	gen_valu_reads(e, a);
	gen_valu_writes(e, dst, GCN_OFF);
	gcn_vop3(gen_out(e), gen_row(e, vector), 256 + dst, n.n, a.n, GCN_OFF);
}

static void
emit_wide_negate(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t dst;

	if (s->type == QD_TYPE_F64) {
		bool abs = gen_is_fused(e, s->a);
		uint32_t v = abs ? gen_ins(e, s->a)->a : s->a;
		struct src lo = gen_word(e, v, 0), hi = gen_word(e, v, 1);
		dst = gen_result(e, i, AT_V, 2, false);
		put_mov_v(e, dst, lo);
		put_v2(e, abs ? VOP_C(v_or_b32) : VOP_C(v_xor_b32), dst + 1, gen_const(0x80000000), hi);
		return;
	}
	struct src a = gen_wide(e, s->a, false);
	if (gen_on_scalar(e, i)) {
		dst = gen_result(e, i, AT_S, 2, false);
		put_sop2(e, GCN_OP_s_sub_u32, dst, src_of(SRC_ZERO), word(a, 0));
		put_sop2(e, GCN_OP_s_subb_u32, dst + 1, src_of(SRC_ZERO), word(a, 1));
	} else {
		put_carry(e, false, gen_result(e, i, AT_V, 2, false), src_of(SRC_ZERO), a);
	}
}

static void
emit_wide_abs(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src lo = gen_word(e, s->a, 0), hi = gen_word(e, s->a, 1);
	uint32_t dst = gen_result(e, i, AT_V, 2, false), sign;

	if (s->type != QD_TYPE_I64) {
		put_mov_v(e, dst, lo);
		if (s->type == QD_TYPE_F64)
			put_v2(e, VOP_C(v_and_b32), dst + 1, gen_const(0x7fffffff), hi);
		else
			put_mov_v(e, dst + 1, hi);
		return;
	}
	/* abs(x) = (x ^ sign) - sign, where sign is all ones if x is negative. */
	sign = gen_temp_v(e, 2);
	put_v2(e, VOP(v_ashrrev_i32), sign, gen_const(31), gen_vector(e, hi));
	put_mov_v(e, sign + 1, src_of(256 + sign));
	put_v2(e, VOP_C(v_xor_b32), dst, src_of(256 + sign), gen_vector(e, lo));
	put_v2(e, VOP_C(v_xor_b32), dst + 1, src_of(256 + sign), gen_vector(e, hi));
	put_carry(e, false, dst, src_of(256 + dst), src_of(256 + sign));
}

/* vcc = a < b */
static void
put_less(struct emit *e, bool is_signed, struct src a, struct src b)
{
	gen_valu_reads(e, a);
	gen_valu_reads(e, b);
	gen_valu_writes(e, GCN_OFF, SRC_VCC);
	gcn_vop3s(gen_out(e), gen_row(e, is_signed ? GCN_OP_v_cmp_lt_i64_e64 : GCN_OP_v_cmp_lt_u64_e64), SRC_VCC, a.n,
		  b.n, plain);
}

/* Emits the minimum or maximum of two integers. */
static void
put_order(struct emit *e, bool min, bool is_signed, uint32_t dst, struct src a, struct src b)
{
	struct src in[] = { a, b };

	fit(e, in, 2);
	put_less(e, is_signed, in[0], in[1]);
	for (uint32_t w = 0; w < 2; w++)
		put_choose(e, dst + w, word(min ? in[1] : in[0], w), word(min ? in[0] : in[1], w), src_of(SRC_VCC));
}

void
gen_order_in(struct emit *e, enum op op, qd_type type, uint32_t v, struct src t, uint64_t lanes)
{
	bool is_signed = type == QD_TYPE_I64;

	if (op == OP_MIN)
		put_less(e, is_signed, t, src_v(v));
	else
		put_less(e, is_signed, src_v(v), t);
	put_sop2(e, GCN_OP_s_and_b32, SRC_VCC, src_of(SRC_VCC), gen_const((uint32_t)lanes));
	if (e->wave == 64)
		put_sop2(e, GCN_OP_s_and_b32, SRC_VCC + 1, src_of(SRC_VCC + 1), gen_const((uint32_t)(lanes >> 32)));
	for (uint32_t w = 0; w < 2; w++)
		put_choose(e, v + w, src_v(v + w), src_of(t.n + w), src_of(SRC_VCC));
}

static void
emit_order(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a, b;
	uint32_t signs = 0;

	if (s->type == QD_TYPE_F64) {
		a = wide_signed(e, s->a, 0, &signs);
		b = wide_signed(e, s->b, 1, &signs);
		gen_put_wide(e, s->op == OP_MIN ? GCN_OP_v_min_f64 : GCN_OP_v_max_f64, gen_result(e, i, AT_V, 2, true), a,
			 b, none, signs);
		return;
	}
	a = gen_wide(e, s->a, false);
	b = gen_wide(e, s->b, false);
	put_order(e, s->op == OP_MIN, s->type == QD_TYPE_I64, gen_result(e, i, AT_V, 2, false), a, b);
}

/* -- Combining two values ----------------------------------------------------------------------- */

static const struct vop by_words[N_OP] = { [OP_AND] = SWAPS(v_and_b32), [OP_OR] = SWAPS(v_or_b32),
					   [OP_XOR] = SWAPS(v_xor_b32) };
static const uint16_t by_floats[N_OP] = { [OP_ADD] = GCN_OP_v_add_f64_e64, [OP_MUL] = GCN_OP_v_mul_f64_e64,
					  [OP_MIN] = GCN_OP_v_min_f64, [OP_MAX] = GCN_OP_v_max_f64 };

bool
gen_has_combine_wide(enum op op, qd_type type)
{
	if (type == QD_TYPE_F64)
		return by_floats[op] != 0;
	return op == OP_ADD || op == OP_MIN || op == OP_MAX || by_words[op].e64;
}

void
gen_combine_wide(struct emit *e, enum op op, qd_type type, uint32_t dst, struct src a, struct src b)
{
	if (type == QD_TYPE_F64)
		gen_put_wide(e, (enum gcn_op)by_floats[op], dst, a, b, none, 0);
	else if (op == OP_ADD)
		put_sum(e, dst, a, b);
	else if (op == OP_MIN || op == OP_MAX)
		put_order(e, op == OP_MIN, type == QD_TYPE_I64, dst, a, b);
	else
		for (uint32_t w = 0; w < 2; w++)
			put_v2(e, by_words[op], dst + w, word(a, w), word(b, w));
}

/* -- Comparisons, choice ----------------------------------------------------------------------- */

struct wide_cmp {
	uint16_t v, inverse;
};
enum on { ON_I, ON_U, ON_F, N_ON };
static const struct wide_cmp wide_cmps[N_COMPARE][N_ON] = {
#define C(v, inverse) { GCN_OP_v_cmp_##v##_e64, GCN_OP_v_cmp_##inverse##_e64 }
	[COMPARE_ROW(OP_EQ)] = { C(eq_u64, ne_u64), C(eq_u64, ne_u64), C(eq_f64, neq_f64) },
	[COMPARE_ROW(OP_NE)] = { C(ne_u64, eq_u64), C(ne_u64, eq_u64), C(neq_f64, eq_f64) },
	[COMPARE_ROW(OP_LT)] = { C(lt_i64, ge_i64), C(lt_u64, ge_u64), C(lt_f64, nlt_f64) },
	[COMPARE_ROW(OP_LE)] = { C(le_i64, gt_i64), C(le_u64, gt_u64), C(le_f64, nle_f64) },
};

void
gen_compare_wide(struct emit *e, uint32_t i, uint32_t dst, bool inverse)
{
	const struct ins *s = gen_ins(e, i);
	qd_type t = ir_lead_type(e->ir, s);
	enum on on = t == QD_TYPE_I64 ? ON_I : t == QD_TYPE_U64 ? ON_U : ON_F;
	const struct wide_cmp *row = &wide_cmps[COMPARE_ROW(s->op)][on];
	uint32_t signs = 0;
	struct src in[2];

	in[0] = on == ON_F ? wide_signed(e, s->a, 0, &signs) : gen_wide(e, s->a, false);
	in[1] = on == ON_F ? wide_signed(e, s->b, 1, &signs) : gen_wide(e, s->b, false);
	fit(e, in, 2);
	gen_valu_reads(e, in[0]);
	gen_valu_reads(e, in[1]);
	gen_valu_writes(e, GCN_OFF, dst);
	gcn_vop3s(gen_out(e), gen_row(e, (enum gcn_op)(inverse ? row->inverse : row->v)), dst, in[0].n, in[1].n,
		  gen_mods(signs));
}

static void
emit_select(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool is_float = s->type == QD_TYPE_F64, not;
	uint32_t dst;

	if (gen_is_uniform(e, i) && gen_is_scalar(e, s->b) && gen_is_scalar(e, s->c) && !is_float) {
		struct src yes = gen_wide(e, s->b, false), no = gen_wide(e, s->c, false);
		if (gen_branch_cond(e, s->a, &not) == COND_VCC)
			put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), src_of(SRC_VCC));
		put_sop2(e, GCN_OP_s_cselect_b64, gen_result(e, i, AT_S, 2, true), not ? no : yes, not ? yes : no);
		return;
	}
	if (gen_is_fused(e, s->c)) {
		gen_emit_next(e, i);
		return;
	}
	for (uint32_t w = 0; w < 2; w++) {
		gen_word(e, s->b, w);
		gen_word(e, s->c, w);
	}
	struct src m = gen_mask(e, s->a);
	dst = gen_result(e, i, AT_V, 2, false);
	for (uint32_t w = 0; w < 2; w++)
		put_choose(e, dst + w, gen_word(e, s->c, w), gen_word(e, s->b, w), m);
}

/* -- Words ------------------------------------------------------------------------------------------ */

static void
emit_word(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	const struct gen_loc *l = &e->loc[s->a];

	if (s->op != OP_CVT && (l->at == AT_S || l->at == AT_V || l->at == AT_SCRATCH || l->at == AT_LANES)) {
		e->loc[i] = (struct gen_loc){ .at = l->at, .n = 1, .reg = (uint16_t)(l->reg + (s->op == OP_HI)), .of = l->of };
		return;
	}
	struct src a = gen_word(e, s->a, s->op == OP_HI);
	if (src_is_v(a))
		put_mov_v(e, gen_result_v(e, i), a);
	else
		put_mov_s(e, gen_result(e, i, AT_S, 1, true), a);
}

static void
emit_pair(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src lo = gen_src(e, s->a), hi = gen_src(e, s->b);
	bool taken = e->loc[i].at == AT_V, scalar = !taken && !src_is_v(lo) && !src_is_v(hi);
	uint32_t dst = taken ? e->loc[i].reg : gen_result(e, i, scalar ? AT_S : AT_V, 2, false);

	if (scalar) {
		put_mov_s(e, dst, lo);
		put_mov_s(e, dst + 1, hi);
	} else {
		put_mov_v(e, dst, lo);
		put_mov_v(e, dst + 1, hi);
	}
}

/* -- Conversions --------------------------------------------------------------------------------------- */

/* Emits a conversion to or from a 64-bit type. `from` and `to` are not floats of the same size. */
static void
emit_wide_convert(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type from = ir_lead_type(e->ir, s), to = (qd_type)s->type;
	uint32_t dst;

	if (type_is(to, TM_I64) && type_is(from, TM_I32)) {
		struct src a = gen_src(e, s->a);
		bool scalar = gen_on_scalar(e, i), is_signed = type_info[from].is_signed;
		dst = gen_result(e, i, scalar ? AT_S : AT_V, 2, false);
		if (scalar) {
			put_mov_s(e, dst, a);
			if (is_signed)
				put_sop2(e, GCN_OP_s_ashr_i32, dst + 1, a, gen_const(31));
			else
				put_mov_s(e, dst + 1, src_of(SRC_ZERO));
			return;
		}
		put_mov_v(e, dst, a);
		if (is_signed)
			put_v2(e, VOP(v_ashrrev_i32), dst + 1, gen_const(31), src_of(256 + dst));
		else
			put_mov_v(e, dst + 1, src_of(SRC_ZERO));
	} else if (type_is(from, TM_I64) && type_is(to, TM_I32)) {
		emit_word(e, i); /* the low word, because the operation is not HI */
	} else if (type_is(from, TM_I64)) { /* to the other 64-bit integer type */
		bool scalar = gen_is_scalar(e, s->a);
		gen_word(e, s->a, 0);
		gen_word(e, s->a, 1);
		gen_result(e, i, scalar ? AT_S : AT_V, 2, false);
		put_move(e, e->loc[i], s->a);
	} else if (to == QD_TYPE_F64) {
		struct src a = gen_src(e, s->a);
		struct vop op = from == QD_TYPE_F32 ? VOP(v_cvt_f64_f32) :
				from == QD_TYPE_I32 ? VOP(v_cvt_f64_i32) :
						      VOP(v_cvt_f64_u32);
		put_v1(e, op, gen_result(e, i, AT_V, 2, false), a);
	} else {
		struct src a = gen_wide(e, s->a, true);
		struct vop op = to == QD_TYPE_F32 ? VOP(v_cvt_f32_f64) :
				to == QD_TYPE_I32 ? VOP(v_cvt_i32_f64) :
						    VOP(v_cvt_u32_f64);
		put_v1(e, op, gen_result_v(e, i), a);
	}
}

/* -- Floats ------------------------------------------------------------------------------------------------- */

static void
emit_float(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t signs = 0;
	struct src a = wide_signed(e, s->a, 0, &signs), b = wide_signed(e, s->b, 1, &signs), c = none;

	if (s->op == OP_FMA)
		c = wide_signed(e, s->c, 2, &signs);
	if (s->op == OP_SUB)
		signs ^= SIGN_NEG << 1;
	gen_put_wide(e, s->op == OP_FMA ? GCN_OP_v_fma_f64 : s->op == OP_MUL ? GCN_OP_v_mul_f64_e64 : GCN_OP_v_add_f64_e64,
		 gen_result(e, i, AT_V, 2, true), a, b, c, signs);
}

static void
emit_round(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_wide(e, s->a, true);
	struct vop op = s->op == OP_FLOOR ? VOP(v_floor_f64) :
			s->op == OP_CEIL  ? VOP(v_ceil_f64) :
			s->op == OP_TRUNC ? VOP(v_trunc_f64) :
					    VOP(v_rndne_f64);

	put_v1(e, op, gen_result(e, i, AT_V, 2, true), a);
}

/* -- Dispatch ----------------------------------------------------------------------------------------------- */

typedef void wide_fn(struct emit *e, uint32_t i);
static const struct {
	wide_fn *on_int, *on_float;
} forms[N_OP] = {
	[OP_ADD] = { emit_sum, emit_float },	 [OP_SUB] = { emit_sum, emit_float },
	[OP_MUL] = { emit_product, emit_float }, [OP_MIN] = { emit_order, emit_order },
	[OP_MAX] = { emit_order, emit_order },	 [OP_NEG] = { emit_wide_negate, emit_wide_negate },
	[OP_ABS] = { emit_wide_abs, emit_wide_abs },	 [OP_AND] = { emit_logic, NULL },
	[OP_OR] = { emit_logic, NULL },		 [OP_XOR] = { emit_logic, NULL },
	[OP_NOT] = { emit_not, NULL },		 [OP_SHL] = { emit_shift, NULL },
	[OP_SHR] = { emit_shift, NULL },	 [OP_FMA] = { NULL, emit_float },
	[OP_DIV] = { NULL, gen_emit_divide_wide },	 [OP_SQRT] = { NULL, gen_emit_root_wide },
	[OP_FLOOR] = { NULL, emit_round },	 [OP_CEIL] = { NULL, emit_round },
	[OP_TRUNC] = { NULL, emit_round },	 [OP_ROUND] = { NULL, emit_round },
	[OP_SELECT] = { emit_select, emit_select }, [OP_CVT] = { emit_wide_convert, emit_wide_convert },
	[OP_LO] = { emit_word, emit_word },	 [OP_HI] = { emit_word, emit_word },
	[OP_PAIR] = { emit_pair, emit_pair },
};

bool
gen_has_wide(enum op op, qd_type type, qd_type to)
{
	bool is_int = type_is(type, TM_I64), is_cmp = op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE;

	if (is_cmp || op == OP_LO || op == OP_HI || op == OP_PAIR || op == OP_BITCAST)
		return true;
	if (op == OP_CVT) /* conversions between integers and floats need a 32-bit integer */
		return !(type_is(type, TM_I64) && type_is(to, TM_FLT)) && !(type_is(to, TM_I64) && type_is(type, TM_FLT));
	return (is_int ? forms[op].on_int : forms[op].on_float) != NULL;
}

void
gen_emit_wide(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type t = ir_lead_type(e->ir, s);
	bool is_int = type_is(t, TM_I64) || (s->op == OP_CVT && type_is((qd_type)s->type, TM_I64));
	wide_fn *f = s->op == OP_PAIR || !is_int ? forms[s->op].on_float : forms[s->op].on_int;

	if (f)
		f(e, i);
	else
		gen_illegal(e, i, "the target has no such instruction");
}
