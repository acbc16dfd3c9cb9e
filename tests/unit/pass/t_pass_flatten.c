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
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = var u32 %2\n"
	  "  %5 = var u32 %3\n"
	  "  %6 = lt bool %2 %3\n"
	  "  if %6\n"
	  "    %8 = mul u32 %3 %3\n"
	  "    set %4 %8\n"
	  "    set %5 %2\n"
	  "  end\n"
	  "  %12 = get u32 %4\n"
	  "  %13 = get u32 %5\n"
	  "  store \"b\" %12 %13 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = lt bool %2 %3\n"
	  "  %5 = mul u32 %3 %3\n"
	  "  %6 = select u32 %4 %5 %2\n"
	  "  %7 = select u32 %4 %2 %3\n"
	  "  store \"b\" %6 %7 _ !1\n" },
	{ "an else, and an if in it: the inner one executes in fewer threads",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = var u32 %2\n"
	  "  %5 = lt bool %2 %3\n"
	  "  if %5\n"
	  "    set %4 %3\n"
	  "  else\n"
	  "    %9 = const u32 0x5\n"
	  "    %10 = lt bool %3 %9\n"
	  "    if %10\n"
	  "      set %4 %9\n"
	  "    end\n"
	  "  end\n"
	  "  %15 = get u32 %4\n"
	  "  store \"b\" %2 %15 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = lt bool %2 %3\n"
	  "  %5 = le bool %3 %2\n"
	  "  %6 = select u32 %4 %3 %2\n"
	  "  %7 = const u32 0x5\n"
	  "  %8 = lt bool %3 %7\n"
	  "  %9 = and bool %5 %8\n"
	  "  %10 = select u32 %9 %7 %6\n"
	  "  store \"b\" %2 %10 _ !1\n" },
	{ "a uniform if, a division, a load, a store and a mask stay",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  %4 = var u32 %2\n"
	  "  %5 = const u32 0x7\n"
	  "  %6 = lt bool %3 %5\n"
	  "  %7 = lt bool %2 %3\n"
	  "  %8 = var bool %7\n"
	  "  if %6\n"
	  "    set %4 %3\n"
	  "  end\n"
	  "  %12 = get u32 %4\n"
	  "  if %7\n"
	  "    %14 = div u32 %12 %3\n"
	  "    set %4 %14\n"
	  "  end\n"
	  "  %17 = get u32 %4\n"
	  "  %18 = lt bool %17 %5\n"
	  "  if %18\n"
	  "    %20 = load u32 \"c\" %17 _ _ !1\n"
	  "    set %4 %20\n"
	  "  end\n"
	  "  if %7\n"
	  "    store \"b\" %17 %2 _ !1\n"
	  "  end\n"
	  "  if %7\n"
	  "    set %8 %18\n"
	  "  end\n"
	  "  %29 = get u32 %4\n"
	  "  %30 = get bool %8\n"
	  "  %31 = select u32 %30 %29 %2\n"
	  "  store \"b\" %2 %31 _ !1\n", NULL },
	{ "arms of many operations stay",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = var u32 %2\n"
	  "  %5 = lt bool %2 %3\n"
	  "  if %5\n"
	  "    %7 = mul u32 %3 %3\n"
	  "    %8 = xor u32 %7 %3\n"
	  "    %9 = mul u32 %8 %7\n"
	  "    %10 = xor u32 %9 %8\n"
	  "    %11 = mul u32 %10 %9\n"
	  "    %12 = xor u32 %11 %10\n"
	  "    %13 = mul u32 %12 %11\n"
	  "    set %4 %13\n"
	  "  end\n"
	  "  %16 = get u32 %4\n"
	  "  store \"b\" %2 %16 _ !1\n", NULL },
	{ "64-bit arithmetic stays",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = cvt u64 %2\n"
	  "  %5 = var u64 %4\n"
	  "  %6 = lt bool %2 %3\n"
	  "  if %6\n"
	  "    %8 = mul u64 %4 %4\n"
	  "    set %5 %8\n"
	  "  end\n"
	  "  %11 = get u64 %5\n"
	  "  %12 = cvt u32 %11\n"
	  "  store \"b\" %2 %12 _ !1\n", NULL },
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
