/* How many waves of a kernel a SIMD holds at once, how many work-groups of one size
 * a compute unit, and what bounds them. */
#ifndef AMDGCN_OCCUPANCY_H
#define AMDGCN_OCCUPANCY_H

#include "gcn.h"

struct gcn_usage {
	uint64_t n_vgpr; /* of both kinds together, where they share a file */
	uint64_t n_sgpr; /* with vcc and what else is counted */
	uint64_t lds;	 /* bytes of a work-group */
	uint64_t workgroup; /* most lanes of a work-group; 0: not known */
	bool wgp_mode;	    /* a work-group over two compute units */
};

struct gcn_occupancy {
	unsigned waves; /* 0: no work-group fits */
	const char *limit; /* "VGPRs", "SGPRs", "LDS", "work-groups"; "" for the most there are */
};

/* t: the target of the kernel's wave. */
struct gcn_occupancy gcn_occupancy(const struct gcn_target *t, const struct gcn_usage *u);

/* Work-groups of u->workgroup lanes, not 0, on what their LDS is shared in. */
struct gcn_groups {
	unsigned groups, waves; /* at once; waves of all of them */
	unsigned simds;		/* over which the waves are spread: of one compute unit or two */
	const char *limit;	/* as above; "" where waves find no place any more */
};
struct gcn_groups gcn_groups(const struct gcn_target *t, const struct gcn_usage *u);

#endif
