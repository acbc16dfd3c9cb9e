/* What a lane computes from its own values.
 *
 * The scalar unit does it where the result is the same in all lanes, every operand is its own
 * or a constant, and it has an instruction; else the vector unit. */
#include "write.h"

/* -- The table ------------------------------------------------------------------------------ */

enum class { ON_I32, ON_U32, ON_F32, N_CLASS, ON_NONE = N_CLASS };
static const uint8_t class_of[N_TYPE] = {
	[QD_TYPE_NONE] = ON_NONE, [QD_TYPE_BOOL] = ON_NONE, [QD_TYPE_I32] = ON_I32,
	[QD_TYPE_U32] = ON_U32,	  [QD_TYPE_I64] = ON_NONE,  [QD_TYPE_U64] = ON_NONE,
	[QD_TYPE_F32] = ON_F32,	  [QD_TYPE_F64] = ON_NONE,
};

enum form { FORM_NONE, FORM_BIN, FORM_SHIFT, FORM_UNA };
struct row {
	uint8_t form;
	uint16_t s;
	struct vop v;
};
struct cmp {
	struct vop v, inverse;	 /* to a mask */
	struct vop x, x_inverse; /* to exec */
	uint16_t s, s_inverse;
};

/* The result's type leads: of these operations it is the operands'. */
static const struct row rows[N_OP][N_CLASS + 1] = {
#define BIN(op, class, s, ...)	 [OP_##op][ON_##class] = { FORM_BIN, s, __VA_ARGS__ },
#define SHIFT(op, class, s, ...) [OP_##op][ON_##class] = { FORM_SHIFT, s, __VA_ARGS__ },
#define UNA(op, class, s, ...)	 [OP_##op][ON_##class] = { FORM_UNA, s, __VA_ARGS__ },
#define CMP(...)
#include "alu.def"
};

static const struct cmp cmps[N_OP][N_CLASS] = {
#define BIN(...)
#define SHIFT(...)
#define UNA(...)
#define CMP(op, class, v, vx, i, ix, s, sx)                                                        \
	[OP_##op][ON_##class] = { BACK(v_cmp_##v, v_cmp_##vx), BACK(v_cmp_##i, v_cmp_##ix),              \
				  BACK(v_cmpx_##v, v_cmpx_##vx), BACK(v_cmpx_##i, v_cmpx_##ix), s, sx },
#include "alu.def"
};

static enum class
class_at(const struct emit *e, uint32_t i)
{
	return (enum class)class_of[ir_lead_type(e->ir, gen_ins(e, i))];
}

/* -- Sources with signs ------------------------------------------------------------------------ */

/* Source `bit` of an instruction, whose modifiers take what is fused. */
QD_INLINE struct src
signed_src(struct emit *e, uint32_t v, unsigned bit, struct gcn_mods *m)
{
	return gen_src(e, gen_without_signs(e, v, bit, m));
}

/* -- Conditions ------------------------------------------------------------------------------ */

static const struct gcn_mods plain;

static bool
is_fused(const struct emit *e, uint32_t v, enum op op)
{
	return v && gen_ins(e, v)->op == op && gen_is_fused(e, v);
}

static bool
is_compare(enum op op)
{
	return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE;
}

/* Is it asked of the lane's number alone? */
static bool
is_of_lanes(const struct emit *e, uint32_t v)
{
	const struct ins *s = gen_ins(e, v);

	return is_fused(e, s->a, OP_AND) && e->g.plan[s->a].flags & GEN_LANES;
}

/* Is it asked of a whole ballot of 64 lanes? */
static bool
is_of_ballot(const struct emit *e, uint32_t v)
{
	const struct ins *s = gen_ins(e, v);

	return is_fused(e, s->a, OP_AND) && gen_ins(e, gen_ins(e, s->a)->a)->op == OP_BALLOT_WORD;
}

/* scc: are all its lanes there, or not? */
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

/* The lanes whose numbers have bits of the constant, or none of them. */
static uint64_t
known_lanes(const struct emit *e, uint32_t i, bool none)
{
	uint64_t bits = 0, mask = 0;

	gen_known(e, gen_ins(e, gen_ins(e, i)->a)->b, &bits);
	for (uint64_t lane = 0; lane < 64; lane++)
		mask |= (uint64_t)(((lane & bits) == 0) == none) << lane;
	return mask;
}

/* Compares into a mask. */
static void
compare(struct emit *e, uint32_t i, uint32_t dst, bool inverse)
{
	const struct ins *s = gen_ins(e, i);
	enum class c = class_at(e, i);
	const struct cmp *row = c < N_CLASS ? &cmps[s->op][c] : NULL;
	struct gcn_mods m = plain;

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
		gen_illegal(e, i, "nothing compares such values");
		return;
	}
	struct src a = signed_src(e, s->a, 0, &m), b = signed_src(e, s->b, 1, &m);
	put_cmp(e, inverse ? row->inverse : row->v, dst, a, b, m);
}

/* Of bools. */
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

/* The mask of v, or its opposite, in dst if it has to be made. */
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
		gen_illegal(e, v, "it is no condition here");
		return src_of(SRC_ZERO);
	}
	gen_ready(e, l->reg, l->n);
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
	const struct cmp *row = &cmps[s->op][c];
	struct gcn_mods m = plain;
	struct src a = signed_src(e, s->a, 0, &m), b = signed_src(e, s->b, 1, &m);
	put_cmpx(e, inverse ? row->x_inverse : row->x, a, b, m);
	return true;
}

