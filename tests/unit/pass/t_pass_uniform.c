/* Uniformity: the level of every kind of value, and the rule with its error messages. */
#include "t_pass.h"

void
t_uniform_levels(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_array mem = qd_param_buffer(b, "mem", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_array in = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_val n = qd_param_scalar(b, "n", QD_TYPE_U32), id = qd_subgroup_id(b);
	struct qd_val x = thread(b), c = qd_lt(b, n, qd_u32(b, 3)), two = qd_u32(b, 2), r;
	qd_subgroup_reduce(b, &x, &r, 1, QD_FULL, fx_keep_first, NULL);
	const struct {
		struct qd_val v;
		uint8_t level;
	} want[] = {
		{ n, LEVEL_BLOCK },
		{ qd_block_idx(b), LEVEL_BLOCK },
		{ qd_grid_dim(b), LEVEL_BLOCK },
		{ qd_len(b, mem), LEVEL_BLOCK },
		{ qd_select(b, c, n, two), LEVEL_BLOCK },
		{ id, LEVEL_SUBGROUP },
		{ qd_add(b, id, qd_u32(b, 1)), LEVEL_SUBGROUP },
		{ x, LEVEL_VARYING },
		{ qd_subgroup_invocation_id(b), LEVEL_VARYING },
		{ qd_subgroup_elect(b), LEVEL_VARYING },
		{ qd_subgroup_ballot_first_n(b, x, 8), LEVEL_SUBGROUP },
		{ qd_subgroup_broadcast(b, x, two), LEVEL_SUBGROUP },
		{ qd_subgroup_shuffle(b, n, two), LEVEL_VARYING },
		{ qd_subgroup_reduce_add(b, x), LEVEL_SUBGROUP },
		{ qd_subgroup_reduce_min_tiled(b, x, 3), LEVEL_SUBGROUP },
		{ qd_subgroup_reduce_max_tiled(b, x, 2), LEVEL_VARYING },
		{ qd_subgroup_inclusive_add(b, x), LEVEL_VARYING },
		{ r, LEVEL_SUBGROUP },
		{ qd_load(b, in, n), LEVEL_BLOCK },
		{ qd_load(b, in, id), LEVEL_SUBGROUP },
		{ qd_load(b, in, x), LEVEL_VARYING },
		{ qd_load(b, mem, n), LEVEL_VARYING },
		{ qd_load_else(b, in, n, x), LEVEL_VARYING },
		{ qd_grid(b, n), LEVEL_VARYING },
	};

	for (uint32_t i = 0; i < QD_COUNT(want); i++)
		fx_put(&f, want[i].v);
	if (fx_finish(&f)) {
		uint8_t *level;
		for (uint32_t one = 0; one < 2; one++) {
			f.k->block_dim = one ? 8 : 16;
			UNIT_CHECK(t, !pass_uniformity_check(&f.p, &f.k->ir, &level), "%s",
				   f.err.text);
			for (uint32_t i = 0; i < QD_COUNT(want); i++) {
				uint8_t is = level[want[i].v.id], should = want[i].level;
				if (one && should == LEVEL_SUBGROUP)
					should = LEVEL_BLOCK;
				UNIT_CHECK(t, is == should, "row %u (%s): %u, not %u", i,
					   op_info[f.k->ir.ins[want[i].v.id].op].text, is, should);
			}
		}
	}
	fx_stop(&f);
}

void
t_uniform_variables(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val n = qd_param_scalar(b, "n", QD_TYPE_U32), x = thread(b), id;
	struct qd_val c = qd_lt(b, x, n), u = qd_lt(b, n, qd_u32(b, 3)), seen[7];
	static const uint8_t want[7] = { LEVEL_BLOCK,	 LEVEL_VARYING, LEVEL_SUBGROUP,
					 LEVEL_SUBGROUP, LEVEL_VARYING, LEVEL_BLOCK,
					 LEVEL_VARYING };

	struct qd_var v = qd_var(b, n), w = qd_var(b, n), y = qd_var(b, n);
	qd_if(b, u);
	qd_set(b, v, qd_u32(b, 1)); /* the same store for the whole block */
	qd_end(b);
	seen[0] = qd_get(b, v);
	qd_if(b, c);
	qd_set(b, v, n); /* the same value, but not stored by all threads */
	struct qd_var inner = qd_var(b, n);
	qd_set(b, inner, qd_u32(b, 2));
	seen[5] = qd_get(b, inner); /* all threads that read it stored it */
	qd_end(b);
	seen[1] = qd_get(b, v);
	id = qd_subgroup_id(b);
	qd_if(b, qd_eq(b, id, n));
	qd_set(b, w, n);
	qd_end(b);
	seen[2] = qd_get(b, w);
	qd_loop(b);
	seen[3] = qd_get(b, y); /* raised by the store below */
	qd_break_if(b, u);
	qd_set(b, y, id);
	qd_end(b);
	struct qd_var z = qd_var(b, n);
	qd_loop(b); /* threads leave in different iterations */
	seen[4] = qd_get(b, z);
	qd_set(b, z, qd_u32(b, 1));
	struct qd_var fresh = qd_var(b, n);
	seen[6] = qd_get(b, z);
	qd_set(b, fresh, n);
	qd_if(b, c);
	qd_break(b);
	qd_end(b);
	qd_end(b);
	struct qd_var whole = qd_var(b, n); /* whole subgroups leave */
	qd_loop(b);
	qd_if(b, qd_eq(b, id, n));
	qd_break(b);
	qd_end(b);
	qd_set(b, whole, qd_subgroup_reduce_add(b, n));
	qd_end(b);
	for (uint32_t i = 0; i < 7; i++)
		UNIT_CHECK(t, seen[i].id, "value %u", i);
	if (fx_finish(&f)) {
		uint8_t *level;
		f.k->block_dim = 16;
		qd_status st = pass_uniformity_check(&f.p, &f.k->ir, &level);
		UNIT_CHECK(t, !st, "%s", f.err.text);
		for (uint32_t i = 0; i < 7 && !st; i++)
			UNIT_CHECK(t, level[seen[i].id] == want[i], "value %u: %u, not %u", i,
				   level[seen[i].id], want[i]);
		UNIT_CHECK(t, !st && level[fresh.id] == LEVEL_BLOCK,
			   "a variable of the loop's body");
		UNIT_CHECK(t, !st && level[whole.id] == LEVEL_SUBGROUP,
			   "a loop that subgroups leave");
		UNIT_CHECK(t, !pass_levels(&f.p, &f.k->ir, &level), "%s", f.err.text);
	}
	fx_stop(&f);
}

/* Checks the error of the finish and of a compile. */
static void
breaks_rule(struct fx *f, const char *text)
{
	uint8_t *level;

	if (fx_finish(f)) {
		fx_wants(f, pass_uniformity_check(&f->p, &f->k->ir, &level), QD_E_UNIFORM, text);
		fx_wants(f, pass_check_kernel(f->k, &f->err), QD_E_UNIFORM, text);
		f->k->assume_uniform = "test";
		UNIT_CHECK(f->t,
			   !pass_uniformity_check(&f->p, &f->k->ir, &level) &&
				   !pass_check_kernel(f->k, &f->err),
			   "assume_uniform: %s", f->err.text);
	}
	fx_stop(f);
}

void
t_uniform_errors(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val x = thread(b), c = qd_lt(b, qd_u32(b, 3), qd_add(b, x, x));

	qd_if(b, c);
	fx_put(&f, qd_subgroup_reduce_add_tiled(b, x, 2));
	qd_end(b);
	breaks_rule(&f, "call 8, qd_subgroup_reduce_add_tiled: subgroup.reduce_add_tiled() in "
			"non-uniform control flow is undefined [E0401]\n"
			"note: call 7: this condition depends on block.thread_idx()\n"
			"help: call it before the qd_if, in all lanes, on qd_select(b, c, v, x): c holds in the lanes that count, x is 0");

	b = fx_start(&f, t); /* the break follows the call: iteration 2 violates the rule */
	struct qd_var v = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	struct qd_val y = qd_get(b, v);
	fx_put(&f, qd_subgroup_shuffle(b, y, qd_u32(b, 1)));
	qd_set(b, v, qd_cast(b, QD_TYPE_U32, qd_load(b, f.src, thread(b))));
	qd_break_if(b, qd_lt(b, qd_u32(b, 5), qd_get(b, v)));
	qd_end(b);
	breaks_rule(&f, "call 8, qd_subgroup_shuffle: subgroup.shuffle() in non-uniform control "
			"flow is undefined [E0401]\n"
			"note: call 19: this condition depends on a load from 'src'\n"
			"help: let all lanes execute the same iterations, while qd_subgroup_any_true(b, c) with c: the lane has not left; call it in each iteration");

	b = fx_start(&f, t); /* a continue under a condition, inside a uniform if */
	struct qd_val i = qd_grid(b, qd_len(b, f.src));
	qd_loop(b);
	qd_if(b, qd_lt(b, qd_u32(b, 4), i));
	qd_continue(b);
	qd_end(b);
	qd_if(b, qd_bool(b, true));
	struct qd_val r;
	y = qd_u32(b, 1);
	qd_subgroup_reduce(b, &y, &r, 1, QD_FULL, fx_keep_first, NULL);
	qd_end(b);
	qd_break(b);
	qd_end(b);
	breaks_rule(&f, "call 14, qd_subgroup_reduce: subgroup.reduce() in non-uniform control "
			"flow is undefined [E0401]\n"
			"note: call 8: this condition depends on the index of the grid loop\n"
			"help: call it before the jump, in all lanes");

	b = fx_start(&f, t); /* before the continue all lanes are active */
	i = qd_grid(b, qd_len(b, f.src));
	struct qd_var n = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	qd_break_if(b, qd_le(b, qd_u32(b, 3), qd_get(b, n)));
	qd_set(b, n, qd_add(b, qd_get(b, n), qd_u32(b, 1)));
	qd_subgroup_reduce_add(b, i);
	qd_if(b, qd_lt(b, qd_u32(b, 4), i));
	qd_continue(b);
	qd_end(b);
	qd_store(b, f.dst, i, qd_f32(b, 1));
	qd_end(b);
	if (fx_finish(&f))
		UNIT_CHECK(t, !pass_check_kernel(f.k, &f.err), "%s", f.err.text);
	fx_stop(&f);

	b = fx_start(&f, t);
	fx_put(&f, qd_subgroup_broadcast(b, thread(b), qd_subgroup_invocation_id(b)));
	breaks_rule(&f, "call 5, qd_subgroup_broadcast: the broadcast index is not uniform in the "
			"subgroup; use shuffle [E0402]");

	b = fx_start(&f, t); /* after a loop that threads leave one by one, all are active again */
	qd_loop(b);
	qd_break_if(b, qd_lt(b, qd_u32(b, 1), thread(b)));
	qd_end(b);
	fx_put(&f, qd_subgroup_reduce_add(b, thread(b)));
	if (fx_finish(&f))
		UNIT_CHECK(t, !pass_check_kernel(f.k, &f.err), "%s", f.err.text);
	fx_stop(&f);
}

/* Checks a tile that may be the whole subgroup: finish accepts it, a target decides. */
void
t_uniform_tile(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	uint8_t *level;
	struct ir out;

	qd_if(b, qd_eq(b, qd_subgroup_reduce_max_tiled(b, thread(b), 2), qd_u32(b, 1)));
	fx_put(&f, qd_subgroup_inclusive_add(b, thread(b)));
	qd_end(b);
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !pass_check_kernel(f.k, &f.err), "%s", f.err.text);
		UNIT_CHECK(t, !pass_specialize(&f.p, &f.k->ir, &out), "%s", f.err.text);
		fx_wants(&f, pass_uniformity_check(&f.p, &out, &level), QD_E_UNIFORM,
			 "call 9, qd_subgroup_inclusive_add: subgroup.inclusive_add() in "
			 "non-uniform control flow is undefined [E0401]\n"
			 "note: call 7: this condition depends on subgroup.reduce_max_tiled()\n"
			 "help: call it before the qd_if, in all lanes, on qd_select(b, c, v, x): c holds in the lanes that count, x is 0");
		f.m.subgroup_size = f.m.lanes = 4;
		f.m.log2_size = 2;
		UNIT_CHECK(t, !pass_specialize(&f.p, &f.k->ir, &out), "%s", f.err.text);
		UNIT_CHECK(t, !pass_uniformity_check(&f.p, &out, &level), "%s", f.err.text);
	}
	fx_stop(&f);
}

