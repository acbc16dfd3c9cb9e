/* Legalizes one arithmetic operation. An operation that the machine has is appended, with its
 * operands made safe; others are expanded. The operations of an expansion are folded, so an
 * expansion needs no code for its special cases. */
#include "prim.h"

/* Returns the type that identifies the operation for the machine and in op.def. */
static qd_type
leading(const struct lg *l, enum op op, qd_type type, const uint32_t *arg)
{
	int lead = op_sig(op)->lead;

	return lead < 0 ? type : lg_type(l, arg[lead]);
}

static uint64_t
all_ones(qd_type t)
{
	return t == QD_TYPE_BOOL ? 1 : type_info[t].size == 8 ? ~0ull : 0xffffffffu;
}

static bool
is_words(const struct machine *m, qd_type t)
{
	return is_int64(t) && !(m->caps & CAP_I64);
}

static bool
ask(const struct machine *m, struct answers *a, const struct query *q)
{
	bool yes = !is_words(m, q->type) && !is_words(m, q->to) && machine_has(m, q);

	if (q->type == q->to) {
		a->asked[q->op] |= (uint16_t)(1u << q->type);
		a->said[q->op] |= (uint16_t)(yes << q->type);
	}
	return yes;
}

bool
lg_ask(struct lg *l, const struct query *q)
{
	return ask(l->m, &l->answers, q);
}

void
machine_ask(const struct machine *m, struct answers *out)
{
	memset(out, 0, sizeof *out);
	for (uint32_t op = 0; op < N_OP; op++)
		for (qd_type t = QD_TYPE_NONE; op_info[op].is_alu && t < N_TYPE; t++)
			if (type_is(t, op_info[op].types))
				ask(m, out, &(struct query){ .op = (enum op)op, .type = t, .to = t });
}

static uint32_t
push_alu(struct lg *l, enum op op, qd_type type, const uint32_t *arg)
{
	struct ins ins = { .op = (uint8_t)op, .type = (uint8_t)type, .attr = ATTR_RAW };

	ins.a = arg[0];
	ins.b = arg[1];
	ins.c = arg[2];
	return append_equal(&l->w.o, ins);
}

uint32_t
lg_raw(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t arg[3] = { a, b, c };
	qd_type t = leading(l, op, type, arg);

	if (QD_UNLIKELY(op != OP_CVT && !lg_native(l, op, t)))
		return lg_refuse(l, op, t);
	return push_alu(l, op, type, arg);
}

/* -- Values of two words, or wider than the machine's operation --------------------- */

static uint32_t
select_words(struct lg *l, qd_type type, const uint32_t *arg)
{
	struct pair b = pair_split(l, arg[1]), c = pair_split(l, arg[2]);

	b.lo = lg_select(l, arg[0], b.lo, c.lo);
	b.hi = lg_select(l, arg[0], b.hi, c.hi);
	return pair_join(l, b, type);
}

static uint32_t
on_words(struct lg *l, enum op op, qd_type type, qd_type t, const uint32_t *arg)
{
	struct pair b = { 0, 0 }, r;

	if (op == OP_SELECT)
		return select_words(l, type, arg);
	if (op_info[op].sig == SIG_SHIFT)
		b.lo = arg[1];
	else if (op_sig(op)->n_opnd > 1)
		b = pair_split(l, arg[1]);
	r = pair_op(l, op, t, pair_split(l, arg[0]), b);
	return is_int64(type) ? pair_join(l, r, type) : r.lo;
}

/* -- Operations that the machine lacks --------------------------------------------- */

typedef uint32_t expand_fn(struct lg *l, enum op op, qd_type t, const uint32_t *arg);

static uint32_t
less_of(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	uint32_t a = arg[0], b = arg[1];

	if (is_float(t))
		return prim_float_minmax(l, op, t, a, b);
	return op == OP_MIN ? lg_select(l, lg_cmp(l, OP_LT, a, b), a, b)
			    : lg_select(l, lg_cmp(l, OP_LT, a, b), b, a);
}

static uint32_t
sign(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	uint32_t a = arg[0], negative;

	if (is_float(t))
		return prim_sign(l, op, t, a);
	if (op == OP_NEG)
		return lg_bin(l, OP_SUB, lg_const(l, t, 0), a);
	if (!type_info[t].is_signed)
		return a;
	negative = lg_cmp_imm(l, OP_LT, a, 0);
	return lg_select(l, negative, lg_un(l, OP_NEG, a), a);
}

