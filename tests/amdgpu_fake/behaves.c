/* What the fake does for a program that does nothing wrong: devices, fences, memory that is seen when
 * its fence has passed, errors that it is told to make, threads.  A line for each that is not so. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

static unsigned n_bad;

#define WANT(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("%s:%d: not so: %s\n", __func__, __LINE__, #cond);                 \
			n_bad++;                                                                   \
		}                                                                                  \
	} while (0)

static void
close_clean(struct rig *r)
{
	char text[512];
	rig_close(r);
	WANT(!fake_amdgpu_complaints(NULL, text, sizeof text));
	if (*text)
		printf("%s\n", text);
	WANT(!fake_amdgpu_left(text, sizeof text));
	fake_amdgpu_forget();
}

static uint32_t
data_at(const struct rig *r, uint32_t i)
{
	uint32_t v;
	memcpy(&v, r->data.host + 4 * (size_t)i, 4);
	return v;
}

/* -- Discovery ---------------------------------------------------------------------------------- */

static void
devices(void)
{
	struct drm_device *d[8];
	struct drm_version *v;
	struct device *dev, *same;
	struct info_hw_ip ip;
	struct info_memory m;
	struct info_device info;
	struct gpu_info gpu;
	uint32_t major, minor, n;

	fake_amdgpu_set("gpu=");
	WANT(drmGetDevices2(0, NULL, 0) == 0);
	fake_amdgpu_set("gpu=gfx1100,gfx90a access=0");
	WANT(drmOpenRender(128) == -EACCES);
	fake_amdgpu_set("gpu=gfx1100,gfx90a driver=i915");
	int fd = drmOpenRender(129);
	v = drmGetVersion(fd);
	WANT(v && !strcmp(v->name, "i915"));
	drmFreeVersion(v);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) < 0);
	drmClose(fd);

	fake_amdgpu_set("gpu=gfx1100,gfx90a visible=256 vram=4096");
	WANT(drmOpenRender(130) == -ENOENT);
	WANT(drmGetDevices2(0, d, 8) == 2);
	WANT(d[1]->bustype == 0 && d[1]->info->device_id == 0x740f && d[1]->bus->bus == 4);
	WANT(!strcmp(d[1]->nodes[DRM_NODE_RENDER], "/dev/dri/renderD129"));
	drmFreeDevices(d, 2);
	fd = drmOpenRender(129);
	WANT(drmGetNodeTypeFromFd(fd) == DRM_NODE_RENDER);
	char *name = drmGetRenderDeviceNameFromFd(fd);
	WANT(name && !strcmp(name, "/dev/dri/renderD129"));
	free(name);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) == 0 && major == 3 && minor == 61);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &same) == 0 && same == dev);
	drmClose(fd);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 0, &ip) == 0 && ip.ip_discovery_version == 0x090402 &&
	     ip.available_rings == 15);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 1, &ip) == 0 && ip.available_rings == 0);
	WANT(amdgpu_query_hw_ip_count(dev, IP_COMPUTE, &n) == 0 && n == 1);
	WANT(amdgpu_query_info(dev, INFO_MEMORY, sizeof m, &m) == 0 && m.vram.total == UINT64_C(4) << 30 &&
	     m.visible.total == 256 << 20);
	WANT(amdgpu_query_info(dev, 0x77, sizeof m, &m) == -EINVAL);
	memset(&info, 0, sizeof info);
	WANT(amdgpu_query_info(dev, INFO_DEV_INFO, 20, &info) == 0 && info.family == 141 &&
	     info.num_shader_engines == 0 /* that much was asked for */ - 0);
	WANT(amdgpu_query_info(dev, INFO_DEV_INFO, sizeof info, &info) == 0 && info.num_shader_engines == 8 &&
	     info.cu_active_number == 104 && info.wave_front_size == 64);
	WANT(amdgpu_query_gpu_info(dev, &gpu) == 0 && gpu.chip_external_rev == 0x3c && gpu.family_id == 141);
	WANT(strstr(amdgpu_get_marketing_name(dev), "MI210"));
	WANT(amdgpu_device_deinitialize(same) == 0);
	WANT(amdgpu_device_deinitialize(dev) == 0);

	fake_amdgpu_set("gpu=gfx1100 discovery=0 rings=0 apu=1");
	fd = drmOpenRender(128);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) == 0);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 0, &ip) == 0 && !ip.ip_discovery_version &&
	     !ip.available_rings);
	WANT(amdgpu_query_gpu_info(dev, &gpu) == 0 && (gpu.ids_flags & 1));
	WANT(amdgpu_device_deinitialize(dev) == 0);
	drmClose(fd);
	WANT(!fake_amdgpu_complaints(NULL, NULL, 0));
}