/* Can the scalar unit compare what v stands for? */
static const struct cmp *
scalar_compare(const struct emit *e, uint32_t v, bool *inverse)
{
	while (is_fused(e, v, OP_NOT)) {
		*inverse = !*inverse;
		v = gen_ins(e, v)->a;
	}
	const struct ins *s = gen_ins(e, v);
	enum class c = class_at(e, v);
	if (!gen_is_fused(e, v) || !is_compare((enum op)s->op) || c >= N_CLASS || !cmps[s->op][c].s ||
	    !gen_is_scalar(e, s->a) || !gen_is_scalar(e, s->b))
		return NULL;
	return &cmps[s->op][c];
}

enum gen_cond
gen_branch_cond(struct emit *e, uint32_t v, bool *not)
{
	bool inverse = false;
	const struct cmp *row = scalar_compare(e, v, &inverse);

	*not = false;
	uint32_t whole = is_fused(e, v, OP_NOT) ? gen_ins(e, v)->a : v;
	if (gen_is_fused(e, whole) && is_of_ballot(e, whole)) {
		compare_ballot(e, whole, whole != v);
		return COND_SCC;
	}
	if (row) {
		while (gen_ins(e, v)->op == OP_NOT)
			v = gen_ins(e, v)->a;
		struct src a = gen_src(e, gen_ins(e, v)->a), b = gen_src(e, gen_ins(e, v)->b);
		enum op op = (enum op)gen_ins(e, v)->op;
		if (a.n == e->scc_of && b.n == SRC_ZERO && (op == OP_EQ || op == OP_NE)) {
			*not = (op == OP_EQ) != inverse;
			return COND_SCC;
		}
		put_sopc(e, (enum gcn_op)(inverse ? row->s_inverse : row->s), a, b);
		return COND_SCC;
	}
	if (gen_is_fused(e, v)) {
		struct src m = condition(e, v, false, SRC_VCC);
		if (m.n == SRC_VCC && gen_ins(e, v)->op != OP_NOT && !is_of_lanes(e, v))
			return COND_VCC;
		put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), m);
		return COND_SCC;
	}
	/* Lanes that do not run may have anything there. */
	put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, SRC_VCC, src_of(SRC_EXEC), condition(e, v, false, SRC_VCC));
	return COND_SCC;
}

/* -- One instruction of three operands --------------------------------------------------------- */

