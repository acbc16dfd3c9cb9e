/* Loads images. Drivers accept code that exceeds their limits, and then compute garbage or crash,
 * so all limits are checked here first. */
#include "vulkan_internal.h"

static QD_COLD qd_status
refuse(const struct vulkan_device *dev, const struct qd_image *img, struct qd_error *err,
       const char *what, uint64_t want, uint64_t have)
{
	return qd_fail(err, QD_E_LIMIT, "%s (%s): kernel '%s' needs %llu %s; the device has %llu",
		       dev->base.info.selector, dev->base.info.name,
		       layout_name(img->layout), (unsigned long long)want, what,
		       (unsigned long long)have);
}

qd_status
vulkan_accepts(const struct qd_device *base, const struct qd_image *img, struct qd_error *err)
{
	const struct vulkan_device *dev = (const struct vulkan_device *)base;
	const struct isa_meta *meta = &img->meta;
	const struct vulkan_physical *p = &dev->physical;
	const char *name = layout_name(img->layout);
	enum { MAGIC = 0x07230203, HEADER = 20 };
	uint32_t magic = 0;
	if (img->code_size >= HEADER && img->code_size % 4 == 0)
		memcpy(&magic, img->code, sizeof magic);
	if (magic != MAGIC)
		return qd_fail(
			err, QD_E_INVALID,
			"%s (%s): the image of kernel '%s', for target %s, is not a SPIR-V module",
			dev->base.info.selector, dev->base.info.name, name, img->target->m.name);
	uint64_t missing = meta->needs & ~p->has;
	if (missing) {
		char names[256];
		vulkan_feature_names(missing, names, sizeof names);
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' needs %s, which the device lacks",
			       dev->base.info.selector, dev->base.info.name, name, names);
	}
	const struct machine *m = &img->target->m;
	uint32_t threads = machine_max_block(&dev->base.target.m, m->lanes, m->subgroup_size);
	if (meta->local_size > threads)
		return refuse(dev, img, err, "threads per block", meta->local_size, threads);
	if (meta->local_size == 0 || meta->local_size % machine_block_step(m))
		return qd_fail(err, QD_E_INVALID,
			       "%s: kernel '%s' has hardware blocks of %u threads, not whole "
			       "subgroups of %u",
			       dev->base.info.selector, name, meta->local_size, machine_block_step(m));
	if (meta->shared_size > p->limits.maxComputeSharedMemorySize)
		return refuse(dev, img, err, "bytes of shared memory per block", meta->shared_size,
			      p->limits.maxComputeSharedMemorySize);
	if (!vulkan_tables_check(img))
		return qd_fail(err, QD_E_INVALID, "%s (%s): the constant tables of kernel '%s' are invalid",
			       dev->base.info.selector, dev->base.info.name, name);
	uint32_t args_size = img->layout->args_size + isa_tables_args(CODE_SPIRV, &img->meta);
	uint32_t inline_args = dev->base.target.m.inline_args;
	if (!(meta->flags & ISA_ARGS_BY_ADDRESS) && args_size > inline_args)
		return refuse(dev, img, err, "bytes of push constants", args_size, inline_args);
	return QD_OK;
}

/* Returns the layout for a number of push constant bytes, created on first use. */
static qd_status
get_layout(struct vulkan_device *dev, uint32_t size, VkPipelineLayout *out, struct qd_error *err)
{
	VkPipelineLayout *at = &dev->layouts[size / 4];
	VkPushConstantRange range = {
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.size = size,
	};
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = size != 0,
		.pPushConstantRanges = &range,
	};
	pthread_mutex_lock(&dev->layout_lock);
	VkResult r = VK_SUCCESS;
	if (!*at)
		r = dev->vk.vkCreatePipelineLayout(dev->device, &info, NULL, at);
	if (r != VK_SUCCESS)
		*at = VK_NULL_HANDLE;
	*out = *at;
	pthread_mutex_unlock(&dev->layout_lock);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkCreatePipelineLayout");
}

static qd_status
create_pipeline(struct vulkan_device *dev, const struct qd_image *img, VkPipelineLayout layout,
		VkPipeline *out, struct qd_error *err)
{
	VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = img->code_size,
		.pCode = (const uint32_t *)(const void *)img->code, /* aligned to 8 */
	};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = img->target->m.lanes,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.pNext = dev->physical.demand_size ? &size : NULL,
			.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = img->meta.entry,
		},
		.layout = layout,
	};
	VkResult r = dev->vk.vkCreateShaderModule(dev->device, &module, NULL, &info.stage.module);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkCreateShaderModule");
	r = vulkan_pipeline_create(dev, img, &info, out);
	dev->vk.vkDestroyShaderModule(dev->device, info.stage.module, NULL);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkCreateComputePipelines");
}

qd_status
vulkan_load(struct qd_device *base, struct qd_image *img, struct qd_function **out,
	    struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_function *fn = pool_new(&base->ctx->pool, sizeof *fn);
	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	fn->base.args_in_memory = img->meta.flags & ISA_ARGS_BY_ADDRESS;
	fn->push_size = fn->base.args_in_memory ? 8 : img->layout->args_size;
	qd_status st = get_layout(dev, fn->push_size + isa_tables_args(CODE_SPIRV, &img->meta), &fn->layout, err);
	if (st == QD_OK)
		st = vulkan_tables_load(dev, fn, img, err);
	if (st == QD_OK)
		st = create_pipeline(dev, img, fn->layout, &fn->pipeline, err);
	if (st != QD_OK) {
		vulkan_tables_free(fn);
		pool_delete(&base->ctx->pool, fn);
		return st;
	}
	fn->base.dev = base;
	fn->base.image = img;
	fn->base.info = (struct qd_function_info){
		.subgroup_size = img->target->m.subgroup_size,
		.hardware_size = img->target->m.lanes,
		.barriers = img->meta.barriers,
		.block_dim = img->layout->block_dim,
		.max_block_dim = machine_max_block(&base->target.m, img->target->m.lanes,
						   img->target->m.subgroup_size),
		.registers = img->meta.registers,
		.shared_size = img->meta.shared_size,
		.code_size = img->code_size,
	};
	*out = &fn->base;
	return QD_OK;
}

void
vulkan_unload(struct qd_function *base)
{
	struct vulkan_function *fn = (struct vulkan_function *)base;
	struct vulkan_device *dev = vulkan_device_of(base->dev);
	dev->vk.vkDestroyPipeline(dev->device, fn->pipeline, NULL);
	vulkan_tables_free(fn);
	pool_delete(&base->dev->ctx->pool, fn);
}
