/* Physical devices: properties, order of preference, and the target to compile for. An unusable
 * device has a message with the reason. */
#include <stdio.h>
#include <stdlib.h>

#include "device_select.h"
#include "vulkan_internal.h"

/* -- Features ----------------------------------------------------------------- */

/* Required features are always enabled, others if they are available. Enabled features give the
 * device the bits of `has`. */
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
	FEATURE(v13, shaderIntegerDotProduct, true, 0),
	FEATURE(core.features, shaderInt64, false, SPV_NEED_I64),
	FEATURE(core.features, shaderFloat64, false, SPV_NEED_F64),
	FEATURE(v12, shaderInt8, false, SPV_NEED_I8),
	FEATURE(v12, storageBuffer8BitAccess, false, SPV_NEED_STORE8),
	FEATURE(core.features, shaderInt16, false, SPV_NEED_I16),
	FEATURE(v11, storageBuffer16BitAccess, false, SPV_NEED_STORE16),
	FEATURE(v12, shaderBufferInt64Atomics, false, SPV_NEED_ATOMIC64),
	FEATURE(v12, shaderSharedInt64Atomics, false, SPV_NEED_SHARED64),
	FEATURE(v12, shaderSubgroupExtendedTypes, false, SPV_NEED_CROSS64),
	FEATURE(flow, shaderSubgroupUniformControlFlow, false, SPV_NEED_UNIFORM_FLOW),
#undef FEATURE
};
/* clang-format on */

/* Classes of subgroup operations that code may require. */
static const struct {
	VkSubgroupFeatureFlags bit;
	uint64_t has;
} classes[] = {
	{ VK_SUBGROUP_FEATURE_BASIC_BIT, SPV_NEED_SUBGROUP },
	{ VK_SUBGROUP_FEATURE_SHUFFLE_BIT, SPV_NEED_SHUFFLE },
	{ VK_SUBGROUP_FEATURE_BALLOT_BIT, SPV_NEED_BALLOT },
	{ VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, SPV_NEED_ARITHMETIC },
	{ VK_SUBGROUP_FEATURE_CLUSTERED_BIT, SPV_NEED_CLUSTERED },
};

/* Float controls: properties of Vulkan 1.2. apart: the property that shows whether widths may
 * differ; 0: they may. */
#define V12(name) offsetof(VkPhysicalDeviceVulkan12Properties, name)
static const struct {
	size_t in_16, in_32, in_64, apart;
	uint64_t has_32, has_64;
} float_controls[] = {
	{ V12(shaderSignedZeroInfNanPreserveFloat16), V12(shaderSignedZeroInfNanPreserveFloat32),
	  V12(shaderSignedZeroInfNanPreserveFloat64), 0, SPV_NEED_ZEROS32, SPV_NEED_ZEROS64 },
	{ V12(shaderDenormPreserveFloat16), V12(shaderDenormPreserveFloat32), V12(shaderDenormPreserveFloat64),
	  V12(denormBehaviorIndependence), SPV_NEED_DENORM32, SPV_NEED_DENORM64 },
	{ V12(shaderRoundingModeRTEFloat16), V12(shaderRoundingModeRTEFloat32), V12(shaderRoundingModeRTEFloat64),
	  V12(roundingModeIndependence), SPV_NEED_RTE32, SPV_NEED_RTE64 },
};

