/* Occupancy: the minimum over the limits of all resources. */
#include "occupancy.h"

/* Most waves on gfx9 for up to n_sgpr registers. SGPRs are allocated by 16 from a file of 800,
 * which some numbers of waves do not divide evenly. */
static const struct {
	uint32_t n_sgpr, waves;
} sgpr_waves[] = { { 80, 10 }, { 88, 9 }, { 100, 8 }, { UINT32_MAX, 7 } };

/* Returns n rounded up to units of `by`, at least 1; does not overflow. */
static uint64_t
units(uint64_t n, uint64_t by)
{
	return n ? (n - 1) / by + 1 : 1;
}

static uint32_t
waves_by_vgprs(const struct gcn_target *t, const struct gcn_usage *u)
{
	uint32_t halves = t->gen >= GCN_G10 && t->wave == 64 ? 2 : 1;
	uint64_t n = units(u->n_vgpr, t->vgpr_unit / halves);

	return (uint32_t)(t->vgpr_file / t->vgpr_unit / n);
}

uint32_t
gcn_full_vgprs(const struct gcn_target *t)
{
	uint32_t halves = t->gen >= GCN_G10 && t->wave == 64 ? 2 : 1;

	return t->vgpr_file / t->vgpr_unit / t->max_waves * (t->vgpr_unit / halves);
}

static uint32_t
waves_by_sgprs(const struct gcn_target *t, const struct gcn_usage *u)
{
	size_t i = 0;

	if (t->gen >= GCN_G10)
		return t->max_waves;
	while (sgpr_waves[i].n_sgpr < u->n_sgpr)
		i++;
	return sgpr_waves[i].waves;
}

static bool
in_pairs(const struct gcn_target *t, const struct gcn_usage *u)
{
	return t->gen >= GCN_G10 && u->wgp_mode;
}

/* Returns the number of SIMDs that share LDS: those of a compute unit, or of two. */
static uint32_t
n_simds(const struct gcn_target *t, const struct gcn_usage *u)
{
	return t->gen >= GCN_G10 && !in_pairs(t, u) ? 2 : 4;
}

/* Limits a number of work-groups by barriers and LDS; sets *limit if it lowers the number. */
static uint64_t
groups_that_fit(const struct gcn_target *t, const struct gcn_usage *u, uint64_t groups,
		const char **limit)
{
	uint32_t pair = in_pairs(t, u) ? 2 : 1;
	uint64_t lds_units = (uint64_t)t->lds_size / t->lds_granule * pair;
	uint32_t most = 16 * pair; /* work-groups with a barrier */

	if (units(u->workgroup, t->wave) > 1 && groups > most) {
		groups = most;
		*limit = "work-groups";
	}
	if (u->lds) {
		uint64_t by_lds = lds_units / units(u->lds, t->lds_granule);
		if (by_lds < groups) {
			groups = by_lds;
			*limit = "LDS";
		}
	}
	return groups;
}

static uint32_t
waves_by_groups(const struct gcn_target *t, const struct gcn_usage *u, const char **limit)
{
	uint32_t simds = n_simds(t, u);
	uint64_t group_waves = units(u->workgroup, t->wave);

	*limit = "work-groups";
	return (uint32_t)((groups_that_fit(t, u, t->max_waves * simds / group_waves, limit) *
				   group_waves + simds - 1) / simds);
}

/* Returns the waves per SIMD that fit the register files. */
static struct gcn_occupancy
by_registers(const struct gcn_target *t, const struct gcn_usage *u)
{
	struct gcn_occupancy o = { t->max_waves, "" };
	uint32_t waves = waves_by_vgprs(t, u);

	if (waves < o.waves)
		o = (struct gcn_occupancy){ waves, "VGPRs" };
	waves = waves_by_sgprs(t, u);
	if (waves < o.waves)
		o = (struct gcn_occupancy){ waves, "SGPRs" };
	return o;
}

struct gcn_occupancy
gcn_occupancy(const struct gcn_target *t, const struct gcn_usage *u)
{
	struct gcn_occupancy o = by_registers(t, u);
	const char *group_limit = "";
	uint32_t waves;

	if (u->workgroup) {
		waves = waves_by_groups(t, u, &group_limit);
		if (waves < o.waves)
			o = (struct gcn_occupancy){ waves, group_limit };
	}
	return o;
}

struct gcn_groups
gcn_groups(const struct gcn_target *t, const struct gcn_usage *u)
{
	struct gcn_occupancy o = by_registers(t, u);
	struct gcn_groups g = { 0, 0, n_simds(t, u), o.limit };
	uint64_t group_waves = units(u->workgroup, t->wave);

	g.groups = (unsigned)groups_that_fit(t, u, (uint64_t)o.waves * g.simds / group_waves,
					     &g.limit);
	g.waves = (unsigned)(g.groups * group_waves);
	return g;
}
