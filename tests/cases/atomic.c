/* Atomics on buffers and on shared arrays. A kernel per type, memory and block size executes all
 * of them. Each thread has a private cell per operation, with a result and a final value known bit
 * for bit. All threads of a block also update a few common cells, whose final value does not
 * depend on the order. The last threads are padding threads and change nothing. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 3, N_MEETING = 3, N_SIZE = 5 };

enum kind { ADD, SUB, MIN, MAX, AND, OR, XOR, EXCHANGE, CAS, LOAD, STORE, N_KIND };

static const struct {
	const char *name;
	uint32_t types;
	bool meets; /* the final value is the same in any order */
} kinds[N_KIND] = {
	[ADD] = { "add", T_ALL, true },	  [SUB] = { "sub", T_ALL, true },
	[MIN] = { "min", T_ALL, true },	  [MAX] = { "max", T_ALL, true },
	[AND] = { "and", T_INT, true },	  [OR] = { "or", T_INT, true },
	[XOR] = { "xor", T_INT, true },	  [EXCHANGE] = { "exchange", T_ALL, false },
	[CAS] = { "cas", T_ALL, false },  [LOAD] = { "load", T_ALL, false },
	[STORE] = { "store", T_ALL, false },
};

struct work {
	struct suite *t;
	qd_type type;
	bool shared;
	uint32_t dim, n, ordinary; /* threads of a block, of the launch, and without padding
				   * threads */
	uint32_t n_meeting;	  /* common cells of a block, for each kind */
	uint64_t *init, *v, *w;	  /* by thread */
};

/* -- Expected values ---------------------------------------------------------------------- */

static uint64_t
negated(qd_type type, uint64_t v)
{
	uint32_t width = ref_width(type);

	if (ref_is_float(type))
		return v ^ UINT64_C(1) << (width - 1);
	return width == 64 ? 0 - v : (uint32_t)(0 - v);
}

static uint64_t
becomes(const struct work *k, enum kind kind, uint64_t old, uint64_t v, uint64_t expected)
{
	static const enum ref_reduction combine[] = {
		[ADD] = REF_ADD, [SUB] = REF_ADD, [MIN] = REF_MIN, [MAX] = REF_MAX,
		[AND] = REF_AND, [OR] = REF_OR,	  [XOR] = REF_XOR,
	};
	uint64_t both[2] = { old, kind == SUB ? negated(k->type, v) : v };

	switch (kind) {
	case EXCHANGE:
	case STORE: return v;
	case LOAD: return old;
	case CAS: return old == expected ? v : old;
	default: return ref_tree(combine[kind], k->type, both, 2, k->t->flush);
	}
}

/* Returns a small whole number for sums, which are then exact in any order. */
static uint64_t
meeting_value(const struct work *k, enum kind kind, uint32_t i)
{
	uint32_t small = i % 13;

	if (kind > SUB)
		return k->v[i];
	return ref_is_float(k->type) ? ref_bits(k->type, small) : small;
}

/* -- The kernel ------------------------------------------------------------------------------ */

static struct qd_val
apply(struct qd_builder *b, enum kind kind, struct qd_array a, struct qd_val at, struct qd_val v,
      struct qd_val expected, qd_mem_scope scope, uint32_t turn)
{
	qd_mem_order any = QD_ORDER_RELAXED + turn % 4;

	switch (kind) {
	case ADD: return qd_atomic_add(b, a, at, v, scope, any);
	case SUB: return qd_atomic_sub(b, a, at, v, scope, any);
	case MIN: return qd_atomic_min(b, a, at, v, scope, any);
	case MAX: return qd_atomic_max(b, a, at, v, scope, any);
	case AND: return qd_atomic_and(b, a, at, v, scope, any);
	case OR: return qd_atomic_or(b, a, at, v, scope, any);
	case XOR: return qd_atomic_xor(b, a, at, v, scope, any);
	case EXCHANGE: return qd_atomic_exchange(b, a, at, v, scope, any);
	case CAS: return qd_atomic_cas(b, a, at, expected, v, scope, any);
	case LOAD:
		return qd_atomic_load(b, a, at, scope,
				      turn % 2 ? QD_ORDER_ACQUIRE : QD_ORDER_RELAXED);
	default:
		qd_atomic_store(b, a, at, v, scope,
				turn % 2 ? QD_ORDER_RELEASE : QD_ORDER_RELAXED);
		return v;
	}
}

