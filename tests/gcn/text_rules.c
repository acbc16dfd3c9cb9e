/* Lookup in the rules of text_explain.def. */
#include "text_rules.h"

#include <fnmatch.h>

#define RULE(n, has, outcome, text, reason, why) { #n, has, outcome, text, reason, why },
const struct text_rule text_rules[] = {
#include "text_explain.def"
};
const unsigned n_text_rules = sizeof text_rules / sizeof *text_rules;
_Static_assert(sizeof text_rules / sizeof *text_rules <= MAX_TEXT_RULES, "raise MAX_TEXT_RULES");

unsigned
text_explain(const struct gcn_target *t, enum text_outcome o, const char *text, const char *reason)
{
	unsigned i;

	for (i = 0; i < n_text_rules; i++) {
		const struct text_rule *r = &text_rules[i];
		if (r->outcome == o && (r->has & t->class_bit) &&
		    !fnmatch(r->text, text, FNM_EXTMATCH) && !fnmatch(r->reason, reason, FNM_EXTMATCH))
			break;
	}
	return i;
}
