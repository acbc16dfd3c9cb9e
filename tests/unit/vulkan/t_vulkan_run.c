/* Work on the Vulkan driver: order of transfers and launches, streams, events, memory. "staged"
 * simulates a card whose memory the host cannot access. */
#include "t_vulkan.h"

#include <stdlib.h>

/* -- Order ----------------------------------------------------------------------------- */

/* Checks that a download has the data at its position in the stream, and that an upload copies its
 * bytes when called. */
static void
order(struct unit_ctx *t, bool staged)
{
	enum { N = 1000, ROUNDS = 90 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, staged))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, N * 4);
	static uint32_t up[N], got[ROUNDS][3][N];
	for (uint32_t i = 0; i < ROUNDS; i++) {
		for (uint32_t j = 0; j < N; j++)
			up[j] = 1000 * i;
		VULKAN_OK(t, &r, qd_buffer_upload(r.stream, buf, 0, up, sizeof up, &r.e));
		memset(up, 0xee, sizeof up);
		VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, N, &r.e));
		VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, got[i][0], N * 4, &r.e));
		VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, N, &r.e));
		VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, N, &r.e));
		/* two downloads to one address: the later one is kept */
		VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, got[i][1], 4, &r.e));
		VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, got[i][1], N * 4, &r.e));
		up[0] = 7;
		VULKAN_OK(t, &r, qd_buffer_upload(r.stream, buf, 4 * (N - 1), up, 4, &r.e));
		VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, got[i][2], N * 4, &r.e));
		if (i % 7 == 3)
			VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	}
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t b0 = vulkan_count_other(got[i][0], N, 1000 * i + 1);
		uint32_t b1 = vulkan_count_other(got[i][1], N, 1000 * i + 3);
		uint32_t b2 = vulkan_count_other(got[i][2], N - 1, 1000 * i + 3);
		UNIT_CHECK(t, !b0 && !b1 && !b2 && got[i][2][N - 1] == 7,
			   "round %u: %u %u %u wrong, last %u", i, b0, b1, b2, got[i][2][N - 1]);
	}
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

void
t_vulkan_order_mapped(struct unit_ctx *t)
{
	order(t, false);
}

void
t_vulkan_order_staged(struct unit_ctx *t)
{
	order(t, true);
}

/* Checks transfers larger than the ring, to memory in use. */
static void
large(struct unit_ctx *t, bool staged)
{
	enum { N = 21 * 1024 * 1024 / 4 + 13 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, staged))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, N * (size_t)4);
	uint32_t *up = malloc(N * (size_t)4), *down = calloc(N, 4);
	for (uint32_t i = 0; i < N; i++)
		up[i] = i * 2654435761u;
	VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 9, &r.e));
	VULKAN_OK(t, &r, qd_buffer_upload(r.stream, buf, 0, up, N * (size_t)4, &r.e));
	VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 5, &r.e));
	VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, down, N * (size_t)4, &r.e));
	VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 100, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	uint32_t bad = 0;
	for (uint32_t i = 0; i < N; i++)
		bad += down[i] != up[i] + (i < 5);
	UNIT_CHECK(t, bad == 0, "%u of %u words are wrong", bad, (uint32_t)N);
	free(up);
	free(down);
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

void
t_vulkan_large_mapped(struct unit_ctx *t)
{
	large(t, false);
}

void
t_vulkan_large_staged(struct unit_ctx *t)
{
	large(t, true);
}

/* -- Launches --------------------------------------------------------------------------- */

static void
run_blocks(struct unit_ctx *t, struct vulkan_rig *r, uint32_t n)
{
	struct qd_function *inc = vulkan_rig_function(t, r, r->inc);
	struct qd_function *wide = vulkan_rig_function(t, r, r->wide);
	const uint32_t guard = 64;
	struct qd_buffer *buf = vulkan_rig_buffer(t, r, (n + guard) * (size_t)4);
	struct qd_buffer *spare = vulkan_rig_buffer(t, r, 4);
	uint32_t *down = malloc((n + guard) * (size_t)4);
	VULKAN_OK(t, r, vulkan_rig_inc(r->stream, inc, buf, n, &r->e));
	VULKAN_OK(t, r, vulkan_rig_wide(r->stream, wide, buf, spare, n, &r->e));
	VULKAN_OK(t, r,
		  qd_buffer_download_async(r->stream, buf, 0, down, (n + guard) * (size_t)4, &r->e));
	VULKAN_OK(t, r, qd_stream_sync(r->stream, &r->e));
	uint32_t bad = vulkan_count_other(down, n, 1 + WIDE_SUM);
	uint32_t past = vulkan_count_other(down + n, guard, 0);
	UNIT_CHECK(t, !bad && !past, "%u blocks: %u ran wrongly, %u past the end", n, bad, past);
	free(down);
	qd_buffer_free(buf);
	qd_buffer_free(spare);
}

