/* Loops that become copies of their bodies: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault { FAULT_NONE, FAULT_HOME, FAULT_FIRST, FAULT_ENDS, FAULT_LEFT, N_FAULT };
static enum fault fault;
#define UNROLL_RULE(name) (fault != FAULT_##name)
#define pass_unroll	  unroll_without
static qd_status unroll_without(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
#include "../../../src/pass/unroll.c"
#undef pass_unroll

enum { BUDGET = 240 };

/* clang-format off */
static const struct fx_row rows[] = {
	{ "a loop of three iterations becomes three copies, in which the counter is a constant",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x3\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    %11 = load u32 \"c\" %4 _ _ !1\n"
	  "    store \"b\" %4 %11 _ !1\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %14 %14 _ !1\n",
	  "  %1 = const u32 0x0\n"
	  "  %2 = const u32 0x3\n"
	  "  %3 = const u32 0x1\n"
	  "  %4 = load u32 \"c\" %1 _ _ !1\n"
	  "  store \"b\" %1 %4 _ !1\n"
	  "  %6 = const u32 0x2\n"
	  "  %7 = load u32 \"c\" %3 _ _ !1\n"
	  "  store \"b\" %3 %7 _ !1\n"
	  "  %9 = load u32 \"c\" %6 _ _ !1\n"
	  "  store \"b\" %6 %9 _ !1\n"
	  "  store \"b\" %2 %2 _ !1\n" },
	{ "the test may be last, and the counter may halve",
	  "  %1 = const u32 0x4\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    store \"b\" %4 %4 _ !1\n"
	  "    %6 = const u32 0x1\n"
	  "    %7 = shr u32 %4 %6\n"
	  "    set %2 %7\n"
	  "    %9 = get u32 %2\n"
	  "    %10 = const u32 0x1\n"
	  "    %11 = lt bool %9 %10\n"
	  "    break %11 1\n"
	  "  end\n",
	  "  %1 = const u32 0x4\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %3 = const u32 0x1\n"
	  "  %4 = const u32 0x2\n"
	  "  store \"b\" %4 %4 _ !1\n"
	  "  store \"b\" %3 %3 _ !1\n" },
	{ "a loop whose test holds at once is gone, except for what is before the test",
	  "  %1 = const u32 0x9\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    store \"b\" %4 %4 _ !1\n"
	  "    %6 = const u32 0x9\n"
	  "    %7 = eq bool %4 %6\n"
	  "    break %7 1\n"
	  "    %9 = add u32 %4 %6\n"
	  "    set %2 %9\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x9\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "jumps of some threads leave a block around the copies",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    %11 = load u32 \"a\" %4 _ _ !1\n"
	  "    %12 = load u32 \"c\" %11 _ _ !1\n"
	  "    %13 = lt bool %11 %12\n"
	  "    if %13\n"
	  "      store \"b\" %11 %4 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %11 %12 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x0\n"
	  "  block\n"
	  "    %3 = const u32 0x1\n"
	  "    %4 = load u32 \"a\" %1 _ _ !1\n"
	  "    %5 = load u32 \"c\" %4 _ _ !1\n"
	  "    %6 = lt bool %4 %5\n"
	  "    if %6\n"
	  "      store \"b\" %4 %1 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %4 %5 _ !1\n"
	  "    %12 = load u32 \"a\" %3 _ _ !1\n"
	  "    %13 = load u32 \"c\" %12 _ _ !1\n"
	  "    %14 = lt bool %12 %13\n"
	  "    if %14\n"
	  "      store \"b\" %12 %3 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %12 %13 _ !1\n"
	  "  end\n" },
	{ "continue leaves a block in each copy, and a jump may leave an outer loop",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %3 = load u32 \"c\" %1 _ _ !1\n"
	  "    %4 = const u32 0x0\n"
	  "    %5 = var u32 %4\n"
	  "    loop\n"
	  "      %7 = get u32 %5\n"
	  "      %8 = const u32 0x2\n"
	  "      %9 = eq bool %7 %8\n"
	  "      break %9 1\n"
	  "      %11 = const u32 0x1\n"
	  "      %12 = add u32 %7 %11\n"
	  "      set %5 %12\n"
	  "      block\n"
	  "        %15 = lt bool %3 %1\n"
	  "        break %15 1\n"
	  "        %17 = eq bool %3 %7\n"
	  "        break %17 3\n"
	  "        store \"b\" %7 %3 _ !1\n"
	  "      end\n"
	  "    end\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %3 = load u32 \"c\" %1 _ _ !1\n"
	  "    %4 = const u32 0x0\n"
	  "    %5 = const u32 0x1\n"
	  "    block\n"
	  "      %7 = lt bool %3 %1\n"
	  "      break %7 1\n"
	  "      %9 = eq bool %3 %4\n"
	  "      break %9 2\n"
	  "      store \"b\" %4 %3 _ !1\n"
	  "    end\n"
	  "    block\n"
	  "      %14 = lt bool %3 %1\n"
	  "      break %14 1\n"
	  "      %16 = eq bool %3 %5\n"
	  "      break %16 2\n"
	  "      store \"b\" %5 %3 _ !1\n"
	  "    end\n"
	  "  end\n" },
	{ "nested loops become copies of copies",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x0\n"
	  "    %9 = var u32 %8\n"
	  "    loop\n"
	  "      %11 = get u32 %9\n"
	  "      %12 = const u32 0x2\n"
	  "      %13 = le bool %12 %11\n"
	  "      break %13 1\n"
	  "      %15 = const u32 0x2\n"
	  "      %16 = mul u32 %4 %15\n"
	  "      %17 = add u32 %16 %11\n"
	  "      store \"b\" %17 %11 _ !1\n"
	  "      %19 = const u32 0x1\n"
	  "      %20 = add u32 %11 %19\n"
	  "      set %9 %20\n"
	  "    end\n"
	  "    %23 = const u32 0x1\n"
	  "    %24 = add u32 %4 %23\n"
	  "    set %2 %24\n"
	  "  end\n",
	  "  %1 = const u32 0x0\n"
	  "  %2 = const u32 0x2\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %4 = const u32 0x1\n"
	  "  store \"b\" %4 %4 _ !1\n"
	  "  store \"b\" %2 %1 _ !1\n"
	  "  %7 = const u32 0x3\n"
	  "  store \"b\" %7 %4 _ !1\n" },
	{ "operations that involve other lanes are copied",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const u32 0x1\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = bitcast u32 %1\n"
	  "  %5 = var u32 %4\n"
	  "  loop\n"
	  "    %7 = get u32 %3\n"
	  "    %8 = const u32 0x4\n"
	  "    %9 = le bool %8 %7\n"
	  "    break %9 1\n"
	  "    %11 = get u32 %5\n"
	  "    %12 = subgroup.shuffle_xor u32 %11 %7\n"
	  "    set %5 %12\n"
	  "    %14 = const u32 0x1\n"
	  "    %15 = shl u32 %7 %14\n"
	  "    set %3 %15\n"
	  "  end\n"
	  "  %18 = get u32 %5\n"
	  "  store \"b\" %4 %18 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const u32 0x1\n"
	  "  %3 = bitcast u32 %1\n"
	  "  %4 = subgroup.shuffle_xor u32 %3 %2\n"
	  "  %5 = const u32 0x2\n"
	  "  %6 = subgroup.shuffle_xor u32 %4 %5\n"
	  "  store \"b\" %3 %6 _ !1\n" },
	{ "the counter may begin with a store before the loop",
	  "  %1 = const u32 0x7\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = get u32 %2\n"
	  "  store \"b\" %3 %3 _ !1\n"
	  "  %5 = const u32 0x0\n"
	  "  set %2 %5\n"
	  "  loop\n"
	  "    %8 = get u32 %2\n"
	  "    %9 = const u32 0x1\n"
	  "    %10 = eq bool %8 %9\n"
	  "    break %10 1\n"
	  "    %12 = add u32 %8 %9\n"
	  "    set %2 %12\n"
	  "    store \"b\" %8 %12 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x7\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %3 = const u32 0x0\n"
	  "  %4 = const u32 0x1\n"
	  "  store \"b\" %3 %4 _ !1\n" },
	{ "a counter with two stores: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = load u32 \"c\" %4 _ _ !1\n"
	  "    set %2 %8\n"
	  "    %10 = get u32 %2\n"
	  "    store \"b\" %10 %4 _ !1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %4 %12\n"
	  "    set %2 %13\n"
	  "  end\n", NULL },
	{ "a counter that an if advances: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = load u32 \"c\" %4 _ _ !1\n"
	  "    %9 = lt bool %8 %4\n"
	  "    if %9\n"
	  "      %11 = const u32 0x1\n"
	  "      %12 = add u32 %4 %11\n"
	  "      set %2 %12\n"
	  "    end\n"
	  "  end\n", NULL },
	{ "a counter that begins in an outer loop: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    loop\n"
	  "      %5 = get u32 %2\n"
	  "      %6 = const u32 0x2\n"
	  "      %7 = le bool %6 %5\n"
	  "      break %7 1\n"
	  "      %9 = const u32 0x1\n"
	  "      %10 = add u32 %5 %9\n"
	  "      set %2 %10\n"
	  "      store \"b\" %5 %10 _ !1\n"
	  "    end\n"
	  "    %14 = load u32 \"c\" %1 _ _ !1\n"
	  "    %15 = lt bool %1 %14\n"
	  "    break %15 1\n"
	  "  end\n", NULL },
	{ "a loop that a jump ends in its first iteration: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  block\n"
	  "    %3 = var u32 %1\n"
	  "    loop\n"
	  "      %5 = get u32 %3\n"
	  "      %6 = const u32 0x2\n"
	  "      %7 = le bool %6 %5\n"
	  "      break %7 1\n"
	  "      %9 = const u32 0x1\n"
	  "      %10 = add u32 %5 %9\n"
	  "      set %3 %10\n"
	  "      store \"b\" %5 %10 _ !1\n"
	  "      break _ 2\n"
	  "    end\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  end\n", NULL },
	{ "a limit that is not a constant: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %5 = get u32 %2\n"
	  "    %6 = le bool %3 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %5 %9 _ !1\n"
	  "  end\n", NULL },
	{ "more instructions than allowed: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x3c\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %4 %9 _ !1\n"
	  "  end\n", NULL },
	{ "more instructions than allowed if other jumps leave the loop: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x8\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %4 %9 _ !1\n"
	  "    %12 = load u32 \"c\" %4 _ _ !1\n"
	  "    %13 = lt bool %9 %12\n"
	  "    break %13 1\n"
	  "  end\n", NULL },
};
/* clang-format on */

