/* Targets: each row of amd_abi.def with its default wave size, then with the other one, which is
 * unused if the target has only one. */
#include "amd_abi.h"
#include "table.h"

/* Features without their prefix, as amd_abi.def names them. */
enum {
	XNACK = GCN_XNACK, SRAMECC = GCN_SRAMECC, AGPR = GCN_AGPR, ALIGN2 = GCN_ALIGN2,
	DPP_SGPR = GCN_DPP_SGPR, TRUE16 = GCN_TRUE16, SGPR16 = 0
};
/* clang-format off */
#define FLAGS(number, version, feat) \
	((number) | ((feat) & XNACK ? AMD_FLAG_XNACK_ANY : 0u) | ((feat) & SRAMECC ? AMD_FLAG_SRAMECC_ANY : 0u) | \
	 (uint32_t)(version) << AMD_FLAG_GENERIC_SHIFT)
#define ROW(n, number, version, wave, other, gen, cls, sgpr, g32, g64, lds, gran, waves, file, unit, cnt, feat) \
	{ #n, GCN_##gen, cls, wave, other, sgpr, g32, g64, lds, gran, waves, file, unit, GCN_##cnt, \
	  FLAGS(number, version, feat), feat }
#define BOTH(n, number, version, gen, cls, pm4, wave, other, sgpr, g32, g64, lds, gran, simds, ...) \
	{ ROW(n, number, version, wave, other, gen, cls, sgpr, g32, g64, lds, gran, __VA_ARGS__), \
	  ROW(n, number, version, other, wave, gen, cls, sgpr, g32, g64, lds, gran, __VA_ARGS__) },
static const struct gcn_target targets[][2] = {
#define AMD_TARGET(name, model, number, ...) AMD_WITH_MODEL(BOTH, model, name, number, 0)
#define AMD_DEVICE(name, model, number, ...) AMD_WITH_MODEL(BOTH, model, name, number, 0)
#define AMD_DECODED(name, model, number) AMD_WITH_MODEL(BOTH, model, name, number, 0)
#define AMD_GENERIC(name, model, number, version) AMD_WITH_MODEL(BOTH, model, name, number, version)
#include "amd_abi.def"
};
/* clang-format on */

const struct gcn_target *
gcn_target_at(size_t i)
{
	return i < QD_COUNT(targets) ? &targets[i][0] : NULL;
}

uint32_t
gcn_target_index(const struct gcn_target *t)
{
	return (uint32_t)(t - targets[0]) / 2;
}

const struct gcn_target *
gcn_target_of(uint32_t i, unsigned wave)
{
	return targets[i] + (targets[i][0].wave != wave);
}

const struct gcn_target *
gcn_target_find(const char *name, unsigned wave)
{
	for (size_t i = 0; i < QD_COUNT(targets); i++) {
		const struct gcn_target *t = targets[i];
		if (strcmp(t->name, name))
			continue;
		if (!wave || wave == t->wave)
			return t;
		return wave == t->other_wave ? t + 1 : NULL;
	}
	return NULL;
}
