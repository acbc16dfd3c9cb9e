/* Reports of the reference interpreter: the exact text of every finding and remark, cases without
 * reports, and the number of messages kept. All runs complete and leave their results. */
#include <stdio.h>

#include "interp.h"
#include "ref_rig.h"

enum { N = SCENE_SIZE };

/* -- Inactive lanes and padding threads ----------------------------------------------- */

static void
padding(struct scene *k)
{
	scene_put(k, qd_subgroup_shuffle_down(k->b, k->v, scene_u32(k, 1)));
}

static void
inactive(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 2)));
	scene_put(k, qd_subgroup_shuffle(k->b, k->v, qd_u32(k->b, 2)));
	qd_end(k->b);
}

/* Lanes that fetch only from active ones, which is not a finding. */
static void
divergent_fetch(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_lt(k->b, k->i, scene_u32(k, 4)));
	scene_put(k, qd_subgroup_shuffle_xor(k->b, k->v, scene_u32(k, 3)));
	qd_end(k->b);
}

static void
divergent_reduce(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 5)));
	scene_put(k, qd_subgroup_reduce_add_tiled(k->b, k->v, 2));
	qd_end(k->b);
}

static void
divergent_ballot(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 3)));
	struct qd_val three = qd_subgroup_ballot_first_n(k->b, k->v, 3);
	scene_put(k, qd_add(k->b, three, qd_subgroup_ballot_first_n(k->b, k->v, 4)));
	qd_end(k->b);
}

static void
divergent_broadcast(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	scene_put(k, qd_subgroup_broadcast(k->b, k->v, qd_div(k->b, k->i, scene_u32(k, 3))));
}

/* Lanes 4 to 7: only lane 4 is in the grid loop, and it takes part. */
static void
divergent_in_grid(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_grid(k->b, qd_u32(k->b, 5));
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 1)));
	scene_put(k, qd_subgroup_reduce_add_tiled(k->b, k->v, 2));
	qd_end(k->b);
	qd_end(k->b);
}

/* After the loop all eight lanes are active again, except lane 6, which skips the reduction. */
static void
divergent_after_grid(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_grid(k->b, qd_u32(k->b, 5));
	qd_store(k->b, k->mem, k->i, k->v);
	qd_end(k->b);
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 6)));
	scene_put(k, qd_subgroup_reduce_add(k->b, k->v));
	qd_end(k->b);
}

/* After a loop that lanes left in different iterations, all are active again. */
static void
reconverged(struct scene *k)
{
	struct qd_var n = qd_var(k->b, scene_u32(k, 0));

	qd_loop(k->b);
	qd_break_if(k->b, qd_ge(k->b, qd_get(k->b, n), k->i));
	qd_set(k->b, n, qd_add(k->b, qd_get(k->b, n), scene_u32(k, 1)));
	qd_end(k->b);
	scene_put(k, qd_subgroup_reduce_add(k->b, qd_get(k->b, n)));
}

/* -- Memory ----------------------------------------------------------------------------- */

static void
unguarded(struct scene *k)
{
	qd_assume_in_bounds(k->b, "test");
	struct qd_val j = qd_add(k->b, k->i, scene_u32(k, N - 7));
	qd_store(k->b, k->dst, j, qd_load(k->b, k->src, j));
}

static void
guarded(struct scene *k)
{
	struct qd_val j = qd_add(k->b, k->i, scene_u32(k, N - 7));
	qd_store(k->b, k->dst, j, qd_load(k->b, k->src, j));
}

static void
guarded_else(struct scene *k)
{
	struct qd_val j = qd_add(k->b, k->i, scene_u32(k, N - 7));
	scene_put(k, qd_load_else(k->b, k->src, j, scene_u32(k, 9)));
}

/* Padding threads past n fail their guards, which is not a finding. */
static void
past_the_end(struct scene *k)
{
	struct qd_val i = qd_grid(k->b, qd_len(k->b, k->src));
	struct qd_val v = qd_load(k->b, k->src, i);
	qd_store(k->b, k->dst, i, qd_div(k->b, scene_u32(k, 100), v));
}

/* 16 indices in blocks of 4, unless the case says otherwise. */
static void
too_few_blocks(struct scene *k)
{
	struct qd_val i = qd_grid(k->b, qd_len(k->b, k->src));
	qd_store(k->b, k->dst, i, qd_load(k->b, k->src, i));
}

