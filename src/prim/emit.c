/* One arithmetic operation, made legal: what the machine has is appended with
 * its operands made safe, the rest is taken apart.  Constants that expansions
 * bring in are folded on the way, so an expansion is written without care for
 * its special cases.  Float arithmetic is never folded here. */
#include "prim.h"

/* Type that `native` is asked about and op.def's expressions work in. */
static qd_type
leading(const struct lg *l, enum op op, qd_type type, uint32_t a)
{
	switch (op_info[op].sig) {
	case SIG_CMP: case SIG_COUNT: case SIG_CVT: case SIG_BITCAST:
		return lg_type(l, a);
	default:
		return type;
	}
}

static uint64_t
all_ones(qd_type t)
{
	return t == QD_TYPE_BOOL ? 1 : type_info[t].size == 8 ? ~0ull : 0xffffffffu;
}

/* A value that is there already, or a constant; 0 where there is neither. */
static uint32_t
simplify(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	qd_type t = leading(l, op, type, a);
	uint64_t x, y = 0, z = 0;
	bool kx = rw_is_const(&l->w, a, &x), ky;

	if (op == OP_SELECT)
		return b == c ? b : kx ? (x ? b : c) : 0;
	if (op == OP_BITCAST) {
		if (t == type)
			return a;
		return kx ? lg_const(l, type, x) : 0;
	}
	if (is_float(t) || is_float(type))
		return 0;
	if (op_info[op].n_args == 1) /* of integers alone, none takes three */
		return kx ? lg_const(l, type, ir_eval(op, t, type, x, 0, 0)) : 0;
	ky = rw_is_const(&l->w, b, &y);
	if (kx && ky)
		return lg_const(l, type, ir_eval(op, t, type, x, y, z));
	switch (ir_known(op, t, a == b, kx ? &x : NULL, ky ? &y : NULL)) {
	case KNOWN_A: return a;
	case KNOWN_B: return b;
	case KNOWN_ZERO: return lg_const(l, type, 0);
	case KNOWN_ONE: return lg_const(l, type, 1);
	case KNOWN_NOT: break;
	}
	return 0;
}

static uint32_t
push_alu(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c, uint8_t aux)
{
	return rw_ins(&l->w, (struct ins){ .op = (uint16_t)op, .type = (uint8_t)type, .aux = aux,
					   .a = a, .b = b, .c = c });
}

uint32_t
lg_raw(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	qd_type t = leading(l, op, type, a);

	if (QD_UNLIKELY(!lg_native(l, op, t, 0) ||
			(op == OP_CVT && !lg_native(l, op, type, 0))))
		return lg_refuse(l, op, t);
	return push_alu(l, op, type, a, b, c, AUX_RAW);
}

/* On 32-bit integers and bools; what remains of the other types. */
static uint32_t
expand(struct lg *l, enum op op, qd_type type, qd_type t, uint32_t a, uint32_t b, uint32_t c)
{
	bool flt = is_float(t);

	switch (op) {
	case OP_MIN: case OP_MAX:
		if (flt)
			return prim_float_minmax(l, op, t, a, b);
		return op == OP_MIN ? lg_select(l, lg_cmp(l, OP_LT, a, b), a, b)
				    : lg_select(l, lg_cmp(l, OP_LT, a, b), b, a);
	case OP_NEG:
		if (flt)
			return prim_sign(l, op, t, a);
		return lg_bin(l, OP_SUB, lg_const(l, t, 0), a);
	case OP_ABS:
		if (flt)
			return prim_sign(l, op, t, a);
		if (!type_info[t].is_signed)
			return a;
		return lg_select(l, lg_cmp_imm(l, OP_LT, a, 0), lg_un(l, OP_NEG, a), a);
	case OP_TRUNC: case OP_ROUND:
		return prim_integral(l, op, t, a);
	case OP_MULHI:
		return prim_mulhi(l, t, a, b);
	case OP_POPCOUNT: case OP_CLZ: case OP_FFS: case OP_BREV:
		return prim_count(l, op, t, a);
	case OP_NOT:
		return lg_imm(l, OP_XOR, a, all_ones(t));
	case OP_EQ:
		return t == QD_TYPE_BOOL ? lg_un(l, OP_NOT, lg_bin(l, OP_XOR, a, b))
					 : lg_refuse(l, op, t);
	case OP_NE:
		return t == QD_TYPE_BOOL ? lg_bin(l, OP_XOR, a, b) : lg_refuse(l, op, t);
	case OP_SELECT:
		if (type != QD_TYPE_BOOL)
			return lg_refuse(l, op, t);
		return lg_bin(l, OP_OR, lg_bin(l, OP_AND, a, b),
			      lg_bin(l, OP_AND, lg_un(l, OP_NOT, a), c));
	default:
		return lg_refuse(l, op, t);
	}
}

/* Where a driver that takes x * 0 for 0 would do its mischief. */
static bool
is_arithmetic(enum op op)
{
	return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV || op == OP_FMA;
}

uint32_t
lg_legal(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	qd_type t = leading(l, op, type, a);

	if (QD_UNLIKELY(lg_failed(l)))
		return 0;
	if (l->two_words && (is_int64(t) || is_int64(type))) {
		if (QD_UNLIKELY(t == QD_TYPE_F64 || type == QD_TYPE_F64))
			return lg_lacks(l, op, "64-bit integers");
		l->saw_64 = true;
		return push_alu(l, op, type, a, b, c, 0);
	}
	if ((l->m->caps & CAP_HIDE_ZERO) && is_float(t) && is_arithmetic(op)) {
		a = prim_hide_zero(l, a);
		b = prim_hide_zero(l, b);
		c = prim_hide_zero(l, c);
	}
	switch (op) {
	case OP_DIV: case OP_REM:
		if (!is_float(t))
			return prim_divide(l, op, t, a, b);
		break;
	case OP_SHL: case OP_SHR:
		b = prim_shift_count(l, b, type_bits(t));
		break;
	case OP_CVT:
		return prim_convert(l, type, a);
	case OP_BITCAST:
		if (t == type)
			return a;
		break;
	default:
		break;
	}
	if (QD_LIKELY(lg_native(l, op, t, 0)))
		return push_alu(l, op, type, a, b, c, AUX_RAW);
	return expand(l, op, type, t, a, b, c);
}

uint32_t
lg_op(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t v = lg_failed(l) ? 0 : simplify(l, op, type, a, b, c);

	return v ? v : lg_legal(l, op, type, a, b, c);
}

/* Keeps v for what follows if all of it may use v. */
static uint32_t
keep(struct lg *l, uint32_t *slot, uint32_t v)
{
	if (!l->w.n_open)
		*slot = v;
	return v;
}

uint32_t
lg_lane(struct lg *l)
{
	if (l->lane)
		return l->lane;
	uint32_t v = rw_op(&l->w, OP_LANE, QD_TYPE_I32, 0, 0, 0);
	return keep(l, &l->lane, lg_bits(l, QD_TYPE_U32, v));
}

uint32_t
lg_thread(struct lg *l)
{
	if (l->thread)
		return l->thread;
	uint32_t v = rw_op(&l->w, OP_THREAD_IDX, QD_TYPE_I32, 0, 0, 0);
	return keep(l, &l->thread, lg_bits(l, QD_TYPE_U32, v));
}
