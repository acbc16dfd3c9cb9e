/* Block operations. The threads of the block wait for each other; then the operation is computed
 * for all of them at once. Positions follow the order of the threads; a thread that did not reach
 * the operation has no value. */
#include "interp.h"

uint32_t
interp_positions(const struct run *r)
{
	uint32_t n = r->n_lanes;

	while (n < r->block_dim)
		n *= 2;
	return n;
}

/* -- Arrival of the threads ---------------------------------------------------------------- */

static bool
is_operator(const struct ins *i)
{
	return op_sig((enum op)i->op)->n_results == RESULT_OF_REGION;
}

static uint32_t
operand(const struct ir *ir, const struct ins *i, uint32_t list, uint32_t j)
{
	if (!is_operator(i))
		return i->a;
	for (; j; j--)
		list = ir->ins[list].b;
	return ir->ins[list].a;
}

/* The values that an operation's result in a thread includes. */
enum total { NO_TOTAL, OF_ALL, UP_TO_HERE, BELOW_HERE };

static enum total
total_of(const struct ins *i)
{
	switch (op_info[i->op].expand) {
	case EXPAND_block_reduce:
	case EXPAND_block_operator_reduce: return OF_ALL;
	case EXPAND_block_scan:
	case EXPAND_block_operator_scan: return UP_TO_HERE;
	case EXPAND_block_exclusive:
	case EXPAND_block_operator_exclusive: return BELOW_HERE;
	default: return NO_TOTAL;
	}
}

/* Returns the operand with the number of participating threads; 0: all participate. */
static uint32_t
active_operand(const struct ins *i)
{
	int8_t operand = op_sig((enum op)i->op)->active;

	return operand < 0 ? 0 : i->arg[operand];
}

/* Returns the active lanes of the participating threads. */
static struct mask
entering(struct wave *w, uint32_t operand)
{
	const uint64_t *n = wave_row(w, operand);
	uint32_t first = w->subgroup << w->run->log2_lanes;
	struct mask m = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++)
		if (mask_has(&w->active, l) && first + l < (uint32_t)n[l])
			mask_add(&m, l);
	return m;
}

void
interp_come(struct wave *w, uint32_t at)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[at];
	enum expansion kind = (enum expansion)op_info[i->op].expand;
	uint32_t k = is_operator(i) ? ir->ins[i->a].b : 1;
	struct mask enter = w->active;

	interp_check_converged(w, at, w->run->log2_lanes, MAX_LANE);
	if (active_operand(i)) {
		interp_use(w, at, active_operand(i), w->active, "n_active");
		enter = entering(w, active_operand(i));
	}
	if (kind == EXPAND_block_sort) {
		interp_use(w, at, i->a, enter, "the key");
		interp_use(w, at, i->b, enter, "the value");
		w->waits = at;
		return;
	}
	if (kind == EXPAND_block_rank) {
		for (uint32_t list = i->a; list; list = ir->ins[list].b)
			interp_use(w, at, ir->ins[list].a, w->active, "the key");
		w->waits = at;
		return;
	}
	if (kind == EXPAND_block_move)
		interp_use(w, at, i->b, w->active, "the thread index");
	for (uint32_t j = 0; j < k && kind != EXPAND_block_move; j++)
		interp_use(w, at, operand(ir, i, i->b, j), enter,
			   kind == EXPAND_block_vote ? "the predicate" : "the operand");
	for (uint32_t j = 0; j < k && kind == EXPAND_block_operator_exclusive; j++)
		interp_use(w, at, operand(ir, i, i->d, j), w->active, "the identity");
	w->waits = at;
}

struct wave *
interp_find(const struct run *r, struct wave *waves, uint32_t at, uint32_t thread,
	    uint32_t *lane)
{
	struct wave *w = thread < r->block_dim ? &waves[thread >> r->log2_lanes] : NULL;

	*lane = thread & (r->n_lanes - 1);
	return w && w->waits == at && mask_has(&w->active, *lane) ? w : NULL;
}

/* Returns the number of participating threads, which are the first ones of the block. It must be
 * the same in all threads. */
uint32_t
interp_count_active(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *i = &r->ir->ins[at];
	uint32_t operand = active_operand(i), n = UINT32_MAX, lane;
	bool first = true;

	for (uint32_t t = 0; operand && t < r->block_dim; t++) {
		struct wave *w = interp_find(r, waves, at, t, &lane);
		uint32_t given = w ? (uint32_t)wave_row(w, operand)[lane] : n;

		if (w && !first && given != n) {
			interp_report(
				w, REPORT_FINDING, at, lane,
				"n_active is not uniform: it is %u here and %u in another thread",
				given, n);
			return n;
		}
		if (w && first && !given && is_operator(i) && total_of(i) != BELOW_HERE)
			interp_report(w, REPORT_FINDING, at, lane,
				      "n_active is 0: the operator has no values to combine");
		first = first && !w;
		n = given;
	}
	return n;
}

