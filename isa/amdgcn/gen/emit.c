/* The forward walk over legal IR: emits each instruction as planned. */
#include "gen_emit.h"

#include <stdarg.h>

void
gen_fail(struct emit *e, qd_status st, const char *format, ...)
{
	char text[256];
	va_list ap;

	if (e->st)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	e->st = qd_fail(e->err, st, "%s", text);
}

void
gen_illegal(struct emit *e, uint32_t i, const char *why)
{
	const struct ins *s = gen_ins(e, i);

	gen_fail(e, QD_E_INTERNAL, "%s: %s (%s, instruction %u) cannot be emitted: %s", e->k->name,
		 op_info[s->op].text, type_info[s->type].name, i, why);
}

/* -- Leaves ------------------------------------------------------------------------------------ */

/* Assigns i a register that the launch filled. These registers are never freed. */
static void
stands(struct emit *e, uint32_t i, enum gen_at at, uint32_t reg)
{
	e->loc[i] = (struct gen_loc){ .at = (uint8_t)at, .n = 1, .reg = (uint16_t)reg, .of = GEN_STANDS };
}

static void
stands_in_word(struct emit *e, uint32_t i, uint32_t word)
{
	if (e->arg[word] != REG_NONE) {
		stands(e, i, AT_S, e->arg[word]);
		return;
	}
	struct src a = gen_arg(e, word);
	put_mov_s(e, gen_result(e, i, AT_S, 1, false), a);
}

static void
emit_argument(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	const struct param *p = s->op == OP_ARGWORD ? NULL : &e->k->params[s->x];
	uint32_t word = s->op == OP_ARGWORD ? s->x : s->op == OP_LEN ? p->offset / 4 + 2 : p->offset / 4;

	if (s->attr & ATTR_HI)
		word++;
	stands_in_word(e, i, word);
}

static void
emit_grid_dim(struct emit *e, uint32_t i)
{
	stands_in_word(e, i, e->k->tail / 4 + TAIL_N_BLOCKS);
}

static void
emit_block_idx(struct emit *e, uint32_t i)
{
	stands(e, i, AT_S, e->block_idx);
}

static bool
is_one_wave(const struct emit *e)
{
	return e->threads <= e->wave;
}

static void
emit_thread(struct emit *e, uint32_t i)
{
	if (gen_ins(e, i)->op == OP_THREAD_IDX || is_one_wave(e) || !e->plan[i].end) {
		stands(e, i, AT_V, 0);
		return;
	}
	put_v2(e, VOP_C(v_and_b32), gen_result_v(e, i), gen_const(e->wave - 1), src_of(256));
}

static void
emit_subgroup_id(struct emit *e, uint32_t i)
{
	uint32_t dst = gen_result(e, i, AT_S, 1, false);

	put_readfirst(e, dst, src_of(256));
	put_sop2(e, GCN_OP_s_lshr_b32, dst, src_of(dst), gen_const(qd_log2(e->wave)));
}

/* -- Variables ------------------------------------------------------------------------------- */

static void
emit_var(struct emit *e, uint32_t i)
{
	static const uint8_t ats[] = { [GEN_S] = AT_S, [GEN_V] = AT_V, [GEN_MASK] = AT_MASK };
	const struct ins *s = gen_ins(e, i);
	enum gen_at at = (enum gen_at)ats[gen_regclass(e->t, (qd_type)s->type, e->body->level[i])];
	uint32_t n = at == AT_MASK ? e->mask_words : type_info[s->type].size / 4;

	if (s->a && at != AT_MASK)
		for (uint32_t w = 0; w < n; w++)
			gen_word(e, s->a, w); /* wait for the initial value first */
	gen_result(e, i, at, n, at != AT_MASK && n == 1);
	put_move(e, e->loc[i], s->a);
}

