/* Reference interpreter: results at every subgroup size, in divergent control flow and with padding
 * threads. The expected values are written out here from the definitions. t_ref_check.c tests the
 * reports. */
#include <stdio.h>

#include "interp.h"
#include "ref_rig.h"

/* -- Devices ------------------------------------------------------------------------- */

static void
selectors(struct unit_ctx *t)
{
	static const struct {
		const char *selector;
		uint32_t size;
		const char *text;
	} cases[] = {
		{ "ref", 32, "" },
		{ "ref:4", 4, "" },
		{ "ref:128", 128, "" },
		{ "ref:w64", 64, "" },
		{ "ref:64:w64", 64, "" },
		{ "ref:5", 0,
		  "device selector 'ref:5': the subgroup size must be one of 4, 8, 16, 32, 64, 128" },
		{ "ref:8x", 0,
		  "device selector 'ref:8x': the subgroup size must be one of 4, 8, 16, 32, 64, 128" },
		{ "ref:8:w16", 0, "device selector 'ref:8:w16' names two subgroup sizes" },
	};
	struct rig r;
	struct qd_device *dev;

	if (!rig_open(&r, t, "ref"))
		return;
	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		struct qd_error err = { .text = "" };
		qd_status st = qd_device_open(r.ctx, cases[i].selector, &dev, &err);

		rig_text(t, err.text, cases[i].text);
		UNIT_CHECK(t, st == (cases[i].size ? QD_OK : QD_E_INVALID), "%s: %d",
			   cases[i].selector, (int)st);
		UNIT_CHECK(t, st || dev->info.subgroup_size == cases[i].size, "%s: %u lanes",
			   cases[i].selector, dev->info.subgroup_size);
		if (!st)
			qd_device_close(dev);
	}
	rig_close(&r);
}

static void
memory(struct unit_ctx *t)
{
	struct qd_buffer *b = NULL;
	struct rig r;
	char want[128];

	if (!rig_open(&r, t, "ref"))
		return;
	qd_status st = qd_buffer_create(r.dev, (size_t)1 << 60, 0, &b, &r.err);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM, "status %d", (int)st);
	snprintf(want, sizeof want,
		 "a buffer of 1152921504606846976 bytes: ref:32 has %llu bytes, 0 are in use",
		 (unsigned long long)r.dev->info.memory);
	rig_text(t, r.err.text, want);
	st = qd_buffer_create(r.dev, 100, 0, &b, &r.err);
	UNIT_CHECK(t, st == QD_OK && b->host, "%s", r.err.text);
	for (int i = 0; !st && i < 100; i++)
		UNIT_CHECK(t, ((char *)b->host)[i] == 0, "byte %d is not zero", i);
	qd_buffer_free(b);
	rig_close(&r);
}

static void
events(struct unit_ctx *t)
{
	struct qd_event *a, *b;
	uint64_t ns = 1, back = 1;
	struct rig r;

	if (!rig_open(&r, t, "ref"))
		return;
	unit_event(r.dev, r.stream, &a, NULL);
	unit_event(r.dev, r.stream, &b, NULL);
	UNIT_CHECK(t, qd_stream_wait(r.stream, a, NULL) == QD_OK, "wait");
	UNIT_CHECK(t, qd_event_elapsed(a, b, &ns, NULL) == QD_OK && ns < 1000000000, "elapsed");
	*(uint64_t *)b->timestamp.pool = *(uint64_t *)a->timestamp.pool + 5;
	UNIT_CHECK(t, qd_event_elapsed(a, b, &ns, NULL) == QD_OK && ns == 5, "elapsed");
	UNIT_CHECK(t, qd_event_elapsed(b, a, &back, &r.err) == QD_E_INVALID, "back");
	rig_text(t, r.err.text, "ref:32: the second event passed before the first; swap them");
	qd_event_free(a);
	qd_event_free(b);
	rig_close(&r);
}