void
t_uniform_position(struct unit_ctx *t)
{
	static const char text[] = "kernel pub() {\n"
				   "  if thread() < 3 {\n"
				   "    let s = subgroup.reduce_add(1);\n"
				   "  }\n}\n";
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	struct source *source = source_new(&f.ctx->pool, "pub.qdk", text, sizeof text - 1);
	build_set_source(b, source);
	source_free(source);
	build_at(b, POS(2, 6));
	struct qd_val c = qd_lt(b, thread(b), qd_u32(b, 3));
	qd_if(b, c);
	build_at(b, POS(3, 13));
	fx_put(&f, qd_subgroup_reduce_add(b, qd_u32(b, 1)));
	qd_end(b);
	breaks_rule(&f, "pub.qdk:3:13: error: subgroup.reduce_add() in non-uniform control flow is "
			"undefined [E0401]\n"
			"    3 |     let s = subgroup.reduce_add(1);\n"
			"      |             ^~~~~~~~~~~~~~~~~~~\n"
			"pub.qdk:2:6: note: this condition depends on block.thread_idx()\n"
			"    2 |   if thread() < 3 {\n"
			"      |      ^~~~~~\n"
			"help: call it before the 'if', in all lanes: let r = subgroup.reduce_add(select(c, v, 0)); c is the condition of the 'if', !c in its 'else'");
}