static void
emit_get(struct emit *e, uint32_t i)
{
	uint32_t var = gen_ins(e, i)->a;

	if (!(e->plan[i].flags & GEN_COPY)) {
		e->loc[i] = e->loc[var];
		return;
	}
	gen_result(e, i, (enum gen_at)e->loc[var].at, e->loc[var].n, false);
	put_move(e, e->loc[i], var);
}

/* Returns true if a SET of this mask variable must preserve the bits of inactive lanes. */
static bool
sets_some(const struct emit *e, uint32_t var)
{
	const struct gen_exec *x = &e->g.exec;

	for (uint32_t f = x->n_frame; f-- > 0 && x->frame[f].at > var;)
		if (x->frame[f].varies)
			return true;
	return false;
}

static void
emit_set(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct gen_loc to = e->loc[s->a];

	if (e->loc[s->b].at == to.at && e->loc[s->b].reg == to.reg)
		return;
	if (to.at == AT_SCRATCH) {
		gen_set_spilled(e, to, s->b);
		return;
	}
	if (to.at != AT_MASK || !sets_some(e, s->a)) {
		if (to.at != AT_MASK)
			gen_wait_reg(e, to.at == AT_V ? 256u + to.reg : to.reg, to.n);
		put_move(e, to, s->b);
		return;
	}
	uint32_t t = gen_temp_s(e, e->mask_words);
	struct src m = gen_mask(e, s->b);
	gen_wait_reg(e, to.reg, to.n);
	put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, t, m, src_of(SRC_EXEC));
	put_mask2(e, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64, to.reg, src_of(to.reg), src_of(SRC_EXEC));
	put_mask2(e, GCN_OP_s_or_b32, GCN_OP_s_or_b64, to.reg, src_of(to.reg), src_of(t));
}

static void
emit_alias(struct emit *e, uint32_t i)
{
	e->loc[i] = e->loc[gen_ins(e, i)->a];
}

/* -- Constructs ---------------------------------------------------------------------------------- */

static struct gen_open *
open_of(struct emit *e, uint32_t at)
{
	struct gen_open *o = &e->open[e->n_open - 1];

	while (o->at != at)
		o--;
	return o;
}

static void
branch(struct emit *e, struct gen_join *j, enum gcn_op op)
{
	gen_branch_to(e, j);
	gen_put_branch(e, op, j);
}

static void
branch_back(struct emit *e, struct gen_join *j, enum gcn_op op)
{
	gen_drain_waits(e);
	gen_put_branch(e, op, j);
}

static void
branch_on(struct emit *e, uint32_t cond, struct gen_join *j, bool where)
{
	static const uint16_t rows[2][2] = { { GCN_OP_s_cbranch_scc0, GCN_OP_s_cbranch_scc1 },
					     { GCN_OP_s_cbranch_vccz, GCN_OP_s_cbranch_vccnz } };
	bool not = false;
	uint64_t bits;

	if (gen_known(e, cond, &bits)) {
		if ((bits & 1) == where)
			branch(e, j, GCN_OP_s_branch);
		return;
	}
	enum gen_cond c = gen_branch_cond(e, cond, &not);
	gen_branch_to(e, j);
	if (c == COND_VCC)
		gen_salu_reads(e, src_of(SRC_VCC));
	gen_put_branch(e, (enum gcn_op)rows[c == COND_VCC][where != not], j);
}

/* exec = exec op b */
static void
to_exec(struct emit *e, enum gcn_op op32, enum gcn_op op64, struct src b)
{
	put_mask2(e, op32, op64, SRC_EXEC, src_of(SRC_EXEC), b);
}

