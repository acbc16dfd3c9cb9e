/* Random kernels on the lockstep machine of lanes.h: two subgroups of eight lanes. The output of
 * fold and partial must store the same values as their input. A uniformity level must hold in every
 * iteration, and an accepted cross-lane operation must have all lanes of its subgroup active. Also
 * checks allocations that fail. */
#include "lanes.h"
#include "t_pass.h"

enum { LANES = 16, SIZE = 8, N_DATA = 32 };

/* -- The machine ----------------------------------------------------------------- */

struct sim {
	struct lanes x;
	const uint8_t *level; /* checked if not NULL */
	uint64_t trace[LANES];
	uint32_t n_stores, n_wrong;
};

/* Cross-lane operations among any lanes, which the machine refuses. */
static void
cross(struct sim *s, uint32_t i, const bool *act)
{
	const struct ins *op = &s->x.ir->ins[i];
	const uint64_t *a = lanes_at(&s->x, op->a);

	for (uint32_t base = 0; base < LANES; base += SIZE) {
		uint64_t sum = 0, ballot = 0, n = 0;
		for (uint32_t l = 0; l < SIZE; l++) {
			if (!act[base + l])
				continue;
			n++;
			sum += a[base + l];
			ballot |= a[base + l] << l;
		}
		s->n_wrong += s->level && n && n != SIZE;
		for (uint32_t l = base; l < base + SIZE; l++)
			lanes_at(&s->x, i)[l] = op->op == OP_REDUCE_ADD ? (uint32_t)sum
						: op->op == OP_BROADCAST ? a[base] : ballot;
	}
}

