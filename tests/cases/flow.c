/* Collectives under control flow that is uniform in the subgroup and not in the block: some
 * subgroups do not execute them, or execute them more often than others. A place is a
 * control-flow construct around a body; the lanes of a subgroup execute the body together.
 * A kernel has one place and one body. After the place the threads of the block exchange
 * their values. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_BLOCK = 2, N_DIM = 2, MAX_DIM = 4 * REF_MAX_LANES, EMPTY = 0x55555555 };

/* -- Bodies ------------------------------------------------------------------------------- */

/* The values of a subgroup's ordinary threads. */
struct lane_values {
	uint32_t v[REF_MAX_LANES];
	uint32_t n;
};

struct body {
	const char *name, *text; /* changes v */
	void (*want)(struct lane_values *l);
};

static void
want_rotated(struct lane_values *l)
{
	uint32_t first = l->v[0];

	for (uint32_t i = 0; i + 1 < l->n; i++)
		l->v[i] = l->v[i + 1] * 3 + 1;
	l->v[l->n - 1] = first * 3 + 1;
}

static void
want_counted(struct lane_values *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] += 5;
}

static uint32_t
total(const struct lane_values *l)
{
	uint32_t s = 0;

	for (uint32_t i = 0; i < l->n; i++)
		s += l->v[i];
	return s;
}

static void
want_reduced(struct lane_values *l)
{
	uint32_t s = total(l);

	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] = (l->v[i] ^ s) + 1;
}

static void
want_scanned(struct lane_values *l)
{
	uint32_t s = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		s += l->v[i];
		l->v[i] ^= s;
	}
}

static void
want_float(struct lane_values *l)
{
	uint32_t s = 0;

	for (uint32_t i = 0; i < l->n; i++)
		s += l->v[i] & 255;
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] += s;
}

static void
want_broadcast(struct lane_values *l)
{
	uint32_t first = l->v[0];

	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] = l->v[i] * 5 + first;
}

static void
want_voted(struct lane_values *l)
{
	bool any = false, all = true;

	for (uint32_t i = 0; i < l->n; i++) {
		any |= l->v[i] % 8 == 0;
		all &= l->v[i] % 16 != 5;
	}
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] += any + 2u * all + 1;
}

static void
want_balloted(struct lane_values *l)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < l->n && i < 32; i++)
		bits |= (l->v[i] & 1) << i;
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] = (l->v[i] ^ bits) + 1;
}

static void
want_several(struct lane_values *l)
{
	uint32_t s = total(l);

	want_rotated(l);
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] += s;
	want_rotated(l);
	want_broadcast(l);
	want_reduced(l);
}

#define EXCHANGE  "s[t] = v; subgroup.sync(); { let x = s[next]; subgroup.sync(); v = x * 3 + 1; }"
#define REDUCE	  "v = (v ^ subgroup.reduce_add(v)) + 1;"
#define BROADCAST "v = v * 5 + subgroup.broadcast(v, 0);"

static const struct body bodies[] = {
	{ "sync", "subgroup.sync(); v += 5;", want_counted },
	{ "two syncs", "subgroup.sync(); v += 4; subgroup.sync(); v += 1;", want_counted },
	{ "exchange", EXCHANGE, want_rotated },
	{ "fences",
	  "subgroup.mem_fence(); v += 1; block.mem_fence(); v += 2; grid.mem_fence(order = "
	  "acq_rel); v += 2;",
	  want_counted },
	{ "fence and sync",
	  "s[t] = v; block.mem_fence(); subgroup.sync(); { let x = s[next]; subgroup.mem_fence();"
	  " subgroup.sync(); v = x * 3 + 1; }",
	  want_rotated },
	{ "shuffle", "v = subgroup.shuffle(v, next - first) * 3 + 1;", want_rotated },
	{ "broadcast", BROADCAST, want_broadcast },
	{ "reduce", REDUCE, want_reduced },
	{ "reduce f32", "v += u32(subgroup.reduce_add(f32(v & 255)));", want_float },
	{ "scan", "v = v ^ subgroup.inclusive_add(v);", want_scanned },
	{ "vote",
	  "{ let any = subgroup.any_true(v % 8 == 0); let all = subgroup.all_true(v % 16 != 5);"
	  " if any != 0 { v += 1; } if all != 0 { subgroup.sync(); v += 2; } v += 1; }",
	  want_voted },
	{ "ballot", "v = (v ^ subgroup.ballot_first_n(v & 1, 32)) + 1;", want_balloted },
	{ "several",
	  "{ let sum = subgroup.reduce_add(v); " EXCHANGE " v += sum; } " EXCHANGE " " BROADCAST
	  " " REDUCE,
	  want_several },
};
enum { N_BODY = sizeof bodies / sizeof bodies[0] };