static void
grid_guard(struct scene *k)
{
	struct qd_val i = qd_grid(k->b, qd_len(k->b, k->src));
	scene_put(k, qd_load(k->b, k->src, qd_add(k->b, i, scene_u32(k, 1))));
}

/* Logarithm of 1 to 16, and of 0 in padding threads, which cause no remark. */
static void
logarithm(struct scene *k)
{
	struct qd_val i = qd_grid(k->b, qd_len(k->b, k->src));
	struct qd_val x = qd_cast(k->b, QD_TYPE_F32, qd_load(k->b, k->src, i));
	qd_store(k->b, k->dst, i, qd_cast(k->b, QD_TYPE_U32, qd_log(k->b, x)));
}

/* Arguments -2 to 5: three are outside the domain, but only one remark is reported. Thread 0 is
 * inactive. */
static void
outside(struct scene *k)
{
	struct qd_val x = qd_cast(k->b, QD_TYPE_F32, k->v);

	x = qd_sub(k->b, x, qd_f32(k->b, 3));
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 0)));
	scene_put(k, qd_cast(k->b, QD_TYPE_U32, qd_pow(k->b, x, qd_f32(k->b, 2))));
	qd_end(k->b);
}

static void
division(struct scene *k)
{
	struct qd_val three = qd_sub(k->b, k->v, scene_u32(k, 4));

	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 5)));
	scene_put(k, qd_div(k->b, k->v, three));
	qd_end(k->b);
	scene_put(k, qd_rem(k->b, k->v, qd_sub(k->b, k->v, scene_u32(k, 3))));
}

static void
divide(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t n)
{
	(void)user;
	(void)n;
	out[0] = qd_div(b, x[0], qd_sub(b, y[0], y[0]));
}

static void
operator_division(struct scene *k)
{
	struct qd_val r;

	qd_subgroup_reduce(k->b, &k->v, &r, 1, 1, divide, NULL);
	scene_put(k, r);
}

/* -- Races -------------------------------------------------------------------------------- */

static void
write_write(struct scene *k)
{
	qd_store(k->b, k->dst, qd_and(k->b, k->i, scene_u32(k, 6)), scene_u32(k, 1));
}

static void
read_write(struct scene *k)
{
	struct qd_val next = qd_rem(k->b, qd_add(k->b, k->i, scene_u32(k, 7)), scene_u32(k, 8));
	qd_store(k->b, k->mem, k->i, qd_load(k->b, k->mem, next));
}

static void
write_read(struct scene *k)
{
	qd_store(k->b, k->mem, k->i, k->v);
	qd_if(k->b, qd_eq(k->b, k->i, scene_u32(k, 9)));
	scene_put(k, qd_load(k->b, k->mem, scene_u32(k, 1)));
	qd_end(k->b);
}

static void
many_readers(struct scene *k)
{
	scene_put(k, qd_load(k->b, k->mem, scene_u32(k, 3)));
	qd_if(k->b, qd_eq(k->b, k->i, scene_u32(k, 0)));
	qd_store(k->b, k->mem, scene_u32(k, 3), k->v);
	qd_end(k->b);
}

/* Threads that access only their own elements, twice. */
static void
own_elements(struct scene *k)
{
	for (int n = 0; n < 2; n++)
		qd_store(k->b, k->mem, k->i, qd_add(k->b, qd_load(k->b, k->mem, k->i), k->v));
}

/* -- Members --------------------------------------------------------------------------- */

static void
members(struct scene *k, struct qd_val mask)
{
	const uint32_t size = 8;

	qd_subgroup_sizes(k->b, &size, 1);
	scene_put(k, qd_nvvm_match_any(k->b, mask, k->v));
}

static struct qd_val
odd(const struct scene *k, uint32_t yes, uint32_t no)
{
	struct qd_val is = qd_eq(k->b, qd_and(k->b, k->i, scene_u32(k, 1)), scene_u32(k, 1));
	struct qd_val mask = qd_u32(k->b, yes);

	return qd_select(k->b, is, mask, qd_u32(k->b, no));
}

static void
parts(struct scene *k)
{
	members(k, odd(k, 0xaa, 0x55));
}

static void
no_member(struct scene *k)
{
	members(k, odd(k, 0xaa, 0x54));
}

static void
not_named_back(struct scene *k)
{
	members(k, odd(k, 0xaa, 0xff));
}