/* Checks values passed along a chain of variables, one step in each iteration. The analysis must
 * follow a chain of any length. A chain that does not decide the loop's exit must not make the loop
 * vary. */
void
t_uniform_rounds(struct unit_ctx *t)
{
	enum { N = 60, UNIFORM = 0, DECIDES, PASSES };

	for (int line = UNIFORM; line <= PASSES; line++) {
		struct fx f;
		struct qd_builder *b = fx_start(&f, t);
		struct qd_var v[N];
		struct qd_val n = qd_param_scalar(b, "n", QD_TYPE_U32);

		for (uint32_t i = 0; i < N; i++)
			v[i] = qd_var(b, n);
		qd_loop(b);
		qd_break_if(b, qd_lt(b, line == PASSES ? n : qd_get(b, v[0]), qd_u32(b, 5)));
		for (uint32_t i = 0; i + 1 < N; i++)
			qd_set(b, v[i], qd_get(b, v[i + 1]));
		qd_set(b, v[N - 1], line ? thread(b) : n);
		qd_subgroup_reduce_add(b, n);
		qd_end(b);
		if (line == DECIDES) {
			breaks_rule(&f,
				    "call 189, qd_subgroup_reduce_add: subgroup.reduce_add() in "
				    "non-uniform control flow is undefined [E0401]\n"
				    "note: call 68: this condition depends on block.thread_idx()\n"
				    "help: let all lanes execute the same iterations, while qd_subgroup_any_true(b, c) with c: the lane has not left; call it on qd_select(b, c, v, x): c holds in the lanes that count, x is 0");
			continue;
		}
		if (fx_finish(&f)) {
			uint8_t *level;
			qd_status st = pass_uniformity_check(&f.p, &f.k->ir, &level);
			UNIT_CHECK(t, !st, "%s", f.err.text);
			for (uint32_t i = 0; i < N && !st; i++)
				UNIT_CHECK(t, level[v[i].id] == (line ? LEVEL_VARYING : LEVEL_BLOCK),
					   "variable %u", i);
		}
		fx_stop(&f);
	}
}

