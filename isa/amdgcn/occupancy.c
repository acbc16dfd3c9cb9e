/* Occupancy: the least of what each resource allows. */
#include "occupancy.h"

static const struct row {
	const char *target;
	uint32_t waves, file, granule;
} rows[] = {
#define OCCUPANCY(target, waves, file, granule) { target, waves, file, granule },
#include "occupancy.def"
};

/* gfx9 gives SGPRs out by 16 from a file of 800 that two waves more would not
 * divide evenly; up to so many registers, so many waves. */
static const struct {
	uint32_t n_sgpr, waves;
} sgpr_waves[] = { { 80, 10 }, { 88, 9 }, { 100, 8 }, { UINT32_MAX, 7 } };

static const struct row *
row_of(const struct gcn_target *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (strcmp(rows[i].target, t->name) == 0)
			return &rows[i];
	}
	return NULL;
}

/* In units, never 0; any n will do. */
static uint64_t
units(uint64_t n, uint64_t by)
{
	return n ? (n - 1) / by + 1 : 1;
}

static uint32_t
waves_by_vgprs(const struct gcn_target *t, const struct row *r, const struct gcn_usage *u)
{
	uint32_t halves = t->gen >= G10 && t->wave == 64 ? 2 : 1;
	uint64_t n = units(u->n_vgpr, r->granule / halves);

	return (uint32_t)(r->file / r->granule / n);
}

static uint32_t
waves_by_sgprs(const struct gcn_target *t, const struct row *r, const struct gcn_usage *u)
{
	size_t i = 0;

	if (t->gen >= G10)
		return r->waves;
	while (sgpr_waves[i].n_sgpr < u->n_sgpr)
		i++;
	return sgpr_waves[i].waves;
}

/* Whole work-groups on what shares LDS: a compute unit, or two of them. */
static uint32_t
waves_by_groups(const struct gcn_target *t, const struct row *r, const struct gcn_usage *u,
		const char **limit)
{
	bool wgp = t->gen >= G10 && u->wgp_mode;
	uint32_t simds = t->gen >= G10 && !wgp ? 2 : 4;
	uint64_t lds_units = t->lds_size / t->lds_granule * (wgp ? 2u : 1u);
	uint64_t group_waves = units(u->workgroup, t->wave);
	uint64_t slots = r->waves * simds / group_waves;
	uint32_t most = wgp ? 32 : 16; /* that can wait at a barrier */

	*limit = "work-groups";
	if (group_waves > 1 && slots > most)
		slots = most;
	if (u->lds) {
		uint64_t by_lds = lds_units / units(u->lds, t->lds_granule);
		if (by_lds < slots) {
			slots = by_lds;
			*limit = "LDS";
		}
	}
	return (uint32_t)((slots * group_waves + simds - 1) / simds);
}

struct gcn_occupancy
gcn_occupancy(const struct gcn_target *t, const struct gcn_usage *u)
{
	const struct row *r = row_of(t);
	struct gcn_occupancy o = { 0, "" };
	const char *group_limit = "";
	uint32_t waves;

	if (!r)
		return o;
	o.waves = r->waves;
	waves = waves_by_vgprs(t, r, u);
	if (waves < o.waves)
		o = (struct gcn_occupancy){ waves, "VGPRs" };
	waves = waves_by_sgprs(t, r, u);
	if (waves < o.waves)
		o = (struct gcn_occupancy){ waves, "SGPRs" };
	if (u->workgroup) {
		waves = waves_by_groups(t, r, u, &group_limit);
		if (waves < o.waves)
			o = (struct gcn_occupancy){ waves, group_limit };
	}
	return o;
}
