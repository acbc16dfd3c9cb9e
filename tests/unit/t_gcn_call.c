/* The calls of call.h on every generation: each gives the instruction that the
 * text beside it says, or the refusal. */
#include "call.h"
#include "unit.h"

enum { OFF = GCN_OFF };

struct call {
	const char *target;
	void (*fn)(struct gcn_asm *a);
	const char *text; /* "!" and a part of the reason: refused */
};

static const struct gcn_dpp row_shr_1 = { .ctrl = 0x111, .row_mask = 15, .bank_mask = 15 };
static const struct gcn_dpp inactive = { .ctrl = 0x111, .row_mask = 15, .bank_mask = 15,
					 .bound_ctrl = true, .fetch_inactive = true };
static const uint8_t mirror[8] = { 7, 6, 5, 4, 3, 2, 1, 0 }, beyond[8] = { 8 };

#define CALL(name, ...)                                                                            \
	static void name(struct gcn_asm *a)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
CALL(vopc, gcn_vopc(a, GCN_v_cmp_lt_f32, s(2), v(3)))
CALL(vopc_scalar, gcn_vopc(a, GCN_v_cmp_lt_f32, v(2), s(3)))
CALL(carry, gcn_vop3b(a, GCN_v_add_co_u32_e64, v(1), s(4), v(2), v(3), 0))
CALL(carry_on, gcn_vop3b(a, GCN_v_add_co_ci_u32_e64, v(1), s(4), v(2), v(3), s(6)))
CALL(no_carry, gcn_vop3b(a, GCN_v_fma_f32, v(1), s(4), v(2), v(3), v(4)))
CALL(dpp, gcn_dpp16(a, GCN_v_add_f32, v(1), v(2), v(3), OFF, row_shr_1))
CALL(dpp_inactive, gcn_dpp16(a, GCN_v_mov_b32, v(1), v(2), OFF, OFF, inactive))
CALL(dpp_vop3, gcn_dpp16(a, GCN_v_add3_u32, v(1), v(2), v(3), v(4), row_shr_1))
CALL(dpp_scalar, gcn_dpp16(a, GCN_v_add_f32, v(1), s(2), v(3), OFF, row_shr_1))
CALL(dpp8, gcn_dpp8(a, GCN_v_add_f32, v(1), v(2), v(3), OFF, mirror))
CALL(dpp8_beyond, gcn_dpp8(a, GCN_v_add_f32, v(1), v(2), v(3), OFF, beyond))
CALL(load_scalar, gcn_smem(a, GCN_s_load_dwordx2, s(4), s(8), 16))
CALL(load_scalar_b64, gcn_smem(a, GCN_s_load_b64, s(4), s(8), -16))
CALL(load_scalar_odd, gcn_smem(a, GCN_s_load_b64, s(4), s(9), 16))
CALL(load_scalar_far, gcn_smem(a, GCN_s_load_b64, s(4), s(8), 1 << 20))
CALL(lds_write, gcn_ds(a, GCN_ds_write_b32, OFF, v(1), v(2), OFF, 64))
CALL(lds_store, gcn_ds(a, GCN_ds_store_b32, OFF, v(1), v(2), OFF, 64))
CALL(lds_acc, gcn_ds(a, GCN_ds_read_b32, GCN_ACC + 3, v(1), OFF, OFF, 0))
CALL(bpermute, gcn_ds(a, GCN_ds_bpermute_b32, v(5), v(1), v(2), OFF, 4))
CALL(gws, gcn_ds(a, GCN_ds_gws_barrier, OFF, v(2), OFF, OFF, 0))
#define MEM(to, at, from, scalar, bytes)                                                           \
	(struct gcn_mem){ .dst = to, .addr = at, .data = from, .base = scalar, .offset = bytes }
#define BUF(to, at, from, rsrc, bytes, scalar, is_offset)                                          \
	(struct gcn_mem){ .dst = to, .addr = at, .data = from, .base = rsrc, .offset = bytes,      \
			  .soffset = scalar, .offen = is_offset }
