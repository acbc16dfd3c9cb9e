/* Functions shared by the files of the lockstep machine. */
#ifndef LANES_PART_H
#define LANES_PART_H

#include "lanes.h"

/* Records a fault; the first of a run is kept. */
void lanes_fault(struct lanes *x, const char *fmt, ...) QD_PRINTF(2, 3);
/* Returns the values of result j of instruction i, which has several. */
uint64_t *lanes_result(struct lanes *x, uint32_t i, uint32_t j);
uint64_t lanes_alu(struct lanes *x, const struct ins *s, const uint64_t v[3]);

/* Returns the number of active threads among n from first. They must be the first ones, and either
 * all that are not padding threads or none. */
uint32_t lanes_taking_part(struct lanes *x, const struct ins *s, const bool *act, uint32_t first,
			   uint32_t n);

/* Run instruction i in the active threads (lanes_reduce.c, lanes_nvvm.c). */
void lanes_reduce(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_segmented(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_match(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_warp(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);
void lanes_sort(struct lanes *x, uint32_t i, const struct ins *s, const bool *act);

#endif