static const struct {
	uint64_t bit;
	const char *name;
} needs[] = {
	{ SPV_NEED_I64, "64-bit integers" },
	{ SPV_NEED_F64, "f64" },
	{ SPV_NEED_STORE8, "8-bit storage" },
	{ SPV_NEED_STORE16, "16-bit storage" },
	{ SPV_NEED_SUBGROUP, "subgroup operations" },
	{ SPV_NEED_SHUFFLE, "subgroup shuffles" },
	{ SPV_NEED_BALLOT, "subgroup ballots" },
	{ SPV_NEED_ARITHMETIC, "subgroup arithmetic" },
	{ SPV_NEED_CROSS64, "64-bit subgroup operations" },
	{ SPV_NEED_I8, "8-bit integers" },
	{ SPV_NEED_I16, "16-bit integers" },
	{ SPV_NEED_CLUSTERED, "clustered subgroup operations" },
	{ SPV_NEED_ZEROS32, "signed zeros of f32" },
	{ SPV_NEED_ZEROS64, "signed zeros of f64" },
	{ SPV_NEED_DENORM32, "subnormals of f32" },
	{ SPV_NEED_DENORM64, "subnormals of f64" },
	{ SPV_NEED_RTE32, "rounding of f32 to nearest" },
	{ SPV_NEED_RTE64, "rounding of f64 to nearest" },
	{ SPV_NEED_UNIFORM_FLOW, "uniform control flow of subgroups" },
	{ SPV_NEED_ATOMIC64, "64-bit atomics" },
	{ SPV_NEED_SHARED64, "64-bit atomics on shared arrays" },
	{ SPV_NEED_HALF, "float controls of f16" },
};

/* Options of the target's text for these bits. on: the option is the default. */
static const struct {
	const char *option;
	bool on;
	uint64_t bits;
} options[] = {
	{ "i64", true, SPV_NEED_I64 | SPV_NEED_CROSS64 },
	{ "f64", true, SPV_NEED_F64 | SPV_NEED_CROSS64 },
	{ "i8", true, SPV_NEED_STORE8 | SPV_NEED_I8 },
	{ "i16", true, SPV_NEED_STORE16 | SPV_NEED_I16 },
	{ "atomic64", true, SPV_NEED_ATOMIC64 | SPV_NEED_SHARED64 },
	{ "shuffle", true, SPV_NEED_SHUFFLE },
	{ "ballot", true, SPV_NEED_BALLOT },
	{ "arith", true, SPV_NEED_ARITHMETIC },
	{ "clusters", false, SPV_NEED_CLUSTERED },
	{ "zeros32", false, SPV_NEED_ZEROS32 },
	{ "zeros64", false, SPV_NEED_ZEROS64 },
	{ "denorm32", false, SPV_NEED_DENORM32 },
	{ "denorm64", false, SPV_NEED_DENORM64 },
	{ "rte32", false, SPV_NEED_RTE32 },
	{ "rte64", false, SPV_NEED_RTE64 },
	{ "flow", false, SPV_NEED_UNIFORM_FLOW },
	{ "half", false, SPV_NEED_HALF },
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

/* Driver bugs that the emitter works around, as options of the target's text. info: prefix of
 * driverInfo, if only some versions have the bug. */
static const struct {
	VkDriverId driver;
	const char *info;
	const char *option;
} quirks[] = {
	/* x + 0.0 and x * 0.0 with a literal zero are folded, also for -0, inf and NaN, and also
	 * with NoContraction. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "hidezero" },
	/* A memory barrier of workgroup or device scope in a loop whose trip count
	 * differs between subgroups drops the slower subgroups. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 22.", "fence5" },
	/* A control barrier of any scope suspends its subgroup, a coroutine, until the others of
	 * the block have suspended or ended (visit_barrier in gallivm/lp_bld_nir.c). Once a
	 * subgroup has ended the others are resumed one last time (generate_compute in
	 * llvmpipe/lp_state_cs.c): those with more barriers before them lose their stores. A
	 * loop that waits for a suspended subgroup never ends. Seen on Mesa 25.0.7; 22.3.6
	 * suspends only at barriers of the block. In all versions a subgroup is one vector of
	 * one CPU thread, so it is enough to order its memory accesses. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "syncfence" },
	/* With 16 lanes, trunc and round of f64 keep the fraction of large values and lose the sign
	 * of a zero (conformance family "scalar", lvp16). */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "trunc64" },
	/* With 16 lanes on a processor without AVX-512, floor, ceil, trunc and round of f32 lose
	 * the sign of a zero; round takes halves away from 0 (same family). */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "sign32" },
	/* The xor of a float's sign bit has the result of an addition: 7fffffff for a NaN and 0 for
	 * a subnormal of f32, and a NaN of f64 with its old sign (580.159.04, sm_90: conformance
	 * family "corner"). */
	{ VK_DRIVER_ID_NVIDIA_PROPRIETARY, "", "hidesign" },
	/* A loop that waits for a shared word, read by relaxed atomic loads, is removed or never
	 * ends; Volatile does not help (580.159.04, sm_90: the machine code has no load in the
	 * loop). Loads of buffers are kept. */
	{ VK_DRIVER_ID_NVIDIA_PROPRIETARY, "", "rmwload" },
	/* All loops of a subgroup end after 65,535 rounds together, as if their lanes had left them
	 * (LP_MAX_TGSI_LOOP_ITERATIONS in gallivm/lp_bld_limits.h, counted down by lp_exec_endloop;
	 * in the sources of 22.3 and of 2025). If the compiler unrolls a loop, several iterations
	 * count as one. */
	{ VK_DRIVER_ID_MESA_LLVMPIPE, "", "looplimit" },
	/* The conversion of 0xffffff7f from u32 to f32 is not the nearest float. */
	{ VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "", "u32f32" },
};

