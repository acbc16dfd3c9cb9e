/* Conversions between f32 and 16-bit floats. The descriptor keeps subnormals and rounds to nearest
 * even. */
#include "alu.h"

/* Returns true if the value is only stored to 16-bit elements, so that its upper half is not read. */
static bool
is_stored_half(const struct emit *e, uint32_t i)
{
	uint32_t left = e->body->uses[i];

	for (uint32_t j = i + 1; left && j <= e->plan[i].end; j++) {
		const struct ins *s = gen_ins(e, j);

		for (uint32_t k = 0; k < 4; k++) {
			if (!(op_values[s->op] >> k & 1) || s->arg[k] != i)
				continue;
			if (s->op != OP_STORE || k != 1 || type_info[e->body->mems[s->x].type].size != 2)
				return false;
			left--;
		}
	}
	return !left;
}

/* Emits a conversion. From gfx11 on the short encoding has a bit for the half of the 16-bit register,
 * which limits it to registers below 128. */
static void
put_half(struct emit *e, struct vop op, uint32_t dst, struct src a, uint32_t reg)
{
	if (e->gcn->features & GCN_TRUE16 && reg >= 128)
		put_v1_long(e, op, dst, a);
	else
		put_v1(e, op, dst, a);
}

void
gen_emit_half(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_src(e, s->a);

	if (s->op == OP_NARROW_BF16) {
		put_v2(e, VOP_3(v_cvt_pk_bf16_f32), gen_result_v(e, i), a, src_of(SRC_ZERO));
		return;
	}
	if (!src_is_v(a) && !src_is_s(a)) /* the constant of a 32-bit operand differs */
		a = gen_vector(e, a);
	uint32_t dst = gen_result_v(e, i);
	if (s->op == OP_WIDEN_F16) {
		put_half(e, VOP(v_cvt_f32_f16), dst, a, src_is_v(a) ? a.n - 256u : 0);
		return;
	}
	put_half(e, VOP(v_cvt_f16_f32), dst, a, dst);
	/* From gfx10 on the upper half of the register is kept. */
	if (e->gcn->gen >= GCN_G10 && !is_stored_half(e, i))
		put_v2(e, VOP_C(v_and_b32), dst, gen_const(UINT16_MAX), src_of(256 + dst));
}
