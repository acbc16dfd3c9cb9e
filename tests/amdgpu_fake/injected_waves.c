/* Injected violations in code, dispatches and waves, and in their memory accesses. */
#include <errno.h>
#include <string.h>

#include "injected.h"

/* Puts the kernel at an offset, after a descriptor of 64 bytes that matches the registers. */
static void
described(struct rig *r, uint32_t lds, uint32_t rsrc1, uint32_t props)
{
	enum { AT = 1024 };
	uint32_t d[16] = { lds };
	const uint64_t to = 256;
	memcpy(&d[4], &to, 8);
	d[12] = rsrc1;
	d[13] = rig_reg(r, 0x213)->value;
	d[14] = props;
	memcpy(r->code.host + AT, d, sizeof d);
	memcpy(r->code.host + AT + 256, r->code.host, 1024);
	rig_reg(r, 0x20c)->value = (uint32_t)((r->code.va + AT + 256) >> 8);
}

/* -- Code -------------------------------------------------------------------------- */

static int
inject_no_exec(struct rig *r)
{
	int err = injected_remap(r, &r->code, 0x6);
	return err ? 0 : injected_run(r);
}

static int
inject_code_unlisted(struct rig *r)
{
	r->code.unlisted = true;
	return injected_run(r);
}

static int
inject_code_end(struct rig *r)
{
	memcpy(r->code.host + r->code.size - 256, r->code.host, 256);
	rig_reg(r, 0x20c)->value = (uint32_t)((r->code.va + r->code.size - 256) >> 8);
	return injected_run(r);
}

/* The code does not end before the mapping does. */
static int
inject_code_open(struct rig *r)
{
	memset(r->code.host, 0, r->code.size);
	for (uint32_t i = 0; i < r->code.size; i += 4)
		memcpy(r->code.host + i, (const uint32_t[]){ 0xbf800000 }, 4);
	return injected_run(r);
}

static int
inject_prefetch(struct rig *r)
{
	return injected_reg(r, 0x228, 255 << 4);
}

static int
inject_code_old(struct rig *r)
{
	int err = injected_run(r);
	if (err)
		return err;
	memcpy(r->code.host, (const uint32_t[]){ 0xbfb00000 /* s_endpgm */ }, 4);
	r->n = 0;
	const uint32_t all_but_code[] = { 0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, 0xc3b0 };
	for (unsigned i = 0; i < 8; i++)
		rig_word(r, all_but_code[i]);
	rig_set_regs(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	memset(r->data.host, 0xff, r->data.size);
	err = rig_run(r);
	return err ? err : injected_right(r) ? 0 : 1; /* the old code ran */
}

static int
inject_kernel_regs(struct rig *r)
{
	described(r, 0, rig_reg(r, 0x212)->value + 1, 1 << 10);
	return injected_run(r);
}

static int
inject_kernel_lds(struct rig *r)
{
	described(r, 1024, rig_reg(r, 0x212)->value, 1 << 10);
	return injected_run(r);
}

static int
inject_kernel_wave(struct rig *r)
{
	described(r, 0, rig_reg(r, 0x212)->value, 0);
	return injected_run(r);
}

/* -- Dispatches -------------------------------------------------------------------- */

#define INJECT_INITIATOR(name, v)                                                                  \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		r->initiator = v;                                                                  \
		return injected_run(r);                                                            \
	}
INJECT_INITIATOR(disabled, 0x8004)
INJECT_INITIATOR(wave32_on_9, 0x8005)
INJECT_INITIATOR(thread_dims, 0x8025)
INJECT_REG(no_items, 0x208, 0)
INJECT_REG(many_items, 0x208, 32)

static int
inject_start(struct rig *r)
{
	r->initiator = 0x8001;
	return injected_reg(r, 0x204, 1);
}

static int
inject_no_groups(struct rig *r)
{
	r->dims[1] = 0;
	return injected_run(r);
}

static int
inject_many_groups(struct rig *r)
{
	r->dims[2] = 0x10000;
	return injected_run(r);
}

static int
inject_fits(struct rig *r)
{
	rig_reg(r, 0x212)->value |= 31;
	return injected_reg(r, 0x207, 1024);
}

static int
inject_limit(struct rig *r)
{
	return injected_reg(r, 0x215, 1);
}

INJECT_BITS(lds, 0x213, 0x1ff << 15)

static int
inject_few_sgprs(struct rig *r)
{
	return injected_reg(r, 0x213, 0x80 | 2 << 1);
}

static int
inject_no_ring(struct rig *r)
{
	rig_reg(r, 0x210)->value = 0;
	rig_reg(r, 0x211)->value = 0;
	rig_reg(r, 0x213)->value |= 1;
	return injected_run(r);
}

static int
inject_scratch_hole(struct rig *r)
{
	rig_reg(r, 0x210)->value = 0x1000;
	rig_reg(r, 0x211)->value = 1;
	rig_reg(r, 0x213)->value |= 1;
	return injected_reg(r, 0x218, 32 | 4 << 12);
}

static int
inject_scratch_unset(struct rig *r)
{
	rig_reg(r, 0x213)->value |= 1;
	return injected_reg(r, 0x218, 32 | 4 << 12);
}

/* -- Waves ------------------------------------------------------------------------- */

#define INJECT_KERNEL(name, text)                                                                  \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		return injected_kernel(r, SECOND, text) ? injected_run(r) : 0;                     \
	}
INJECT_KERNEL(no_wait, "s_load_b64 s[4:5], s[0:1], 0x0\n"
		      "v_mov_b32_e32 v2, 0\n"
		      "global_store_b32 v2, v0, s[4:5]\n"
		      "s_endpgm\n")
