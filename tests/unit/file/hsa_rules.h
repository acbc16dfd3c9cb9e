/* What loaders ask of an HSA code object, read from its bytes alone: ROCr's loader, HIP's
 * and LLVM's usage guide. */
#ifndef UNIT_HSA_RULES_H
#define UNIT_HSA_RULES_H

#include "gcn.h"

enum { HSA_WHY = 200 };
/* The first rule that the object for this target breaks, and where; NULL: none. */
const char *hsa_rule_broken(const void *bytes, size_t size, const struct gcn_target *target,
			    char why[HSA_WHY]);

#endif
