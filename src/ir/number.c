/* Finds values of a body that equal the one to be appended: scoped value numbering.
 *
 * A value is found from its definition to the end of the innermost arm around it, so it is defined
 * in every lane that reads it. A lookup visits two entries, so its cost does not depend on the
 * body. With one entry per hash, two values that collide would hide each other, and the length of
 * the code would depend on the numbers of its values. */
#include "ir.h"

enum { LEAST_SLOTS = 8, MOST_SLOTS = 15 }; /* log2; four per instruction */

/* The entry of the table that a value replaced. */
struct numbered {
	uint32_t slot, was, value;
};

bool
append_number(struct appender *a, uint32_t size)
{
	uint32_t log2 = LEAST_SLOTS;

	while (log2 < MOST_SLOTS && 1u << log2 < 4 * size)
		log2++;
	a->numbers.shift = 64 - log2;
	a->numbers.slots = arena_zalloc(a->mem, sizeof(uint32_t) << log2);
	return a->numbers.slots != NULL;
}

static uint32_t
hash(const struct number_table *n, const struct ins *s)
{
	uint64_t h = ((uint64_t)s->a << 32 | s->b) * UINT64_C(0x9e3779b97f4a7c15);

	h ^= ((uint64_t)s->c << 32 | (uint32_t)(s->op << 8 | s->type)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h ^= ((uint64_t)s->x << 16 | s->attr) * UINT64_C(0x165667b19e3779f9);
	return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> n->shift);
}

static bool
log_entry(struct appender *a, struct numbered e)
{
	struct number_table *n = &a->numbers;

	if (n->n_log == n->cap_log) {
		uint32_t cap = n->cap_log ? 2 * n->cap_log : 64;
		struct numbered *log = arena_alloc(a->mem, cap * sizeof *log);

		if (!log) {
			a->nomem = true;
			return false;
		}
		if (n->n_log)
			memcpy(log, n->log, n->n_log * sizeof *log);
		n->log = log;
		n->cap_log = cap;
	}
	n->log[n->n_log++] = e;
	return true;
}

/* Returns the equal value in one of the two entries of a hash, or 0. */
static uint32_t
equal_at(const struct appender *a, const struct ins *ins, uint32_t slot)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t v = a->numbers.slots[slot ^ i];

		if (v && memcmp(&a->ir->ins[v], ins, sizeof *ins) == 0)
			return v;
	}
	return 0;
}

uint32_t
append_find(const struct appender *a, const struct ins *ins)
{
	return a->numbers.slots ? equal_at(a, ins, hash(&a->numbers, ins)) : 0;
}

uint32_t
append_equal(struct appender *a, struct ins ins)
{
	struct number_table *n = &a->numbers;
	uint32_t slot, was, v;

	if (QD_UNLIKELY(!n->slots))
		return append_value(a, ins);
	slot = hash(n, &ins);
	if ((v = equal_at(a, &ins, slot)))
		return v;
	if (n->slots[slot] && !n->slots[slot ^ 1])
		slot ^= 1;
	was = n->slots[slot];
	if (!(v = append_value(a, ins)) || (a->n_open && !log_entry(a, (struct numbered){ slot, was, v })))
		return v;
	return n->slots[slot] = v;
}

void
append_forget(struct appender *a, uint32_t arm)
{
	struct number_table *n = &a->numbers;

	while (n->n_log && n->log[n->n_log - 1].value > arm) {
		n->n_log--;
		n->slots[n->log[n->n_log].slot] = n->log[n->n_log].was;
	}
}
