/* Bounds guards that conditions of the control flow imply: the exact body after legalize and hoist.
 * A guard must stay where the condition is weaker, has ended, or is about another length. */
#include "t_pass.h"

/* In each row %3 is the thread's index. */
#define HEAD                                                                                       \
	"  %1 = block.thread_idx i32\n"                                                            \
	"  %2 = len u32 \"a\"\n"                                                                   \
	"  %3 = bitcast u32 %1\n"

struct guards {
	const char *name, *before;
	uint32_t n_guarded, n_free; /* loads from a with a condition, and without */
	uint32_t n_looped;	    /* of the free ones, those that must be in a loop */
};

/* clang-format off */
static const struct guards rows[] = {
	{ "in the arm of an if", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  end\n", 0, 1, 0 },
	{ "after the if, and in its else", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "  else\n"
	  "    %7 = load u32 \"a\" %3 %2 _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "  end\n"
	  "  %10 = load u32 \"a\" %3 _ _ !1\n"
	  "  store \"b\" %10 %10 _ !1\n", 2, 0, 0 },
	{ "in the else of the opposite", HEAD
	  "  %4 = le bool %2 %3\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 %3 _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  else\n"
	  "    %9 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n", 1, 1, 0 },
	{ "a bound that is wrong by one", HEAD
	  "  %4 = le bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  else\n"
	  "    %9 = load u32 \"a\" %3 %3 _ !1\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n", 2, 0, 0 },
	{ "another length", HEAD
	  "  %4 = len u32 \"c\"\n"
	  "  %5 = lt bool %3 %4\n"
	  "  if %5\n"
	  "    %7 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "  end\n", 1, 0, 0 },
	{ "another index", HEAD
	  "  %4 = lt bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = const u32 0x1\n"
	  "    %7 = add u32 %3 %6\n"
	  "    %8 = load u32 \"a\" %7 _ _ !1\n"
	  "    store \"b\" %8 %8 _ !1\n"
	  "  end\n", 1, 0, 0 },
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
	  "  end\n", 2, 1, 0 },
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
	  "  end\n", 1, 1, 1 },
	{ "a load that a break guards stays behind it", HEAD
	  "  %4 = le bool %2 %3\n"
	  "  loop\n"
	  "    break %4 1\n"
	  "    %7 = load u32 \"a\" %3 _ _ !1\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    %9 = lt bool %7 %2\n"
	  "    break %9 1\n"
	  "  end\n"
	  "  %12 = load u32 \"a\" %3 %2 _ !1\n"
	  "  store \"b\" %12 %12 _ !1\n", 1, 1, 1 },
};
/* clang-format on */

/* The loads of a body, counted by run(). */
static struct guards seen;

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct ir legal;
	uint32_t loops = 0;

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

		seen = (struct guards){ .n_free = 0 };
		fx_rewrites(t, &body, run, false);
		UNIT_CHECK(t,
			   seen.n_guarded == r->n_guarded && seen.n_free == r->n_free &&
				   seen.n_looped == r->n_looped,
			   "%s: %u loads with a guard, %u without, %u of them in loops", r->name,
			   seen.n_guarded, seen.n_free, seen.n_looped);
	}
}
