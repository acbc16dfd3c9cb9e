/* The bare CUDA calls of bench-launch: one cuLaunchKernel per launch and cuStreamSynchronize, on a
 * stream of the same primary context, which stays current. */
#include "launch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The calls, as the driver API's manual (13.0) declares them; handles are pointers. */
#define CALLS(X)                                                                                   \
	X(cuDeviceGet, "cuDeviceGet", (int *dev, int i))                                           \
	X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **ctx, int dev))             \
	X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", (int dev))                       \
	X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *ctx))                                    \
	X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **ctx))                                     \
	X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                                \
	  (void **module, const void *image, unsigned n, int *options, void **values))             \
	X(cuModuleUnload, "cuModuleUnload", (void *module))                                        \
	X(cuModuleGetFunction, "cuModuleGetFunction", (void **fn, void *module, const char *name)) \
	X(cuMemAlloc, "cuMemAlloc_v2", (uint64_t * addr, size_t size))                             \
	X(cuMemFree, "cuMemFree_v2", (uint64_t addr))                                              \
	X(cuMemHostAlloc, "cuMemHostAlloc", (void **host, size_t size, unsigned flags))            \
	X(cuMemFreeHost, "cuMemFreeHost", (void *host))                                            \
	X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2",                               \
	  (uint64_t * addr, void *host, unsigned flags))                                           \
	X(cuMemcpyAsync, "cuMemcpyAsync", (uint64_t dst, uint64_t src, size_t size, void *stream)) \
	X(cuMemsetD32Async, "cuMemsetD32Async",                                                    \
	  (uint64_t dst, unsigned word, size_t n, void *stream))                                   \
	X(cuStreamCreate, "cuStreamCreate", (void **stream, unsigned flags))                       \
	X(cuStreamDestroy, "cuStreamDestroy_v2", (void *stream))                                   \
	X(cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                              \
	X(cuLaunchKernel, "cuLaunchKernel",                                                        \
	  (void *fn, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,   \
	   unsigned threads_z, unsigned shared, void *stream, void **params, void **extra))

enum { NON_BLOCKING = 1, HOST_DEVICEMAP = 2 }; /* CU_STREAM_, CU_MEMHOSTALLOC_ */
/* CU_LAUNCH_PARAM_ */
#define PARAM_END    ((void *)0)
#define PARAM_BUFFER ((void *)1)
#define PARAM_SIZE   ((void *)2)

struct peer {
#define FIELD(name, symbol, params) int(*name) params;
	CALLS(FIELD)
	struct peer_kernel kernel;
	int device;
	void *ctx, *module, *fn, *stream, *host;
};

#define TRY(p, name, ...)                                                                          \
	do {                                                                                       \
		if ((p)->name(__VA_ARGS__) != 0) {                                                 \
			*failed = #name;                                                           \
			return false;                                                              \
		}                                                                                  \
	} while (0)

/* Loads the calls. qd has initialized the library and opened the selector's device, "cuda:1". */
static bool
load(struct peer *p, const char **failed)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *sym;

	*failed = "libcuda.so.1";
	if (!lib)
		return false;
#define LOAD(name, symbol, params)                                                                 \
	*failed = symbol;                                                                          \
	if (!(sym = dlsym(lib, symbol)))                                                           \
		return false;                                                                      \
	memcpy(&p->name, &sym, sizeof sym);
	CALLS(LOAD)
	const char *colon = strchr(p->kernel.selector, ':');
	TRY(p, cuDeviceGet, &p->device, colon ? atoi(colon + 1) : 0);
	TRY(p, cuDevicePrimaryCtxRetain, &p->ctx, p->device);
	TRY(p, cuCtxPushCurrent, p->ctx);
	return true;
}

