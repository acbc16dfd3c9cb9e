/* Interpretation of a driver's properties: artificial devices of every kind in the drivers' own
 * lists, choice among them, and the present device with fewer features. */
#include <stdio.h>

#include "t_vulkan.h"

extern const struct unit units_vulkan_device[];
extern const unsigned n_units_vulkan_device;

/* -- Artificial devices --------------------------------------------------------------- */

/* Returns a device of this driver with all features and these subgroup sizes. */
static struct vulkan_facts
make(VkDriverId driver, uint32_t reported, uint32_t least, uint32_t most)
{
	struct vulkan_facts f = {
		.core = { .apiVersion = VK_API_VERSION_1_3,
			  .deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
			  .deviceName = "made up",
			  .limits = { .maxComputeWorkGroupInvocations = 1024,
				      .maxComputeWorkGroupSize = { 1024, 1024, 64 },
				      .maxComputeWorkGroupCount = { 65535, 65535, 65535 },
				      .maxComputeSharedMemorySize = 32768,
				      .maxPushConstantsSize = 128 } },
		.v11 = { .subgroupSize = reported,
			 .subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT,
			 .subgroupSupportedOperations = 0xff,
			 .maxMemoryAllocationSize = 1u << 30 },
		.v12 = { .driverID = driver, .driverName = "driver", .driverInfo = "1.0" },
		.v13 = { .minSubgroupSize = least, .maxSubgroupSize = most,
			 .maxComputeWorkgroupSubgroups = 128, .maxBufferSize = 1u << 30,
			 .requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT },
		.families = { { .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1 } },
		.n_families = 1,
		.extensions = 1u << VULKAN_UNIFORM_FLOW,
	};
	for (size_t i = 0; i < VK_UUID_SIZE; i++)
		f.v11.deviceUUID[i] = (uint8_t)(0xa0 + i);
	/* enable every feature: the VkBool32 members after each structure's header */
	struct { VkBool32 *from, *to; } parts[] = {
		{ &f.features.core.features.robustBufferAccess,
		  (VkBool32 *)(&f.features.core.features + 1) },
		{ &f.features.v11.storageBuffer16BitAccess,
		  &f.features.v11.shaderDrawParameters + 1 },
		{ &f.features.v12.samplerMirrorClampToEdge,
		  &f.features.v12.subgroupBroadcastDynamicId + 1 },
		{ &f.features.v13.robustImageAccess, &f.features.v13.maintenance4 + 1 },
		{ &f.features.flow.shaderSubgroupUniformControlFlow,
		  &f.features.flow.shaderSubgroupUniformControlFlow + 1 },
		{ &f.v12.shaderSignedZeroInfNanPreserveFloat16,
		  &f.v12.shaderRoundingModeRTZFloat64 + 1 },
	};
	for (size_t i = 0; i < QD_COUNT(parts); i++) {
		for (VkBool32 *p = parts[i].from; p < parts[i].to; p++)
			*p = VK_TRUE;
	}
	f.v12.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
	f.v12.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
	return f;
}

/* Checks the subgroup sizes. RDNA runs 32 lanes although its driver reports 64; other devices run
 * the reported size. */
