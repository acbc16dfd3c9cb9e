/* Register limits on AMD. A kernel with many live values must run correctly in blocks of each size,
 * whether or not the registers that such a block leaves suffice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "gen_emit.h"

extern const struct isa isa_amdgcn;
extern const struct unit units_gcn_limit[];
extern const unsigned n_units_gcn_limit;

enum { LIVE = 64, MOST = 1024, WORDS = LIVE * MOST };

struct limit_rig {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *in, *out;
	struct qd_error e;
};

static bool
rig_open(struct limit_rig *r, const char *target, uint32_t wave, const uint64_t *data)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	char name[40];

	*r = (struct limit_rig){ .ctx = NULL };
	snprintf(name, sizeof name, "emu:%s:w%u", target, wave);
	return !qd_context_create(&desc, &r->ctx, &r->e) && !qd_device_open(r->ctx, name, &r->dev, &r->e) &&
	       !qd_stream_create(r->dev, &r->stream, &r->e) &&
	       !qd_buffer_create(r->dev, WORDS * sizeof *data, 0, &r->in, &r->e) &&
	       !qd_buffer_create(r->dev, WORDS * sizeof *data, 0, &r->out, &r->e) &&
	       !qd_buffer_upload(r->stream, r->in, 0, data, WORDS * sizeof *data, &r->e);
}

static void
rig_close(struct limit_rig *r)
{
	qd_buffer_free(r->in);
	qd_buffer_free(r->out);
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
}

/* Builds a kernel that loads all values before the first store. It stores sums of two adjacent
 * values, the last first. */
static qd_status
make(struct limit_rig *r, uint32_t block, struct qd_kernel **k)
{
	struct qd_val i, v[LIVE], n;
	struct qd_array in, out;
	struct qd_builder *b;

	if (qd_builder_create(r->ctx, "live", &b, &r->e))
		return r->e.code;
	in = qd_param_buffer(b, "in", QD_TYPE_U64, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U64, QD_ACCESS_OUT);
	qd_block(b, block, 1, 1);
	i = qd_block_thread_idx(b);
	n = qd_u32(b, block);
	for (uint32_t j = 0; j < LIVE; j++)
		v[j] = qd_load(b, in, qd_add(b, i, qd_mul(b, n, qd_u32(b, j))));
	for (uint32_t j = 0; j < LIVE; j++)
		qd_store(b, out, qd_add(b, i, qd_mul(b, n, qd_u32(b, j))),
			 qd_add(b, v[LIVE - 1 - j], v[(LIVE - j) % LIVE]));
	return qd_builder_finish(b, k, &r->e);
}

static void
compare(struct unit_ctx *t, const char *name, uint32_t block, const uint64_t *in, const uint64_t *out)
{
	uint32_t n_wrong = 0;

	for (uint32_t i = 0; i < block; i++)
		for (uint32_t j = 0; j < LIVE; j++)
			n_wrong += out[i + block * j] !=
				   in[i + block * (LIVE - 1 - j)] + in[i + block * ((LIVE - j) % LIVE)];
	UNIT_CHECK(t, !n_wrong, "%s, block %u: %u wrong", name, block, n_wrong);
}

static void
run_block(struct unit_ctx *t, struct limit_rig *r, const char *name, uint32_t block, const uint64_t *in,
	  uint64_t *out)
{
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_arg args[] = { qd_arg_buffer(r->in), qd_arg_buffer(r->out) };
	qd_status st = make(r, block, &k);

	UNIT_CHECK(t, !st, "%s: %s", name, r->e.text);
	st = st ? st : qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(t, !st, "%s, block %u: %s", name, block, r->e.text);
	if (!st) {
		memset(out, 0xff, WORDS * sizeof *out);
		st = qd_launch(r->stream, fn, 1, args, 2, &r->e);
		st = st ? st : qd_buffer_download(r->stream, r->out, 0, out, WORDS * sizeof *out, &r->e);
		UNIT_CHECK(t, !st, "%s, block %u: %s", name, block, r->e.text);
		compare(t, name, block, in, out);
	}
	qd_function_free(fn);
	qd_kernel_free(k);
}

