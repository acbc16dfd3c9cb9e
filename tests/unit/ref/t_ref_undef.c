/* Reference interpreter: values fetched from inactive lanes or padding threads. They are reported
 * where they affect a result, and nowhere else. */
#include <stdio.h>

#include "ref_rig.h"

/* Returns src of the next lane, in a block of 7 with S = 8. In thread 6 it is undefined. */
static struct qd_val
next(struct scene *k)
{
	return qd_subgroup_shuffle_down(k->b, k->v, scene_u32(k, 1));
}

static struct qd_val
has_next(struct scene *k)
{
	return qd_lt(k->b, k->i, scene_u32(k, 6));
}

static struct qd_val
is_2(struct scene *k, struct qd_val v)
{
	return qd_eq(k->b, v, scene_u32(k, 2));
}

/* -- Uses without effect ------------------------------------------------------------ */

static void
unused(struct scene *k)
{
	qd_neg(k->b, next(k));
	scene_put(k, k->v);
}

static void
used_where_defined(struct scene *k)
{
	struct qd_val o = qd_add(k->b, next(k), scene_u32(k, 1));

	qd_if(k->b, has_next(k));
	scene_put(k, o);
	qd_end(k->b);
}

static void
other_side(struct scene *k)
{
	scene_put(k, qd_select(k->b, has_next(k), next(k), k->v));
}

static void
decided_without(struct scene *k)
{
	qd_if(k->b, qd_and(k->b, has_next(k), is_2(k, next(k))));
	scene_put(k, k->v);
	qd_end(k->b);
	qd_if(k->b, qd_or(k->b, is_2(k, next(k)), qd_not(k->b, has_next(k))));
	scene_put(k, k->v);
	qd_end(k->b);
}

static void
overwritten(struct scene *k)
{
	struct qd_var x = qd_var(k->b, next(k));

	qd_if(k->b, qd_not(k->b, has_next(k)));
	qd_set(k->b, x, k->v);
	qd_end(k->b);
	scene_put(k, qd_get(k->b, x));
}

/* An index past the end. */
static void
stored_nowhere(struct scene *k)
{
	qd_store(k->b, k->dst, qd_add(k->b, k->i, scene_u32(k, 10)), next(k));
}

static void
without_vote(struct scene *k)
{
	struct qd_val two = is_2(k, next(k));

	scene_put(k, qd_subgroup_ballot_first_n(k->b, two, 6));
	scene_put(k, qd_subgroup_reduce_add(k->b, qd_select(k->b, has_next(k), next(k), k->v)));
}

static void
load_instead(struct scene *k)
{
	scene_put(k, qd_load_else(k->b, k->src, k->i, next(k)));
}

static void
in_a_grid_loop(struct scene *k)
{
	struct qd_val n = qd_u32(k->b, 5), i = qd_grid(k->b, n);
	struct qd_val o = qd_subgroup_shuffle_down(k->b, k->v, scene_u32(k, 1));

	qd_if(k->b, qd_lt(k->b, qd_add(k->b, i, scene_u32(k, 1)), n));
	scene_put(k, o);
	qd_end(k->b);
	scene_put(k, qd_subgroup_broadcast(k->b, i, scene_u32(k, 0)));
}

static void
without_part(struct scene *k)
{
	struct qd_val o = next(k), six = scene_u32(k, 6);

	qd_block_n_active(k->b, six);
	scene_put(k, qd_block_reduce_add(k->b, o));
}

/* -- Uses with effect ----------------------------------------------------------------- */

static void
stored(struct scene *k)
{
	scene_put(k, qd_add(k->b, qd_neg(k->b, next(k)), k->v));
}

static void
load_index(struct scene *k)
{
	scene_put(k, qd_load(k->b, k->src, next(k)));
}

static void
store_index(struct scene *k)
{
	qd_store(k->b, k->dst, next(k), k->v);
}

static void
condition(struct scene *k)
{
	qd_if(k->b, is_2(k, next(k)));
	scene_put(k, k->v);
	qd_end(k->b);
}

static void
leaving(struct scene *k)
{
	qd_scope(k->b);
	qd_leave_if(k->b, 1, is_2(k, next(k)));
	scene_put(k, k->v);
	qd_end(k->b);
}

