/* The disk cache with the Vulkan driver. CPU drivers return pipeline caches without contents, so
 * wrappers of their functions simulate a driver that has some. Its blob is the device's header and
 * a hash of the module, and it reports whether it used one. */
#include "disk_rig.h"
#include "t_vulkan.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER = 32, BLOB = HEADER + 24, MAX_CACHES = 64 };

/* The simulated driver and the contents of its caches. */
static struct {
	pthread_mutex_t lock;
	struct vulkan_device_symbols real;
	const struct vulkan_physical *of;
	struct {
		VkPipelineCache cache;
		unsigned char data[BLOB];
		size_t size;
	} caches[MAX_CACHES];
	struct {
		VkShaderModule module;
		uint64_t sum[3];
	} modules[MAX_CACHES];
	unsigned n_foreign, n_compiled, n_used;
	bool mute;   /* gives no feedback */
	bool refuse; /* rejects initial data */
	bool fail;   /* fails to create a pipeline with initial data */
	bool shrug;  /* accepts initial data but does not use it */
	bool empty;  /* returns only headers */
	bool fail_get;
} driver;

static void
put_header(unsigned char *p)
{
	uint32_t words[4] = { HEADER, 1, 0, 0 };
	VkPhysicalDeviceProperties props;
	VkPhysicalDeviceProperties2 two = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
	const struct vulkan_instance *in;
	if (vulkan_instance_get(&in, QD_IGNORE_ERROR) != QD_OK)
		return;
	in->vk.vkGetPhysicalDeviceProperties2(driver.of->handle, &two);
	props = two.properties;
	words[2] = props.vendorID;
	words[3] = props.deviceID;
	memcpy(p, words, sizeof words);
	memcpy(p + sizeof words, props.pipelineCacheUUID, VK_UUID_SIZE);
}

