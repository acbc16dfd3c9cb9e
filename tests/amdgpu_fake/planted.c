/* What is wrong on purpose, a row for each check of the fake (check.def), and what is right, which
 * it must let pass.  Prints how many were planted and how many found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static unsigned n_bad;

static void
fail(const char *what, const char *why)
{
	printf("%s: %s\n", what, why);
	n_bad++;
}

static bool
is_right(const struct rig *r)
{
	uint32_t v;
	for (uint32_t i = 0; i < r->data.size / 4; i++) {
		memcpy(&v, r->data.host + 4 * (size_t)i, 4);
		if (v != (i < ITEMS * GROUPS ? i : UINT32_MAX))
			return false;
	}
	return true;
}

static void
clean(const char *gpu, unsigned wave)
{
	struct rig r;
	char text[512], what[64];
	snprintf(what, sizeof what, "clean on %s, waves of %u", gpu, wave);
	bool ok = rig_open(&r, gpu, wave, "") && rig_usual(&r);
	rig_stream(&r);
	int err = ok ? rig_run(&r) : -1;
	if (err) {
		snprintf(text, sizeof text, "it gives %d", err);
		fail(what, text);
	} else if (!is_right(&r)) {
		fail(what, "the data is wrong");
	}
	rig_close(&r);
	if (fake_amdgpu_complaints(NULL, text, sizeof text))
		fail(what, text);
	if (fake_amdgpu_left(text, sizeof text))
		fail(what, text);
	fake_amdgpu_forget();
}


/* -- Kernels ------------------------------------------------------------------------------- */

enum { SECOND = 4096, COPY_WORDS = 1024 };

/* data[COPY_WORDS + i] = data[i], on gfx1100. */
static const char copy_text[] = "s_load_b64 s[4:5], s[0:1], 0x0\n"
				"s_lshl_b32 s6, s15, 6\n"
				"v_and_b32_e32 v0, 0x3ff, v0\n"
				"v_add_nc_u32_e32 v0, s6, v0\n"
				"v_lshlrev_b32_e32 v2, 2, v0\n"
				"s_waitcnt lgkmcnt(0)\n"
				"global_load_b32 v3, v2, s[4:5]\n"
				"v_add_nc_u32_e32 v4, 0x1000, v2\n"
				"s_waitcnt vmcnt(0)\n"
				"global_store_b32 v4, v3, s[4:5]\n"
				"s_endpgm\n";

static bool
kernel_at(struct rig *r, uint32_t at, const char *text)
{
	rig_reg(r, 0x20c)->value = (uint32_t)((r->code.va + at) >> 8);
	return rig_kernel(r, at, text);
}

/* The kernel at an offset, with a descriptor of 64 bytes before it that tells what the registers do. */
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

static int
run(struct rig *r)
{
	rig_stream(r);
	return rig_run(r);
}

/* A word in place of the first NOP behind the usual stream, or more. */
static int
run_with(struct rig *r, const uint32_t *w, unsigned n)
{
	rig_stream(r);
	for (unsigned i = 0; i < n; i++)
		rig_word(r, w[i]);
	rig_pad(r);
	return rig_run(r);
}

/* -- Objects, buffers, addresses -------------------------------------------------------------- */

static int
plant_handle(struct rig *r)
{
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	struct bo *b;
	void *p;
	amdgpu_bo_alloc(r->d, &q, &b);
	amdgpu_bo_free(b);
	return amdgpu_bo_cpu_map(b, &p);
}

static int
plant_left(struct rig *r)
{
	uint32_t major, minor;
	struct device *d;
	struct bo *b;
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	/* A device of its own. */
	int err = amdgpu_device_initialize2(r->fd, false, &major, &minor, &d);
	if (err || amdgpu_bo_alloc(d, &q, &b))
		return err;
	err = amdgpu_device_deinitialize(d);
	amdgpu_bo_free(b);
	return err;
}

static int
plant_unmap(struct rig *r)
{
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	struct bo *b;
	void *p;
	amdgpu_bo_alloc(r->d, &q, &b);
	amdgpu_bo_cpu_map(b, &p);
	amdgpu_bo_cpu_unmap(b);
	int err = amdgpu_bo_cpu_unmap(b);
	amdgpu_bo_free(b);
	return err;
}

static int
plant_bo_args(struct rig *r)
{
	struct bo_request q = { .size = 0, .heap = DOMAIN_GTT };
	struct bo *b;
	return amdgpu_bo_alloc(r->d, &q, &b);
}

static int
map_at(struct rig *r, uint64_t off, uint64_t size, uint64_t va, uint64_t flags)
{
	return amdgpu_bo_va_op_raw(r->d, r->data.bo, off, size, va, flags, VA_MAP);
}

static int
plant_va_align(struct rig *r)
{
	return map_at(r, 0, 4096, (UINT64_C(1) << 40) + 256, 0xe);
}

static int
plant_va_size(struct rig *r)
{
	return map_at(r, 0, 100, UINT64_C(1) << 40, 0xe);
}

