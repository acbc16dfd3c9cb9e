/* Calls of call.h on every generation. Each emits the instruction with the given text, or is
 * rejected. */
#include "call.h"
#include "unit.h"

enum { OFF = GCN_OFF };

struct call {
	const char *target;
	void (*fn)(struct gcn_out *o);
	const char *text; /* "!" and part of the error text if it is rejected */
};

#define NO_MODS ((struct gcn_mods){ .neg = 0 })

static const struct gcn_dpp row_shr_1 = { .ctrl = 0x111, .row_mask = 15, .bank_mask = 15 };
static const struct gcn_dpp inactive = { .ctrl = 0x111, .row_mask = 15, .bank_mask = 15,
					 .bound_ctrl = true, .fetch_inactive = true };
static const uint8_t mirror[8] = { 7, 6, 5, 4, 3, 2, 1, 0 }, beyond[8] = { 8 };

#define CALL(name, ...)                                                                            \
	static void name(struct gcn_out *o)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
CALL(vopc, gcn_vopc(o, GCN_v_cmp_lt_f32, gcn_s(2), gcn_v(3)))
CALL(vopc_scalar, gcn_vopc(o, GCN_v_cmp_lt_f32, gcn_v(2), gcn_s(3)))
CALL(carry, gcn_vop3b(o, GCN_v_add_co_u32_e64, gcn_v(1), gcn_s(4), gcn_v(2), gcn_v(3), 0, NO_MODS))
CALL(carry_on, gcn_vop3b(o, GCN_v_add_co_ci_u32_e64, gcn_v(1), gcn_s(4), gcn_v(2), gcn_v(3),
			 gcn_s(6), NO_MODS))
CALL(no_carry,
     gcn_vop3b(o, GCN_v_fma_f32, gcn_v(1), gcn_s(4), gcn_v(2), gcn_v(3), gcn_v(4), NO_MODS))
CALL(dpp, gcn_dpp2(o, GCN_v_add_f32, gcn_v(1), gcn_v(2), gcn_v(3), row_shr_1))
CALL(dpp_inactive, gcn_dpp1(o, GCN_v_mov_b32, gcn_v(1), gcn_v(2), inactive))
CALL(dpp_vop3,
     gcn_dpp3(o, GCN_v_add3_u32, gcn_v(1), gcn_v(2), gcn_v(3), gcn_v(4), NO_MODS, row_shr_1))
CALL(dpp_scalar, gcn_dpp2(o, GCN_v_add_f32, gcn_v(1), gcn_s(2), gcn_v(3), row_shr_1))
CALL(dpp8, gcn_dpp8(o, GCN_v_add_f32, gcn_v(1), gcn_v(2), gcn_v(3), mirror, false))
CALL(dpp8_beyond, gcn_dpp8(o, GCN_v_add_f32, gcn_v(1), gcn_v(2), gcn_v(3), beyond, false))
CALL(load_scalar, gcn_smem(o, GCN_s_load_dwordx2, gcn_s(4), gcn_s(8), 16, OFF, 0))
CALL(load_scalar_b64, gcn_smem(o, GCN_s_load_b64, gcn_s(4), gcn_s(8), -16, OFF, 0))
CALL(load_scalar_odd, gcn_smem(o, GCN_s_load_b64, gcn_s(4), gcn_s(9), 16, OFF, 0))
CALL(load_scalar_far, gcn_smem(o, GCN_s_load_b64, gcn_s(4), gcn_s(8), 1 << 20, OFF, 0))
CALL(lds_write, gcn_ds(o, GCN_ds_write_b32, OFF, gcn_v(1), gcn_v(2), OFF, 64))
CALL(lds_store, gcn_ds(o, GCN_ds_store_b32, OFF, gcn_v(1), gcn_v(2), OFF, 64))
CALL(lds_acc, gcn_ds(o, GCN_ds_read_b32, gcn_acc(3), gcn_v(1), OFF, OFF, 0))
CALL(bpermute, gcn_ds(o, GCN_ds_bpermute_b32, gcn_v(5), gcn_v(1), gcn_v(2), OFF, 4))
CALL(gws, gcn_ds(o, GCN_ds_gws_barrier, OFF, gcn_v(2), OFF, OFF, 0))
#define MEM(to, at, from, scalar, bytes)                                                           \
	(struct gcn_mem){ .dst = to, .addr = at, .data = from, .base = scalar, .offset = bytes }
