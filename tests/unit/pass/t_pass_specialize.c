/* Template values and specialization. Every error is checked with its exact text. */
#include "t_pass.h"

/* Finishes and specializes, which must fail with this status and text. */
static void
fails(struct fx *f, qd_status want, const char *text)
{
	struct ir out;

	if (fx_finish(f))
		fx_wants(f, pass_specialize(&f->p, &f->k->ir, &out), want, text);
	fx_stop(f);
}

/* -- Template values ---------------------------------------------------------------- */

void
t_tmpl_values(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	static const struct qd_tmpl good[] = { { "M", -3, 0 }, { "L", 6, 0 } },
				    twice[] = { { "L", 1, 0 }, { "L", 1, 0 } },
				    unknown[] = { { "N", 1, 0 } }, out[] = { { "L", 7, 0 } },
				    low[] = { { "L", INT64_MIN, 0 } },
				    type[] = { { "L", 0, QD_TYPE_F32 } };

	qd_template(b, "L", 0, 6);
	qd_template(b, "M", -3, 3);
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !pass_set_tmpl(&f.p, good, 2), "%s", f.err.text);
		UNIT_CHECK(t, f.p.tmpl[0] == 6 && f.p.tmpl[1] == -3, "%d %d", f.p.tmpl[0],
			   f.p.tmpl[1]);
		fx_wants(&f, pass_set_tmpl(&f.p, good, 1), QD_E_TEMPLATE,
			 "kernel 'k': template parameter 'L' has no value; it takes 0..=6 "
			 "[E0201]");
		fx_wants(&f, pass_set_tmpl(&f.p, unknown, 1), QD_E_TEMPLATE,
			 "kernel 'k' has no template parameter 'N' [E0202]");
		fx_wants(&f, pass_set_tmpl(&f.p, out, 1), QD_E_TEMPLATE,
			 "kernel 'k': L = 7 is outside its range 0..=6 [E0203]");
		fx_wants(&f, pass_set_tmpl(&f.p, low, 1), QD_E_TEMPLATE,
			 "kernel 'k': L = -9223372036854775808 is outside its range 0..=6 "
			 "[E0203]");
		fx_wants(&f, pass_set_tmpl(&f.p, type, 1), QD_E_TEMPLATE,
			 "kernel 'k': template parameter 'L' is an integer, not a type [E0204]");
		fx_wants(&f, pass_set_tmpl(&f.p, twice, 2), QD_E_TEMPLATE,
			 "kernel 'k': template parameter 'L' is given twice [E0206]");
	}
	fx_stop(&f);
}

/* -- Specialize ------------------------------------------------------------------------ */

void
t_specialize_constants(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	uint32_t L = qd_template(b, "L", 0, 6);
	struct ir out;

	qd_block(b, 20, 1, 1);
	fx_put(&f, qd_template_value(b, L));
	fx_put(&f, qd_subgroup_group_size(b));
	fx_put(&f, qd_subgroup_log2_group_size(b));
	fx_put(&f, qd_block_dim(b));
	fx_put(&f, qd_subgroup_count(b));
	fx_put(&f, qd_subgroup_reduce_add(b, thread(b)));
	fx_put(&f, qd_subgroup_reduce_add_tiled(b, thread(b), L));
	qd_require(b, qd_eq(b, qd_subgroup_group_size(b), qd_u32(b, 8)), "eight lanes");
	if (fx_finish(&f)) {
		f.p.tmpl[0] = 2;
		UNIT_CHECK(t, !pass_specialize(&f.p, &f.k->ir, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_right(&f, &out), "not well formed");
		static const float want[] = { 2, 8, 3, 20, 3 };
		for (uint32_t i = 0; i < QD_COUNT(want); i++) {
			uint32_t bits, s = fx_find(&out, OP_STORE, i);
			memcpy(&bits, &want[i], sizeof bits);
			UNIT_CHECK(t, fx_is_const(&out, out.ins[s].b, QD_TYPE_F32, bits),
				   "store %u does not contain %g", i, (double)want[i]);
		}
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t k = out.ins[fx_find(&out, OP_REDUCE_ADD, i)].b;
			UNIT_CHECK(t, i ? fx_is_const(&out, k, QD_TYPE_I32, 2) : !k, "K of %u", i);
		}
		UNIT_CHECK(t, !fx_count(&out, OP_REQUIRE), "a requirement remains");
	}
	fx_stop(&f);
}

