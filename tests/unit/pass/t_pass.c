/* The fixture of the passes; rewriting, padding threads and dead code; the table of units. */
#include "t_pass.h"

extern const struct unit units_pass[];
extern const unsigned n_units_pass;

/* -- A kernel and a test target ------------------------------------------------ */

static bool
native_all(const struct machine *m, const struct query *q)
{
	(void)m, (void)q;
	return true;
}

struct qd_builder *
fx_start(struct fx *f, struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };

	memset(f, 0, sizeof *f);
	f->t = t;
	f->m = (struct machine){ .name = "test:w8",
				 .subgroup_size = 8,
				 .log2_size = 3,
				 .lanes = 8,
				 .log2_lanes = 3,
				 .caps = CAP_I64 | CAP_F64 | CAP_STORE8 | CAP_STORE16,
				 .max_block_dim = 1024,
				 .native = native_all };
	UNIT_CHECK(t, !qd_context_create(&desc, &f->ctx, &f->err), "%s", f->err.text);
	arena_init(&f->mem, &f->ctx->pool);
	UNIT_CHECK(t, !qd_builder_create(f->ctx, "k", &f->b, &f->err), "%s", f->err.text);
	f->src = qd_param_buffer(f->b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	f->dst = qd_param_buffer(f->b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	return f->b;
}

bool
fx_finish(struct fx *f)
{
	qd_status st = build_finish(f->b, &f->k, &f->err);

	UNIT_CHECK(f->t, !st, "%s", f->err.text);
	if (!st)
		pass_ctx_init(&f->p, f->k, &f->m, &f->mem, &f->err);
	return !st;
}

bool
fx_right(struct fx *f, struct ir *ir)
{
	struct qd_error err;

	return !ir_verify_body(f->k, ir, f->p.mems, f->p.n_mems, STAGE_FOLDED, &err);
}

qd_status
fx_fold(struct fx *f, const struct ir *in, struct ir *out)
{
	qd_status st = pass_specialize(&f->p, in, out);

	return st ? st : pass_dce(&f->p, out, out, NULL);
}

void
fx_stop(struct fx *f)
{
	qd_kernel_free(f->k);
	arena_fini(&f->mem);
	qd_context_free(f->ctx);
}

bool
fx_rewrites(struct unit_ctx *t, const struct fx_row *r, fx_pass *pass, bool must)
{
	const char *want = r->after ? r->after : r->before, *got = NULL;
	struct qd_kernel *k = NULL;
	struct buf text, out;
	struct ir in, to;
	bool same = false;
	struct fx f;

	fx_start(&f, t);
	buf_init(&text, &f.ctx->pool);
	buf_init(&out, &f.ctx->pool);
	buf_printf(&text, "kernel \"k\"\nblock 64 1 1\n"
			  "param \"a\" in u32[]\nparam \"b\" out u32[]\n"
			  "param \"c\" u32[]\n{\n%s}\n",
		   r->before);
	UNIT_CHECK(t, !ir_read(f.ctx, buf_data(&text), text.len, "t", &k, &f.err), "%s: %s",
		   r->name, f.err.text);
	if (k) {
		pass_ctx_init(&f.p, k, &f.m, &f.mem, &f.err);
		if (!pass_specialize(&f.p, &k->ir, &in) && !pass(&f, &in, &to) &&
		    !pass_dce(&f.p, &to, &to, NULL)) {
			ir_print(&out, k, &to);
			buf_put(&out, "", 1);
			got = strstr(buf_data(&out), "{\n") + 2;
			same = strncmp(got, want, strlen(want)) == 0 &&
			       strcmp(got + strlen(want), "}\n") == 0;
		}
	}
	UNIT_CHECK(t, same || !must, "%s: is\n%s", r->name, got ? got : f.err.text);
	qd_kernel_free(k);
	buf_fini(&text);
	buf_fini(&out);
	qd_builder_free(f.b);
	fx_stop(&f);
	return same;
}

void
fx_exact(struct unit_ctx *t, const struct fx_row *rows, size_t n, fx_pass *pass)
{
	for (size_t i = 0; i < n; i++)
		fx_rewrites(t, &rows[i], pass, true);
}

bool
fx_fails(struct unit_ctx *t, const struct fx_row *rows, size_t n, fx_pass *pass)
{
	bool fails = false;

	for (size_t i = 0; i < n && !fails; i++)
		fails = !fx_rewrites(t, &rows[i], pass, false);
	return fails;
}

void
fx_wants(struct fx *f, qd_status got, qd_status want, const char *text)
{
	UNIT_CHECK(f->t, got == want, "status %d, not %d", (int)got, (int)want);
	UNIT_CHECK(f->t, got && strcmp(f->err.text, text) == 0, "text is\n%s", f->err.text);
}

uint32_t
fx_count(const struct ir *ir, enum op op)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < ir->n; i++)
		n += ir->ins[i].op == op;
	return n;
}