/* Emits an action on exec, a save or the program counter. */
static void
apply_act(struct emit *e, const struct gen_act *a, uint32_t cond, bool reached)
{
	struct gen_open *o = open_of(e, a->of);
	struct gen_join *j = a->label < GEN_N_LABEL ? &o->join[a->label] : NULL;

	switch ((enum gen_do)a->what) {
	case GEN_DO_LABEL:
		if (a->label == GEN_HEAD) {
			gen_drain_waits(e);
			gcn_bind_label(gen_out(e), &j->label);
			gen_states_label(e);
		} else {
			gen_bind_join(e, j, reached);
		}
		break;
	case GEN_DO_BRANCH:
		if (a->label == GEN_HEAD)
			branch_back(e, j, GCN_OP_s_branch);
		else
			branch(e, j, GCN_OP_s_branch);
		break;
	case GEN_DO_BRANCH_IF: branch_on(e, cond, j, true); break;
	case GEN_DO_BRANCH_NOT: branch_on(e, cond, j, false); break;
	case GEN_DO_EXECZ: branch(e, j, GCN_OP_s_cbranch_execz); break;
	case GEN_DO_EXECNZ: branch_back(e, j, GCN_OP_s_cbranch_execnz); break;
	case GEN_DO_SAVE:
		o->save = (uint16_t)gen_take_s(e, e->mask_words);
		put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, o->save, src_of(SRC_EXEC));
		break;
	case GEN_DO_AND_SAVE: {
		struct src m = gen_mask(e, cond);
		o->save = (uint16_t)gen_take_s(e, e->mask_words);
		put_saveexec(e, o->save, m);
		break;
	}
	case GEN_DO_AND:
		if (!gen_compare_to_exec(e, cond, false))
			to_exec(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, gen_mask(e, cond));
		break;
	case GEN_DO_ONLY:
		/* exec is all ones, so every bit of the mask is defined. */
		if (!gen_compare_to_exec(e, cond, false))
			put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, SRC_EXEC, gen_mask(e, cond));
		break;
	case GEN_DO_NOT: put_mask1(e, GCN_OP_s_not_b32, GCN_OP_s_not_b64, SRC_EXEC, src_of(SRC_EXEC)); break;
	case GEN_DO_XOR: to_exec(e, GCN_OP_s_xor_b32, GCN_OP_s_xor_b64, src_of(o->save)); break;
	case GEN_DO_RESTORE: put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, SRC_EXEC, src_of(o->save)); break;
	case GEN_DO_ALL: e->stale = true; break;
	case GEN_DO_DROP:
		if (!gen_compare_to_exec(e, cond, true))
			to_exec(e, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64, gen_mask(e, cond));
		break;
	case GEN_DO_NONE: put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, SRC_EXEC, src_of(SRC_ZERO)); break;
	case GEN_DO_LANES: {
		struct src m = cond ? gen_mask(e, cond) : src_of(SRC_ONES);
		e->lanes = (uint16_t)gen_temp_s(e, e->mask_words);
		put_mask2(e, GCN_OP_s_and_b32, GCN_OP_s_and_b64, e->lanes, src_of(SRC_EXEC), m);
		break;
	}
	case GEN_DO_TAKE:
		put_mask2(e, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64, o->save, src_of(o->save), src_of(e->lanes));
		break;
	case GEN_DO_LEAVE: to_exec(e, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64, src_of(e->lanes)); break;
	case GEN_DO_FREE: gen_give_s(e, o->save, e->mask_words); break;
	}
}

static void
emit_flow(struct emit *e, uint32_t i)
{
	struct gen_exec *x = &e->g.exec;
	const struct ins *s = gen_ins(e, i);
	enum flow_kind kind = (enum flow_kind)op_flow[s->op];
	bool reached = !x->gone;

	if (kind == FLOW_OPEN) {
		struct gen_open *o = &e->open[e->n_open++];
		memset(o, 0, sizeof *o);
		o->at = i;
		for (uint32_t l = 0; QD_UNLIKELY(e->far != NULL) && l < GEN_N_LABEL; l++)
			o->join[l].far = e->far[i] >> l & 1;
	}
	gen_exec_at(&e->g, i);
	for (uint32_t k = 0; k < x->n_act && !e->st; k++) {
		apply_act(e, &x->act[k], s->a, reached);
		if (QD_UNLIKELY(e->o.bad & GCN_BAD_FAR))
			gen_mark_far(e, &x->act[k]);
		if (x->act[k].what == GEN_DO_BRANCH)
			reached = false;
		else if (x->act[k].what == GEN_DO_LABEL)
			reached = true;
	}
	if (kind == FLOW_CLOSE)
		e->n_open--;
}