/* Checks that every fast loop computes the result of ir_eval. */
static void
fast_alu(struct unit_ctx *t)
{
	static const uint64_t seeds[] = {
		0,
		1,
		2,
		3,
		31,
		32,
		33,
		63,
		64,
		0x7fffffff,
		0x80000000,
		0x80000001,
		0xffffffff,
		0x3f800000,
		0xbf800000,
		0x7f800000,
		0xff800000,
		0x7fc00000,
		0x00000001,
		0x00800000,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffffffffffffffff,
		0x3ff0000000000000,
		0x7ff0000000000000,
		0xfff8000000000000,
		0xfff0000000000000,
	};
	enum { N = QD_COUNT(seeds) };

	for (uint32_t op = 1; op < N_OP; op++) {
		for (qd_type type = QD_TYPE_BOOL; type <= QD_TYPE_F64; type++) {
			if (!op_info[op].is_alu || op_info[op].is_low ||
			    !type_is(type, op_info[op].types) || op_sig((enum op)op)->n_opnd != 2)
				continue;
			uint64_t keep = type_bits(type) == 64
						? UINT64_MAX
						: (UINT64_C(1) << type_bits(type)) - 1;
			bool flt = type_info[type].is_float && op_info[op].sig == SIG_BIN;

			for (uint32_t i = 0; i < N; i++) {
				uint64_t a[N], b[N], got[N];

				for (uint32_t l = 0; l < N; l++) {
					a[l] = seeds[i] & keep;
					b[l] = seeds[l] &
					       (op_info[op].sig == SIG_SHIFT ? UINT32_MAX : keep);
				}
				interp_alu((enum op)op, type, type, N, a, b, NULL, got);
				for (uint32_t l = 0; l < N; l++) {
					uint64_t want =
						ir_eval((enum op)op, type, type, a[l], b[l], 0);
					bool nan = flt &&
						   ir_eval(OP_NE, type, type, want, want, 0) &&
						   ir_eval(OP_NE, type, type, got[l], got[l], 0);

					UNIT_CHECK(t, got[l] == want || nan,
						   "%s %s %llx %llx: %llx, not %llx",
						   op_info[op].text, type_info[type].name,
						   (unsigned long long)a[l],
						   (unsigned long long)b[l],
						   (unsigned long long)got[l],
						   (unsigned long long)want);
				}
			}
		}
	}
}

/* -- Lanes ----------------------------------------------------------------------------- */

static void
places_at(struct unit_ctx *t, uint32_t size)
{
	enum { N_PLACE = 7, MAX_OUT = 2 * (2 * 128 + 1) * N_PLACE };
	static uint32_t out[MAX_OUT];
	uint32_t dim = 2 * size + 1, n = 2 * dim;
	struct rig r;

	if (!rig_open_size(&r, t, size))
		return;
	struct qd_builder *b = rig_kernel(&r, dim);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b), at = qd_mul(b, i, qd_u32(b, N_PLACE));
	const struct qd_val v[N_PLACE] = {
		qd_subgroup_invocation_id(b),
		qd_subgroup_id(b),
		qd_subgroup_count(b),
		qd_subgroup_group_size(b),
		qd_cast(b, QD_TYPE_U32, qd_subgroup_elect(b)),
		qd_block_idx(b),
		qd_add(b, qd_block_dim(b), qd_grid_dim(b)),
	};
	for (uint32_t j = 0; j < N_PLACE; j++)
		qd_store(b, dst, qd_add(b, at, qd_u32(b, j)), v[j]);
	const struct io io = { out, n * N_PLACE * sizeof *out };
	UNIT_CHECK(t, rig_run(&r, b, 2, &io, 1) == QD_OK, "%s", r.err.text);
	rig_text(t, r.log, "");
	for (uint32_t g = 0; g < n; g++) {
		uint32_t l = g % dim;
		const uint32_t want[N_PLACE] = { l % size,	l / size, 3,	  size,
						 l % size == 0, g / dim,  dim + 2 };

		for (uint32_t j = 0; j < N_PLACE; j++)
			UNIT_CHECK(t, out[g * N_PLACE + j] == want[j],
				   "S %u thread %u place %u: %u", size, g, j, out[g * N_PLACE + j]);
	}
	rig_close(&r);
}