void
t_vulkan_many_blocks(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	run_blocks(t, &r, 65535);
	run_blocks(t, &r, 65536);
	run_blocks(t, &r, 200001);
	/* like a device with small limits: 7 x 3 blocks per dispatch */
	r.dev->max_x = 7;
	r.dev->max_y = 3;
	for (uint32_t n = 1; n < 130; n += n < 30 ? 1 : 7)
		run_blocks(t, &r, n);
	vulkan_rig_close(t, &r);
}

/* Checks more launches than a ring of argument blocks holds. */
void
t_vulkan_wide_args(struct unit_ctx *t)
{
	enum { LAUNCHES = 5000, N = 4 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *wide = vulkan_rig_function(t, &r, r.wide);
	UNIT_CHECK(t, wide->args_in_memory,
		   "the block of %u bytes went into push constants", r.wide->args_size);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, N * 4);
	struct qd_buffer *spare = vulkan_rig_buffer(t, &r, 4);
	uint32_t down[N];
	for (int i = 0; i < LAUNCHES; i++)
		VULKAN_OK(t, &r, vulkan_rig_wide(r.stream, wide, buf, spare, N, &r.e));
	VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, down, sizeof down, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	UNIT_CHECK(t, !vulkan_count_other(down, N, LAUNCHES * WIDE_SUM), "got %u", down[0]);
	qd_buffer_free(buf);
	qd_buffer_free(spare);
	vulkan_rig_close(t, &r);
}

/* Checks that a warm launch allocates nothing. */
void
t_vulkan_warm_launch(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_function *wide = vulkan_rig_function(t, &r, r.wide);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
	size_t calls = 0;
	for (int i = 0; i < 4000; i++) {
		if (i == 2000)
			calls = r.alloc.n_calls;
		VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 16, &r.e));
		VULKAN_OK(t, &r, vulkan_rig_wide(r.stream, wide, buf, buf, 16, &r.e));
		if (i % 50 == 0)
			VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	}
	UNIT_CHECK(t, r.alloc.n_calls == calls, "%zu allocations", r.alloc.n_calls - calls);
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

/* -- Streams and events --------------------------------------------------------------------- */

