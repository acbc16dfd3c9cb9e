/* Memory accesses: guards of buffers, 64-bit elements and parameters as halves, 16-bit float
 * elements. In shared arrays each small element has a word of its own. */
#include "prim.h"

uint32_t
prim_length(struct lg *l, uint32_t x)
{
	const struct memory *mem = &l->p->mems[x];

	if (mem->space == SPACE_TABLE)
		return lg_const(l, QD_TYPE_U32, mem->len);
	return lg_push(l, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = x });
}

uint32_t
prim_where(struct lg *l, const struct ins *s)
{
	uint32_t where = l->w.map[s->arg[op_sig((enum op)s->op)->where]];

	if (!(s->attr & ATTR_GUARD))
		return where;
	uint32_t len = prim_length(l, s->x);
	if (fact_is_less(l, l->w.map[s->a], len, where))
		return where;
	uint32_t in = lg_cmp(l, OP_LT, l->w.map[s->a], len);
	return where ? lg_bin(l, OP_AND, in, where) : in;
}

/* Returns whether the elements are converted from and to bits here, on every machine. */
static bool
is_half(qd_type t)
{
	return t == QD_TYPE_F16 || t == QD_TYPE_BF16;
}

/* Returns the element type of memory x in the kernel. held: the element type in the legal body. */
static qd_type
element_of(const struct lg *l, uint32_t x, qd_type *held)
{
	*held = (qd_type)l->p->mems[x].type;
	return x < l->p->k->n_mems ? (qd_type)l->p->k->mems[x].type : *held;
}

/* Converts a value to an element of type t, in a word of its own. */
static uint32_t
narrowed(struct lg *l, qd_type t, uint32_t v)
{
	const uint32_t unused = 32u - 8u * type_info[t].size;

	if (is_half(t))
		return prim_narrow_half(l, t, v);
	return lg_imm(l, OP_SHR, lg_imm(l, OP_SHL, v, unused), unused);
}

bool
prim_hold_small(struct lg *l)
{
	struct pass_ctx *p = l->p;
	struct memory *mems = NULL;

	for (uint32_t x = p->k->n_params; x < p->k->n_mems; x++) {
		qd_type t = (qd_type)p->k->mems[x].type;

		if (type_info[t].size >= 4)
			continue;
		if (!mems) {
			if (!(mems = arena_alloc(p->mem, p->n_mems * sizeof *mems)))
				return false;
			memcpy(mems, p->mems, p->n_mems * sizeof *mems);
			p->mems = mems;
			p->cap_mems = p->n_mems;
		}
		mems[x].type = (uint8_t)(is_half(t) ? QD_TYPE_U32 : type_info[t].wide);
	}
	return true;
}

static bool
is_native(struct lg *l, enum op op, const struct memory *mem)
{
	qd_type t = (qd_type)mem->type;

	return lg_ask(l, &(struct query){ .op = op, .type = t, .to = t, .space = mem->space });
}

/* Returns whether the hardware checks the access's range. A load out of range then returns 0. */
static bool
checks(const struct lg *l, const struct ins *s)
{
	return l->m->caps & CAP_RANGE_CHECKED && l->p->mems[s->x].space != SPACE_SHARED;
}

static bool
is_checked(const struct lg *l, const struct ins *s, uint32_t value)
{
	return checks(l, s) && !(s->op == OP_LOAD && value);
}

/* Returns the condition of access s that the hardware does not check; 0 if the range check is the
 * whole condition. */
static uint32_t
left_to_check(const struct lg *l, const struct ins *s)
{
	uint32_t where = l->w.map[s->c];
	const struct ins *all = l->w.o.ir->ins, *in = &all[where];

	return in->op == OP_LT && in->a == l->w.map[s->a] && all[in->b].op == OP_LEN && all[in->b].x == s->x ?
		       0 :
		       where;
}

/* Returns the access with mapped operands. It is legal except for the type of the value it
 * moves. */
static struct ins
draft(struct lg *l, const struct ins *s, uint32_t value)
{
	struct ins r = *s;

	r.attr = 0;
	r.a = l->w.map[s->a];
	r.b = value;
	r.c = is_checked(l, s, value) ? left_to_check(l, s) : prim_where(l, s);
	if (s->op == OP_LOAD && s->attr & ATTR_GUARD && !checks(l, s) && r.c == l->w.map[s->c])
		r.attr = ATTR_HERE;
	return r;
}

/* Appends a legal load, or returns an equal one from an `in` buffer, which nothing writes during the
 * launch. */