static void
places(struct unit_ctx *t)
{
	for (uint32_t size = 4; size <= 128; size *= 2)
		places_at(t, size);
}

static void
moves_at(struct unit_ctx *t, uint32_t size)
{
	enum { N = 256, N_MOVE = 5 };
	static uint32_t src[N], which[N], out[N * N_MOVE];
	struct unit_rng rng = { size };
	struct rig r;

	if (!rig_open_size(&r, t, size))
		return;
	for (uint32_t i = 0; i < N; i++) {
		src[i] = (uint32_t)unit_random(&rng);
		which[i] = (uint32_t)unit_random(&rng) >> (i % 3 ? 25 : 0);
	}
	struct qd_builder *b = rig_kernel(&r, N);
	struct qd_array a = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array w = qd_param_buffer(b, "which", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b), v = qd_load(b, a, i), k = qd_load(b, w, i);
	const struct qd_val got[N_MOVE] = {
		qd_subgroup_shuffle(b, v, k),
		qd_subgroup_shuffle_xor(b, v, k),
		qd_subgroup_shuffle_up(b, v, k),
		qd_subgroup_shuffle_down(b, v, k),
		qd_subgroup_broadcast(b, v, qd_u32(b, size - 1)),
	};
	for (uint32_t j = 0; j < N_MOVE; j++)
		qd_store(b, dst, qd_add(b, i, qd_u32(b, j * N)), got[j]);
	const struct io io[] = { IO(src), IO(which), IO(out) };
	UNIT_CHECK(t, rig_run(&r, b, 1, io, 3) == QD_OK, "%s", r.err.text);
	for (uint32_t g = 0; g < N; g++) {
		uint32_t l = g % size, base = g - l, n = which[g];
		const uint32_t want[N_MOVE] = {
			src[base + n % size],	 src[base + (l ^ n) % size],
			src[n <= l ? g - n : g], src[n < size - l ? g + n : g],
			src[base + size - 1],
		};

		for (uint32_t j = 0; j < N_MOVE; j++)
			UNIT_CHECK(t, out[j * N + g] == want[j],
				   "S %u thread %u move %u operand %u", size, g, j, n);
	}
	rig_close(&r);
}

static void
moves(struct unit_ctx *t)
{
	for (uint32_t size = 4; size <= 128; size *= 2)
		moves_at(t, size);
}

/* Emits an operator that is neither commutative nor associative, so that its result identifies the
 * tree. */
static void
order_operator(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	       struct qd_val *out, uint32_t k)
{
	(void)user;
	for (uint32_t j = 0; j < k; j++)
		out[j] = qd_add(b, qd_mul(b, x[j], qd_u32(b, 31 + 2 * j)),
				qd_xor(b, y[j], x[k - 1 - j]));
}

static void
order_operator_ref(uint32_t (*v)[2], uint32_t n, uint32_t out[2])
{
	uint32_t h = 1, x[2], y[2];

	if (n == 1) {
		memcpy(out, v[0], sizeof x);
		return;
	}
	while (2 * h < n)
		h *= 2;
	order_operator_ref(v, h, x);
	order_operator_ref(v + h, n - h, y);
	for (uint32_t j = 0; j < 2; j++)
		out[j] = x[j] * (31 + 2 * j) + (y[j] ^ x[1 - j]);
}

static float
sum_ref(const float *v, uint32_t n)
{
	uint32_t h = 1;

	if (n == 1)
		return v[0];
	while (2 * h < n)
		h *= 2;
	return sum_ref(v, h) + sum_ref(v + h, n - h);
}

