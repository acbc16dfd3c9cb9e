/* Operations that ranges decide or simplify: the exact body before and after legalize. */
#include "t_pass.h"

/* clang-format off */
static const struct fx_row rows[] = {
	{ "quotients and remainders of an index that is not negative",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1\n"
	  "  %3 = const i32 0x8\n"
	  "  %4 = div i32 %2 %3\n"
	  "  %5 = rem i32 %2 %3\n"
	  "  %6 = bitcast u32 %4\n"
	  "  %7 = bitcast u32 %5\n"
	  "  store \"b\" %6 %7 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = const u32 0x3\n"
	  "  %3 = shr u32 %1 %2 !2\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = and u32 %1 %4 !2\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %3 %6 !2\n"
	  "  store \"b\" %3 %5 %7\n" },
	{ "a quotient of a sum that may wrap, and of a number that may be negative",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = bitcast i32 %1\n"
	  "  %3 = const i32 0x5\n"
	  "  %4 = div i32 %2 %3\n"
	  "  %5 = const u32 0x7fffffff\n"
	  "  %6 = and u32 %1 %5\n"
	  "  %7 = bitcast i32 %6\n"
	  "  %8 = const i32 0x1\n"
	  "  %9 = add i32 %7 %8\n"
	  "  %10 = div i32 %9 %3\n"
	  "  %11 = bitcast u32 %4\n"
	  "  %12 = bitcast u32 %10\n"
	  "  store \"b\" %11 %12 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = bitcast i32 %1 !2\n"
	  "  %3 = const i32 0x5\n"
	  "  %4 = div i32 %2 %3 !2\n"
	  "  %5 = const u32 0x7fffffff\n"
	  "  %6 = and u32 %1 %5 !2\n"
	  "  %7 = bitcast i32 %6 !2\n"
	  "  %8 = const i32 0x1\n"
	  "  %9 = add i32 %7 %8 !2\n"
	  "  %10 = div i32 %9 %3 !2\n"
	  "  %11 = bitcast u32 %4 !2\n"
	  "  %12 = bitcast u32 %10 !2\n"
	  "  %13 = len u32 \"b\"\n"
	  "  %14 = lt bool %11 %13 !2\n"
	  "  store \"b\" %11 %12 %14\n" },
	{ "comparisons, minima and masks that are decided",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = const u32 0x40\n"
	  "  %3 = min u32 %1 %2\n"
	  "  %4 = const u32 0x3f\n"
	  "  %5 = and u32 %3 %4\n"
	  "  %6 = rem u32 %5 %2\n"
	  "  %7 = lt bool %6 %2\n"
	  "  if %7\n"
	  "    store \"b\" %6 %4 _ !1\n"
	  "  else\n"
	  "    store \"b\" %4 %6 _ !1\n"
	  "  end\n"
	  "  %12 = lt bool %1 %4\n"
	  "  if %12\n"
	  "    %14 = const u32 0x3e\n"
	  "    %15 = le bool %14 %1\n"
	  "    %16 = lt bool %14 %1\n"
	  "    if %16\n"
	  "      store \"b\" %4 %6 _ !1\n"
	  "    end\n"
	  "    if %15\n"
	  "      store \"b\" %4 %4 _ !1\n"
	  "    end\n"
	  "  end\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = const u32 0x3f\n"
	  "  %3 = len u32 \"b\"\n"
	  "  %4 = lt bool %1 %3 !2\n"
	  "  store \"b\" %1 %2 %4\n"
	  "  %6 = lt bool %1 %2 !2\n"
	  "  if %6\n"
	  "    %8 = const u32 0x3e\n"
	  "    %9 = le bool %8 %1 !2\n"
	  "    if %9\n"
	  "      %11 = lt bool %2 %3 !2\n"
	  "      store \"b\" %2 %2 %11\n"
	  "    end\n"
	  "  end\n" },
	{ "code after a jump out of an if that is decided",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = const u32 0x40\n"
	  "  block\n"
	  "    %4 = lt bool %1 %2\n"
	  "    if %4\n"
	  "      store \"b\" %1 %1 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    %9 = const u32 0x1\n"
	  "    store \"b\" %1 %9 _ !1\n"
	  "  end\n",
	  "  %1 = block.thread_idx u32\n"
	  "  block\n"
	  "    %3 = len u32 \"b\"\n"
	  "    %4 = lt bool %1 %3 !2\n"
	  "    store \"b\" %1 %1 %4\n"
	  "    break _ 1\n"
	  "  end\n" },
	{ "a sign extension of a number that is not negative",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = cvt i64 %1\n"
	  "  %3 = const i64 0x3\n"
	  "  %4 = mul i64 %2 %3\n"
	  "  %5 = cvt u32 %4\n"
	  "  store \"b\" %5 %5 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = cvt i64 %1 !2\n"
	  "  %3 = const i64 0x3\n"
	  "  %4 = mul i64 %2 %3 !2\n"
	  "  %5 = cvt u32 %4 !2\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %5 %6 !2\n"
	  "  store \"b\" %5 %5 %7\n" },
	{ "an if without effect",
	  "  %1 = const u32 0x3f\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = lt bool %2 %1\n"
	  "  if %3\n"
	  "    %5 = add u32 %2 %1\n"
	  "  end\n"
	  "  store \"b\" %1 %1 _ !1\n",
	  "  %1 = const u32 0x3f\n"
	  "  %2 = len u32 \"b\"\n"
	  "  %3 = lt bool %1 %2 !2\n"
	  "  store \"b\" %1 %1 %3\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct census census;

	QD_TRY(pass_census(&f->p, in, &census));
	QD_TRY(pass_legalize(&f->p, in, &census, out));
	return ir_verify_body(f->p.k, out, f->p.mems, f->p.n_mems, STAGE_LEGAL, &f->err);
}

void
t_range_exact(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++)
		fx_rewrites(t, &rows[i], run, true);
}
