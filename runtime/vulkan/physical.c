/* Physical devices: what each has and lacks, in the order of choice, and the
 * target to compile for.  A device that lacks something says what. */
#include <stdio.h>
#include <stdlib.h>

#include "vulkan_internal.h"

/* -- Features ----------------------------------------------------------------- */

/* Required ones are enabled always, the others where they are there; then the
 * device has the bits. */
/* clang-format off */
static const struct {
	const char *name;
	size_t offset;
	bool required;
	uint64_t has;
} features[] = {
#define FEATURE(part, name, required, has)                                                         \
	{ #name, offsetof(struct vulkan_features, part.name), required, has }
	FEATURE(v12, bufferDeviceAddress, true, 0),
	FEATURE(v12, vulkanMemoryModel, true, 0),
	FEATURE(v12, vulkanMemoryModelDeviceScope, true, 0),
	FEATURE(v12, timelineSemaphore, true, 0),
	FEATURE(v13, synchronization2, true, 0),
	FEATURE(v13, subgroupSizeControl, true, 0),
	FEATURE(v13, computeFullSubgroups, true, 0),
	FEATURE(core.features, shaderInt64, false, ISA_NEED_I64),
	FEATURE(core.features, shaderFloat64, false, ISA_NEED_F64),
	FEATURE(v12, shaderInt8, false, ISA_NEED_I8),
	FEATURE(v12, storageBuffer8BitAccess, false, ISA_NEED_STORE8),
	FEATURE(core.features, shaderInt16, false, ISA_NEED_I16),
	FEATURE(v11, storageBuffer16BitAccess, false, ISA_NEED_STORE16),
	FEATURE(v12, shaderSubgroupExtendedTypes, false, ISA_NEED_CROSS64),
#undef FEATURE
};
/* clang-format on */

static const struct {
	VkSubgroupFeatureFlags bit;
	const char *name;
} subgroup_features[] = {
	{ VK_SUBGROUP_FEATURE_BASIC_BIT, "basic" },
	{ VK_SUBGROUP_FEATURE_VOTE_BIT, "vote" },
	{ VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic" },
	{ VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot" },
	{ VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle" },
};

static const struct {
	uint64_t bit;
	const char *name;
} needs[] = {
	{ ISA_NEED_I64, "64-bit integers" },
	{ ISA_NEED_F64, "f64" },
	{ ISA_NEED_STORE8, "8-bit storage" },
	{ ISA_NEED_STORE16, "16-bit storage" },
	{ ISA_NEED_SUBGROUP, "subgroup operations" },
	{ ISA_NEED_SHUFFLE, "subgroup shuffles" },
	{ ISA_NEED_BALLOT, "subgroup ballots" },
	{ ISA_NEED_ARITHMETIC, "subgroup arithmetic" },
	{ ISA_NEED_CROSS64, "64-bit subgroup operations" },
	{ ISA_NEED_I8, "8-bit integers" },
	{ ISA_NEED_I16, "16-bit integers" },
	{ ISA_NEED_CLUSTERED, "clustered subgroup operations" },
};

/* Options of the target's text that are on only with all of these. */
static const struct {
	const char *option;
	uint64_t bits;
} options[] = {
	{ "i64", ISA_NEED_I64 | ISA_NEED_CROSS64 },
	{ "f64", ISA_NEED_F64 | ISA_NEED_CROSS64 },
	{ "i8", ISA_NEED_STORE8 | ISA_NEED_I8 },
	{ "i16", ISA_NEED_STORE16 | ISA_NEED_I16 },
};

/* Those that are off unless it has them. */
static const struct {
	const char *option;
	uint64_t bits;
} extras[] = {
	{ "clusters", ISA_NEED_CLUSTERED },
};

void
vulkan_feature_names(uint64_t bits, char *out, size_t cap)
{
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < QD_COUNT(needs) && n < cap; i++) {
		if (bits & needs[i].bit)
			n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? ", " : "",
					      needs[i].name);
		bits &= ~needs[i].bit;
	}
	if (bits && n < cap)
		snprintf(out + n, cap - n, "%sfeature bits 0x%llx", n ? ", " : "",
			 (unsigned long long)bits);
}

/* -- Quirks --------------------------------------------------------------------- */

/* What drivers do wrong and the emitter works around, as options of the
 * target's text.  info: how driverInfo starts where only some versions do. */
static const struct {
	VkDriverId driver;
	const char *info;
	const char *option;
} quirks[] = {
	/* x + 0.0 and x * 0.0 with a literal zero are folded, also for -0, inf and
	 * NaN and also under NoContraction. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "hidezero" },
	/* A memory barrier of workgroup or device scope in a loop whose trip count
	 * differs between subgroups drops the slower subgroups. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 22.", "fence5" },
	/* With 16 lanes trunc and round of f64 leave the fraction of large values and
	 * lose the sign of a zero: conformance family "scalar", lvp16. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "trunc64" },
	/* u32 to f32 of 0xffffff7f is not the nearest float. */
	{ VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "", "u32f32" },
};

static uint32_t
find_quirks(VkDriverId driver, const char *info)
{
	uint32_t found = 0;
	for (size_t i = 0; i < QD_COUNT(quirks); i++) {
		if (quirks[i].driver == driver &&
		    strncmp(info, quirks[i].info, strlen(quirks[i].info)) == 0)
			found |= 1u << i;
	}
	return found;
}

uint32_t
vulkan_physical_threads(const struct vulkan_physical *p, uint32_t size)
{
	uint32_t n = p->info.max_block_dim;
	if (p->demand_size && p->max_subgroups < n / size)
		n = p->max_subgroups * size;
	return n - n % size;
}

qd_status
vulkan_physical_target(const struct vulkan_physical *p, uint32_t size, struct target *out,
		       struct qd_error *err)
{
	char text[96];
	size_t n = (size_t)snprintf(text, sizeof text, "spirv:w%u", size);
	for (size_t i = 0; i < QD_COUNT(options); i++) {
		if (options[i].bits & ~p->has)
			n += (size_t)snprintf(text + n, sizeof text - n, ":-%s", options[i].option);
	}
	for (size_t i = 0; i < QD_COUNT(extras); i++) {
		if (!(extras[i].bits & ~p->has))
			n += (size_t)snprintf(text + n, sizeof text - n, ":+%s", extras[i].option);
	}
	for (size_t i = 0; i < QD_COUNT(quirks); i++) {
		if (p->quirks >> i & 1)
			n += (size_t)snprintf(text + n, sizeof text - n, ":+%s", quirks[i].option);
	}
	QD_TRY(isa_target(text, out, err));
	out->m.max_block_dim = vulkan_physical_threads(p, size);
	out->m.max_shared = p->limits.maxComputeSharedMemorySize;
	uint32_t push = p->limits.maxPushConstantsSize;
	out->m.inline_args = (push < VULKAN_MAX_PUSH ? push : VULKAN_MAX_PUSH) & ~7u;
	return QD_OK;
}

/* -- Queries -------------------------------------------------------------------- */

static void
query_features(const struct vulkan_instance *in, struct vulkan_physical *p)
{
	struct vulkan_features have = {
		.core = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 },
		.v11 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES },
		.v12 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES },
		.v13 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES },
	};
	p->enable = have; /* the pointers of the chain are set where it is used */
	have.core.pNext = &have.v11;
	have.v11.pNext = &have.v12;
	have.v12.pNext = &have.v13;
	in->vk.vkGetPhysicalDeviceFeatures2(p->handle, &have.core);
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		VkBool32 on;
		memcpy(&on, (const char *)&have + features[i].offset, sizeof on);
		if (on) {
			memcpy((char *)&p->enable + features[i].offset, &on, sizeof on);
			p->has |= features[i].has;
		} else if (features[i].required && !p->info.why[0]) {
			snprintf(p->info.why, sizeof p->info.why, "lacks the feature %s",
				 features[i].name);
		}
	}
}

