/* Operations that combine lanes. Totals follow the definition of the canonical order: T(v[0..n))
 * = T(v[0..h)) op T(v[h..n)), h the largest power of two below n. So a tile is a binary tree of
 * aligned blocks without the inactive lanes. The first n values are the complete blocks of n's
 * binary digits, combined from the right. All combinations of one level are independent; they
 * form columns and go through the operator together. */
#include <assert.h>

#include "interp.h"

size_t
interp_cross_blocks(const struct run *r)
{
	return (size_t)(r->log2_lanes + 1) * r->fn->n_yield << r->log2_lanes;
}

size_t
interp_cross_columns(const struct run *r)
{
	return (size_t)3 * r->fn->n_yield << r->log2_lanes;
}

/* -- Shuffles --------------------------------------------------------------------- */

static uint32_t
source(enum op op, uint32_t lane, uint32_t operand, uint32_t n_lanes)
{
	switch (op) {
	case OP_SHUFFLE_XOR: return (lane ^ operand) & (n_lanes - 1);
	case OP_SHUFFLE_UP: return operand <= lane ? lane - operand : lane;
	case OP_SHUFFLE_DOWN: return operand < n_lanes - lane ? lane + operand : lane;
	default: return operand & (n_lanes - 1);
	}
}

static void
check_uniform(struct wave *w, uint32_t ins, const uint64_t *index)
{
	uint32_t first = MAX_LANE;

	for (uint32_t l = 0; l < w->n_threads; l++) {
		if (!mask_has(&w->active, l))
			continue;
		if (first == MAX_LANE)
			first = l;
		if (index[l] == index[first])
			continue;
		interp_report(w, REPORT_FINDING, ins, l,
			      "the broadcast index is not uniform: lane %u has %u, lane %u has %u",
			      first, (uint32_t)index[first], l, (uint32_t)index[l]);
		return;
	}
}

uint32_t
interp_nowhere(const struct wave *w, uint32_t at, uint32_t from)
{
	return at * ORIGIN_INS + (mask_has(&w->ordinary, from) ? 0 : ORIGIN_PADDING) + from;
}

void
interp_put_origin(struct wave *w, uint32_t at, uint32_t lane, uint32_t origin)
{
	w->any_undefined = true;
	mask_add(&w->undefined[w->run->fn->mark[at]], lane);
	wave_origin(w, at)[lane] = origin;
}

void
interp_take(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, bool is_one)
{
	uint32_t v = w->run->ir->ins[at].a, origin;

	if (QD_LIKELY(is_one && mask_has(&w->active, from))) {
		wave_row(w, at)[lane] = wave_row(w, v)[from];
		origin = w->any_undefined ? interp_origin(w, v, from) : 0;
	} else {
		wave_row(w, at)[lane] = 0;
		origin = interp_nowhere(w, at, from);
	}
	if (QD_UNLIKELY(origin))
		interp_put_origin(w, at, lane, origin);
}

void
interp_fetch(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const uint64_t *operand = wave_row(w, i->b);
	uint64_t *r = wave_row(w, at);

	interp_use(w, at, i->b, w->active, "the lane index");
	/* A broadcast needs the same index in every lane. */
	if (op_info[i->op].level == LEVEL_SUBGROUP)
		check_uniform(w, at, operand);
	w->undefined[w->run->fn->mark[at]] = (struct mask){ { 0, 0 } };
	for (uint32_t l = 0; l < w->n_threads; l++) {
		r[l] = 0;
		if (!mask_has(&w->active, l))
			continue;
		interp_take(w, at, l,
			    source((enum op)i->op, l, (uint32_t)operand[l], w->run->n_lanes), true);
	}
}

void
interp_check_converged(struct wave *w, uint32_t ins, uint32_t log2, uint32_t below)
{
	if (mask_same(w->active, w->ordinary))
		return;
	for (uint32_t base = 0; base < w->n_threads; base += 1u << log2) {
		uint32_t in = MAX_LANE, out = MAX_LANE;

		for (uint32_t l = base; l < w->n_threads && l - base < 1u << log2; l++) {
			if (mask_has(&w->active, l))
				in = in == MAX_LANE ? l : in;
			else if (l < below && mask_has(&w->ordinary, l))
				out = out == MAX_LANE ? l : out;
		}
		if (in != MAX_LANE && out != MAX_LANE)
			interp_report(w, REPORT_FINDING, ins, in,
				      "%s in divergent control flow: lane %u is inactive",
				      interp_name(&w->run->ir->ins[ins]), out);
	}
}

