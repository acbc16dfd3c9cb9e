/* Folding: identities, dead branches, dead values, and code that must remain. */
#include "t_pass.h"

/* Checks the stored values after folding of identities. */
void
t_fold_identities(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val x = thread(b), zero = qd_u32(b, 0), one = qd_u32(b, 1), ones = qd_u32(b, UINT32_MAX);
	struct qd_val c = qd_lt(b, x, one), yes = qd_bool(b, true), no = qd_bool(b, false);
	struct ir out;

#define SAME(v) qd_store(b, a, zero, v)
	SAME(qd_add(b, x, zero));
	SAME(qd_add(b, zero, x));
	SAME(qd_sub(b, x, zero));
	SAME(qd_mul(b, x, one));
	SAME(qd_mul(b, one, x));
	SAME(qd_div(b, x, one));
	SAME(qd_and(b, x, ones));
	SAME(qd_or(b, zero, x));
	SAME(qd_xor(b, x, zero));
	SAME(qd_and(b, x, x));
	SAME(qd_min(b, x, x));
	SAME(qd_shl(b, x, zero));
	SAME(qd_shr(b, x, qd_u32(b, 32))); /* counts are modulo the width */
	SAME(qd_not(b, qd_not(b, x)));
	SAME(qd_select(b, yes, x, zero));
	SAME(qd_select(b, no, zero, x));
	SAME(qd_select(b, c, x, x));
	SAME(qd_bitcast(b, QD_TYPE_U32, qd_bitcast(b, QD_TYPE_F32, x)));
	SAME(qd_cast(b, QD_TYPE_U32, x));
	SAME(qd_subgroup_reduce_add_tiled(b, x, 0));
	SAME(qd_select(b, qd_and(b, c, no), zero, x));
	SAME(qd_select(b, qd_eq(b, x, x), x, zero));
	SAME(qd_select(b, qd_lt(b, x, x), zero, x));
#undef SAME
	uint32_t n_same = 23;
	qd_store(b, a, zero, qd_mul(b, x, zero));
	qd_store(b, a, zero, qd_sub(b, x, x));
	qd_store(b, a, zero, qd_xor(b, x, x));
	qd_store(b, a, zero, qd_rem(b, x, one));
	qd_store(b, a, zero, qd_and(b, zero, x));
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &out) && fx_right(&f, &out), "%s", f.err.text);
		uint32_t tid = fx_find(&out, OP_THREAD_IDX, 0), s;
		for (uint32_t i = 0; (s = fx_find(&out, OP_STORE, i)) != 0; i++) {
			uint32_t v = out.ins[s].b;
			UNIT_CHECK(t, i < n_same ? v == tid : fx_is_const(&out, v, QD_TYPE_U32, 0),
				   "store %u holds %s", i, op_info[out.ins[v].op].text);
		}
		/* thread, 0, the stores */
		UNIT_CHECK(t, out.n == 1 + 2 + n_same + 5, "%u instructions", out.n);
	}
	fx_stop(&f);
}

/* Checks that sums with zero and products with one remain, because only then do floats keep every
 * bit. */
void
t_fold_floats(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val x = qd_load(b, f.src, thread(b));
	struct ir out;

	fx_put(&f, qd_add(b, x, qd_f32(b, 0)));
	fx_put(&f, qd_mul(b, x, qd_f32(b, 1)));
	fx_put(&f, qd_sub(b, x, x));
	fx_put(&f, qd_select(b, qd_eq(b, x, x), x, qd_f32(b, 2)));
	fx_put(&f, qd_min(b, x, x));
	if (fx_finish(&f) && !fx_fold(&f, &f.k->ir, &out))
		UNIT_CHECK(t,
			   fx_count(&out, OP_ADD) && fx_count(&out, OP_MUL) &&
				   fx_count(&out, OP_SUB) && fx_count(&out, OP_EQ) &&
				   fx_count(&out, OP_MIN),
			   "a float operation is gone");
	fx_stop(&f);
}

void
t_fold_branches(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val yes = qd_bool(b, true), no = qd_bool(b, false), x = thread(b);
	struct qd_val c = qd_lt(b, x, qd_u32(b, 3));
	struct ir out;

	qd_if(b, yes);
	fx_put(&f, qd_u32(b, 1));
	qd_else(b);
	fx_put(&f, qd_u32(b, 2));
	qd_end(b);
	qd_if(b, no);
	fx_put(&f, qd_u32(b, 3));
	qd_end(b);
	qd_if(b, no);
	fx_put(&f, qd_u32(b, 4));
	qd_else(b);
	fx_put(&f, qd_u32(b, 5));
	qd_end(b);
	qd_if(b, c); /* both branches are dead */
	qd_add(b, x, x);
	qd_else(b);
	qd_subgroup_elect(b);
	qd_end(b);
	qd_if(b, c);
	fx_put(&f, qd_u32(b, 6));
	qd_else(b); /* an else that is removed */
	qd_mul(b, x, x);
	qd_end(b);
	qd_loop(b);
	fx_put(&f, qd_u32(b, 7));
	qd_if(b, yes);
	qd_break_if(b, yes);
	fx_put(&f, qd_u32(b, 8));
	qd_end(b);
	fx_put(&f, qd_u32(b, 9));
	qd_loop(b);
	qd_if(b, c);
	qd_break(b);
	qd_end(b);
	qd_end(b);
	qd_end(b);
	if (fx_finish(&f)) {
		static const float want[] = { 1, 5, 6, 7 };
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &out) && fx_right(&f, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_STORE) == QD_COUNT(want), "%u stores",
			   fx_count(&out, OP_STORE));
		for (uint32_t i = 0; i < QD_COUNT(want); i++) {
			uint32_t bits, s = fx_find(&out, OP_STORE, i);
			memcpy(&bits, &want[i], sizeof bits);
			UNIT_CHECK(t, fx_is_const(&out, out.ins[s].b, QD_TYPE_F32, bits),
				   "store %u", i);
		}
		UNIT_CHECK(t,
			   fx_count(&out, OP_IF) == 1 && !fx_count(&out, OP_ELSE) &&
				   fx_count(&out, OP_LOOP) == 1 && fx_count(&out, OP_BREAK) == 1,
			   "control flow remains");
		uint32_t cond = fx_find(&out, OP_IF, 0);
		UNIT_CHECK(t, out.ins[out.ins[cond].x].op == OP_END, "the partner of the if");
	}
	fx_stop(&f);
}

