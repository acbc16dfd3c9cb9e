/* Operations that ranges decide or simplify: the exact body before and after legalize. */
#include "t_pass.h"

/* clang-format off */
static const struct fx_row rows[] = {
	{ "quotients and remainders of an index that is not negative",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x8\n"
	  "  %3 = div i32 %1 %2\n"
	  "  %4 = rem i32 %1 %2\n"
	  "  %5 = bitcast u32 %3\n"
	  "  %6 = bitcast u32 %4\n"
	  "  store \"b\" %5 %6 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = const u32 0x3\n"
	  "  %4 = shr u32 %2 %3 !2\n"
	  "  %5 = const u32 0x7\n"
	  "  %6 = and u32 %2 %5 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %4 %7 !2\n"
	  "  store \"b\" %4 %6 %8\n" },
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
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = const u32 0x40\n"
	  "  %4 = min u32 %2 %3\n"
	  "  %5 = const u32 0x3f\n"
	  "  %6 = and u32 %4 %5\n"
	  "  %7 = rem u32 %6 %3\n"
	  "  %8 = lt bool %7 %3\n"
	  "  if %8\n"
	  "    store \"b\" %7 %5 _ !1\n"
	  "  else\n"
	  "    store \"b\" %5 %7 _ !1\n"
	  "  end\n"
	  "  %13 = lt bool %2 %5\n"
	  "  if %13\n"
	  "    %15 = const u32 0x3e\n"
	  "    %16 = le bool %15 %2\n"
	  "    %17 = lt bool %15 %2\n"
	  "    if %17\n"
	  "      store \"b\" %5 %7 _ !1\n"
	  "    end\n"
	  "    if %16\n"
	  "      store \"b\" %5 %5 _ !1\n"
	  "    end\n"
	  "  end\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = const u32 0x3f\n"
	  "  %4 = len u32 \"b\"\n"
	  "  %5 = lt bool %2 %4 !2\n"
	  "  store \"b\" %2 %3 %5\n"
	  "  %7 = lt bool %2 %3 !2\n"
	  "  if %7\n"
	  "    %9 = const u32 0x3e\n"
	  "    %10 = le bool %9 %2 !2\n"
	  "    if %10\n"
	  "      %12 = lt bool %3 %4 !2\n"
	  "      store \"b\" %3 %3 %12\n"
	  "    end\n"
	  "  end\n" },
	{ "code after a jump out of an if that is decided",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x40\n"
	  "  %3 = bitcast u32 %1\n"
	  "  block\n"
	  "    %5 = lt bool %1 %2\n"
	  "    if %5\n"
	  "      store \"b\" %3 %3 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    %10 = const u32 0x1\n"
	  "    store \"b\" %3 %10 _ !1\n"
	  "  end\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  block\n"
	  "    %4 = len u32 \"b\"\n"
	  "    %5 = lt bool %2 %4 !2\n"
	  "    store \"b\" %2 %2 %5\n"
	  "    break _ 1\n"
	  "  end\n" },
	{ "a sign extension of a number that is not negative",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = cvt i64 %1\n"
	  "  %3 = const i64 0x3\n"
	  "  %4 = mul i64 %2 %3\n"
	  "  %5 = cvt u32 %4\n"
	  "  store \"b\" %5 %5 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = cvt i64 %2 !2\n"
	  "  %4 = const i64 0x3\n"
	  "  %5 = mul i64 %3 %4 !2\n"
	  "  %6 = cvt u32 %5 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %6 %7 !2\n"
	  "  store \"b\" %6 %6 %8\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	return pass_legalize(&f->p, in, NULL, out);
}

void
t_range_exact(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++)
		fx_rewrites(t, &rows[i], run, true);
}
