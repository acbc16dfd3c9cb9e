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

struct work {
	qd_type type;
	uint32_t count, dim;
	uint32_t n, n_src; /* accesses; elements in each buffer */
	bool is_quotient;  /* the loop's count is a quotient, so that no index wraps */
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
make(struct suite *t, const struct work *w, struct qd_kernel **k, struct qd_error *err)
{
	const char *name = qd_type_name(w->type);
	uint32_t c = w->count;
	char text[2048], loop[48] = "n", x[80], back[80], y[80], z[80];
	struct qd_module *m;
	qd_status st;

	names(x, sizeof x, 'x', c, false);
	names(back, sizeof back, 'x', c, true);
	names(y, sizeof y, 'y', c, false);
	names(z, sizeof z, 'z', c, false);
	if (w->is_quotient)
		snprintf(loop, sizeof loop, "(src.len + %u) / %u", c - 1, c);
	snprintf(text, sizeof text,
		 "kernel k(src: in %s[], dst: out %s[], own: out %s[], far: out %s[], n: u32) block(%u) {"
		 " shared s: %s[%u]; let t = block.thread_idx(); for i in grid(%s) {"
		 " let %s = src.load%u(i) else src[0]; dst.store%u(i, %s); s.store%u(t, %s);"
		 " let %s = s.load%u(t); own.store%u(i, %s);"
		 " let %s = src.load%u(i + 0x80000000) else src[1]; far[i] = z%u;"
		 " dst.store%u(i + 0x80000000, %s); } }",
		 name, name, name, name, w->dim, name, w->dim * c, loop, x, c, c, back, c, x, y, c, c, y, z, c,
		 c - 1, c, x);
	if ((st = qd_module_parse(t->ctx, text, strlen(text), "wide.qdk", &m, err)))
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

static uint64_t
source(const struct work *w, const void *src, uint32_t i)
{
	return element_get(src, w->type, i < w->n_src ? i : 0);
}

static bool
compare(struct suite *t, const struct work *w, const void *src, uint8_t *dst, const void *own,
	const void *far)
{
	uint32_t c = w->count;

	if (t->inject && !t->injected) {
		dst[0] ^= 1;
		t->injected = true;
	}
	for (uint32_t i = 0; i < w->n_src; i++) {
		uint64_t got = element_get(dst, w->type, i), is = source(w, src, i - i % c + c - 1 - i % c);
		bool right = got == is && element_get(own, w->type, i) == source(w, src, i) &&
			     (i >= w->n || element_get(far, w->type, i) == source(w, src, 1));

		if (right)
			continue;
		suite_fail(t, 0, "wide %s x %u dim=%u: element %u: got %llx, want %llx", qd_type_name(w->type),
			   c, w->dim, i, (unsigned long long)got, (unsigned long long)is);
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
run_one(struct suite *t, qd_type type, uint32_t count, uint32_t dim, bool is_quotient, uint64_t *rng)
{
	struct work w = { type, count, dim, N_BLOCK * dim - 1, 0, is_quotient };
	size_t size = element_size(type), bytes;
	struct qd_error err = { 0 };
	struct qd_kernel *k = NULL;
	const char *reason = skip_reason(t, type);
	struct qd_arg n = qd_arg_u32(w.n);
	bool right;

	w.n_src = w.n * count - count / 2;
	bytes = w.n_src * size;
	if (reason) {
		suite_skip(t, 1, reason);
		return;
	}
	if (make(t, &w, &k, &err)) {
		suite_fail(t, 1, "wide %s x %u dim=%u: %s", qd_type_name(type), count, dim, err.text);
		return;
	}
	uint8_t *src = malloc(bytes), *dst = calloc(1, bytes), *own = calloc(1, bytes),
		*far = calloc(w.n, size);
	struct host_buffer bufs[] = { { src, bytes }, { dst, bytes }, { own, bytes }, { far, w.n * size }, { &n, 0 } };

	right = src && dst && own && far;
	for (uint32_t i = 0; right && i < w.n_src; i++)
		element_put(src, type, i, random_element(type, rng));
	if (right && run_kernel(t, k, NULL, 0, N_BLOCK, bufs, 5, &err)) {
		suite_fail(t, 0, "wide %s x %u dim=%u: %s", qd_type_name(type), count, dim, err.text);
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

static void
run_wide(struct suite *t, const struct family *f)
{
	uint64_t rng = t->seed;
	uint32_t n = 0;

	(void)f;
	for (uint32_t i = 0; i < N_WIDE_TYPE; i++)
		for (uint32_t count = 2; count * element_size(types[i]) <= 16; count *= 2)
			for (uint32_t j = 0; j < 2; j++, n++)
				run_one(t, types[i], count, n % 4 < 2 ? t->size : t->size + t->size / 2, j, &rng);
}

static uint64_t
count_wide(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)t;
	(void)f;
	for (uint32_t i = 0; i < N_WIDE_TYPE; i++)
		for (uint32_t count = 2; count * element_size(types[i]) <= 16; count *= 2)
			n += 2;
	return n;
}

const struct family family_wide = { "wide", NULL, 0, run_wide, count_wide };
