/* Runs the rows of a table. Builds a kernel per (row, type, block size) and launches a
 * block per data pattern. Compares the results of all variants in all lanes except padding
 * threads, and checks the guard words around the results. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

const uint16_t blocks_all[] = { 1, 7, 37, 64, 160, 37 | BLOCK_SHORT, 64 | BLOCK_SHORT,
				64 | BLOCK_LEN, 160 | BLOCK_LEN, 0 };
/* Sizes above the device's max_block_dim are omitted. */
const uint16_t blocks_large[] = { 1, 7, 32, 37, 64, 96, 256, 1024, 37 | BLOCK_SHORT,
				  96 | BLOCK_SHORT, 160 | BLOCK_LEN, 300 | BLOCK_LEN, 0 };
const uint16_t blocks_one[] = { 64, 0 };

enum { GUARD = 32 /* elements on either side */, N_TYPE = 14 };

/* -- Values in memory --------------------------------------------------------------- */

size_t
element_size(qd_type type)
{
	return qd_type_size(type);
}

uint64_t
element_get(const void *p, qd_type type, size_t i)
{
	uint64_t bits = 0;

	memcpy(&bits, (const char *)p + i * element_size(type), element_size(type));
	return bits;
}

void
element_put(void *p, qd_type type, size_t i, uint64_t bits)
{
	memcpy((char *)p + i * element_size(type), &bits, element_size(type));
}

bool
same_value(qd_type type, uint64_t got, uint64_t want, bool any_nan)
{
	return got == want || (any_nan && ref_is_nan(type, got) && ref_is_nan(type, want));
}

/* -- Counting ------------------------------------------------------------------------ */

void
suite_fail(struct suite *t, uint64_t cells, const char *fmt, ...)
{
	char line[1500];
	int n = snprintf(line, sizeof line, "FAIL %s S=%u seed=%llu: ", t->selector, t->size,
			 (unsigned long long)t->seed);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
	va_end(ap);
	t->failed += cells;
	t->wrong |= cells == 0;
	if (t->failed > 50 && !t->verbose)
		return; /* more lines would not help */
	if (t->print)
		t->print(line);
	else
		puts(line);
}

void
suite_skip(struct suite *t, uint64_t cells, const char *reason)
{
	size_t at = strlen(t->skip_reasons);

	t->skipped += cells;
	if (!strstr(t->skip_reasons, reason))
		snprintf(t->skip_reasons + at, sizeof t->skip_reasons - at, "%s%s", at ? "; " : "",
			 reason);
}

bool
suite_leaves_out(struct suite *t, uint64_t cells, const char *family, const char *name)
{
	char full[160];

	snprintf(full, sizeof full, "%.60s/%.90s", family, name);
	for (uint32_t i = 0; i < t->n_left_out; i++) {
		if (fnmatch(t->left_out[i].glob, full, 0) != 0)
			continue;
		t->left_out[i].cells += cells;
		suite_skip(t, cells, t->left_out[i].reason);
		return true;
	}
	return false;
}

bool
suite_skips_apart(struct suite *t, uint64_t cells, const char *error)
{
	if (!strstr(error, "[E0404]"))
		return false;
	suite_skip(t, cells, "divergent subgroups in a block, which the device does not support");
	return true;
}

bool
suite_skips_kernel(struct suite *t, uint64_t cells, const struct qd_kernel *k)
{
	struct qd_function *fn;
	struct qd_error err;

	if (t->watch)
		return false;
	if (!qd_function_get(t->dev, k, NULL, 0, &fn, &err)) {
		qd_function_free(fn);
		return false;
	}
	return suite_skips_apart(t, cells, err.text);
}

const char *
skip_reason(const struct suite *t, qd_type type)
{
	if (type == QD_TYPE_F64 && !t->has_f64)
		return "f64 (the device has no 64-bit floats)";
	if (type >= QD_TYPE_I8 && !t->has_small)
		return "i8 u8 i16 u16 f16 bf16 (the device has no 8- and 16-bit storage)";
	return NULL;
}

