/* The table of sem.def. */
#include "ops.h"

#include "table.h"

void
amd_op_none(struct op *o)
{
	(void)o;
}

static const struct sem sems[GCN_N_ROW] = {
#define SEM(row, unit, fn, taint, kind, bytes, flags, atomic)                                      \
	[GCN_##row] = { amd_op_##fn, unit, taint, kind, bytes, flags, atomic, #fn, WHERE },
#include "sem.def"
};

const struct sem *
amd_sem(unsigned row)
{
	return sems[row].fn ? &sems[row] : NULL;
}
