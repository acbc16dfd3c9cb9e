/* Workarounds for drivers that implement an operation incorrectly. */
#include "t_pass.h"

/* Returns true if v is the bits of a float combined with the zero word of the argument block. */
static bool
is_made_integer(const struct ir *ir, uint32_t v)
{
	const struct ins *s = &ir->ins[v], *zero = &ir->ins[s->b];

	while (zero->op == OP_BITCAST || zero->op == OP_PAIR)
		zero = &ir->ins[zero->a];
	return s->op == OP_OR && ir->ins[s->a].op == OP_BITCAST && zero->op == OP_ARGWORD;
}

static void
on_buffers(struct unit_ctx *t, qd_type type, qd_type of)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_array a = qd_param_buffer(b, "a", type, QD_ACCESS_INOUT);
	struct qd_array s = qd_shared(b, "s", type, 8);
	struct qd_val i = thread(b), x = qd_cast(b, of, qd_load(b, f.src, i));
	struct qd_val bits = qd_bitcast(b, type, qd_add(b, x, x));
	struct ir in, out;
	bool used = false;

	f.m.caps |= CAP_ATOMIC64;
	f.m.max_shared = 1 << 14;
	qd_store(b, s, i, bits);
	qd_atomic_add(b, a, i, bits, QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	qd_atomic_cas(b, a, i, bits, bits, QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	qd_atomic_or(b, a, i, qd_not(b, bits), QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	qd_atomic_exchange(b, a, i, bits, QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	qd_atomic_add(b, s, i, bits, QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &in), "%s", f.err.text);
		UNIT_CHECK(t, !pass_driver_workarounds(&f.p, &in, &out, &used) && !used,
			   "nobody asked");
		f.m.caps |= CAP_HIDE_ZERO;
		UNIT_CHECK(t, !pass_driver_workarounds(&f.p, &in, &out, &used) && used, "%s",
			   f.err.text);
		UNIT_CHECK(t, fx_right(&f, &out), "the result is wrong");

		const struct ins *add = &out.ins[fx_find(&out, OP_ATOMIC_ADD, 0)];
		const struct ins *shared = &out.ins[fx_find(&out, OP_ATOMIC_ADD, 1)];
		const struct ins *cas = &out.ins[fx_find(&out, OP_ATOMIC_CAS, 0)];
		const struct ins *mask = &out.ins[fx_find(&out, OP_ATOMIC_OR, 0)];
		const struct ins *set = &out.ins[fx_find(&out, OP_ATOMIC_EXCHANGE, 0)];

		UNIT_CHECK(t, is_made_integer(&out, add->b), "what is added");
		UNIT_CHECK(t, is_made_integer(&out, cas->b), "what is expected");
		UNIT_CHECK(t, is_made_integer(&out, cas->c), "what it becomes");
		UNIT_CHECK(t, out.ins[mask->b].op == OP_NOT, "the result of an integer operation");
		UNIT_CHECK(t, is_made_integer(&out, set->b), "the replacement value");
		UNIT_CHECK(t, out.ins[shared->b].op == OP_BITCAST, "a shared array");
	}
	fx_stop(&f);
}

void
t_quirk_atomics(struct unit_ctx *t)
{
	on_buffers(t, QD_TYPE_U32, QD_TYPE_F32);
	on_buffers(t, QD_TYPE_I32, QD_TYPE_F32);
	on_buffers(t, QD_TYPE_U64, QD_TYPE_F64);
	on_buffers(t, QD_TYPE_I64, QD_TYPE_F64);
}

/* Checks a negation by an integer xor. The sign bit must not be a literal if the driver would turn
 * that into a float negation. */
static void
negated(struct unit_ctx *t, qd_type type, qd_type bits)
{
	uint64_t top = UINT64_C(1) << (type == QD_TYPE_F64 ? 63 : 31);
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_array out_buffer = qd_param_buffer(b, "o", bits, QD_ACCESS_OUT);
	struct qd_val i = thread(b), x = qd_bitcast(b, bits, qd_cast(b, type, qd_load(b, f.src, i)));
	struct ir in, out;
	bool used = false;

	qd_store(b, out_buffer, i, qd_xor(b, x, qd_const_bits(b, bits, top)));
	qd_store(b, out_buffer, i, qd_xor(b, x, qd_const_bits(b, bits, top | 1)));
	qd_store(b, out_buffer, i, qd_and(b, x, qd_const_bits(b, bits, top - 1)));
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !fx_fold(&f, &f.k->ir, &in), "%s", f.err.text);
		f.m.caps |= CAP_HIDE_SIGN;
		UNIT_CHECK(t, !pass_driver_workarounds(&f.p, &in, &out, &used) && used, "%s",
			   f.err.text);
		UNIT_CHECK(t, fx_right(&f, &out), "the result is wrong");

		uint32_t sign = out.ins[fx_find(&out, OP_XOR, 0)].b, other = out.ins[fx_find(&out, OP_XOR, 1)].b;

		while (out.ins[sign].op == OP_BITCAST)
			sign = out.ins[sign].a;
		if (out.ins[sign].op == OP_PAIR)
			sign = out.ins[sign].b;
		UNIT_CHECK(t, out.ins[sign].op == OP_OR && out.ins[out.ins[sign].a].op == OP_ARGWORD, "a literal sign");
		UNIT_CHECK(t, out.ins[other].op == OP_CONST, "other bits are hidden");
		UNIT_CHECK(t, out.ins[out.ins[fx_find(&out, OP_AND, 0)].b].op == OP_CONST, "a mask is hidden");
	}
	fx_stop(&f);
}

void
t_quirk_sign(struct unit_ctx *t)
{
	negated(t, QD_TYPE_F32, QD_TYPE_U32);
	negated(t, QD_TYPE_F32, QD_TYPE_I32);
	negated(t, QD_TYPE_F64, QD_TYPE_U64);
	negated(t, QD_TYPE_F64, QD_TYPE_I64);
}
