/* Finds vectors in legal bodies: runs of ATTR_NEAR from an index that is a multiple of their number. */
#include "vector.h"

enum { LOOK = 64 /* instructions from the first access to the last */ };

static bool
is_alike(const struct ins *s, const struct ins *t)
{
	return t->op == s->op && t->x == s->x && t->a == s->a && t->c == s->c && (s->op == OP_STORE || t->b == s->b) &&
	       t->attr & ATTR_NEAR && !((t->attr ^ s->attr) & ATTR_BITS);
}

/* Finds the accesses that may be made where access i is, by distance from the index: the first one of each. */
static void
look(const struct ir *ir, uint32_t i, uint32_t found[MAX_NEAR + 1])
{
	const struct ins *s = &ir->ins[i];
	const uint32_t end = ir->n - i > LOOK ? i + LOOK : ir->n;

	for (uint32_t j = i; j < end; j++) {
		const struct ins *t = &ir->ins[j];

		if (is_alike(s, t) && !found[vector_near(t)])
			found[vector_near(t)] = j;
		else if (s->op == OP_STORE || op_flow[t->op] || op_info[t->op].effect > EFFECT_READ)
			break;
	}
}

bool
vector_find(const struct body *b, uint32_t i, struct vector *v)
{
	const struct ins *s = &b->ir.ins[i];
	const uint32_t size = type_info[b->mems[s->x].type].size;
	uint32_t found[MAX_NEAR + 1] = { 0 }, n = VECTOR_BYTES / size, zeros, k;

	if (!(s->attr & ATTR_NEAR) || (size < 4 && s->op == OP_LOAD && s->b))
		return false;
	zeros = ir_zeros(&b->ir, s->a);
	look(&b->ir, i, found);
	while (zeros < 5 && n > 1u << zeros)
		n /= 2;
	for (; n > 1 && n * size >= VECTOR_LEAST; n /= 2) {
		v->first = vector_near(s) - vector_near(s) % n;
		for (k = 0; k < n && v->first + k <= MAX_NEAR && found[v->first + k]; k++)
			v->of[k] = found[v->first + k];
		if (k < n)
			continue;
		v->n = n;
		v->size = size;
		return true;
	}
	return false;
}