/* -- Walk ------------------------------------------------------------------------------------------- */

typedef void emit_fn(struct emit *e, uint32_t i);

/* Emitter of each operation: its own, otherwise its family's. */
static const struct {
	emit_fn *own, *family;
} makers[N_OP] = {
#define FAMILY(what)                                                                               \
	(EXPAND_##what == EXPAND_alu	  ? gen_emit_alu                                           \
	 : EXPAND_##what == EXPAND_atomic ? gen_emit_atomic                                        \
	 : EXPAND_##what == EXPAND_scan	  ? gen_emit_scan                                          \
	 : EXPAND_##what == EXPAND_reduce ? gen_emit_reduce                                        \
					  : NULL)
#define OP(name, text, sig, types, sc, eff, level, padding, expand, combine, doc)                   \
	[OP_##name].family = FAMILY(expand),
#include "op.def"
#define OWN(op, emit) [OP_##op].own = emit
	OWN(PARAM, emit_argument), OWN(LEN, emit_argument),
	OWN(ARGWORD, emit_argument), OWN(GRID_DIM, emit_grid_dim),
	OWN(BLOCK_IDX, emit_block_idx), OWN(SUBGROUP_ID, emit_subgroup_id),
	OWN(THREAD_IDX, emit_thread), OWN(LANE, emit_thread),
	OWN(VAR, emit_var), OWN(GET, emit_get),
	OWN(SET, emit_set), OWN(BITCAST, emit_alias),
	OWN(UNIFORM, emit_alias), OWN(IF, emit_flow),
	OWN(ELSE, emit_flow), OWN(LOOP, emit_flow),
	OWN(BLOCK, emit_flow), OWN(BREAK, emit_flow),
	OWN(END, emit_flow), OWN(LOAD, gen_emit_load),
	OWN(STORE, gen_emit_store), OWN(BLOCK_SYNC, gen_emit_barrier),
	OWN(SUBGROUP_SYNC, gen_emit_fence), OWN(SUBGROUP_FENCE, gen_emit_fence),
	OWN(BLOCK_FENCE, gen_emit_fence), OWN(GRID_FENCE, gen_emit_fence),
	OWN(SHUFFLE, gen_emit_move), OWN(BROADCAST, gen_emit_move),
	OWN(LANE_PATTERN, gen_emit_pattern), OWN(BALLOT_WORD, gen_emit_ballot),
#undef OWN
#undef FAMILY
};

static inline void
emit_one(struct emit *e, uint32_t i, uint32_t op)
{
	emit_fn *emit = makers[op].own;

	if (!emit)
		emit = makers[op].family;
	if (QD_LIKELY(emit != NULL))
		emit(e, i);
	else
		gen_illegal(e, i, "the target has no such instruction");
}

void
gen_emit_again(struct emit *e, uint32_t i)
{
	emit_one(e, i, gen_ins(e, i)->op);
}

/* Records the source position of the next instruction if it differs from the last one. */
static void
put_mark(struct emit *e, uint32_t i, uint32_t *last)
{
	struct isa_mark m = { .at = GEN_CODE_AT + 4 * (uint32_t)(e->o.at - e->o.begin), .pos = e->ir->pos[i] };

	if (!m.pos || m.pos == *last)
		return;
	buf_put(e->in->marks, &m, sizeof m);
	*last = m.pos;
}

static void
emit_body(struct emit *e)
{
	uint32_t last_pos = 0, n = e->ir->n;
	bool marks = e->in->marks != NULL;
	const struct gen_plan *plan = e->plan;
	const struct ins *ins = e->ins;
	const uint32_t *dies_at = e->dies_at;

	gen_prologue(e);
	if (QD_UNLIKELY(e->most_lanes))
		gen_reserve_lanes(e);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t op = ins[i].op;

		if (op == OP_CONST) { /* emits nothing, and no value dies here */
			e->loc[i] = (struct gen_loc){ .at = AT_CONST, .of = i };
			continue;
		}
		if (plan[i].flags & GEN_FUSE)
			continue;
		if (QD_UNLIKELY(marks))
			put_mark(e, i, &last_pos);
		if (QD_UNLIKELY(e->spilled != NULL)) {
			if (gen_before_spill(e, i))
				emit_one(e, i, op);
			gen_after_spill(e, i);
		} else {
			e->at = i;
			emit_one(e, i, op);
			if (dies_at[i] | e->n_temps | e->holds)
				gen_end(e);
		}
		if (QD_UNLIKELY(e->st))
			return;
	}
	if (e->st) /* the prologue failed and the body is empty */
		return;
	if (e->needs)
		gen_put_waits(e);
	gcn_sopp(&e->o, GCN_s_endpgm, 0);
	gen_put_late(e);
	e->o.code_end = e->o.at;
	gen_put_tables(e);
}

