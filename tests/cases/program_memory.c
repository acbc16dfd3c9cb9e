/* Generation of shared arrays, atomics, fences and barriers.
 *
 * Programs have no races by construction. Each thread owns elements of a shared array. It
 * accesses others only between two barriers, between which all threads follow one rule. No
 * jump leaves that region. If several threads update one element between barriers, or in the
 * whole launch, they use one commutative atomic and ignore its result. */
#include <string.h>

#include "program_gen.h"

enum { MAX_BYTES = 12 << 10 /* bytes of shared arrays; every device has 16 KiB */ };

const struct shared *
program_shared(const struct program *p, const struct function *f, uint32_t id)
{
	return id == SHARED_LOCAL ? &f->local : &p->shared[id];
}

static const struct shared *
array_at(const struct gen *g, uint32_t id)
{
	return program_shared(g->p, g->f, id);
}

/* Narrow elements occupy a word each. */
uint32_t
memory_bytes(const struct program *p, const struct shared *a)
{
	return p->block_dim * a->own * (ref_width(shared_value(a)) / 8);
}

bool
memory_fits(const struct gen *g, const struct function *fn)
{
	const struct mode *m = fn->shared ? &g->mode[fn->shared - 1] : NULL;

	if (fn->syncs && !gen_whole(g))
		return false;
	if (fn->wants_all && gen_inside(g, LV_GRID) && program_has(g->p, HAS_GRID_TAIL))
		return false;
	/* An array of any size cannot be passed to a parameter with a size. */
	if (fn->shared && !fn->shared_any && g->f->shared_any)
		return false;
	if (g->f->shared_bytes + fn->shared_bytes * g->inlined > MAX_BYTES)
		return false;
	return !m || m->kind == (fn->shared_reads ? MODE_READ : MODE_OWN);
}

/* -- Arrays ---------------------------------------------------------------------------- */

static struct shared
any_array(struct gen *g)
{
	static const uint8_t types[] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32, QD_TYPE_U32,
					 QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_I8,	QD_TYPE_U8,
					 QD_TYPE_I16, QD_TYPE_U16, QD_TYPE_BF16 };
	struct shared a = { .own = 1u << gen_upto(g, 3), .flat = gen_one_in(g, 2) };

	a.type = (qd_type)types[gen_upto(g, gen_one_in(g, 3) ? sizeof types : 4)];
	if (g->p->has_f64 && gen_one_in(g, 3))
		a.type = QD_TYPE_F64;
	return a;
}

static void
note_array(struct gen *g, const struct shared *a)
{
	gen_has(g, HAS_SHARED);
	if (!a->flat)
		gen_has(g, HAS_SHARED_TWO);
	if (ref_width(shared_value(a)) == 64)
		gen_has(g, HAS_SHARED_WIDE);
	if (ref_is_float(shared_value(a)))
		gen_has(g, HAS_SHARED_FLOAT);
	if (shared_value(a) != a->type)
		gen_has(g, HAS_SHARED_SMALL);
}

void
memory_choose(struct gen *g)
{
	struct program *p = g->p;

	p->n_shared = gen_one_in(g, 4) ? 0 : 1 + gen_upto(g, N_SHARED);
	for (uint32_t i = 0; i < p->n_shared; i++) {
		p->shared[i] = any_array(g);
		note_array(g, &p->shared[i]);
	}
}

void
memory_forget(struct gen *g)
{
	memset(g->mode, 0, sizeof g->mode);
}

void
memory_declare(struct gen *g, struct stmts *l, uint32_t id)
{
	struct stmt *s = stmts_add(g, l, S_SHARED);

	if (id == SHARED_LOCAL) {
		g->f->has_local = true;
		g->f->wants_all = g->f->syncs;
		g->f->local = any_array(g);
		g->f->local.own = 1;
		note_array(g, &g->f->local);
	}
	s->id[0] = (uint16_t)id;
	s->e[0] = x_varies(g, gen_value(g, shared_value(array_at(g, id)), 0));
	g->mode[id] = (struct mode){ .kind = MODE_OWN };
	g->f->shared_bytes += memory_bytes(g->p, array_at(g, id)) * g->inlined;
}

