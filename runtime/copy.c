/* Copies between buffers, and fills. */
#include "stream.h"

/* Prepares for a write to the buffer. Pending downloads that read it become copies, and the write
 * is ordered after its zeroing. */
static qd_status
will_write(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err)
{
	if (atomic_load_explicit(&buf->reads, memory_order_relaxed))
		QD_TRY(stream_stage(s, err));
	return stream_wait_zeroed(s, buf, err);
}

/* -- Copies ------------------------------------------------------------------------------ */

static qd_status
copy(struct qd_stream *s, struct qd_buffer *dst, size_t to, struct qd_buffer *src, size_t from,
     size_t size, struct qd_error *err)
{
	QD_TRY(will_write(s, dst, err));
	QD_TRY(stream_wait_zeroed(s, src, err));
	QD_TRY(stream_open_command(s, 0, NULL, size, err));
	QD_TRY(use_note(s, dst, err));
	QD_TRY(use_note(s, src, err));
	s->ticket++;
	s->dev->driver->copy(s->queue, &dst->memory, to, &src->memory, from, size);
	stream_kick(s);
	return QD_OK;
}

qd_status
stream_copy(struct qd_stream *s, struct qd_buffer *dst, size_t to, struct qd_buffer *src,
	    size_t from, size_t size, struct qd_error *err)
{
	QD_TRY(stream_enter(s, err));
	qd_status st = copy(s, dst, to, src, from, size, err);
	stream_leave(s);
	return st;
}

/* -- Fills --------------------------------------------------------------------------------- */

enum { SEED = 4096 }; /* bytes of a pattern that the host provides; a multiple of 8 */

/* Repeated bytes of a fill, from some offset on. */
struct pattern {
	char bytes[8];
};

/* Returns the pattern from n bytes further on. */
static struct pattern
rotated(struct pattern p, size_t n)
{
	struct pattern out;
	for (uint32_t i = 0; i < 8; i++)
		out.bytes[i] = p.bytes[(i + n) % 8];
	return out;
}

static void
put_pattern(char *to, size_t size, struct pattern p)
{
	for (size_t i = 0; i < size; i++)
		to[i] = p.bytes[i % 8];
}

static qd_status
fill_words(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size, uint32_t word,
	   struct qd_error *err)
{
	QD_TRY(stream_open_command(s, 0, NULL, size, err));
	QD_TRY(use_note(s, buf, err));
	s->dev->driver->fill(s->queue, &buf->memory, offset, size, word);
	return QD_OK;
}

/* Fills with a pattern that is not one repeated word. The host provides the beginning, and each
 * copy doubles it. */
static qd_status
fill_doubling(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size,
	      struct pattern p, struct qd_error *err)
{
	char seed[SEED];
	size_t done = size < SEED ? size : SEED;
	put_pattern(seed, SEED, p);
	QD_TRY(stream_write(s, buf, offset, seed, done, err));
	while (done < size) {
		size_t n = size - done < done ? size - done : done;
		QD_TRY(stream_open_command(s, 0, NULL, n, err));
		QD_TRY(use_note(s, buf, err));
		s->dev->driver->copy(s->queue, &buf->memory, offset + done, &buf->memory, offset, n);
		done += n;
	}
	return QD_OK;
}

/* Drivers fill whole words; the host provides the bytes before and after them. */
static qd_status
fill_device(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size,
	    struct pattern p, struct qd_error *err)
{
	size_t head = -offset & 3;
	uint32_t words[2];
	head = head < size ? head : size;
	if (head) {
		QD_TRY(stream_write(s, buf, offset, p.bytes, head, err));
		p = rotated(p, head);
		offset += head;
		size -= head;
	}
	size_t tail = size & 3, body = size - tail;
	memcpy(words, p.bytes, sizeof words);
	if (body && words[0] == words[1])
		QD_TRY(fill_words(s, buf, offset, body, words[0], err));
	else if (body)
		QD_TRY(fill_doubling(s, buf, offset, body, p, err));
	if (tail)
		QD_TRY(stream_write(s, buf, offset + body, rotated(p, body).bytes, tail, err));
	return QD_OK;
}

static qd_status
fill(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size, struct pattern p,
     struct qd_error *err)
{
	char *host = buf->memory.host;
	if (host && !atomic_load(&buf->reads) && uses_passed(buf)) {
		put_pattern(host + offset, size, p);
		return QD_OK;
	}
	QD_TRY(will_write(s, buf, err));
	s->ticket++;
	QD_TRY(fill_device(s, buf, offset, size, p, err));
	stream_kick(s);
	return QD_OK;
}

qd_status
stream_fill(struct qd_stream *s, struct qd_buffer *buf, size_t offset, size_t size,
	    const void *value, uint32_t unit, struct qd_error *err)
{
	struct pattern p;
	for (uint32_t i = 0; i < 8; i += unit)
		memcpy(p.bytes + i, value, unit);
	QD_TRY(stream_enter(s, err));
	qd_status st = fill(s, buf, offset, size, p, err);
	stream_leave(s);
	return st;
}