/* -- Places ------------------------------------------------------------------------------- */

/* State of a subgroup before its place. */
struct start {
	uint32_t id, count,
		size; /* index of the subgroup; subgroups in the block; lanes of a whole one */
	struct lane_values values; /* of src */
};

struct place {
	const char *name, *text; /* B: the body */
	uint32_t (*times)(
		const struct start *s); /* how many times the subgroup executes the body */
	enum {
		STORES = 1 /* no exchange follows, and the text stores the values itself */,
		SHORT = 2 /* a grid loop over fewer threads than there are */
	} flags;
};

static uint32_t
every_second(const struct start *s)
{
	return s->id % 2 == 0;
}
static uint32_t
other_second(const struct start *s)
{
	return s->id % 2;
}
static uint32_t
once(const struct start *s)
{
	(void)s;
	return 1;
}
static uint32_t
twice(const struct start *s)
{
	(void)s;
	return 2;
}
static uint32_t
twice_in_first(const struct start *s)
{
	return s->id < 1 ? 2 : 0;
}
static uint32_t
in_last(const struct start *s)
{
	return s->id + 1 == s->count;
}
static uint32_t
upwards(const struct start *s)
{
	return s->id;
}
static uint32_t
downwards(const struct start *s)
{
	return 3 - s->id;
}
static uint32_t
at_least_once(const struct start *s)
{
	return s->id % 3 + 1;
}
static uint32_t
continued(const struct start *s)
{
	return 4 - s->id;
}
static uint32_t
nested(const struct start *s)
{
	uint32_t n = 0;

	for (uint32_t j = 0; j < s->id; j++)
		n += (j + s->id) % 2 == 0 ? 1 : 2;
	return n;
}
static uint32_t
as_data_says(const struct start *s)
{
	return s->values.v[0] % 4;
}
static uint32_t
as_a_vote_says(const struct start *s)
{
	for (uint32_t i = 0; i < s->values.n; i++) {
		if (s->values.v[i] % (2 * s->size) == 0)
			return 2;
	}
	return 0;
}
static uint32_t
not_in_second(const struct start *s)
{
	return s->id == 1 ? 0 : 2;
}
static uint32_t
between_barriers(const struct start *s)
{
	return s->id % 2 + 1;
}
static uint32_t
in_rounds(const struct start *s)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < 3; r++)
		n += (s->id + r) % 3;
	return n;
}

