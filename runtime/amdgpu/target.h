/* Identifies AMD's targets by the numbers that the kernel driver reports, and describes their
 * properties for streams. */
#ifndef AMDGPU_TARGET_H
#define AMDGPU_TARGET_H

#include "amd_abi.h"

/* Columns of pm4.def: devices with the same packets and registers. */
enum pm4_gen { PM4_G9, PM4_G908, PM4_G90A, PM4_G94, PM4_G10, PM4_G103, PM4_G11, PM4_G12, PM4_N_GEN };

enum amd_feature { AMD_XNACK = 1, AMD_SRAMECC = 2, AMD_AGPR = 4, AMD_ONE_FILE = 8, AMD_SGPR16 = 16 };

struct amd_gpu {
	const char *name; /* of the target, such as "gfx1100" */
	enum pm4_gen gen;
	uint8_t sizes; /* sum of the wave sizes */
	uint32_t lds_size, lds_granule;
	/* simds: per compute unit; others: per SIMD, as in amd_abi.def */
	uint32_t simds, max_waves, vgpr_file, vgpr_unit, encode_32, encode_64;
	uint32_t features;
	uint32_t ip[2], rev[2]; /* AMD_IP, AMD_REV; 0: no second one */
};

/* Return the target of this name or index, or NULL. */
const struct amd_gpu *amd_gpu_find(const char *name, size_t len);
const struct amd_gpu *amd_gpu_at(size_t i);

/* ip: version of the graphics core from IP discovery, or 0 if not available (kernels before DRM
 * 3.48, older devices). Then family_id and the external revision decide. Returns QD_E_UNAVAILABLE
 * with a message if the device is unknown or rejected. */
qd_status amd_gpu_identify(uint32_t ip, uint32_t family, uint32_t external_rev,
			   const struct amd_gpu **out, struct qd_error *err);
/* Return the i-th such number of this target; false if there are no more. */
bool amd_gpu_ip(const struct amd_gpu *g, size_t i, uint32_t *ip);
bool amd_gpu_family(const struct amd_gpu *g, size_t i, uint32_t *family, uint32_t *first_rev,
		    uint32_t *last_rev);

#endif