static void
memory(void)
{
	struct rig r;
	struct bo *b, *other;
	uint64_t off, va;
	struct va_range *range;
	void *p, *q;
	bool busy;
	WANT(rig_open(&r, "gfx1100", 0, "vram=64 visible=16"));
	struct bo_request big = { .size = 65 << 20, .heap = DOMAIN_VRAM };
	struct bo_request hidden = { .size = 5000, .heap = DOMAIN_VRAM, .flags = BO_NO_CPU_ACCESS };
	struct bo_request seen = { .size = 17 << 20, .heap = DOMAIN_VRAM, .flags = BO_CPU_ACCESS };
	WANT(amdgpu_bo_alloc(r.d, &big, &b) == -ENOMEM);
	WANT(amdgpu_bo_alloc(r.d, &seen, &b) == -ENOMEM);
	WANT(amdgpu_bo_alloc(r.d, &hidden, &b) == 0);
	WANT(amdgpu_bo_cpu_map(b, &p) == -EPERM);
	WANT(amdgpu_bo_free(b) == 0);
	/* Maps are counted, and are one. */
	WANT(amdgpu_bo_cpu_map(r.data.bo, &p) == 0 && amdgpu_bo_cpu_map(r.data.bo, &q) == 0 && p == q);
	WANT(amdgpu_bo_cpu_unmap(r.data.bo) == 0 && amdgpu_bo_cpu_unmap(r.data.bo) == 0);
	WANT(amdgpu_find_bo_by_cpu_mapping(r.d, r.data.host + 100, 8, &other, &off) == 0 && other == r.data.bo &&
	     off == 100);
	WANT(amdgpu_bo_free(other) == 0);
	WANT(amdgpu_bo_wait_for_idle(r.data.bo, 0, &busy) == 0 && !busy);
	/* Ranges: the high ones on demand, what is wanted if it is free. */
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, 0, &va, &range, VA_HIGH) == 0 && va >> 47 == 0x1ffff);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, 0, &va, &range, VA_32_BIT) == 0 && va >> 32 == 0);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 1 << 20, 0, &va, &range, 0) == 0 && va % (1 << 20) == 0);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, r.data.va, &va, &range, 0) == -ENOMEM);
	WANT(amdgpu_cs_ctx_create2(r.d, 512, &(struct ctx *){ NULL }) == -EACCES);
	close_clean(&r);
}

/* -- Fences ---------------------------------------------------------------------------------------- */

/* Nothing is seen before the fence has passed. */
static void
late(void)
{
	struct rig r;
	uint64_t jobs = 0, was, dispatches;
	fake_amdgpu_counts(&was, &dispatches);
	WANT(rig_open(&r, "gfx1100", 0, "delays=0 lost=50000") && rig_usual(&r));
	rig_stream(&r);
	rig_word(&r, 0xc0001200); /* stands still, for 50 ms */
	rig_pad(&r);
	WANT(rig_submit(&r) == 0);
	while (jobs == was || !jobs)
		fake_amdgpu_counts(&jobs, &dispatches);
	struct cs_fence f = { r.ctx, r.ip, 0, r.ring, r.seq };
	uint32_t expired = 7;
	WANT(data_at(&r, 5) == UINT32_MAX);
	WANT(amdgpu_cs_query_fence_status(&f, 0, 0, &expired) == 0 && expired == 0);
	WANT(rig_wait(&r) == -ETIME);
	WANT(data_at(&r, 5) == 5); /* what ran before it stood still */
	/* The context is lost, another one is not. */
	WANT(rig_submit(&r) == -ECANCELED);
	WANT(amdgpu_cs_ctx_free(r.ctx) == 0 && amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0);
	rig_stream(&r);
	WANT(rig_run(&r) == 0);
	fake_amdgpu_forget();
	close_clean(&r);
}

