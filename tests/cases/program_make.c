/* Generation of a program: its functions, then the kernel with or without a grid loop. */
#include <stdlib.h>
#include <string.h>

#include "program_gen.h"

/* -- Functions ------------------------------------------------------------------------ */

static void
begin(struct gen *g, struct function *f, uint32_t max_size)
{
	g->f = f;
	g->n_see = g->scope = g->n_open = g->cost = 0;
	g->inlined = g->rounds = 1;
	g->max_size = max_size;
	g->here = g->at = NO_VAR;
	memory_forget(g);
}

static uint16_t
parameter(struct gen *g, qd_type type, uint32_t same)
{
	uint16_t id = gen_variable(g, type);

	g->f->n_params++;
	gen_show(g, id, false, same);
	return id;
}

/* Declares variables to work with: one of each type, from available values. */
static void
locals(struct gen *g, struct stmts *l)
{
	static const uint8_t types[] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32, QD_TYPE_I64 };

	for (size_t i = 0; i < sizeof types; i++)
		if (!gen_one_in(g, 4))
			gen_declare(g, l, gen_value(g, types[i], gen_flags(g)), true, false);
	gen_declare(g, l, gen_value(g, gen_type(g), gen_flags(g)), true, false);
	if (gen_flags(g))
		gen_declare(g, l, gen_value(g, QD_TYPE_U32, GEN_UNIFORM | GEN_LANES), true, true);
}

static void
make_function(struct gen *g, uint32_t id)
{
	struct function *f = &g->p->fn[id];
	bool lanes = gen_one_in(g, 2), calm = lanes && !(CALLS_BEFORE_JUMPS && gen_one_in(g, 2));
	struct stmts l;

	begin(g, f, 100 + 90 * id);
	g->in_kernel = false;
	g->n_callable = id;
	g->even = 1;
	f->lanes = lanes;
	f->stores = gen_one_in(g, 4);
	f->printed = (uint16_t)gen_one_in(g, 2);
	f->shaped = gen_one_in(g, 3);
	f->syncs = calm && !gen_one_in(g, 3);
	if (g->p->n_shared && gen_one_in(g, 3)) {
		const struct shared *a;

		f->shared = (uint8_t)(1 + gen_upto(g, g->p->n_shared));
		a = &g->p->shared[f->shared - 1];
		f->shared_any = a->flat && gen_one_in(g, 2);
		f->shared_reads = gen_one_in(g, 4);
		g->mode[f->shared - 1].kind = f->shared_reads ? MODE_READ : MODE_OWN;
	}
	if (f->stores)
		f->array[f->n_arrays++] = A_ACC;
	if (gen_one_in(g, 3))
		f->array[f->n_arrays++] = A_SRC;
	if (f->stores)
		g->at = parameter(g, QD_TYPE_U32, false);
	if (lanes) {
		g->here = parameter(g, QD_TYPE_U32, true);
		parameter(g, QD_TYPE_U32, f->syncs ? SAME_BLOCK : SAME_SUBGROUP);
	}
	for (uint32_t n = 1 + gen_upto(g, 2); n > 0; n--)
		parameter(g, gen_type(g), false);
	if (gen_one_in(g, 3))
		f->templated = (uint8_t)f->n_params;
	f->n_results = f->stores ? gen_upto(g, 2) : gen_one_in(g, 3) ? 2 : 1;
	for (uint32_t i = 0; i < f->n_results; i++)
		f->result[i] = gen_type(g);
	stmts_init(&l);
	gen_scope_open(g);
	gen_open(g, LV_FUNCTION, true, calm)->whole = f->syncs;
	locals(g, &l);
	if (gen_one_in(g, 4))
		memory_declare(g, &l, SHARED_LOCAL);
	gen_call_statement(g, &l);
	gen_statements(g, &l, 2 + gen_upto(g, 6), 0);
	if (f->n_results && !stmts_end(l.first, true))
		gen_return(g, &l);
	f->body = l.first;
}

/* -- Parameters of the kernel ----------------------------------------------------------- */

