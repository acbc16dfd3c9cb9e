/* Memory accesses of a program on arrays of lanes: buffers with bounds checks, shared arrays with
 * undefined initial contents, atomics on both, and barriers. */
#include <string.h>

#include "program_eval.h"

/* -- Buffers -------------------------------------------------------------------------- */

bool
value_in_range(qd_type type, uint64_t index, uint32_t len)
{
	uint32_t low = (uint32_t)index;

	if (ref_width(type) == 64)
		return index >> 63 == 0 && index < len;
	if (type == QD_TYPE_I32 && low >> 31)
		return false;
	return low < len;
}

/* Returns the kernel's array that a number means in this function. */
static uint32_t
array_of(const struct machine *m, const struct frame *f, uint32_t id)
{
	return f->f == &m->p->kernel ? id : f->f->array[id];
}

void
access_load(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	    struct vector *out)
{
	uint32_t id = array_of(m, f, x->id);
	const struct array *a = &m->p->array[id];
	struct vector index = { { 0 } }, other = { { 0 } };

	value_of(m, f, x->arg[0], on, &index);
	if (x->n > 1)
		value_of(m, f, x->arg[1], on, &other);
	FOR_LANES(m, l, on)
	{
		uint32_t at = (uint32_t)index.lane[l];

		if (value_in_range(x->arg[0]->type, index.lane[l], a->len))
			out->lane[l] = ref_widen(a->type, element_get(m->data[id], a->type, at));
		else
			out->lane[l] = other.lane[l];
	}
}

void
access_store(struct machine *m, struct frame *f, const struct stmt *s, struct mask on)
{
	uint32_t id = array_of(m, f, s->id[0]);
	const struct array *a = &m->p->array[id];
	struct vector index = { { 0 } }, v = { { 0 } };

	value_of(m, f, s->e[1], on, &v);
	value_of(m, f, s->e[0], on, &index);
	FOR_LANES(m, l, on)
	{
		uint32_t at = (uint32_t)index.lane[l];
		uint64_t bits = v.lane[l];

		if (!value_in_range(s->e[0]->type, index.lane[l], a->len))
			continue;
		if (s->op != OP_PLAIN)
			bits = ref_scalar((enum ref_op)s->op, a->type,
					  element_get(m->data[id], a->type, at), bits, m->flush);
		element_put(m->data[id], a->type, at, ref_narrow(a->type, bits));
	}
}

void
access_table(struct machine *m, struct frame *f, const struct expr *x, struct mask on, struct vector *out)
{
	const struct const_table *t = &m->p->table[x->id];
	struct vector index = { { 0 } }, other = { { 0 } };

	value_of(m, f, x->arg[0], on, &index);
	if (x->n > 1)
		value_of(m, f, x->arg[1], on, &other);
	FOR_LANES(m, l, on)
	out->lane[l] = value_in_range(x->arg[0]->type, index.lane[l], t->len) ? t->bits[(uint32_t)index.lane[l]]
									     : other.lane[l];
}

/* -- Shared arrays -------------------------------------------------------------------- */

static struct shared_memory *
shared_of(struct machine *m, struct frame *f, uint32_t id)
{
	return id == SHARED_LOCAL ? f->local : &m->shared[id];
}

/* Computes the positions of the elements from one index per lane, or two. */
static void
shared_places(struct machine *m, struct frame *f, const struct shared *a,
	      struct expr *const *index, struct mask on, struct vector *at)
{
	uint32_t len = m->p->block_dim * a->own;
	struct vector row = { { 0 } }, column = { { 0 } };

	value_of(m, f, index[0], on, &row);
	if (!a->flat)
		value_of(m, f, index[1], on, &column);
	FOR_LANES(m, l, on)
	{
		at->lane[l] = a->flat ? row.lane[l] : row.lane[l] * a->own + column.lane[l];
		if (at->lane[l] < len)
			continue;
		machine_fault(m, "the index is out of range for the shared array");
		at->lane[l] = 0;
	}
}

static uint64_t
shared_get(struct machine *m, const struct shared_memory *s, qd_type type, uint64_t at)
{
	if (!s->known[at])
		machine_fault(m, "an uninitialized element of a shared array");
	return ref_widen(type, s->bits[at]);
}

static void
shared_put(struct shared_memory *s, qd_type type, uint64_t at, uint64_t bits)
{
	s->bits[at] = ref_narrow(type, bits);
	s->known[at] = true;
}

/* -- Wide accesses --------------------------------------------------------------------- */

/* Returns the length of a statement's array and its elements' type. */
static uint64_t
wide_array(const struct machine *m, const struct frame *f, const struct stmt *s, qd_type *type)
{
	const struct shared *a = s->typed ? program_shared(m->p, f->f, s->id[0]) : NULL;

	*type = a ? a->type : m->p->array[s->id[0]].type;
	return a ? (uint64_t)m->p->block_dim * a->own : m->p->array[s->id[0]].len;
}

void
access_wide_load(struct machine *m, struct frame *f, const struct stmt *s, struct mask on)
{
	struct vector index = { { 0 } }, other = { { 0 } };
	qd_type type;
	const uint64_t len = wide_array(m, f, s, &type);

	value_of(m, f, s->e[0], on, &index);
	if (s->e[1])
		value_of(m, f, s->e[1], on, &other);
	FOR_LANES(m, l, on)
	for (uint32_t j = 0; j < s->n; j++) {
		uint64_t at = index.lane[l] * s->n + j, *to = &f->var[s->id[1] + j].lane[l];

		if (at >= len)
			*to = other.lane[l];
		else if (s->typed)
			*to = shared_get(m, shared_of(m, f, s->id[0]), type, at);
		else
			*to = ref_widen(type, element_get(m->data[s->id[0]], type, (uint32_t)at));
	}
}

