/* How LLVM 22 reads instructions where our tables read them otherwise, each as a
 * change of what our rules are told of a line: where the rules, told so, agree with
 * what LLVM did, the change is the reason of a difference, exactly. */
#ifndef HAZARD_VIEW_H
#define HAZARD_VIEW_H

#include "rule.h"

struct hz_scene {
	const struct gcn_target *t;
	const struct cfg *f;
	struct gcn_hazard_line *line;
	int later; /* the instruction that the difference is about */
};
struct hz_view {
	const char *why;
	uint32_t classes;  /* of targets */
	const char *rules; /* how the names of those begin that it is about; NULL: of all */
	/* Each may be left out; what follows from the effect is found out again
	 * behind `effect`, from the traits behind `traits`. */
	void (*effect)(struct hz_scene *x, size_t i);
	void (*traits)(struct hz_scene *x, size_t i);
	void (*events)(struct hz_scene *x, size_t i);
};
extern const struct hz_view hz_views[];

#endif
