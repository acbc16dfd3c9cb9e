/* Builder call: radix ranks. The call extracts digits from the keys by numbers that may be
 * template parameters. It checks these numbers immediately, or adds a requirement. */
#include "build_call.h"

/* Checks x op y for i32. Returns false if it is false, true if it is true or has become a
 * requirement. */
static bool
holds(struct qd_builder *b, enum op op, struct qd_val x, struct qd_val y, const char *text)
{
	struct ins ins = { .op = OP_REQUIRE };
	struct qd_val c = build_push_op(b, op, QD_TYPE_BOOL, x, y, no_val);
	uint64_t bits;

	if (b->failed)
		return true;
	if (build_is_const(b, c, &bits))
		return bits;
	ins.a = c.id;
	if (build_text(b, text, &ins.x))
		build_push(b, ins);
	return true;
}

static int
number(const struct qd_builder *b, struct qd_val v)
{
	uint64_t bits = 0;

	build_is_const(b, v, &bits);
	return (int)bits;
}

static struct qd_val
i32(struct qd_builder *b, uint32_t v)
{
	return build_constant(b, QD_TYPE_I32, v);
}

static bool
bins_operand(struct qd_builder *b, struct qd_array a, struct qd_val radix)
{
	const struct memory *m = a.id && a.id <= b->k->n_mems ? &b->k->mems[a.id - 1] : NULL;
	struct qd_val len;
	int n = number(b, radix);

	if (!m) {
		FAIL(b, DIAG_E0310, "shared array");
		return false;
	}
	if (m->space != SPACE_SHARED || m->type != QD_TYPE_I32) {
		FAIL(b, DIAG_E0373, m->name);
		return false;
	}
	len = build_push_op(b, OP_BITCAST, QD_TYPE_U32, radix, no_val, no_val);
	len = build_push_op(b, OP_SHL, QD_TYPE_I32, i32(b, 1), len, no_val);
	if (!holds(b, OP_EQ, len, i32(b, m->len), "bins and excl_prefix have 2^radix_bits elements"))
		FAIL(b, DIAG_E0239, m->name, m->len, n, 1u << n);
	return !b->failed;
}

void
build_rank(struct qd_builder *b, const char *name, const struct qd_val *key, struct qd_val *out,
	   uint32_t k, const uint32_t token[3], struct qd_array bins, struct qd_array excl_prefix)
{
	struct qd_val digit[MAX_YIELD], radix, start, count, top, mask, one, none, digits, all;
	int n_radix, n_start;

	for (uint32_t i = 0; i < k && i < MAX_YIELD; i++) {
		digit[i] = key ? key[i] : no_val;
		if (out)
			out[i] = no_val;
	}
	if (!build_enter(b, name))
		return;
	if (!key || !out) {
		FAIL(b, DIAG_E0354, key ? "the list of results" : "the list of keys");
		return;
	}
	if (k < 1 || k > MAX_YIELD) {
		FAIL(b, DIAG_E0375, k);
		return;
	}
	for (uint32_t i = 0; i < k; i++) {
		qd_type t = build_operand(b, digit[i], TM_ALL);

		if (t && t != QD_TYPE_U32)
			FAIL(b, DIAG_E0376, type_info[t].name);
	}
	radix = build_tmpl_operand(b, token[0], 0, MAX_RADIX, DIAG_E0234);
	start = build_tmpl_operand(b, token[1], 0, 31, DIAG_E0235);
	count = build_tmpl_operand(b, token[2], 0, MAX_RADIX, DIAG_E0236);
	if (b->failed)
		return;
	n_radix = number(b, radix);
	n_start = number(b, start);
	if (!holds(b, OP_LE, count, radix, "num_bits is at most radix_bits"))
		FAIL(b, DIAG_E0237, number(b, count), n_radix);
	top = build_push_op(b, OP_ADD, QD_TYPE_I32, start, count, no_val);
	if (!holds(b, OP_LE, top, i32(b, 32), "bit_start + num_bits is at most 32"))
		FAIL(b, DIAG_E0238, number(b, count), n_start);
	/* Requirements on template parameters without a value. */
	none = i32(b, 0);
	holds(b, OP_LE, none, count, "num_bits is not negative");
	holds(b, OP_LE, none, start, "bit_start is not negative");
	holds(b, OP_LE, start, i32(b, 31), "bit_start is at most 31");
	if (b->failed || !bins_operand(b, bins, radix) || !bins_operand(b, excl_prefix, radix))
		return;
	if (bins.id == excl_prefix.id) {
		FAIL(b, DIAG_E0374, b->k->mems[bins.id - 1].name);
		return;
	}
	start = build_push_op(b, OP_BITCAST, QD_TYPE_U32, start, no_val, no_val);
	mask = build_push_op(b, OP_BITCAST, QD_TYPE_U32, count, no_val, no_val);
	one = build_constant(b, QD_TYPE_U32, 1);
	mask = build_push_op(b, OP_SHL, QD_TYPE_U32, one, mask, no_val);
	mask = build_push_op(b, OP_SUB, QD_TYPE_U32, mask, one, no_val);
	for (uint32_t i = 0; i < k; i++) {
		digit[i] = build_push_op(b, OP_SHR, QD_TYPE_U32, digit[i], start, no_val);
		digit[i] = build_push_op(b, OP_AND, QD_TYPE_U32, digit[i], mask, no_val);
	}
	count = build_push_op(b, OP_MAX, QD_TYPE_I32, count, i32(b, 1), no_val);
	digits = build_list(b, digit, k);
	all = build_push(b, (struct ins){ .op = OP_BLOCK_RADIX_RANK,
					  .a = digits.id,
					  .b = excl_prefix.id - 1,
					  .c = count.id,
					  .d = build_take_active(b, OP_BLOCK_RADIX_RANK),
					  .x = bins.id - 1 });
	for (uint32_t i = 0; i < k; i++)
		out[i] = build_push(b, (struct ins){ .op = OP_RESULT, .type = QD_TYPE_I32,
						     .a = all.id, .x = i });
}

struct qd_val
qd_block_radix_rank_match_atomic_or(struct qd_builder *b, struct qd_val key, uint32_t radix_bits,
				    uint32_t bit_start, uint32_t num_bits, struct qd_array bins,
				    struct qd_array excl_prefix)
{
	struct qd_val out = { 0 };

	build_rank(b, "qd_block_radix_rank_match_atomic_or", &key, &out, 1,
		   (uint32_t[]){ radix_bits, bit_start, num_bits }, bins, excl_prefix);
	return out;
}

void
qd_block_radix_rank_match_atomic_or_keys(struct qd_builder *b, const struct qd_val *key,
					 struct qd_val *out, uint32_t k, uint32_t radix_bits,
					 uint32_t bit_start, uint32_t num_bits,
					 struct qd_array bins, struct qd_array excl_prefix)
{
	build_rank(b, "qd_block_radix_rank_match_atomic_or_keys", key, out, k,
		   (uint32_t[]){ radix_bits, bit_start, num_bits }, bins, excl_prefix);
}