static int
plant_va_past(struct rig *r)
{
	return map_at(r, 65536 - 4096, 8192, UINT64_C(1) << 40, 0xe);
}

static int
plant_va_low(struct rig *r)
{
	return map_at(r, 0, 4096, 4096, 0xe);
}

static int
plant_va_hole(struct rig *r)
{
	return map_at(r, 0, 4096, UINT64_C(1) << 48, 0xe);
}

static int
plant_va_flags(struct rig *r)
{
	return map_at(r, 0, 4096, UINT64_C(1) << 40, 0xe | 1 << 20);
}

static int
plant_va_unmap(struct rig *r)
{
	return amdgpu_bo_va_op_raw(r->d, r->data.bo, 0, 4096, UINT64_C(1) << 40, 0, VA_UNMAP) == -ENOENT
		       ? -EINVAL
		       : 0;
}

static int
plant_va_overlap(struct rig *r)
{
	return map_at(r, 0, 4096, r->data.va + 4096, 0xe);
}

static const uint32_t no_packet = 0xc0001200; /* CLEAR_STATE: the queue stands still for a while */

static int
plant_busy(struct rig *r)
{
	rig_stream(r);
	rig_word(r, no_packet);
	rig_pad(r);
	int err = rig_submit(r);
	if (err)
		return err;
	amdgpu_bo_va_op(r->data.bo, 0, r->data.size, r->data.va, 0, VA_UNMAP);
	amdgpu_bo_va_op(r->data.bo, 0, r->data.size, r->data.va, 0, VA_MAP);
	rig_wait(r);
	return 0;
}

static int
plant_busy_free(struct rig *r)
{
	struct rig_memory was = r->data;
	rig_stream(r);
	rig_word(r, no_packet);
	rig_pad(r);
	int err = rig_submit(r);
	amdgpu_bo_list_destroy(r->list);
	r->list = NULL;
	if (err)
		return err;
	amdgpu_bo_cpu_unmap(was.bo);
	amdgpu_bo_free(was.bo);
	rig_wait(r);
	amdgpu_va_range_free(was.range);
	r->data = (struct rig_memory){ 0 };
	return 0;
}

/* -- Submissions ----------------------------------------------------------------------------- */

static int
plant_ring(struct rig *r)
{
	r->ring = 7;
	int err = run(r);
	r->ring = 0;
	return err;
}

static int
plant_ib_flags(struct rig *r)
{
	r->ib_flags = 1 << 20;
	return run(r);
}

static int
plant_list_empty(struct rig *r)
{
	struct bo_list *l;
	return amdgpu_bo_list_create(r->d, 0, NULL, NULL, &l);
}

static int
plant_fence(struct rig *r)
{
	int err = run(r);
	r->seq = 99;
	return err ? 0 : rig_wait(r);
}

static int
plant_ib_mapped(struct rig *r)
{
	uint64_t was = r->stream.va;
	r->stream.va = UINT64_C(1) << 40;
	int err = run(r);
	r->stream.va = was;
	return err;
}

static int
plant_ib_end(struct rig *r)
{
	uint64_t was = r->stream.va;
	r->stream.va += r->stream.size - 32;
	int err = run(r);
	r->stream.va = was;
	return err;
}

static int
plant_ib_size(struct rig *r)
{
	r->n = 0;
	return rig_run(r);
}

static int
plant_ib_align(struct rig *r)
{
	r->stream.va += 16;
	r->stream.host += 16;
	int err = run(r);
	r->stream.va -= 16;
	r->stream.host -= 16;
	return err;
}

static int
plant_ib_pad(struct rig *r)
{
	rig_stream(r);
	rig_word(r, 0xffff1000);
	return rig_run(r);
}

static int
plant_ib_listed(struct rig *r)
{
	r->stream.unlisted = true;
	return run(r);
}

static int
plant_ib_edited(struct rig *r)
{
	const uint32_t nop = 0xffff1000;
	rig_stream(r);
	rig_word(r, no_packet);
	rig_pad(r);
	int err = rig_submit(r);
	memcpy(r->stream.host + 4 * (size_t)(r->n - 1), &no_packet, 4);
	if (!err)
		rig_wait(r);
	memcpy(r->stream.host + 4 * (size_t)(r->n - 1), &nop, 4);
	return err;
}

static int
plant_cpu_wrote(struct rig *r)
{
	uint64_t jobs = 0, was, dispatches;
	fake_amdgpu_counts(&was, &dispatches);
	rig_stream(r);
	rig_word(r, no_packet);
	rig_pad(r);
	int err = rig_submit(r);
	while (!err && jobs == 0) {
		fake_amdgpu_counts(&jobs, &dispatches);
		jobs -= was;
	}
	memset(r->args.host, 0x55, 8);
	if (!err)
		rig_wait(r);
	return err;
}

/* -- Packets ------------------------------------------------------------------------------------ */

#define PLANT_WORDS(name, ...)                                                                     \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		return run_with(r, w, sizeof w / 4);                                               \
	}
