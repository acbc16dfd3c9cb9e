/* Bounds guards that conditions of the control flow imply: the exact body after legalize and hoist.
 * A guard must stay where the condition is weaker, has ended, or is about another length. */
#include "t_pass.h"

/* In each row %3 is the thread's index. */
#define HEAD                                                                                       \
	"  %1 = len u32 \"b\"\n"                                                                   \
	"  %2 = len u32 \"a\"\n"                                                                   \
	"  %3 = block.thread_idx u32\n"

/* In these %5 is any number. */
#define ANY                                                                                        \
	"  %1 = len u32 \"b\"\n"                                                                   \
	"  %2 = len u32 \"a\"\n"                                                                   \
	"  %3 = len u32 \"c\"\n"                                                                   \
	"  %4 = block.thread_idx u32\n"                                                                \
	"  %5 = xor u32 %3 %4\n"

/* A loop with the index %9, of a type and with a first value. */
#define COUNT(type, first, more)                                                            \
	ANY "  %6 = const " type " " first "\n"                                                     \
	    "  %7 = var " type " %6\n"                                                              \
	    "  loop\n"                                                                             \
	    "    %9 = get " type " %7\n" more "  end\n"

struct guards {
	const char *name, *before;
	uint32_t n_guarded, n_free; /* loads from a with a condition, and without */
	uint32_t n_looped;	    /* of the free ones, those that must be in a loop */
	bool assume_uniform;
};