void
t_specialize_tile(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	qd_template(b, "L", -1, 6);
	fx_put(&f, qd_subgroup_reduce_min_tiled(b, thread(b), 0x80000000u));
	if (fx_finish(&f)) {
		struct ir out;
		f.p.tmpl[0] = 6;
		fx_wants(&f, pass_specialize(&f.p, &f.k->ir, &out), QD_E_TEMPLATE,
			 "call 5, qd_subgroup_reduce_min_tiled: log2_size 6 needs 64 lanes but "
			 "target test:w8 has 8 [E0210]\n"
			 "note: call 3: L = 6 comes from this template range (instantiated for test:w8)");
		f.p.tmpl[0] = -1;
		fx_wants(&f, pass_specialize(&f.p, &f.k->ir, &out), QD_E_INVALID,
			 "call 5, qd_subgroup_reduce_min_tiled: log2_size -1 is outside 0..=7 "
			 "[E0211]\nnote: call 3: L = -1 comes from this template range "
			 "(instantiated for test:w8)\nhelp: it is a logarithm: 5 for tiles of 32 "
			 "lanes");
		f.p.tmpl[0] = 3;
		UNIT_CHECK(t, !pass_specialize(&f.p, &f.k->ir, &out), "%s", f.err.text);
	}
	fx_stop(&f);

	b = fx_start(&f, t);
	fx_put(&f, qd_subgroup_inclusive_add_tiled(b, thread(b), 4));
	fails(&f, QD_E_TEMPLATE,
	      "call 4, qd_subgroup_inclusive_add_tiled: log2_size 4 needs 16 lanes but target "
	      "test:w8 has 8 [E0210]");
}

/* Checks the error for a tile size that is not constant, although the verifier reports it
 * first. */
void
t_specialize_tile_not_constant(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir out;

	fx_put(&f, qd_subgroup_reduce_add_tiled(b, thread(b), 2));
	if (fx_finish(&f)) {
		struct ins *s = &f.k->ir.ins[fx_find(&f.k->ir, OP_REDUCE_ADD, 0)];
		s->b = s->a;
		fx_wants(&f, pass_specialize(&f.p, &f.k->ir, &out), QD_E_INVALID,
			 "call 4, qd_subgroup_reduce_add_tiled: log2_size must be a constant or "
			 "a template parameter [E0216]");
	}
	fx_stop(&f);
}

void
t_specialize_ballot(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir out;
	uint32_t n = qd_template(b, "n", 0, 40);

	fx_put(&f, qd_subgroup_ballot_first_n(b, thread(b), n));
	if (fx_finish(&f)) {
		for (int32_t v = 0; v <= 33; v += 33) {
			char text[200];
			f.p.tmpl[0] = v;
			snprintf(text, sizeof text,
				 "call 5, qd_subgroup_ballot_first_n: n = %d is outside 1..=32 "
				 "[E0212]\nnote: call 3: n = %d comes from this template "
				 "range (instantiated for test:w8)",
				 v, v);
			fx_wants(&f, pass_specialize(&f.p, &f.k->ir, &out), QD_E_INVALID, text);
		}
		f.p.tmpl[0] = 32;
		UNIT_CHECK(t, !pass_specialize(&f.p, &f.k->ir, &out), "%s", f.err.text);
	}
	fx_stop(&f);
}

void
t_specialize_lane(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	fx_put(&f, qd_subgroup_shuffle(b, thread(b), qd_add(b, qd_u32(b, 5), qd_u32(b, 3))));
	fails(&f, QD_E_INVALID,
	      "call 7, qd_subgroup_shuffle: lane 8 is outside 0..7: target test:w8 has 8 lanes "
	      "[E0213]");
	b = fx_start(&f, t);
	fx_put(&f, qd_subgroup_broadcast(b, thread(b), qd_u32(b, UINT32_MAX)));
	fails(&f, QD_E_INVALID,
	      "call 5, qd_subgroup_broadcast: lane 4294967295 is outside 0..7: target test:w8 has "
	      "8 lanes [E0213]");
}

