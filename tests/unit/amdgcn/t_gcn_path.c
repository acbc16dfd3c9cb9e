/* Hazards across branches, and in random words. */
#include "gcn_code.h"

static struct gcn_code code;

/* Checks hazards across branches. The shortest path counts, a path that resolves the hazard does
 * not excuse another, and a loop reaches itself. */
static void
paths(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		unsigned n, earlier, later, missing;
	} rows[] = {
		/* a branch is one wait state */
		{ "gfx906", "v_mov_b32_e32 v1, v2; s_branch 0; "
			    "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", 1, 0, 2, 1 },
		{ "gfx906", "v_mov_b32_e32 v1, v2; s_cbranch_scc0 1; s_nop 1; "
			    "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", 1, 0, 3, 1 },
		{ "gfx906", "s_cbranch_scc0 2; v_mov_b32_e32 v1, v2; s_nop 1; "
			    "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", 0, 0, 0, 0 },
		{ "gfx906", "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; "
			    "v_mov_b32_e32 v1, v3; s_cbranch_scc0 65532; s_endpgm", 1, 1, 0, 1 },
		/* overwritten in between: the first write is still pending */
		{ "gfx906", "v_readfirstlane_b32 s0, v1; s_mov_b32 s0, 0; "
			    "global_load_dword v3, v2, s[0:1]; s_endpgm", 1, 0, 2, 4 },
		{ "gfx906", "v_readfirstlane_b32 s0, v1; s_mov_b64 s[0:1], 0; "
			    "global_load_dword v3, v2, s[0:1]; s_endpgm", 1, 0, 2, 4 },
		/* two paths to one line: the shorter overwrites, the longer does not */
		{ "gfx906", "v_readfirstlane_b32 s0, v1; s_cbranch_scc0 1; s_mov_b64 s[0:1], 0; s_nop 0; "
			    "s_nop 0; global_load_dword v3, v2, s[0:1]; s_endpgm", 1, 0, 5, 2 },
		{ "gfx906", "v_readfirstlane_b32 s0, v1; s_cbranch_scc0 2; s_mov_b64 s[0:1], 0; s_branch 1; "
			    "s_nop 1; global_load_dword v3, v2, s[0:1]; s_endpgm", 1, 0, 5, 2 },
		{ "gfx906", "v_readfirstlane_b32 s0, v1; s_cbranch_scc0 2; s_nop 1; s_branch 1; s_mov_b64 s[0:1], 0; "
			    "global_load_dword v3, v2, s[0:1]; s_endpgm", 1, 0, 5, 3 },
		/* the shorter path has one more transcendental */
		{ "gfx1100", "v_exp_f32_e32 v1, v2; v_log_f32_e32 v9, v2; s_cbranch_scc0 2; v_nop; v_nop; "
			     "v_mov_b32_e32 v3, v1; s_endpgm", 1, 0, 5, 0 },
		{ "gfx1100", "v_exp_f32_e32 v1, v2; v_log_f32_e32 v9, v2; s_cbranch_scc0 3; v_nop; v_nop; s_branch 1; "
			     "v_log_f32_e32 v8, v2; v_mov_b32_e32 v3, v1; s_endpgm", 1, 0, 7, 0 },
		{ "gfx1100", "v_exp_f32_e32 v1, v2; v_log_f32_e32 v9, v2; s_cbranch_scc0 2; v_nop; v_nop; "
			     "v_log_f32_e32 v8, v2; v_mov_b32_e32 v3, v1; s_endpgm", 0, 0, 0, 0 },
		/* an SALU read is a wait only if VALU may have read the pair before: on no path, on one
		 * path, on both */
		{ "gfx1200", "s_cbranch_scc0 1; v_mov_b32_e32 v9, s4; v_readlane_b32 s2, v2, s2; "
			     "s_cmp_le_u32 s0, 36; v_mov_b32_e32 v1, s2; s_endpgm", 1, 2, 4, 0 },
		{ "gfx1200", "s_cbranch_scc0 1; v_mov_b32_e32 v9, s0; v_readlane_b32 s2, v2, s2; "
			     "s_cmp_le_u32 s0, 36; v_mov_b32_e32 v1, s2; s_endpgm", 0, 0, 0, 0 },
		{ "gfx1200", "s_cbranch_scc0 2; v_mov_b32_e32 v9, s0; s_branch 1; v_mov_b32_e32 v9, s1; "
			     "v_readlane_b32 s2, v2, s2; s_cmp_le_u32 s0, 36; v_mov_b32_e32 v1, s2; s_endpgm",
		  0, 0, 0, 0 },
		/* the path around the loop, without a VALU read, does not count */
		{ "gfx1200", "v_readlane_b32 s2, v3, s4; s_cmp_le_u32 s0, 36; v_mov_b32_e32 v1, s2; "
			     "v_mov_b32_e32 v9, s0; s_cbranch_scc0 65531; s_endpgm", 0, 0, 0, 0 },
		/* only four bits of s_nop count */
		{ "gfx906", "v_mov_b32_e32 v1, v2; s_nop 0x10; "
			    "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", 1, 0, 2, 1 },
		/* another half of the register */
		{ "gfx1100", "v_rcp_f16_e32 v3.h, v9.l; v_add_f16_e32 v2.l, v3.l, v4.h; s_endpgm", 0, 0, 0, 0 },
		{ "gfx1100", "v_rcp_f16_e64 v3.l, v9.l; v_add_f16_e64 v2.l, v3.h, v4.h; s_endpgm", 0, 0, 0, 0 },
		/* lds direct loads count as LDS, not as vector memory */
		{ "gfx1010", "buffer_load_dword off, s[8:11], s3 lds; s_branch 0; ds_write_b32 v0, v1; s_endpgm",
		  0, 0, 0, 0 },
		/* with an SGPR offset the data of a buffer store is safe before gfx940 */
		{ "gfx906", "buffer_store_dwordx4 v[4:7], v0, s[0:3], s8 offen; v_mov_b32_e32 v5, 0; s_endpgm",
		  0, 0, 0, 0 },
		/* gfx10.3 has none of these hazards */
		{ "gfx1030", "global_load_dword v2, v4, s[0:1]; s_mov_b32 s1, 0; v_exp_f32_e32 v5, v6; "
			     "v_mov_b32_e32 v7, v5; v_cmpx_eq_u32_e32 v8, v9; v_permlane16_b32 v0, v3, s0, s1; "
			     "s_endpgm", 0, 0, 0, 0 },
		/* unreached */
		{ "gfx906", "s_endpgm; v_mov_b32_e32 v1, v2; "
			    "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", 0, 0, 0, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gcn_seen s;
		if (!gcn_code_look(t, &code, gcn_target_find(rows[i].target, 0), rows[i].text, &s))
			continue;
		UNIT_CHECK(t, s.n == rows[i].n, "%s: %zu hazards, %s", rows[i].text, s.n,
			   s.n ? s.h.rule : "");
		if (s.n == 1 && rows[i].n == 1)
			UNIT_CHECK(t,
				   s.h.earlier == rows[i].earlier && s.h.later == rows[i].later &&
					   s.h.missing == rows[i].missing,
				   "%s: %u, %u, %u missing", rows[i].text, s.h.earlier, s.h.later,
				   s.h.missing);
	}
}

