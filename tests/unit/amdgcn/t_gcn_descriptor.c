/* Kernel descriptors: writes fields and reads them back. */
#include "descriptor.h"
#include "../../gcn/dice.h"
#include "unit.h"

#include <string.h>

enum { AT_ENTRY = 16 };

static const char *const names[GCN_N_DESCRIPTOR_ID] = {
#define FIELD(forms, gens, byte, lo, width, value, what, name) [GCN_D_##name] = #name,
#define AGAIN(forms, gens, byte, lo, width, value, what, name) /* same name as the FIELD above */
#include "amd_descriptor.def"
};

/* Returns the value that a field reads as after a write. Register counts are rounded to
 * granules. */
static uint32_t
shown(const struct gcn_target *t, const char *name, uint32_t value)
{
	uint32_t granule = t->wave == 32 ? t->vgpr_granule_32 : t->vgpr_granule_64;

	if (!strcmp(name, "next_free_vgpr"))
		return (value + granule - 1) / granule * granule;
	if (!strcmp(name, "accum_offset"))
		return (value + 3) / 4 * 4;
	if (!strcmp(name, "next_free_sgpr")) /* the field shows one unit of 8 less */
		return t->gen >= GCN_G10 ? 8 : (value + 15) / 16 * 16 - 8;
	return value;
}

/* Checks each field on every target. A write changes only that field, and nothing if the target
 * lacks the field. */
static void
fields(struct unit_ctx *t)
{
	const struct gcn_target *g;
	unsigned n = 0;

	for (size_t i = 0; (g = gcn_target_at(i)); i++) {
		for (unsigned round = 0; round < 400; round++) {
			struct dice dice_of = dice(round, i);
			unsigned version = dice_below(&dice_of, 4) ? 5 : 2, id = dice_below(&dice_of, GCN_N_DESCRIPTOR_ID);
			uint8_t d[AMD_DESCRIPTOR_V2_SIZE], was[sizeof d];
			struct gcn_descriptor_field field, at;
			size_t k = 0;

			if (!names[id])
				continue;
			for (size_t b = 0; b < sizeof d; b++)
				d[b] = (uint8_t)dice32(&dice_of);
			memcpy(was, d, sizeof d);
			bool has = gcn_descriptor_find(g, version, d, names[id], &at) && at.width;
			uint32_t top = !has ? 1 : at.width == 32 ? UINT32_MAX : (1u << at.width) - 1;
			uint32_t value = 1 + dice_below(&dice_of, top < 100 ? top : 100);
			bool put = gcn_descriptor_put(g, version, d, (enum gcn_descriptor_id)id, value);
			UNIT_CHECK(t, put == has, "%s v%u %s: put %d", g->name, version, names[id], put);
			if (!has) {
				UNIT_CHECK(t, !memcmp(d, was, sizeof d), "%s v%u %s: written", g->name, version, names[id]);
				continue;
			}
			n++;
			while (gcn_descriptor_next(g, version, d, &k, &field)) {
				uint32_t want;
				struct gcn_descriptor_field before;
				bool other = !gcn_descriptor_find(g, version, was, field.name, &before) || strcmp(field.name, names[id]) != 0;
				bool shares = field.byte == at.byte && field.lo < at.lo + at.width && at.lo < field.lo + field.width;
				want = other ? before.value : shown(g, names[id], value);
				UNIT_CHECK(t, field.value == want || (other && shares),
					   "%s v%u: %s set, %s is %u, expected %u", g->name,
					   version, names[id], field.name, field.value, want);
			}
		}
	}
	UNIT_CHECK(t, n > 2000, "only %u fields", n);
}

/* Checks that values out of range are rejected. */
static void
refused(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum gcn_descriptor_id id;
		uint32_t value;
		bool good;
	} rows[] = {
		{ "gfx1100", GCN_D_inst_pref_size, 63, true },
		{ "gfx1100", GCN_D_inst_pref_size, 64, false },
		{ "gfx1200", GCN_D_inst_pref_size, 255, true },
		{ "gfx1200", GCN_D_inst_pref_size, 256, false },
		{ "gfx1030", GCN_D_inst_pref_size, 1, false },
		{ "gfx906", GCN_D_user_sgpr_count, 31, true },
		{ "gfx906", GCN_D_user_sgpr_count, 32, false },
		{ "gfx906", GCN_D_next_free_vgpr, 256, true },
		{ "gfx906", GCN_D_next_free_vgpr, 257, false },
		{ "gfx90a", GCN_D_next_free_vgpr, 512, true },
		{ "gfx90a", GCN_D_accum_offset, 256, true },
		{ "gfx90a", GCN_D_accum_offset, 257, false },
		{ "gfx906", GCN_D_accum_offset, 4, false },
		{ "gfx906", GCN_D_reserve_vcc, 1, false },
		{ "gfx906", GCN_D_group_segment_fixed_size, UINT32_MAX, true },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint8_t d[AMD_DESCRIPTOR_SIZE] = { 0 };
		bool put = gcn_descriptor_put(gcn_target_find(rows[i].target, 0), 5, d, rows[i].id, rows[i].value);
		UNIT_CHECK(t, put == rows[i].good, "%s on %s: %u is %s", names[rows[i].id], rows[i].target,
			   rows[i].value, put ? "taken" : "refused");
	}
	uint8_t d[AMD_DESCRIPTOR_SIZE] = { 0 };
	gcn_descriptor_entry(d, -256);
	UNIT_CHECK(t, d[AT_ENTRY] == 0 && d[AT_ENTRY + 1] == 0xff && d[AT_ENTRY + 7] == 0xff && !d[AT_ENTRY + 8],
		   "the entry is not -256");
}

const struct unit units_gcn_descriptor[] = { { "gcn_descriptor.fields", fields },
					     { "gcn_descriptor.refused", refused } };
const unsigned n_units_gcn_descriptor = QD_COUNT(units_gcn_descriptor);
