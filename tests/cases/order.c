/* Barriers, fences, and communication through memory. Each shape and block size has a
 * kernel. The expected values for the whole of dst are written from the contract. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 5, N_DIM = 4, MAX_DIM = 2 * REF_MAX_LANES, EMPTY = 0x55555555 };

struct launch {
	uint32_t size, dim, threads; /* of the subgroup, of the block, of the launch */
	uint32_t n;		     /* count of the grid loop */
	const uint32_t *src;	     /* one element per thread */
};

struct shape {
	const char *name, *text; /* the kernel's attributes and body; D: the block size */
	uint32_t (*want)(const struct launch *l, uint32_t i); /* dst[i] */
	enum { SUBGROUP = 1 /* blocks of one whole subgroup */, SEVERAL = 2 /* of several */ } flags;
};

static uint32_t
block_of(const struct launch *l, uint32_t i)
{
	return i - i % l->dim;
}
static uint32_t
last_of(const struct launch *l, uint32_t i)
{
	uint32_t end = block_of(l, i) + l->dim;

	return end < l->n ? end : l->n;
}
static uint32_t
sum(const struct launch *l, uint32_t from, uint32_t to)
{
	uint32_t s = 0;

	while (from < to)
		s += l->src[from++];
	return s;
}

/* -- Barriers ---------------------------------------------------------------------------- */

/* Padding threads must not change their slots, which were filled before. */
static const char rotate[] =
	"{ shared s: u32[D]; let t = block.thread_idx(); s[t] = 7; block.sync();"
	"  for i in grid(n) { s[t] = src[i]; block.sync(); dst[i] = s[(t + 1) % D]; } }";
static uint32_t
want_rotate(const struct launch *l, uint32_t i)
{
	uint32_t j = block_of(l, i) + (i + 1) % l->dim;

	return i >= l->n ? EMPTY : j < l->n ? l->src[j] : 7;
}

/* A sum by halves: a barrier in a loop, between reads and writes. */
static const char halves[] =
	"{ shared s: u32[D]; let t = block.thread_idx(); s[t] = 0; block.sync();"
	"  for i in grid(n) { s[t] = src[i]; block.sync(); var rest = D as_u32;"
	"    while rest > 1 { let half = (rest + 1) / 2; var v = 0u;"
	"      if t + half < rest { v = s[t + half]; } block.sync();"
	"      s[t] += v; block.sync(); rest = half; }"
	"    dst[i] = s[0]; } }";
static uint32_t
want_halves(const struct launch *l, uint32_t i)
{
	return i >= l->n ? EMPTY : sum(l, block_of(l, i), last_of(l, i));
}

/* Some blocks execute more barriers than others, by a uniform load. */
static const char rounds[] =
	"{ shared s: u32[D]; let t = block.thread_idx(); let i = block.idx * D as_u32 + t;"
	"  s[t] = src[i]; block.sync();"
	"  if block.idx % 2 == 1 { for r in 0..src[block.idx] % 5 {"
	"    let v = s[(t + r) % D as_u32]; block.sync(); s[t] = v + 1; block.sync(); } }"
	"  dst[i] = s[t]; }";
static uint32_t
want_rounds(const struct launch *l, uint32_t i)
{
	uint32_t block = i / l->dim, s[2][MAX_DIM];

	for (uint32_t t = 0; t < l->dim; t++)
		s[0][t] = l->src[block * l->dim + t];
	for (uint32_t r = 0; block % 2 && r < l->src[block] % 5; r++) {
		for (uint32_t t = 0; t < l->dim; t++)
			s[1][t] = s[0][(t + r) % l->dim] + 1;
		memcpy(s[0], s[1], sizeof s[0]);
	}
	return s[0][i % l->dim];
}

/* A write to a buffer is visible after a block barrier. */
static const char buffer[] =
	"{ let t = block.thread_idx(); let first = block.idx * D as_u32;"
	"  dst[first + t] = src[first + t] * 3; block.sync();"
	"  let v = dst[first + (t + D as_u32 / 2) % D as_u32]; block.sync(); dst[first + t] = v; }";
static uint32_t
want_buffer(const struct launch *l, uint32_t i)
{
	return l->src[block_of(l, i) + (i + l->dim / 2) % l->dim] * 3;
}