static void
segment(struct scene *k)
{
	scene_put(k, qd_subgroup_segmented_reduce_min(k->b, next(k), k->v));
}

static void
segment_head(struct scene *k)
{
	scene_put(k, qd_subgroup_segmented_reduce_add_tiled(k->b, k->v, next(k), 2));
}

static void
sort_key(struct scene *k)
{
	struct qd_val pair[2];

	qd_subgroup_bitonic_sort_kv(k->b, next(k), k->v, pair);
	scene_put(k, pair[0]);
}

static void
sort_value(struct scene *k)
{
	struct qd_val pair[2];

	qd_subgroup_bitonic_sort_kv_tiled(k->b, k->v, next(k), 1, pair);
	scene_put(k, pair[1]);
}

static void
reduction(struct scene *k)
{
	scene_put(k, qd_subgroup_reduce_min_tiled(k->b, next(k), 1));
}

static void
scanned(struct scene *k)
{
	scene_put(k, qd_subgroup_inclusive_add(k->b, next(k)));
}

static void
add(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
    struct qd_val *out, uint32_t n)
{
	(void)user;
	for (uint32_t j = 0; j < n; j++)
		out[j] = qd_add(b, x[j], y[j]);
}

static void
second_of_two(struct scene *k)
{
	struct qd_val v[2] = { k->v, next(k) };

	qd_subgroup_reduce(k->b, v, v, 2, 3, add, NULL);
	scene_put(k, v[0]);
}

static void
voted(struct scene *k)
{
	scene_put(k, qd_subgroup_ballot_first_n(k->b, is_2(k, next(k)), 7));
}

static void
lane_number(struct scene *k)
{
	struct qd_val v = next(k), two = scene_u32(k, 2);

	scene_put(k, qd_subgroup_shuffle(k->b, k->v, qd_rem(k->b, v, two)));
}

static void
chosen_by(struct scene *k)
{
	scene_put(k, qd_select(k->b, is_2(k, next(k)), k->v, k->i));
}

static void
both_sides(struct scene *k)
{
	struct qd_val a = is_2(k, next(k)), o = next(k);

	scene_put(k, qd_select(k->b, has_next(k), k->v, o));
	qd_if(k->b, qd_and(k->b, a, qd_not(k->b, has_next(k))));
	qd_store(k->b, k->mem, k->i, k->v);
	qd_end(k->b);
}

static void
variable(struct scene *k)
{
	struct qd_var x = qd_var(k->b, k->v);

	qd_set(k->b, x, next(k));
	scene_put(k, qd_get(k->b, x));
}

static void
instead_of_load(struct scene *k)
{
	struct qd_val far = qd_add(k->b, k->i, scene_u32(k, 10));

	scene_put(k, qd_load_else(k->b, k->src, far, next(k)));
}

/* Thread 5 fetches the undefined value of thread 6. */
static void
fetched_on(struct scene *k)
{
	struct qd_val v = next(k), one = scene_u32(k, 1);

	scene_put(k, qd_subgroup_shuffle_down(k->b, v, one));
}

static void
no_broadcaster(struct scene *k)
{
	struct qd_val o = qd_subgroup_broadcast(k->b, k->v, scene_u32(k, 7));

	qd_if(k->b, is_2(k, k->v));
	scene_put(k, o);
	qd_end(k->b);
}

static void
padding_in_a_grid_loop(struct scene *k)
{
	qd_grid(k->b, qd_u32(k->b, 5));
	scene_put(k, qd_subgroup_shuffle_xor(k->b, k->v, scene_u32(k, 1)));
}

static void
inactive_source(struct scene *k)
{
	qd_assume_uniform(k->b, "test");
	qd_if(k->b, qd_ne(k->b, k->i, scene_u32(k, 3)));
	scene_put(k, next(k));
	qd_end(k->b);
}

