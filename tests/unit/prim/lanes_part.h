/* What the files of the lockstep machine share. */
#ifndef LANES_PART_H
#define LANES_PART_H

#include "lanes.h"

/* The first of a run is kept. */
void lanes_fault(struct lanes *x, const char *fmt, ...) QD_PRINTF(2, 3);
/* Values of instruction i by thread; those of its result j, where it has several. */
uint64_t *lanes_at(const struct lanes *x, uint32_t i);
uint64_t *lanes_result(struct lanes *x, uint32_t i, uint32_t j);
uint64_t lanes_alu(struct lanes *x, const struct ins *s, const uint64_t v[3]);

/* Of the n threads from first on those that take part: the first ones, or none. */
uint32_t lanes_taking_part(struct lanes *x, const struct ins *s, const bool *act, uint32_t first,
			   uint32_t n);

/* lanes_reduce.c, lanes_nvvm.c: instruction i in the threads that act */
void lanes_reduce(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_segmented(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_match(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_warp(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_sort(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);

#endif