void
t_fold_memory_and_locals(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir in, out;
	struct qd_val no = qd_bool(b, false), yes = qd_bool(b, true), x = thread(b), y;
	struct qd_var unread = qd_var(b, x), used = qd_var(b, x);

	qd_set(b, unread, qd_add(b, x, x));
	qd_load(b, f.src, x);
	qd_subgroup_reduce_add(b, x);
	qd_loop(b);
	y = qd_get(b, used);
	qd_break_if(b, qd_lt(b, qd_u32(b, 9), y));
	qd_set(b, used, qd_add(b, y, thread(b)));
	qd_end(b);
	struct qd_val load[3] = { qd_load(b, f.src, x), qd_load_else(b, f.src, x, qd_f32(b, 7)),
				  qd_load(b, f.src, x) };
	for (uint32_t i = 0; i < 3; i++)
		fx_put(&f, load[i]);
	fx_put(&f, qd_len(b, f.src));
	fx_put(&f, qd_len(b, f.src));
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		/* Predicates, which builder calls do not produce. */
		in.ins[fx_find(&in, OP_LOAD, 1)].c = no.id;
		in.ins[fx_find(&in, OP_LOAD, 2)].c = no.id;
		in.ins[fx_find(&in, OP_LOAD, 3)].c = yes.id;
		in.ins[fx_find(&in, OP_STORE, 3)].c = no.id;
		in.ins[fx_find(&in, OP_STORE, 4)].c = yes.id;
		UNIT_CHECK(t, in.ins[no.id].op == OP_CONST && in.ins[yes.id].op == OP_CONST,
			   "specialize numbers the first constants differently");
		UNIT_CHECK(t, !fx_fold(&f, &in, &out) && fx_right(&f, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_VAR) == 1 && fx_count(&out, OP_SET) == 1, "locals");
		UNIT_CHECK(t, !fx_count(&out, OP_REDUCE_ADD), "an unused reduction");
		UNIT_CHECK(t, fx_count(&out, OP_LOAD) == 1, "%u loads", fx_count(&out, OP_LOAD));
		UNIT_CHECK(t, !out.ins[fx_find(&out, OP_LOAD, 0)].c,
			   "a predicate that always holds");
		UNIT_CHECK(t, fx_count(&out, OP_STORE) == 4, "%u stores", fx_count(&out, OP_STORE));
		static const float want[] = { 0, 7 };
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t bits;
			memcpy(&bits, &want[i], sizeof bits);
			UNIT_CHECK(t,
				   fx_is_const(&out, out.ins[fx_find(&out, OP_STORE, i)].b,
					       QD_TYPE_F32, bits),
				   "load %u", i);
		}
		UNIT_CHECK(t, !out.ins[fx_find(&out, OP_STORE, 3)].c, "the last store's predicate");
		UNIT_CHECK(t, fx_count(&out, OP_LEN) == 1 && fx_count(&out, OP_THREAD_IDX) == 1,
			   "a leaf is not found again");
	}
	fx_stop(&f);
}

static void
add_five(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	 struct qd_val *out, uint32_t k)
{
	(void)user;
	for (uint32_t i = 0; i < k; i++)
		out[i] = qd_add(b, qd_add(b, x[i], y[i]), qd_u32(b, 5));
}

/* Checks that a region keeps its arguments first, its results last and its own constants
 * (ir_check). An unused region must be removed with its operation. */
void
t_fold_regions(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val v[2] = { thread(b), qd_u32(b, 5) }, r[2];
	struct ir out;

	qd_subgroup_reduce(b, v, r, 2, QD_FULL, fx_keep_first, NULL);
	qd_subgroup_inclusive_scan(b, v, r, 2, QD_FULL, add_five, NULL);
	fx_put(&f, r[1]);
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &out) && fx_right(&f, &out), "%s", f.err.text);
		uint32_t region = fx_find(&out, OP_REGION, 0), end = out.ins[region].x;
		UNIT_CHECK(t,
			   fx_count(&out, OP_REGION) == 1 && fx_count(&out, OP_REDUCE) == 0 &&
				   fx_count(&out, OP_INCLUSIVE_SCAN) == 1 &&
				   fx_count(&out, OP_RESULT) == 1 && fx_count(&out, OP_PACK) == 2,
			   "dead generic operations");
		for (uint32_t i = 1; i <= 4; i++)
			UNIT_CHECK(t, out.ins[region + i].op == OP_ARG, "argument %u", i);
		UNIT_CHECK(t, out.ins[end - 1].op == OP_YIELD && out.ins[end - 2].op == OP_YIELD,
			   "results are not last");
	}
	fx_stop(&f);
}