CALL(load, gcn_vmem(a, GCN_global_load_dword, MEM(v(1), v(2), OFF, s(4), -8)))
CALL(load_b32, gcn_vmem(a, GCN_global_load_b32, MEM(v(1), v(2), OFF, s(4), -8)))
CALL(load_alone, gcn_vmem(a, GCN_global_load_dword, MEM(v(1), v(2), OFF, OFF, 8)))
CALL(load_far, gcn_vmem(a, GCN_global_load_dword, MEM(v(1), v(2), OFF, OFF, 4096)))
CALL(load_nowhere, gcn_vmem(a, GCN_global_load_dword, MEM(v(1), OFF, OFF, s(4), 0)))
CALL(store_b64, gcn_vmem(a, GCN_global_store_b64, MEM(OFF, v(2), v(4), s(4), 8)))
CALL(atomic, gcn_vmem(a, GCN_global_atomic_add, MEM(OFF, v(2), v(4), s(4), 0)))
CALL(atomic_back, gcn_vmem(a, GCN_global_atomic_add, MEM(v(1), v(2), v(4), s(4), 0)))
CALL(atomic_u32_back, gcn_vmem(a, GCN_global_atomic_add_u32, MEM(v(1), v(2), v(4), s(4), 0)))
CALL(flat, gcn_vmem(a, GCN_flat_load_dword, MEM(v(1), v(2), OFF, OFF, 0)))
CALL(flat_back, gcn_vmem(a, GCN_flat_load_dword, MEM(v(1), v(2), OFF, OFF, -4)))
CALL(spill, gcn_vmem(a, GCN_scratch_store_dword, MEM(OFF, OFF, v(4), s(32), 16)))
CALL(spill_b32, gcn_vmem(a, GCN_scratch_store_b32, MEM(OFF, OFF, v(4), s(32), 16)))
CALL(spill_both, gcn_vmem(a, GCN_scratch_store_b32, MEM(OFF, v(1), v(4), s(32), 16)))
CALL(spill_vector, gcn_vmem(a, GCN_scratch_store_b32, MEM(OFF, v(1), v(4), OFF, 16)))
CALL(spill_alone, gcn_vmem(a, GCN_scratch_store_b32, MEM(OFF, OFF, v(4), OFF, 16)))
CALL(buffer, gcn_vmem(a, GCN_buffer_load_dword, BUF(v(1), v(2), OFF, s(4), 8, s(3), true)))
CALL(buffer_b32, gcn_vmem(a, GCN_buffer_load_b32, BUF(v(1), v(2), OFF, s(4), 8, s(3), true)))
CALL(buffer_odd, gcn_vmem(a, GCN_buffer_load_dword, BUF(v(1), OFF, OFF, s(6), 8, 128, false)))
CALL(buffer_back, gcn_vmem(a, GCN_buffer_atomic_add, BUF(v(1), OFF, v(1), s(4), 0, s(3), false)))
CALL(buffer_apart, gcn_vmem(a, GCN_buffer_atomic_add, BUF(v(2), OFF, v(1), s(4), 0, s(3), false)))
CALL(no_memory, gcn_vmem(a, GCN_v_add_f32, MEM(v(2), OFF, v(1), s(4), 0)))
CALL(absent, gcn_vmem(a, GCN_global_load_b32, MEM(v(1), v(2), OFF, s(4), 0)))

