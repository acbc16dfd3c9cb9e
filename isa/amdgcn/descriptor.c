/* Kernel descriptors, read and written by descriptor.def. */
#include "descriptor.h"
#include "table.h"

#include <string.h>

enum { D3 = 1, D2 = 2 };
enum value { PLAIN, ACCUM, VGPRS, SGPRS, NONE };
enum what { DIRECTIVE, COMMENT, SETS, NONZERO, UNSHOWN, W64, W32, V5 };

static const struct row {
	uint8_t forms, gens, byte, lo, width, value, what;
	const char *name;
} rows[] = {
#define FIELD(forms, gens, byte, lo, width, value, what, name)                                     \
	{ forms, gens, byte, lo, width, value, what, #name },
#include "descriptor.def"
};

/* By the word's number. */
static const char *const word_name[GCN_DESCRIPTOR_V2_SIZE / 4] = {
	[11] = "COMPUTE_PGM_RSRC3",
	[12] = "COMPUTE_PGM_RSRC1",
	[13] = "COMPUTE_PGM_RSRC2",
	[14] = "KERNEL_CODE_PROPERTIES",
};

static uint32_t
word_at(const uint8_t *d, unsigned byte)
{
	d += byte;
	return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static uint32_t
mask_of(const struct row *r)
{
	return r->width == 32 ? UINT32_MAX : ((1u << r->width) - 1) << r->lo;
}

static bool
has_row(const struct gcn_target *t, unsigned version, const struct row *r)
{
	if ((r->what == W64 && t->wave != 64) || (r->what == W32 && t->wave != 32))
		return false;
	return (r->forms & (version == 2 ? D2 : D3)) && (r->gens & 1u << t->gen);
}

unsigned
gcn_descriptor_wave(const struct gcn_target *t, const uint8_t *descriptor)
{
	return t->gen >= GCN_G10 && (word_at(descriptor, 56) >> 10 & 1) ? 32 : 64;
}

static uint32_t
value_of(const struct gcn_target *t, const struct row *r, uint32_t bits)
{
	enum { SGPR_GRANULE = 8 };

	switch (r->value) {
	case ACCUM: return (bits + 1) * 4;
	case VGPRS:
		return (bits + 1) * (t->wave == 32 ? t->vgpr_granule_32 : t->vgpr_granule_64);
	case SGPRS: return (bits + 1) * SGPR_GRANULE;
	case NONE: return 0;
	default: return bits;
	}
}

static enum gcn_descriptor_kind
kind_of(unsigned version, const struct row *r, uint32_t bits)
{
	switch (r->what) {
	case DIRECTIVE:
	case UNSHOWN:
	case W64: return GCN_DIRECTIVE;
	case COMMENT:
	case W32: return GCN_COMMENT;
	case NONZERO: return bits ? GCN_DIRECTIVE : GCN_LOADER;
	case V5: return version >= 5 ? GCN_DIRECTIVE : GCN_LOADER;
	default: return GCN_LOADER;
	}
}

bool
gcn_descriptor_next(const struct gcn_target *t, unsigned version, const uint8_t *descriptor,
		    size_t *i, struct gcn_descriptor_field *out)
{
	while (*i < QD_COUNT(rows) && !has_row(t, version, &rows[*i]))
		(*i)++;
	if (*i == QD_COUNT(rows))
		return false;
	const struct row *r = &rows[(*i)++];
	const char *word = word_name[r->byte / 4];
	uint32_t bits = (word_at(descriptor, r->byte) & mask_of(r)) >> r->lo;
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

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rows[i].byte == byte && has_row(t, version, &rows[i]))
			known |= mask_of(&rows[i]);
	}
	return word_at(descriptor, byte) & ~known;
}

/* -- Writing ------------------------------------------------------------------------ */

static void
put_word(uint8_t *d, unsigned byte, uint32_t v)
{
	d += byte;
	d[0] = (uint8_t)v;
	d[1] = (uint8_t)(v >> 8);
	d[2] = (uint8_t)(v >> 16);
	d[3] = (uint8_t)(v >> 24);
}

/* The row of the field on this target: it may stand in several places, one behind the
 * other in the table. */
static const struct row *
row_of(const struct gcn_target *t, unsigned version, enum gcn_descriptor_id id)
{
	const struct row *r = &rows[id];

	while (!has_row(t, version, r)) {
		const struct row *next = r + 1;
		if (next == rows + QD_COUNT(rows) || strcmp(next->name, r->name))
			return NULL;
		r = next;
	}
	return r;
}

static uint32_t
granules(uint32_t n, uint32_t granule)
{
	return n ? (n - 1) / granule : 0;
}

/* value_of the other way round, rounded up. */
static uint32_t
bits_of(const struct gcn_target *t, const struct row *r, uint32_t value)
{
	enum { SGPRS_TOGETHER = 16 };

	switch (r->value) {
	case ACCUM: return granules(value, 4);
	case VGPRS: return granules(value, t->wave == 32 ? t->vgpr_granule_32 : t->vgpr_granule_64);
	/* Counted in eights, given in sixteens; from gfx10 on each wave has all. */
	case SGPRS: return t->gen >= GCN_G10 ? 0 : 2 * granules(value, SGPRS_TOGETHER);
	default: return value;
	}
}

bool
gcn_descriptor_put(const struct gcn_target *t, unsigned version, uint8_t *descriptor,
		   enum gcn_descriptor_id id, uint32_t value)
{
	const struct row *r = row_of(t, version, id);
	uint32_t bits = r ? bits_of(t, r, value) : 0;

	if (!r || r->value == NONE || (r->width < 32 && bits >> r->width))
		return false;
	put_word(descriptor, r->byte,
		 (word_at(descriptor, r->byte) & ~mask_of(r)) | bits << r->lo);
	return true;
}

void
gcn_descriptor_entry(uint8_t descriptor[GCN_DESCRIPTOR_SIZE], int64_t bytes)
{
	enum { ENTRY = 16 };

	put_word(descriptor, ENTRY, (uint32_t)bytes);
	put_word(descriptor, ENTRY + 4, (uint32_t)((uint64_t)bytes >> 32));
}
