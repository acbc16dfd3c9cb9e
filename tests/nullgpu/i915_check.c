/* Compares i915_abi.h with the headers that it was written from. Compiled if libdrm's headers are
 * installed. */
#include <drm.h>
#include <i915_drm.h>
#include <stddef.h>
#include <xf86drm.h>

#include "i915_abi.h"

#define CALL(own, theirs) _Static_assert((own) == (theirs), #theirs)
#define SIZE(own, theirs) _Static_assert(sizeof(struct own) == sizeof(struct theirs), #theirs)
#define PLACE(own, field, theirs, its)                                                             \
	_Static_assert(offsetof(struct own, field) == offsetof(struct theirs, its), #theirs "." #its)

/* An ioctl's number contains its direction and the size of its structure. */
CALL(DRM_GEM_CLOSE, DRM_IOCTL_GEM_CLOSE);
CALL(DRM_GET_CAP, DRM_IOCTL_GET_CAP);
CALL(DRM_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_CREATE);
CALL(DRM_SYNCOBJ_DESTROY, DRM_IOCTL_SYNCOBJ_DESTROY);
CALL(DRM_SYNCOBJ_WAIT, DRM_IOCTL_SYNCOBJ_WAIT);
CALL(DRM_SYNCOBJ_RESET, DRM_IOCTL_SYNCOBJ_RESET);
CALL(DRM_SYNCOBJ_SIGNAL, DRM_IOCTL_SYNCOBJ_SIGNAL);
CALL(I915_GETPARAM, DRM_IOCTL_I915_GETPARAM);
CALL(I915_QUERY, DRM_IOCTL_I915_QUERY);
CALL(I915_CREATE, DRM_IOCTL_I915_GEM_CREATE);
CALL(I915_CREATE_EXT, DRM_IOCTL_I915_GEM_CREATE_EXT);
CALL(I915_MMAP_OFFSET, DRM_IOCTL_I915_GEM_MMAP_OFFSET);
CALL(I915_SET_TILING, DRM_IOCTL_I915_GEM_SET_TILING);
CALL(I915_APERTURE, DRM_IOCTL_I915_GEM_GET_APERTURE);
CALL(I915_CONTEXT_CREATE, DRM_IOCTL_I915_GEM_CONTEXT_CREATE);
CALL(I915_CONTEXT_CREATE_X, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT);
CALL(I915_CONTEXT_DESTROY, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY);
CALL(I915_CONTEXT_GETPARAM, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM);
CALL(I915_CONTEXT_SETPARAM, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM);
CALL(I915_REG_READ, DRM_IOCTL_I915_REG_READ);
CALL(I915_EXECBUFFER2, DRM_IOCTL_I915_GEM_EXECBUFFER2);
CALL(I915_EXECBUFFER2_WR, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR);
CALL(I915_WAIT, DRM_IOCTL_I915_GEM_WAIT);
CALL(I915_RESET_STATS, DRM_IOCTL_I915_GET_RESET_STATS);

CALL(CAP_SYNCOBJ, DRM_CAP_SYNCOBJ);
CALL(PARAM_CHIPSET_ID, I915_PARAM_CHIPSET_ID);
CALL(PARAM_HAS_EXECBUF2, I915_PARAM_HAS_EXECBUF2);
CALL(PARAM_HAS_WAIT_TIMEOUT, I915_PARAM_HAS_WAIT_TIMEOUT);
CALL(PARAM_CMD_PARSER_VERSION, I915_PARAM_CMD_PARSER_VERSION);
CALL(PARAM_MMAP_VERSION, I915_PARAM_MMAP_VERSION);
CALL(PARAM_REVISION, I915_PARAM_REVISION);
CALL(PARAM_EU_TOTAL, I915_PARAM_EU_TOTAL);
CALL(PARAM_HAS_EXEC_SOFTPIN, I915_PARAM_HAS_EXEC_SOFTPIN);
CALL(PARAM_MMAP_GTT_VERSION, I915_PARAM_MMAP_GTT_VERSION);
CALL(PARAM_HAS_EXEC_ASYNC, I915_PARAM_HAS_EXEC_ASYNC);
CALL(PARAM_HAS_EXEC_CAPTURE, I915_PARAM_HAS_EXEC_CAPTURE);
CALL(PARAM_SLICE_MASK, I915_PARAM_SLICE_MASK);
CALL(PARAM_SUBSLICE_MASK, I915_PARAM_SUBSLICE_MASK);
CALL(PARAM_HAS_EXEC_FENCE_ARRAY, I915_PARAM_HAS_EXEC_FENCE_ARRAY);
CALL(PARAM_HAS_CONTEXT_ISOLATION, I915_PARAM_HAS_CONTEXT_ISOLATION);
CALL(PARAM_CS_TIMESTAMP_FREQUENCY, I915_PARAM_CS_TIMESTAMP_FREQUENCY);
CALL(PARAM_PERF_REVISION, I915_PARAM_PERF_REVISION);
CALL(PARAM_HAS_EXEC_TIMELINE_FENCES, I915_PARAM_HAS_EXEC_TIMELINE_FENCES);
CALL(PARAM_HAS_USERPTR_PROBE, I915_PARAM_HAS_USERPTR_PROBE);
CALL(CONTEXT_PARAM_GTT_SIZE, I915_CONTEXT_PARAM_GTT_SIZE);
CALL(QUERY_TOPOLOGY, DRM_I915_QUERY_TOPOLOGY_INFO);
CALL(QUERY_ENGINES, DRM_I915_QUERY_ENGINE_INFO);
CALL(QUERY_REGIONS, DRM_I915_QUERY_MEMORY_REGIONS);
CALL((int)ENGINE_RENDER, (int)I915_ENGINE_CLASS_RENDER);
CALL((int)MEMORY_SYSTEM, (int)I915_MEMORY_CLASS_SYSTEM);

PLACE(getparam, value, drm_i915_getparam, value);
PLACE(context_param, value, drm_i915_gem_context_param, value);
PLACE(gem_create, handle, drm_i915_gem_create, handle);
PLACE(gem_create_ext, handle, drm_i915_gem_create_ext, handle);
PLACE(gem_mmap_offset, offset, drm_i915_gem_mmap_offset, offset);
SIZE(query_item, drm_i915_query_item);
PLACE(query_item, length, drm_i915_query_item, length);
PLACE(query_item, data, drm_i915_query_item, data_ptr);
SIZE(topology, drm_i915_query_topology_info);
PLACE(topology, max_eus, drm_i915_query_topology_info, max_eus_per_subslice);
PLACE(topology, subslice_stride, drm_i915_query_topology_info, subslice_stride);
PLACE(topology, eu_stride, drm_i915_query_topology_info, eu_stride);
SIZE(engine, drm_i915_engine_info);
SIZE(engines, drm_i915_query_engine_info);
SIZE(region, drm_i915_memory_region_info);
PLACE(region, probed, drm_i915_memory_region_info, probed_size);
PLACE(region, unallocated, drm_i915_memory_region_info, unallocated_size);
SIZE(regions, drm_i915_query_memory_regions);

CALL((int)NODE_MAX, (int)DRM_NODE_MAX);
CALL((int)NODE_RENDER, (int)DRM_NODE_RENDER);
CALL((int)BUS_PCI, (int)DRM_BUS_PCI);
SIZE(drm_device, _drmDevice);
PLACE(drm_device, bus, _drmDevice, businfo);
PLACE(drm_device, info, _drmDevice, deviceinfo);
SIZE(pci_bus, _drmPciBusInfo);
SIZE(pci_device, _drmPciDeviceInfo);
PLACE(pci_device, revision, _drmPciDeviceInfo, revision_id);
