/* Workarounds for driver bugs, on a legal body.
 *
 * A driver folds a float operation with a literal 0.0 operand as if x * 0 were 0 and x + 0 were
 * x. If such an operand is zero, or may become zero, its bits are combined with the argument
 * block's zero word, which the driver cannot fold.
 *
 * The same driver has no types between operations. It fails on an integer atomic on a buffer
 * whose operand is the bits of a float: it emits a float atomic, or puts the result into a float
 * register, and aborts. The zero word makes the operand an integer.
 *
 * Another driver turns the xor of a float's bits with a literal sign bit into an arithmetic
 * negation, which changes the bits of a NaN. The zero word makes the literal unknown. */
#include "rewrite.h"

static bool
is_arithmetic(enum op op)
{
	return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV || op == OP_FMA;
}

static bool
is_float(qd_type t)
{
	return type_is(t, TM_FLT);
}

/* Returns whether the driver may derive that v is a literal zero. It looks through variables,
 * unrolls loops, and tracks induction variables. */
static bool
may_become_zero(const struct rw *w, uint32_t v, uint32_t depth)
{
	const struct ins *i = &w->o.ir->ins[v];
	uint64_t magnitude = type_info[i->type].size == 8 ? ~0ull >> 1 : 0x7fffffffu;

	if (!depth)
		return true;
	switch (i->op) {
	case OP_CONST: return !(const_bits(i) & magnitude);
	case OP_GET:
	case OP_CVT: return true;
	case OP_SELECT:
		return may_become_zero(w, i->b, depth - 1) || may_become_zero(w, i->c, depth - 1);
	case OP_BITCAST:
	case OP_UNIFORM: return may_become_zero(w, i->a, depth - 1);
	default: /* a value read from another lane is as known as the lane's own */
		return op_info[i->op].expand == EXPAND_shuffle || i->op == OP_LANE_PATTERN
			       ? may_become_zero(w, i->a, depth - 1)
			       : false;
	}
}

static uint32_t
raw(struct rw *w, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	struct ins ins = { .op = (uint8_t)op, .type = (uint8_t)t, .attr = ATTR_RAW, .a = a, .b = b };

	return append_raw(&w->o, ins);
}

static uint32_t
zero_word(struct rw *w)
{
	return append(&w->o, (struct ins){ .op = OP_ARGWORD, .type = QD_TYPE_U32,
					   .x = w->p->k->tail / 4 + TAIL_ZERO });
}

/* Returns v, or v with its bits combined with a zero that is known only at run time. */
static uint32_t
hide(struct rw *w, uint32_t v)
{
	qd_type t = rw_type(w, v);
	uint32_t zero, r;
	uint64_t bits;

	if (!is_float(t) || !may_become_zero(w, v, 4))
		return v;
	zero = zero_word(w);
	if (t == QD_TYPE_F64) {
		uint32_t lo = rw_op(w, OP_LO, QD_TYPE_U32, v, 0, 0);
		uint32_t hi = rw_op(w, OP_HI, QD_TYPE_U32, v, 0, 0);

		if (rw_is_const(w, lo, &bits) && !bits)
			lo = zero;
		else
			lo = raw(w, OP_OR, QD_TYPE_U32, lo, zero);
		r = rw_op(w, OP_PAIR, t, lo, hi, 0);
	} else {
		r = zero;
		if (!rw_is_const(w, v, &bits))
			r = raw(w, OP_OR, QD_TYPE_U32, raw(w, OP_BITCAST, QD_TYPE_U32, v, 0), r);
		else if (bits)
			r = raw(w, OP_OR, QD_TYPE_U32, rw_const(w, QD_TYPE_U32, bits), r);
		r = raw(w, OP_BITCAST, t, r, 0);
	}
	return r;
}