/* Like interp_find, but NULL if the thread does not participate. */
static struct wave *
find_active(const struct run *r, struct wave *waves, uint32_t at, uint32_t thread, uint32_t active,
	    uint32_t *lane)
{
	struct wave *w = interp_find(r, waves, at, thread, lane);

	return thread < active ? w : NULL;
}

/* -- Votes ------------------------------------------------------------------------------------ */

static void
vote(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *i = &r->ir->ins[at];
	uint32_t active = interp_count_active(r, waves, at), n = 0, yes = 0, lane, result;

	for (uint32_t t = 0; t < r->block_dim; t++) {
		struct wave *w = find_active(r, waves, at, t, active, &lane);

		n += w != NULL;
		yes += w && wave_row(w, i->a)[lane];
	}
	switch (op_info[i->op].combine) {
	case OP_AND: result = yes == n; break;
	case OP_OR: result = yes != 0; break;
	default: result = yes;
	}
	for (uint32_t t = 0; t < r->block_dim; t++) {
		struct wave *w = interp_find(r, waves, at, t, &lane);

		if (w)
			wave_row(w, at)[lane] = result;
	}
}

/* -- Movement ------------------------------------------------------------------------------------ */

static void
fetch(struct wave *w, uint32_t lane, uint32_t at, struct wave *from, uint32_t from_lane)
{
	const struct ins *i = &w->run->ir->ins[at];
	uint32_t origin;

	if (from && mask_has(&from->active, from_lane) && from->waits == at) {
		wave_row(w, at)[lane] = wave_row(from, i->a)[from_lane];
		origin = from->any_undefined ? interp_origin(from, i->a, from_lane) : 0;
	} else {
		wave_row(w, at)[lane] = 0;
		origin = interp_nowhere(from, at, from_lane);
	}
	if (QD_UNLIKELY(origin))
		interp_put_origin(w, at, lane, origin);
}

static void
move(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *i = &r->ir->ins[at];
	bool one = op_info[i->op].level == LEVEL_BLOCK, first = true;
	uint32_t index = 0, lane;

	for (uint32_t s = 0; s < r->n_subgroups; s++)
		if (waves[s].waits == at)
			waves[s].undefined[r->fn->mark[at]] = (struct mask){ { 0, 0 } };
	for (uint32_t t = 0; t < r->block_dim; t++) {
		struct wave *w = interp_find(r, waves, at, t, &lane);
		uint32_t given;

		if (!w)
			continue;
		given = (uint32_t)wave_row(w, i->b)[lane];
		if (one && !first && given != index) {
			interp_report(w, REPORT_FINDING, at, lane,
				      "the broadcast index is not uniform: it is %u here and %u in "
				      "another thread",
				      given, index);
			one = false; /* already reported */
		}
		index = given;
		first = false;
		given %= r->block_dim;
		fetch(w, lane, at, &waves[given >> r->log2_lanes], given & (r->n_lanes - 1));
	}
}

/* -- Totals ---------------------------------------------------------------------------------------- */

static uint64_t *
value_of(const struct run *r, uint32_t j, uint32_t position)
{
	return &r->values[j * interp_positions(r) + position];
}

/* Combines the columns collected so far and stores the results at their positions. */
static void
combine(const struct run *r, struct tree *t, const uint32_t *to)
{
	interp_combine(t);
	for (uint32_t c = 0; c < t->n; c++)
		for (uint32_t j = 0; j < t->k; j++)
			*value_of(r, j, to[c]) = t->out[j][c];
	t->n = 0;
}

/* Computes inclusive totals. In each block of 2m positions, every position of the upper half
 * takes the total of the lower half's last position on its left. The result at p is the tree of
 * positions 0 to p; positions without a value do not occur in it. */
static void
scan(const struct run *r, struct tree *t)
{
	uint32_t n = interp_positions(r), to[MAX_LANE];

	for (uint32_t m = 1; m < n; m *= 2) {
		for (uint32_t p = m; p < n; p++) {
			uint32_t below = (p & ~(2 * m - 1)) | (m - 1);

			if (!(p & m) || !r->has[below])
				continue;
			for (uint32_t j = 0; j < t->k; j++) {
				if (!r->has[p]) {
					*value_of(r, j, p) = *value_of(r, j, below);
					continue;
				}
				t->x[j][t->n] = *value_of(r, j, below);
				t->y[j][t->n] = *value_of(r, j, p);
			}
			if (r->has[p]) {
				to[t->n] = p;
				t->who[t->n++] = 0;
			}
			r->has[p] = 1;
			if (t->n == r->n_lanes)
				combine(r, t, to);
		}
		combine(r, t, to);
	}
}