static void
query_memory(const struct vulkan_instance *in, struct vulkan_physical *p)
{
	VkPhysicalDeviceMemoryProperties2 props = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
	};
	in->vk.vkGetPhysicalDeviceMemoryProperties2(p->handle, &props);
	p->memory = props.memoryProperties;
	for (uint32_t i = 0; i < p->memory.memoryHeapCount; i++) {
		const VkMemoryHeap *h = &p->memory.memoryHeaps[i];
		if (h->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && h->size > p->info.memory)
			p->info.memory = h->size;
	}
}

/* A family with graphics as well is the one that drivers care for most. */
static void
query_queues(const struct vulkan_instance *in, struct vulkan_physical *p)
{
	enum { MAX_FAMILIES = 32 };
	VkQueueFamilyProperties2 q[MAX_FAMILIES];
	for (uint32_t i = 0; i < MAX_FAMILIES; i++)
		q[i] = (VkQueueFamilyProperties2){
			.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2,
		};
	uint32_t n = MAX_FAMILIES;
	in->vk.vkGetPhysicalDeviceQueueFamilyProperties2(p->handle, &n, q);
	static const VkQueueFlags wanted[] = {
		VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT,
		VK_QUEUE_COMPUTE_BIT,
	};
	for (size_t w = 0; w < QD_COUNT(wanted); w++) {
		for (uint32_t i = 0; i < n; i++) {
			const VkQueueFamilyProperties *f = &q[i].queueFamilyProperties;
			if ((f->queueFlags & wanted[w]) != wanted[w] || !f->queueCount)
				continue;
			p->family = i;
			p->timestamp_bits = f->timestampValidBits;
			return;
		}
	}
	if (!p->info.why[0])
		snprintf(p->info.why, sizeof p->info.why, "has no compute queue");
}