/* Returns true if this run includes the combination. Every block size is tested with some row of
 * each type; another seed selects other combinations. Vulkan drivers on the CPU spend most of the
 * time in their compilers, so they run half as many. Each subgroup size selects a different set:
 * lavapipe's three sizes together cover the combinations of row, type and block size. */
static bool
is_chosen(const struct suite *t, const struct family *f, uint32_t row, qd_type type, uint32_t block)
{
	const uint32_t flags = f->rows[row].flags, few = flags & ROW_FEW ? 24 : 3;
	const bool slow = strncmp(t->info.target, "spirv", 5) == 0;
	const uint32_t one_of = slow ? 2 * few : few, turn = slow ? 2 * t->log2_size : 0;

	const uint32_t size = f->rows[row].blocks[block] & BLOCK_SIZE;

	if (size > t->info.max_block_dim || (t->some && slow && flags & ROW_SLOW && size > 256))
		return false;
	return !t->some || !(flags & (ROW_SOME | ROW_FEW)) ||
	       (row + type + block + t->seed + turn) % one_of == 0;
}

static uint64_t
row_cells(const struct suite *t, const struct family *f, uint32_t row, qd_type type)
{
	const struct row *r = &f->rows[row];
	uint64_t n = 0;

	for (uint32_t block = 0; r->blocks[block]; block++)
		n += is_chosen(t, f, row, type, block);
	return n * r->n_variants(t, type) * N_PATTERN;
}

uint64_t
suite_count(const struct suite *t, const struct family *f)
{
	uint64_t n = f->count ? f->count(t, f) : 0;

	for (uint32_t i = 0; i < f->n_rows; i++)
		for (qd_type type = 1; type < N_TYPE; type++)
			if (f->rows[i].types >> type & 1)
				n += row_cells(t, f, i, type);
	return n;
}

/* -- Kernels of a row: a type and a block size ----------------------------------------------- */

struct work {
	struct suite *t;
	const struct row *r;
	qd_type type;
	uint32_t block, n_variants;
	uint32_t grid;	   /* BLOCK_SHORT, BLOCK_LEN, or 0 */
	size_t n;	   /* threads of the launch */
	size_t ordinary;	   /* threads from here on are padding threads */
	uint64_t *v, *w;   /* as bits */
	uint32_t *idx, *uniform;
	struct host_buffer bufs[5];
	qd_type *out_type;
	uint64_t undefined; /* lanes, without padding threads, whose result is undefined */
};

static qd_type
result_type(const struct row *r, qd_type type, uint32_t variant)
{
	return r->result_of ? r->result_of(type, variant) : r->result ? r->result : type;
}