static void
divergent_match(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 5)));
	members(k, qd_u32(k->b, UINT32_MAX));
	qd_end(k->b);
}

/* -- Table: call numbers count from qd_block ----------------------------------------------- */

#define ELSEWHERE "; if the lane is inactive, use another value: select(c, fetched, other)"

/* clang-format off */
static const struct scene_check checks[] = {
	{ "padding lane", padding, 7, 1,
	  "call 11, qd_store: finding: the value stored is undefined in lane 6: shuffle_down fetched it "
	  "from lane 7, which was a padding thread" ELSEWHERE " (kernel k, block 0, thread 6)\n"
	  "note: call 10, qd_subgroup_shuffle_down: it was fetched here",
	  "error ref: call 11, qd_store: finding: the value stored is undefined in lane 6: shuffle_down "
	  "fetched it from lane 7, which was a padding thread" ELSEWHERE " (kernel k, block 0, thread 6)\n"
	  "note: call 10, qd_subgroup_shuffle_down: it was fetched here\n" },
	{ "inactive lane", inactive, 3, 2,
	  "call 15, qd_store: finding: the value stored is undefined in lane 0: shuffle fetched it from "
	  "lane 2, which was inactive" ELSEWHERE " (kernel k, block 0, thread 0)\n"
	  "note: call 14, qd_subgroup_shuffle: it was fetched here\n"
	  "2 findings in total; the log contains more of them", "" },
	{ "fetch among active lanes", divergent_fetch, 8, 1, "", "" },
	{ "divergent reduction", divergent_reduce, 8, 1,
	  "call 13, qd_subgroup_reduce_add_tiled: finding: reduce_add in divergent control flow: lane "
	  "5 is inactive (kernel k, block 0, thread 4)", "" },
	{ "divergent ballot", divergent_ballot, 8, 1,
	  "call 14, qd_subgroup_ballot_first_n: finding: ballot_first_n in divergent control flow: lane "
	  "3 is inactive (kernel k, block 0, thread 0)", "" },
	{ "divergent broadcast index", divergent_broadcast, 8, 1,
	  "call 12, qd_subgroup_broadcast: finding: the broadcast index is not uniform: lane 0 has 0, "
	  "lane 3 has 1 (kernel k, block 0, thread 3)", "" },
	{ "divergent in a grid loop", divergent_in_grid, 8, 1,
	  "call 15, qd_subgroup_reduce_add_tiled: finding: reduce_add in divergent control flow: lane "
	  "1 is inactive (kernel k, block 0, thread 0)", "" },
	{ "divergent after a grid loop", divergent_after_grid, 8, 1,
	  "call 17, qd_subgroup_reduce_add: finding: reduce_add in divergent control flow: lane "
	  "6 is inactive (kernel k, block 0, thread 0)", "" },
	{ "reconverged", reconverged, 16, 1, "", "" },
	{ "parts of a warp", parts, 8, 1, "", "" },
	{ "the caller is not a member", no_member, 8, 1,
	  "call 17, qd_nvvm_match_any: finding: match_any: the mask 0x00000054 does not include lane 0, "
	  "which executes it (kernel k, block 0, thread 0)", "" },
	{ "a member with another mask", not_named_back, 8, 1,
	  "call 17, qd_nvvm_match_any: finding: match_any: the mask 0x000000ff of lane 0 includes lane 1, "
	  "whose mask is 0x000000aa (kernel k, block 0, thread 0)\n"
	  "4 findings in total; the log contains more of them", "" },
	{ "divergent match", divergent_match, 8, 1,
	  "call 15, qd_nvvm_match_any: finding: match_any in divergent control flow: lane 5 is inactive "
	  "(kernel k, block 0, thread 0)", "" },

	{ "unguarded access", unguarded, 8, 1,
	  "call 12, qd_load: finding: load of src[16] is out of bounds: src has 16 elements, and the "
	  "kernel has no guards (kernel k, block 0, thread 7)\n"
	  "2 findings in total; the log contains more of them",
	  "error ref: call 12, qd_load: finding: load of src[16] is out of bounds: src has 16 elements, "
	  "and the kernel has no guards (kernel k, block 0, thread 7)\n"
	  "error ref: call 13, qd_store: finding: store to dst[16] is out of bounds: dst has 16 elements, "
	  "and the kernel has no guards (kernel k, block 0, thread 7)\n" },
	{ "guarded access", guarded, 8, 1, "",
	  "warning ref: call 11, qd_load: remark: load of src[16] is out of bounds: src has 16 elements; "
	  "it gives 0 (kernel k, block 0, thread 7)\n"
	  "warning ref: call 12, qd_store: remark: store to dst[16] is out of bounds: dst has 16 elements; "
	  "it does nothing (kernel k, block 0, thread 7)\n" },
	{ "guarded access with an else", guarded_else, 8, 1, "", "" },
	{ "past the end of a grid loop", past_the_end, 12, QD_GRID, "", "" },
	{ "guard in a grid loop", grid_guard, 16, QD_GRID, "",
	  "warning ref: call 13, qd_load: remark: load of src[16] is out of bounds: src has 16 elements; "
	  "it gives 0 (kernel k, block 0, thread 15)\n" },
	{ "fewer threads than indices", too_few_blocks, 4, 3, "",
	  "warning ref: call 10, qd_grid: remark: the launch has 3 blocks of 4: of the 16 indices of this loop, the last 4 have no thread (kernel k, block 0, thread 0)\n" },
	{ "as many threads as indices", too_few_blocks, 4, 4, "", "" },
	{ "more threads than indices", too_few_blocks, 4, 5, "", "" },
	{ "division by zero", division, 8, 1, "",
	  "warning ref: call 14, qd_div: remark: integer division by zero (kernel k, block 0, thread 3)\n"
	  "warning ref: call 19, qd_rem: remark: integer division by zero (kernel k, block 0, thread 2)\n" },
	{ "inside the domain of a function", logarithm, 12, QD_GRID, "", "" },
	{ "outside the domain of a function", outside, 8, 1, "",
	  "warning ref: call 16, qd_pow: remark: devices differ in pow(-1, 2): they agree for normal x above 0 "
	  "(kernel k, block 0, thread 1)\n" },
	{ "division by zero in an operator", operator_division, 2, 1, "",
	  "warning ref: call 11, qd_div: remark: integer division by zero (kernel k, block 0, thread 0)\n" },

	{ "two writers", write_write, 2, 1,
	  "call 12, qd_store: finding: data race: writes dst[0], which block 0, thread 0 has written; several threads store to one element: use an element per thread, one storing thread or an atomic "
	  "(kernel k, block 0, thread 1)", "" },
	{ "read, then written by another", read_write, 8, 1,
	  "call 14, qd_store: finding: data race: writes mem[0], which block 0, thread 1 has read; put block.sync() between the accesses "
	  "(kernel k, block 0, thread 0)\n8 findings in total; the log contains more of them", "" },
	{ "written, then read by another", write_read, 8, 2,
	  "call 14, qd_load: finding: data race: reads mem[1], which block 0, thread 1 has written; blocks do not synchronize: use an atomic, or a second launch "
	  "(kernel k, block 1, thread 1)", "" },
	{ "several readers", many_readers, 2, 1,
	  "call 16, qd_store: finding: data race: writes mem[3], which several threads have read; put block.sync() between the accesses "
	  "(kernel k, block 0, thread 0)", "" },
	{ "own elements", own_elements, 8, 2, "", "" },
};
/* clang-format on */

