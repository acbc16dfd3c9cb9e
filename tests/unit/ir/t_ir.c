/* IR: printing and reading back, keys, argument layout, limits; and builders that run out of memory
 * at each allocation. */
#define QD_NO_DEPRECATED_WARNINGS
#include <stdio.h>
#include <stdlib.h>

#include "ir.h"
#include "unit.h"

static struct qd_context *
open_context(struct unit_ctx *t, struct unit_alloc *a)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error err = { 0 };

	if (a)
		desc.allocator = unit_alloc_hooks(a);
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &err) == QD_OK, "%s", err.text);
	return ctx;
}

static void
swap_op(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_add(b, x[0], qd_mul(b, y[0], qd_i32(b, 2)));
	out[1] = qd_select(b, qd_lt(b, x[1], y[1]), x[1], y[1]);
}

/* Builds a kernel that contains every kind of construct. */
static qd_status
everything(struct qd_context *ctx, const char *name, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_builder *b;
	struct qd_array src, dst, half;
	struct qd_val i, n, v, pair[2], res[2];
	struct qd_var var;
	uint32_t tmpl;
	qd_status st = qd_builder_create(ctx, name, &b, err);

	if (st)
		return st;
	qd_block(b, 16, 2, 3);
	qd_subgroup_sizes(b, (const uint32_t[]){ 32, 8, 64 }, 3);
	qd_assume_uniform(b, "a \"reason\" with \\ and \n in it");
	src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	n = qd_param_scalar(b, "n", QD_TYPE_I64);
	dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	half = qd_param_buffer(b, "half", QD_TYPE_F16, QD_ACCESS_INOUT);
	tmpl = qd_template(b, "L", -1, 3);
	qd_require(b, qd_lt(b, qd_template_value(b, tmpl), qd_i32(b, 4)), "L is below 4");
	i = qd_grid(b, qd_add(b, qd_mul(b, n, qd_i64(b, 2)), qd_i64(b, -3)));
	v = qd_load_else(b, src, i, qd_const_bits(b, QD_TYPE_F32, 0x7fc00001));
	var = qd_var(b, v);
	qd_if(b, qd_isnan(b, v));
	qd_set(b, var, qd_neg(b, v));
	qd_else(b);
	qd_loop(b);
	qd_break_if(b, qd_ge(b, qd_get(b, var), qd_f32(b, 10)));
	qd_set(b, var, qd_fma(b, qd_get(b, var), qd_f32(b, 2), qd_f32(b, 1)));
	qd_if(b, qd_bool(b, false));
	qd_continue(b);
	qd_end(b);
	qd_if(b, qd_isinf(b, qd_get(b, var)));
	qd_break(b);
	qd_end(b);
	qd_end(b);
	qd_end(b);
	pair[0] = qd_cast(b, QD_TYPE_I32, i);
	pair[1] = qd_get(b, var);
	qd_subgroup_reduce(b, pair, res, 2, QD_FULL, swap_op, NULL);
	qd_subgroup_inclusive_scan(b, res, pair, 2, 1, swap_op, NULL);
	v = qd_subgroup_shuffle(b, pair[1], qd_floormod(b, pair[0], qd_i32(b, 7)));
	v = qd_add(b, v, qd_subgroup_broadcast(b, v, qd_u32(b, 0)));
	v = qd_max(b, v, qd_cast(b, QD_TYPE_F32, qd_subgroup_ballot_first_n(b, v, 9)));
	v = qd_sub(b, v, qd_subgroup_inclusive_add_tiled(b, v, 2));
	qd_store(b, dst, i, v);
	qd_store(b, half, qd_block_thread_idx_axis(b, 1),
		 qd_cast(b, QD_TYPE_F32, qd_popcount(b, qd_block_idx(b))));
	return qd_builder_finish(b, out, err);
}

static char *
text_of(struct unit_ctx *t, const struct qd_kernel *k)
{
	size_t len = 0;
	char *s;

	UNIT_CHECK(t, qd_kernel_print(k, NULL, 0, &len, NULL) == QD_OK, "measuring fails");
	s = calloc(1, len + 1);
	if (s)
		UNIT_CHECK(t, qd_kernel_print(k, s, len + 1, &len, NULL) == QD_OK, "print fails");
	return s;
}

