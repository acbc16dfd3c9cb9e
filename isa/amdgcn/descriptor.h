/* Kernel descriptors, field by field: what a kernel needs of the device, in the
 * words that the packet processor loads. */
#ifndef AMDGCN_DESCRIPTOR_H
#define AMDGCN_DESCRIPTOR_H

#include "gcn.h"

enum { GCN_DESCRIPTOR_SIZE = 64, GCN_DESCRIPTOR_V2_SIZE = 256 };

enum gcn_descriptor_kind {
	GCN_DIRECTIVE, /* the assembler's ".amdhsa_" and the name */
	GCN_COMMENT,   /* llvm-objdump prints it, but no directive sets it */
	GCN_LOADER	/* the loader's; llvm-objdump does not print it */
};

struct gcn_descriptor_field {
	const char *name;
	const char *word; /* "COMPUTE_PGM_RSRC1"; empty: the field is words of its own */
	uint8_t byte, lo, width;
	enum gcn_descriptor_kind kind;
	uint32_t bits;	/* as they stand there */
	uint32_t value; /* as the directive takes it */
};

/* The lanes of the kernel's waves, by its descriptor; v2's too. */
unsigned gcn_descriptor_wave(const struct gcn_target *t, const uint8_t *descriptor);
/* The next field that a descriptor of this code object version (2 to 6) has on the
 * target, which must be that of the kernel's wave; *i is 0 for the first; false
 * after the last. */
bool gcn_descriptor_next(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
			 size_t *i, struct gcn_descriptor_field *out);
/* The field of this name; false: it has none. */
bool gcn_descriptor_find(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
			 const char *name, struct gcn_descriptor_field *out);
/* Fields by name: GCN_D_next_free_vgpr and so on, as the table has them. */
enum gcn_descriptor_id {
#define FIELD(forms, gens, byte, lo, width, value, what, name) GCN_D_##name,
#define AGAIN(forms, gens, byte, lo, width, value, what, name) GCN_D_##name##_AGAIN,
#include "descriptor.def"
	GCN_N_DESCRIPTOR_ID
};
/* Sets a field to what its directive takes: numbers of registers are rounded up to what
 * the hardware gives (scalar ones: with those that are reserved; from gfx10 on each wave
 * has all).  false, and nothing is changed: there is no such field on the target in this
 * version, or the value is too large for it. */
bool gcn_descriptor_put(const struct gcn_target *t, unsigned version, uint8_t *descriptor,
			enum gcn_descriptor_id id, uint32_t value);
/* From the descriptor's first byte to the kernel's first instruction; v3 to v6. */
void gcn_descriptor_entry(uint8_t descriptor[GCN_DESCRIPTOR_SIZE], int64_t bytes);
/* The bits of the word at this byte that are set and no field's. */
uint32_t gcn_descriptor_unknown(const struct gcn_target *t, unsigned version,
				const uint8_t *descriptor, unsigned byte);

#endif
