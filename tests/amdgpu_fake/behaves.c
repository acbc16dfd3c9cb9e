/* Behavior of the fake for a correct program: devices, fences, visibility of memory after a fence,
 * requested errors, threads. Prints a line for each expectation that fails. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "behaves.h"

unsigned behaves_bad;

void
behaves_close(struct rig *r)
{
	char text[512];
	rig_close(r);
	WANT(!fake_amdgpu_complaints(NULL, text, sizeof text));
	if (*text)
		printf("%s\n", text);
	WANT(!fake_amdgpu_left(text, sizeof text));
	fake_amdgpu_forget();
}

uint32_t
behaves_data(const struct rig *r, uint32_t i)
{
	uint32_t v;
	memcpy(&v, r->data.host + 4 * (size_t)i, 4);
	return v;
}

/* -- Discovery --------------------------------------------------------------------- */

static void
devices(void)
{
	struct drm_device *d[8];
	struct drm_version *v;
	struct device *dev, *same;
	struct info_hw_ip ip;
	struct info_memory m;
	struct info_device info;
	struct gpu_info gpu;
	uint32_t major, minor, n;

	fake_amdgpu_set("gpu=");
	WANT(drmGetDevices2(0, NULL, 0) == 0);
	fake_amdgpu_set("gpu=gfx1100,gfx90a access=0");
	WANT(drmOpenRender(128) == -EACCES);
	fake_amdgpu_set("gpu=gfx1100,gfx90a driver=i915");
	int fd = drmOpenRender(129);
	v = drmGetVersion(fd);
	WANT(v && !strcmp(v->name, "i915"));
	drmFreeVersion(v);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) < 0);
	drmClose(fd);

	fake_amdgpu_set("gpu=gfx1100,gfx90a visible=256 vram=4096");
	WANT(drmOpenRender(130) == -ENOENT);
	WANT(drmGetDevices2(0, d, 8) == 2);
	WANT(d[1]->bustype == 0 && d[1]->info->device_id == 0x740f && d[1]->bus->bus == 4);
	WANT(!strcmp(d[1]->nodes[DRM_NODE_RENDER], "/dev/dri/renderD129"));
	drmFreeDevices(d, 2);
	fd = drmOpenRender(129);
	WANT(drmGetNodeTypeFromFd(fd) == DRM_NODE_RENDER);
	char *name = drmGetRenderDeviceNameFromFd(fd);
	WANT(name && !strcmp(name, "/dev/dri/renderD129"));
	free(name);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) == 0 && major == 3 && minor == 61);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &same) == 0 && same == dev);
	drmClose(fd);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 0, &ip) == 0 &&
	     ip.ip_discovery_version == 0x090402 && ip.available_rings == 15);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 1, &ip) == 0 && ip.available_rings == 0);
	WANT(amdgpu_query_hw_ip_count(dev, IP_COMPUTE, &n) == 0 && n == 1);
	WANT(amdgpu_query_info(dev, INFO_MEMORY, sizeof m, &m) == 0 &&
	     m.vram.total == UINT64_C(4) << 30 && m.visible.total == 256 << 20);
	WANT(amdgpu_query_info(dev, 0x77, sizeof m, &m) == -EINVAL);
	memset(&info, 0, sizeof info);
	WANT(amdgpu_query_info(dev, INFO_DEV_INFO, 20, &info) == 0 && info.family == 141 &&
	     info.num_shader_engines == 0 /* only 20 bytes were requested */ - 0);
	WANT(amdgpu_query_info(dev, INFO_DEV_INFO, sizeof info, &info) == 0 &&
	     info.num_shader_engines == 8 && info.cu_active_number == 104 &&
	     info.wave_front_size == 64);
	WANT(amdgpu_query_gpu_info(dev, &gpu) == 0 && gpu.chip_external_rev == 0x3c &&
	     gpu.family_id == 141);
	WANT(strstr(amdgpu_get_marketing_name(dev), "MI210"));
	WANT(amdgpu_device_deinitialize(same) == 0);
	WANT(amdgpu_device_deinitialize(dev) == 0);

	fake_amdgpu_set("gpu=gfx1100 discovery=0 rings=0 apu=1");
	fd = drmOpenRender(128);
	WANT(amdgpu_device_initialize(fd, &major, &minor, &dev) == 0);
	WANT(amdgpu_query_hw_ip_info(dev, IP_COMPUTE, 0, &ip) == 0 && !ip.ip_discovery_version &&
	     !ip.available_rings);
	WANT(amdgpu_query_gpu_info(dev, &gpu) == 0 && (gpu.ids_flags & 1));
	WANT(amdgpu_device_deinitialize(dev) == 0);
	drmClose(fd);
	WANT(!fake_amdgpu_complaints(NULL, NULL, 0));
}