/* Builds the kernel. Its parameters are v, w, idx, uniform, and dst for the results. */
static qd_status
build_kernel(struct work *k, struct qd_kernel **out, struct qd_error *err)
{
	struct operands o = { .t = k->t, .type = k->type, .block_dim = k->block };
	struct qd_array a[4], dst;
	struct qd_builder *b;
	struct qd_val i, stride;

	if (qd_builder_create(k->t->ctx, k->r->name, &b, err))
		return err->code;
	qd_block(b, k->block, 1, 1);
	if (k->r->flags & ROW_WARP)
		qd_subgroup_sizes(b, &k->t->size, 1);
	a[0] = qd_param_buffer(b, "v", k->type, QD_ACCESS_IN);
	a[1] = qd_param_buffer(b, "w", k->type, QD_ACCESS_IN);
	a[2] = qd_param_buffer(b, "idx", QD_TYPE_U32, QD_ACCESS_IN);
	a[3] = qd_param_buffer(b, "uniform", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_U64, QD_ACCESS_OUT);
	if (k->grid)
		i = qd_grid(b, k->grid & BLOCK_LEN ? qd_len(b, a[0])
						   : qd_u32(b, (uint32_t)k->ordinary));
	else
		i = qd_block_global_thread_idx(b);
	stride = qd_u32(b, (uint32_t)k->n);
	o.v = qd_load(b, a[0], i);
	o.w = qd_load(b, a[1], i);
	o.idx = qd_load(b, a[2], i);
	o.uniform = qd_load(b, a[3], qd_block_idx(b));
	for (uint32_t n = 0; n < k->n_variants; n++) {
		struct qd_val x = k->r->build(b, &o, n);
		qd_type type = k->out_type[n];

		/* dst contains all results as u64, zero-extended. */
		if (type == QD_TYPE_BOOL)
			x = qd_cast(b, QD_TYPE_U32, x);
		else if (ref_width(type) == 32)
			x = qd_bitcast(b, QD_TYPE_U32, x);
		if (type != QD_TYPE_BOOL && ref_width(type) == 64)
			x = qd_bitcast(b, QD_TYPE_U64, x);
		else
			x = qd_cast(b, QD_TYPE_U64, x);
		struct qd_val at = qd_mul(b, stride, qd_u32(b, n));
		at = qd_add(b, at, qd_u32(b, GUARD));
		qd_store(b, dst, qd_add(b, i, at), x);
	}
	return qd_builder_finish(b, out, err);
}

static void
fill(struct work *k)
{
	uint64_t rng = k->t->seed + k->type * 1000 + k->block;

	for (size_t i = 0; i < k->n; i++) {
		uint32_t pattern = (uint32_t)(i / k->block);
		uint64_t r = random_u64(&rng);

		k->v[i] = pattern_value(k->type, pattern, &rng);
		k->w[i] = pattern_value(k->type, (uint32_t)(r >> 40) % N_PATTERN, &rng);
		/* Most values are lane indices; some are slightly out of range, some huge. */
		k->idx[i] = r % 16 ? (uint32_t)(r >> 8) % (k->t->size + 2)
			  : r % 32 ? (uint32_t)(r >> 8)
				   : 0 - (uint32_t)(r >> 8) % 5;
		element_put(k->bufs[0].data, k->type, i, k->v[i]);
		element_put(k->bufs[1].data, k->type, i, k->w[i]);
		/* A load of a storage type widens the value. */
		k->v[i] = ref_widen(k->type, k->v[i]);
		k->w[i] = ref_widen(k->type, k->w[i]);
	}
	for (uint32_t p = 0; p < N_PATTERN; p++)
		k->uniform[p] = (uint32_t)random_u64(&rng) % k->t->size;
}

static const uint64_t guard_word = UINT64_C(0xdeadbeefcafef00d);

/* Computes the expected results, with subnormals kept or flushed. */
static void
want_of(const struct work *k, struct lanes in, uint32_t variant, bool flush, uint64_t *want, bool *defined)
{
	struct suite t = *k->t;

	t.flush = in.s.flush = flush;
	k->r->want(&t, &in, variant, want, defined);
}

/* Returns true if lane l's result is correct for the opposite treatment of subnormals, and the
 * driver may use either. */
static bool
is_right_flushed(const struct work *k, const struct lanes *in, uint32_t variant, uint32_t l, uint64_t got)
{
	uint64_t want[REF_MAX_LANES];
	bool defined[REF_MAX_LANES];

	if (!k->t->may_flush)
		return false;
	want_of(k, *in, variant, !k->t->flush, want, defined);
	return same_value(k->out_type[variant], got, want[l], (k->r->flags & ROW_ANY_NAN) != 0);
}

/* Returns true if two floats of the same sign differ by at most this many ulps. */
static bool
is_within(uint64_t got, uint64_t want, uint32_t ulps)
{
	uint64_t apart = got > want ? got - want : want - got;

	return apart <= ulps;
}

