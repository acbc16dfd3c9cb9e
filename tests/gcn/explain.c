/* Lookup in the rules of explain.def. */
#include "explain.h"

#include <fnmatch.h>

#define RULE(n, h, e, l, o, w) { #n, h, e, l, o, w, false },
#define RULE_BOTH(n, h, e, l, o, w) { #n, h, e, l, o, w, true },
const struct rule rules[] = {
#include "explain.def"
};
const unsigned n_rules = sizeof rules / sizeof *rules;
_Static_assert(sizeof rules / sizeof *rules <= MAX_RULES, "raise MAX_RULES");

unsigned
explain(const struct gcn_target *t, const char *encoding, const char *llvm, const char *ours)
{
	unsigned i;

	for (i = 0; i < n_rules; i++) {
		if ((rules[i].has & t->class_bit) && !fnmatch(rules[i].encoding, encoding, FNM_EXTMATCH) &&
		    !fnmatch(rules[i].llvm, llvm, FNM_EXTMATCH) &&
		    !fnmatch(rules[i].ours, ours, FNM_EXTMATCH))
			break;
	}
	return i;
}