/* Returns the cells of a block: those of its threads for each kind, then the common ones. */
static uint32_t
cells_of_block(const struct work *k)
{
	return N_KIND * (k->dim + k->n_meeting);
}

static struct qd_val
plus(struct qd_builder *b, struct qd_val x, uint32_t n)
{
	return qd_add(b, x, qd_u32(b, n));
}

/* Copies a block's part of the buffer to the shared array, or back. */
static void
copy(struct qd_builder *b, const struct work *k, struct qd_array to, struct qd_val to_at,
     struct qd_array from, struct qd_val from_at)
{
	struct qd_val thread = qd_block_thread_idx(b);
	struct qd_val all = qd_u32(b, cells_of_block(k));
	struct qd_var i = qd_var(b, thread);

	qd_loop(b);
	qd_break_if(b, qd_ge(b, qd_get(b, i), all));
	struct qd_val src = qd_add(b, from_at, qd_get(b, i)), dst = qd_add(b, to_at, qd_get(b, i));
	qd_store(b, to, dst, qd_load(b, from, src));
	qd_set(b, i, plus(b, qd_get(b, i), k->dim));
	qd_end(b);
	qd_block_sync(b);
}

/* Builds the kernel. Its parameters are v, w, the values for common cells, cells, and the atomics'
 * results. */
static qd_status
make(const struct work *k, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_array v, w, meeting, cells, old, a;
	struct qd_builder *b;
	struct qd_val thread, i, base, at;

	if (qd_builder_create(k->t->ctx, "atomics", &b, err))
		return err->code;
	qd_block(b, k->dim, 1, 1);
	v = qd_param_buffer(b, "v", k->type, QD_ACCESS_IN);
	w = qd_param_buffer(b, "w", k->type, QD_ACCESS_IN);
	meeting = qd_param_buffer(b, "meeting", k->type, QD_ACCESS_IN);
	cells = qd_param_buffer(b, "cells", k->type, QD_ACCESS_INOUT);
	old = qd_param_buffer(b, "old", k->type, QD_ACCESS_OUT);
	thread = qd_block_thread_idx(b);
	at = qd_block_idx(b);
	base = qd_mul(b, at, qd_u32(b, cells_of_block(k)));
	a = cells;
	at = base;
	if (k->shared) {
		a = qd_shared(b, "s", k->type, cells_of_block(k));
		at = qd_u32(b, 0);
		copy(b, k, a, at, cells, base);
	}
	i = qd_grid(b, qd_u32(b, k->ordinary));
	struct qd_val x = qd_load(b, v, i), y = qd_load(b, w, i);
	for (uint32_t n = 0; n < N_KIND; n++) {
		qd_mem_scope scope = k->shared ? QD_SCOPE_BLOCK : n % 3;
		struct qd_val own = qd_add(b, at, plus(b, thread, n * k->dim)), got, m;

		if (!(kinds[n].types >> k->type & 1))
			continue;
		got = apply(b, (enum kind)n, a, own, x, y, scope, n + k->dim);
		qd_store(b, old, plus(b, i, n * k->n), got);
		if (!kinds[n].meets)
			continue;
		m = qd_load(b, meeting, plus(b, i, n <= SUB ? k->n : 0));
		own = plus(b, qd_rem(b, thread, qd_u32(b, k->n_meeting)),
			   N_KIND * k->dim + n * k->n_meeting);
		apply(b, (enum kind)n, a, qd_add(b, at, own), m, y,
		      k->shared ? QD_SCOPE_BLOCK : QD_SCOPE_DEVICE, 0);
	}
	qd_end(b);
	if (k->shared) {
		qd_block_sync(b);
		copy(b, k, cells, base, a, at);
	}
	return qd_builder_finish(b, out, err);
}

