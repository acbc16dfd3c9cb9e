/* Requirements of loaders on an HSA code object, checked on its bytes alone. Sources: ROCr's
 * loader, HIP, and LLVM's usage guide. */
#ifndef UNIT_HSA_RULES_H
#define UNIT_HSA_RULES_H

#include "gcn.h"

enum { HSA_WHY = 200 };
/* Returns the first rule that the object for this target violates, with the reason in `why`, or
 * NULL. */
const char *hsa_rule_broken(const void *bytes, size_t size, const struct gcn_target *target,
			    char why[HSA_WHY]);

#endif