/* clang-format off */
static const struct guards rows[] = {
	{ "in the arm of an if", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  end\n", 0, 1, 0, false },
	{ "after the if, and in its else", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "  else\n"
	  "    %7 = load u32 \"a\" %3 %2 _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "  end\n"
	  "  %10 = load u32 \"a\" %3 _ _ !1\n"
	  "  store \"b\" %10 %10 _ !1\n", 2, 0, 0, false },
	{ "in the else of the opposite", HEAD
	  "  %4 = le bool %2 %3\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 %3 _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  else\n"
	  "    %9 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n", 1, 1, 0, false },
	{ "a bound that is wrong by one", HEAD
	  "  %4 = le bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  else\n"
	  "    %9 = load u32 \"a\" %3 %3 _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n", 2, 0, 0, false },
	{ "another length", HEAD
	  "  %4 = len u32 \"c\"\n"
	  "  %5 = lt bool %3 %4\n"
	  "  if %5\n"
	  "    %7 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "  end\n", 1, 0, 0, false },
	{ "another index", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = const u32 0x1\n"
	  "    %7 = add u32 %3 %6\n"
	  "    %8 = load u32 \"a\" %7 _ _ !1\n"
	  "    store \"b\" %8 %8 _ !1\n"
	  "  end\n", 1, 0, 0, false },
	{ "and, or, not", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  %5 = len u32 \"c\"\n"
	  "  %6 = lt bool %3 %5\n"
	  "  %7 = and bool %6 %4\n"
	  "  if %7\n"
	  "    %9 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  else\n"
	  "    %12 = load u32 \"a\" %3 %3 _ !1\n"
	  "    store \"b\" %12 %12 _ !1\n"
	  "  end\n"
	  "  %15 = or bool %6 %4\n"
	  "  if %15\n"
	  "    %17 = load u32 \"a\" %3 %5 _ !1\n"
	  "    store \"b\" %17 %17 _ !1\n"
	  "  end\n", 2, 1, 0, false },
	{ "a loop up to the length", HEAD
	  "  %4 = const u32 0x0\n"
	  "  %5 = var u32 %4\n"
	  "  loop\n"
	  "    %7 = get u32 %5\n"
	  "    %8 = le bool %2 %7\n"
	  "    break %8 1\n"
	  "    %10 = load u32 \"a\" %7 _ _ !1\n"
	  "    store \"b\" %10 %10 _ !1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %7 %12\n"
	  "    set %5 %13\n"
	  "    %15 = load u32 \"a\" %13 _ _ !1\n"
	  "    store \"b\" %15 %15 _ !1\n"
	  "  end\n", 1, 1, 1, false },
	{ "a loop up to the length less the steps of its copies", HEAD
	  "  %4 = const u32 0x0\n"
	  "  %5 = var u32 %4\n"
	  "  %6 = const u32 0x2\n"
	  "  %7 = const u32 0x2\n"
	  "  %8 = max u32 %2 %6\n"
	  "  %9 = sub u32 %8 %7\n"
	  "  loop\n"
	  "    %11 = get u32 %5\n"
	  "    %12 = le bool %9 %11\n"
	  "    break %12 1\n"
	  "    %14 = const u32 0x1\n"
	  "    %15 = add u32 %11 %14\n"
	  "    %16 = add u32 %15 %14\n"
	  "    %17 = load u32 \"a\" %11 _ _ !1\n"
	  "    %18 = load u32 \"a\" %15 _ _ !1\n"
	  "    %19 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %17 %18 _ !1\n"
	  "    store \"b\" %18 %19 _ !1\n"
	  "    set %5 %16\n"
	  "  end\n", 0, 3, 3, false },
	{ "a loop whose last copy exceeds the length", HEAD
	  "  %4 = const u32 0x0\n"
	  "  %5 = var u32 %4\n"
	  "  %6 = const u32 0x1\n"
	  "  %7 = const u32 0x1\n"
	  "  %8 = max u32 %2 %6\n"
	  "  %9 = sub u32 %8 %7\n"
	  "  loop\n"
	  "    %11 = get u32 %5\n"
	  "    %12 = le bool %9 %11\n"
	  "    break %12 1\n"
	  "    %14 = const u32 0x1\n"
	  "    %15 = add u32 %11 %14\n"
	  "    %16 = add u32 %15 %14\n"
	  "    %17 = load u32 \"a\" %11 _ _ !1\n"
	  "    %18 = load u32 \"a\" %15 _ _ !1\n"
	  "    %19 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %17 %18 _ !1\n"
	  "    store \"b\" %18 %19 _ !1\n"
	  "    set %5 %16\n"
	  "  end\n", 1, 2, 2, false },
	{ "a loop up to a length that is smaller than the steps", HEAD
	  "  %4 = const u32 0x0\n"
	  "  %5 = var u32 %4\n"
	  "  %6 = const u32 0x3\n"
	  "  %7 = const u32 0x2\n"
	  "  %8 = max u32 %2 %6\n"
	  "  %9 = sub u32 %8 %7\n"
	  "  loop\n"
	  "    %11 = get u32 %5\n"
	  "    %12 = le bool %9 %11\n"
	  "    break %12 1\n"
	  "    %14 = const u32 0x1\n"
	  "    %15 = add u32 %11 %14\n"
	  "    %16 = add u32 %15 %14\n"
	  "    %17 = load u32 \"a\" %11 _ _ !1\n"
	  "    %18 = load u32 \"a\" %15 _ _ !1\n"
	  "    %19 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %17 %18 _ !1\n"
	  "    store \"b\" %18 %19 _ !1\n"
	  "    set %5 %16\n"
	  "  end\n", 3, 0, 0, false },
	{ "a load that a break guards stays after it", HEAD
	  "  %4 = le bool %2 %3\n"
	  "  loop\n"
	  "    break %4 1\n"
	  "    %7 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    %9 = lt bool %7 %2\n"
	  "    break %9 1\n"
	  "  end\n"
	  "  %12 = load u32 \"a\" %3 %2 _ !1\n"
	  "  store \"b\" %12 %12 _ !1\n", 1, 1, 1, false },
	{ "the minimum of two lengths", ANY
	  "  %6 = min u32 %2 %3\n"
	  "  %7 = lt bool %5 %6\n"
	  "  if %7\n"
	  "    %9 = load u32 \"a\" %5 _ _ !1\n"
	  "    %10 = load u32 \"c\" %5 _ _ !1\n"
	  "    store \"b\" %9 %10 _ !1\n"
	  "  end\n", 0, 2, 0, false },
	{ "four elements below a quarter, and the fifth", ANY
	  "  %6 = const u32 0x4\n"
	  "  %7 = div u32 %2 %6\n"
	  "  %8 = lt bool %5 %7\n"
	  "  if %8\n"
	  "    %10 = mul u32 %5 %6\n"
	  "    %11 = load u32 \"a\" %10 _ _ !1\n"
	  "    %12 = const u32 0x3\n"
	  "    %13 = add u32 %10 %12\n"
	  "    %14 = load u32 \"a\" %13 _ _ !1\n"
	  "    %15 = add u32 %10 %6\n"
	  "    %16 = load u32 \"a\" %15 _ _ !1\n"
	  "    store \"b\" %11 %14 _ !1\n"
	  "    store \"b\" %11 %16 _ !1\n"
	  "  end\n", 1, 2, 0, false },
	{ "a third, and multiples by 5 and by 2", ANY
	  "  %6 = const u32 0x3\n"
	  "  %7 = div u32 %2 %6\n"
	  "  %8 = lt bool %5 %7\n"
	  "  if %8\n"
	  "    %10 = const u32 0x5\n"
	  "    %11 = mul u32 %5 %10\n"
	  "    %12 = load u32 \"a\" %11 _ _ !1\n"
	  "    %13 = add u32 %5 %5\n"
	  "    %14 = const u32 0x2\n"
	  "    %15 = mul u32 %5 %14\n"
	  "    %16 = load u32 \"a\" %15 _ _ !1\n"
	  "    store \"b\" %12 %16 _ !1\n"
	  "  end\n", 1, 1, 0, false },
	{ "a part of a multiple of the length", ANY
	  "  %6 = const u32 0x5\n"
	  "  %7 = shl u32 %2 %6\n"
	  "  %8 = lt bool %5 %7\n"
	  "  if %8\n"
	  "    %10 = shr u32 %5 %6\n"
	  "    %11 = load u32 \"a\" %10 _ _ !1\n"
	  "    %12 = const u32 0x4\n"
	  "    %13 = shr u32 %5 %12\n"
	  "    %14 = load u32 \"a\" %13 _ _ !1\n"
	  "    store \"b\" %11 %14 _ !1\n"
	  "  end\n", 1, 1, 0, false },
	{ "a sum that may wrap", ANY
	  "  %6 = const u32 0x2\n"
	  "  %7 = add u32 %5 %6\n"
	  "  %8 = lt bool %7 %2\n"
	  "  if %8\n"
	  "    %10 = load u32 \"a\" %5 _ _ !1\n"
	  "    store \"b\" %10 %10 _ !1\n"
	  "  end\n", 1, 0, 0, false },
	{ "a sum that does not", ANY
	  "  %6 = lt bool %5 %3\n"
	  "  if %6\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    %10 = lt bool %9 %2\n"
	  "    if %10\n"
	  "      %12 = load u32 \"a\" %5 _ _ !1\n"
	  "      %13 = const u32 0x2\n"
	  "      %14 = add u32 %5 %13\n"
	  "      %15 = load u32 \"a\" %14 _ _ !1\n"
	  "      store \"b\" %12 %15 _ !1\n"
	  "    end\n"
	  "  end\n", 1, 1, 0, false },
	{ "the element before", ANY
	  "  %6 = lt bool %5 %2\n"
	  "  if %6\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = sub u32 %5 %8\n"
	  "    %10 = load u32 \"a\" %9 _ _ !1\n"
	  "    store \"b\" %10 %10 _ !1\n"
	  "    %12 = le bool %8 %5\n"
	  "    if %12\n"
	  "      %14 = load u32 \"a\" %9 %8 _ !1\n"
	  "      store \"b\" %14 %14 _ !1\n"
	  "    end\n"
	  "  end\n", 1, 1, 0, false },
	{ "the condition of an access holds for that access only", ANY
	  "  %6 = lt bool %5 %2\n"
	  "  %7 = load u32 \"a\" %5 _ %6 !1\n"
	  "  %8 = load u32 \"a\" %5 %3 _ !1\n"
	  "  store \"b\" %7 %8 _ !1\n", 2, 0, 0, false },
	{ "a length of at least 64, and of at least 63", ANY
	  "  %6 = const u32 0x3f\n"
	  "  %7 = lt bool %6 %2\n"
	  "  if %7\n"
	  "    %9 = load u32 \"a\" %4 _ _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n"
	  "  %12 = le bool %6 %2\n"
	  "  if %12\n"
	  "    %14 = load u32 \"a\" %4 _ _ !1\n"
	  "    store \"b\" %14 %14 _ !1\n"
	  "  end\n", 1, 1, 0, false },
	{ "a remainder by a number that may be 0", ANY
	  "  %6 = const u32 0x5\n"
	  "  %7 = min u32 %3 %6\n"
	  "  %8 = rem u32 %5 %7\n"
	  "  %9 = le bool %6 %2\n"
	  "  if %9\n"
	  "    %11 = load u32 \"a\" %8 _ _ !1\n"
	  "    store \"b\" %11 %11 _ !1\n"
	  "  end\n", 1, 0, 0, false },
	{ "an index up to a constant, inclusively", ANY
	  "  %6 = const u32 0x8\n"
	  "  %7 = le bool %5 %6\n"
	  "  %8 = le bool %6 %2\n"
	  "  %9 = and bool %7 %8\n"
	  "  if %9\n"
	  "    %11 = load u32 \"a\" %5 _ _ !1\n"
	  "    store \"b\" %11 %11 _ !1\n"
	  "  end\n", 1, 0, 0, false },
	{ "assume_uniform: the condition may not hold", ANY
	  "  %6 = lt bool %5 %2\n"
	  "  if %6\n"
	  "    %8 = load u32 \"a\" %5 _ _ !1\n"
	  "    store \"b\" %8 %8 _ !1\n"
	  "  end\n", 1, 0, 0, true },
	{ "a counter from 1: the element before",
	  COUNT("u32", "0x1",
	  "    %10 = le bool %2 %9\n"
	  "    break %10 1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %9 %12\n"
	  "    set %7 %13\n"
	  "    %15 = sub u32 %9 %12\n"
	  "    %16 = load u32 \"a\" %15 _ _ !1\n"
	  "    store \"b\" %9 %16 _ !1\n"), 0, 1, 1, false },
	{ "a counter with two stores",
	  COUNT("u32", "0x1",
	  "    %10 = le bool %2 %9\n"
	  "    break %10 1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %9 %12\n"
	  "    %14 = lt bool %9 %4\n"
	  "    if %14\n"
	  "      set %7 %4\n"
	  "    else\n"
	  "      set %7 %13\n"
	  "    end\n"
	  "    %19 = sub u32 %9 %12\n"
	  "    %20 = load u32 \"a\" %19 _ _ !1\n"
	  "    store \"b\" %9 %20 _ !1\n"), 1, 0, 0, false },
	{ "a counter that grows before the test",
	  COUNT("u32", "0x1",
	  "    %10 = const u32 0x1\n"
	  "    %11 = add u32 %9 %10\n"
	  "    set %7 %11\n"
	  "    %13 = le bool %2 %9\n"
	  "    break %13 1\n"
	  "    %15 = sub u32 %9 %10\n"
	  "    %16 = load u32 \"a\" %15 _ _ !1\n"
	  "    store \"b\" %9 %16 _ !1\n"), 1, 0, 0, false },
	{ "a step that may wrap",
	  COUNT("u32", "0x1",
	  "    %10 = le bool %2 %9\n"
	  "    break %10 1\n"
	  "    %12 = const u32 0x2\n"
	  "    %13 = add u32 %9 %12\n"
	  "    set %7 %13\n"
	  "    %15 = const u32 0x1\n"
	  "    %16 = sub u32 %9 %15\n"
	  "    %17 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %9 %17 _ !1\n"), 1, 0, 0, false },
	{ "a signed counter from 0",
	  COUNT("i32", "0x0",
	  "    %10 = bitcast i32 %2\n"
	  "    %11 = le bool %10 %9\n"
	  "    break %11 1\n"
	  "    %13 = const i32 0x1\n"
	  "    %14 = add i32 %9 %13\n"
	  "    set %7 %14\n"
	  "    %16 = bitcast u32 %9\n"
	  "    %17 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %16 %17 _ !1\n"), 0, 1, 1, false },
	{ "a signed counter from -1",
	  COUNT("i32", "0xffffffff",
	  "    %10 = bitcast i32 %2\n"
	  "    %11 = le bool %10 %9\n"
	  "    break %11 1\n"
	  "    %13 = const i32 0x1\n"
	  "    %14 = add i32 %9 %13\n"
	  "    set %7 %14\n"
	  "    %16 = bitcast u32 %9\n"
	  "    %17 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %16 %17 _ !1\n"), 1, 0, 0, false },
	{ "a signed counter that falls",
	  COUNT("i32", "0x1",
	  "    %10 = bitcast i32 %2\n"
	  "    %11 = le bool %10 %9\n"
	  "    break %11 1\n"
	  "    %13 = const i32 0xffffffff\n"
	  "    %14 = add i32 %9 %13\n"
	  "    set %7 %14\n"
	  "    %16 = bitcast u32 %9\n"
	  "    %17 = load u32 \"a\" %16 _ _ !1\n"
	  "    store \"b\" %16 %17 _ !1\n"), 1, 0, 0, false },
	{ "a counter up to the length, inclusively",
	  COUNT("u32", "0x0",
	  "    %10 = lt bool %2 %9\n"
	  "    break %10 1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %9 %12\n"
	  "    set %7 %13\n"
	  "    %15 = load u32 \"a\" %9 _ _ !1\n"
	  "    store \"b\" %9 %15 _ !1\n"), 1, 0, 0, false },
};
/* clang-format on */

/* The row that is run, and the loads of its body. */
static const struct guards *row;
static struct guards seen;

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct qd_kernel k = *f->p.k;
	struct ir legal;
	uint32_t loops = 0;

	k.assume_uniform = row->assume_uniform ? "a reason" : NULL;
	f->p.k = &k;
	f->m.caps |= CAP_INT_DIV_CHECKED; /* remainders stay operations */
	QD_TRY(pass_legalize(&f->p, in, NULL, &legal));
	QD_TRY(pass_hoist(&f->p, &legal, out));
	for (uint32_t i = 1; i < out->n; i++) {
		const struct ins *s = &out->ins[i];

		loops += s->op == OP_LOOP;
		loops -= s->op == OP_END && out->ins[s->x].op == OP_LOOP;
		if (s->op != OP_LOAD)
			continue;
		seen.n_guarded += s->c != 0;
		seen.n_free += s->c == 0;
		seen.n_looped += s->c == 0 && loops;
	}
	return QD_OK;
}

void
t_fact_guards(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct guards *r = &rows[i];
		const struct fx_row body = { r->name, r->before, NULL };

		row = r;
		seen = (struct guards){ .n_free = 0 };
		fx_rewrites(t, &body, run, false);
		UNIT_CHECK(t,
			   seen.n_guarded == r->n_guarded && seen.n_free == r->n_free &&
				   seen.n_looped == r->n_looped,
			   "%s: %u loads with a guard, %u without, %u of them in loops", r->name,
			   seen.n_guarded, seen.n_free, seen.n_looped);
	}
}