/* -- Accessible elements ---------------------------------------------------------------- */

static struct expr *
own_thread(struct gen *g)
{
	return x_cast(g, QD_TYPE_U32, x_place(g, P_THREAD));
}

static struct expr *
modulo(struct gen *g, struct expr *x, uint32_t n)
{
	return x_binary(g, REF_OP_REM, x, x_literal(g, QD_TYPE_U32, n));
}

/* Returns the thread whose element is accessed. */
static struct expr *
any_thread(struct gen *g, const struct mode *m, uint32_t depth)
{
	uint32_t dim = g->p->block_dim;
	struct expr *x;

	switch ((enum mode_kind)m->kind) {
	case MODE_TURNED:
		if (m->turn == dim)
			return x_binary(g, REF_OP_SUB,
					x_binary(g, REF_OP_SUB, x_place(g, P_BLOCK_DIM),
						 x_literal(g, QD_TYPE_U32, 1)),
					own_thread(g));
		x = x_binary(g, REF_OP_ADD, own_thread(g), x_literal(g, QD_TYPE_U32, m->turn));
		return modulo(g, x, dim);
	case MODE_READ:
	case MODE_ATOMIC: return modulo(g, gen_expr(g, QD_TYPE_U32, depth, 0), dim);
	case MODE_LANES_TURNED:
		x = x_cast(g, QD_TYPE_U32, x_place(g, P_LANE));
		x = x_binary(g, REF_OP_ADD, x, x_literal(g, QD_TYPE_U32, m->turn));
		x = x_binary(g, REF_OP_REM, x, x_var(g, g->here));
		return x_binary(g, REF_OP_ADD, gen_first_thread(g), x);
	case MODE_LANES_READ:
	case MODE_LANES_ATOMIC:
		x = gen_expr(g, QD_TYPE_U32, depth, 0);
		x = x_binary(g, REF_OP_REM, x, x_var(g, g->here));
		return x_binary(g, REF_OP_ADD, gen_first_thread(g), x);
	default: return own_thread(g);
	}
}

/* Appends an element's indices to x. */
static void
add_index(struct gen *g, struct expr *x, uint32_t id, uint32_t depth)
{
	const struct shared *a = array_at(g, id);
	struct expr *row = any_thread(g, &g->mode[id], depth), *column;

	if (gen_one_in(g, 2) || a->own == 1) {
		column = x_literal(g, QD_TYPE_U32, gen_upto(g, a->own));
	} else {
		column = gen_expr(g, QD_TYPE_U32, depth, 0);
		column = x_binary(g, REF_OP_AND, column, x_literal(g, QD_TYPE_U32, a->own - 1));
	}
	if (a->flat && a->own > 1) {
		row = x_binary(g, REF_OP_MUL, row, x_literal(g, QD_TYPE_U32, a->own));
		row = x_binary(g, REF_OP_ADD, row, column);
	}
	if (gen_one_in(g, 6))
		row = x_cast(g, gen_one_in(g, 2) ? QD_TYPE_I64 : QD_TYPE_I32, row);
	x_arg(x, row);
	if (!a->flat)
		x_arg(x, column);
}

static bool
reads(const struct mode *m)
{
	return m->kind && m->kind != MODE_ATOMIC && m->kind != MODE_LANES_ATOMIC;
}

/* Returns whether each thread has elements of its own now. */
static bool
owns(const struct mode *m)
{
	return m->kind == MODE_OWN || m->kind == MODE_TURNED || m->kind == MODE_LANES_TURNED;
}

static bool
contends(const struct mode *m)
{
	return m->kind == MODE_ATOMIC || m->kind == MODE_LANES_ATOMIC;
}

