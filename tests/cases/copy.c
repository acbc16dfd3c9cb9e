/* Asynchronous copies. A kernel per type and number of elements issues two groups; a thread
 * waits for one of them without a barrier. The last copies reach past the end of the buffer, and
 * padding threads copy nothing. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 3, BEFORE = 7 };

static const qd_type types[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_F32,
				 QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_F64 };
static const uint32_t counts[] = { 1, 2, 4 };

struct work {
	struct suite *t;
	qd_type type;
	uint32_t count, dim; /* elements of a copy, threads of a block */
	uint32_t n, n_src;   /* threads that copy; elements in the buffer */
};

/* Returns whether the copy has a supported size: 4, 8 or 16 bytes. */
static bool
is_one(qd_type type, uint32_t count)
{
	return count * element_size(type) <= 16;
}

static qd_status
make(const struct work *w, struct qd_kernel **k, struct qd_error *err)
{
	static const char body[] =
		"const C: u32 = %u; kernel k(src: in %s[], dst: out %s[], n: u32) block(%u) {"
		" shared a: %s[%u]; shared b: %s[%u]; let t = block.thread_idx();"
		" for e in 0..C { a[t * C + e] = %s(%u); b[t * C + e] = %s(%u); } block.sync();"
		" for i in grid(n) { let last = %uu - t;"
		"  nvvm.cp_async(a[last * C], src[u32(i) * C], C); nvvm.cp_async_commit_group();"
		"  nvvm.cp_async(b[t * C], src[(n - 1 - u32(i)) * C], C); nvvm.cp_async_commit_group();"
		"  nvvm.cp_async_wait_group(1); let own = a[last * C];"
		"  nvvm.cp_async_wait_all(); block.sync(); let to = u32(i) * (2 * C + 1);"
		"  for e in 0..C { dst[to + e] = a[t * C + e]; dst[to + C + e] = b[t * C + e]; }"
		"  dst[to + 2 * C] = own; } }";
	const char *name = qd_type_name(w->type);
	struct qd_module *m;
	char text[1400];
	qd_status st;

	snprintf(text, sizeof text, body, w->count, name, name, w->dim, name, w->dim * w->count, name,
		 w->dim * w->count, name, (unsigned)BEFORE, name, (unsigned)BEFORE, w->dim - 1);
	st = qd_module_parse(w->t->ctx, text, strlen(text), "copy.qdk", &m, err);
	if (st)
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

static uint64_t
source(const struct work *w, const void *src, uint32_t i)
{
	return i < w->n_src ? element_get(src, w->type, i) : 0;
}

static uint64_t
before(qd_type type)
{
	const float f = BEFORE;
	const double d = BEFORE;
	uint64_t bits = BEFORE;

	if (type == QD_TYPE_F32)
		memcpy(&bits, &f, sizeof f);
	else if (type == QD_TYPE_F64)
		memcpy(&bits, &d, sizeof d);
	return type == QD_TYPE_F32 ? (uint32_t)bits : bits;
}

/* Returns value e of the results of thread i. */
static uint64_t
want(const struct work *w, const void *src, uint32_t i, uint32_t e)
{
	uint32_t c = w->count, block = i - i % w->dim, other = block + w->dim - 1 - i % w->dim;

	if (e < c)
		return other < w->n ? source(w, src, other * c + e) : before(w->type);
	return e < 2 * c ? source(w, src, (w->n - 1 - i) * c + e - c) : source(w, src, i * c);
}

static bool
compare(struct work *w, const void *src, uint8_t *dst)
{
	uint32_t each = 2 * w->count + 1;

	if (w->t->inject && !w->t->injected) {
		dst[0] ^= 1;
		w->t->injected = true;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		for (uint32_t e = 0; e < each; e++) {
			uint64_t got = element_get(dst, w->type, i * each + e), is = want(w, src, i, e);

			if (got == is)
				continue;
			suite_fail(w->t, 0, "copy %s x %u dim=%u: thread %u, value %u: got %llx, want %llx",
				   qd_type_name(w->type), w->count, w->dim, i, e,
				   (unsigned long long)got, (unsigned long long)is);
			return false;
		}
	}
	return true;
}

static void
run_one(struct suite *t, qd_type type, uint32_t count, uint32_t dim, uint64_t *rng)
{
	struct work w = { .t = t, .type = type, .count = count, .dim = dim };
	size_t size = element_size(type);
	struct qd_error err = { 0 };
	struct qd_kernel *k = NULL;
	const char *reason = skip_reason(t, type);

	w.n = N_BLOCK * dim - dim / 2 - 1;
	w.n_src = w.n * count - count / 2;
	if (reason) {
		suite_skip(t, 1, reason);
		return;
	}
	if (make(&w, &k, &err)) {
		suite_fail(t, 1, "copy %s x %u dim=%u: %s", qd_type_name(type), count, dim, err.text);
		return;
	}
	uint8_t *src = malloc(w.n_src * size), *dst = calloc(w.n * (2 * count + 1), size);
	struct qd_arg n = qd_arg_u32(w.n);
	struct host_buffer bufs[] = { { src, w.n_src * size }, { dst, w.n * (2 * count + 1) * size }, { &n, 0 } };
	bool right = src && dst;

	for (uint32_t i = 0; src && i < w.n_src; i++)
		element_put(src, type, i, random_u64(rng));
	t->aligned = count * size > 8; /* the source, to the size of one copy */
	if (right && run_kernel(t, k, NULL, 0, N_BLOCK, bufs, 3, &err)) {
		suite_fail(t, 0, "copy %s x %u dim=%u: %s", qd_type_name(type), count, dim, err.text);
		right = false;
	}
	t->aligned = false;
	right = right && compare(&w, src, dst);
	t->passed += right;
	t->failed += !right;
	free(src);
	free(dst);
	qd_kernel_free(k);
}

/* Runs alternately blocks of one and a half subgroups and of one. */
static void
run_copy(struct suite *t, const struct family *f)
{
	uint64_t rng = t->seed;
	uint32_t n = 0;

	(void)f;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++)
			if (is_one(types[i], counts[j]))
				run_one(t, types[i], counts[j], n++ % 2 ? t->size : t->size + t->size / 2, &rng);
}

static uint64_t
count_copy(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)t;
	(void)f;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++)
			n += is_one(types[i], counts[j]);
	return n;
}

const struct family family_copy = { "copy", NULL, 0, run_copy, count_copy };