/* Fails if the printed form loses a part of the kernel. */
static void
round_trip(struct unit_ctx *t)
{
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *k = NULL, *again = NULL;
	struct qd_error err = { 0 };
	char *a, *b;

	UNIT_CHECK(t, everything(ctx, "every \"thing\"", &k, &err) == QD_OK, "%s", err.text);
	a = text_of(t, k);
	UNIT_CHECK(t, qd_kernel_read(ctx, a, strlen(a), "a", &again, &err) == QD_OK, "%s\n%s",
		   err.text, a);
	if (again) {
		b = text_of(t, again);
		UNIT_CHECK(t, strcmp(a, b) == 0, "%s\nread back prints\n%s", a, b);
		UNIT_CHECK(t, again->key_size == k->key_size &&
				      memcmp(again->key, k->key, k->key_size) == 0,
			   "read back is another kernel");
		free(b);
	}
	free(a);
	qd_kernel_free(k);
	qd_kernel_free(again);
	qd_context_free(ctx);
}

/* Fails if a damaged text crashes the reader, or creates a kernel that cannot be printed and read
 * again. */
static void
damaged_text(struct unit_ctx *t)
{
	static const char alphabet[] = "%0123456789 \n\"_$;:{}=ifloadconstxu32f64.@!-\\";
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *k = NULL;
	struct unit_rng rng = { 42 };
	struct qd_error err = { 0 };
	unsigned accepted = 0;
	char *text, *s;
	size_t len;

	UNIT_CHECK(t, everything(ctx, "k", &k, &err) == QD_OK, "%s", err.text);
	text = text_of(t, k);
	len = strlen(text);
	s = malloc(len + 1);
	for (int round = 0; round < 4000 && s; round++) {
		struct qd_kernel *r = NULL;
		size_t n = len;

		memcpy(s, text, len + 1);
		for (uint64_t i = unit_random(&rng) % 4; i > 0; i--) {
			uint64_t at = unit_random(&rng) % len;
			s[at] = alphabet[unit_random(&rng) % (sizeof alphabet - 1)];
		}
		if (round % 4 == 0)
			n = unit_random(&rng) % len;
		if (qd_kernel_read(ctx, s, n, "d", &r, &err) == QD_OK) {
			char *once = text_of(t, r);
			struct qd_kernel *twice = NULL;

			accepted++;
			UNIT_CHECK(t, qd_kernel_read(ctx, once, strlen(once), "d", &twice, &err) ==
					      QD_OK, "round %d: %s", round, err.text);
			qd_kernel_free(twice);
			free(once);
		} else {
			UNIT_CHECK(t, err.text[0] != 0, "an error without a text");
		}
		qd_kernel_free(r);
	}
	UNIT_CHECK(t, accepted > 100, "only %u texts were accepted", accepted);
	free(s);
	free(text);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

/* Fails if two different kernels have the same key, or if a key depends on anything but the
 * code. */
static void
keys(struct unit_ctx *t)
{
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *a = NULL, *b = NULL, *c = NULL;
	struct qd_error err = { 0 };

	UNIT_CHECK(t, !everything(ctx, "k", &a, &err) && !everything(ctx, "k", &b, &err) &&
			      !everything(ctx, "l", &c, &err), "%s", err.text);
	UNIT_CHECK(t,
		   a->key_size == b->key_size && !memcmp(a->key, b->key, a->key_size) &&
			   a->hash.lo == b->hash.lo && a->hash.hi == b->hash.hi,
		   "the same calls have two keys");
	UNIT_CHECK(t, a->hash.lo != c->hash.lo, "another name has the same key");
	qd_kernel_free(a);
	qd_kernel_free(b);
	qd_kernel_free(c);
	qd_context_free(ctx);
}

/* Fails if the argument block is not in order and naturally aligned. */
static void
argument_block(struct unit_ctx *t)
{
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_error err = { 0 };
	const uint32_t want[] = { 0, 8, 24, 32, 40 };

	qd_builder_create(ctx, "k", &b, &err);
	qd_param_scalar(b, "a", QD_TYPE_I32);
	qd_param_buffer(b, "b", QD_TYPE_U8, QD_ACCESS_IN);
	qd_param_scalar(b, "c", QD_TYPE_F32);
	qd_param_scalar(b, "d", QD_TYPE_F64);
	qd_param_scalar(b, "e", QD_TYPE_U32);
	UNIT_CHECK(t, qd_builder_finish(b, &k, &err) == QD_OK, "%s", err.text);
	for (uint32_t i = 0; i < 5; i++)
		UNIT_CHECK(t, k->params[i].offset == want[i], "parameter %u at %u, expected %u", i,
			   k->params[i].offset, want[i]);
	UNIT_CHECK(t, k->tail == 44 && k->args_size == 64, "tail %u, size %u", k->tail,
		   k->args_size);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

/* Fails if a failed allocation crashes, leaks, or is not reported. */
static void
out_of_memory(struct unit_ctx *t)
{
	bool done = false;

	for (size_t at = 2; !done && at < 200; at++) {
		struct unit_alloc a;
		struct qd_context *ctx;
		struct qd_kernel *k = NULL;
		struct qd_error err = { 0 };
		qd_status st;

		unit_alloc_init(&a);
		ctx = open_context(t, &a);
		a.fail_at = a.n_calls + at - 1;
		a.fail_on = true;
		st = everything(ctx, "k", &k, &err);
		done = st == QD_OK;
		UNIT_CHECK(t, done || (st == QD_E_NOMEM && !k), "allocation %zu: %s", at,
			   err.text);
		a.fail_at = 0;
		a.fail_on = false;
		qd_kernel_free(k);
		qd_context_free(ctx);
		UNIT_CHECK(t, a.n_out == 0, "allocation %zu: %zu blocks are lost", at, a.n_out);
		unit_alloc_fini(&a);
	}
	UNIT_CHECK(t, done, "never enough memory");
}

static void
long_op(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	struct qd_val v = qd_mul(b, x[0], y[0]);

	(void)user;
	(void)k;
	for (int i = 0; i < 3000; i++)
		v = qd_xor(b, qd_add(b, v, x[0]), y[0]);
	out[0] = v;
}

/* Fails if a small text that expands without bound exhausts memory instead of being rejected. */
static void
expansion_limit(struct unit_ctx *t)
{
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i, v;
	struct qd_error err = { 0 };
	qd_status st;

	qd_builder_create(ctx, "k", &b, &err);
	a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	i = qd_grid(b, qd_len(b, a));
	v = qd_load(b, a, i);
	for (int n = 0; n < 300; n++)
		qd_subgroup_reduce(b, &v, &v, 1, QD_FULL, long_op, NULL);
	qd_store(b, a, i, v);
	UNIT_CHECK(t, qd_builder_finish(b, &k, &err) == QD_OK, "%s", err.text);
	st = qd_compile(ctx, k, "spirv:w128", NULL, 0, &image, &err);
	UNIT_CHECK(t, st == QD_E_LIMIT &&
			      strstr(err.text, "qd_subgroup_reduce: more than 8388608 "
					       "instructions [E0332]\n"
					       "help: expansions of operations are counted too"), "%s", err.text);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

static struct qd_kernel *
fences(struct unit_ctx *t, struct qd_context *ctx, bool old)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i, bits;
	struct qd_error err = { 0 };

	UNIT_CHECK(t, qd_builder_create(ctx, "k", &b, &err) == QD_OK, "%s", err.text);
	a = qd_param_buffer(b, "a", QD_TYPE_U64, QD_ACCESS_INOUT);
	i = qd_block_thread_idx(b);
	(old ? qd_subgroup_barrier : qd_subgroup_sync)(b);
	(old ? qd_subgroup_memory_barrier : qd_subgroup_mem_fence)(b, QD_ORDER_ACQUIRE);
	(old ? qd_block_mem_sync : qd_block_mem_fence)(b, QD_ORDER_RELEASE);
	(old ? qd_grid_memfence : qd_grid_mem_fence)(b, QD_SCOPE_SYSTEM, QD_ORDER_ACQ_REL);
	bits = (old ? qd_subgroup_ballot_full_subgroup : qd_subgroup_ballot)(b, i);
	qd_store(b, a, i, bits);
	UNIT_CHECK(t, qd_builder_finish(b, &k, &err) == QD_OK, "%s", err.text);
	return k;
}

/* Fails if a deprecated alias creates a different kernel than the new name. */
static void
old_names(struct unit_ctx *t)
{
	struct qd_context *ctx = open_context(t, NULL);
	struct qd_kernel *now = fences(t, ctx, false), *before = fences(t, ctx, true);
	char *a = text_of(t, now), *b = text_of(t, before);

	UNIT_CHECK(t, a && b && strcmp(a, b) == 0, "now\n%s\nbefore\n%s", a, b);
	free(a);
	free(b);
	qd_kernel_free(now);
	qd_kernel_free(before);
	qd_context_free(ctx);
}

const struct unit units_ir[] = {
	{ "round_trip", round_trip }, { "damaged_text", damaged_text },
	{ "keys", keys },	      { "argument_block", argument_block },
	{ "out_of_memory", out_of_memory },
	{ "expansion_limit", expansion_limit },
	{ "old_names", old_names },
};
const unsigned n_units_ir = QD_COUNT(units_ir);