/* 32 fences are remembered; numbers count by ring. */
static void
window(void)
{
	struct rig r;
	uint32_t expired;
	WANT(rig_open(&r, "gfx1100", 0, "") && rig_usual(&r));
	rig_stream(&r);
	for (uint64_t i = 1; i <= 40; i++)
		WANT(rig_submit(&r) == 0 && r.seq == i);
	WANT(rig_wait(&r) == 0);
	struct cs_fence old = { r.ctx, IP_COMPUTE, 0, 0, 3 }, none = { r.ctx, IP_COMPUTE, 0, 1, 0 };
	WANT(amdgpu_cs_query_fence_status(&old, 0, 0, &expired) == 0 && expired == 1);
	WANT(amdgpu_cs_query_fence_status(&none, 0, 0, &expired) == 0 && expired == 1);
	r.ring = 3;
	WANT(rig_submit(&r) == 0 && r.seq == 1);
	struct cs_fence both[2] = { { r.ctx, IP_COMPUTE, 0, 0, 40 }, { r.ctx, IP_COMPUTE, 0, 3, 1 } };
	uint32_t status = 0, first;
	WANT(amdgpu_cs_wait_fences(both, 2, true, UINT64_C(5000000000), &status, &first) == 0 && status == 1);
	WANT(data_at(&r, 77) == 77);
	/* No streams: no fence. */
	struct cs_request q = { .ip_type = IP_COMPUTE, .seq = 9 };
	WANT(amdgpu_cs_submit(r.ctx, 0, &q, 1) == 0 && q.seq == 0);
	close_clean(&r);
}

/* Who depends on another context's fence runs behind it, whatever comes first otherwise. */
static void
depends(void)
{
	static const char text[] = "s_load_b64 s[4:5], s[0:1], 0x0\n"
				   "v_mov_b32_e32 v2, 0\n"
				   "s_waitcnt lgkmcnt(0)\n"
				   "global_load_b32 v3, v2, s[4:5]\n"
				   "s_waitcnt vmcnt(0)\n"
				   "v_mul_lo_u32 v3, v3, 3\n"
				   "v_add_nc_u32_e32 v3, 1, v3\n"
				   "global_store_b32 v2, v3, s[4:5]\n"
				   "s_endpgm\n";
	struct rig r;
	uint32_t expected = 0;
	WANT(rig_open(&r, "gfx1100", 0, "seed=5") && rig_usual(&r) && rig_kernel(&r, 0, text));
	r.dims[0] = 1;
	rig_reg(&r, 0x207)->value = 1;
	struct ctx *ctx[2] = { r.ctx, NULL };
	WANT(amdgpu_cs_ctx_create2(r.d, 0, &ctx[1]) == 0);
	memset(r.data.host, 0, 4);
	rig_stream(&r);
	memcpy(r.stream.host, r.w, 4 * (size_t)r.n);
	struct bo *bos[4] = { r.code.bo, r.stream.bo, r.args.bo, r.data.bo };
	WANT(amdgpu_bo_list_create(r.d, 4, bos, NULL, &r.list) == 0);
	struct cs_fence before = { ctx[0], IP_COMPUTE, 0, 0, 0 };
	struct cs_ib ib = { 0, r.stream.va, r.n };
	for (uint32_t i = 0; i < 20; i++) {
		struct cs_request q = { .ip_type = IP_COMPUTE, .ring = i % 3, .list = r.list, .n_deps = i ? 1 : 0,
					.deps = &before, .n_ibs = 1, .ibs = &ib };
		WANT(amdgpu_cs_submit(ctx[i & 1], 0, &q, 1) == 0);
		before = (struct cs_fence){ ctx[i & 1], IP_COMPUTE, 0, i % 3, q.seq };
		expected = expected * 3 + 1;
	}
	uint32_t expired = 0;
	WANT(amdgpu_cs_query_fence_status(&before, UINT64_C(5000000000), 0, &expired) == 0 && expired);
	WANT(data_at(&r, 0) == expected);
	WANT(amdgpu_cs_ctx_free(ctx[1]) == 0);
	close_clean(&r);
}

/* -- Packets that only write --------------------------------------------------------------------------- */

