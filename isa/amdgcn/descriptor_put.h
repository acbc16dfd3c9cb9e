/* Sets fields of a kernel descriptor. If `id` is a constant, inlining reduces the table row to
 * the field's position, and to a check of the target if not all targets have the field. */
#ifndef AMDGCN_DESCRIPTOR_PUT_H
#define AMDGCN_DESCRIPTOR_PUT_H

#include "descriptor.h"
#include "table.h"

enum { GCN_D3 = 1, GCN_D2 = 2 };
enum gcn_descriptor_value { GCN_DV_PLAIN, GCN_DV_ACCUM, GCN_DV_VGPRS, GCN_DV_SGPRS, GCN_DV_NONE };
enum gcn_descriptor_what {
	GCN_DW_DIRECTIVE, GCN_DW_COMMENT, GCN_DW_SETS, GCN_DW_NONZERO, GCN_DW_UNSHOWN, GCN_DW_W64,
	GCN_DW_W32, GCN_DW_V5
};

/* Rows of amd_descriptor.def, by enum gcn_descriptor_id. */
static const struct gcn_descriptor_row {
	uint8_t forms, gens, byte, lo, width, value, what;
	bool again; /* the previous row's field on other generations */
	const char *name;
} gcn_descriptor_rows[] = {
#define D3 GCN_D3
#define D2 GCN_D2
#define FIELD(forms, gens, byte, lo, width, value, what, name)                                     \
	{ forms, gens, byte, lo, width, GCN_DV_##value, GCN_DW_##what, false, #name },
#define AGAIN(forms, gens, byte, lo, width, value, what, name)                                     \
	{ forms, gens, byte, lo, width, GCN_DV_##value, GCN_DW_##what, true, #name },
#include "amd_descriptor.def"
#undef D3
#undef D2
};

static inline void
gcn_descriptor_put_word(uint8_t *d, unsigned byte, uint32_t v)
{
	d += byte;
	d[0] = (uint8_t)v;
	d[1] = (uint8_t)(v >> 8);
	d[2] = (uint8_t)(v >> 16);
	d[3] = (uint8_t)(v >> 24);
}

QD_INLINE uint32_t
gcn_descriptor_mask(const struct gcn_descriptor_row *r)
{
	return r->width == 32 ? UINT32_MAX : ((1u << r->width) - 1) << r->lo;
}

QD_INLINE bool
gcn_descriptor_has(const struct gcn_target *t, unsigned version, const struct gcn_descriptor_row *r)
{
	if ((r->what == GCN_DW_W64 && t->wave != 64) || (r->what == GCN_DW_W32 && t->wave != 32))
		return false;
	return (r->forms & (version == 2 ? GCN_D2 : GCN_D3)) &&
	       (r->gens == (1u << GCN_N_GEN) - 1 || r->gens & 1u << t->gen);
}

static inline uint32_t
gcn_granules(uint32_t n, uint32_t granule)
{
	return n ? (n - 1) / granule : 0;
}

/* Returns the bits for a directive's value; numbers of registers are rounded up. */
QD_INLINE uint32_t
gcn_descriptor_bits(const struct gcn_target *t, const struct gcn_descriptor_row *r, uint32_t value)
{
	enum { SGPRS_TOGETHER = 16 };

	switch (r->value) {
	case GCN_DV_ACCUM: return gcn_granules(value, 4);
	case GCN_DV_VGPRS:
		return gcn_granules(value, t->wave == 32 ? t->vgpr_granule_32 : t->vgpr_granule_64);
	/* In units of 8, allocated in units of 16; from gfx10 on each wave has all. */
	case GCN_DV_SGPRS: return t->gen >= GCN_G10 ? 0 : 2 * gcn_granules(value, SGPRS_TOGETHER);
	default: return value;
	}
}

/* Returns whether row r applies to the target and the value fits; *bits is in position. */
QD_INLINE bool
gcn_descriptor_fits(const struct gcn_target *t, unsigned version, const struct gcn_descriptor_row *r,
		    uint32_t value, uint32_t *bits)
{
	if (!gcn_descriptor_has(t, version, r) || r->value == GCN_DV_NONE)
		return false;
	*bits = gcn_descriptor_bits(t, r, value);
	if (r->width < 32 && *bits >> r->width)
		return false;
	*bits <<= r->lo;
	return true;
}

/* Returns whether the field's position depends on the generation: its next row is AGAIN. */
QD_INLINE bool
gcn_descriptor_moves(enum gcn_descriptor_id id)
{
	return id + 1 < GCN_N_DESCRIPTOR_ID && gcn_descriptor_rows[id + 1].again;
}

/* Does the same as gcn_descriptor_put for a constant id; the field must be zero before. */
QD_INLINE void
gcn_descriptor_put_new(const struct gcn_target *t, unsigned version,
		       uint32_t words[AMD_DESCRIPTOR_SIZE / 4], enum gcn_descriptor_id id, uint32_t value)
{
	uint32_t bits;

	if (gcn_descriptor_fits(t, version, &gcn_descriptor_rows[id], value, &bits))
		words[gcn_descriptor_rows[id].byte / 4] |= bits;
	else if (gcn_descriptor_moves(id) &&
		 gcn_descriptor_fits(t, version, &gcn_descriptor_rows[id + 1], value, &bits))
		words[gcn_descriptor_rows[id + 1].byte / 4] |= bits;
}

#endif
