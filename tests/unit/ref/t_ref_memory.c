/* Reports of the interpreter on shared memory: data races, with barriers and fences between
 * accesses, uninitialized elements, and barriers that not all threads reach. */
#include <stdio.h>

#include "ref_rig.h"

enum { LANES = 8, WORDS = 64 };

/* -- Kernels and expected findings -------------------------------------------------------- */

/* Kernel with S = 8, on src (in; src[i] = i + 1), dst and word (both 0) of WORDS u32. */
struct text {
	uint32_t dim, n_blocks;
	const char *body;
	const char *err; /* text of the synchronization; "": success */
};

#define THREAD "let t = block.thread_idx(); let i = block.idx * block.dim + t; "
#define SHARED "{ shared s: u32[24]; " THREAD

#define RANK(first)                                                                                \
	"{ shared n: u32[12]; " THREAD "for r in 0..src[4] { let d = t * 7 + r & 3; let row = t / 8 * 4;" \
	" let one = subgroup.ballot_first_n((d & 1) != 0, 8) ^ ((d & 1) - 1);"                     \
	" let two = subgroup.ballot_first_n((d & 2) != 0, 8) ^ ((d >> 1) - 1);"                    \
	" let like = one & two & 255; let below = u32(popcount(like & ((1u << (t & 7)) - 1)));"    \
	" " first " if t & 7 < 4 { n[row + (t & 7)] = 0; } subgroup.sync();"                       \
	" if below == 0 { n[row + d] = popcount(like); } block.sync();"                       \
	" var sum = 0u; if t < 4 { sum = n[t] + n[4 + t] + n[8 + t]; }"                            \
	" let before = block.exclusive_add(sum);"                                                  \
	" if t < 4 { let x = n[t]; let y = n[4 + t]; n[t] = before; n[4 + t] = before + x;"        \
	" n[8 + t] = before + x + y; } block.sync(); dst[i] = n[row + d] + below; } }"
#define BINS "{ shared s: u32[24]; shared b: i32[8]; shared e: i32[8]; " THREAD
#define RANKED(key) "let r = block.radix_rank_match_atomic_or(" key ", 3, 0, 3, b, e); "