/* Returns a shared array for which `fits` holds, of an element type or of any; N_SHARED + 1 if
 * none. */
static uint32_t
pick_array(struct gen *g, bool (*fits)(const struct mode *), qd_type type)
{
	uint32_t found = N_SHARED + 1, n = 0;

	for (uint32_t i = 0; i <= N_SHARED; i++)
		if (g->mode[i].kind && fits(&g->mode[i]) &&
		    (!type || shared_value(array_at(g, i)) == type) && gen_one_in(g, ++n))
			found = i;
	return found;
}

struct expr *
memory_load(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	uint32_t id = type == QD_TYPE_BOOL ? N_SHARED + 1 : pick_array(g, reads, type);
	struct expr *x;

	if (id > N_SHARED || (flags & GEN_UNIFORM))
		return NULL;
	x = x_new(g, X_SHARED_LOAD, type, 0);
	x->id = (uint16_t)id;
	add_index(g, x, id, depth);
	return x;
}

struct expr *
memory_own(struct gen *g, uint32_t id)
{
	struct expr *x = x_new(g, X_SHARED_LOAD, shared_value(array_at(g, id)), 0);

	x->id = (uint16_t)id;
	add_index(g, x, id, 0);
	return x;
}

static void
load_statement(struct gen *g, struct stmts *l)
{
	uint32_t id = pick_array(g, reads, QD_TYPE_NONE);
	qd_type type;

	if (id > N_SHARED)
		return;
	type = shared_value(array_at(g, id));
	gen_take(g, l, memory_load(g, type, 1, 0), &type, 1);
}

static void
store_statement(struct gen *g, struct stmts *l)
{
	static const uint8_t ops[] = { REF_OP_ADD, REF_OP_XOR, REF_OP_SUB, REF_OP_OR };
	uint32_t id = pick_array(g, owns, QD_TYPE_NONE);
	struct expr index = { .n = 0 };
	struct stmt *s;
	qd_type type;

	if (id > N_SHARED)
		return;
	type = shared_value(array_at(g, id));
	s = stmts_add(g, l, S_SHARED_STORE);
	s->id[0] = (uint16_t)id;
	add_index(g, &index, id, 1);
	s->e[0] = gen_value(g, type, gen_flags(g));
	s->e[1] = index.arg[0];
	s->e[2] = index.n > 1 ? index.arg[1] : NULL;
	if (!ref_is_float(type) && gen_one_in(g, 3))
		s->op = ops[gen_upto(g, sizeof ops)];
}

/* -- Atomics ------------------------------------------------------------------------------ */

static bool
takes_atomics(const struct gen *g, qd_type type)
{
	return type < QD_TYPE_I8 && (ref_width(type) == 32 || (g->device & DEVICE_ATOMIC64));
}

static enum atomic_order
any_order(struct gen *g, enum atomic_op op)
{
	static const uint8_t of_load[] = { ORDER_DEFAULT, ORDER_RELAXED, ORDER_ACQUIRE };
	static const uint8_t of_store[] = { ORDER_DEFAULT, ORDER_RELAXED, ORDER_RELEASE };

	if (gen_one_in(g, 2))
		return ORDER_DEFAULT;
	if (op == ATOMIC_LOAD)
		return (enum atomic_order)of_load[gen_upto(g, sizeof of_load)];
	if (op == ATOMIC_STORE)
		return (enum atomic_order)of_store[gen_upto(g, sizeof of_store)];
	return (enum atomic_order)gen_upto(g, N_ATOMIC_ORDER);
}

/* Returns an atomic with a scope from `least` on, to include all threads that access the
 * element. */