static void
packets(void)
{
	struct rig r;
	uint64_t t[2];
	WANT(rig_open(&r, "gfx1030", 0, ""));
	uint32_t lo = (uint32_t)r.data.va, hi = (uint32_t)(r.data.va >> 32);
	const uint32_t w[] = {
		0xc0055800 + (1 << 16), 0, 0xffffffff, 0xffffff, 0, 0, 10, 0xc3b1,  /* ACQUIRE_MEM */
		0xc0043700, 5u << 8 | 1u << 20, lo, hi, 0x1234, 0x5678,		    /* WRITE_DATA */
		0xc0044000, 0x00110509, 0, 0, lo + 16, hi,			    /* COPY_DATA of the clock */
		0xc0044000, 0x00100501, lo, hi, lo + 8, hi,			    /* of memory */
		0xc0064900, 0x528, 0x20000000, lo + 12, hi, 0x77, 0, 0,		    /* RELEASE_MEM, 32 bits */
		0xc0064900, 0x528, 0x60000000, lo + 24, hi, 0, 0, 0,		    /* the clock */
		0xc0053c00, 0x13, lo, hi, 0x34, 0xff, 4,			    /* WAIT_REG_MEM */
		0xc0021000, 1, 2, 3, 0xffff1000,				    /* NOPs */
	};
	for (unsigned i = 0; i < sizeof w / 4; i++)
		rig_word(&r, w[i]);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	WANT(data_at(&r, 0) == 0x1234 && data_at(&r, 1) == 0x5678 && data_at(&r, 2) == 0x1234 && data_at(&r, 3) == 0x77);
	memcpy(t, r.data.host + 16, sizeof t);
	WANT(t[0] && t[1] >= t[0]);
	close_clean(&r);
}

/* The emptied caches may be the kernel's work, and how many groups there are may stand in memory. */
static void
indirect(void)
{
	struct rig r;
	WANT(rig_open(&r, "gfx1201", 0, "") && rig_usual(&r));
	const uint32_t dims[3] = { GROUPS, 1, 1 };
	memcpy(r.data.host + 32768, dims, sizeof dims);
	r.ib_flags = IB_EMIT_MEM_SYNC;
	rig_set_regs(&r);
	rig_word(&r, 0xc0021602);
	rig_word(&r, (uint32_t)r.data.va + 32768);
	rig_word(&r, (uint32_t)(r.data.va >> 32));
	rig_word(&r, r.initiator);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < ITEMS * GROUPS; i++)
		WANT(data_at(&r, i) == i);
	close_clean(&r);
}

static void
sdma(void)
{
	struct rig r;
	WANT(rig_open(&r, "gfx1100", 0, ""));
	uint32_t lo = (uint32_t)r.data.va, hi = (uint32_t)(r.data.va >> 32);
	const uint32_t w[] = { 11u | 2u << 30, lo, hi, 0xabcd1234, 8191, 1, 8191, 0, lo, hi, lo + 16384, hi };
	r.ip = IP_DMA;
	for (unsigned i = 0; i < sizeof w / 4; i++)
		rig_word(&r, w[i]);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < 2048; i++)
		WANT(data_at(&r, i) == 0xabcd1234 && data_at(&r, 4096 + i) == 0xabcd1234);
	WANT(data_at(&r, 2048) == 0 && data_at(&r, 4096 + 2048) == 0);
	close_clean(&r);
}

/* Two dispatches of which the second reads what the first one writes, with all that this wants. */
static void
chain(void)
{
	struct rig r;
	char text[512];
	snprintf(text, sizeof text, "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
				    "v_lshlrev_b32_e32 v2, 2, v0\n"
				    "s_waitcnt lgkmcnt(0)\n"
				    "global_load_dword v3, v2, s[4:5]\n"
				    "s_waitcnt vmcnt(0)\n"
				    "v_lshlrev_b32_e32 v3, 1, v3\n"
				    "global_store_dword v2, v3, s[4:5] offset:1024\n"
				    "s_endpgm\n");
	WANT(rig_open(&r, "gfx906", 0, "") && rig_usual(&r) && rig_kernel(&r, 4096, text));
	r.no_drain = true;
	rig_stream(&r);
	while (r.w[r.n - 1] == 0xffff1000)
		r.n--;
	rig_between(&r);
	rig_reg(&r, 0x20c)->value += 4096 >> 8;
	r.dims[0] = 1;
	rig_set_regs(&r);
	rig_dispatch(&r);
	rig_drain(&r);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < ITEMS; i++)
		WANT(data_at(&r, i) == i && data_at(&r, 256 + i) == 2 * i);
	close_clean(&r);
}

