/* Lockstep machine of lanes.h. */
#include "lanes_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void
lanes_fault(struct lanes *x, const char *fmt, ...)
{
	va_list ap;

	if (x->fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(x->fault, sizeof x->fault, fmt, ap);
	va_end(ap);
}

uint64_t *
lanes_at(const struct lanes *x, uint32_t i)
{
	return x->v + (size_t)i * x->n_threads;
}

static double
number(qd_type t, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;
	double d;

	memcpy(&f, &low, sizeof f);
	memcpy(&d, &bits, sizeof d);
	return t == QD_TYPE_F32 ? (double)f : d;
}

/* -- Arithmetic ----------------------------------------------------------------- */

/* Reports operands for which the unchecked instruction is undefined. */
static void
check_raw(struct lanes *x, const struct ins *s, qd_type t, uint64_t a, uint64_t b)
{
	uint32_t caps = x->m->caps, bits = type_bits(t);
	uint64_t ones = bits == 64 ? ~0ull : 0xffffffffu;
	bool flt = type_is(t, TM_FLT);

	switch (s->op) {
	case OP_DIV:
	case OP_REM:
		if (!flt && !(caps & CAP_INT_DIV_CHECKED) &&
		    (!b || (type_info[t].is_signed && b == ones && a == ones / 2 + 1)))
			lanes_fault(x, "%s of %llx by %llx", op_info[s->op].text, (unsigned long long)a,
			      (unsigned long long)b);
		break;
	case OP_SHL:
	case OP_SHR:
		if (!(caps & CAP_SHIFT_MASKS) && b >= bits)
			lanes_fault(x, "shift by %llu", (unsigned long long)b);
		break;
	case OP_CVT:
		if (flt && !type_is(s->type, TM_FLT) && !(caps & CAP_CVT_SATURATES)) {
			double v = number(t, a), limit = ldexp(1, (int)type_bits(s->type));
			bool is_signed = type_info[s->type].is_signed;
			double low = is_signed ? -limit / 2 : 0;
			double high = is_signed ? limit / 2 : limit;
			if (!(v >= low && v < high))
				lanes_fault(x, "conversion of %g", v);
		}
		if (!flt && s->type == QD_TYPE_F32 && (caps & CAP_U32_TO_F32_INEXACT))
			lanes_fault(x, "conversion to f32");
		break;
	default:
		break;
	}
}

uint64_t
lanes_alu(struct lanes *x, const struct ins *s, const uint64_t v[3])
{
	qd_type t = ir_lead_type(x->ir, s);

	if (s->op == OP_LO || s->op == OP_HI)
		return (uint32_t)(v[0] >> (s->op == OP_HI ? 32 : 0));
	if (s->op == OP_PAIR)
		return (uint32_t)v[0] | v[1] << 32;
	if (x->legal)
		check_raw(x, s, t, v[0], v[1]);
	return ir_eval((enum op)s->op, t, (qd_type)s->type, v[0], v[1], v[2]);
}

/* -- Lanes ---------------------------------------------------------------------------- */

static uint64_t
lane_move(struct lanes *x, const struct ins *s, uint32_t t)
{
	uint32_t size = x->m->subgroup_size, lane = t % size, from = lane;
	uint32_t b = (uint32_t)lanes_at(x, s->b)[t];

	switch (s->op) {
	case OP_SHUFFLE:
	case OP_BROADCAST:
		from = b;
		break;
	case OP_SHUFFLE_XOR:
		from = lane ^ b;
		break;
	case OP_SHUFFLE_UP:
		from = b <= lane ? lane - b : lane;
		break;
	default:
		from = b < size - lane ? lane + b : lane;
		break;
	}
	if (x->legal && from >= size)
		lanes_fault(x, "%s from lane %u of %u", op_info[s->op].text, from, size);
	return lanes_at(x, s->a)[t - lane + from % size];
}

/* Returns the predicate as bits, for lanes 32 * word and following among the first n. */
static uint32_t
ballot_word(const struct lanes *x, const struct ins *s, const bool *act, uint32_t t, uint32_t word,
	    uint64_t n)
{
	uint32_t size = x->m->subgroup_size, first = t - t % size, bits = 0;

	for (uint32_t j = 32 * word; j < size && j < 32 * word + 32 && j < n; j++)
		bits |= (uint32_t)(act[first + j] && lanes_at(x, s->a)[first + j]) << j % 32;
	return bits;
}

static uint64_t
ballot(struct lanes *x, uint32_t i, const struct ins *s, const bool *act, uint32_t t)
{
	uint64_t high;

	switch (s->op) {
	case OP_BALLOT_WORD: return ballot_word(x, s, act, t, s->x, UINT32_MAX);
	case OP_BALLOT_FIRST_N:
		return ballot_word(x, s, act, t, 0, const_bits(&x->ir->ins[s->b]));
	case OP_BALLOT:
		high = ballot_word(x, s, act, t, 1, UINT32_MAX);
		return high << 32 | ballot_word(x, s, act, t, 0, UINT32_MAX);
	default:
		for (uint32_t j = 0; j < 4; j++)
			lanes_result(x, i, j)[t] = ballot_word(x, s, act, t, j, UINT32_MAX);
		return 0;
	}
}

/* Votes among the active lanes of t's tile. */
static uint64_t
vote(struct lanes *x, const struct ins *s, const bool *act, uint32_t t)
{
	uint32_t k = s->arg[op_sig((enum op)s->op)->known];
	uint32_t size = k ? 1u << const_bits(&x->ir->ins[k]) : x->m->subgroup_size;
	uint32_t first = t - t % size, n = lanes_taking_part(x, s, act, first, size), yes = 0;
	qd_type type = (qd_type)x->ir->ins[s->a].type;
	const uint64_t *v = &lanes_at(x, s->a)[first];

	for (uint32_t j = 0; j < n; j++)
		yes += s->op == OP_ALL_EQUAL ? ir_eval(OP_EQ, type, QD_TYPE_BOOL, v[0], v[j], 0) != 0
					     : v[j] != 0;
	return s->op == OP_ANY_TRUE ? yes > 0 : yes == n;
}

/* Returns true if the values are equal, ignoring the bits of a NaN. */
static bool
same(qd_type t, uint64_t a, uint64_t b)
{
	bool nans = type_is(t, TM_FLT) && ir_eval(OP_NE, t, QD_TYPE_BOOL, a, a, 0) &&
		    ir_eval(OP_NE, t, QD_TYPE_BOOL, b, b, 0);

	return a == b || nans;
}

static uint64_t
lane_pattern(struct lanes *x, const struct ins *s, const bool *act, uint32_t t)
{
	uint32_t size = x->m->subgroup_size, lane = t % size, m = s->b, from;
	const uint64_t *v = &lanes_at(x, s->a)[t - lane];

	if (m >= size || !m || ((s->x == PATTERN_PARTNER || s->x == PATTERN_LAST) && (m & (m - 1)))) {
		lanes_fault(x, "pattern %u at distance %u", s->x, m);
		return 0;
	}
	switch (s->x) {
	case PATTERN_XOR: return v[lane ^ m];
	case PATTERN_LAST: return v[(lane & ~(2 * m - 1)) | (m - 1)];
	case PATTERN_SHIFT: return v[lane >= m ? lane - m : lane];
	case PATTERN_DOWN: return v[lane + m < size ? lane + m : lane];
	default: break;
	}
	/* Returns any lane of the partner block, a different one each time. */
	from = (lane ^ m) & ~(m - 1);
	for (uint32_t j = from; j < from + m; j++)
		if (act[t - lane + j] && !same((qd_type)s->type, v[j], v[from]))
			lanes_fault(x, "lanes %u and %u of a block of %u differ", from, j, m);
	return v[from + (x->n_picked++ * 7 + lane) % m];
}

/* Checks that values marked uniform are. */
static void
check_uniform(struct lanes *x, const struct ins *s, const bool *act)
{
	uint32_t width = s->x == LEVEL_BLOCK ? x->n_threads : x->m->subgroup_size;
	const uint64_t *v = lanes_at(x, s->a);

	for (uint32_t base = 0; base < x->n_threads; base += width) {
		uint32_t first = x->n_threads;

		for (uint32_t t = base; t < base + width; t++) {
			if (!act[t])
				continue;
			first = first < t ? first : t;
			if (!same((qd_type)s->type, v[t], v[first]))
				lanes_fault(x, "uniform has %llx in thread %u, %llx in thread %u",
				      (unsigned long long)v[first], first,
				      (unsigned long long)v[t], t);
		}
	}
}

/* -- Memory ----------------------------------------------------------------------------- */

/* Returns the elements of memory m and their number. */
static uint64_t *
elements(const struct lanes *x, uint32_t m, uint32_t *n)
{
	uint64_t *p = x->shared;

	if (x->mems[m].space == SPACE_GLOBAL) {
		*n = x->len[m];
		return x->buf[m];
	}
	for (uint32_t i = 0; i < m; i++)
		p += x->mems[i].space == SPACE_SHARED ? x->mems[i].len : 0;
	*n = x->mems[m].len;
	return p;
}

static void
access(struct lanes *x, const struct ins *s, uint32_t i, uint32_t t)
{
	qd_type e = (qd_type)x->mems[s->x].type;
	uint64_t index = lanes_at(x, s->a)[t], *out = &lanes_at(x, i)[t], *m;
	uint32_t n, high = s->attr & ATTR_HI ? 32 : 0;
	bool part = s->attr & (ATTR_LO | ATTR_HI), raw = s->attr & ATTR_BITS;

	if (s->op == OP_LOAD)
		*out = s->b ? lanes_at(x, s->b)[t] : 0;
	if (s->c && !lanes_at(x, s->c)[t])
		return;
	m = elements(x, s->x, &n) + index;
	if (index >= n) {
		if (x->legal || !(s->attr & ATTR_GUARD))
			lanes_fault(x, "access to element %llu of %u", (unsigned long long)index, n);
		return;
	}
	if (s->op == OP_LOAD) {
		*out = part ? (uint32_t)(*m >> high) : raw ? *m : ir_widen(e, *m);
		return;
	}
	uint64_t v = lanes_at(x, s->b)[t];
	if (part)
		*m = (*m & ~(0xffffffffull << high)) | v << high;
	else
		*m = raw ? v : ir_narrow(e, v);
	if (raw && v > 0xffff)
		lanes_fault(x, "16 bits are %llx", (unsigned long long)v);
}

/* Copies immediately, although the operation is asynchronous. */
static void
copy_elements(struct lanes *x, const struct ins *s, const bool *act)
{
	const struct ins *place = &x->ir->ins[s->b];
	uint32_t n = ir_count(s), size = type_info[x->mems[s->x].type].size, n_from, n_to;
	uint64_t *from = elements(x, s->x, &n_from), *to = elements(x, place->x, &n_to);

	for (uint32_t t = 0; t < x->n_threads; t++) {
		uint64_t a = lanes_at(x, s->a)[t], b = lanes_at(x, place->a)[t];
		uint64_t bytes = s->d ? lanes_at(x, s->d)[t] : size * n;

		if (!act[t] || (s->c && !lanes_at(x, s->c)[t]))
			continue;
		if (a % n || b % n || b + n > n_to || bytes > size * n) {
			lanes_fault(x, "copy of %u elements from %llu to %llu", n,
				    (unsigned long long)a, (unsigned long long)b);
			continue;
		}
		for (uint32_t k = 0; k < n; k++) {
			bool there = k * size < bytes && a + k < n_from;

			if (!there && k * size < bytes && (x->legal || !(s->attr & ATTR_GUARD)))
				lanes_fault(x, "copy of element %llu of %u", (unsigned long long)a + k, n_from);
			to[b + k] = there ? from[a + k] : 0;
		}
	}
}

/* -- One instruction ------------------------------------------------------------------------ */

static uint64_t
leaf(struct lanes *x, const struct ins *s, uint32_t t)
{
	uint32_t size = x->m->subgroup_size;

	switch (s->op) {
	case OP_CONST:
		return const_bits(s);
	case OP_PARAM:
		if (s->attr & ATTR_LO)
			return (uint32_t)x->scalar[s->x];
		return s->attr & ATTR_HI ? x->scalar[s->x] >> 32 : x->scalar[s->x];
	case OP_LEN:
		return x->len[s->x];
	case OP_ARGWORD:
		if (s->x != x->k->tail / 4 + TAIL_ZERO)
			lanes_fault(x, "word %u of the arguments", s->x);
		return 0;
	case OP_BLOCK_IDX:
		return x->block_idx;
	case OP_GRID_DIM:
		return x->n_blocks;
	case OP_THREAD_IDX:
		return t;
	case OP_LANE:
		return t % size;
	case OP_SUBGROUP_ID:
		return t / size;
	case OP_ELECT:
		return t % size == 0;
	default:
		lanes_fault(x, "%s is not for here", op_info[s->op].text);
		return 0;
	}
}

/* Returns true if check_raw has a case for the operation. */
static bool
has_limits(enum op op)
{
	return op == OP_DIV || op == OP_REM || op == OP_SHL || op == OP_SHR || op == OP_CVT;
}

/* Runs an arithmetic instruction, which is most of the work. Everything independent of the thread
 * is computed once. */
static void
step_alu(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	uint64_t *v = lanes_at(x, i);
	uint32_t values = op_values[s->op];
	const uint64_t *a = lanes_at(x, values & 1 ? s->a : 0), *b = lanes_at(x, values & 2 ? s->b : 0);
	const uint64_t *c = lanes_at(x, values & 4 ? s->c : 0);
	qd_type type = ir_lead_type(x->ir, s);
	bool is_words = s->op == OP_LO || s->op == OP_HI || s->op == OP_PAIR;
	bool limits = x->legal && has_limits((enum op)s->op);

	for (uint32_t t = 0; t < x->n_threads; t++) {
		if (!act[t])
			continue;
		if (is_words) {
			v[t] = lanes_alu(x, s, (uint64_t[3]){ a[t], b[t], c[t] });
			continue;
		}
		if (limits)
			check_raw(x, s, type, a[t], b[t]);
		v[t] = ir_eval((enum op)s->op, type, (qd_type)s->type, a[t], b[t], c[t]);
	}
}

void
lanes_step(struct lanes *x, uint32_t i, const bool *act)
{
	const struct ins *s = &x->ir->ins[i];
	enum expansion family = (enum expansion)op_info[s->op].expand;

	if (op_info[s->op].is_alu) {
		step_alu(x, i, s, act);
		return;
	}

	switch (family) {
	case EXPAND_reduce:
	case EXPAND_scan:
	case EXPAND_exclusive:
	case EXPAND_operator_exclusive:
	case EXPAND_operator_reduce:
	case EXPAND_operator_scan: lanes_reduce(x, i, s, act); return;
	case EXPAND_segmented: lanes_segmented(x, i, s, act); return;
	case EXPAND_sort: lanes_sort(x, i, s, act); return;
	case EXPAND_match: lanes_match(x, i, s, act); return;
	case EXPAND_vote_members:
	case EXPAND_elect_member:
	case EXPAND_shfl:
	case EXPAND_redux: lanes_warp(x, i, s, act); return;
	case EXPAND_cp_async: copy_elements(x, s, act); return;
	case EXPAND_gone:
	case EXPAND_place:
	case EXPAND_cp_async_wait:
	case EXPAND_nanosleep: return;
	default: break;
	}
	if (s->op == OP_MATCH_WORD) {
		lanes_match(x, i, s, act);
		return;
	}
	if (s->op == OP_UNIFORM)
		check_uniform(x, s, act);
	bool memory = op_sig((enum op)s->op)->x == X_MEMORY;
	bool copy = s->op == OP_VAR || s->op == OP_GET || s->op == OP_UNIFORM;
	uint64_t *v = lanes_at(x, i);
	const uint64_t *a = lanes_at(x, op_values[s->op] & 1 ? s->a : 0);
	if (op_info[s->op].effect == EFFECT_SYNC) {
		for (uint32_t t = 0; t < x->n_threads; t++)
			if (!act[t])
				lanes_fault(x, "the others wait for thread %u", t);
		return;
	}
	if (family == EXPAND_result)
		a = lanes_result(x, s->a, s->x);
	if (s->op == OP_SET) {
		v = lanes_at(x, s->a);
		a = lanes_at(x, s->b);
	}
	if (copy || family == EXPAND_result || s->op == OP_SET) {
		for (uint32_t t = 0; t < x->n_threads; t++)
			v[t] = act[t] ? a[t] : v[t];
		return;
	}
	for (uint32_t t = 0; t < x->n_threads; t++) {
		if (!act[t])
			continue;
		if (memory)
			access(x, s, i, t);
		else if (s->op == OP_LANE_PATTERN)
			v[t] = lane_pattern(x, s, act, t);
		else if (family == EXPAND_shuffle)
			v[t] = lane_move(x, s, t);
		else if (family == EXPAND_ballot || s->op == OP_BALLOT_WORD)
			v[t] = ballot(x, i, s, act, t);
		else if (family == EXPAND_vote || family == EXPAND_all_equal)
			v[t] = vote(x, s, act, t);
		else
			v[t] = leaf(x, s, t);
	}
}

/* -- Control flow --------------------------------------------------------------------------- */

/* Selects the threads that are not leaving a construct. */
static bool
select_threads(const struct lanes *x, const bool *of, bool *out)
{
	bool any = false;

	for (uint32_t t = 0; t < x->n_threads; t++)
		any |= out[t] = of[t] && !x->away[t];
	return any;
}

/* Marks threads that were leaving construct i as having arrived. */
static void
arrive(struct lanes *x, uint32_t i)
{
	for (uint32_t t = 0; t < x->n_threads; t++)
		x->away[t] = x->away[t] == i ? 0 : x->away[t];
}

/* Computes the index of the grid loop. Threads at or above the count become padding threads. */
static void
enter_grid(struct lanes *x, uint32_t i, bool *act)
{
	const struct ins *s = &x->ir->ins[i];
	uint64_t first = (uint64_t)x->block_idx * x->k->block_dim;

	for (uint32_t t = 0; t < x->n_threads; t++) {
		uint64_t *index = &lanes_at(x, i)[t];

		*index = ir_eval(OP_ADD, s->type, s->type, first, t, 0);
		x->here[t] = x->here[t] &&
			     ir_eval(OP_LT, s->type, QD_TYPE_BOOL, *index, lanes_at(x, s->a)[t], 0);
		act[t] = act[t] && x->here[t];
	}
}

static void run(struct lanes *x, uint32_t begin, uint32_t end, const bool *of);

/* Runs the construct that begins with i, for these threads. Returns its end. */
static uint32_t
construct(struct lanes *x, uint32_t i, const bool *of)
{
	const struct ins *s = &x->ir->ins[i];
	bool act[LANES_MAX], here[LANES_MAX];
	uint32_t other = s->x, end = other;

	switch (s->op) {
	case OP_REGION: return end;
	case OP_IF:
		if (x->ir->ins[other].op == OP_ELSE)
			end = x->ir->ins[other].x;
		for (uint32_t t = 0; t < x->n_threads; t++) {
			act[t] = of[t] && lanes_at(x, s->a)[t];
			here[t] = of[t] && !lanes_at(x, s->a)[t];
		}
		run(x, i + 1, other, act);
		if (other != end)
			run(x, other + 1, end, here);
		return end;
	case OP_GRID:
		memcpy(act, of, sizeof act);
		memcpy(here, x->here, sizeof here);
		enter_grid(x, i, act);
		run(x, i + 1, end, act);
		memcpy(x->here, here, sizeof here);
		break;
	case OP_BLOCK: run(x, i + 1, end, of); break;
	default:
		while (select_threads(x, of, act) && !x->fault[0]) {
			if (++x->rounds > 200000)
				lanes_fault(x, "a loop does not end");
			run(x, i + 1, end, act);
		}
		break;
	}
	arrive(x, i);
	return end;
}

/* Runs instructions begin to end for those of these threads that are not leaving a construct. */
static void
run(struct lanes *x, uint32_t begin, uint32_t end, const bool *of)
{
	bool act[LANES_MAX], known = false; /* act is up to date */

	for (uint32_t i = begin; i < end && !x->fault[0]; i++) {
		const struct ins *s = &x->ir->ins[i];

		if (!known && !select_threads(x, of, act))
			return;
		known = op_flow[s->op] != FLOW_OPEN && op_flow[s->op] != FLOW_JUMP;
		switch (op_flow[s->op]) {
		case FLOW_OPEN: i = construct(x, i, act); break;
		case FLOW_JUMP:
			for (uint32_t t = 0; t < x->n_threads; t++)
				if (act[t] && (!s->a || lanes_at(x, s->a)[t]))
					x->away[t] = s->x;
			break;
		default: (x->step ? x->step : lanes_step)(x, i, act);
		}
	}
}

/* -- Blocks ------------------------------------------------------------------------------------ */

/* Fills shared arrays with a pattern of uninitialized memory. */
static void
poison(struct lanes *x)
{
	uint64_t *p = x->shared;

	for (uint32_t i = 0; i < x->n_mems; i++) {
		uint32_t bits = 8u * type_info[x->mems[i].type].size;

		for (uint32_t n = x->mems[i].space == SPACE_SHARED ? x->mems[i].len : 0; n--;)
			*p++ = 0xdededededededede >> (64 - bits);
	}
}

bool
lanes_run(struct lanes *x, const struct ir *ir)
{
	bool act[LANES_MAX];
	uint32_t size = x->m->subgroup_size, planes = 1;
	size_t n_shared = 1;

	x->ir = ir;
	x->fault[0] = '\0';
	x->rounds = x->n_picked = 0;
	x->n_threads = (x->k->block_dim + size - 1) / size * size;
	if (!x->mems) {
		x->mems = x->k->mems;
		x->n_mems = x->k->n_mems;
	}
	for (uint32_t i = 0; i < x->n_mems; i++)
		n_shared += x->mems[i].space == SPACE_SHARED ? x->mems[i].len : 0;
	for (uint32_t i = 1; i < ir->n; i++)
		if (op_info[ir->ins[i].op].expand == EXPAND_result)
			planes = MAX_YIELD + 1;
	x->v = calloc((size_t)ir->n * planes * x->n_threads, sizeof *x->v);
	x->shared = calloc(n_shared, sizeof *x->shared);
	memset(x->away, 0, sizeof x->away);
	memset(act, 0, sizeof act);
	if (!x->v || !x->shared || x->n_threads > LANES_MAX) {
		lanes_fault(x, "no memory");
	} else {
		for (uint32_t t = 0; t < x->n_threads; t++)
			act[t] = x->legal || x->padded || t < x->k->block_dim;
		memcpy(x->here, act, sizeof act);
		poison(x);
		run(x, 1, ir->n, act);
	}
	free(x->v);
	free(x->shared);
	return !x->fault[0];
}