uint32_t
fx_find(const struct ir *ir, enum op op, uint32_t nth)
{
	for (uint32_t i = 1; i < ir->n; i++)
		if (ir->ins[i].op == op && nth-- == 0)
			return i;
	return 0;
}

bool
fx_is_const(const struct ir *ir, uint32_t v, qd_type type, uint64_t bits)
{
	const struct ins *s = &ir->ins[v];

	return s->op == OP_CONST && s->type == type && const_bits(s) == bits;
}

void
fx_put(struct fx *f, struct qd_val v)
{
	struct qd_val bits = qd_cast(f->b, QD_TYPE_F32, v);

	qd_store(f->b, f->dst, thread(f->b), bits);
}

void
fx_keep_first(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	      struct qd_val *out, uint32_t k)
{
	(void)b, (void)user, (void)y;
	for (uint32_t i = 0; i < k; i++)
		out[i] = x[i];
}

/* -- Rewrite ------------------------------------------------------------------------------ */

static uint32_t
u32(struct rw *w, uint32_t v)
{
	return rw_const(w, QD_TYPE_U32, v);
}

static void
rewrite_partners(struct unit_ctx *t)
{
	struct fx f;
	struct ir out;
	struct rw w;

	fx_start(&f, t);
	if (!fx_finish(&f) || rw_begin(&w, &f.p, &f.k->ir, &out)) {
		fx_stop(&f);
		return;
	}
	uint32_t yes = rw_const(&w, QD_TYPE_BOOL, 1), eleven = u32(&w, 11);
	UNIT_CHECK(t, u32(&w, 11) == eleven && rw_const(&w, QD_TYPE_I32, 11) != eleven,
		   "constants are shared by type and bits");
	uint32_t block = rw_open(&w, OP_BLOCK, 0), inner = rw_open(&w, OP_LOOP, 0);
	rw_open(&w, OP_IF, yes);
	uint32_t inside = u32(&w, 12);
	UNIT_CHECK(t, u32(&w, 12) == inside, "an inner constant is reused in its block");
	rw_op(&w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
	UNIT_CHECK(t, u32(&w, 11) == eleven, "an outer constant is reused in inner blocks");
	UNIT_CHECK(t, u32(&w, 12) != inside, "an inner constant is reused outside its block");
	rw_break(&w, block, 0);
	rw_close(&w);
	rw_break(&w, inner, yes);
	rw_close(&w);
	UNIT_CHECK(t, u32(&w, 12) != inside, "an inner constant is reused outside its loop");
	rw_close(&w);
	uint32_t far = fx_find(&out, OP_BREAK, 0), near = fx_find(&out, OP_BREAK, 1);
	UNIT_CHECK(t, out.ins[far].b == 2 && out.ins[far].x == block, "two levels");
	UNIT_CHECK(t, out.ins[near].b == 1 && out.ins[near].x == inner, "one level");
	UNIT_CHECK(t,
		   rw_bitcast(&w, QD_TYPE_F32, eleven) &&
			   rw_bitcast(&w, QD_TYPE_U32, eleven) == eleven,
		   "bit casts");
	uint32_t narrow = rw_cvt(&w, QD_TYPE_I32, rw_const(&w, QD_TYPE_F32, 0x40200000)); /* 2.5 */
	UNIT_CHECK(t, fx_is_const(&out, narrow, QD_TYPE_I32, 2), "a constant is converted at once");
	UNIT_CHECK(t, !rw_end(&w), "%s", f.err.text);
	uint32_t loop = fx_find(&out, OP_LOOP, 0), cond = fx_find(&out, OP_IF, 0);
	uint32_t other = fx_find(&out, OP_ELSE, 0);
	UNIT_CHECK(t, out.ins[cond].x == other && out.ins[out.ins[other].x].x == cond, "if");
	UNIT_CHECK(t, out.ins[out.ins[loop].x].x == loop, "loop");
	UNIT_CHECK(t, fx_right(&f, &out), "not well formed");
	out.ins[cond].a = cond + 1;
	UNIT_CHECK(t, !fx_right(&f, &out), "an operand that is used too early");
	fx_stop(&f);
}

/* -- Partial --------------------------------------------------------------------------------- */

static void
partial_identities(struct unit_ctx *t)
{
	static const struct {
		qd_type type;
		uint64_t add, min, max, last;
	} want[] = {
		{ QD_TYPE_I32, 0, 0x7fffffff, 0x80000000, 0x7fffffff },
		{ QD_TYPE_U32, 0, 0xffffffff, 0, 0xffffffff },
		{ QD_TYPE_I64, 0, INT64_MAX, UINT64_C(1) << 63, INT64_MAX },
		{ QD_TYPE_U64, 0, UINT64_MAX, 0, UINT64_MAX },
		{ QD_TYPE_F32, 0x80000000, 0x7fc00000, 0x7fc00000, 0x7fffffff },
		{ QD_TYPE_F64, UINT64_C(1) << 63, UINT64_C(0x7ff8) << 48, UINT64_C(0x7ff8) << 48,
		  INT64_MAX },
	};
	const uint32_t n_types = QD_COUNT(want);
	struct qd_val pair[2];
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir a, out;

	qd_block(b, 12, 1, 1);
	for (uint32_t i = 0; i < QD_COUNT(want); i++) {
		struct qd_val v = qd_cast(b, want[i].type, thread(b));
		fx_put(&f, qd_subgroup_reduce_add(b, v));
		fx_put(&f, qd_subgroup_reduce_min(b, v));
		fx_put(&f, qd_subgroup_reduce_max(b, v));
		qd_subgroup_bitonic_sort_kv(b, v, qd_cast(b, want[(i + 1) % n_types].type, thread(b)), pair);
		fx_put(&f, pair[0]);
		fx_put(&f, pair[1]);
	}
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &a)) {
		UNIT_CHECK(t, f.p.padded_block, "12 is not a multiple of 8");
		UNIT_CHECK(t, !pass_mask_padding(&f.p, &a, &out) && fx_right(&f, &out), "%s",
			   f.err.text);
		uint32_t ordinary = fx_find(&out, OP_LT, 0);
		UNIT_CHECK(t, fx_is_const(&out, out.ins[ordinary].b, QD_TYPE_U32, 12), "the limit");
		for (uint32_t i = 0; i < 3 * QD_COUNT(want); i++) {
			enum op op = i % 3 == 0	  ? OP_REDUCE_ADD
				     : i % 3 == 1 ? OP_REDUCE_MIN
						  : OP_REDUCE_MAX;
			uint64_t bits = i % 3 == 0   ? want[i / 3].add
					: i % 3 == 1 ? want[i / 3].min
						     : want[i / 3].max;
			const struct ins *s = &out.ins[out.ins[fx_find(&out, op, i / 3)].a];
			UNIT_CHECK(t,
				   s->op == OP_SELECT && s->a == ordinary &&
					   fx_is_const(&out, s->c, want[i / 3].type, bits),
				   "%s %s", op_info[op].text, type_info[want[i / 3].type].name);
		}
		/* The key, and a value of another type. */
		for (uint32_t i = 0; i < 2 * n_types; i++) {
			const struct ins *s = &out.ins[fx_find(&out, OP_BITONIC_SORT_KV, i / 2)];
			uint32_t of = (i / 2 + i % 2) % n_types;

			s = &out.ins[s->arg[i % 2]];
			UNIT_CHECK(t,
				   s->op == OP_SELECT && s->a == ordinary &&
					   fx_is_const(&out, s->c, want[of].type, want[of].last),
				   "%s of a sort, %s", i % 2 ? "value" : "key", type_info[want[of].type].name);
		}
	}
	fx_stop(&f);
}