static const struct text texts[] = {
	/* Within a subgroup: lanes run in lockstep, but this is not guaranteed. */
	{ 8, 1, SHARED "s[t] = t; dst[i] = s[7 - t]; }",
	  "t.qdk:1:163: finding: data race: reads s[7], which block 0, thread 7 has written; put block.sync() between the accesses (kernel k, block 0, thread 0)\n8 findings in total; the log contains more of them" },
	{ 8, 1, SHARED "s[t] = t; subgroup.sync(); dst[i] = s[7 - t]; }", "" },
	{ 8, 1, SHARED "s[t] = t; block.sync(); dst[i] = s[7 - t]; }", "" },
	/* Across subgroups. */
	{ 16, 1, SHARED "s[t] = t; subgroup.sync(); dst[i] = s[15 - t]; }",
	  "t.qdk:1:180: finding: s[15] is uninitialized: no thread of the block has written it; store to it first, with block.sync() in between (kernel k, block "
	  "0, thread 0)\n16 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "s[t] = t; block.sync(); dst[i] = s[15 - t]; }", "" },
	/* A read before another thread's write. */
	{ 16, 1, SHARED "s[t] = t; block.sync(); dst[i] = s[15 - t]; s[t] = 1; }",
	  "t.qdk:1:177: finding: data race: reads s[7], which block 0, thread 7 has written; put block.sync() between the accesses (kernel k, block 0, thread 8)\n16 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "s[t] = t; block.sync(); dst[i] = s[15 - t]; block.sync(); s[t] = 1; }", "" },
	/* Barriers in a grid loop do not include padding threads, here 12 to 15. */
	{ 16, 1, SHARED "s[t] = t; for j in grid(12) { block.sync(); dst[i] = s[15 - t]; } }",
	  "t.qdk:1:197: finding: data race: reads s[15], which block 0, thread 15 has written; put block.sync() between the accesses (kernel k, block 0, thread 0)\n4 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "s[t] = t; block.sync(); for j in grid(12) { dst[i] = s[15 - t]; } }", "" },
	{ 16, 1, SHARED "s[t] = t; for j in grid(12) { block.sync(); dst[i] = s[11 - t]; } }", "" },
	{ 16, 1, SHARED "s[t] = t; for j in grid(12) { subgroup.sync(); dst[i] = s[t ^ 4]; } }",
	  "t.qdk:1:200: finding: data race: reads s[12], which block 0, thread 12 has written; put block.sync() between the accesses (kernel k, block 0, thread 8)\n4 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "s[t] = t; block.sync(); for j in grid(9) { s[15 - t] = 1; block.sync(); } dst[i] = s[t]; }",
	  "t.qdk:1:227: finding: data race: reads s[9], which block 0, thread 6 has written; put block.sync() between the accesses (kernel k, block 0, thread 9)\n7 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "s[t] = t; block.sync(); for j in grid(9) { s[15 - t] = 1; } block.sync(); dst[i] = s[t]; }", "" },
	{ 16, 1, SHARED "s[t] = t; for j in grid(16) { block.sync(); dst[i] = s[15 - t]; } }", "" },
	/* Several threads have read. */
	{ 16, 1, SHARED "if t == 0 { s[0] = 1; } block.sync(); dst[i] = s[0]; if t == 9 { s[0] = 2; } }",
	  "t.qdk:1:209: finding: data race: writes s[0], which several threads have read; put block.sync() between the accesses (kernel k, block 0, thread 9)" },
	{ 16, 1, SHARED "if t == 0 { s[0] = 1; } block.sync(); dst[i] = s[0]; block.sync(); if t == 9 { s[0] = 2; } }", "" },
	/* Two threads write. */
	{ 16, 1, SHARED "s[t % 15] = 3; }",
	  "t.qdk:1:144: finding: data race: writes s[0], which block 0, thread 0 has written; several threads store to one element: use an element per thread, one storing thread or an atomic (kernel k, "
	  "block 0, thread 15)" },
	{ 8, 1, SHARED "for r in 0..src[4] { s[t + r & 7] = r; } }",
	  "t.qdk:1:165: finding: data race: writes s[1], which block 0, thread 1 has written; several threads store to one element: use an element per thread, one storing thread or an atomic, or put block.sync() between the iterations (kernel k, block 0, thread 0)\n32 findings in total; the log contains more of them" },
	/* All threads update one element. */
	{ 16, 1, "{ " THREAD "word[0] += i; }",
	  "t.qdk:1:125: finding: data race: writes word[0], which several threads have read; threads that update one element need an atomic, such as atomic.add (kernel k, block 0, thread 0)\n"
	  "24 findings in total; the log contains more of them" },
	/* Atomics race only with other accesses. */
	{ 16, 1, SHARED "if t < 2 { s[t] = 0; } block.sync(); atomic.add(s[t % 2], 1); block.sync(); dst[i] = s[t % 2]; }", "" },
	{ 16, 1, SHARED "if t < 2 { s[t] = 0; } block.sync(); atomic.add(s[t % 2], 1); dst[i] = s[t % 2]; }",
	  "t.qdk:1:215: finding: data race: reads s[0], which block 0, thread 6 has written; put block.sync() between the accesses (kernel k, block 0, thread 0)\n20 findings in total; the log contains more of them" },
	{ 16, 1, SHARED "if t == 0 { s[0] = 0; } block.sync(); if t == 3 { s[0] = 1; } dst[i] = atomic.load(s[0]); }",
	  "t.qdk:1:215: finding: data race: reads s[0], which block 0, thread 3 has written; put block.sync() between the accesses (kernel k, block 0, thread 0)\n15 findings in total; the log contains more of them" },
	/* Buffers: a block barrier orders the threads of its block, not those of others. */
	{ 16, 2, "{ " THREAD "dst[i] = t; block.sync(); word[i] = dst[block.idx * 16 + 15 - t]; }", "" },
	{ 16, 2, "{ " THREAD "dst[i] = t; block.sync(); word[i] = dst[31 - i]; }",
	  "t.qdk:1:125: finding: data race: writes dst[16], which block 0, thread 15 has read; blocks do not synchronize: use an atomic, or a second launch (kernel k, block "
	  "1, thread 0)\n32 findings in total; the log contains more of them" },
	/* A flag published with fences, without fences, and with fences of block scope. */
	{ 8, 2, "{ " THREAD "if i == 0 { dst[0] = 7; grid.mem_fence(); atomic.store(word[0], 1); }"
		" if i == 8 { while atomic.load(word[0]) == 0 { } grid.mem_fence(); dst[1] = dst[0]; } }", "" },
	{ 8, 2, "{ " THREAD "if i == 0 { dst[0] = 7; atomic.store(word[0], 1, order = release); }"
		" if i == 8 { while atomic.load(word[0], order = acquire) == 0 { } dst[1] = dst[0]; } }", "" },
	{ 8, 2, "{ " THREAD "if i == 0 { dst[0] = 7; atomic.store(word[0], 1); }"
		" if i == 8 { while atomic.load(word[0]) == 0 { } dst[1] = dst[0]; } }",
	  "t.qdk:1:234: finding: data race: reads dst[0], which block 0, thread 0 has written; blocks do not synchronize: use an atomic, or a second launch (kernel k, block "
	  "1, thread 0)" },
	{ 8, 2, "{ " THREAD "if i == 0 { dst[0] = 7; block.mem_fence(); atomic.store(word[0], 1); }"
		" if i == 8 { while atomic.load(word[0]) == 0 { } block.mem_fence(); dst[1] = dst[0]; } }",
	  "t.qdk:1:272: finding: data race: reads dst[0], which block 0, thread 0 has written; blocks do not synchronize: use an atomic, or a second launch (kernel k, block "
	  "1, thread 0)" },
	{ 16, 1, SHARED "if t == 0 { s[1] = 0; } block.sync(); if t == 0 { s[0] = 7; block.mem_fence(); atomic.store(s[1], 1); }"
		 " if t > 7 { while atomic.load(s[1]) == 0 { } block.mem_fence(); dst[i] = s[0]; } }", "" },
	/* An earlier subgroup may wait for a later one: subgroups are scheduled in turn. */
	{ 16, 1, SHARED "if t == 0 { s[1] = 0; } block.sync(); if t == 8 { atomic.store(s[1], 5); }"
		 " if t < 8 { while atomic.load(s[1]) == 0 { } dst[i] = atomic.load(s[1]); } }", "" },
	/* Uninitialized elements. */
	{ 8, 1, SHARED "if t < 7 { s[t] = t; } block.sync(); dst[i] = s[t]; }",
	  "t.qdk:1:190: finding: s[7] is uninitialized: no thread of the block has written it; store to it first, with block.sync() in between (kernel k, block 0, "
	  "thread 7)" },
	{ 8, 1, SHARED "atomic.add(s[t], 1); }",
	  "t.qdk:1:144: finding: s[0] is uninitialized: no thread of the block has written it; store to it first, with block.sync() in between (kernel k, block 0, "
	  "thread 0)\n8 findings in total; the log contains more of them" },
	{ 8, 2, SHARED "if block.idx == 0 { s[t] = t; } else { dst[i] = s[t]; } }",
	  "t.qdk:1:192: finding: s[0] is uninitialized: no thread of the block has written it; store to it first, with block.sync() in between (kernel k, block 1, "
	  "thread 0)\n8 findings in total; the log contains more of them" },
	{ 8, 1, SHARED "atomic.store(s[t], 3); dst[i] = s[t]; }", "" },
	/* Out of range. */
	{ 8, 1, SHARED "if t == 3 { s[t + 21] = 1; } }",
	  "t.qdk:1:156: finding: store to s[24] is out of bounds: s has 24 elements, and a shared array has no "
	  "guards (kernel k, block 0, thread 3)" },
	{ 8, 1, SHARED "if t == 3 { dst[i] = s[src[i] * 6]; } }",
	  "t.qdk:1:165: finding: load of s[24] is out of bounds: s has 24 elements, and a shared array has no "
	  "guards (kernel k, block 0, thread 3)" },
	{ 8, 1, SHARED "if t == 3 { atomic.xor(s[0 - t], 1); } }",
	  "t.qdk:1:156: finding: atomic on s[4294967293] is out of bounds: s has 24 elements, and a shared "
	  "array has no guards (kernel k, block 0, thread 3)" },
	/* Barriers. */
	{ 8, 1, "assume_uniform(\"test\") " SHARED "if t < 5 { subgroup.sync(); } dst[i] = 1; }",
	  "t.qdk:1:178: finding: sync in divergent control flow: lane 5 is inactive (kernel k, block 0, thread 0)" },
	{ 16, 1, "assume_uniform(\"test\") " SHARED "if t < 8 { block.sync(); } dst[i] = 1; }",
	  "t.qdk:1:178: finding: subgroup 1 has ended, but this thread waits for it: all threads of a block must execute block.sync together (kernel k, block 0, thread 0)" },
	{ 16, 1, "assume_uniform(\"test\") " SHARED "if t < 8 { block.sync(); } else { block.sync(); } dst[i] = 1; }",
	  "t.qdk:1:178: finding: subgroup 1 waits at a different barrier, but this thread waits for it: all threads of a block must execute block.sync together (kernel k, block 0, thread 0)" },
	{ 16, 1, "assume_uniform(\"test\") " SHARED "for j in 0..1 + subgroup.id { block.sync(); } dst[i] = 1; }",
	  "t.qdk:1:197: finding: subgroup 0 has ended, but this thread waits for it: all threads of a block must execute block.sync together (kernel k, block 0, thread 8)" },
	/* Two alternating sets of slots, as in block-wide expansions, need one barrier per
	 * iteration; with one set it is a race. */
	{ 24, 1, SHARED "var turn = 0u; var v = t; for r in 0..src[4] { let at = turn * 3; turn ^= 1;"
		 " if t % 8 == 0 { s[at + t / 8] = v + r; } block.sync();"
		 " v = s[at] + s[at + 1] + s[at + 2]; } dst[i] = v; }", "" },
	{ 24, 1, SHARED "var v = t; for r in 0..src[4] {"
		 " if t % 8 == 0 { s[t / 8] = v + r; } block.sync();"
		 " v = s[0] + s[1] + s[2]; } dst[i] = v; }",
	  "t.qdk:1:192: finding: data race: writes s[0], which several threads have read; put block.sync() between the accesses (kernel k, block 0, thread 0)\n108 findings in total; the log contains more of them" },
	/* The table of a rank as in its expansion: a subgroup clears it after reading. */
	{ 24, 1, RANK("subgroup.sync();"), "" },
	{ 24, 1, RANK(""),
	  "t.qdk:1:447: finding: data race: writes n[0], which several threads have read; put block.sync() between the accesses (kernel k, block 0, thread 0)\n48 findings in total; the log contains more of them" },
	/* An exchange of a sort: two sets of slots, or one set with another barrier. */
	{ 24, 1, SHARED "var v = t; for r in 0..src[4] { block.sync(); s[t] = v; block.sync();"
		 " v = min(v, s[min(t ^ 8 | r, 23)]); } dst[i] = v; }", "" },
	{ 12, 1, SHARED "var turn = 0u; var v = t; for r in 0..src[4] { s[turn * 12 + t] = v; block.sync();"
		 " v = min(v, s[turn * 12 + min(t ^ 8 | r, 11)]); turn ^= 1; } dst[i] = v; }", "" },
	/* A rank includes a barrier: its arrays may be read and written right after it. */
	{ 16, 1, BINS "s[t] = t; " RANKED("t") "dst[i] = s[15 - t] + u32(r); }", "" },
	{ 16, 1, BINS "for x in 0..src[4] { " RANKED("t + x")
		 "dst[i] = u32(b[t & 7] + e[7 - (t & 7)]) + u32(r); } }", "" },
	{ 16, 1, BINS RANKED("t") "if t < 8 { b[t] = r; e[7 - t] = r; } }", "" },
	/* A vote includes a barrier, a reduction does not. */
	{ 16, 1, SHARED "s[t] = t; let n = block.sync_count_nonzero(t); dst[i] = s[15 - t] + u32(n); }", "" },
	{ 16, 1, SHARED "s[t] = t; let n = block.reduce_add(t); dst[i] = s[15 - t] + n; }",
	  "t.qdk:1:192: finding: data race: reads s[15], which block 0, thread 15 has written; put block.sync() between the accesses (kernel k, block 0, thread 0)\n16 findings in total; the log contains more of them" },
	{ 16, 1, "assume_uniform(\"test\") " SHARED "if t < 8 { dst[i] = block.reduce_add(t); } }",
	  "t.qdk:1:187: finding: subgroup 1 has ended, but this thread waits for it: all threads of a block must execute block.reduce_add together (kernel k, block 0, thread 0)" },
	{ 16, 1, "assume_uniform(\"test\") " SHARED "dst[i] = block.broadcast(t, t / 8); }",
	  "t.qdk:1:176: finding: the broadcast index is not uniform: it is 1 here and 0 in another thread (kernel k, "
	  "block 0, thread 8)" },
	/* Barriers in a grid loop do not wait for a subgroup without an index in it, which is
	 * active again after it. */
	{ 24, 1, "{ shared s: u32[24]; let t = block.thread_idx(); s[t] = 1; block.sync();"
		 " for i in grid(9) { s[t] = 2; block.sync(); dst[i] = s[8 - i]; } block.sync();"
		 " word[t] = s[23 - t]; }", "" },
};

