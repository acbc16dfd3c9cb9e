/* Operators of generic reductions and scans, as text and in C. */
#include "program.h"

static void
affine(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	uint64_t x = (uint32_t)(a[0] * b[0]), y = (uint32_t)(a[1] * b[0] + b[1]);

	out[0] = x;
	out[1] = y;
}

static void
later_if_greater(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	bool take = ref_scalar(REF_OP_GT, QD_TYPE_I32, b[0], a[0], false) != 0;
	uint64_t x = take ? b[0] : a[0], y = take ? b[1] : a[1];

	out[0] = x;
	out[1] = y;
}

/* Product of 2 by 2 matrices. */
static void
product(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	uint64_t r[4] = { a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
			  a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3] };

	for (int i = 0; i < 4; i++)
		out[i] = (uint32_t)r[i];
}

static void
last(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	(void)a;
	out[0] = b[0];
}

static void
add_wide(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	uint64_t x = a[0] + b[0];

	out[0] = x;
	out[1] = ref_max(QD_TYPE_F32, a[1], b[1]);
}

/* clang-format off */
const struct oper opers[N_OPER] = {
	{ "affine", "fn affine(a0: u32, b0: u32, a1: u32, b1: u32) -> u32, u32 "
	  "{ return a0 * a1, b0 * a1 + b1; }",
	  2, { QD_TYPE_U32, QD_TYPE_U32 }, affine },
	{ "greater", "fn greater(v: i32, at: u32, w: i32, where: u32) -> i32, u32 "
	  "{ let take = w > v; return select(take, w, v), select(take, where, at); }",
	  2, { QD_TYPE_I32, QD_TYPE_U32 }, later_if_greater },
	{ "product", "fn product(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32) -> u32, u32, u32, u32 "
	  "{ return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h; }",
	  4, { QD_TYPE_U32, QD_TYPE_U32, QD_TYPE_U32, QD_TYPE_U32 }, product },
	{ "last", "fn last(a: i32, b: i32) -> i32 { return b; }", 1, { QD_TYPE_I32 }, last },
	{ "wide", "fn wide(a: i64, x: f32, b: i64, y: f32) -> i64, f32 { return a + b, max(x, y); }",
	  2, { QD_TYPE_I64, QD_TYPE_F32 }, add_wide },
};
/* clang-format on */
