/* A stand-in for the kernel's driver i915. Preloaded, it lets Mesa's Vulkan drivers for Intel open
 * a GPU that does not exist, so that their compilers can be tested. QD_NULL_I915 names the GPU:
 * tgl or skl (for ANV), bdw (for hasvk).
 *
 * libdrm's device list has this GPU alone. Opening its node returns a file in memory, and each
 * buffer object is a range of that file. All ioctls of DRM's type are answered here, whatever
 * their file. A submission completes immediately and does nothing. An ioctl without a
 * row in `calls` is reported and fails. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FILE_OFFSET_BITS /* it makes open() another name of open64(): both are defined here */
#undef _FORTIFY_SOURCE	 /* it makes open() a macro's */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "i915_abi.h"

#define EXPORT __attribute__((visibility("default")))

enum { MAX_BUFFER = 1 << 16, PAGE = 4096, VENDOR_INTEL = 0x8086 };

/* Numbers: Mesa 22.3, include/pci_ids/iris_pci_ids.h and src/intel/dev/intel_device_info.c. */
static const struct gpu {
	const char *name;
	uint16_t device;
	uint16_t subslices, units; /* of the one slice; of each subslice */
	int frequency;		   /* of time stamps, Hz */
} gpus[] = {
	{ "tgl", 0x9a49, 6, 16, 19200000 },
	{ "skl", 0x1912, 3, 8, 12000000 },
	{ "bdw", 0x1616, 3, 8, 12500000 },
};

static const struct gpu *
gpu(void)
{
	const char *name = getenv("QD_NULL_I915");

	for (size_t i = 0; name && i < sizeof gpus / sizeof *gpus; i++)
		if (strcmp(gpus[i].name, name) == 0)
			return &gpus[i];
	return NULL;
}

/* -- libdrm's list of devices --------------------------------------------------------- */

/* No real node has this name. Mesa keeps 19 characters of it (anv_physical_device.path). */
static char node_name[] = "/dev/dri/null-i915";
static char *nodes[NODE_MAX] = { node_name, node_name, node_name };
static struct pci_bus bus = { .dev = 2 };
static struct pci_device pci = { .vendor = VENDOR_INTEL };
static struct drm_device device = { nodes, 1 << NODE_RENDER, BUS_PCI, &bus, &pci };

EXPORT int drmGetDevices2(uint32_t flags, struct drm_device **out, int max);
EXPORT int drmGetDevice2(int fd, uint32_t flags, struct drm_device **out);
EXPORT void drmFreeDevices(struct drm_device **devices, int n);
EXPORT void drmFreeDevice(struct drm_device **out);

int
drmGetDevices2(uint32_t flags, struct drm_device **out, int max)
{
	const struct gpu *g = gpu();

	(void)flags;
	if (!g)
		return 0;
	pci.device = g->device;
	if (out && max > 0)
		out[0] = &device;
	return 1;
}

int
drmGetDevice2(int fd, uint32_t flags, struct drm_device **out)
{
	(void)fd;
	return drmGetDevices2(flags, out, 1) == 1 ? 0 : -ENODEV;
}

void
drmFreeDevices(struct drm_device **devices, int n)
{
	(void)devices;
	(void)n;
}

void
drmFreeDevice(struct drm_device **out)
{
	*out = NULL;
}

/* -- Buffers: ranges of one file -------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	int fd; /* 0: not made */
	uint64_t end;
	uint32_t n; /* handles begin with 1 */
	struct range {
		uint64_t at, size;
	} buffer[MAX_BUFFER];
} file = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int
fail(int number)
{
	errno = number;
	return -1;
}

static int
open_node(void)
{
	int fd;

	pthread_mutex_lock(&file.lock);
	if (!file.fd)
		file.fd = memfd_create("i915", MFD_CLOEXEC);
	fd = file.fd > 0 ? fcntl(file.fd, F_DUPFD_CLOEXEC, 3) : fail(ENODEV);
	pthread_mutex_unlock(&file.lock);
	return fd;
}

static int
create(uint64_t size, uint32_t *handle)
{
	int rc = 0;

	size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	pthread_mutex_lock(&file.lock);
	if (file.n + 1 == MAX_BUFFER || ftruncate(file.fd, (off_t)(file.end + size))) {
		rc = fail(ENOMEM);
	} else {
		*handle = ++file.n;
		file.buffer[file.n] = (struct range){ file.end, size };
		file.end += size;
	}
	pthread_mutex_unlock(&file.lock);
	return rc;
}

static bool
find(uint32_t handle, struct range *out)
{
	pthread_mutex_lock(&file.lock);
	*out = handle <= file.n ? file.buffer[handle] : (struct range){ 0 };
	pthread_mutex_unlock(&file.lock);
	return out->size != 0;
}

