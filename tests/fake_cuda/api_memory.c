/* libcuda.so.1: memory (api.c). */
#include "api.h"

/* -- Memory ------------------------------------------------------------------------- */

API(cuMemAlloc_v2, (uint64_t *out, size_t size))
{
	struct context *ctx;
	struct memory *m;
	int r = enter(__func__, &ctx);
	if (r == OK)
		r = memory_new(ctx, DEVICE_MEMORY, size, &m);
	*out = r == OK ? (uint64_t)(uintptr_t)m->at : 0xbadbad;
	return leave(r);
}

API(cuMemHostAlloc, (void **out, size_t size, unsigned flags))
{
	struct context *ctx;
	struct memory *m;
	int r = enter(__func__, &ctx);
	if (flags & ~7u)
		wrong(__func__, "flags are %u", flags);
	if (r == OK)
		r = memory_new(ctx, HOST_MEMORY, size, &m);
	*out = r == OK ? m->at : garbage;
	return leave(r);
}

/* Returns the memory that begins at addr. An address within it is an error. */
static struct memory *
whole(const char *call, const struct context *ctx, uint64_t addr, enum kind kind)
{
	struct memory *m = memory_at(ctx, addr, 1);
	if (!m || (uint64_t)(uintptr_t)m->at != addr || m->o.kind != kind)
		wrong(call, "0x%llx is not the start of such an allocation of the context",
		      (unsigned long long)addr);
	return m;
}

API(cuMemFree_v2, (uint64_t addr))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	memory_delete(whole(__func__, ctx, addr, DEVICE_MEMORY));
	return leave(r);
}

API(cuMemFreeHost, (void *host))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	memory_delete(whole(__func__, ctx, (uint64_t)(uintptr_t)host, HOST_MEMORY));
	return leave(r);
}

API(cuMemHostGetDevicePointer_v2, (uint64_t *out, void *host, unsigned flags))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	if (flags)
		wrong(__func__, "flags are %u", flags);
	whole(__func__, ctx, (uint64_t)(uintptr_t)host, HOST_MEMORY);
	*out = r == OK ? (uint64_t)(uintptr_t)host : 0xbadbad;
	return leave(r);
}