#define BACK(to, at, from, scalar, bytes)                                                          \
	(struct gcn_mem){ .dst = to, .addr = at, .data = from, .base = scalar, .offset = bytes,    \
			  .policy = GCN_RETURN }
#define BUF(reg, at, first, bytes, scalar, is_offset, how)                                         \
	(struct gcn_buf){ .data = reg, .addr = at, .rsrc = first, .offset = bytes,                 \
			  .soffset = scalar, .offen = is_offset, .policy = how }
CALL(load, gcn_global(o, GCN_global_load_dword, MEM(gcn_v(1), gcn_v(2), OFF, gcn_s(4), -8)))
CALL(load_b32, gcn_global(o, GCN_global_load_b32, MEM(gcn_v(1), gcn_v(2), OFF, gcn_s(4), -8)))
CALL(load_alone, gcn_global(o, GCN_global_load_dword, MEM(gcn_v(1), gcn_v(2), OFF, OFF, 8)))
CALL(load_far, gcn_global(o, GCN_global_load_dword, MEM(gcn_v(1), gcn_v(2), OFF, OFF, 4096)))
CALL(load_nowhere, gcn_global(o, GCN_global_load_dword, MEM(gcn_v(1), OFF, OFF, gcn_s(4), 0)))
CALL(store_b64, gcn_global(o, GCN_global_store_b64, MEM(OFF, gcn_v(2), gcn_v(4), gcn_s(4), 8)))
CALL(atomic, gcn_global(o, GCN_global_atomic_add, MEM(OFF, gcn_v(2), gcn_v(4), gcn_s(4), 0)))
CALL(atomic_back,
     gcn_global(o, GCN_global_atomic_add, BACK(gcn_v(1), gcn_v(2), gcn_v(4), gcn_s(4), 0)))
CALL(atomic_u32_back,
     gcn_global(o, GCN_global_atomic_add_u32, BACK(gcn_v(1), gcn_v(2), gcn_v(4), gcn_s(4), 0)))
CALL(flat, gcn_flat(o, GCN_flat_load_dword, MEM(gcn_v(1), gcn_v(2), OFF, OFF, 0)))
CALL(flat_back, gcn_flat(o, GCN_flat_load_dword, MEM(gcn_v(1), gcn_v(2), OFF, OFF, -4)))
CALL(spill, gcn_scratch(o, GCN_scratch_store_dword, MEM(OFF, OFF, gcn_v(4), gcn_s(32), 16)))
CALL(spill_b32, gcn_scratch(o, GCN_scratch_store_b32, MEM(OFF, OFF, gcn_v(4), gcn_s(32), 16)))
CALL(spill_both, gcn_scratch(o, GCN_scratch_store_b32, MEM(OFF, gcn_v(1), gcn_v(4), gcn_s(32), 16)))
CALL(spill_vector, gcn_scratch(o, GCN_scratch_store_b32, MEM(OFF, gcn_v(1), gcn_v(4), OFF, 16)))
CALL(spill_alone, gcn_scratch(o, GCN_scratch_store_b32, MEM(OFF, OFF, gcn_v(4), OFF, 16)))
CALL(buffer,
     gcn_mubuf(o, GCN_buffer_load_dword, BUF(gcn_v(1), gcn_v(2), gcn_s(4), 8, gcn_s(3), true, 0)))
CALL(buffer_b32,
     gcn_mubuf(o, GCN_buffer_load_b32, BUF(gcn_v(1), gcn_v(2), gcn_s(4), 8, gcn_s(3), true, 0)))
CALL(buffer_odd,
     gcn_mubuf(o, GCN_buffer_load_dword, BUF(gcn_v(1), OFF, gcn_s(6), 8, 128, false, 0)))
