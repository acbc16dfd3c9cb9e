/* Layouts and numbers of the i915 ioctls that Mesa 22.3's Vulkan drivers for Intel call to open a
 * device. Source: Linux, include/uapi/drm/drm.h and i915_drm.h; libdrm's xf86drm.h for struct
 * drm_device. These headers need not be installed; if they are, i915_check.c compares with them. */
#ifndef NULLGPU_I915_ABI_H
#define NULLGPU_I915_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

/* -- libdrm.so.2 ------------------------------------------------------------------- */

enum { NODE_PRIMARY, NODE_CONTROL, NODE_RENDER, NODE_MAX };
enum { BUS_PCI = 0 };

struct pci_bus {
	uint16_t domain;
	uint8_t bus, dev, func;
};
struct pci_device {
	uint16_t vendor, device, subvendor, subdevice;
	uint8_t revision;
};
struct drm_device {
	char **nodes;
	int available_nodes, bustype;
	struct pci_bus *bus;
	struct pci_device *info;
};

/* -- drm.h ---------------------------------------------------------------------------- */

enum { DRM_TYPE = 'd', DRM_COMMAND = 0x40 };

struct gem_close {
	uint32_t handle, pad;
};
struct get_cap {
	uint64_t capability, value;
};
struct syncobj_create {
	uint32_t handle, flags;
};
struct syncobj_wait {
	uint64_t handles;
	int64_t timeout;
	uint32_t count, flags, first_signaled, pad;
};
struct syncobj_array {
	uint64_t handles;
	uint32_t count, pad;
};

enum { CAP_SYNCOBJ = 0x13 };

#define DRM_GEM_CLOSE	    _IOW(DRM_TYPE, 0x09, struct gem_close)
#define DRM_GET_CAP	    _IOWR(DRM_TYPE, 0x0c, struct get_cap)
#define DRM_SYNCOBJ_CREATE  _IOWR(DRM_TYPE, 0xbf, struct syncobj_create)
#define DRM_SYNCOBJ_DESTROY _IOWR(DRM_TYPE, 0xc0, struct syncobj_create)
#define DRM_SYNCOBJ_WAIT    _IOWR(DRM_TYPE, 0xc3, struct syncobj_wait)
#define DRM_SYNCOBJ_RESET   _IOWR(DRM_TYPE, 0xc4, struct syncobj_array)
#define DRM_SYNCOBJ_SIGNAL  _IOWR(DRM_TYPE, 0xc5, struct syncobj_array)

/* -- i915_drm.h: parameters ----------------------------------------------------------- */

struct getparam {
	int32_t param;
	int *value;
};
enum {
	PARAM_CHIPSET_ID = 4,
	PARAM_HAS_EXECBUF2 = 9,
	PARAM_HAS_WAIT_TIMEOUT = 19,
	PARAM_CMD_PARSER_VERSION = 28,
	PARAM_MMAP_VERSION = 30,
	PARAM_REVISION = 32,
	PARAM_EU_TOTAL = 34,
	PARAM_HAS_EXEC_SOFTPIN = 37,
	PARAM_MMAP_GTT_VERSION = 40,
	PARAM_HAS_EXEC_ASYNC = 43,
	PARAM_HAS_EXEC_CAPTURE = 45,
	PARAM_SLICE_MASK = 46,
	PARAM_SUBSLICE_MASK = 47,
	PARAM_HAS_EXEC_FENCE_ARRAY = 49,
	PARAM_HAS_CONTEXT_ISOLATION = 50,
	PARAM_CS_TIMESTAMP_FREQUENCY = 51,
	PARAM_PERF_REVISION = 54,
	PARAM_HAS_EXEC_TIMELINE_FENCES = 55,
	PARAM_HAS_USERPTR_PROBE = 56
};

struct context_create {
	uint32_t id, pad;
};
struct context_create_ext {
	uint32_t id, flags;
	uint64_t extensions;
};
struct context_param {
	uint32_t id, size;
	uint64_t param, value;
};
enum { CONTEXT_PARAM_GTT_SIZE = 3 };

