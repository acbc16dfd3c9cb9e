/* lookback ROOT DEVICE...: runs docs/examples/lookback.qdk on each device and compares with plain
 * C. The cases: 400 blocks; blocks that may not poll, so each sums all preceding elements itself;
 * blocks that follow some that stopped halfway; and one that then polls for a long time.
 *
 * QD_TEST_ITERATIONS: iterations of each case (default 3).
 * QD_TEST_LOAD: threads that create load meanwhile (default none).
 * QD_TEST_MUTATION: "bit" flips a bit of each result, "count" expects one more block that did the
 * work of another, "silent" clears a flag of a stopped block, so that one more block than expected
 * does such work. Each must be detected. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "qd.h"

#define FILE_NAME "docs/examples/lookback.qdk"
#define COUNT(a)  (sizeof(a) / sizeof(a)[0])

enum { N_BLOCK = 400, MAX_DIM = 256, MAX_N = N_BLOCK * 128, GUARDS = 3, MAX_LOAD = 64 };

/* States of the stopped blocks, by block number. */
enum { SILENT, OWN, UPTO };
static const uint32_t stopped[] = { UPTO, SILENT, OWN, SILENT, OWN, OWN, SILENT };
enum { N_SILENT = 3 };

static const struct shape {
	const char *name;
	qd_type type;
	uint32_t dim, polls, blocks;
	uint32_t n_stopped; /* blocks that stopped before the launch */
	uint32_t less;	 /* elements missing in the last block */
} shapes[] = {
	{ "many blocks", QD_TYPE_U32, 64, 1000, N_BLOCK, 0, 17 },
	{ "without looking", QD_TYPE_U64, 128, 0, 24, 0, 1 },
	{ "after stopped blocks", QD_TYPE_I64, 64, 4, 100, COUNT(stopped), 63 },
	/* More polls for each silent block would exceed lavapipe's limit of loop iterations. */
	{ "looking long", QD_TYPE_U64, 64, 30000, COUNT(stopped) + 1, COUNT(stopped), 1 },
};

struct run {
	struct qd_device *dev;
	const char *device;
	char text[8192];
	uint32_t n_bad;
	uint64_t n_helped;
};

static uint32_t
number(const char *name, uint32_t other)
{
	const char *s = getenv(name);

	return s ? (uint32_t)strtoul(s, NULL, 10) : other;
}

/* -- Inputs and results ------------------------------------------------------------------- */

/* Elements of 32 or 64 bits. */
static union {
	uint32_t u[MAX_N + GUARDS];
	uint64_t w[MAX_N + GUARDS];
} src, dst, want, own, upto;
static uint32_t state[2 + N_BLOCK];

static uint64_t
random_u64(void)
{
	uint64_t high = example_u32();

	return high << 32 | example_u32();
}

static bool
is_wide(const struct shape *s)
{
	return s->type != QD_TYPE_U32;
}

static uint32_t
elements(const struct shape *s)
{
	return s->blocks * s->dim - s->less;
}

/* Fills sums that no block has written with 0xee, so that reading them is detected. */
static void
fill(const struct shape *s)
{
	uint64_t sum = 0, of_block = 0;

	memset(state, 0, sizeof state);
	memset(&dst, 0, sizeof dst);
	memset(&want, 0, sizeof want);
	memset(&own, 0xee, sizeof own);
	memset(&upto, 0xee, sizeof upto);
	for (uint32_t i = 0; i < elements(s); i++) {
		uint64_t v = random_u64();
		uint32_t b = i / s->dim;
		bool ends = i % s->dim == s->dim - 1;

		of_block = i % s->dim ? of_block + v : v;
		sum += v;
		if (is_wide(s))
			src.w[i] = v;
		else
			src.u[i] = (uint32_t)v;
		if (b >= s->n_stopped && is_wide(s))
			want.w[i] = sum;
		else if (b >= s->n_stopped)
			want.u[i] = (uint32_t)sum;
		else if (ends && stopped[b] == OWN)
			own.w[b] = of_block;
		else if (ends && stopped[b] == UPTO)
			upto.w[b] = sum;
		if (b < s->n_stopped)
			state[2 + b] = stopped[b];
	}
	state[0] = s->n_stopped;
	if (s->n_stopped && example_injected("silent"))
		state[2 + 4] = SILENT;
}

/* Checks how many blocks did the work of another. If blocks poll, the count depends on timing; the
 * lower bound is the silent blocks' work. */
