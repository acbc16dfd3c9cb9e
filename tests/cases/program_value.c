/* Expressions of a program on arrays of lanes. tests/ref computes the operations; this file
 * defines the lanes and which of them are active. */
#include <string.h>

#include "program_eval.h"

/* -- Indices ----------------------------------------------------------------------- */

static uint32_t
tile_log2(const struct machine *m, uint32_t tile)
{
	return tile == TILE_FULL ? m->log2_size
	       : tile == TILE_L	 ? m->p->tile % (m->log2_size + 1)
				 : tile;
}

static uint32_t
place_value(const struct machine *m, const struct expr *x, uint32_t lane)
{
	const struct program *p = m->p;
	uint32_t thread = lane;

	lane = thread % m->size;
	switch ((enum place)x->op) {
	case P_BLOCK_IDX: return m->block;
	case P_BLOCK_DIM: return p->block_dim;
	case P_GRID_DIM: return p->n_blocks;
	case P_SUBGROUP_ID: return thread / m->size;
	case P_SUBGROUP_COUNT: return (p->block_dim + m->size - 1) / m->size;
	case P_THREAD: return thread;
	case P_THREAD_X: return thread % p->block[0];
	case P_THREAD_Y: return thread / p->block[0] % p->block[1];
	case P_THREAD_Z: return thread / p->block[0] / p->block[1];
	case P_GLOBAL: return m->block * p->block_dim + thread;
	case P_LANE: return lane;
	case P_TILE_LANE: return lane & ((1u << tile_log2(m, x->tile)) - 1);
	case P_SIZE: return m->size;
	case P_LOG2_SIZE: return m->log2_size;
	case P_ELECT: return lane == 0;
	default: return 0;
	}
}

/* -- Lanes ------------------------------------------------------------------------------- */

/* Returns the number of active lanes of the subgroup with this first thread. They begin at lane 0;
 * either all lanes are active or none. */
static uint32_t
taking_part(struct machine *m, uint32_t first, struct mask on)
{
	uint32_t n = 0;
	bool all = true;

	for (uint32_t l = 0; l < m->size; l++) {
		bool is_on = mask_has(on, first + l);

		all = all && is_on == mask_has(m->ordinary, first + l);
		if (is_on && n != l)
			machine_fault(m, "the active lanes are not the first lanes");
		n += is_on;
	}
	if (n && !all)
		machine_fault(m, "a cross-lane call that not all lanes reach");
	return n;
}

static void
generic(struct machine *m, const struct expr *x, uint32_t n, const struct vector *in,
	struct vector *out)
{
	const struct oper *op = &opers[x->id];
	uint32_t tile = 1u << tile_log2(m, x->tile);

	for (uint32_t first = 0; first < n; first += tile) {
		uint32_t end = first + tile < n ? first + tile : n;
		uint64_t sum[MAX_VALUES], next[MAX_VALUES];

		for (uint32_t l = first; l < end; l++) {
			for (uint32_t i = 0; i < op->k; i++)
				next[i] = in[i].lane[l];
			if (l == first)
				memcpy(sum, next, sizeof sum);
			else
				op->apply(sum, next, sum);
			for (uint32_t i = 0; i < op->k; i++)
				out[i].lane[l] = sum[i];
		}
		for (uint32_t l = first; l < end && x->op == L_REDUCE; l++)
			for (uint32_t i = 0; i < op->k; i++)
				out[i].lane[l] = sum[i];
		for (uint32_t l = end; x->op == L_EXCLUSIVE_SCAN && l-- > first;)
			for (uint32_t i = 0; i < op->k; i++)
				out[i].lane[l] = l > first ? out[i].lane[l - 1]
							   : in[op->k + i].lane[l];
	}
}

static void
segmented(const struct ref_subgroup *s, const struct expr *x, uint32_t tile,
	  const struct vector *flag, struct vector *out)
{
	static const uint8_t op[] = { REF_ADD, REF_MIN, REF_MAX };
	bool head[REF_MAX_LANES];

	for (uint32_t l = 0; l < s->n; l++)
		head[l] = ref_truth(x->arg[1]->type, flag->lane[l]);
	ref_segmented(s, (enum ref_reduction)op[x->op - L_SEGMENTED_ADD], head, tile, out->lane);
}