static bool
make(struct rig *r, const struct text *c, struct qd_kernel **k)
{
	char text[1024];
	struct qd_module *m;

	snprintf(text, sizeof text, "kernel k(src: in u32[], dst: u32[], word: u32[]) block(%2u) %s", c->dim,
		 c->body);
	if (qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err)) {
		UNIT_CHECK(r->t, false, "%s", r->err.text);
		return false;
	}
	bool made = !qd_module_kernel(m, "k", NULL, 0, k, &r->err);
	qd_module_free(m);
	return made;
}

static void
findings(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(texts); i++) {
		const struct text *c = &texts[i];
		uint32_t src[WORDS], dst[WORDS] = { 0 }, word[WORDS] = { 0 };
		struct io io[] = { IO(src), IO(dst), IO(word) };
		struct qd_kernel *k = NULL;
		struct rig r;

		for (uint32_t n = 0; n < WORDS; n++)
			src[n] = n + 1;
		if (!rig_open(&r, t, "ref:8"))
			return;
		if (make(&r, c, &k)) {
			qd_status st = rig_launch(&r, k, c->n_blocks, io, 3);

			rig_text(t, st ? r.err.text : "", c->err);
		}
		qd_kernel_free(k);
		rig_close(&r);
	}
}

/* -- Races, compared with an oracle ---------------------------------------------------------- */

