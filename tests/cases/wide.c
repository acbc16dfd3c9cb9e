/* Accesses to adjacent elements: of a buffer whose end cuts the last access, of a shared array, and
 * at indices whose product with the number of elements does not fit u32. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 2, N_WIDE_TYPE = 11 };

static const qd_type types[N_WIDE_TYPE] = {
	QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_F32, QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_F64,
	QD_TYPE_I8,  QD_TYPE_U8,  QD_TYPE_I16, QD_TYPE_U16, QD_TYPE_F16
};

/* The loop's count: a parameter, or a quotient of the length, so that no index wraps, rounded up or down. Rounded down,
 * no load needs a guard. */
enum loop { LOOP_PARAM, LOOP_UP, LOOP_DOWN, N_LOOP };

struct work {
	qd_type type;
	uint32_t count, dim;
	uint32_t n, n_src; /* accesses; elements in each buffer */
	enum loop loop;
	bool crosses;	/* the body has a cross-lane operation, so that padding threads execute it */
	bool other;	/* loads past the end have a value */
};

/* Appends "x0, x1, ..." in this or the reverse order. */
static void
names(char *to, size_t size, char x, uint32_t count, bool reverse)
{
	size_t len = 0;

	for (uint32_t i = 0; i < count; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%c%u", i ? ", " : "", x,
					reverse ? count - 1 - i : i);
}

