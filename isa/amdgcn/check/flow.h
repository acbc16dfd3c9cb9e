/* Control-flow graph: decodes code words into lines (one for each instruction), splits
 * the lines into basic blocks, and links the blocks in both directions. The caller owns
 * all memory. It reads the code, allocates what gcn_flow_read counted, and links:
 *
 *	struct cfg f = { .line = room for n_words lines, .line_cap = n_words };
 *	gcn_flow_read(&f, target, words, n_words, NULL, 0, &err);
 *	f.block = room for f.n_block; f.edge = room for f.n_edge;
 *	gcn_flow_link(&f);
 *
 * Any words are accepted. A word that is not an instruction becomes a line of one word. A
 * branch to an invalid target is marked and not followed. */
#ifndef AMDGCN_FLOW_H
#define AMDGCN_FLOW_H

#include "gcn.h"

enum gcn_line_flag {
	LINE_UNKNOWN = 1 << 0,  /* no instruction; ends its path */
	LINE_LEADER = 1 << 1,   /* first line of its block */
	LINE_ENTRY = 1 << 2,    /* an entry given by the caller, or the first line */
	LINE_MIDDLE = 1 << 3,   /* branches into the middle of an instruction */
	LINE_OUTSIDE = 1 << 4,  /* branches out of the code */
	LINE_INDIRECT = 1 << 5, /* jumps to an address in a register, unless it is that of gcn_jump */
	LINE_OFF_END = 1 << 6,  /* runs past the last word */
	LINE_TARGET = 1 << 7    /* target of a branch */
};
#define GCN_NOWHERE UINT32_MAX

struct gcn_line {
	uint32_t offset; /* in bytes, from the first word */
	uint32_t block;
	uint32_t target; /* line of the branch's target, or GCN_NOWHERE */
	uint8_t n_words;
	uint8_t flags;
	struct gcn_insn insn; /* row is GCN_N_ROW if there is no instruction */
};

struct gcn_block {
	uint32_t first, n_line;
	uint32_t succ, n_succ; /* successors: block numbers from edge[succ] on */
	uint32_t pred, n_pred;
	bool reached; /* an entry reaches it */
	uint32_t next; /* work list of reach(); list of gcn_flow_loops */
	/* Set by gcn_flow_loops: */
	uint32_t order;     /* increases along every path from an entry, except over back edges */
	uint32_t dominator; /* immediate dominator, or GCN_NOWHERE */
	uint32_t loop;	    /* head of the innermost loop that contains it, possibly itself; or GCN_NOWHERE */
	uint32_t depth;	    /* number of loops that contain it */
	uint32_t preorder, size; /* position in the dominator tree; its subtree ends before preorder + size */
	uint32_t outer, mark, link;
	/* Dominator search: depth-first number, the block with the preceding number,
	 * semidominator; forest of finished blocks; blocks with this semidominator. */
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

/* Reads the code. Entries are byte offsets; offset 0 is always an entry. Fails if there
 * are more lines than line_cap, more than 2^30 words, or an entry inside an instruction
 * or outside the code. */
qd_status gcn_flow_read(struct cfg *f, const struct gcn_target *t, const uint32_t *words,
			size_t n_words, const uint32_t *entry, size_t n_entry,
			struct qd_error *err);
void gcn_flow_link(struct cfg *f);

/* Returns the line that begins at this byte offset, or GCN_NOWHERE. */
uint32_t gcn_flow_line_at(const struct cfg *f, uint64_t offset);

/* Finds the loops of newly linked code. A loop is a head and all blocks that lead back to
 * it without leaving what it dominates. Unreached blocks have no loops. */
void gcn_flow_loops(struct cfg *f);
/* Classifies an edge after gcn_flow_loops. WAY_BACK: to the head of a loop that contains
 * the block. WAY_ASIDE: backward to a block that is not a loop head, because it does
 * not dominate the source. */
enum gcn_way { WAY_ON, WAY_BACK, WAY_ASIDE };
enum gcn_way gcn_flow_way(const struct cfg *f, uint32_t from, uint32_t to);

#endif
