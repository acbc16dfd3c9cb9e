/* Conditions: comparisons into masks of lanes, exec, scc and branches; mask logic; selects. */
#include "alu.h"

struct cmp {
	struct vop v, inverse;	 /* to a mask */
	struct vop x, x_inverse; /* to exec */
	uint16_t s, s_inverse;
};

static const struct cmp cmps[N_COMPARE][N_CLASS] = {
#define BIN(...)
#define SHIFT(...)
#define UNA(...)
#define CMP(op, class, v, vx, i, ix, s, sx)                                                        \
	[COMPARE_ROW(OP_##op)][ON_##class] = { BACK(v_cmp_##v, v_cmp_##vx), BACK(v_cmp_##i, v_cmp_##ix),              \
				  BACK(v_cmpx_##v, v_cmpx_##vx), BACK(v_cmpx_##i, v_cmpx_##ix), s, sx },
#include "alu.def"
};

/* Returns NULL if the operation is not a comparison of this class. */
static const struct cmp *
cmp_of(const struct ins *s, enum class c)
{
	return is_compare((enum op)s->op) && c < N_CLASS ? &cmps[COMPARE_ROW(s->op)][c] : NULL;
}

/* -- Conditions ------------------------------------------------------------------------------ */

/* Returns true if v depends on the lane index only, so that its mask is a constant. */
static bool
is_of_lanes(const struct emit *e, uint32_t v)
{
	const struct ins *s = gen_ins(e, v);

	return is_fused(e, s->a, OP_AND) && e->plan[s->a].flags & GEN_LANES;
}

/* Returns true if v compares a whole 64-lane ballot with all ones. */
static bool
is_of_ballot(const struct emit *e, uint32_t v)
{
	const struct ins *s = gen_ins(e, v);

	return is_fused(e, s->a, OP_AND) && gen_ins(e, gen_ins(e, s->a)->a)->op == OP_BALLOT_WORD;
}

/* Sets scc to the comparison i of a whole ballot with all ones, inverted if `inverse`. */
static void
compare_ballot(struct emit *e, uint32_t i, bool inverse)
{
	const struct ins *s = gen_ins(e, i), *both = gen_ins(e, s->a);
	struct src a = gen_src(e, both->a), b = gen_src(e, both->b);
	bool eq = (s->op == OP_EQ) != inverse;

	if (src_is_s(a) && (a.n ^ 1) == b.n) {
		a.n &= 0xfffe;
		put_sopc(e, eq ? GCN_OP_s_cmp_eq_u64 : GCN_OP_s_cmp_lg_u64, a, src_of(SRC_ONES));
		return;
	}
	uint32_t t = gen_temp_s(e, 1);
	put_sop2(e, GCN_OP_s_and_b32, t, a, b);
	put_sopc(e, eq ? GCN_OP_s_cmp_eq_u32 : GCN_OP_s_cmp_lg_u32, src_of(t), src_of(SRC_ONES));
}

/* Returns the mask of the lanes whose index has none of the constant's bits, or any of them if
 * !clear. */
static uint64_t
known_lanes(const struct emit *e, uint32_t i, bool clear)
{
	uint64_t bits = 0, mask = 0;

	gen_known(e, gen_ins(e, gen_ins(e, i)->a)->b, &bits);
	for (uint64_t lane = 0; lane < 64; lane++)
		mask |= (uint64_t)(((lane & bits) == 0) == clear) << lane;
	return mask;
}

/* Emits a comparison into a mask register. */
static void
compare(struct emit *e, uint32_t i, uint32_t dst, bool inverse)
{
	const struct ins *s = gen_ins(e, i);
	enum class c = class_at(e, i);
	const struct cmp *row = cmp_of(s, c);
	uint32_t signs = 0;

	if (is_of_lanes(e, i)) {
		put_lanes(e, dst, known_lanes(e, i, (s->op == OP_EQ) != inverse));
		return;
	}
	if (is_of_ballot(e, i)) {
		compare_ballot(e, i, inverse);
		put_mask2(e, GCN_OP_s_cselect_b32, GCN_OP_s_cselect_b64, dst, src_of(SRC_ONES), src_of(SRC_ZERO));
		return;
	}
	if (type_is(ir_lead_type(e->ir, s), TM_64)) {
		gen_compare_wide(e, i, dst, inverse);
		return;
	}
	if (!row || !row->v.e32) {
		gen_illegal(e, i, "no instruction compares values of this type");
		return;
	}
	struct src a = signed_src(e, s->a, 0, &signs), b = signed_src(e, s->b, 1, &signs);
	put_cmp(e, inverse ? row->inverse : row->v, dst, a, b, signs);
}

static void
compare_masks(struct emit *e, uint32_t i, uint32_t dst, bool inverse)
{
	const struct ins *s = gen_ins(e, i);
	struct src a = gen_mask(e, s->a), b = gen_mask(e, s->b);

	if ((s->op == OP_EQ) != inverse)
		put_mask2(e, GCN_OP_s_xnor_b32, GCN_OP_s_xnor_b64, dst, a, b);
	else
		put_mask2(e, GCN_OP_s_xor_b32, GCN_OP_s_xor_b64, dst, a, b);
}

/* Returns the mask of v, inverted if `inverse`. If it must be computed, it is computed in dst. */
static struct src
condition(struct emit *e, uint32_t v, bool inverse, uint32_t dst)
{
	const struct ins *s = gen_ins(e, v);
	const struct gen_loc *l = &e->loc[v];

	if (gen_is_fused(e, v) && s->op == OP_NOT)
		return condition(e, s->a, !inverse, dst);
	if (gen_is_fused(e, v)) {
		compare(e, v, dst, inverse);
		return src_of(dst);
	}
	if (l->at == AT_CONST)
		return src_of(((gen_ins(e, l->of)->a & 1) != 0) != inverse ? SRC_ONES : SRC_ZERO);
	if (l->at != AT_MASK) {
		gen_illegal(e, v, "the operand is not a condition");
		return src_of(SRC_ZERO);
	}
	gen_wait_reg(e, l->reg, l->n);
	if (!inverse)
		return src_of(l->reg);
	put_mask1(e, GCN_OP_s_not_b32, GCN_OP_s_not_b64, dst, src_of(l->reg));
	return src_of(dst);
}

struct src
gen_mask_in(struct emit *e, uint32_t v, uint32_t dst)
{
	return condition(e, v, false, dst);
}

struct src
gen_mask(struct emit *e, uint32_t v)
{
	return gen_mask_in(e, v, SRC_VCC);
}

bool
gen_compare_to_exec(struct emit *e, uint32_t v, bool inverse)
{
	while (is_fused(e, v, OP_NOT)) {
		inverse = !inverse;
		v = gen_ins(e, v)->a;
	}
	const struct ins *s = gen_ins(e, v);
	enum class c = class_at(e, v);
	if (!e->t->cmpx || !gen_is_fused(e, v) || !is_compare((enum op)s->op) || c >= N_CLASS ||
	    is_of_lanes(e, v) || is_of_ballot(e, v))
		return false;
	const struct cmp *row = &cmps[COMPARE_ROW(s->op)][c];
	uint32_t signs = 0;
	struct src a = signed_src(e, s->a, 0, &signs), b = signed_src(e, s->b, 1, &signs);
	put_cmpx(e, inverse ? row->x_inverse : row->x, a, b, signs);
	return true;
}

/* Returns the row of comparison v if the scalar unit can compute it, or NULL. */
static const struct cmp *
scalar_compare(const struct emit *e, uint32_t v)
{
	const struct ins *s = gen_ins(e, v);
	const struct cmp *row = cmp_of(s, class_at(e, v));

	return row && row->s && gen_is_scalar(e, s->a) && gen_is_scalar(e, s->b) ? row : NULL;
}

/* Sets scc to comparison v, inverted if `inverse`; *not means that scc has the opposite value.
 * Returns false if the scalar unit cannot compute it. */
static bool
compare_scalar(struct emit *e, uint32_t v, bool inverse, bool *not)
{
	const struct ins *s = gen_ins(e, v);
	const struct cmp *row;

	if (is_of_ballot(e, v)) {
		compare_ballot(e, v, inverse);
		return true;
	}
	row = scalar_compare(e, v);
	if (!row)
		return false;
	struct src a = gen_src(e, s->a), b = gen_src(e, s->b);
	if (a.n == e->scc_of && b.n == SRC_ZERO && (s->op == OP_EQ || s->op == OP_NE))
		*not = (s->op == OP_EQ) != inverse; /* scc already has the result */
	else
		put_sopc(e, (enum gcn_op)(inverse ? row->s_inverse : row->s), a, b);
	return true;
}

enum gen_cond
gen_branch_cond(struct emit *e, uint32_t v, bool *not)
{
	bool inverse = false;
	uint32_t c = v;

	*not = false;
	for (; is_fused(e, c, OP_NOT); c = gen_ins(e, c)->a)
		inverse = !inverse;
	if (gen_is_fused(e, c) && is_compare((enum op)gen_ins(e, c)->op) && compare_scalar(e, c, inverse, not))
		return COND_SCC;
	if (gen_is_fused(e, v)) {
		struct src m = condition(e, v, false, SRC_VCC);
		if (m.n == SRC_VCC && gen_ins(e, v)->op != OP_NOT && !is_of_lanes(e, v))
			return COND_VCC;
		put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), m);
		return COND_SCC;
	}
	/* The mask's bits of inactive lanes are undefined. */
	put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), condition(e, v, false, SRC_VCC));
	return COND_SCC;
}