/* clang-format off */
static const struct call rows[] = {
	{ "gfx906",  vopc, "v_cmp_lt_f32_e32 vcc, s2, v3" },
	{ "gfx1100", vopc, "v_cmp_lt_f32_e32 vcc_lo, s2, v3" },
	{ "gfx1100", vopc_scalar, "!a vector register is wanted" },
	{ "gfx1100", carry_on, "v_add_co_ci_u32_e64 v1, s4, v2, v3, s6" },
	{ "gfx906",  carry, "v_add_co_u32_e64 v1, s[4:5], v2, v3" },
	{ "gfx1100", no_carry, "!no scalar result here" },
	{ "gfx906",  dpp, "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1200", dpp, "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1030", dpp_inactive, "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1" },
	{ "gfx90a",  dpp_inactive, "!lanes that are switched off cannot be read" },
	{ "gfx1100", dpp_vop3, "v_add3_u32_e64_dpp v1, v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx1030", dpp_vop3, "!no DPP" },
	{ "gfx1030", dpp_scalar, "!a vector register is wanted" },
	{ "gfx1030", dpp8, "v_add_f32_dpp v1, v2, v3 dpp8:[7,6,5,4,3,2,1,0]" },
	{ "gfx942",  dpp8, "!no DPP8" },
	{ "gfx1030", dpp8_beyond, "!a lane of eight is wanted" },
	{ "gfx906",  load_scalar, "s_load_dwordx2 s[4:5], s[8:9], 0x10" },
	{ "gfx1030", load_scalar, "s_load_dwordx2 s[4:5], s[8:9], 0x10" },
	{ "gfx1100", load_scalar_b64, "s_load_b64 s[4:5], s[8:9], -0x10" },
	{ "gfx1200", load_scalar_b64, "s_load_b64 s[4:5], s[8:9], -0x10" },
	{ "gfx1200", load_scalar_odd, "!must begin at an even register" },
	{ "gfx1100", load_scalar_far, "!the offset is out of range" },
	{ "gfx1200", load_scalar_far, "s_load_b64 s[4:5], s[8:9], 0x100000" },
	{ "gfx906",  lds_write, "ds_write_b32 v1, v2 offset:64" },
	{ "gfx1200", lds_store, "ds_store_b32 v1, v2 offset:64" },
	{ "gfx90a",  lds_acc, "ds_read_b32 a3, v1" },
	{ "gfx906",  lds_acc, "!accumulation register" },
	{ "gfx1100", bpermute, "ds_bpermute_b32 v5, v1, v2 offset:4" },
	{ "gfx906",  gws, "ds_gws_barrier v2 gds" },
	{ "gfx906",  load, "global_load_dword v1, v2, s[4:5] offset:-8" },
	{ "gfx1010", load, "global_load_dword v1, v2, s[4:5] offset:-8" },
	{ "gfx1100", load_b32, "global_load_b32 v1, v2, s[4:5] offset:-8" },
	{ "gfx1200", load_b32, "global_load_b32 v1, v2, s[4:5] offset:-8" },
	{ "gfx90a",  load_alone, "global_load_dword v1, v[2:3], off offset:8" },
	{ "gfx90a",  load_far, "!the offset is out of range" },
	{ "gfx90a",  load_nowhere, "!an address in vector registers is wanted" },
	{ "gfx1200", store_b64, "global_store_b64 v2, v[4:5], s[4:5] offset:8" },
	{ "gfx942",  atomic, "global_atomic_add v2, v4, s[4:5]" },
	{ "gfx942",  atomic_back, "global_atomic_add v1, v2, v4, s[4:5] sc0" },
	{ "gfx1030", atomic_back, "global_atomic_add v1, v2, v4, s[4:5] glc" },
	{ "gfx1200", atomic_u32_back, "global_atomic_add_u32 v1, v2, v4, s[4:5] th:TH_ATOMIC_RETURN" },
	{ "gfx1010", flat, "flat_load_dword v1, v[2:3]" },
	{ "gfx1010", flat_back, "!the offset is out of range" },
	{ "gfx906",  spill, "scratch_store_dword off, v4, s32 offset:16" },
	{ "gfx1030", spill, "scratch_store_dword off, v4, s32 offset:16" },
	{ "gfx1100", spill_b32, "scratch_store_b32 off, v4, s32 offset:16" },
	{ "gfx1100", spill_both, "scratch_store_b32 v1, v4, s32 offset:16" },
	{ "gfx1200", spill_vector, "scratch_store_b32 v1, v4, off offset:16" },
	{ "gfx1200", spill_alone, "scratch_store_b32 off, v4, off offset:16" },
	{ "gfx906",  buffer, "buffer_load_dword v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1030", buffer, "buffer_load_dword v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1200", buffer_b32, "buffer_load_b32 v1, v2, s[4:7], s3 offen offset:8" },
	{ "gfx1030", buffer_odd, "!divisible by four" },
	{ "gfx1030", buffer_back, "buffer_atomic_add v1, off, s[4:7], s3 glc" },
	{ "gfx1030", buffer_apart, "!the value comes back where the data was" },
	{ "gfx1030", no_memory, "!no instruction of vector memory" },
	{ "gfx1030", absent, "!the target has no such instruction" },
};
/* clang-format on */

static void
texts(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t w[GCN_MAX_WORDS] = { 0 };
		struct qd_error err = { 0 };
		struct gcn_asm a = { .target = gcn_target_find(rows[i].target, 0), .at = w,
				     .end = w + GCN_MAX_WORDS, .err = &err };
		const char *want = rows[i].text;
		struct gcn_insn in;
		char text[256] = "";

		rows[i].fn(&a);
		if (*want == '!') {
			UNIT_CHECK(t, a.status == QD_E_TARGET && strstr(err.text, want + 1) && a.at == w,
				   "%s on %s: refused with %s", want + 1, rows[i].target, err.text);
			continue;
		}
		UNIT_CHECK(t, !a.status, "%s on %s: %s", want, rows[i].target, err.text);
		if (gcn_decode(a.target, w, (size_t)(a.at - w), &in) == a.at - w)
			gcn_print(a.target, &in, text, sizeof text);
		UNIT_CHECK(t, !strcmp(text, want), "%s on %s is '%s'", want, rows[i].target, text);
	}
}

/* A later call after a refusal does nothing, so the first one is reported. */
static void
sticky(struct unit_ctx *t)
{
	uint32_t w[8] = { 0 };
	struct qd_error err = { 0 };
	struct gcn_asm a = { .target = gcn_target_find("gfx1100", 0), .at = w, .end = w + 8,
			     .err = &err };

	load_nowhere(&a);
	vopc(&a);
	UNIT_CHECK(t, a.status == QD_E_TARGET && a.at == w, "%d", (int)a.status);
	a.status = QD_OK;
	a.end = w + 1;
	load_b32(&a);
	UNIT_CHECK(t, a.status == QD_E_LIMIT && a.at == w && !w[0], "two words into room for one");
}

const struct unit units_gcn_call[] = { { "gcn_call.texts", texts }, { "gcn_call.sticky", sticky } };
const unsigned n_units_gcn_call = QD_COUNT(units_gcn_call);