PLANT_WORDS(type2, 0x80000000)
PLANT_WORDS(type0, 0x00001000, 0)
PLANT_WORDS(clear_state, 0xc0001200, 0)
PLANT_WORDS(indirect_buffer, 0xc0023f00, 0, 0, 0)
PLANT_WORDS(long_event, 0xc0014600, 0x407, 0)
PLANT_WORDS(short_acquire, 0xc0055800, 0x28c40000, 0xffffffff, 0xffffff, 0, 0, 10)
PLANT_WORDS(past_end, 0xc03f1000, 0)
PLANT_WORDS(predicate, 0xc0001001, 0)
PLANT_WORDS(shader_release, 0xc0004602, 0x407)
PLANT_WORDS(event_type, 0xc0004600, 0x410)
PLANT_WORDS(release_event, 0xc0064900, 0x501, 0x20000000, 0, 0, 0, 0, 0)
PLANT_WORDS(gcr_shifted, 0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, 0x8000c3b1)
PLANT_WORDS(range, 0xc0065800, 0, 0x1000, 0, 0, 0, 10, 0xc3b1)
PLANT_WORDS(copy_register, 0xc0044000, 0x00110500, 0, 0, 0, 0)
PLANT_WORDS(uconfig, 0xc0017900, 0x10, 0)
PLANT_WORDS(index, 0xc0019b02, 0x10000216, 0)

static int
plant_write_align(struct rig *r)
{
	const uint32_t w[] = { 0xc0033700, 5u << 8 | 1u << 20, (uint32_t)r->data.va + 2,
			       (uint32_t)(r->data.va >> 32), 7 };
	return run_with(r, w, 5);
}

static int
plant_wait(struct rig *r)
{
	const uint32_t w[] = { 0xc0053c00, 0x13, (uint32_t)r->data.va, (uint32_t)(r->data.va >> 32), 77, UINT32_MAX,
			       4 };
	rig_stream(r);
	rig_between(r);
	for (unsigned i = 0; i < 7; i++)
		rig_word(r, w[i]);
	rig_pad(r);
	return rig_run(r);
}

/* -- Registers -------------------------------------------------------------------------------------- */

static int
plant_reg(struct rig *r, uint32_t at, uint32_t value)
{
	rig_reg(r, at)->value = value;
	return run(r);
}

#define PLANT_REG(name, at, value)                                                                 \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		return plant_reg(r, at, value);                                                    \
	}
#define PLANT_BITS(name, at, bits)                                                                 \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		return plant_reg(r, at, rig_reg(r, at)->value | (bits));                           \
	}
PLANT_REG(rsrc3_elsewhere, 0x22d, 1)	 /* gfx1030, gfx906 */
PLANT_REG(rsrc3_on_94, 0x228, 1)	 /* gfx942 */
PLANT_REG(masks_on_94, 0x225, UINT32_MAX)
PLANT_REG(se8_on_11, 0x223, UINT32_MAX)
PLANT_REG(relaunch_on_10, 0x22b, UINT32_MAX)
PLANT_REG(vmid, 0x214, 1)
PLANT_REG(initiator_reg, 0x200, 5)
PLANT_REG(perfcount, 0x20b, 1)
PLANT_BITS(priv, 0x212, 1 << 20)
PLANT_BITS(gfx12_dx10, 0x212, 1 << 21)
PLANT_BITS(trap, 0x213, 1 << 6)
PLANT_BITS(excp, 0x213, 1 << 24)
PLANT_BITS(shared_vgprs, 0x228, 2)
PLANT_REG(accum_offset, 0x22d, 63)
PLANT_REG(pgm_hi, 0x20d, 0x1ff)
PLANT_REG(restart, 0x21c, 3)
PLANT_REG(partial, 0x207, 64 | 3 << 16)
PLANT_BITS(sgprs, 0x212, 2 << 6)

static int
plant_unordered(struct rig *r)
{
	rig_reg(r, 0x212)->value &= ~(1u << 30);
	return run(r);
}

static int
plant_masks_none(struct rig *r)
{
	for (unsigned i = 0; i < r->n_regs; i++)
		if (r->regs[i].at == 0x216 || r->regs[i].at == 0x217 || r->regs[i].at == 0x219 ||
		    r->regs[i].at == 0x21a || (r->regs[i].at >= 0x22b && r->regs[i].at < 0x22f))
			r->regs[i].value = 0;
	return run(r);
}

static int
plant_mask_unset(struct rig *r)
{
	rig_reg(r, 0x22c)->left_out = true;
	return run(r);
}

static int
plant_user_unset(struct rig *r)
{
	rig_reg(r, 0x24e)->left_out = true;
	return run(r);
}

/* -- Code ---------------------------------------------------------------------------------------------- */

static int
remap(struct rig *r, struct rig_memory *m, uint64_t flags)
{
	int err = amdgpu_bo_va_op(m->bo, 0, m->size, m->va, 0, VA_UNMAP);
	return err ? 0 : amdgpu_bo_va_op_raw(r->d, m->bo, 0, m->size, m->va, flags, VA_MAP);
}