static void
live(struct unit_ctx *t)
{
	static const uint32_t blocks[] = { 1, 64, 256, 512, 1024 };
	uint64_t *in = malloc(WORDS * sizeof *in), *out = malloc(WORDS * sizeof *out);
	struct unit_rng rng = { 7 };
	uint32_t n_ran = 0;

	for (uint32_t i = 0; in && i < WORDS; i++)
		in[i] = unit_random(&rng);
	for (uint32_t i = 0; in && out && isa_amdgcn.all(i / 2); i++) {
		const char *name = isa_amdgcn.all(i / 2);
		const struct gcn_target *g = gcn_target_find(name, i % 2 ? 64 : 32);
		struct limit_rig r;

		if (!g)
			continue;
		if (rig_open(&r, name, g->wave, in)) {
			for (uint32_t b = 0; b < QD_COUNT(blocks); b++, n_ran++)
				run_block(t, &r, name, blocks[b], in, out);
		} else {
			UNIT_CHECK(t, false, "%s: %s", name, r.e.text);
		}
		rig_close(&r);
	}
	UNIT_CHECK(t, n_ran > 100, "%u ran", n_ran);
	free(in);
	free(out);
}

/* -- Loops whose copies need more registers than there are ---------------------------- */

enum { BASE = 13, ROUNDS = 4 };

static void
count_message(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)level, (void)component, (void)msg, (void)len;
	++*(uint32_t *)user;
}

/* Builds a loop of ROUNDS iterations that adds the products of any two of BASE values. They are the same in
 * every iteration, so its copies keep them. */
static qd_status
make_loop(struct qd_context *ctx, uint32_t block, struct qd_kernel **k, struct qd_error *e)
{
	struct qd_val i, v[BASE], round;
	struct qd_array in, out;
	struct qd_var sum, count;
	struct qd_builder *b;

	if (qd_builder_create(ctx, "loop", &b, e))
		return e->code;
	in = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
	qd_block(b, block, 1, 1);
	i = qd_block_thread_idx(b);
	for (uint32_t j = 0; j < BASE; j++)
		v[j] = qd_load(b, in, qd_add(b, i, qd_u32(b, j)));
	sum = qd_var(b, i);
	count = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	round = qd_get(b, count);
	qd_break_if(b, qd_eq(b, round, qd_u32(b, ROUNDS)));
	for (uint32_t j = 0; j < BASE; j++)
		for (uint32_t l = 0; l < j; l++)
			qd_set(b, sum, qd_add(b, qd_get(b, sum), qd_mul(b, v[j], v[l])));
	qd_set(b, count, qd_add(b, round, qd_u32(b, 1)));
	qd_end(b);
	qd_store(b, out, i, qd_get(b, sum));
	return qd_builder_finish(b, k, e);
}

/* Detects a kernel that is rejected, or an error that is logged, because the copies of a loop need more
 * registers than the block leaves. */
static void
loop_remains(struct unit_ctx *t)
{
	uint32_t n_messages = 0;
	struct qd_context_desc desc = { .version = QD_VERSION, .log = count_message, .log_user = &n_messages };
	struct qd_context *ctx = NULL;
	size_t size[2] = { 0 };
	struct qd_error e;

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e), "%s", e.text);
	for (uint32_t j = 0; ctx && j < 2; j++) {
		struct qd_kernel *k = NULL;
		struct qd_image *image = NULL;

		UNIT_CHECK(t, !make_loop(ctx, j ? MOST : 64, &k, &e), "%s", e.text);
		UNIT_CHECK(t, k && !qd_compile(ctx, k, "gfx906", NULL, 0, &image, &e), "%s", e.text);
		if (image)
			qd_image_data(image, &size[j]);
		qd_image_free(image);
		qd_kernel_free(k);
	}
	UNIT_CHECK(t, 2 * size[0] > 3 * size[1], "%zu bytes with copies, %zu without", size[0], size[1]);
	UNIT_CHECK(t, !n_messages, "%u messages", n_messages);
	qd_context_free(ctx);
}

