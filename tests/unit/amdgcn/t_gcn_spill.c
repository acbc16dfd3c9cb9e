/* Values in scratch, and scalar values in lanes. A kernel with many live values and variables, divergent
 * branches, loops and scans must have the results of the same computation on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "gen_emit.h"
#include "jit.h"

extern const struct isa isa_amdgcn;
extern const struct unit units_gcn_spill[];
extern const unsigned n_units_gcn_spill;

enum { MOST = 600, BLOCK = 1024, WORDS = BLOCK + MOST };

/* Kernels: n variables in loops; n values that are loaded before the first is used, of 64 bits if wide. */
static const struct shape {
	uint32_t n;
	bool loops, wide, patterns;
} shapes[] = { { .n = 93 }, { .n = 400 }, { .n = 150, .wide = true }, { .n = 110, .loops = true }, { .n = 300, .loops = true } };
/* More values than the offsets of scratch instructions reach. */
static const struct shape far_shape = { .n = MOST, .wide = true };
/* Sums with the value of another lane, which inactive lanes must compute too. */
static const struct shape pattern_shape = { .n = 12, .patterns = true };

static qd_status
make(struct qd_context *ctx, const struct shape *s, struct qd_kernel **k, struct qd_error *e)
{
	static struct qd_val v[MOST];
	static struct qd_var x[MOST];
	struct qd_array in, out;
	struct qd_builder *b;
	struct qd_val i, sum;

	if (qd_builder_create(ctx, "spill", &b, e))
		return e->code;
	in = qd_param_buffer(b, "in", s->wide ? QD_TYPE_U64 : QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", s->wide ? QD_TYPE_U64 : QD_TYPE_U32, QD_ACCESS_OUT);
	qd_block(b, BLOCK, 1, 1);
	i = qd_block_thread_idx(b);
	for (uint32_t j = 0; j < s->n; j++)
		v[j] = qd_load(b, in, qd_add(b, i, qd_u32(b, j)));
	sum = v[0];
	if (s->patterns) {
		struct qd_val w[MOST];
		struct qd_var x0 = qd_var(b, sum);
		for (uint32_t j = 0; j < s->n; j++)
			w[j] = qd_add(b, v[j], qd_subgroup_shuffle_xor(b, v[j], qd_u32(b, 1)));
		qd_if(b, qd_eq(b, qd_and(b, i, qd_u32(b, 1)), qd_u32(b, 0)));
		for (uint32_t j = 0; j < s->n; j++)
			qd_set(b, x0, qd_add(b, qd_mul(b, qd_get(b, x0), qd_u32(b, 7)), w[j]));
		qd_end(b);
		sum = qd_get(b, x0);
	}
	if (s->loops) {
		struct qd_var round = qd_var(b, qd_u32(b, 0));
		for (uint32_t j = 0; j < s->n; j++)
			x[j] = qd_var(b, v[j]);
		qd_loop(b);
		struct qd_val r = qd_get(b, round);
		qd_break_if(b, qd_ge(b, r, qd_and(b, i, qd_u32(b, 3))));
		for (uint32_t j = 0; j < s->n; j++) {
			struct qd_val old = qd_get(b, x[j]);
			qd_set(b, x[j], qd_add(b, qd_mul(b, old, qd_u32(b, 5)), qd_get(b, x[(j + 1) % s->n])));
			if (j % 7)
				continue;
			qd_if(b, qd_eq(b, qd_and(b, old, qd_u32(b, 1)), qd_u32(b, 0)));
			qd_set(b, x[j], qd_xor(b, qd_get(b, x[j]), r));
			qd_end(b);
		}
		qd_set(b, round, qd_add(b, r, qd_u32(b, 1)));
		qd_end(b);
		for (uint32_t j = 0; j < s->n; j++)
			v[j] = j % 50 ? qd_get(b, x[j]) : qd_subgroup_inclusive_add(b, qd_get(b, x[j]));
		sum = v[0];
	}
	/* All values are read again in reverse order, so they live at once. */
	for (uint32_t j = s->n; j-- > 1;)
		sum = qd_add(b, qd_mul(b, sum, s->wide ? qd_u64(b, 3) : qd_u32(b, 3)), v[j]);
	for (uint32_t j = 1; j < s->n; j++)
		sum = qd_xor(b, sum, v[j]);
	qd_store(b, out, i, sum);
	return qd_builder_finish(b, k, e);
}

/* Computes the results. */
static void
expect(const struct shape *s, uint32_t wave, const void *in, uint64_t *out)
{
	static uint32_t x[BLOCK][MOST];
	const uint32_t *words = in;
	const uint64_t *wide = in;

	for (uint32_t i = 0; i < BLOCK; i++) {
		for (uint32_t j = 0; j < s->n && !s->wide; j++)
			x[i][j] = words[i + j];
		for (uint32_t r = 0; s->loops && r < (i & 3); r++)
			for (uint32_t j = 0; j < s->n; j++) {
				uint32_t old = x[i][j];
				x[i][j] = old * 5 + x[i][(j + 1) % s->n];
				if (j % 7 == 0 && !(old & 1))
					x[i][j] ^= r;
			}
	}
	for (uint32_t i = 0; s->loops && i < BLOCK; i++)
		for (uint32_t j = 0; i % wave && j < s->n; j += 50)
			x[i][j] += x[i - 1][j];
	for (uint32_t i = 0; i < BLOCK; i++) {
		uint64_t sum = s->wide ? wide[i] : x[i][0];
		for (uint32_t j = 0; s->patterns && i % 2 == 0 && j < s->n; j++)
			sum = sum * 7 + x[i][j] + x[i + 1][j];
		for (uint32_t j = s->n; j-- > 1;)
			sum = sum * 3 + (s->wide ? wide[i + j] : x[i][j]);
		for (uint32_t j = 1; j < s->n; j++)
			sum ^= s->wide ? wide[i + j] : x[i][j];
		out[i] = s->wide ? sum : (uint32_t)sum;
	}
}

/* -- Scalar values ---------------------------------------------------------------------------- */

enum { SCALARS = 120, SCALAR_BLOCK = 64, SCALAR_GRID = 2 };

/* Builds a kernel of many uniform values, conditions and a variable of each kind, all of them live at once. */
static qd_status
make_scalars(struct qd_context *ctx, struct qd_kernel **k, struct qd_error *e)
{
	struct qd_val i, t, sum, u[SCALARS], m[SCALARS];
	struct qd_array out;
	struct qd_builder *b;
	struct qd_var any, count;

	if (qd_builder_create(ctx, "scalars", &b, e))
		return e->code;
	qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
	qd_block(b, SCALAR_BLOCK, 1, 1);
	i = qd_bitcast(b, QD_TYPE_U32, qd_block_idx(b));
	t = qd_block_thread_idx(b);
	count = qd_var(b, qd_u32(b, 5));
	any = qd_var(b, qd_eq(b, t, qd_u32(b, 9)));
	for (uint32_t j = 0; j < SCALARS; j++) {
		u[j] = qd_mul(b, i, qd_u32(b, 2 * j + 3));
		m[j] = qd_lt(b, qd_mul(b, t, qd_u32(b, 2 * j + 1)), qd_u32(b, 40 * j + 7));
	}
	qd_set(b, count, qd_add(b, qd_get(b, count), i));
	qd_if(b, qd_lt(b, t, qd_u32(b, 17)));
	qd_set(b, any, m[40]);
	qd_end(b);
	sum = t;
	for (uint32_t j = SCALARS; j-- > 0;)
		sum = qd_add(b, qd_mul(b, sum, qd_u32(b, 3)), qd_select(b, m[j], qd_add(b, u[j], qd_u32(b, j)), qd_u32(b, 1)));
	for (uint32_t j = 0; j < SCALARS; j++)
		sum = qd_xor(b, qd_add(b, sum, u[j]), qd_select(b, m[j], qd_u32(b, j), qd_u32(b, 0)));
	sum = qd_add(b, sum, qd_select(b, qd_get(b, any), qd_get(b, count), qd_u32(b, 1)));
	qd_store(b, out, qd_add(b, qd_mul(b, i, qd_u32(b, SCALAR_BLOCK)), t), sum);
	return qd_builder_finish(b, k, e);
}

static void
expect_scalars(uint64_t *out)
{
	for (uint32_t n = 0; n < SCALAR_GRID * SCALAR_BLOCK; n++) {
		uint32_t i = n / SCALAR_BLOCK, t = n % SCALAR_BLOCK, sum = t, m;
		for (uint32_t j = SCALARS; j-- > 0;) {
			m = t * (2 * j + 1) < 40 * j + 7;
			sum = sum * 3 + (m ? i * (2 * j + 3) + j : 1);
		}
		for (uint32_t j = 0; j < SCALARS; j++) {
			m = t * (2 * j + 1) < 40 * j + 7;
			sum = (sum + i * (2 * j + 3)) ^ (m ? j : 0);
		}
		m = t < 17 ? t * 81 < 1607 : t == 9;
		out[n] = sum + (m ? 5 + i : 1);
	}
}

/* -- Launches --------------------------------------------------------------------------------- */

/* s: NULL for the scalar kernel. Returns the bytes of scratch, or 0 after an error. */
static uint32_t
run_shape(struct unit_ctx *t, const char *name, const struct gcn_target *g, const struct shape *s, const uint64_t *data)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	static uint64_t got[BLOCK], want[BLOCK];
	struct qd_function_info info = { 0 };
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_stream *stream = NULL;
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_error e = { 0 };
	char device[40];
	qd_status st;

	snprintf(device, sizeof device, "emu:%s:w%u", name, g->wave);
	st = qd_context_create(&desc, &ctx, &e);
	st = st ? st : qd_device_open(ctx, device, &dev, &e);
	st = st ? st : qd_stream_create(dev, &stream, &e);
	st = st ? st : qd_buffer_create(dev, WORDS * sizeof *data, 0, &in, &e);
	st = st ? st : qd_buffer_create(dev, BLOCK * sizeof *data, 0, &out, &e);
	st = st ? st : qd_buffer_upload(stream, in, 0, data, WORDS * sizeof *data, &e);
	st = st ? st : s ? make(ctx, s, &k, &e) : make_scalars(ctx, &k, &e);
	st = st ? st : qd_function_get(dev, k, NULL, 0, &fn, &e);
	if (!st) {
		struct qd_arg args[] = { qd_arg_buffer(in), qd_arg_buffer(out) };
		bool wide = s && s->wide;
		uint32_t n_wrong = 0, n = s ? BLOCK : SCALAR_GRID * SCALAR_BLOCK;
		qd_function_info(fn, &info, &e);
		st = qd_launch(stream, fn, s ? 1 : SCALAR_GRID, args, 2, &e);
		st = st ? st : qd_buffer_download(stream, out, 0, got, n * (wide ? 8 : 4), &e);
		if (s)
			expect(s, g->wave, data, want);
		else
			expect_scalars(want);
		for (uint32_t i = 0; !st && i < n; i++)
			n_wrong += (wide ? got[i] : ((const uint32_t *)(const void *)got)[i]) != (wide ? want[i] : (uint32_t)want[i]);
		UNIT_CHECK(t, !n_wrong, "%s, %u values: %u wrong", device, s ? s->n : SCALARS, n_wrong);
	}
	UNIT_CHECK(t, !st, "%s, %u values: %s", device, s ? s->n : SCALARS, e.text);
	qd_function_free(fn);
	qd_kernel_free(k);
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_stream_free(stream);
	qd_device_close(dev);
	qd_context_free(ctx);
	return st ? 0 : info.local_size;
}