static const struct place places[] = {
	{ "if", "if sg % 2 == 0 { B }", every_second, 0 },
	{ "else", "if sg % 2 == 0 { dst[i] = v; } else { B }", other_second, 0 },
	{ "if and else", "if sg % 2 == 0 { B } else { B }", once, 0 },
	{ "if, twice", "if sg < 1 { B B }", twice_in_first, 0 },
	{ "last", "if sg == subgroup.count - 1 { B }", in_last, 0 },
	{ "for", "for j in 0..sg { B }", upwards, 0 },
	{ "for, fewer", "for j in sg..3u { B }", downwards, 0 },
	{ "while", "{ var j = 0u; while true { if j == sg { break; } B j += 1; } }", upwards, 0 },
	{ "do while", "{ var j = 0u; while true { B j += 1; if j > sg % 3 { break; } } }",
	  at_least_once, 0 },
	{ "continue", "for j in 0..4u { if j < sg { continue; } B }", continued, 0 },
	{ "nested", "for j in 0..sg { if (j + sg) % 2 == 0 { B } else { for r in 0..2 { B } } }",
	  nested, 0 },
	{ "data", "for j in 0..subgroup.broadcast(v, 0) % 4 { B }", as_data_says, 0 },
	{ "vote", "if subgroup.any_true(v % u32(2 * subgroup.group_size()) == 0) != 0 { B B }",
	  as_a_vote_says, 0 },
	{ "return", "if sg == 1 { dst[i] = v; return; } B B dst[i] = v;", not_in_second, STORES },
	{ "grid", "for g in grid(n) { B B dst[g] = v; }", twice, STORES | SHORT },
	{ "between barriers", "if sg % 2 == 0 { B } block.sync(); if sg % 2 == 1 { B B }",
	  between_barriers, 0 },
	{ "rounds", "for r in 0..3u { block.sync(); for j in 0..(sg + r) % 3 { B } }", in_rounds,
	  0 },
};
enum { N_PLACE = sizeof places / sizeof places[0] };

/* -- Running them --------------------------------------------------------------------------- */

struct launch {
	const struct place *place;
	const struct body *body;
	uint32_t size, dim, n; /* lanes; threads of a block; count of the grid loop */
	uint32_t *src, *dst, *want;
};

static uint32_t
threads(const struct launch *l)
{
	return N_BLOCK * l->dim;
}

/* Replaces each B of a place's text. */
static void
put_body(char *out, size_t size, const char *text, const char *body)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (*text == 'B')
			n += (size_t)snprintf(out + n, size - n, "%s", body);
		else
			out[n++] = *text;
	}
	out[n < size ? n : size - 1] = '\0';
}

static qd_status
make(struct suite *t, const struct launch *l, struct qd_kernel **k, struct qd_error *err)
{
	char body[2048], text[4096];
	struct qd_module *m;
	qd_status st;

	put_body(body, sizeof body, l->place->text, l->body->text);
	snprintf(text, sizeof text,
		 "kernel k(src: in u32[], dst: u32[], n: u32) block(%u) { shared s: u32[%u];\n"
		 "let t = block.thread_idx(); let i = block.idx * %u + t; let sg = "
		 "subgroup.id;\n"
		 "let first = t - subgroup.invocation_id();\n"
		 "let live = min(min(subgroup.group_size(), %u - first), n - (i - t) - "
		 "first);\n"
		 "let next = first + (t - first + 1) %% max(live, 1); var v = src[i];\n%s\n%s}\n",
		 l->dim, l->dim, l->dim, l->dim, body,
		 l->place->flags & STORES ? ""
					  : "block.sync(); s[t] = v; block.sync(); dst[i] = "
					    "s[u32(block.dim) - 1 - t]; ");
	st = qd_module_parse(t->ctx, text, strlen(text), "flow.qdk", &m, err);
	if (st)
		return st;
	st = qd_module_kernel(m, "k", NULL, 0, k, err);
	qd_module_free(m);
	return st;
}

/* Computes the values of a block's threads after the place. */
static void
want_block(const struct launch *l, uint32_t first)
{
	uint32_t end = first + l->dim < l->n ? first + l->dim : l->n;
	struct start s = { .count = (l->dim + l->size - 1) / l->size, .size = l->size };

	for (uint32_t i = first; i < end; i += l->size, s.id++) {
		struct lane_values *v = &s.values, now;

		v->n = end - i < l->size ? end - i : l->size;
		memcpy(v->v, l->src + i, v->n * sizeof *v->v);
		now = *v;
		for (uint32_t times = l->place->times(&s); times > 0; times--)
			l->body->want(&now);
		memcpy(l->want + i, now.v, v->n * sizeof *v->v);
	}
}