/* Returns integer v, typed as an integer for the driver even if it is the bits of a float. */
static uint32_t
as_integer(struct rw *w, uint32_t v)
{
	const struct ins *s = &w->o.ir->ins[v];
	qd_type t = (qd_type)s->type;
	uint32_t zero;

	while (s->op == OP_UNIFORM ||
	       (s->op == OP_BITCAST && !is_float((qd_type)w->o.ir->ins[s->a].type)))
		s = &w->o.ir->ins[s->a];
	if (s->op != OP_BITCAST)
		return v;
	zero = zero_word(w);
	if (type_info[t].size == 8)
		zero = rw_op(w, OP_PAIR, t, zero, zero, 0);
	return raw(w, OP_OR, t, v, type_is(t, TM(U32)) || type_info[t].size == 8
					   ? zero : raw(w, OP_BITCAST, t, zero, 0));
}

/* Returns whether s is the xor that flips the sign of a float, or of its high word. */
static bool
changes_sign(const struct rw *w, const struct ins *s, uint64_t *bits)
{
	const struct ins *a = &w->o.ir->ins[s->a];
	bool is_float_word = (a->op == OP_BITCAST || a->op == OP_HI) && is_float((qd_type)w->o.ir->ins[a->a].type);

	return s->op == OP_XOR && is_float_word && rw_is_const(w, s->b, bits) &&
	       *bits == UINT64_C(1) << (type_bits((qd_type)s->type) - 1);
}

/* Returns the sign bit, known only at run time. */
static uint32_t
hidden_sign(struct rw *w, qd_type t)
{
	uint32_t zero = zero_word(w);
	uint32_t sign = raw(w, OP_OR, QD_TYPE_U32, zero, rw_const(w, QD_TYPE_U32, 0x80000000));

	return type_info[t].size == 8 ? rw_op(w, OP_PAIR, t, zero, sign, 0)
	       : t == QD_TYPE_U32     ? sign
				      : raw(w, OP_BITCAST, t, sign, 0);
}

/* Returns whether s is an atomic on a buffer that returns a value or computes. A plain atomic
 * store is excluded: it writes bits, whatever their type. */
static bool
computes(const struct rw *w, const struct ins *s)
{
	return op_info[s->op].effect == EFFECT_ATOMIC &&
	       (op_info[s->op].combine || s->op == OP_ATOMIC_CAS || s->op == OP_ATOMIC_EXCHANGE) &&
	       w->p->mems[s->x].space != SPACE_SHARED;
}

static void
visit(struct rw *w, uint32_t i)
{
	struct ins s = rw_draft(w, i);
	uint32_t caps = w->p->m->caps;
	uint64_t bits;

	if ((caps & CAP_HIDE_SIGN) && changes_sign(w, &s, &bits))
		s.b = hidden_sign(w, (qd_type)s.type);
	if (!(caps & CAP_HIDE_ZERO)) {
		w->map[i] = append_raw(&w->o, s);
		return;
	}
	if (is_arithmetic((enum op)s.op) && is_float((qd_type)s.type)) {
		for (uint32_t j = 0, n = op_sig((enum op)s.op)->n_opnd; j < n; j++)
			s.arg[j] = j && s.arg[j] == w->map[w->in->ins[i].arg[j - 1]]
					   ? s.arg[j - 1]
					   : hide(w, s.arg[j]);
	} else if (s.op == OP_LOAD && s.c && !s.b && is_float((qd_type)s.type)) {
		/* The zero that a failed guard returns is a literal too. */
		s.b = hide(w, rw_const(w, (qd_type)s.type, 0));
	} else if (computes(w, &s)) {
		s.b = as_integer(w, s.b);
		if (s.op == OP_ATOMIC_CAS)
			s.c = as_integer(w, s.c);
	}
	w->map[i] = append_raw(&w->o, s);
}

qd_status
pass_driver_workarounds(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used)
{
	struct rw w;

	*used = (p->m->caps & (CAP_HIDE_ZERO | CAP_HIDE_SIGN)) != 0;
	if (!*used)
		return QD_OK;
	QD_TRY(rw_begin(&w, p, in, out));
	for (uint32_t i = 1; i < in->n; i++) {
		if (in->ins[i].op == OP_CONST || op_flow[in->ins[i].op])
			rw_copy(&w, i);
		else
			visit(&w, i);
	}
	return rw_end(&w);
}
