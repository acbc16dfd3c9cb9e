/* Devices: opening them, and queries. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"

enum { FIRST_CLOCK = 100000 /* kHz */ };

static struct device *devices[MAX_DEVICES];

int
amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, struct device **out)
{
	return amdgpu_device_initialize2(fd, true, major, minor, out);
}

/* The caller holds the lock. */
static int
device_new(int fd, int index, struct device **out)
{
	const struct config *c = fake_config();
	struct device *d = calloc(1, sizeof *d);
	struct vm *vm = calloc(1, sizeof *vm);
	if (!d || !vm) {
		free(d);
		free(vm);
		return -ENOMEM;
	}
	*d = (struct device){
		.index = (unsigned)index, .refs = 1, .gpu = c->gpus[index], .vm = vm
	};
	vm->refs = 1;
	d->random = c->seed * 7919 + (uint64_t)index;
	d->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (d->fd < 0 || ring_start(d) != QD_OK) {
		if (d->fd >= 0)
			close(d->fd);
		free(vm);
		free(d);
		return -ENOMEM;
	}
	object_add(&d->o, DEVICE);
	*out = d;
	return 0;
}

int
amdgpu_device_initialize2(int fd, bool dedup, uint32_t *major, uint32_t *minor, struct device **out)
{
	int r = fake_call("amdgpu_device_initialize"), i = fake_device_of(fd);
	struct device *d = NULL;
	if (r)
		return r;
	*out = NULL;
	if (i < 0)
		return -EBADF;
	if (strcmp(fake_config()->driver, "amdgpu") != 0)
		return -EACCES;
	pthread_mutex_lock(&lock);
	if (dedup && devices[i]) {
		d = devices[i];
		d->refs++;
	} else {
		r = device_new(fd, i, &d);
		if (!r && dedup)
			devices[i] = d;
	}
	pthread_mutex_unlock(&lock);
	if (r)
		return r;
	*major = 3;
	*minor = fake_config()->minor;
	*out = d;
	return 0;
}

int
amdgpu_device_deinitialize(struct device *d)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, d, DEVICE)) {
		pthread_mutex_unlock(&lock);
		return -EINVAL;
	}
	bool last = !--d->refs;
	if (last && devices[d->index] == d)
		devices[d->index] = NULL;
	if (last && (d->n_bos || d->ctxs || d->ranges)) {
		char text[256];
		objects_left(text, sizeof text);
		fake_report(CHECK_left, __func__, "%s", text);
	}
	pthread_mutex_unlock(&lock);
	if (!last)
		return r;
	ring_stop(d);
	pthread_mutex_lock(&lock);
	object_end(&d->o);
	if (!d->n_bos)
		vm_unref(d->vm);
	close(d->fd);
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_device_get_fd(struct device *d)
{
	return d->fd;
}

const char *
amdgpu_get_marketing_name(struct device *d)
{
	return fake_call(__func__) ? NULL : d->gpu->marketing;
}

/* -- Queries ----------------------------------------------------------------------- */

static bool
is_apu(const struct device *d)
{
	return d->gpu->apu || fake_config()->unified;
}

static void
units(const struct device *d, uint32_t map[4][4], uint32_t *per_array)
{
	const struct gpu *g = d->gpu;
	uint32_t arrays = g->n_se * g->n_sa, left = g->n_cu;
	uint32_t each = (g->n_cu + arrays - 1) / arrays;
	memset(map, 0, 16 * sizeof(uint32_t));
	*per_array = each;
	for (uint32_t se = 0; se < g->n_se; se++) {
		for (uint32_t sa = 0; sa < g->n_sa; sa++) {
			uint32_t n = left < each ? left : each, row = se % 4;
			uint32_t column = g->gen >= G11 ? sa + 2 * (se / 4) : sa + se / 4;
			left -= n;
			map[row][column] = n >= 32 ? UINT32_MAX : (1u << n) - 1;
		}
	}
}