static void
messages(struct unit_ctx *t)
{
	scene_run(t, checks, QD_COUNT(checks));
}

/* Checks that a value fetched from an inactive lane is 0, and that the run is otherwise
 * unaffected. */
static void
completes(struct unit_ctx *t)
{
	uint32_t src[N], dst[N] = { 0 }, mem[N] = { 0 };
	const struct io io[] = { IO(src), IO(dst), IO(mem) };
	const struct scene_check c = { "padding", padding, 7, 2, "", "" };
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (uint32_t j = 0; j < N; j++)
		src[j] = j + 1;
	UNIT_CHECK(t, rig_run(&r, scene_make(&r, &c), c.n_blocks, io, 3) == QD_E_FINDING, "no finding");
	for (uint32_t j = 0; j < 14; j++)
		UNIT_CHECK(t, dst[j] == (j % 7 < 6 ? j + 2 : 0), "thread %u: %u", j, dst[j]);
	rig_close(&r);
}

/* Checks that a finding in printed IR has the line and column of its source text. */
static void
position(struct unit_ctx *t)
{
	static const char text[] = "kernel \"sums\"\n"
				   "file \"sums.qdk\"\n"
				   "block 6 1 1\n"
				   "param \"dst\" out u32[]\n"
				   "{\n"
				   "  %1 = block.thread_idx u32 ; 3:5\n"
				   "  %2 = const u32 0x5 ; 7:32\n"
				   "  %3 = subgroup.shuffle_xor u32 %1 %2 ; 7:14\n"
				   "  store \"dst\" %1 %3 _ !1 ; 7:9\n"
				   "}\n";
	struct qd_kernel *k = NULL;
	uint32_t dst[6];
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	UNIT_CHECK(t, qd_kernel_read(r.ctx, text, sizeof text - 1, "x", &k, &r.err) == QD_OK, "%s",
		   r.err.text);
	const struct io io = IO(dst);
	if (k) {
		UNIT_CHECK(t, rig_launch(&r, k, 1, &io, 1) == QD_E_FINDING, "no finding");
		rig_text(t, r.err.text,
			 "sums.qdk:7:9: finding: the value stored is undefined in lane 2: "
			 "shuffle_xor fetched it from lane 7, which was a padding thread" ELSEWHERE " (kernel sums, "
			 "block 0, thread 2)\n"
			 "note: sums.qdk:7:14: it was fetched here\n"
			 "2 findings in total; the log contains more of them");
		UNIT_CHECK(t, r.err.line == 7 && r.err.col == 9, "%u:%u", r.err.line, r.err.col);
	}
	qd_kernel_free(k);
	rig_close(&r);
}

