/* Functions of libdrm_amdgpu that the fake does not implement. They exist so that a program that
 * links the whole library can be loaded. A call is refused and reported. */
#include <errno.h>

#include "fake.h"

#define UNIMPLEMENTED(name)                                                                        \
	FAKE_EXPORT int amdgpu_##name(void);                                                       \
	int amdgpu_##name(void)                                                                    \
	{                                                                                          \
		fake_call("amdgpu_" #name);                                                        \
		fake_report(CHECK_unimplemented, "amdgpu_" #name, "it returns ENOSYS");            \
		return -ENOSYS;                                                                    \
	}

UNIMPLEMENTED(cs_chunk_fence_info_to_data)
UNIMPLEMENTED(cs_chunk_fence_to_dep)
UNIMPLEMENTED(cs_create_semaphore)
UNIMPLEMENTED(cs_create_syncobj)
UNIMPLEMENTED(cs_create_syncobj2)
UNIMPLEMENTED(cs_ctx_stable_pstate)
UNIMPLEMENTED(cs_destroy_semaphore)
UNIMPLEMENTED(cs_destroy_syncobj)
UNIMPLEMENTED(cs_export_syncobj)
UNIMPLEMENTED(cs_fence_to_handle)
UNIMPLEMENTED(cs_import_syncobj)
UNIMPLEMENTED(cs_signal_semaphore)
UNIMPLEMENTED(cs_syncobj_export_sync_file)
UNIMPLEMENTED(cs_syncobj_export_sync_file2)
UNIMPLEMENTED(cs_syncobj_import_sync_file)
UNIMPLEMENTED(cs_syncobj_import_sync_file2)
UNIMPLEMENTED(cs_syncobj_query)
UNIMPLEMENTED(cs_syncobj_query2)
UNIMPLEMENTED(cs_syncobj_reset)
UNIMPLEMENTED(cs_syncobj_signal)
UNIMPLEMENTED(cs_syncobj_timeline_signal)
UNIMPLEMENTED(cs_syncobj_timeline_wait)
UNIMPLEMENTED(cs_syncobj_transfer)
UNIMPLEMENTED(cs_syncobj_wait)
UNIMPLEMENTED(cs_wait_semaphore)
UNIMPLEMENTED(query_video_caps_info)
UNIMPLEMENTED(vm_reserve_vmid)
UNIMPLEMENTED(vm_unreserve_vmid)
