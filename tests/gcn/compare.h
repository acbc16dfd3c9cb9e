/* Comparison of one instruction between LLVM and the tables. */
#ifndef TEST_GCN_COMPARE_H
#define TEST_GCN_COMPARE_H

#include "llvm.h"
#include "tally.h"

/* Returns true if both decode an instruction and the results are equal. `parse` also parses qd's
 * text again, which is slow. */
bool compare(struct llvm_dis *x, const uint32_t w[N_WORDS], bool parse, struct tally *out);

#endif