static void
store(struct sim *s, const struct ins *op, const bool *act)
{
	const uint64_t *at = lanes_at(&s->x, op->a), *v = lanes_at(&s->x, op->b), *guard = lanes_at(&s->x, op->c);

	for (uint32_t l = 0; l < LANES; l++) {
		if (!act[l] || (op->c && !guard[l]) || ((op->attr & ATTR_GUARD) && at[l] >= N_DATA))
			continue;
		s->n_stores++;
		s->trace[l] = (s->trace[l] + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ at[l] << 32 ^ v[l];
	}
}

static void
check_level(struct sim *s, uint32_t i, const bool *act)
{
	uint32_t width = s->level[i] == LEVEL_BLOCK ? LANES : SIZE;
	const uint64_t *v = lanes_at(&s->x, i);

	for (uint32_t base = 0; base < LANES; base += width) {
		uint32_t first = LANES;
		for (uint32_t l = base; l < base + width; l++) {
			if (!act[l])
				continue;
			if (first == LANES)
				first = l;
			s->n_wrong += v[l] != v[first];
		}
	}
}

static void
step(struct lanes *x, uint32_t i, const bool *act)
{
	struct sim *s = (struct sim *)x; /* its first member */
	const struct ins *op = &x->ir->ins[i];

	switch (op->op) {
	case OP_REDUCE_ADD:
	case OP_BROADCAST:
	case OP_BALLOT_FIRST_N:
	case OP_BALLOT_WORD: cross(s, i, act); break;
	case OP_STORE: store(s, op, act); break;
	default: lanes_step(x, i, act);
	}
	if (s->level && op->type && op->op != OP_VAR && s->level[i] != LEVEL_VARYING)
		check_level(s, i, act);
}

/* padded: padding threads execute the body. */
static struct sim
simulate(struct fx *f, const struct ir *ir, const uint8_t *level, bool padded)
{
	uint64_t data[N_DATA];
	struct sim s = { .x = { .k = f->k, .m = &f->m, .padded = padded, .block_idx = 2, .n_blocks = 3, .step = step },
			 .level = level };

	for (uint32_t i = 0; i < N_DATA; i++)
		data[i] = (uint32_t)(i * 7 % 11) - 3u;
	for (uint32_t i = 0; i < MAX_PARAM; i++) {
		s.x.buf[i] = data;
		s.x.len[i] = N_DATA;
		s.x.scalar[i] = 5;
	}
	UNIT_CHECK(f->t, lanes_run(&s.x, ir), "%s", s.x.fault);
	return s;
}

/* -- Random kernels ------------------------------------------------------------------ */

struct gen {
	struct fx *f;
	struct qd_builder *b;
	struct unit_rng rng;
	struct qd_array data, out;
	struct qd_val ints[256], bools[256];
	struct qd_var vars[64];
	uint32_t n_ints, n_bools, n_vars, depth, n_loops, budget;
};

static uint32_t
pick(struct gen *g, uint32_t n)
{
	return (uint32_t)(unit_random(&g->rng) >> 33) % n;
}

static struct qd_val
any_int(struct gen *g)
{
	return g->ints[pick(g, g->n_ints)];
}

static struct qd_val
any_bool(struct gen *g)
{
	return g->bools[pick(g, g->n_bools)];
}

static struct qd_val
new_int(struct gen *g)
{
	static const int32_t numbers[] = { 0, 1, -1, 2, 8, 31, INT32_MIN };
	static struct qd_val (*const binary[])(struct qd_builder *, struct qd_val,
					       struct qd_val) = { qd_add, qd_sub, qd_mul, qd_div,
								  qd_rem, qd_and, qd_or,  qd_xor,
								  qd_shl, qd_shr, qd_min, qd_max };
	struct qd_builder *b = g->b;
	struct qd_val v = any_int(g), c;
	size_t n;

	switch (pick(g, 12)) {
	case 0: return qd_i32(b, numbers[pick(g, QD_COUNT(numbers))]);
	case 1: c = any_bool(g); return qd_select(b, c, v, any_int(g));
	case 2: return qd_neg(b, v);
	case 3: return qd_load(b, g->data, v);
	case 4: return qd_load_else(b, g->data, v, any_int(g));
	case 5: return g->n_vars ? qd_get(b, g->vars[pick(g, g->n_vars)]) : v;
	case 6:
		switch (pick(g, 6)) {
		case 0: return qd_bitcast(b, QD_TYPE_I32, qd_block_thread_idx(b));
		case 1: return qd_bitcast(b, QD_TYPE_I32, qd_subgroup_invocation_id(b));
		case 2: return qd_bitcast(b, QD_TYPE_I32, qd_subgroup_id(b));
		case 3: return qd_bitcast(b, QD_TYPE_I32, qd_len(b, g->data));
		case 4: return qd_bitcast(b, QD_TYPE_I32, qd_block_idx(b));
		default: return qd_not(b, v);
		}
	case 7:
		switch (pick(g, 6)) {
		case 0: return qd_subgroup_reduce_add(b, v);
		case 1: return qd_subgroup_broadcast(b, v, qd_u32(b, 0));
		case 2:
			return qd_bitcast(b, QD_TYPE_I32,
					  qd_subgroup_ballot_first_n(b, any_bool(g), 8));
		default: return v;
		}
	default: n = pick(g, QD_COUNT(binary)); return binary[n](b, v, any_int(g));
	}
}

static struct qd_val
new_bool(struct gen *g)
{
	struct qd_builder *b = g->b;
	struct qd_val v = any_bool(g), w = any_bool(g), x = any_int(g), y = any_int(g);

	switch (pick(g, 9)) {
	case 0: return qd_bool(b, pick(g, 2));
	case 1: return qd_and(b, v, w);
	case 2: return qd_or(b, v, w);
	case 3: return qd_xor(b, v, w);
	case 4: return qd_not(b, v);
	case 5: return qd_eq(b, x, y);
	case 6: return qd_ne(b, v, w);
	case 7: return qd_lt(b, x, y);
	default: return qd_le(b, x, y);
	}
}

static void gen_block(struct gen *g, uint32_t n);

static void
gen_loop(struct gen *g)
{
	struct qd_builder *b = g->b;
	struct qd_var round = qd_var(b, qd_i32(b, 0));

	qd_loop(b);
	struct qd_val n = qd_get(b, round);
	qd_break_if(b, qd_le(b, qd_i32(b, (int32_t)pick(g, 3) + 1), n));
	qd_set(b, round, qd_add(b, n, qd_i32(b, 1)));
	g->n_loops++;
	gen_block(g, 5);
	g->n_loops--;
	qd_end(b);
}

static void
gen_statement(struct gen *g)
{
	struct qd_builder *b = g->b;
	struct qd_val at;

	switch (pick(g, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
		g->ints[g->n_ints] = new_int(g);
		g->n_ints++;
		break;
	case 4:
	case 5:
		g->bools[g->n_bools] = new_bool(g);
		g->n_bools++;
		break;
	case 6:
		if (g->n_vars < 48)
			g->vars[g->n_vars++] = qd_var(b, any_int(g));
		break;
	case 7:
	case 8:
		if (g->n_vars) {
			struct qd_var to = g->vars[pick(g, g->n_vars)];
			qd_set(b, to, any_int(g));
		}
		break;
	case 9:
	case 10:
		if (g->depth > 3)
			break;
		qd_if(b, any_bool(g));
		gen_block(g, 4);
		if (pick(g, 2)) {
			qd_else(b);
			gen_block(g, 4);
		}
		qd_end(b);
		break;
	case 11:
		if (g->depth < 4)
			gen_loop(g);
		break;
	case 12:
		if (!g->n_loops)
			break;
		if (pick(g, 2)) {
			qd_break_if(b, any_bool(g));
			break;
		}
		qd_if(b, any_bool(g));
		if (pick(g, 2))
			qd_break(b);
		else
			qd_continue(b);
		qd_end(b);
		break;
	default:
		at = any_int(g);
		qd_store(b, g->out, at, any_int(g));
	}
}

static void
gen_block(struct gen *g, uint32_t n)
{
	uint32_t n_ints = g->n_ints, n_bools = g->n_bools, n_vars = g->n_vars;

	g->depth++;
	for (n = 1 + pick(g, 2 * n); n > 0 && g->budget > 0 && g->n_ints < 200 && g->n_bools < 200;
	     n--, g->budget--)
		gen_statement(g);
	g->depth--;
	g->n_ints = n_ints;
	g->n_bools = n_bools;
	g->n_vars = n_vars;
}

static bool
random_kernel(struct fx *f, struct unit_ctx *t, uint64_t seed)
{
	struct gen g = { .f = f, .b = fx_start(f, t), .rng = { seed }, .budget = 120 };

	qd_block(g.b, LANES, 1, 1);
	g.data = qd_param_buffer(g.b, "data", QD_TYPE_I32, QD_ACCESS_IN);
	g.out = qd_param_buffer(g.b, "out", QD_TYPE_I32, QD_ACCESS_OUT);
	g.ints[g.n_ints++] = qd_param_scalar(g.b, "n", QD_TYPE_I32);
	g.ints[g.n_ints++] = qd_bitcast(g.b, QD_TYPE_I32, qd_block_thread_idx(g.b));
	g.ints[g.n_ints++] = qd_i32(g.b, 1);
	g.bools[g.n_bools++] = qd_lt(g.b, g.ints[1], g.ints[0]);
	g.bools[g.n_bools++] = qd_lt(g.b, g.ints[0], g.ints[2]);
	gen_block(&g, 30);
	return fx_finish(f);
}

/* -- Tests ---------------------------------------------------------------------------- */

enum { N_KERNELS = 400 };

static void
same_trace(struct unit_ctx *t, const struct sim *a, const struct sim *b, uint64_t seed)
{
	UNIT_CHECK(t, a->n_stores == b->n_stores, "kernel %llu: %u stores, not %u",
		   (unsigned long long)seed, b->n_stores, a->n_stores);
	for (uint32_t l = 0; l < LANES; l++)
		UNIT_CHECK(t, a->trace[l] == b->trace[l],
			   "kernel %llu: lane %u stores other values", (unsigned long long)seed, l);
}

void
t_sim_fold(struct unit_ctx *t)
{
	uint32_t n_stores = 0, n_less = 0;

	for (uint64_t seed = 1; seed <= N_KERNELS && t->n_failed < 8; seed++) {
		struct fx f;
		struct ir a, b, c, d;
		if (random_kernel(&f, t, seed) && !pass_specialize(&f.p, &f.k->ir, &a)) {
			UNIT_CHECK(t, !fx_fold(&f, &a, &b) && fx_right(&f, &b), "%s", f.err.text);
			UNIT_CHECK(t, !fx_fold(&f, &b, &c) && fx_right(&f, &c), "%s", f.err.text);
			UNIT_CHECK(t, !pass_dce(&f.p, &a, &d, NULL) && fx_right(&f, &d), "%s",
				   f.err.text);
			struct sim want = simulate(&f, &a, NULL, true);
			struct sim got = simulate(&f, &b, NULL, true);
			struct sim twice = simulate(&f, &c, NULL, true);
			struct sim swept = simulate(&f, &d, NULL, true);
			same_trace(t, &want, &got, seed);
			same_trace(t, &want, &twice, seed);
			same_trace(t, &want, &swept, seed);
			n_stores += want.n_stores;
			n_less += b.n < a.n;
		}
		fx_stop(&f);
	}
	UNIT_CHECK(t, n_stores > 10000 && n_less > N_KERNELS / 2, "%u stores, %u folded", n_stores,
		   n_less);
}

void
t_sim_partial(struct unit_ctx *t)
{
	for (uint64_t seed = 1; seed <= N_KERNELS && t->n_failed < 8; seed++) {
		struct fx f;
		struct ir a, b, c;
		uint32_t n = 9 + (uint32_t)seed % 7;
		if (random_kernel(&f, t, seed)) {
			f.k->block_dim = n;
			f.p.padded_block = n % SIZE != 0;
			UNIT_CHECK(t,
				   !pass_specialize(&f.p, &f.k->ir, &a) &&
					   !pass_mask_padding(&f.p, &a, &b) &&
					   !fx_fold(&f, &b, &c) && fx_right(&f, &b) && fx_right(&f, &c),
				   "%s", f.err.text);
			struct sim want = simulate(&f, &a, NULL, false);
			struct sim got = simulate(&f, &b, NULL, true);
			struct sim folded = simulate(&f, &c, NULL, true);
			same_trace(t, &want, &got, seed);
			same_trace(t, &want, &folded, seed);
		}
		fx_stop(&f);
	}
}

/* Runs all passes in order, on a target with every operation and on one whose shifts, divisions and
 * loops are expanded. */
void
t_sim_run(struct unit_ctx *t)
{
	for (uint64_t seed = 1; seed <= N_KERNELS && t->n_failed < 8; seed++) {
		struct fx f;
		struct body a, b;
		uint32_t n = 9 + (uint32_t)seed % 8;
		if (random_kernel(&f, t, seed)) {
			f.k->block_dim = n;
			f.k->assume_uniform = "test";
			f.p.padded_block = n % SIZE != 0;
			if (seed % 2)
				f.m.caps |=
					CAP_INT_DIV_CHECKED | CAP_CVT_SATURATES | CAP_SHIFT_MASKS;
			UNIT_CHECK(t, !pass_run(&f.p, true, &a), "%s", f.err.text);
			UNIT_CHECK(t, !pass_run(&f.p, false, &b), "%s", f.err.text);
			struct sim want = simulate(&f, &a.ir, NULL, false);
			struct sim got = simulate(&f, &b.ir, NULL, true);
			same_trace(t, &want, &got, seed);
		}
		fx_stop(&f);
	}
}

/* Compares the levels of a body without loops and jumps, which are computed without the graph, with
 * those of the graph. HAS_LOOP forces the use of the graph. */
static bool
same_by_graph(struct fx *f, struct ir *ir, const uint8_t *level, uint64_t seed)
{
	uint8_t *graph;
	uint32_t n_other = 0;

	if (ir->has & (HAS_LOOP | HAS_JUMP))
		return false;
	ir->has |= HAS_LOOP;
	if (pass_levels(&f->p, ir, &graph))
		return false;
	for (uint32_t i = 1; i < ir->n; i++)
		n_other += graph[i] != level[i];
	UNIT_CHECK(f->t, !n_other, "kernel %llu: %u levels", (unsigned long long)seed, n_other);
	return true;
}

void
t_sim_levels(struct unit_ctx *t)
{
	uint32_t n_accepted = 0, n_refused = 0, n_cross = 0, n_at_once = 0;

	for (uint64_t seed = 1; seed <= 4 * N_KERNELS && t->n_failed < 8; seed++) {
		struct fx f;
		struct ir a, b;
		uint8_t *level;
		if (random_kernel(&f, t, seed) && !pass_specialize(&f.p, &f.k->ir, &a)) {
			qd_status st = pass_uniformity_check(&f.p, &a, &level);
			UNIT_CHECK(t, !st || st == QD_E_UNIFORM, "%s", f.err.text);
			/* Specialization may have removed the fault as dead code. */
			UNIT_CHECK(t, !st || pass_check_kernel(f.k, NULL) == st,
				   "kernel %llu: finish", (unsigned long long)seed);
			if (!st) {
				struct sim s = simulate(&f, &a, level, true);
				UNIT_CHECK(t, !s.n_wrong, "kernel %llu: %u values",
					   (unsigned long long)seed, s.n_wrong);
				n_cross += fx_count(&a, OP_REDUCE_ADD) > 0;
			}
			n_accepted += !st;
			n_refused += st != QD_OK;
			if (!st && !fx_fold(&f, &a, &b) && !pass_levels(&f.p, &b, &level)) {
				struct sim s = simulate(&f, &b, level, true);
				UNIT_CHECK(t, !s.n_wrong, "kernel %llu, folded: %u values",
					   (unsigned long long)seed, s.n_wrong);
				n_at_once += same_by_graph(&f, &b, level, seed);
			}
		}
		fx_stop(&f);
	}
	UNIT_CHECK(t, n_accepted > 100 && n_refused > 100 && n_cross > 20,
		   "%u accepted, %u of them with a reduction, %u refused", n_accepted, n_cross,
		   n_refused);
	UNIT_CHECK(t, n_at_once > 50, "%u without loops and jumps", n_at_once);
}

/* Checks that each failed allocation of the passes is reported. */
void
t_sim_nomem(struct unit_ctx *t)
{
	uint32_t n_failed = 0;
	bool done = false;

	for (size_t at = 1; !done && at < 100; at++) {
		struct unit_alloc hooks;
		struct fx f = { .t = t };
		struct ir a, b, c;
		struct body body;
		uint8_t *level;
		qd_status st;

		unit_alloc_init(&hooks);
		struct qd_context_desc desc = { .version = QD_VERSION,
						.allocator = unit_alloc_hooks(&hooks) };
		UNIT_CHECK(t, !random_kernel(&f, t, 7) || f.k, "kernel");
		/* The builder's kernel, in a context that runs out of memory. */
		struct qd_context *ctx = NULL;
		UNIT_CHECK(t, !qd_context_create(&desc, &ctx, NULL), "context");
		struct arena mem;
		arena_init(&mem, &ctx->pool);
		f.p.mem = &mem;
		f.k->block_dim = 13;
		f.k->assume_uniform = "test";
		hooks.fail_at = hooks.n_calls + at;
		st = pass_specialize(&f.p, &f.k->ir, &a);
		if (!st)
			st = pass_uniformity_check(&f.p, &a, &level);
		if (!st)
			st = pass_mask_padding(&f.p, &a, &b);
		if (!st)
			st = fx_fold(&f, &b, &c);
		if (!st)
			st = pass_run(&f.p, false, &body);
		done = !st;
		n_failed += st == QD_E_NOMEM;
		UNIT_CHECK(t, !st || st == QD_E_NOMEM, "%s", f.err.text);
		if (st)
			UNIT_CHECK(t, strcmp(f.err.text, "kernel 'k': out of memory") == 0, "%s",
				   f.err.text);
		hooks.fail_at = 0;
		arena_fini(&mem);
		qd_context_free(ctx);
		fx_stop(&f);
		UNIT_CHECK(t, hooks.n_out == 0, "%zu blocks lost", hooks.n_out);
		unit_alloc_fini(&hooks);
	}
	UNIT_CHECK(t, done && n_failed > 0, "memory never ran out, or always");
}