static void
choose_blocks(struct gen *g)
{
	static const uint8_t sizes[][3] = {
		{ 32, 1, 1 }, { 64, 1, 1 }, { 48, 1, 1 },  { 37, 1, 1 },
		{ 8, 1, 1 },  { 7, 1, 1 },  { 128, 1, 1 }, { ONE_THREAD ? 1 : 2, 1, 1 },
		{ 8, 4, 1 },  { 5, 3, 2 },  { 100, 1, 1 }, { 24, 2, 2 },
		{ 16, 1, 1 }, { 4, 1, 1 }
	};
	uint32_t i = gen_upto(g, sizeof sizes / sizeof sizes[0]);
	struct program *p = g->p;

	p->block_dim = 1;
	for (int a = 0; a < 3; a++) {
		p->block[a] = sizes[i][a];
		p->block_dim *= sizes[i][a];
	}
	p->n_blocks = 1 + gen_upto(g, p->block_dim > 64 ? 3 : 5);
	p->blocks_given = true;
	if (p->block_dim % 4)
		gen_has(g, HAS_PARTIAL_BLOCK);
}

static void
choose_grid(struct gen *g)
{
	struct program *p = g->p;
	uint32_t threads = p->n_blocks * p->block_dim;

	if (gen_one_in(g, 4))
		return;
	p->grid_type = gen_one_in(g, 3)	  ? QD_TYPE_I32
		       : gen_one_in(g, 5) ? QD_TYPE_I64
					  : QD_TYPE_U32;
	if (p->grid_type == QD_TYPE_I64)
		gen_has(g, HAS_WIDE_GRID);
	p->grid_n = threads;
	p->blocks_given = gen_one_in(g, 3);
	gen_has(g, HAS_GRID);
	if (!GRID_TAILS || gen_one_in(g, 3))
		return;
	p->grid_n = gen_one_in(g, 12) ? gen_upto(g, 2) : gen_upto(g, threads + 1);
	if (p->grid_n < threads)
		gen_has(g, HAS_GRID_TAIL);
	if (!p->blocks_given)
		p->n_blocks = (uint32_t)(p->grid_n + p->block_dim - 1) / p->block_dim;
	else if (p->grid_n + p->block_dim <= threads)
		gen_has(g, HAS_GRID_SURPLUS);
}

/* Returns a length near `about`, which makes some indices out of range. */
static uint32_t
any_length(struct gen *g, uint32_t about)
{
	uint32_t n = gen_one_in(g, 2) ? about : gen_upto(g, about + about / 2 + 2);

	return n ? n : 1;
}

enum { PER_THREAD_ACC = 4, PER_THREAD_OUT = 24 };

/* Returns a type that supports atomics. */
static qd_type
any_word(struct gen *g)
{
	static const uint8_t types[] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32,
					 QD_TYPE_U32, QD_TYPE_I64, QD_TYPE_U64 };

	return (qd_type)types[gen_upto(g, g->device & DEVICE_ATOMIC64 ? 6 : 4)];
}