/* The result has a u32 of the first n lanes, a u64, or several u32 words. */
void
interp_ballot(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const struct sig_info *sig = op_sig((enum op)i->op);
	const uint64_t *v = wave_row(w, i->a);
	uint32_t n = sig->known < 0 ? w->run->n_lanes : (uint32_t)wave_row(w, i->arg[sig->known])[0];
	uint32_t word[MAX_LANE / 32] = { 0 };
	uint64_t *r = wave_row(w, at);
	struct mask asked = { { 0, 0 } };

	for (uint32_t l = 0; l < n && l < w->n_threads; l++)
		mask_add(&asked, l);
	interp_check_converged(w, at, w->run->log2_lanes, n);
	interp_use(w, at, i->a, mask_and(w->active, asked), "the predicate");
	for (uint32_t l = 0; l < w->n_threads && l < n; l++)
		if (v[l] && mask_has(&w->active, l))
			word[l / 32] |= 1u << l % 32;
	for (uint32_t l = 0; l < w->n_threads; l++) {
		for (uint32_t j = 0; sig->n_results > 1 && j < sig->n_results; j++)
			r[j * w->run->n_lanes + l] = word[j];
		if (sig->n_results == 1)
			r[l] = i->type == QD_TYPE_U64 ? (uint64_t)word[1] << 32 | word[0] : word[0];
	}
}

uint32_t
interp_tile(const struct wave *w, const struct ins *i)
{
	uint32_t tile = i->arg[op_sig((enum op)i->op)->known];

	return tile ? (uint32_t)wave_row(w, tile)[0] : w->run->log2_lanes;
}

/* Sets each tile's result: whether any of its active lanes votes yes, or all do. */
static void
vote(struct wave *w, uint32_t at, uint32_t log2, const bool *yes, bool any)
{
	uint64_t *r = wave_row(w, at);

	for (uint32_t base = 0; base < w->n_threads; base += 1u << log2) {
		uint32_t end = base + (1u << log2) < w->n_threads ? base + (1u << log2) : w->n_threads;
		bool result = !any;
		for (uint32_t l = base; l < end; l++)
			if (mask_has(&w->active, l))
				result = any ? result || yes[l] : result && yes[l];
		for (uint32_t l = base; l < end; l++)
			r[l] = mask_has(&w->active, l) && result;
	}
}

void
interp_vote(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const uint64_t *v = wave_row(w, i->a);
	uint32_t log2 = interp_tile(w, i);
	bool yes[MAX_LANE];

	interp_check_converged(w, at, log2, MAX_LANE);
	interp_use(w, at, i->a, w->active, "the predicate");
	for (uint32_t l = 0; l < w->n_threads; l++)
		yes[l] = v[l];
	vote(w, at, log2, yes, op_info[i->op].combine == OP_OR);
}

void
interp_all_equal(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	qd_type type = (qd_type)w->run->ir->ins[i->a].type;
	const uint64_t *v = wave_row(w, i->a);
	uint32_t log2 = interp_tile(w, i), first = 0;
	bool yes[MAX_LANE];

	interp_check_converged(w, at, log2, MAX_LANE);
	interp_use(w, at, i->a, w->active, "the operand");
	for (uint32_t l = 0, tile = MAX_LANE; l < w->n_threads; l++) {
		if (!mask_has(&w->active, l))
			continue;
		first = tile == l >> log2 ? first : l;
		tile = l >> log2;
		yes[l] = ir_eval(OP_EQ, type, QD_TYPE_BOOL, v[l], v[first], 0);
	}
	vote(w, at, log2, yes, false);
}

/* -- The operator over columns ------------------------------------------------------ */

/* Runs the operator on all columns. A region uses only its own values; their rows hold columns
 * while it runs. */
static void
run_region(struct tree *t)
{
	const struct ir *ir = t->w->run->ir;
	size_t size = t->n * sizeof(uint64_t);

	for (uint32_t v = t->region + 1; v < ir->ins[t->region].x; v++) {
		const struct ins *i = &ir->ins[v];
		uint64_t *r = wave_row(t->w, v);
		uint32_t n = op_sig((enum op)i->op)->n_opnd;

		if (i->op == OP_ARG) {
			memcpy(r, i->x < t->k ? t->x[i->x] : t->y[i->x - t->k], size);
		} else if (i->op == OP_YIELD) {
			memcpy(t->out[i->x], wave_row(t->w, i->a), size);
		} else if (i->op == OP_CONST) {
			for (uint32_t c = 0; c < t->n; c++)
				r[c] = const_bits(i);
		} else {
			const uint64_t *b = n > 1 ? wave_row(t->w, i->b) : NULL;

			if ((i->op == OP_DIV || i->op == OP_REM) && type_is(i->type, TM_INT))
				interp_check_divisor(t->w, v, t->n, b, t->who);
			else if (QD_UNLIKELY(op_info[i->op].is_approx))
				interp_check_domain(t->w, v, t->n, wave_row(t->w, i->a), b, t->who);
			interp_alu((enum op)i->op, ir_lead_type(ir, i), i->type, t->n,
				   wave_row(t->w, i->a), b, n > 2 ? wave_row(t->w, i->c) : NULL, r);
		}
	}
}