/* Evaluates the call on the n lanes of one subgroup, whose values begin at in[]. */
static void
lanes_of_subgroup(struct machine *m, const struct expr *x, uint32_t n, const struct vector *in,
		  struct vector *out)
{
	bool warp = x->op >= L_WARP;
	struct ref_subgroup s = { x->n ? x->arg[warp && x->n > 1]->type : QD_TYPE_U32, m->size, n, m->flush, in[warp].lane };
	uint32_t tile = tile_log2(m, x->tile), which[REF_MAX_LANES] = { 0 };
	bool defined[REF_MAX_LANES];

	for (uint32_t l = 0; l < n; l++) {
		defined[l] = true;
		which[l] = x->n > 1 ? (uint32_t)in[1].lane[l] : 0;
		if (x->op == L_BROADCAST && which[l] != which[0])
			machine_fault(m, "a broadcast of several lanes");
	}
	switch ((enum lane_op)x->op) {
	case L_SHUFFLE:
	case L_BROADCAST:
	case L_BROADCAST_FIRST: ref_shuffle(&s, which, out->lane, defined); break;
	case L_SHUFFLE_XOR: ref_shuffle_xor(&s, which, out->lane, defined); break;
	case L_SHUFFLE_UP: ref_shuffle_up(&s, which, out->lane, defined); break;
	case L_SHUFFLE_DOWN: ref_shuffle_down(&s, which, out->lane, defined); break;
	case L_BALLOT:
		for (uint32_t l = 0; l < n; l++)
			out->lane[l] = ref_ballot_first_n(&s, (uint32_t)x->bits);
		break;
	case L_ALL_TRUE:
	case L_ANY_TRUE:
	case L_ALL_EQUAL:
		ref_vote(&s, (enum ref_vote)(x->op - L_ALL_TRUE), tile, out->lane);
		break;
	case L_SEGMENTED_ADD:
	case L_SEGMENTED_MIN:
	case L_SEGMENTED_MAX: segmented(&s, x, tile, &in[1], out); break;
	case L_SORT:
		ref_sort(&s, x->arg[1]->type, in[1].lane, tile, out[0].lane, out[1].lane);
		break;
	case L_REDUCE:
	case L_INCLUSIVE_SCAN:
	case L_EXCLUSIVE_SCAN: generic(m, x, n, in, out); break;
	case L_BALLOT64:
		for (uint32_t l = 0; l < n; l++)
			out->lane[l] = ref_ballot_word(&s, 0) |
				       (m->size == 64 ? (uint64_t)ref_ballot_word(&s, 1) << 32 : 0);
		break;
	case L_BALLOT128:
		for (uint32_t l = 0; l < n; l++)
			for (uint32_t i = 0; i < 4; i++)
				out[i].lane[l] = ref_ballot_word(&s, i);
		break;
	default:
		if (warp)
			defined[0] = warp_value(x, &s, in, out);
		else if (x->op < L_INCLUSIVE_ADD)
			ref_reduce(&s, (enum ref_reduction)(x->op - L_REDUCE_ADD), tile, out->lane);
		else if (x->op < L_EXCLUSIVE_ADD)
			ref_inclusive(&s, (enum ref_reduction)(x->op - L_INCLUSIVE_ADD), tile, out->lane);
		else
			ref_exclusive(&s, (enum ref_reduction)(x->op - L_EXCLUSIVE_ADD), tile, out->lane);
		break;
	}
	for (uint32_t l = 0; l < n; l++)
		if (!defined[l])
			machine_fault(m, "a value of an inactive lane");
}

