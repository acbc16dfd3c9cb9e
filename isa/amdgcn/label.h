/* Places in code that is being written: branches to labels that come later or came
 * before, addresses of code, and what stands behind the last instruction.
 *
 *	struct gcn_label end = GCN_LABEL;
 *	gcn_branch(o, GCN_s_cbranch_execz, &end);
 *	...
 *	gcn_bind_label(o, &end);
 *
 * Who waits for a label is kept in the words themselves, so a label is four numbers and
 * nothing is allocated.  What goes wrong sets `bad` as a call does: a branch over more
 * than 32767 words, a row that is no branch, a label placed twice; gcn_out_end also tells
 * of labels that were used and never placed. */
#ifndef AMDGCN_LABEL_H
#define AMDGCN_LABEL_H

#include "call.h"

/* Words that a branch leads over, at most. */
enum { GCN_BRANCH_MAX = 32767 };

struct gcn_label {
	uint32_t at;	  /* the word it stands before, when it is placed */
	uint32_t branch;  /* the last word that waits for it, plus 1; 0: none does */
	uint32_t address; /* the last literal, in the same way */
	bool placed;
};
#define GCN_LABEL { .placed = false }

/* A branch of one word, s_branch or s_cbranch_x. */
void gcn_branch(struct gcn_out *o, enum gcn_row_id row, struct gcn_label *l);
/* Here it stands.  On gfx10.1, where a branch over 0x3f words goes elsewhere, an s_nop or
 * more may come before it. */
void gcn_bind_label(struct gcn_out *o, struct gcn_label *l);
/* Its address into a pair of scalar registers, an even one first; scc is written. */
void gcn_label_address(struct gcn_out *o, uint32_t dst, struct gcn_label *l);

/* What the instruction fetch may read behind the end: up to the end of a cache line, and
 * GCN_CODE_END_WORDS more, of s_code_end, or of s_nop where there is none.  LLVM pads with
 * 192 to 1024 bytes by the generation; this is as much on each. */
enum { GCN_CODE_END_WORDS = 256 };
void gcn_code_end(struct gcn_out *o);

#endif
