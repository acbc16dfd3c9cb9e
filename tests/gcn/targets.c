/* Lists of targets. */
#include "targets.h"

#include <stdio.h>

const char *
target_name(const struct gcn_target *t, char out[40])
{
	bool other = t->other_wave && t != gcn_target_find(t->name, 0);

	snprintf(out, 40, other ? "%s:%u" : "%s", t->name, t->wave);
	return out;
}

const char *
target_features(const struct gcn_target *t)
{
	bool wave = t->wave == 64 && t->other_wave, halves = t->gen >= GCN_G12;

	if (halves)
		return wave ? "+real-true16,+wavefrontsize64" : "+real-true16";
	return wave ? "+wavefrontsize64" : "";
}

static void
add(struct targets *l, const struct gcn_target *t)
{
	if (t && l->n < MAX_TARGETS)
		l->target[l->n++] = t;
}

static void
add_both(struct targets *l, const struct gcn_target *t)
{
	add(l, t);
	if (t->other_wave)
		add(l, gcn_target_find(t->name, t->other_wave));
}

struct targets
targets_all(void)
{
	struct targets l = { 0 };

	for (size_t i = 0; gcn_target_at(i); i++)
		add_both(&l, gcn_target_at(i));
	return l;
}

struct targets
targets_of_classes(void)
{
	struct targets l = { 0 };
	uint32_t seen = 0;

	for (size_t i = 0; gcn_target_at(i); i++) {
		const struct gcn_target *t = gcn_target_at(i);
		if (seen & t->class_bit)
			continue;
		seen |= t->class_bit;
		add_both(&l, t);
	}
	return l;
}

struct targets
targets_named(const char *name)
{
	struct targets all = targets_all(), l = { 0 };
	char full[40];

	for (unsigned i = 0; i < all.n; i++) {
		if (!strcmp(name, all.target[i]->name) || !strcmp(name, target_name(all.target[i], full)))
			add(&l, all.target[i]);
	}
	return l;
}