/* `user`, whose operand `op` is made with it: it and the two of that one. */
static const struct three {
	uint8_t user, op;
	uint16_t row;
} threes[] = {
	{ OP_ADD, OP_ADD, GCN_OP_v_add3_u32 },	  { OP_ADD, OP_SHL, GCN_OP_v_lshl_add_u32 },
	{ OP_ADD, OP_MUL, GCN_OP_v_lshl_add_u32 }, { OP_ADD, OP_XOR, GCN_OP_v_xad_u32 },
	{ OP_SHL, OP_ADD, GCN_OP_v_add_lshl_u32 }, { OP_OR, OP_SHL, GCN_OP_v_lshl_or_b32 },
	{ OP_OR, OP_AND, GCN_OP_v_and_or_b32 },	  { OP_OR, OP_OR, GCN_OP_v_or3_b32 },
	{ OP_AND, OP_SHR, GCN_OP_v_bfe_u32 },
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
	put_v3(e, (enum gcn_op)t->row, gen_result_v(e, i), a, b, c);
}

/* -- Tables' rows ------------------------------------------------------------------------------- */

/* With another lane's value, fetched on the way. */
static bool
emit_with_lane(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t j = is_fused(e, s->a, OP_LANE_PATTERN) ? 0 : 1, v = s->arg[j];
	struct gcn_mods m = plain;
	struct gcn_dpp d;

	if (!is_fused(e, v, OP_LANE_PATTERN) || !gen_pattern_dpp(e, v, &d))
		return false;
	struct src lane = gen_vector(e, gen_src(e, gen_ins(e, v)->a));
	struct src own = gen_vector(e, signed_src(e, s->arg[1 - j], 1, &m));
	d.neg = m.neg;
	d.abs = m.abs;
	put_dpp2(e, (enum gcn_op)(j ? row->v.rev : row->v.e32), gen_result_v(e, i), lane,
		 own, d);
	return true;
}

/* Does the scalar unit do it, which is uniform? */
static bool
is_scalar(const struct emit *e, uint32_t i, const struct row *row)
{
	return row->s && gen_on_scalar(e, i) &&
	       gen_place(e->t, (qd_type)gen_ins(e, i)->type, e->body->level[i]) == GEN_S;
}

/* With an operand that it makes itself. */
static QD_APART void
emit_fused(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);
	struct gcn_mods m = plain;
	const struct three *t;
	uint32_t inner;

	if (emit_with_lane(e, i, row))
		return;
	if ((t = find_three(e, s, &inner))) {
		emit_three(e, i, t, inner);
		return;
	}
	struct src a = signed_src(e, s->a, 0, &m), b = signed_src(e, s->b, 1, &m);
	bool turned = row->form == FORM_SHIFT;
	put_v2m(e, row->v, gen_result_v(e, i), turned ? b : a, turned ? a : b, m);
}