/* Best subgroup sizes, for drivers that report another size or none. RDNA runs 32 lanes faster,
 * but RADV reports 64; GCN and CDNA have only 64. Intel's driver reports 32 whatever it runs, so
 * the size is demanded. */
static const struct {
	VkDriverId driver;
	uint32_t size;
} sizes[] = {
	{ VK_DRIVER_ID_MESA_RADV, 32 },
	{ VK_DRIVER_ID_AMD_OPEN_SOURCE, 32 },
	{ VK_DRIVER_ID_AMD_PROPRIETARY, 32 },
	{ VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 32 },
	{ VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS, 32 },
};

static uint32_t
find_workarounds(VkDriverId driver, const char *info)
{
	uint32_t found = 0;
	for (size_t i = 0; i < QD_COUNT(quirks); i++) {
		if (quirks[i].driver == driver &&
		    strncmp(info, quirks[i].info, strlen(quirks[i].info)) == 0)
			found |= 1u << i;
	}
	return found;
}

qd_status
vulkan_choose(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
	      struct qd_error *err)
{
	const struct qd_device_info *infos[VULKAN_MAX_PHYSICAL];
	for (uint32_t i = 0; i < n; i++)
		infos[i] = &all[i].info;
	return choose_device("vulkan", "Vulkan", infos, n, which, out, err);
}

qd_status
vulkan_physical_target(const struct vulkan_physical *p, uint32_t size, struct target *out,
		       struct qd_error *err)
{
	char text[2 * MACHINE_NAME];
	uint32_t push = p->limits.maxPushConstantsSize;
	push = (push < VULKAN_MAX_PUSH ? push : VULKAN_MAX_PUSH) & ~7u;
	size_t n = (size_t)snprintf(text, sizeof text, "spirv:w%u:b%u:s%u:a%u", size,
				    p->max_threads, p->limits.maxComputeSharedMemorySize,
				    push);
	if (p->demand_size && p->max_subgroups < p->max_threads / p->info.min_subgroup_size)
		n += (size_t)snprintf(text + n, sizeof text - n, ":g%u", p->max_subgroups);
	for (size_t i = 0; i < QD_COUNT(options) && n < sizeof text; i++) {
		bool on = !(options[i].bits & ~p->has);
		if (on != options[i].on)
			n += (size_t)snprintf(text + n, sizeof text - n, ":%c%s", on ? '+' : '-',
					      options[i].option);
	}
	for (size_t i = 0; i < QD_COUNT(quirks) && n < sizeof text; i++) {
		if (p->quirks >> i & 1)
			n += (size_t)snprintf(text + n, sizeof text - n, ":+%s", quirks[i].option);
	}
	if (n >= sizeof text)
		return qd_fail(err, QD_E_LIMIT, "target '%.40s...' has too many options", text);
	return isa_target(text, out, err);
}

/* -- Checks --------------------------------------------------------------------- */

/* Returns whether modules may use the control for 16 bits beside those for the other widths. in_64: the
 * control of f64, or true if modules do not use f64. */
static bool
has_half(bool in_16, bool in_32, bool in_64, VkShaderFloatControlsIndependence apart)
{
	return in_16 && (in_32 || apart != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE) &&
	       (in_64 || apart == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL);
}

