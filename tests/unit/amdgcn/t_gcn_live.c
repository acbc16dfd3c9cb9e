/* Live registers of each line. */
#include "gcn_code.h"
#include "live.h"

#include <stdio.h>

static struct gcn_code code;
static struct gcn_live_set set[CODE_CAP + 1];
static struct gcn_live live[CODE_CAP];

/* Checks that a register is live only as long as some path reads it. */
static void
counts(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		const char *counts; /* per line; "v+a" on targets with accumulation registers */
	} rows[] = {
		{ "gfx1030", "v_mov_b32_e32 v1, 0; v_mov_b32_e32 v2, v1; global_store_dword v[4:5], v2, off; s_endpgm",
		  "3 4 3 0" },
		/* never read: counted at its write */
		{ "gfx1030", "v_mov_b32_e32 v1, 0; v_mov_b32_e32 v1, 1; s_endpgm", "1 1 0" },
		/* read on one path only */
		{ "gfx1030", "v_mov_b32_e32 v1, 0; s_cbranch_scc0 2; global_store_dword v[4:5], v1, off; s_endpgm",
		  "3 3 3 0" },
		/* around a loop */
		{ "gfx1030", "v_mov_b32_e32 v1, 0; v_add_f32_e32 v1, v1, v2; s_cbranch_scc0 65534; s_endpgm",
		  "2 2 2 0" },
		/* the part of the old value that is kept is live before */
		{ "gfx1030", "v_mov_b32_e32 v1, 0; s_nop 0; global_load_short_d16 v1, v[2:3], off; "
			     "global_store_dword v[4:5], v1, off; s_endpgm", "5 5 5 3 0" },
		{ "gfx1030", "v_mov_b32_e32 v1, 0; s_nop 0; global_load_ushort v1, v[2:3], off; "
			     "global_store_dword v[4:5], v1, off; s_endpgm", "5 4 5 3 0" },
		{ "gfx908", "v_accvgpr_write_b32 a0, v1; v_accvgpr_read_b32 v2, a0; "
			    "global_store_dword v[4:5], v2, off; s_endpgm", "3+1 3+1 3+0 0+0" },
		{ "gfx1030", "s_endpgm; v_mov_b32_e32 v1, v2; s_endpgm", "0 0 0" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct gcn_target *target = gcn_target_find(rows[i].target, 0);
		char text[200];
		size_t len = 0;
		if (!gcn_code_read(t, &code, target, rows[i].text))
			continue;
		gcn_live(&code.flow, set, live);
		for (size_t k = 0; k < code.flow.n_line; k++) {
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", k ? " " : "",
						live[k].vgprs);
			if (target->features & GCN_AGPR)
				len += (size_t)snprintf(text + len, sizeof text - len, "+%u",
							live[k].agprs);
		}
		UNIT_CHECK(t, !strcmp(text, rows[i].counts), "%s: %s, wanted %s", rows[i].text,
			   text, rows[i].counts);
	}
}

/* Checks scalar registers. Registers outside a wave's allocation do not count. */
static void
scalars(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text, *counts;
	} rows[] = {
		{ "gfx1030", "s_mov_b32 s1, 0; s_add_u32 s2, s1, s3; v_mov_b32_e32 v0, s2; s_endpgm", "2 3 1 0" },
		{ "gfx1030", "s_mov_b64 s[104:105], 0; s_cmp_lg_u64 s[104:105], 0; s_endpgm", "2 2 0" },
		/* vcc is two registers, in wave32 one; exec, m0 and a trap handler's registers do
		 * not count */
		{ "gfx906", "v_cmp_eq_f32_e32 vcc, v0, v1; s_and_saveexec_b64 s[0:1], vcc; s_endpgm", "2 4 0" },
		{ "gfx1030", "v_cmp_eq_f32_e32 vcc_lo, v0, v1; s_and_saveexec_b32 s0, vcc_lo; s_endpgm", "1 2 0" },
		{ "gfx1030", "s_mov_b32 m0, ttmp0; s_mov_b32 exec_lo, ttmp1; s_endpgm", "0 0 0" },
		/* numbered as flat_scratch and xnack_mask before gfx10 */
		{ "gfx906", "s_mov_b64 flat_scratch, 0; s_mov_b32 s101, 0; s_endpgm", "0 1 0" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[200];
		size_t len = 0;
		if (!gcn_code_read(t, &code, gcn_target_find(rows[i].target, 0), rows[i].text))
			continue;
		gcn_live(&code.flow, set, live);
		for (size_t k = 0; k < code.flow.n_line; k++)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", k ? " " : "",
						live[k].sgprs);
		UNIT_CHECK(t, !strcmp(text, rows[i].counts), "%s: %s, wanted %s", rows[i].text,
			   text, rows[i].counts);
	}
}

const struct unit units_gcn_live[] = {
	{ "gcn_live.counts", counts },
	{ "gcn_live.scalars", scalars },
};
const unsigned n_units_gcn_live = sizeof units_gcn_live / sizeof *units_gcn_live;
