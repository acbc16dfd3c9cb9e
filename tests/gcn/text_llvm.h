/* LLVM's assembler as the reference for text: what it makes of single lines. */
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
	SYMBOL,  /* taken, but a linker fills in what a word in the text stands for */
	CRASHED  /* LLVM did, or does not come to an end */
};
struct verdict {
	uint8_t kind, n_words;
	uint32_t w[ORACLE_WORDS];
	char why[ORACLE_WHY]; /* when refused */
};

/* After llvm_init of llvm.h, whose handler of crashes jumps here. */
extern sigjmp_buf llvm_crashed;
void oracle_init(void);
/* What becomes of each of the lines, of which none ends in a newline; wave64 for targets that have
 * both. */
void oracle_lines(const char *cpu, int wave64, const char *const *line, unsigned n,
		  struct verdict *out);

#ifdef __cplusplus
}
#endif
#endif