static void
want_all(const struct launch *l)
{
	for (uint32_t i = 0; i < threads(l); i++)
		l->want[i] = EMPTY;
	for (uint32_t b = 0; b < N_BLOCK; b++) {
		uint32_t *w = l->want + b * l->dim;

		want_block(l, b * l->dim);
		for (uint32_t t = 0; !(l->place->flags & STORES) && t < l->dim / 2; t++) {
			uint32_t x = w[t];
			w[t] = w[l->dim - 1 - t];
			w[l->dim - 1 - t] = x;
		}
	}
}

static bool
launch(struct suite *t, const struct qd_kernel *k, const struct launch *l)
{
	struct qd_arg n = qd_arg_u32(l->n);
	struct host_buffer bufs[] = { { l->src, threads(l) * sizeof *l->src },
				      { l->dst, threads(l) * sizeof *l->dst },
				      { &n, 0 } };
	struct qd_error err = { 0 };

	for (uint32_t i = 0; i < threads(l); i++)
		l->dst[i] = EMPTY;
	if (run_kernel(t, k, NULL, 0, N_BLOCK, bufs, 3, &err)) {
		suite_fail(t, 0, "flow %s: %s dim=%u: %s", l->place->name, l->body->name, l->dim,
			   err.text);
		return false;
	}
	if (t->inject && !t->injected) {
		l->dst[0] ^= 1;
		t->injected = true;
	}
	want_all(l);
	for (uint32_t i = 0; i < threads(l); i++) {
		if (l->dst[i] == l->want[i])
			continue;
		suite_fail(t, 0, "flow %s: %s dim=%u n=%u: thread %u: got %08x, want %08x",
			   l->place->name, l->body->name, l->dim, l->n, i, l->dst[i], l->want[i]);
		return false;
	}
	return true;
}

/* The everyday choice has each place with every third body, in one of the block sizes;
 * another seed has others. */
static bool
chosen(const struct suite *t, uint32_t place, uint32_t body, uint32_t dim)
{
	return !t->some ||
	       ((place + body + t->seed) % 3 == 0 && (body + dim + t->seed) % N_DIM == 0);
}

static void
run_pair(struct suite *t, struct launch *l)
{
	struct qd_kernel *k = NULL;
	struct qd_error err;

	if (make(t, l, &k, &err)) {
		suite_fail(t, 1, "flow %s: %s dim=%u: %s", l->place->name, l->body->name, l->dim,
			   err.text);
		return;
	}
	if (!suite_skips_kernel(t, 1, k)) {
		bool right = launch(t, k, l);
		t->passed += right;
		t->failed += !right;
	}
	qd_kernel_free(k);
}

/* A block has four subgroups; the last one is whole or lacks a thread. */
static void
run_flow(struct suite *t, const struct family *f)
{
	uint32_t *all = calloc(3 * N_BLOCK * MAX_DIM, sizeof *all);
	struct launch l = { .size = t->size,
			    .src = all,
			    .dst = all + N_BLOCK * MAX_DIM,
			    .want = all + 2 * N_BLOCK * MAX_DIM };
	uint64_t rng = t->seed;

	(void)f;
	if (!all) {
		suite_fail(t, 1, "flow: out of memory");
		return;
	}
	for (uint32_t i = 0; i < N_BLOCK * MAX_DIM; i++)
		l.src[i] = (uint32_t)random_u64(&rng);
	for (uint32_t p = 0; p < N_PLACE; p++) {
		for (uint32_t b = 0; b < N_BODY; b++) {
			for (uint32_t d = 0; d < N_DIM; d++) {
				if (!chosen(t, p, b, d))
					continue;
				l.place = &places[p];
				l.body = &bodies[b];
				l.dim = 4 * t->size - d;
				l.n = l.place->flags & SHORT ? l.dim + 5 * t->size / 2
							     : threads(&l);
				run_pair(t, &l);
			}
		}
	}
	free(all);
}

static uint64_t
count_flow(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)f;
	for (uint32_t p = 0; p < N_PLACE; p++) {
		for (uint32_t b = 0; b < N_BODY; b++) {
			for (uint32_t d = 0; d < N_DIM; d++)
				n += chosen(t, p, b, d);
		}
	}
	return n;
}

const struct family family_flow = { "flow", NULL, 0, run_flow, count_flow };
