/* Grid loops: threads from the count on are padding threads. Each shape and block size
 * has a kernel. It is launched for every count of interest, with excess blocks and with the number
 * of blocks that the host computes. The expected values of thread i are written from the contract,
 * for the whole of dst: words without a store must keep their value. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 2, M = 3, WORD = 4 /* words of dst per thread */,
       MAX_THREAD = 16 * REF_MAX_LANES };

static const uint32_t EMPTY = 0xeeeeeeee, NEGATIVE = 0x80000000;

/* One launch. */
struct launch {
	uint32_t size, dim;	/* of the subgroup, of the block */
	uint32_t threads, len;	/* threads of the launch; elements of src */
	uint32_t n;		/* argument of the kernel */
	uint32_t count;		/* count of the loop */
	const uint32_t *src;
	uint32_t *dst;
};

struct shape {
	const char *name, *text; /* the kernel's attributes and body; NULL: built by make_blocks */
	void (*want)(const struct launch *l, uint32_t i, uint32_t *dst);
	uint32_t (*count)(const struct launch *l); /* NULL: the count is n */
	enum { BOUNDED = 1 /* n is at most len */, WHOLE = 2 /* blocks of whole subgroups */,
	       EXACT = 4 /* src has n elements */ } flags;
};

/* -- Expected values ------------------------------------------------------------------ */

static uint32_t
element(const struct launch *l, uint32_t i)
{
	return i < l->len ? l->src[i] : 0;
}
/* The threads of i's subgroup: the first, the end, and the end without padding threads. */
static uint32_t
first_of(const struct launch *l, uint32_t i)
{
	return i - i % l->dim % l->size;
}
static uint32_t
end_of(const struct launch *l, uint32_t i)
{
	uint32_t block = i - i % l->dim + l->dim, subgroup = first_of(l, i) + l->size;

	return block < subgroup ? block : subgroup;
}
static uint32_t
end_in(const struct launch *l, uint32_t i)
{
	uint32_t end = end_of(l, i);

	return end < l->count ? end : l->count;
}
/* Returns the sum of the elements from..to. */
static uint32_t
sum(const struct launch *l, uint32_t from, uint32_t to)
{
	uint32_t s = 0;

	while (from < to)
		s += element(l, from++);
	return s;
}

/* -- The shapes ------------------------------------------------------------------------ */

static const char touch[] =
	"{ for i in grid(n) { let v = src[i] else u32.max;"
	"  dst[4 * i] = i * 3 + 1; dst[4 * i + 1] = subgroup.reduce_add(src[i]);"
	"  dst[4 * i + 2] = subgroup.reduce_min_tiled(v, 2);"
	"  dst[4 * i + 3] = subgroup.reduce_add(1u); } }";
static void
want_touch(const struct launch *l, uint32_t i, uint32_t *dst)
{
	uint32_t tile = i - i % l->dim % 4, least = UINT32_MAX;

	if (i >= l->count)
		return;
	for (uint32_t j = tile; j < tile + 4 && j < end_in(l, i); j++)
		if (j < l->len && l->src[j] < least)
			least = l->src[j];
	dst[0] = i * 3 + 1;
	dst[1] = sum(l, first_of(l, i), end_in(l, i));
	dst[2] = least;
	dst[3] = end_in(l, i) - first_of(l, i);
}

/* The sum is -0.0 only if padding threads add nothing else. */
static const char zero[] =
	"{ for i in grid(n) { let v = bitcast<f32>(src[i] & 0x80000000);"
	"  dst[4 * i] = bitcast<u32>(subgroup.reduce_add(v));"
	"  dst[4 * i + 1] = bitcast<u32>(subgroup.inclusive_add(v));"
	"  dst[4 * i + 2] = bitcast<u32>(subgroup.reduce_max(v));"
	"  dst[4 * i + 3] = bitcast<u32>(subgroup.reduce_min(v)); } }";
static void
want_zero(const struct launch *l, uint32_t i, uint32_t *dst)
{
	bool all = end_in(l, i) <= l->len;

	if (i >= l->count)
		return;
	dst[0] = dst[2] = all ? NEGATIVE : 0;
	dst[1] = i < l->len ? NEGATIVE : 0;
	dst[3] = first_of(l, i) < l->len ? NEGATIVE : 0;
}

/* Before and after the body all threads are active, and their variables are unchanged. */
static const char around[] =
	"{ let me = block.global_thread_idx(); var kept = me + 1000;"
	"  dst[4 * me] = subgroup.reduce_add(1u);"
	"  for i in grid(n) { kept = src[i]; dst[4 * i + 1] = subgroup.inclusive_add(kept); }"
	"  dst[4 * me + 2] = kept; dst[4 * me + 3] = subgroup.reduce_add(kept); }";
