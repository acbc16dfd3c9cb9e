/* Targets: each row of target.def with its default wave size, then with the other one, which is
 * unused if the target has only one. */
#include "table.h"

/* Features without their prefix, as target.def names them. */
enum {
	XNACK = GCN_XNACK, SRAMECC = GCN_SRAMECC, AGPR = GCN_AGPR, ALIGN2 = GCN_ALIGN2,
	DPP_SGPR = GCN_DPP_SGPR, TRUE16 = GCN_TRUE16
};
/* clang-format off */
#define ROW(n, gen, cls, wave, other, sgpr, g32, g64, lds, gran, waves, file, unit, cnt, eflags, feat) \
	{ #n, GCN_##gen, cls, wave, other, sgpr, g32, g64, lds, gran, waves, file, unit, GCN_##cnt, eflags, feat }
static const struct gcn_target targets[][2] = {
#define GCN_TARGET(n, gen, cls, wave, other, ...) \
	{ ROW(n, gen, cls, wave, other, __VA_ARGS__), ROW(n, gen, cls, other, wave, __VA_ARGS__) },
#include "target.def"
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
