/* Targets of the programs in this directory, by name: "gfx1100", or "gfx1100:64" for the wave size
 * that is not the default. */
#ifndef TEST_GCN_TARGETS_H
#define TEST_GCN_TARGETS_H

#include "gcn.h"

enum { MAX_TARGETS = 96 };

struct targets {
	unsigned n;
	const struct gcn_target *target[MAX_TARGETS];
};

/* Lists of targets: all in both wave sizes, the first of each class, or by name.  A name without a
 * wave size selects both. */
struct targets targets_all(void);
struct targets targets_of_classes(void);
struct targets targets_named(const char *name);
const char *target_name(const struct gcn_target *t, char out[40]);

#endif