static struct expr *
new_atomic(struct gen *g, enum atomic_op op, qd_type type, enum atomic_scope least)
{
	struct expr *x = x_new(g, X_ATOMIC, type, op);
	uint32_t scope = gen_one_in(g, 2) ? WITHIN_DEFAULT
					  : least + gen_upto(g, N_ATOMIC_SCOPE - least);

	x->bits = scope + 8 * any_order(g, op);
	if (ref_width(type) == 64)
		gen_has(g, HAS_ATOMIC_WIDE);
	if (ref_is_float(type))
		gen_has(g, HAS_ATOMIC_FLOAT);
	if (gen_inside(g, LV_GRID) && program_has(g->p, HAS_GRID_TAIL))
		gen_has(g, HAS_ATOMIC_TAIL);
	return x;
}

static void
do_it(struct gen *g, struct stmts *l, struct expr *x)
{
	struct stmt *s = stmts_add(g, l, S_DO);

	s->e[0] = x;
}

/* Returns an atomic on an element of this thread, in a buffer or a shared array; *again is a load
 * of the same element. */
static struct expr *
own_element(struct gen *g, enum atomic_op op, struct expr **again)
{
	uint32_t id = gen_one_in(g, 2) ? pick_array(g, owns, QD_TYPE_NONE) : N_SHARED + 1, a = 0;
	struct expr *x, *at;
	qd_type type;

	if (id <= N_SHARED) {
		type = array_at(g, id)->type;
		if (!takes_atomics(g, type) || (atomic_info[op].integers && ref_is_float(type)))
			return NULL;
		x = new_atomic(g, op, type, WITHIN_SUBGROUP);
		x->shared = true;
		x->id = (uint16_t)id;
		add_index(g, x, id, 1);
		*again = x_new(g, X_SHARED_LOAD, type, 0);
		memcpy((*again)->arg, x->arg, sizeof x->arg);
		(*again)->n = x->n;
		(*again)->id = x->id;
		gen_has(g, HAS_ATOMIC_SHARED);
		return x;
	}
	if (g->at == NO_VAR)
		return NULL;
	while (!g->in_kernel && g->f->array[a] != A_ACC)
		a++;
	if (g->in_kernel)
		a = gen_one_in(g, 3) ? A_ACC : A_CELL;
	type = g->in_kernel ? g->p->array[a].type : QD_TYPE_U32;
	if (!takes_atomics(g, type) || (atomic_info[op].integers && ref_is_float(type)))
		return NULL;
	x = new_atomic(g, op, type, WITHIN_SUBGROUP);
	x->id = (uint16_t)a;
	at = gen_expr(g, QD_TYPE_U32, 1, 0);
	at = x_binary(g, REF_OP_AND, at, x_literal(g, QD_TYPE_U32, 3));
	x_arg(x, x_binary(g, REF_OP_ADD, x_var(g, g->at), at));
	*again = x_arg(x_new(g, X_LOAD, type, 0), x->arg[0]);
	(*again)->id = x->id;
	gen_has(g, HAS_ATOMIC_OWN);
	return x;
}

static void
own_atomic(struct gen *g, struct stmts *l)
{
	enum atomic_op op = (enum atomic_op)gen_upto(g, N_ATOMIC_OP);
	struct expr *again, *x = own_element(g, op, &again);
	qd_type type;

	if (!x)
		return;
	type = (qd_type)x->type;
	if (op == ATOMIC_CAS)
		x_arg(x, gen_one_in(g, 2) ? again : gen_value(g, type, 0));
	if (op != ATOMIC_LOAD)
		x_arg(x, gen_value(g, type, 0));
	if (op == ATOMIC_STORE || (op != ATOMIC_LOAD && gen_one_in(g, 4)))
		do_it(g, l, x);
	else
		gen_take(g, l, x, &type, 1);
}

/* Returns an operation that commutes with itself, and with sub if it is add. */
static enum atomic_op
any_commuting(struct gen *g, qd_type type)
{
	static const uint8_t ops[] = { ATOMIC_MIN, ATOMIC_MAX, ATOMIC_ADD,
				       ATOMIC_AND, ATOMIC_OR,  ATOMIC_XOR };

	return (enum atomic_op)ops[gen_upto(g, ref_is_float(type) ? 2 : sizeof ops)];
}

