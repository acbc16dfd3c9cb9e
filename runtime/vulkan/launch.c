/* Launches: the argument block into push constants or the ring, and as many
 * dispatches as the device's limits need. */
#include "vulkan_internal.h"

enum { FOLD = 65535 }; /* every device takes as many blocks in each dimension */

/* One dispatch of a launch. */
struct piece {
	uint32_t base, x, y;
};

/* The blocks from base on, or as many of them as one dispatch takes.  Blocks
 * past the launch's count are numbered below 2^32 and leave at entry. */
static struct piece
next_piece(const struct vulkan_device *dev, uint32_t base, uint32_t n)
{
	struct piece p = { .base = base, .x = n, .y = 1 };
	if (n <= dev->max_groups_x)
		return p;
	p.x = dev->max_groups_x < FOLD ? dev->max_groups_x : FOLD;
	p.y = n / p.x + (n % p.x != 0);
	uint32_t max_y = dev->max_groups_y < FOLD ? dev->max_groups_y : FOLD;
	if (p.y > max_y)
		p.y = max_y;
	return p;
}

static qd_status
dispatch(struct vulkan_stream *s, const struct launch *l, struct piece p, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(s->base.dev);
	const struct vulkan_function *fn = (const struct vulkan_function *)l->fn;
	const uint32_t base_at = l->tail + 4 * TAIL_BLOCK_BASE;
	unsigned char copy[VULKAN_MAX_PUSH];
	const void *push = l->args;
	VkCommandBuffer cmd;
	if (fn->by_address) {
		uint32_t at;
		QD_TRY(vulkan_ring_take(s, l->args_size, NULL, &at, err));
		char *args = s->ring.host + at;
		memcpy(args, l->args, l->args_size);
		memcpy(args + base_at, &p.base, sizeof p.base);
		uint64_t addr = s->ring.addr + at;
		memcpy(copy, &addr, sizeof addr);
		push = copy;
	} else if (p.base) {
		memcpy(copy, l->args, l->args_size);
		memcpy(copy + base_at, &p.base, sizeof p.base);
		push = copy;
	}
	QD_TRY(vulkan_stream_record(s, &cmd, err));
	if (s->bound != fn->pipeline) {
		dev->vk.vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, fn->pipeline);
		s->bound = fn->pipeline;
	}
	dev->vk.vkCmdPushConstants(cmd, fn->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, fn->push_size,
				   push);
	dev->vk.vkCmdDispatch(cmd, p.x, p.y, 1);
	s->barrier = true;
	for (uint32_t i = 0; i < l->n_params; i++) {
		if (l->bufs[i])
			vulkan_buffer_used(s, vulkan_buffer_of(l->bufs[i]));
	}
	return QD_OK;
}

static qd_status
launch(struct vulkan_stream *s, const struct launch *l, struct qd_error *err)
{
	const struct vulkan_device *dev = vulkan_device_of(s->base.dev);
	QD_TRY(vulkan_stream_check(s, err));
	/* Before, not after: what is recorded is launched, whatever submitting it
	 * says later. */
	if (s->n_launches >= VULKAN_MAX_LAUNCHES)
		QD_TRY(vulkan_stream_flush(s, err));
	QD_TRY(vulkan_stage_pending(s, err));
	for (uint32_t left = l->n_blocks; left;) {
		struct piece p = next_piece(dev, l->n_blocks - left, left);
		QD_TRY(dispatch(s, l, p, err));
		uint64_t done = (uint64_t)p.x * p.y;
		left = done < left ? left - (uint32_t)done : 0;
	}
	s->n_launches++;
	return QD_OK;
}

qd_status
vulkan_launch(struct qd_stream *stream, const struct launch *l, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	pthread_mutex_lock(&s->lock);
	qd_status st = launch(s, l, err);
	pthread_mutex_unlock(&s->lock);
	return st;
}