static unsigned
find(VkPipelineCache cache)
{
	unsigned i = 0;
	while (i < MAX_CACHES - 1 && driver.caches[i].cache != cache)
		i++;
	return i;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_cache(VkDevice d, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *a,
	     VkPipelineCache *out)
{
	unsigned char header[HEADER];
	VkPipelineCacheCreateInfo none = *info;
	none.initialDataSize = 0;
	none.pInitialData = NULL;
	if (info->initialDataSize && driver.refuse)
		return VK_ERROR_UNKNOWN;
	VkResult r = driver.real.vkCreatePipelineCache(d, &none, a, out);
	if (r != VK_SUCCESS || !driver.of)
		return r;
	put_header(header);
	pthread_mutex_lock(&driver.lock);
	unsigned i = find(VK_NULL_HANDLE);
	driver.caches[i].cache = *out;
	driver.caches[i].size = 0;
	if (info->initialDataSize) {
		/* A real driver may crash on data that it did not make. */
		driver.n_foreign += info->initialDataSize != BLOB ||
				    memcmp(info->pInitialData, header, HEADER) != 0;
		memcpy(driver.caches[i].data, info->pInitialData, BLOB);
		driver.caches[i].size = BLOB;
	}
	pthread_mutex_unlock(&driver.lock);
	return r;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_cache(VkDevice d, VkPipelineCache cache, const VkAllocationCallbacks *a)
{
	pthread_mutex_lock(&driver.lock);
	unsigned i = find(cache);
	if (driver.caches[i].cache == cache)
		driver.caches[i].cache = VK_NULL_HANDLE;
	pthread_mutex_unlock(&driver.lock);
	driver.real.vkDestroyPipelineCache(d, cache, a);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_module(VkDevice d, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *a,
	      VkShaderModule *out)
{
	static unsigned next;
	unsigned at = 0;
	struct hash128 h = hash_bytes(info->pCode, info->codeSize);
	VkResult r = driver.real.vkCreateShaderModule(d, info, a, out);
	pthread_mutex_lock(&driver.lock);
	/* Drivers reuse handles. */
	while (at < MAX_CACHES && driver.modules[at].module != *out)
		at++;
	unsigned i = at < MAX_CACHES ? at : next++ % MAX_CACHES;
	driver.modules[i].module = *out;
	driver.modules[i].sum[0] = h.lo;
	driver.modules[i].sum[1] = h.hi;
	driver.modules[i].sum[2] = info->codeSize;
	pthread_mutex_unlock(&driver.lock);
	return r;
}

static const uint64_t *
sum_of(VkShaderModule m)
{
	unsigned i = 0;
	while (i < MAX_CACHES - 1 && driver.modules[i].module != m)
		i++;
	return driver.modules[i].sum;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_pipelines(VkDevice d, VkPipelineCache cache, uint32_t n, const VkComputePipelineCreateInfo *info,
		 const VkAllocationCallbacks *a, VkPipeline *out)
{
	VkComputePipelineCreateInfo plain = *info;
	const VkPipelineCreationFeedbackCreateInfo *f = info->pNext;
	plain.pNext = NULL;
	pthread_mutex_lock(&driver.lock);
	unsigned i = find(cache);
	const uint64_t *sum = sum_of(info->stage.module);
	bool kept = driver.caches[i].cache == cache;
	bool used = kept && driver.caches[i].size == BLOB && !driver.shrug &&
		    memcmp(driver.caches[i].data + HEADER, sum, BLOB - HEADER) == 0;
	bool fail = driver.fail && kept && driver.caches[i].size;
	if (kept && f) {
		put_header(driver.caches[i].data);
		memcpy(driver.caches[i].data + HEADER, sum, BLOB - HEADER);
		driver.caches[i].size = driver.empty ? HEADER : BLOB;
	}
	if (f && !driver.mute)
		f->pPipelineCreationFeedback->flags =
			VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
			(used ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0);
	driver.n_compiled += !used;
	driver.n_used += used;
	pthread_mutex_unlock(&driver.lock);
	if (fail)
		return VK_ERROR_UNKNOWN;
	return driver.real.vkCreateComputePipelines(d, cache, n, &plain, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_data(VkDevice d, VkPipelineCache cache, size_t *size, void *data)
{
	(void)d;
	if (driver.fail_get)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	pthread_mutex_lock(&driver.lock);
	unsigned i = find(cache);
	size_t have = driver.caches[i].size;
	if (data && *size >= have)
		memcpy(data, driver.caches[i].data, have);
	VkResult r = data && *size < have ? VK_INCOMPLETE : VK_SUCCESS;
	*size = have;
	pthread_mutex_unlock(&driver.lock);
	return r;
}

static void
inject(struct vulkan_device_symbols *vk)
{
	driver.real = *vk;
	vk->vkCreatePipelineCache = create_cache;
	vk->vkDestroyPipelineCache = destroy_cache;
	vk->vkCreateShaderModule = create_module;
	vk->vkCreateComputePipelines = create_pipelines;
	vk->vkGetPipelineCacheData = get_data;
}

/* -- Runs --------------------------------------------------------------------------- */

static void
run(struct unit_ctx *t, struct disk_rig *r, struct qd_device *dev, int l)
{
	struct qd_tmpl tmpl = { .name = "L", .value = l };
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got[64];
	qd_status st = qd_function_get(dev, r->kernel, &tmpl, 1, &fn, &r->e);
	st = st ? st : qd_stream_create(dev, &s, &r->e);
	st = st ? st : qd_buffer_create(dev, sizeof got, 0, &buf, &r->e);
	struct qd_arg arg = qd_arg_buffer(buf);
	st = st ? st : qd_launch(s, fn, QD_GRID, &arg, 1, &r->e);
	st = st ? st : qd_buffer_download(s, buf, 0, got, sizeof got, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s", r->e.text);
	for (uint32_t i = 0; i < 64 && st == QD_OK; i++)
		UNIT_CHECK(t, got[i] == i % (1u << l), "%u at %u of L %d", got[i], i, l);
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_function_free(fn);
}

/* Simulates a process that runs two kernels. Returns false if there is no device. */
static bool
process(struct unit_ctx *t, struct disk_rig *r, const char *what, unsigned compiled, struct disk_want want)
{
	struct qd_device *dev = NULL;
	if (!disk_rig_context(t, r, QD_CACHE_ON))
		return false;
	driver.n_compiled = driver.n_used = driver.n_foreign = 0;
	driver.of = NULL;
	memset(driver.caches, 0, sizeof driver.caches);
	vulkan_hooks.symbols = inject;
	qd_status st = qd_device_open(r->ctx, "vulkan", &dev, &r->e);
	vulkan_hooks.symbols = NULL;
	if (st != QD_OK) {
		unit_skip(t, r->e.text);
		disk_rig_shut(t, r);
		return false;
	}
	driver.of = &((struct vulkan_device *)dev)->physical;
	run(t, r, dev, 0);
	run(t, r, dev, 1);
	disk_rig_want(t, r, what, want);
	UNIT_CHECK(t, driver.n_compiled == compiled && !driver.n_foreign,
		   "%s: %u compiled, not %u; %u foreign", what, driver.n_compiled, compiled,
		   driver.n_foreign);
	qd_device_close(dev);
	disk_rig_shut(t, r);
	return true;
}

static void
warm(struct unit_ctx *t)
{
	const struct disk_want cold = { .writes = 2, .why = { [WHY_NEW] = 1, [WHY_TEMPLATE] = 1 } };
	const struct disk_want refused = { .writes = 2, .why = { [WHY_DAMAGED] = 2 } };
	const struct disk_want hits = { .hits = 2 };
	struct disk_rig r;
	pthread_mutex_init(&driver.lock, NULL);
	if (!disk_rig_begin(t, &r))
		return;
	if (process(t, &r, "cold", 2, cold)) {
		process(t, &r, "warm", 0, hits);
		driver.mute = true;
		process(t, &r, "a driver without feedback", 0, hits);
		driver.mute = false;
		driver.shrug = true;
		process(t, &r, "a driver that does not use it", 2, refused);
		driver.shrug = false;
		process(t, &r, "used again", 0, hits);
		driver.refuse = true;
		process(t, &r, "a driver that does not accept it", 2, refused);
		driver.refuse = false;
		driver.fail = true;
		/* The pipeline is created without the blob, and is not stored. */
		process(t, &r, "a driver that fails with it", 2,
			(struct disk_want){ .why = { [WHY_DAMAGED] = 2 } });
		driver.fail = false;
		process(t, &r, "gone", 2, (struct disk_want){ .writes = 2, .why = { [WHY_EVICTED] = 2 } });
		process(t, &r, "there again", 0, hits);
	}
	disk_rig_end(t, &r);
}

/* Checks that nothing is stored if the driver returns no contents or fails to return them. */
static void
nothing_kept(struct unit_ctx *t)
{
	const struct disk_want none = { .why = { [WHY_NEW] = 2 } };
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	driver.empty = true;
	for (int i = 0; i < 2; i++)
		process(t, &r, "headers", 2, none);
	driver.empty = false;
	driver.fail_get = true;
	process(t, &r, "no data", 2, none);
	driver.fail_get = false;
	UNIT_CHECK(t, disk_rig_count(&r, false) == 0, "something is kept");
	disk_rig_end(t, &r);
}

/* Checks that the driver is not given a blob of another driver or device, or one that is too short,
 * from an otherwise valid entry. */
static void
foreign(struct unit_ctx *t)
{
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	bool there = process(t, &r, "cold", 2,
			     (struct disk_want){ .writes = 2, .why = { [WHY_NEW] = 1, [WHY_TEMPLATE] = 1 } });
	/* Bytes of header size, version, vendor, device and UUID. -1 truncates the blob. */
	static const int at[] = { 0, 1, 4, 8, 12, 16, 31, -1 };
	for (size_t i = 0; i < QD_COUNT(at) && there; i++) {
		char path[256];
		for (unsigned f = 0; disk_rig_file(&r, false, f, path); f++) {
			struct entry e;
			size_t size;
			char *p = disk_rig_read(path, &size);
			UNIT_CHECK(t, !entry_read(p, size, &e), "no entry");
			size_t payload = (size_t)(e.payload - (const uint8_t *)p);
			if (at[i] >= 0) {
				p[payload + (size_t)at[i]] ^= 0x41;
			} else {
				size = payload + 20;
				e.head.size = size;
				e.head.payload_size = 20;
				memcpy(p, &e.head, sizeof e.head);
			}
			entry_seal(p, size);
			disk_rig_write(path, p, size);
			free(p);
		}
		process(t, &r, "foreign", 2, (struct disk_want){ .writes = 2, .why = { [WHY_DAMAGED] = 2 } });
	}
	disk_rig_end(t, &r);
}

const struct unit units_disk_vulkan[] = {
	{ "disk_vulkan.warm", warm },
	{ "disk_vulkan.nothing_kept", nothing_kept },
	{ "disk_vulkan.foreign", foreign },
};
const unsigned n_units_disk_vulkan = QD_COUNT(units_disk_vulkan);