static void
choose_arrays(struct gen *g)
{
	static const struct array arrays[N_ARRAY] = {
		[A_SRC] = { "src", QD_TYPE_U32, QD_ACCESS_IN, 0 },
		[A_FSRC] = { "fsrc", QD_TYPE_F32, QD_ACCESS_IN, 0 },
		[A_WSRC] = { "wsrc", QD_TYPE_I64, QD_ACCESS_IN, 0 },
		[A_SMALL] = { "small", QD_TYPE_I32, QD_ACCESS_IN, 0 },
		[A_NARROW] = { "narrow", QD_TYPE_I32, QD_ACCESS_OUT, 0 },
		[A_ACC] = { "acc", QD_TYPE_U32, QD_ACCESS_INOUT, 0 },
		[A_OUT] = { "out", QD_TYPE_U32, QD_ACCESS_OUT, 0 },
		[A_COUNT] = { "count", QD_TYPE_U32, QD_ACCESS_IN, 0 },
		[A_CELL] = { "cell", QD_TYPE_U32, QD_ACCESS_INOUT, 0 },
		[A_BINS] = { "bins", QD_TYPE_U32, QD_ACCESS_INOUT, 0 },
		[A_WIDE] = { "near", QD_TYPE_U32, QD_ACCESS_INOUT, 0 },
	};
	struct program *p = g->p;
	uint32_t threads = p->n_blocks * p->block_dim;

	memcpy(p->array, arrays, sizeof arrays);
	for (uint32_t i = A_SMALL; i <= A_NARROW && p->has_small; i += A_NARROW - A_SMALL)
		p->array[i].type = (qd_type)(QD_TYPE_I8 + gen_upto(g, 6));
	for (uint32_t i = A_CELL; i <= A_BINS; i++)
		p->array[i].type = any_word(g);
	p->array[A_WIDE].type = p->has_small && gen_one_in(g, 2) ? (qd_type)(QD_TYPE_I8 + gen_upto(g, 6))
				: gen_one_in(g, 3) ? (p->has_f64 && gen_one_in(g, 2) ? QD_TYPE_F64 : QD_TYPE_I64)
						   : (qd_type)(gen_one_in(g, 3) ? QD_TYPE_F32 : QD_TYPE_U32);
	p->array[A_WIDE].len = any_length(g, threads * PER_THREAD_WIDE);
	p->bins_op = memory_bins(g, p->array[A_BINS].type);
	p->array[A_CELL].len = any_length(g, threads * PER_THREAD_ACC);
	p->array[A_BINS].len = 1 + gen_upto(g, 40);
	p->array[A_NARROW].len = any_length(g, threads);
	for (uint32_t i = 0; i < A_ACC; i++)
		p->array[i].len = any_length(g, threads);
	p->array[A_ACC].len = any_length(g, threads * PER_THREAD_ACC);
	p->array[A_OUT].len = threads * PER_THREAD_OUT;
	if (gen_one_in(g, 5))
		p->array[A_OUT].len = any_length(g, p->array[A_OUT].len);
	if (!p->array[A_OUT].len)
		p->array[A_OUT].len = 1;
	if (p->array[A_ACC].len < threads * PER_THREAD_ACC ||
	    p->array[A_OUT].len < threads * PER_THREAD_OUT)
		gen_has(g, HAS_SHORT_STORE);
	if (p->grid_type)
		gen_has(g, p->grid_n < p->array[A_SRC].len    ? HAS_GRID_BELOW
			   : p->grid_n == p->array[A_SRC].len ? HAS_GRID_AT
							      : HAS_GRID_ABOVE);
}

/* Returns the count of the grid loop, in a form that the host can compute. */
static struct expr *
grid_count(struct gen *g)
{
	struct program *p = g->p;
	struct expr *len = x_new(g, X_LEN, QD_TYPE_U32, 0), *x;
	uint32_t n = (uint32_t)p->grid_n, part = 1 + gen_upto(g, n ? n : 1);

	len->id = A_COUNT;
	p->array[A_COUNT].len = part;
	p->scalar[0] = n;
	p->scalar[1] = random_u64(&g->rng) & UINT32_MAX;
	p->scalar[2] = (uint32_t)random_u64(&g->rng);
	if (p->grid_type == QD_TYPE_I32) {
		p->scalar[2] = n;
		return gen_one_in(g, 4) ? x_literal(g, QD_TYPE_I32, n) : x_var(g, 2);
	}
	if (p->grid_type == QD_TYPE_I64)
		return x_literal(g, QD_TYPE_I64, n);
	switch (gen_upto(g, 4)) {
	case 0: return x_literal(g, QD_TYPE_U32, n);
	case 1:
		if (n && part == n)
			return len;
		x = x_literal(g, QD_TYPE_U32, n > part ? n - part : part - n);
		return x_binary(g, n > part ? REF_OP_ADD : REF_OP_SUB, len, x);
	case 2:
		p->scalar[0] = n / 3;
		x = x_binary(g, REF_OP_MUL, x_var(g, 0), x_literal(g, QD_TYPE_U32, 3));
		return x_binary(g, REF_OP_ADD, x, x_literal(g, QD_TYPE_U32, n % 3));
	default: return x_var(g, 0);
	}
}

/* -- The kernel ----------------------------------------------------------------------------- */

struct expr *
gen_first_thread(struct gen *g)
{
	struct expr *s = x_cast(g, QD_TYPE_U32, x_place(g, P_SIZE));

	return x_binary(g, REF_OP_MUL, x_place(g, P_SUBGROUP_ID), s);
}