/* Copies, and replaces the counters by constants. */
static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct ir copies;
	bool used;

	f->p.unroll = BUDGET;
	QD_TRY(fault ? unroll_without(&f->p, in, &copies, &used) : pass_unroll(&f->p, in, &copies, &used));
	if (!used) {
		*out = *in;
		return QD_OK;
	}
	QD_TRY(ir_verify_body(f->p.k, &copies, f->p.mems, f->p.n_mems, STAGE_FOLDED, &f->err));
	return pass_values(&f->p, &copies, out);
}

void
t_unroll_exact(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < QD_COUNT(rows); i++)
		fx_rewrites(t, &rows[i], run, true);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_unroll_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++) {
		bool found = false;

		for (uint32_t i = 0; i < QD_COUNT(rows); i++)
			found = !fx_rewrites(t, &rows[i], run, false) || found;
		UNIT_CHECK(t, found, "fault %d is not found", (int)fault);
	}
	fault = FAULT_NONE;
}

/* Detects a body that grows without limit: many loops, each of which is small enough. */
void
t_unroll_growth(struct unit_ctx *t)
{
	enum { LOOPS = 2000 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir in, out;
	bool used = false;

	for (uint32_t i = 0; i < LOOPS; i++) {
		struct qd_var v = qd_var(b, qd_i32(b, 0));
		struct qd_val now;

		qd_loop(b);
		now = qd_get(b, v);
		qd_break_if(b, qd_eq(b, now, qd_i32(b, 12)));
		fx_put(&f, qd_cast(b, QD_TYPE_F32, now));
		qd_set(b, v, qd_add(b, now, qd_i32(b, 1)));
		qd_end(b);
	}
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		f.p.unroll = BUDGET;
		UNIT_CHECK(t, !pass_unroll(&f.p, &in, &out, &used), "%s", f.err.text);
		UNIT_CHECK(t, used && out.n < in.n + 16 * BUDGET, "%u instructions become %u", in.n, used ? out.n : 0);
	}
	fx_stop(&f);
}
