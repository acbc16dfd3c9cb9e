/* Instructions that LLVM 22 interprets differently from our tables. Each view changes the input of
 * our rules for a line. If the rules agree with LLVM under a view, the view is the exact reason
 * for the difference. */
#ifndef HAZARD_VIEW_H
#define HAZARD_VIEW_H

#include "rule.h"

struct hz_scene {
	const struct gcn_target *t;
	const struct cfg *f;
	struct gcn_hazard_line *line;
	int later; /* the instruction with the difference */
};
struct hz_view {
	const char *why;
	uint32_t classes;  /* of targets */
	const char *rules; /* prefixes of the names of the affected rules; NULL: all */
	/* Each may be NULL. Traits and events are recomputed after `effect`, events also after
	 * `traits`. */
	void (*effect)(struct hz_scene *x, size_t i);
	void (*traits)(struct hz_scene *x, size_t i);
	void (*events)(struct hz_scene *x, size_t i);
};
extern const struct hz_view hz_views[];

#endif
