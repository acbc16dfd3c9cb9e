/* Scalar loads: groups of elements of an `in` buffer whose indices are the same in all lanes.
 *
 * A group is at least three loads of one run of instructions, at constant indices or at constant
 * distances from one value. A single test covers them: scalar loads of several words fetch the
 * elements if the last one is in range. Otherwise a late part, which is emitted after the code, tests and
 * loads each element. Scalar loads ignore exec, so these tests are needed in any case: code for no
 * active lane executes them too. The launch does not write `in` buffers, and the scalar cache is
 * invalidated before it. */
#include "vector.h"
#include "word.h"

enum {
	MAX_SPAN = 16,	   /* words of a group */
	MAX_LOOK = 256,	   /* instructions in which its loads are */
	MAX_CONSTANT = 1 << 12, /* bound of the constant in an index */
	MAX_SUMS = 2 * MAX_SPAN, /* additions of constants in an index */
	MAX_PIECES = 4,	   /* scalar loads of a group */
	SPARE_S = 40	   /* scalar registers that remain free */
};

struct group {
	uint32_t mem, base; /* base: the value that the indices share, or 0 */
	uint32_t first;	    /* smallest constant */
	uint32_t n, span;   /* loads; words from the first to the last */
	uint32_t load[MAX_SPAN]; /* by word, or 0 */
};

/* A group's late part. */
struct gen_late {
	struct gen_late *next;
	struct group group;
	struct gcn_label slow, back;
	uint16_t dst, at, desc, base; /* registers: results; two temporaries; descriptor; base, or REG_NONE */
};

/* -- The loads of a group --------------------------------------------------------------------- */

/* Splits an index into a value, or 0, and a constant that is added to it. Returns false if the constant
 * is large. */
static bool
split_index(const struct emit *e, uint32_t index, uint32_t *base, uint32_t *constant)
{
	uint64_t bits = 0, sum = 0;

	*base = index;
	for (uint32_t n = 0; n < MAX_SUMS && gen_ins(e, *base)->op == OP_ADD; n++) {
		const struct ins *s = gen_ins(e, *base);
		if (!gen_known(e, s->b, &bits) || sum + bits >= MAX_CONSTANT)
			break;
		sum += bits;
		*base = s->a;
	}
	if (gen_known(e, *base, &bits)) {
		sum += bits;
		*base = 0;
	}
	*constant = (uint32_t)sum;
	return sum < MAX_CONSTANT;
}

static bool
is_uniform_load(const struct emit *e, uint32_t i, uint32_t mem)
{
	const struct ins *s = gen_ins(e, i);

	return s->op == OP_LOAD && s->x == mem && !s->c && gen_is_uniform(e, i) && e->loc[i].at == AT_NONE &&
	       (type_info[e->body->mems[mem].type].size == 4 || (!GEN_RULE(SIZE) && type_info[s->type].size == 4)) &&
	       !(s->attr & (ATTR_LO | ATTR_HI)) &&
	       !(e->plan[i].flags & (GEN_INTO | GEN_HALF | GEN_FUSE));
}

/* Finds the loads from i on that may share a test with load i. */
static void
find_group(const struct emit *e, uint32_t i, struct group *g)
{
	uint32_t end = e->ir->n - i > MAX_LOOK ? i + MAX_LOOK : e->ir->n, last = 0;

	for (uint32_t j = i; j < end && !op_flow[e->ins[j].op] && op_info[e->ins[j].op].effect < EFFECT_FENCE; j++) {
		uint32_t base, constant;

		if (!is_uniform_load(e, j, g->mem) || !split_index(e, e->ins[j].a, &base, &constant))
			continue;
		constant += vector_near(&e->ins[j]);
		if (j == i) {
			g->base = base;
			g->first = last = constant;
		}
		if (base != g->base || constant < g->first || constant - g->first >= MAX_SPAN ||
		    g->load[constant - g->first])
			continue;
		g->load[constant - g->first] = j;
		g->n++;
		last = constant > last ? constant : last;
	}
	g->span = last - g->first + 1;
}

/* Returns the number of words of the next scalar load. */
static uint32_t
piece(uint32_t left)
{
	return 1u << qd_log2(left);
}

/* Returns true if the group takes fewer instructions than a move and a load for each element. */
static bool
is_shorter(const struct group *g)
{
	uint32_t n = g->base ? 9 : 4;

	for (uint32_t left = g->span; left; left -= piece(left))
		n++;
	return n < 2 * g->n;
}

/* -- Instructions --------------------------------------------------------------------------------- */

static void
scalar_load(struct emit *e, uint32_t dst, uint32_t at, uint32_t offset, uint32_t n)
{
	static const uint16_t rows[] = { GCN_OP_s_load_dword, GCN_OP_s_load_dwordx2, GCN_OP_s_load_dwordx4,
					 GCN_OP_s_load_dwordx8, GCN_OP_s_load_dwordx16 };
	const bool old = e->gcn->gen < GCN_G10;

	gen_salu_reads(e, src_of(at));
	gen_salu_reads(e, src_of(at + 1));
	word_put(gen_out_scalar(e), GCN_SMEM, gen_row(e, (enum gcn_op)rows[qd_log2(n)]), GCN_SMEM,
		 (struct gcn_fields){ .SDST = dst, .SBASE = at / 2, .OFFSET = offset, .IMM = old,
				      .SOFFSET = old ? 0 : gcn_null_of(e->gcn) });
}

/* Computes the address of an element in the registers at and at + 1. index is its register, which may
 * be `at`; REG_NONE: element 0. The upper half of the descriptor's second word is the element size. */