CALL(buffer_back, gcn_mubuf(o, GCN_buffer_atomic_add, BUF(gcn_v(1), OFF, gcn_s(4), 0, gcn_s(3), false, GCN_RETURN)))
CALL(no_memory, gcn_global(o, GCN_v_add_f32, MEM(gcn_v(2), OFF, gcn_v(1), gcn_s(4), 0)))
CALL(padding, gcn_global(o, GCN_global_load_b32, MEM(gcn_v(1), gcn_v(2), OFF, gcn_s(4), 0)))

/* Wrong operands, literals and modifiers. */
CALL(to_scalar, gcn_vop1(o, GCN_v_mov_b32, gcn_s(5), gcn_v(1)))
CALL(high_register, gcn_vop2(o, GCN_v_add_f16, gcn_v(200), gcn_v(1), gcn_v(2)))
CALL(no_literal, gcn_sop2(o, GCN_s_and_b32, gcn_s(0), gcn_s(1), GCN_LITERAL))
CALL(literal, gcn_sop2(o, GCN_s_and_b32, gcn_s(0), gcn_s(1), gcn_literal(o, 0x12345678)))
CALL(same_literal, uint32_t a = gcn_literal(o, 7777), b = gcn_literal(o, 7777);
     gcn_sop2(o, GCN_s_and_b32, gcn_s(0), a, b))
CALL(two_literals, uint32_t a = gcn_literal(o, 7777), b = gcn_literal(o, 7778);
     gcn_sop2(o, GCN_s_and_b32, gcn_s(0), a, b))
CALL(dual_literals, uint32_t a = gcn_literal(o, 7777), b = gcn_literal(o, 7778);
     gcn_vopd(o, (struct gcn_half){ GCN_v_dual_mov_b32, gcn_v(0), a, gcn_v(0) },
	      (struct gcn_half){ GCN_v_dual_mov_b32, gcn_v(1), b, gcn_v(0) }))
CALL(two_literals_after, gcn_sop1(o, GCN_s_mov_b32, gcn_s(0), gcn_s(1)); two_literals(o))
CALL(literal_at_end, gcn_sop1(o, GCN_s_mov_b32, gcn_s(0), gcn_s(1)); gcn_literal(o, 7777))
CALL(lost_literal, gcn_literal(o, 7777); gcn_sop1(o, GCN_s_mov_b32, gcn_s(0), gcn_s(1)))
CALL(literal_vop3, gcn_vop3(o, GCN_v_add3_u32, gcn_v(0), gcn_v(1), gcn_v(2), gcn_literal(o, 7777)))
CALL(constant_after, gcn_vop2k(o, GCN_v_fmaak_f32, gcn_v(0), gcn_v(1), gcn_v(2), 0x40490fdb))
CALL(other_format, gcn_vop2(o, GCN_v_fma_f32, gcn_v(0), gcn_v(1), gcn_v(2)))
CALL(carry_as_plain, gcn_vop3(o, GCN_v_add_co_u32_e64, gcn_v(0), gcn_v(1), gcn_v(2), OFF))
CALL(compare_as_plain, gcn_vop3(o, GCN_v_cmp_lt_f32_e64, gcn_v(0), gcn_v(1), gcn_v(2), OFF))
CALL(compare, gcn_vop3s(o, GCN_v_cmp_lt_f32_e64, gcn_s(6), gcn_v(1), gcn_s(2), ((struct gcn_mods){ .neg = 1, .abs = 2 })))
CALL(read_lane, gcn_vop3s(o, GCN_v_readlane_b32, gcn_s(6), gcn_v(1), gcn_s(2), NO_MODS))
CALL(modified, gcn_vop3m(o, GCN_v_fma_f32, gcn_v(0), gcn_v(1), gcn_s(2), gcn_v(3),
     ((struct gcn_mods){ .neg = 5, .abs = 2, .clamp = true, .omod = 3 })))