/* -- One launch ---------------------------------------------------------------------------------- */

static void
put(struct host_buffer *to, qd_type type, size_t i, uint64_t bits)
{
	element_put(to->data, type, i, bits);
}

static void
fill(struct work *k, struct host_buffer *bufs)
{
	uint64_t rng = k->t->seed + k->type * 77 + k->dim;
	uint32_t whole = cells_of_block(k);

	for (uint32_t i = 0; i < k->n; i++) {
		k->init[i] = pattern_value(k->type, i / k->dim, &rng);
		k->v[i] = pattern_value(k->type, (i / k->dim + i) % N_PATTERN, &rng);
		/* Half of the expected values match. */
		k->w[i] = i % 2 ? k->init[i] : pattern_value(k->type, i % N_PATTERN, &rng);
		put(&bufs[0], k->type, i, k->v[i]);
		put(&bufs[1], k->type, i, k->w[i]);
		put(&bufs[2], k->type, i, meeting_value(k, MIN, i));
		put(&bufs[2], k->type, k->n + i, meeting_value(k, ADD, i));
	}
	for (uint32_t block = 0; block < N_BLOCK; block++)
		for (uint32_t n = 0; n < N_KIND; n++) {
			size_t at = (size_t)block * whole;

			for (uint32_t i = 0; i < k->dim; i++)
				put(&bufs[3], k->type, at + n * k->dim + i, k->init[block * k->dim + i]);
			at += N_KIND * k->dim + n * k->n_meeting;
			for (uint32_t i = 0; i < k->n_meeting; i++)
				put(&bufs[3], k->type, at + i, meeting_value(k, (enum kind)n, i));
		}
}

static bool
same(struct work *k, enum kind kind, uint32_t i, const char *what, uint64_t got, uint64_t want)
{
	struct suite *t = k->t;

	if (t->inject && !t->injected) {
		got ^= 1;
		t->injected = true;
	}
	if (same_value(k->type, got, want, true))
		return true;
	suite_fail(t, 1, "atomic.%s %s%s block=%u: %s %u: got %016llx, want %016llx",
		   kinds[kind].name, qd_type_name(k->type), k->shared ? " shared" : "", k->dim, what, i,
		   (unsigned long long)got, (unsigned long long)want);
	return false;
}

static bool
compare_own(struct work *k, enum kind kind, const struct host_buffer *bufs)
{
	uint32_t whole = cells_of_block(k);

	for (uint32_t i = 0; i < k->n; i++) {
		size_t at = (size_t)(i / k->dim) * whole + kind * k->dim + i % k->dim;
		bool there = i < k->ordinary;
		uint64_t left = there ? becomes(k, kind, k->init[i], k->v[i], k->w[i]) : k->init[i];
		uint64_t gave = !there ? 0 : kind == STORE ? k->v[i] : k->init[i];

		if (!same(k, kind, i, "left to thread", element_get(bufs[3].data, k->type, at), left) ||
		    !same(k, kind, i, "given to thread",
			  element_get(bufs[4].data, k->type, (size_t)kind * k->n + i), gave))
			return false;
	}
	return true;
}

static bool
compare_meeting(struct work *k, enum kind kind, const struct host_buffer *bufs)
{
	uint32_t whole = cells_of_block(k);

	for (uint32_t block = 0; block < N_BLOCK; block++)
		for (uint32_t c = 0; c < k->n_meeting; c++) {
			size_t at = (size_t)block * whole + N_KIND * k->dim + kind * k->n_meeting + c;
			uint64_t want = meeting_value(k, kind, c);

			for (uint32_t i = c; i < k->dim; i += k->n_meeting)
				if (block * k->dim + i < k->ordinary)
					want = becomes(k, kind, want,
						       meeting_value(k, kind, block * k->dim + i), 0);
			if (!same(k, kind, block * k->n_meeting + c, "cell",
				  element_get(bufs[3].data, k->type, at), want))
				return false;
		}
	return true;
}