void
access_wide_store(struct machine *m, struct frame *f, const struct stmt *s, struct mask on)
{
	struct vector index = { { 0 } }, v[WIDE_MOST] = { { { 0 } } };
	qd_type type;
	const uint64_t len = wide_array(m, f, s, &type);

	value_of(m, f, s->e[0], on, &index);
	/* all values before the first store: a value may be an element of the same array */
	for (uint32_t j = 0; j < s->n; j++)
		value_of(m, f, s->e[1 + j / MAX_ARGS]->arg[j % MAX_ARGS], on, &v[j]);
	FOR_LANES(m, l, on)
	for (uint32_t j = 0; j < s->n; j++) {
		uint64_t at = index.lane[l] * s->n + j, bits = v[j].lane[l];

		if (at < len && s->typed)
			shared_put(shared_of(m, f, s->id[0]), type, at, bits);
		else if (at < len)
			element_put(m->data[s->id[0]], type, (uint32_t)at, ref_narrow(type, bits));
	}
}

void
access_shared_load(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
		   struct vector *out)
{
	const struct shared *a = program_shared(m->p, f->f, x->id);
	struct shared_memory *s = shared_of(m, f, x->id);
	struct vector at = { { 0 } };

	shared_places(m, f, a, x->arg, on, &at);
	FOR_LANES(m, l, on)
	out->lane[l] = shared_get(m, s, a->type, at.lane[l]);
}

void
access_shared_store(struct machine *m, struct frame *f, const struct stmt *st, struct mask on)
{
	const struct shared *a = program_shared(m->p, f->f, st->id[0]);
	struct shared_memory *s = shared_of(m, f, st->id[0]);
	struct vector at = { { 0 } }, v = { { 0 } };

	value_of(m, f, st->e[0], on, &v);
	shared_places(m, f, a, &st->e[1], on, &at);
	FOR_LANES(m, l, on)
	{
		uint64_t bits = v.lane[l];

		if (st->op != OP_PLAIN)
			bits = ref_scalar((enum ref_op)st->op, shared_value(a),
					  shared_get(m, s, a->type, at.lane[l]), bits, m->flush);
		shared_put(s, a->type, at.lane[l], bits);
	}
}

void
access_fill(struct machine *m, struct frame *f, const struct stmt *st, struct mask on)
{
	const struct shared *a = program_shared(m->p, f->f, st->id[0]);
	struct shared_memory *s = shared_of(m, f, st->id[0]);
	struct vector v = { { 0 } };

	value_of(m, f, st->e[0], on, &v);
	FOR_LANES(m, l, on)
	for (uint32_t i = 0; i < a->own; i++)
		shared_put(s, a->type, l * a->own + i, v.lane[l]);
}

/* -- Atomics ----------------------------------------------------------------------------- */

/* Returns the new value of an element. */
static uint64_t
becomes(const struct machine *m, const struct expr *x, qd_type type, uint64_t old, uint64_t v,
	uint64_t other)
{
	const struct atomic_info *info = &atomic_info[x->op];

	switch ((enum atomic_op)x->op) {
	case ATOMIC_LOAD: return old;
	case ATOMIC_STORE:
	case ATOMIC_EXCHANGE: return v;
	case ATOMIC_CAS: return old == v ? other : old;
	default: return ref_scalar(info->op, type, old, v, m->flush);
	}
}

/* Outside the bounds of a buffer an atomic does nothing and returns 0. */
void
access_atomic(struct machine *m, struct frame *f, const struct expr *x, struct mask on,
	      struct vector *out)
{
	const struct shared *a = x->shared ? program_shared(m->p, f->f, x->id) : NULL;
	struct shared_memory *s = a ? shared_of(m, f, x->id) : NULL;
	uint32_t id = a ? 0 : array_of(m, f, x->id), n_index = a && !a->flat ? 2 : 1;
	const struct array *buffer = &m->p->array[id];
	qd_type type = a ? a->type : buffer->type;
	struct vector at = { { 0 } }, v[2] = { { { 0 } } };

	if (a)
		shared_places(m, f, a, x->arg, on, &at);
	else
		value_of(m, f, x->arg[0], on, &at);
	for (uint32_t i = n_index; i < x->n; i++)
		value_of(m, f, x->arg[i], on, &v[i - n_index]);
	FOR_LANES(m, l, on)
	{
		uint64_t old, now;

		out->lane[l] = 0;
		if (!a && !value_in_range(x->arg[0]->type, at.lane[l], buffer->len))
			continue;
		if (a && x->op == ATOMIC_STORE)
			old = 0;
		else
			old = a ? shared_get(m, s, type, at.lane[l])
				: element_get(m->data[id], type, (uint32_t)at.lane[l]);
		now = becomes(m, x, type, old, v[0].lane[l], v[1].lane[l]);
		if (a)
			shared_put(s, type, at.lane[l], now);
		else
			element_put(m->data[id], type, (uint32_t)at.lane[l], now);
		out->lane[l] = old;
	}
}

/* -- Barriers ------------------------------------------------------------------------------ */

void
access_sync(struct machine *m, bool block, struct mask on)
{
	uint32_t step = block ? m->n_lanes : m->size;

	for (uint32_t first = 0; first < m->n_lanes; first += step) {
		bool some = false, all = true;

		for (uint32_t l = first; l < first + step; l++) {
			some = some || mask_has(on, l);
			all = all && mask_has(on, l) == mask_has(m->ordinary, l);
		}
		if (some && !all)
			machine_fault(m, "a barrier that not all threads reach");
	}
}
