/* Templates, specialize, rewrite, partial. Every error is checked with its exact text. */
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
fx_wants(struct fx *f, qd_status got, qd_status want, const char *text)
{
	UNIT_CHECK(f->t, got == want, "status %d, not %d", (int)got, (int)want);
	UNIT_CHECK(f->t, got && strcmp(f->err.text, text) == 0, "text is\n%s", f->err.text);
}

/* Finishes and specializes, which must fail with this status and text. */
static void
fails(struct fx *f, qd_status want, const char *text)
{
	struct ir out;

	if (fx_finish(f))
		fx_wants(f, pass_specialize(&f->p, &f->k->ir, &out), want, text);
	fx_stop(f);
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

/* -- Template values ---------------------------------------------------------------- */

static void
tmpl_values(struct unit_ctx *t)
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

static void
specialize_constants(struct unit_ctx *t)
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
	qd_require(b, qd_eq(b, qd_subgroup_group_size(b), qd_i32(b, 8)), "eight lanes");
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

static void
specialize_tile(struct unit_ctx *t)
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
static void
specialize_tile_not_constant(struct unit_ctx *t)
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

static void
specialize_ballot(struct unit_ctx *t)
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

static void
specialize_lane(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	fx_put(&f, qd_subgroup_shuffle(b, thread(b), qd_add(b, qd_u32(b, 5), qd_u32(b, 3))));
	fails(&f, QD_E_INVALID,
	      "call 7, qd_subgroup_shuffle: lane 8 is outside 0..7: target test:w8 has 8 lanes "
	      "[E0213]");
	b = fx_start(&f, t);
	fx_put(&f, qd_subgroup_broadcast(b, thread(b), qd_i32(b, -1)));
	fails(&f, QD_E_INVALID,
	      "call 5, qd_subgroup_broadcast: lane 4294967295 is outside 0..7: target test:w8 has "
	      "8 lanes [E0213]");
}

/* Checks that code that is dead on a device needs no capability of it. */
static void
specialize_adapts(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val size = qd_subgroup_group_size(b);
	struct ir out;

	qd_if(b, qd_ge(b, size, qd_i32(b, 16)));
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
static void
null_builder(struct unit_ctx *t)
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

static void
specialize_require(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);

	qd_require(b, qd_le(b, qd_subgroup_group_size(b), qd_i32(b, 4)), "group_size <= 4");
	fails(&f, QD_E_TEMPLATE,
	      "call 6, qd_require: requirement not met: group_size <= 4 [E0214]");
	b = fx_start(&f, t);
	qd_require(b, qd_lt(b, thread(b), qd_i32(b, 4)), "x");
	fails(&f, QD_E_INVALID,
	      "call 6, qd_require: a requirement must be constant when the kernel is compiled "
	      "[E0215]");
}

static void
specialize_target(struct unit_ctx *t)
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
		/* 4: limit, thread, comparison, and. 7, for the generic reduction: lane, its bit
		 * cast, the first thread of the subgroup, its mark as uniform, rest of the block,
		 * S, minimum. */
		UNIT_CHECK(t, !pass_dce(&f.p, &a, &a, NULL) && !pass_dce(&f.p, &out, &out, NULL),
			   "%s", f.err.text);
		UNIT_CHECK(t, out.n == a.n + 4 + 7, "%u instructions more", out.n - a.n);
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
		struct qd_val never = qd_lt(b, qd_i32(b, 64), qd_subgroup_group_size(b));
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
	{ "pass.tmpl_values", tmpl_values },
	{ "pass.specialize_constants", specialize_constants },
	{ "pass.specialize_tile", specialize_tile },
	{ "pass.specialize_tile_not_constant", specialize_tile_not_constant },
	{ "pass.specialize_ballot", specialize_ballot },
	{ "pass.specialize_lane", specialize_lane },
	{ "pass.specialize_require", specialize_require },
	{ "pass.specialize_adapts", specialize_adapts },
	{ "pass.null_builder", null_builder },
	{ "pass.specialize_target", specialize_target },
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
	{ "pass.hoist_exact", t_hoist_exact },
	{ "pass.hoist_faults", t_hoist_faults },
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