void
interp_combine(struct tree *t)
{
	qd_type type = t->w->run->ir->ins[t->ins].type;

	if (t->n && t->op == OP_NONE)
		run_region(t);
	else if (t->n)
		interp_alu(t->op, type, type, t->n, t->x[0], t->y[0], NULL, t->out[0]);
}

/* -- Trees ------------------------------------------------------------------------------ */

/* Returns value j of the blocks of 2^level lanes, indexed by each block's first lane. */
static uint64_t *
block(const struct tree *t, uint32_t level, uint32_t j)
{
	return t->w->blocks + ((size_t)(level * t->k + j) << t->w->run->log2_lanes);
}

/* Computes the totals of all blocks up to 2^log2 lanes from those of level 0. */
static void
grow(struct tree *t, uint32_t log2)
{
	for (uint32_t d = 0; d < log2; d++) {
		struct mask *above = &t->has[d + 1];

		*above = (struct mask){ { 0, 0 } };
		t->n = 0;
		for (uint32_t lo = 0; lo < t->w->n_threads; lo += 2u << d) {
			uint32_t hi = lo + (1u << d);
			bool has_lo = mask_has(&t->has[d], lo), has_hi = mask_has(&t->has[d], hi);

			if (has_lo || has_hi)
				mask_add(above, lo);
			for (uint32_t j = 0; j < t->k; j++) {
				const uint64_t *v = block(t, d, j);

				if (has_lo && has_hi) {
					t->x[j][t->n] = v[lo];
					t->y[j][t->n] = v[hi];
				} else if (has_lo || has_hi) {
					block(t, d + 1, j)[lo] = v[has_lo ? lo : hi];
				}
			}
			if (has_lo && has_hi)
				t->who[t->n++] = (uint8_t)lo;
		}
		interp_combine(t);
		for (uint32_t j = 0; j < t->k; j++)
			for (uint32_t c = 0; c < t->n; c++)
				block(t, d + 1, j)[t->who[c]] = t->out[j][c];
	}
}

/* Clears the lowest set bit of *count. Returns the first lane of that block; sets its level. */
static uint32_t
last_block(uint32_t *count, uint32_t *level)
{
	*level = 0;
	while (!(*count >> *level & 1))
		++*level;
	*count &= *count - 1;
	return *count;
}

/* Stores the total of the lanes below each lane, with `own` including it. A lane with nothing
 * below it gets first[j]. */
static void
scan(struct tree *t, uint32_t log2, uint32_t row, bool own,
     const uint64_t *const *first)
{
	struct wave *w = t->w;
	uint64_t *r = w->rows + ((size_t)row << w->run->log2_lanes);
	uint32_t tile = (1u << log2) - 1, n_lanes = w->run->n_lanes, level;
	uint32_t left[MAX_LANE]; /* lanes of the tile not in the lane's total yet */
	bool any[MAX_LANE];	 /* the lane's total is not empty */
	bool more = true;

	for (uint32_t l = 0; l < w->n_threads; l++) {
		bool active = mask_has(&w->active, l);
		left[l] = active ? (l & tile) + own : 0;
		any[l] = false;
		for (uint32_t j = 0; j < t->k; j++)
			r[j * n_lanes + l] = active && !own ? first[j][l] : 0;
	}
	while (more) {
		more = false;
		t->n = 0;
		for (uint32_t l = 0; l < w->n_threads; l++) {
			if (!left[l])
				continue;
			uint32_t base = (l & ~tile) + last_block(&left[l], &level);
			more |= left[l] != 0;
			if (!mask_has(&t->has[level], base))
				continue;
			for (uint32_t j = 0; j < t->k; j++) {
				t->x[j][t->n] = block(t, level, j)[base];
				if (any[l])
					t->y[j][t->n] = r[j * n_lanes + l];
				else
					r[j * n_lanes + l] = t->x[j][t->n];
			}
			if (any[l])
				t->who[t->n++] = (uint8_t)l;
			any[l] = true;
		}
		interp_combine(t);
		for (uint32_t j = 0; j < t->k; j++)
			for (uint32_t c = 0; c < t->n; c++)
				r[j * n_lanes + t->who[c]] = t->out[j][c];
	}
}

