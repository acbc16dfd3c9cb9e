/* Packs fields into words, generated from format.def. After inlining, positions and unset
 * fields are constants, so a packer contains code only for the fields that the caller sets,
 * and no checks if the caller ignores *bad. */
#ifndef AMDGCN_PACK_H
#define AMDGCN_PACK_H

#include "call.h"
#include "table.h"

/* Values of fields; offset_signed: OFFSET may be negative. */
struct gcn_fields {
#define FIELD(name) uint32_t name;
#include "field.def"
	bool offset_signed;
};

/* Packs one field; returns nonzero if the value does not fit. */
QD_INLINE uint32_t
gcn_put_field(uint32_t *w, uint32_t v, unsigned lo, unsigned width, unsigned from, bool is_signed)
{
	uint32_t mask = width < 32 ? (UINT32_C(1) << (width & 31)) - 1 : UINT32_MAX, over;

	if (is_signed)
		over = (v + (UINT32_C(1) << (width - 1))) & ~mask;
	else
		over = v & ~mask;
	w[lo / 32] |= (v >> from & mask) << lo % 32;
	return over;
}

/* Packs one format to `at` and returns the end. Sets bits of *bad if a value does not fit or
 * the generation lacks the format; with `strict`, also if a field is set that the layout does
 * not contain. `left` is the sum of these fields. */
QD_INLINE uint32_t *
gcn_pack(uint32_t *at, unsigned gen, unsigned want, const struct gcn_fields *f, bool strict,
	 uint32_t *bad)
{
	uint32_t all = 0;

#define FIELD(name) all += GCN_F_##name == GCN_F_LIT || GCN_F_##name == GCN_F_LIT_HI ? 0 : f->name;
#include "field.def"
#define F(name, lo, width)                                                                         \
	over |= gcn_put_field(w, f->name, lo, width, 0,                                            \
			      GCN_F_##name == GCN_F_OFFSET && f->offset_signed);                   \
	left -= f->name;
/* The opcode of MTBUF on gfx10 is split in two. */
#define F_LOW(name, lo, width)                                                                     \
	gcn_put_field(w, f->name, lo, width, 0, false);                                            \
	left -= f->name;
#define F_FROM(name, lo, width, from)                                                              \
	over |= gcn_put_field(w, f->name, lo, width, from, false) >> (width + from);
#define LAYOUT(fmt, gens, n, match, set1, match2, fields)                                          \
	if (want == GCN_##fmt && ((gens) >> gen & 1)) {                                            \
		/* DPP and SDWA words have no match bits. */                                       \
		uint32_t w[4] = { GCN_##fmt < GCN_N_FORMAT ? (match) : 0, set1, match2, 0 };       \
		uint32_t over = 0, left = all;                                                     \
		fields for (unsigned i = 0; i < (n); i++) at[i] = w[i];                            \
		*bad |= over | (strict ? left : 0);                                                \
		return at + (n);                                                                   \
	}
#define FORMAT(fmt, gens, n, mask, match, fields) LAYOUT(fmt, gens, n, match, 0, 0, fields)
#define FORMAT1(fmt, gens, n, mask, match, set1, fields) LAYOUT(fmt, gens, n, match, set1, 0, fields)
#define FORMAT2(fmt, gens, n, mask, match, mask2, match2, fields)                                  \
	LAYOUT(fmt, gens, n, match, 0, match2, fields)
#include "format.def"
#undef F
#undef F_LOW
#undef F_FROM
	*bad |= 1; /* the generation has no such format */
	return at;
}

/* Sets the fields of a cache policy. A policy that the generation does not have is bad, since
 * the layout does not contain its field. */
#define GCN_POLICY(gen, p)                                                                         \
	.GLC = ((p) & GCN_GLC) || (((p) & GCN_RETURN) && (gen) < GCN_G12),                         \
	.SLC = ((p) & GCN_SLC) != 0, .DLC = ((p) & GCN_DLC) != 0, .SCC = ((p) & GCN_SCC) != 0,     \
	.NV = ((p) & GCN_NV) != 0,                                                                 \
	.TH = ((p) / GCN_TH & 7) | (((p) & GCN_RETURN) && (gen) >= GCN_G12),                       \
	.SCOPE = (p) / GCN_SCOPE & 3

#endif