static uint32_t
put_load(struct lg *l, struct ins load)
{
	uint64_t bits;

	if (l->p->mems[load.x].access != QD_ACCESS_IN || rw_is_const(&l->w, load.c, &bits))
		return lg_push(l, load);
	return append_equal(&l->w.o, load);
}

uint32_t
prim_load(struct lg *l, struct ins load)
{
	const struct memory *mem = &l->p->mems[load.x];
	qd_type held, t = element_of(l, load.x, &held);
	uint32_t other = load.b;
	struct pair r, else_words = { 0, 0 };

	load.op = OP_LOAD;
	load.type = type_info[t].wide;
	if (is_half(t)) {
		load.type = QD_TYPE_U32;
		load.attr |= held == t ? ATTR_BITS : 0;
		load.b = 0;
		uint32_t v = prim_widen_half(l, t, put_load(l, load));
		return load.c && other ? lg_select(l, load.c, v, other) : v;
	}
	if (is_native(l, OP_LOAD, mem))
		return put_load(l, load);
	if (type_info[t].size != 8)
		return lg_refuse(l, OP_LOAD, t);
	if (other)
		else_words = pair_split(l, other);
	load.type = QD_TYPE_U32;
	load.attr |= ATTR_LO;
	load.b = else_words.lo;
	r.lo = put_load(l, load);
	load.attr ^= ATTR_LO | ATTR_HI;
	load.b = else_words.hi;
	r.hi = put_load(l, load);
	return pair_join(l, r, type_info[t].wide);
}

void
expand_load(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const struct memory *mem = &l->p->mems[s->x];
	uint32_t other = l->w.map[s->b];
	uint64_t bits;

	if (mem->space == SPACE_TABLE && !l->w.map[s->c] && !lg_two_words(l, (qd_type)s->type) && rw_is_const(&l->w, l->w.map[s->a], &bits) && bits < mem->len) {
		l->w.map[i] = lg_const(l, (qd_type)s->type, ir_table_bits(mem, (uint32_t)bits));
		return;
	}
	/* A group of plain loads with one test may be longer than a vector. */
	if (l->w.map[i] || (adjacent_is_vector(l, i) && adjacent_load(l, i)) || neighbors_load(l, i) || adjacent_load(l, i))
		return;
	if (checks(l, s) && rw_is_const(&l->w, other, &bits) && !bits)
		other = 0;
	l->w.map[i] = prim_load(l, draft(l, s, other));
}

bool
prim_moves(struct lg *l, enum op op, uint32_t x)
{
	qd_type held, t = element_of(l, x, &held);

	return held != t || is_half(t) || is_native(l, op, &l->p->mems[x]);
}

void
prim_narrow_store(struct lg *l, struct ins *store)
{
	qd_type held, t = element_of(l, store->x, &held);

	store->op = OP_STORE;
	if (held != t)
		store->b = narrowed(l, t, store->b);
	else if (is_half(t))
		store->b = prim_narrow_half(l, t, store->b);
	store->attr |= held == t && is_half(t) ? ATTR_BITS : 0;
}

void
prim_store(struct lg *l, struct ins store)
{
	qd_type t = (qd_type)l->p->mems[store.x].type;
	struct pair v;

	if (prim_moves(l, OP_STORE, store.x)) {
		prim_narrow_store(l, &store);
		lg_push(l, store);
		return;
	}
	store.op = OP_STORE;
	if (type_info[t].size != 8) {
		lg_refuse(l, OP_STORE, t);
		return;
	}
	v = pair_split(l, store.b);
	store.attr = ATTR_LO;
	store.b = v.lo;
	lg_push(l, store);
	store.attr = ATTR_HI;
	store.b = v.hi;
	lg_push(l, store);
}

void
expand_store(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	if (!adjacent_store(l, i))
		prim_store(l, draft(l, s, l->w.map[s->b]));
}

uint32_t
prim_shared(struct lg *l, qd_type t, uint32_t len)
{
	struct pass_ctx *p = l->p;

	if (p->n_mems == p->cap_mems) { /* never write to the kernel's own table */
		uint32_t cap = 2 * p->cap_mems + 4;
		struct memory *mems = arena_alloc(p->mem, cap * sizeof *mems);

		if (!mems) {
			l->w.o.nomem = true;
			return 0;
		}
		if (p->n_mems)
			memcpy(mems, p->mems, p->n_mems * sizeof *mems);
		p->mems = mems;
		p->cap_mems = cap;
	}
	p->mems[p->n_mems] = (struct memory){ .type = (uint8_t)t,
						 .space = SPACE_SHARED,
						 .access = QD_ACCESS_INOUT,
						 .len = len };
	return p->n_mems++;
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
