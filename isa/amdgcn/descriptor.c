/* Reads and writes kernel descriptors with the table amd_descriptor.def. */
#include "descriptor_put.h"

#include <string.h>

/* Names of words, by byte offset / 4. */
static const char *const word_name[AMD_DESCRIPTOR_V2_SIZE / 4] = {
#define WORD(name) [AMD_AT_##name / 4] = #name
	WORD(COMPUTE_PGM_RSRC1), WORD(COMPUTE_PGM_RSRC2), WORD(COMPUTE_PGM_RSRC3), WORD(KERNEL_CODE_PROPERTIES)
#undef WORD
};

unsigned
gcn_descriptor_wave(const struct gcn_target *t, const uint8_t *descriptor)
{
	return t->gen >= GCN_G10 && AMD_GET(descriptor, wavefront_size32) ? 32 : 64;
}

static uint32_t
value_of(const struct gcn_target *t, const struct gcn_descriptor_row *r, uint32_t bits)
{
	enum { SGPR_GRANULE = 8 };

	switch (r->value) {
	case GCN_DV_ACCUM: return (bits + 1) * 4;
	case GCN_DV_VGPRS:
		return (bits + 1) * (t->wave == 32 ? t->vgpr_granule_32 : t->vgpr_granule_64);
	case GCN_DV_SGPRS: return (bits + 1) * SGPR_GRANULE;
	case GCN_DV_NONE: return 0;
	default: return bits;
	}
}

static enum gcn_descriptor_kind
kind_of(unsigned version, const struct gcn_descriptor_row *r, uint32_t bits)
{
	switch (r->what) {
	case GCN_DW_DIRECTIVE:
	case GCN_DW_UNSHOWN:
	case GCN_DW_W64: return GCN_DIRECTIVE;
	case GCN_DW_COMMENT:
	case GCN_DW_W32: return GCN_COMMENT;
	case GCN_DW_NONZERO: return bits ? GCN_DIRECTIVE : GCN_LOADER;
	case GCN_DW_V5: return version >= 5 ? GCN_DIRECTIVE : GCN_LOADER;
	default: return GCN_LOADER;
	}
}

bool
gcn_descriptor_next(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
		    size_t *i, struct gcn_descriptor_field *out)
{
	while (*i < QD_COUNT(gcn_descriptor_rows) && !gcn_descriptor_has(t, version, &gcn_descriptor_rows[*i]))
		(*i)++;
	if (*i == QD_COUNT(gcn_descriptor_rows))
		return false;
	const struct gcn_descriptor_row *r = &gcn_descriptor_rows[(*i)++];
	const char *word = word_name[r->byte / 4];
	uint32_t bits = (amd_descriptor_word(descriptor, r->byte) & gcn_descriptor_mask(r)) >> r->lo;
	*out = (struct gcn_descriptor_field){ .name = r->name,
					      .word = word ? word : "",
					      .byte = r->byte,
					      .lo = r->lo,
					      .width = r->width,
					      .kind = kind_of(version, r, bits),
					      .bits = bits,
					      .value = value_of(t, r, bits) };
	return true;
}

bool
gcn_descriptor_find(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
		    const char *name, struct gcn_descriptor_field *out)
{
	size_t i = 0;

	while (gcn_descriptor_next(t, version, descriptor, &i, out)) {
		if (!strcmp(out->name, name))
			return true;
	}
	return false;
}

uint32_t
gcn_descriptor_unknown(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
		       unsigned byte)
{
	uint32_t known = 0;

	for (size_t i = 0; i < QD_COUNT(gcn_descriptor_rows); i++) {
		if (gcn_descriptor_rows[i].byte == byte && gcn_descriptor_has(t, version, &gcn_descriptor_rows[i]))
			known |= gcn_descriptor_mask(&gcn_descriptor_rows[i]);
	}
	return amd_descriptor_word(descriptor, byte) & ~known;
}

/* -- Writing ------------------------------------------------------------------------ */

bool
gcn_descriptor_put(const struct gcn_target *t, unsigned version, uint8_t *descriptor,
		   enum gcn_descriptor_id id, uint32_t value)
{
	const struct gcn_descriptor_row *r = &gcn_descriptor_rows[id];
	uint32_t bits;

	if (gcn_descriptor_moves(id) && !gcn_descriptor_has(t, version, r))
		r++;
	if (!gcn_descriptor_fits(t, version, r, value, &bits))
		return false;
	gcn_descriptor_put_word(descriptor, r->byte,
				(amd_descriptor_word(descriptor, r->byte) & ~gcn_descriptor_mask(r)) | bits);
	return true;
}

void
gcn_descriptor_entry(uint8_t descriptor[AMD_DESCRIPTOR_SIZE], int64_t bytes)
{
	gcn_descriptor_put_word(descriptor, AMD_AT_ENTRY, (uint32_t)bytes);
	gcn_descriptor_put_word(descriptor, AMD_AT_ENTRY + 4, (uint32_t)((uint64_t)bytes >> 32));
}