/* Compares one variant on one block. Returns true if every lane's result is correct. */
static bool
compare_block(struct work *k, uint32_t variant, uint32_t pattern)
{
	struct suite *t = k->t;
	const uint64_t *dst = (const uint64_t *)k->bufs[4].data + GUARD + variant * k->n;
	qd_type type = k->out_type[variant];
	uint64_t want[REF_MAX_LANES];
	bool defined[REF_MAX_LANES], flushed = false, inexact = false;
	char label[64] = "";

	for (uint32_t first = 0; first < k->block; first += t->size) {
		size_t at = (size_t)pattern * k->block + first;
		uint32_t n = k->block - first < t->size ? k->block - first : t->size;
		uint32_t here = at >= k->ordinary ? 0
				: k->ordinary - at < n ? (uint32_t)(k->ordinary - at) : n;
		size_t of_block = (size_t)pattern * k->block;
		size_t left = of_block < k->ordinary ? k->ordinary - of_block : 0;
		qd_type seen = k->type < QD_TYPE_I8 ? k->type
			     : k->type >= QD_TYPE_F16 ? QD_TYPE_F32
			     : k->type & 1 ? QD_TYPE_U32 : QD_TYPE_I32;
		struct lanes in = { .s = { .type = seen, .size = t->size, .n = here, .flush = t->flush,
					   .v = k->v + at },
				    .w = k->w + at, .idx = k->idx + at, .first = first,
				    .uniform = k->uniform[pattern], .block_dim = k->block,
				    .block_idx = pattern,
				    .block_n = left < k->block ? (uint32_t)left : k->block };

		for (uint32_t l = 0; l < n; l++)
			defined[l] = true;
		if (here)
			want_of(k, in, variant, t->flush, want, defined);
		for (uint32_t l = 0; l < n; l++) {
			uint64_t got = dst[at + l];

			if (l >= here && got != guard_word) {
				suite_fail(t, 1, "%s %s block=%u: thread %u is a padding thread and stored",
					   k->r->name, qd_type_name(k->type), k->block, (unsigned)at + l);
				return false;
			}
			if (l >= here)
				continue;
			if (t->inject && !t->injected && defined[l]) {
				got ^= 1;
				t->injected = true;
			}
			k->undefined += !defined[l];
			if (!defined[l] || same_value(type, got, want[l],
						      (k->r->flags & ROW_ANY_NAN) != 0))
				continue;
			if (is_right_flushed(k, &in, variant, l, got)) {
				flushed = true;
				continue;
			}
			if (k->r->ulps && is_within(got, want[l], k->r->ulps(t, k->type, variant))) {
				inexact = true;
				continue;
			}
			if (k->r->label)
				k->r->label(t, k->type, variant, label, sizeof label);
			suite_fail(t, 1,
				   "%s%s %s block=%u pattern=%s lane=%u: got %016llx, want %016llx "
				   "(v=%016llx w=%016llx idx=%u uniform=%u)",
				   k->r->name, label, qd_type_name(k->type), k->block,
				   pattern_name(pattern), l, (unsigned long long)got,
				   (unsigned long long)want[l], (unsigned long long)in.s.v[l],
				   (unsigned long long)in.w[l], in.idx[l], in.uniform);
			return false;
		}
	}
	if (flushed)
		suite_skip(t, 1, "f32 subnormals (the device has no denorm32)");
	else if (inexact)
		suite_skip(t, 1, "f32 square roots (the driver does not round them correctly)");
	return !flushed && !inexact;
}

static bool
guards_intact(const struct work *k)
{
	const uint64_t *dst = k->bufs[4].data;
	size_t n = GUARD + k->n_variants * k->n;

	for (size_t i = 0; i < GUARD; i++)
		if (dst[i] != guard_word || dst[n + i] != guard_word)
			return false;
	return true;
}

