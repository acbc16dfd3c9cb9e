/* Labels in emitted code: forward and backward branches, code addresses, and the padding
 * after the last instruction.
 *
 *	struct gcn_label end = GCN_LABEL;
 *	gcn_branch(o, GCN_s_cbranch_execz, &end);
 *	...
 *	gcn_bind_label(o, &end);
 *
 * The words that refer to an unplaced label form a linked list in their immediates, so labels
 * need no allocation. Errors set `bad` as calls do: a branch over more than 32767 words (use
 * gcn_jump), a row that is not a branch, a label placed twice. gcn_out_end also reports labels
 * that were used and never placed. */
#ifndef AMDGCN_LABEL_H
#define AMDGCN_LABEL_H

#include "call.h"

/* Most words that a branch can skip. */
enum { GCN_BRANCH_MAX = 32767 };

struct gcn_label {
	uint32_t at;	  /* index of the labeled word, if placed */
	uint32_t branch;  /* index of the last branch to resolve, plus 1; 0: none */
	uint32_t address; /* index of the last literal to resolve, plus 1; 0: none */
	bool placed;
	bool waits; /* its address literals are those of gcn_jump with waits */
};
#define GCN_LABEL { .placed = false }

/* Emits a branch of one word, s_branch or s_cbranch_x. */
void gcn_branch(struct gcn_out *o, enum gcn_row_id row, struct gcn_label *l);
/* Places the label at the next word. gfx10.1 executes a branch over 0x3f words
 * incorrectly; there, this function may emit s_nop before the label. */
void gcn_bind_label(struct gcn_out *o, struct gcn_label *l);
/* Emits code that loads the label's address into the scalar registers dst and dst + 1; dst
 * must be even. The code writes scc. wait: as of gcn_jump. */
void gcn_label_address(struct gcn_out *o, uint32_t dst, uint32_t wait, struct gcn_label *l);
/* Emits a jump over any distance, through the scalar registers dst and dst + 1; dst must be even.
 * It writes scc. wait: the immediate of an s_waitcnt_depctr between each write of the registers
 * and the next read, or GCN_NO_WAIT. All jumps to a label have the same one. */
enum { GCN_NO_WAIT = 0x10000 };
void gcn_jump(struct gcn_out *o, uint32_t dst, uint32_t wait, struct gcn_label *l);
/* Returns the branch with the inverse condition, or GCN_N_ROW for an unconditional one. */
enum gcn_row_id gcn_inverse_branch(enum gcn_row_id row);

/* Emits padding for the instruction prefetch: up to the end of a cache line, then
 * GCN_CODE_END_WORDS words of s_code_end, or of s_nop before gfx10. LLVM emits 192 to 1024
 * bytes, depending on the generation; 1024 suffice for all. */
enum { GCN_CODE_END_WORDS = 256 };
void gcn_code_end(struct gcn_out *o);

#endif
