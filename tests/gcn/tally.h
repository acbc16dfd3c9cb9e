/* Results of a comparison on one target: counts per encoding, differences by opcode with their
 * first words, opcodes seen. Has no pointers, so a child process can fill it in shared memory. */
#ifndef TEST_GCN_TALLY_H
#define TEST_GCN_TALLY_H

#include "encoding.h"
#include "explain.h"

enum outcome {
	SAME, REJECT, EXPLAINED, TEXT, ONLY_LLVM, ONLY_US, CRASH,
	UNSTABLE, UNPARSED, /* in addition to another outcome: found by encoding or parsing again */
	N_OUTCOME
};
enum { N_NAME = 64, N_SAMPLE = 160, MAX_DIFFERENCES = 1024, MAX_OPCODES = 8192, MAX_EXAMPLES = 8 };

struct difference {
	uint8_t encoding, outcome; /* encoding: of the name (encoding_name) */
	uint32_t n, w[N_WORDS];
	char name[N_NAME], llvm[N_SAMPLE], ours[N_SAMPLE];
};
struct opcode {
	char name[N_NAME]; /* as LLVM prints it; empty: a free slot */
	uint8_t encoding;
	uint32_t n, n_ours; /* decoded by LLVM; of those, decoded by us under the same name */
	uint32_t w[N_WORDS];
};
struct tally {
	const struct gcn_target *target;
	unsigned fault; /* injected: our decoder rejects half of this row's words; or GCN_N_ROW */
	uint64_t n[MAX_ENCODINGS][N_OUTCOME];
	uint64_t explained[MAX_RULES];
	char example[MAX_RULES][MAX_EXAMPLES][N_SAMPLE]; /* words and LLVM's text */
	uint32_t n_differences, lost; /* lost: differences beyond the capacity */
	struct difference difference[MAX_DIFFERENCES];
	struct opcode opcode[MAX_OPCODES];
	uint32_t row[GCN_N_ROW]; /* words of the row that both decode equally */
};

/* Counts a difference and stores the first words that show it. */
void tally_difference(struct tally *t, unsigned encoding, enum outcome outcome, const char *name,
		      const uint32_t w[N_WORDS], const char *llvm, const char *ours);
void tally_explained(struct tally *t, unsigned rule, const uint32_t w[N_WORDS], const char *llvm,
		     int n_words);
void tally_opcode(struct tally *t, unsigned encoding, const char *name, bool ours,
		  const uint32_t w[N_WORDS]);
/* Numbers of all words, of words that at least one side decodes, and of equal results. Excludes
 * explained differences. */
struct share {
	uint64_t words, decoded, same;
};
struct share tally_share(const struct tally *t, unsigned encoding);

#endif
