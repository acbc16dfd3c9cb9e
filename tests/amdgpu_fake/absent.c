/* Functions of libdrm_amdgpu that the fake does not implement. They exist so that a program that
 * links the whole library can be loaded. A call is refused and reported. */
#include <errno.h>

#include "fake.h"

#define ABSENT(name)                                                                               \
	FAKE_EXPORT int amdgpu_##name(void);                                                       \
	int amdgpu_##name(void)                                                                    \
	{                                                                                          \
		fake_call("amdgpu_" #name);                                                        \
		fake_report(CHECK_absent, "amdgpu_" #name, "it gives ENOSYS");                        \
		return -ENOSYS;                                                                    \
	}

ABSENT(cs_chunk_fence_info_to_data)
ABSENT(cs_chunk_fence_to_dep)
ABSENT(cs_create_semaphore)
ABSENT(cs_create_syncobj)
ABSENT(cs_create_syncobj2)
ABSENT(cs_ctx_stable_pstate)
ABSENT(cs_destroy_semaphore)
ABSENT(cs_destroy_syncobj)
ABSENT(cs_export_syncobj)
ABSENT(cs_fence_to_handle)
ABSENT(cs_import_syncobj)
ABSENT(cs_signal_semaphore)
ABSENT(cs_syncobj_export_sync_file)
ABSENT(cs_syncobj_export_sync_file2)
ABSENT(cs_syncobj_import_sync_file)
ABSENT(cs_syncobj_import_sync_file2)
ABSENT(cs_syncobj_query)
ABSENT(cs_syncobj_query2)
ABSENT(cs_syncobj_reset)
ABSENT(cs_syncobj_signal)
ABSENT(cs_syncobj_timeline_signal)
ABSENT(cs_syncobj_timeline_wait)
ABSENT(cs_syncobj_transfer)
ABSENT(cs_syncobj_wait)
ABSENT(cs_wait_semaphore)
ABSENT(query_video_caps_info)
ABSENT(vm_reserve_vmid)
ABSENT(vm_unreserve_vmid)