static uint32_t
integral(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	return prim_integral(l, op, t, arg[0]);
}

static uint32_t
high_product(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	(void)op;
	return prim_mulhi(l, t, arg[0], arg[1]);
}

static uint32_t
count(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	return prim_count(l, op, t, arg[0]);
}

static uint32_t
complement(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	(void)op;
	return lg_imm(l, OP_XOR, arg[0], all_ones(t));
}

static uint32_t
approximate(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	uint32_t a = arg[0], b = arg[1];

	if (t == QD_TYPE_F64 || !(l->m->caps & CAP_F64))
		return prim_approximate(l, op, t, a, b);
	/* f32 is computed in f64. */
	a = lg_cast(l, QD_TYPE_F64, a);
	b = b ? lg_cast(l, QD_TYPE_F64, b) : 0;
	return lg_cast(l, QD_TYPE_F32, prim_approximate(l, op, QD_TYPE_F64, a, b));
}

/* Lowers eq and ne of bools. */
static uint32_t
equal(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	uint32_t differ;

	if (t != QD_TYPE_BOOL)
		return lg_refuse(l, op, t);
	differ = lg_bin(l, OP_XOR, arg[0], arg[1]);
	return op == OP_NE ? differ : lg_un(l, OP_NOT, differ);
}

static uint32_t
choice(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	uint32_t yes, no;

	if (t != QD_TYPE_BOOL)
		return lg_refuse(l, op, t);
	yes = lg_bin(l, OP_AND, arg[0], arg[1]);
	no = lg_bin(l, OP_AND, lg_un(l, OP_NOT, arg[0]), arg[2]);
	return lg_bin(l, OP_OR, yes, no);
}

static uint32_t
half(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	(void)t;
	return prim_convert_half(l, op, arg[0]);
}

static uint32_t
permutation(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	(void)op, (void)t;
	return prim_byte_permute(l, arg[0], arg[1], arg[2]);
}

static uint32_t
dot_product(struct lg *l, enum op op, qd_type t, const uint32_t *arg)
{
	(void)t;
	return prim_dot4(l, op, arg[0], arg[1], arg[2]);
}

/* Expansions to other operations, on types that the machine has. */
static expand_fn *const expansions[N_OP] = {
	[OP_MIN] = less_of,	  [OP_MAX] = less_of,	  [OP_NEG] = sign,
	[OP_ABS] = sign,	  [OP_TRUNC] = integral,  [OP_ROUND] = integral,
	[OP_FLOOR] = integral,	  [OP_CEIL] = integral,
	[OP_MULHI] = high_product, [OP_POPCOUNT] = count, [OP_CLZ] = count,
	[OP_FFS] = count,	  [OP_BREV] = count,	  [OP_NOT] = complement,
	[OP_EQ] = equal,	  [OP_NE] = equal,	  [OP_SELECT] = choice,
	[OP_EXP] = approximate,	  [OP_LOG] = approximate, [OP_SIN] = approximate,
	[OP_COS] = approximate,	  [OP_POW] = approximate, [OP_WIDEN_F16] = half,
	[OP_NARROW_F16] = half,	  [OP_NARROW_BF16] = half, [OP_BYTE_PERMUTE] = permutation,
	[OP_DOT4_I8] = dot_product, [OP_DOT4_U8] = dot_product, [OP_DOT4_I8U8] = dot_product,
};

/* Operations that lower_int64.c implements. */
static const bool by_words[N_OP] = {
	[OP_ADD] = true, [OP_SUB] = true,      [OP_MUL] = true, [OP_MULHI] = true, [OP_DIV] = true,
	[OP_REM] = true, [OP_MIN] = true,      [OP_MAX] = true, [OP_NEG] = true,   [OP_ABS] = true,
	[OP_AND] = true, [OP_OR] = true,       [OP_XOR] = true, [OP_NOT] = true,   [OP_SHL] = true,
	[OP_SHR] = true, [OP_POPCOUNT] = true, [OP_CLZ] = true, [OP_FFS] = true,   [OP_BREV] = true,
	[OP_EQ] = true,	 [OP_NE] = true,       [OP_LT] = true,  [OP_LE] = true,    [OP_SELECT] = true,
};

/* Returns whether a 64-bit integer operation is lowered word by word rather than by its
 * expansion: if the value is two words anyway, or if the expansion does not support its width. */
