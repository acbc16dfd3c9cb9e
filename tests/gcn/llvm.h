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

/* Where a crash of LLVM's goes, or an alarm. */
extern sigjmp_buf llvm_crashed;
void llvm_init(void);
bool llvm_open(struct llvm *x, const struct gcn_target *t);
void llvm_close(struct llvm *x);
/* The bytes of the instruction at `w` and its text without the tabs; 0 when it
 * is none, -1 when LLVM crashed on it.  A text with a comment of LLVM's in it
 * ("Invalid register", "Warning: unaligned") is not one that an assembler
 * takes: it counts as none, but is left in `text`. */
int llvm_text(struct llvm *x, const uint32_t *w, size_t n_words, char text[TEXT_CAP]);

#endif
