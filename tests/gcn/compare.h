/* One instruction through LLVM and through the tables. */
#ifndef TEST_GCN_COMPARE_H
#define TEST_GCN_COMPARE_H

#include "llvm.h"
#include "tally.h"

/* `parse` also has our text read back, which takes a while.  Returns whether it
 * is an instruction in both, and the same. */
bool compare(struct llvm *x, const uint32_t w[N_WORDS], bool parse, struct tally *out);

#endif