/* Returns the entry's name from the PTX: ".visible .entry tiny(". */
static bool
load_function(struct peer *p, const char **failed)
{
	static const char word[] = ".entry ";
	char *text = malloc(p->kernel.size + 1), name[128] = "", *entry;

	*failed = "the text's .entry";
	if (!text)
		return false;
	memcpy(text, p->kernel.code, p->kernel.size);
	text[p->kernel.size] = '\0';
	if ((entry = strstr(text, word)) != NULL) {
		entry += sizeof word - 1;
		size_t len = strcspn(entry, "( \t\n");
		if (len < sizeof name)
			memcpy(name, entry, len);
	}
	int r = name[0] ? p->cuModuleLoadDataEx(&p->module, text, 0, NULL, NULL) : -1;
	free(text);
	if (name[0])
		*failed = "cuModuleLoadDataEx";
	if (r)
		return false;
	TRY(p, cuModuleGetFunction, &p->fn, p->module, name);
	return true;
}

static bool
make_memory(struct peer *p, const char **failed)
{
	size_t n = (size_t)p->kernel.args.n;

	TRY(p, cuStreamCreate, &p->stream, NON_BLOCKING);
	TRY(p, cuMemHostAlloc, &p->host, sizeof(uint32_t), HOST_DEVICEMAP);
	TRY(p, cuMemAlloc, &p->kernel.args.address, n * sizeof(uint32_t));
	TRY(p, cuMemsetD32Async, p->kernel.args.address, 0, n, p->stream);
	TRY(p, cuStreamSynchronize, p->stream);
	return true;
}

static void
close_cuda(struct peer *p)
{
	if (p->stream)
		p->cuStreamDestroy(p->stream);
	if (p->kernel.args.address)
		p->cuMemFree(p->kernel.args.address);
	if (p->host)
		p->cuMemFreeHost(p->host);
	if (p->module)
		p->cuModuleUnload(p->module);
	if (p->ctx) {
		void *ctx;
		p->cuCtxPopCurrent(&ctx);
		p->cuDevicePrimaryCtxRelease(p->device);
	}
	free(p);
}

static struct peer *
open_cuda(const struct peer_kernel *k, const char **failed)
{
	struct peer *p = calloc(1, sizeof *p);

	*failed = "out of memory";
	if (!p)
		return NULL;
	p->kernel = *k;
	if (load(p, failed) && load_function(p, failed) && make_memory(p, failed))
		return p;
	close_cuda(p);
	return NULL;
}

static bool
begin(struct peer *p, const char **failed)
{
	(void)p;
	(void)failed;
	return true;
}

static bool
give(struct peer *p, uint32_t n, const char **failed)
{
	size_t size = sizeof p->kernel.args;
	void *extra[] = { PARAM_BUFFER, &p->kernel.args, PARAM_SIZE, &size, PARAM_END };

	for (uint32_t i = 0; i < n; i++)
		TRY(p, cuLaunchKernel, p->fn, p->kernel.args.n_blocks, 1, 1, p->kernel.block_dim, 1,
		    1, 0, p->stream, NULL, extra);
	return true;
}

static bool
finish(struct peer *p, const char **failed)
{
	TRY(p, cuStreamSynchronize, p->stream);
	return true;
}

static bool
launch(struct peer *p, uint32_t n, const char **failed)
{
	return give(p, n, failed) && finish(p, failed);
}

static bool
read_first(struct peer *p, uint32_t *out, const char **failed)
{
	uint64_t at;

	TRY(p, cuMemHostGetDevicePointer, &at, p->host, 0);
	TRY(p, cuMemcpyAsync, at, p->kernel.args.address, sizeof *out, p->stream);
	TRY(p, cuStreamSynchronize, p->stream);
	memcpy(out, p->host, sizeof *out);
	return true;
}

const struct peer_driver peer_cuda = {
	.selector = "cuda",
	.name = "bare CUDA",
	.open = open_cuda,
	.close = close_cuda,
	.launch = launch,
	.begin = begin,
	.give = give,
	.finish = finish,
	.read = read_first,
};
