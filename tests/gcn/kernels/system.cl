/* Hardware state: registers of the wave, clocks, sleep and priority, barriers, fences of
 * every scope and order, messages, caches, prefetch. */
#include "kernel.h"

BLOCK(64)
clocks(global ulong *dst)
{
	ulong a = __builtin_readcyclecounter();

	__builtin_amdgcn_s_sleep(10);
	__builtin_amdgcn_s_sleep(127);
	dst[index_in(64)] = a;
	dst[index_in(64) + 64] = __builtin_readcyclecounter();
	dst[index_in(64) + 256] = __builtin_readsteadycounter();
#if !defined(__GFX12__) && !defined(__GFX11__)
	dst[index_in(64) + 128] = __builtin_amdgcn_s_memtime();
#endif
#if HAS(s_memrealtime)
	dst[index_in(64) + 192] = __builtin_amdgcn_s_memrealtime();
#endif
}

/* hwreg: number | offset << 6 | (size - 1) << 11 */
BLOCK(64)
hardware_registers(global uint *dst)
{
	uint r = __builtin_amdgcn_s_getreg(1 | 31 << 11);

	r += __builtin_amdgcn_s_getreg(4 | 8 << 6 | 3 << 11);
	r += __builtin_amdgcn_s_getreg(5 | 31 << 11);
	r += __builtin_amdgcn_s_getreg(6 | 12 << 6 | 8 << 11);
	__builtin_amdgcn_s_setreg(1 | 4 << 6 | 1 << 11, 3);
	__builtin_amdgcn_s_setreg(1 | 0 << 6 | 3 << 11, r);
	dst[index_in(64)] = r;
}

BLOCK(64)
float_modes(global float *dst, uint mode)
{
	uint i = index_in(64);
	float x = dst[i], y = dst[i + 64];

	__builtin_amdgcn_s_setreg(1 | 0 << 6 | 1 << 11, __builtin_amdgcn_readfirstlane(mode));
	dst[i + 128] = x / y;
	__builtin_amdgcn_s_setreg(1 | 0 << 6 | 1 << 11, 0);
	dst[i + 192] = x * y;
}

BLOCK(256)
priorities(global uint *dst)
{
	__builtin_amdgcn_s_setprio(3);
	uint v = dst[index_in(256)];
	__builtin_amdgcn_s_setprio(0);
	__builtin_amdgcn_sched_barrier(0);
	__builtin_amdgcn_wave_barrier();
	__builtin_amdgcn_s_incperflevel(3);
	__builtin_amdgcn_s_decperflevel(3);
	dst[index_in(256)] = v + 1;
}

void halt(int v) INTRINSIC("s.sethalt");
void nops(short n) INTRINSIC("s.nop");

BLOCK(64)
stopped(global uint *dst, uint debug)
{
	if (debug) {
		halt(1);
		__builtin_debugtrap();
	}
	nops(7);
	dst[index_in(64)] = 1;
}

BLOCK(64)
ended(global uint *dst)
{
	if (dst[1] == 3)
		__builtin_amdgcn_endpgm();
	dst[index_in(64)] = 2;
}

/* LLVM 22 fails on a trap in a branch for the first RDNA 3 chips. */
#if !defined(__gfx1100__) && !defined(__gfx11_generic__)
BLOCK(64)
trapped(global uint *dst)
{
	if (dst[0] == 77)
		__builtin_trap();
	dst[index_in(64)] = 3;
}
#endif

BLOCK(64)
messages(global uint *dst, uint v)
{
	__builtin_amdgcn_s_sendmsg(1, v);
#if HAS(s_sendmsg_rtn)
	dst[0] = __builtin_amdgcn_s_sendmsg_rtn(128);
	*(global ulong *)(dst + 2) = __builtin_amdgcn_s_sendmsg_rtnl(131);
#endif
	dst[index_in(64) + 64] = v;
}

BLOCK(64)
caches(global uint *dst)
{
	dst[index_in(64)] = 1;
	__builtin_amdgcn_s_dcache_inv();
#if CDNA_OR_VEGA
	__builtin_amdgcn_s_dcache_wb();
#endif
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__)
	__builtin_amdgcn_buffer_wbinvl1_vol();
#endif
#if !GFX125
	__builtin_amdgcn_s_waitcnt(0);
#endif
	dst[index_in(64) + 64] = 2;
}