static void
partial_effects(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir a, out;
	struct qd_val v, r;

	qd_block(b, 12, 1, 1);
	qd_assume_in_bounds(b, "test");
	v = qd_load(b, f.src, thread(b));
	fx_put(&f, qd_subgroup_ballot_first_n(b, v, 8));
	fx_put(&f, qd_subgroup_inclusive_add(b, v));
	qd_subgroup_reduce(b, &v, &r, 1, QD_FULL, fx_keep_first, NULL);
	fx_put(&f, r);
	qd_subgroup_inclusive_scan(b, &v, &r, 1, QD_FULL, fx_keep_first, NULL);
	fx_put(&f, r);
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &a)) {
		UNIT_CHECK(t, !pass_mask_padding(&f.p, &a, &out) && fx_right(&f, &out), "%s",
			   f.err.text);
		uint32_t ordinary = fx_find(&out, OP_LT, 0);
		for (uint32_t i = 0; i < 4; i++)
			UNIT_CHECK(t, out.ins[fx_find(&out, OP_STORE, i)].c == ordinary, "store %u",
				   i);
		UNIT_CHECK(t, out.ins[fx_find(&out, OP_LOAD, 0)].c == ordinary, "unguarded load");
		const struct ins *both = &out.ins[out.ins[fx_find(&out, OP_BALLOT_FIRST_N, 0)].a];
		UNIT_CHECK(t, both->op == OP_AND && both->b == ordinary, "ballot");
		UNIT_CHECK(t, out.ins[fx_find(&out, OP_REDUCE, 0)].d, "reduce");
		UNIT_CHECK(t, !out.ins[fx_find(&out, OP_INCLUSIVE_SCAN, 0)].d, "scan");
		UNIT_CHECK(t, out.ins[out.ins[fx_find(&out, OP_INCLUSIVE_ADD, 0)].a].op == OP_LOAD,
			   "a scan's operand is unchanged");
		/* 4: limit, thread, comparison, and. 5, for the generic reduction: lane, the
		 * first thread of the subgroup, its mark as uniform, rest of the block,
		 * S, minimum. */
		UNIT_CHECK(t, !pass_dce(&f.p, &a, &a, NULL) && !pass_dce(&f.p, &out, &out, NULL),
			   "%s", f.err.text);
		UNIT_CHECK(t, out.n == a.n + 4 + 5, "%u instructions more", out.n - a.n);
	}
	fx_stop(&f);
}

