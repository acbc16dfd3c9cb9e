/* Reference interpreter: control flow. Random structures are compared with a sequential run of each
 * thread. Also the set of active lanes at each point, and grid loops with padding threads. */
#include "interp.h"
#include "ref_rig.h"

/* -- Random structures, compared with sequential runs ------------------------------- */

enum { STEP, IF, LOOP, SCOPE, LEAVE, N_KIND, MAX_DEPTH = 6, ROUNDS = 3 };

struct node {
	uint32_t kind, k;	/* k: number of a condition, or constant of a step */
	uint32_t levels;	/* LEAVE: constructs to leave; LOOP, SCOPE: enclosing constructs */
	struct node *then, *other, *next;
};

struct program {
	struct unit_rng rng;
	struct node node[200];
	uint32_t n;
	struct qd_builder *b;
	struct qd_val thread;
	struct qd_var acc;
};

/* Returns whether condition k holds for thread i with this acc. */
static bool
holds_ref(uint32_t k, uint32_t i, uint32_t acc)
{
	return ((acc ^ i * 0x9e3779b9) * (2 * k + 1) >> 13) % 3 == 0;
}

static struct qd_val
holds(struct program *p, uint32_t k)
{
	struct qd_builder *b = p->b;
	struct qd_val v = qd_xor(b, qd_get(b, p->acc), qd_mul(b, p->thread, qd_u32(b, 0x9e3779b9)));

	v = qd_shr(b, qd_mul(b, v, qd_u32(b, 2 * k + 1)), qd_u32(b, 13));
	return qd_eq(b, qd_rem(b, v, qd_u32(b, 3)), qd_u32(b, 0));
}

static struct node *
grow(struct program *p, uint32_t depth, uint32_t around)
{
	struct node *first = NULL, **at = &first;
	uint32_t n = 1 + (uint32_t)unit_random(&p->rng) % 4;

	while (n-- && p->n < QD_COUNT(p->node)) {
		struct node *x = &p->node[p->n++];
		uint64_t r = unit_random(&p->rng);
		bool more = depth < MAX_DEPTH;

		*x = (struct node){ .kind = (uint32_t)(r >> 8) % N_KIND, .k = p->n };
		if (!more || (x->kind == LEAVE && !around))
			x->kind = around && (r & 1) ? LEAVE : STEP;
		if (x->kind == LEAVE)
			x->levels = 1 + (uint32_t)(r >> 20) % around;
		if (x->kind == IF || x->kind == LOOP || x->kind == SCOPE)
			x->then = grow(p, depth + 1, around + (x->kind != IF));
		if (x->kind == IF && (r & 2))
			x->other = grow(p, depth + 1, around);
		*at = x;
		at = &x->next;
	}
	return first;
}

static void
build(struct program *p, const struct node *x)
{
	struct qd_builder *b = p->b;
	struct qd_var round;

	for (; x; x = x->next) {
		switch (x->kind) {
		case STEP:
			qd_set(b, p->acc,
			       qd_add(b, qd_mul(b, qd_get(b, p->acc), qd_u32(b, 31)),
				      qd_u32(b, x->k)));
			break;
		case IF:
			qd_if(b, holds(p, x->k));
			build(p, x->then);
			if (x->other) {
				qd_else(b);
				build(p, x->other);
			}
			qd_end(b);
			break;
		case LOOP:
			round = qd_var(b, qd_u32(b, 0));
			qd_loop(b);
			qd_break_if(b, qd_ge(b, qd_get(b, round), qd_u32(b, ROUNDS)));
			qd_set(b, round, qd_add(b, qd_get(b, round), qd_u32(b, 1)));
			build(p, x->then);
			qd_end(b);
			break;
		case SCOPE:
			qd_scope(b);
			build(p, x->then);
			qd_end(b);
			break;
		default:
			if (x->k & 1) {
				qd_leave_if(b, x->levels, holds(p, x->k));
			} else {
				qd_if(b, holds(p, x->k));
				qd_leave(b, x->levels);
				qd_end(b);
			}
		}
	}
}

