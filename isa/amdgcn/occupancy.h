/* Occupancy of a kernel: resident waves per SIMD, resident work-groups per compute unit, and
 * the limiting resource. */
#ifndef AMDGCN_OCCUPANCY_H
#define AMDGCN_OCCUPANCY_H

#include "gcn.h"

struct gcn_usage {
	uint64_t n_vgpr; /* including accumulation registers if both share a file */
	uint64_t n_sgpr; /* including vcc and other reserved registers */
	uint64_t lds;	 /* bytes per work-group */
	uint64_t workgroup; /* most lanes per work-group; 0: unknown */
	bool wgp_mode;	    /* work-groups use two compute units */
};

struct gcn_occupancy {
	unsigned waves; /* per SIMD; 0: no work-group fits */
	const char *limit; /* "VGPRs", "SGPRs", "LDS", "work-groups"; "": the target's maximum */
};

/* t must be the target of the kernel's wave size. */
struct gcn_occupancy gcn_occupancy(const struct gcn_target *t, const struct gcn_usage *u);

/* Returns the most vector registers of a kernel that do not reduce the number of waves. */
uint32_t gcn_full_vgprs(const struct gcn_target *t);

/* Work-groups that are resident on the compute unit, or pair of them, that shares LDS.
 * u->workgroup must not be 0. */
struct gcn_groups {
	unsigned groups, waves; /* work-groups, and their waves in total */
	unsigned simds;		/* SIMDs of the compute unit or of the pair */
	const char *limit;	/* as above; "": the target's maximum of waves */
};
struct gcn_groups gcn_groups(const struct gcn_target *t, const struct gcn_usage *u);

#endif
