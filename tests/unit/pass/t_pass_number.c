/* Equal values, and products by constants: the exact body before and after legalize. */
#include "t_pass.h"

/* clang-format off */
static const struct fx_row rows[] = {
	{ "equal operations and their users are one",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = bitcast u32 %1\n"
	  "  %4 = add u32 %3 %2\n"
	  "  %5 = add u32 %3 %2\n"
	  "  %6 = xor u32 %4 %3\n"
	  "  %7 = xor u32 %5 %3\n"
	  "  %8 = sub u32 %4 %3\n"
	  "  store \"b\" %6 %7 _ !1\n"
	  "  store \"b\" %6 %8 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = bitcast u32 %1 !2\n"
	  "  %4 = add u32 %3 %2 !2\n"
	  "  %5 = xor u32 %4 %3 !2\n"
	  "  %6 = sub u32 %4 %3 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %5 %7 !2\n"
	  "  store \"b\" %5 %5 %8\n"
	  "  store \"b\" %5 %6 %8\n" },
	{ "equal loads from an in buffer are one, also across a store",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  store \"c\" %2 %3 _ !1\n"
	  "  %5 = load u32 \"a\" %2 _ _ !1\n"
	  "  store \"b\" %5 %5 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = len u32 \"a\"\n"
	  "  %4 = lt bool %2 %3 !2\n"
	  "  %5 = load u32 \"a\" %2 _ %4\n"
	  "  %6 = len u32 \"c\"\n"
	  "  %7 = lt bool %2 %6 !2\n"
	  "  store \"c\" %2 %5 %7\n"
	  "  %9 = len u32 \"b\"\n"
	  "  %10 = lt bool %5 %9 !2\n"
	  "  store \"b\" %5 %5 %10\n" },
	{ "equal loads from a buffer that the kernel may write are two",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  store \"c\" %2 %2 _ !1\n"
	  "  %5 = load u32 \"c\" %2 _ _ !1\n"
	  "  store \"c\" %3 %5 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = len u32 \"c\"\n"
	  "  %4 = lt bool %2 %3 !2\n"
	  "  %5 = load u32 \"c\" %2 _ %4\n"
	  "  store \"c\" %2 %2 %4\n"
	  "  %7 = load u32 \"c\" %2 _ %4\n"
	  "  %8 = lt bool %5 %3 !2\n"
	  "  store \"c\" %5 %7 %8\n" },
	{ "a load with another value out of range is another load",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  %4 = load u32 \"a\" %2 %2 _ !1\n"
	  "  store \"b\" %3 %4 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = len u32 \"a\"\n"
	  "  %4 = lt bool %2 %3 !2\n"
	  "  %5 = load u32 \"a\" %2 _ %4\n"
	  "  %6 = load u32 \"a\" %2 %2 %4\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %5 %7 !2\n"
	  "  store \"b\" %5 %6 %8\n" },
	{ "the value of an arm ends with it",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = bitcast u32 %1\n"
	  "  %4 = eq bool %3 %2\n"
	  "  if %4\n"
	  "    %6 = add u32 %3 %2\n"
	  "    store \"b\" %6 %6 _ !1\n"
	  "  else\n"
	  "    %9 = add u32 %3 %2\n"
	  "    store \"b\" %9 %3 _ !1\n"
	  "  end\n"
	  "  %12 = add u32 %3 %2\n"
	  "  store \"b\" %12 %2 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = bitcast u32 %1 !2\n"
	  "  %4 = eq bool %3 %2 !2\n"
	  "  if %4\n"
	  "    %6 = add u32 %3 %2 !2\n"
	  "    %7 = len u32 \"b\"\n"
	  "    %8 = lt bool %6 %7 !2\n"
	  "    store \"b\" %6 %6 %8\n"
	  "  else\n"
	  "    %11 = add u32 %3 %2 !2\n"
	  "    %12 = len u32 \"b\"\n"
	  "    %13 = lt bool %11 %12 !2\n"
	  "    store \"b\" %11 %3 %13\n"
	  "  end\n"
	  "  %16 = add u32 %3 %2 !2\n"
	  "  %17 = len u32 \"b\"\n"
	  "  %18 = lt bool %16 %17 !2\n"
	  "  store \"b\" %16 %2 %18\n" },
	{ "an arm uses the values around it",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = len u32 \"b\"\n"
	  "  %3 = mul u32 %1 %2\n"
	  "  %4 = lt bool %1 %2\n"
	  "  loop\n"
	  "    break %4 1\n"
	  "    %7 = mul u32 %1 %2\n"
	  "    store \"b\" %7 %3 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = len u32 \"b\"\n"
	  "  %3 = mul u32 %1 %2 !2\n"
	  "  %4 = lt bool %1 %2 !2\n"
	  "  loop\n"
	  "    break %4 1\n"
	  "    %7 = lt bool %3 %2 !2\n"
	  "    store \"b\" %3 %3 %7\n"
	  "  end\n" },
	{ "products by powers of two are shifts",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x10\n"
	  "  %3 = mul i32 %1 %2\n"
	  "  %4 = const i32 0x80000000\n"
	  "  %5 = mul i32 %4 %1\n"
	  "  %6 = const i32 0x18\n"
	  "  %7 = mul i32 %1 %6\n"
	  "  %8 = bitcast u32 %3\n"
	  "  %9 = bitcast u32 %5\n"
	  "  %10 = bitcast u32 %7\n"
	  "  store \"b\" %8 %9 _ !1\n"
	  "  store \"b\" %8 %10 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const u32 0x4\n"
	  "  %3 = shl i32 %1 %2 !2\n"
	  "  %4 = const u32 0x1f\n"
	  "  %5 = shl i32 %1 %4 !2\n"
	  "  %6 = const i32 0x18\n"
	  "  %7 = mul24 i32 %1 %6 !2\n"
	  "  %8 = bitcast u32 %3 !2\n"
	  "  %9 = bitcast u32 %5 !2\n"
	  "  %10 = bitcast u32 %7 !2\n"
	  "  %11 = len u32 \"b\"\n"
	  "  %12 = lt bool %8 %11 !2\n"
	  "  store \"b\" %8 %9 %12\n"
	  "  store \"b\" %8 %10 %12\n" },
	{ "the quotient of numbers that are not negative is a shift",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x10\n"
	  "  %3 = div i32 %1 %2\n"
	  "  %4 = rem i32 %1 %2\n"
	  "  %5 = bitcast u32 %3\n"
	  "  %6 = bitcast u32 %4\n"
	  "  store \"b\" %5 %6 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = const u32 0x4\n"
	  "  %4 = shr u32 %2 %3 !2\n"
	  "  %5 = const u32 0xf\n"
	  "  %6 = and u32 %2 %5 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %4 %7 !2\n"
	  "  store \"b\" %4 %6 %8\n" },
	{ "the quotient of a number that may be negative is not",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x1\n"
	  "  %3 = sub i32 %1 %2\n"
	  "  %4 = const i32 0x10\n"
	  "  %5 = div i32 %3 %4\n"
	  "  %6 = bitcast u32 %5\n"
	  "  store \"b\" %6 %6 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x1\n"
	  "  %3 = sub i32 %1 %2 !2\n"
	  "  %4 = const i32 0x10\n"
	  "  %5 = div i32 %3 %4 !2\n"
	  "  %6 = bitcast u32 %5 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %6 %7 !2\n"
	  "  store \"b\" %6 %6 %8\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	QD_TRY(pass_legalize(&f->p, in, NULL, out));
	return ir_verify_body(f->p.k, out, f->p.mems, f->p.n_mems, STAGE_LEGAL, &f->err);
}

void
t_number_exact(struct unit_ctx *t)
{
	fx_exact(t, rows, QD_COUNT(rows), run);
}

/* Checks that different operations with the same hash stay different. */
void
t_number_collisions(struct unit_ctx *t)
{
	enum { N = 500 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val x = thread(b);
	struct ir in, out;

	for (int32_t i = 1; i <= N; i++)
		fx_put(&f, qd_cast(b, QD_TYPE_F32, qd_sub(b, x, qd_i32(b, i))));
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		UNIT_CHECK(t, !pass_legalize(&f.p, &in, NULL, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_SUB) == N, "%u differences", fx_count(&out, OP_SUB));
	}
	fx_stop(&f);
}