static uint32_t
count(const char *s, const char *what)
{
	uint32_t n = 0;

	for (s = strstr(s, what); s; s = strstr(s + 1, what))
		n++;
	return n;
}

static void
padding_sum(struct scene *k)
{
	struct qd_val o = qd_subgroup_shuffle_down(k->b, k->v, scene_u32(k, 1));

	o = qd_subgroup_reduce_add(k->b, o);
	qd_if(k->b, qd_eq(k->b, k->i, scene_u32(k, 0)));
	scene_put(k, o);
	qd_end(k->b);
}

/* Checks that the log keeps a few messages for each position, then a count, because one message per
 * thread would flood it. */
static void
kept(struct unit_ctx *t)
{
	uint32_t src[N], dst[N] = { 0 }, mem[N] = { 0 };
	const struct io io[] = { IO(src), IO(dst), IO(mem) };
	const struct scene_check c = { "padding", padding_sum, 7, 100, "", "" };
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	memset(src, 0, sizeof src);
	rig_run(&r, scene_make(&r, &c), c.n_blocks, io, 3);
	UNIT_CHECK(t, count(r.log, "the operand is undefined") == SITE_LIMIT, "%s", r.log);
	UNIT_CHECK(t, strstr(r.err.text, "\n100 findings in total;"), "%s", r.err.text);
	UNIT_CHECK(t,
		   count(r.log, "warning ref: kernel k: ") == 1 &&
			   count(r.log, " more findings and remarks are not shown\n") == 1,
		   "%s", r.log);
	rig_close(&r);
}

/* -- Shadows ---------------------------------------------------------------------------- */

/* Checks that consecutive launches are ordered, even when thread numbers are exhausted, and that
 * views of another element type are compared by bytes. */