/* Subgroup barriers only; some subgroups execute two more. */
static const char lanes[] =
	"{ shared s: u32[D]; let t = block.thread_idx(); let i = block.idx * D as_u32 + t;"
	"  let first = t - subgroup.invocation_id();"
	"  let next = first + (t - first + 1) % min(subgroup.group_size(), D as_u32 - first);"
	"  s[t] = src[i]; subgroup.sync(); var v = s[next]; subgroup.sync();"
	"  if subgroup.id % 2 == 0 { s[t] = v; subgroup.sync(); v = s[next]; }"
	"  dst[i] = v; }";
static uint32_t
want_lanes(const struct launch *l, uint32_t i)
{
	uint32_t t = i % l->dim, first = t - t % l->size, block = block_of(l, i);
	uint32_t n = l->dim - first < l->size ? l->dim - first : l->size;
	uint32_t far = t / l->size % 2 ? 1 : 2;

	return l->src[block + first + (t - first + far) % n];
}

/* -- Fences ------------------------------------------------------------------------------- */

/* As many fences as the subgroup's index: fences do not wait, and all threads reach the barrier. */
static const char fences[] =
	"{ shared s: u32[D]; let t = block.thread_idx(); let i = block.idx * D as_u32 + t;"
	"  for j in 0..subgroup.id { block.mem_fence(); grid.mem_fence(order = release); }"
	"  s[t] = src[i] + subgroup.id;"
	"  for j in 0..t % 3 { subgroup.mem_fence(order = acquire); grid.mem_fence(); }"
	"  block.sync(); dst[i] = s[D as_u32 - 1 - t]; }";
static uint32_t
want_fences(const struct launch *l, uint32_t i)
{
	uint32_t t = l->dim - 1 - i % l->dim;

	return l->src[block_of(l, i) + t] + t / l->size;
}

/* A subgroup publishes, the others wait. */
static const char publish[] =
	"requires(subgroup.count >= 2) { shared slot: u32[1]; shared ready: u32[1];"
	"  let t = block.thread_idx(); let i = block.idx * D as_u32 + t;"
	"  if t == 0 { atomic.store(ready[0], 0, scope = block); } block.sync();"
	"  if subgroup.id == 0 { if t == 0 { slot[0] = src[i]; } subgroup.sync(); block.mem_fence();"
	"    if t == 0 { atomic.store(ready[0], 1, scope = block); }"
	"  } else { while atomic.load(ready[0], scope = block) == 0 { } block.mem_fence(); }"
	"  dst[i] = slot[0]; }";
static uint32_t
want_publish(const struct launch *l, uint32_t i)
{
	return l->src[block_of(l, i)];
}

/* The same, with a count of the iterations that the others wait. */
static const char counted[] =
	"requires(subgroup.count >= 2) { shared slot: u32[1]; shared ready: u32[1];"
	"  let t = block.thread_idx(); let i = block.idx * D as_u32 + t; var v = 1u; var rounds = 0u;"
	"  if t == 0 { atomic.store(ready[0], 0, scope = block); } block.sync();"
	"  if subgroup.id == 0 { if t == 0 { slot[0] = src[i]; block.mem_fence();"
	"    atomic.store(ready[0], 1, scope = block); } subgroup.sync();"
	"  } else { v = 0; while v == 0 { v = atomic.load(ready[0], scope = block); rounds += 1; }"
	"    block.mem_fence(); if rounds == 0 { v = 2; } }"
	"  dst[i] = slot[0] * v; }";
/* The same, through a word of a buffer. */
static const char by_buffer[] =
	"requires(subgroup.count >= 2) { shared slot: u32[1];"
	"  let t = block.thread_idx(); let b = block.idx; let i = b * D as_u32 + t; var v = 1u;"
	"  if subgroup.id == 0 { if t == 0 { slot[0] = src[i]; block.mem_fence();"
	"    atomic.store(word[b], 1); } subgroup.sync();"
	"  } else { v = 0; while v == 0 { v = atomic.load(word[b]); } block.mem_fence(); }"
	"  dst[i] = slot[0] * v; }";

