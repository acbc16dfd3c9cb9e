/* Values as sources. */
#include "gen_emit.h"

struct src
gen_const_of(uint32_t bits)
{
	uint32_t n = gcn_inline(bits);

	return n ? src_of(n) : (struct src){ .n = GCN_LITERAL, .bits = bits };
}

bool
gen_on_scalar(const struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	if (!gen_is_uniform(e, i))
		return false;
	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
		if (values & 1 && s->arg[j] && !gen_is_scalar(e, s->arg[j]))
			return false;
	return true;
}

uint32_t
gen_without_signs_of(const struct emit *e, uint32_t v, unsigned bit, uint32_t *signs)
{
	if (gen_is_fused(e, v) && gen_ins(e, v)->op == OP_NEG) {
		*signs |= (uint32_t)SIGN_NEG << bit;
		v = gen_ins(e, v)->a;
	}
	if (gen_is_fused(e, v) && gen_ins(e, v)->op == OP_ABS) {
		*signs |= (uint32_t)SIGN_ABS << bit;
		v = gen_ins(e, v)->a;
	}
	return v;
}

struct src
gen_word_of(struct emit *e, uint32_t v, uint32_t w)
{
	const struct gen_loc *l = &e->loc[v];
	uint32_t reg = l->reg + w;

	if (l->at == AT_CONST)
		return gen_const((uint32_t)(const_bits(gen_ins(e, l->of)) >> 32 * w));
	if (QD_UNLIKELY(l->at != AT_S && l->at != AT_V)) {
		gen_illegal(e, v, "the operand is not a value");
		return src_of(SRC_ZERO);
	}
	if (l->at == AT_V)
		reg += 256;
	gen_wait_reg(e, reg, 1);
	return src_of(reg);
}

struct src
gen_vector_of(struct emit *e, struct src s)
{
	uint32_t reg = gen_temp_v(e, 1);

	put_mov_v(e, reg, s);
	return src_of(256 + reg);
}

struct src
gen_scalar(struct emit *e, struct src s)
{
	uint32_t reg;

	if (!src_is_v(s))
		return s;
	reg = gen_temp_s(e, 1);
	put_readfirst(e, reg, s);
	return src_of(reg);
}
