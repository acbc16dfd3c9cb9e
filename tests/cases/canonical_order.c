/* The canonical order of float sums: at every length and every tile, the last element of a scan
 * equals the reduction. The bits are the same on every device and at every subgroup size that can
 * hold the tile. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { MAX_K = 7, MAX_LEN = 128 };

/* Totals of tile 0 on the first device of this process. */
static struct {
	bool known;
	uint64_t bits;
	char device[64];
} seen[2][MAX_K + 1][MAX_LEN + 1];

/* Builds a kernel with a block of n threads. dst: for every log2_size, totals and then prefixes. */
static struct qd_kernel *
build(struct suite *t, qd_type type, uint32_t n, struct qd_error *err)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_array src, dst;
	struct qd_val i, v;

	if (qd_builder_create(t->ctx, "canonical_order", &b, err))
		return NULL;
	qd_block(b, n, 1, 1);
	src = qd_param_buffer(b, "src", type, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", type, QD_ACCESS_OUT);
	i = qd_block_thread_idx(b);
	v = qd_load(b, src, i);
	for (uint32_t log2 = 0; log2 <= t->log2_size; log2++) {
		struct qd_val at = qd_add(b, i, qd_u32(b, 2 * log2 * n));

		qd_store(b, dst, at, qd_subgroup_reduce_add_tiled(b, v, log2));
		at = qd_add(b, at, qd_u32(b, n));
		qd_store(b, dst, at, qd_subgroup_inclusive_add_tiled(b, v, log2));
	}
	return qd_builder_finish(b, &k, err) ? NULL : k;
}

static void
check_tile(struct suite *t, qd_type type, uint32_t n, uint32_t log2, const void *src,
	   const void *dst)
{
	size_t at = (size_t)2 * log2 * n, len = n < 1u << log2 ? n : 1u << log2;
	uint64_t total = element_get(dst, type, at), last = element_get(dst, type, at + n + len - 1);
	uint64_t v[MAX_LEN], want;
	const char *device = seen[type == QD_TYPE_F64][log2][len].device;
	uint64_t before = seen[type == QD_TYPE_F64][log2][len].bits;

	for (size_t i = 0; i < len; i++)
		v[i] = element_get(src, type, i);
	want = ref_tree(REF_ADD, type, v, (uint32_t)len, t->flush);
	if (t->inject && !t->injected) {
		total ^= 1;
		t->injected = true;
	}
	if (total != last || total != want) {
		suite_fail(t, 1,
			   "canonical order: %s log2_size=%u n=%u: reduce %016llx, last of scan "
			   "%016llx, expected %016llx",
			   qd_type_name(type), log2, n, (unsigned long long)total,
			   (unsigned long long)last, (unsigned long long)want);
		return;
	}
	if (seen[type == QD_TYPE_F64][log2][len].known && before != total) {
		suite_fail(t, 1, "canonical order: %s log2_size=%u n=%u: %016llx, but %016llx on %s",
			   qd_type_name(type), log2, n, (unsigned long long)total,
			   (unsigned long long)before, device);
		return;
	}
	seen[type == QD_TYPE_F64][log2][len].known = true;
	seen[type == QD_TYPE_F64][log2][len].bits = total;
	snprintf(seen[type == QD_TYPE_F64][log2][len].device, 64, "%s", t->selector);
	t->passed++;
}

static void
run_length(struct suite *t, qd_type type, uint32_t n)
{
	uint64_t rng = 7; /* the same input on every device, for any seed */
	uint32_t n_k = t->log2_size + 1;
	uint64_t src[MAX_LEN], dst[2 * (MAX_K + 1) * MAX_LEN];
	struct host_buffer bufs[2] = { { src, n * qd_type_size(type) },
				       { dst, (size_t)2 * n_k * n * qd_type_size(type) } };
	struct qd_error err = { 0 };
	struct qd_kernel *k = build(t, type, n, &err);

	for (uint32_t i = 0; i < n; i++)
		element_put(src, type, i, pattern_value(type, 0, &rng));
	memset(dst, 0, sizeof dst);
	if (!k || run_kernel(t, k, NULL, 0, 1, bufs, 2, &err))
		suite_fail(t, n_k, "canonical order: %s n=%u: %s", qd_type_name(type), n, err.text);
	else
		for (uint32_t log2 = 0; log2 < n_k; log2++)
			check_tile(t, type, n, log2, src, dst);
	qd_kernel_free(k);
}

static void
run_canonical_order(struct suite *t, const struct family *f)
{
	(void)f;
	for (int d = 0; d < 2; d++) {
		qd_type type = d ? QD_TYPE_F64 : QD_TYPE_F32;

		if (skip_reason(t, type)) {
			suite_skip(t, (uint64_t)t->size * (t->log2_size + 1),
				   skip_reason(t, type));
			continue;
		}
		for (uint32_t n = 1; n <= t->size; n++)
			run_length(t, type, n);
	}
}

static uint64_t
count_canonical_order(const struct suite *t, const struct family *f)
{
	(void)f;
	return 2 * (uint64_t)t->size * (t->log2_size + 1);
}

const struct family family_canonical_order = { "canonical_order", NULL, 0, run_canonical_order, count_canonical_order };