/* -- Bools --------------------------------------------------------------------------------------- */

/* Returns the mask of v. A constant one-word mask without a register is a literal of each user. */
static struct src
toggled(struct emit *e, uint32_t v)
{
	if (e->loc[v].at == AT_NONE && !gen_is_fused(e, v))
		return gen_const((uint32_t)known_lanes(e, v, gen_ins(e, v)->op == OP_EQ));
	return gen_mask(e, v);
}

/* Returns true if all uses of i, a constant one-word mask, are as operand b of an XOR. */
static bool
only_toggles(const struct emit *e, uint32_t i)
{
	uint32_t uses = e->body->uses[i];

	if (e->wave != 32)
		return false;
	for (uint32_t u = i + 1; uses && u <= e->plan[i].end; u++)
		uses -= gen_ins(e, u)->op == OP_XOR && gen_ins(e, u)->b == i && gen_ins(e, u)->a != i;
	return !uses;
}

/* Emits i, `c && m` or `c || m`, as a scalar select between the mask m and a constant. Returns
 * false if the scalar unit cannot compute the comparison c. */
static bool
choose_mask(struct emit *e, uint32_t i, uint32_t c, uint32_t other)
{
	bool is_and = gen_ins(e, i)->op == OP_AND, not = false;

	if (!is_of_ballot(e, c) && !scalar_compare(e, c))
		return false;
	struct src m = gen_mask(e, other), fixed = src_of(is_and ? SRC_ZERO : SRC_ONES);
	compare_scalar(e, c, !is_and, &not);
	put_mask2(e, GCN_OP_s_cselect_b32, GCN_OP_s_cselect_b64, gen_result(e, i, AT_MASK, e->mask_words, true),
		  not ? fixed : m, not ? m : fixed);
	return true;
}

