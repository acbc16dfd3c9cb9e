/* Vectors: accesses of a legal body to adjacent elements, which a back end may emit as one instruction. */
#ifndef QD_PASS_VECTOR_H
#define QD_PASS_VECTOR_H

#include "pass.h"

enum { VECTOR_BYTES = 16, VECTOR_LEAST = 4 };

struct vector {
	uint32_t of[VECTOR_BYTES];   /* accesses, by element */
	uint32_t n, first, size;     /* elements; distance of the first from the index; bytes of an element */
};

/* Finds the largest vector that contains access i and may be emitted there. Its first element is a multiple of n. It
 * has 4, 8 or 16 bytes. Returns false if there is none. */
bool vector_find(const struct body *b, uint32_t i, struct vector *v);
/* Returns its number of words, or of pairs of words for elements of 64 bits. */
static inline uint32_t
vector_parts(const struct vector *v)
{
	return v->size < 4 ? v->n * v->size / 4 : v->n;
}
/* Returns the constant that access s adds to its index. */
static inline uint32_t
vector_near(const struct ins *s)
{
	return s->attr & ATTR_NEAR ? (uint32_t)s->attr >> ATTR_NEAR_AT & MAX_NEAR : 0;
}

#endif