static void
sizes(struct unit_ctx *t)
{
	static const struct {
		VkDriverId driver;
		uint32_t reported, least, most, want;
		bool demand;
	} rows[] = {
		{ VK_DRIVER_ID_MESA_RADV, 64, 32, 64, 32, true },	       /* RDNA */
		{ VK_DRIVER_ID_MESA_RADV, 64, 64, 64, 64, false },	       /* GCN, CDNA */
		{ VK_DRIVER_ID_AMD_PROPRIETARY, 64, 32, 64, 32, true },
		{ VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 32, 8, 32, 32, true },
		{ VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 32, 16, 32, 32, true }, /* Xe2 */
		{ VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 32, 32, 32, false },
		{ VK_DRIVER_ID_QUALCOMM_PROPRIETARY, 64, 64, 128, 64, true },
		{ VK_DRIVER_ID_MOLTENVK, 32, 4, 32, 32, true },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct vulkan_facts f =
			make(rows[i].driver, rows[i].reported, rows[i].least, rows[i].most);
		struct vulkan_physical p;
		char want[16];
		vulkan_check_device(&f, &p);
		snprintf(want, sizeof want, "spirv:w%u:", rows[i].want);
		UNIT_CHECK(t, p.info.usable && p.info.subgroup_size == rows[i].want &&
				   strncmp(p.info.target, want, strlen(want)) == 0,
			   "row %zu: %u lanes, %s %s", i, p.info.subgroup_size, p.info.target,
			   p.info.why);
		UNIT_CHECK(t, p.demand_size == rows[i].demand, "row %zu: demand", i);
		UNIT_CHECK(t, p.info.min_subgroup_size == rows[i].least &&
				   p.info.max_subgroup_size == rows[i].most, "row %zu: range", i);
	}
	/* if no size can be requested, only the reported one is available */
	struct vulkan_facts f = make(VK_DRIVER_ID_MOLTENVK, 32, 4, 64);
	struct vulkan_physical p;
	f.v13.requiredSubgroupSizeStages = 0;
	vulkan_check_device(&f, &p);
	UNIT_CHECK(t, p.info.min_subgroup_size == 32 && p.info.max_subgroup_size == 32 &&
			   !p.demand_size, "a size that cannot be demanded");
	/* 16 subgroups per block: the list has the limit for its size, other sizes allow more */
	struct target wide;
	struct qd_error e;
	f = make(VK_DRIVER_ID_MESA_RADV, 64, 32, 64);
	f.v13.maxComputeWorkgroupSubgroups = 16;
	vulkan_check_device(&f, &p);
	UNIT_CHECK(t, p.info.max_block_dim == 512, "%u threads", p.info.max_block_dim);
	UNIT_CHECK(t, vulkan_physical_target(&p, 64, &wide, &e) == QD_OK &&
			   machine_max_block(&wide.m, 64, 64) == 1024, "64 lanes: %s", wide.m.name);
}