static enum atomic_op
one_of_kind(struct gen *g, enum atomic_op op)
{
	return op == ATOMIC_ADD && gen_one_in(g, 2) ? ATOMIC_SUB : op;
}

static void
contended_atomic(struct gen *g, struct stmts *l)
{
	uint32_t id = pick_array(g, contends, QD_TYPE_NONE);
	const struct array *bins = &g->p->array[A_BINS];
	struct expr *x, *at;
	enum atomic_op op;

	if (id <= N_SHARED) {
		op = one_of_kind(g, (enum atomic_op)g->mode[id].op);
		x = new_atomic(g, op, array_at(g, id)->type,
			       g->mode[id].kind == MODE_ATOMIC ? WITHIN_BLOCK : WITHIN_SUBGROUP);
		x->shared = true;
		x->id = (uint16_t)id;
		add_index(g, x, id, 1);
		gen_has(g, HAS_ATOMIC_SHARED);
	} else if (g->in_kernel) {
		x = new_atomic(g, one_of_kind(g, g->p->bins_op), bins->type, WITHIN_DEVICE);
		x->id = A_BINS;
		at = gen_expr(g, QD_TYPE_U32, 1, 0);
		x_arg(x, modulo(g, at, bins->len + gen_upto(g, 3)));
		gen_has(g, HAS_ATOMIC_BINS);
	} else {
		return;
	}
	x_arg(x, gen_value(g, (qd_type)x->type, 0));
	do_it(g, l, x);
}

enum atomic_op
memory_bins(struct gen *g, qd_type type)
{
	return any_commuting(g, type);
}

/* -- Fences and barriers ------------------------------------------------------------------ */

static void
fence(struct gen *g, struct stmts *l)
{
	static const uint8_t orders[] = { ORDER_DEFAULT, ORDER_ACQUIRE, ORDER_RELEASE,
					  ORDER_ACQ_REL };
	struct stmt *s = stmts_add(g, l, S_FENCE);

	s->op = (uint8_t)(WITHIN_SUBGROUP + gen_upto(g, N_ATOMIC_SCOPE - WITHIN_SUBGROUP));
	s->n = orders[gen_upto(g, sizeof orders)];
	gen_has(g, HAS_FENCE);
	if (!gen_uniform(g))
		gen_has(g, HAS_FENCE_VARYING);
	if (gen_n_loops(g))
		gen_has(g, HAS_FENCE_LOOP);
}

static void
note_sync(struct gen *g, bool block)
{
	gen_has(g, block ? HAS_SYNC_BLOCK : HAS_SYNC_SUBGROUP);
	if (!block)
		return;
	if (gen_inside(g, LV_IF))
		gen_has(g, HAS_SYNC_IF);
	if (gen_n_loops(g))
		gen_has(g, HAS_SYNC_LOOP);
	if (!g->in_kernel || !g->p->grid_type)
		return;
	gen_has(g, gen_inside(g, LV_GRID) ? HAS_SYNC_GRID
		   : g->grid_past	  ? HAS_SYNC_BEHIND
					  : HAS_SYNC_BEFORE);
	if (gen_inside(g, LV_GRID) && program_has(g->p, HAS_GRID_TAIL))
		gen_has(g, HAS_SYNC_TAIL);
}

/* Returns whether a block barrier, or a subgroup barrier, is allowed here. */
static bool
may_sync(const struct gen *g, bool block)
{
	return block ? gen_whole(g) : (gen_flags(g) & GEN_LANES) != 0;
}

static void
barrier(struct gen *g, struct stmts *l)
{
	bool block = gen_whole(g) && gen_one_in(g, 2);
	struct stmt *s;

	if (!may_sync(g, block))
		return;
	if (block && !gen_one_in(g, 3)) {
		gen_whole_statement(g, l);
		return;
	}
	s = stmts_add(g, l, S_SYNC);
	s->flag = block;
	note_sync(g, block);
}

