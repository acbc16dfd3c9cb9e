/* What the expansions over a whole block share.
 *
 *	slots.c	 slots in shared memory, and whose turn it is to use them
 *	block_tree.c	 totals of what the subgroups left in their slots
 *	block.c	 votes, movement, reductions, scans
 *	rank.c	 radix ranks; sorts are with those of subgroups */
#ifndef QD_PRIM_BLOCK_H
#define QD_PRIM_BLOCK_H

#include "prim.h"

/* -- slots.c ------------------------------------------------------------------------- */

/* Whose turn it is: set 0 or 1 where that is known, else a value. */
struct turn {
	uint32_t set, now;
};
/* So many slots of a memory, from base on (0: the first). */
struct slots {
	uint32_t mem, base, len;
};

uint32_t prim_subgroups(const struct lg *l); /* of the block */
/* The next turn; one barrier of the block must follow before the one after it. */
struct turn prim_turn(struct lg *l);
/* place: tells those of one turn apart. */
struct slots prim_slots(struct lg *l, struct turn turn, qd_type t, uint32_t len, uint32_t place);
/* where: 0 always; other: what is got elsewhere. */
void prim_slot_put(struct lg *l, const struct slots *s, uint32_t index, uint32_t v,
		   uint32_t where);
uint32_t prim_slot_get(struct lg *l, const struct slots *s, uint32_t index, uint32_t where,
		       uint32_t other);
/* The block's threads wait for each other. */
void prim_meet(struct lg *l);

/* -- block.c ------------------------------------------------------------------------- */

/* A value, u32: operation i is of the first so many threads; 0: of all. */
uint32_t prim_active(struct lg *l, uint32_t i);

/* The sum of v, an integer, of the threads below the own, absent ones too. */
uint32_t prim_below(struct lg *l, uint32_t v);

/* -- block_tree.c -------------------------------------------------------------------------- */

/* What two elements become: by an operation, else by a region on k values. */
struct combiner {
	enum op op; /* NONE: */
	uint32_t region, k;
};

void prim_combine(struct lg *l, const struct combiner *c, const uint32_t *x, const uint32_t *y,
		  uint32_t *out);
/* The tree over the subgroups' values, in slots s[k], the same in all threads; absent: what
 * is put in the place of none.  limit: of the block's threads so many are present, 0 all. */
void prim_fold(struct lg *l, const struct combiner *c, const struct slots *s, uint64_t absent,
	       uint32_t limit, uint32_t *out);
/* v[k] of each lane, with the subgroups below the own on its left: the nodes of their tree,
 * the nearest first.  limit: as above.  has: does the lane have something itself?  0: all do
 * whose subgroup has; it is left as whether there was anything, 0: there was. */
void prim_nodes(struct lg *l, const struct combiner *c, const struct slots *s, uint32_t limit,
		uint32_t *v, uint32_t *has);

#endif