static int
on_create(void *p)
{
	struct gem_create *a = p;

	return create(a->size, &a->handle);
}

static int
on_create_ext(void *p)
{
	struct gem_create_ext *a = p;

	return create(a->size, &a->handle);
}

/* Frees the pages; the range is not used again. */
static int
on_close(void *p)
{
	const struct gem_close *a = p;
	struct range r;

	if (!find(a->handle, &r))
		return fail(ENOENT);
	pthread_mutex_lock(&file.lock);
	file.buffer[a->handle].size = 0;
	pthread_mutex_unlock(&file.lock);
	return fallocate(file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r.at,
			 (off_t)r.size);
}

static int
on_mmap_offset(void *p)
{
	struct gem_mmap_offset *a = p;
	struct range r;

	if (!find(a->handle, &r))
		return fail(ENOENT);
	a->offset = r.at;
	return 0;
}

/* -- Queries ------------------------------------------------------------------------------- */

static const struct {
	int32_t param;
	int value;
} params[] = {
	{ PARAM_HAS_EXECBUF2, 1 },
	{ PARAM_HAS_WAIT_TIMEOUT, 1 },
	{ PARAM_MMAP_VERSION, 1 },
	{ PARAM_REVISION, 0 },
	{ PARAM_HAS_EXEC_SOFTPIN, 1 },
	{ PARAM_MMAP_GTT_VERSION, 4 }, /* has MMAP_OFFSET */
	{ PARAM_HAS_EXEC_ASYNC, 1 },
	{ PARAM_HAS_EXEC_CAPTURE, 1 },
	{ PARAM_HAS_EXEC_FENCE_ARRAY, 1 },
	{ PARAM_HAS_CONTEXT_ISOLATION, 1 },
	{ PARAM_CMD_PARSER_VERSION, 10 },
	{ PARAM_PERF_REVISION, 0 },
	{ PARAM_HAS_EXEC_TIMELINE_FENCES, 0 },
	{ PARAM_HAS_USERPTR_PROBE, 0 },
};

static int
on_getparam(void *p)
{
	const struct getparam *a = p;
	const struct gpu *g = gpu();

	for (size_t i = 0; i < sizeof params / sizeof *params; i++)
		if (params[i].param == a->param) {
			*a->value = params[i].value;
			return 0;
		}
	switch (a->param) {
	case PARAM_CHIPSET_ID: *a->value = g->device; return 0;
	case PARAM_CS_TIMESTAMP_FREQUENCY: *a->value = g->frequency; return 0;
	case PARAM_SLICE_MASK: *a->value = 1; return 0;
	case PARAM_SUBSLICE_MASK: *a->value = (1 << g->subslices) - 1; return 0;
	case PARAM_EU_TOTAL: *a->value = g->subslices * g->units; return 0;
	}
	fprintf(stderr, "i915 stand-in: parameter %d is not in its table\n", (int)a->param);
	return fail(EINVAL);
}

/* Returns the size of the answer, and writes it if t is not NULL. */
static size_t
topology(const struct gpu *g, struct topology *t)
{
	const size_t of_slice = 1, of_subslices = 1, of_units = (g->units + 7u) / 8;
	const size_t size = sizeof *t + of_slice + of_subslices + g->subslices * of_units;

	if (!t)
		return size;
	memset(t, 0, size);
	t->max_slices = 1;
	t->max_subslices = g->subslices;
	t->max_eus = g->units;
	t->subslice_offset = (uint16_t)of_slice;
	t->subslice_stride = (uint16_t)of_subslices;
	t->eu_offset = (uint16_t)(of_slice + of_subslices);
	t->eu_stride = (uint16_t)of_units;
	t->data[0] = 1;
	t->data[1] = (uint8_t)((1u << g->subslices) - 1);
	for (size_t i = 0; i < g->subslices * of_units; i++)
		t->data[t->eu_offset + i] = 0xff;
	return size;
}

static size_t
engines(struct engines *e)
{
	const size_t size = sizeof *e + sizeof e->engine[0];

	if (!e)
		return size;
	memset(e, 0, size);
	e->n = 1;
	e->engine[0].engine.class = ENGINE_RENDER;
	return size;
}

static size_t
regions(struct regions *r)
{
	const size_t size = sizeof *r + sizeof r->region[0];

	if (!r)
		return size;
	memset(r, 0, size);
	r->n = 1;
	r->region[0].region.class = MEMORY_SYSTEM;
	r->region[0].probed = r->region[0].unallocated = UINT64_C(4) << 30;
	return size;
}

