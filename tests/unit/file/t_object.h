/* Damage to a code object. The reader must reject it with an offset, or read something else. */
#ifndef UNIT_T_OBJECT_H
#define UNIT_T_OBJECT_H

#include "gcn_object.h"
#include "unit.h"

/* Truncates the object at every length and checks that each is rejected. */
void object_truncate(struct unit_ctx *t, const struct object_fixture *f);
/* Flips each bit. Counts the objects that are still read and those rejected. */
struct object_flips {
	unsigned n_read, n_refused;
};
void object_flip(struct unit_ctx *t, const struct object_fixture *f, struct object_flips *n);

#endif