#define FENCES(scope)                                                                              \
	dst[i] = 1;                                                                                \
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, scope);                                           \
	dst[i + 64] = 2;                                                                           \
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, scope);                                           \
	dst[i + 128] = dst[i + 192];                                                               \
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, scope);                                           \
	dst[i + 256] = dst[i + 320];                                                               \
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, scope);                                           \
	dst[i + 384] = dst[i + 448];

BLOCK(64)
fences(global uint *dst)
{
	uint i = index_in(64);

	FENCES("")
	FENCES("agent")
	FENCES("workgroup")
	FENCES("wavefront")
	FENCES("singlethread")
}

BLOCK(64)
fences_one_space(global uint *dst)
{
	local uint a[64];
	uint i = item();

	a[i] = dst[i];
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
	dst[i + 64] = a[i ^ 9];
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent", "global");
	dst[i + 128] = dst[i];
}

/* A flag that one block raises and another waits for. */
BLOCK(64)
handshake(global uint *flag, global uint *data)
{
	if (group() & 1) {
		while (__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) != 1)
			__builtin_amdgcn_s_sleep(2);
		data[index_in(64)] += data[item()];
	} else {
		data[item()] = item() * 3;
		sync();
		if (!item())
			__scoped_atomic_store_n(flag, 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
	}
}

#if HAS(s_barrier_signal)
BLOCK(256)
split_barrier(global uint *dst)
{
	local uint a[256];

	a[item()] = dst[index_in(256)];
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier_signal(-1);
	uint v = dst[index_in(256) + 256] * 7;
	__builtin_amdgcn_s_barrier_wait(-1);
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
	if (__builtin_amdgcn_s_barrier_signal_isfirst(-1))
		dst[1] = 4;
	__builtin_amdgcn_s_barrier_wait(-1);
	dst[index_in(256)] = v + a[255 - item()] + __builtin_amdgcn_s_get_barrier_state(-1);
}
#endif

#if HAS(s_prefetch_data)
BLOCK(64)
prefetched(constant uint *c, global uint *dst, uint n)
{
	__builtin_amdgcn_s_prefetch_data(c + 1024, 15);
	__builtin_amdgcn_s_prefetch_data(c + 64, n);
	__builtin_amdgcn_s_sleep_var(n);
	dst[index_in(64)] = c[n];
}
#endif

/* Global wave sync, if the target has it. */
#if HAS(ds_gws_init) && !defined(__GFX12__)
BLOCK(64)
wave_sync(uint n, uint id)
{
	__builtin_amdgcn_ds_gws_init(n, id);
	__builtin_amdgcn_ds_gws_barrier(n, id);
	__builtin_amdgcn_ds_gws_sema_v(id);
	__builtin_amdgcn_ds_gws_sema_br(n, id);
	__builtin_amdgcn_ds_gws_sema_p(id);
}
#endif

#if HAS(ds_append) && !defined(__GFX12__)
BLOCK(64)
appended(global uint *dst)
{
	local int n[1];

	if (!item())
		n[0] = 0;
	sync();
	if (item() & 1)
		dst[index_in(64)] = (uint)__builtin_amdgcn_ds_append((local int *)n);
	else
		dst[index_in(64)] = (uint)__builtin_amdgcn_ds_consume((local int *)n);
}
#endif

BLOCK(64)
places(global ulong *dst)
{
	constant uchar *d = (constant uchar *)__builtin_amdgcn_dispatch_ptr();
	constant uchar *k = (constant uchar *)__builtin_amdgcn_kernarg_segment_ptr();
	constant uchar *m = (constant uchar *)__builtin_amdgcn_implicitarg_ptr();
	uint x = __builtin_amdgcn_workgroup_size_x(), y = __builtin_amdgcn_grid_size_y();

	dst[0] = *(constant ushort *)(d + 4) + k[3] + *(constant ulong *)(m + 8) + x * y;
	dst[1] = __builtin_amdgcn_workgroup_id_z() + __builtin_amdgcn_workitem_id_x();
	dst[2] = __builtin_amdgcn_groupstaticsize() + __builtin_amdgcn_s_getpc();
	dst[3] = __builtin_amdgcn_read_exec() + __builtin_amdgcn_read_exec_lo();
}

kernel __attribute__((reqd_work_group_size(8, 4, 2))) void
places_3d(global uint *dst)
{
	uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
	uint z = __builtin_amdgcn_workitem_id_z();

	dst[(z * 4 + y) * 8 + x] = x + y * 100 + z * 10000;
}