static uint64_t
identity(const struct run *r, const struct wave *w, uint32_t at, uint32_t lane, uint32_t j)
{
	const struct ins *i = &r->ir->ins[at];

	if (is_operator(i))
		return total_of(i) == BELOW_HERE ? wave_row(w, operand(r->ir, i, i->d, j))[lane] : 0;
	return ir_identity_bits((enum op)op_info[i->op].combine, (qd_type)i->type);
}

static void
total(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *i = &r->ir->ins[at];
	uint32_t n = interp_positions(r), active = interp_count_active(r, waves, at), lane;
	enum total which = total_of(i);
	struct tree t = { .ins = at, .op = (enum op)op_info[i->op].combine, .k = 1 };

	if (is_operator(i)) {
		t.region = i->a;
		t.k = r->ir->ins[i->a].b;
	}
	for (uint32_t p = 0; p < n; p++) {
		struct wave *w = interp_find(r, waves, at, p, &lane);

		t.w = t.w ? t.w : w;
		w = p < active ? w : NULL;
		r->has[p] = w != NULL;
		for (uint32_t j = 0; w && j < t.k; j++)
			*value_of(r, j, p) = wave_row(w, operand(r->ir, i, i->b, j))[lane];
	}
	interp_columns(&t);
	scan(r, &t);
	for (uint32_t p = 0; p < r->block_dim; p++) {
		struct wave *w = interp_find(r, waves, at, p, &lane);
		uint32_t from = which == OF_ALL ? n - 1 : which == UP_TO_HERE ? p : p - 1;
		bool some = (which != BELOW_HERE || p) && r->has[from];

		for (uint32_t j = 0; w && j < t.k; j++)
			wave_row(w, at)[j * r->n_lanes + lane] =
				some ? *value_of(r, j, from) : identity(r, w, at, lane, j);
	}
}

/* -- Ranks ------------------------------------------------------------------------------------------ */

/* Sets element n of a shared array of i32. */
static void
put_bin(const struct run *r, uint32_t mem, uint32_t n, uint32_t v)
{
	const struct bound_param *p = &r->params[mem];

	memcpy(p->mem + (size_t)n * p->size, &v, sizeof v);
	if (p->known)
		p->known[n] = 1;
}

static uint32_t
bin(const struct run *r, uint32_t mem, uint32_t n)
{
	const struct bound_param *p = &r->params[mem];
	uint32_t v;

	memcpy(&v, p->mem + (size_t)n * p->size, sizeof v);
	return v;
}

/* Gives each key its index within its bin, then adds the number of keys in lower bins. A key of a
 * thread that does not participate gets the rank that it would have after the others. */
static void
rank(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *ins = r->ir->ins, *i = &ins[at];
	uint32_t len = (uint32_t)r->params[i->x].elements, lane, below = 0;
	uint32_t active = interp_count_active(r, waves, at);

	for (uint32_t d = 0; d < len; d++)
		put_bin(r, i->x, d, 0);
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t t = 0; t < r->block_dim; t++) {
			struct wave *w = interp_find(r, waves, at, t, &lane);

			for (uint32_t list = i->a, j = 0; w && list; list = ins[list].b, j++) {
				uint32_t d = (uint32_t)wave_row(w, ins[list].a)[lane] & (len - 1);
				uint64_t *own = &wave_row(w, at)[j * r->n_lanes + lane];

				if (pass) {
					*own += bin(r, i->b, d);
					continue;
				}
				*own = bin(r, i->x, d);
				if (t < active)
					put_bin(r, i->x, d, (uint32_t)*own + 1);
			}
		}
		for (uint32_t d = 0; d < len && !pass; d++) {
			put_bin(r, i->b, d, below);
			below += bin(r, i->x, d);
		}
	}
}

void
interp_together(struct run *r, struct wave *waves, uint32_t at)
{
	switch (op_info[r->ir->ins[at].op].expand) {
	case EXPAND_block_vote: vote(r, waves, at); break;
	case EXPAND_block_move: move(r, waves, at); break;
	case EXPAND_block_rank: rank(r, waves, at); break;
	case EXPAND_block_sort: interp_sort_block(r, waves, at); break;
	default:
		if (total_of(&r->ir->ins[at]) != NO_TOTAL)
			total(r, waves, at);
		break; /* a barrier has no result */
	}
}
