/* Quotients and remainders by a constant. A compiler may multiply by a reciprocal or shift
 * instead, and errs if the factor is one too small. The tests use numbers next to multiples of the
 * divisor, first those near the ends of the type. They also divide numbers that are uniform in a
 * block, which some targets compute on another unit. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { MOST = 40, N_VALUE = 64, N_OP = 2 };
enum whose { OF_THREAD, OF_BLOCK, N_WHOSE };
static const uint32_t step = 0x9e3779b1;

/* Divisors of 32 bits. 64-bit types use only the first N_WIDE, because their division is long
 * code. */
static const uint32_t given[] = {
	7, 3, 10, UINT32_MAX - 6, 641, 0x80000000, 1, 2, UINT32_MAX, 5, 6, 9, 11, 12, 13, 14, 25, 28, 31, 100, 125,
	127, 1000, 4096, 65535, 65537, 6700417, 0x7fffffff, 0x80000001, UINT32_MAX - 1, UINT32_MAX - 4095, 0xaaaaaaab,
};
enum { N_GIVEN = sizeof given / sizeof given[0], N_WIDE = 6, N_RANDOM = MOST - N_GIVEN };

static const enum ref_op ops[N_OP] = { REF_OP_DIV, REF_OP_REM };

struct all {
	struct suite *t;
	enum whose whose;
	qd_type type;
	uint64_t rng;
	uint64_t divisor[MOST], v[N_VALUE * MOST];
	uint32_t n; /* number of divisors */
	uint8_t in[8 * N_VALUE * MOST];
	uint64_t out[N_OP * N_VALUE * MOST];
};

static uint32_t
divisors(qd_type type)
{
	return ref_width(type) == 64 ? N_WIDE : MOST;
}

/* OF_BLOCK is omitted for 64-bit types: the block index has 32 bits. */
static uint32_t
cells(qd_type type)
{
	return N_OP * divisors(type) * (ref_width(type) == 64 ? 1 : N_WHOSE);
}

static uint64_t
mask_of(qd_type type)
{
	return ref_width(type) == 64 ? UINT64_MAX : UINT32_MAX;
}

static uint64_t
any(struct all *a)
{
	/* Every bit length is equally likely. */
	return (random_u64(&a->rng) & mask_of(a->type)) >> random_u64(&a->rng) % ref_width(a->type);
}

static void
fill(struct all *a)
{
	uint64_t mask = mask_of(a->type), ends[] = { 0, mask, mask >> 1, ~(mask >> 1) & mask };

	a->n = divisors(a->type);
	for (uint32_t i = 0; i < a->n; i++) {
		bool low = i < N_GIVEN && (a->type == QD_TYPE_I64 || a->type == QD_TYPE_I32);
		a->divisor[i] = i >= N_GIVEN ? any(a) | 1 : low ? (uint64_t)(int32_t)given[i] & mask : given[i];
	}
	for (uint32_t i = 0; i < a->n * N_VALUE; i++) {
		uint64_t d = a->divisor[i / N_VALUE], offset = i % 3 - UINT64_C(1), j = i % N_VALUE, multiple;

		multiple = j < 12 ? ends[j / 3] / d * d : any(a) / d * d;
		if (a->whose == OF_BLOCK)
			a->v[i] = j * step & UINT32_MAX;
		else
			a->v[i] = (j >= 48 ? any(a) : j >= 36 ? ends[j % 4] + offset : multiple + offset) & mask;
		element_put(a->in, a->type, i, a->v[i]);
	}
	memset(a->out, 0x5a, sizeof a->out);
}

