/* What an instruction does to the machine: its class, and the registers it reads
 * and writes, those that its text does not name included. */
#ifndef AMDGCN_EFFECT_H
#define AMDGCN_EFFECT_H

#include "gcn.h"

enum gcn_class {
	CL_NONE, /* no row has it */
	CL_SALU, CL_VALU, CL_MATRIX, CL_SMEM, CL_VMEM, CL_FLAT, CL_DS, CL_EXPORT,
	CL_BRANCH, CL_END, CL_BARRIER, CL_MESSAGE, CL_WAIT, CL_HINT
};

enum gcn_effect_flag {
	/* of branches */
	E_COND = 1 << 0,     /* or goes on */
	E_LINK = 1 << 1,     /* comes back behind itself */
	E_INDIRECT = 1 << 2, /* a register says where */
};

struct gcn_props {
	uint8_t class;
	uint32_t flags;
};

/* What the row alone tells. */
const struct gcn_props *gcn_props_of(unsigned row);

#endif