/* The last block to finish sums the results of all blocks. */
static const char last[] =
	"{ shared turn: u32[1]; let t = block.thread_idx(); let i = block.idx * D as_u32 + t;"
	"  dst[i] = src[i] ^ 1; block.sync(); if t == 0 { grid.mem_fence();"
	"    turn[0] = atomic.add(word[0], 1, order = acq_rel); grid.mem_fence(); } block.sync();"
	"  if turn[0] == grid.dim - 1 && t == 0 { grid.mem_fence(); var s = 0u;"
	"    for j in 0..grid.dim * D as_u32 { s += dst[j]; } atomic.store(word[1], s); } }";
static uint32_t
want_last(const struct launch *l, uint32_t i)
{
	return l->src[i] ^ 1;
}

/* Prefix sums over blocks, each based on the block before; an atomic counter numbers the blocks. */
static const char look_back[] =
	"{ shared mine: u32[1]; let t = block.thread_idx();"
	"  if t == 0 { mine[0] = atomic.add(word[0], 1); } subgroup.sync();"
	"  let b = mine[0]; let i = b * D as_u32 + t; let incl = subgroup.inclusive_add(src[i]);"
	"  let total = subgroup.broadcast(incl, D - 1); var before = 0u;"
	"  if b > 0 { while atomic.load(word[8 + b - 1], order = acquire) == 0 { }"
	"    before = word[64 + b - 1]; }"
	"  subgroup.sync();"
	"  if t == 0 { word[64 + b] = before + total; atomic.store(word[8 + b], 1, order = release); }"
	"  dst[i] = before + incl; }";
static uint32_t
want_look_back(const struct launch *l, uint32_t i)
{
	return sum(l, 0, i + 1);
}

/* Compare-and-swap in a loop: each thread adds its value to a counter. */
static const char counter[] =
	"{ shared c: u32[1]; let t = block.thread_idx(); if t == 0 { c[0] = 5; } block.sync();"
	"  for i in grid(n) { var was = atomic.load(c[0], scope = block);"
	"    while true { let got = atomic.cas(c[0], was, was + src[i], scope = block);"
	"      if got == was { break; } was = got; }"
	"    block.sync(); dst[i] = c[0]; } }";
static uint32_t
want_counter(const struct launch *l, uint32_t i)
{
	return i >= l->n ? EMPTY : 5 + sum(l, block_of(l, i), last_of(l, i));
}

static const struct shape shapes[] = {
	{ "rotate", rotate, want_rotate, 0 },	 { "halves", halves, want_halves, 0 },
	{ "rounds", rounds, want_rounds, 0 },	 { "buffer", buffer, want_buffer, 0 },
	{ "lanes", lanes, want_lanes, 0 },	 { "fences", fences, want_fences, 0 },
	{ "publish", publish, want_publish, SEVERAL },
	{ "counted", counted, want_publish, SEVERAL },
	{ "by buffer", by_buffer, want_publish, SEVERAL },
	{ "last", last, want_last, 0 },		 { "look back", look_back, want_look_back, SUBGROUP },
	{ "counter", counter, want_counter, 0 },
};
enum { N_SHAPE = sizeof shapes / sizeof shapes[0], N_WORD = 128 };

/* -- Execution --------------------------------------------------------------------------------- */

/* Replaces D with the number, and "D as_u32" with the number as u32. */
static void
put_number(char *out, size_t size, const char *text, uint32_t dim)
{
	static const char as[] = " as_u32";
	size_t n = 0;

	for (; *text && n + 16 < size; text++) {
		bool word = text[0] == 'D' && (text[1] < 'a' || text[1] > 'z');

		if (!word) {
			out[n++] = *text;
			continue;
		}
		n += (size_t)snprintf(out + n, size - n, "%u", dim);
		if (strncmp(text + 1, as, sizeof as - 1) == 0) {
			out[n++] = 'u';
			text += sizeof as - 1;
		}
	}
	out[n] = '\0';
}

static qd_status
make(struct suite *t, const struct shape *s, uint32_t dim, struct qd_kernel **k,
     struct qd_error *err)
{
	char body[2048], text[2300];
	struct qd_module *m;
	qd_status st;

