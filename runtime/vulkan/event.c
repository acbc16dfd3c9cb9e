/* Events: a timestamp in a query pool, and the value of the stream's timeline
 * that passes with it.  Slots of freed events are used again at once: the reset
 * in the new event's batch comes behind the old one in the queue. */
#include "vulkan_internal.h"

struct event {
	struct qd_event base;
	struct vulkan_timeline *timeline;
	uint64_t value;
	struct vulkan_queries *queries; /* NULL: the queue has no timestamps */
	uint32_t slot;
};

static qd_status
create_queries(struct vulkan_device *dev, struct vulkan_queries **out, struct qd_error *err)
{
	struct vulkan_queries *q = pool_new(&dev->base.ctx->pool, sizeof *q);
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP,
		.queryCount = VULKAN_QUERIES,
	};
	VkResult r = dev->vk.vkCreateQueryPool(dev->device, &info, NULL, &q->pool);
	if (r != VK_SUCCESS) {
		pool_delete(&dev->base.ctx->pool, q);
		return vulkan_fail(dev, err, r, "vkCreateQueryPool");
	}
	*out = q;
	return QD_OK;
}

static qd_status
take_slot(struct vulkan_device *dev, struct event *e, struct qd_error *err)
{
	qd_status st = QD_OK;
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
		e->queries = q;
		e->slot = 0;
		while (q->used >> e->slot & 1)
			e->slot++;
		q->used |= UINT64_C(1) << e->slot;
	}
	pthread_mutex_unlock(&dev->query_lock);
	return st;
}

static void
give_slot(struct vulkan_device *dev, const struct event *e)
{
	if (!e->queries)
		return;
	pthread_mutex_lock(&dev->query_lock);
	e->queries->used &= ~(UINT64_C(1) << e->slot);
	pthread_mutex_unlock(&dev->query_lock);
}

static qd_status
record(struct vulkan_stream *s, struct event *e, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(s->base.dev);
	QD_TRY(vulkan_stream_check(s, err));
	/* Who waits for the event may then change what they would read. */
	QD_TRY(vulkan_stage_pending(s, err));
	if (dev->physical.timestamp_bits) {
		VkCommandBuffer cmd;
		QD_TRY(take_slot(dev, e, err));
		QD_TRY(vulkan_stream_record(s, &cmd, err));
		dev->vk.vkCmdResetQueryPool(cmd, e->queries->pool, e->slot, 1);
		dev->vk.vkCmdWriteTimestamp2(cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
					     e->queries->pool, e->slot);
		s->barrier = true;
	}
	QD_TRY(vulkan_stream_flush(s, err));
	e->timeline = vulkan_timeline_ref(s->timeline);
	e->value = s->submitted;
	return QD_OK;
}

qd_status
vulkan_event_record(struct qd_stream *stream, struct qd_event **out, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	struct vulkan_device *dev = vulkan_device_of(stream->dev);
	struct event *e = pool_new(&stream->dev->ctx->pool, sizeof *e);
	if (!e)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	e->base.dev = stream->dev;
	pthread_mutex_lock(&s->lock);
	qd_status st = record(s, e, err);
	pthread_mutex_unlock(&s->lock);
	if (st != QD_OK) {
		give_slot(dev, e);
		pool_delete(&stream->dev->ctx->pool, e);
		return st;
	}
	*out = &e->base;
	return QD_OK;
}

static qd_status
read_timestamp(struct vulkan_device *dev, const struct event *e, uint64_t *ticks,
	       struct qd_error *err)
{
	bool passed;
	QD_TRY(vulkan_check_lost(dev, err));
	if (!e->queries)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "%s (%s): the device's queue has no timestamps",
			       dev->base.info.selector, dev->base.info.name);
	QD_TRY(vulkan_timeline_passed(dev, e->timeline, e->value, &passed, err));
	if (!passed)
		return qd_fail(err, QD_E_BUSY,
			       "%s: the stream has not come to the event; synchronise it first",
			       dev->base.info.selector);
	VkResult r = dev->vk.vkGetQueryPoolResults(
		dev->device, e->queries->pool, e->slot, 1, sizeof *ticks, ticks, sizeof *ticks,
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkGetQueryPoolResults");
}

qd_status
vulkan_event_elapsed(struct qd_event *from, struct qd_event *to, uint64_t *ns, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(from->dev);
	uint64_t a, b;
	QD_TRY(read_timestamp(dev, (const struct event *)from, &a, err));
	QD_TRY(read_timestamp(dev, (const struct event *)to, &b, err));
	/* The counter has so many bits and may have wrapped in between. */
	uint32_t bits = dev->physical.timestamp_bits;
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t ticks = (b - a) & mask;
	if (ticks > mask / 2)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       dev->base.info.selector);
	*ns = (uint64_t)((double)ticks * (double)dev->physical.limits.timestampPeriod);
	return QD_OK;
}

qd_status
vulkan_event_wait(struct qd_stream *stream, struct qd_event *event, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	const struct event *e = (const struct event *)event;
	struct vulkan_device *dev = vulkan_device_of(stream->dev);
	bool passed = e->timeline == s->timeline;
	if (!passed)
		QD_TRY(vulkan_timeline_passed(dev, e->timeline, e->value, &passed, err));
	pthread_mutex_lock(&s->lock);
	qd_status st = vulkan_stream_check(s, err);
	/* What the stream was given before does not wait, and what others write
	 * after the event must not be read by earlier downloads. */
	if (st == QD_OK)
		st = vulkan_stage_pending(s, err);
	if (st == QD_OK && !passed) {
		if (s->state != VULKAN_NO_BATCH || s->n_waits == VULKAN_MAX_WAITS)
			st = vulkan_stream_flush(s, err);
		if (st == QD_OK)
			s->waits[s->n_waits++] = (struct vulkan_wait){
				.timeline = vulkan_timeline_ref(e->timeline),
				.value = e->value,
			};
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

void
vulkan_event_free(struct qd_event *event)
{
	struct event *e = (struct event *)event;
	struct vulkan_device *dev = vulkan_device_of(event->dev);
	give_slot(dev, e);
	vulkan_timeline_unref(dev, e->timeline);
	pool_delete(&event->dev->ctx->pool, e);
}
