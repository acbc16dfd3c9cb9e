/* The analysis behind pass_uniform, pass_levels and pass_check_kernel. */
#ifndef QD_PASS_UNIFORM_H
#define QD_PASS_UNIFORM_H

#include "pass.h"

struct uniform {
	const struct qd_kernel *k;
	const struct ir *ir;
	const struct memory *mems;
	struct arena *mem;
	struct qd_error *err;
	uint32_t log2_size; /* LOG2_FULL: no target yet, every tile counts as a subgroup */
	bool one_subgroup;  /* the block is one: what is uniform in it is in the block too */
	const struct machine *made; /* its subgroups are not the hardware's; NULL: they are */
	const char *on[2];	    /* that machine in messages */
	bool check;	    /* report violations */
	uint8_t *level;	    /* result: one per instruction */
};

qd_status uniform_run(struct uniform *u);

/* -- uniformity_help.c: what to write in place of a call that not all lanes reach ---------- */

/* What keeps the lanes apart at the call. */
enum apart {
	APART_IF,
	APART_LOOP,
	APART_JUMP,
	APART_PAST /* a jump that also leaves the grid loop before the call */
};
enum { UNIFORM_HELP = 400 };

/* Writes what to do about operation i, that the kernel calls `name()`, so that the lanes that come to
 * it today get the same result.  in_block: control flow must be uniform in the block. */
QD_COLD void uniform_help(const struct uniform *u, uint32_t i, enum apart apart, bool in_block,
			  const char *name, char *out, size_t size);

/* -- uniformity.c: the graph that the levels are found on ------------------------------------ */

struct edge {
	uint32_t to, next;
};

/* Nodes are the instructions and, from ir->n on, states of control flow.  A node's
 * level is that of the least uniform node with an edge to it. */
struct levels {
	struct uniform *u;
	uint8_t *level;
	uint32_t *cause; /* the node that raised it; 0: its own nature */
	uint32_t *head;	 /* of the list of edges from it */
	uint32_t *born;	 /* the instruction at which it was made */
	uint32_t n, cap;
	struct edge *edges;
	uint32_t n_edges, cap_edges;
	uint32_t *queue, n_queue, cap_queue;
	uint32_t *control; /* by operation that lanes come to together: the state around it */
	bool at_once; /* nothing that is met later can raise what was met: no edges, levels alone */
	bool nomem;
};

/* The whole fix-point; every level in l->level. */
qd_status levels_find(struct levels *l, struct uniform *u);

#endif