CALL(packed, gcn_vop3p(o, GCN_v_pk_add_f16, gcn_v(0), gcn_v(1), gcn_v(2), OFF, ((struct gcn_mods){ .op_sel_hi = 3, .neg = 1 })))
CALL(matrix, gcn_mfma(o, GCN_v_mfma_f32_4x4x1f32, gcn_acc(0), gcn_v(1), gcn_acc(2), gcn_acc(4), ((struct gcn_mfma){ .cbsz = 2 })))
CALL(mixed_matrix, gcn_mfma(o, GCN_v_mfma_f32_4x4x1f32, gcn_acc(0), gcn_v(1), gcn_v(2), gcn_v(4), ((struct gcn_mfma){ .cbsz = 0 })))
CALL(dlc, gcn_global(o, GCN_global_load_dword, ((struct gcn_mem){ .dst = gcn_v(1), .addr = gcn_v(2), .data = OFF,
     .base = gcn_s(4), .policy = GCN_GLC | GCN_DLC })))
CALL(temporal, gcn_global(o, GCN_global_load_b32, ((struct gcn_mem){ .dst = gcn_v(1), .addr = gcn_v(2), .data = OFF,
     .base = gcn_s(4), .policy = 1 * GCN_TH | 2 * GCN_SCOPE })))
CALL(scalar_glc, gcn_smem(o, GCN_s_load_dword, gcn_s(1), gcn_s(4), 4, OFF, GCN_GLC))
CALL(scalar_sum, gcn_smem(o, GCN_s_load_dword, gcn_s(1), gcn_s(4), 4, gcn_s(9), 0))
CALL(negated_pattern, gcn_dpp2(o, GCN_v_add_f32, gcn_v(1), gcn_v(2), gcn_v(3),
     ((struct gcn_dpp){ .ctrl = 0x111, .row_mask = 15, .bank_mask = 15, .neg = 1, .abs = 2 })))

