/* Loads the fake driver before qd opens libcuda.so.1, so that qd gets the fake. */
#include "cuda_fake.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct cuda_fake fake;
static bool there;

static bool
get(void *lib, const char *name, void *to)
{
	void *p = dlsym(lib, name);
	memcpy(to, &p, sizeof p);
	return p != NULL;
}

static const char *file = FAKE_CUDA;

static void
load(void)
{
	void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!lib || dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != lib)
		return;
	there = get(lib, "fake_cuda_set", &fake.set) && get(lib, "fake_cuda_calls", &fake.calls) &&
		get(lib, "fake_cuda_hit", &fake.hit) && get(lib, "fake_cuda_left", &fake.left) &&
		get(lib, "fake_cuda_depth", &fake.depth) &&
		get(lib, "cuDevicePrimaryCtxRetain", &fake.retain) &&
		get(lib, "cuDevicePrimaryCtxRelease", &fake.release) &&
		get(lib, "cuCtxPushCurrent_v2", &fake.push) &&
		get(lib, "cuCtxPopCurrent_v2", &fake.pop);
}

const struct cuda_fake *
cuda_fake(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return there ? &fake : NULL;
}

const struct cuda_fake *
cuda_fake_of(const char *path)
{
	file = path;
	return cuda_fake();
}

bool
cuda_fake_begin(struct unit_ctx *t, const char *text)
{
	if (!cuda_fake()) {
		unit_skip(t, "another libcuda.so.1 is loaded, or " FAKE_CUDA " is not built");
		return false;
	}
	fake.set(text);
	return true;
}

void
cuda_fake_end(struct unit_ctx *t)
{
	char text[256];
	void *current;
	UNIT_CHECK(t, fake.left(text, sizeof text) == 0, "left in the driver: %s", text);
	UNIT_CHECK(t, fake.depth(&current) == 0, "a context is still current");
	fake.set("");
}
