/* wave ROOT DEVICE...: runs every kernel of docs/examples/wave.qdk on each device and compares bit
 * for bit with plain C. Kernels without a row and rows without a kernel are failures.
 *
 * QD_TEST_MUTATION: "bit" flips a bit of each result, "row" omits a row. Each must be
 * detected. */
#include "example.h"
#include "qd.h"
#include "ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "docs/examples/wave.qdk"
#define COUNT(a)  (sizeof(a) / sizeof(a)[0])

enum { MAX_N = 512, BLOCK = 128, ROUNDS = 6 };

/* -- Numbers -------------------------------------------------------------------------- */

/* -- Expected results, in plain C --------------------------------------------------------- */

/* The expected results for n elements at a, in blocks of 128, on subgroups of s lanes. */

static uint32_t
lane_of(uint32_t i, uint32_t s)
{
	return i % BLOCK % s;
}

/* Returns the first element of i's subgroup; lanes_of: the number of its lanes. */
static uint32_t
first_of(uint32_t i, uint32_t s)
{
	return i - lane_of(i, s);
}

static uint32_t
lanes_of(uint32_t i, uint32_t n, uint32_t s)
{
	uint32_t first = first_of(i, s), end = i / BLOCK * BLOCK + BLOCK;

	end = end < n ? end : n;
	return end - first < s ? end - first : s;
}

static void
want_waves(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)a;
	for (uint32_t i = 0; i < n; i++)
		out[i] = i % BLOCK / s << 16 | s << 8 | lane_of(i, s);
}

static void
want_registers(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (a[i] ^ 0x80000000) + 1;
}

static void
want_turned(const uint32_t *a, uint32_t n, uint32_t block, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i / block * block + block - 1 - i % block];
}

static void
want_local_memory(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	want_turned(a, n, 128, out);
}

static void
want_barriers(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	want_turned(a, n, 256, out);
}

static void
want_control_flow(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = a[i] % 1000 + 1, steps = 0;

		while (x != 1 && ++steps < 500)
			x = x % 2 ? x * 3 + 1 : x / 2;
		out[i] = steps;
	}
}

static void
want_atomics(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++) {
		out[0] += a[i];
		out[1] -= a[i];
		out[2] = a[i] < out[2] ? a[i] : out[2];
		out[3] = a[i] > out[3] ? a[i] : out[3];
		out[4] &= a[i] | 255;
		out[5] |= a[i] & 0xff00ff;
		out[6] ^= a[i];
	}
	out[7] = 7;
	out[9]++;
}

static void
want_integers(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = a[i], by = x % 5, of = x % 3;

		out[i] = (x << (x & 31)) + x * x - (x >> 5) + (by ? x / by : UINT32_MAX) +
			 (of ? x % of : x);
	}
}

static void
want_shuffles(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t l = lane_of(i, s), b = first_of(i, s);

		out[i] = a[b + l * 5 % s] + a[l ? i - 1 : i] * 3 + a[l + 2 < s ? i + 2 : i] * 5 +
			 a[b + (l ^ 3)] * 7;
	}
}

static void
want_shuffle(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[first_of(i, s) + a[i] % s];
}

static void
want_up(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[lane_of(i, s) < 2 ? i : i - 2];
}

static void
want_down(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[lane_of(i, s) + 1 < s ? i + 1 : i];
}

static void
want_xor(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i ^ 1];
}

static void
want_broadcast(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[first_of(i, s) + 3];
}

/* Combines all lanes of a subgroup: r is the accumulator, x the value of lane l. */
#define WANT_ALL(name, start, step)                                                                \
	static void want_##name(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)          \
	{                                                                                          \
		for (uint32_t i = 0; i < n; i++) {                                                 \
			uint32_t r = start, m = lanes_of(i, n, s);                                 \
			for (uint32_t l = 0; l < m; l++) {                                         \
				uint32_t x = a[first_of(i, s) + l];                                \
				step;                                                              \
			}                                                                          \
			out[i] = r;                                                                \
		}                                                                                  \
	}
WANT_ALL(ballot, 0, r |= l < 32 ? (uint32_t)(x % 3 == 0) << (l & 31) : 0)
WANT_ALL(any, 0, r |= x % 16 == 0)
WANT_ALL(all, 1, r &= x % 16 != 0)
WANT_ALL(prefix_sum, 0, r += l < lane_of(i, s) ? x : 0)
WANT_ALL(sum, 0, r += x)
WANT_ALL(least, UINT32_MAX, r = x < r ? x : r)
WANT_ALL(most, 0, r = x > r ? x : r)
WANT_ALL(some, 0, r += x % 2 ? x : 0)