/* Runs thread i sequentially. Returns the number of constructs still to leave at the end. */
static uint32_t
alone(const struct node *x, uint32_t i, uint32_t *acc)
{
	uint32_t left = 0;

	for (; x && !left; x = x->next) {
		switch (x->kind) {
		case STEP: *acc = *acc * 31 + x->k; break;
		case IF: left = alone(holds_ref(x->k, i, *acc) ? x->then : x->other, i, acc); break;
		case LOOP:
			for (uint32_t round = 0; round < ROUNDS && !left; round++)
				left = alone(x->then, i, acc);
			left -= left != 0;
			break;
		case SCOPE:
			left = alone(x->then, i, acc);
			left -= left != 0;
			break;
		default: left = holds_ref(x->k, i, *acc) ? x->levels : 0;
		}
	}
	return left;
}

static void
structures(struct unit_ctx *t)
{
	static struct program p;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		uint32_t out[100] = { 0 };
		const struct io io = IO(out);
		struct rig r;

		if (!rig_open_size(&r, t, 4u << seed % 6))
			return;
		memset(&p, 0, sizeof p);
		p.rng.state = seed;
		const struct node *root = grow(&p, 0, 0);
		p.b = rig_kernel(&r, 50);
		struct qd_array dst = rig_dst(p.b);
		p.thread = rig_thread(p.b);
		p.acc = qd_var(p.b, p.thread);
		build(&p, root);
		qd_store(p.b, dst, p.thread, qd_get(p.b, p.acc));
		UNIT_CHECK(t, rig_run(&r, p.b, 2, &io, 1) == QD_OK, "%s", r.err.text);
		for (uint32_t i = 0; i < 100; i++) {
			uint32_t want = i;

			alone(root, i, &want);
			UNIT_CHECK(t, out[i] == want, "seed %u thread %u: %u, not %u", seed, i,
				   out[i], want);
		}
		rig_close(&r);
	}
}

/* -- Active lanes ---------------------------------------------------------------------- */

/* Stores the active lanes of the first subgroup in dst[n]. */
static void
who(struct qd_builder *b, struct qd_array dst, uint32_t n)
{
	struct qd_val yes = qd_ge(b, qd_subgroup_invocation_id(b), qd_u32(b, 0));

	qd_store(b, dst, qd_add(b, qd_u32(b, n), qd_mul(b, rig_thread(b), qd_u32(b, 8))),
		 qd_subgroup_ballot_first_n(b, yes, 32));
}

static struct qd_val
lane_is(struct qd_builder *b, uint32_t n)
{
	return qd_eq(b, rig_thread(b), qd_u32(b, n));
}

/* Checks that a lane that leaves is active again right after the outermost construct that it left,
 * and not earlier. */
static void
together(struct unit_ctx *t)
{
	static const uint32_t want[7] = { 0x3f, 0x37, 0x33, 0x13, 0x1b, 0x5f, 0xff };
	uint32_t out[64] = { 0 };
	const struct io io = IO(out);
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	struct qd_builder *b = rig_kernel(&r, 8);
	struct qd_array dst = rig_dst(b);
	qd_assume_uniform(b, "test");
	qd_scope(b);
	qd_leave_if(b, 1, lane_is(b, 7));
	qd_loop(b);
	qd_if(b, lane_is(b, 6));
	qd_break(b);
	qd_end(b);
	who(b, dst, 0); /* without 6, 7 */
	qd_scope(b);
	qd_leave_if(b, 1, lane_is(b, 3));
	who(b, dst, 1); /* also without 3 */
	qd_if(b, qd_lt(b, rig_thread(b), qd_u32(b, 8)));
	qd_leave_if(b, 2, lane_is(b, 2));
	who(b, dst, 2); /* also without 2 */
	qd_leave_if(b, 3, lane_is(b, 5));
	who(b, dst, 3); /* also without 5 */
	qd_end(b);
	qd_end(b);
	who(b, dst, 4); /* 3 is active again */
	qd_break(b);
	qd_end(b);
	who(b, dst, 5); /* 2 and 6 are active again */
	qd_end(b);
	who(b, dst, 6); /* 5 and 7 are active again */
	UNIT_CHECK(t, rig_run(&r, b, 1, &io, 1) == QD_E_FINDING, "no finding");
	for (uint32_t i = 0; i < QD_COUNT(want); i++)
		UNIT_CHECK(t, out[i] == want[i], "position %u: %x, expected %x", i, out[i],
			   want[i]);
	rig_close(&r);
}

/* Checks that a lane that left a loop is inactive in further iterations. A lane that left a block
 * in the loop must be active in the next iteration. */