/* An undefined value that needs as many rounds to propagate as there are variables. */
static void
delay_line(struct scene *k)
{
	enum { LENGTH = 40 };
	struct qd_var x[LENGTH], round = qd_var(k->b, scene_u32(k, 0));

	for (int j = 0; j < LENGTH; j++)
		x[j] = qd_var(k->b, k->v);
	qd_loop(k->b);
	qd_break_if(k->b, qd_eq(k->b, qd_get(k->b, round), scene_u32(k, LENGTH)));
	for (int j = LENGTH - 1; j > 0; j--)
		qd_set(k->b, x[j], qd_get(k->b, x[j - 1]));
	qd_set(k->b, x[0], next(k));
	qd_set(k->b, round, qd_add(k->b, qd_get(k->b, round), scene_u32(k, 1)));
	qd_end(k->b);
	scene_put(k, qd_get(k->b, x[LENGTH - 1]));
}

#define ELSEWHERE "; if the lane is inactive, use another value: select(c, fetched, other)"
#define FOUND(call, what, lane, fetched, was, note)                                                \
	"call " call ": finding: " what " is undefined in lane " lane ": " fetched                 \
	", which was " was ELSEWHERE " (kernel k, block 0, thread " lane ")\nnote: call " note    \
	": it was fetched here"
#define NEXT(call, what, note)                                                                     \
	FOUND(call, what, "6", "shuffle_down fetched it from lane 7", "a padding thread",                    \
	      note ", qd_subgroup_shuffle_down")
#define TWO "\n2 findings in total; the log contains more of them"

/* clang-format off */
static const struct scene_check checks[] = {
	{ "unused", unused, 7, 1, "", "" },
	{ "used where it is defined", used_where_defined, 7, 1, "", "" },
	{ "the other side of a select", other_side, 7, 1, "", "" },
	{ "decided without", decided_without, 7, 1, "", "" },
	{ "overwritten", overwritten, 7, 1, "", "" },
	{ "stored nowhere", stored_nowhere, 7, 1, "",
	  "warning ref: call 13, qd_store: remark: store to dst[16] is out of bounds: dst has 16 elements; "
	  "it does nothing (kernel k, block 0, thread 6)\n" },
	{ "a lane that has no vote", without_vote, 7, 1, "", "" },
	{ "an emitted load", load_instead, 7, 1, "", "" },
	{ "a thread that does not participate", without_part, 7, 1, "", "" },
	{ "in a grid loop, below its end", in_a_grid_loop, 8, 1, "", "" },

	{ "stored", stored, 7, 1, NEXT("13, qd_store", "the value stored", "10"), "" },
	{ "index of a load", load_index, 7, 1, NEXT("11, qd_load", "the index", "10"), "" },
	{ "index of a store", store_index, 7, 1, NEXT("11, qd_store", "the index", "10"), "" },
	{ "condition", condition, 7, 1, NEXT("13, qd_if", "the condition", "10"), "" },
	{ "condition of leaving", leaving, 7, 1,
	  NEXT("14, qd_leave_if", "the condition", "11"), "" },
	{ "reduction", reduction, 7, 1,
	  NEXT("11, qd_subgroup_reduce_min_tiled", "the operand", "10"), "" },
	{ "scan", scanned, 7, 1, NEXT("11, qd_subgroup_inclusive_add", "the operand", "10"), "" },
	{ "segment", segment, 7, 1,
	  NEXT("11, qd_subgroup_segmented_reduce_min", "the operand", "10"), "" },
	{ "head of a segment", segment_head, 7, 1,
	  NEXT("11, qd_subgroup_segmented_reduce_add_tiled", "the head", "10"), "" },
	{ "key of a sort", sort_key, 7, 1,
	  NEXT("11, qd_subgroup_bitonic_sort_kv", "the key", "10"), "" },
	{ "value of a sort", sort_value, 7, 1,
	  NEXT("11, qd_subgroup_bitonic_sort_kv_tiled", "the value", "10"), "" },
	{ "second value of a reduction", second_of_two, 7, 1,
	  NEXT("11, qd_subgroup_reduce", "the operand", "10"), "" },
	{ "vote", voted, 7, 1, NEXT("13, qd_subgroup_ballot_first_n", "the predicate", "10"), "" },
	{ "lane number", lane_number, 7, 1,
	  NEXT("13, qd_subgroup_shuffle", "the lane index", "10"), "" },
	{ "chosen by it", chosen_by, 7, 1, NEXT("14, qd_store", "the value stored", "10"), "" },
	{ "chosen, and not settled", both_sides, 7, 1,
	  NEXT("18, qd_store", "the value stored", "14") TWO, "" },
	{ "through a variable", variable, 7, 1,
	  NEXT("14, qd_store", "the value stored", "11"), "" },
	{ "instead of a load", instead_of_load, 7, 1,
	  NEXT("14, qd_store", "the value stored", "12"), "" },
	{ "fetched on", fetched_on, 7, 1,
	  FOUND("13, qd_store", "the value stored", "5", "shuffle_down fetched it from lane 7", "a padding thread",
		"10, qd_subgroup_shuffle_down") TWO, "" },
	{ "broadcast from nowhere", no_broadcaster, 7, 1,
	  FOUND("14, qd_store", "the value stored", "1", "broadcast fetched it from lane 7", "a padding thread",
		"10, qd_subgroup_broadcast"), "" },
	{ "padding in a grid loop", padding_in_a_grid_loop, 8, 1,
	  FOUND("13, qd_store", "the value stored", "4", "shuffle_xor fetched it from lane 5", "a padding thread",
		"12, qd_subgroup_shuffle_xor"), "" },
	{ "inactive", inactive_source, 8, 1,
	  FOUND("15, qd_store", "the value stored", "2", "shuffle_down fetched it from lane 3", "inactive",
		"14, qd_subgroup_shuffle_down"), "" },
	{ "delay line", delay_line, 7, 1, NEXT("143, qd_store", "the value stored", "135"), "" },
};
/* clang-format on */

