/* Behavior of the fake for a correct program: when fences are signaled, what the host sees then,
 * and the effects of packets. */
#include <errno.h>
#include <string.h>

#include "behaves.h"

/* -- Fences ------------------------------------------------------------------------ */

/* Before the fence has been signaled, the host sees no write. */
static void
late(void)
{
	struct rig r;
	uint64_t jobs = 0, was, dispatches;
	fake_amdgpu_counts(&was, &dispatches);
	WANT(rig_open(&r, "gfx1100", 0, "delays=0 lost=50000") && rig_usual(&r));
	rig_stream(&r);
	rig_word(&r, 0xc0001200); /* hangs for 50 ms */
	rig_pad(&r);
	WANT(rig_submit(&r) == 0);
	while (jobs == was || !jobs)
		fake_amdgpu_counts(&jobs, &dispatches);
	struct cs_fence f = { r.ctx, r.ip, 0, r.ring, r.seq };
	uint32_t expired = 7;
	WANT(behaves_data(&r, 5) == UINT32_MAX);
	WANT(amdgpu_cs_query_fence_status(&f, 0, 0, &expired) == 0 && expired == 0);
	WANT(rig_wait(&r) == -ETIME);
	WANT(behaves_data(&r, 5) == 5); /* the dispatch before the hang ran */
	/* The context is lost; another one is not. */
	WANT(rig_submit(&r) == -ECANCELED);
	WANT(amdgpu_cs_ctx_free(r.ctx) == 0 && amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0);
	rig_stream(&r);
	WANT(rig_run(&r) == 0);
	fake_amdgpu_forget();
	behaves_close(&r);
}

static void
write_word(struct rig *r, uint32_t i, uint32_t v)
{
	uint64_t va = r->data.va + 4 * (uint64_t)i;
	rig_word(r, 0xc0033700);
	rig_word(r, 5u << 8 | 1u << 20);
	rig_word(r, (uint32_t)va);
	rig_word(r, (uint32_t)(va >> 32));
	rig_word(r, v);
}

/* A signaled fence publishes the writes of its own submission only, not those of another
 * submission to the same page. */
static void
neighbors(void)
{
	struct rig r, other;
	uint64_t jobs = 0, was, dispatches;
	fake_amdgpu_counts(&was, &dispatches);
	WANT(rig_open(&r, "gfx1100", 0, "delays=0 lost=1000000"));
	other = r;
	WANT(amdgpu_cs_ctx_create2(r.d, 0, &other.ctx) == 0);
	WANT(rig_memory(&r, &other.stream, 4096, DOMAIN_GTT, BO_USWC, 0xe));
	write_word(&other, 1, 11);
	rig_word(&other, 0xc0001200);
	rig_pad(&other);
	WANT(rig_submit(&other) == 0);
	while (jobs == was || !jobs)
		fake_amdgpu_counts(&jobs, &dispatches);
	write_word(&r, 0, 10);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	WANT(behaves_data(&r, 0) == 10 && behaves_data(&r, 1) == 0);
	WANT(rig_wait(&other) == -ETIME);
	WANT(behaves_data(&r, 1) == 11);
	amdgpu_bo_list_destroy(other.list);
	rig_memory_free(&other.stream);
	WANT(amdgpu_cs_ctx_free(other.ctx) == 0);
	fake_amdgpu_forget();
	behaves_close(&r);
}

/* 32 fences are remembered; each ring numbers its own. */
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
	struct cs_fence both[2] = { { r.ctx, IP_COMPUTE, 0, 0, 40 },
				    { r.ctx, IP_COMPUTE, 0, 3, 1 } };
	uint32_t status = 0, first;
	WANT(amdgpu_cs_wait_fences(both, 2, true, UINT64_C(5000000000), &status, &first) == 0 &&
	     status == 1);
	WANT(behaves_data(&r, 77) == 77);
	/* A submission without streams has no fence. */
	struct cs_request q = { .ip_type = IP_COMPUTE, .seq = 9 };
	WANT(amdgpu_cs_submit(r.ctx, 0, &q, 1) == 0 && q.seq == 0);
	behaves_close(&r);
}