static void
rounds(struct unit_ctx *t)
{
	/* Lane j breaks in iteration j; odd lanes skip the end of each iteration. */
	uint32_t out[8 * 8] = { 0 };
	const struct io io = IO(out);
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	struct qd_builder *b = rig_kernel(&r, 4);
	struct qd_array dst = rig_dst(b);
	qd_assume_uniform(b, "test");
	struct qd_val i = rig_thread(b), yes = qd_ge(b, i, qd_u32(b, 0));
	struct qd_var round = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	struct qd_val n = qd_get(b, round), at = qd_mul(b, n, qd_u32(b, 4));
	qd_store(b, dst, qd_add(b, at, i), qd_subgroup_ballot_first_n(b, yes, 32));
	qd_break_if(b, qd_eq(b, n, i));
	qd_set(b, round, qd_add(b, n, qd_u32(b, 1)));
	qd_scope(b);
	qd_leave_if(b, 1, qd_ne(b, qd_and(b, i, qd_u32(b, 1)), qd_u32(b, 0)));
	qd_if(b, qd_eq(b, i, qd_u32(b, 2)));
	qd_continue(b);
	qd_end(b);
	qd_end(b);
	at = qd_add(b, qd_add(b, at, i), qd_u32(b, 32));
	qd_store(b, dst, at, qd_subgroup_ballot_first_n(b, yes, 32));
	qd_end(b);
	rig_run(&r, b, 1, &io, 1);
	for (uint32_t n_round = 0; n_round < 4; n_round++) {
		for (uint32_t l = n_round; l < 4; l++) {
			uint32_t head = 0xfu & ~((1u << n_round) - 1);
			uint32_t tail = l == n_round || l == 2 ? 0
				      : 0xau & ~((2u << n_round) - 1);

			UNIT_CHECK(t, out[n_round * 4 + l] == head, "round %u lane %u: %x", n_round,
				   l, out[n_round * 4 + l]);
			UNIT_CHECK(t, out[n_round * 4 + l + 32] == tail, "round %u lane %u: %x",
				   n_round, l, out[n_round * 4 + l + 32]);
		}
	}
	rig_close(&r);
}

/* Checks the maximal nesting depth. */
static void
deep(struct unit_ctx *t)
{
	enum { DEPTH = 1000 };
	uint32_t out[16] = { 0 };
	const struct io io = IO(out);
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	struct qd_builder *b = rig_kernel(&r, 16);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b);
	struct qd_var n = qd_var(b, qd_u32(b, 0));
	for (uint32_t d = 0; d < DEPTH; d++) {
		qd_scope(b);
		qd_leave_if(b, d / 2 + 1, qd_eq(b, i, qd_u32(b, d / 100)));
		qd_set(b, n, qd_add(b, qd_get(b, n), qd_u32(b, 1)));
	}
	for (uint32_t d = 0; d < DEPTH; d++)
		qd_end(b);
	qd_store(b, dst, i, qd_get(b, n));
	UNIT_CHECK(t, rig_run(&r, b, 1, &io, 1) == QD_OK, "%s", r.err.text);
	for (uint32_t l = 0; l < 16; l++)
		UNIT_CHECK(t, out[l] == (l < DEPTH / 100 ? l * 100 : DEPTH), "thread %u: %u", l,
			   out[l]);
	rig_close(&r);
}

/* -- Grid loops ------------------------------------------------------------------------- */

enum { MAX_LEN = 3 * MAX_LANE, MAX_THREADS = 6 * MAX_LANE };

/* Checks values before, in and after the body of a grid loop, which padding threads could
 * disturb. */
