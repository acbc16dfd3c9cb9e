/* Declarations shared by the files of the Vulkan driver. Tests include this file to read counters
 * and to inject faults into the symbol table.
 *
 * No other lock is taken while queue_lock, query_lock or layout_lock is held. */
#ifndef QD_RUNTIME_VULKAN_INTERNAL_H
#define QD_RUNTIME_VULKAN_INTERNAL_H

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include "device.h"
#include "heap.h"
#include "spirv/need.h"

struct vulkan_global_symbols {
#define VULKAN_GLOBAL(name, need) PFN_##name name;
#include "sym.def"
};
struct vulkan_instance_symbols {
#define VULKAN_INSTANCE(name, need) PFN_##name name;
#include "sym.def"
};
struct vulkan_device_symbols {
#define VULKAN_DEVICE(name, need) PFN_##name name;
#include "sym.def"
};

/* -- instance.c: one per process, made on first use and kept ---------------------- */

struct vulkan_instance {
	PFN_vkGetInstanceProcAddr get;
	struct vulkan_global_symbols global;
	struct vulkan_instance_symbols vk;
	VkInstance handle;
};

qd_status vulkan_instance_get(const struct vulkan_instance **out, struct qd_error *err);

/* Returns the number of messages of the validation layer since the process started. Messages are
 * logged through the context whose device was opened last. */
uint64_t vulkan_validation_messages(void);

struct vulkan_log_link {
	struct vulkan_log_link *next;
	struct qd_context *ctx;
};
void vulkan_log_attach(struct vulkan_log_link *link, struct qd_context *ctx);
void vulkan_log_detach(struct vulkan_log_link *link);

/* -- facts.c: properties of a physical device, unchecked ----------------------------- */

struct vulkan_features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
	VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR flow;
};

enum vulkan_extension { VULKAN_PORTABILITY, VULKAN_UNIFORM_FLOW, VULKAN_PCI, N_VULKAN_EXTENSION };
extern const char *const vulkan_extension_names[N_VULKAN_EXTENSION];

enum { VULKAN_MAX_FAMILIES = 32 };

/* Properties of a physical device. Below Vulkan 1.3, only core and memory are filled. */
struct vulkan_facts {
	VkPhysicalDevice handle;
	VkPhysicalDeviceProperties core;
	VkPhysicalDeviceVulkan11Properties v11;
	VkPhysicalDeviceVulkan12Properties v12;
	VkPhysicalDeviceVulkan13Properties v13;
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci; /* if the extension is available */
	struct vulkan_features features;
	VkPhysicalDeviceMemoryProperties memory;
	VkQueueFamilyProperties families[VULKAN_MAX_FAMILIES];
	uint32_t n_families;
	uint32_t extensions; /* bit per enum vulkan_extension */
	VkResult extensions_result; /* of the query for them */
};

qd_status vulkan_facts_get(const struct vulkan_instance *in, struct pool *pool,
			   VkPhysicalDevice handle, struct vulkan_facts *out, struct qd_error *err);
/* Sets the types and pointers of the chain, with the parts of these extensions, and returns its
 * head. */
VkPhysicalDeviceFeatures2 *vulkan_features_chain(struct vulkan_features *f, uint32_t extensions);

/* -- physical.c: checked properties of physical devices ---------------------------- */

struct vulkan_physical {
	VkPhysicalDevice handle;
	struct qd_device_info info; /* why is empty if it is usable */
	VkPhysicalDeviceType type;
	VkPhysicalDeviceLimits limits;
	VkPhysicalDeviceMemoryProperties memory;
	uint64_t max_alloc, max_buffer;
	uint32_t max_threads;	/* per block of whole subgroups */
	uint32_t max_subgroups; /* per block, if a subgroup size is demanded */
	uint32_t sizes;		/* subgroup sizes: bit log2 of each */
	bool demand_size;	/* pipelines must state their subgroup size */
	uint32_t extensions;	/* extensions to enable: bit per enum vulkan_extension */
	uint32_t family, timestamp_bits;
	uint64_t has; /* feature bits, as in isa_meta.needs */
	uint32_t quirks;
	uint32_t device_id, driver_version;
	uint8_t cache_uuid[VK_UUID_SIZE]; /* of the pipeline caches that it can read */
	struct vulkan_features enable; /* to enable; linked by vulkan_features_chain */
};