/* clang-format off */
static const struct call rows[] = {
	{ "gfx906",  vopc, "v_cmp_lt_f32_e32 vcc, s2, v3" },
	{ "gfx1100", vopc, "v_cmp_lt_f32_e32 vcc_lo, s2, v3" },
	{ "gfx1100", vopc_scalar, "!does not fit" },
	{ "gfx1100", carry_on, "v_add_co_ci_u32_e64 v1, s4, v2, v3, s6" },
	{ "gfx906",  carry, "v_add_co_u32_e64 v1, s[4:5], v2, v3" },
	{ "gfx1100", no_carry, "!does not fit" },
	{ "gfx906",  dpp, "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1200", dpp, "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1030", dpp_inactive, "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1" },
	{ "gfx90a",  dpp_inactive, "!does not fit" },
	{ "gfx1100", dpp_vop3, "v_add3_u32_e64_dpp v1, v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1030", dpp_vop3, "!does not fit" },
	{ "gfx1030", dpp_scalar, "!does not fit" },
	{ "gfx1030", dpp8, "v_add_f32_dpp v1, v2, v3 dpp8:[7,6,5,4,3,2,1,0]" },
	{ "gfx942",  dpp8, "!does not fit" },
	{ "gfx1030", dpp8_beyond, "!does not fit" },
	{ "gfx906",  load_scalar, "s_load_dwordx2 s[4:5], s[8:9], 0x10" },
	{ "gfx1030", load_scalar, "s_load_dwordx2 s[4:5], s[8:9], 0x10" },
	{ "gfx1100", load_scalar_b64, "s_load_b64 s[4:5], s[8:9], -0x10" },
	{ "gfx1200", load_scalar_b64, "s_load_b64 s[4:5], s[8:9], -0x10" },
	{ "gfx1200", load_scalar_odd, "!does not fit" },
	{ "gfx1100", load_scalar_far, "!does not fit" },
	{ "gfx1200", load_scalar_far, "s_load_b64 s[4:5], s[8:9], 0x100000" },
	{ "gfx906",  lds_write, "ds_write_b32 v1, v2 offset:64" },
	{ "gfx1200", lds_store, "ds_store_b32 v1, v2 offset:64" },
	{ "gfx90a",  lds_acc, "ds_read_b32 a3, v1" },
	{ "gfx906",  lds_acc, "!does not fit" },
	{ "gfx1100", bpermute, "ds_bpermute_b32 v5, v1, v2 offset:4" },
	{ "gfx906",  gws, "ds_gws_barrier v2 gds" },
	{ "gfx906",  load, "global_load_dword v1, v2, s[4:5] offset:-8" },
	{ "gfx1010", load, "global_load_dword v1, v2, s[4:5] offset:-8" },
	{ "gfx1100", load_b32, "global_load_b32 v1, v2, s[4:5] offset:-8" },
	{ "gfx1200", load_b32, "global_load_b32 v1, v2, s[4:5] offset:-8" },
	{ "gfx90a",  load_alone, "global_load_dword v1, v[2:3], off offset:8" },
	{ "gfx90a",  load_far, "!does not fit" },
	{ "gfx90a",  load_nowhere, "!does not fit" },
	{ "gfx1200", store_b64, "global_store_b64 v2, v[4:5], s[4:5] offset:8" },
	{ "gfx942",  atomic, "global_atomic_add v2, v4, s[4:5]" },
	{ "gfx942",  atomic_back, "global_atomic_add v1, v2, v4, s[4:5] sc0" },
	{ "gfx1030", atomic_back, "global_atomic_add v1, v2, v4, s[4:5] glc" },
	{ "gfx1200", atomic_u32_back, "global_atomic_add_u32 v1, v2, v4, s[4:5] th:TH_ATOMIC_RETURN" },
	{ "gfx1010", flat, "flat_load_dword v1, v[2:3]" },
	{ "gfx1010", flat_back, "!does not fit" },
	{ "gfx906",  spill, "scratch_store_dword off, v4, s32 offset:16" },
	{ "gfx1030", spill, "scratch_store_dword off, v4, s32 offset:16" },
	{ "gfx1100", spill_b32, "scratch_store_b32 off, v4, s32 offset:16" },
	{ "gfx1100", spill_both, "scratch_store_b32 v1, v4, s32 offset:16" },
	{ "gfx1200", spill_vector, "scratch_store_b32 v1, v4, off offset:16" },
	{ "gfx1200", spill_alone, "scratch_store_b32 off, v4, off offset:16" },
	{ "gfx906",  buffer, "buffer_load_dword v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1030", buffer, "buffer_load_dword v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1200", buffer_b32, "buffer_load_b32 v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1030", buffer_odd, "!does not fit" },
	{ "gfx1030", buffer_back, "buffer_atomic_add v1, off, s[4:7], s3 glc" },
	{ "gfx1030", no_memory, "!does not fit" },
	{ "gfx1030", padding, "!the target has no such instruction" },
	{ "gfx1100", to_scalar, "!does not fit" },
	{ "gfx906",  high_register, "v_add_f16_e32 v200, v1, v2" },
	{ "gfx906",  no_literal, "!a literal that the instruction cannot hold" },
	{ "gfx906",  literal, "s_and_b32 s0, s1, 0x12345678" },
	{ "gfx1200", same_literal, "s_and_b32 s0, 0x1e61, 0x1e61" },
	{ "gfx1200", two_literals, "!s_and_b32: a literal that the instruction cannot hold" },
	{ "gfx1200", two_literals_after, "!s_and_b32: a literal that the instruction cannot hold" },
	{ "gfx1200", dual_literals, "!v_dual_mov_b32: a literal that the instruction cannot hold" },
	{ "gfx1200", literal_at_end, "!a literal after the last instruction" },
	{ "gfx1200", lost_literal, "!a literal that the instruction cannot hold" },
	{ "gfx90a",  literal_vop3, "!a literal that the instruction cannot hold" },
	{ "gfx1030", literal_vop3, "v_add3_u32 v0, v1, v2, 0x1e61" },
	{ "gfx1030", constant_after, "v_fmaak_f32 v0, v1, v2, 0x40490fdb" },
	{ "gfx1030", other_format, "!does not fit" },
	{ "gfx906",  carry_as_plain, "!does not fit" },
	{ "gfx1030", compare_as_plain, "!does not fit" },
	{ "gfx1100", compare, "v_cmp_lt_f32_e64 s6, -v1, |s2|" },
	{ "gfx906",  compare, "v_cmp_lt_f32_e64 s[6:7], -v1, |s2|" },
	{ "gfx906",  read_lane, "v_readlane_b32 s6, v1, s2" },
	{ "gfx942",  modified, "v_fma_f32 v0, -v1, |s2|, -v3 clamp div:2" },
	{ "gfx1100", packed, "v_pk_add_f16 v0, v1, v2 neg_lo:[1,0]" },
	{ "gfx908",  matrix, "v_mfma_f32_4x4x1f32 a[0:3], v1, a2, a[4:7] cbsz:2" },
	{ "gfx90a",  mixed_matrix, "!does not fit" },
	{ "gfx1030", dlc, "global_load_dword v1, v2, s[4:5] glc dlc" },
	{ "gfx90a",  dlc, "!does not fit" },
	{ "gfx1200", temporal, "global_load_b32 v1, v2, s[4:5] th:TH_LOAD_NT scope:SCOPE_DEV" },
	{ "gfx1100", temporal, "!does not fit" },
	{ "gfx1030", scalar_glc, "s_load_dword s1, s[4:5], 0x4 glc" },
	{ "gfx906",  scalar_sum, "s_load_dword s1, s[4:5], s9 offset:0x4" },
	{ "gfx1030", scalar_sum, "s_load_dword s1, s[4:5], s9 offset:0x4" },
	{ "gfx1100", negated_pattern, "v_add_f32_dpp v1, -v2, |v3| row_shr:1 row_mask:0xf bank_mask:0xf" },
};
/* clang-format on */