static uint32_t
kept(const struct launch *l, uint32_t i)
{
	return i < l->count ? element(l, i) : i + 1000;
}
static void
want_around(const struct launch *l, uint32_t i, uint32_t *dst)
{
	dst[0] = end_of(l, i) - first_of(l, i);
	if (i < l->count)
		dst[1] = sum(l, first_of(l, i), i + 1);
	dst[2] = kept(l, i);
	dst[3] = 0;
	for (uint32_t j = first_of(l, i); j < end_of(l, i); j++)
		dst[3] += kept(l, j);
}

/* A return in the body ends its threads. */
static const char leave[] =
	"{ let me = block.global_thread_idx();"
	"  for i in grid(n) {"
	"    dst[4 * i + 2] = subgroup.reduce_add(1u);"
	"    if i % 3 == 1 { continue; }"
	"    if i % 3 == 2 { return; }"
	"    dst[4 * i] = i + 1; }"
	"  dst[4 * me + 1] = 7; }";
static void
want_leave(const struct launch *l, uint32_t i, uint32_t *dst)
{
	bool in = i < l->count;

	if (in && i % 3 == 0)
		dst[0] = i + 1;
	if (!in || i % 3 != 2)
		dst[1] = 7;
	if (in)
		dst[2] = end_in(l, i) - first_of(l, i);
}

/* A padding thread in the body would loop forever: it does not see its own store. */
static const char spin_store[] =
	"{ for i in grid(n) { while dst[4 * i] != 5 { dst[4 * i] = 5; } dst[4 * i + 1] = i; } }";
static void
want_spin_store(const struct launch *l, uint32_t i, uint32_t *dst)
{
	if (i >= l->count)
		return;
	dst[0] = 5;
	dst[1] = i;
}

/* A padding thread in the body would loop forever: it loads 0. */
static const char spin_load[] =
	"{ for i in grid(n) { var s = 0u; while s < 10 { s += src[i] >> 31; } dst[4 * i] = s; } }";
static void
want_spin_load(const struct launch *l, uint32_t i, uint32_t *dst)
{
	if (i < l->count)
		dst[0] = 10;
}

/* So would a subgroup of padding threads. */
static const char spin_broadcast[] =
	"{ for i in grid(n) { let step = subgroup.broadcast(src[i], 0) >> 31; var s = 0u;"
	"  while s < 100 { s += subgroup.reduce_add(step); } dst[4 * i] = s; } }";
static void
want_spin_broadcast(const struct launch *l, uint32_t i, uint32_t *dst)
{
	uint32_t here = end_in(l, i) - first_of(l, i);

	if (i < l->count)
		dst[0] = (100 + here - 1) / here * here;
}

/* No guards: with a count of 1, all threads but the first would access far outside. */
static const char assumed[] =
	"assume_in_bounds(\"the count is the length\") { for i in grid(n) {"
	"  let v = src[i * select(n == 1, 1000000u, 1u)];"
	"  dst[4 * i] = v; dst[4 * i + 1] = subgroup.reduce_add(v);"
	"  dst[4 * i * select(n == 1, 1000000u, 1u) + 2] = 1; } }";
static void
want_assumed(const struct launch *l, uint32_t i, uint32_t *dst)
{
	if (i >= l->count)
		return;
	dst[0] = element(l, i);
	dst[1] = sum(l, first_of(l, i), end_in(l, i));
	dst[2] = 1;
}

/* A value from a padding thread is undefined and must not be used. */
static const char neighbor[] =
	"{ for i in grid(n) { let o = subgroup.shuffle_down(src[i], 1); dst[4 * i] = i;"
	"  if i + 1 < n { dst[4 * i + 1] = o; } } }";
static void
want_neighbor(const struct launch *l, uint32_t i, uint32_t *dst)
{
	if (i >= l->count)
		return;
	dst[0] = i;
	if (i + 1 < l->count)
		dst[1] = element(l, i + 1 < end_of(l, i) ? i + 1 : i);
}

/* -- Computed counts --------------------------------------------------------------------- */

#define COUNTED(text)                                                                              \
	"{ for i in grid(" text ") { let at = 4 * u32(i); dst[at] = u32(i);"                       \
	"  dst[at + 1] = subgroup.reduce_add(1u); } }"