/* Lanes' private memory, by the base that the queue is told (gfx942). */
static void
scratch(void)
{
	static const char text[] = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
				   "v_and_b32_e32 v0, 0x3ff, v0\n"
				   "v_mov_b32_e32 v1, 8\n"
				   "scratch_store_dword v1, v0, off\n"
				   "s_waitcnt vmcnt(0)\n"
				   "scratch_load_dword v3, v1, off\n"
				   "v_lshlrev_b32_e32 v2, 2, v0\n"
				   "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
				   "global_store_dword v2, v3, s[4:5]\n"
				   "s_endpgm\n";
	struct rig r;
	struct rig_memory ring;
	WANT(rig_open(&r, "gfx942", 0, "") && rig_usual(&r) && rig_kernel(&r, 0, text));
	WANT(rig_memory(&r, &ring, 64 << 10, DOMAIN_VRAM, BO_NO_CPU_ACCESS | BO_ALWAYS_VALID, 0xe));
	rig_reg(&r, 0x210)->value = (uint32_t)(ring.va >> 8);
	rig_reg(&r, 0x211)->value = (uint32_t)(ring.va >> 40);
	rig_reg(&r, 0x218)->value = 16 | 4 << 12;
	rig_reg(&r, 0x213)->value |= 1;
	rig_stream(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < ITEMS; i++)
		WANT(data_at(&r, i) == i);
	rig_memory_free(&ring);
	close_clean(&r);
}

/* Submissions by chunks, with a list of their own, and one by number. */
static void
raw(void)
{
	struct rig r;
	uint32_t list, handles[4];
	uint64_t seq;
	WANT(rig_open(&r, "gfx1100", 0, "") && rig_usual(&r));
	rig_stream(&r);
	memcpy(r.stream.host, r.w, 4 * (size_t)r.n);
	struct bo *bos[4] = { r.code.bo, r.stream.bo, r.args.bo, r.data.bo };
	struct list_entry entries[4];
	for (unsigned i = 0; i < 4; i++) {
		WANT(amdgpu_bo_export(bos[i], 1, &handles[i]) == 0);
		entries[i] = (struct list_entry){ handles[i], 0 };
	}
	struct cs_chunk_ib ib = { 0, 0, r.stream.va, 4 * r.n, IP_COMPUTE, 0, 0 };
	struct list_in in = { UINT32_MAX, UINT32_MAX, 4, sizeof entries[0], (uint64_t)(uintptr_t)entries };
	struct cs_chunk chunks[] = { { CHUNK_BO_HANDLES, sizeof in / 4, (uint64_t)(uintptr_t)&in },
				     { CHUNK_IB, sizeof ib / 4, (uint64_t)(uintptr_t)&ib } };
	WANT(amdgpu_cs_submit_raw2(r.d, r.ctx, 0, 2, chunks, &seq) == 0 && seq == 1);
	r.seq = seq;
	WANT(rig_wait(&r) == 0 && data_at(&r, 9) == 9);
	WANT(amdgpu_bo_list_create_raw(r.d, 4, entries, &list) == 0);
	WANT(amdgpu_cs_submit_raw2(r.d, r.ctx, list, 1, chunks + 1, &seq) == 0 && seq == 2);
	r.seq = seq;
	WANT(amdgpu_bo_list_destroy_raw(r.d, list) == 0);
	WANT(rig_wait(&r) == 0);
	close_clean(&r);
}

/* -- Errors that it is told to make ------------------------------------------------------------------------ */

static void
faults(void)
{
	struct rig r;
	uint64_t flags;
	WANT(rig_open(&r, "gfx1100", 0, "fail=amdgpu_cs_submit:2:12 fail=amdgpu_bo_list_create:3:12") && rig_usual(&r));
	rig_stream(&r);
	WANT(rig_run(&r) == 0 && !fake_amdgpu_hit());
	WANT(rig_submit(&r) == -ENOMEM && fake_amdgpu_hit());
	WANT(rig_submit(&r) == -ENOMEM && fake_amdgpu_calls("amdgpu_cs_submit") == 2);
	WANT(rig_run(&r) == 0);
	close_clean(&r);

	static const struct {
		const char *text;
		int fence, again;
		uint64_t flags;
	} rows[] = {
		{ "job=2:62:guilty", -ETIME, -ECANCELED, RESET_RESET | RESET_GUILTY },
		{ "job=2:61:guilty", -ENODATA, -ECANCELED, RESET_RESET | RESET_GUILTY },
		{ "job=2:125:innocent", -ECANCELED, -ECANCELED, RESET_RESET },
		{ "job=2:125:vram", -ECANCELED, -ECANCELED, RESET_RESET | RESET_VRAM_LOST },
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		WANT(rig_open(&r, "gfx1100", 0, rows[i].text) && rig_usual(&r));
		rig_stream(&r);
		WANT(rig_run(&r) == 0);
		WANT(rig_run(&r) == rows[i].fence);
		WANT(amdgpu_cs_query_reset_state2(r.ctx, &flags) == 0 && flags == rows[i].flags);
		WANT(rig_submit(&r) == rows[i].again);
		WANT(amdgpu_cs_ctx_free(r.ctx) == 0 && amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0);
		WANT(amdgpu_cs_query_reset_state2(r.ctx, &flags) == 0 && !flags);
		/* Code in VRAM that was lost is none. */
		if (rows[i].flags & RESET_VRAM_LOST)
			WANT(rig_run(&r) != 0 || data_at(&r, 5) != 5);
		fake_amdgpu_forget();
		if (!(rows[i].flags & RESET_VRAM_LOST))
			WANT(rig_run(&r) == 0);
		close_clean(&r);
	}
}