/* Random programs of steps, which all threads of a block execute. Each step may access one cell. */
enum { N_STEP = 7, N_CELL = 24, DIM = 24, N_PROGRAM = 3000 };
enum what { WRITES, READS, ATOMIC, SYNC, LANES_SYNC };

struct step {
	enum what what;
	uint32_t from, to;   /* threads that execute it */
	uint32_t factor, by; /* the cell is (t * factor + by) % N_CELL */
};

static uint32_t
cell(const struct step *s, uint32_t t)
{
	return (t * s->factor + s->by) % N_CELL;
}

/* Returns true if two threads access one cell without a barrier of both in between. At least one
 * access must be a write, and not both may be atomic. */
static bool
races(const struct step *p)
{
	for (uint32_t i = 0; i < N_STEP; i++) {
		bool block = false, lanes = false;

		for (uint32_t j = i; j < N_STEP && p[i].what < SYNC; j++) {
			block = block || p[j].what == SYNC;
			lanes = lanes || p[j].what >= SYNC;
			if (p[j].what >= SYNC || (p[i].what == READS && p[j].what == READS) ||
			    (p[i].what == ATOMIC && p[j].what == ATOMIC))
				continue;
			for (uint32_t a = p[i].from; a < p[i].to; a++)
				for (uint32_t b = p[j].from; b < p[j].to; b++) {
					bool near = a / LANES == b / LANES;

					if (a != b && cell(&p[i], a) == cell(&p[j], b) && !block &&
					    !(near && lanes))
						return true;
				}
		}
	}
	return false;
}

