/* The targets that the programs here go through, by name: "gfx1100", and
 * "gfx1100:64" for the wave that is not the default. */
#ifndef TEST_GCN_TARGETS_H
#define TEST_GCN_TARGETS_H

#include "gcn.h"

enum { MAX_TARGETS = 96 };

struct targets {
	unsigned n;
	const struct gcn_target *target[MAX_TARGETS];
};

/* All of them in both waves, the first of each class, or one by its name (the
 * name alone: both waves). */
struct targets targets_all(void);
struct targets targets_of_classes(void);
struct targets targets_named(const char *name);
const char *target_name(const struct gcn_target *t, char out[40]);

#endif