/* Builds a kernel that ranks eight keys of each thread three times. */
static qd_status
make_ranks(struct qd_context *ctx, struct qd_kernel **k, struct qd_error *e)
{
	enum { KEYS = 8, RADIX = 5 };
	static const char *const names[][2] = { { "bins0", "below0" }, { "bins1", "below1" }, { "bins2", "below2" } };
	struct qd_array in[3], out, bins, below;
	struct qd_val key[KEYS], rank[KEYS], i, sum;
	struct qd_builder *b;

	if (qd_builder_create(ctx, "ranks", &b, e))
		return e->code;
	in[0] = qd_param_buffer(b, "v", QD_TYPE_U32, QD_ACCESS_IN);
	in[1] = qd_param_buffer(b, "w", QD_TYPE_U32, QD_ACCESS_IN);
	in[2] = qd_param_buffer(b, "x", QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U64, QD_ACCESS_OUT);
	qd_block(b, MOST, 1, 1);
	i = qd_grid(b, qd_len(b, in[0]));
	for (uint32_t n = 0; n < QD_COUNT(names); n++) {
		bins = qd_shared(b, names[n][0], QD_TYPE_I32, 1u << RADIX);
		below = qd_shared(b, names[n][1], QD_TYPE_I32, 1u << RADIX);
		for (uint32_t j = 0; j < KEYS; j++) {
			struct qd_val number = qd_u32(b, j + n), one = qd_u32(b, 1);
			key[j] = j < 3 ? qd_load(b, in[j], i) : qd_add(b, qd_shr(b, key[j - 3], one), number);
		}
		qd_block_radix_rank_match_atomic_or_keys(b, key, rank, KEYS, RADIX, 0, RADIX, bins, below);
		sum = qd_load(b, bins, qd_and(b, i, qd_u32(b, 31)));
		sum = qd_cast(b, QD_TYPE_U64, sum);
		for (uint32_t j = 0; j < KEYS; j++) {
			struct qd_val place = qd_cast(b, QD_TYPE_U64, rank[j]), factor = qd_u64(b, 0x9e3779b1);
			sum = qd_add(b, qd_mul(b, sum, factor), place);
		}
		qd_store(b, out, i, sum);
	}
	return qd_builder_finish(b, k, e);
}

/* Detects a kernel that is rejected because loads that are issued early need more registers than the
 * block leaves. */
static void
loads_remain(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error e;

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e) && !make_ranks(ctx, &k, &e), "%s", e.text);
	for (uint32_t i = 0; k && isa_amdgcn.all(i); i++) {
		const char *name = isa_amdgcn.all(i);
		struct qd_image *image = NULL;
		UNIT_CHECK(t, !qd_compile(ctx, k, name, NULL, 0, &image, &e), "%s: %s", name, e.text);
		qd_image_free(image);
	}
	qd_kernel_free(k);
	qd_context_free(ctx);
}

/* -- Branches over more code than a branch reaches ---------------------------------------------- */

enum { STATEMENTS = 20000, MORE_STATEMENTS = 100000, LONG_BLOCK = 64, LONG_N = 60, LONG_LIMIT = 2 };

static uint32_t
long_step(uint32_t v, uint32_t j)
{
	if (j % 1000 == 0) /* a selection, which reads vcc */
		return v & 4 ? v + 9 : v ^ 9;
	return j % 2 ? v * (2 * j + 3) + j : (v ^ (j + 1000)) + 1;
}

static uint32_t
long_value(uint32_t v, uint32_t n_statements)
{
	for (uint32_t n = 0; n < LONG_LIMIT; n++) {
		if ((v & 3) == 1) {
			v += 7;
		} else {
			for (uint32_t j = 0; j < n_statements / 2; j++)
				v = long_step(v, j);
		}
		if ((v & 7) == 5)
			break;
		for (uint32_t j = n_statements / 2; j < n_statements; j++)
			v = long_step(v, j);
	}
	return v;
}

static void
long_steps(struct qd_builder *b, struct qd_var v, uint32_t first, uint32_t end)
{
	struct qd_val x = qd_get(b, v);

	for (uint32_t j = first; j < end; j++)
		x = j % 1000 == 0 ? qd_select(b, qd_ne(b, qd_and(b, x, qd_u32(b, 4)), qd_u32(b, 0)), qd_add(b, x, qd_u32(b, 9)),
					      qd_xor(b, x, qd_u32(b, 9)))
		    : j % 2	  ? qd_add(b, qd_mul(b, x, qd_u32(b, 2 * j + 3)), qd_u32(b, j))
			  : qd_add(b, qd_xor(b, x, qd_u32(b, j + 1000)), qd_u32(b, 1));
	qd_set(b, v, x);
}

/* Builds a grid loop of n_statements with forward and backward branches over them, for single
 * lanes and for whole waves. */
