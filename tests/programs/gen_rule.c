/* Rules of the AMD generator (GEN_RULE): QD_TEST_RULE names the one to disable. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool gen_rule(const char *name);

bool
gen_rule(const char *name)
{
	const char *without = getenv("QD_TEST_RULE");

	return !without || strcmp(name, without) != 0;
}
