/* Constant tables: a const of the file whose value is a list of elements. */
#include "build_call.h"
#include "lower.h"

/* Sets the number of elements: the size in the brackets, if there is one, must agree with the list.
 * Returns false after an error. */
static bool
length(struct lower *l, const struct node *c, qd_type type, uint32_t *len)
{
	const struct node *size = c->a->a;
	const uint64_t n = c->b->num, bytes = n * type_info[type].size;
	struct value v;
	int64_t want;

	if (size && size->next)
		return lower_error(l, c->a, DIAG_E0345, 2);
	if (size) {
		v = lower_expr(l, size, QD_TYPE_U32);
		if (!value_need(l, size, &v, "the size of a table", &want))
			return false;
		if (want < 0 || want > UINT32_MAX || (uint64_t)want != n)
			return lower_error(l, size, DIAG_E0393, SYM(l->m, c->sym), (long long)want, (unsigned long long)n);
	}
	if (!n || bytes > MAX_TABLES)
		return lower_error(l, c->b, DIAG_E0390, MAX_TABLES, (unsigned long long)bytes);
	*len = (uint32_t)n;
	return true;
}

/* Evaluates one element; false after an error. */
static bool
element(struct lower *l, const struct node *c, const struct node *n, struct table *t, uint32_t i)
{
	const struct value v = lower_expr(l, n, t->type);

	if (v.kind != V_CONST)
		return v.kind == V_ERROR ? false : lower_error(l, n, DIAG_E0218, l->const_what);
	if (v.type != t->type) {
		lower_convert(l, t->type, n);
		return lower_error(l, n, DIAG_E0342, SYM(l->m, c->sym), type_info[t->type].name, type_info[v.type].name);
	}
	memcpy(t->data + (size_t)i * type_info[t->type].size, &v.bits, type_info[t->type].size);
	return true;
}

/* Appends a table to those of the module and stores its index in c. The array doubles when it is
 * full. */
static bool
keep(struct lower *l, struct node *c, const struct table *t)
{
	struct qd_module *m = l->m;

	if (!(m->n_tables & (m->n_tables - 1))) {
		struct table *more = lower_alloc(l, &m->arena, (m->n_tables ? 2 * m->n_tables : 1) * sizeof *more);

		if (!more)
			return false;
		if (m->n_tables)
			memcpy(more, m->tables, m->n_tables * sizeof *more);
		m->tables = more;
	}
	c->num = m->n_tables;
	m->tables[m->n_tables++] = *t;
	return true;
}

bool
table_evaluate(struct lower *l, struct node *c)
{
	struct table t = { .type = scope_type(l, c->a, true) };
	bool ok = true;
	uint32_t i = 0;

	if (!t.type)
		return false;
	if (!ir_may_be_in_table(t.type)) {
		snprintf(l->convert_text, sizeof l->convert_text, "write %s", type_info[t.type == QD_TYPE_BOOL ? QD_TYPE_U32 : type_info[t.type].wide].name);
		l->help.help = l->convert_text;
		return lower_error(l, c->a, DIAG_E0324, qd_type_name(t.type), "the elements of a table");
	}
	if (!length(l, c, t.type, &t.len) || !(t.data = lower_alloc(l, &l->m->arena, (size_t)t.len * type_info[t.type].size)))
		return false;
	for (const struct node *n = c->b->a; n && !l->stop; n = n->next)
		ok = element(l, c, n, &t, i++) && ok;
	return ok && keep(l, c, &t);
}

/* Returns room for a binding of each table that the file may declare. */
static struct binding *
bindings(struct lower *l)
{
	size_t n = 0;

	for (const struct node *i = l->m->items; i; i = i->next)
		n += i->kind == N_CONST;
	return lower_alloc(l, &l->mem, n * sizeof(struct binding));
}

struct binding *
table_find(struct lower *l, const struct node *use, struct node *c)
{
	struct binding *b;

	if (c->state != CONST_DONE && !const_evaluate(l, use, c))
		return NULL;
	if (!l->tables && !(l->tables = bindings(l)))
		return NULL;
	b = &l->tables[c->num];
	*b = (struct binding){ .kind = B_ARRAY, .type = (uint8_t)l->m->tables[c->num].type, .access = QD_ACCESS_IN,
			       .table = &l->m->tables[c->num], .sym = c->sym, .at = c->at, .len = c->len,
			       .what = "a 'const'", .array = b->array };
	return b;
}

bool
table_declare(struct lower *l, const struct node *at, struct binding *b)
{
	char name[MAX_NAME + 1], own[MAX_NAME + 16];

	if (b->array.id)
		return true;
	shared_name(l, lower_name(l, b->sym, name), own, sizeof own);
	lower_at(l, at);
	b->array = qd_table(l->b, own, b->table->type, b->table->data, b->table->len);
	return b->array.id != 0;
}

struct value
table_element(const struct table *t, uint64_t index, const struct value *other)
{
	const uint32_t size = type_info[t->type].size;
	uint64_t bits = 0;

	if (index >= t->len)
		return other ? *other : value_const(t->type, 0);
	memcpy(&bits, t->data + (size_t)index * size, size);
	return value_const(t->type, bits);
}