static void
put_address(struct emit *e, uint32_t at, uint32_t desc, uint32_t index)
{
	if (index == REG_NONE) {
		put_mov_s(e, at, src_of(desc));
		put_sop1(e, GCN_OP_s_sext_i32_i16, at + 1, src_of(desc + 1));
		return;
	}
	put_sop2(e, GCN_OP_s_lshr_b32, at + 1, src_of(index), gen_const(30));
	put_sop2(e, GCN_OP_s_lshl_b32, at, src_of(index), gen_const(2));
	put_sop1(e, GCN_OP_s_sext_i32_i16, SRC_VCC, src_of(desc + 1));
	put_sop2(e, GCN_OP_s_add_u32, at, src_of(desc), src_of(at));
	put_sop2(e, GCN_OP_s_addc_u32, at + 1, src_of(SRC_VCC), src_of(at + 1));
}

static void
put_branch(struct emit *e, enum gcn_op op, struct gcn_label *l)
{
	gcn_branch(gen_out_scalar(e), gen_row(e, op), l);
}

/* Computes an index in `at`, and branches to the label if it wraps or is not below the length. */
static void
put_test(struct emit *e, const struct gen_late *l, uint32_t constant, struct gcn_label *to, bool wraps)
{
	struct src index = gen_const(constant);

	if (l->base != REG_NONE) {
		put_sop2(e, GCN_OP_s_add_u32, l->at, src_of(l->base), index);
		index = src_of(l->at);
		if (wraps && GEN_RULE(WRAP))
			put_branch(e, GCN_OP_s_cbranch_scc1, to);
	}
	put_sopc(e, GCN_OP_s_cmp_gt_u32, src_of(l->desc + 2u), index);
	put_branch(e, GCN_OP_s_cbranch_scc0, to);
}

/* -- Late parts ------------------------------------------------------------------------------------ */

static void
put_late(struct emit *e, struct gen_late *l)
{
	const struct group *g = &l->group;

	gcn_bind_label(&e->o, &l->slow);
	gen_states_label(e);
	for (uint32_t w = 0; w < g->span; w++) {
		struct gcn_label next = GCN_LABEL;

		if (!g->load[w])
			continue;
		put_mov_s(e, l->dst + w, src_of(SRC_ZERO));
		put_test(e, l, g->first + w, &next, false);
		put_address(e, l->at, l->desc, l->base == REG_NONE ? REG_NONE : l->at);
		scalar_load(e, l->dst + w, l->at, l->base == REG_NONE ? 4 * (g->first + w) : 0, 1);
		gcn_bind_label(&e->o, &next);
		gen_states_label(e);
	}
	put_branch(e, GCN_OP_s_branch, &l->back);
}

void
gen_put_late(struct emit *e)
{
	for (struct gen_late *l = e->late; l; l = l->next)
		put_late(e, l);
	e->late = NULL;
}

/* -- Groups ---------------------------------------------------------------------------------------- */

/* A late part issues fewer or more loads than the group, so older results of the same counter can no
 * longer be waited for by number. */
static void
unnumber(struct emit *e)
{
	for (uint32_t k = 0; k < e->n_pend && e->gcn->counters != GCN_SPLIT; k++)
		if (e->pend[k].counter == CNT_DS && GEN_RULE(NUMBER))
			e->pend[k].counter |= 0x80;
}

static void
put_group(struct emit *e, struct gen_late *l)
{
	const struct group *g = &l->group;

	/* The late part does not execute waits that follow the branch to it. */
	if (e->n_pend + MAX_PIECES > MAX_PEND && GEN_RULE(FULL))
		gen_drain_waits(e);
	if (GEN_RULE(TEST))
		put_test(e, l, g->first + g->span - 1, &l->slow, true);
	put_address(e, l->at, l->desc, l->base);
	unnumber(e);
	for (uint32_t w = 0, n; w < g->span; w += n) {
		n = piece(g->span - w);
		scalar_load(e, l->dst + w, l->at, 4 * (g->first + w), n);
		gen_issued(e, CNT_SMEM, l->dst + w, n);
	}
	gcn_bind_label(&e->o, &l->back);
	e->scc_of = REG_NONE;
	for (uint32_t w = 0; w < g->span; w++) { /* by the late part */
		gen_salu_writes(e, l->dst + w);
		if (g->load[w])
			gen_assign_s(e, g->load[w], l->dst + w);
		else
			gen_give_s(e, l->dst + w, 1);
	}
}

bool
gen_emit_uniform(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct group g = { .mem = s->x };
	struct gen_late *l;
	uint32_t dst;

	if (e->loc[i].at != AT_NONE) /* loaded by an earlier group */
		return true;
	if (e->body->mems[s->x].access != QD_ACCESS_IN || !e->described[s->x] || e->ungrouped ||
	    e->keeps & KEEP_BRANCHES || !is_uniform_load(e, i, s->x))
		return false;
	find_group(e, i, &g);
	if (g.n < 3 || !is_shorter(&g))
		return false;
	/* The value must still be in its register. */
	if (g.base && (e->loc[g.base].at != AT_S || (e->plan[g.base].end < i && GEN_RULE(LIVE))))
		return false;
	dst = gen_spare_s(e, g.span, SPARE_S);
	if (dst == REG_NONE)
		return false;
	l = arena_alloc(e->in->mem, sizeof *l);
	if (!l) {
		gen_fail(e, QD_E_NOMEM, "out of memory");
		return true;
	}
	*l = (struct gen_late){ .next = e->late, .group = g, .dst = (uint16_t)dst, .base = REG_NONE };
	l->desc = (uint16_t)gen_descriptor(e, s->x);
	l->at = (uint16_t)gen_temp_s(e, 2);
	if (g.base)
		l->base = (uint16_t)gen_src(e, g.base).n;
	e->late = l;
	e->grouped = true;
	put_group(e, l);
	return true;
}