enum { VULKAN_MAX_PHYSICAL = 16 };

/* Checks the properties and fills in everything except info.selector. */
void vulkan_check_device(const struct vulkan_facts *f, struct vulkan_physical *out);
/* Lists all devices, best first. *n is above 0 on success. */
qd_status vulkan_physical_list(const struct vulkan_instance *in, struct pool *pool,
			       struct vulkan_physical out[VULKAN_MAX_PHYSICAL], uint32_t *n,
			       struct qd_error *err);
/* Finds the device that a selector names. */
qd_status vulkan_choose(const struct vulkan_physical *all, uint32_t n, const char *which,
			uint32_t *out, struct qd_error *err);
/* Returns the target to compile for, at this subgroup size. */
qd_status vulkan_physical_target(const struct vulkan_physical *p, uint32_t size, struct target *out,
				 struct qd_error *err);
/* Writes the names of feature bits, as in "64-bit integers, f64". */
void vulkan_feature_names(uint64_t bits, char *out, size_t cap);

/* -- memory.c: blocks of device memory, divided by heap.c ------------------------------ */

struct vulkan_block {
	struct heap_block base;
	VkDeviceMemory memory;
	VkBuffer buffer;
};

struct vulkan_heap {
	struct heap base;
	uint32_t type; /* index of the memory type */
	bool mapped;
};

static inline VkBuffer
vulkan_piece_buffer(const struct heap_piece *p)
{
	return ((const struct vulkan_block *)p->block)->buffer;
}

struct vulkan_device;

qd_status vulkan_memory_init(struct vulkan_device *dev, struct qd_error *err);
void vulkan_memory_fini(struct vulkan_device *dev);

/* Hooks memory_alloc and memory_free of the driver; a piece is a struct heap_piece. */
qd_status vulkan_buffer_memory(struct qd_device *dev, enum memory_kind kind, uint64_t size,
			       struct device_memory *out, struct qd_error *err);
void vulkan_buffer_memory_free(struct qd_device *dev, struct device_memory *m);
bool vulkan_trim(struct qd_device *dev);

/* -- queue.c: hooks of struct driver -------------------------------------------------- */

qd_status vulkan_timeline_create(struct qd_device *dev, struct timeline **out,
				 struct qd_error *err);
void vulkan_timeline_free(struct timeline *t);
qd_status vulkan_poll(struct timeline *t, struct qd_error *err);
qd_status vulkan_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);
void vulkan_drain(struct qd_device *dev);
qd_status vulkan_queue_create(struct qd_device *dev, struct timeline *t, struct queue **out,
			      struct qd_error *err);
void vulkan_queue_free(struct queue *q);
qd_status vulkan_begin(struct queue *q, uint32_t at, struct qd_error *err);
void vulkan_copy(struct queue *q, const struct device_memory *dst, uint64_t to,
		 const struct device_memory *src, uint64_t from, uint64_t size);
void vulkan_fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
		 uint32_t word);
/* Writes bytes to the memory of a piece. */
void vulkan_update(struct queue *q, const struct heap_piece *to, const void *bytes, uint32_t size);
qd_status vulkan_dispatch(struct queue *q, const struct dispatch *d, struct qd_error *err);
void vulkan_timestamp(struct queue *q, const struct timestamp *s);
qd_status vulkan_finish(struct queue *q, uint64_t value, struct qd_error *err);
qd_status vulkan_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
			uint64_t value, struct qd_error *err);

/* -- timestamp.c ---------------------------------------------------------------------------- */

struct vulkan_queries {
	struct vulkan_queries *next;
	VkQueryPool pool;
	uint64_t used; /* bit per query */
};