/* Checks reductions and scans of all tiles of a block with padding threads. */
static void
trees_at(struct unit_ctx *t, struct rig *r, uint32_t size, uint32_t log2, uint32_t dim)
{
	enum { N = 256, N_OUT = 6 };
	static uint32_t out[N * N_OUT];
	static uint32_t src[N][2];
	static float flt[N];
	struct unit_rng rng = { size * 1000 + log2 };

	for (uint32_t i = 0; i < N; i++) {
		src[i][0] = (uint32_t)unit_random(&rng);
		src[i][1] = (uint32_t)unit_random(&rng);
		flt[i] = (float)(src[i][0] >> 8) / (float)(1u << src[i][1] % 24);
	}
	struct qd_builder *b = rig_kernel(r, dim);
	struct qd_array a = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array f = qd_param_buffer(b, "flt", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b), two = qd_u32(b, 2), at = qd_mul(b, i, two), v[2], o[N_OUT];
	v[0] = qd_load(b, a, at);
	v[1] = qd_load(b, a, qd_add(b, at, qd_u32(b, 1)));
	qd_subgroup_reduce(b, v, o, 2, log2, order_operator, NULL);
	qd_subgroup_inclusive_scan(b, v, o + 2, 2, log2, order_operator, NULL);
	v[0] = qd_load(b, f, i);
	o[4] = qd_bitcast(b, QD_TYPE_U32, qd_subgroup_reduce_add_tiled(b, v[0], log2));
	o[5] = qd_bitcast(b, QD_TYPE_U32, qd_subgroup_inclusive_add_tiled(b, v[0], log2));
	for (uint32_t j = 0; j < N_OUT; j++)
		qd_store(b, dst, qd_add(b, i, qd_u32(b, j * N)), o[j]);
	const struct io io[] = { IO(src), IO(flt), IO(out) };
	UNIT_CHECK(t, rig_run(r, b, 1, io, 3) == QD_OK, "%s", r->err.text);
	for (uint32_t g = 0; g < dim; g++) {
		uint32_t tile = 1u << log2, base = g & ~(tile - 1);
		uint32_t n = dim - base < tile ? dim - base : tile, want[N_OUT];
		float sum = sum_ref(flt + base, n), part = sum_ref(flt + base, g - base + 1);

		order_operator_ref(src + base, n, want);
		order_operator_ref(src + base, g - base + 1, want + 2);
		memcpy(&want[4], &sum, 4);
		memcpy(&want[5], &part, 4);
		for (uint32_t j = 0; j < N_OUT; j++)
			UNIT_CHECK(t, out[j * N + g] == want[j], "S %u K %u dim %u thread %u: %u",
				   size, log2, dim, g, j);
	}
}

static void
trees(struct unit_ctx *t)
{
	for (uint32_t size = 4, max = 2; size <= 128; size *= 2, max++) {
		struct rig r;

		if (!rig_open_size(&r, t, size))
			return;
		for (uint32_t log2 = 0; log2 <= max; log2++) {
			trees_at(t, &r, size, log2, size);
			trees_at(t, &r, size, log2, 2 * size - 1);
			trees_at(t, &r, size, log2, size + size / 2 + 1);
		}
		rig_close(&r);
	}
}

static void
min_max_ballot(struct unit_ctx *t)
{
	/* Thread 6 of 7 is the last; the eighth lane is a padding thread. */
	static const uint32_t bits[8] = { 0x7fc00000, 0,	  0x80000000, 0x7fc00000,
					  0x7fc00000, 0x7fc00000, 0x7fc00000, 0 };
	uint32_t src[8], out[8] = { 0 };
	struct rig r;

	memcpy(src, bits, sizeof src);
	if (!rig_open(&r, t, "ref:4"))
		return;
	struct qd_builder *b = rig_kernel(&r, 7);
	struct qd_array a = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b), v = qd_load(b, a, i);
	struct qd_val lo = qd_bitcast(b, QD_TYPE_U32, qd_subgroup_reduce_min(b, v));
	struct qd_val hi = qd_bitcast(b, QD_TYPE_U32, qd_subgroup_reduce_max(b, v));
	struct qd_val all = qd_subgroup_ballot_first_n(b, v, 32);
	struct qd_val two = qd_subgroup_ballot_first_n(b, v, 2);
	qd_if(b, qd_ne(b, qd_subgroup_elect(b), qd_i32(b, 0)));
	i = qd_mul(b, qd_subgroup_id(b), qd_u32(b, 4));
	qd_store(b, dst, i, lo);
	qd_store(b, dst, qd_add(b, i, qd_u32(b, 1)), hi);
	qd_store(b, dst, qd_add(b, i, qd_u32(b, 2)), all);
	qd_store(b, dst, qd_add(b, i, qd_u32(b, 3)), two);
	qd_end(b);
	const struct io io[] = { IO(src), IO(out) };
	UNIT_CHECK(t, rig_run(&r, b, 1, io, 2) == QD_OK, "%s", r.err.text);
	UNIT_CHECK(t, out[0] == 0x80000000 && out[1] == 0, "min %x max %x", out[0], out[1]);
	UNIT_CHECK(t, out[2] == 9 && out[3] == 1, "ballots %x %x", out[2], out[3]);
	UNIT_CHECK(t, out[4] << 1 > 0xff000000 && out[5] << 1 > 0xff000000, "NaN %x %x", out[4],
		   out[5]);
	UNIT_CHECK(t, out[6] == 7 && out[7] == 3, "partial ballots %x %x", out[6], out[7]);
	rig_close(&r);
}

