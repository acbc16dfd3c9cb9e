/* Finds the fake libdrm, if it precedes the real one in the library path. */
#include "amdgpu_fake.h"

#include <dlfcn.h>

static struct amdgpu_fake fake;
static bool there;

static bool
get(void *lib, const char *name, void *to)
{
	void *p = dlsym(lib, name);
	memcpy(to, &p, sizeof p);
	return p != NULL;
}

static void
load(void)
{
	void *amdgpu = dlopen("libdrm_amdgpu.so.1", RTLD_NOW | RTLD_LOCAL);
	void *drm = amdgpu ? dlopen("libdrm.so.2", RTLD_NOW | RTLD_LOCAL) : NULL;
	there = drm && get(drm, "fake_amdgpu_set", &fake.set) &&
		get(drm, "fake_amdgpu_calls", &fake.calls) && get(drm, "fake_amdgpu_hit", &fake.hit) &&
		get(drm, "fake_amdgpu_complaints", &fake.complaints) &&
		get(drm, "fake_amdgpu_forget", &fake.forget) &&
		get(amdgpu, "fake_amdgpu_left", &fake.left);
}

const struct amdgpu_fake *
amdgpu_fake(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return there ? &fake : NULL;
}

bool
amdgpu_fake_begin(struct unit_ctx *t, const char *text)
{
	if (!amdgpu_fake()) {
		unit_skip(t, "libdrm is not the fake of tests/amdgpu_fake (driver.sh fakeamd)");
		return false;
	}
	fake.set(text);
	return true;
}

void
amdgpu_fake_end(struct unit_ctx *t)
{
	char text[512];
	UNIT_CHECK(t, fake.left(text, sizeof text) == 0, "left in the driver: %s", text);
	UNIT_CHECK(t, fake.complaints(NULL, text, sizeof text) == 0, "the fake complains: %s", text);
	fake.set("gpu=");
}