	put_number(body, sizeof body, s->text, dim);
	snprintf(text, sizeof text,
		 "kernel k(src: in u32[], dst: u32[], word: u32[], n: u32) block(%u) %s", dim, body);
	st = qd_module_parse(t->ctx, text, strlen(text), "order.qdk", &m, err);
	if (st)
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

static bool
launch(struct suite *t, const struct shape *s, const struct qd_kernel *k, const struct launch *l,
       uint32_t *dst)
{
	struct qd_arg n = qd_arg_u32(l->n);
	uint32_t word[N_WORD] = { 0 };
	struct host_buffer bufs[] = { { (void *)(uintptr_t)l->src, l->threads * sizeof *l->src },
				      { dst, l->threads * sizeof *dst },
				      { word, sizeof word },
				      { &n, 0 } };
	struct qd_error err = { 0 };

	for (uint32_t i = 0; i < l->threads; i++)
		dst[i] = EMPTY;
	if (run_kernel(t, k, NULL, 0, N_BLOCK, bufs, 4, &err)) {
		suite_fail(t, 0, "order %s dim=%u: %s", s->name, l->dim, err.text);
		return false;
	}
	if (t->inject && !t->injected) {
		dst[0] ^= 1;
		t->injected = true;
	}
	for (uint32_t i = 0; i < l->threads; i++) {
		uint32_t want = s->want(l, i);

		if (dst[i] == want)
			continue;
		suite_fail(t, 0, "order %s dim=%u n=%u: thread %u: got %08x, want %08x", s->name,
			   l->dim, l->n, i, dst[i], want);
		return false;
	}
	if (s->text == last) {
		uint32_t all = 0;

		for (uint32_t i = 0; i < l->threads; i++)
			all += l->src[i] ^ 1;
		if (word[1] != all) {
			suite_fail(t, 0, "order last dim=%u: %08x, want %08x", l->dim, word[1], all);
			return false;
		}
	}
	return true;
}

/* Runs with whole blocks only, and with two counts that leave padding threads. */
static bool
run_counts(struct suite *t, const struct shape *s, const struct qd_kernel *k, struct launch *l,
	   uint32_t *dst)
{
	const uint32_t counts[] = { l->threads, l->threads - l->dim / 2, 2 * l->dim + 1 };
	bool right = true;

	for (uint32_t c = 0; c < 3; c++) {
		l->n = counts[c];
		right = launch(t, s, k, l, dst) && right;
	}
	return right;
}

static void
run_shape(struct suite *t, const struct shape *s, const uint32_t *src, uint32_t *dst)
{
	uint32_t size = t->size;
	const uint32_t dims[N_DIM] = { size, size - 1, 2 * size, size + size / 2 };

	for (uint32_t d = 0; d < N_DIM; d++) {
		uint32_t dim = s->flags & SUBGROUP ? size : s->flags & SEVERAL ? 2 * size - d : dims[d];
		struct launch l = { .size = size, .dim = dim, .threads = N_BLOCK * dim, .src = src };
		struct qd_kernel *k = NULL;
		struct qd_error err;

		if (make(t, s, dim, &k, &err)) {
			suite_fail(t, 1, "order %s dim=%u: %s", s->name, dim, err.text);
			continue;
		}
		if (!suite_skips_kernel(t, 1, k)) {
			bool right = run_counts(t, s, k, &l, dst);
			t->passed += right;
			t->failed += !right;
		}
		qd_kernel_free(k);
	}
}

static void
run_order(struct suite *t, const struct family *f)
{
	uint32_t n = N_BLOCK * 2 * t->size;
	uint32_t *src = calloc(n, sizeof *src), *dst = calloc(n, sizeof *dst);
	uint64_t rng = t->seed;

	for (uint32_t i = 0; src && i < n; i++)
		src[i] = (uint32_t)random_u64(&rng);
	for (uint32_t i = 0; i < N_SHAPE && src && dst; i++)
		if (!suite_leaves_out(t, N_DIM, f->name, shapes[i].name))
			run_shape(t, &shapes[i], src, dst);
	if (!src || !dst)
		suite_fail(t, N_SHAPE * N_DIM, "order: out of memory");
	free(src);
	free(dst);
}

static uint64_t
count_order(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return (uint64_t)N_SHAPE * N_DIM;
}

const struct family family_order = { "order", NULL, 0, run_order, count_order };
