/* The ABI of libdrm's two libraries on x86-64 and aarch64: prototypes, layouts and numbers. It is
 * written down here from the public headers; no driver file is included. */
#ifndef FAKE_ABI_H
#define FAKE_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* -- libdrm.so.2 ------------------------------------------------------------------- */

enum { DRM_NODE_PRIMARY, DRM_NODE_CONTROL, DRM_NODE_RENDER, DRM_NODE_MAX };

struct drm_pci_bus {
	uint16_t domain;
	uint8_t bus, dev, func;
};
struct drm_pci_device {
	uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
	uint8_t revision_id;
};
/* drmPlatformBusInfo; drmFauxBusInfo, in libdrm 2.4.125 and later. */
enum { BUS_PCI = 0, BUS_PLATFORM = 2, BUS_FAUX = 4, BUS_NAME = 512 };
struct drm_named_bus {
	char name[BUS_NAME];
};
struct drm_named_device {
	char **compatible; /* NULL after the last */
};
struct drm_device {
	char **nodes;
	int available_nodes, bustype;
	union {
		struct drm_pci_bus *bus;
		struct drm_named_bus *named_bus;
	};
	union {
		struct drm_pci_device *info;
		struct drm_named_device *named_info; /* NULL for a faux device */
	};
};
struct drm_version {
	int major, minor, patch;
	int name_len;
	char *name;
	int date_len;
	char *date;
	int desc_len;
	char *desc;
};

FAKE_EXPORT int drmGetDevices2(uint32_t flags, struct drm_device **out, int max);
FAKE_EXPORT void drmFreeDevices(struct drm_device **devices, int n);
FAKE_EXPORT void drmFreeDevice(struct drm_device **device);
FAKE_EXPORT int drmGetDevice2(int fd, uint32_t flags, struct drm_device **out);
FAKE_EXPORT int drmOpenRender(int minor);
FAKE_EXPORT int drmClose(int fd);
FAKE_EXPORT struct drm_version *drmGetVersion(int fd);
FAKE_EXPORT void drmFreeVersion(struct drm_version *v);
FAKE_EXPORT int drmGetNodeTypeFromFd(int fd);
FAKE_EXPORT char *drmGetRenderDeviceNameFromFd(int fd);

/* -- libdrm_amdgpu.so.1 ------------------------------------------------------------ */

struct device;
struct bo;
struct va_range;
struct ctx;
struct bo_list;

struct gpu_info {
	uint32_t asic_id, chip_rev, chip_external_rev, family_id;
	uint64_t ids_flags, max_engine_clk, max_memory_clk;
	uint32_t num_shader_engines, num_shader_arrays_per_engine, avail_quad_shader_pipes,
		max_quad_shader_pipes, cache_entries_per_quad_pipe, num_hw_gfx_contexts, rb_pipes,
		enabled_rb_pipes_mask, gpu_counter_freq, backend_disable[4], mc_arb_ramcfg,
		gb_addr_cfg, gb_tile_mode[32], gb_macro_tile_mode[16], pa_sc_raster_cfg[4],
		pa_sc_raster_cfg1[4], cu_active_number, cu_ao_mask, cu_bitmap[4][4], vram_type,
		vram_bit_width, ce_ram_size, vce_harvest_config, pci_rev_id;
};

struct info_device {
	uint32_t device_id, chip_rev, external_rev, pci_rev, family, num_shader_engines,
		num_shader_arrays_per_engine, gpu_counter_freq;
	uint64_t max_engine_clock, max_memory_clock;
	uint32_t cu_active_number, cu_ao_mask, cu_bitmap[4][4], enabled_rb_pipes_mask, num_rb_pipes,
		num_hw_gfx_contexts, pcie_gen;
	uint64_t ids_flags, virtual_address_offset, virtual_address_max;
	uint32_t virtual_address_alignment, pte_fragment_size, gart_page_size, ce_ram_size,
		vram_type, vram_bit_width, vce_harvest_config, gc_double_offchip_lds_buf;
	uint64_t gs_buffers[4];
	uint32_t gs_sizes[4], wave_front_size, num_shader_visible_vgprs, num_cu_per_sh,
		num_tcc_blocks, gs_vgt_table_depth, gs_prim_buffer_depth, max_gs_waves_per_vgt,
		pcie_num_lanes, cu_ao_bitmap[4][4];
	uint64_t high_va_offset, high_va_max;
	uint32_t pa_sc_tile_steering_override, pad;
	uint64_t tcc_disabled_mask;
};