int
amdgpu_query_gpu_info(struct device *d, struct gpu_info *out)
{
	int r = fake_call(__func__);
	const struct gpu *g = d->gpu;
	uint32_t each;
	if (r)
		return r;
	memset(out, 0, sizeof *out);
	out->asic_id = g->pci;
	out->chip_rev = 1;
	out->chip_external_rev = g->rev;
	out->family_id = g->family;
	out->ids_flags = is_apu(d);
	out->max_engine_clk = 2500000;
	out->max_memory_clk = 1250000;
	out->num_shader_engines = g->n_se;
	out->num_shader_arrays_per_engine = g->n_sa;
	out->gpu_counter_freq = FIRST_CLOCK;
	out->cu_active_number = g->n_cu;
	units(d, out->cu_bitmap, &each);
	out->vram_type = 9;
	out->vram_bit_width = 256;
	out->pci_rev_id = 0xc8;
	return 0;
}

static void
device_info(const struct device *d, struct info_device *out)
{
	const struct gpu *g = d->gpu;
	*out = (struct info_device){
		.device_id = g->pci,
		.chip_rev = 1,
		.external_rev = g->rev,
		.pci_rev = 0xc8,
		.family = g->family,
		.num_shader_engines = g->n_se,
		.num_shader_arrays_per_engine = g->n_sa,
		.gpu_counter_freq = FIRST_CLOCK,
		.max_engine_clock = 2500000,
		.max_memory_clock = 1250000,
		.cu_active_number = g->n_cu,
		.ids_flags = is_apu(d),
		.virtual_address_offset = MIN_VA,
		.virtual_address_max = MAX_VA,
		.virtual_address_alignment = fake_config()->page,
		.pte_fragment_size = 2 << 20,
		.gart_page_size = PAGE,
		.vram_type = 9,
		.vram_bit_width = 256,
		.wave_front_size = g->gen >= G101 ? 32 : 64,
		.num_shader_visible_vgprs = 256,
		.high_va_offset = HIGH_VA,
		.high_va_max = HIGH_VA + MAX_VA,
	};
	units(d, out->cu_bitmap, &out->num_cu_per_sh);
}

static void
memory_info(const struct device *d, struct info_memory *out)
{
	const struct config *c = fake_config();
	uint64_t vram = (uint64_t)c->vram << 20, gtt = (uint64_t)c->gtt << 20;
	uint64_t visible = (uint64_t)c->visible << 20;
	visible = visible < vram ? visible : vram;
	*out = (struct info_memory){
		.vram = { vram, vram - (vram >> 6), d->used_vram, vram * 3 / 4 },
		.visible = { visible, visible - (visible >> 6),
			     d->used_vram < visible ? d->used_vram : visible, visible * 3 / 4 },
		.gtt = { gtt, gtt - (gtt >> 6), d->used_gtt, gtt * 3 / 4 },
	};
}

static bool
ip_info(const struct device *d, unsigned type, unsigned instance, struct info_hw_ip *out)
{
	const struct config *c = fake_config();
	const uint8_t *core = d->gpu->core;
	memset(out, 0, sizeof *out);
	if (instance || (type != IP_COMPUTE && type != IP_DMA))
		return type < N_IP;
	/* Kernel numbering: all chips of a family report the first chip's version. */
	out->major = core[0];
	out->ib_start_alignment = type == IP_DMA ? 256 : 32;
	out->ib_size_alignment = type == IP_DMA ? 4 : 32;
	out->available_rings = c->rings & (type == IP_DMA ? 3u : 15u);
	if (c->discovery && c->minor >= 48)
		out->ip_discovery_version =
			(uint32_t)core[0] << 16 | (uint32_t)core[1] << 8 | core[2];
	return true;
}