static void
memory(void)
{
	struct rig r;
	struct bo *b, *other;
	uint64_t off, va;
	struct va_range *range;
	void *p, *q;
	bool busy;
	WANT(rig_open(&r, "gfx1100", 0, "vram=64 visible=16"));
	struct bo_request big = { .size = 65 << 20, .heap = DOMAIN_VRAM };
	struct bo_request hidden = { .size = 5000, .heap = DOMAIN_VRAM, .flags = BO_NO_CPU_ACCESS };
	struct bo_request seen = { .size = 17 << 20, .heap = DOMAIN_VRAM, .flags = BO_CPU_ACCESS };
	WANT(amdgpu_bo_alloc(r.d, &big, &b) == -ENOMEM);
	WANT(amdgpu_bo_alloc(r.d, &seen, &b) == -ENOMEM);
	WANT(amdgpu_bo_alloc(r.d, &hidden, &b) == 0);
	WANT(amdgpu_bo_cpu_map(b, &p) == -EPERM);
	WANT(amdgpu_bo_free(b) == 0);
	seen.flags = 0;
	WANT(amdgpu_bo_alloc(r.d, &seen, &b) == 0 && amdgpu_bo_cpu_map(b, &p) == -EINVAL);
	WANT(amdgpu_bo_free(b) == 0);
	/* Maps are counted, and share one address. */
	WANT(amdgpu_bo_cpu_map(r.data.bo, &p) == 0 && amdgpu_bo_cpu_map(r.data.bo, &q) == 0 &&
	     p == q);
	WANT(amdgpu_bo_cpu_unmap(r.data.bo) == 0 && amdgpu_bo_cpu_unmap(r.data.bo) == 0);
	WANT(amdgpu_find_bo_by_cpu_mapping(r.d, r.data.host + 100, 8, &other, &off) == 0 &&
	     other == r.data.bo && off == 100);
	WANT(amdgpu_bo_free(other) == 0);
	WANT(amdgpu_bo_wait_for_idle(r.data.bo, 0, &busy) == 0 && !busy);
	/* Ranges: high addresses on request; a wanted address if it is free. */
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, 0, &va, &range, VA_HIGH) == 0 &&
	     va >> 47 == 0x1ffff);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, 0, &va, &range, VA_32_BIT) == 0 &&
	     va >> 32 == 0);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 1 << 20, 0, &va, &range, 0) == 0 &&
	     va % (1 << 20) == 0);
	WANT(amdgpu_va_range_free(range) == 0);
	WANT(amdgpu_va_range_alloc(r.d, 0, 4096, 0, r.data.va, &va, &range, 0) == -ENOMEM);
	WANT(amdgpu_cs_ctx_create2(r.d, 512, &(struct ctx *){ NULL }) == -EACCES);
	behaves_close(&r);
}

/* -- Requested errors -------------------------------------------------------------- */

static void
faults(void)
{
	struct rig r;
	uint64_t flags;
	WANT(rig_open(&r, "gfx1100", 0,
		      "fail=amdgpu_cs_submit:2:12 fail=amdgpu_bo_list_create:3:12") &&
	     rig_usual(&r));
	rig_stream(&r);
	WANT(rig_run(&r) == 0 && !fake_amdgpu_hit());
	WANT(rig_submit(&r) == -ENOMEM && fake_amdgpu_hit());
	WANT(rig_submit(&r) == -ENOMEM && fake_amdgpu_calls("amdgpu_cs_submit") == 2);
	WANT(rig_run(&r) == 0);
	behaves_close(&r);

	static const struct {
		const char *text;
		int fence, again;
		uint64_t flags;
	} rows[] = {
		{ "job=2:62:guilty", -ETIME, -ECANCELED, RESET_RESET | RESET_GUILTY },
		{ "job=2:61:guilty", -ENODATA, -ECANCELED, RESET_RESET | RESET_GUILTY },
		{ "job=2:61:soft", -ENODATA, 0, 0 },
		{ "job=2:125:innocent", -ECANCELED, -ECANCELED, RESET_RESET },
		{ "job=2:125:vram", -ECANCELED, -ECANCELED, RESET_RESET | RESET_VRAM_LOST },
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		WANT(rig_open(&r, "gfx1100", 0, rows[i].text) && rig_usual(&r));
		rig_stream(&r);
		WANT(rig_run(&r) == 0);
		WANT(rig_run(&r) == rows[i].fence);
		WANT(amdgpu_cs_query_reset_state2(r.ctx, &flags) == 0 && flags == rows[i].flags);
		WANT(rig_submit(&r) == rows[i].again);
		WANT(amdgpu_cs_ctx_free(r.ctx) == 0 && amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0);
		WANT(amdgpu_cs_query_reset_state2(r.ctx, &flags) == 0 && !flags);
		/* The code was in the VRAM that was lost. */
		if (rows[i].flags & RESET_VRAM_LOST)
			WANT(rig_run(&r) != 0 || behaves_data(&r, 5) != 5);
		fake_amdgpu_forget();
		if (!(rows[i].flags & RESET_VRAM_LOST))
			WANT(rig_run(&r) == 0);
		behaves_close(&r);
	}
}

