/* Division and square root of 64-bit floats. */
#include "gen_emit.h"
#include "table.h"

static void
put_wide_fma(struct emit *e, uint32_t dst, struct src a, struct src b, struct src c, unsigned neg)
{
	gen_put_wide(e, GCN_OP_v_fma_f64, dst, a, b, c, neg * (uint32_t)SIGN_NEG);
}

static void
put_scale(struct emit *e, uint32_t dst, struct src a, struct src b, struct src c)
{
	gen_valu_writes(e, dst, SRC_VCC);
	gcn_vop3b(gen_out(e), gen_row(e, GCN_OP_v_div_scale_f64), 256 + dst, SRC_VCC, a.n, b.n, c.n, plain);
}

/* Like emit_divide for f32, with one more Newton step (AMD's ISA guides, V_DIV_SCALE_F64 and
 * related instructions). */
void
gen_emit_divide_wide(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src num = gen_wide_vector(e, gen_wide(e, s->a, true)), den = gen_wide_vector(e, gen_wide(e, s->b, true));
	struct src one = src_of(GCN_FLOATS + 2);
	uint32_t dst = gen_result(e, i, AT_V, 2, false), d = gen_temp_v(e, 2), n = gen_temp_v(e, 2),
		 r = gen_temp_v(e, 2), q = gen_temp_v(e, 2);

	put_scale(e, d, den, den, num);
	put_slow(e, VOP(v_rcp_f64), r, src_v(d));
	put_wide_fma(e, q, src_v(d), src_v(r), one, 1);
	put_wide_fma(e, r, src_v(r), src_v(q), src_v(r), 0);
	put_wide_fma(e, q, src_v(d), src_v(r), one, 1);
	put_scale(e, n, num, den, num);
	put_wide_fma(e, r, src_v(r), src_v(q), src_v(r), 0);
	gen_put_wide(e, GCN_OP_v_mul_f64_e64, q, src_v(n), src_v(r), none, 0);
	put_wide_fma(e, d, src_v(d), src_v(q), src_v(n), 1);
	gen_fmas_reads(e);
	gen_valu_reads_mask(e, src_of(SRC_VCC));
	gen_put_wide(e, GCN_OP_v_div_fmas_f64, d, src_v(d), src_v(r), src_v(q), 0);
	gen_put_wide(e, GCN_OP_v_div_fixup_f64, dst, src_v(d), den, num, 0);
}

/* Goldschmidt iteration that starts from v_rsq. Small inputs are scaled by 2^256 and their roots by
 * 2^-128. */
void
gen_emit_root_wide(struct emit *e, uint32_t i)
{
	enum { SMALL_HI = 0x10000000 };
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_wide_vector(e, gen_wide(e, s->a, true)), half = src_of(GCN_FLOATS);
	uint32_t dst = gen_result(e, i, AT_V, 2, false), x = gen_temp_v(e, 2), y = gen_temp_v(e, 2),
		 g = gen_temp_v(e, 2), h = gen_temp_v(e, 2), d = gen_temp_v(e, 2), t = gen_temp_v(e, 1),
		 limit = gen_temp_s(e, 2), small = gen_temp_s(e, e->mask_words);

	put_mov_s(e, limit, src_of(SRC_ZERO));
	put_mov_s(e, limit + 1, gen_const(SMALL_HI));
	gen_valu_reads(e, src_of(limit));
	gen_valu_writes(e, GCN_OFF, small);
	gcn_vop3s(gen_out(e), gen_row(e, GCN_OP_v_cmp_gt_f64_e64), small, limit, a.n, plain);
	put_mov_v(e, t, gen_const(256));
	put_choose(e, t, src_of(SRC_ZERO), src_of(256 + t), src_of(small));
	gen_put_wide(e, GCN_OP_v_ldexp_f64, x, a, src_of(256 + t), none, 0);
	put_slow(e, VOP(v_rsq_f64), y, src_v(x));
	gen_put_wide(e, GCN_OP_v_mul_f64_e64, g, src_v(x), src_v(y), none, 0);
	gen_put_wide(e, GCN_OP_v_mul_f64_e64, h, src_v(y), half, none, 0);
	put_wide_fma(e, d, src_v(h), src_v(g), half, 1);
	put_wide_fma(e, g, src_v(g), src_v(d), src_v(g), 0);
	put_wide_fma(e, h, src_v(h), src_v(d), src_v(h), 0);
	put_wide_fma(e, d, src_v(g), src_v(g), src_v(x), 1);
	put_wide_fma(e, g, src_v(d), src_v(h), src_v(g), 0);
	put_wide_fma(e, d, src_v(g), src_v(g), src_v(x), 1);
	put_wide_fma(e, g, src_v(d), src_v(h), src_v(g), 0);
	put_mov_v(e, t, gen_const((uint32_t)-128));
	put_choose(e, t, src_of(SRC_ZERO), src_of(256 + t), src_of(small));
	gen_put_wide(e, GCN_OP_v_ldexp_f64, g, src_v(g), src_of(256 + t), none, 0);
	put_mov_v(e, t, gen_const(CLASS_ZERO_OR_INF));
	gen_valu_writes(e, GCN_OFF, SRC_VCC);
	gcn_vop3s(gen_out(e), gen_row(e, GCN_OP_v_cmp_class_f64_e64), SRC_VCC, 256 + x, 256 + t, plain);
	put_choose(e, dst, src_of(256 + g), src_of(256 + x), src_of(SRC_VCC));
	put_choose(e, dst + 1, src_of(256 + g + 1), src_of(256 + x + 1), src_of(SRC_VCC));
}
