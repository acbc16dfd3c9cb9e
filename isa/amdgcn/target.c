/* The targets: each row of target.def once with its default wave and, where
 * there are two, once with the other. */
#include "table.h"

/* The column of features, without their prefix. */
enum {
	XNACK = GCN_XNACK, SRAMECC = GCN_SRAMECC, AGPR = GCN_AGPR, ALIGN2 = GCN_ALIGN2,
	DPP_SGPR = GCN_DPP_SGPR, TRUE16 = GCN_TRUE16
};
static const struct gcn_target targets[] = {
#define GCN_TARGET(n, gen, cls, wave, other, sgpr, g32, g64, lds, gran, cnt, eflags, feat)         \
	{ #n, GCN_##gen, cls, wave, other, sgpr, g32, g64, lds, gran, GCN_##cnt, eflags, feat },
#include "target.def"
};
static const struct gcn_target others[] = {
#define GCN_TARGET(n, gen, cls, wave, other, sgpr, g32, g64, lds, gran, cnt, eflags, feat)         \
	{ #n, GCN_##gen, cls, other, wave, sgpr, g32, g64, lds, gran, GCN_##cnt, eflags, feat },
#include "target.def"
};
enum { N_TARGETS = sizeof targets / sizeof *targets };

const struct gcn_target *
gcn_target_at(size_t i)
{
	return i < N_TARGETS ? &targets[i] : NULL;
}

const struct gcn_target *
gcn_target_find(const char *name, unsigned wave)
{
	for (size_t i = 0; i < N_TARGETS; i++) {
		if (strcmp(targets[i].name, name))
			continue;
		if (!wave || wave == targets[i].wave)
			return &targets[i];
		return wave == targets[i].other_wave ? &others[i] : NULL;
	}
	return NULL;
}
