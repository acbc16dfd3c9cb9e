/* The steps that compute a grid loop's count, for the files that make and explain them. */
#ifndef QD_DESCRIBE_STEPS_H
#define QD_DESCRIBE_STEPS_H

#include "describe.h"
#include "ir.h"

/* The number of a step's operands, by its operation. */
uint32_t describe_operands(uint32_t op);
/* The operation as .qdk writes it; NULL: a conversion, written as the type's name. */
const char *describe_text(uint32_t op);
/* Which operands the result of a step depends on, a bit each: v are their bits, marked those
 * of them that are wrapped numbers. */
uint32_t describe_depends(const struct description_step *s, const uint64_t *v, uint32_t marked);
/* Computes the value of every step. Returns a bit for each step whose value is, or depends on,
 * a wrapped number. */
uint64_t describe_values(const struct description *d, const uint64_t *args, uint64_t *v);

static inline uint32_t
describe_operand(const struct description_step *s, uint32_t j)
{
	return j == 0 ? s->a : j == 1 ? s->b : s->x;
}

#endif
