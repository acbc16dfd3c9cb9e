/* Damage to a code object, of which nothing worse may come than a refusal that says where. */
#ifndef UNIT_T_OBJECT_H
#define UNIT_T_OBJECT_H

#include "gcn_object.h"
#include "unit.h"

/* Cut at every length: each is refused. */
void object_truncate(struct unit_ctx *t, const struct object_fixture *f);
/* Each bit flipped: counts what is read then and what is refused. */
struct object_flips {
	unsigned n_read, n_refused;
};
void object_flip(struct unit_ctx *t, const struct object_fixture *f, struct object_flips *n);

#endif
