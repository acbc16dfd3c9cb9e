/* Properties of the driver's devices, and targets to compile for. */
#include <stdio.h>
#include <stdlib.h>

#include "device_select.h"
#include "cuda_internal.h"

/* -- Properties --------------------------------------------------------------------- */

enum { OLDEST_SM = 50, NVIDIA = 0x10de };

/* Marks the device unusable. Only the first reason is kept. */
static void
deny(struct cuda_physical *p, const char *why, ...) QD_PRINTF(2, 3);

static void
deny(struct cuda_physical *p, const char *why, ...)
{
	va_list ap;
	if (p->info.why[0])
		return;
	va_start(ap, why);
	vsnprintf(p->info.why, sizeof p->info.why, why, ap);
	va_end(ap);
}

static void
put_uuid(char out[40], const struct cuda_uuid *uuid)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < sizeof uuid->bytes; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = digits[uuid->bytes[i] >> 4];
		*out++ = digits[uuid->bytes[i] & 15];
	}
	*out = '\0';
}

struct attributes {
	int major, minor, threads, x, shared, warp, timeout, mode, unified, domain, bus, device;
};

static int
read_attributes(const struct cuda_symbols *cu, int handle, struct attributes *a)
{
	const struct {
		int which, *to;
	} rows[] = {
		{ CUDA_CAPABILITY_MAJOR, &a->major },
		{ CUDA_CAPABILITY_MINOR, &a->minor },
		{ CUDA_MAX_THREADS_PER_BLOCK, &a->threads },
		{ CUDA_MAX_GRID_DIM_X, &a->x },
		{ CUDA_MAX_SHARED_PER_BLOCK, &a->shared },
		{ CUDA_WARP_SIZE, &a->warp },
		{ CUDA_EXEC_TIMEOUT, &a->timeout },
		{ CUDA_COMPUTE_MODE, &a->mode },
		{ CUDA_UNIFIED_ADDRESSING, &a->unified },
		{ CUDA_PCI_DOMAIN_ID, &a->domain },
		{ CUDA_PCI_BUS_ID, &a->bus },
		{ CUDA_PCI_DEVICE_ID, &a->device },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		int r = cu->cuDeviceGetAttribute(rows[i].to, rows[i].which, handle);
		if (r != CUDA_OK)
			return r;
	}
	return CUDA_OK;
}

static void
check_device(struct cuda_physical *p, const struct attributes *a)
{
	p->sm = (uint32_t)(a->major * 10 + a->minor);
	p->max_threads = (uint32_t)a->threads;
	p->max_shared = (uint32_t)a->shared;
	p->max_x = (uint32_t)a->x;
	p->watchdog = a->timeout != 0;
	snprintf(p->info.pci, sizeof p->info.pci, "%04x:%02x:%02x.0", (unsigned)a->domain & 0xffff,
		 (unsigned)a->bus & 0xff, (unsigned)a->device & 0x1f);
	p->info.subgroup_size = p->info.min_subgroup_size = p->info.max_subgroup_size =
		(uint32_t)a->warp;
	p->info.max_block_dim = p->max_threads;
	if (p->sm < OLDEST_SM)
		deny(p, "has compute capability %d.%d; %d.%d is required", a->major, a->minor,
		     OLDEST_SM / 10, OLDEST_SM % 10);
	if (a->mode == CUDA_MODE_PROHIBITED)
		deny(p, "is in compute mode 'prohibited'; nvidia-smi -c 0 changes that");
	if (!a->unified)
		deny(p, "has no unified addresses");
	if (a->warp != 32)
		deny(p, "has subgroups of %d lanes; 32 is required", a->warp);
}

/* Queries one device. Returns the name of the call that failed, or NULL. */
static const char *
ask(const struct cuda_library *lib, int i, struct cuda_physical *p, int *r)
{
	const struct cuda_symbols *cu = &lib->cu;
	struct cuda_uuid uuid;
	struct attributes a = { 0 };
	size_t memory = 0;
	if ((*r = cu->cuDeviceGet(&p->handle, i)) != CUDA_OK)
		return "cuDeviceGet";
	char name[sizeof p->info.name] = "";
	if ((*r = cu->cuDeviceGetName(name, sizeof name, p->handle)) != CUDA_OK)
		return "cuDeviceGetName";
	snprintf(p->info.name, sizeof p->info.name, "%s", name);
	if ((*r = cu->cuDeviceTotalMem(&memory, p->handle)) != CUDA_OK)
		return "cuDeviceTotalMem";
	p->info.memory = memory;
	if ((*r = read_attributes(cu, p->handle, &a)) != CUDA_OK)
		return "cuDeviceGetAttribute";
	int (*get_uuid)(struct cuda_uuid *, int) =
		cu->cuDeviceGetUuid_v2 ? cu->cuDeviceGetUuid_v2 : cu->cuDeviceGetUuid;
	if (get_uuid && (*r = get_uuid(&uuid, p->handle)) != CUDA_OK)
		return cu->cuDeviceGetUuid_v2 ? "cuDeviceGetUuid_v2" : "cuDeviceGetUuid";
	if (get_uuid)
		put_uuid(p->info.uuid, &uuid);
	check_device(p, &a);
	return NULL;
}