qd_status vulkan_timestamp_take(struct qd_device *dev, struct timestamp *out, struct qd_error *err);
void vulkan_timestamp_give(struct qd_device *dev, const struct timestamp *s);
qd_status vulkan_timestamp_ns(struct qd_device *dev, const struct timestamp *from,
			      const struct timestamp *to, uint64_t *ns, struct qd_error *err);

/* -- function.c ------------------------------------------------------------------------- */

struct vulkan_function {
	struct qd_function base;
	VkPipeline pipeline;
	VkPipelineLayout layout;
	uint32_t push_size; /* bytes of push constants, without the address of the tables */
	struct heap_piece *tables; /* NULL: the kernel reads none */
	uint64_t tables_addr;
	struct timeline *upload_timeline; /* of the batch that writes them, or NULL */
	struct queue *upload;
	bool uploads; /* it was submitted */
};

qd_status vulkan_accepts(const struct qd_device *dev, const struct qd_image *image,
			 struct qd_error *err);
qd_status vulkan_load(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
		      struct qd_error *err);
void vulkan_unload(struct qd_function *fn);

/* -- tables.c --------------------------------------------------------------------------- */

/* Returns whether the constant tables of an image are valid. */
bool vulkan_tables_check(const struct qd_image *img);
/* Creates the memory of the image's tables. After a failure, vulkan_tables_free frees what was created. */
qd_status vulkan_tables_load(struct vulkan_device *dev, struct vulkan_function *fn, const struct qd_image *img,
			     struct qd_error *err);
void vulkan_tables_free(struct vulkan_function *fn);

/* -- pipeline.c ------------------------------------------------------------------------- */

/* Creates a pipeline, with the disk cache if it is enabled. info must have no pNext. */
VkResult vulkan_pipeline_create(struct vulkan_device *dev, const struct qd_image *img,
				const VkComputePipelineCreateInfo *info, VkPipeline *out);

/* -- open.c: the device ------------------------------------------------------------------- */

enum { VULKAN_MAX_PUSH = 256 };

struct vulkan_device {
	struct qd_device base;
	const struct vulkan_instance *instance;
	struct vulkan_device_symbols vk;
	struct vulkan_log_link log;
	VkDevice device;
	VkQueue queue;
	pthread_mutex_t queue_lock;
	struct vulkan_physical physical;
	VkPipelineCache cache;
	pthread_mutex_t layout_lock;
	VkPipelineLayout layouts[VULKAN_MAX_PUSH / 4 + 1]; /* by number of push constant words */
	struct vulkan_heap heaps[2];
	uint32_t n_heaps;
	struct vulkan_heap *main, *staging; /* in heaps; equal if the host can access all memory */
	pthread_mutex_t query_lock;
	struct vulkan_queries *queries;
};

static inline struct vulkan_device *
vulkan_device_of(struct qd_device *dev)
{
	return (struct vulkan_device *)dev;
}

/* Hooks for tests, read when devices are listed and opened. staged: no memory is visible to the
 * host. facts: may change the properties. symbols: may change the symbol table. */
struct vulkan_hooks {
	bool staged;
	void (*facts)(struct vulkan_facts *f);
	void (*symbols)(struct vulkan_device_symbols *vk);
	/* Called when the instance is created: */
	void (*global)(struct vulkan_global_symbols *vk);
	void (*instance)(struct vulkan_instance_symbols *vk);
};
extern struct vulkan_hooks vulkan_hooks;

/* -- result.c --------------------------------------------------------------------------- */

const char *vulkan_result_name(VkResult r);
/* Returns the status for a result, with the text "vkQueueSubmit2 failed: VK_ERROR_DEVICE_LOST
 * (-4)". dev may be NULL. Records a lost device, and keeps the pointer `call` for it. */
QD_COLD qd_status vulkan_fail(struct vulkan_device *dev, struct qd_error *err, VkResult r,
			      const char *call);

#endif
