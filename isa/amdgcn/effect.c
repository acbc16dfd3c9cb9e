/* Effects: defaults by format, exceptions by row. */
#include "effect.h"

static const struct gcn_props by_row[GCN_N_ROW] = {
#define EFFECT(id, class, flags) [GCN_##id] = { CL_##class, flags },
#include "effect.def"
};

const struct gcn_props *
gcn_props_of(unsigned row)
{
	return &by_row[row];
}