/* A submission that depends on another context's fence runs after it, whatever the random order. */
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
		struct cs_request q = { .ip_type = IP_COMPUTE,
					.ring = i % 3,
					.list = r.list,
					.n_deps = i ? 1 : 0,
					.deps = &before,
					.n_ibs = 1,
					.ibs = &ib };
		WANT(amdgpu_cs_submit(ctx[i & 1], 0, &q, 1) == 0);
		before = (struct cs_fence){ ctx[i & 1], IP_COMPUTE, 0, i % 3, q.seq };
		expected = expected * 3 + 1;
	}
	uint32_t expired = 0;
	WANT(amdgpu_cs_query_fence_status(&before, UINT64_C(5000000000), 0, &expired) == 0 &&
	     expired);
	WANT(behaves_data(&r, 0) == expected);
	WANT(amdgpu_cs_ctx_free(ctx[1]) == 0);
	behaves_close(&r);
}

/* -- Packets that only write ------------------------------------------------------- */

static void
packets(void)
{
	struct rig r;
	uint64_t t[2];
	WANT(rig_open(&r, "gfx1030", 0, ""));
	uint32_t lo = (uint32_t)r.data.va, hi = (uint32_t)(r.data.va >> 32);
	const uint32_t w[] = {
		0xc0017900,
		0x7b,
		0x20, /* CP_COHER_START_DELAY */
		0xc0055800 + (1 << 16),
		0,
		0xffffffff,
		0xffffff,
		0,
		0,
		10,
		0xc3b1, /* ACQUIRE_MEM */
		0xc0043700,
		5u << 8 | 1u << 20,
		lo,
		hi,
		0x1234,
		0x5678, /* WRITE_DATA */
		0xc0044000,
		0x00110509,
		0,
		0,
		lo + 16,
		hi, /* COPY_DATA of the clock */
		0xc0044000,
		0x00100501,
		lo,
		hi,
		lo + 8,
		hi, /* of memory */
		0xc0064900,
		0x528,
		0x20000000,
		lo + 12,
		hi,
		0x77,
		0,
		0, /* RELEASE_MEM, 32 bits */
		0xc0064900,
		0x528,
		0x60000000,
		lo + 24,
		hi,
		0,
		0,
		0, /* the clock */
		0xc0053c00,
		0x13,
		lo,
		hi,
		0x34,
		0xff,
		4, /* WAIT_REG_MEM */
		0xc0021000,
		1,
		2,
		3,
		0xffff1000, /* NOPs */
	};
	for (unsigned i = 0; i < sizeof w / 4; i++)
		rig_word(&r, w[i]);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	WANT(behaves_data(&r, 0) == 0x1234 && behaves_data(&r, 1) == 0x5678 &&
	     behaves_data(&r, 2) == 0x1234 && behaves_data(&r, 3) == 0x77);
	memcpy(t, r.data.host + 16, sizeof t);
	WANT(t[0] && t[1] >= t[0]);
	behaves_close(&r);
}

/* Streams that reuse the memory of an earlier stream: no cache invalidation is needed. */
static void
again(void)
{
	struct rig r;
	WANT(rig_open(&r, "gfx1100", 0, ""));
	for (uint32_t i = 0; i < 20; i++) {
		r.n = 0;
		write_word(&r, 0, 100 + i);
		rig_pad(&r);
		WANT(rig_run(&r) == 0 && behaves_data(&r, 0) == 100 + i);
	}
	behaves_close(&r);
}

/* The kernel may invalidate the caches (EMIT_MEM_SYNC), and the number of work groups may be in
 * memory. */
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
		WANT(behaves_data(&r, i) == i);
	behaves_close(&r);
}