struct info_hw_ip {
	uint32_t major, minor;
	uint64_t caps;
	uint32_t ib_start_alignment, ib_size_alignment, available_rings, ip_discovery_version;
};

struct heap_info {
	uint64_t size, usage, max_allocation;
};
struct info_heap {
	uint64_t total, usable, usage, max_allocation;
};
struct info_memory {
	struct info_heap vram, visible, gtt;
};
struct bo_request {
	uint64_t size, align;
	uint32_t heap;
	uint64_t flags;
};
struct bo_info {
	uint64_t size, align;
	uint32_t heap;
	uint64_t flags;
	struct {
		uint64_t flags, tiling;
		uint32_t size, data[64];
	} metadata;
};
struct size_alignments {
	uint64_t local, remote;
};

struct cs_ib {
	uint64_t flags, va;
	uint32_t size; /* words */
};
struct cs_fence {
	struct ctx *ctx;
	uint32_t ip_type, ip_instance, ring;
	uint64_t fence;
};
struct cs_request {
	uint64_t flags;
	uint32_t ip_type, ip_instance, ring;
	struct bo_list *list;
	uint32_t n_deps;
	struct cs_fence *deps;
	uint32_t n_ibs;
	struct cs_ib *ibs;
	uint64_t seq;
	struct {
		struct bo *bo;
		uint64_t offset;
	} fence;
};
struct cs_chunk {
	uint32_t id, n_words;
	uint64_t data;
};
struct cs_chunk_ib {
	uint32_t pad, flags;
	uint64_t va;
	uint32_t bytes, ip_type, ip_instance, ring;
};
struct cs_chunk_dep {
	uint32_t ip_type, ip_instance, ring, ctx;
	uint64_t handle;
};
struct list_entry {
	uint32_t bo, priority;
};
struct list_in {
	uint32_t operation, list, n, entry_size;
	uint64_t entries;
};

_Static_assert(sizeof(struct gpu_info) == 416, "amdgpu_gpu_info");
_Static_assert(offsetof(struct gpu_info, cu_active_number) == 324, "amdgpu_gpu_info");
_Static_assert(sizeof(struct info_device) == 368, "drm_amdgpu_info_device");
_Static_assert(offsetof(struct info_device, virtual_address_max) == 152, "drm_amdgpu_info_device");
_Static_assert(offsetof(struct info_device, high_va_offset) == 336, "drm_amdgpu_info_device");
_Static_assert(sizeof(struct info_hw_ip) == 32, "drm_amdgpu_info_hw_ip");
_Static_assert(sizeof(struct bo_request) == 32, "amdgpu_bo_alloc_request");
_Static_assert(sizeof(struct cs_ib) == 24, "amdgpu_cs_ib_info");
_Static_assert(sizeof(struct cs_request) == 88, "amdgpu_cs_request");
_Static_assert(offsetof(struct cs_request, seq) == 64, "amdgpu_cs_request");
_Static_assert(sizeof(struct cs_fence) == 32, "amdgpu_cs_fence");
_Static_assert(sizeof(struct cs_chunk_ib) == 32, "drm_amdgpu_cs_chunk_ib");

