/* Launches in a stream. A launch becomes as many dispatches as the device's limits require, each
 * with the number of its first block in the argument block. */
#include "stream.h"

enum { FOLD = 65535 }; /* maximum of each dimension in a two-dimensional dispatch */

/* Returns a dispatch of the n blocks from base on, or of as many as one dispatch can have. It may
 * include blocks past the launch's count, which have numbers below 2^32 and exit at entry. */
static struct dispatch
next_piece(const struct qd_device *dev, uint32_t base, uint32_t n)
{
	struct dispatch p = { .base = base, .x = n, .y = 1 };
	if (n <= dev->max_x)
		return p;
	if (dev->max_y <= 1) {
		p.x = dev->max_x;
		return p;
	}
	p.x = dev->max_x < FOLD ? dev->max_x : FOLD;
	p.y = n / p.x + (n % p.x != 0);
	uint32_t max_y = dev->max_y < FOLD ? dev->max_y : FOLD;
	if (p.y > max_y)
		p.y = max_y;
	if (base + (uint64_t)p.x * p.y > (uint64_t)UINT32_MAX + 1)
		p.y--;
	return p;
}

static qd_status
put_dispatch(struct qd_stream *s, const struct launch *l, struct dispatch *p, struct qd_error *err)
{
	uint32_t room = l->fn->args_in_memory ? l->args_size : 0;
	uint64_t blocks = (uint64_t)p->x * p->y;
	QD_TRY(stream_open_command(s, room, l->fn, blocks, err));
	for (uint32_t i = 0; i < l->n_params; i++) {
		if (l->bufs[i])
			QD_TRY(use_note(s, l->bufs[i], err));
	}
	if (QD_LIKELY(l->tail != NO_TAIL))
		memcpy((char *)l->args + l->tail + 4 * TAIL_BLOCK_BASE, &p->base, sizeof p->base);
	if (QD_UNLIKELY(layout_report_at(l->fn->image->layout)))
		QD_TRY(report_prepare(s, l, err));
	p->launch = l;
	p->args = l->args;
	if (room) {
		uint32_t at = ring_take(s, room, NULL, s->ticket);
		memcpy(s->ring.memory.host + at, l->args, room);
		p->args_addr = s->ring.memory.addr + at;
	}
	qd_status st = s->dev->driver->dispatch(s->queue, p, err);
	if (QD_UNLIKELY(st != QD_OK) && s->timeline->watchdog)
		watchdog_remove(s->timeline->watchdog, l->fn, blocks);
	return st;
}

static qd_status
launch(struct qd_stream *s, const struct launch *l, struct qd_error *err)
{
	bool read = false;
	for (uint32_t i = 0; i < l->n_params; i++) {
		if (!l->bufs[i])
			continue;
		read |= atomic_load_explicit(&l->bufs[i]->reads, memory_order_relaxed) != 0;
		QD_TRY(stream_wait_zeroed(s, l->bufs[i], err));
	}
	if (read)
		QD_TRY(stream_stage(s, err));
	s->ticket++;
	for (uint32_t left = l->n_blocks; left;) {
		struct dispatch p = next_piece(s->dev, l->n_blocks - left, left);
		QD_TRY(put_dispatch(s, l, &p, err));
		uint64_t done = (uint64_t)p.x * p.y;
		left = done < left ? left - (uint32_t)done : 0;
	}
	stream_kick(s);
	return QD_OK;
}

qd_status
stream_launch(struct qd_stream *s, const struct launch *l, struct qd_error *err)
{
	QD_TRY(stream_enter(s, err));
	qd_status st = launch(s, l, err);
	stream_leave(s);
	return st;
}