/* Marks the device unusable. Only the first reason is kept. */
static void
lacks(struct vulkan_physical *p, const char *text, const char *name)
{
	if (!p->info.why[0])
		snprintf(p->info.why, sizeof p->info.why, text, name);
}

static void
check_features(struct vulkan_physical *p, const struct vulkan_facts *f)
{
	p->extensions = f->extensions & ~(1u << VULKAN_PCI);
	if (f->extensions_result != VK_SUCCESS)
		snprintf(p->info.why, sizeof p->info.why,
			 "does not list its extensions: vkEnumerateDeviceExtensionProperties "
			 "failed: %s (%d)",
			 vulkan_result_name(f->extensions_result), (int)f->extensions_result);
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		VkBool32 on;
		memcpy(&on, (const char *)&f->features + features[i].offset, sizeof on);
		if (on) {
			memcpy((char *)&p->enable + features[i].offset, &on, sizeof on);
			p->has |= features[i].has;
		} else if (features[i].required) {
			lacks(p, "lacks the feature %s", features[i].name);
		}
	}
}

static void
check_floats(struct vulkan_physical *p, const struct vulkan_facts *f)
{
	bool f64 = p->has & SPV_NEED_F64, half = true;
	for (size_t i = 0; i < QD_COUNT(float_controls); i++) {
		VkBool32 in_16, in_32, in_64;
		VkShaderFloatControlsIndependence apart = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
		const char *v12 = (const char *)&f->v12;
		memcpy(&in_16, v12 + float_controls[i].in_16, sizeof in_16);
		memcpy(&in_32, v12 + float_controls[i].in_32, sizeof in_32);
		memcpy(&in_64, v12 + float_controls[i].in_64, sizeof in_64);
		if (float_controls[i].apart)
			memcpy(&apart, v12 + float_controls[i].apart, sizeof apart);
		half &= has_half(in_16, in_32, in_64 || !f64, apart);
		/* If the widths must agree, all widths that modules use must have the control. */
		if (apart == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE && f64 && in_32 != in_64)
			continue;
		p->has |= in_32 ? float_controls[i].has_32 : 0;
		p->has |= in_64 && f64 ? float_controls[i].has_64 : 0;
	}
	p->has |= half ? SPV_NEED_HALF : 0;
}

/* Prefers a family that also has graphics, because drivers support it best. */
static void
check_queues(struct vulkan_physical *p, const struct vulkan_facts *f)
{
	static const VkQueueFlags wanted[] = {
		VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT,
		VK_QUEUE_COMPUTE_BIT,
	};
	for (size_t w = 0; w < QD_COUNT(wanted); w++) {
		for (uint32_t i = 0; i < f->n_families; i++) {
			const VkQueueFamilyProperties *q = &f->families[i];
			if ((q->queueFlags & wanted[w]) != wanted[w] || !q->queueCount)
				continue;
			p->family = i;
			p->timestamp_bits = q->timestampValidBits;
			return;
		}
	}
	lacks(p, "has no %s", "compute queue");
}