static void
want_counted(const struct launch *l, uint32_t i, uint32_t *dst)
{
	if (i >= l->count)
		return;
	dst[0] = i;
	dst[1] = end_in(l, i) - first_of(l, i);
}
static uint32_t
count_sum(const struct launch *l)
{
	return l->n + M;
}
static uint32_t
count_length(const struct launch *l)
{
	return l->len - M;
}
static uint32_t
count_product(const struct launch *l)
{
	return (l->n * 2 + l->len) / M;
}
static uint32_t
count_signed(const struct launch *l)
{
	return l->n < l->size ? 0 : l->n - l->size;
}
static uint32_t
count_constant(const struct launch *l)
{
	(void)l;
	return 5;
}

/* -- A loop in blocks, which only the C API has --------------------------------------------- */

static void
want_blocks(const struct launch *l, uint32_t i, uint32_t *dst)
{
	uint32_t leaves = i < l->count ? i % 4 : 0; /* blocks to leave around the loop's body */

	if (i < l->count && leaves == 0)
		dst[0] = i;
	if (leaves < 2)
		dst[1] = 1;
	if (leaves < 3)
		dst[2] = 2;
	dst[3] = 3;
}

static qd_status
make_blocks(struct suite *t, uint32_t dim, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_builder *b;
	struct qd_array dst;
	struct qd_val me, i, n, low;

	if (qd_builder_create(t->ctx, "k", &b, err))
		return err->code;
	qd_block(b, dim, 1, 1);
	qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_INOUT);
	n = qd_param_scalar(b, "n", QD_TYPE_U32);
	qd_param_scalar(b, "m", QD_TYPE_U32);
	qd_param_scalar(b, "d", QD_TYPE_I32);
	qd_param_scalar(b, "w", QD_TYPE_U64);
	me = qd_block_global_thread_idx(b);
	me = qd_mul(b, me, qd_u32(b, WORD));
	qd_scope(b);
	qd_scope(b);
	i = qd_grid(b, n);
	for (uint32_t levels = 1; levels <= 3; levels++) {
		low = qd_and(b, i, qd_u32(b, 3));
		qd_leave_if(b, levels, qd_eq(b, low, qd_u32(b, levels)));
	}
	qd_store(b, dst, me, i);
	for (uint32_t word = 1; word <= 3; word++) {
		qd_end(b);
		n = qd_u32(b, word);
		qd_store(b, dst, qd_add(b, me, n), n);
	}
	return qd_builder_finish(b, k, err);
}

static const struct shape shapes[] = {
	{ "touch", touch, want_touch, NULL, 0 },
	{ "zero", zero, want_zero, NULL, 0 },
	{ "around", around, want_around, NULL, 0 },
	{ "leave", leave, want_leave, NULL, 0 },
	{ "spin store", spin_store, want_spin_store, NULL, 0 },
	{ "spin load", spin_load, want_spin_load, NULL, BOUNDED },
	{ "spin broadcast", spin_broadcast, want_spin_broadcast, NULL, BOUNDED },
	{ "assumed", assumed, want_assumed, NULL, EXACT },
	{ "neighbor", neighbor, want_neighbor, NULL, WHOLE },
	{ "n + m", COUNTED("n + m"), want_counted, count_sum, 0 },
	{ "src.len - m", COUNTED("src.len - m"), want_counted, count_length, 0 },
	{ "(n * 2 + src.len) / m", COUNTED("(n * 2 + src.len) / m"), want_counted, count_product, 0 },
	{ "d", COUNTED("d"), want_counted, count_signed, 0 },
	{ "w", COUNTED("w"), want_counted, NULL, 0 },
	{ "5", COUNTED("5"), want_counted, count_constant, 0 },
	{ "blocks", NULL, want_blocks, NULL, 0 },
};
enum { N_SHAPE = sizeof shapes / sizeof shapes[0], N_DIM = 4, N_COUNT = 9 };

/* -- Execution --------------------------------------------------------------------------------- */

static qd_status
make(struct suite *t, const struct shape *s, uint32_t dim, struct qd_kernel **k,
     struct qd_error *err)
{
	char text[1024];
	struct qd_module *m;
	qd_status st;