/* -- i915_drm.h: queries ---------------------------------------------------------------- */

struct query {
	uint32_t n_items, flags;
	uint64_t items;
};
struct query_item {
	uint64_t id;
	int32_t length; /* in: capacity, or 0 to ask for the size; out: size, or -errno */
	uint32_t flags;
	uint64_t data;
};
enum { QUERY_TOPOLOGY = 1, QUERY_ENGINES = 2, QUERY_REGIONS = 4 };

struct topology {
	uint16_t flags, max_slices, max_subslices, max_eus;
	uint16_t subslice_offset, subslice_stride, eu_offset, eu_stride;
	uint8_t data[]; /* bit masks: slices, subslices of each slice, execution units of each subslice */
};
struct class_instance {
	uint16_t class, instance;
};
struct engine {
	struct class_instance engine;
	uint32_t reserved;
	uint64_t flags, capabilities;
	uint16_t logical_instance, reserved1[3];
	uint64_t reserved2[3];
};
struct engines {
	uint32_t n, reserved[3];
	struct engine engine[];
};
enum { ENGINE_RENDER = 0 };
struct region {
	struct class_instance region;
	uint32_t reserved;
	uint64_t probed, unallocated;
	uint64_t reserved1[8];
};
struct regions {
	uint32_t n, reserved[3];
	struct region region[];
};
enum { MEMORY_SYSTEM = 0 };

/* -- i915_drm.h: memory ------------------------------------------------------------------- */

struct gem_create {
	uint64_t size;
	uint32_t handle, pad;
};
struct gem_create_ext {
	uint64_t size;
	uint32_t handle, flags;
	uint64_t extensions;
};
struct gem_mmap_offset {
	uint32_t handle, pad;
	uint64_t offset, flags, extensions;
};
struct gem_aperture {
	uint64_t size, available;
};
struct gem_tiling {
	uint32_t handle, mode, stride, swizzle;
};
struct gem_wait {
	uint32_t handle, flags;
	int64_t timeout;
};
struct reg_read {
	uint64_t offset, value;
};
struct execbuffer2 {
	uint64_t buffers;
	uint32_t n_buffers, batch_start, batch_len, dr1, dr4, n_cliprects;
	uint64_t cliprects, flags, rsvd1, rsvd2;
};
struct reset_stats {
	uint32_t id, flags, resets, active, pending, pad;
};

#define I915(rw, number, type) rw(DRM_TYPE, DRM_COMMAND + (number), type)
#define I915_GETPARAM	      I915(_IOWR, 0x06, struct getparam)
#define I915_CREATE	      I915(_IOWR, 0x1b, struct gem_create)
#define I915_SET_TILING	      I915(_IOWR, 0x21, struct gem_tiling)
#define I915_APERTURE	      I915(_IOR, 0x23, struct gem_aperture)
#define I915_MMAP_OFFSET      I915(_IOWR, 0x24, struct gem_mmap_offset)
#define I915_EXECBUFFER2      I915(_IOW, 0x29, struct execbuffer2)
#define I915_EXECBUFFER2_WR   I915(_IOWR, 0x29, struct execbuffer2)
#define I915_WAIT	      I915(_IOWR, 0x2c, struct gem_wait)
#define I915_CONTEXT_CREATE   I915(_IOWR, 0x2d, struct context_create)
#define I915_CONTEXT_CREATE_X I915(_IOWR, 0x2d, struct context_create_ext)
#define I915_CONTEXT_DESTROY  I915(_IOW, 0x2e, struct context_create)
#define I915_REG_READ	      I915(_IOWR, 0x31, struct reg_read)
#define I915_RESET_STATS      I915(_IOWR, 0x32, struct reset_stats)
#define I915_CONTEXT_GETPARAM I915(_IOWR, 0x34, struct context_param)
#define I915_CONTEXT_SETPARAM I915(_IOWR, 0x35, struct context_param)
#define I915_QUERY	      I915(_IOWR, 0x39, struct query)
#define I915_CREATE_EXT	      I915(_IOWR, 0x3c, struct gem_create_ext)

#endif