/* Objects that are created and freed many times: a use after the end is still reported, and memory
 * does not grow. */
static void
many(void)
{
	struct rig r;
	struct bo *b, *first = NULL;
	struct bo_list *l;
	struct ctx *c;
	void *p;
	WANT(rig_open(&r, "gfx1100", 0, ""));
	for (unsigned i = 0; i < 10000; i++) {
		struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
		WANT(amdgpu_bo_alloc(r.d, &q, &b) == 0);
		WANT(amdgpu_bo_list_create(r.d, 1, &b, NULL, &l) == 0 &&
		     amdgpu_bo_list_destroy(l) == 0);
		WANT(amdgpu_bo_free(b) == 0);
		WANT(amdgpu_cs_ctx_create2(r.d, 0, &c) == 0 && amdgpu_cs_ctx_free(c) == 0);
		first = i == 9500 ? b : first;
	}
	WANT(!fake_amdgpu_complaints(NULL, NULL, 0));
	WANT(amdgpu_bo_cpu_map(first, &p) == -EINVAL &&
	     fake_amdgpu_complaints("handle", NULL, 0) == 1);
	fake_amdgpu_forget();
	behaves_close(&r);
}

/* -- Threads ----------------------------------------------------------------------- */

enum { N_THREADS = 6, ROUNDS = 40 };
static struct {
	struct device *d;
	struct rig *shared;
} threads;

static void *
thread(void *arg)
{
	struct rig r = *threads.shared;
	bool ok = amdgpu_cs_ctx_create2(r.d, 0, &r.ctx) == 0;
	r.list = NULL;
	r.ring = *(const uint32_t *)arg % 4;
	ok = ok && rig_memory(&r, &r.stream, 16384, DOMAIN_GTT, BO_USWC, 0xe);
	ok = ok && rig_memory(&r, &r.args, 4096, DOMAIN_GTT, BO_USWC, 0xe);
	ok = ok && rig_memory(&r, &r.data, 65536, DOMAIN_GTT, 0, 0xe);
	for (unsigned i = 0; ok && i < 2; i++)
		rig_reg(&r, 0x240 + i)->value = (uint32_t)(r.args.va >> 32 * i);
	for (uint32_t i = 0; ok && i < ROUNDS; i++) {
		uint64_t at = r.data.va + 1024 * (uint64_t)(i % 8);
		memset(r.data.host, 0xff, r.data.size);
		memcpy(r.args.host, &at, 8);
		rig_stream(&r);
		ok = rig_run(&r) == 0 && behaves_data(&r, 256 * (i % 8) + 200) == 200;
	}
	if (r.list)
		amdgpu_bo_list_destroy(r.list);
	rig_memory_free(&r.data);
	rig_memory_free(&r.args);
	rig_memory_free(&r.stream);
	amdgpu_cs_ctx_free(r.ctx);
	return ok ? NULL : &threads;
}

static void
together(void)
{
	struct rig r;
	pthread_t t[N_THREADS];
	uint32_t number[N_THREADS];
	void *bad;
	WANT(rig_open(&r, "gfx1100", 0, "") && rig_usual(&r));
	threads.d = r.d;
	threads.shared = &r;
	for (uint32_t i = 0; i < N_THREADS; i++) {
		number[i] = i;
		WANT(pthread_create(&t[i], NULL, thread, &number[i]) == 0);
	}
	for (unsigned i = 0; i < N_THREADS; i++)
		WANT(pthread_join(t[i], &bad) == 0 && !bad);
	behaves_close(&r);
}

/* Ends after a complaint, with everything still open. */
static int
leave(const char *config)
{
	static struct rig r;
	void *p;
	if (!rig_open(&r, "gfx1100", 0, config))
		return 2;
	amdgpu_bo_cpu_map(r.data.bo, &p);
	amdgpu_bo_cpu_unmap(r.data.bo);
	amdgpu_bo_cpu_unmap(r.data.bo);
	amdgpu_bo_cpu_unmap(r.data.bo);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--leave"))
		return leave(argv[2]);
	devices();
	memory();
	behaves_fences();
	behaves_streams();
	faults();
	many();
	together();
	if (getenv("QD_TEST_MUTATION"))
		WANT(behaves_bad > 1000);
	return behaves_bad != 0;
}