static int
plant_no_exec(struct rig *r)
{
	int err = remap(r, &r->code, 0x6);
	return err ? 0 : run(r);
}

static int
plant_code_unlisted(struct rig *r)
{
	r->code.unlisted = true;
	return run(r);
}

static int
plant_code_end(struct rig *r)
{
	memcpy(r->code.host + r->code.size - 256, r->code.host, 256);
	rig_reg(r, 0x20c)->value = (uint32_t)((r->code.va + r->code.size - 256) >> 8);
	return run(r);
}

/* Nothing ends it before the mapping does. */
static int
plant_code_open(struct rig *r)
{
	memset(r->code.host, 0, r->code.size);
	for (uint32_t i = 0; i < r->code.size; i += 4)
		memcpy(r->code.host + i, (const uint32_t[]){ 0xbf800000 }, 4);
	return run(r);
}

static int
plant_prefetch(struct rig *r)
{
	return plant_reg(r, 0x228, 255 << 4);
}

static int
plant_code_old(struct rig *r)
{
	int err = run(r);
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
	return err ? err : is_right(r) ? 0 : 1; /* the old one ran */
}

static int
plant_kernel_regs(struct rig *r)
{
	described(r, 0, rig_reg(r, 0x212)->value + 1, 1 << 10);
	return run(r);
}

static int
plant_kernel_lds(struct rig *r)
{
	described(r, 1024, rig_reg(r, 0x212)->value, 1 << 10);
	return run(r);
}

static int
plant_kernel_wave(struct rig *r)
{
	described(r, 0, rig_reg(r, 0x212)->value, 0);
	return run(r);
}

/* -- Dispatches ------------------------------------------------------------------------------------------- */

#define PLANT_INITIATOR(name, v)                                                                   \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		r->initiator = v;                                                                  \
		return run(r);                                                                     \
	}
PLANT_INITIATOR(disabled, 0x8004)
PLANT_INITIATOR(wave32_on_9, 0x8005)
PLANT_INITIATOR(thread_dims, 0x8025)
PLANT_REG(no_items, 0x208, 0)
PLANT_REG(many_items, 0x208, 32)

static int
plant_start(struct rig *r)
{
	r->initiator = 0x8001;
	return plant_reg(r, 0x204, 1);
}

static int
plant_no_groups(struct rig *r)
{
	r->dims[1] = 0;
	return run(r);
}

static int
plant_many_groups(struct rig *r)
{
	r->dims[2] = 0x10000;
	return run(r);
}

static int
plant_fits(struct rig *r)
{
	rig_reg(r, 0x212)->value |= 31;
	return plant_reg(r, 0x207, 1024);
}

static int
plant_limit(struct rig *r)
{
	return plant_reg(r, 0x215, 1);
}

PLANT_BITS(lds, 0x213, 0x1ff << 15)

static int
plant_few_sgprs(struct rig *r)
{
	return plant_reg(r, 0x213, 0x80 | 2 << 1);
}

static int
plant_no_ring(struct rig *r)
{
	rig_reg(r, 0x210)->value = 0;
	rig_reg(r, 0x211)->value = 0;
	rig_reg(r, 0x213)->value |= 1;
	return run(r);
}

static int
plant_scratch_hole(struct rig *r)
{
	rig_reg(r, 0x210)->value = 0x1000;
	rig_reg(r, 0x211)->value = 1;
	rig_reg(r, 0x213)->value |= 1;
	return plant_reg(r, 0x218, 32 | 4 << 12);
}

static int
plant_scratch_unset(struct rig *r)
{
	rig_reg(r, 0x213)->value |= 1;
	return plant_reg(r, 0x218, 32 | 4 << 12);
}

/* -- Waves --------------------------------------------------------------------------------------------------- */

#define PLANT_KERNEL(name, text)                                                                   \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		return kernel_at(r, SECOND, text) ? run(r) : 0;                                    \
	}
PLANT_KERNEL(no_wait, "s_load_b64 s[4:5], s[0:1], 0x0\n"
		      "v_mov_b32_e32 v2, 0\n"
		      "global_store_b32 v2, v0, s[4:5]\n"
		      "s_endpgm\n")
PLANT_KERNEL(too_many_vgprs, "v_mov_b32_e32 v9, 0\ns_endpgm\n")
PLANT_KERNEL(upper_id, "s_load_b64 s[4:5], s[0:1], 0x0\n"
		       "v_lshlrev_b32_e32 v1, 2, v1\n"
		       "s_waitcnt lgkmcnt(0)\n"
		       "global_store_b32 v1, v0, s[4:5]\n"
		       "s_endpgm\n")
PLANT_KERNEL(for_ever, "s_branch 65535\ns_endpgm\n")
PLANT_KERNEL(past_user, "s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 0\ns_endpgm\n")
PLANT_KERNEL(no_lds, "v_mov_b32_e32 v1, 0\nds_store_b32 v1, v1\ns_endpgm\n")

static int
plant_sgprs_9(struct rig *r)
{
	return kernel_at(r, SECOND, "s_mov_b32 s60, 0\ns_endpgm\n") ? run(r) : 0;
}

