/* Registers and events of instructions, and a class for each row of the table. */
#include "effect.h"
#include "gcn_text.h"
#include "table.h"
#include "unit.h"

#include <stdio.h>

/* Checks that each row has a class. */
static void
classes(struct unit_ctx *t)
{
	for (unsigned row = 0; row < GCN_N_ROW; row++)
		UNIT_CHECK(t, gcn_props_of(row).class != CL_NONE, "%s has no class",
			   gcn_row_name(&gcn_rows[row]));
}

static size_t
put_range(char *out, size_t cap, const struct gcn_range *r, unsigned way)
{
	static const char *const special[GCN_N_SPECIAL] = { "scc", "m0", "mode", "flat", "", "" };

	if (!(r->access & way) && !(way == GCN_READ && (r->access & GCN_KEEP)))
		return 0;
	if (r->file == FILE_X)
		return (size_t)snprintf(out, cap, " %s", special[r->first]);
	if (r->n == 1)
		return (size_t)snprintf(out, cap, " %c%u", "sva"[r->file], r -> first);
	return (size_t)snprintf(out, cap, " %c%u-%u", "sva"[r->file], r -> first,
				r -> first + r -> n - 1);
}

/* Prints the ranges read, then after ">" the ranges written, then the events. */
static void
put_effect(char *out, size_t cap, const struct gcn_effect *e)
{
	static const char *const event[GCN_N_EVENT] = { "load", "sample", "bvh", "store",
							"ds",	"km",	  "exp" };
	size_t n = 0;

	for (unsigned i = 0; i < e->n_range; i++)
		n += put_range(out + n, cap - n, &e->range[i], GCN_READ);
	n += (size_t)snprintf(out + n, cap - n, " >");
	for (unsigned i = 0; i < e->n_range; i++)
		n += put_range(out + n, cap - n, &e->range[i], GCN_WRITE);
	for (unsigned i = 0; i < GCN_N_EVENT; i++) {
		if (e->events >> i & 1)
			n += (size_t)snprintf(out + n, cap - n, " +%s", event[i]);
	}
}