static void
matters(struct unit_ctx *t)
{
	scene_run(t, checks, QD_COUNT(checks));
}

#define UNDEFINED(what)                                                                            \
	"finding: " what " is undefined in lane 6: shuffle_down fetched it from lane 7, which was " \
	"a padding thread" ELSEWHERE " (kernel k, block 0, thread 6)"

/* Checks that a predicate of an access must be defined, and that index and value need not be if it
 * is false. */
static void
predicates(struct unit_ctx *t)
{
	static const char head[] = "kernel \"k\"\n"
				   "block 7 1 1\n"
				   "param \"src\" in u32[]\n"
				   "param \"dst\" out u32[]\n"
				   "{\n"
				   "  %1 = block.thread_idx u32\n"
				   "  %2 = const u32 0x1\n"
				   "  %3 = load u32 \"src\" %1 _ _ !1\n"
				   "  %4 = subgroup.shuffle_down u32 %3 %2\n"
				   "  %5 = const u32 0x6\n"
				   "  %6 = lt bool %1 %5\n"
				   "  %7 = eq bool %4 %5\n";
	static const struct {
		const char *text, *err;
	} cases[] = {
		{ "  store \"dst\" %4 %4 %6 !1\n}\n", "" },
		{ "  %8 = load u32 \"src\" %4 %1 %6 !1\n  store \"dst\" %1 %8 _ !1\n}\n", "" },
		{ "  store \"dst\" %1 %1 %7 !1\n}\n", UNDEFINED("the condition") },
		{ "  %8 = load u32 \"src\" %1 _ %7 !1\n  store \"dst\" %1 %8 _ !1\n}\n",
		  UNDEFINED("the condition") },
		{ "  %8 = load u32 \"src\" %1 %4 %6 !1\n  store \"dst\" %1 %8 _ !1\n}\n",
		  UNDEFINED("the value stored") },
	};
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		uint32_t src[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, dst[8] = { 0 };
		const struct io io[] = { IO(src), IO(dst) };
		struct qd_kernel *k = NULL;
		char text[1024];
		int n = snprintf(text, sizeof text, "%s%s", head, cases[i].text);
		qd_status st = qd_kernel_read(r.ctx, text, (size_t)n, "x", &k, &r.err);

		UNIT_CHECK(t, st == QD_OK, "%s", r.err.text);
		if (st)
			continue;
		st = rig_launch(&r, k, 1, io, 2);
		UNIT_CHECK(t, st == (cases[i].err[0] ? QD_E_FINDING : QD_OK), "%zu: status %d", i,
			   (int)st);
		rig_text(t, r.err.text, cases[i].err);
		qd_kernel_free(k);
	}
	rig_close(&r);
}

const struct unit units_ref_undef[] = {
	{ "ref.matters", matters },
	{ "ref.predicates", predicates },
};
const unsigned n_units_ref_undef = QD_COUNT(units_ref_undef);