/* struct drm_amdgpu_info from its union on, which identifies the query. */
int
amdgpu_query_info(struct device *d, unsigned id, unsigned size, void *out)
{
	union {
		struct info_device device;
		struct info_memory memory;
		uint64_t u64[3];
		uint32_t u32[4];
	} v = { .device = { .device_id = 0 } };
	size_t have = 8;
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	switch (id) {
	case INFO_ACCEL_WORKING:
		v.u32[0] = 1;
		have = 4;
		break;
	case INFO_DEV_INFO:
		device_info(d, &v.device);
		have = sizeof v.device;
		break;
	case INFO_MEMORY:
		memory_info(d, &v.memory);
		have = sizeof v.memory;
		break;
	case INFO_HW_IP_INFO: /* of the GFX engine: no other can be named here */
	case INFO_HW_IP_COUNT: have = id == INFO_HW_IP_COUNT ? 4 : sizeof(struct info_hw_ip); break;
	case INFO_TIMESTAMP: v.u64[0] = now_ns() / 10; break;
	case INFO_VRAM_USAGE:
	case INFO_VIS_VRAM_USAGE: v.u64[0] = d->used_vram; break;
	case INFO_GTT_USAGE: v.u64[0] = d->used_gtt; break;
	case INFO_VRAM_GTT: {
		struct info_memory m;
		memory_info(d, &m);
		v.u64[0] = m.vram.total;
		v.u64[1] = m.visible.total;
		v.u64[2] = m.gtt.total;
		have = 24;
		break;
	}
	case INFO_GPUVM_FAULT:
		if (fake_config()->minor < 55)
			r = -EINVAL;
		v.u64[0] = d->fault_va;
		v.u32[2] = d->fault_status;
		have = 16;
		break;
	default: r = -EINVAL;
	}
	pthread_mutex_unlock(&lock);
	if (!r)
		memcpy(out, &v, size < have ? size : have);
	return r;
}

int
amdgpu_query_hw_ip_info(struct device *d, unsigned type, unsigned instance, struct info_hw_ip *out)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	return ip_info(d, type, instance, out) ? 0 : -EINVAL;
}

int
amdgpu_query_hw_ip_count(struct device *d, unsigned type, uint32_t *out)
{
	int r = fake_call(__func__);
	(void)d;
	if (r || type >= N_IP)
		return r ? r : -EINVAL;
	*out = type == IP_COMPUTE || type == IP_DMA;
	return 0;
}

int
amdgpu_query_heap_info(struct device *d, uint32_t heap, uint32_t flags, struct heap_info *out)
{
	int r = fake_call(__func__);
	struct info_memory m;
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	memory_info(d, &m);
	pthread_mutex_unlock(&lock);
	if (heap != DOMAIN_VRAM && heap != DOMAIN_GTT)
		return -EINVAL;
	struct info_heap *h = heap == DOMAIN_GTT      ? &m.gtt
			      : flags & BO_CPU_ACCESS ? &m.visible
						      : &m.vram;
	*out = (struct heap_info){ h->total, h->usage, h->max_allocation };
	return 0;
}

int
amdgpu_query_firmware_version(struct device *d, unsigned type, unsigned instance, unsigned index,
			      uint32_t *version, uint32_t *feature)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	if (instance || index > 1 || type > 0x30)
		return -EINVAL;
	*version = 0x100 + type + d->gpu->core[0];
	*feature = 1;
	return 0;
}

int
amdgpu_query_sw_info(struct device *d, int what, void *out)
{
	int r = fake_call(__func__);
	(void)d;
	if (r || what)
		return r ? r : -EINVAL;
	*(uint32_t *)out = 0xffff8000;
	return 0;
}

int
amdgpu_query_sensor_info(struct device *d, unsigned sensor, unsigned size, void *out)
{
	int r = fake_call(__func__);
	uint32_t v = 1000 + sensor;
	(void)d;
	if (r || sensor == 0 || sensor > 10)
		return r ? r : -EINVAL;
	memcpy(out, &v, size < sizeof v ? size : sizeof v);
	return 0;
}

int
amdgpu_query_buffer_size_alignment(struct device *d, struct size_alignments *out)
{
	int r = fake_call(__func__);
	(void)d;
	if (!r)
		*out = (struct size_alignments){ 2 << 20, PAGE };
	return r;
}

int
amdgpu_query_gds_info(struct device *d, void *out)
{
	(void)d;
	memset(out, 0, 32);
	return fake_call(__func__);
}

/* Reads GB_ADDR_CONFIG only; the library itself reads it. */
int
amdgpu_read_mm_registers(struct device *d, unsigned at, unsigned n, uint32_t instance,
			 uint32_t flags, uint32_t *out)
{
	enum { GB_ADDR_CONFIG = 0x263e };
	int r = fake_call(__func__);
	(void)d, (void)instance, (void)flags;
	if (r || at != GB_ADDR_CONFIG || n != 1)
		return r ? r : -EINVAL;
	*out = 0x44;
	return 0;
}
