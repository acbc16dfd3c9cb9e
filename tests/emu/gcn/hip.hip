/* Kernels like those of HIP programs: global variables in .bss and .data, constant tables, and
 * tables of addresses that the loader relocates. make.sh compiles it without HIP's headers. */
typedef unsigned int u32;

#define DEVICE __attribute__((device))
#define CONSTANT __attribute__((constant))
#define SHARED __attribute__((shared))
#define KERNEL extern "C" __attribute__((global)) void

DEVICE u32 counter;
DEVICE u32 bins[256];
DEVICE u32 seeds[64] = { 1, 2, 3, 5, 8, 13, 21, 34 };
CONSTANT u32 weights[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
/* Default visibility: its address is in the global offset table. */
DEVICE __attribute__((visibility("default"))) u32 scale = 3;
DEVICE u32 *cursor = &seeds[5];
struct table {
	const u32 *words;
	u32 n;
};
DEVICE const table tables[3] = { { weights, 8 }, { seeds, 6 }, { &weights[4], 4 } };

static DEVICE void
sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static DEVICE u32
thread(void)
{
	return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
	       __builtin_amdgcn_workitem_id_x();
}

/* A variable in .bss that persists between launches of the function. */
KERNEL
ticket(u32 *out)
{
	u32 t = __hip_atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	__hip_atomic_fetch_or(&out[t], 1u << t % 32, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

KERNEL
weigh(const u32 *in, u32 *out)
{
	static const u32 primes[5] = { 101, 103, 107, 109, 113 };
	u32 i = thread();

	out[i] = weights[in[i] % 8] * scale + primes[in[i] % 5];
}

/* Addresses in .data and in .data.rel.ro. */
KERNEL
follow(const u32 *in, u32 *out)
{
	u32 i = thread();
	const table *t = &tables[in[i] % 3];

	out[i] = t->words[i % t->n] * 1000 + cursor[in[i] % 3];
}

/* Counters in .bss, accumulated through shared memory. */
KERNEL
histogram(const u32 *in, u32 *out, u32 n)
{
	static SHARED u32 own[256];
	u32 x = __builtin_amdgcn_workitem_id_x(), dim = __builtin_amdgcn_workgroup_size_x(), i = thread();

	for (u32 k = x; k < 256; k += dim)
		own[k] = 0;
	sync();
	if (i < n)
		__hip_atomic_fetch_add(&own[in[i] % 256], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
	sync();
	for (u32 k = x; k < 256; k += dim)
		out[k] = __hip_atomic_fetch_add(&bins[k], own[k], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) + own[k];
}

/* Generator states in .data that persist between launches. */
KERNEL
draw(u32 *out)
{
	u32 x = __builtin_amdgcn_workitem_id_x(), s = seeds[x];

	s = s * 1664525u + 1013904223u;
	seeds[x] = s;
	out[x] = s >> 8;
}