/* Checks that code that is dead on a device needs no capability of it. */
void
t_specialize_adapts(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val size = qd_subgroup_group_size(b);
	struct ir out;

	qd_if(b, qd_ge(b, size, qd_u32(b, 16)));
	fx_put(&f, qd_subgroup_shuffle(b, thread(b), qd_u32(b, 12)));
	fx_put(&f, qd_subgroup_reduce_add_tiled(b, thread(b), 4));
	qd_else(b);
	fx_put(&f, qd_subgroup_shuffle(b, thread(b), qd_u32(b, 3)));
	qd_end(b);
	/* The whole subgroup, with a computed log2_size. */
	fx_put(&f, qd_subgroup_reduce_add_tiled(
			   b, thread(b), qd_template_arg(b, qd_subgroup_log2_group_size(b))));
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &out) && fx_right(&f, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_SHUFFLE) == 1 && !fx_count(&out, OP_IF),
			   "the other branch remains");
		uint32_t k = out.ins[fx_find(&out, OP_REDUCE_ADD, 0)].b;
		UNIT_CHECK(t, fx_is_const(&out, k, QD_TYPE_I32, 3), "log2_size");
	}
	fx_stop(&f);
}

/* Checks that calls without a builder return no value and set the thread's last error. */
void
t_null_builder(struct unit_ctx *t)
{
	struct qd_val none = { 0 };

	qd_if(NULL, none);
	UNIT_CHECK(t, !qd_add(NULL, none, none).id && !qd_block_thread_idx_axis(NULL, 1).id &&
			      !qd_len(NULL, (struct qd_array){ 1 }).id, "a value");
	qd_assume_uniform(NULL, "x");
	qd_block(NULL, 1, 1, 1);
	UNIT_CHECK(t, strcmp(qd_last_error()->text, "qd_block: builder is NULL") == 0, "%s",
		   qd_last_error()->text);
}

void
t_specialize_require(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	qd_require(b, qd_le(b, qd_subgroup_group_size(b), qd_u32(b, 4)), "group_size <= 4");
	fails(&f, QD_E_TEMPLATE,
	      "call 6, qd_require: requirement not met: group_size <= 4 [E0214]");
	b = fx_start(&f, t);
	qd_require(b, qd_lt(b, thread(b), qd_u32(b, 4)), "x");
	fails(&f, QD_E_INVALID,
	      "call 6, qd_require: a requirement must be constant when the kernel is compiled "
	      "[E0215]");
}

void
t_specialize_target(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	f.m.caps &= ~(uint32_t)CAP_F64;
	struct qd_val x = qd_f64(b, 1);
	fx_put(&f, qd_add(b, x, x));
	fails(&f, QD_E_TARGET,
	      "call 3, qd_f64: target test:w8 has no 64-bit floats, which const needs [E0501]");

	b = fx_start(&f, t);
	f.m.caps &= ~(uint32_t)CAP_F64;
	qd_param_buffer(b, "big", QD_TYPE_F64, QD_ACCESS_IN);
	fails(&f, QD_E_TARGET,
	      "kernel 'k': target test:w8 has no 64-bit floats, which parameter 'big' needs "
	      "[E0501]");

	static const struct {
		qd_type type;
		uint32_t cap;
		const char *what;
	} small[] = { { QD_TYPE_U8, CAP_STORE8, "8-bit" },
		      { QD_TYPE_BF16, CAP_STORE16, "16-bit" } };
	for (uint32_t i = 0; i < 2; i++) {
		char text[160];
		b = fx_start(&f, t);
		f.m.caps &= ~small[i].cap;
		struct qd_array a = qd_param_buffer(b, "a", small[i].type, QD_ACCESS_INOUT);
		fx_put(&f, qd_load(b, a, qd_u32(b, 0)));
		snprintf(text, sizeof text,
			 "call 5, qd_load: target test:w8 has no %s storage, which parameter 'a' "
			 "needs [E0501]",
			 small[i].what);
		fails(&f, QD_E_TARGET, text);
	}

	b = fx_start(&f, t);
	qd_block(b, 1025, 1, 1);
	fails(&f, QD_E_LIMIT,
	      "call 3, qd_block: block of 1025 threads, but target test:w8 runs 1024 at most; use a smaller block [E0503]");
	b = fx_start(&f, t);
	f.m.max_block_dim = 30;
	qd_block(b, 30, 1, 1);
	fails(&f, QD_E_LIMIT,
	      "call 3, qd_block: block of 30 threads, but target test:w8 runs 24 at most; use a smaller block [E0503]");
}