static struct qd_builder *
build(struct rig *r, const struct step *p)
{
	struct qd_builder *b = rig_kernel(r, DIM);
	struct qd_array dst = rig_dst(b), s = qd_shared(b, "s", QD_TYPE_U32, N_CELL);
	struct qd_val t = qd_block_thread_idx(b), at, in;
	struct qd_var sum = qd_var(b, t);

	qd_store(b, s, t, t);
	qd_block_sync(b);
	for (uint32_t i = 0; i < N_STEP; i++) {
		if (p[i].what == SYNC)
			qd_block_sync(b);
		else if (p[i].what == LANES_SYNC)
			qd_subgroup_sync(b);
		if (p[i].what >= SYNC)
			continue;
		in = qd_and(b, qd_ge(b, t, qd_u32(b, p[i].from)), qd_lt(b, t, qd_u32(b, p[i].to)));
		qd_if(b, in);
		at = qd_add(b, qd_mul(b, t, qd_u32(b, p[i].factor)), qd_u32(b, p[i].by));
		at = qd_rem(b, at, qd_u32(b, N_CELL));
		if (p[i].what == WRITES)
			qd_store(b, s, at, t);
		else if (p[i].what == READS)
			qd_set(b, sum, qd_add(b, qd_get(b, sum), qd_load(b, s, at)));
		else
			qd_atomic_add(b, s, at, t, QD_SCOPE_BLOCK, QD_ORDER_RELAXED);
		qd_end(b);
	}
	qd_store(b, dst, t, qd_get(b, sum));
	return b;
}