INJECT_KERNEL(too_many_vgprs, "v_mov_b32_e32 v9, 0\ns_endpgm\n")
INJECT_KERNEL(upper_id, "s_load_b64 s[4:5], s[0:1], 0x0\n"
		       "v_lshlrev_b32_e32 v1, 2, v1\n"
		       "s_waitcnt lgkmcnt(0)\n"
		       "global_store_b32 v1, v0, s[4:5]\n"
		       "s_endpgm\n")
INJECT_KERNEL(for_ever, "s_branch 65535\ns_endpgm\n")
INJECT_KERNEL(past_user, "s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 0\ns_endpgm\n")
INJECT_KERNEL(no_lds, "v_mov_b32_e32 v1, 0\nds_store_b32 v1, v1\ns_endpgm\n")

static int
inject_sgprs_9(struct rig *r)
{
	return injected_kernel(r, SECOND, "s_mov_b32 s60, 0\ns_endpgm\n") ? injected_run(r) : 0;
}

static int
inject_accs(struct rig *r)
{
	return injected_kernel(r, SECOND, "v_accvgpr_write_b32 a60, v0\ns_endpgm\n")
		       ? injected_run(r)
		       : 0;
}

static int
inject_mem_unmapped(struct rig *r)
{
	const uint64_t nowhere = UINT64_C(1) << 41;
	memcpy(r->args.host, &nowhere, 8);
	return injected_run(r);
}

/* The last item's word is beyond the end of the buffer. */
static int
inject_mem_past(struct rig *r)
{
	const uint64_t at = r->data.va + r->data.size - 4 * ITEMS * GROUPS + 4;
	memcpy(r->args.host, &at, 8);
	return injected_run(r);
}

static int
inject_mem_listed(struct rig *r)
{
	r->data.unlisted = true;
	return injected_run(r);
}

static int
inject_mem_rights(struct rig *r)
{
	int err = injected_remap(r, &r->data, 0x2);
	return err ? 0 : injected_run(r);
}

static int
inject_write_rights(struct rig *r)
{
	int err = injected_remap(r, &r->data, 0x4);
	return err || !injected_kernel(r, SECOND, injected_copy) ? 0 : injected_run(r);
}

/* -- The table --------------------------------------------------------------------- */

const struct injected injected_waves[] = {
	{ "reg_unset", "gfx1100", inject_scratch_unset, NULL, "" },
	{ "code_fetch", "gfx1100", inject_no_exec, NULL, "" },
	{ "code_fetch", "gfx1100", inject_code_unlisted, NULL, "" },
	{ "code_fetch", "gfx1100", inject_code_open, NULL, "" },
	{ "code_tail", "gfx1100", inject_code_end, NULL, "" },
	{ "code_tail", "gfx1201", inject_prefetch, NULL, "" },
	{ "code_old", "gfx1100", inject_code_old, "acquire", "" },
	{ "kernel_regs", "gfx1100", inject_kernel_regs, NULL, "" },
	{ "kernel_lds", "gfx1100", inject_kernel_lds, NULL, "" },
	{ "kernel_wave", "gfx1100", inject_kernel_wave, NULL, "" },
	{ "initiator", "gfx1100", inject_disabled, NULL, "" },
	{ "initiator", "gfx906", inject_wave32_on_9, NULL, "" },
	{ "initiator", "gfx1100", inject_thread_dims, NULL, "" },
	{ "group_size", "gfx1100", inject_no_items, NULL, "" },
	{ "group_size", "gfx1100", inject_many_items, NULL, "" },
	{ "group_count", "gfx1100", inject_no_groups, NULL, "" },
	{ "group_count", "gfx1100", inject_many_groups, NULL, "" },
	{ "group_start", "gfx1100", inject_start, NULL, "" },
	{ "group_fits", "gfx1100", inject_fits, NULL, "" },
	{ "group_fits", "gfx1100", inject_limit, NULL, "" },
	{ "lds_size", "gfx1100", inject_lds, NULL, "" },
	{ "user_sgprs", "gfx1100", inject_few_sgprs, NULL, "" },
	{ "user_sgprs", "gfx1102", inject_few_sgprs, NULL, "" },
	{ "scratch", "gfx1100", inject_no_ring, NULL, "" },
	{ "scratch", "gfx1100", inject_scratch_hole, NULL, "" },
	{ "wave", "gfx1100", inject_no_wait, NULL, "" },
	{ "wave", "gfx1100", inject_too_many_vgprs, NULL, "" },
	{ "wave", "gfx1100", inject_upper_id, NULL, "" },
	{ "wave", "gfx1100", inject_for_ever, NULL, "steps=1000" },
	{ "wave", "gfx1100", inject_past_user, NULL, "" },
	{ "wave", "gfx1100", inject_no_lds, NULL, "" },
	{ "wave", "gfx906", inject_sgprs_9, NULL, "" },
	{ "wave", "gfx90a", inject_accs, NULL, "" },
	{ "mem_unmapped", "gfx1100", inject_mem_unmapped, NULL, "" },
	{ "mem_unmapped", "gfx1100", inject_mem_past, NULL, "" },
	{ "mem_listed", "gfx1100", inject_mem_listed, NULL, "" },
	{ "mem_rights", "gfx1100", inject_mem_rights, NULL, "" },
	{ "mem_rights", "gfx1100", inject_write_rights, NULL, "" },
};
const unsigned n_injected_waves = sizeof injected_waves / sizeof *injected_waves;
