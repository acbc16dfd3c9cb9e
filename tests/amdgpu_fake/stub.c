/* Functions of libdrm_amdgpu that no program of the tests needs, so that who links all of them
 * can be loaded: they say that they are not there. */
#include <errno.h>

#include "fake.h"

#define STUB(name)                                                                                 \
	FAKE_EXPORT int amdgpu_##name(void);                                                       \
	int amdgpu_##name(void)                                                                    \
	{                                                                                          \
		fake_call("amdgpu_" #name);                                                        \
		return -ENOSYS;                                                                    \
	}

STUB(cs_chunk_fence_info_to_data)
STUB(cs_chunk_fence_to_dep)
STUB(cs_create_semaphore)
STUB(cs_create_syncobj)
STUB(cs_create_syncobj2)
STUB(cs_ctx_stable_pstate)
STUB(cs_destroy_semaphore)
STUB(cs_destroy_syncobj)
STUB(cs_export_syncobj)
STUB(cs_fence_to_handle)
STUB(cs_import_syncobj)
STUB(cs_signal_semaphore)
STUB(cs_syncobj_export_sync_file)
STUB(cs_syncobj_export_sync_file2)
STUB(cs_syncobj_import_sync_file)
STUB(cs_syncobj_import_sync_file2)
STUB(cs_syncobj_query)
STUB(cs_syncobj_query2)
STUB(cs_syncobj_reset)
STUB(cs_syncobj_signal)
STUB(cs_syncobj_timeline_signal)
STUB(cs_syncobj_timeline_wait)
STUB(cs_syncobj_transfer)
STUB(cs_syncobj_wait)
STUB(cs_wait_semaphore)
STUB(query_video_caps_info)
STUB(vm_reserve_vmid)
STUB(vm_unreserve_vmid)
