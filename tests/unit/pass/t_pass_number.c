/* Equal values, and products by constants: the exact body before and after legalize. */
#include "t_pass.h"

/* clang-format off */
static const struct fx_row rows[] = {
	{ "equal operations and their users are one",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = add u32 %1 %2\n"
	  "  %4 = add u32 %1 %2\n"
	  "  %5 = xor u32 %3 %1\n"
	  "  %6 = xor u32 %4 %1\n"
	  "  %7 = sub u32 %3 %1\n"
	  "  store \"b\" %5 %6 _ !1\n"
	  "  store \"b\" %5 %7 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = add u32 %1 %2 !2\n"
	  "  %4 = xor u32 %3 %1 !2\n"
	  "  %5 = sub u32 %3 %1 !2\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %4 %6 !2\n"
	  "  store \"b\" %4 %4 %7\n"
	  "  store \"b\" %4 %5 %7\n" },
	{ "equal loads from an in buffer are one, also across a store",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  store \"c\" %1 %2 _ !1\n"
	  "  %4 = load u32 \"a\" %1 _ _ !1\n"
	  "  store \"b\" %4 %4 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = lt bool %1 %2 !2\n"
	  "  %4 = load u32 \"a\" %1 _ %3\n"
	  "  %5 = len u32 \"c\"\n"
	  "  %6 = lt bool %1 %5 !2\n"
	  "  store \"c\" %1 %4 %6\n"
	  "  %8 = len u32 \"b\"\n"
	  "  %9 = lt bool %4 %8 !2\n"
	  "  store \"b\" %4 %4 %9\n" },
	{ "equal loads from a buffer that the kernel may write are two",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  store \"c\" %1 %1 _ !1\n"
	  "  %4 = load u32 \"c\" %1 _ _ !1\n"
	  "  store \"c\" %2 %4 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"c\"\n"
	  "  %3 = lt bool %1 %2 !2\n"
	  "  %4 = load u32 \"c\" %1 _ %3\n"
	  "  store \"c\" %1 %1 %3\n"
	  "  %6 = load u32 \"c\" %1 _ %3\n"
	  "  %7 = lt bool %4 %2 !2\n"
	  "  store \"c\" %4 %6 %7\n" },
	{ "a load with another value out of range is another load",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  %3 = load u32 \"a\" %1 %1 _ !1\n"
	  "  store \"b\" %2 %3 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = lt bool %1 %2 !2\n"
	  "  %4 = load u32 \"a\" %1 _ %3\n"
	  "  %5 = load u32 \"a\" %1 %1 %3\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %4 %6 !2\n"
	  "  store \"b\" %4 %5 %7\n" },
	{ "the value of an arm ends with it",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = eq bool %1 %2\n"
	  "  if %3\n"
	  "    %5 = add u32 %1 %2\n"
	  "    store \"b\" %5 %5 _ !1\n"
	  "  else\n"
	  "    %8 = add u32 %1 %2\n"
	  "    store \"b\" %8 %1 _ !1\n"
	  "  end\n"
	  "  %11 = add u32 %1 %2\n"
	  "  store \"b\" %11 %2 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"a\"\n"
	  "  %3 = eq bool %1 %2 !2\n"
	  "  if %3\n"
	  "    %5 = add u32 %1 %2 !2\n"
	  "    %6 = len u32 \"b\"\n"
	  "    %7 = lt bool %5 %6 !2\n"
	  "    store \"b\" %5 %5 %7\n"
	  "  else\n"
	  "    %10 = add u32 %1 %2 !2\n"
	  "    %11 = len u32 \"b\"\n"
	  "    %12 = lt bool %10 %11 !2\n"
	  "    store \"b\" %10 %1 %12\n"
	  "  end\n"
	  "  %15 = add u32 %1 %2 !2\n"
	  "  %16 = len u32 \"b\"\n"
	  "  %17 = lt bool %15 %16 !2\n"
	  "  store \"b\" %15 %2 %17\n" },
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
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1\n"
	  "  %3 = const i32 0x10\n"
	  "  %4 = mul i32 %2 %3\n"
	  "  %5 = const i32 0x80000000\n"
	  "  %6 = mul i32 %5 %2\n"
	  "  %7 = const i32 0x18\n"
	  "  %8 = mul i32 %2 %7\n"
	  "  %9 = bitcast u32 %4\n"
	  "  %10 = bitcast u32 %6\n"
	  "  %11 = bitcast u32 %8\n"
	  "  store \"b\" %9 %10 _ !1\n"
	  "  store \"b\" %9 %11 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1 !2\n"
	  "  %3 = const u32 0x4\n"
	  "  %4 = shl i32 %2 %3 !2\n"
	  "  %5 = const u32 0x1f\n"
	  "  %6 = shl i32 %2 %5 !2\n"
	  "  %7 = const i32 0x18\n"
	  "  %8 = mul24 i32 %2 %7 !2\n"
	  "  %9 = bitcast u32 %4 !2\n"
	  "  %10 = bitcast u32 %6 !2\n"
	  "  %11 = bitcast u32 %8 !2\n"
	  "  %12 = len u32 \"b\"\n"
	  "  %13 = lt bool %9 %12 !2\n"
	  "  store \"b\" %9 %10 %13\n"
	  "  store \"b\" %9 %11 %13\n" },
	{ "the quotient of numbers that are not negative is a shift",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1\n"
	  "  %3 = const i32 0x10\n"
	  "  %4 = div i32 %2 %3\n"
	  "  %5 = rem i32 %2 %3\n"
	  "  %6 = bitcast u32 %4\n"
	  "  %7 = bitcast u32 %5\n"
	  "  store \"b\" %6 %7 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = const u32 0x4\n"
	  "  %3 = shr u32 %1 %2 !2\n"
	  "  %4 = const u32 0xf\n"
	  "  %5 = and u32 %1 %4 !2\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %3 %6 !2\n"
	  "  store \"b\" %3 %5 %7\n" },
	{ "the quotient of a number that may be negative is not",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1\n"
	  "  %3 = const i32 0x1\n"
	  "  %4 = sub i32 %2 %3\n"
	  "  %5 = const i32 0x10\n"
	  "  %6 = div i32 %4 %5\n"
	  "  %7 = bitcast u32 %6\n"
	  "  store \"b\" %7 %7 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = bitcast i32 %1 !2\n"
	  "  %3 = const i32 0x1\n"
	  "  %4 = sub i32 %2 %3 !2\n"
	  "  %5 = const i32 0x10\n"
	  "  %6 = div i32 %4 %5 !2\n"
	  "  %7 = bitcast u32 %6 !2\n"
	  "  %8 = len u32 \"b\"\n"
	  "  %9 = lt bool %7 %8 !2\n"
	  "  store \"b\" %7 %7 %9\n" },
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
		fx_put(&f, qd_cast(b, QD_TYPE_F32, qd_sub(b, x, qd_u32(b, (uint32_t)i))));
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		UNIT_CHECK(t, !pass_legalize(&f.p, &in, NULL, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_SUB) == N, "%u differences", fx_count(&out, OP_SUB));
	}
	fx_stop(&f);
}

/* Checks that equal values are found although values between them have the same hash. */
void
t_number_repeats(struct unit_ctx *t)
{
	enum { N = 80 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val x = thread(b);
	struct ir in, out;

	for (uint32_t round = 0; round < 2; round++) {
		struct qd_val v = qd_block_idx(b);

		for (uint32_t i = 0; i < N; i++)
			fx_put(&f, qd_cast(b, QD_TYPE_F32, v = qd_sub(b, v, x)));
	}
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		UNIT_CHECK(t, !pass_legalize(&f.p, &in, NULL, &out), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&out, OP_SUB) == N, "%u differences", fx_count(&out, OP_SUB));
	}
	fx_stop(&f);
}