/* Returns the number of the subgroup's lanes in the block. */
static struct expr *
lanes_here(struct gen *g)
{
	struct expr *x = x_new(g, X_MATH, QD_TYPE_U32, REF_OP_MIN);

	x->arg[0] = x_cast(g, QD_TYPE_U32, x_place(g, P_SIZE));
	x->arg[1] = x_binary(g, REF_OP_SUB, x_place(g, P_BLOCK_DIM), gen_first_thread(g));
	x->n = 2;
	return x;
}

/* Returns how many of these lanes are below the grid loop's count. Valid if at least
 * one is. */
static struct expr *
lanes_below(struct gen *g)
{
	struct expr *first =
		x_binary(g, REF_OP_MUL, x_place(g, P_BLOCK_IDX), x_place(g, P_BLOCK_DIM));
	struct expr *x = x_new(g, X_MATH, QD_TYPE_U32, REF_OP_MIN);

	first = x_binary(g, REF_OP_ADD, first, gen_first_thread(g));
	x->arg[0] = x_var(g, g->here);
	x->arg[1] = x_binary(g, REF_OP_SUB, x_literal(g, QD_TYPE_U32, g->p->grid_n), first);
	x->n = 2;
	return x;
}

struct kernel_vars {
	uint16_t id[PER_THREAD_OUT];
	uint32_t n;
};

static struct expr *
loaded(struct gen *g, uint32_t array, uint32_t offset)
{
	struct expr *x = x_new(g, X_LOAD, g->p->array[array].type, 0);

	x->id = (uint16_t)array;
	x->arg[0] =
		x_binary(g, REF_OP_ADD, x_place(g, P_GLOBAL), x_literal(g, QD_TYPE_I32, offset));
	x->n = 1;
	return x;
}

static void
kernel_variables(struct gen *g, struct stmts *l, struct kernel_vars *v)
{
	struct expr *x;

	g->here = gen_declare(g, l, lanes_here(g), false, true);
	x = x_cast(g, QD_TYPE_U32, x_place(g, P_GLOBAL));
	x = x_binary(g, REF_OP_MUL, x, x_literal(g, QD_TYPE_U32, PER_THREAD_ACC));
	g->at = gen_declare(g, l, x, false, false);
	v->id[v->n++] = gen_declare(g, l, loaded(g, A_SRC, 0), true, false);
	v->id[v->n++] = gen_declare(g, l, loaded(g, A_SRC, gen_upto(g, 9)), true, false);
	v->id[v->n++] = gen_declare(g, l, x_place(g, P_GLOBAL), true, false);
	x = x_new(g, X_BITCAST, QD_TYPE_I32, 0);
	x->arg[x->n++] = loaded(g, A_SRC, 3);
	v->id[v->n++] = gen_declare(g, l, x, true, false);
	v->id[v->n++] = gen_declare(g, l, loaded(g, A_FSRC, 0), true, false);
	v->id[v->n++] = gen_declare(g, l, loaded(g, A_FSRC, 1), true, false);
	v->id[v->n++] = gen_declare(g, l, loaded(g, A_WSRC, 0), true, false);
	v->id[v->n++] =
		gen_declare(g, l, x_cast(g, QD_TYPE_I64, x_place(g, P_GLOBAL)), true, false);
	if (g->p->has_u64)
		v->id[v->n++] =
			gen_declare(g, l, x_cast(g, QD_TYPE_U64, loaded(g, A_SRC, 2)), true, false);
	if (g->p->has_f64)
		v->id[v->n++] = gen_declare(g, l, x_cast(g, QD_TYPE_F64, loaded(g, A_FSRC, 2)),
					    true, false);
	v->id[v->n++] = gen_declare(g, l, gen_value(g, QD_TYPE_U32, GEN_UNIFORM | GEN_BLOCK), true,
				    SAME_BLOCK);
	v->id[v->n++] = gen_declare(g, l, gen_value(g, QD_TYPE_I32, GEN_UNIFORM), true, true);
	x = x_binary(g, REF_OP_AND, loaded(g, A_SRC, 1), x_literal(g, QD_TYPE_U32, 1));
	x = x_binary(g, REF_OP_NE, x, x_literal(g, QD_TYPE_U32, 0));
	v->id[v->n++] = gen_declare(g, l, x, true, false);
}