enum {
	IP_GFX = 0,
	IP_COMPUTE = 1,
	IP_DMA = 2,
	N_IP = 10,
	MAX_RINGS = 8,
	INFO_ACCEL_WORKING = 0x00,
	INFO_HW_IP_INFO = 0x02,
	INFO_HW_IP_COUNT = 0x03,
	INFO_TIMESTAMP = 0x05,
	INFO_FW_VERSION = 0x0e,
	INFO_VRAM_USAGE = 0x10,
	INFO_GTT_USAGE = 0x11,
	INFO_VRAM_GTT = 0x14,
	INFO_READ_MMR_REG = 0x15,
	INFO_DEV_INFO = 0x16,
	INFO_VIS_VRAM_USAGE = 0x17,
	INFO_MEMORY = 0x19,
	INFO_SENSOR = 0x1d,
	INFO_GPUVM_FAULT = 0x23,
	DOMAIN_CPU = 1,
	DOMAIN_GTT = 2,
	DOMAIN_VRAM = 4,
	BO_CPU_ACCESS = 1 << 0,
	BO_NO_CPU_ACCESS = 1 << 1,
	BO_USWC = 1 << 2,
	BO_CLEARED = 1 << 3,
	BO_ALWAYS_VALID = 1 << 6,
	BO_KNOWN_FLAGS = 0x1ffef,
	VM_DELAY = 1 << 0,
	VM_READ = 1 << 1,
	VM_WRITE = 1 << 2,
	VM_EXEC = 1 << 3,
	VM_KNOWN = 0x3ff,
	VA_MAP = 1,
	VA_UNMAP = 2,
	VA_CLEAR = 3,
	VA_REPLACE = 4,
	VA_32_BIT = 1,
	VA_HIGH = 2,
	IB_EMIT_MEM_SYNC = 1 << 6,
	IB_KNOWN_FLAGS = 0x7f,
	RESET_RESET = 1,
	RESET_VRAM_LOST = 2,
	RESET_GUILTY = 4,
	CHUNK_IB = 1,
	CHUNK_FENCE = 2,
	CHUNK_DEPENDENCIES = 3,
	CHUNK_SYNCOBJ_IN = 4,
	CHUNK_SYNCOBJ_OUT = 5,
	CHUNK_BO_HANDLES = 6,
	CHUNK_TIMELINE_WAIT = 8,
	CHUNK_TIMELINE_SIGNAL = 9,
	FENCE_ABSOLUTE = 1
};

FAKE_EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor,
					 struct device **out);
FAKE_EXPORT int amdgpu_device_initialize2(int fd, bool dedup, uint32_t *major, uint32_t *minor,
					  struct device **out);
FAKE_EXPORT int amdgpu_device_deinitialize(struct device *d);
FAKE_EXPORT int amdgpu_device_get_fd(struct device *d);
FAKE_EXPORT const char *amdgpu_get_marketing_name(struct device *d);
FAKE_EXPORT int amdgpu_query_gpu_info(struct device *d, struct gpu_info *out);
FAKE_EXPORT int amdgpu_query_info(struct device *d, unsigned id, unsigned size, void *out);
FAKE_EXPORT int amdgpu_query_hw_ip_info(struct device *d, unsigned type, unsigned instance,
					struct info_hw_ip *out);
FAKE_EXPORT int amdgpu_query_hw_ip_count(struct device *d, unsigned type, uint32_t *out);
FAKE_EXPORT int amdgpu_query_heap_info(struct device *d, uint32_t heap, uint32_t flags,
				       struct heap_info *out);
FAKE_EXPORT int amdgpu_query_firmware_version(struct device *d, unsigned type, unsigned instance,
					      unsigned index, uint32_t *version, uint32_t *feature);
FAKE_EXPORT int amdgpu_query_sw_info(struct device *d, int what, void *out);
FAKE_EXPORT int amdgpu_query_sensor_info(struct device *d, unsigned sensor, unsigned size,
					 void *out);
FAKE_EXPORT int amdgpu_query_buffer_size_alignment(struct device *d, struct size_alignments *out);
FAKE_EXPORT int amdgpu_query_gds_info(struct device *d, void *out);
FAKE_EXPORT int amdgpu_read_mm_registers(struct device *d, unsigned at, unsigned n,
					 uint32_t instance, uint32_t flags, uint32_t *out);

FAKE_EXPORT int amdgpu_bo_alloc(struct device *d, struct bo_request *request, struct bo **out);
FAKE_EXPORT int amdgpu_bo_free(struct bo *b);
FAKE_EXPORT void amdgpu_bo_inc_ref(struct bo *b);
FAKE_EXPORT int amdgpu_bo_cpu_map(struct bo *b, void **out);
FAKE_EXPORT int amdgpu_bo_cpu_unmap(struct bo *b);
FAKE_EXPORT int amdgpu_bo_va_op(struct bo *b, uint64_t off, uint64_t size, uint64_t va,
				uint64_t flags, uint32_t op);
