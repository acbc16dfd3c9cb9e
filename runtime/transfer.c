/* Uploads and downloads. The host accesses memory directly if it can and no work in flight uses
 * that memory. Otherwise the bytes pass through the stream's ring, as copies in the stream.
 * Slots of the ring are taken in order, and freed in order when the batch that uses them has
 * passed. */
#include <assert.h>

#include "function.h"
#include "stream.h"

/* Sizes of the ring. It is small if it serves only arguments and occasional transfers into memory
 * in use. If all transfers pass through it, it is large enough to overlap them. */
enum { RING_SEEN = 1 << 20, RING_HIDDEN = 8 << 20, RING_ALIGN = 64 };

/* -- The ring ------------------------------------------------------------------------ */

qd_status
ring_create(struct qd_stream *s, struct qd_error *err)
{
	struct qd_device *dev = s->dev;
	const struct driver *d = dev->driver;
	uint32_t size = dev->hidden ? RING_HIDDEN : RING_SEEN;
	qd_status st = d->memory_alloc(dev, MEMORY_STAGING, size, &s->ring.memory, err);
	if (device_retry(dev, st))
		st = d->memory_alloc(dev, MEMORY_STAGING, size, &s->ring.memory, err);
	QD_TRY(st);
	s->ring.size = size;
	return QD_OK;
}

bool
ring_drop(struct qd_stream *s)
{
	struct ring *r = &s->ring;
	if (!r->size)
		return false;
	stream_deliver(s);
	if (r->n)
		return false;
	s->dev->driver->memory_free(s->dev, &r->memory);
	*r = (struct ring){ .size = 0 };
	return true;
}

static uint32_t
aligned(uint32_t size)
{
	return (size + RING_ALIGN - 1) & ~(uint32_t)(RING_ALIGN - 1);
}

/* Finds `size` contiguous free bytes. */
static bool
find_room(const struct ring *r, uint32_t size, uint32_t *at)
{
	*at = 0;
	if (r->n == 0)
		return size <= r->size;
	if (r->n == N_SLOT)
		return false;
	uint32_t tail = r->slots[r->first].at;
	*at = r->head;
	if (r->head <= tail)
		return tail - r->head >= size;
	if (r->size - r->head >= size)
		return true;
	*at = 0;
	return tail >= size;
}

bool
ring_has_room(struct ring *r, uint32_t size, uint64_t *oldest)
{
	uint32_t at;
	*oldest = r->slots[r->first].value;
	return find_room(r, aligned(size), &at);
}

uint32_t
ring_take(struct qd_stream *s, uint32_t size, void *dst, uint64_t ticket)
{
	struct ring *r = &s->ring;
	uint64_t value = s->submitted + 1;
	uint32_t at, dst_size = size;
	size = aligned(size);
	bool found = find_room(r, size, &at); /* stream_open has checked this */
	assert(found);
	(void)found;
	r->head = at + size;
	struct slot *last = &r->slots[(r->first + r->n - 1) % N_SLOT];
	if (r->n && !dst && !last->dst && last->value == value && last->at + last->size == at) {
		last->size += size;
		return at;
	}
	r->slots[(r->first + r->n) % N_SLOT] = (struct slot){
		.at = at,
		.size = size,
		.value = value,
		.ticket = ticket,
		.dst = dst,
		.dst_size = dst_size,
	};
	r->n++;
	r->n_downloads += dst != NULL;
	return at;
}

/* Cancels the delivery of this download's slots. */
static void
forget(struct ring *r, uint64_t ticket)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct slot *slot = &r->slots[(r->first + i) % N_SLOT];
		if (!slot->dst || slot->ticket != ticket)
			continue;
		slot->dst = NULL;
		r->n_downloads--;
	}
}

/* -- Delivery -------------------------------------------------------------------------- */