/* Checks that faults of driver versions are in the target's text. */
static void
faults(struct unit_ctx *t)
{
	static const struct {
		VkDriverId driver;
		const char *info; /* driverInfo */
		const char *has, *lacks;
	} rows[] = {
		{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 22.3.6 (LLVM 15.0.6)", ":+fence5:", NULL },
		{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 22.3.6 (LLVM 15.0.6)", ":+syncfence:", ":+rmwload" },
		{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7-2+deb13u1 (LLVM 19.1.7)", ":+syncfence:", ":+fence5" },
		{ VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 26.1.0 (LLVM 22.1.0)", ":+syncfence:", ":+fence5" },
		{ VK_DRIVER_ID_MESA_RADV, "Mesa 22.3.6", "spirv:", ":+fence5" },
		{ VK_DRIVER_ID_MESA_RADV, "Mesa 25.0.7", "spirv:", ":+syncfence" },
		{ VK_DRIVER_ID_NVIDIA_PROPRIETARY, "580.159.04", ":+rmwload:", ":+syncfence" },
		{ VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "", ":+u32f32:", ":+syncfence" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct vulkan_facts f = make(rows[i].driver, 32, 32, 32);
		struct vulkan_physical p;

		snprintf(f.v12.driverInfo, sizeof f.v12.driverInfo, "%s", rows[i].info);
		vulkan_check_device(&f, &p);
		UNIT_CHECK(t, strstr(p.info.target, rows[i].has), "row %zu: %s lacks %s", i, p.info.target, rows[i].has);
		UNIT_CHECK(t, !rows[i].lacks || !strstr(p.info.target, rows[i].lacks), "row %zu: %s has %s", i,
			   p.info.target, rows[i].lacks);
	}
}

static void
no_shuffle(struct vulkan_facts *f)
{
	f->v11.subgroupSupportedOperations &= ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
}

static void
no_ballot(struct vulkan_facts *f)
{
	f->v11.subgroupSupportedOperations &= ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_BALLOT_BIT;
}

static void
no_arithmetic(struct vulkan_facts *f)
{
	f->v11.subgroupSupportedOperations &=
		~(VkSubgroupFeatureFlags)(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
					  VK_SUBGROUP_FEATURE_CLUSTERED_BIT);
}

static void
no_vote(struct vulkan_facts *f)
{
	f->v11.subgroupSupportedOperations &= ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_VOTE_BIT;
}

static void
no_f64(struct vulkan_facts *f)
{
	f->features.core.features.shaderFloat64 = VK_FALSE;
}

static void
no_flow(struct vulkan_facts *f)
{
	f->features.flow.shaderSubgroupUniformControlFlow = VK_FALSE;
}

static void
no_denorm64(struct vulkan_facts *f)
{
	f->v12.shaderDenormPreserveFloat64 = VK_FALSE;
}

static void
no_denorm16(struct vulkan_facts *f)
{
	f->v12.shaderDenormPreserveFloat16 = VK_FALSE;
}

/* Only f32 may behave differently. */
static void
widths_together(struct vulkan_facts *f)
{
	no_denorm64(f);
	f->v12.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
}

/* All widths must behave alike, so a width without the mode disables it for the others. */
static void
denorm_together(struct vulkan_facts *f)
{
	no_denorm64(f);
	f->v12.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
}

static void
denorm_together_f32(struct vulkan_facts *f)
{
	denorm_together(f);
	no_f64(f);
}

static void
rte_together(struct vulkan_facts *f)
{
	f->v12.shaderRoundingModeRTEFloat32 = VK_FALSE;
	f->v12.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
}

static void
no_timelines(struct vulkan_facts *f)
{
	f->features.v12.timelineSemaphore = VK_FALSE;
	f->features.v13.synchronization2 = VK_FALSE;
}

static void
old(struct vulkan_facts *f)
{
	f->core.apiVersion = VK_MAKE_API_VERSION(0, 1, 2, 0);
}

static void
no_queue(struct vulkan_facts *f)
{
	f->families[0].queueFlags = VK_QUEUE_TRANSFER_BIT;
}

static void
two_lanes(struct vulkan_facts *f)
{
	f->v11.subgroupSize = f->v13.minSubgroupSize = f->v13.maxSubgroupSize = 2;
}

/* Checks that a device is rejected only if it lacks what every kernel needs. */
static void
examined(struct unit_ctx *t)
{
#define FLOATS32 ":+zeros32:+denorm32:+rte32"
#define FLOATS ":+zeros32:+zeros64:+denorm32:+denorm64:+rte32:+rte64"
	static const struct {
		void (*change)(struct vulkan_facts *f);
		const char *target, *why;
	} rows[] = {
		{ NULL, "spirv:w32:+hidesign:+rmwload:+clusters" FLOATS ":+half:+flow", "" },
		{ no_vote, "spirv:w32:+hidesign:+rmwload:+clusters" FLOATS ":+half:+flow", "" },
		{ no_shuffle, "spirv:w32:+hidesign:+rmwload:-shuffle:+clusters" FLOATS ":+half:+flow", "" },
		{ no_ballot, "spirv:w32:+hidesign:+rmwload:-ballot:+clusters" FLOATS ":+half:+flow", "" },
		{ no_arithmetic, "spirv:w32:+hidesign:+rmwload:-arith" FLOATS ":+half:+flow", "" },
		{ no_f64, "spirv:w32:-f64:+hidesign:+rmwload:+clusters" FLOATS32 ":+half:+flow", "" },
		{ no_flow, "spirv:w32:+hidesign:+rmwload:+clusters" FLOATS ":+half", "" },
		{ no_denorm64,
		  "spirv:w32:+hidesign:+rmwload:+clusters:+zeros32:+zeros64:+denorm32:+rte32:+rte64:+half:+flow", "" },
		{ no_denorm16, "spirv:w32:+hidesign:+rmwload:+clusters" FLOATS ":+flow", "" },
		{ widths_together, "spirv:w32:+hidesign:+rmwload:+clusters:+zeros32:+zeros64:+denorm32:+rte32:+rte64:+flow", "" },
		{ denorm_together, "spirv:w32:+hidesign:+rmwload:+clusters:+zeros32:+zeros64:+rte32:+rte64:+flow", "" },
		{ denorm_together_f32, "spirv:w32:-f64:+hidesign:+rmwload:+clusters" FLOATS32 ":+half:+flow", "" },
		{ rte_together,
		  "spirv:w32:+hidesign:+rmwload:+clusters:+zeros32:+zeros64:+denorm32:+denorm64:+flow", "" },
		{ no_timelines, "", "lacks the feature timelineSemaphore" },
		{ old, "", "supports Vulkan 1.2; 1.3 is required" },
		{ no_queue, "", "has no compute queue" },
		{ two_lanes, "", "has no subgroups of 4 to 128 lanes" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct vulkan_facts f = make(VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 32, 32);
		struct vulkan_physical p;
		if (rows[i].change)
			rows[i].change(&f);
		vulkan_check_device(&f, &p);
		UNIT_CHECK(t, strcmp(p.info.why, rows[i].why) == 0, "row %zu: '%s'", i,
			   p.info.why);
		UNIT_CHECK(t, strcmp(p.info.target, rows[i].target) == 0, "row %zu: %s", i,
			   p.info.target);
		UNIT_CHECK(t, p.info.usable == !rows[i].why[0], "row %zu", i);
	}
}

/* -- Choosing ------------------------------------------------------------------------- */

static void
choose(struct unit_ctx *t)
{
	static const char *const names[] = { "Alpha 7", "Beta 7", "Gamma", "Delta old",
					     "Delta new" };
	static const struct {
		const char *which;
		uint32_t want;
		qd_status st;
		const char *part;
	} rows[] = {
		{ "", 0, QD_OK, "" },
		{ "1", 1, QD_OK, "" },
		{ "beta", 1, QD_OK, "" },
		{ "7", 0, QD_E_NOT_FOUND, "no device vulkan:7; there are 5: vulkan:0 to 4" },
		/* two drivers have this card, and one is usable */
		{ "03a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", 4, QD_OK, "" },
		{ "01a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", 1, QD_OK, "" },
		{ "01A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF", 1, QD_OK, "" },
		{ "01a1a2a3a4a5a6a7a8a9aaabacadaeaf", 1, QD_OK, "" },
		{ "02a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", 2, QD_E_UNAVAILABLE,
		  "(Gamma) cannot be used: it has Vulkan 1.2" },
		{ "0ffffff3-a4a5-a6a7-a8a9-aaabacadaeaf", 0, QD_E_NOT_FOUND,
		  "no Vulkan device has the UUID 0ffffff3-a4a5-a6a7-a8a9-aaabacadaeaf; the first "
		  "of 5, 'Alpha 7', has 00a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf" },
		/* a digit short: neither a UUID nor part of a name */
		{ "0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", 0, QD_E_NOT_FOUND, "in its name" },
		{ "gamma", 2, QD_E_UNAVAILABLE, "cannot be used" },
	};
	struct vulkan_physical all[QD_COUNT(names)];
	for (uint32_t i = 0; i < QD_COUNT(names); i++) {
		struct vulkan_facts f = make(VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 32, 32);
		f.v11.deviceUUID[0] = (uint8_t)(i == 4 ? 3 : i);
		snprintf(f.core.deviceName, sizeof f.core.deviceName, "%s", names[i]);
		vulkan_check_device(&f, &all[i]);
		if (i == 2 || i == 3) {
			snprintf(all[i].info.why, sizeof all[i].info.why, "has Vulkan 1.2");
			all[i].info.usable = false;
		}
		snprintf(all[i].info.selector, sizeof all[i].info.selector, "vulkan:%u", i);
	}
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_error e = { 0 };
		uint32_t at = 99;
		qd_status st = vulkan_choose(all, QD_COUNT(names), rows[i].which, &at, &e);
		UNIT_CHECK(t, st == rows[i].st && (st || at == rows[i].want), "'%s': %s, %u",
			   rows[i].which, qd_status_name(st), at);
		UNIT_CHECK(t, strstr(e.text, rows[i].part), "'%s': %s", rows[i].which, e.text);
	}
}

/* Opens the present device by its UUID in the list. */
static void
by_uuid(struct unit_ctx *t)
{
	struct vulkan_rig r;
	struct qd_device *dev = NULL;
	char text[64];
	if (!vulkan_rig_open(t, &r, false))
		return;
	UNIT_CHECK(t, strlen(r.dev->info.uuid) == 36, "UUID '%s'", r.dev->info.uuid);
	snprintf(text, sizeof text, "vulkan:%s:w%u", r.dev->info.uuid, r.dev->info.subgroup_size);
	VULKAN_OK(t, &r, qd_device_open(r.ctx, text, &dev, &r.e));
	if (dev)
		UNIT_CHECK(t, strcmp(dev->info.uuid, r.dev->info.uuid) == 0, "%s",
			   dev->info.uuid);
	qd_device_close(dev);
	vulkan_rig_close(t, &r);
}

/* -- The present device with fewer features -------------------------------------------- */

enum { N = 64 };

static const char kernels[] =
	"kernel lanes(src: in u32[], dst: out u32[]) {\n"
	"  for i in grid(src.len) {\n"
	"    let x = src[i];\n"
	"    dst[i] = subgroup.reduce_add(x) * 3 + subgroup.inclusive_add(x) * 5\n"
	"           + subgroup.broadcast(x, 2) * 7;\n"
	"  }\n"
	"}\n"
	"kernel moved(src: in u32[], dst: out u32[]) {\n"
	"  for i in grid(src.len) {\n"
	"    dst[i] = subgroup.shuffle(src[i], subgroup.invocation_id() ^ 1);\n"
	"  }\n"
	"}\n"
	"kernel plain(src: in u32[], dst: out u32[]) {\n"
	"  for i in grid(src.len) {\n"
	"    dst[i] = src[i] + 1;\n"
	"  }\n"
	"}\n";

static uint32_t
want_of(const char *name, const uint32_t *src, uint32_t i, uint32_t size)
{
	uint32_t first = i / size * size, total = 0, before = 0;
	if (!strcmp(name, "plain"))
		return src[i] + 1;
	if (!strcmp(name, "moved"))
		return src[i ^ 1];
	for (uint32_t j = first; j < first + size; j++) {
		total += src[j];
		before += j <= i ? src[j] : 0;
	}
	return total * 3 + before * 5 + src[first + 2] * 7;
}

/* Opens the device without the features that `change` removes, and runs the kernel. The result must
 * be right or, if `part` is not NULL, an error that contains it. */
static void
run_without(struct unit_ctx *t, struct vulkan_rig *r, struct qd_module *m,
	    void (*change)(struct vulkan_facts *), const char *name, const char *option,
	    const char *part)
{
	struct qd_device *dev = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *src = NULL, *dst = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	uint32_t in[N], out[N] = { 0 }, wrong = 0;

	vulkan_hooks.facts = change;
	qd_status st = qd_device_open(r->ctx, "vulkan", &dev, &r->e);
	vulkan_hooks.facts = NULL;
	VULKAN_OK(t, r, st);
	VULKAN_OK(t, r, qd_module_kernel(m, name, NULL, 0, &k, &r->e));
	if (st || !k)
		return;
	UNIT_CHECK(t, strstr(qd_device_target(dev), option), "%s: %s", name,
		   qd_device_target(dev));
	st = qd_function_get(dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(t, part ? st == QD_E_TARGET && strstr(r->e.text, part) : st == QD_OK,
		   "%s without %s: %s: %s", name, option, qd_status_name(st), r->e.text);
	if (st == QD_OK) {
		for (uint32_t i = 0; i < N; i++)
			in[i] = i * 2654435761u >> 20;
		VULKAN_OK(t, r, qd_stream_create(dev, &s, &r->e));
		VULKAN_OK(t, r, qd_buffer_create(dev, sizeof in, 0, &src, &r->e));
		VULKAN_OK(t, r, qd_buffer_create(dev, sizeof out, 0, &dst, &r->e));
		VULKAN_OK(t, r, qd_buffer_upload(s, src, 0, in, sizeof in, &r->e));
		struct qd_arg args[] = { qd_arg_buffer(src), qd_arg_buffer(dst) };
		VULKAN_OK(t, r, qd_launch(s, fn, QD_GRID, args, 2, &r->e));
		VULKAN_OK(t, r, qd_buffer_download_async(s, dst, 0, out, sizeof out, &r->e));
		VULKAN_OK(t, r, qd_stream_sync(s, &r->e));
		for (uint32_t i = 0; i < N; i++)
			wrong += out[i] != want_of(name, in, i, dev->info.subgroup_size);
		UNIT_CHECK(t, wrong == 0, "%s without %s: %u wrong", name, option, wrong);
	}
	qd_buffer_free(src);
	qd_buffer_free(dst);
	qd_stream_free(s);
	qd_kernel_free(k);
	qd_device_close(dev);
}

static void
classes(struct unit_ctx *t)
{
	struct vulkan_rig r;
	struct qd_module *m = NULL;
	if (!vulkan_rig_open(t, &r, false))
		return;
	VULKAN_OK(t, &r, qd_module_parse(r.ctx, kernels, strlen(kernels), "lanes.qdk", &m, &r.e));
	if (m) {
		run_without(t, &r, m, no_arithmetic, "lanes", ":-arith", NULL);
		run_without(t, &r, m, no_ballot, "lanes", ":-ballot", NULL);
		run_without(t, &r, m, no_vote, "lanes", "spirv:w", NULL);
		run_without(t, &r, m, no_shuffle, "plain", ":-shuffle", NULL);
		run_without(t, &r, m, no_shuffle, "moved", ":-shuffle",
			    "lanes.qdk:10:14: error: no lowering of subgroup.shuffle");
		run_without(t, &r, m, no_shuffle, "lanes", ":-shuffle", NULL);
	}
	qd_module_free(m);
	vulkan_rig_close(t, &r);
}

const struct unit units_vulkan_device[] = {
	{ "vulkan_device.sizes", sizes },
	{ "vulkan_device.faults", faults },
	{ "vulkan_device.examined", examined },
	{ "vulkan_device.choose", choose },
	{ "vulkan_device.by_uuid", by_uuid },
	{ "vulkan_device.classes", classes },
};
const unsigned n_units_vulkan_device = QD_COUNT(units_vulkan_device);
