/* Short ifs that become selections: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault { FAULT_NONE, FAULT_CHEAP, FAULT_UNIFORM, FAULT_NEST, FAULT_ELSE, N_FAULT };
static enum fault fault;
#define FLATTEN_RULE(name) (fault != FAULT_##name)
#define pass_flatten	   flatten_without
static qd_status flatten_without(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used);
#include "../../../src/pass/flatten.c"
#undef pass_flatten

/* clang-format off */
static const struct fx_row rows[] = {
	{ "an if that replaces the values of two variables",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = var u32 %2\n"
	  "  %5 = lt bool %1 %2\n"
	  "  if %5\n"
	  "    %7 = mul u32 %2 %2\n"
	  "    set %3 %7\n"
	  "    set %4 %1\n"
	  "  end\n"
	  "  %11 = get u32 %3\n"
	  "  %12 = get u32 %4\n"
	  "  store \"b\" %11 %12 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = lt bool %1 %2\n"
	  "  %4 = mul u32 %2 %2\n"
	  "  %5 = select u32 %3 %4 %1\n"
	  "  %6 = select u32 %3 %1 %2\n"
	  "  store \"b\" %5 %6 _ !1\n" },
	{ "an else, and an if in it: the inner one executes in fewer threads",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    set %3 %2\n"
	  "  else\n"
	  "    %8 = const u32 0x5\n"
	  "    %9 = lt bool %2 %8\n"
	  "    if %9\n"
	  "      set %3 %8\n"
	  "    end\n"
	  "  end\n"
	  "  %14 = get u32 %3\n"
	  "  store \"b\" %1 %14 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = lt bool %1 %2\n"
	  "  %4 = le bool %2 %1\n"
	  "  %5 = select u32 %3 %2 %1\n"
	  "  %6 = const u32 0x5\n"
	  "  %7 = lt bool %2 %6\n"
	  "  %8 = and bool %4 %7\n"
	  "  %9 = select u32 %8 %6 %5\n"
	  "  store \"b\" %1 %9 _ !1\n" },
	{ "a uniform if, a division, a load, a store and a mask stay",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = lt bool %2 %4\n"
	  "  %6 = lt bool %1 %2\n"
	  "  %7 = var bool %6\n"
	  "  if %5\n"
	  "    set %3 %2\n"
	  "  end\n"
	  "  %11 = get u32 %3\n"
	  "  if %6\n"
	  "    %13 = div u32 %11 %2\n"
	  "    set %3 %13\n"
	  "  end\n"
	  "  %16 = get u32 %3\n"
	  "  %17 = lt bool %16 %4\n"
	  "  if %17\n"
	  "    %19 = load u32 \"c\" %16 _ _ !1\n"
	  "    set %3 %19\n"
	  "  end\n"
	  "  if %6\n"
	  "    store \"b\" %16 %1 _ !1\n"
	  "  end\n"
	  "  if %6\n"
	  "    set %7 %17\n"
	  "  end\n"
	  "  %28 = get u32 %3\n"
	  "  %29 = get bool %7\n"
	  "  %30 = select u32 %29 %28 %1\n"
	  "  store \"b\" %1 %30 _ !1\n", NULL },
	{ "arms of many operations stay",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    %6 = mul u32 %2 %2\n"
	  "    %7 = xor u32 %6 %2\n"
	  "    %8 = mul u32 %7 %6\n"
	  "    %9 = xor u32 %8 %7\n"
	  "    %10 = mul u32 %9 %8\n"
	  "    %11 = xor u32 %10 %9\n"
	  "    %12 = mul u32 %11 %10\n"
	  "    set %3 %12\n"
	  "  end\n"
	  "  %15 = get u32 %3\n"
	  "  store \"b\" %1 %15 _ !1\n", NULL },
	{ "64-bit arithmetic stays",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = cvt u64 %1\n"
	  "  %4 = var u64 %3\n"
	  "  %5 = lt bool %1 %2\n"
	  "  if %5\n"
	  "    %7 = mul u64 %3 %3\n"
	  "    set %4 %7\n"
	  "  end\n"
	  "  %10 = get u64 %4\n"
	  "  %11 = cvt u32 %10\n"
	  "  store \"b\" %1 %11 _ !1\n", NULL },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct ir flat;
	bool used;

	QD_TRY(fault ? flatten_without(&f->p, in, &flat, &used) : pass_flatten(&f->p, in, &flat, &used));
	if (!used) {
		*out = *in;
		return QD_OK;
	}
	QD_TRY(ir_verify_body(f->p.k, &flat, f->p.mems, f->p.n_mems, STAGE_FOLDED, &f->err));
	return pass_values(&f->p, &flat, out);
}

void
t_flatten_exact(struct unit_ctx *t)
{
	fx_exact(t, rows, QD_COUNT(rows), run);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_flatten_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++)
		UNIT_CHECK(t, fx_fails(t, rows, QD_COUNT(rows), run), "fault %d is not found", (int)fault);
	fault = FAULT_NONE;
}