/* With QD_TEST_SOME, a run has one shape on each target, otherwise two or three. Each generation has
 * several targets. */
static void
values(struct unit_ctx *t)
{
	uint32_t step = getenv("QD_TEST_SOME") ? QD_COUNT(shapes) : 3;
	static uint64_t data[WORDS];
	struct unit_rng rng = { 17 };
	uint32_t n_ran = 0, n_spilled = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		data[i] = unit_random(&rng);
	for (uint32_t i = 0; isa_amdgcn.all(i / 2); i++) {
		const char *name = isa_amdgcn.all(i / 2);
		const struct gcn_target *g = gcn_target_find(name, i % 2 ? 64 : 32);
		if (!g)
			continue;
		for (uint32_t j = i % step; j < QD_COUNT(shapes); j += step) {
			n_spilled += run_shape(t, name, g, &shapes[j], data) > 0;
			n_ran++;
		}
	}
	UNIT_CHECK(t, n_ran > 30 && n_spilled > n_ran / 2, "%u ran, %u spilled", n_ran, n_spilled);
}

static void
far(struct unit_ctx *t)
{
	static const char *const names[] = { "gfx906", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201" };
	static uint64_t data[WORDS];
	struct unit_rng rng = { 19 };

	for (uint32_t i = 0; i < WORDS; i++)
		data[i] = unit_random(&rng);
	for (uint32_t i = 0; i < QD_COUNT(names); i += getenv("QD_TEST_SOME") ? 2 : 1) {
		uint32_t size = run_shape(t, names[i], gcn_target_find(names[i], 0), &far_shape, data);
		UNIT_CHECK(t, size > 4096, "%s: %u bytes", names[i], size);
	}
}

static void
patterns(struct unit_ctx *t)
{
	static const char *const names[] = { "gfx906", "gfx1030", "gfx1100" };
	static uint64_t data[WORDS];
	struct unit_rng rng = { 23 };

	for (uint32_t i = 0; i < WORDS; i++)
		data[i] = unit_random(&rng);
	for (uint32_t i = 0; i < QD_COUNT(names); i++)
		run_shape(t, names[i], gcn_target_find(names[i], 0), &pattern_shape, data);
}

static void
scalars(struct unit_ctx *t)
{
	static uint64_t data[WORDS];

	for (uint32_t i = 0; isa_amdgcn.all(i / 2); i++) {
		const char *name = isa_amdgcn.all(i / 2);
		const struct gcn_target *g = gcn_target_find(name, i % 2 ? 64 : 32);
		if (g)
			run_shape(t, name, g, NULL, data);
	}
}

/* -- Remarks -------------------------------------------------------------------------------------- */

struct remarks {
	uint32_t n;
	char last[400];
};

static void
keep_message(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct remarks *r = user;

	(void)level, (void)component;
	r->n++;
	snprintf(r->last, sizeof r->last, "%.*s", (int)len, msg);
}

/* Detects a kernel that spills without a remark, or a remark with another number of bytes. */
static void
remark(struct unit_ctx *t)
{
	static const struct shape few = { .n = 20 };
	struct remarks r = { 0 };
	struct qd_context_desc desc = { .version = QD_VERSION, .log = keep_message, .log_user = &r };
	struct qd_context *ctx = NULL;
	struct qd_error e;
	char want[400];

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e), "%s", e.text);
	for (uint32_t i = 0; ctx && i < 2; i++) {
		const struct shape *s = i ? &shapes[0] : &few;
		struct qd_kernel *k = NULL;
		struct qd_image *image = NULL;

		UNIT_CHECK(t, !make(ctx, s, &k, &e) && !qd_compile(ctx, k, "gfx1030", NULL, 0, &image, &e), "%s", e.text);
		snprintf(want, sizeof want,
			 "remark: the vector registers of gfx1030 do not suffice for kernel 'spill': %u bytes of each thread are in "
			 "private memory; use fewer values at once or a smaller block",
			 image ? image->meta.scratch_size : 0);
		UNIT_CHECK(t, r.n == i && (!i || (image->meta.scratch_size >= 4 * (93 - 64) && strstr(r.last, want))),
			   "%u messages: '%s', not '%s'", r.n, r.last, want);
		qd_image_free(image);
		qd_kernel_free(k);
	}
	qd_context_free(ctx);
}

