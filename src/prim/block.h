/* Common interface of the expansions over a whole block.
 *
 *	slots.c	 slots in shared memory, and the turns to use them
 *	block_tree.c	 totals of the values that the subgroups stored in their slots
 *	block.c	 votes, movement, reductions, scans
 *	rank.c	 radix ranks; sorts are with those of subgroups */
#ifndef QD_PRIM_BLOCK_H
#define QD_PRIM_BLOCK_H

#include "prim.h"

/* -- slots.c ------------------------------------------------------------------------- */

/* The turn selects a set of slots: set 0 or 1 if it is known statically, else the value `now`. */
struct turn {
	uint32_t set, now;
};
/* `len` slots of a memory, from value `base` on (0: the first). */
struct slots {
	uint32_t mem, base, len;
};

uint32_t prim_subgroups(const struct lg *l); /* of the block */
/* Begins the next turn. A block barrier must follow before the turn after it. */
struct turn prim_turn(struct lg *l);
/* Returns the slots of a turn. place: distinguishes the slots of one turn. */
struct slots prim_slots(struct lg *l, struct turn turn, qd_type t, uint32_t len, uint32_t place);
/* Access a slot if `where` holds; where 0: always. other: the result if it does not hold. */
void prim_slot_put(struct lg *l, const struct slots *s, uint32_t index, uint32_t v,
		   uint32_t where);
uint32_t prim_slot_get(struct lg *l, const struct slots *s, uint32_t index, uint32_t where,
		       uint32_t other);
/* Emits a barrier of the block. */
void prim_meet(struct lg *l);

/* -- block.c ------------------------------------------------------------------------- */

/* Returns a u32 value: operation i includes only that many first threads; 0: all. */
uint32_t prim_active(struct lg *l, uint32_t i);

/* Returns the sum of integer v over all lower threads, padding threads included. */
uint32_t prim_below(struct lg *l, uint32_t v);

/* -- block_tree.c -------------------------------------------------------------------------- */

/* The combination of two elements: an operation, or a region on k values. */
struct combiner {
	enum op op; /* OP_NONE: use the region */
	uint32_t region, k;
};

void prim_combine(struct lg *l, const struct combiner *c, const uint32_t *x, const uint32_t *y,
		  uint32_t *out);
/* Combines the subgroups' values in slots s[k] by the tree. The result is the same in all
 * threads. padding: the value for a missing leaf. limit: included threads of the block, 0: all. */
void prim_fold(struct lg *l, const struct combiner *c, const struct slots *s, uint64_t padding,
	       uint32_t limit, uint32_t *out);
/* Combines v[k] of each lane with the lower subgroups on its left: the nodes of their tree, the
 * nearest first. limit: as above. has: on entry, whether the lane has a value; 0: every lane of
 * an included subgroup has. On return, whether the result has a value; 0: it has. */
void prim_nodes(struct lg *l, const struct combiner *c, const struct slots *s, uint32_t limit,
		uint32_t *v, uint32_t *has);

#endif
