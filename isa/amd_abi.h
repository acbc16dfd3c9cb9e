/* AMD's ABI, as far as more than one component needs it: numbers of processors, and the fields of
 * kernel descriptors. amd_abi.def lists the processors. */
#ifndef QD_ISA_AMD_ABI_H
#define QD_ISA_AMD_ABI_H

#include "base.h"

/* Version of the graphics core; family_id and external revision. 0: none. */
#define AMD_IP(major, minor, revision)                                                             \
	((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(revision))
#define AMD_REV(family, revision) ((uint32_t)(family) << 16 | (uint32_t)(revision))
#define AMD_REV_FAMILY(rev)	  ((rev) >> 16)
#define AMD_REV_FIRST(rev)	  ((rev)&0xffff)

/* The target that "amdgcn" names. */
#define AMD_USUAL "gfx1100"

/* Expands ROW(..., the columns of the model). */
#define AMD_WITH_MODEL(row, model, ...)	 AMD_WITH_MODEL_(row, __VA_ARGS__, AMD_MODEL_##model)
#define AMD_WITH_MODEL_(row, ...)	 row(__VA_ARGS__)

/* e_flags of code object v4 to v6. The number of a processor is in the low byte. */
enum amd_e_flags {
	AMD_FLAG_PROCESSOR = 0xff, AMD_FLAG_XNACK_ANY = 0x100, AMD_FLAG_SRAMECC_ANY = 0x400,
	AMD_FLAG_XNACK_SHIFT = 8, AMD_FLAG_SRAMECC_SHIFT = 10, AMD_FLAG_GENERIC_SHIFT = 24
};

/* -- Kernel descriptors ------------------------------------------------------------------ */

enum {
	AMD_DESCRIPTOR_SIZE = 64,
	AMD_DESCRIPTOR_V2_SIZE = 256,
	/* In an image, after the descriptor: 32 bits, the bytes of code if constants follow the code, else
	 * 0. */
	AMD_IMAGE_CODE_SIZE_AT = AMD_DESCRIPTOR_SIZE,
	AMD_MAX_BLOCK = 1024, /* threads */
	AMD_CODE_ALIGN = 256 /* of a kernel's first instruction */
};

/* Positions of the fields of amd_descriptor.def: the byte of the 32-bit word, the lowest bit, the
 * width in bits. */
enum amd_descriptor_at {
#define FIELD(forms, gens, byte, lo, width, value, what, name)                                     \
	AMD_AT_##name = byte, AMD_LO_##name = lo, AMD_WIDTH_##name = width,
#define AGAIN(forms, gens, byte, lo, width, value, what, name)
#include "amd_descriptor.def"
	AMD_AT_COMPUTE_PGM_RSRC3 = AMD_AT_accum_offset,
	AMD_AT_COMPUTE_PGM_RSRC1 = AMD_AT_next_free_vgpr,
	AMD_AT_COMPUTE_PGM_RSRC2 = AMD_AT_user_sgpr_count,
	AMD_AT_KERNEL_CODE_PROPERTIES = AMD_AT_user_sgpr_dispatch_ptr,
	AMD_AT_ENTRY = AMD_AT_kernel_code_entry_byte_offset /* 64 bits; the same in all versions */
};

/* Reserved bytes of a descriptor of v3 to v6: from, to. */
#define AMD_DESCRIPTOR_ZEROS { { 12, 16 }, { 24, 44 }, { 60, 64 } }

static inline uint32_t
amd_descriptor_word(const void *descriptor, unsigned byte)
{
	const uint8_t *d = (const uint8_t *)descriptor + byte;

	return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

/* Returns the distance from the descriptor to the first instruction. */
static inline uint64_t
amd_descriptor_entry(const void *descriptor)
{
	return amd_descriptor_word(descriptor, AMD_AT_ENTRY) |
	       (uint64_t)amd_descriptor_word(descriptor, AMD_AT_ENTRY + 4) << 32;
}

/* The bits of a field, in position; the value of a field that is not a number of registers. */
#define AMD_MASK(name) ((uint32_t)((UINT64_C(1) << AMD_WIDTH_##name) - 1) << AMD_LO_##name)
#define AMD_GET(descriptor, name)                                                                  \
	((amd_descriptor_word(descriptor, AMD_AT_##name) & AMD_MASK(name)) >> AMD_LO_##name)

#endif