static bool
helped_right(const struct run *r, const struct shape *s)
{
	uint32_t all = s->blocks * (s->blocks - 1) / 2, more = example_injected("count");
	uint32_t least = s->polls ? (s->n_stopped ? N_SILENT : 0) : all, most = all;

	/* The interpreter runs blocks in order, so it never helps a running one. */
	if (strncmp(r->device, "ref", 3) == 0)
		most = least;
	if (state[1] >= least + more && state[1] <= most + more)
		return true;
	fprintf(stderr, "%s: %s: %u blocks did the work of another block, expected %u to %u\n",
		r->device, s->name, state[1], least + more, most + more);
	return false;
}

static bool
compare(const struct run *r, const struct shape *s)
{
	const uint8_t *g = (const uint8_t *)&dst, *w = (const uint8_t *)&want;
	size_t size = is_wide(s) ? 8 : 4, n = (elements(s) + GUARDS) * size, at = 0;

	if (example_injected("bit"))
		dst.u[MAX_DIM * 8] ^= 1;
	while (at < n && g[at] == w[at])
		at++;
	if (at < n) {
		fprintf(stderr, "%s: %s: element %zu is wrong\n", r->device, s->name, at / size);
		return false;
	}
	if (state[0] != s->blocks) {
		fprintf(stderr, "%s: %s: %u blocks took a number, not %u\n", r->device, s->name,
			state[0] - s->n_stopped, s->blocks - s->n_stopped);
		return false;
	}
	return helped_right(r, s);
}

static bool
once(struct run *r, const struct shape *s)
{
	const struct qd_tmpl tmpl[] = { { .name = "T", .type = s->type },
					{ .name = "D", .value = s->dim },
					{ .name = "POLLS", .value = s->polls } };
	size_t size = is_wide(s) ? 8 : 4, n = elements(s) * size;
	struct qd_arg args[5];
	struct qd_error err = { .code = QD_OK };

	fill(s);
	args[0] = qd_arg_host(&src, n);
	args[1] = qd_arg_host(&dst, n);
	args[2] = qd_arg_host(state, (2 + s->blocks) * sizeof *state);
	args[3] = qd_arg_host(&own, s->blocks * size);
	args[4] = qd_arg_host(&upto, s->blocks * size);
	if (qd_run(r->dev, r->text, strlen(r->text), FILE_NAME, "lookback", tmpl, COUNT(tmpl),
		   s->blocks - s->n_stopped, args, COUNT(args), &err)) {
		fprintf(stderr, "%s: %s: %s\n", r->device, s->name, err.text);
		return false;
	}
	r->n_helped += state[1];
	return compare(r, s);
}

/* -- Load ------------------------------------------------------------------------------------- */

static atomic_bool over;

static void *
compute(void *user)
{
	uint64_t *x = user;

	while (!atomic_load(&over))
		*x = *x * 6364136223846793005u + 1;
	return NULL;
}

struct load {
	pthread_t thread[MAX_LOAD];
	uint64_t x[MAX_LOAD];
	uint32_t n;
};

static void
load_begin(struct load *l)
{
	uint32_t n = number("QD_TEST_LOAD", 0);

	while (l->n < n && l->n < MAX_LOAD &&
	       !pthread_create(&l->thread[l->n], NULL, compute, &l->x[l->n]))
		l->n++;
}

static void
load_end(struct load *l)
{
	atomic_store(&over, true);
	while (l->n > 0)
		pthread_join(l->thread[--l->n], NULL);
}

/* -- Main --------------------------------------------------------------------------------- */

static void
run_device(struct run *r, struct qd_context *ctx, uint32_t times)
{
	struct qd_error err;

	if (qd_device_open(ctx, r->device, &r->dev, &err)) {
		fprintf(stderr, "%s\n", err.text);
		r->n_bad++;
		return;
	}
	r->n_helped = 0;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		for (uint32_t k = 0; k < times; k++)
			r->n_bad += !once(r, &shapes[i]);
	}
	printf("%s: %u shapes, each %u times; %llu times a block did the work of another block\n",
	       r->device, (unsigned)COUNT(shapes), times, (unsigned long long)r->n_helped);
	qd_device_close(r->dev);
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	static struct load load;
	static struct run r;
	struct qd_context *ctx;
	struct qd_error err;

	if (argc < 3) {
		fprintf(stderr, "usage: lookback ROOT DEVICE...\n");
		return 2;
	}
	if (!example_read(argv[1], FILE_NAME, r.text, sizeof r.text))
		return 1;
	if (qd_context_create(&desc, &ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	load_begin(&load);
	for (int i = 2; i < argc; i++) {
		r.device = argv[i];
		run_device(&r, ctx, number("QD_TEST_ITERATIONS", 3));
	}
	load_end(&load);
	qd_context_free(ctx);
	return r.n_bad != 0;
}