/* -- Bytes of scratch ------------------------------------------------------------------------------ */

enum { PHASE = 100, GFX1030_VGPRS = 64 };

/* Builds two phases of PHASE values each. No value of the first one is read in the second. */
static void
put_phases(struct qd_builder *b, struct qd_array in, struct qd_array out, struct qd_val i)
{
	struct qd_val v[PHASE], sum = i;

	for (uint32_t n = 0; n < 2; n++) {
		for (uint32_t j = 0; j < PHASE; j++)
			v[j] = qd_load(b, in, qd_add(b, sum, qd_u32(b, j)));
		for (uint32_t j = PHASE; j-- > 0;)
			sum = qd_add(b, qd_mul(b, sum, qd_u32(b, 3)), v[j]);
		for (uint32_t j = 0; j < PHASE; j++)
			sum = qd_xor(b, sum, qd_mul(b, v[j], sum));
	}
	qd_store(b, out, i, sum);
}

/* Builds loads and stores at PHASE addresses, each of which one instruction computes from the thread's index. */
static void
put_addresses(struct qd_builder *b, struct qd_array in, struct qd_array out, struct qd_val i)
{
	struct qd_val at[PHASE], sum = i;

	for (uint32_t j = 0; j < PHASE; j++) {
		at[j] = qd_xor(b, i, qd_u32(b, 1024 * j + 77));
		sum = qd_add(b, qd_mul(b, sum, qd_u32(b, 3)), qd_load(b, in, at[j]));
	}
	for (uint32_t j = 0; j < PHASE; j++)
		qd_store(b, out, at[j], sum);
}