static qd_status
make_text(struct suite *t, const char *text, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_module *m;
	qd_status st;

	if ((st = qd_module_parse(t->ctx, text, strlen(text), "wide.qdk", &m, err)))
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

static qd_status
make(struct suite *t, const struct work *w, struct qd_kernel **k, struct qd_error *err)
{
	const char *name = qd_type_name(w->type);
	uint32_t c = w->count;
	char text[2048], loop[48] = "n", x[80], back[80], y[80], z[80];

	names(x, sizeof x, 'x', c, false);
	names(back, sizeof back, 'x', c, true);
	names(y, sizeof y, 'y', c, false);
	names(z, sizeof z, 'z', c, false);
	if (w->loop != LOOP_PARAM)
		snprintf(loop, sizeof loop, "(src.len + %u) / %u", w->loop == LOOP_UP ? c - 1 : 0, c);
	snprintf(text, sizeof text,
		 "kernel k(src: in %s[], dst: out %s[], own: out %s[], far: out %s[], n: u32) block(%u) {"
		 " shared s: %s[%u]; let t = block.thread_idx(); for i in grid(%s) {"
		 " let %s = src.load%u(i)%s; dst.store%u(i, %s); s.store%u(t, %s);"
		 " let %s = s.load%u(t); own.store%u(i, %s);"
		 " let %s = src.load%u(i + 0x80000000) else src[1]; far[i] = %sz%u%s;"
		 " dst.store%u(i + 0x80000000, %s); } }",
		 name, name, name, name, w->dim, name, w->dim * c, loop, x, c, w->other ? " else src[0]" : "", c, back, c, x,
		 y, c, c, y, z, c, w->crosses ? "select(subgroup.reduce_max(i) < i, x0, " : "", c - 1, w->crosses ? ")" : "", c, x);
	return make_text(t, text, k, err);
}

static uint64_t
source(const struct work *w, const void *src, uint32_t i)
{
	return i < w->n_src ? element_get(src, w->type, i) : w->other ? element_get(src, w->type, 0) : 0;
}

static bool
compare(struct suite *t, const struct work *w, const void *src, uint8_t *dst, const void *own,
	const void *far)
{
	const uint32_t c = w->count, end = w->loop == LOOP_DOWN ? w->n_src / c * c : w->n_src;

	if (t->inject && !t->injected) {
		dst[0] ^= 1;
		t->injected = true;
	}
	for (uint32_t i = 0; i < w->n_src; i++) {
		uint64_t got = element_get(dst, w->type, i), is = i < end ? source(w, src, i - i % c + c - 1 - i % c) : 0;
		bool right = got == is && element_get(own, w->type, i) == (i < end ? source(w, src, i) : 0) &&
			     (i >= w->n || i >= end / c || element_get(far, w->type, i) == (w->n_src > 1 ? element_get(src, w->type, 1) : 0));

		if (right)
			continue;
		suite_fail(t, 0, "wide %s x %u dim=%u loop=%d n=%u: element %u: got %llx, want %llx", qd_type_name(w->type),
			   c, w->dim, (int)w->loop, w->n_src, i, (unsigned long long)got, (unsigned long long)is);
		return false;
	}
	return true;
}

/* Returns random bits that loads and stores keep: no NaN and no subnormal of 16 bits. */
static uint64_t
random_element(qd_type type, uint64_t *rng)
{
	uint64_t bits = random_u64(rng);

	return type == QD_TYPE_F16 ? (bits & 0x8bff) | 0x1000 : bits;
}

static void
run_one(struct suite *t, struct work w, uint64_t *rng)
{
	const qd_type type = w.type;
	size_t size = element_size(type), bytes = w.n_src * size;
	struct qd_error err = { 0 };
	struct qd_kernel *k = NULL;
	const char *reason = skip_reason(t, type);
	struct qd_arg n = qd_arg_u32(w.n);
	bool right;

	if (reason) {
		suite_skip(t, 1, reason);
		return;
	}
	if (make(t, &w, &k, &err)) {
		suite_fail(t, 1, "wide %s x %u dim=%u: %s", qd_type_name(type), w.count, w.dim, err.text);
		return;
	}
	uint8_t *src = malloc(bytes), *dst = calloc(1, bytes), *own = calloc(1, bytes),
		*far = calloc(w.n, size);
	struct host_buffer bufs[] = { { src, bytes }, { dst, bytes }, { own, bytes }, { far, w.n * size }, { &n, 0 } };

	right = src && dst && own && far;
	for (uint32_t i = 0; right && i < w.n_src; i++)
		element_put(src, type, i, random_element(type, rng));
	if (right && run_kernel(t, k, NULL, 0, N_BLOCK, bufs, 5, &err)) {
		suite_fail(t, 0, "wide %s x %u dim=%u: %s", qd_type_name(type), w.count, w.dim, err.text);
		right = false;
	}
	right = right && compare(t, &w, src, dst, own, far);
	t->passed += right;
	t->failed += !right;
	free(src);
	free(dst);
	free(own);
	free(far);
	qd_kernel_free(k);
}

enum { N_SHORT = 9 };

/* Each loop and element, at a length that cuts the last access, and at lengths up to N_SHORT. */
static void
run_type(struct suite *t, qd_type type, uint32_t count, uint64_t *rng, uint32_t *n)
{
	for (uint32_t j = 0; j < N_LOOP; j++, ++*n) {
		const uint32_t dim = *n % 4 < 2 ? t->size : t->size + t->size / 2;
		struct work w = { type, count, dim, N_BLOCK * dim - 1, 0, (enum loop)j, *n % 3 == 0, *n % 2 == 0 };

		w.n_src = w.n * count - count / 2;
		run_one(t, w, rng);
	}
	for (uint32_t len = 1; len <= N_SHORT; len++, ++*n) {
		struct work w = { type, count, t->size, 2 * t->size - 1, len, (enum loop)(*n % N_LOOP), *n % 2 == 0, *n % 4 < 2 };

		run_one(t, w, rng);
	}
}

/* Accesses to adjacent elements with others between them that read or write the same memory, also twice. */
static void
run_mixed(struct suite *t)
{
	enum { N = 4 * 50 };
	uint32_t d[N], e[N / 4] = { 0 }, wrong = 0;
	struct host_buffer bufs[] = { { d, sizeof d }, { e, sizeof e } };
	const uint32_t n_blocks = (N / 4 + t->size - 1) / t->size;
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };
	char text[1024];

	snprintf(text, sizeof text,
		 "kernel k(d: u32[], e: out u32[]) block(%u) { shared s: u32[%u]; let t = block.thread_idx() * 4;"
		 " for i in grid(d.len / 4) { let j = 4 * i; let p = d[j]; d[j + 1] = p; let q = d[j + 1]; d[j + 2] = q + 1;"
		 " let r = d[j + 2]; d[j + 3] = r + 1; s[t] = p; let u = s[t]; s[t + 1] = u + 5;"
		 " s[t] = 7; s[t + 1] -= min(s[t + 1], 3) & s[t]; e[i] = s[t + 1]; } }",
		 t->size, 4 * t->size);
	for (uint32_t i = 0; i < N; i++)
		d[i] = 1000 * i;
	if (make_text(t, text, &k, &err) || run_kernel(t, k, NULL, 0, n_blocks, bufs, 2, &err)) {
		suite_fail(t, 1, "wide: mixed accesses: %s", err.text);
	} else {
		for (uint32_t i = 0; i < N; i++)
			wrong += d[i] != 4000 * (i / 4) + (i % 4 > 1 ? i % 4 - 1 : 0) || e[i / 4] != 4000 * (i / 4) + 2;
		if (wrong)
			suite_fail(t, 1, "wide: mixed accesses: %u elements differ", wrong);
		t->passed += !wrong;
	}
	qd_kernel_free(k);
}

static void
run_wide(struct suite *t, const struct family *f)
{
	uint64_t rng = t->seed;
	uint32_t n = 0;

	(void)f;
	for (uint32_t i = 0; i < N_WIDE_TYPE; i++)
		for (uint32_t count = 2; count * element_size(types[i]) <= 16; count *= 2)
			run_type(t, types[i], count, &rng, &n);
	run_mixed(t);
}

static uint64_t
count_wide(const struct suite *t, const struct family *f)
{
	uint64_t n = 1; /* run_mixed */

	(void)t;
	(void)f;
	for (uint32_t i = 0; i < N_WIDE_TYPE; i++)
		for (uint32_t count = 2; count * element_size(types[i]) <= 16; count *= 2)
			n += N_LOOP + N_SHORT;
	return n;
}

const struct family family_wide = { "wide", NULL, 0, run_wide, count_wide };