static void
texts(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t w[2 * GCN_MAX_WORDS] = { 0 };
		struct qd_error err = { 0 };
		const struct gcn_target *target = gcn_target_find(rows[i].target, 0);
		const char *want = rows[i].text;
		struct gcn_out o;
		struct gcn_insn in;
		char text[256] = "";
		size_t n;

		gcn_out_init(&o, target, w, QD_COUNT(w));
		rows[i].fn(&o);
		qd_status st = gcn_out_end(&o, &n, &err);
		if (*want == '!') {
			UNIT_CHECK(t, st == QD_E_TARGET && strstr(err.text, want + 1) && n == 0,
				   "%s on %s (row %zu): refused with %s", want + 1, rows[i].target, i,
				   err.text);
			continue;
		}
		UNIT_CHECK(t, !st, "%s on %s: %s", want, rows[i].target, err.text);
		if (gcn_decode(target, w, n, &in) == (int)n)
			gcn_print(target, &in, text, sizeof text);
		UNIT_CHECK(t, !strcmp(text, want), "%s on %s is '%s'", want, rows[i].target, text);
	}
}

/* Checks that the first error is reported, and that words that exceed the buffer are not
 * written. */
static void
sticky(struct unit_ctx *t)
{
	const struct gcn_target *target = gcn_target_find("gfx1100", 0);
	uint32_t w[8] = { 0 };
	struct qd_error err = { 0 };
	struct gcn_out o;
	size_t n;

	gcn_out_init(&o, target, w, QD_COUNT(w));
	vopc(&o);
	load_nowhere(&o);
	to_scalar(&o);
	UNIT_CHECK(t, gcn_out_end(&o, &n, &err) == QD_E_TARGET && strstr(err.text, "global_load_dword"),
		   "%s", err.text);
	gcn_out_init(&o, target, w, 7);
	w[5] = w[6] = w[7] = 0xabcd;
	for (unsigned i = 0; i < 100; i++)
		load_b32(&o);
	UNIT_CHECK(t, gcn_out_end(&o, &n, &err) == QD_E_LIMIT && n == 0, "%s", err.text);
	UNIT_CHECK(t, w[7] == 0xabcd, "written beyond the buffer");
}

const struct unit units_gcn_call[] = { { "gcn_call.texts", texts }, { "gcn_call.sticky", sticky } };
const unsigned n_units_gcn_call = QD_COUNT(units_gcn_call);