	if (!s->text)
		return make_blocks(t, dim, k, err);
	snprintf(text, sizeof text,
		 "kernel k(src: in u32[], dst: u32[], n: u32, m: u32, d: i32, w: u64) block(%u) %s", dim,
		 s->text);
	st = qd_module_parse(t->ctx, text, strlen(text), "grid.qdk", &m, err);
	if (st)
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

/* Launches with l, except dst, which it fills. Returns whether the results are correct. */
static bool
launch(struct suite *t, const struct shape *s, const struct qd_kernel *k, struct launch *l,
       uint32_t n_blocks)
{
	struct qd_arg n = qd_arg_u32(l->n), m = qd_arg_u32(M);
	struct qd_arg d = qd_arg_i32((int32_t)l->n - (int32_t)l->size), w = qd_arg_u64(l->n);
	uint32_t words = WORD * (l->threads + l->dim), want[WORD];
	struct host_buffer bufs[] = { { (void *)(uintptr_t)l->src, l->len * sizeof *l->src },
				      { l->dst, words * sizeof *l->dst },
				      { &n, 0 },
				      { &m, 0 },
				      { &d, 0 },
				      { &w, 0 } };
	struct qd_error err = { 0 };

	for (uint32_t i = 0; i < words; i++)
		l->dst[i] = EMPTY;
	if (run_kernel(t, k, NULL, 0, n_blocks, bufs, 6, &err)) {
		suite_fail(t, 0, "grid %s dim=%u n=%u: %s", s->name, l->dim, l->n, err.text);
		return false;
	}
	if (t->inject && !t->injected) {
		l->dst[0] ^= 1;
		t->injected = true;
	}
	for (uint32_t i = 0; i < l->threads + l->dim; i++) {
		for (uint32_t j = 0; j < WORD; j++)
			want[j] = EMPTY;
		if (i < l->threads)
			s->want(l, i, want);
		for (uint32_t j = 0; j < WORD; j++) {
			if (l->dst[WORD * i + j] == want[j])
				continue;
			suite_fail(t, 0, "grid %s dim=%u n=%u of %u threads: thread %u word %u: "
				   "got %08x, want %08x", s->name, l->dim, l->n, l->threads, i, j,
				   l->dst[WORD * i + j], want[j]);
			return false;
		}
	}
	return true;
}

static bool
run_count(struct suite *t, const struct shape *s, const struct qd_kernel *k, struct launch *l)
{
	bool right;

	l->len = s->flags & EXACT && l->n ? l->n : 3 * l->size / 2;
	if (s->flags & BOUNDED && l->n > l->len)
		l->n = l->len;
	l->count = s->count ? s->count(l) : l->n;
	l->threads = N_BLOCK * l->dim;
	right = launch(t, s, k, l, N_BLOCK);
	l->threads = (l->count + l->dim - 1) / l->dim * l->dim;
	return launch(t, s, k, l, QD_GRID) && right;
}

static void
run_shape(struct suite *t, const struct shape *s, uint32_t *src, uint32_t *dst)
{
	uint32_t size = t->size, len = 3 * size / 2;
	const uint32_t dims[N_DIM] = { size, size - 1, 2 * size, size + size / 2 + 1 };
	const uint32_t counts[N_COUNT] = { 0, 1, size - 1, size, size + 1, len - 1, len, len + 1,
					   5 * size };

	for (uint32_t d = 0; d < N_DIM; d++) {
		uint32_t dim = s->flags & WHOLE ? (dims[d] + size - 1) / size * size : dims[d];
		struct qd_kernel *k = NULL;
		struct qd_error err;

		if (make(t, s, dim, &k, &err)) {
			suite_fail(t, N_COUNT, "grid %s dim=%u: %s", s->name, dim, err.text);
			continue;
		}
		uint32_t n = suite_skips_kernel(t, N_COUNT, k) ? 0 : N_COUNT;
		for (uint32_t c = 0; c < n; c++) {
			struct launch l = { .size = size, .dim = dim, .n = counts[c], .src = src, .dst = dst };

			if (run_count(t, s, k, &l))
				t->passed++;
			else
				t->failed++;
		}
		qd_kernel_free(k);
	}
}

static void
run_grid(struct suite *t, const struct family *f)
{
	uint32_t *src = calloc(MAX_THREAD, sizeof *src);
	uint32_t *dst = calloc(MAX_THREAD * WORD, sizeof *dst);

	(void)f;
	for (uint32_t i = 0; src && i < MAX_THREAD; i++)
		src[i] = NEGATIVE | (i * 5 + 1);
	for (uint32_t n = 0; n < N_SHAPE && src && dst; n++)
		run_shape(t, &shapes[n], src, dst);
	if (!src || !dst)
		suite_fail(t, N_SHAPE * N_DIM * N_COUNT, "grid: out of memory");
	free(src);
	free(dst);
}

static uint64_t
count_grid(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return (uint64_t)N_SHAPE * N_DIM * N_COUNT;
}

const struct family family_grid = { "grid", NULL, 0, run_grid, count_grid };