/* Checks a block whose only exit is dead and which ends in a jump to an outer construct. The code
 * after the block must be removed with it, for one such block and for two nested ones. */
static void
dce_after_dead(struct unit_ctx *t)
{
	for (uint32_t deep = 1; deep <= 2; deep++) {
		struct fx f;
		struct qd_builder *b = fx_start(&f, t);
		struct qd_val never = qd_lt(b, qd_u32(b, 64), qd_subgroup_group_size(b));
		struct ir a, out;

		qd_scope(b);
		for (uint32_t i = 0; i < deep; i++)
			qd_scope(b);
		for (uint32_t i = 0; i < deep; i++)
			qd_leave_if(b, i + 1, never);
		fx_put(&f, qd_i32(b, 1));
		qd_leave(b, deep + 1);
		for (uint32_t i = 0; i < deep; i++) {
			qd_end(b);
			fx_put(&f, qd_i32(b, 2));
		}
		qd_end(b);
		fx_put(&f, qd_i32(b, 3));
		if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &a)) {
			UNIT_CHECK(t, !pass_dce(&f.p, &a, &out, NULL) && fx_right(&f, &out), "%s",
				   f.err.text);
			UNIT_CHECK(t, fx_count(&out, OP_STORE) == 2 && fx_count(&out, OP_BLOCK) == 1,
				   "%u stores, %u blocks", fx_count(&out, OP_STORE),
				   fx_count(&out, OP_BLOCK));
		}
		fx_stop(&f);
	}
}

/* Checks a grid loop over 64-bit indices with a reduction, on a target without 64-bit integers. The
 * first index of the subgroup is then marked uniform as two words. */
