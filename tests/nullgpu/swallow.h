/* A stand-in for the memory and the queue of a Vulkan device, in qd's tables of the driver's
 * symbols. Buffers are host memory; a submission completes immediately and does nothing.
 * Shader modules, layouts and pipelines are the driver's own. */
#ifndef NULLGPU_SWALLOW_H
#define NULLGPU_SWALLOW_H

#include <stdbool.h>
#include <stdint.h>

/* Faults that are injected into the creation of a pipeline; each must be reported. */
enum swallow_fault {
	FAULT_NONE,
	FAULT_ERROR,   /* the driver returns an error */
	FAULT_INVALID, /* the module is made invalid */
	FAULT_CRASH,   /* the process dies */
	FAULT_HANG     /* the call does not return */
};

struct swallow_statistic {
	char name[64];
	uint64_t value;
};
enum { SWALLOW_MAX_STATISTIC = 16, SWALLOW_MAX_EXECUTABLE = 3 };

/* Statistics of one pipeline, from VK_KHR_pipeline_executable_properties. */
struct swallow_report {
	uint64_t cpu_ns; /* of this process, while it was created */
	uint32_t n_executables;
	struct {
		char name[64];
		uint32_t subgroup_size, n;
		struct swallow_statistic statistic[SWALLOW_MAX_STATISTIC];
	} executable[SWALLOW_MAX_EXECUTABLE];
};

struct swallow {
	uint64_t n_pipelines; /* created without an error */
	uint64_t n_submitted; /* batches */
	uint64_t fault_at;    /* the pipeline that gets the fault, counted from 1 */
	enum swallow_fault fault;
	bool ask; /* fill `last`; set it before the device is opened */
	struct swallow_report last;
};
extern struct swallow swallow;

/* Applies to all devices that are opened later. */
void swallow_begin(void);

#endif