static void
sdma(void)
{
	struct rig r;
	WANT(rig_open(&r, "gfx1100", 0, ""));
	uint32_t lo = (uint32_t)r.data.va, hi = (uint32_t)(r.data.va >> 32);
	const uint32_t w[] = { 11u | 2u << 30, lo, hi, 0xabcd1234, 8191,       1,
			       8191,	       0,  lo, hi,	   lo + 16384, hi };
	r.ip = IP_DMA;
	for (unsigned i = 0; i < sizeof w / 4; i++)
		rig_word(&r, w[i]);
	rig_pad(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < 2048; i++)
		WANT(behaves_data(&r, i) == 0xabcd1234 && behaves_data(&r, 4096 + i) == 0xabcd1234);
	WANT(behaves_data(&r, 2048) == 0 && behaves_data(&r, 4096 + 2048) == 0);
	behaves_close(&r);
}

/* Two dispatches with the synchronization they need: the second reads the writes of the first. */
static void
chain(void)
{
	struct rig r;
	char text[512];
	snprintf(text, sizeof text,
		 "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
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
		WANT(behaves_data(&r, i) == i && behaves_data(&r, 256 + i) == 2 * i);
	behaves_close(&r);
}

/* Private memory of lanes, addressed by the base that the queue holds (gfx942). */
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
		WANT(behaves_data(&r, i) == i);
	rig_memory_free(&ring);
	behaves_close(&r);
}

/* A function after the kernel's end, called through a register. */
static void
calls(void)
{
	static const char text[] = "s_load_b64 s[4:5], s[0:1], 0x0\n"
				   "s_getpc_b64 s[8:9]\n"
				   "s_add_u32 s8, s8, 32\n"
				   "s_addc_u32 s9, s9, 0\n"
				   "s_swappc_b64 s[6:7], s[8:9]\n"
				   "v_lshlrev_b32_e32 v2, 2, v0\n"
				   "s_waitcnt lgkmcnt(0)\n"
				   "global_store_b32 v2, v0, s[4:5]\n"
				   "s_endpgm\n"
				   "v_add_nc_u32_e32 v0, 7, v0\n"
				   "s_setpc_b64 s[6:7]\n";
	struct rig r;
	WANT(rig_open(&r, "gfx1100", 0, "") && rig_usual(&r) && rig_kernel(&r, 0, text));
	rig_stream(&r);
	WANT(rig_run(&r) == 0);
	for (uint32_t i = 0; i < ITEMS; i++)
		WANT(behaves_data(&r, 7 + i) == 7 + i);
	behaves_close(&r);
}

/* Submissions by chunks, with their own buffer list, and one by list number. */
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
	struct list_in in = { UINT32_MAX, UINT32_MAX, 4, sizeof entries[0],
			      (uint64_t)(uintptr_t)entries };
	struct cs_chunk chunks[] = { { CHUNK_BO_HANDLES, sizeof in / 4, (uint64_t)(uintptr_t)&in },
				     { CHUNK_IB, sizeof ib / 4, (uint64_t)(uintptr_t)&ib } };
	WANT(amdgpu_cs_submit_raw2(r.d, r.ctx, 0, 2, chunks, &seq) == 0 && seq == 1);
	r.seq = seq;
	WANT(rig_wait(&r) == 0 && behaves_data(&r, 9) == 9);
	WANT(amdgpu_bo_list_create_raw(r.d, 4, entries, &list) == 0);
	WANT(amdgpu_cs_submit_raw2(r.d, r.ctx, list, 1, chunks + 1, &seq) == 0 && seq == 2);
	r.seq = seq;
	WANT(amdgpu_bo_list_destroy_raw(r.d, list) == 0);
	WANT(rig_wait(&r) == 0);
	behaves_close(&r);
}

/* -- Main ----------------------------------------------------------------------------- */

void
behaves_fences(void)
{
	late();
	neighbors();
	window();
	depends();
}

void
behaves_streams(void)
{
	packets();
	again();
	indirect();
	sdma();
	chain();
	scratch();
	calls();
	raw();
}