/* Compares random programs with the oracle. No race may be reported that does not exist.
 * with_atomics: a race may be missed if another atomic has replaced the record of the access. */
static void
random_programs(struct unit_ctx *t, bool with_atomics)
{
	struct unit_rng rng = { with_atomics ? 5 : 4 };
	uint32_t n[2] = { 0, 0 }, missed = 0;
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (uint32_t i = 0; i < N_PROGRAM && !t->n_failed; i++) {
		static const uint32_t factors[] = { 1, 1, 1, 5, 23, 0 };
		struct step p[N_STEP];
		uint32_t dst[DIM] = { 0 };
		qd_status st;

		for (uint32_t k = 0; k < N_STEP; k++) {
			uint32_t x = (uint32_t)(unit_random(&rng) >> 11);
			p[k] = (struct step){ .what = (enum what)(x % 5), .from = x / 5 % DIM };
			if (p[k].what == ATOMIC && !with_atomics)
				p[k].what = SYNC;
			p[k].to = p[k].from + 1 + x / 200 % 12;
			p[k].to = p[k].to > DIM ? DIM : p[k].to;
			p[k].factor = factors[x / 3000 % 6];
			p[k].by = x / 20000 % 5;
		}
		bool want = races(p);
		st = rig_run(&r, build(&r, p), 1, &IO(dst), 1);
		n[want]++;
		missed += want && !st;
		UNIT_CHECK(t, st == QD_OK || st == QD_E_FINDING, "%s", r.err.text);
		UNIT_CHECK(t, want || !st, "program %u: invented: %s", i, r.err.text);
		UNIT_CHECK(t, !want || st || with_atomics, "program %u: missed", i);
	}
	UNIT_CHECK(t, n[0] > N_PROGRAM / 10 && n[1] > N_PROGRAM / 10, "%u without, %u with a race", n[0], n[1]);
	UNIT_CHECK(t, missed * 50 < n[1], "%u of %u missed", missed, n[1]);
	rig_close(&r);
}

static void
oracle(struct unit_ctx *t)
{
	random_programs(t, false);
}

static void
oracle_atomics(struct unit_ctx *t)
{
	random_programs(t, true);
}

const struct unit units_ref_memory[] = {
	{ "ref_memory.findings", findings },
	{ "ref_memory.oracle", oracle },
	{ "ref_memory.oracle_atomics", oracle_atomics },
};
const size_t n_units_ref_memory = sizeof units_ref_memory / sizeof *units_ref_memory;
