/* Calls of warps in a program, in the making and on arrays of lanes. */
#include "program_eval.h"
#include "program_gen.h"

/* -- In the making ------------------------------------------------------------------- */

static struct expr *
call(struct gen *g, enum lane_op op, qd_type type)
{
	gen_note_lanes(g);
	gen_has(g, HAS_WARP);
	return x_new(g, X_LANE, type, op);
}

/* All; each lane those that have the same bit of their number; those with a like value. */
static struct expr *
members(struct gen *g, uint32_t depth)
{
	struct expr *x, *bit;

	if (gen_one_in(g, 2))
		return x_literal(g, QD_TYPE_U32, UINT32_MAX);
	gen_has(g, HAS_MEMBERS);
	if (gen_one_in(g, 2)) {
		x = x_arg(call(g, L_MATCH_ANY, QD_TYPE_U32), x_literal(g, QD_TYPE_U32, UINT32_MAX));
		bit = gen_expr(g, QD_TYPE_U32, depth, GEN_LANES);
		return x_arg(x, x_binary(g, REF_OP_REM, bit, x_literal(g, QD_TYPE_U32, 3)));
	}
	bit = x_cast(g, QD_TYPE_U32, x_place(g, P_LANE));
	bit = x_binary(g, REF_OP_REM, bit, x_literal(g, QD_TYPE_U32, 2));
	x = x_new(g, X_SELECT, QD_TYPE_U32, 0);
	x_arg(x, x_binary(g, REF_OP_EQ, bit, x_literal(g, QD_TYPE_U32, 0)));
	x_arg(x, x_literal(g, QD_TYPE_U32, 0x55555555));
	return x_arg(x, x_literal(g, QD_TYPE_U32, 0xaaaaaaaa));
}

static struct expr *
with_value(struct gen *g, struct expr *x, qd_type of, uint32_t depth)
{
	x_arg(x, members(g, depth));
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

struct expr *
gen_warp(struct gen *g, qd_type type, uint32_t depth)
{
	if (type != QD_TYPE_U32)
		return NULL;
	return with_value(g, call(g, L_MATCH_ANY, type), gen_type(g), depth);
}

struct expr *
gen_warp_two(struct gen *g, qd_type types[2])
{
	types[0] = QD_TYPE_U32;
	types[1] = QD_TYPE_BOOL;
	return with_value(g, call(g, L_MATCH_ALL, types[0]), gen_type(g), 1);
}

/* -- On lanes ------------------------------------------------------------------------ */

void
warp_value(const struct expr *x, const struct ref_subgroup *s, const struct vector *in,
	   struct vector *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t mask = (uint32_t)in[0].lane[l], lanes;

		switch ((enum lane_op)x->op) {
		case L_MATCH_ANY: out->lane[l] = ref_match_any(s, mask, l); break;
		default:
			out[1].lane[l] = ref_match_all(s, mask, l, &lanes);
			out[0].lane[l] = lanes;
			break;
		}
	}
}