static void
store_word(struct gen *g, struct stmts *l, uint32_t at, struct expr *x)
{
	struct stmt *s = stmts_add(g, l, S_STORE);
	struct expr *first = x_binary(g, REF_OP_MUL, x_place(g, P_GLOBAL),
				      x_literal(g, QD_TYPE_I32, PER_THREAD_OUT));

	s->id[0] = A_OUT;
	s->e[0] = x_binary(g, REF_OP_ADD, first, x_literal(g, QD_TYPE_I32, at));
	s->e[1] = x;
}

/* Stores an element of 8 or 16 bits, next to those of other threads. */
static void
store_narrow(struct gen *g, struct stmts *l, const struct kernel_vars *v)
{
	qd_type type = array_value(&g->p->array[A_NARROW]);
	struct stmt *s;
	uint32_t i = 0;

	while (i < v->n && g->f->var[v->id[i]].type != type)
		i++;
	if (i == v->n)
		return;
	s = stmts_add(g, l, S_STORE);
	s->id[0] = A_NARROW;
	s->e[0] = x_place(g, P_GLOBAL);
	s->e[1] = x_var(g, v->id[i]);
}

/* Stores x as words. */
static void
store_value(struct gen *g, struct stmts *l, struct expr *x, uint32_t *at)
{
	struct expr *bits = x;

	if (x->type == QD_TYPE_BOOL) {
		bits = x_arg(x_new(g, X_SELECT, QD_TYPE_U32, 0), x);
		bits = x_arg(x_arg(bits, x_literal(g, QD_TYPE_U32, 1)), x_literal(g, QD_TYPE_U32, 2));
		store_word(g, l, (*at)++, bits);
		return;
	}
	if (x->type == QD_TYPE_F64)
		bits = x_arg(x_new(g, X_BITCAST, QD_TYPE_U64, 0), x);
	else if (ref_width(x->type) == 32 && x->type != QD_TYPE_U32)
		bits = x_arg(x_new(g, X_BITCAST, QD_TYPE_U32, 0), x);
	if (ref_width(x->type) == 64) {
		x = x_binary(g, REF_OP_SHR, bits, x_literal(g, QD_TYPE_U32, 32));
		store_word(g, l, (*at)++, x_cast(g, QD_TYPE_U32, x));
		bits = x_cast(g, QD_TYPE_U32, bits);
	}
	store_word(g, l, (*at)++, bits);
}

/* Stores the thread's elements of the shared arrays that it owns now. */
static void
store_shared(struct gen *g, struct stmts *l, uint32_t *at)
{
	for (uint32_t i = 0; i < g->p->n_shared; i++)
		if (g->mode[i].kind == MODE_OWN)
			store_value(g, l, memory_own(g, i), at);
}

/* Stores all final values of a thread. */
static void
store_variables(struct gen *g, struct stmts *l, const struct kernel_vars *v)
{
	uint32_t at = 0;

	store_narrow(g, l, v);
	for (uint32_t i = 0; i < v->n; i++)
		store_value(g, l, x_var(g, v->id[i]), &at);
	store_shared(g, l, &at);
}

static void
grid_loop(struct gen *g, struct stmts *l, const struct kernel_vars *v, bool calm, bool whole,
	  bool store)
{
	struct stmt *s = stmts_add(g, l, S_GRID);
	uint16_t here = g->here;
	struct stmts in;
	uint32_t mark;

	s->e[0] = grid_count(g);
	s->id[0] = gen_variable(g, g->p->grid_type);
	gen_open(g, LV_GRID, true, calm)->whole = whole;
	g->grid_seen = true;
	mark = gen_scope_open(g);
	gen_show(g, s->id[0], false, false);
	gen_scope_open(g);
	stmts_init(&in);
	if (program_has(g->p, HAS_GRID_TAIL))
		g->here = gen_declare(g, &in, lanes_below(g), false, true);
	gen_declare(g, &in, gen_value(g, QD_TYPE_U32, GEN_UNIFORM), true, true);
	gen_statements(g, &in, 3 + gen_upto(g, 8), 1);
	if (store && (DEAD_CODE || !stmts_end(in.first, false)))
		store_variables(g, &in, v);
	s->body = in.first;
	g->scope--;
	gen_scope_close(g, mark);
	g->here = here;
	g->n_open--;
	g->open[0].left |= g->grid_left; /* padding threads have not returned */
}