void
t_vulkan_streams(struct unit_ctx *t)
{
	enum { N = 100 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	for (int round = 0; round < 3; round++) {
		struct qd_stream *s[N] = { 0 };
		struct qd_buffer *buf[N] = { 0 };
		uint32_t down[N] = { 0 };
		for (uint32_t i = 0; i < N; i++) {
			VULKAN_OK(t, &r, qd_stream_create(r.dev, &s[i], &r.e));
			buf[i] = vulkan_rig_buffer(t, &r, 4);
			VULKAN_OK(t, &r, qd_buffer_upload(s[i], buf[i], 0, &i, 4, &r.e));
			VULKAN_OK(t, &r, vulkan_rig_inc(s[i], inc, buf[i], 1, &r.e));
			VULKAN_OK(t, &r, qd_buffer_download_async(s[i], buf[i], 0, &down[i], 4, &r.e));
		}
		for (uint32_t i = 0; i < N; i++) {
			/* freeing a stream waits for its work, in any order */
			if (i % 3 == 0)
				VULKAN_OK(t, &r, qd_stream_sync(s[i], &r.e));
			if (i % 2)
				qd_buffer_free(buf[i]);
			qd_stream_free(s[i]);
			if (i % 2 == 0)
				qd_buffer_free(buf[i]);
			UNIT_CHECK(t, down[i] == i + 1, "stream %u: %u", i, down[i]);
		}
	}
	vulkan_rig_close(t, &r);
}

void
t_vulkan_events(struct unit_ctx *t)
{
	enum { N = 4000, ROUNDS = 40, WAITS = 2 * MAX_WAITS + 3 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, N * 4);
	struct qd_stream *other = NULL;
	VULKAN_OK(t, &r, qd_stream_create(r.dev, &other, &r.e));
	static uint32_t down[N];
	struct qd_event *first = NULL, *last = NULL;
	VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &first, &r.e));
	/* two streams alternate on one buffer */
	for (int i = 0; i < ROUNDS; i++) {
		struct qd_stream *a = i % 2 ? other : r.stream, *b = i % 2 ? r.stream : other;
		struct qd_event *e = NULL;
		VULKAN_OK(t, &r, vulkan_rig_inc(a, inc, buf, N, &r.e));
		VULKAN_OK(t, &r, unit_event(r.dev, a, &e, &r.e));
		VULKAN_OK(t, &r, qd_stream_wait(b, e, &r.e));
		qd_event_free(e);
	}
	VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf, 0, down, sizeof down, &r.e));
	VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &last, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	uint32_t bad = vulkan_count_other(down, N, ROUNDS);
	UNIT_CHECK(t, !bad, "%u of %u words are wrong: %u", bad, (uint32_t)N, down[0]);
	uint64_t ns = 0;
	if (r.vk->physical.timestamp_bits) {
		VULKAN_OK(t, &r, qd_event_elapsed(first, last, &ns, &r.e));
		UNIT_CHECK(t, ns > 0 && ns < UINT64_C(100000000000), "%llu ns",
			   (unsigned long long)ns);
		qd_status st = qd_event_elapsed(last, first, &ns, &r.e);
		UNIT_CHECK(t, st == QD_E_INVALID, "status %d: %s", (int)st, r.e.text);
	}
	/* one stream waits for more others than one submission can */
	struct qd_stream *after[WAITS] = { 0 };
	for (size_t i = 0; i < WAITS; i++) {
		struct qd_event *e = NULL;
		VULKAN_OK(t, &r, qd_stream_create(r.dev, &after[i], &r.e));
		VULKAN_OK(t, &r, vulkan_rig_inc(after[i], inc, buf, N, &r.e));
		VULKAN_OK(t, &r, unit_event(r.dev, after[i], &e, &r.e));
		VULKAN_OK(t, &r, qd_stream_wait(other, e, &r.e));
		qd_event_free(e);
	}
	VULKAN_OK(t, &r, qd_buffer_download_async(other, buf, 0, down, sizeof down, &r.e));
	for (size_t i = 0; i < WAITS; i++)
		qd_stream_free(after[i]);
	VULKAN_OK(t, &r, qd_stream_sync(other, &r.e));
	bad = vulkan_count_other(down, N, ROUNDS + WAITS);
	UNIT_CHECK(t, !bad, "%u of %u words are wrong: %u", bad, (uint32_t)N, down[0]);
	/* an event outlives its stream; there are more than one pool holds */
	struct qd_event *many[200] = { 0 };
	for (size_t i = 0; i < QD_COUNT(many); i++)
		VULKAN_OK(t, &r, unit_event(r.dev, other, &many[i], &r.e));
	qd_stream_free(other);
	VULKAN_OK(t, &r, qd_stream_wait(r.stream, many[7], &r.e));
	for (size_t i = 0; i < QD_COUNT(many); i++)
		qd_event_free(many[i]);
	qd_event_free(first);
	qd_event_free(last);
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

/* -- Memory -------------------------------------------------------------------------------- */

/* Creates and frees buffers of random sizes. Each is zero at first, keeps what is written and
 * overlaps no other. */
static void
memory(struct unit_ctx *t, bool staged)
{
	enum { SLOTS = 60, STEPS = 1500 };
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, staged))
		return;
	struct unit_rng rng = { 11 };
	struct qd_buffer *buf[SLOTS] = { 0 };
	size_t size[SLOTS] = { 0 };
	char *host = malloc(1 << 20);
	uint32_t bad = 0;
	for (uint32_t step = 0; step < STEPS && !t->n_failed; step++) {
		uint32_t i = (uint32_t)(unit_random(&rng) % SLOTS);
		if (buf[i]) {
			VULKAN_OK(t, &r,
				  qd_buffer_download_async(r.stream, buf[i], 0, host, size[i], &r.e));
			VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
			for (size_t k = 0; k < size[i]; k++)
				bad += host[k] != (char)i;
			qd_buffer_free(buf[i]);
			buf[i] = NULL;
			continue;
		}
		size[i] = unit_random(&rng);
		size[i] = 1 + size[i] % (UINT64_C(1) << (1 + unit_random(&rng) % 19));
		buf[i] = vulkan_rig_buffer(t, &r, size[i]);
		memset(host, 1, size[i]);
		VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, buf[i], 0, host, size[i], &r.e));
		VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
		for (size_t k = 0; k < size[i]; k++)
			bad += host[k] != 0;
		memset(host, (char)i, size[i]);
		VULKAN_OK(t, &r, qd_buffer_upload(r.stream, buf[i], 0, host, size[i], &r.e));
	}
	UNIT_CHECK(t, bad == 0, "%u bytes are wrong", bad);
	for (uint32_t i = 0; i < SLOTS; i++)
		qd_buffer_free(buf[i]);
	/* all free pieces are merged once nothing uses them */
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	struct qd_buffer *whole = vulkan_rig_buffer(t, &r, r.vk->main->base.block_size / 2);
	UNIT_CHECK(t, r.vk->main->base.blocks && !r.vk->main->base.blocks->next, "more than one block");
	qd_buffer_free(whole);
	free(host);
	vulkan_rig_close(t, &r);
}