/* Computes the total of the block's lanes in from..to; returns false if there are none. */
static bool
between(const struct tree *t, uint32_t level, uint32_t base, uint32_t from, uint32_t to,
	uint64_t *out)
{
	uint32_t half = 1u << level >> 1, end = base + (1u << level);
	qd_type type = t->w->run->ir->ins[t->ins].type;
	uint64_t lo, hi;
	bool has_lo, has_hi;

	if (end <= from || base > to)
		return false;
	if (base >= from && end <= to + 1) {
		*out = block(t, level, 0)[base];
		return mask_has(&t->has[level], base);
	}
	has_lo = between(t, level - 1, base, from, to, &lo);
	has_hi = between(t, level - 1, base + half, from, to, &hi);
	if (has_lo && has_hi)
		*out = ir_eval(t->op, type, type, lo, hi, 0);
	else if (has_lo || has_hi)
		*out = has_lo ? lo : hi;
	return has_lo || has_hi;
}

/* Stores in each lane the total of the lanes from its segment's head to itself, as the tree of
 * only these lanes. */
static void
segments(struct tree *t, uint32_t log2, uint32_t row, const uint64_t *flag)
{
	struct wave *w = t->w;
	uint64_t *r = w->rows + ((size_t)row << w->run->log2_lanes);
	uint32_t tile = (1u << log2) - 1, head = 0;

	for (uint32_t l = 0; l < w->n_threads; l++) {
		r[l] = 0;
		if (!(l & tile) || (flag[l] && mask_has(&w->active, l)))
			head = l;
		if (mask_has(&w->active, l))
			between(t, log2, l & ~tile, head, l, &r[l]);
	}
}

static void
total(struct tree *t, uint32_t log2, uint32_t row)
{
	struct wave *w = t->w;
	uint64_t *r = w->rows + ((size_t)row << w->run->log2_lanes);
	uint32_t tile = (1u << log2) - 1;

	for (uint32_t j = 0; j < t->k; j++)
		for (uint32_t l = 0; l < w->n_threads; l++)
			r[j * w->run->n_lanes + l] =
				mask_has(&w->active, l) ? block(t, log2, j)[l & ~tile] : 0;
}

void
interp_columns(struct tree *t)
{
	uint64_t *p = t->w->column;
	uint32_t n = t->w->run->n_lanes;

	for (uint32_t j = 0; j < t->k; j++, p += 3 * n) {
		t->x[j] = p;
		t->y[j] = p + n;
		t->out[j] = p + 2 * n;
	}
}

enum total { OF_ALL, UP_TO_HERE, BELOW_HERE, SINCE_HEAD };

static void
run_tree(struct wave *w, uint32_t at, enum total which)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[at];
	uint32_t log2 = interp_tile(w, i);
	uint32_t list = i->b;
	const uint64_t *first[MAX_YIELD] = { 0 };
	uint64_t identity[MAX_LANE];
	struct tree t = { .w = w, .ins = at, .op = op_info[i->op].combine, .k = 1 };

	assert(log2 <= w->run->log2_lanes);
	interp_check_converged(w, at, log2, MAX_LANE);
	if (t.op == OP_NONE) {
		t.region = i->a;
		t.k = ir->ins[t.region].b;
	}
	interp_columns(&t);
	t.has[0] = w->active;
	for (uint32_t j = 0; j < t.k; j++) {
		uint32_t from = t.op == OP_NONE ? ir->ins[list].a : i->a;
		const uint64_t *v = wave_row(w, from);

		interp_use(w, at, from, w->active, "the operand");
		memcpy(block(&t, 0, j), v, w->n_threads * sizeof *v);
		list = ir->ins[list].b;
	}
	grow(&t, log2);
	if (which == OF_ALL) {
		total(&t, log2, w->run->fn->row[at]);
		return;
	}
	if (which == SINCE_HEAD) {
		interp_use(w, at, i->b, w->active, "the head");
		segments(&t, log2, w->run->fn->row[at], wave_row(w, i->b));
		return;
	}
	if (which == BELOW_HERE && t.op == OP_NONE) {
		list = i->d;
		for (uint32_t j = 0; j < t.k; j++, list = ir->ins[list].b) {
			interp_use(w, at, ir->ins[list].a, w->active, "the identity");
			first[j] = wave_row(w, ir->ins[list].a);
		}
	} else if (which == BELOW_HERE) {
		for (uint32_t l = 0; l < w->n_threads; l++)
			identity[l] = ir_identity_bits(t.op, i->type);
		first[0] = identity;
	}
	scan(&t, log2, w->run->fn->row[at], which == UP_TO_HERE, first);
}

void
interp_reduce(struct wave *w, uint32_t at)
{
	run_tree(w, at, OF_ALL);
}

void
interp_scan(struct wave *w, uint32_t at)
{
	run_tree(w, at, UP_TO_HERE);
}

void
interp_exclusive(struct wave *w, uint32_t at)
{
	run_tree(w, at, BELOW_HERE);
}

void
interp_segmented(struct wave *w, uint32_t at)
{
	run_tree(w, at, SINCE_HEAD);
}