static void
mark_words(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val i = qd_grid(b, qd_i64(b, 135));
	struct qd_image *image = NULL;

	qd_store(b, f.dst, i, qd_subgroup_reduce_add(b, qd_cast(b, QD_TYPE_F32, i)));
	qd_end(b);
	if (fx_finish(&f) &&
	    !qd_compile(f.ctx, f.k, "spirv:w4:-i64:-f64", NULL, 0, &image, &f.err)) {
		size_t size = 0;
		const uint32_t *w = qd_image_data(image, &size);

		/* OpCapability Int64 */
		for (size_t n = 5; n + 1 < size / 4; n += w[n] >> 16)
			UNIT_CHECK(t, w[n] != (2 << 16 | 17) || w[n + 1] != 11, "word %zu", n);
	}
	UNIT_CHECK(t, image, "%s", f.err.text);
	qd_image_free(image);
	fx_stop(&f);
}

const struct unit units_pass[] = {
	{ "pass.tmpl_values", t_tmpl_values },
	{ "pass.specialize_constants", t_specialize_constants },
	{ "pass.specialize_tile", t_specialize_tile },
	{ "pass.specialize_tile_not_constant", t_specialize_tile_not_constant },
	{ "pass.specialize_ballot", t_specialize_ballot },
	{ "pass.specialize_lane", t_specialize_lane },
	{ "pass.specialize_require", t_specialize_require },
	{ "pass.specialize_adapts", t_specialize_adapts },
	{ "pass.null_builder", t_null_builder },
	{ "pass.specialize_target", t_specialize_target },
	{ "pass.rewrite_partners", rewrite_partners },
	{ "pass.partial_identities", partial_identities },
	{ "pass.partial_effects", partial_effects },
	{ "pass.dce_after_dead", dce_after_dead },
	{ "pass.mark_words", mark_words },
	{ "pass.fold_identities", t_fold_identities },
	{ "pass.fold_floats", t_fold_floats },
	{ "pass.fold_branches", t_fold_branches },
	{ "pass.fold_memory_and_locals", t_fold_memory_and_locals },
	{ "pass.fold_regions", t_fold_regions },
	{ "pass.uniform_levels", t_uniform_levels },
	{ "pass.uniform_variables", t_uniform_variables },
	{ "pass.uniform_errors", t_uniform_errors },
	{ "pass.uniform_tile", t_uniform_tile },
	{ "pass.uniform_position", t_uniform_position },
	{ "pass.uniform_rounds", t_uniform_rounds },
	{ "pass.uniform_nest", t_uniform_nest },
	{ "pass.uniform_grid", t_uniform_grid },
	{ "pass.values_exact", t_values_exact },
	{ "pass.values_faults", t_values_faults },
	{ "pass.values_deep", t_values_deep },
	{ "pass.values_interpreter", t_values_interpreter },
	{ "pass.fact_guards", t_fact_guards },
	{ "pass.range_exact", t_range_exact },
	{ "pass.neighbors_exact", t_neighbors_exact },
	{ "pass.number_exact", t_number_exact },
	{ "pass.number_collisions", t_number_collisions },
	{ "pass.number_repeats", t_number_repeats },
	{ "pass.hoist_exact", t_hoist_exact },
	{ "pass.hoist_faults", t_hoist_faults },
	{ "pass.flatten_exact", t_flatten_exact },
	{ "pass.flatten_faults", t_flatten_faults },
	{ "pass.schedule_exact", t_schedule_exact },
	{ "pass.schedule_faults", t_schedule_faults },
	{ "pass.unroll_exact", t_unroll_exact },
	{ "pass.unroll_faults", t_unroll_faults },
	{ "pass.unroll_growth", t_unroll_growth },
	{ "pass.quirk_atomics", t_quirk_atomics },
	{ "pass.quirk_sign", t_quirk_sign },
	{ "pass.sim_fold", t_sim_fold },
	{ "pass.sim_partial", t_sim_partial },
	{ "pass.sim_run", t_sim_run },
	{ "pass.sim_levels", t_sim_levels },
	{ "pass.sim_nomem", t_sim_nomem },
};
const unsigned n_units_pass = QD_COUNT(units_pass);