static void
check_subgroups(struct vulkan_physical *p, const struct vulkan_facts *f)
{
	struct qd_device_info *info = &p->info;
	info->min_subgroup_size = f->v13.minSubgroupSize;
	info->max_subgroup_size = f->v13.maxSubgroupSize;
	p->max_subgroups = f->v13.maxComputeWorkgroupSubgroups;
	/* If there is one size, demanding it only changes the limit of subgroups per block. */
	p->demand_size = f->v13.minSubgroupSize != f->v13.maxSubgroupSize &&
			 f->v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
	if (!p->demand_size)
		info->min_subgroup_size = info->max_subgroup_size = f->v11.subgroupSize;
	for (uint32_t i = 2; i <= MAX_LOG2; i++) {
		if (1u << i >= info->min_subgroup_size && 1u << i <= info->max_subgroup_size)
			p->sizes |= 1u << i;
	}
	/* A size is its own bit in sizes, because sizes are powers of two. */
	info->subgroup_size = f->v11.subgroupSize;
	for (size_t i = 0; i < QD_COUNT(sizes); i++) {
		if (sizes[i].driver == f->v12.driverID && p->sizes & sizes[i].size)
			info->subgroup_size = sizes[i].size;
	}
	if (!p->sizes)
		lacks(p, "has no subgroups of 4 to 128 %s", "lanes");
	if (!(f->v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
		return;
	for (size_t i = 0; i < QD_COUNT(classes); i++) {
		if (f->v11.subgroupSupportedOperations & classes[i].bit)
			p->has |= classes[i].has;
	}
}

static void
format_uuid(const uint8_t bytes[VK_UUID_SIZE], char *out)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < VK_UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

/* Formats the driver's name, as in "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)" or "SwiftShader driver
 * 5.0.0". */
static void
name_driver(struct vulkan_physical *p, const struct vulkan_facts *f)
{
	uint32_t version = f->core.driverVersion;
	char number[32];
	snprintf(number, sizeof number, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
		 VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
	snprintf(p->info.driver, sizeof p->info.driver, "%.*s %.*s", VK_MAX_DRIVER_NAME_SIZE - 132,
		 f->v12.driverName, VK_MAX_DRIVER_INFO_SIZE - 132,
		 f->v12.driverInfo[0] ? f->v12.driverInfo : number);
	p->quirks = find_workarounds(f->v12.driverID, f->v12.driverInfo);
}

void
vulkan_check_device(const struct vulkan_facts *f, struct vulkan_physical *p)
{
	struct qd_device_info *info = &p->info;

	memset(p, 0, sizeof *p);
	p->handle = f->handle;
	p->type = f->core.deviceType;
	p->limits = f->core.limits;
	p->memory = f->memory;
	snprintf(info->name, sizeof info->name, "%s", f->core.deviceName);
	info->vendor = f->core.vendorID;
	p->device_id = f->core.deviceID;
	p->driver_version = f->core.driverVersion;
	memcpy(p->cache_uuid, f->core.pipelineCacheUUID, sizeof p->cache_uuid);
	for (uint32_t i = 0; i < p->memory.memoryHeapCount; i++) {
		const VkMemoryHeap *h = &p->memory.memoryHeaps[i];
		if (h->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && h->size > info->memory)
			info->memory = h->size;
	}
	uint32_t version = f->core.apiVersion;
	if (version < VK_API_VERSION_1_3) {
		snprintf(info->why, sizeof info->why, "supports Vulkan %u.%u; 1.3 is required",
			 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
		return;
	}
	format_uuid(f->v11.deviceUUID, info->uuid);
	if (f->extensions >> VULKAN_PCI & 1)
		snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", f->pci.pciDomain & 0xffff,
			 f->pci.pciBus & 0xff, f->pci.pciDevice & 0xff, f->pci.pciFunction & 0xf);
	p->max_alloc = f->v11.maxMemoryAllocationSize;
	p->max_buffer = f->v13.maxBufferSize;
	uint32_t invocations = p->limits.maxComputeWorkGroupInvocations;
	uint32_t x = p->limits.maxComputeWorkGroupSize[0];
	p->max_threads = invocations < x ? invocations : x;
	if (p->max_threads > MAX_BLOCK) /* limit of kernels */
		p->max_threads = MAX_BLOCK;
	name_driver(p, f);
	check_features(p, f);
	check_floats(p, f);
	check_subgroups(p, f);
	check_queues(p, f);
	if (info->why[0])
		return;
	struct target t;
	struct qd_error e;
	if (vulkan_physical_target(p, info->subgroup_size, &t, &e) != QD_OK) {
		snprintf(info->why, sizeof info->why, "%.255s", e.text);
		return;
	}
	info->max_block_dim = machine_max_block(&t.m, t.m.lanes, t.m.subgroup_size);
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
vulkan_physical_list(const struct vulkan_instance *in, struct pool *pool,
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
	/* Insertion sort: equal devices stay in the driver's order. */
	for (uint32_t i = 0; i < count; i++) {
		struct vulkan_facts f;
		struct vulkan_physical p;
		QD_TRY(vulkan_facts_get(in, pool, handles[i], &f, err));
		if (vulkan_hooks.facts)
			vulkan_hooks.facts(&f);
		vulkan_check_device(&f, &p);
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
