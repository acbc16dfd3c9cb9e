/* Generation of constant tables, and of loads and stores of 2 to 16 elements. */
#include "program_gen.h"

/* -- Constant tables -------------------------------------------------------------------- */

static uint64_t
any_bits(struct gen *g, qd_type type)
{
	const uint64_t r = random_u64(&g->rng) >> gen_upto(g, 64);

	if (ref_is_float(type))
		return ref_cast(QD_TYPE_I32, type, (uint32_t)(r % 400 - 200), false);
	return ref_width(type) == 64 ? r : r & UINT32_MAX;
}

void
wide_choose_tables(struct gen *g)
{
	static const uint8_t types[] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32, QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_F64 };
	struct program *p = g->p;

	for (uint32_t i = 0; i < N_TABLE; i++) {
		struct const_table *t = &p->table[i];

		t->type = (qd_type)types[gen_upto(g, p->has_u64 ? p->has_f64 ? 6 : 5 : 4)];
		t->len = 1 + gen_upto(g, MAX_TABLE);
		for (uint32_t j = 0; j < t->len; j++)
			t->bits[j] = any_bits(g, t->type);
	}
}

struct expr *
wide_table(struct gen *g, qd_type type)
{
	uint32_t id = gen_upto(g, N_TABLE);
	struct expr *x;

	for (uint32_t i = 0; i < N_TABLE && g->p->table[id].type != type; i++)
		id = (id + 1) % N_TABLE;
	if (g->p->table[id].type != type || g->in_report)
		return NULL;
	x = x_new(g, X_TABLE, type, 0);
	x->id = (uint16_t)id;
	gen_has(g, HAS_TABLE);
	if (ref_width(type) == 64)
		gen_has(g, HAS_TABLE_WIDE);
	if (!g->in_kernel)
		gen_has(g, HAS_TABLE_FN);
	return x;
}

/* -- Wide accesses ------------------------------------------------------------------------ */

/* Returns a width of at most `most` elements and 16 bytes. */
static uint32_t
any_width(struct gen *g, qd_type type, uint32_t most)
{
	uint32_t width = 2u << gen_upto(g, 4);

	while (width > most || width * qd_type_size(type) > WIDE_MOST)
		width /= 2;
	return width;
}

/* Returns first / width + k, where k is less than the accesses to the elements of a thread. */
static struct expr *
own_index(struct gen *g, struct expr *first, uint32_t n_own, uint32_t width)
{
	struct expr *k = x_binary(g, REF_OP_AND, gen_expr(g, QD_TYPE_U32, 1, 0), x_literal(g, QD_TYPE_U32, n_own / width - 1));

	return x_binary(g, REF_OP_ADD, first, k);
}

/* Sets the array, the width and the index, of elements that only this thread accesses. Returns false if there
 * are none. */
static bool
own_elements(struct gen *g, struct stmt *s, qd_type *type)
{
	uint32_t id = gen_upto(g, N_SHARED + 1);
	struct expr *first = x_cast(g, QD_TYPE_U32, x_place(g, P_THREAD)), *times;
	const struct shared *a;

	if (g->mode[id].kind == MODE_OWN && gen_one_in(g, 2)) {
		a = program_shared(g->p, g->f, id);
		if (a->flat && a->own > 1) {
			s->typed = true;
			s->id[0] = (uint16_t)id;
			*type = shared_value(a);
			s->n = (uint8_t)any_width(g, a->type, a->own);
			times = x_binary(g, REF_OP_MUL, first, x_literal(g, QD_TYPE_U32, a->own / s->n));
			s->e[0] = own_index(g, times, a->own, s->n);
			gen_has(g, HAS_WIDE_SHARED);
			return true;
		}
	}
	if (!g->in_kernel || g->at == NO_VAR)
		return false;
	s->id[0] = A_WIDE;
	*type = array_value(&g->p->array[A_WIDE]);
	s->n = (uint8_t)any_width(g, g->p->array[A_WIDE].type, WIDE_MOST);
	/* `at` is four times the thread's index */
	first = x_var(g, g->at);
	if (s->n != 4)
		first = x_binary(g, s->n == 2 ? REF_OP_MUL : REF_OP_DIV, first,
				 x_literal(g, QD_TYPE_U32, s->n == 2 ? 2 : s->n / 4));
	s->e[0] = own_index(g, first, PER_THREAD_WIDE, s->n);
	return true;
}