static void
run_one(struct work *k)
{
	struct suite *t = k->t;
	struct qd_kernel *kernel = NULL;
	struct qd_error err = { 0 };
	uint64_t cells = (uint64_t)k->n_variants * N_PATTERN;
	qd_status st;

	if (t->begins) {
		char what[160];
		snprintf(what, sizeof what, "%s %s block=%u", k->r->name, qd_type_name(k->type), k->block);
		t->begins(what);
	}
	fill(k);
	st = build_kernel(k, &kernel, &err);
	if (!st)
		st = run_kernel(t, kernel, NULL, 0, N_PATTERN, k->bufs, 5, &err);
	if (st && st != QD_E_FINDING) {
		suite_fail(t, cells, "%s %s block=%u: %s", k->r->name, qd_type_name(k->type),
			   k->block, err.text);
	} else if (!guards_intact(k)) {
		suite_fail(t, cells, "%s %s block=%u: wrote outside its results", k->r->name,
			   qd_type_name(k->type), k->block);
	} else {
		for (uint32_t n = 0; n < k->n_variants; n++)
			for (uint32_t p = 0; p < N_PATTERN; p++)
				t->passed += compare_block(k, n, p);
		/* A device with checks must report undefined reads, and only those. */
		if (t->checks && (st == QD_E_FINDING) != (k->undefined > 0))
			suite_fail(t, 0, "%s %s block=%u: %s", k->r->name, qd_type_name(k->type),
				   k->block, st ? err.text : "undefined reads were not reported");
		else if (!t->checks && st)
			suite_fail(t, 0, "%s: %s", k->r->name, err.text);
	}
	qd_kernel_free(kernel);
}

/* Ends the process if host memory is exhausted, which these tests do not cover. */
static void *
must(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return p;
}

static void
run_row(struct suite *t, const struct row *r, qd_type type, uint32_t spec)
{
	uint32_t block = spec & BLOCK_SIZE;
	struct work k = { .t = t, .r = r, .type = type, .block = block, .grid = spec & ~(uint32_t)BLOCK_SIZE,
			  .n_variants = r->n_variants(t, type), .n = (size_t)block * N_PATTERN };
	size_t out = 2 * GUARD + k.n_variants * k.n;
	uint64_t *dst;

	k.v = must(calloc(k.n, sizeof *k.v));
	k.w = must(calloc(k.n, sizeof *k.w));
	k.idx = must(calloc(k.n, sizeof *k.idx));
	k.uniform = must(calloc(N_PATTERN, sizeof *k.uniform));
	k.out_type = must(calloc(k.n_variants + 1, sizeof *k.out_type));
	for (uint32_t n = 0; n < k.n_variants; n++)
		k.out_type[n] = result_type(r, type, n);
	/* The last block and more than half of the one before it are padding threads. */
	k.ordinary = k.grid ? k.n - block - block / 2 - 2 : k.n;
	for (int i = 0; i < 2; i++) {
		k.bufs[i].size = (i == 0 && (k.grid & BLOCK_LEN) ? k.ordinary : k.n) * element_size(type);
		k.bufs[i].data = must(calloc(k.n, element_size(type)));
	}
	k.bufs[2] = (struct host_buffer){ k.idx, k.n * sizeof *k.idx };
	k.bufs[3] = (struct host_buffer){ k.uniform, N_PATTERN * sizeof *k.uniform };
	k.bufs[4] = (struct host_buffer){ dst = must(calloc(out, sizeof *dst)), out * sizeof *dst };
	for (size_t i = 0; i < out; i++)
		dst[i] = guard_word;
	run_one(&k);
	free(k.v);
	free(k.w);
	free(k.idx);
	free(k.uniform);
	free(k.out_type);
	free(k.bufs[0].data);
	free(k.bufs[1].data);
	free(dst);
}

/* -- Families and devices -------------------------------------------------------------------- */

void
suite_run(struct suite *t, const struct family *f)
{
	for (uint32_t i = 0; i < f->n_rows; i++) {
		const struct row *r = &f->rows[i];

		for (qd_type type = 1; type < N_TYPE; type++) {
			const char *why = skip_reason(t, type);

			if (!(r->types >> type & 1))
				continue;
			if (why) {
				suite_skip(t, row_cells(t, f, i, type), why);
				continue;
			}
			if (suite_leaves_out(t, row_cells(t, f, i, type), f->name, r->name))
				continue;
			for (uint32_t block = 0; r->blocks[block]; block++)
				if (is_chosen(t, f, i, type, block))
					run_row(t, r, type, r->blocks[block]);
		}
	}
	if (f->run)
		f->run(t, f);
}