/* Detects slots that are not shared, and addresses that are stored instead of computed again. */
static void
bytes(struct unit_ctx *t)
{
	static void (*const parts[])(struct qd_builder *, struct qd_array, struct qd_array, struct qd_val) = { put_phases, put_addresses };
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error e;

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e), "%s", e.text);
	for (uint32_t n = 0; ctx && n < QD_COUNT(parts); n++) {
		struct qd_kernel *k = NULL;
		struct qd_image *image = NULL;
		struct qd_builder *b;

		if (qd_builder_create(ctx, "bytes", &b, &e))
			break;
		struct qd_array in = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
		struct qd_array out = qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
		qd_block(b, BLOCK, 1, 1);
		parts[n](b, in, out, qd_block_thread_idx(b));
		UNIT_CHECK(t, !qd_builder_finish(b, &k, &e) && !qd_compile(ctx, k, "gfx1030", NULL, 0, &image, &e), "%s", e.text);
		uint32_t size = image ? image->meta.scratch_size : 0;
		UNIT_CHECK(t, n ? !size : size >= 4 * (PHASE - GFX1030_VGPRS) && size < 4 * (PHASE - GFX1030_VGPRS + 20), "%u: %u bytes", n, size);
		qd_image_free(image);
		qd_kernel_free(k);
	}
	qd_context_free(ctx);
}

const struct unit units_gcn_spill[] = { { "gcn_spill.bytes", bytes }, { "gcn_spill.remark", remark }, { "gcn_spill.values", values }, { "gcn_spill.far", far }, { "gcn_spill.patterns", patterns },
					{ "gcn_spill.scalars", scalars } };
const unsigned n_units_gcn_spill = QD_COUNT(units_gcn_spill);