/* -- Control flow ------------------------------------------------------------------------ */

static uint32_t
flow_ref(uint32_t i)
{
	uint32_t v = i * 7 % 97 + 1, steps = 0, acc = i;

	for (;;) {
		if (v <= 1)
			break;
		steps++;
		if (v & 1) {
			v = 3 * v + 1;
			continue;
		}
		v /= 2;
		for (uint32_t j = 0;; j++) {
			if (j >= v % 5)
				break;
			if (j == 3) {
				acc ^= v;
				break;
			} else {
				acc = acc * 3 + steps;
			}
		}
		if (acc % 11 == 0)
			break;
	}
	return acc + steps * 65536 + v;
}

static struct qd_val
low(struct qd_builder *b, struct qd_val v, uint32_t n)
{
	return qd_rem(b, v, qd_u32(b, n));
}

static void
flow_body(struct qd_builder *b, struct qd_var v, struct qd_var steps, struct qd_var acc)
{
	struct qd_val one = qd_u32(b, 1);

	qd_loop(b);
	qd_break_if(b, qd_le(b, qd_get(b, v), one));
	qd_set(b, steps, qd_add(b, qd_get(b, steps), one));
	qd_if(b, qd_eq(b, qd_and(b, qd_get(b, v), one), one));
	qd_set(b, v, qd_add(b, qd_mul(b, qd_get(b, v), qd_u32(b, 3)), one));
	qd_continue(b);
	qd_end(b);
	qd_set(b, v, qd_div(b, qd_get(b, v), qd_u32(b, 2)));
	struct qd_var j = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	qd_break_if(b, qd_ge(b, qd_get(b, j), low(b, qd_get(b, v), 5)));
	qd_if(b, qd_eq(b, qd_get(b, j), qd_u32(b, 3)));
	qd_set(b, acc, qd_xor(b, qd_get(b, acc), qd_get(b, v)));
	qd_break(b);
	qd_else(b);
	qd_set(b, acc, qd_add(b, qd_mul(b, qd_get(b, acc), qd_u32(b, 3)), qd_get(b, steps)));
	qd_end(b);
	qd_set(b, j, qd_add(b, qd_get(b, j), one));
	qd_end(b);
	qd_if(b, qd_eq(b, low(b, qd_get(b, acc), 11), qd_u32(b, 0)));
	qd_break(b);
	qd_end(b);
	qd_end(b);
}

static void
flow(struct unit_ctx *t)
{
	for (uint32_t size = 4; size <= 128; size *= 2) {
		uint32_t out[300] = { 0 };
		struct rig r;

		if (!rig_open_size(&r, t, size))
			return;
		struct qd_builder *b = rig_kernel(&r, 100);
		struct qd_array dst = rig_dst(b);
		struct qd_val i = qd_grid(b, qd_len(b, dst));
		struct qd_var v =
			qd_var(b, qd_add(b, low(b, qd_mul(b, i, qd_u32(b, 7)), 97), qd_u32(b, 1)));
		struct qd_var steps = qd_var(b, qd_u32(b, 0)), acc = qd_var(b, i);
		flow_body(b, v, steps, acc);
		struct qd_val sum = qd_mul(b, qd_get(b, steps), qd_u32(b, 65536));
		qd_store(b, dst, i, qd_add(b, qd_add(b, qd_get(b, acc), sum), qd_get(b, v)));
		const struct io io = IO(out);
		UNIT_CHECK(t, rig_run(&r, b, QD_GRID, &io, 1) == QD_OK, "%s", r.err.text);
		for (uint32_t g = 0; g < 300; g++)
			UNIT_CHECK(t, out[g] == flow_ref(g), "S %u thread %u: %u, not %u", size, g,
				   out[g], flow_ref(g));
		rig_close(&r);
	}
}

