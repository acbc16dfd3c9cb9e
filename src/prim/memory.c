/* Guards of buffer accesses, elements that are 16-bit floats, and the index of
 * the grid loop. */
#include "prim.h"

/* Where the access may happen: its own condition, and index < length. */
static uint32_t
guarded(struct lg *l, const struct ins *s)
{
	uint32_t where = l->w.map[s->c];

	if (!(s->aux & AUX_GUARD))
		return where;
	uint32_t len = rw_ins(&l->w, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = s->x });
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
is_native(struct lg *l, enum op op, qd_type t)
{
	if (is_int64(t) && l->two_words) {
		l->saw_64 = true;
		return true;
	}
	if (lg_native(l, op, t, 0))
		return true;
	lg_refuse(l, op, t);
	return false;
}

void
prim_load(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	qd_type t = l->p->k->params[s->x].type;

	uint32_t where = guarded(l, s), other = l->w.map[s->b];
	struct ins load = *s;

	load.aux = 0;
	load.a = l->w.map[s->a];
	load.b = other;
	load.c = where;
	if (is_half(t)) {
		load.type = QD_TYPE_U32;
		load.aux = AUX_RAW_BITS;
		load.b = 0;
		uint32_t v = prim_widen_half(l, t, rw_ins(&l->w, load));
		l->w.map[i] = where && other ? lg_select(l, where, v, other) : v;
		return;
	}
	/* The zero of a failed guard is a literal too. */
	if ((l->m->caps & CAP_HIDE_ZERO) && where && !other && is_float(t) &&
	    !(t == QD_TYPE_F64 && l->two_words))
		load.b = prim_hide_zero(l, lg_const(l, t, 0));
	if (is_native(l, OP_LOAD, t))
		l->w.map[i] = rw_ins(&l->w, load);
}

void
prim_store(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	qd_type t = l->p->k->params[s->x].type;
	struct ins store = *s;

	store.aux = 0;
	store.a = l->w.map[s->a];
	store.b = l->w.map[s->b];
	store.c = guarded(l, s);
	if (is_half(t)) {
		store.aux = AUX_RAW_BITS;
		store.b = prim_narrow_half(l, t, store.b);
	} else if (!is_native(l, OP_STORE, t)) {
		return;
	}
	rw_ins(&l->w, store);
}

uint32_t
prim_grid(struct lg *l, qd_type t)
{
	qd_type u = type_unsigned(t);
	uint32_t block = rw_op(&l->w, OP_BLOCK_IDX, QD_TYPE_U32, 0, 0, 0);
	uint32_t first = lg_imm(l, OP_MUL, lg_cast(l, u, block), l->p->k->block_dim);

	return lg_bits(l, t, lg_bin(l, OP_ADD, first, lg_cast(l, u, lg_thread(l))));
}
