/* Undefined values. A value fetched from a padding or inactive lane is 0 here but may be anything
 * on a device. It is tracked per lane, and reported where it has an effect: if it is stored, used
 * as an index or a condition, or combined with other lanes. After that it counts as defined, so
 * that one mistake gives one finding. The values in an operator come from checked operands, so
 * they are all defined.
 *
 * A value that may be undefined has a mark: the number of a mask of the lanes in which it is
 * undefined, and of a row of origins. All other values have mark 0, whose mask is empty. */
#include "interp.h"

enum { MAX_ROUNDS = 16 };

/* -- Values that may be undefined --------------------------------------------------- */

static bool
may_be_undefined(const struct ref_function *fn, const struct ins *i)
{
	bool any = false;

	switch (op_info[i->op].expand) {
	case EXPAND_shuffle:
	case EXPAND_shfl: return true;
	case EXPAND_block_move: return true;
	case EXPAND_load: return fn->mark[i->b];
	case EXPAND_local: return i->op != OP_SET && fn->mark[i->a];
	case EXPAND_alu:
		for (uint32_t j = 0; j < MAX_OPND; j++)
			any |= (op_values[i->op] >> j & 1) && fn->mark[i->arg[j]];
		return any;
	default: return false;
	}
}

static bool
mark(struct ref_function *fn, uint32_t v)
{
	if (fn->mark[v])
		return false;
	fn->mark[v] = ++fn->n_marks;
	return true;
}

/* A round marks the values that depend on marked ones before them. If a variable is set after a
 * use, another round is needed. After MAX_ROUNDS, all variables are marked. */
void
interp_mark(struct ref_function *fn)
{
	const struct ir *ir = &fn->f.image->ir;
	bool more = true;

	for (uint32_t round = 0; more; round++) {
		more = false;
		for (uint32_t v = 1; v < ir->n; v++) {
			const struct ins *i = &ir->ins[v];

			/* If a fetch has several results, only the first may be undefined. */
			if (op_info[i->op].expand == EXPAND_result && !i->x)
				fn->mark[v] = fn->mark[i->a];
			else if (i->op == OP_SET && fn->mark[i->b])
				more |= mark(fn, i->a);
			else if (may_be_undefined(fn, i) ||
				 (i->op == OP_VAR && round == MAX_ROUNDS))
				mark(fn, v);
		}
	}
}

/* -- Propagation ----------------------------------------------------------------------- */

uint32_t
interp_origin(const struct wave *w, uint32_t v, uint32_t lane)
{
	struct mask m = wave_undefined(w, v);

	return mask_has(&m, lane) ? wave_origin(w, v)[lane] : 0;
}

void
interp_carry(struct wave *w, uint32_t to, uint32_t v, struct mask lanes)
{
	struct mask from = mask_and(wave_undefined(w, v), lanes);
	struct mask *m = &w->undefined[w->run->fn->mark[to]];

	if (!w->run->fn->mark[to])
		return;
	*m = mask_or(mask_less(*m, lanes), from);
	if (QD_LIKELY(mask_empty(from)))
		return;
	for (uint32_t l = 0; l < w->n_threads; l++)
		if (mask_has(&from, l))
			wave_origin(w, to)[l] = wave_origin(w, v)[l];
}

/* Returns whether v, which is defined, determines the result of i alone. */
static bool
settles(const struct wave *w, const struct ins *i, uint32_t v, uint32_t lane)
{
	bool holds = wave_row(w, v)[lane];

	return i->type == QD_TYPE_BOOL &&
	       ((i->op == OP_AND && !holds) || (i->op == OP_OR && holds));
}

static uint32_t
origin_of_result(const struct wave *w, const struct ins *i, uint32_t lane)
{
	uint32_t n = op_sig((enum op)i->op)->n_opnd, from[MAX_OPND] = { 0 };

	for (uint32_t j = 0; j < n; j++)
		from[j] = interp_origin(w, i->arg[j], lane);
	if (i->op == OP_SELECT)
		return from[0] ? from[0] : wave_row(w, i->a)[lane] ? from[1] : from[2];
	for (uint32_t j = 0; j < n; j++)
		if (!from[j] && settles(w, i, i->arg[j], lane))
			return 0;
	return from[0] ? from[0] : from[1] ? from[1] : from[2];
}

void
interp_spread(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	uint32_t n = op_sig((enum op)i->op)->n_opnd;
	struct mask any = wave_undefined(w, i->a), *m = &w->undefined[w->run->fn->mark[at]];

	if (!w->run->fn->mark[at])
		return;
	for (uint32_t j = 1; j < n; j++)
		any = mask_or(any, wave_undefined(w, i->arg[j]));
	*m = (struct mask){ { 0, 0 } };
	if (QD_LIKELY(mask_empty(any)))
		return;
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t origin = mask_has(&any, l) ? origin_of_result(w, i, l) : 0;

		wave_origin(w, at)[l] = origin;
		if (origin)
			mask_add(m, l);
	}
}

/* -- Uses --------------------------------------------------------------------------------- */

void
interp_misused(struct wave *w, uint32_t at, uint32_t v, struct mask lanes, const char *what)
{
	lanes = mask_and(lanes, wave_undefined(w, v));
	for (uint32_t l = 0; l < w->n_threads; l++)
		if (mask_has(&lanes, l))
			interp_report_undefined(w, at, l, what, wave_origin(w, v)[l]);
}