/* Barriers in the body do not wait for padding threads. If there may be some, and shared arrays, a
 * barrier precedes and follows the loop; otherwise only sometimes. */
static void
around_grid(struct gen *g, struct stmts *l, const struct kernel_vars *v, bool calm, bool store)
{
	struct mode kept[N_SHARED + 1];
	struct stmts in;
	struct stmt *s;
	bool some = program_has(g->p, HAS_GRID_TAIL), whole = gen_whole(g) && !gen_one_in(g, 3);
	bool around = gen_whole(g) && g->p->n_shared && ((whole && some) || gen_one_in(g, 3));

	stmts_init(&in);
	if (!around) {
		grid_loop(g, l, v, calm, whole, store);
		return;
	}
	gen_has(g, HAS_SYNC_AROUND);
	s = memory_open(g, l, kept);
	grid_loop(g, &in, v, calm, whole, store);
	memory_close(g, s, &in, kept);
}

static void
make_kernel(struct gen *g)
{
	struct program *p = g->p;
	struct kernel_vars v = { .n = 0 };
	bool calm = !gen_one_in(g, 3), has_tail = gen_one_in(g, 2);
	struct stmts l;

	begin(g, &p->kernel, 900);
	g->in_kernel = true;
	g->has_tail = has_tail;
	g->n_callable = p->n_fn;
	/* n, m, k */
	parameter(g, QD_TYPE_U32, SAME_BLOCK);
	parameter(g, QD_TYPE_U32, SAME_BLOCK);
	parameter(g, QD_TYPE_I32, SAME_BLOCK);
	gen_scope_open(g);
	gen_open(g, LV_FUNCTION, true, calm)->whole = calm && !gen_one_in(g, 4);
	stmts_init(&l);
	kernel_variables(g, &l, &v);
	for (uint32_t i = 0; i < p->n_shared; i++)
		memory_declare(g, &l, i);
	g->even = p->block_dim;
	if (p->grid_type) {
		if (gen_one_in(g, 2)) {
			gen_has(g, HAS_GRID_BEFORE);
			gen_statements(g, &l, 1 + gen_upto(g, 3), 1);
		}
		if (program_has(p, HAS_GRID_TAIL))
			g->even = 1;
		around_grid(g, &l, &v, calm, !has_tail);
		g->grid_past = true;
		g->even = p->block_dim;
		if (has_tail) {
			gen_has(g, HAS_GRID_AFTER);
			gen_statements(g, &l, 1 + gen_upto(g, 3), 1);
			if (DEAD_CODE || !stmts_end(l.first, true))
				store_variables(g, &l, &v);
		}
	} else {
		grid_count(g); /* sets the scalars */
		gen_statements(g, &l, 4 + gen_upto(g, 8), 0);
		if (DEAD_CODE || !stmts_end(l.first, true))
			store_variables(g, &l, &v);
	}
	p->kernel.body = l.first;
}

struct program *
program_make(uint64_t seed, uint32_t device)
{
	struct program *p = calloc(1, sizeof *p);
	struct gen g = { .p = p, .rng = seed, .device = device };

	if (!p) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	p->seed = seed;
	g.rng = random_u64(&g.rng); /* neighboring seeds are unrelated */
	p->shape = 1 + gen_upto(&g, 4);
	p->tile = gen_upto(&g, 64);
	p->tile_early = gen_one_in(&g, 2);
	p->has_u64 = gen_one_in(&g, 3);
	p->requires = gen_one_in(&g, 4);
	p->has_f64 = gen_one_in(&g, 5) && (device & DEVICE_F64);
	p->has_small = gen_one_in(&g, 4) && (device & DEVICE_SMALL);
	if (p->has_small)
		gen_has(&g, HAS_SMALL);
	if (p->has_u64)
		gen_has(&g, HAS_U64);
	if (p->has_f64)
		gen_has(&g, HAS_F64);
	for (uint32_t i = 0; i < N_CONST; i++)
		p->constant[i] = gen_upto(&g, 100);
	choose_blocks(&g);
	choose_grid(&g);
	choose_arrays(&g);
	wide_choose_tables(&g);
	memory_choose(&g);
	p->n_fn = gen_upto(&g, MAX_FN);
	for (uint32_t i = 0; i < p->n_fn; i++)
		make_function(&g, i);
	make_kernel(&g);
	return p;
}