qd_status
cuda_physical_list(const struct cuda_library *lib, struct cuda_physical out[CUDA_MAX_PHYSICAL],
		   uint32_t *n, struct qd_error *err)
{
	int count = 0;
	int r = lib->cu.cuDeviceGetCount(&count);
	*n = 0;
	if (r != CUDA_OK)
		return cuda_fail(NULL, err, r, "cuDeviceGetCount");
	if (count < 1)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "CUDA lists no device, or CUDA_VISIBLE_DEVICES hides it");
	for (int i = 0; i < count && i < CUDA_MAX_PHYSICAL; i++) {
		struct cuda_physical *p = &out[i];
		memset(p, 0, sizeof *p);
		snprintf(p->info.selector, sizeof p->info.selector, "cuda:%d", i);
		snprintf(p->info.name, sizeof p->info.name, "a device without a name");
		snprintf(p->info.driver, sizeof p->info.driver, "CUDA %d.%d", lib->version / 1000,
			 lib->version % 1000 / 10);
		p->info.vendor = NVIDIA;
		const char *call = ask(lib, i, p, &r);
		if (call)
			deny(p, "cannot be queried: %s failed: %s (%d)", call, cuda_result_name(r),
			     r);
		struct target t;
		struct qd_error why;
		if (!p->info.why[0] && cuda_physical_target(p, &t, &why) != QD_OK)
			deny(p, "%.200s", why.text);
		p->info.usable = !p->info.why[0];
		if (p->info.usable)
			snprintf(p->info.target, sizeof p->info.target, "%s", t.m.name);
		++*n;
	}
	return QD_OK;
}

qd_status
cuda_choose(const struct cuda_physical *all, uint32_t n, const char *which, uint32_t *out,
	    struct qd_error *err)
{
	const struct qd_device_info *infos[CUDA_MAX_PHYSICAL];
	for (uint32_t i = 0; i < n; i++)
		infos[i] = &all[i].info;
	/* Format of nvidia-smi. */
	if (strncmp(which, "GPU-", 4) == 0)
		which += 4;
	return choose_device("cuda", "CUDA", infos, n, which, out, err);
}

/* -- Targets ------------------------------------------------------------------------ */

/* Finds the newest target at or below sm that the back end supports. On devices of 7.0 or later,
 * targets below 7.0 are excluded: there, threads of a subgroup do not progress independently. */
static bool
newest(const struct cuda_physical *p, uint32_t sm, const char *options, struct target *out)
{
	enum { INDEPENDENT_SM = 70 };
	uint32_t least = p->sm >= INDEPENDENT_SM ? INDEPENDENT_SM : OLDEST_SM;
	for (; sm >= least; sm--) {
		struct target t;
		char text[MACHINE_NAME];
		int len = snprintf(text, sizeof text, "ptx:sm_%u%s", sm, options);
		if (len < 0 || (size_t)len >= sizeof text)
			return false;
		if (isa_target(text, &t, QD_IGNORE_ERROR) == QD_OK) {
			*out = t;
			return true;
		}
	}
	return false;
}

qd_status
cuda_physical_target(const struct cuda_physical *p, struct target *out, struct qd_error *err)
{
	char limits[64];
	snprintf(limits, sizeof limits, ":b%u:s%u", p->max_threads, p->max_shared);
	if (newest(p, p->sm, limits, out))
		return QD_OK;
	return qd_fail(err, QD_E_TARGET, "has no target: qd does not compile for sm_%u%s", p->sm,
		       limits);
}

bool
cuda_lower_target(const struct cuda_physical *p, const struct target *t, struct target *out)
{
	const char *options = strstr(t->m.name, ":sm_");
	options = options ? strchr(options + 1, ':') : NULL;
	char rest[MACHINE_NAME];
	snprintf(rest, sizeof rest, "%s", options ? options : "");
	return newest(p, t->arch - 1, rest, out);
}
