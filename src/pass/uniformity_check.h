/* The analysis that pass_uniformity_check, pass_levels and pass_check_kernel share. */
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
	bool one_subgroup;  /* the block is one subgroup: uniform in the subgroup means uniform
			     * in the block */
	const struct machine *made; /* set if the kernel's subgroups are not the hardware's;
				     * else NULL */
	const char *on[2];	    /* the name of `made` in messages */
	bool check;	    /* report violations */
	uint8_t *level;	    /* result: one per instruction */
};

qd_status uniform_run(struct uniform *u);

/* -- uniformity_help.c: replacements for a call that not all lanes reach ------------------- */

/* The cause of divergence at the call. */
enum apart {
	APART_IF,
	APART_LOOP,
	APART_JUMP,
	APART_PAST /* a jump that also leaves the grid loop before the call */
};
enum { UNIFORM_HELP = 400 };

/* Writes a replacement for operation i, which the kernel calls `name()`. All lanes reach the
 * replacement, and the lanes that reach the call today get the same result. in_block: control
 * flow must be uniform in the block. */
QD_COLD void uniform_help(const struct uniform *u, uint32_t i, enum apart apart, bool in_block,
			  const char *name, char *out, size_t size);

/* -- uniformity.c: the dependency graph of levels -------------------------------------------- */

struct edge {
	uint32_t to, next;
};

/* Dependency graph. Nodes are the instructions and, from ir->n on, states of control flow. A
 * node's level is the least uniform of all nodes with an edge to it. */
struct levels {
	struct uniform *u;
	uint8_t *level;
	uint32_t *cause; /* the node that raised it; 0: its own operation */
	uint32_t *head;	 /* head of the list of its outgoing edges */
	uint32_t *born;	 /* the instruction at which it was created */
	uint32_t n, cap;
	struct edge *edges;
	uint32_t n_edges, cap_edges;
	uint32_t *queue, n_queue, cap_queue;
	uint32_t *control; /* by cross-lane operation: the node of the control flow around it */
	bool at_once; /* no later instruction can raise an earlier node: levels only, no edges */
	bool nomem;
};

/* Computes the fixed point: all levels in l->level. */
qd_status levels_find(struct levels *l, struct uniform *u);

#endif