void
gen_emit_mask_logic(struct emit *e, uint32_t i)
{
	static const struct {
		uint16_t b32, b64;
	} logic[N_OP] = { [OP_AND] = { GCN_OP_s_and_b32, GCN_OP_s_and_b64 },
			  [OP_OR] = { GCN_OP_s_or_b32, GCN_OP_s_or_b64 },
			  [OP_XOR] = { GCN_OP_s_xor_b32, GCN_OP_s_xor_b64 } };
	const struct ins *s = gen_ins(e, i);

	if (s->op != OP_XOR && gen_is_fused(e, s->a) && choose_mask(e, i, s->a, s->b))
		return;
	if (s->op != OP_XOR && gen_is_fused(e, s->b) && choose_mask(e, i, s->b, s->a))
		return;
	struct src b = toggled(e, s->b), a = gen_mask(e, s->a);
	put_mask2(e, (enum gcn_op)logic[s->op].b32, (enum gcn_op)logic[s->op].b64,
		  gen_result(e, i, AT_MASK, e->mask_words, true), a, b);
}

void
gen_emit_condition(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t dst;

	if (s->op == OP_NOT) {
		if (gen_is_fused(e, s->a)) {
			dst = gen_result(e, i, AT_MASK, e->mask_words, false);
			condition(e, s->a, true, dst);
			return;
		}
		struct src a = gen_mask(e, s->a);
		dst = gen_result(e, i, AT_MASK, e->mask_words, true);
		put_mask1(e, GCN_OP_s_not_b32, GCN_OP_s_not_b64, dst, a);
		return;
	}
	if (is_of_lanes(e, i) && only_toggles(e, i))
		return;
	dst = gen_result(e, i, AT_MASK, e->mask_words, false);
	if (ir_lead_type(e->ir, s) == QD_TYPE_BOOL)
		compare_masks(e, i, dst, false);
	else
		compare(e, i, dst, false);
}

static void
select_mask(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t dst = gen_result(e, i, AT_MASK, e->mask_words, false), t = gen_temp_s(e, e->mask_words);
	struct src c = gen_mask(e, s->a), a = gen_mask(e, s->b), b = gen_mask(e, s->c);

	put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, t, a, c);
	put_mask2(e, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64, dst, b, c);
	put_mask2(e, GCN_OP_s_or_b32, GCN_OP_s_or_b64, dst, src_of(dst), src_of(t));
}

void
gen_emit_select(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool not;

	if (s->type == QD_TYPE_BOOL) {
		select_mask(e, i);
		return;
	}
	if (gen_is_uniform(e, i) && gen_is_scalar(e, s->b) && gen_is_scalar(e, s->c)) {
		if (gen_branch_cond(e, s->a, &not) == COND_VCC)
			put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), src_of(SRC_VCC));
		struct src yes = gen_src(e, not ? s->c : s->b), no = gen_src(e, not ? s->b : s->c);
		/* Only instructions that preserve scc may precede s_cselect. Moving a literal
		 * preserves it. */
		put_sop2(e, GCN_OP_s_cselect_b32, gen_result(e, i, AT_S, 1, true), yes, no);
		return;
	}
	if (is_fused(e, s->c, OP_LANE_PATTERN)) {
		gen_emit_next(e, i);
		return;
	}
	struct src yes = gen_src(e, s->b), no = gen_src(e, s->c), m = gen_mask(e, s->a);
	put_choose(e, gen_result_v(e, i), no, yes, m);
}