static int
plant_accs(struct rig *r)
{
	return kernel_at(r, SECOND, "v_accvgpr_write_b32 a60, v0\ns_endpgm\n") ? run(r) : 0;
}

static int
plant_mem_unmapped(struct rig *r)
{
	const uint64_t nowhere = UINT64_C(1) << 41;
	memcpy(r->args.host, &nowhere, 8);
	return run(r);
}

/* The last item's word is behind the end. */
static int
plant_mem_past(struct rig *r)
{
	const uint64_t at = r->data.va + r->data.size - 4 * ITEMS * GROUPS + 4;
	memcpy(r->args.host, &at, 8);
	return run(r);
}

static int
plant_mem_listed(struct rig *r)
{
	r->data.unlisted = true;
	return run(r);
}

static int
plant_mem_rights(struct rig *r)
{
	int err = remap(r, &r->data, 0x2);
	return err ? 0 : run(r);
}

static int
plant_write_rights(struct rig *r)
{
	int err = remap(r, &r->data, 0x4);
	return err || !kernel_at(r, SECOND, copy_text) ? 0 : run(r);
}

/* -- Caches ---------------------------------------------------------------------------------------------------- */

static int
plant_no_acquire(struct rig *r)
{
	r->no_acquire = true;
	return run(r);
}

static int
plant_half_acquire(struct rig *r)
{
	rig_stream(r);
	r->w[7] = 0x380;
	return rig_run(r);
}

/* The second submission still sees the first one's arguments. */
static int
plant_stale(struct rig *r)
{
	const uint64_t other = r->data.va + 32768;
	int err = run(r);
	if (err)
		return err;
	memcpy(r->args.host, &other, 8);
	memset(r->data.host, 0xff, r->data.size);
	r->no_acquire = true;
	err = run(r);
	return err ? err : !is_right(r);
}