static void
emit_binary(struct emit *e, uint32_t i, const struct row *row)
{
	const struct ins *s = gen_ins(e, i);

	if (gen_is_uniform(e, i) && is_scalar(e, i, row)) {
		struct src a = gen_src(e, s->a), b = gen_src(e, s->b);
		put_sop2(e, (enum gcn_op)row->s, gen_result(e, i, AT_S, 1, true), a, b);
		return;
	}
	if (QD_UNLIKELY((e->g.plan[s->a].flags | e->g.plan[s->b].flags) & GEN_FUSE)) {
		emit_fused(e, i, row);
		return;
	}
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

/* -- Bools --------------------------------------------------------------------------------------- */

/* The mask of lanes that are known, where it is one word that stands in each user's instruction. */
static struct src
toggled(struct emit *e, uint32_t v)
{
	if (e->loc[v].at == AT_NONE && !gen_is_fused(e, v))
		return gen_const((uint32_t)known_lanes(e, v, gen_ins(e, v)->op == OP_EQ));
	return gen_mask(e, v);
}

/* Does i, a mask of one word that is known, stand as b of an exclusive or alone? */
static bool
only_toggles(const struct emit *e, uint32_t i)
{
	uint32_t uses = e->body->uses[i];

	if (e->wave != 32)
		return false;
	for (uint32_t u = i + 1; uses && u <= e->g.plan[i].end; u++)
		uses -= gen_ins(e, u)->op == OP_XOR && gen_ins(e, u)->b == i && gen_ins(e, u)->a != i;
	return !uses;
}

static void
emit_mask_logic(struct emit *e, uint32_t i)
{
	static const struct {
		uint16_t b32, b64;
	} logic[N_OP] = { [OP_AND] = { GCN_OP_s_and_b32, GCN_OP_s_and_b64 },
			  [OP_OR] = { GCN_OP_s_or_b32, GCN_OP_s_or_b64 },
			  [OP_XOR] = { GCN_OP_s_xor_b32, GCN_OP_s_xor_b64 } };
	const struct ins *s = gen_ins(e, i);
	struct src b = toggled(e, s->b), a = gen_mask(e, s->a);

	put_mask2(e, (enum gcn_op)logic[s->op].b32, (enum gcn_op)logic[s->op].b64,
		  gen_result(e, i, AT_MASK, e->mask_words, true), a, b);
}

static void
emit_condition(struct emit *e, uint32_t i)
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

static void
emit_select(struct emit *e, uint32_t i)
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
		/* Nothing may come between: what a literal needs is moved first. */
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

/* -- Those that take more ----------------------------------------------------------------------- */

static void
emit_negate(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	bool is_float = s->type == QD_TYPE_F32;

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


/* The same bits. */
static void
emit_copy(struct emit *e, uint32_t i)
{
	uint32_t a = gen_ins(e, i)->a;

	gen_word(e, a, 0); /* is there by now */
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

/* Counts; a search gives all ones where there is none. */
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
	default: /* FFS: from 1 on */
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
	struct gcn_mods m = plain;
	struct src a = signed_src(e, s->a, 0, &m), b = signed_src(e, s->b, 1, &m),
		   c = signed_src(e, s->c, 2, &m);

	put_v3m(e, GCN_OP_v_fma_f32, gen_result_v(e, i), a, b, c, m);
}

/* -- All of them ---------------------------------------------------------------------------------- */

typedef void special_fn(struct emit *e, uint32_t i);
static const struct special {
	uint16_t types; /* leading ones */
	special_fn *emit;
} specials[N_OP] = {
	[OP_NEG] = { TM_I32 | 1u << QD_TYPE_F32, emit_negate },
	[OP_ABS] = { TM_I32 | 1u << QD_TYPE_F32, emit_abs },
	[OP_POPCOUNT] = { TM_I32, emit_count },
	[OP_CLZ] = { TM_I32, emit_count },
	[OP_FFS] = { TM_I32, emit_count },
	[OP_CVT] = { TM_I32 | 1u << QD_TYPE_F32, emit_convert },
	[OP_FMA] = { 1u << QD_TYPE_F32, emit_fma },
	[OP_SQRT] = { 1u << QD_TYPE_F32, gen_emit_root },
	[OP_DIV] = { TM_I32 | 1u << QD_TYPE_F32, gen_emit_quotient },
	[OP_REM] = { TM_I32, gen_emit_quotient },
	[OP_SELECT] = { TM_I32 | 1u << QD_TYPE_F32 | TM_BOOL, emit_select },
};
enum { TYPES = TM_I32 | 1u << QD_TYPE_F32 | TM_BOOL };

static const struct row *
row_of(enum op op, qd_type t)
{
	const struct row *r = &rows[op][class_of[t]];

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
	(void)t;
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

/* What has no row. */
static QD_APART void
emit_other(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	qd_type t = ir_lead_type(e->ir, s);

	if (is_compare((enum op)s->op)) {
		emit_condition(e, i);
	} else if (s->type != QD_TYPE_BOOL && (type_is(t, TM_64) || type_is((qd_type)s->type, TM_64))) {
		gen_emit_wide(e, i);
	} else if (t == QD_TYPE_BOOL && is_mask_logic((enum op)s->op)) {
		if (s->op == OP_NOT)
			emit_condition(e, i);
		else
			emit_mask_logic(e, i);
	} else if (specials[s->op].emit && specials[s->op].types >> t & 1) {
		specials[s->op].emit(e, i);
	} else {
		gen_illegal(e, i, "the target has no form of it");
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
	else
		emit_binary(e, i, row);
}