/* -- The table ------------------------------------------------------------------------------- */

static const struct row {
	const char *name;
	uint32_t n; /* elements; 0: any number */
	uint32_t n_out;
	void (*want)(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out); /* NULL: below */
} rows[] = {
	{ "waves", 0, 0, want_waves },
	{ "registers", 0, 0, want_registers },
	{ "local_memory", 256, 0, want_local_memory },
	{ "device_memory", 0, 0, NULL },
	{ "control_flow", 0, 0, want_control_flow },
	{ "barriers", 512, 0, want_barriers },
	{ "fences", 0, 0, NULL },
	{ "atomics", 0, 10, want_atomics },
	{ "integers", 0, 0, want_integers },
	{ "floats", 0, 0, NULL },
	{ "shuffles", 256, 0, want_shuffles },
	{ "wave_shuffle", 256, 0, want_shuffle },
	{ "wave_shuffle_up", 256, 0, want_up },
	{ "wave_shuffle_down", 256, 0, want_down },
	{ "wave_shuffle_xor", 256, 0, want_xor },
	{ "wave_broadcast", 256, 0, want_broadcast },
	{ "wave_ballot", 0, 0, want_ballot },
	{ "wave_any", 0, 0, want_any },
	{ "wave_all", 0, 0, want_all },
	{ "wave_prefix_sum", 0, 0, want_prefix_sum },
	{ "wave_reduce_add", 0, 0, want_sum },
	{ "wave_reduce_min", 0, 0, want_least },
	{ "wave_reduce_max", 0, 0, want_most },
	{ "wave_some", 0, 0, want_some },
};

struct run {
	struct qd_context *ctx;
	struct qd_device *dev;
	const char *device;
	uint32_t s;
	char text[8192];
	uint32_t n_ran, n_lacking, n_bad;
};

/* -- Running ------------------------------------------------------------------------------------ */

/* Arguments of a launch, and the expected values of the last n_results of them. */
struct call {
	struct qd_arg args[5];
	uint32_t n_args;
	const void *got[2], *want[2];
	size_t size[2];
	uint32_t n_results;
};

static void
result(struct call *c, void *got, const void *want, size_t size)
{
	c->args[c->n_args++] = qd_arg_host(got, size);
	c->got[c->n_results] = got;
	c->want[c->n_results] = want;
	c->size[c->n_results++] = size;
}

static union {
	uint8_t b[MAX_N];
	uint16_t h[MAX_N];
	uint32_t u[MAX_N];
	uint64_t w[MAX_N];
} in[4], got[2], want[2];

static void
make_memory(struct call *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		in[0].b[i] = (uint8_t)example_u32();
		in[1].h[i] = (uint16_t)example_u32();
		in[2].u[i] = example_u32();
		in[3].w[i] = (uint64_t)example_u32() << 32 | example_u32();
		want[0].w[i] = in[0].b[i] + in[1].h[i] * UINT64_C(3) + in[2].u[i] * UINT64_C(5) +
			       in[3].w[i] * 7;
	}
	for (uint32_t i = 0; i < 4; i++)
		c->args[c->n_args++] = qd_arg_host(&in[i], (size_t)n << i);
	result(c, &got[0], &want[0], n * sizeof *got[0].w);
}

static void
make_fences(struct call *c, uint32_t n)
{
	want[1].u[0] = n;
	want[1].u[1] = 0;
	for (uint32_t i = 0; i < n; i++) {
		in[0].u[i] = example_u32();
		want[0].u[i] = in[0].u[i] ^ i;
		want[1].u[1] += want[0].u[i] * (i + 1);
	}
	c->args[c->n_args++] = qd_arg_host(&in[0], n * sizeof *in[0].u);
	result(c, &got[0], &want[0], n * sizeof *got[0].u);
	result(c, &got[1], &want[1], 2 * sizeof *got[1].u);
}

static void
make_floats(struct call *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x, p;

		in[0].h[i] = (uint16_t)(0x3c00 + example_u32() % 0x2000); /* 1 to 128 */
		x = ref_widen(QD_TYPE_F16, in[0].h[i]);
		p = ref_scalar(REF_OP_MUL, QD_TYPE_F32, x, ref_bits(QD_TYPE_F32, 1.1f), false);
		want[0].u[i] = (uint32_t)ref_scalar(REF_OP_ADD, QD_TYPE_F32, p,
						    ref_bits(QD_TYPE_F32, 0.7f), false);
	}
	c->args[c->n_args++] = qd_arg_host(&in[0], n * sizeof *in[0].h);
	result(c, &got[0], &want[0], n * sizeof *got[0].u);
}