static void
storage(struct unit_ctx *t)
{
	int8_t src[8] = { -128, -1, 0, 1, 127, 5, 6, 7 };
	uint16_t out[8] = { 0 };
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	struct qd_builder *b = rig_kernel(&r, 8);
	struct qd_array a = qd_param_buffer(b, "src", QD_TYPE_I8, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_BF16, QD_ACCESS_OUT);
	struct qd_val i = rig_thread(b);
	qd_store(b, dst, i, qd_cast(b, QD_TYPE_F32, qd_load(b, a, i)));
	const struct io io[] = { IO(src), IO(out) };
	UNIT_CHECK(t, rig_run(&r, b, 1, io, 2) == QD_OK, "%s", r.err.text);
	UNIT_CHECK(t,
		   out[0] == 0xc300 && out[1] == 0xbf80 && out[2] == 0 && out[3] == 0x3f80 &&
			   out[4] == 0x42fe,
		   "%x %x %x %x %x", out[0], out[1], out[2], out[3], out[4]);
	rig_close(&r);
}

/* Fails each allocation from compile to launch once, which must return a status and not leak. */
static void
out_of_memory(struct unit_ctx *t)
{
	qd_status st = QD_E_NOMEM;

	for (size_t n = 1; st && n < 100; n++) {
		struct qd_kernel *k = NULL;
		struct qd_function *fn;
		struct qd_buffer *buf = NULL;
		struct qd_stream *stream = NULL;
		struct rig r;

		if (!rig_open(&r, t, "ref:128"))
			return;
		struct qd_builder *b = rig_kernel(&r, 128);
		struct qd_array mem = qd_param_buffer(b, "mem", QD_TYPE_F64, QD_ACCESS_INOUT);
		struct qd_val i = rig_thread(b), v = qd_load(b, mem, i);
		for (int j = 0; j < 20; j++)
			v = qd_subgroup_inclusive_add(b, v);
		qd_store(b, mem, i, v);
		UNIT_CHECK(t, !qd_builder_finish(b, &k, &r.err), "%s", r.err.text);
		r.mem.fail_at = r.mem.n_calls + n;
		st = qd_function_get(r.dev, k, NULL, 0, &fn, &r.err);
		st = st ? st : qd_buffer_create(r.dev, 1 << 20, 0, &buf, &r.err);
		st = st ? st : qd_stream_create(r.dev, &stream, &r.err);
		struct qd_arg arg = qd_arg_buffer(buf);
		st = st ? st : qd_launch(stream, fn, 1, &arg, 1, &r.err);
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM || st == QD_E_DEVICE_NOMEM,
			   "allocation %zu: status %d", n, (int)st);
		UNIT_CHECK(t, st || n > 4, "only %zu allocations", n - 1);
		qd_stream_free(stream);
		qd_buffer_free(buf);
		qd_kernel_free(k);
		rig_close(&r);
	}
	UNIT_CHECK(t, st == QD_OK, "never succeeds");
}

const struct unit units_ref[] = {
	{ "ref.selectors", selectors },
	{ "ref.memory", memory },
	{ "ref.events", events },
	{ "ref.fast_alu", fast_alu },
	{ "ref.places", places },
	{ "ref.moves", moves },
	{ "ref.trees", trees },
	{ "ref.min_max_ballot", min_max_ballot },
	{ "ref.flow", flow },
	{ "ref.storage", storage },
	{ "ref.out_of_memory", out_of_memory },
};
const unsigned n_units_ref = QD_COUNT(units_ref);