static void
query_extensions(const struct vulkan_instance *in, struct vulkan_physical *p)
{
	/* All that matters is one extension of layered implementations, which must
	 * be enabled where it is there. */
	enum { MAX_EXTENSIONS = 512 };
	static VkExtensionProperties have[MAX_EXTENSIONS];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint32_t n = MAX_EXTENSIONS;
	pthread_mutex_lock(&lock);
	VkResult r = in->vk.vkEnumerateDeviceExtensionProperties(p->handle, NULL, &n, have);
	for (uint32_t i = 0; i < n && (r == VK_SUCCESS || r == VK_INCOMPLETE); i++) {
		if (strcmp(have[i].extensionName, "VK_KHR_portability_subset") == 0)
			p->portability = true;
	}
	pthread_mutex_unlock(&lock);
}

static void
set_subgroups(struct vulkan_physical *p, const VkPhysicalDeviceVulkan11Properties *v11,
	      const VkPhysicalDeviceVulkan13Properties *v13)
{
	struct qd_device_info *info = &p->info;
	info->subgroup_size = v11->subgroupSize;
	info->min_subgroup_size = v13->minSubgroupSize;
	info->max_subgroup_size = v13->maxSubgroupSize;
	p->max_subgroups = v13->maxComputeWorkgroupSubgroups;
	/* Where there is one size, demanding it changes nothing but the limit of
	 * subgroups per block. */
	p->demand_size = v13->minSubgroupSize != v13->maxSubgroupSize &&
			 v13->requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
	if (!p->demand_size)
		info->min_subgroup_size = info->max_subgroup_size = v11->subgroupSize;
	for (uint32_t i = 2; i <= MAX_LOG2; i++) {
		if (1u << i >= info->min_subgroup_size && 1u << i <= info->max_subgroup_size)
			p->sizes |= 1u << i;
	}
	if (info->why[0])
		return;
	if (!(v11->subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
		snprintf(info->why, sizeof info->why,
			 "has no subgroup operations in compute shaders");
	for (size_t i = 0; i < QD_COUNT(subgroup_features) && !info->why[0]; i++) {
		if (!(v11->subgroupSupportedOperations & subgroup_features[i].bit))
			snprintf(info->why, sizeof info->why, "lacks the subgroup %s operations",
				 subgroup_features[i].name);
	}
	p->has |= ISA_NEED_SUBGROUP | ISA_NEED_SHUFFLE | ISA_NEED_BALLOT | ISA_NEED_ARITHMETIC;
	if (v11->subgroupSupportedOperations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT)
		p->has |= ISA_NEED_CLUSTERED;
	if (!info->why[0] && !p->sizes)
		snprintf(info->why, sizeof info->why, "has subgroups of %u lanes; want 4 to 128",
			 info->subgroup_size);
}

/* "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", "SwiftShader driver 5.0.0" */
static void
set_driver(struct vulkan_physical *p, const VkPhysicalDeviceVulkan12Properties *v12,
	   uint32_t version)
{
	char number[32];
	snprintf(number, sizeof number, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
		 VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
	snprintf(p->info.driver, sizeof p->info.driver, "%.*s %.*s", VK_MAX_DRIVER_NAME_SIZE - 132,
		 v12->driverName, VK_MAX_DRIVER_INFO_SIZE - 132,
		 v12->driverInfo[0] ? v12->driverInfo : number);
	p->driver = v12->driverID;
	p->quirks = find_quirks(v12->driverID, v12->driverInfo);
}

static void
query(const struct vulkan_instance *in, VkPhysicalDevice handle, struct vulkan_physical *p)
{
	memset(p, 0, sizeof *p);
	p->handle = handle;
	VkPhysicalDeviceProperties2 props = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};
	in->vk.vkGetPhysicalDeviceProperties2(handle, &props);
	p->type = props.properties.deviceType;
	p->limits = props.properties.limits;
	struct qd_device_info *info = &p->info;
	snprintf(info->name, sizeof info->name, "%s", props.properties.deviceName);
	query_memory(in, p);
	uint32_t version = props.properties.apiVersion;
	if (version < VK_API_VERSION_1_3) {
		snprintf(info->why, sizeof info->why, "has Vulkan %u.%u; want 1.3",
			 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
		return;
	}

	VkPhysicalDeviceVulkan13Properties v13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
	};
	VkPhysicalDeviceVulkan12Properties v12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
		.pNext = &v13,
	};
	VkPhysicalDeviceVulkan11Properties v11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
		.pNext = &v12,
	};
	props.pNext = &v11;
	in->vk.vkGetPhysicalDeviceProperties2(handle, &props);
	p->max_alloc = v11.maxMemoryAllocationSize;
	p->max_buffer = v13.maxBufferSize;
	uint32_t invocations = p->limits.maxComputeWorkGroupInvocations;
	uint32_t x = p->limits.maxComputeWorkGroupSize[0];
	info->max_block_dim = invocations < x ? invocations : x;
	set_driver(p, &v12, props.properties.driverVersion);
	query_features(in, p);
	set_subgroups(p, &v11, &v13);
	query_queues(in, p);
	query_extensions(in, p);
	if (info->why[0])
		return;
	struct target t;
	struct qd_error e;
	if (vulkan_physical_target(p, info->subgroup_size, &t, &e) != QD_OK) {
		snprintf(info->why, sizeof info->why, "%.255s", e.text);
		return;
	}
	snprintf(info->target, sizeof info->target, "%s", t.m.name);
	info->usable = true;
}