/* Checks nested loops of a constant number of iterations. Each has a variable of its own that the
 * inner loop makes vary. */
void
t_uniform_nest(struct unit_ctx *t)
{
	enum { DEPTH = 40 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_var v[DEPTH], own[DEPTH];

	for (uint32_t d = 0; d < DEPTH; d++) {
		v[d] = qd_var(b, qd_u32(b, 0));
		own[d] = qd_var(b, qd_u32(b, 0));
		qd_loop(b);
		qd_set(b, own[d], thread(b));
		qd_break_if(b, qd_le(b, qd_u32(b, 2), qd_get(b, v[d])));
		qd_set(b, v[d], qd_add(b, qd_get(b, v[d]), qd_u32(b, 1)));
	}
	qd_subgroup_reduce_add(b, thread(b));
	for (uint32_t d = 0; d < DEPTH; d++)
		qd_end(b);
	if (fx_finish(&f))
		UNIT_CHECK(t, !pass_check_kernel(f.k, &f.err), "%s", f.err.text);
	fx_stop(&f);
}

/* Checks that padding threads are inactive only in the body of a grid loop. A jump out of the body,
 * or a variable set in it, makes the threads differ afterwards. */
void
t_uniform_grid(struct unit_ctx *t)
{
	enum { LEAVES_IN, LEAVES_BEHIND, SETS_IN, SETS_BEHIND, SETS_WHOLE, N_CASE };
	static const char *const refused[N_CASE] = {
		[LEAVES_BEHIND] =
			"call 18, qd_subgroup_reduce_add: subgroup.reduce_add() in non-uniform "
			"control flow is undefined [E0401]\n"
			"note: call 10: threads past the end of the grid loop do not take this jump\n"
			"help: instead of the jump, put the rest of the loop body into a qd_if",
		[SETS_BEHIND] =
			"call 19, qd_subgroup_reduce_add: subgroup.reduce_add() in non-uniform "
			"control flow is undefined [E0401]\n"
			"note: call 18: this condition depends on the index of the grid loop\n"
			"help: call it before the qd_if, in all lanes, on qd_select(b, c, v, x): c holds in the lanes that count, x is 0",
	};

	for (int n = 0; n < N_CASE; n++) {
		struct fx f;
		struct qd_builder *b = fx_start(&f, t);
		struct qd_val m = qd_param_scalar(b, "m", QD_TYPE_U32), one = qd_u32(b, 1);
		struct qd_var v = qd_var(b, m);

		qd_scope(b);
		qd_grid(b, qd_u32(b, n == SETS_WHOLE ? 128 : 90));
		if (n <= LEAVES_BEHIND)
			qd_leave_if(b, 2, qd_lt(b, m, one));
		else
			qd_set(b, v, qd_add(b, m, one));
		qd_if(b, qd_lt(b, qd_get(b, v), one));
		if (n == LEAVES_IN || n == SETS_IN)
			qd_subgroup_reduce_add(b, one);
		qd_end(b);
		qd_end(b);
		qd_if(b, n <= LEAVES_BEHIND ? qd_bool(b, true) : qd_lt(b, qd_get(b, v), one));
		if (n == LEAVES_BEHIND || n >= SETS_BEHIND)
			qd_subgroup_reduce_add(b, one);
		qd_end(b);
		qd_end(b);
		if (refused[n]) {
			breaks_rule(&f, refused[n]);
			continue;
		}
		if (fx_finish(&f))
			UNIT_CHECK(t, !pass_check_kernel(f.k, &f.err), "%d: %s", n, f.err.text);
		fx_stop(&f);
	}
}