void
t_vulkan_memory_mapped(struct unit_ctx *t)
{
	memory(t, false);
}

void
t_vulkan_memory_staged(struct unit_ctx *t)
{
	memory(t, true);
}

/* Checks that a buffer may be freed before launches that use it are submitted. */
void
t_vulkan_free_in_use(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_stream *other = NULL;
	VULKAN_OK(t, &r, qd_stream_create(r.dev, &other, &r.e));
	uint32_t down[3] = { 0 };
	for (int i = 0; i < 200; i++) {
		struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 12);
		VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 3, &r.e));
		if (i % 3 == 0) {
			struct qd_event *e = NULL;
			VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &e, &r.e));
			VULKAN_OK(t, &r, qd_stream_wait(other, e, &r.e));
			VULKAN_OK(t, &r, vulkan_rig_inc(other, inc, buf, 3, &r.e));
			qd_event_free(e);
		}
		VULKAN_OK(t, &r,
			  qd_buffer_download_async(i % 3 ? r.stream : other, buf, 0, down, 12, &r.e));
		qd_buffer_free(buf);
		VULKAN_OK(t, &r, qd_stream_sync(i % 3 ? r.stream : other, &r.e));
		UNIT_CHECK(t, !vulkan_count_other(down, 3, i % 3 ? 1 : 2), "round %d: %u", i,
			   down[0]);
	}
	qd_stream_free(other);
	vulkan_rig_close(t, &r);
}

/* -- Zeros ------------------------------------------------------------------------------- */

/* Checks zeros that only the driver sees: in a variable, a counter or a failed guard. 0 + -0 must
 * be 0, and inf * 0 must be NaN. */
void
t_vulkan_zeros(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	VULKAN_OK(t, &r, qd_builder_create(r.ctx, "zeros", &b, &r.e));
	qd_block(b, 1, 1, 1);
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	struct qd_val minus = qd_load(b, src, qd_u32(b, 0)), inf = qd_load(b, src, qd_u32(b, 1));
	struct qd_var zero = qd_var(b, qd_f32(b, 0)), sum = qd_var(b, qd_f32(b, 0));
	struct qd_var last = qd_var(b, qd_f32(b, 0)), i = qd_var(b, qd_u32(b, 0));
	qd_loop(b);
	qd_break_if(b, qd_eq(b, qd_get(b, i), qd_u32(b, 2)));
	struct qd_val weight = qd_cast(b, QD_TYPE_F32, qd_get(b, i));
	qd_set(b, sum, qd_add(b, qd_get(b, sum), minus));
	qd_set(b, last, qd_add(b, qd_get(b, last), qd_mul(b, inf, weight)));
	qd_set(b, i, qd_add(b, qd_get(b, i), qd_u32(b, 1)));
	qd_end(b);
	qd_store(b, dst, qd_u32(b, 0), qd_get(b, sum));
	qd_store(b, dst, qd_u32(b, 1), qd_get(b, last));
	qd_store(b, dst, qd_u32(b, 2), qd_mul(b, qd_get(b, zero), inf));
	qd_store(b, dst, qd_u32(b, 3), qd_add(b, qd_load(b, src, qd_len(b, src)), minus));
	VULKAN_OK(t, &r, qd_builder_finish(b, &k, &r.e));
	struct qd_function *f = vulkan_rig_function(t, &r, k);
	struct qd_buffer *in = vulkan_rig_buffer(t, &r, 8), *out = vulkan_rig_buffer(t, &r, 16);
	const uint32_t up[2] = { 0x80000000, 0x7f800000 };
	const struct qd_arg args[2] = { qd_arg_buffer(in), qd_arg_buffer(out) };
	uint32_t down[4] = { 0 };
	VULKAN_OK(t, &r, qd_buffer_upload(r.stream, in, 0, up, sizeof up, &r.e));
	VULKAN_OK(t, &r, qd_launch(r.stream, f, 1, args, 2, &r.e));
	VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, out, 0, down, sizeof down, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	for (uint32_t j = 0; j < 4; j++) {
		bool is_nan = (down[j] & 0x7fffffff) > 0x7f800000;
		UNIT_CHECK(t, j == 1 || j == 2 ? is_nan : down[j] == 0, "value %u is %#x", j,
			   down[j]);
	}
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_kernel_free(k);
	vulkan_rig_close(t, &r);
}