/* -- The list -------------------------------------------------------------------- */

static int
rank(VkPhysicalDeviceType type)
{
	switch (type) {
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
	case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
	case VK_PHYSICAL_DEVICE_TYPE_CPU: return 3;
	default: return 4;
	}
}

static bool
better(const struct vulkan_physical *a, const struct vulkan_physical *b)
{
	if (rank(a->type) != rank(b->type))
		return rank(a->type) < rank(b->type);
	return a->info.memory > b->info.memory;
}

qd_status
vulkan_physical_list(const struct vulkan_instance *in,
		     struct vulkan_physical out[VULKAN_MAX_PHYSICAL], uint32_t *n,
		     struct qd_error *err)
{
	VkPhysicalDevice handles[VULKAN_MAX_PHYSICAL];
	uint32_t count = VULKAN_MAX_PHYSICAL;
	VkResult r = in->vk.vkEnumeratePhysicalDevices(in->handle, &count, handles);
	if (r != VK_SUCCESS && r != VK_INCOMPLETE)
		return vulkan_fail(NULL, err, r, "vkEnumeratePhysicalDevices");
	if (count == 0)
		return qd_fail(err, QD_E_UNAVAILABLE, "Vulkan is installed but has no device");
	/* Insertion, so that equal ones stay in the driver's order. */
	for (uint32_t i = 0; i < count; i++) {
		struct vulkan_physical p;
		query(in, handles[i], &p);
		uint32_t at = i;
		for (; at > 0 && better(&p, &out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = p;
	}
	for (uint32_t i = 0; i < count; i++)
		snprintf(out[i].info.selector, sizeof out[i].info.selector, "vulkan:%u", i);
	*n = count;
	return QD_OK;
}
