/* Steps that compute a grid loop's count: internal interface of the description. */
#ifndef QD_DESCRIBE_STEPS_H
#define QD_DESCRIBE_STEPS_H

#include "launch_layout.h"
#include "ir.h"

/* Returns the number of operands of an operation. */
uint32_t layout_operands(uint32_t op);
/* Returns the operation in .qdk syntax; NULL: a conversion, written as the type's name. */
const char *layout_text(uint32_t op);
/* Returns the mask of operands that the result of a step depends on. v: values of the operands;
 * marked: mask of operands whose value wrapped. */
uint32_t layout_depends(const struct layout_step *s, const uint64_t *v, uint32_t marked);
/* Computes the value of every step. Returns a bit for each step whose value is, or depends on,
 * a wrapped number. */
uint64_t layout_values(const struct launch_layout *d, const uint64_t *args, uint64_t *v);

static inline uint32_t
layout_operand(const struct layout_step *s, uint32_t j)
{
	return j == 0 ? s->a : j == 1 ? s->b : s->x;
}

#endif
