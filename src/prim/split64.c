/* The pass for machines without 64-bit integers: every such value becomes two
 * u32, a variable two variables, an access two accesses to its halves.  It runs
 * over what lg_visit left, in which nothing 64 bits wide is more than moved,
 * loaded, stored or computed per lane. */
#include "prim.h"

struct split {
	struct lg *l;
	uint32_t *hi; /* parallel to w.map, which holds the low words */
};

static struct pair
value(const struct split *s, uint32_t old)
{
	return (struct pair){ s->l->w.map[old], s->hi[old] };
}

static void
define(struct split *s, uint32_t i, struct pair v)
{
	s->l->w.map[i] = v.lo;
	s->hi[i] = v.hi;
}

/* One half of a parameter, load or store: which is AUX_LO or AUX_HI. */
static uint32_t
half(struct split *s, const struct ins *old, uint32_t b, uint8_t which)
{
	struct rw *w = &s->l->w;
	struct ins ins = *old;

	if (ins.op != OP_STORE)
		ins.type = QD_TYPE_U32;
	ins.aux = (uint8_t)(ins.aux | which);
	if (ins.op != OP_PARAM) {
		ins.a = w->map[ins.a];
		ins.b = b;
		ins.c = w->map[ins.c];
	}
	return rw_ins(w, ins);
}

static void
halves(struct split *s, uint32_t i, const struct ins *old)
{
	struct pair b = old->op == OP_PARAM ? (struct pair){ 0, 0 } : value(s, old->b);
	struct pair r;

	r.lo = half(s, old, b.lo, AUX_LO);
	r.hi = half(s, old, b.hi, AUX_HI);
	define(s, i, r);
}

static void
convert(struct split *s, uint32_t i, const struct ins *old, qd_type from)
{
	struct lg *l = s->l;
	struct pair a = value(s, old->a);

	if (is_int64(from) && is_int64(old->type))
		define(s, i, a);
	else if (is_int64(old->type))
		define(s, i, pair_from(l, a.lo, old->type));
	else if (old->type == QD_TYPE_F32)
		l->w.map[i] = pair_to_f32(l, a, from);
	else
		l->w.map[i] = lg_bits(l, old->type, a.lo);
}

static void
split_one(struct split *s, uint32_t i, const struct ins *old, qd_type from)
{
	struct lg *l = s->l;
	struct rw *w = &l->w;
	struct pair a = { 0, 0 }, b = { 0, 0 }, r;

	switch (old->op) {
	case OP_CONST:
		define(s, i, (struct pair){ lg_u32(l, old->a), lg_u32(l, old->b) });
		return;
	case OP_PARAM: case OP_LOAD: case OP_STORE:
		halves(s, i, old);
		return;
	case OP_VAR:
		a = value(s, old->a);
		r.lo = rw_var(w, a.lo);
		r.hi = rw_var(w, a.hi);
		break;
	case OP_GET:
		a = value(s, old->a);
		r.lo = rw_get(w, a.lo);
		r.hi = rw_get(w, a.hi);
		break;
	case OP_SET:
		a = value(s, old->a);
		b = value(s, old->b);
		rw_set(w, a.lo, b.lo);
		rw_set(w, a.hi, b.hi);
		return;
	case OP_SHUFFLE: case OP_SHUFFLE_XOR: case OP_BROADCAST:
		a = value(s, old->a);
		r.lo = prim_move(l, (enum op)old->op, a.lo, w->map[old->b]);
		r.hi = prim_move(l, (enum op)old->op, a.hi, w->map[old->b]);
		break;
	case OP_SELECT:
		a = value(s, old->b);
		b = value(s, old->c);
		r.lo = lg_select(l, w->map[old->a], a.lo, b.lo);
		r.hi = lg_select(l, w->map[old->a], a.hi, b.hi);
		break;
	case OP_CVT:
		convert(s, i, old, from);
		return;
	case OP_BITCAST:
		r = value(s, old->a);
		break;
	default:
		a = value(s, old->a);
		if (op_info[old->op].n_args > 1)
			b = value(s, old->b);
		r = pair_op(l, (enum op)old->op, from, a, b);
		break;
	}
	define(s, i, r);
}

qd_status
prim_split64(struct lg *l, const struct ir *in, struct ir *out)
{
	struct split s = { .l = l };

	QD_TRY(rw_begin(&l->w, l->p, in, out));
	l->two_words = false;
	l->lane = l->thread = 0;
	s.hi = arena_zalloc(l->p->mem, in->n * sizeof *s.hi);
	if (!s.hi)
		return qd_fail(l->p->err, QD_E_NOMEM, "out of memory");
	for (uint32_t i = 1; i < in->n && !lg_failed(l); i++) {
		const struct ins *old = &in->ins[i];
		uint32_t operands = ir_value_operands(old);
		qd_type from = operands & 1 ? in->ins[old->a].type : QD_TYPE_NONE;
		bool wide = is_int64(old->type) || is_int64(from);

		l->at = i;
		l->w.pos = in->pos[i];
		if (old->op == OP_STORE)
			wide = is_int64(in->ins[old->b].type);
		if (old->op == OP_CONST && !wide)
			l->w.map[i] = lg_const(l, old->type, const_bits(old));
		else if (wide)
			split_one(&s, i, old, from);
		else
			rw_copy(&l->w, i);
	}
	if (l->st)
		return l->st;
	return rw_end(&l->w);
}
