/* LLVM's disassembler as the reference. */
#ifndef TEST_GCN_LLVM_H
#define TEST_GCN_LLVM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcn_target;

#ifdef __cplusplus
extern "C" {
#endif

enum { TEXT_CAP = 512 };

struct llvm_dis {
	const struct gcn_target *target;
	const char *cpu, *features;
	struct llvm_context *context;
	bool soft; /* the last words have ignored bits that LLVM does not expect */
};

/* Jump target after a crash of LLVM's, or an alarm. */
extern sigjmp_buf llvm_crashed;
void llvm_init(void);
/* Opens x->cpu with x->features, which must outlive x; see also target_open. */
bool llvm_open(struct llvm_dis *x);
void llvm_close(struct llvm_dis *x);
/* Returns the bytes of the instruction at `w`, with its text without tabs; 0 if it is invalid, -1
 * if LLVM crashed. A text with a comment of LLVM's ("Invalid register", "Warning: unaligned") is
 * not valid for an assembler. It counts as invalid, but is still in `text`. */
int llvm_text(struct llvm_dis *x, const uint32_t *w, size_t n_words, char text[TEXT_CAP]);

#ifdef __cplusplus
}
#endif

#endif
