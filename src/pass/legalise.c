/* Rewrites a specialised body so that only what the machine emits is left.  One
 * walk does nearly all of it: each instruction is appended as it is, or as what
 * prim/ makes of it.  Two more walks follow where they must: 64-bit integers as
 * words, and loops that leave at their head.  Values without a use may be left,
 * for the fold that follows where the body has grown. */
#include "prim.h"

#include <assert.h>

uint32_t
lg_refuse(struct lg *l, enum op op, qd_type t)
{
	if (!lg_failed(l))
		l->st = diag_ins(l->p->k, l->w.in, l->at, l->p->err, NULL, DIAG_E0502,
				 op_info[op].text, type_info[t].name, l->m->name);
	return 0;
}

uint32_t
lg_lacks(struct lg *l, enum op op, const char *what)
{
	if (!lg_failed(l))
		l->st = diag_ins(l->p->k, l->w.in, l->at, l->p->err, NULL, DIAG_E0501, l->m->name,
				 what, op_info[op].text);
	return 0;
}

/* Operations of which the kernel's, and not a lane's, operands are constants. */
static uint32_t
lane_op(struct lg *l, const struct ins *s)
{
	enum op op = (enum op)s->op;
	uint32_t v = l->w.map[s->a], k = l->w.map[s->b];

	switch (op) {
	case OP_BALLOT_FIRST_N:
		return prim_ballot_first_n(l, v, k);
	case OP_REDUCE_ADD: case OP_REDUCE_MIN: case OP_REDUCE_MAX:
		return prim_reduce(l, op, v, prim_tile(l, k));
	case OP_INCLUSIVE_ADD:
		return prim_inclusive_add(l, v, prim_tile(l, k));
	case OP_SHUFFLE: case OP_SHUFFLE_XOR: case OP_SHUFFLE_UP: case OP_SHUFFLE_DOWN:
	case OP_BROADCAST:
		return prim_shuffle(l, op, v, k);
	default:
		return lg_refuse(l, op, s->type);
	}
}

void
lg_visit(struct lg *l, uint32_t i)
{
	struct rw *w = &l->w;
	const struct ins *s = &w->in->ins[i];
	const struct op_info *info = &op_info[s->op];
	uint32_t *map = w->map;

	l->at = i;
	w->pos = w->in->pos[i];
	if (info->flags & OPF_ALU) {
		map[i] = lg_legal(l, (enum op)s->op, s->type, map[s->a],
				  info->n_args > 1 ? map[s->b] : 0,
				  info->n_args > 2 ? map[s->c] : 0);
		return;
	}
	if (is_int64(s->type) && l->two_words)
		l->saw_64 = true;
	switch (s->op) {
	case OP_NONE: case OP_REGION: case OP_PACK:
		return;
	case OP_CONST:
		map[i] = lg_const(l, s->type, const_bits(s));
		return;
	case OP_GRID:
		map[i] = prim_grid(l, s->type);
		return;
	case OP_ELECT:
		map[i] = prim_elect(l);
		return;
	case OP_SUBGROUP_ID:
		map[i] = prim_subgroup_id(l);
		return;
	case OP_LOOP:
		l->saw_loop = true;
		break;
	case OP_ARG:
		map[i] = l->region_args[s->x];
		return;
	case OP_YIELD:
		l->region_out[s->x] = map[s->a];
		return;
	case OP_RESULT:
		map[i] = prim_result(l, s);
		return;
	case OP_LOAD:
		prim_load(l, i);
		return;
	case OP_STORE:
		prim_store(l, i);
		return;
	case OP_REDUCE:
		prim_reduce_op(l, i);
		return;
	case OP_INCLUSIVE_SCAN:
		prim_scan_op(l, i);
		return;
	default:
		if (info->flags & OPF_CROSS) {
			map[i] = lane_op(l, s);
			return;
		}
		break;
	}
	rw_copy(w, i);
}

/* The first walk. */
static qd_status
walk(struct lg *l, const struct ir *in, struct ir *out)
{
	QD_TRY(rw_begin(&l->w, l->p, in, out));
	for (uint32_t i = 1; i < in->n && !lg_failed(l); i++) {
		if (in->ins[i].op == OP_REGION)
			i = in->ins[i].x; /* entered by name, where it is used */
		else
			lg_visit(l, i);
	}
	if (l->st)
		return l->st;
	return rw_end(&l->w);
}

qd_status
pass_legalise(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct lg l = { .p = p, .m = p->m, .two_words = !(p->m->caps & CAP_I64) };

	assert(in->n && p->m->subgroup_size == 1u << p->m->log2_size);
	QD_TRY(walk(&l, in, out));
	if (l.saw_64) {
		struct ir wide = *out;
		QD_TRY(prim_split64(&l, &wide, out));
		l.saw_loop = true; /* divisions bring some */
	}
	if (l.saw_loop && (p->m->caps & CAP_FLAG_LOOPS)) {
		struct ir loops = *out, flagged;
		bool used;
		QD_TRY(prim_flag_loops(&l, &loops, &flagged, &used));
		if (used)
			*out = flagged;
	}
	return QD_OK;
}