static qd_status
make(struct all *a, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_val thread, block, i, at;
	struct qd_array x, out;
	struct qd_builder *b;

	if (qd_builder_create(a->t->ctx, "divisor", &b, err))
		return err->code;
	x = qd_param_buffer(b, "x", a->type, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U64, QD_ACCESS_OUT);
	qd_block(b, N_VALUE, 1, 1);
	thread = qd_block_thread_idx(b);
	block = qd_bitcast(b, QD_TYPE_U32, qd_block_idx(b));
	i = thread;
	at = a->whose == OF_BLOCK ? block : thread;
	for (uint32_t d = 0; d < a->n; d++) {
		struct qd_val v, by, r[N_OP];

		v = a->whose == OF_BLOCK ? qd_bitcast(b, a->type, qd_mul(b, block, qd_u32(b, step))) :
					   qd_load(b, x, i);
		by = ref_width(a->type) == 64 ? qd_u64(b, a->divisor[d]) : qd_u32(b, (uint32_t)a->divisor[d]);
		by = qd_bitcast(b, a->type, by);
		r[0] = qd_div(b, v, by);
		r[1] = qd_rem(b, v, by);
		for (uint32_t n = 0; n < N_OP; n++) {
			r[n] = qd_bitcast(b, ref_width(a->type) == 64 ? QD_TYPE_U64 : QD_TYPE_U32, r[n]);
			if (a->whose == OF_BLOCK)
				qd_if(b, qd_eq(b, thread, qd_u32(b, 0)));
			qd_store(b, out, at, qd_cast(b, QD_TYPE_U64, r[n]));
			if (a->whose == OF_BLOCK)
				qd_end(b);
			at = qd_add(b, at, qd_u32(b, N_VALUE));
		}
		i = qd_add(b, i, qd_u32(b, N_VALUE));
	}
	return qd_builder_finish(b, k, err);
}

static bool
check(struct all *a, uint32_t d, uint32_t n)
{
	struct suite *t = a->t;

	for (uint32_t j = 0; j < N_VALUE; j++) {
		uint64_t v = a->v[d * N_VALUE + j], got = a->out[(d * N_OP + n) * N_VALUE + j];
		uint64_t want = ref_scalar(ops[n], a->type, v, a->divisor[d], t->flush);

		if (t->inject && !t->injected) {
			got ^= 1;
			t->injected = true;
		}
		if (got == want)
			continue;
		suite_fail(t, 1, "divisor: %s %s of %llx by %llx: %llx, not %llx", qd_type_name(a->type),
			   n ? "remainder" : "quotient", (unsigned long long)v, (unsigned long long)a->divisor[d],
			   (unsigned long long)got, (unsigned long long)want);
		return false;
	}
	return true;
}

static void
run_all(struct all *a)
{
	struct suite *t = a->t;
	struct host_buffer bufs[2];
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };
	qd_status st;

	fill(a);
	bufs[0] = (struct host_buffer){ a->in, (size_t)a->n * N_VALUE * element_size(a->type) };
	bufs[1] = (struct host_buffer){ a->out, (size_t)N_OP * a->n * N_VALUE * sizeof a->out[0] };
	st = make(a, &k, &err);
	if (!st)
		st = run_kernel(t, k, NULL, 0, a->whose == OF_BLOCK ? N_VALUE : 1, bufs, 2, &err);
	if (st)
		suite_fail(t, N_OP * a->n, "divisor: %s: %s", qd_type_name(a->type), err.text);
	for (uint32_t i = 0; i < N_OP * a->n && !st; i++)
		t->passed += check(a, i / N_OP, i % N_OP);
	qd_kernel_free(k);
}

static void
run_divisors(struct suite *t, const struct family *f)
{
	struct all *a = malloc(sizeof *a);

	(void)f;
	if (!a) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	a->t = t;
	a->rng = t->seed;
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_U64; type++) {
		a->type = type;
		if (skip_reason(t, type))
			suite_skip(t, cells(type), skip_reason(t, type));
		for (uint32_t w = 0; w < cells(type) / N_OP / divisors(type) && !skip_reason(t, type); w++) {
			a->whose = (enum whose)w;
			run_all(a);
		}
	}
	free(a);
}

static uint64_t
count_divisors(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)t;
	(void)f;
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_U64; type++)
		n += cells(type);
	return n;
}

const struct family family_divisor = { "divisor", NULL, 0, run_divisors, count_divisors };
