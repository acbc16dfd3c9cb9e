/* Rewrites a specialized body so that it contains only operations that the machine supports, in
 * one walk. The family that op.def names for an instruction appends it unchanged or expanded.
 * The result may contain unused values, which pass_dce removes. */
#include "prim.h"

#include <assert.h>

uint32_t
lg_refuse(struct lg *l, enum op op, qd_type t)
{
	if (!lg_failed(l))
		l->st = diag_ins(l->p->k, l->w.in, l->at, l->p->err, NULL, DIAG_E0502,
				 op_info[op].text, type_info[t].name, PASS_ON(l->p));
	return 0;
}

/* -- Families without a file of their own ------------------------------------------- */

/* Drops an operation that a legal body does not contain. */
void
expand_gone(struct lg *l, uint32_t i)
{
	(void)l, (void)i;
}

void
expand_copy(struct lg *l, uint32_t i)
{
	const bool flow = op_flow[l->w.in->ins[i].op];

	if (flow)
		counter_flow(l, i);
	rw_copy(&l->w, i);
	if (flow)
		fact_flow(l, i);
}

/* Rejects operations that specialize and mask_padding must have removed. */
void
expand_folded(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	lg_refuse(l, (enum op)s->op, (qd_type)s->type);
}

void
expand_constant(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->w.map[i] = lg_const(l, (qd_type)s->type, const_bits(s));
}

uint32_t
lg_mark(struct lg *l, uint32_t v, uint32_t level)
{
	struct ins mark = { .op = OP_UNIFORM, .type = (uint8_t)lg_type(l, v), .a = v, .x = level };
	struct pair words;

	if (!lg_two_words(l, lg_type(l, v)))
		return lg_push(l, mark);
	words = pair_split(l, v);
	words.lo = lg_mark(l, words.lo, level);
	words.hi = lg_mark(l, words.hi, level);
	return pair_join(l, words, (qd_type)mark.type);
}

void
expand_mark(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->w.map[i] = lg_mark(l, l->w.map[s->a], s->x);
}

typedef void family_fn(struct lg *l, uint32_t i);

static family_fn *const families[N_EXPAND] = {
#define X(name) [EXPAND_##name] = expand_##name,
	EXPANSIONS(X)
#undef X
};

/* -- The walk -------------------------------------------------------------------------- */

/* Operations on 32-bit integers that ranges may decide; quotients are in divide_convert.c. */
static const bool decidable[N_OP] = {
	[OP_EQ] = true, [OP_NE] = true, [OP_LT] = true, [OP_LE] = true, [OP_MIN] = true, [OP_MAX] = true, [OP_AND] = true,
};

void
lg_visit(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const uint32_t *map = l->w.map;

	if (decidable[s->op] && (l->w.map[i] = range_decide(l, (enum op)s->op, map[s->a], map[s->b])) != 0)
		return;
	/* Unchanged: the operation was already simplified when it was appended to the input. */
	if (QD_LIKELY(op_plain[s->op].n && l->total[s->op] >> l->w.in->ins[s->a].type & 1)) {
		struct ins same = *s;

		same.attr = ATTR_RAW;
		same.a = map[s->a];
		same.b = map[s->b];
		same.c = map[s->c];
		l->w.o.pos = l->w.in->pos[i];
		l->w.map[i] = append_equal(&l->w.o, same);
		return;
	}
	l->at = i;
	l->w.o.pos = l->w.in->pos[i];
	families[op_info[l->w.in->ins[i].op].expand](l, i);
}

/* Visits instruction i of the input. Returns the next one to visit. Code after a jump is dead, also
 * if the jump was in an `if` that is decided now. */
static uint32_t
visit_next(struct lg *l, const struct census *census, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t next;

	if (QD_LIKELY(!op_flow[s->op])) {
		if (QD_LIKELY(!census || census_lives(census, i)))
			lg_visit(l, i);
		return i + 1;
	}
	if (QD_UNLIKELY(s->op == OP_REGION))
		return s->x + 1; /* regions are inlined at their uses */
	if ((next = rw_fold_if(&l->w, i)) != 0)
		return next;
	lg_visit(l, i);
	return op_flow[s->op] == FLOW_JUMP && !s->a ? rw_skip_dead(&l->w, i + 1) : i + 1;
}

qd_status
pass_legalize(struct pass_ctx *p, const struct ir *in, const struct census *census,
	      struct ir *out)
{
	struct lg l;

	assert(in->n && p->m->subgroup_size == 1u << p->m->log2_size);
	memset(&l, 0, sizeof l);
	l.p = p;
	l.m = p->m;
	if (p->answers)
		l.answers = *p->answers;
	QD_TRY(rw_begin(&l.w, p, in, out));
	if (!prim_hold_small(&l) || !counter_begin(&l) || (p->opt && !append_number(&l.w.o, in->n)))
		l.w.o.nomem = true;
	prim_turns_begin(&l);
	for (uint32_t i = 1; i < in->n && !lg_failed(&l);)
		i = visit_next(&l, census, i);
	if (l.st)
		return l.st;
	return rw_end(&l.w);
}
