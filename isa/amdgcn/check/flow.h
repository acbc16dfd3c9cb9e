/* Control flow: code words read into lines (one per instruction), lines cut into
 * basic blocks, blocks linked both ways.  All memory is the caller's, who reads
 * first, then gives room for what reading counted, then links:
 *
 *	struct cfg f = { .line = room for n_words lines, .line_cap = n_words };
 *	gcn_flow_read(&f, target, words, n_words, NULL, 0, &err);
 *	f.block = room for f.n_block; f.edge = room for f.n_edge;
 *	gcn_flow_link(&f);
 *
 * Any words will do: what is no instruction is a line of one word, a branch that
 * leads nowhere sensible is marked and not followed. */
#ifndef AMDGCN_FLOW_H
#define AMDGCN_FLOW_H

#include "gcn.h"

enum gcn_line_flag {
	LINE_UNKNOWN = 1 << 0,  /* no instruction; ends its path */
	LINE_LEADER = 1 << 1,   /* the first of its block */
	LINE_ENTRY = 1 << 2,    /* named by the caller as one, or the first of all */
	LINE_MIDDLE = 1 << 3,   /* branches into the middle of an instruction */
	LINE_OUTSIDE = 1 << 4,  /* branches out of the code */
	LINE_INDIRECT = 1 << 5, /* goes on where a register says */
	LINE_OFF_END = 1 << 6,  /* runs past the last word */
	LINE_TARGET = 1 << 7    /* some branch leads here */
};
#define GCN_NOWHERE UINT32_MAX

struct gcn_line {
	uint32_t offset; /* bytes from the first word */
	uint32_t block;
	uint32_t target; /* line of the branch's target, or GCN_NOWHERE */
	uint8_t n_words;
	uint8_t flags;
	struct gcn_insn insn; /* row GCN_N_ROW where there is no instruction */
};

struct gcn_block {
	uint32_t first, n_line;
	uint32_t succ, n_succ; /* edge[succ] and on: numbers of blocks */
	uint32_t pred, n_pred;
	bool reached; /* from an entry */
	uint32_t next; /* chains blocks while reaching them */
	/* Of gcn_flow_loops: */
	uint32_t order;     /* every way from an entry has rising numbers, but for edges back */
	uint32_t dominator; /* the last that all ways from entries go through, or GCN_NOWHERE */
	uint32_t loop;	    /* the head of the innermost loop around it, itself one; or GCN_NOWHERE */
	uint32_t depth;	    /* loops around it */
	uint32_t place, size; /* in the tree of dominators: it has place to place + size */
	uint32_t outer, mark, link;
	/* Of the search for dominators: the place in the depth-first order, the block before there, the
	 * semidominator; of the forest of blocks that are done; blocks with this semidominator. */
	struct {
		uint32_t number, earlier, semi, ancestor, label, path, bucket, waits;
	} search;
};

struct cfg {
	const struct gcn_target *target;
	struct gcn_line *line;
	size_t n_line, line_cap;
	struct gcn_block *block;
	size_t n_block;
	uint32_t *edge;
	size_t n_edge;
};

/* Entries are byte offsets; offset 0 is always one.  Refused: no room for the
 * lines, more than 2^30 words, an entry inside an instruction or outside. */
qd_status gcn_flow_read(struct cfg *f, const struct gcn_target *t, const uint32_t *words,
			size_t n_words, const uint32_t *entry, size_t n_entry,
			struct qd_error *err);
void gcn_flow_link(struct cfg *f);

/* The line that begins at this byte, or GCN_NOWHERE. */
uint32_t gcn_flow_line_at(const struct cfg *f, uint64_t offset);

/* Loops of linked code, which has none before: a head and all that leads back to it without leaving what it
 * dominates.  What is not reached has none. */
void gcn_flow_loops(struct cfg *f);
/* After that: how the edge goes.  BACK to the head of a loop that the block is in;
 * ASIDE: back too, but to a block that is no head, since another way leads there. */
enum gcn_way { WAY_ON, WAY_BACK, WAY_ASIDE };
enum gcn_way gcn_flow_way(const struct cfg *f, uint32_t from, uint32_t to);

#endif
