/* Stamps: timestamps in query pools. Queries of freed events are reused immediately,
 * because the reset in the new event's batch follows the old batch in the queue. */
#include "vulkan_internal.h"

enum { QUERIES = 64 };

static qd_status
create_queries(struct vulkan_device *dev, struct vulkan_queries **out, struct qd_error *err)
{
	struct vulkan_queries *q = pool_new(&dev->base.ctx->pool, sizeof *q);
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP,
		.queryCount = QUERIES,
	};
	VkResult r = dev->vk.vkCreateQueryPool(dev->device, &info, NULL, &q->pool);
	if (r != VK_SUCCESS) {
		pool_delete(&dev->base.ctx->pool, q);
		return vulkan_fail(dev, err, r, "vkCreateQueryPool");
	}
	*out = q;
	return QD_OK;
}

qd_status
vulkan_timestamp_take(struct qd_device *base, struct timestamp *out, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	qd_status st = QD_OK;
	*out = (struct timestamp){ .pool = NULL };
	if (!dev->physical.timestamp_bits)
		return QD_OK;
	pthread_mutex_lock(&dev->query_lock);
	struct vulkan_queries *q = dev->queries;
	while (q && q->used == UINT64_MAX)
		q = q->next;
	if (!q) {
		st = create_queries(dev, &q, err);
		if (st == QD_OK) {
			q->next = dev->queries;
			dev->queries = q;
		}
	}
	if (st == QD_OK) {
		out->pool = q;
		while (q->used >> out->slot & 1)
			out->slot++;
		q->used |= UINT64_C(1) << out->slot;
	}
	pthread_mutex_unlock(&dev->query_lock);
	return st;
}

void
vulkan_timestamp_give(struct qd_device *base, const struct timestamp *s)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_queries *q = s->pool;
	if (!q)
		return;
	pthread_mutex_lock(&dev->query_lock);
	q->used &= ~(UINT64_C(1) << s->slot);
	pthread_mutex_unlock(&dev->query_lock);
}

static qd_status
read_ticks(struct vulkan_device *dev, const struct timestamp *s, uint64_t *ticks,
	   struct qd_error *err)
{
	const struct vulkan_queries *q = s->pool;
	VkResult r = dev->vk.vkGetQueryPoolResults(
		dev->device, q->pool, s->slot, 1, sizeof *ticks, ticks, sizeof *ticks,
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkGetQueryPoolResults");
}

qd_status
vulkan_timestamp_ns(struct qd_device *base, const struct timestamp *from,
		    const struct timestamp *to, uint64_t *ns, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	uint64_t a, b;
	QD_TRY(read_ticks(dev, from, &a, err));
	QD_TRY(read_ticks(dev, to, &b, err));
	/* The counter has only these bits, and may have wrapped in between. */
	uint32_t bits = dev->physical.timestamp_bits;
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t ticks = (b - a) & mask;
	if (ticks > mask / 2)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       base->info.selector);
	*ns = (uint64_t)((double)ticks * (double)dev->physical.limits.timestampPeriod);
	return QD_OK;
}
