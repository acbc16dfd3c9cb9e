/* Table of the rules of hazard.def, and their selection by target. */
#include "rule.h"

#include "table.h"

/* clang-format off */
const struct gcn_rule gcn_rules[GCN_N_RULE] = {
#define ALL4(n) n, n, n, n
#define ANY4 ALL4(GCN_ANY_DISTANCE)
#define STEP(...) STEP_OWN(__VA_ARGS__, NEVER, NONE)
#define STEP_OWN(...) STEP_(__VA_ARGS__)
#define STEP_(ev, mine, rel, other, partner, count, n2, n4, n8, n16, ends, own, own_touch) \
	{ IS_##ev, TOUCH_##mine, REL_##rel, TOUCH_##other, PARTNER_##partner, COUNT_##count, \
	  { n2, n4, n8, n16 }, ends, IS_##own, TOUCH_##own_touch },
#define RULE(name, targets, wave, ev, touch, steps, what, fix) \
	{ #name, targets, 0, wave, IS_##ev, TOUCH_##touch, { steps }, what, fix },
#define RULE_FEATURE(name, targets, feature, ev, touch, steps, what, fix) \
	{ #name, targets, GCN_##feature, 0, IS_##ev, TOUCH_##touch, { steps }, what, fix },
#include "hazard.def"
};
/* clang-format on */

bool
gcn_rule_holds(const struct gcn_rule *r, const struct gcn_target *t, uint32_t features)
{
	return (r->targets & t->class_bit) && (!r->wave || r->wave == t->wave) &&
	       (!r->feature || (r->feature & features));
}

const char *
gcn_hazard_rule(const struct gcn_target *t, size_t i)
{
	for (size_t k = 0; k < GCN_N_RULE; k++) {
		if (gcn_rule_holds(&gcn_rules[k], t, t->features) && i-- == 0)
			return gcn_rules[k].name;
	}
	return NULL;
}