/* Sets the array, the width and the index of a load from an array that is only read. */
static bool
read_elements(struct gen *g, struct stmt *s, qd_type *type)
{
	static const uint8_t arrays[] = { A_SRC, A_FSRC, A_WSRC, A_SMALL };
	const struct array *a;
	struct expr *x;

	if (!g->in_kernel)
		return false;
	s->id[0] = arrays[gen_upto(g, sizeof arrays)];
	a = &g->p->array[s->id[0]];
	*type = array_value(a);
	s->n = (uint8_t)any_width(g, a->type, WIDE_MOST);
	x = gen_expr(g, QD_TYPE_U32, 1, 0);
	s->e[0] = gen_one_in(g, 6) ? x : x_binary(g, REF_OP_REM, x, x_literal(g, QD_TYPE_U32, 3 + gen_upto(g, 40)));
	return true;
}

static void
note(struct gen *g, const struct stmt *s)
{
	if (s->n == 8)
		gen_has(g, HAS_WIDE_8);
	if (s->n == 16)
		gen_has(g, HAS_WIDE_16);
	if (gen_inside(g, LV_GRID) && program_has(g->p, HAS_GRID_TAIL))
		gen_has(g, HAS_WIDE_TAIL);
}

static void
load(struct gen *g, struct stmts *l, struct stmt *s, qd_type type)
{
	struct stmt *added;

	if (g->f->n_vars + s->n + 24u > MAX_VARS || g->n_see + s->n + 12u > MAX_VARS)
		return;
	if (!s->typed && gen_one_in(g, 2)) {
		s->e[1] = x_any_literal(g, type);
		gen_has(g, HAS_WIDE_ELSE);
	}
	note(g, s);
	gen_has(g, HAS_WIDE_LOAD);
	added = stmts_add(g, l, S_WIDE_LOAD);
	added->typed = s->typed;
	added->id[0] = s->id[0];
	added->n = s->n;
	added->e[0] = s->e[0];
	added->e[1] = s->e[1];
	added->flag = gen_one_in(g, 2);
	added->id[1] = gen_variable(g, type);
	for (uint32_t i = 1; i < s->n; i++)
		gen_variable(g, type);
	for (uint32_t i = 0; i < s->n; i++)
		gen_show(g, (uint16_t)(added->id[1] + i), added->flag, false);
}

static void
store(struct gen *g, struct stmts *l, const struct stmt *s, qd_type type)
{
	struct stmt *added = stmts_add(g, l, S_WIDE_STORE);

	added->typed = s->typed;
	added->id[0] = s->id[0];
	added->n = s->n;
	added->e[0] = s->e[0];
	for (uint32_t i = 0; i < s->n; i++) {
		struct expr **list = &added->e[1 + i / MAX_ARGS], *x;
		uint16_t var = gen_pick(g, type, SAME_NOWHERE, false);

		if (i % MAX_ARGS == 0)
			*list = x_new(g, X_CALL, type, 0);
		x = gen_one_in(g, 6)			 ? gen_value(g, type, 0)
		    : var != NO_VAR && !gen_one_in(g, 3) ? x_var(g, var)
							 : x_any_literal(g, type);
		/* A later load must not read the infinity of an F16. */
		if (!s->typed && g->p->array[s->id[0]].type == QD_TYPE_F16 && x->kind != X_LITERAL)
			x = x_clamp(g, x, 60000.0f);
		x_arg(*list, x);
	}
	note(g, added);
	gen_has(g, HAS_WIDE_STORE);
}

void
wide_statement(struct gen *g, struct stmts *l)
{
	const bool stores = gen_one_in(g, 2), own = stores || gen_one_in(g, 2);
	struct stmt s = { .n = 0 };
	qd_type type;

	if (!gen_affords(g, 60) || !(own ? own_elements(g, &s, &type) : read_elements(g, &s, &type)))
		return;
	if (stores)
		store(g, l, &s, type);
	else
		load(g, l, &s, type);
}