static int
on_query(void *p)
{
	const struct query *a = p;
	struct query_item *item = (struct query_item *)(uintptr_t)a->items;

	for (uint32_t i = 0; i < a->n_items; i++) {
		void *out = item[i].length ? (void *)(uintptr_t)item[i].data : NULL;
		size_t size = 0;

		switch (item[i].id) {
		case QUERY_TOPOLOGY: size = topology(gpu(), NULL); break;
		case QUERY_ENGINES: size = engines(NULL); break;
		case QUERY_REGIONS: size = regions(NULL); break;
		}
		if (!size || (out && (size_t)item[i].length < size)) {
			item[i].length = -EINVAL; /* also for queries that older kernels lack */
			continue;
		}
		item[i].length = (int32_t)size;
		if (!out)
			continue;
		switch (item[i].id) {
		case QUERY_TOPOLOGY: topology(gpu(), out); break;
		case QUERY_ENGINES: engines(out); break;
		case QUERY_REGIONS: regions(out); break;
		}
	}
	return 0;
}

static int
on_context_getparam(void *p)
{
	struct context_param *a = p;

	if (a->param != CONTEXT_PARAM_GTT_SIZE)
		return fail(EINVAL);
	a->value = UINT64_C(1) << 48;
	return 0;
}

static int
on_aperture(void *p)
{
	struct gem_aperture *a = p;

	a->size = a->available = UINT64_C(1) << 48;
	return 0;
}

/* -- Other calls ------------------------------------------------------------------------ */

static int
on_context_create(void *p)
{
	struct context_create *a = p;

	a->id = 1;
	return 0;
}

static int
on_syncobj_create(void *p)
{
	struct syncobj_create *a = p;

	a->handle = 1;
	return 0;
}

static int
on_get_cap(void *p)
{
	struct get_cap *a = p;

	a->value = a->capability == CAP_SYNCOBJ;
	return 0;
}

/* Submissions, waits and calls whose effect nothing reads. */
static int
done(void *p)
{
	(void)p;
	return 0;
}

static int
refuse(void *p)
{
	(void)p;
	return fail(EINVAL);
}

static const struct {
	unsigned long request;
	int (*answer)(void *);
} calls[] = {
	{ DRM_GEM_CLOSE, on_close },
	{ DRM_GET_CAP, on_get_cap },
	{ DRM_SYNCOBJ_CREATE, on_syncobj_create },
	{ DRM_SYNCOBJ_DESTROY, done },
	{ DRM_SYNCOBJ_WAIT, done },
	{ DRM_SYNCOBJ_RESET, done },
	{ DRM_SYNCOBJ_SIGNAL, done },
	{ I915_GETPARAM, on_getparam },
	{ I915_QUERY, on_query },
	{ I915_CREATE, on_create },
	{ I915_CREATE_EXT, on_create_ext },
	{ I915_MMAP_OFFSET, on_mmap_offset },
	{ I915_SET_TILING, refuse }, /* as on discrete GPUs, which have no such call */
	{ I915_APERTURE, on_aperture },
	{ I915_CONTEXT_CREATE, on_context_create },
	{ I915_CONTEXT_CREATE_X, on_context_create },
	{ I915_CONTEXT_DESTROY, done },
	{ I915_CONTEXT_GETPARAM, on_context_getparam },
	{ I915_CONTEXT_SETPARAM, done },
	{ I915_REG_READ, refuse },
	{ I915_EXECBUFFER2, done },
	{ I915_EXECBUFFER2_WR, done },
	{ I915_WAIT, done },
	{ I915_RESET_STATS, done },
};

/* -- Functions of libc --------------------------------------------------------------------- */

static void *
next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

EXPORT int ioctl(int fd, unsigned long request, ...);
EXPORT int open(const char *path, int flags, ...);
EXPORT int open64(const char *path, int flags, ...);

int
ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...);
	void *f, *p;
	va_list ap;

	va_start(ap, request);
	p = va_arg(ap, void *);
	va_end(ap);
	if (_IOC_TYPE(request) != DRM_TYPE) {
		f = next("ioctl");
		memcpy(&real, &f, sizeof real);
		return real(fd, request, p);
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].request == request)
			return calls[i].answer(p);
	fprintf(stderr, "i915 stand-in: ioctl %#lx (number %#lx) is not in its table\n", request,
		(unsigned long)_IOC_NR(request));
	return fail(EINVAL);
}

static int
open_named(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...);
	void *f;

	if (strcmp(path, node_name) == 0)
		return open_node();
	f = next(name);
	memcpy(&real, &f, sizeof real);
	return real(path, flags, mode);
}

static mode_t
mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_named("open", path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_named("open64", path, flags, mode);
}
