/* LLVM's disassembler as the reference. */
#ifndef TEST_GCN_LLVM_H
#define TEST_GCN_LLVM_H

#include <setjmp.h>

#include "table.h"

enum { TEXT_CAP = 512 };

struct llvm {
	const struct gcn_target *target;
	void *context;
};

/* Jump target after a crash of LLVM's, or an alarm. */
extern sigjmp_buf llvm_crashed;
void llvm_init(void);
bool llvm_open(struct llvm *x, const struct gcn_target *t);
void llvm_close(struct llvm *x);
/* Returns the bytes of the instruction at `w`, with its text without tabs; 0 if it is invalid, -1
 * if LLVM crashed.  A text with a comment of LLVM's ("Invalid register", "Warning: unaligned") is
 * not valid for an assembler.  It counts as invalid, but is still in `text`. */
int llvm_text(struct llvm *x, const uint32_t *w, size_t n_words, char text[TEXT_CAP]);

#endif