/* Sets the result of threads that are not active in a block operation: the total of the first n. */
static void
beyond(struct machine *m, const struct expr *x, struct mask on, uint32_t n, const struct vector *in,
       struct vector *out)
{
	static const uint8_t first[] = { L_REDUCE_ADD, L_INCLUSIVE_ADD, L_EXCLUSIVE_ADD, L_SYNC_ALL };
	uint32_t kind = 0;
	enum ref_reduction op;
	uint64_t total;

	while (x->op >= first[kind + 1])
		if (++kind == 3)
			return; /* a vote: all threads have the same result */
	op = (enum ref_reduction)(x->op - first[kind]);
	total = n ? ref_tree(op, (qd_type)x->type, in[0].lane, n, m->flush)
		  : ref_identity(op, (qd_type)x->type);
	FOR_LANES(m, l, on)
	if (l >= n)
		out->lane[l] = total;
}

/* Evaluates a call of the block as if its threads were the lanes of one subgroup. */
static void
whole(struct machine *m, const struct expr *x, struct mask on, const struct vector *in,
      struct vector *out)
{
	uint32_t n = 0, yes = 0, size = m->size, log2_size = m->log2_size, active = UINT32_MAX;

	access_sync(m, true, on);
	FOR_LANES(m, l, on)
	{
		if (n++ != l)
			machine_fault(m, "the active threads are not the first threads");
		if (x->active)
			active = (uint32_t)in[1].lane[l];
		yes += l < active && ref_truth(x->arg[0]->type, in[0].lane[l]);
	}
	if (active < n) {
		beyond(m, x, on, active, in, out);
		n = active;
	}
	if (x->op >= L_SYNC_ALL) {
		FOR_LANES(m, l, on)
		out->lane[l] = x->op == L_SYNC_ALL ? yes == n : x->op == L_SYNC_ANY ? yes > 0 : yes;
		return;
	}
	m->size = REF_MAX_LANES;
	m->log2_size = 7;
	if (n)
		lanes_of_subgroup(m, x, n, in, out);
	m->size = size;
	m->log2_size = log2_size;
}

static void
lanes(struct machine *m, struct frame *f, const struct expr *x, struct mask on, struct vector *out)
{
	struct vector in[MAX_ARGS] = { { { 0 } } };

	for (uint32_t i = 0; i < x->n; i++)
		value_of(m, f, x->arg[i], on, &in[i]);
	if (x->whole) {
		whole(m, x, on, in, out);
		return;
	}
	for (uint32_t first = 0; first < m->n_lanes; first += m->size) {
		uint32_t n = taking_part(m, first, on);
		struct vector here[MAX_ARGS], got[MAX_VALUES];

		if (n == 0)
			continue;
		for (uint32_t i = 0; i < MAX_ARGS; i++)
			memcpy(here[i].lane, in[i].lane + first, m->size * sizeof here[i].lane[0]);
		for (uint32_t i = 0; i < MAX_VALUES; i++)
			memcpy(got[i].lane, out[i].lane + first, n * sizeof got[i].lane[0]);
		lanes_of_subgroup(m, x, n, here, got);
		for (uint32_t i = 0; i < MAX_VALUES; i++)
			memcpy(out[i].lane + first, got[i].lane, n * sizeof got[i].lane[0]);
	}
}

/* -- Other expressions --------------------------------------------------------------------- */

static uint64_t
apply(const struct machine *m, const struct expr *x, const uint64_t *v)
{
	qd_type from = x->arg[0]->type;

	switch ((enum xkind)x->kind) {
	case X_UNARY:
	case X_BINARY:
	case X_MATH:
		if (x->n == 3)
			return ref_ternary((enum ref_op)x->op, x->type, v);
		return ref_scalar((enum ref_op)x->op, from, v[0], v[1], m->flush);
	case X_NOT: return !ref_truth(from, v[0]);
	case X_ROUGH: return (uint32_t)roughs[x->op].value[v[0] & roughs[x->op].mask];
	case X_CLAMP: return ref_min(from, ref_max(from, v[0], v[1]), v[2]);
	case X_SELECT: return ref_truth(from, v[0]) ? v[1] : v[2];
	case X_CAST: return ref_cast(from, x->type, v[0], m->flush);
	default: return v[0]; /* the same bits */
	}
}