/* Checks that the analyses of random words terminate. */
static void
any_words(struct unit_ctx *t)
{
	struct unit_rng rng = { 11 };

	for (size_t i = 0; gcn_target_at(i); i++) {
		struct gcn_code *c = &code;
		struct gcn_seen s = { 0 };
		for (size_t k = 0; k < CODE_CAP; k++) {
			c->words[k] = (uint32_t)(unit_random(&rng) >> 16);
			if (k % 5 == 0) /* many branches, to near targets */
				c->words[k] = 0xbf800000 | (c->words[k] & 0x7f001f);
		}
		c->flow = (struct cfg){ .line = c->line, .line_cap = CODE_CAP };
		if (gcn_flow_read(&c->flow, gcn_target_at(i), c->words, CODE_CAP, NULL, 0, NULL))
			continue;
		c->flow.block = c->block;
		c->flow.edge = c->edge;
		gcn_flow_link(&c->flow);
		gcn_hazards(&c->flow, c->hazard, c->hazard_block, 0, gcn_see, &s);
		for (size_t k = 0; k < s.n; k++)
			UNIT_CHECK(t, s.h.later < c->flow.n_line && s.h.earlier < c->flow.n_line,
				   "lines");
		gcn_waits(&c->flow, c->state, NULL, NULL);
		UNIT_CHECK(t, c->state[0].n <= GCN_MAX_PENDING, "%u pending", c->state[0].n);
	}
}

const struct unit units_gcn_path[] = {
	{ "gcn_path.paths", paths },
	{ "gcn_path.any_words", any_words },
};
const unsigned n_units_gcn_path = sizeof units_gcn_path / sizeof *units_gcn_path;