static uint64_t
cells(qd_type type)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < N_KIND; i++)
		n += (kinds[i].types >> type & 1) * (1u + kinds[i].meets);
	return n;
}

static void
run_one(struct work *k, struct host_buffer *bufs)
{
	struct suite *t = k->t;
	struct qd_kernel *kernel = NULL;
	struct qd_error err = { 0 };
	qd_status st;

	fill(k, bufs);
	st = make(k, &kernel, &err);
	if (!st)
		st = run_kernel(t, kernel, NULL, 0, N_BLOCK, bufs, 5, &err);
	qd_kernel_free(kernel);
	if (st) {
		suite_fail(t, cells(k->type), "atomics %s%s block=%u: %s", qd_type_name(k->type),
			   k->shared ? " shared" : "", k->dim, err.text);
		return;
	}
	for (uint32_t n = 0; n < N_KIND; n++) {
		if (!(kinds[n].types >> k->type & 1))
			continue;
		t->passed += compare_own(k, (enum kind)n, bufs);
		if (kinds[n].meets)
			t->passed += compare_meeting(k, (enum kind)n, bufs);
	}
}

static void
run_size(struct suite *t, qd_type type, bool shared, uint32_t dim)
{
	struct work k = { .t = t, .type = type, .shared = shared, .dim = dim, .n = N_BLOCK * dim,
			  .n_meeting = dim < N_MEETING ? dim : N_MEETING };
	size_t size = element_size(type), n = k.n, all = (size_t)N_BLOCK * cells_of_block(&k);
	uint64_t *values = calloc(3 * n, sizeof *values);
	struct host_buffer bufs[] = { { calloc(n, size), n * size },
				      { calloc(n, size), n * size },
				      { calloc(2 * n, size), 2 * n * size },
				      { calloc(all, size), all * size },
				      { calloc(N_KIND * n, size), N_KIND * n * size } };
	bool got = values != NULL;

	for (uint32_t i = 0; i < 5; i++)
		got = got && bufs[i].data;
	k.ordinary = k.n - (dim > 2 ? dim / 3 + 1 : 0);
	k.init = values;
	k.v = values + n;
	k.w = values + 2 * n;
	if (got)
		run_one(&k, bufs);
	else
		suite_fail(t, cells(type), "atomic: out of memory");
	for (uint32_t i = 0; i < 5; i++)
		free(bufs[i].data);
	free(values);
}

/* Returns the reason why the device skips the type. Its target has a flag if it has no 64-bit
 * atomics; it then rejects them (diag_shared.c). */
static const char *
lacks(const struct suite *t, qd_type type)
{
	const char *why = skip_reason(t, type);

	if (why || ref_width(type) < 64)
		return why;
	return strstr(t->info.target, ":-atomic64") || strstr(t->info.target, ":-i64")
		       ? "64-bit atomics"
		       : NULL;
}

/* Returns true if this run includes the combination. suite.some selects a third of the sizes and
 * memories. */
static bool
is_chosen(const struct suite *t, qd_type type, uint32_t i)
{
	return !t->some || (type + i + t->seed) % 3 == 0;
}

static uint64_t
type_cells(const struct suite *t, qd_type type)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < 2 * N_SIZE; i++)
		n += is_chosen(t, type, i) * cells(type);
	return n;
}

static void
run_atomic(struct suite *t, const struct family *f)
{
	const uint32_t dims[N_SIZE] = { 1, t->size - 1, t->size, t->size + 3, 2 * t->size };

	(void)f;
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
		const char *why = lacks(t, type);

		if (why)
			suite_skip(t, type_cells(t, type), why);
		for (uint32_t i = 0; i < 2 * N_SIZE && !why; i++)
			if (is_chosen(t, type, i))
				run_size(t, type, i % 2, dims[i / 2]);
	}
}

static uint64_t
count_atomic(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)f;
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++)
		n += type_cells(t, type);
	return n;
}

const struct family family_atomic = { "atomic", NULL, 0, run_atomic, count_atomic };
