/* The table of sem.def. */
#include "ops.h"

#include "table.h"

void
amd_op_none(struct op *o)
{
	(void)o;
}

static const struct sem sems[] = {
#define SEM(row, unit, fn, taint, kind, bytes, flags, atomic)                                      \
	{ amd_op_##fn, unit, taint, kind, bytes, flags, atomic },
#include "sem.def"
};

enum {
#define SEM(row, ...) SEM_##row,
#include "sem.def"
};

/* The index in sems plus 1; 0: not modeled. */
static const uint16_t sem_of[GCN_N_ROW] = {
#define SEM(row, ...)	 [GCN_##row] = SEM_##row + 1,
#define SAME(row, first) [GCN_##row] = SEM_##first + 1,
#include "sem.def"
};

const struct sem *
amd_sem(unsigned row)
{
	return sem_of[row] ? &sems[sem_of[row] - 1] : NULL;
}
