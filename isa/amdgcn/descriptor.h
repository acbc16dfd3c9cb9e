/* Kernel descriptors: the resources and settings of a kernel, in the words that the packet
 * processor loads. */
#ifndef AMDGCN_DESCRIPTOR_H
#define AMDGCN_DESCRIPTOR_H

#include "amd_abi.h"
#include "gcn.h"

enum gcn_descriptor_kind {
	GCN_DIRECTIVE, /* set by the directive ".amdhsa_" and the name */
	GCN_COMMENT,   /* printed by llvm-objdump, set by no directive */
	GCN_LOADER	/* set by the loader; not printed by llvm-objdump */
};

struct gcn_descriptor_field {
	const char *name;
	const char *word; /* "COMPUTE_PGM_RSRC1"; "": the word has no name */
	uint8_t byte, lo, width;
	enum gcn_descriptor_kind kind;
	uint32_t bits;	/* as stored */
	uint32_t value; /* as the directive takes it */
};

/* Returns the kernel's wave size in lanes; also reads v2 descriptors. */
unsigned gcn_descriptor_wave(const struct gcn_target *t, const uint8_t *descriptor);
/* Reads the next field of a descriptor of this code object version (2 to 6). t must be the
 * target of the kernel's wave size. *i starts at 0. Returns false after the last field. */
bool gcn_descriptor_next(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
			 size_t *i, struct gcn_descriptor_field *out);
/* Reads the field of this name; returns false if the descriptor has no such field. */
bool gcn_descriptor_find(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
			 const char *name, struct gcn_descriptor_field *out);
/* Fields by name: GCN_D_next_free_vgpr and so on. */
enum gcn_descriptor_id {
#define FIELD(forms, gens, byte, lo, width, value, what, name) GCN_D_##name,
#define AGAIN(forms, gens, byte, lo, width, value, what, name) GCN_D_##name##_AGAIN,
#include "amd_descriptor.def"
	GCN_N_DESCRIPTOR_ID
};
/* Sets a field to the value of its directive. Numbers of registers are rounded up to the
 * allocation granule. The number of scalar registers includes reserved ones; from gfx10 on it
 * is ignored, since each wave has all. Returns false and changes nothing if the target has no
 * such field in this version or the value is too large. */
bool gcn_descriptor_put(const struct gcn_target *t, unsigned version, uint8_t *descriptor,
			enum gcn_descriptor_id id, uint32_t value);
/* Sets the distance from the descriptor to the kernel's first instruction; v3 to v6. */
void gcn_descriptor_entry(uint8_t descriptor[AMD_DESCRIPTOR_SIZE], int64_t bytes);
/* Returns the set bits of the word at `byte` that belong to no field. */
uint32_t gcn_descriptor_unknown(const struct gcn_target *t, unsigned version,
				const uint8_t *descriptor, unsigned byte);

#endif