/* Checks that exactly the registers that are read or written are listed. */
static void
effects(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target;
		unsigned wave;
		const char *text, *effect;
	} rows[] = {
		{ "gfx1100", 0, "s_add_u32 s0, s1, 4", " s1 > s0 scc" },
		{ "gfx1100", 0, "s_cselect_b64 s[0:1], s[2:3], 0", " s2-3 scc > s0-1" },
		{ "gfx1100", 0, "s_and_saveexec_b32 s0, vcc_lo", " s106 s126 > s0 scc s126" },
		{ "gfx906", 0, "s_and_saveexec_b64 s[0:1], vcc", " s106-107 s126-127 > s0-1 scc s126-127" },
		{ "gfx906", 0, "s_cmpk_eq_i32 s5, 0x1", " s5 > scc" },
		{ "gfx906", 0, "s_addk_i32 s5, 0x1", " s5 > s5 scc" },
		{ "gfx906", 0, "s_cmov_b32 s5, s6", " s5 s6 scc > s5" },
		{ "gfx906", 0, "s_setreg_b32 hwreg(HW_REG_MODE), s3", " s3 mode > mode" },
		{ "gfx906", 0, "s_mov_b32 m0, s3", " s3 > m0" },
		{ "gfx1100", 0, "s_mov_b32 m0, s3", " s3 > m0" },
		{ "gfx1100", 0, "s_mov_b32 null, 0", " >" },
		{ "gfx906", 0, "s_load_dwordx4 s[4:7], s[0:1], 0x10", " s0-1 > s4-7 +km" },
		{ "gfx906", 0, "s_store_dword s4, s[0:1], 0x10", " s4 s0-1 > +km" },
		{ "gfx1030", 0, "s_buffer_load_dword s4, s[8:11], s2", " s8-11 s2 > s4 +km" },
		{ "gfx906", 0, "s_cbranch_vccz 1", " s106-107 >" },
		{ "gfx1200", 0, "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_REALTIME)", " > s0 +km" },
		{ "gfx906", 0, "v_add_f32_e32 v1, s2, v3", " s2 v3 mode s126-127 > v1" },
		{ "gfx906", 0, "v_xor_b32_e32 v1, 1, v3", " v3 s126-127 > v1" },
		{ "gfx906", 0, "v_fmac_f32_e32 v1, s2, v3", " v1 s2 v3 mode s126-127 > v1" },
		{ "gfx906", 0, "v_addc_co_u32_e32 v1, vcc, v2, v3, vcc",
		  " v2 v3 s106-107 s126-127 > v1 s106-107" },
		{ "gfx1100", 0, "v_add_co_ci_u32_e64 v1, s4, v2, v3, s6", " v2 v3 s6 s126 > v1 s4" },
		{ "gfx1100", 64, "v_add_co_ci_u32_e64 v1, s[4:5], v2, v3, s[6:7]",
		  " v2 v3 s6-7 s126-127 > v1 s4-5" },
		{ "gfx1100", 0, "v_cmp_eq_u32_e32 vcc_lo, v1, v2", " v1 v2 s126 > s106" },
		{ "gfx1100", 0, "v_cmpx_eq_u32_e32 v1, v2", " v1 v2 s126 > s126" },
		{ "gfx906", 0, "v_cmpx_eq_u32_e32 vcc, v1, v2", " v1 v2 s126-127 > s106-107 s126-127" },
		{ "gfx906", 0, "v_div_fmas_f32 v0, v1, v2, v3", " v1 v2 v3 mode s106-107 s126-127 > v0" },
		{ "gfx906", 0, "v_readlane_b32 s0, v1, s2", " v1 s2 > s0" },
		{ "gfx906", 0, "v_writelane_b32 v1, s2, s3", " v1 s2 s3 > v1" },
		{ "gfx1100", 0, "v_swap_b32 v1, v2", " v1 v2 s126 > v1 v2" },
		{ "gfx906", 0, "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
		  " v1 v2 s126-127 > v1" },
		{ "gfx906", 0, "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
		  " v2 s126-127 > v1" },
		{ "gfx906", 0,
		  "v_and_b32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 "
		  "src1_sel:DWORD", " v1 v2 v3 s126-127 > v1" },
		{ "gfx1100", 0, "v_add_f16_e32 v1.h, v2.l, v3.h", " v1 v2 v3 mode s126 > v1" },
		{ "gfx1030", 0, "ds_read_b64 v[2:3], v1", " v1 s126 > v2-3 +ds" },
		{ "gfx906", 0, "ds_write_b32 v1, v2 gds", " v1 v2 m0 s126-127 > +ds +exp" },
		{ "gfx1030", 0, "ds_read_u16_d16_hi v2, v1", " v2 v1 s126 > v2 +ds" },
		{ "gfx908", 0, "v_accvgpr_write_b32 a3, v1", " v1 s126-127 > a3" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct gcn_target *target = gcn_target_find(rows[i].target, rows[i].wave);
		struct gcn_effect e;
		struct gcn_insn in;
		struct qd_error err = { 0 };
		char text[300];
		UNIT_CHECK(t, !gcn_parse(target, rows[i].text, &in, &err), "%s: %s", rows[i].text,
			   err.text);
		if (err.code)
			continue;
		gcn_effect_of(target, &in, &e);
		put_effect(text, sizeof text, &e);
		UNIT_CHECK(t, !strcmp(text, rows[i].effect), "%s %s:%s, wanted%s", rows[i].target,
			   rows[i].text, text, rows[i].effect);
	}
}

const struct unit units_gcn_effect[] = {
	{ "gcn_effect.classes", classes },
	{ "gcn_effect.effects", effects },
};
const unsigned n_units_gcn_effect = sizeof units_gcn_effect / sizeof *units_gcn_effect;