/* Evaluates the right operand only if the left one does not determine the result. */
static void
short_circuit(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	      struct vector *out)
{
	struct vector a = { { 0 } }, b = { { 0 } };
	struct mask right = on;

	value_of(m, f, x->arg[0], on, &a);
	FOR_LANES(m, l, on)
	mask_put(&right, l, ref_truth(x->arg[0]->type, a.lane[l]) == (x->kind == X_AND));
	if (mask_any(right))
		value_of(m, f, x->arg[1], right, &b);
	FOR_LANES(m, l, on)
	out->lane[l] = mask_has(right, l) ? ref_truth(x->arg[1]->type, b.lane[l]) : x->kind == X_OR;
}

static void
call(struct machine *m, struct frame *f, const struct expr *x, struct mask on, struct vector *out)
{
	struct vector args[MAX_ARGS] = { { { 0 } } };

	for (uint32_t i = 0; i < x->n; i++)
		value_of(m, f, x->arg[i], on, &args[i]);
	machine_call(m, &m->p->fn[x->id], args, on, out);
}

/* Returns whether the float is no NaN, infinity or subnormal: devices may treat these
 * differently. */
static bool
is_tame(qd_type type, uint64_t bits)
{
	uint32_t fraction = type == QD_TYPE_F64 ? 52 : 23, most = type == QD_TYPE_F64 ? 2047 : 255;
	uint64_t exponent = bits >> fraction & most,
		 mantissa = bits & ((UINT64_C(1) << fraction) - 1);

	return exponent < most && (exponent || !mantissa);
}

void
values_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	  struct vector *out)
{
	struct vector in[3] = { { { 0 } } };

	m->steps++;
	if (m->fault)
		return;
	switch ((enum xkind)x->kind) {
	case X_LITERAL:
	case X_CONST:
	case X_SHAPE:
	case X_LEN:
		FOR_LANES(m, l, on)
		out->lane[l] =
			x->kind == X_LITERAL ? x->bits
			: x->kind == X_CONST ? m->p->constant[x->id]
			: x->kind == X_SHAPE
				? m->p->shape
				: m->p->array[f->f == &m->p->kernel ? x->id : f->f->array[x->id]]
					  .len;
		break;
	case X_VAR:
		FOR_LANES(m, l, on)
		out->lane[l] = f->var[x->id].lane[l];
		break;
	case X_PLACE:
		FOR_LANES(m, l, on)
		out->lane[l] = place_value(m, x, l);
		break;
	case X_AND:
	case X_OR: short_circuit(m, f, x, on, out); break;
	case X_LOAD: access_load(m, f, x, on, out); break;
	case X_TABLE: access_table(m, f, x, on, out); break;
	case X_SHARED_LOAD: access_shared_load(m, f, x, on, out); break;
	case X_ATOMIC: access_atomic(m, f, x, on, out); break;
	case X_LANE: lanes(m, f, x, on, out); break;
	case X_CALL: call(m, f, x, on, out); break;
	default:
		for (uint32_t i = 0; i < x->n; i++)
			value_of(m, f, x->arg[i], on, &in[i]);
		FOR_LANES(m, l, on)
		{
			uint64_t v[3] = { in[0].lane[l], in[1].lane[l], in[2].lane[l] };

			out->lane[l] = apply(m, x, v);
		}
		break;
	}
}

void
value_of(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	 struct vector *out)
{
	struct vector all[MAX_VALUES] = { { { 0 } } };

	if (x->kind != X_CALL && x->kind != X_LANE) {
		values_of(m, f, x, on, out);
	} else {
		values_of(m, f, x, on, all);
		FOR_LANES(m, l, on)
		out->lane[l] = all[0].lane[l];
	}
	if (!ref_is_float(x->type))
		return;
	FOR_LANES(m, l, on)
	if (!is_tame(x->type, out->lane[l]))
		machine_fault(m, "a float outside the tested range");
}
