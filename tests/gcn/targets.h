/* Targets of the programs in this directory, by name: "gfx1100", or "gfx1100:64" for the wave size
 * that is not the default. */
#ifndef TEST_GCN_TARGETS_H
#define TEST_GCN_TARGETS_H

#include "gcn.h"
#include "llvm.h"

enum { MAX_TARGETS = 96 };

struct targets {
	unsigned n;
	const struct gcn_target *target[MAX_TARGETS];
};

/* Lists of targets: all in both wave sizes, the first of each class, or by name. A name without a
 * wave size selects both. */
struct targets targets_all(void);
struct targets targets_of_classes(void);
struct targets targets_named(const char *name);
const char *target_name(const struct gcn_target *t, char out[40]);
/* Returns the features that LLVM needs for the target's text, for -mattr: the wave size if it is
 * not the default, halves of registers where LLVM prints them only on request. */
const char *target_features(const struct gcn_target *t);
/* Opens LLVM's disassembler for the target. */
static inline bool
target_open(struct llvm_dis *x, const struct gcn_target *t)
{
	*x = (struct llvm_dis){ t, t->name, target_features(t), NULL, false };
	return llvm_open(x);
}

#endif