static void
make(struct call *c, const struct run *r, const struct row *row, uint32_t n)
{
	uint32_t n_out = row->n_out ? row->n_out : n;

	memset(got, 0, sizeof got);
	memset(want, 0, sizeof want);
	if (strcmp(row->name, "device_memory") == 0) {
		make_memory(c, n);
		return;
	}
	if (strcmp(row->name, "fences") == 0) {
		make_fences(c, n);
		return;
	}
	if (strcmp(row->name, "floats") == 0) {
		make_floats(c, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		in[0].u[i] = example_u32();
	if (row->want == want_atomics) /* initial values of `min` and `and` */
		got[0].u[2] = want[0].u[2] = got[0].u[4] = want[0].u[4] = UINT32_MAX;
	row->want(in[0].u, n, r->s, want[0].u);
	c->args[c->n_args++] = qd_arg_host(&in[0], n * sizeof *in[0].u);
	result(c, &got[0], &want[0], n_out * sizeof *got[0].u);
}

static bool
compare(const struct run *r, const struct row *row, const struct call *c, uint32_t n)
{
	if (row->want == want_atomics && got[0].u[8] >= 1 && got[0].u[8] <= n)
		got[0].u[8] = 0; /* depends on the order of lanes */
	if (example_injected("bit"))
		got[0].b[1] ^= 4;
	for (uint32_t i = 0; i < c->n_results; i++) {
		const uint8_t *g = c->got[i], *w = c->want[i];
		size_t at = 0;

		while (at < c->size[i] && g[at] == w[at])
			at++;
		if (at == c->size[i])
			continue;
		fprintf(stderr, "%s with %u lanes: %s of %u elements differs in byte %zu: 0x%02x, not 0x%02x\n",
			r->device, r->s, row->name, n, at, g[at], w[at]);
		return false;
	}
	return true;
}

static void
check(struct run *r, const struct row *row)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t n = row->n ? row->n : i ? 1 + example_u32() % 200 : 128;
		struct call c = { .n_args = 0 };
		struct qd_error err;
		qd_status st;

		make(&c, r, row, n);
		st = qd_run(r->dev, r->text, strlen(r->text), FILE_NAME, row->name, NULL, 0, QD_GRID, c.args,
			    c.n_args, &err);
		if (st == QD_E_TARGET && strstr(err.text, "storage")) { /* 8-bit or 16-bit elements */
			r->n_lacking++;
			return;
		}
		if (st)
			fprintf(stderr, "%s with %u lanes: %s: %s\n", r->device, r->s, row->name, err.text);
		if (st || !compare(r, row, &c, n)) {
			r->n_bad++;
			return;
		}
	}
	r->n_ran++;
}

/* -- Main ----------------------------------------------------------------------------------------- */

static bool
same_kernels(struct run *r)
{
	uint32_t n_rows = COUNT(rows) - example_injected("row"), n;
	struct qd_module *m;
	struct qd_error err;
	bool same;

	if (qd_module_parse(r->ctx, r->text, strlen(r->text), FILE_NAME, &m, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	n = qd_module_kernel_count(m);
	same = n == n_rows;
	for (uint32_t k = 0; k < n && k < n_rows; k++)
		same = same && strcmp(rows[k].name, qd_module_kernel_name(m, k)) == 0;
	qd_module_free(m);
	if (!same)
		fprintf(stderr, "%s has %u kernels; tests/programs/wave.c has %u, in the same order\n", FILE_NAME, n,
			n_rows);
	return same;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_device_info info;
	struct qd_error err;
	static struct run r;

	if (argc < 3) {
		fprintf(stderr, "usage: wave ROOT DEVICE...\n");
		return 2;
	}
	if (!example_read(argv[1], FILE_NAME, r.text, sizeof r.text))
		return 1;
	if (qd_context_create(&desc, &r.ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!same_kernels(&r)) {
		qd_context_free(r.ctx);
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		r.device = argv[i];
		if (qd_device_open(r.ctx, r.device, &r.dev, &err) || qd_device_info(r.dev, &info, &err)) {
			fprintf(stderr, "%s\n", err.text);
			r.n_bad++;
			break;
		}
		r.s = info.subgroup_size;
		example_seed(r.s);
		printf("%s%s with %u", i > 2 ? ", " : "", r.device, r.s);
		for (size_t k = 0; k < COUNT(rows); k++)
			check(&r, &rows[k]);
		qd_device_close(r.dev);
		r.dev = NULL;
	}
	qd_device_close(r.dev);
	printf(": %u ran, each %u times, %u could not\n", r.n_ran, (unsigned)ROUNDS, r.n_lacking);
	qd_context_free(r.ctx);
	return r.n_bad != 0;
}