void
memory_statement(struct gen *g, struct stmts *l)
{
	switch (gen_upto(g, 10)) {
	case 0: fence(g, l); break;
	case 1: barrier(g, l); break;
	case 2:
	case 3: own_atomic(g, l); break;
	case 4:
	case 5: contended_atomic(g, l); break;
	case 6:
	case 7: load_statement(g, l); break;
	default: store_statement(g, l); break;
	}
}

/* -- Between barriers ----------------------------------------------------------------------- */

static const uint8_t phase_traits[] = {
	[MODE_OWN] = HAS_SHARED,	 [MODE_TURNED] = HAS_PHASE_TURNED,
	[MODE_READ] = HAS_PHASE_READ,	 [MODE_ATOMIC] = HAS_PHASE_ATOMIC,
	[MODE_LANES_TURNED] = HAS_PHASE_LANES, [MODE_LANES_READ] = HAS_PHASE_LANES,
	[MODE_LANES_ATOMIC] = HAS_PHASE_LANES
};

/* Chooses rules until the next barrier, for arrays in which each thread owns elements. */
static void
choose_modes(struct gen *g, const struct mode *kept, bool block)
{
	static const uint8_t kinds[] = { MODE_TURNED, MODE_READ, MODE_ATOMIC };

	for (uint32_t i = 0; i <= N_SHARED; i++) {
		struct mode *m = &g->mode[i];
		uint32_t kind = gen_upto(g, 4);

		*m = kept[i];
		if (m->kind != MODE_OWN || kind == 3)
			continue;
		if (kinds[kind] == MODE_ATOMIC && !takes_atomics(g, array_at(g, i)->type))
			kind--;
		m->kind = (uint8_t)(kinds[kind] + (block ? 0 : MODE_LANES_TURNED - MODE_TURNED));
		m->turn = 1 + gen_upto(g, block ? g->p->block_dim : 7);
		m->op = (uint8_t)any_commuting(g, array_at(g, i)->type);
		gen_has(g, (enum trait)phase_traits[m->kind]);
	}
}

struct stmt *
memory_open(struct gen *g, struct stmts *l, struct mode *kept)
{
	struct stmt *s = stmts_add(g, l, S_PHASES);

	s->flag = s->typed = true;
	note_sync(g, true);
	memcpy(kept, g->mode, sizeof g->mode);
	choose_modes(g, kept, true);
	gen_open(g, LV_PHASES, true, true);
	return s;
}

void
memory_close(struct gen *g, struct stmt *s, const struct stmts *in, const struct mode *kept)
{
	s->body = in->first;
	memcpy(g->mode, kept, sizeof g->mode);
	g->n_open--;
}

void
memory_phases(struct gen *g, struct stmts *l, uint32_t depth)
{
	bool block = gen_whole(g) && !gen_one_in(g, 4);
	uint32_t n = 1 + gen_upto(g, 3);
	struct mode kept[N_SHARED + 1];
	struct stmt *s;

	if (!may_sync(g, block))
		return;
	s = stmts_add(g, l, S_PHASES);
	note_sync(g, block);
	memcpy(kept, g->mode, sizeof kept);
	gen_open(g, LV_PHASES, true, true);
	for (;;) {
		struct stmts in;
		uint32_t mark = gen_scope_open(g);

		s->flag = block;
		choose_modes(g, kept, block);
		stmts_init(&in);
		for (uint32_t i = 1 + gen_upto(g, 3); i > 0; i--)
			memory_statement(g, &in);
		gen_statements(g, &in, gen_upto(g, 3), depth + 1);
		gen_scope_close(g, mark);
		s->body = in.first;
		if (--n == 0 || !gen_affords(g, 60))
			break;
		s->other = gen_alloc(g->p, sizeof *s);
		s = s->other;
		s->kind = S_PHASES;
	}
	memcpy(g->mode, kept, sizeof kept);
	g->n_open--;
}