static bool
wants_words(const struct lg *l, enum op op, qd_type t)
{
	expand_fn *by = expansions[op];

	return is_int64(t) && by_words[op] &&
	       (lg_two_words(l, t) ||
		(by != less_of && by != sign && by != complement));
}

/* -- One operation ------------------------------------------------------------------------ */

/* Returns the same bits as another type. */
static uint32_t
same_bits(struct lg *l, qd_type to, qd_type from, uint32_t v)
{
	const struct ins *s = &l->w.o.ir->ins[v];
	uint32_t arg[3] = { v, 0, 0 };

	if (from == to)
		return v;
	if (s->op == OP_BITCAST && lg_type(l, s->a) == to)
		return s->a;
	if (lg_two_words(l, from) || lg_two_words(l, to))
		return pair_join(l, pair_split(l, v), to);
	return lg_native(l, OP_BITCAST, from) ? push_alu(l, OP_BITCAST, to, arg)
					      : lg_refuse(l, OP_BITCAST, from);
}

uint32_t
lg_legal(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t arg[3] = { a, b, c }, v;
	bool total = true;
	qd_type t;

	if (QD_UNLIKELY(lg_failed(l)))
		return 0;
	t = leading(l, op, type, arg);
	switch (op) {
	case OP_DIV: case OP_REM:
		if (!is_float(t) && !lg_two_words(l, t))
			return prim_divide(l, op, t, a, b);
		break;
	case OP_MUL:
		total = is_float(t);
		if (!total && (v = prim_multiply(l, t, a, b)) != 0)
			return v;
		break;
	case OP_SHL: case OP_SHR:
		total = false;
		if (!lg_two_words(l, t))
			arg[1] = prim_shift_count(l, b, type_bits(t));
		break;
	case OP_OR: case OP_XOR:
		total = !lg_native(l, OP_FUNNEL_RIGHT, QD_TYPE_U32);
		if (!total && (v = prim_peephole(l, op, t, a, b)) != 0)
			return v;
		break;
	case OP_FUNNEL_LEFT: case OP_FUNNEL_RIGHT:
		return prim_funnel(l, op, a, b, c);
	case OP_CVT:
		return prim_convert(l, type, a);
	case OP_BITCAST:
		return same_bits(l, type, t, a);
	case OP_LO: case OP_HI: case OP_PAIR:
		return push_alu(l, op, type, arg);
	default:
		break;
	}
	if (QD_LIKELY(lg_native(l, op, t))) {
		l->total[op] |= (uint16_t)(total << t);
		return push_alu(l, op, type, arg);
	}
	if (wants_words(l, op, t))
		return on_words(l, op, type, t, arg);
	if (expansions[op])
		return expansions[op](l, op, t, arg);
	return lg_refuse(l, op, t);
}

uint32_t
lg_op(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c)
{
	struct ins ins = { .op = (uint8_t)op, .type = (uint8_t)type, .a = a, .b = b, .c = c };
	uint32_t v = lg_failed(l) ? 0 : simplify(&l->w.o, &ins);

	return v ? v : lg_legal(l, (enum op)ins.op, type, ins.a, ins.b, ins.c);
}

void
expand_alu(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const uint32_t *map = l->w.map;

	/* The operation was simplified when it was appended to the input, but the lowered form of
	 * a vote is known only now. */
	if (s->op == OP_NE) {
		l->w.map[i] = lg_op(l, OP_NE, QD_TYPE_BOOL, map[s->a], map[s->b], 0);
		return;
	}
	l->w.map[i] = lg_legal(l, (enum op)s->op, (qd_type)s->type, map[s->a], map[s->b],
			       map[s->c]);
}

uint32_t
lg_hw_lane(struct lg *l)
{
	return lg_push_op(l, OP_LANE, QD_TYPE_U32, 0, 0);
}

/* Returns the lane in the subgroup: from the thread index if a subgroup spans several hardware
 * subgroups, from the hardware lane if it is a part of one. */
uint32_t
lg_lane(struct lg *l)
{
	uint32_t mask = l->m->subgroup_size - 1;

	if (machine_gathers(l->m))
		return lg_imm(l, OP_AND, lg_thread(l), mask);
	return machine_splits(l->m) ? lg_imm(l, OP_AND, lg_hw_lane(l), mask) : lg_hw_lane(l);
}

uint32_t
lg_thread(struct lg *l)
{
	return lg_push_op(l, OP_THREAD_IDX, QD_TYPE_U32, 0, 0);
}
