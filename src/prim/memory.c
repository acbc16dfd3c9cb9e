/* Guards of buffer accesses, 64-bit elements and parameters as halves, elements that
 * are 16-bit floats. */
#include "prim.h"

/* Where the access may happen: its own condition, and index < length. */
static uint32_t
guarded(struct lg *l, const struct ins *s)
{
	uint32_t where = l->w.map[s->c];

	if (!(s->attr & ATTR_GUARD))
		return where;
	uint32_t len = lg_push(l, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = s->x });
	uint32_t in = lg_cmp(l, OP_LT, l->w.map[s->a], len);
	return where ? lg_bin(l, OP_AND, in, where) : in;
}

/* Such an element comes and goes as bits, on every machine the same. */
static bool
is_half(qd_type t)
{
	return t == QD_TYPE_F16 || t == QD_TYPE_BF16;
}

static bool
is_native(struct lg *l, enum op op, const struct memory *mem)
{
	qd_type t = (qd_type)mem->type;

	return lg_ask(l, &(struct query){ .op = op, .type = t, .to = t, .space = mem->space });
}

/* The access with its operands, legal but for the type of what it moves. */
static struct ins
draft(struct lg *l, const struct ins *s, uint32_t value)
{
	struct ins r = *s;

	r.attr = 0;
	r.a = l->w.map[s->a];
	r.b = value;
	r.c = guarded(l, s);
	return r;
}

void
expand_load(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const struct memory *mem = &l->p->mems[s->x];
	qd_type t = (qd_type)mem->type;
	uint32_t other = l->w.map[s->b];
	struct ins load = draft(l, s, other);
	struct pair r, else_words = { 0, 0 };

	if (is_half(t)) {
		load.type = QD_TYPE_U32;
		load.attr = ATTR_BITS;
		load.b = 0;
		uint32_t v = prim_widen_half(l, t, lg_push(l, load));
		l->w.map[i] = load.c && other ? lg_select(l, load.c, v, other) : v;
		return;
	}
	if (is_native(l, OP_LOAD, mem)) {
		l->w.map[i] = lg_push(l, load);
		return;
	}
	if (type_info[t].size != 8) {
		lg_refuse(l, OP_LOAD, t);
		return;
	}
	if (other)
		else_words = pair_split(l, other);
	load.type = QD_TYPE_U32;
	load.attr = ATTR_LO;
	load.b = else_words.lo;
	r.lo = lg_push(l, load);
	load.attr = ATTR_HI;
	load.b = else_words.hi;
	r.hi = lg_push(l, load);
	l->w.map[i] = pair_join(l, r, (qd_type)s->type);
}

void
expand_store(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const struct memory *mem = &l->p->mems[s->x];
	qd_type t = (qd_type)mem->type;
	struct ins store = draft(l, s, l->w.map[s->b]);
	struct pair v;

	if (is_half(t)) {
		store.attr = ATTR_BITS;
		store.b = prim_narrow_half(l, t, store.b);
		lg_push(l, store);
	} else if (is_native(l, OP_STORE, mem)) {
		lg_push(l, store);
	} else if (type_info[t].size == 8) {
		v = pair_split(l, store.b);
		store.attr = ATTR_LO;
		store.b = v.lo;
		lg_push(l, store);
		store.attr = ATTR_HI;
		store.b = v.hi;
		lg_push(l, store);
	} else {
		lg_refuse(l, OP_STORE, t);
	}
}

void
expand_param(struct lg *l, uint32_t i)
{
	struct ins s = l->w.in->ins[i];
	qd_type t = (qd_type)s.type;
	struct pair r;

	if (!lg_two_words(l, t)) {
		l->w.map[i] = lg_push(l, s);
		return;
	}
	s.type = QD_TYPE_U32;
	s.attr = ATTR_LO;
	r.lo = lg_push(l, s);
	s.attr = ATTR_HI;
	r.hi = lg_push(l, s);
	l->w.map[i] = pair_join(l, r, t);
}
