/* The part of libcuda.so.1 that qd calls: devices and contexts. Signatures follow the CUDA driver
 * API manual (13.0). Handles and addresses are numbers here. */
#include "api.h"

bool initialized;

void *const garbage = (void *)(uintptr_t)0xbadbad;

static bool
is_sticky(int r)
{
	static const int codes[] = { 214, 220, 226, 700, 702, 709, 710, 714, 715,
				     716, 717, 718, 719, 721, 810, 911 };
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		if (codes[i] == r)
			return true;
	}
	return false;
}

int
begin(const char *call)
{
	pthread_mutex_lock(&lock);
	int r = config_call(call);
	if (r == OK && !initialized)
		return NOT_INITIALIZED;
	return r;
}

int
leave(int r)
{
	pthread_mutex_unlock(&lock);
	return r;
}

int
enter(const char *call, struct context **out)
{
	int r = begin(call);
	*out = current(call);
	if (is_sticky(r))
		atomic_store(&(*out)->sticky, r);
	return r == OK ? atomic_load(&(*out)->sticky) : r;
}

/* -- Devices ------------------------------------------------------------------------ */

API(cuInit, (unsigned flags))
{
	pthread_mutex_lock(&lock);
	int r = config_call(__func__);
	if (flags)
		wrong(__func__, "flags are %u", flags);
	if (r == OK && !config.n_devices)
		r = NO_DEVICE;
	initialized |= r == OK;
	return leave(r);
}

API(cuDriverGetVersion, (int *version))
{
	pthread_mutex_lock(&lock);
	int r = config_call(__func__);
	*version = config.version;
	return leave(r);
}

API(cuDeviceGetCount, (int *n))
{
	int r = begin(__func__);
	*n = r == OK ? (int)config.n_devices : -1;
	return leave(r);
}

/* Checks a device, which is identified by its number. */
static int
device(const char *call, int dev)
{
	int r = begin(call);
	if (r == OK && (dev < 0 || (unsigned)dev >= MAX_DEVICES))
		wrong(call, "no device %d", dev);
	return r == OK && (unsigned)dev >= config.n_devices ? INVALID_DEVICE : r;
}

API(cuDeviceGet, (int *dev, int i))
{
	int r = device(__func__, i);
	*dev = r == OK ? i : -1;
	return leave(r);
}

API(cuDeviceGetName, (char *name, int size, int dev))
{
	int r = device(__func__, dev);
	if (size < NAME + 8)
		wrong(__func__, "the buffer for the name is too small");
	if (r == OK) {
		snprintf(name, (size_t)size, "%s %d", config.name, dev);
		for (char *s = name; *s; s++)
			*s = *s == '_' ? ' ' : *s;
	}
	return leave(r);
}

API(cuDeviceTotalMem_v2, (size_t *size, int dev))
{
	int r = device(__func__, dev);
	*size = r == OK ? config.memory : 0;
	return leave(r);
}

static int
get_uuid(const char *call, unsigned char uuid[16], int dev)
{
	int r = device(call, dev);
	if (r == OK && !config.uuid)
		r = NOT_SUPPORTED;
	for (int i = 0; i < 16 && r == OK; i++)
		uuid[i] = (unsigned char)(0xf0 + dev + 17 * i);
	return leave(r);
}

API(cuDeviceGetUuid, (unsigned char *uuid, int dev))
{
	return get_uuid(__func__, uuid, dev);
}

API(cuDeviceGetUuid_v2, (unsigned char *uuid, int dev))
{
	return get_uuid(__func__, uuid, dev);
}

API(cuDeviceGetAttribute, (int *value, int attribute, int dev))
{
	int r = device(__func__, dev);
	if (r != OK)
		return leave(r);
	switch (attribute) {
	case 1: *value = config.threads; break;
	case 5: *value = config.blocks; break;
	case 8: *value = config.shared; break;
	case 10: *value = config.warp; break;
	case 17: *value = config.timeout; break;
	case 20: *value = config.mode; break;
	case 33: *value = 0x65 + dev; break; /* PCI bus, device, domain */
	case 34: *value = 0; break;
	case 41: *value = config.unified; break;
	case 50: *value = 0; break;
	case 75: *value = (int)config.sm[dev] / 10; break;
	case 76: *value = (int)config.sm[dev] % 10; break;
	default: wrong(__func__, "the fake does not implement attribute %d", attribute);
	}
	return leave(OK);
}

/* -- Contexts ----------------------------------------------------------------------- */

static struct context *primary[MAX_DEVICES];

API(cuDevicePrimaryCtxRetain, (void **out, int dev))
{
	int r = device(__func__, dev);
	*out = garbage;
	if (r == OK && !primary[dev]) {
		primary[dev] = calloc(1, sizeof *primary[dev]);
		object_add(&primary[dev]->o, CONTEXT, primary[dev]);
		primary[dev]->device = dev;
	}
	if (r == OK) {
		primary[dev]->refs++;
		*out = handle_of(&primary[dev]->o);
	}
	return leave(r);
}

/* Destroys a context with all its objects. A program must have freed them before, unless a call was
 * made to fail. */
static void
destroy_context(struct context *ctx)
{
	char text[256];
	object_remove(&ctx->o);
	if (objects_in(ctx, text, sizeof text) && !config.n_faults && !atomic_load(&ctx->sticky))
		wrong("cuDevicePrimaryCtxRelease", "not freed in the context: %s", text);
	pthread_mutex_unlock(&lock);
	objects_sweep(ctx);
	pthread_mutex_lock(&lock);
	free(ctx);
}

API(cuDevicePrimaryCtxRelease, (int dev))
{
	int r = device(__func__, dev);
	struct context *ctx = primary[dev];
	if (!ctx)
		wrong(__func__, "device %d has no primary context", dev);
	if (--ctx->refs == 0) {
		primary[dev] = NULL;
		destroy_context(ctx);
	}
	return leave(r);
}

API(cuCtxSynchronize, (void))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	leave(r);
	streams_drain(ctx);
	return r == OK ? atomic_load(&ctx->sticky) : r;
}