/* Measures the f32 behavior that the target does not specify. If additions and comparisons treat
 * subnormals alike, results are compared with that behavior. If only some operations flush,
 * cells whose result depends on it are skipped. */
static qd_status
probe_floats(struct suite *t, struct qd_error *err)
{
	enum { N = 256 };
	static const char text[] = "kernel probe(a: in f32[], sum: out f32[], more: out u32[], root: out f32[]) block(32) {"
				   " for i in grid(a.len) { sum[i] = a[i] + a[i]; more[i] = select(a[i] > 0.0, 1u, 0u);"
				   " root[i] = sqrt(a[i]); } }";
	uint32_t a[N], sum[N] = { 0 }, more[N] = { 0 }, root[N] = { 0 };
	struct qd_arg args[] = { qd_arg_host(a, sizeof a), qd_arg_host(sum, sizeof sum), qd_arg_host(more, sizeof more),
				 qd_arg_host(root, sizeof root) };
	uint64_t rng = 1;
	qd_status st;

	a[0] = 1; /* subnormal */
	for (uint32_t i = 1; i < N; i++)
		a[i] = (uint32_t)pattern_value(QD_TYPE_F32, 0, &rng) & 0x7fffffff;
	st = qd_run(t->dev, text, sizeof text - 1, "probe.qdk", NULL, NULL, 0, QD_GRID, args, 4, err);
	t->flush = sum[0] != 2;
	t->may_flush = t->flush != (more[0] != 1);
	for (uint32_t i = 1; i < N; i++)
		t->inexact_root |= root[i] != ref_scalar(REF_OP_SQRT, QD_TYPE_F32, a[i], 0, false);
	return st;
}

qd_status
suite_start(struct suite *t, struct qd_context *ctx, const char *selector, struct qd_error *err)
{
	struct qd_device *dev;
	qd_status st = qd_device_open(ctx, selector, &dev, err);

	return st ? st : suite_start_on(t, ctx, dev, selector, err);
}

qd_status
suite_start_on(struct suite *t, struct qd_context *ctx, struct qd_device *dev, const char *selector,
	       struct qd_error *err)
{
	qd_status st;

	memset(t, 0, sizeof *t);
	t->ctx = ctx;
	t->dev = dev;
	t->seed = 1;
	st = qd_device_info(t->dev, &t->info, err);
	if (!st)
		st = qd_stream_create(t->dev, &t->stream, err);
	if (st) {
		qd_device_close(t->dev);
		return st;
	}
	snprintf(t->selector, sizeof t->selector, "%s", selector ? selector : t->info.selector);
	t->size = t->info.subgroup_size;
	while (1u << t->log2_size < t->size)
		t->log2_size++;
	t->has_f64 = !strstr(t->info.target, "-f64");
	t->has_small = !strstr(t->info.target, "-i8") && !strstr(t->info.target, "-i16");
	t->checks = strncmp(t->selector, "ref", 3) == 0;
	if (strncmp(t->info.target, "spirv", 5) == 0 && (st = probe_floats(t, err)) != QD_OK)
		suite_close(t);
	if (strstr(t->info.target, "+denorm32"))
		t->flush = t->may_flush = false;
	return st;
}

bool
suite_open(struct suite *t, struct qd_context *ctx, const char *selector)
{
	struct qd_error err;

	if (suite_start(t, ctx, selector, &err) == QD_OK)
		return true;
	printf("%s: %s\n", selector, err.text);
	return false;
}

void
suite_close(struct suite *t)
{
	qd_stream_free(t->stream);
	qd_device_close(t->dev);
}