/* What is made and freed again and again keeps its use told, and takes no more memory. */
static void
many(void)
{
	struct rig r;
	struct bo *b, *first = NULL;
	struct bo_list *l;
	struct ctx *c;
	void *p;
	WANT(rig_open(&r, "gfx1100", 0, ""));
	for (unsigned i = 0; i < 10000; i++) {
		struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
		WANT(amdgpu_bo_alloc(r.d, &q, &b) == 0);
		WANT(amdgpu_bo_list_create(r.d, 1, &b, NULL, &l) == 0 && amdgpu_bo_list_destroy(l) == 0);
		WANT(amdgpu_bo_free(b) == 0);
		WANT(amdgpu_cs_ctx_create2(r.d, 0, &c) == 0 && amdgpu_cs_ctx_free(c) == 0);
		first = i == 9500 ? b : first;
	}
	WANT(!fake_amdgpu_complaints(NULL, NULL, 0));
	WANT(amdgpu_bo_cpu_map(first, &p) == -EINVAL && fake_amdgpu_complaints("handle", NULL, 0) == 1);
	fake_amdgpu_forget();
	close_clean(&r);
}

/* -- Threads ------------------------------------------------------------------------------------------------- */

enum { N_THREADS = 6, ROUNDS = 40 };
static struct {
	struct device *d;
	struct rig *shared;
} threads;

static void *
thread(void *arg)
{
	struct rig r = *threads.shared;
	bool ok = amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0;
	r.list = NULL;
	r.ring = *(const uint32_t *)arg % 4;
	ok = ok && rig_memory(&r, &r.stream, 16384, DOMAIN_GTT, BO_USWC, 0xe);
	ok = ok && rig_memory(&r, &r.args, 4096, DOMAIN_GTT, BO_USWC, 0xe);
	ok = ok && rig_memory(&r, &r.data, 65536, DOMAIN_GTT, 0, 0xe);
	for (unsigned i = 0; ok && i < 2; i++)
		rig_reg(&r, 0x240 + i)->value = (uint32_t)(r.args.va >> 32 * i);
	for (uint32_t i = 0; ok && i < ROUNDS; i++) {
		uint64_t at = r.data.va + 1024 * (uint64_t)(i % 8);
		memset(r.data.host, 0xff, r.data.size);
		memcpy(r.args.host, &at, 8);
		rig_stream(&r);
		ok = rig_run(&r) == 0 && data_at(&r, 256 * (i % 8) + 200) == 200;
	}
	if (r.list)
		amdgpu_bo_list_destroy(r.list);
	rig_memory_free(&r.data);
	rig_memory_free(&r.args);
	rig_memory_free(&r.stream);
	amdgpu_cs_ctx_free(r.ctx);
	return ok ? NULL : &threads;
}

static void
together(void)
{
	struct rig r;
	pthread_t t[N_THREADS];
	uint32_t number[N_THREADS];
	void *bad;
	WANT(rig_open(&r, "gfx1100", 0, "") && rig_usual(&r));
	threads.d = r.d;
	threads.shared = &r;
	for (uint32_t i = 0; i < N_THREADS; i++) {
		number[i] = i;
		WANT(pthread_create(&t[i], NULL, thread, &number[i]) == 0);
	}
	for (unsigned i = 0; i < N_THREADS; i++)
		WANT(pthread_join(t[i], &bad) == 0 && !bad);
	close_clean(&r);
}

int
main(void)
{
	devices();
	memory();
	late();
	window();
	depends();
	packets();
	indirect();
	sdma();
	chain();
	scratch();
	raw();
	faults();
	many();
	together();
	if (getenv("QD_TEST_PLANT"))
		WANT(!"this one fails");
	return n_bad != 0;
}