static void
grid_at(struct unit_ctx *t, struct rig *r, uint32_t size, uint32_t dim, uint32_t n)
{
	static uint32_t src[MAX_LEN], before[MAX_THREADS], in[4 * MAX_LEN], after[2 * MAX_THREADS];
	uint32_t len = 3 * size / 2, n_blocks = 2, n_threads = n_blocks * dim;
	uint32_t here = n < n_threads ? n : n_threads;

	for (uint32_t i = 0; i < len; i++)
		src[i] = i * 5 + 1;
	memset(before, 0, sizeof before);
	memset(in, 0xee, sizeof in);
	memset(after, 0, sizeof after);
	struct qd_builder *b = rig_kernel(r, dim);
	struct qd_array s = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array d0 = qd_param_buffer(b, "before", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_array d1 = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_array d2 = qd_param_buffer(b, "after", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val me = rig_thread(b), four = qd_u32(b, 4);
	struct qd_var kept = qd_var(b, qd_add(b, me, qd_u32(b, 1000)));
	qd_store(b, d0, me, qd_subgroup_reduce_add(b, qd_u32(b, 1)));
	struct qd_val i = qd_grid(b, qd_u32(b, n)), v = qd_load_else(b, s, i, qd_u32(b, 0));
	struct qd_val at = qd_mul(b, i, four);
	qd_set(b, kept, v);
	qd_store(b, d1, at, qd_subgroup_reduce_add(b, v));
	qd_store(b, d1, qd_add(b, at, qd_u32(b, 1)), qd_subgroup_inclusive_add(b, v));
	qd_store(b, d1, qd_add(b, at, qd_u32(b, 2)),
		 qd_subgroup_ballot_first_n(b, qd_ge(b, v, qd_u32(b, 0)), 32));
	qd_store(b, d1, qd_add(b, at, qd_u32(b, 3)), qd_subgroup_broadcast(b, i, qd_u32(b, 0)));
	qd_end(b);
	at = qd_mul(b, me, qd_u32(b, 2));
	qd_store(b, d2, at, qd_get(b, kept));
	qd_store(b, d2, qd_add(b, at, qd_u32(b, 1)), qd_subgroup_reduce_add(b, qd_u32(b, 1)));
	const struct io io[] = { { src, len * sizeof *src },
				 IO(before),
				 { in, 4 * len * sizeof *in },
				 IO(after) };
	UNIT_CHECK(t, rig_run(r, b, n_blocks, io, 4) == QD_OK, "%s", r->err.text);
	for (uint32_t g = 0; g < n_threads; g++) {
		uint32_t lane = g % dim % size, base = g - lane;
		uint32_t end = g / dim * dim + dim < base + size ? g / dim * dim + dim : base + size;
		uint32_t want[4] = { 0, 0, 0, base }, last = end < here ? end : here;

		for (uint32_t j = base; j < last; j++) {
			want[0] += j < len ? src[j] : 0;
			want[1] += j < len && j <= g ? src[j] : 0;
			want[2] |= j - base < 32 ? 1u << (j - base) : 0;
		}
		UNIT_CHECK(t, before[g] == end - base, "S %u dim %u n %u thread %u: before %u",
			   size, dim, n, g, before[g]);
		UNIT_CHECK(t,
			   after[2 * g] == (g >= here ? g + 1000
					     : g < len ? src[g]
						       : 0),
			   "S %u dim %u n %u thread %u: after %u", size, dim, n, g, after[2 * g]);
		UNIT_CHECK(t, after[2 * g + 1] == end - base, "S %u dim %u n %u thread %u: %u",
			   size, dim, n, g, after[2 * g + 1]);
		for (uint32_t j = 0; g < len && j < 4; j++)
			UNIT_CHECK(t, in[4 * g + j] == (g < here ? want[j] : 0xeeeeeeee),
				   "S %u dim %u n %u thread %u: in[%u] %x, not %x", size, dim, n, g, j,
				   in[4 * g + j], g < here ? want[j] : 0xeeeeeeee);
	}
	for (uint32_t g = here < len ? here : len; g < len; g++)
		UNIT_CHECK(t, in[4 * g] == 0xeeeeeeee, "S %u dim %u n %u: in[%u]", size, dim, n, g);
}

static void
grid(struct unit_ctx *t)
{
	for (uint32_t size = 4; size <= MAX_LANE; size *= 2) {
		const uint32_t dims[] = { size, size - 1, 2 * size, size + size / 2 + 1 };
		const uint32_t counts[] = { 0, 1, size - 1, size, size + 1, 3 * size / 2 - 1,
					    3 * size / 2, 3 * size / 2 + 1, 5 * size };
		struct rig r;

		if (!rig_open_size(&r, t, size))
			return;
		for (uint32_t d = 0; d < QD_COUNT(dims); d++)
			for (uint32_t c = 0; c < QD_COUNT(counts); c++)
				grid_at(t, &r, size, dims[d], counts[c]);
		rig_close(&r);
	}
}

/* Checks that a return in the body ends the threads in it, and no others. */
static void
grid_return(struct unit_ctx *t)
{
	enum { N = 20, COUNT = 13 };
	uint32_t in[N] = { 0 }, after[N] = { 0 }, last[N] = { 0 };
	const struct io io[] = { IO(in), IO(after), IO(last) };
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	struct qd_builder *b = rig_kernel(&r, N / 2);
	struct qd_array d0 = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_array d1 = qd_param_buffer(b, "after", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_array d2 = qd_param_buffer(b, "last", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val me = rig_thread(b), one = qd_u32(b, 1);
	qd_scope(b);
	struct qd_val i = qd_grid(b, qd_u32(b, COUNT));
	qd_leave_if(b, 1, qd_eq(b, qd_rem(b, i, qd_u32(b, 3)), one));
	qd_if(b, qd_eq(b, qd_rem(b, i, qd_u32(b, 3)), qd_u32(b, 2)));
	qd_leave(b, 2);
	qd_end(b);
	qd_store(b, d0, i, one);
	qd_end(b);
	qd_store(b, d1, me, one);
	qd_end(b);
	qd_store(b, d2, me, one);
	UNIT_CHECK(t, rig_run(&r, b, 2, io, 3) == QD_OK, "%s", r.err.text);
	for (uint32_t g = 0; g < N; g++)
		UNIT_CHECK(t,
			   in[g] == (g < COUNT && g % 3 == 0) &&
				   after[g] == (g >= COUNT || g % 3 != 2) && last[g] == 1,
			   "thread %u: %u %u %u", g, in[g], after[g], last[g]);
	rig_close(&r);
}

/* Checks that padding threads cause no endless loop, no division by zero and no invalid read. A sum
 * of one value must be that value. */
static void
grid_padding(struct unit_ctx *t)
{
	float src[5] = { -0.0f, -0.0f, 1, 2, 3 };
	uint32_t out[16] = { 0 };
	const struct io io[] = { IO(src), IO(out) };
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	struct qd_builder *b = rig_kernel(&r, 16);
	struct qd_array s = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = rig_dst(b);
	qd_assume_in_bounds(b, "test");
	struct qd_val i = qd_grid(b, qd_u32(b, 1)), v;
	qd_loop(b);
	qd_break_if(b, qd_lt(b, i, qd_u32(b, 1)));
	qd_end(b);
	v = qd_load(b, s, qd_mul(b, i, qd_u32(b, 1000)));
	v = qd_bitcast(b, QD_TYPE_U32, qd_subgroup_reduce_add(b, v));
	qd_store(b, dst, qd_mul(b, i, qd_u32(b, 1000)),
		 qd_add(b, v, qd_div(b, qd_u32(b, 7), qd_sub(b, i, qd_u32(b, 7)))));
	const uint32_t want = 0x80000000 + 7 / (0u - 7);
	UNIT_CHECK(t, rig_run(&r, b, 1, io, 2) == QD_OK, "%s", r.err.text);
	rig_text(t, r.log, "");
	UNIT_CHECK(t, out[0] == want, "%x", out[0]);
	rig_close(&r);
}

/* Checks negative counts, which run nothing, and that the index has the type of the count. */
static void
grid_types(struct unit_ctx *t)
{
	for (int type = 0; type < 4; type++) {
		for (int n = -1; n < 20; n += 5) {
			uint32_t out[16] = { 0 };
			const struct io io = IO(out);
			struct rig r;

			if (!rig_open(&r, t, "ref:8"))
				return;
			struct qd_builder *b = rig_kernel(&r, 8);
			struct qd_array dst = rig_dst(b);
			uint32_t bits = n < 0 && (type & 1) ? 0 : (uint32_t)n;
			struct qd_val i = qd_grid(b, type == 0 ? qd_i32(b, n)
						     : type == 1 ? qd_u32(b, bits)
						     : type == 2 ? qd_i64(b, n)
								 : qd_u64(b, bits));
			qd_store(b, dst, i, qd_add(b, qd_cast(b, QD_TYPE_U32, i), qd_u32(b, 1)));
			UNIT_CHECK(t, rig_run(&r, b, 2, &io, 1) == QD_OK, "%s", r.err.text);
			for (int g = 0; g < 16; g++)
				UNIT_CHECK(t, out[g] == (g < n ? (uint32_t)g + 1 : 0),
					   "type %d n %d: out[%d] %u", type, n, g, out[g]);
			rig_close(&r);
		}
	}
}

const struct unit units_ref_flow[] = {
	{ "ref.structures", structures },   { "ref.together", together },
	{ "ref.rounds", rounds },	    { "ref.deep", deep },
	{ "ref.grid", grid },		    { "ref.grid_return", grid_return },
	{ "ref.grid_padding", grid_padding }, { "ref.grid_types", grid_types },
};
const unsigned n_units_ref_flow = QD_COUNT(units_ref_flow);