static qd_status
make_long(struct qd_context *ctx, uint32_t n_statements, struct qd_kernel **k, struct qd_error *e)
{
	struct qd_val i, round;
	struct qd_array in, out;
	struct qd_var v, n;
	struct qd_builder *b;

	if (qd_builder_create(ctx, "long", &b, e))
		return e->code;
	in = qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
	qd_block(b, LONG_BLOCK, 1, 1);
	i = qd_grid(b, qd_u32(b, LONG_N));
	v = qd_var(b, qd_load(b, in, i));
	n = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	round = qd_get(b, n);
	qd_break_if(b, qd_ge(b, round, qd_u32(b, LONG_LIMIT)));
	qd_if(b, qd_eq(b, qd_and(b, qd_get(b, v), qd_u32(b, 3)), qd_u32(b, 1)));
	qd_set(b, v, qd_add(b, qd_get(b, v), qd_u32(b, 7)));
	qd_else(b);
	long_steps(b, v, 0, n_statements / 2);
	qd_end(b);
	qd_break_if(b, qd_eq(b, qd_and(b, qd_get(b, v), qd_u32(b, 7)), qd_u32(b, 5)));
	long_steps(b, v, n_statements / 2, n_statements);
	qd_set(b, n, qd_add(b, round, qd_u32(b, 1)));
	qd_end(b);
	qd_store(b, out, i, qd_get(b, v));
	return qd_builder_finish(b, k, e);
}

/* Returns the larger number for a target of each generation, and 0 for a target that the run leaves
 * out. With QD_TEST_SOME, a run has a target of each generation with the smaller number. */
static uint32_t
statements_of(const char *name)
{
	static const char *const names[] = { "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201" };
	bool some = getenv("QD_TEST_SOME") != NULL;

	for (uint32_t i = 0; i < QD_COUNT(names); i++)
		if (!strcmp(name, names[i]))
			return some ? STATEMENTS : MORE_STATEMENTS;
	return some ? 0 : STATEMENTS;
}

/* Detects a jump to a wrong address on any target, and code that is rejected for its length. */
static void
long_branches(struct unit_ctx *t)
{
	static uint64_t data[WORDS];
	uint32_t *in = (uint32_t *)data, *out = calloc(LONG_N, sizeof *out), n_ran = 0;
	struct unit_rng rng = { 11 };

	for (uint32_t i = 0; i < LONG_N; i++)
		in[i] = (uint32_t)unit_random(&rng);
	for (uint32_t i = 0; out && isa_amdgcn.all(i / 2); i++) {
		const char *name = isa_amdgcn.all(i / 2);
		const struct gcn_target *g = gcn_target_find(name, i % 2 ? 64 : 32);
		struct qd_kernel *k = NULL;
		struct qd_function *fn = NULL;
		struct limit_rig r;
		qd_status st;

		if (!g || !statements_of(name))
			continue;
		if (!rig_open(&r, name, g->wave, data)) {
			UNIT_CHECK(t, false, "%s: %s", name, r.e.text);
			rig_close(&r);
			continue;
		}
		struct qd_arg args[] = { qd_arg_buffer(r.in), qd_arg_buffer(r.out) };
		st = make_long(r.ctx, statements_of(name), &k, &r.e);
		st = st ? st : qd_function_get(r.dev, k, NULL, 0, &fn, &r.e);
		st = st ? st : qd_launch(r.stream, fn, (LONG_N + LONG_BLOCK - 1) / LONG_BLOCK, args, 2, &r.e);
		st = st ? st : qd_buffer_download(r.stream, r.out, 0, out, LONG_N * sizeof *out, &r.e);
		UNIT_CHECK(t, !st, "%s:w%u: %s", name, g->wave, r.e.text);
		uint32_t n_wrong = 0;
		for (uint32_t j = 0; !st && j < LONG_N; j++)
			n_wrong += out[j] != long_value(in[j], statements_of(name));
		UNIT_CHECK(t, !n_wrong, "%s:w%u: %u wrong", name, g->wave, n_wrong);
		n_ran += !st;
		qd_function_free(fn);
		qd_kernel_free(k);
		rig_close(&r);
	}
	UNIT_CHECK(t, n_ran >= 6, "%u targets ran", n_ran);
	free(out);
}

const struct unit units_gcn_limit[] = { { "gcn_limit.live", live }, { "gcn_limit.loop_remains", loop_remains }, { "gcn_limit.loads_remain", loads_remain },
					{ "gcn_limit.long_branches", long_branches } };
const unsigned n_units_gcn_limit = QD_COUNT(units_gcn_limit);
