/* Constant tables. Each thread reads the element of an index of its own, many of them past the end, and
 * four elements from an index that all threads share. Elements at constant indices are read too, and
 * adjacent ones by one access. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { SHARED = 4, ALONE = SHARED + 3, WIDE = 2, EACH = ALONE + WIDE, N_THREAD = 100, DIM = 64 };

static const qd_type types[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_F32, QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_F64 };
static const uint32_t lens[] = { 1, 5, 64, 1000 };
enum { N_TYPES = sizeof types / sizeof types[0], N_LENS = sizeof lens / sizeof lens[0] };

struct work {
	qd_type type;
	uint32_t len, base; /* of the table; the first index that all threads share */
	uint64_t value[1000], other;
	uint8_t bytes[8 * 1000];
	uint32_t index[N_THREAD];
};

static void
fill(struct work *w, uint64_t *rng)
{
	for (uint32_t i = 0; i < w->len; i++) {
		element_put(w->bytes, w->type, i, random_u64(rng));
		w->value[i] = element_get(w->bytes, w->type, i);
	}
	for (uint32_t i = 0; i < N_THREAD; i++) {
		uint64_t r = random_u64(rng);

		w->index[i] = i % 8 == 7 ? (uint32_t)r : (uint32_t)(r % (w->len + 2));
	}
	w->index[0] = w->len;
	w->index[1] = UINT32_MAX;
	w->other = w->value[0];
}

static struct qd_val
constant(struct qd_builder *b, qd_type type, uint64_t bits)
{
	float f;
	double d;

	memcpy(&d, &bits, sizeof d);
	bits &= UINT32_MAX;
	memcpy(&f, &bits, sizeof f);
	switch (type) {
	case QD_TYPE_I32: return qd_i32(b, (int32_t)(uint32_t)bits);
	case QD_TYPE_U32: return qd_u32(b, (uint32_t)bits);
	case QD_TYPE_F32: return qd_f32(b, f);
	case QD_TYPE_F64: return qd_f64(b, d);
	default: break;
	}
	memcpy(&bits, &d, sizeof bits);
	return type == QD_TYPE_I64 ? qd_i64(b, (int64_t)bits) : qd_u64(b, bits);
}

/* Builds the kernel: EACH results for each thread. */
static qd_status
make(struct suite *t, const struct work *w, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_array idx, dst, table;
	struct qd_val base, i, at, v, to, from, pair[WIDE];
	struct qd_builder *b;
	qd_status st = qd_builder_create(t->ctx, "table", &b, err);

	if (st)
		return st;
	qd_block(b, DIM, 1, 1);
	idx = qd_param_buffer(b, "idx", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", w->type, QD_ACCESS_OUT);
	base = qd_param_scalar(b, "base", QD_TYPE_U32);
	table = qd_table(b, "table", w->type, w->bytes, w->len);
	i = qd_grid(b, qd_len(b, idx));
	at = qd_mul(b, i, qd_u32(b, EACH));
	from = qd_load(b, idx, i);
	v = constant(b, w->type, w->other);
	v = qd_load_else(b, table, from, v);
	qd_store(b, dst, at, v);
	for (uint32_t j = 1; j < ALONE; j++) {
		from = j <= SHARED ? qd_add(b, base, qd_u32(b, j - 1)) : qd_u32(b, w->len + j - SHARED - 2);
		v = qd_load(b, table, from);
		to = qd_add(b, at, qd_u32(b, j));
		qd_store(b, dst, to, v);
	}
	from = qd_shr(b, base, qd_u32(b, 1));
	qd_load_wide(b, table, from, WIDE, pair);
	for (uint32_t j = 0; j < WIDE; j++) {
		to = qd_add(b, at, qd_u32(b, ALONE + j));
		qd_store(b, dst, to, pair[j]);
	}
	return qd_builder_finish(b, k, err);
}

/* Returns result e of thread i. */
static uint64_t
want(const struct work *w, uint32_t i, uint32_t e)
{
	uint32_t at = e ? w->base + e - 1 : w->index[i];

	if (e >= ALONE) {
		at = (w->base & ~1u) + e - ALONE;
		return at < w->len ? w->value[at] : 0;
	}
	if (e > SHARED)
		return e == 1 + SHARED ? w->value[w->len - 1] : 0;
	return at < w->len ? w->value[at] : e ? 0 : w->other;
}

static bool
compare(struct suite *t, const struct work *w, uint8_t *dst)
{
	if (t->inject && !t->injected) {
		dst[0] ^= 1;
		t->injected = true;
	}
	for (uint32_t i = 0; i < N_THREAD * EACH; i++) {
		uint64_t got = element_get(dst, w->type, i), is = want(w, i / EACH, i % EACH);

		if (got == is)
			continue;
		suite_fail(t, 0, "table %s[%u] base=%u: thread %u, value %u: got %llx, want %llx", qd_type_name(w->type),
			   w->len, w->base, i / EACH, i % EACH, (unsigned long long)got, (unsigned long long)is);
		return false;
	}
	return true;
}

static void
run_one(struct suite *t, struct work *w, uint64_t *rng)
{
	const char *reason = skip_reason(t, w->type);
	const size_t size = N_THREAD * EACH * element_size(w->type);
	struct qd_error err = { 0 };
	struct qd_kernel *k = NULL;
	struct qd_arg base = qd_arg_u32(w->base);
	uint8_t *dst;
	bool right;

	if (reason) {
		suite_skip(t, 1, reason);
		return;
	}
	fill(w, rng);
	if (make(t, w, &k, &err)) {
		suite_fail(t, 1, "table %s[%u]: %s", qd_type_name(w->type), w->len, err.text);
		return;
	}
	dst = calloc(1, size);
	struct host_buffer bufs[] = { { w->index, sizeof w->index }, { dst, size }, { &base, 0 } };
	right = dst != NULL;
	if (right && run_kernel(t, k, NULL, 0, (N_THREAD + DIM - 1) / DIM, bufs, 3, &err)) {
		suite_fail(t, 0, "table %s[%u]: %s", qd_type_name(w->type), w->len, err.text);
		right = false;
	}
	right = right && compare(t, w, dst);
	t->passed += right;
	t->failed += !right;
	free(dst);
	qd_kernel_free(k);
}

/* The shared indices begin in the table, reach past its end, or wrap around 2^32. */
static void
run_table(struct suite *t, const struct family *f)
{
	struct work *w = malloc(sizeof *w);
	uint64_t rng = t->seed;

	(void)f;
	for (uint32_t n = 0; w && n < N_TYPES * N_LENS; n++) {
		w->type = types[n / N_LENS];
		w->len = lens[n % N_LENS];
		w->base = n % 3 == 0 ? 0 : n % 3 == 1 ? w->len - 1 : UINT32_MAX - 1;
		run_one(t, w, &rng);
	}
	if (!w)
		suite_fail(t, N_TYPES * N_LENS, "table: out of memory");
	free(w);
}

static uint64_t
count_table(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return N_TYPES * N_LENS;
}

const struct family family_table = { "table", NULL, 0, run_table, count_table };
