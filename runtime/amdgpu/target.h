/* Which of AMD's targets a device is, by the numbers that the kernel driver gives, and what
 * streams for it must know. */
#ifndef AMDGPU_TARGET_H
#define AMDGPU_TARGET_H

#include "base.h"

/* Columns of pm4.def: devices whose packets and registers are the same. */
enum pm4_gen { PM4_G9, PM4_G908, PM4_G90A, PM4_G94, PM4_G10, PM4_G103, PM4_G11, PM4_G12, PM4_N_GEN };

enum amd_feature { AMD_XNACK = 1, AMD_SRAMECC = 2, AMD_AGPR = 4, AMD_ONE_FILE = 8 };

struct amd_gpu {
	const char *name; /* of the target: "gfx1100" */
	enum pm4_gen gen;
	uint8_t sizes; /* of waves, added up */
	uint32_t lds_size, lds_granule;
	/* simds of a compute unit; the others of a SIMD, as target.def says */
	uint32_t simds, max_waves, vgpr_file, vgpr_unit, encode_32, encode_64;
	uint32_t features;
};

#define AMD_IP_VERSION(major, minor, revision)                                                     \
	((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(revision))

/* By name; NULL: there is none.  By place; NULL: behind the last. */
const struct amd_gpu *amd_gpu_find(const char *name, size_t len);
const struct amd_gpu *amd_gpu_at(size_t i);

/* ip: what IP discovery says of the graphics core, or 0 where it says nothing (kernels
 * before DRM 3.48, older devices); then family_id and the external revision decide.
 * QD_E_UNAVAILABLE with a sentence where the device is not known, or is refused. */
qd_status amd_gpu_identify(uint32_t ip, uint32_t family, uint32_t external_rev,
			   const struct amd_gpu **out, struct qd_error *err);
/* The way back, of each the i-th number that is this target; false: there is no more. */
bool amd_gpu_ip(const struct amd_gpu *g, size_t i, uint32_t *ip);
bool amd_gpu_family(const struct amd_gpu *g, size_t i, uint32_t *family, uint32_t *first_rev,
		    uint32_t *last_rev);

#endif