static void
collect_ring(struct ring *r, const struct timeline *t)
{
	while (r->n) {
		const struct slot *slot = &r->slots[r->first];
		if (!timeline_known(t, slot->value))
			return;
		if (slot->dst)
			memcpy(slot->dst, r->memory.host + slot->at, slot->dst_size);
		r->n_downloads -= slot->dst != NULL;
		r->first = (r->first + 1) % N_SLOT;
		r->n--;
	}
}

static void
drop_pending(struct qd_stream *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		atomic_fetch_sub(&s->pending[i].buf->reads, 1);
	s->n_pending -= n;
	memmove(s->pending, s->pending + n, s->n_pending * sizeof s->pending[0]);
}

/* Delivers in order of tickets, because two downloads may have the same destination. */
void
stream_deliver(struct qd_stream *s)
{
	uint32_t n = 0;
	if (s->ring.n)
		collect_ring(&s->ring, s->timeline);
	if (s->ring.n_downloads || s->staging)
		return;
	for (; n < s->n_pending && timeline_known(s->timeline, s->pending[n].value); n++) {
		const struct download *d = &s->pending[n];
		memcpy(d->dst, d->buf->memory.host + d->offset, d->size);
	}
	if (n)
		drop_pending(s, n);
}

bool
stream_delivered(const struct qd_stream *s, uint64_t ticket)
{
	const struct ring *r = &s->ring;
	if ((s->staging && s->staging <= ticket) ||
	    (s->n_pending && s->pending[0].ticket <= ticket))
		return false;
	for (uint32_t i = 0; r->n_downloads && i < r->n; i++) {
		const struct slot *slot = &r->slots[(r->first + i) % N_SLOT];
		if (slot->dst)
			return slot->ticket > ticket;
	}
	return true;
}

void
stream_forget_one(struct qd_stream *s, uint64_t ticket)
{
	uint32_t i = 0;
	forget(&s->ring, ticket);
	while (i < s->n_pending && s->pending[i].ticket != ticket)
		i++;
	if (i == s->n_pending)
		return;
	atomic_fetch_sub(&s->pending[i].buf->reads, 1);
	s->n_pending--;
	memmove(s->pending + i, s->pending + i + 1, (s->n_pending - i) * sizeof s->pending[0]);
}

void
stream_forget(struct qd_stream *s)
{
	drop_pending(s, s->n_pending);
}

/* -- Copies ---------------------------------------------------------------------------- */

/* Records a copy between the buffer and new room in the ring. */
static qd_status
put_copy(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src, void *dst,
	 uint32_t size, uint64_t ticket, struct qd_error *err)
{
	const struct driver *d = s->dev->driver;
	struct ring *r = &s->ring;
	QD_TRY(stream_open(s, size, err));
	QD_TRY(use_note(s, buf, err));
	uint32_t at = ring_take(s, size, dst, ticket);
	if (src) {
		memcpy(r->memory.host + at, src, size);
		d->copy(s->queue, &buf->memory, offset, &r->memory, at, size);
	} else {
		d->copy(s->queue, &r->memory, at, &buf->memory, offset, size);
	}
	return QD_OK;
}

/* Records one transfer, in pieces that fit in the ring. If there are several, each is submitted
 * immediately, so that the host's copy to or from the ring overlaps with it. */
static qd_status
put_copies(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src, void *dst,
	   size_t size, uint64_t ticket, struct qd_error *err)
{
	if (!s->ring.size)
		QD_TRY(ring_create(s, err));
	uint32_t chunk = s->ring.size / 4;
	QD_TRY(stream_wait_zeroed(s, buf, err));
	for (size_t i = 0; i < size; i += chunk) {
		uint32_t n = size - i > chunk ? chunk : (uint32_t)(size - i);
		qd_status st = put_copy(s, buf, offset + i, src ? (const char *)src + i : NULL,
					dst ? (char *)dst + i : NULL, n, ticket, err);
		if (st == QD_OK && size > chunk)
			st = stream_flush(s, err);
		if (st != QD_OK) {
			/* The caller reports that nothing will be delivered. */
			forget(&s->ring, ticket);
			return st;
		}
	}
	return QD_OK;
}