static int
twice(struct rig *r, bool drain, bool empty)
{
	uint32_t v;
	if (!rig_kernel(r, SECOND, copy_text))
		return -1;
	r->no_drain = true;
	rig_stream(r);
	if (drain && empty)
		rig_between(r);
	else if (drain)
		rig_drain(r);
	else if (empty)
		rig_acquire(r);
	kernel_at(r, SECOND, copy_text);
	rig_set_regs(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	int err = rig_run(r);
	for (uint32_t i = 0; i < ITEMS * GROUPS && !err; i++) {
		memcpy(&v, r->data.host + 4 * (size_t)(COPY_WORDS + i), 4);
		err = v == i ? 0 : 1;
	}
	return err;
}

/* 0, as what is told but goes on gives: the second kernel saw what was there before. */
static int
plant_no_drain(struct rig *r)
{
	return twice(r, false, true) != 1;
}

static int
plant_no_empty(struct rig *r)
{
	return twice(r, true, false) != 1;
}

static int
plant_write_twice(struct rig *r)
{
	r->no_drain = true;
	rig_stream(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	return rig_run(r);
}

/* What one reads the next one writes. */
static int
plant_write_read(struct rig *r)
{
	if (!kernel_at(r, SECOND, copy_text))
		return -1;
	r->no_drain = true;
	rig_stream(r);
	rig_reg(r, 0x20c)->value = (uint32_t)(r->code.va >> 8);
	rig_set_regs(r);
	rig_dispatch(r);
	rig_drain(r);
	rig_pad(r);
	return rig_run(r);
}

/* -- SDMA -------------------------------------------------------------------------------------------------------- */

static int
dma(struct rig *r, const uint32_t *w, unsigned n)
{
	r->ip = IP_DMA;
	r->n = 0;
	for (unsigned i = 0; i < n; i++)
		rig_word(r, w[i]);
	return rig_run(r);
}

#define PLANT_DMA(name, ...)                                                                       \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		const uint32_t lo = (uint32_t)r->data.va, hi = (uint32_t)(r->data.va >> 32);       \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		(void)lo, (void)hi;                                                                \
		return dma(r, w, sizeof w / 4);                                                    \
	}
PLANT_DMA(dma_fence, 5, lo, hi, 1)
PLANT_DMA(dma_overlap, 1, 255, 0, lo, hi, lo + 128, hi)
PLANT_DMA(dma_swap, 1, 255, 1, lo, hi, lo + 1024, hi)
PLANT_DMA(dma_fill_bytes, 11, lo, hi, 0, 255)
PLANT_DMA(dma_long, 1, 1u << 30, 0, lo, hi, lo + 4096, hi)
PLANT_DMA(dma_cut, 1, 255, 0, lo)
PLANT_DMA(dma_past, 1, 65535, 0, lo, hi, lo + 65536, hi)

/* -- The table ------------------------------------------------------------------------------------------------------ */

static const struct planted {
	const char *check, *gpu;
	int (*run)(struct rig *r);
	const char *also; /* a check that it breaks as well */
	const char *config;
} planted[] = {
	{ "handle", "gfx1100", plant_handle, NULL, "" },
	{ "left", "gfx1100", plant_left, NULL, "" },
	{ "unmap", "gfx1100", plant_unmap, NULL, "" },
	{ "bo_args", "gfx1100", plant_bo_args, NULL, "" },
	{ "va_args", "gfx1100", plant_va_align, NULL, "" },
	{ "va_args", "gfx1100", plant_va_size, NULL, "" },
	{ "va_args", "gfx1100", plant_va_past, NULL, "" },
	{ "va_args", "gfx1100", plant_va_low, NULL, "" },
	{ "va_args", "gfx1100", plant_va_hole, NULL, "" },
	{ "va_args", "gfx1100", plant_va_flags, NULL, "" },
	{ "va_args", "gfx1100", plant_va_unmap, NULL, "" },
	{ "va_overlap", "gfx1100", plant_va_overlap, NULL, "" },
	{ "busy", "gfx1100", plant_busy, "packet_opcode", "lost=100000" },
	{ "busy", "gfx1100", plant_busy_free, "packet_opcode", "lost=100000" },
	{ "submit_args", "gfx1100", plant_ring, NULL, "" },
	{ "submit_args", "gfx1100", plant_ring, NULL, "rings=0" },
	{ "submit_args", "gfx1100", plant_ib_flags, NULL, "" },
	{ "submit_args", "gfx1100", plant_list_empty, NULL, "" },
	{ "fence_args", "gfx1100", plant_fence, NULL, "" },
	{ "ib_mapped", "gfx1100", plant_ib_mapped, NULL, "" },
	{ "ib_mapped", "gfx1100", plant_ib_end, NULL, "" },
	{ "ib_size", "gfx1100", plant_ib_size, NULL, "" },
	{ "ib_align", "gfx1100", plant_ib_align, NULL, "" },
	{ "ib_pad", "gfx1100", plant_ib_pad, NULL, "" },
	{ "ib_listed", "gfx1100", plant_ib_listed, NULL, "" },
	{ "ib_edited", "gfx1100", plant_ib_edited, "packet_opcode", "lost=100000" },
	{ "cpu_wrote", "gfx1100", plant_cpu_wrote, "packet_opcode", "lost=100000" },
	{ "packet_type", "gfx1100", plant_type2, NULL, "" },
	{ "packet_type", "gfx1100", plant_type0, NULL, "" },
	{ "packet_opcode", "gfx1100", plant_clear_state, NULL, "" },
	{ "packet_opcode", "gfx1100", plant_indirect_buffer, NULL, "" },
	{ "packet_size", "gfx1100", plant_long_event, NULL, "" },
	{ "packet_size", "gfx1100", plant_short_acquire, NULL, "" },
	{ "packet_size", "gfx1100", plant_past_end, NULL, "" },
	{ "packet_header", "gfx1100", plant_predicate, NULL, "" },
	{ "packet_header", "gfx1100", plant_shader_release, NULL, "" },
	{ "packet_field", "gfx1100", plant_event_type, NULL, "" },
	{ "packet_field", "gfx1100", plant_release_event, NULL, "" },
	{ "packet_field", "gfx1100", plant_gcr_shifted, NULL, "" },
	{ "packet_field", "gfx1100", plant_range, NULL, "" },
	{ "packet_field", "gfx1100", plant_copy_register, NULL, "" },
	{ "packet_field", "gfx1100", plant_uconfig, NULL, "" },
	{ "packet_field", "gfx1100", plant_index, NULL, "" },
	{ "packet_field", "gfx1100", plant_write_align, NULL, "" },
	{ "wait_forever", "gfx1100", plant_wait, NULL, "" },
	{ "reg_unknown", "gfx1030", plant_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx906", plant_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx942", plant_rsrc3_on_94, NULL, "" },
	{ "reg_unknown", "gfx942", plant_masks_on_94, NULL, "" },
	{ "reg_unknown", "gfx1100", plant_se8_on_11, NULL, "" },
	{ "reg_unknown", "gfx1030", plant_relaunch_on_10, NULL, "" },
	{ "reg_forbidden", "gfx1100", plant_vmid, NULL, "" },
	{ "reg_forbidden", "gfx1100", plant_initiator_reg, NULL, "" },
	{ "reg_value", "gfx1100", plant_perfcount, NULL, "" },
	{ "reg_value", "gfx1100", plant_priv, NULL, "" },
	{ "reg_value", "gfx1201", plant_gfx12_dx10, NULL, "" },
	{ "reg_value", "gfx1100", plant_trap, NULL, "" },
	{ "reg_value", "gfx1100", plant_excp, NULL, "" },
	{ "reg_value", "gfx1030", plant_shared_vgprs, NULL, "" },
	{ "reg_value", "gfx90a", plant_accum_offset, NULL, "" },
	{ "reg_value", "gfx1100", plant_pgm_hi, NULL, "" },
	{ "reg_value", "gfx1100", plant_restart, NULL, "" },
	{ "reg_value", "gfx1100", plant_partial, NULL, "" },
	{ "reg_value", "gfx1100", plant_unordered, NULL, "" },
	{ "reg_unset", "gfx1100", plant_user_unset, NULL, "" },
	{ "reg_unset", "gfx1100", plant_scratch_unset, NULL, "" },
	{ "mask_unset", "gfx1100", plant_mask_unset, NULL, "" },
	{ "mask_none", "gfx1100", plant_masks_none, NULL, "" },
	{ "sgprs_field", "gfx1100", plant_sgprs, NULL, "" },
	{ "code_fetch", "gfx1100", plant_no_exec, NULL, "" },
	{ "code_fetch", "gfx1100", plant_code_unlisted, NULL, "" },
	{ "code_fetch", "gfx1100", plant_code_open, NULL, "" },
	{ "code_tail", "gfx1100", plant_code_end, NULL, "" },
	{ "code_tail", "gfx1201", plant_prefetch, NULL, "" },
	{ "code_old", "gfx1100", plant_code_old, "acquire", "" },
	{ "kernel_regs", "gfx1100", plant_kernel_regs, NULL, "" },
	{ "kernel_lds", "gfx1100", plant_kernel_lds, NULL, "" },
	{ "kernel_wave", "gfx1100", plant_kernel_wave, NULL, "" },
	{ "initiator", "gfx1100", plant_disabled, NULL, "" },
	{ "initiator", "gfx906", plant_wave32_on_9, NULL, "" },
	{ "initiator", "gfx1100", plant_thread_dims, NULL, "" },
	{ "group_size", "gfx1100", plant_no_items, NULL, "" },
	{ "group_size", "gfx1100", plant_many_items, NULL, "" },
	{ "group_count", "gfx1100", plant_no_groups, NULL, "" },
	{ "group_count", "gfx1100", plant_many_groups, NULL, "" },
	{ "group_start", "gfx1100", plant_start, NULL, "" },
	{ "group_fits", "gfx1100", plant_fits, NULL, "" },
	{ "group_fits", "gfx1100", plant_limit, NULL, "" },
	{ "lds_size", "gfx1100", plant_lds, NULL, "" },
	{ "user_sgprs", "gfx1100", plant_few_sgprs, NULL, "" },
	{ "user_sgprs", "gfx1102", plant_few_sgprs, NULL, "" },
	{ "scratch", "gfx1100", plant_no_ring, NULL, "" },
	{ "scratch", "gfx1100", plant_scratch_hole, NULL, "" },
	{ "wave", "gfx1100", plant_no_wait, NULL, "" },
	{ "wave", "gfx1100", plant_too_many_vgprs, NULL, "" },
	{ "wave", "gfx1100", plant_upper_id, NULL, "" },
	{ "wave", "gfx1100", plant_for_ever, NULL, "steps=1000" },
	{ "wave", "gfx1100", plant_past_user, NULL, "" },
	{ "wave", "gfx1100", plant_no_lds, NULL, "" },
	{ "wave", "gfx906", plant_sgprs_9, NULL, "" },
	{ "wave", "gfx90a", plant_accs, NULL, "" },
	{ "mem_unmapped", "gfx1100", plant_mem_unmapped, NULL, "" },
	{ "mem_unmapped", "gfx1100", plant_mem_past, NULL, "" },
	{ "mem_unmapped", "gfx1100", plant_dma_past, NULL, "" },
	{ "mem_listed", "gfx1100", plant_mem_listed, NULL, "" },
	{ "mem_rights", "gfx1100", plant_mem_rights, NULL, "" },
	{ "mem_rights", "gfx1100", plant_write_rights, NULL, "" },
	{ "acquire", "gfx1100", plant_no_acquire, NULL, "" },
	{ "acquire", "gfx1100", plant_half_acquire, NULL, "" },
	{ "stale", "gfx1100", plant_stale, "acquire", "" },
	{ "read_early", "gfx1100", plant_no_drain, NULL, "" },
	{ "read_early", "gfx1100", plant_no_empty, NULL, "" },
	{ "write_early", "gfx1100", plant_write_twice, NULL, "" },
	{ "write_early", "gfx1100", plant_write_read, NULL, "" },
	{ "sdma_packet", "gfx1100", plant_dma_fence, NULL, "" },
	{ "sdma_packet", "gfx1100", plant_dma_overlap, NULL, "" },
	{ "sdma_packet", "gfx1100", plant_dma_swap, NULL, "" },
	{ "sdma_packet", "gfx1100", plant_dma_fill_bytes, NULL, "" },
	{ "sdma_size", "gfx1010", plant_dma_long, NULL, "" },
	{ "sdma_size", "gfx1100", plant_dma_cut, NULL, "" },
};

static const char *
end_of(const char *check)
{
	const char *end = "", *name;
	for (unsigned i = 0; (name = fake_amdgpu_check(i, &end)); i++)
		if (!strcmp(name, check))
			return end;
	return "no such check";
}

/* Whether it ended as the check's row says. */
static bool
ended(struct rig *r, const char *end, int err, char *text, size_t size)
{
	uint64_t flags = 0, want = 0, fault[2] = { 0 };
	int expected = 0;
	if (!strcmp(end, "refused"))
		expected = -EINVAL;
	if (!strcmp(end, "hang"))
		expected = -ETIME;
	if (!strcmp(end, "fault"))
		expected = -ENODATA;
	if (expected == -ETIME || expected == -ENODATA)
		want = RESET_GUILTY | RESET_RESET;
	if (r->ctx)
		amdgpu_cs_query_reset_state2(r->ctx, &flags);
	snprintf(text, size, "it gives %d, reset state %llu; want %d, %llu", err, (unsigned long long)flags,
		 expected, (unsigned long long)want);
	amdgpu_query_info(r->d, INFO_GPUVM_FAULT, sizeof fault, fault);
	return err == expected && (!want || flags == want);
}

static bool
plant(const struct planted *p)
{
	struct rig r;
	char text[512], what[128];
	const char *end = end_of(p->check);
	snprintf(what, sizeof what, "%s on %s", p->check, p->gpu);

	bool ok = rig_open(&r, p->gpu, 0, p->config) && rig_usual(&r);
	int err = ok ? p->run(&r) : -1;
	bool found = fake_amdgpu_complaints(p->check, text, sizeof text) != 0;
	if (getenv("QD_TEST_TELL"))
		printf("%s\n", text);
	if (!found)
		fail(what, "it is not told");
	else if (!p->also && !ended(&r, end, err, text, sizeof text))
		fail(what, text);
	/* A row says what it breaks: nothing else is told but that. */
	unsigned n = fake_amdgpu_complaints(NULL, text, sizeof text), own = fake_amdgpu_complaints(p->check, NULL, 0);
	own = strcmp(end, "warned") ? own : 0;
	if (n != own + (p->also ? fake_amdgpu_complaints(p->also, NULL, 0) : 0))
		fail(what, text);
	rig_close(&r);
	fake_amdgpu_forget();
	return found;
}

/* Each register that a dispatch needs, left out once. */
static unsigned
each_register(const char *gpu, unsigned *n_planted)
{
	struct rig r;
	unsigned found = 0;
	for (unsigned i = 0, n = 1; i < n; i++) {
		char text[128];
		bool ok = rig_open(&r, gpu, 0, "") && rig_usual(&r);
		uint32_t at = r.regs[i].at;
		bool mask = at == 0x216 || at == 0x217 || at == 0x219 || at == 0x21a ||
			    ((at >= 0x225 && at < 0x229 && r.gen < 10) || (at >= 0x225 && at < 0x229 && r.gen == 90)) ||
			    (at >= 0x22b && at < 0x22f && (r.gen == 11 || r.gen == 12));
		n = r.n_regs;
		r.regs[i].left_out = true;
		int err = ok ? run(&r) : -1;
		unsigned told = fake_amdgpu_complaints(mask ? "mask_unset" : "reg_unset", NULL, 0);
		/* Of engines that this GPU has not nobody asks for the mask. */
		bool spare = mask && !told && !err;
		*n_planted += !spare;
		found += told != 0;
		if (!spare && (!told || err != (mask ? 0 : -ETIME))) {
			snprintf(text, sizeof text, "register 0x%x left out gives %d, told %u times", at, err, told);
			fail(gpu, text);
		}
		rig_close(&r);
		fake_amdgpu_forget();
	}
	return found;
}

/* A check that no row breaks is not known to work. */
static void
all_checks(void)
{
	const char *name, *end;
	for (unsigned i = 0; (name = fake_amdgpu_check(i, &end)); i++) {
		bool there = false;
		for (size_t k = 0; k < sizeof planted / sizeof *planted; k++)
			there = there || !strcmp(planted[k].check, name);
		if (!there)
			fail(name, "no row breaks it");
	}
}

int
main(void)
{
	static const struct {
		const char *gpu;
		unsigned wave;
	} gpus[] = { { "gfx906", 64 },	{ "gfx908", 64 },  { "gfx90a", 64 },  { "gfx942", 64 },
		     { "gfx950", 64 },	{ "gfx1010", 32 }, { "gfx1010", 64 }, { "gfx1030", 32 },
		     { "gfx1030", 64 }, { "gfx1100", 32 }, { "gfx1100", 64 }, { "gfx1102", 32 },
		     { "gfx1150", 32 }, { "gfx1200", 32 }, { "gfx1201", 32 }, { "gfx1201", 64 } };
	unsigned n = sizeof planted / sizeof *planted, found = 0;
	for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
		clean(gpus[i].gpu, gpus[i].wave);
	for (unsigned i = 0; i < n; i++)
		found += plant(&planted[i]);
	if (getenv("QD_TEST_PLANT"))
		found += plant(&(struct planted){ "wave", "gfx1100", run, NULL, "" });
	found += each_register("gfx906", &n);
	found += each_register("gfx90a", &n);
	found += each_register("gfx942", &n);
	found += each_register("gfx1030", &n);
	found += each_register("gfx1100", &n);
	found += each_register("gfx1201", &n);
	all_checks();
	printf("planted %u, found %u\n", n, found);
	return n_bad != 0 || n != found;
}
