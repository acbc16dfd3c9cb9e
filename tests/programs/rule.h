/* Rules of src/prim that a test disables: QD_TEST_RULE names one. Included before the sources. */
#include <stdlib.h>
#include <string.h>

static inline _Bool
rule_holds(const char *name)
{
	const char *off = getenv("QD_TEST_RULE");

	return !off || strcmp(off, name) != 0;
}

#define PRIM_RULE(name) rule_holds(#name)
