/* LLVM's assembler as the reference for single lines of text. */
#ifndef TEST_GCN_TEXT_LLVM_H
#define TEST_GCN_TEXT_LLVM_H

#include <setjmp.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORACLE_WORDS = 8, ORACLE_WHY = 80, ORACLE_BATCH = 512 };
enum verdict_kind {
	REFUSED,
	TAKEN,
	SYMBOL,  /* accepted, but a linker resolves a symbol in the text */
	CRASHED  /* LLVM crashed or did not terminate */
};
struct verdict {
	uint8_t kind, n_words;
	uint32_t w[ORACLE_WORDS];
	char why[ORACLE_WHY]; /* if rejected */
};

/* Call llvm_init of llvm.h first: its crash handler jumps here. */
extern sigjmp_buf llvm_crashed;
void oracle_init(void);
/* Assembles the lines, which must not end in a newline. */
void oracle_lines(const char *cpu, const char *features, const char *const *line, unsigned n,
		  struct verdict *out);

#ifdef __cplusplus
}
#endif
#endif