qd_status
stream_write(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
	     size_t size, struct qd_error *err)
{
	return put_copies(s, buf, offset, src, NULL, size, s->ticket, err);
}

/* Turns the first pending download into a copy. Its slots have its ticket, so a thread that waits
 * for the download waits for them. */
static qd_status
stage_first(struct qd_stream *s, struct qd_error *err)
{
	struct download d = s->pending[0];
	s->n_pending--;
	memmove(s->pending, s->pending + 1, s->n_pending * sizeof s->pending[0]);
	s->staging = d.ticket;
	qd_status st = put_copies(s, d.buf, d.offset, NULL, d.dst, d.size, d.ticket, err);
	s->staging = 0;
	if (st == QD_OK) {
		atomic_fetch_sub(&d.buf->reads, 1);
		return QD_OK;
	}
	/* No later work was recorded, so the download can still read the buffer. */
	memmove(s->pending + 1, s->pending, s->n_pending * sizeof s->pending[0]);
	s->pending[0] = d;
	s->n_pending++;
	return st;
}

qd_status
stream_stage(struct qd_stream *s, struct qd_error *err)
{
	bool passed;
	if (QD_LIKELY(!s->n_pending))
		return QD_OK;
	QD_TRY(timeline_passed(s->timeline, s->submitted, &passed, err));
	stream_deliver(s);
	while (s->n_pending)
		QD_TRY(stage_first(s, err));
	return QD_OK;
}

/* -- Transfers ---------------------------------------------------------------------------- */

static qd_status
upload(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src, size_t size,
       struct qd_error *err)
{
	char *host = buf->memory.host;
	if (host && !atomic_load(&buf->reads) && uses_passed(buf)) {
		memcpy(host + offset, src, size);
		return QD_OK;
	}
	QD_TRY(stream_stage(s, err));
	QD_TRY(put_copies(s, buf, offset, src, NULL, size, ++s->ticket, err));
	stream_kick(s);
	return QD_OK;
}

qd_status
stream_upload(struct qd_stream *s, struct qd_buffer *buf, size_t offset, const void *src,
	      size_t size, struct qd_error *err)
{
	QD_TRY(stream_enter(s, err));
	qd_status st = upload(s, buf, offset, src, size, err);
	stream_leave(s);
	return st;
}

static qd_status
download(struct qd_stream *s, struct qd_buffer *buf, size_t offset, void *dst, size_t size,
	 struct qd_error *err)
{
	const char *host = buf->memory.host;
	uint64_t ticket = ++s->ticket;
	if (!host) {
		QD_TRY(put_copies(s, buf, offset, NULL, dst, size, ticket, err));
		stream_kick(s);
		return QD_OK;
	}
	if (!s->n_pending && !s->ring.n_downloads && uses_passed(buf)) {
		memcpy(dst, host + offset, size);
		return QD_OK;
	}
	/* Downloads right before a sync need no copy in the stream. */
	if (s->n_pending == MAX_PENDING)
		QD_TRY(stream_stage(s, err));
	atomic_fetch_add(&buf->reads, 1);
	s->pending[s->n_pending++] = (struct download){
		.buf = buf,
		.offset = offset,
		.size = size,
		.dst = dst,
		.value = s->submitted + (s->state != NO_BATCH || s->n_waits),
		.ticket = ticket,
	};
	return QD_OK;
}

qd_status
stream_download(struct qd_stream *s, struct qd_buffer *buf, size_t offset, void *dst, size_t size,
		uint64_t *ticket, struct qd_error *err)
{
	QD_TRY(stream_enter(s, err));
	qd_status st = download(s, buf, offset, dst, size, err);
	*ticket = s->ticket;
	stream_leave(s);
	return st;
}