/* A test compiles this file with a small limit, so that most kernels spill. */
#ifndef GEN_MOST_VGPR
#define GEN_MOST_VGPR N_VGPR
#endif

/* -- Register limits ---------------------------------------------------------------------------------- */

/* Returns the largest number of vector registers at which all waves of the block are resident. */
static uint32_t
vector_limit(const struct emit *e)
{
	if (GEN_MOST_VGPR < N_VGPR)
		return GEN_MOST_VGPR;
	if (e->threads <= 2 * e->wave) /* each wave has its own SIMD */
		return N_VGPR;
	struct gcn_usage u = { .workgroup = e->threads, .n_sgpr = e->gcn->n_sgpr };
	for (uint32_t n = N_VGPR; n > 8; n -= 8) {
		u.n_vgpr = n;
		struct gcn_groups g = gcn_groups(e->gcn, &u);
		if (g.groups)
			return n;
	}
	return 8;
}

/* Allocates and zeroes the tables indexed by instruction and by memory. */
static bool
take_tables(struct emit *e)
{
	size_t n = e->ir->n, n_mems = e->body->n_mems;
	char *at = arena_zalloc(e->in->mem, n * (sizeof *e->g.plan + sizeof *e->loc + sizeof *e->dies_at + sizeof *e->chain) +
						    n_mems * (sizeof *e->base + sizeof *e->described));

	if (!at)
		return false;
#define TAKE(table, n) (e->table = (void *)at, at += (n) * sizeof *e->table)
	TAKE(g.plan, n);
	TAKE(loc, n);
	TAKE(dies_at, n);
	TAKE(chain, n);
	TAKE(base, n_mems);
	TAKE(described, n_mems);
#undef TAKE
	e->plan = e->g.plan;
	return true;
}

qd_status
gen_emit_words(struct emit *e, uint32_t *words, size_t cap, size_t *n)
{
	if (!take_tables(e))
		return qd_fail(e->err, QD_E_NOMEM, "out of memory");
	e->g.in = e->in;
	e->g.t = e->t;
	gen_plan(&e->g);
	e->open = arena_alloc(e->in->mem, (e->g.n_nest + 1) * sizeof *e->open);
	if (!gen_exec_init(&e->g) || !e->open)
		return qd_fail(e->err, QD_E_NOMEM, "out of memory");
	gcn_out_init(&e->o, e->gcn, words, cap);
	e->rows = gcn_op_page[gcn_class_of(e->gcn)];
	e->scc_of = REG_NONE;
	e->stored = 0;
	gen_states_init(e);
	gen_regs_init(e, e->gcn->n_sgpr, vector_limit(e));
	if (e->spilled)
		gen_clear_owners(e);
	emit_body(e);
	QD_TRY(e->st);
	e->found_spill |= gen_sets_scratch(e) != e->sets_scratch;
	if (e->found_far || e->found_spill)
		return QD_OK;
	return gcn_out_end(&e->o, n, e->err);
}