static void
shadows(struct unit_ctx *t)
{
	const struct scene_check c = { "own", own_elements, 8, 2, "", "" };
	struct qd_kernel *k[3] = { NULL, NULL, NULL };
	struct qd_function *fn[3];
	struct qd_buffer *buf, *s[4];
	struct qd_arg arg[4];
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	qd_builder_finish(scene_make(&r, &c), &k[0], &r.err);
	for (uint32_t n = 1; n < 3; n++) {
		struct qd_builder *b = rig_kernel(&r, 8);
		struct qd_array bytes = qd_param_buffer(b, "bytes", QD_TYPE_U8, QD_ACCESS_OUT);
		struct qd_val i = rig_thread(b);
		qd_store(b, bytes, qd_div(b, i, qd_u32(b, n)), i); /* 1: its own; 2: one shared by a
								    * pair */
		qd_builder_finish(b, &k[n], &r.err);
	}
	for (int n = 0; n < 3; n++)
		UNIT_CHECK(t, k[n] && !qd_function_get(r.dev, k[n], NULL, 0, &fn[n], &r.err), "%s",
			   r.err.text);
	UNIT_CHECK(t, !qd_buffer_create(r.dev, 3 * N * 4, 0, &buf, &r.err), "%s", r.err.text);
	for (size_t n = 0; n < 4; n++) {
		size_t at = n < 3 ? n * N * 4 : 2 * N * 4 + 1;

		qd_buffer_slice(buf, at, n < 3 ? N * 4 : 8, &s[n], &r.err);
		arg[n] = qd_arg_buffer(s[n]);
	}
	((struct ref_device *)r.dev)->next_id = UINT32_MAX - 100;
	for (uint32_t n = 0; n < 40; n++) {
		uint32_t which = n % 5 < 3 ? 0 : n % 5 - 2;
		qd_status st = qd_launch(r.stream, fn[which], which ? 1 : 2, which ? arg + 3 : arg,
					 which ? 1 : 3, &r.err);

		UNIT_CHECK(t, st == QD_OK, "launch %u: %s", n, r.err.text);
		st = qd_stream_sync(r.stream, &r.err);
		UNIT_CHECK(t, st == (which == 2 ? QD_E_FINDING : QD_OK), "sync %u: %s", n,
			   r.err.text);
	}
	UNIT_CHECK(t, ((struct ref_device *)r.dev)->era == 1, "no new era");
	for (size_t n = 0; n < 4; n++)
		qd_buffer_free(s[n]);
	qd_buffer_free(buf);
	for (int n = 0; n < 3; n++)
		qd_kernel_free(k[n]);
	rig_close(&r);
}

/* -- Threads ------------------------------------------------------------------------------ */

struct worker {
	struct qd_device *dev;
	struct qd_function *fn;
	struct qd_buffer *shared;
	uint32_t bad;
};

static void *
work(void *user)
{
	struct worker *w = user;
	struct qd_stream *s;
	struct qd_buffer *mem;
	uint32_t got[N];

	if (qd_stream_create(w->dev, &s, NULL))
		return NULL;
	if (!qd_buffer_create(w->dev, sizeof got, 0, &mem, NULL)) {
		const struct qd_arg arg[] = { qd_arg_buffer(w->shared), qd_arg_buffer(mem),
					      qd_arg_buffer(mem) };
		for (int n = 0; n < 50; n++)
			w->bad += qd_launch(s, w->fn, 2, arg, 2, NULL) != QD_OK ||
				  qd_stream_sync(s, NULL) != QD_OK;
		w->bad += qd_buffer_download_async(s, mem, 0, got, sizeof got, NULL) != QD_OK;
		w->bad += got[5] != 50 * 6;
		qd_buffer_free(mem);
	}
	qd_stream_free(s);
	return NULL;
}

/* Checks streams of one device in several threads, with a shared buffer. */
static void
threads(struct unit_ctx *t)
{
	uint32_t src[N];
	struct worker w[4];
	pthread_t id[4];
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_buffer *shared = NULL;
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (uint32_t j = 0; j < N; j++)
		src[j] = j + 1;
	struct qd_builder *b = rig_kernel(&r, 8);
	struct qd_array a = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array m = qd_param_buffer(b, "mem", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = rig_thread(b);
	qd_store(b, m, i, qd_add(b, qd_load(b, m, i), qd_load(b, a, i)));
	qd_builder_finish(b, &k, &r.err);
	qd_status st = qd_function_get(r.dev, k, NULL, 0, &fn, &r.err);
	st = st ? st : qd_buffer_create(r.dev, sizeof src, 0, &shared, &r.err);
	st = st ? st : qd_buffer_upload(r.stream, shared, 0, src, sizeof src, &r.err);
	UNIT_CHECK(t, st == QD_OK, "%s", r.err.text);
	for (size_t n = 0; !st && n < QD_COUNT(w); n++) {
		w[n] = (struct worker){ r.dev, fn, shared, 0 };
		pthread_create(&id[n], NULL, work, &w[n]);
	}
	for (size_t n = 0; !st && n < QD_COUNT(w); n++) {
		pthread_join(id[n], NULL);
		UNIT_CHECK(t, w[n].bad == 0, "thread %zu: %u calls or values are wrong", n,
			   w[n].bad);
	}
	qd_buffer_free(shared);
	qd_kernel_free(k);
	rig_close(&r);
}

const struct unit units_ref_check[] = {
	{ "ref.messages", messages }, { "ref.completes", completes }, { "ref.position", position },
	{ "ref.kept", kept },	      { "ref.shadows", shadows },     { "ref.threads", threads },
};
const unsigned n_units_ref_check = QD_COUNT(units_ref_check);