FAKE_EXPORT int amdgpu_bo_va_op_raw(struct device *d, struct bo *b, uint64_t off, uint64_t size,
				    uint64_t va, uint64_t flags, uint32_t op);
FAKE_EXPORT int amdgpu_bo_wait_for_idle(struct bo *b, uint64_t timeout_ns, bool *busy);
FAKE_EXPORT int amdgpu_bo_query_info(struct bo *b, struct bo_info *out);
FAKE_EXPORT int amdgpu_bo_export(struct bo *b, int type, uint32_t *out);
FAKE_EXPORT int amdgpu_bo_import(struct device *d, int type, uint32_t handle, void *out);
FAKE_EXPORT int amdgpu_bo_set_metadata(struct bo *b, void *info);
FAKE_EXPORT int amdgpu_create_bo_from_user_mem(struct device *d, void *at, uint64_t size,
					       struct bo **out);
FAKE_EXPORT int amdgpu_find_bo_by_cpu_mapping(struct device *d, void *at, uint64_t size,
					      struct bo **out, uint64_t *offset);
FAKE_EXPORT int amdgpu_va_range_alloc(struct device *d, int type, uint64_t size, uint64_t align,
				      uint64_t want, uint64_t *va, struct va_range **out,
				      uint64_t flags);
FAKE_EXPORT int amdgpu_va_range_free(struct va_range *v);
FAKE_EXPORT int amdgpu_va_range_query(struct device *d, int type, uint64_t *start, uint64_t *end);

FAKE_EXPORT int amdgpu_bo_list_create(struct device *d, uint32_t n, struct bo **bos,
				      uint8_t *priorities, struct bo_list **out);
FAKE_EXPORT int amdgpu_bo_list_destroy(struct bo_list *l);
FAKE_EXPORT int amdgpu_bo_list_update(struct bo_list *l, uint32_t n, struct bo **bos,
				      uint8_t *priorities);
FAKE_EXPORT int amdgpu_bo_list_create_raw(struct device *d, uint32_t n,
					  const struct list_entry *entries, uint32_t *out);
FAKE_EXPORT int amdgpu_bo_list_destroy_raw(struct device *d, uint32_t list);

FAKE_EXPORT int amdgpu_cs_ctx_create(struct device *d, struct ctx **out);
FAKE_EXPORT int amdgpu_cs_ctx_create2(struct device *d, uint32_t priority, struct ctx **out);
FAKE_EXPORT int amdgpu_cs_ctx_free(struct ctx *c);
FAKE_EXPORT int amdgpu_cs_ctx_override_priority(struct device *d, struct ctx *c, int fd,
						unsigned priority);
FAKE_EXPORT int amdgpu_cs_submit(struct ctx *c, uint64_t flags, struct cs_request *requests,
				 uint32_t n);
FAKE_EXPORT int amdgpu_cs_submit_raw(struct device *d, struct ctx *c, struct bo_list *l, int n,
				     struct cs_chunk *chunks, uint64_t *seq);
FAKE_EXPORT int amdgpu_cs_submit_raw2(struct device *d, struct ctx *c, uint32_t list, int n,
				      struct cs_chunk *chunks, uint64_t *seq);
FAKE_EXPORT int amdgpu_cs_query_fence_status(struct cs_fence *f, uint64_t timeout_ns,
					     uint64_t flags, uint32_t *expired);
FAKE_EXPORT int amdgpu_cs_wait_fences(struct cs_fence *f, uint32_t n, bool all, uint64_t timeout_ns,
				      uint32_t *status, uint32_t *first);
FAKE_EXPORT int amdgpu_cs_query_reset_state(struct ctx *c, uint32_t *state, uint32_t *hangs);
FAKE_EXPORT int amdgpu_cs_query_reset_state2(struct ctx *c, uint64_t *flags);

#endif
